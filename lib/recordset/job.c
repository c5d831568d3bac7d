/* SPDX-License-Identifier: MIT */
#include "recordset/job.h"

#include "base/buf.h"
#include "base/str.h"
#include "dedup/record_store.h"
#include "io/out_set.h"
#include "recordset/last_n.h"
#include "recordset/order.h"
#include "recordset/split.h"

struct job {
	const struct bt_recordset_opts *o;
	struct bt_input *in;
	struct bt_filter *choose;
	struct bt_sink *put;
	struct bt_last_n last;
	struct bt_split parts;
	struct bt_record_store *store; /* of records to be arranged, or NULL */
	struct bt_strata *classes;     /* to stratify them by, or NULL */
	struct bt_out_set outs;
	uint64_t put_in[BT_SPLIT_MAX]; /* records of each part */
};

/* in is NULL where data no longer is what was read last. */
static int put(struct job *j, const struct bt_input *in, const void *data,
               size_t len, struct bt_error *err)
{
	uint64_t i = bt_sink_count(j->put);
	struct bt_out *out =
	    j->outs.out[j->o->shards > 0 ? i % (uint64_t)j->o->shards : 0];

	return bt_sink_record(j->put, out, in, data, len, err);
}

/* A record that was chosen: put now, or when all are there. */
static int pass(struct job *j, const struct bt_input *in, const void *data,
                size_t len, struct bt_error *err)
{
	int r = BT_OK;

	if (j->store == NULL)
		return put(j, in, data, len, err);
	if (j->classes != NULL)
		r = bt_strata_add(j->classes, data, len, err);
	if (r == BT_OK)
		return bt_record_store_put(j->store, data, len, err);
	return in != NULL
	           ? bt_input_blame(in, err)
	           : bt_error_prefix(err, "record %zu of the last ones",
	                             bt_record_store_count(j->store) + 1);
}

/* What becomes of one record. */
static int take(struct job *j, const void *data, size_t len,
                struct bt_error *err)
{
	int r = bt_filter_take(j->choose, data, len, err);

	if (r < 0)
		return bt_input_blame(j->in, err);
	if (r == 0)
		return BT_OK;
	if (!j->o->last)
		return pass(j, j->in, data, len, err);
	if (bt_last_n_put(&j->last, data, len) != BT_OK)
		return bt_error_nomem(err, "keeping the last records");
	return BT_OK;
}

/* True when all that is wanted was seen; the rest need not be read. */
static bool is_full(const struct job *j)
{
	return bt_filter_full(j->choose) && !j->o->counts &&
	       j->o->put.what != BT_SINK_VERIFY;
}

static int expected(const struct job *j, struct bt_error *err)
{
	uint64_t n = bt_input_total(j->in);

	if (!j->o->counts || j->o->expect == n)
		return BT_OK;
	return bt_error_set(err, BT_ETRUNCATED,
	                    "read %llu record%s, expected %llu",
	                    (unsigned long long)n, bt_plural(n),
	                    (unsigned long long)j->o->expect);
}

static int read_all(struct job *j, struct bt_error *err)
{
	const uint8_t *data;
	size_t len;
	int r = 0;

	while (!is_full(j) &&
	       (r = bt_input_next(j->in, &data, &len, err)) == 1) {
		r = take(j, data, len, err);
		if (r != BT_OK)
			return r;
	}
	if (r == BT_OK)
		r = expected(j, err);
	return r == BT_OK ? bt_filter_end(j->choose, err) : r;
}

/* Records that were kept, in their order, each to its file. */
static int put_stored(struct job *j, struct bt_error *err)
{
	struct bt_order a = {.shuffle = j->o->shuffle,
	                     .seed = j->o->seed,
	                     .split = j->o->split != NULL ? &j->parts : NULL,
	                     .folds = j->o->folds,
	                     .classes = j->classes};
	const void *data;
	size_t i, len, n = bt_record_store_count(j->store);
	int part, k, r = bt_order_make(&a, n, err);

	if (r == BT_OK && a.rare > 0)
		bt_log_warn(
		    j->o->log, "stratum-too-small", BT_HINT_NONE,
		    "%u value%s of '%s' %s fewer records than there are "
		    "%s: not every %s %s",
		    a.rare, bt_plural(a.rare), j->o->stratify,
		    a.rare == 1 ? "has" : "have",
		    a.folds > 0 ? "folds" : "parts",
		    a.folds > 0 ? "fold tests" : "part has",
		    a.rare == 1 ? "it" : "them");

	for (i = 0; i < n && r == BT_OK; i++) {
		r = bt_record_store_get(j->store, bt_order_get(&a, i, &part),
		                        &data, &len, err);
		if (r != BT_OK)
			break;
		/* to the test file of its fold and the others' training ones */
		for (k = 0; k < a.folds && r == BT_OK; k++)
			r = bt_sink_record(j->put,
			                   j->outs.out[2 * k + (k == part)],
			                   NULL, data, len, err);
		if (a.folds == 0 && a.split != NULL) {
			r = bt_sink_record(j->put, j->outs.out[part], NULL,
			                   data, len, err);
			j->put_in[part]++;
		} else if (a.folds == 0)
			r = put(j, NULL, data, len, err);
	}
	bt_order_clear(&a);
	return r;
}

