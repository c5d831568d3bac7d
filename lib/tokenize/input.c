/* SPDX-License-Identifier: MIT */
/* Whole inputs: records or lines from files, block after block. */
#include <string.h>

#include "format/lines.h"
#include "format/tfrecord.h"
#include "io/in.h"
#include "tokenize/job_int.h"

struct sink {
	struct bt_tokenize *job;
	struct bt_out *out;
	struct bt_progress *progress;
	bool over;
};

/* r: of reading the block. */
static int flush(struct sink *s, int r, struct bt_error *err)
{
	r = bt_tokenize_end_block(s->job, r, s->out, &s->over, err);
	if (r == BT_OK && s->progress != NULL && bt_progress_due(s->progress))
		bt_progress_show(
		    s->progress, "%llu texts",
		    (unsigned long long)bt_tokenize_stats(s->job).texts);
	return r;
}

/* What came so far goes on, since more is waited for. */
static int hand_on(void *ctx, struct bt_error *err)
{
	struct sink *s = ctx;
	int r = s->job->items > 0 ? flush(s, BT_OK, err) : BT_OK;

	return r == BT_OK ? bt_out_flush(s->out, err) : r;
}

/* Ranks read their inputs at their own pace, but share whole blocks. */
static bool hands_on(const struct sink *s)
{
	return s->job->opts.dist == NULL && bt_out_is_live(s->out);
}

static int add(struct sink *s, const void *data, size_t len, const char *file,
               uint64_t number, struct bt_error *err)
{
	int r = bt_tokenize_add(s->job, data, len, file, number, err);

	if (r == BT_OK && bt_tokenize_full(s->job))
		r = flush(s, r, err);
	return r;
}

static int read_records(struct sink *s, char *const *paths, int n,
                        struct bt_error *err)
{
	struct bt_tfrecord *in;
	const uint8_t *data;
	size_t len;
	int r = bt_tfrecord_open(paths, n, &in, err);

	if (r != BT_OK)
		return r;
	bt_tfrecord_expect(in, s->job->opts.expect);
	bt_tfrecord_limit(in, s->job->opts.limit);
	if (bt_pool_threads(s->job->pool) > 1)
		bt_tfrecord_ahead(in);
	if (hands_on(s))
		bt_tfrecord_idle(in, hand_on, s);
	while ((r = bt_tfrecord_next(in, &data, &len, err)) == 1) {
		r = add(s, data, len, bt_tfrecord_file(in),
		        bt_tfrecord_record(in), err);
		if (r != BT_OK)
			break;
	}
	if (r == BT_OK && bt_tfrecord_total(in) == 0)
		r = bt_tfrecord_none(in, err);
	bt_tfrecord_close(in);
	return r;
}

static int read_lines(struct sink *s, const char *path, struct bt_error *err)
{
	struct bt_span line;
	uint64_t number = 0;
	size_t skip = 0;
	struct bt_in *in;
	int r = bt_in_open(path, &in, err);

	if (r != BT_OK)
		return r;
	bt_in_limit(in, s->job->opts.limit);
	if (bt_pool_threads(s->job->pool) > 1)
		bt_in_ahead(in);
	if (hands_on(s))
		bt_in_idle(in, hand_on, s);
	r = bt_lines_begin(in, err);
	while (r == BT_OK) {
		r = bt_in_line(in, BT_TFRECORD_MAX, &line, &skip, err);
		if (r != 1)
			break;
		r = add(s, line.p, line.n, bt_in_name(in), ++number, err);
		if (r == BT_OK)
			bt_in_skip(in, skip);
	}
	bt_in_close(in);
	return r;
}

int bt_tokenize_files(struct bt_tokenize *job, char *const *paths, int n,
                      struct bt_out *out, struct bt_progress *progress,
                      struct bt_error *err)
{
	struct sink s = {job, out, progress, false};
	int i, r = BT_OK;

	if (!job->opts.lines)
		r = read_records(&s, paths, n, err);
	else if (n == 0)
		r = read_lines(&s, NULL, err);
	else
		for (i = 0; r == BT_OK && i < n; i++)
			r = read_lines(&s, paths[i], err);
	return s.over ? r : flush(&s, r, err);
}
