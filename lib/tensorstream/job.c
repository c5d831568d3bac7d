/* SPDX-License-Identifier: MIT */
#include "tensorstream/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "ckpt/open.h"
#include "ckpt_format/tensor_stream_write.h"
#include "io/in.h"
#include "io/out.h"
#include "io/path.h"
#include "tensorstream/aligned.h"

struct job {
	const struct bt_tensors_opts *o;
	struct bt_tensors_sum *sum;
	struct bt_out *out;
	struct bt_ts_writer *stream; /* or one of: */
	struct bt_frame_csv *csv;
	struct bt_frame_npy *npy;
	struct bt_nearest *nearest;
	struct bt_cluster *cluster;
	struct bt_tensor *chosen; /* of names */
	size_t chosen_cap;
	struct bt_frame_builder made;
	struct bt_differences diff;
};

static int open_output(struct job *j, struct bt_error *err)
{
	const struct bt_tensors_opts *o = j->o;
	struct bt_nearest_opts near = o->nearest;
	bool binary = o->form == BT_TENSORS_STREAM || o->form == BT_TENSORS_NPY;
	int r = bt_out_open(o->output, binary ? BT_OUT_BINARY : BT_OUT_TEXT,
	                    &j->out, err);

	if (r != BT_OK)
		return r;
	if (o->form == BT_TENSORS_CSV)
		return bt_frame_csv_new(&o->csv, &j->csv, err);
	if (o->form == BT_TENSORS_NPY)
		j->npy = bt_frame_npy_new(o->memory);
	if (o->form == BT_TENSORS_CLUSTER)
		j->cluster = bt_cluster_new(&o->cluster);
	near.limit = o->limit;
	near.names = o->names;
	near.n_names = o->n_names;
	if (o->form == BT_TENSORS_NEAREST)
		return bt_nearest_new(&near, j->out, &j->nearest, err);
	if (o->form == BT_TENSORS_STREAM)
		return bt_ts_writer_new(j->out, o->level, &j->stream, err);
	return BT_OK;
}

static int put(struct job *j, const struct bt_frame *f, size_t bytes,
               const struct bt_ts_reader *in, struct bt_error *err)
{
	const void *packed;
	struct bt_frame chosen;
	uint32_t crc;
	size_t n;
	int r;

	j->sum->frames++;
	j->sum->tensors += f->s.count;
	j->sum->rows += f->rows;
	j->sum->bytes += bytes;
	if (j->o->names != NULL) {
		if (bt_grow(&j->chosen, &j->chosen_cap, f->s.count + 1,
		            sizeof(*j->chosen)) != BT_OK)
			return bt_error_nomem(err, "choosing tensors");
		r = bt_frame_select(f, j->o->names, j->o->n_names, j->chosen,
		                    &chosen, err);
		if (r != BT_OK)
			return r;
		f = &chosen;
	}
	if (j->csv != NULL)
		return bt_frame_csv_put(j->csv, f, j->out, err);
	if (j->npy != NULL)
		return bt_frame_npy_put(j->npy, f, err);
	if (j->nearest != NULL)
		return bt_nearest_put(j->nearest, f, err);
	if (j->cluster != NULL)
		return bt_cluster_put(j->cluster, f, err);
	if (j->o->form == BT_TENSORS_JSON)
		return bt_frame_json(f, j->sum->frames, bytes, j->out, err);
	if (j->stream == NULL)
		return BT_OK;
	if (in == NULL || j->o->names != NULL)
		return bt_ts_writer_frame(j->stream, &f->s, err);
	packed = bt_ts_reader_packed(in, &n, &crc);
	return bt_ts_writer_copy(j->stream, packed, n, crc, bytes, err);
}

/* One stream, frame by frame. */
static int pass(struct job *j, const char *path, struct bt_error *err)
{
	const struct bt_ckpt *c;
	struct bt_frame f;
	struct bt_ts_reader *in;
	int r = bt_ts_reader_open(path, j->o->limit, &in, err);

	if (r != BT_OK)
		return r;
	while ((r = bt_ts_reader_next(in, &c, err)) == 1) {
		if (!(r = bt_frame_of(c, &f, err)))
			r = put(j, &f, bt_ts_reader_size(in), in, err);
		if (r == BT_EFORMAT || r == BT_ELIMIT)
			bt_ts_reader_prefix(in, err);
		/* a reader of a pipe need not wait */
		if (r || (r = bt_out_flush(j->out, err)))
			break;
	}
	j->sum->streams += bt_ts_reader_streams(in);
	bt_ts_reader_close(in);
	return r;
}

