/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/num.h"
#include "base/set.h"
#include "base/tool.h"
#include "io/out.h"
#include "io/tfrecord.h"
#include "task/arrange.h"
#include "task/field.h"
#include "task/folds.h"
#include "task/leak.h"
#include "task/outs.h"
#include "task/recjson.h"
#include "task/recstats.h"
#include "task/source.h"
#include "task/split.h"
#include "task/store.h"
#include "task/tail.h"
#include "task/where.h"

struct values {
	struct bt_common common;
	bool count, verify, json, from_json, stats, recover;
	uint64_t head, tail, expect;
	const char *slice;
	struct bt_opt_list where;
	bool shuffle;
	int64_t shard, kfold;
	const char *split, *stratify, *memory, *dedupe, *leak;
};

#define ALL UINT64_MAX

#define U64(name, arg, help, f)                                                \
	BT_ROW(BT_OPT_U64, 0, name, arg, help, values, f, 0, 0)

static const struct bt_opt options[] = {
    BT_FLAG(0, "count", "print the number of records", values, count),
    BT_FLAG(0, "verify", "print the numbers of records and bytes", values,
            verify),
    BT_FLAG(0, "shuffle", "write records in a random order", values, shuffle),
    BT_INT(0, "shard", "N", "deal records to files NAME-00000-of-N ...", values,
           shard, 1, BT_OUTS_MAX),
    BT_STR(0, "split", "NAME=SHARE,...", "choose records for several files",
           values, split),
    BT_INT(0, "kfold", "K", "write NAME-train-1, NAME-test-1 ... NAME-test-K",
           values, kfold, 2, BT_FOLDS_MAX),
    BT_STR(0, "stratify", "FIELD", "split the records of each value alike",
           values, stratify),
    BT_STR(0, "memory", "SIZE",
           "hold so much of the records, the rest in $TMPDIR [1G]", values,
           memory),
    BT_FLAG(0, "stats", "print counts of labels and lengths", values, stats),
    BT_STR(0, "leak", "OTHER", "print the texts that the file OTHER has, too",
           values, leak),
    BT_FLAG(0, "json", "write records as JSON Lines", values, json),
    BT_FLAG(0, "from-json", "read JSON Lines, as --json writes them", values,
            from_json),
    BT_FLAG(0, "recover", "go on behind damage, with a warning", values,
            recover),
    U64("expect", "N", "fail unless N records are read", expect),
    BT_LIST(0, "where", "FIELD=VALUE", "only these records; all must hold",
            values, where),
    BT_STR(0, "dedupe", "FIELD", "only the first record of each value", values,
           dedupe),
    U64("head", "N", "only the first N records", head),
    U64("tail", "N", "only the last N records", tail),
    BT_STR(0, "slice", "A:B", "only records A to B-1, counted from 0", values,
           slice),
    BT_STR('o', "output", "FILE", "write to FILE [standard output]", values,
           common.output),
    BT_OPT_COMMON(values),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {
    "tfrecord-cat",
    "[OPTION ...] [RECORDS ...]",
    "Checks, chooses, shuffles, divides and counts records.",
    "tfrecord-cat --where label=spam --head 100 -o some.tfrecord all.tfrecord",
    options,
};

/* One run from the open input on. */
struct job {
	const struct values *v;
	const struct bt_log *log;
	struct bt_source *in;
	struct bt_out *out;     /* one of outs */
	struct bt_where *where; /* or NULL */
	uint64_t from, to;      /* of the chosen ones, these are written */
	uint64_t chosen;        /* so far */
	uint64_t written, bytes;
	struct bt_tail last;       /* with --tail */
	struct bt_buf line;        /* with --json */
	struct bt_recstats *stats; /* or NULL */
	struct bt_outs outs;
	struct bt_split parts;
	struct bt_set *seen;  /* values, with --dedupe */
	uint64_t dropped;     /* by it */
	bool any_field;       /* some record had the field */
	struct bt_leak *leak; /* or NULL */
	uint64_t leaked;
	struct bt_store *store; /* with --shuffle or --split */
};

/* True where text comes in place of the records. */
static bool prints(const struct values *v)
{
	return v->count || v->verify || v->stats || v->leak != NULL;
}

static bool is_text(const struct values *v)
{
	return v->json || prints(v);
}

/* Returns false, having said why, where the value makes no sense. */
static bool slice_option(const char *s, uint64_t *from, uint64_t *to)
{
	const char *colon = strchr(s, ':');
	char first[32] = "0";
	bool good = colon != NULL && (size_t)(colon - s) < sizeof(first);

	if (good && colon > s) {
		memcpy(first, s, (size_t)(colon - s));
		first[colon - s] = 0;
	}
	good = good && bt_parse_u64(first, from) == BT_OK &&
	       (colon[1] == 0 || bt_parse_u64(colon + 1, to) == BT_OK) &&
	       *from <= *to;
	if (!good)
		bt_tool_misuse(&tool,
		               "bad value '%s' for --slice: expected A:B with "
		               "A not above B",
		               s);
	return good;
}

static bool outputs_make_sense(const struct values *v)
{
	const char *what = NULL;
	bool std =
	    v->common.output == NULL || strcmp(v->common.output, "-") == 0;

	if (v->count + v->verify + v->stats + v->json + (v->leak != NULL) > 1)
		what = "--count, --verify, --stats, --leak and --json exclude "
		       "each other";
	else if (prints(v) && (v->shuffle || v->shard > 0 || v->split != NULL ||
	                       v->kfold > 0))
		what = "--shuffle, --shard, --split and --kfold write records";
	else if ((v->shard > 0) + (v->split != NULL) + (v->kfold > 0) > 1)
		what = "--shard, --split and --kfold exclude each other";
	else if ((v->shard > 0 || v->kfold > 0) && std)
		what = "--shard and --kfold need -o NAME";
	else if (v->kfold > 0 && v->common.seed > UINT32_MAX)
		what = "--kfold needs a --seed below 2^32";
	else if (v->split != NULL && std && v->common.output != NULL)
		what = "--split needs another name than '-'";
	else if (v->leak != NULL && v->tail != ALL)
		what = "--leak and --tail exclude each other";
	else if (v->recover && v->from_json)
		what = "--recover reads records, not --from-json";
	else if (v->stratify != NULL && v->split == NULL && v->kfold == 0)
		what = "--stratify needs --split or --kfold";
	if (what != NULL)
		bt_tool_misuse(&tool, "%s", what);
	return what == NULL;
}

static bool options_make_sense(const struct values *v, struct job *j)
{
	if ((v->head != ALL) + (v->tail != ALL) + (v->slice != NULL) > 1) {
		bt_tool_misuse(&tool,
		               "--head, --tail and --slice exclude each other");
		return false;
	}
	if (!outputs_make_sense(v))
		return false;
	j->to = v->head;
	return v->slice == NULL || slice_option(v->slice, &j->from, &j->to);
}

/* Names the record that is written, where it is still known. */
static int blame(const struct job *j, struct bt_error *err)
{
	if (j->store == NULL && j->v->tail == ALL)
		return bt_source_blame(j->in, err);
	return bt_error_prefix(err, "cannot write record %llu",
	                       (unsigned long long)j->written);
}

static int emit_json(struct job *j, const void *data, size_t len,
                     struct bt_error *err)
{
	int r;

	bt_buf_reset(&j->line);
	r = bt_recjson_write(data, len, &j->line, err);
	if (r != BT_OK)
		return blame(j, err);
	bt_buf_putc(&j->line, '\n');
	if (j->line.oom)
		return bt_error_nomem(err, "writing JSON");
	return bt_out_write(j->out, j->line.data, j->line.len, err);
}

static int emit_leak(struct job *j, const void *data, size_t len,
                     struct bt_error *err)
{
	const char *file = bt_source_file(j->in);
	size_t n = strlen(file);
	int r;

	if (n >= 2 && *file == '\'') { /* without its quotes */
		file++;
		n -= 2;
	}
	bt_buf_reset(&j->line);
	bt_buf_printf(&j->line, "%.*s:%llu\t", (int)n, file,
	              (unsigned long long)bt_source_record(j->in));
	r = bt_leak_look(j->leak, data, len, &j->line, err);
	if (r < 0)
		return bt_source_blame(j->in, err);
	if (r == 0)
		return BT_OK;
	j->leaked++;
	bt_buf_putc(&j->line, '\n');
	if (j->line.oom)
		return bt_error_nomem(err, "comparing texts");
	return bt_out_write(j->out, j->line.data, j->line.len, err);
}

static int emit(struct job *j, const void *data, size_t len,
                struct bt_error *err)
{
	if (j->v->shard > 0)
		j->out = j->outs.out[j->written % (uint64_t)j->v->shard];
	j->written++;
	j->bytes += len + 16; /* with its frame */
	if (j->v->stats && bt_recstats_add(j->stats, data, len, err) != BT_OK)
		return blame(j, err);
	if (j->leak != NULL)
		return emit_leak(j, data, len, err);
	if (j->v->json)
		return emit_json(j, data, len, err);
	if (is_text(j->v))
		return BT_OK;
	return bt_tfrec_write(j->out, data, len, err);
}

/* A record that was chosen: written now, or when all are there. */
static int pass(struct job *j, const void *data, size_t len,
                struct bt_error *err)
{
	return j->store != NULL ? bt_store_put(j->store, data, len, err)
	                        : emit(j, data, len, err);
}

/* 1: the first record with its value, or one without the field. */
static int is_first(struct job *j, const void *data, size_t len,
                    struct bt_error *err)
{
	size_t before = bt_set_count(j->seen), k;
	struct bt_span value;
	int r = bt_field_find(data, len, j->v->dedupe, &value, err);

	if (r <= 0)
		return r < 0 ? r : 1;
	j->any_field = true;
	if (bt_set_add(j->seen, value, &k) != BT_OK)
		return bt_error_nomem(err, "looking for duplicates");
	j->dropped += k < before;
	return k == before;
}

/* What becomes of one record. */
static int take(struct job *j, const void *data, size_t len,
                struct bt_error *err)
{
	int r = 1;

	if (j->where != NULL)
		r = bt_where_holds(j->where, data, len, err);
	if (r == 1 && j->seen != NULL)
		r = is_first(j, data, len, err);
	if (r < 0)
		return bt_source_blame(j->in, err);
	if (r == 0)
		return BT_OK;
	if (j->chosen++ < j->from || j->chosen > j->to)
		return BT_OK;
	if (j->v->tail == ALL)
		return pass(j, data, len, err);
	if (bt_tail_put(&j->last, data, len) != BT_OK)
		return bt_error_nomem(err, "keeping the last records");
	return BT_OK;
}

/* True when all that is wanted was seen; the rest need not be read. */
static bool is_full(const struct job *j)
{
	return j->chosen >= j->to && j->v->expect == ALL && !j->v->verify;
}

static int expected(const struct job *j, struct bt_error *err)
{
	uint64_t n = bt_source_total(j->in);

	if (j->v->expect == ALL || j->v->expect == n)
		return BT_OK;
	return bt_error_set(err, BT_ETRUNCATED,
	                    "read %llu record%s, expected %llu",
	                    (unsigned long long)n, n == 1 ? "" : "s",
	                    (unsigned long long)j->v->expect);
}

static int read_all(struct job *j, struct bt_error *err)
{
	const uint8_t *data;
	size_t len;
	int r = 0;

	while (!is_full(j) &&
	       (r = bt_source_next(j->in, &data, &len, err)) == 1) {
		r = take(j, data, len, err);
		if (r != BT_OK)
			return r;
	}
	if (r == BT_OK)
		r = expected(j, err);
	if (r == BT_OK && j->where != NULL)
		r = bt_where_end(j->where, err);
	if (r == BT_OK && j->seen != NULL && j->chosen > 0 && !j->any_field)
		r = bt_error_set(err, BT_EFORMAT,
		                 "no record has the feature '%s'",
		                 j->v->dedupe);
	return r;
}

static int print(struct job *j, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	int r = BT_OK;

	if (j->v->stats)
		r = bt_recstats_report(j->stats, &b, err);
	else
		bt_buf_printf(&b, "%llu", (unsigned long long)j->written);
	if (j->v->verify)
		bt_buf_printf(&b, " record%s, %llu bytes",
		              j->written == 1 ? "" : "s",
		              (unsigned long long)j->bytes);
	if (!j->v->stats)
		bt_buf_putc(&b, '\n');
	if (r == BT_OK && b.oom)
		r = bt_error_nomem(err, "counting");
	if (r == BT_OK)
		r = bt_out_write(j->out, b.data, b.len, err);
	bt_buf_clear(&b);
	return r;
}

/* To the test file of its fold and to the training files of the others. */
static int emit_folds(struct job *j, int fold, const void *data, size_t len,
                      struct bt_error *err)
{
	int k, r = BT_OK;

	for (k = 0; k < j->v->kfold && r == BT_OK; k++) {
		j->out = j->outs.out[2 * k + (k == fold)];
		r = emit(j, data, len, err);
	}
	return r;
}

/* Records that were kept, in their order, each to its file. */
static int emit_stored(struct job *j, struct bt_error *err)
{
	struct bt_arrange a = {.shuffle = j->v->shuffle,
	                       .seed = j->v->common.seed,
	                       .folds = (int)j->v->kfold,
	                       .stratify = j->v->stratify};
	const void *data;
	size_t i, len;
	int r;

	if (j->v->split != NULL)
		a.split = &j->parts;
	r = bt_arrange_make(&a, j->store, err);
	for (i = 0; i < bt_store_count(j->store) && r == BT_OK; i++) {
		r = bt_store_get(j->store, a.order[i], &data, &len, err);
		if (r != BT_OK)
			break;
		if (a.folds > 0) {
			r = emit_folds(j, a.part[a.order[i]], data, len, err);
			continue;
		}
		if (a.part != NULL)
			j->out = j->outs.out[a.part[a.order[i]]];
		r = emit(j, data, len, err);
	}
	bt_arrange_clear(&a);
	return r;
}

static int work(struct job *j, struct bt_error *err)
{
	const struct bt_buf *b;
	size_t i;
	int r = read_all(j, err);

	for (i = 0; i < j->last.n && r == BT_OK; i++) {
		b = bt_tail_get(&j->last, i);
		r = pass(j, b->data, b->len, err);
	}
	if (r == BT_OK && j->store != NULL)
		r = emit_stored(j, err);
	if (r == BT_OK && prints(j->v) && j->leak == NULL)
		r = print(j, err);
	return r;
}

static int open_outputs(struct job *j, struct bt_error *err)
{
	enum bt_out_kind kind = is_text(j->v) ? BT_OUT_TEXT : BT_OUT_BINARY;
	int i, n = j->v->split != NULL ? j->parts.n
	           : j->v->kfold > 0   ? 2 * (int)j->v->kfold
	                               : (int)j->v->shard;
	const char *name = j->v->common.output;
	struct bt_buf path = BT_BUF_INIT;
	int r = n == 0 ? bt_outs_add(&j->outs, name, kind, err) : BT_OK;

	for (i = 0; i < n && r == BT_OK; i++) {
		bt_buf_reset(&path);
		if (j->v->shard > 0)
			bt_buf_printf(&path, "%s-%05d-of-%05d", name, i, n);
		else if (j->v->kfold > 0)
			bt_buf_printf(&path, "%s-%s-%d", name,
			              i % 2 == 0 ? "train" : "test", i / 2 + 1);
		else if (name != NULL)
			bt_buf_printf(&path, "%s-%s", name, j->parts.name[i]);
		else
			bt_buf_printf(&path, "%s.tfrecord", j->parts.name[i]);
		if (bt_buf_str(&path) == NULL)
			r = bt_error_nomem(err, "opening the output");
		else
			r = bt_outs_add(&j->outs, path.data, kind, err);
	}
	bt_buf_clear(&path);
	j->out = j->outs.out[0];
	return r;
}

/* Opens the output first: a wrong name is seen before the work is done. */
static int open_and_work(struct job *j, char *const *files, int n,
                         struct bt_error *err)
{
	const struct values *v = j->v;
	enum bt_source_kind kind = v->from_json ? BT_SOURCE_JSON
	                           : v->recover ? BT_SOURCE_RECOVER
	                                        : BT_SOURCE_RECORDS;
	int r = open_outputs(j, err);

	if (r == BT_OK)
		r = bt_source_open(files, n, kind, j->log, &j->in, err);
	if (r == BT_OK)
		r = work(j, err);
	if (r == BT_OK)
		r = bt_outs_commit(&j->outs, err);
	return r;
}

/* What the options ask for beside the streams. */
static int prepare(struct job *j, struct bt_error *err)
{
	const struct values *v = j->v;
	size_t memory = (size_t)1 << 30;
	int r = BT_OK;

	bt_tail_init(&j->last, v->tail);
	if (v->memory != NULL && bt_parse_bytes(v->memory, &memory) != BT_OK)
		return bt_error_set(err, BT_EARG, "bad value '%s' for --memory",
		                    v->memory);
	if (v->where.n > 0)
		r = bt_where_new(v->where.item, v->where.n, &j->where, err);
	if (r == BT_OK && v->stats) {
		j->stats = bt_recstats_new();
		if (j->stats == NULL)
			r = bt_error_nomem(err, "starting");
	}
	if (r == BT_OK && v->dedupe != NULL) {
		j->seen = bt_set_new();
		if (j->seen == NULL)
			r = bt_error_nomem(err, "starting");
	}
	if (r == BT_OK && v->leak != NULL)
		r = bt_leak_open(v->leak, &j->leak, err);
	if (r == BT_OK && v->split != NULL)
		r = bt_split_parse(v->split, &j->parts, err);
	if (r == BT_OK && (v->shuffle || v->split != NULL || v->kfold > 0))
		r = bt_store_new(memory, &j->store, err);
	return r;
}

static void clear(struct job *j)
{
	bt_outs_clear(&j->outs);
	bt_source_close(j->in);
	bt_where_free(j->where);
	bt_tail_clear(&j->last);
	bt_buf_clear(&j->line);
	bt_recstats_free(j->stats);
	bt_store_free(j->store);
	bt_set_free(j->seen);
	bt_leak_close(j->leak);
}

static void summary(const struct job *j, const struct bt_log *log)
{
	const char *s = j->written == 1 ? "" : "s";
	unsigned long long n = j->written, dropped = j->dropped;

	if (j->leak != NULL)
		bt_log(log, BT_LOG_NOTE, "%llu of %llu record%s in '%s', too",
		       (unsigned long long)j->leaked, n, s, j->v->leak);
	else if (j->seen != NULL)
		bt_log(log, BT_LOG_NOTE,
		       "%llu record%s; %llu dropped as "
		       "duplicates",
		       n, s, dropped);
	else if (!prints(j->v))
		bt_log(log, BT_LOG_NOTE, "%llu record%s", n, s);
}

static int run(const struct values *v, char *const *files, int n)
{
	struct bt_log log = bt_tool_log(&tool, &v->common);
	struct job j = {.v = v, .log = &log};
	struct bt_error err = {0};
	int i, std = 0, r;

	for (i = 0; i < n; i++)
		std += strcmp(files[i], "-") == 0;
	if (std > 1)
		return bt_tool_misuse(&tool, "standard input is given %d times",
		                      std);
	if (!options_make_sense(v, &j))
		return BT_EXIT_USAGE;
	r = prepare(&j, &err);
	if (r == BT_OK)
		r = open_and_work(&j, files, n, &err);
	clear(&j);
	if (r == BT_EARG)
		return bt_tool_misuse(&tool, "%s", err.text);
	if (r != BT_OK) {
		bt_tool_fail(&tool, &err);
		/* 1 is an answer of --leak */
		return v->leak != NULL ? BT_EXIT_USAGE : BT_EXIT_FAILED;
	}
	summary(&j, &log);
	return j.leaked > 0 ? BT_EXIT_FAILED : BT_EXIT_DONE;
}

int main(int argc, char **argv)
{
	struct values v = {
	    .common = BT_COMMON_INIT, .head = ALL, .tail = ALL, .expect = ALL};
	int operand, status;

	if (!bt_tool_options(&tool, argc, argv, &v, &operand, &status))
		return status;
	status = run(&v, argv + operand, argc - operand);
	return bt_tool_end(&tool, status);
}