static int work(struct job *j, struct bt_error *err)
{
	const struct bt_buf *b;
	size_t i;
	int r = read_all(j, err);

	for (i = 0; i < j->last.n && r == BT_OK; i++) {
		b = bt_last_n_get(&j->last, i);
		r = pass(j, NULL, b->data, b->len, err);
	}
	if (r == BT_OK && j->store != NULL)
		r = put_stored(j, err);
	if (r == BT_OK)
		r = bt_sink_end(j->put, j->outs.out[0], err);
	return r;
}

/* The name of output i of n. */
static void put_name(const struct job *j, int i, int n, struct bt_buf *path)
{
	const char *name = j->o->output;

	if (j->o->shards > 0)
		bt_buf_printf(path, "%s-%05d-of-%05d", name, i, n);
	else if (j->o->folds > 0)
		bt_buf_printf(path, "%s-%s-%d", name,
		              i % 2 == 0 ? "train" : "test", i / 2 + 1);
	else if (name != NULL)
		bt_buf_printf(path, "%s-%s", name, j->parts.name[i]);
	else
		bt_buf_printf(path, "%s.tfrecord", j->parts.name[i]);
}

/* Opens one more output, compressed if asked for. */
static int open_output(struct job *j, const char *path, int threads,
                       struct bt_error *err)
{
	enum bt_out_kind kind = j->o->put.what == BT_SINK_RECORDS
	                            ? BT_OUT_RECORDS
	                        : j->o->zstd != 0 ? BT_OUT_BINARY
	                                          : BT_OUT_TEXT;
	int r = bt_out_set_add(&j->outs, path, kind, err);

	if (r == BT_OK && j->o->zstd != 0)
		r = bt_out_zstd(j->outs.out[j->outs.n - 1], j->o->zstd, threads,
		                err);
	return r;
}

static int open_outputs(struct job *j, struct bt_error *err)
{
	int n = j->o->split != NULL ? j->parts.n
	        : j->o->folds > 0   ? 2 * j->o->folds
	                            : j->o->shards;
	struct bt_buf path = BT_BUF_INIT;
	int i, r = BT_OK;

	if (n == 0) {
		r = open_output(j, j->o->output, j->o->threads, err);
		if (r == BT_OK && j->o->zstd == 0 && j->o->from.ahead)
			bt_out_behind(j->outs.out[0]);
		return r;
	}
	for (i = 0; i < n && r == BT_OK; i++) {
		bt_buf_reset(&path);
		put_name(j, i, n, &path);
		r = open_output(j, bt_buf_str(&path), 1, err);
	}
	bt_buf_clear(&path);
	return r;
}

/* Opens the outputs before the input: a wrong name is seen before the work. */
static int prepare(struct job *j, char *const *paths, int n,
                   struct bt_error *err)
{
	const struct bt_recordset_opts *o = j->o;
	struct bt_input_opts from = o->from;
	int r;

	bt_last_n_init(&j->last, o->tail);
	if ((r = bt_filter_new(&o->choose, &j->choose, err)) ||
	    (r = bt_sink_new(&o->put, &j->put, err)) ||
	    (o->split != NULL &&
	     (r = bt_split_parse(o->split, &j->parts, err))))
		return r;
	if (o->shuffle || o->split != NULL || o->folds > 0)
		j->store = bt_record_store_new(o->memory, !o->shuffle);
	if (o->stratify != NULL)
		j->classes = bt_strata_new(o->stratify);
	r = open_outputs(j, err);
	if (r != BT_OK)
		return r;
	if (j->outs.n == 1) { /* several are files */
		from.idle = bt_out_hand_on;
		from.idle_ctx = j->outs.out[0];
	}
	return bt_input_open(paths, n, &from, &j->in, err);
}

/* Which file got how many records. */
static void log_parts(const struct job *j)
{
	struct bt_buf path = BT_BUF_INIT;
	int i;

	for (i = 0; i < j->parts.n; i++) {
		bt_buf_reset(&path);
		put_name(j, i, j->parts.n, &path);
		bt_log(j->o->log, BT_LOG_NOTE, "%llu record%s in '%s'",
		       (unsigned long long)j->put_in[i],
		       bt_plural(j->put_in[i]), bt_buf_str(&path));
	}
	bt_buf_clear(&path);
}

int bt_recordset(const struct bt_recordset_opts *opts, char *const *paths,
                 int n, struct bt_recordset_sum *sum, struct bt_error *err)
{
	struct job j = {.o = opts};
	int r = prepare(&j, paths, n, err);

	if (r == BT_OK)
		r = work(&j, err);
	if (r == BT_OK)
		r = bt_out_set_commit(&j.outs, err);
	if (r == BT_OK) {
		log_parts(&j);
		sum->count = bt_sink_count(j.put);
		sum->found = bt_sink_found(j.put);
		sum->dropped = bt_filter_dropped(j.choose);
		bt_filter_tell(j.choose, opts->log);
	}
	bt_out_set_clear(&j.outs);
	bt_input_close(j.in);
	bt_filter_free(j.choose);
	bt_sink_free(j.put);
	bt_last_n_clear(&j.last);
	bt_record_store_free(j.store);
	bt_strata_free(j.classes);
	return r;
}