/* Whether a file is of NumPy: an array, or an archive of some. */
static int is_numpy(const char *path, bool *numpy, struct bt_error *err)
{
	const uint8_t *p;
	struct bt_in *in;
	size_t n;
	int r;

	*numpy = false;
	if (!bt_path_is_file(path))
		return BT_OK;
	r = bt_in_open(path, &in, err);
	if (r != BT_OK)
		return r;
	bt_in_as_is(in); /* an archive, too */
	r = bt_in_peek(in, 6, &p, &n, err);
	if (r == BT_OK && n == 6)
		*numpy = memcmp(p, "\x93NUMPY", 6) == 0 ||
		         memcmp(p, "PK\3\4", 4) == 0;
	bt_in_close(in);
	return r;
}

/* A file of safetensors, or of NumPy, as a frame. */
static int pass_file(struct job *j, const char *path, struct bt_error *err)
{
	struct bt_ckpt *c;
	struct bt_frame f = {0};
	struct bt_error why = {0};
	int r = bt_ckpt_open(path, &c, err);

	if (r != BT_OK)
		return r;
	r = bt_ckpt_verify(c, err);
	if (r != BT_OK) {
		bt_ckpt_close(c);
		return r;
	}
	if (strcmp(bt_ckpt_format(c), "safetensors") != 0 &&
	    strcmp(bt_ckpt_format(c), "npy") != 0 &&
	    strcmp(bt_ckpt_format(c), "npz") != 0)
		r = bt_error_set(&why, BT_EFORMAT,
		                 "a checkpoint of format %s, not safetensors "
		                 "or NumPy",
		                 bt_ckpt_format(c));
	else if (!(r = bt_frame_of(c, &f, &why)))
		r = put(j, &f, 0, NULL, &why);
	if (r != BT_OK)
		bt_error_hint(err, why.hint,
		              bt_error_set(err, r, "'%s': %s", path, why.text));
	bt_ckpt_close(c);
	return r;
}

/* Streams side by side: their mean, or their differences. That they are not
 * alike is an answer of BT_TENSORS_COMPARE. */
static int combine(struct job *j, char *const *paths, int n,
                   struct bt_error *err)
{
	struct bt_mean_opts o = {j->o->weights, j->o->softmax, j->o->sigmoid};
	bool compares = j->o->form == BT_TENSORS_COMPARE;
	struct bt_error why;
	struct bt_aligned t;
	struct bt_frame f;
	int r = bt_aligned_open(paths, (size_t)n, j->o->limit, &t, err);

	if (r != BT_OK)
		return r;
	while ((r = bt_aligned_next(&t, err)) == 1) {
		if (compares) {
			j->sum->rows += t.n;
			r = bt_aligned_compare(&t, &j->diff, err);
		} else if (!(r = bt_aligned_mean(&t, &o, &j->made, &f, err)) &&
		           !(r = put(j, &f, 0, NULL, err))) {
			r = bt_out_flush(j->out, err);
		}
		if (r != BT_OK)
			break;
	}
	if (compares && t.disagrees) {
		bt_error_prefix(err, "different");
		why = *err;
		bt_error_clear(err);
		j->sum->differ = true;
		if (!(r = bt_out_write(j->out, why.text, strlen(why.text),
		                       err)))
			r = bt_out_write(j->out, "\n", 1, err);
	}
	bt_aligned_close(&t);
	return r;
}

/* A line for each tensor. */
static void list_differences(struct job *j, struct bt_buf *b)
{
	const struct bt_difference *d;
	size_t i;

	for (i = 0; i < j->diff.n; i++) {
		d = &j->diff.d[i];
		bt_buf_printf(b, "%s: %llu values, ", d->name,
		              (unsigned long long)d->values);
		if (d->differ == 0)
			bt_buf_puts(b, "equal\n");
		else
			bt_buf_printf(b,
			              "%llu differ, by at most %.6g (row %llu) "
			              "and %.6g in the mean\n",
			              (unsigned long long)d->differ, d->max,
			              (unsigned long long)d->row + 1,
			              d->sum / (double)d->values);
		if (d->max > j->o->tolerance)
			j->sum->differ = true;
	}
}

