/* SPDX-License-Identifier: MIT */
#include "tensorstream/nearest.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "ckpt_format/tensor_stream_read.h"
#include "format/csv.h"
#include "tensorstream/vectors.h"

#define FILE_BLOCK 1024               /* rows of the file in a product */
#define ROWS 8192                     /* rows that are compared at a time */
#define ROWS_LEAST 128                /* ... for the largest top */
#define HITS_BYTES ((size_t)64 << 20) /* that all their hits should take */

struct hit {
	float cosine;
	size_t row; /* of the file */
};

struct bt_nearest {
	struct bt_nearest_opts o;
	struct bt_out *out;
	struct bt_products *products;
	struct bt_vectors file, rows; /* rows: not compared yet */
	size_t batch;                 /* rows that are compared at a time */
	struct hit *hits; /* [batch, top], of each row a heap: the worst first
	                   */
	size_t *n_hits;
	size_t from, block; /* first of the rows, and of the file's, now */
	double error;
	struct bt_buf line;
};

/* True if b is to stand before a. */
static bool worse(struct hit a, struct hit b)
{
	return a.cosine < b.cosine || (a.cosine == b.cosine && a.row > b.row);
}

static void sift_up(struct hit *heap, size_t i)
{
	struct hit h = heap[i];

	for (; i > 0 && worse(h, heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = h;
}

/* Puts h in place of the worst. */
static void replace(struct hit *heap, size_t n, struct hit h)
{
	size_t i = 0, k;

	while ((k = 2 * i + 1) < n) {
		if (k + 1 < n && worse(heap[k + 1], heap[k]))
			k++;
		if (!worse(heap[k], h))
			break;
		heap[i] = heap[k];
		i = k;
	}
	heap[i] = h;
}

static int by_rank(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return worse(*x, *y) ? 1 : worse(*y, *x) ? -1 : 0;
}

/* Row j of the file as a hit of row i, if it is one. */
static void consider(struct bt_nearest *n, size_t i, size_t j)
{
	struct hit h = {bt_vectors_cosine(&n->rows, n->from + i, &n->file, j),
	                j};
	struct hit *heap = n->hits + i * n->o.top;
	bool full = n->n_hits[i] == n->o.top;

	if ((full && !worse(heap[0], h)) ||
	    (n->o.others && bt_span_equal(bt_vectors_id(&n->rows, n->from + i),
	                                  bt_vectors_id(&n->file, j))))
		return;
	if (full) {
		replace(heap, n->o.top, h);
	} else {
		heap[n->n_hits[i]] = h;
		sift_up(heap, n->n_hits[i]++);
	}
}

/* Least product, times the inverse length of a row of the file, of a hit of
 * row i. */
static float least(const struct bt_nearest *n, size_t i)
{
	const struct hit *heap = n->hits + i * n->o.top;

	if (n->n_hits[i] < n->o.top)
		return -INFINITY;
	return (float)((heap[0].cosine - n->error) *
	               n->rows.length[n->from + i]);
}

static void look(void *arg, size_t first, size_t rows, const float *y)
{
	struct bt_nearest *n = arg;
	size_t left = n->file.n - n->block, i, j;
	size_t columns = left < FILE_BLOCK ? left : FILE_BLOCK;
	float inverse[FILE_BLOCK], min;

	for (j = 0; j < columns; j++)
		inverse[j] = (float)(1 / n->file.length[n->block + j]);
	for (i = first; i < first + rows; i++, y += columns) {
		min = least(n, i);
		for (j = 0; j < columns; j++) {
			if (y[j] * inverse[j] < min)
				continue;
			consider(n, i, n->block + j);
			min = least(n, i);
		}
	}
}

static int write_hits(struct bt_nearest *n, size_t rows, struct bt_error *err)
{
	struct hit *h;
	size_t i, k;
	char s[32];

	for (i = 0; i < rows; i++) {
		h = n->hits + i * n->o.top;
		qsort(h, n->n_hits[i], sizeof(*h), by_rank);
		bt_buf_reset(&n->line);
		for (k = 0; k < n->n_hits[i]; k++) {
			bt_csv_put(&n->line,
			           bt_vectors_id(&n->rows, n->from + i), ',');
			bt_buf_printf(&n->line, ",%zu,", k + 1);
			bt_csv_put(&n->line, bt_vectors_id(&n->file, h[k].row),
			           ',');
			bt_format_f32(s, sizeof(s), h[k].cosine);
			bt_buf_printf(&n->line, ",%s\n", s);
		}
		if (n->line.oom)
			return bt_error_nomem(err, "writing CSV");
		if (n->line.len > 0 && bt_out_write(n->out, n->line.data,
		                                    n->line.len, err) != BT_OK)
			return err->code;
	}
	return BT_OK;
}

/* Compares the rows that wait with the whole file. */
static int compare(struct bt_nearest *n, struct bt_error *err)
{
	struct bt_product p = {.width = n->file.width, .fn = look, .arg = n};
	size_t left;
	int r = BT_OK;

	for (n->from = 0; n->from < n->rows.n && r == BT_OK;
	     n->from += p.rows) {
		left = n->rows.n - n->from;
		p.rows = left < n->batch ? left : n->batch;
		p.x = n->rows.x + n->from * p.width;
		memset(n->n_hits, 0, n->batch * sizeof(*n->n_hits));
		for (n->block = 0; n->block < n->file.n && r == BT_OK;
		     n->block += FILE_BLOCK) {
			left = n->file.n - n->block;
			p.columns = n->file.x + n->block * p.width;
			p.n_columns = left < FILE_BLOCK ? left : FILE_BLOCK;
			r = bt_products_run(n->products, &p, err);
		}
		if (r == BT_OK)
			r = write_hits(n, p.rows, err);
	}
	bt_vectors_reset(&n->rows);
	return r;
}

int bt_nearest_put(struct bt_nearest *n, const struct bt_frame *f,
                   struct bt_error *err)
{
	int r = bt_vectors_add(&n->rows, f, err);

	return r == BT_OK && n->rows.n >= n->batch ? compare(n, err) : r;
}

int bt_nearest_finish(struct bt_nearest *n, struct bt_error *err)
{
	return compare(n, err);
}

bool bt_nearest_mixed(const struct bt_nearest *n)
{
	return bt_vectors_mixed(&n->file, &n->rows);
}

static int read_file(struct bt_nearest *n, struct bt_error *err)
{
	struct bt_tensor *chosen = NULL;
	const struct bt_ckpt *c;
	struct bt_frame f, g;
	struct bt_ts_reader *in;
	size_t cap = 0;
	int r = bt_ts_reader_open(n->o.file, n->o.limit, &in, err);

	if (r != BT_OK)
		return r;
	while ((r = bt_ts_reader_next(in, &c, err)) == 1) {
		r = bt_frame_of(c, &f, err);
		g = f;
		if (r == BT_OK && n->o.names != NULL)
			r = bt_grow(&chosen, &cap, f.s.count + 1,
			            sizeof(*chosen)) != BT_OK
			        ? bt_error_nomem(err, "choosing tensors")
			        : bt_frame_select(&f, n->o.names, n->o.n_names,
			                          chosen, &g, err);
		if (r == BT_OK)
			r = bt_vectors_add(&n->file, &g, err);
		if (r != BT_OK) {
			bt_ts_reader_prefix(in, err);
			break;
		}
	}
	if (r == BT_OK && n->file.n == 0)
		r = bt_error_set(err, BT_EFORMAT, "%s has no rows",
		                 bt_ts_reader_name(in));
	free(chosen);
	bt_ts_reader_close(in);
	return r;
}

int bt_nearest_new(const struct bt_nearest_opts *o, struct bt_out *out,
                   struct bt_nearest **res, struct bt_error *err)
{
	static const char header[] = "id,rank,nearest,similarity\n";
	struct bt_nearest *n = bt_array0(1, sizeof(*n));
	size_t cap;
	int r;

	n->o = *o;
	n->out = out;
	r = read_file(n, err);
	if (r == BT_OK)
		r = bt_products_new(o->threads, &n->products, err);
	if (r != BT_OK) {
		bt_nearest_free(n);
		return r;
	}
	if (n->o.top > n->file.n)
		n->o.top = n->file.n;
	n->rows.width = n->file.width;
	n->error = bt_vectors_error(n->file.width);
	cap = HITS_BYTES / (n->o.top * sizeof(*n->hits));
	cap = cap / ROWS_LEAST * ROWS_LEAST;
	n->batch = cap > ROWS ? ROWS : cap > ROWS_LEAST ? cap : ROWS_LEAST;
	n->hits = bt_array(n->batch * n->o.top, sizeof(*n->hits));
	n->n_hits = bt_array(n->batch, sizeof(*n->n_hits));
	r = n->hits != NULL ? bt_out_write(out, header, strlen(header), err)
	                    : bt_error_nomem(err, "comparing rows");
	if (r == BT_OK)
		*res = n;
	else
		bt_nearest_free(n);
	return r;
}

void bt_nearest_free(struct bt_nearest *n)
{
	if (n == NULL)
		return;
	bt_products_free(n->products);
	bt_vectors_clear(&n->file);
	bt_vectors_clear(&n->rows);
	free(n->hits);
	free(n->n_hits);
	bt_buf_clear(&n->line);
	free(n);
}
