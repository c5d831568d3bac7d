/* SPDX-License-Identifier: MIT */
#include "recordset/sink.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "dedup/minhash.h"
#include "format/escape.h"
#include "format/tfrecord.h"
#include "record/feature.h"
#include "record/recjson.h"
#include "recordset/leak.h"
#include "recordset/stats.h"

struct bt_sink {
	struct bt_sink_opts o;
	uint64_t count, found;
	uint64_t bytes;            /* with their frames */
	struct bt_buf line;        /* of JSON, LEAK */
	struct bt_recstats *stats; /* or NULL */
	struct bt_leak *leak;      /* or NULL */
	struct bt_minhash *near;   /* or NULL */
	struct bt_buf place;       /* of PAIRS: where the record stands */
	bool any_field;            /* some record had the feature */
};

int bt_sink_new(const struct bt_sink_opts *opts, struct bt_sink **res,
                struct bt_error *err)
{
	struct bt_sink *p = bt_array0(1, sizeof(*p));
	struct bt_in_limit limit = {opts->max, opts->max};
	int r = BT_OK;

	p->o = *opts;
	if (opts->what == BT_SINK_STATS)
		p->stats = bt_recstats_new();
	else if (opts->what == BT_SINK_LEAK)
		r = bt_leak_open(opts->leak, opts->memory,
		                 opts->limited ? &limit : NULL, &p->leak, err);
	else if (opts->what == BT_SINK_PAIRS)
		p->near = bt_minhash_new(opts->near, opts->memory);
	if (r == BT_OK)
		*res = p;
	else
		bt_sink_free(p);
	return r;
}

void bt_sink_free(struct bt_sink *p)
{
	if (p == NULL)
		return;
	bt_buf_clear(&p->line);
	bt_recstats_free(p->stats);
	bt_leak_close(p->leak);
	bt_minhash_free(p->near);
	bt_buf_clear(&p->place);
	free(p);
}

static int put_line(struct bt_sink *p, struct bt_out *out, struct bt_error *err)
{
	bt_buf_putc(&p->line, '\n');
	if (p->line.oom)
		return bt_error_nomem(err, "writing a line");
	return bt_out_write(out, p->line.data, p->line.len, err);
}

/* Names the record that is written, where it is still known. */
static int blame(const struct bt_sink *p, const struct bt_input *in,
                 struct bt_error *err)
{
	if (in != NULL)
		return bt_input_blame(in, err);
	return bt_error_prefix(err, "cannot write record %llu",
	                       (unsigned long long)p->count);
}

/* "file:17", the name without the quotes it has in messages. */
static void put_place(struct bt_buf *b, const struct bt_input *in)
{
	const char *file = bt_input_file(in);
	size_t n = strlen(file);

	if (n >= 2 && *file == '\'') {
		file++;
		n -= 2;
	}
	bt_buf_printf(b, "%.*s:%llu", (int)n, file,
	              (unsigned long long)bt_input_record(in));
}

static int put_leak(struct bt_sink *p, struct bt_out *out,
                    const struct bt_input *in, const void *data, size_t len,
                    struct bt_error *err)
{
	int r;

	bt_buf_reset(&p->line);
	put_place(&p->line, in);
	bt_buf_putc(&p->line, '\t');
	r = bt_leak_look(p->leak, data, len, &p->line, err);
	if (r < 0)
		return blame(p, in, err);
	if (r == 0)
		return BT_OK;
	p->found++;
	return put_line(p, out, err);
}

/* The context of a function that takes pairs. */
struct listing {
	struct bt_sink *p;
	struct bt_out *out;
	struct bt_span text; /* of the later one */
};

static int put_pair(void *arg, const struct bt_minhash_pair *pair,
                    struct bt_error *err)
{
	struct listing *l = arg;
	struct bt_buf *b = &l->p->line;

	bt_buf_reset(b);
	bt_buf_put(b, pair->tag.p, pair->tag.n);
	bt_buf_putc(b, '\t');
	bt_buf_put(b, l->p->place.data, l->p->place.len);
	bt_buf_printf(b, "\t%.4f\t", pair->similarity);
	bt_escape_tabs(b, pair->text);
	bt_buf_putc(b, '\t');
	bt_escape_tabs(b, l->text);
	l->p->found++;
	return put_line(l->p, l->out, err);
}

static int put_pairs(struct bt_sink *p, struct bt_out *out,
                     const struct bt_input *in, const void *data, size_t len,
                     struct bt_error *err)
{
	struct listing l = {p, out, {NULL, 0}};
	struct bt_span place;
	int r = bt_record_feature_text(data, len, p->o.field, &l.text, err);

	if (r < 0)
		return blame(p, in, err);
	if (r == 0)
		return BT_OK;
	p->any_field = true;
	bt_buf_reset(&p->place);
	put_place(&p->place, in);
	place.p = p->place.data;
	place.n = p->place.len;
	return bt_minhash_pairs(p->near, place, l.text, put_pair, &l, err);
}

int bt_sink_record(struct bt_sink *p, struct bt_out *out,
                   const struct bt_input *in, const void *data, size_t len,
                   struct bt_error *err)
{
	p->count++;
	p->bytes += len + BT_TFRECORD_FRAME;
	switch (p->o.what) {
	case BT_SINK_RECORDS:
		return bt_tfrecord_write(out, data, len, err);
	case BT_SINK_JSON:
		bt_buf_reset(&p->line);
		if (bt_recjson_write(data, len, &p->line, err) != BT_OK)
			return blame(p, in, err);
		return put_line(p, out, err);
	case BT_SINK_STATS:
		if (bt_recstats_add(p->stats, data, len, err) != BT_OK)
			return blame(p, in, err);
		return BT_OK;
	case BT_SINK_LEAK:
		return put_leak(p, out, in, data, len, err);
	case BT_SINK_PAIRS:
		return put_pairs(p, out, in, data, len, err);
	case BT_SINK_COUNT:
	case BT_SINK_VERIFY:
		break;
	}
	return BT_OK;
}

int bt_sink_end(struct bt_sink *p, struct bt_out *out, struct bt_error *err)
{
	struct bt_buf *b = &p->line;
	int r = BT_OK;

	bt_buf_reset(b);
	if (p->o.what == BT_SINK_STATS)
		r = bt_recstats_report(p->stats, b, err);
	else if (p->o.what == BT_SINK_COUNT)
		bt_buf_printf(b, "%llu\n", (unsigned long long)p->count);
	else if (p->o.what == BT_SINK_VERIFY)
		bt_buf_printf(b, "%llu record%s, %llu bytes\n",
		              (unsigned long long)p->count, bt_plural(p->count),
		              (unsigned long long)p->bytes);
	else if (p->o.what == BT_SINK_PAIRS && p->count > 0 && !p->any_field)
		return bt_error_set(err, BT_EFORMAT,
		                    "no record has the feature '%s'",
		                    p->o.field);
	else
		return BT_OK;
	if (r == BT_OK && b->oom)
		r = bt_error_nomem(err, "counting");
	return r == BT_OK ? bt_out_write(out, b->data, b->len, err) : r;
}

uint64_t bt_sink_count(const struct bt_sink *p)
{
	return p->count;
}

uint64_t bt_sink_found(const struct bt_sink *p)
{
	return p->found;
}
