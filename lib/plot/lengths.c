/* SPDX-License-Identifier: MIT */
#include "plot/lengths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/tfrecord.h"
#include "plot/chart.h"
#include "plot/svg.h"
#include "record/record.h"

#define BARS 40 /* at most */

/* How many records have so many tokens, [longest + 1]. */
struct counts {
	double *of;
	size_t cap, longest;
	uint64_t n;
};

static int count(struct counts *c, size_t tokens, struct bt_error *err)
{
	size_t before = c->n > 0 ? c->longest + 1 : 0;

	if (c->n == 0 || tokens > c->longest) {
		if (bt_grow(&c->of, &c->cap, tokens + 1, sizeof(*c->of)) !=
		    BT_OK)
			return bt_error_nomem(err, "counting tokens");
		memset(c->of + before, 0,
		       (tokens + 1 - before) * sizeof(*c->of));
		c->longest = tokens;
	}
	c->of[tokens]++;
	c->n++;
	return BT_OK;
}

static int count_records(struct bt_tfrecord *in, struct counts *c,
                         struct bt_error *err)
{
	struct bt_token_rec rec = {0};
	const uint8_t *data;
	size_t len;
	int e;

	while ((e = bt_tfrecord_next(in, &data, &len, err)) == 1) {
		e = bt_token_rec_read(data, len, &rec, err);
		if (e != BT_OK) {
			e = bt_tfrecord_blame(in, err);
			break;
		}
		if (!rec.is_real)
			continue;
		e = count(c, rec.n, err);
		if (e != BT_OK)
			break;
	}
	bt_token_rec_clear(&rec);
	return e;
}

/* The length that a share of all texts do not exceed. */
static size_t quantile(const struct counts *c, double share)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < c->longest; i++) {
		sum += c->of[i];
		if (sum >= share * (double)c->n)
			break;
	}
	return i;
}

/* The length up to which there are bars. Where a few texts are much longer than
 * all others, the last bar has them, too. */
static size_t last_length(const struct counts *c)
{
	size_t most = quantile(c, .995) * 3 / 2 + 1;

	return c->longest > 2 * most ? most : c->longest;
}

/* The width of bars: a round number, so that there are BARS at most. */
static size_t bar_width(size_t longest)
{
	static const size_t step[] = {1, 2, 5};
	size_t power = 1, i;

	for (;; power *= 10)
		for (i = 0; i < 3; i++)
			if ((longest + 1) / (step[i] * power) < BARS)
				return step[i] * power;
}

static void put_note(const struct counts *c, size_t last, struct bt_buf *b)
{
	double longer = 0;
	size_t i;

	bt_buf_printf(b,
	              "%llu record%s, median %zu, 95 %% up to %zu, longest %zu",
	              (unsigned long long)c->n, bt_plural(c->n),
	              quantile(c, .5), quantile(c, .95), c->longest);
	for (i = last; i <= c->longest; i++)
		longer += c->of[i];
	if (last <= c->longest)
		bt_buf_printf(b, "; the last bar: %.0f of %zu or more", longer,
		              last);
}

static void put_mark(const struct counts *c, int64_t limit, struct bt_buf *b)
{
	double longer = 0;
	size_t i;

	for (i = (size_t)limit + 1; i <= c->longest; i++)
		longer += c->of[i];
	bt_buf_printf(b, "%lld: %.1f %% are longer", (long long)limit,
	              100 * longer / (double)c->n);
}

static int draw(const struct counts *c, const struct bt_lengths_opts *o,
                struct bt_buf *out, struct bt_error *err)
{
	struct bt_buf note = BT_BUF_INIT, mark = BT_BUF_INIT;
	double x[BARS + 1], y[BARS + 1] = {0};
	size_t last = last_length(c), width = bar_width(last), i;
	struct bt_series s = {
	    NULL, BT_SERIES_BARS, 0, false, last / width + 1, x, y};
	struct bt_chart chart = {
	    .title = o->title != NULL ? o->title : "Tokens of a text",
	    .x = {.label = "tokens, with special ones", .hi = NAN},
	    .y = {.hi = NAN},
	    .series = &s,
	    .n = 1,
	    .mark = o->limit > 0 ? (double)o->limit : NAN};
	double height = o->height > 0 ? o->height : fmin(o->width * .6, 420);

	for (i = 0; i < s.n; i++)
		x[i] = (double)(i * width);
	for (i = 0; i <= c->longest; i++)
		y[(i < last ? i : last) / width] += c->of[i];
	put_note(c, last < c->longest ? (s.n - 1) * width : SIZE_MAX, &note);
	chart.note = bt_buf_str(&note);
	if (o->limit > 0) {
		put_mark(c, o->limit, &mark);
		chart.mark_name = bt_buf_str(&mark);
		chart.x.hi =
		    fmax((double)o->limit * 1.02, (double)(s.n * width));
	}
	if (o->text) {
		bt_chart_text(&chart, (int)o->width, (int)o->height, out);
	} else {
		bt_svg_begin(out, o->width, height, chart.title);
		bt_chart_svg(&chart, 0, 0, o->width, height, out);
		bt_svg_end(out);
	}
	bt_buf_clear(&note);
	bt_buf_clear(&mark);
	return out->oom ? bt_error_nomem(err, "drawing") : BT_OK;
}

int bt_lengths_draw(char *const *paths, int n, const struct bt_lengths_opts *o,
                    struct bt_buf *out, struct bt_error *err)
{
	struct counts c = {0};
	struct bt_tfrecord *in = NULL;
	int e = bt_tfrecord_open(paths, n, &in, err);

	if (e == BT_OK)
		e = count_records(in, &c, err);
	bt_tfrecord_close(in);
	if (e == BT_OK && c.n == 0)
		e = bt_error_set(err, BT_EFORMAT, "the input has no records");
	if (e == BT_OK)
		e = draw(&c, o, out, err);
	free(c.of);
	return e;
}