static void list_counts(const struct bt_tensors_sum *s, struct bt_buf *b)
{
	bt_buf_printf(b, "%llu frame%s, %llu row%s, %llu tensor%s, %llu bytes",
	              (unsigned long long)s->frames, bt_plural(s->frames),
	              (unsigned long long)s->rows, bt_plural(s->rows),
	              (unsigned long long)s->tensors, bt_plural(s->tensors),
	              (unsigned long long)s->bytes);
	if (s->streams > 1)
		bt_buf_printf(b, ", %llu streams",
		              (unsigned long long)s->streams);
	bt_buf_putc(b, '\n');
}

/* One input, by itself. */
static int read_one(struct job *j, char *const *path, struct bt_error *err)
{
	bool numpy;
	int r;

	if (j->o->softmax || j->o->sigmoid)
		return combine(j, path, 1, err);
	r = is_numpy(path[0], &numpy, err);
	if (r != BT_OK)
		return r;
	return numpy || j->o->files ? pass_file(j, path[0], err)
	                            : pass(j, path[0], err);
}

/* The inputs, one after the other or side by side. */
static int read_all(struct job *j, char *const *paths, int n,
                    struct bt_error *err)
{
	int i, r = BT_OK;

	if (j->o->mean || j->o->form == BT_TENSORS_COMPARE)
		return combine(j, paths, n, err);
	for (i = 0; i < n && r == BT_OK; i++)
		r = read_one(j, paths + i, err);
	return r;
}

/* What is only known in the end. */
static int finish(struct job *j, struct bt_error *err)
{
	const struct bt_tensors_opts *o = j->o;
	struct bt_ts_writer *stream = j->stream;
	struct bt_buf b = BT_BUF_INIT;
	uint64_t rows = j->sum->rows;
	int r = BT_OK;

	if (o->counts && o->expect != rows && !j->sum->differ)
		return bt_error_set(err, BT_ETRUNCATED,
		                    "read %llu row%s, expected %llu",
		                    (unsigned long long)rows, bt_plural(rows),
		                    (unsigned long long)o->expect);
	if (o->form == BT_TENSORS_COMPARE && !j->sum->differ)
		list_differences(j, &b);
	else if (o->form == BT_TENSORS_VERIFY)
		list_counts(j->sum, &b);
	if (b.oom)
		r = bt_error_nomem(err, "comparing");
	else if (b.len > 0)
		r = bt_out_write(j->out, b.data, b.len, err);
	bt_buf_clear(&b);
	if (r != BT_OK)
		return r;
	if (j->npy != NULL)
		return bt_frame_npy_write(j->npy, j->out, err);
	if (j->nearest != NULL)
		return bt_nearest_finish(j->nearest, err);
	if (j->cluster != NULL)
		return bt_cluster_finish(j->cluster, j->out, err);
	j->stream = NULL;
	return stream != NULL ? bt_ts_writer_finish(stream, err) : BT_OK;
}

int bt_tensors(const struct bt_tensors_opts *o, char *const *paths, int n,
               struct bt_tensors_sum *sum, struct bt_error *err)
{
	static char standard[] = "-";
	char *none[] = {standard};
	struct job j = {.o = o, .sum = sum};
	int r;

	memset(sum, 0, sizeof(*sum));
	if (n == 0 && o->files)
		return bt_error_set(err, BT_EARG,
		                    "give the safetensors files as operands");
	r = open_output(&j, err);
	if (r == BT_OK)
		r = read_all(&j, n == 0 ? none : paths, n == 0 ? 1 : n, err);
	if (r == BT_OK)
		r = finish(&j, err);
	sum->mixed = (j.nearest != NULL && bt_nearest_mixed(j.nearest)) ||
	             (j.cluster != NULL && bt_cluster_mixed(j.cluster));
	bt_ts_writer_abandon(j.stream);
	bt_frame_csv_free(j.csv);
	bt_frame_npy_free(j.npy);
	bt_nearest_free(j.nearest);
	bt_cluster_free(j.cluster);
	bt_frame_builder_clear(&j.made);
	bt_differences_clear(&j.diff);
	free(j.chosen);
	return bt_out_end(j.out, r, err);
}
