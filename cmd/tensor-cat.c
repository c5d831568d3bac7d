/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/tool.h"
#include "ckpt/tsout.h"
#include "io/out.h"
#include "task/frame_text.h"
#include "task/together.h"

struct values {
	struct bt_common common;
	bool mean, softmax, compare, csv, label, npy, json, verify, files;
	const char *select, *weights, *header, *limit, *memory;
	double tolerance;
	int64_t level;
	uint64_t expect;
};

#define ANY UINT64_MAX

static const struct bt_opt options[] = {
    BT_STR(0, "select", "NAME,...", "only the tensors of these names", values,
           select),
    BT_FLAG(0, "mean", "write the mean of all streams, row by row", values,
            mean),
    BT_STR(0, "weights", "W,...", "weights of the streams in the mean", values,
           weights),
    BT_FLAG(0, "softmax", "turn logits into probabilities, before a mean",
            values, softmax),
    BT_FLAG(0, "compare", "tell how two streams differ", values, compare),
    BT_REAL(0, "tolerance", "X", "differences that count as none [0]", values,
            tolerance, 0, 1e300),
    BT_FLAG(0, "from-safetensors", "read safetensors files, each as a frame",
            values, files),
    BT_FLAG(0, "csv", "write CSV: id and all values", values, csv),
    BT_FLAG(0, "label", "write CSV: id and the greatest class", values, label),
    BT_STR(0, "header", "ID,LABEL", "names of these columns [id,label]", values,
           header),
    BT_FLAG(0, "npy", "write one tensor as a NumPy file", values, npy),
    BT_FLAG(0, "json", "list frames and tensors as JSON Lines", values, json),
    BT_FLAG(0, "verify", "print the numbers of frames, rows, bytes", values,
            verify),
    BT_ROW(BT_OPT_U64, 0, "expect", "N", "fail unless N rows are read", values,
           expect, 0, 0),
    BT_STR(0, "limit", "SIZE", "refuse frames of more bytes [1G]", values,
           limit),
    BT_STR(0, "memory", "SIZE",
           "with --npy, hold so much, the rest in $TMPDIR [1G]", values,
           memory),
    BT_INT(0, "level", "N", "compress frames that are made by so much [1]",
           values, level, 1, BT_OUT_ZSTD_MAX),
    BT_STR('o', "output", "FILE", "write to FILE [standard output]", values,
           common.output),
    BT_OPT_COMMON(values),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {
    "tensor-cat",
    "[OPTION ...] [TENSORS ...]",
    "Checks, chooses, averages, compares and prints streams of tensors.",
    "tensor-cat --mean --softmax a.ts b.ts | tensor-cat --label >submission.csv",
    options,
};

struct job {
	const struct values *v;
	size_t limit;
	double *weights; /* or NULL */
	struct bt_span *names;
	size_t n_names;
	struct bt_out *out;
	struct bt_tsout *stream; /* or one of: */
	struct bt_frame_csv *csv;
	struct bt_frame_npy *npy;
	struct bt_tensor *chosen; /* with --select */
	size_t chosen_cap;
	struct bt_frame_made made;
	struct bt_differences diff;
	uint64_t frames, rows, tensors, bytes, streams;
	bool differ;
};

static bool is_text(const struct values *v)
{
	return v->csv || v->label || v->json || v->verify || v->compare;
}

static bool options_make_sense(const struct values *v, int n)
{
	const char *what = NULL;

	if ((v->csv || v->label) + v->npy + v->json + v->verify + v->compare >
	    1)
		what = "--csv or --label, --npy, --json, --verify and "
		       "--compare exclude each other";
	else if (v->compare && (v->mean || v->softmax || v->select != NULL))
		what = "--compare takes streams as they are";
	else if ((v->verify || v->json) && (v->mean || v->softmax))
		what = "--verify and --json take streams as they are";
	else if (v->files && (v->mean || v->softmax || v->compare))
		what = "--from-safetensors makes a stream: give it to another "
		       "tensor-cat";
	else if (v->compare && n != 2)
		what = "--compare needs two streams";
	else if (v->weights != NULL && !v->mean)
		what = "--weights needs --mean";
	else if (v->header != NULL && !v->csv && !v->label)
		what = "--header needs --csv or --label";
	else if (v->tolerance > 0 && !v->compare)
		what = "--tolerance needs --compare";
	if (what != NULL)
		bt_tool_misuse(&tool, "%s", what);
	return what == NULL;
}

/* Cuts a list at its commas. */
static int cut(const char *s, struct bt_span **list, size_t *n,
               struct bt_error *err)
{
	size_t commas = 0, i;
	const char *p;

	for (p = s; *p != '\0'; p++)
		commas += *p == ',';
	*list = bt_array0(commas + 1, sizeof(**list));
	if (*list == NULL)
		return bt_error_nomem(err, "starting");
	*n = commas + 1;
	for (i = 0; i < *n; i++) {
		(*list)[i].p = s;
		(*list)[i].n = strcspn(s, ",");
		s += (*list)[i].n + 1;
	}
	return BT_OK;
}

static int parse_weights(struct job *j, int n, struct bt_error *err)
{
	struct bt_span *list;
	size_t count, i;
	double sum = 0;
	char *one;
	int r = cut(j->v->weights, &list, &count, err);

	if (r != BT_OK)
		return r;
	if (count != (size_t)n)
		r = bt_error_set(err, BT_EARG, "%zu weights for %d streams",
		                 count, n);
	j->weights = bt_array0(count, sizeof(*j->weights));
	if (j->weights == NULL)
		r = bt_error_nomem(err, "starting");
	for (i = 0; i < count && r == BT_OK; i++) {
		one = bt_strndup(list[i].p, list[i].n);
		if (one == NULL)
			r = bt_error_nomem(err, "starting");
		else if (bt_parse_f64(one, 0, 1e100, &j->weights[i]) != BT_OK)
			r = bt_error_set(err, BT_EARG,
			                 "bad weight '%s': expected a number "
			                 "from 0 on",
			                 one);
		sum += j->weights[i];
		free(one);
	}
	if (r == BT_OK && !(sum > 0))
		r = bt_error_set(err, BT_EARG, "all weights are 0");
	free(list);
	return r;
}

static int parse_size(const char *name, const char *s, size_t *v,
                      struct bt_error *err)
{
	if (s == NULL || (bt_parse_bytes(s, v) == BT_OK && *v > 0))
		return BT_OK;
	return bt_error_set(err, BT_EARG, "bad value '%s' for --%s", s, name);
}

static int open_output(struct job *j, struct bt_error *err)
{
	const struct values *v = j->v;
	struct bt_frame_csv_opts c = {v->csv, v->label, v->header};
	size_t memory = (size_t)1 << 30;
	int r = parse_size("memory", v->memory, &memory, err);

	if (r == BT_OK)
		r = bt_out_open(v->common.output,
		                is_text(v) ? BT_OUT_TEXT : BT_OUT_BINARY,
		                &j->out, err);
	if (r != BT_OK)
		return r;
	if (v->csv || v->label)
		return bt_frame_csv_new(&c, &j->csv, err);
	if (v->npy)
		return bt_frame_npy_new(memory, &j->npy, err);
	if (!is_text(v))
		return bt_tsout_new(j->out, (int)v->level, &j->stream, err);
	return BT_OK;
}

/* What becomes of a frame of so many bytes (0: not known); in: where it stands
 * compressed, or NULL. */
static int put(struct job *j, const struct bt_frame *f, size_t bytes,
               const struct bt_tsin *in, struct bt_error *err)
{
	const void *packed;
	struct bt_frame chosen;
	uint32_t crc;
	size_t n;
	int r;

	j->frames++;
	j->tensors += f->s.count;
	j->rows += f->rows;
	j->bytes += bytes;
	if (j->names != NULL) {
		if (bt_grow(&j->chosen, &j->chosen_cap, f->s.count + 1,
		            sizeof(*j->chosen)) != BT_OK)
			return bt_error_nomem(err, "choosing tensors");
		r = bt_frame_select(f, j->names, j->n_names, j->chosen, &chosen,
		                    err);
		if (r != BT_OK)
			return r;
		f = &chosen;
	}
	if (j->csv != NULL)
		return bt_frame_csv_put(j->csv, f, j->out, err);
	if (j->npy != NULL)
		return bt_frame_npy_put(j->npy, f, err);
	if (j->v->json)
		return bt_frame_json(f, j->frames, bytes, j->out, err);
	if (j->stream == NULL)
		return BT_OK;
	if (in == NULL || j->names != NULL)
		return bt_tsout_frame(j->stream, &f->s, err);
	packed = bt_tsin_packed(in, &n, &crc);
	return bt_tsout_copy(j->stream, packed, n, crc, bytes, err);
}

/* One stream, frame by frame. */
static int pass(struct job *j, const char *path, struct bt_error *err)
{
	const struct bt_ckpt *c;
	struct bt_frame f;
	struct bt_tsin *in;
	int r = bt_tsin_open(path, j->limit, &in, err);

	if (r != BT_OK)
		return r;
	while ((r = bt_tsin_next(in, &c, err)) == 1) {
		r = bt_frame_of(c, &f, err);
		if (r == BT_OK)
			r = put(j, &f, bt_tsin_size(in), in, err);
		if (r == BT_EFORMAT || r == BT_ELIMIT)
			bt_tsin_blame(in, err);
		if (r == BT_OK) /* a reader of a pipe need not wait */
			r = bt_out_flush(j->out, err);
		if (r != BT_OK)
			break;
	}
	j->streams += bt_tsin_streams(in);
	bt_tsin_close(in);
	return r;
}

/* A safetensors file as a frame. */
static int pass_file(struct job *j, const char *path, struct bt_error *err)
{
	struct bt_ckpt *c;
	struct bt_frame f;
	struct bt_error why = {0};
	int r = bt_ckpt_open(path, &c, err);

	if (r != BT_OK)
		return r;
	r = bt_frame_of(c, &f, &why);
	if (r == BT_OK)
		r = put(j, &f, 0, NULL, &why);
	if (r != BT_OK)
		bt_error_set(err, r, "'%s': %s", path, why.text);
	bt_ckpt_close(c);
	return r;
}

/* The streams are not alike: an answer of --compare. */
static int tell_disagreement(struct job *j, struct bt_error *err)
{
	struct bt_error none = {0};
	int r;

	bt_error_prefix(err, "different");
	r = bt_out_write(j->out, err->text, strlen(err->text), &none);
	if (r == BT_OK)
		r = bt_out_write(j->out, "\n", 1, &none);
	*err = none;
	j->differ = true;
	return r;
}

/* Streams side by side: their mean, or their differences. */
static int combine(struct job *j, char *const *paths, int n,
                   struct bt_error *err)
{
	struct bt_mean_opts o = {j->weights, j->v->softmax};
	struct bt_together t;
	struct bt_frame f;
	int r = bt_together_open(paths, (size_t)n, j->limit, &t, err);

	if (r != BT_OK)
		return r;
	while ((r = bt_together_next(&t, err)) == 1) {
		if (j->v->compare) {
			j->rows += t.n;
			r = bt_together_compare(&t, &j->diff, err);
		} else {
			r = bt_together_mean(&t, &o, &j->made, &f, err);
			if (r == BT_OK)
				r = put(j, &f, 0, NULL, err);
			if (r == BT_OK)
				r = bt_out_flush(j->out, err);
		}
		if (r != BT_OK)
			break;
	}
	if (j->v->compare && t.disagrees)
		r = tell_disagreement(j, err);
	bt_together_close(&t);
	return r;
}

/* A line for each tensor. */
static int tell_differences(struct job *j, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	const struct bt_difference *d;
	size_t i;
	int r = BT_OK;

	for (i = 0; i < j->diff.n; i++) {
		d = &j->diff.d[i];
		bt_buf_printf(&b, "%s: %llu values, ", d->name,
		              (unsigned long long)d->values);
		if (d->differ == 0)
			bt_buf_puts(&b, "equal\n");
		else
			bt_buf_printf(&b,
			              "%llu differ, by at most %.6g (row %llu) "
			              "and %.6g in the mean\n",
			              (unsigned long long)d->differ, d->max,
			              (unsigned long long)d->row + 1,
			              d->sum / (double)d->values);
		if (d->max > j->v->tolerance)
			j->differ = true;
	}
	if (b.oom)
		r = bt_error_nomem(err, "comparing");
	else if (b.len > 0)
		r = bt_out_write(j->out, b.data, b.len, err);
	bt_buf_clear(&b);
	return r;
}

static int verified(struct job *j, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	int r;

	bt_buf_printf(&b, "%llu frame%s, %llu row%s, %llu tensor%s, %llu bytes",
	              (unsigned long long)j->frames, j->frames == 1 ? "" : "s",
	              (unsigned long long)j->rows, j->rows == 1 ? "" : "s",
	              (unsigned long long)j->tensors,
	              j->tensors == 1 ? "" : "s", (unsigned long long)j->bytes);
	if (j->streams > 1)
		bt_buf_printf(&b, ", %llu streams",
		              (unsigned long long)j->streams);
	bt_buf_putc(&b, '\n');
	r = b.oom ? bt_error_nomem(err, "counting")
	          : bt_out_write(j->out, b.data, b.len, err);
	bt_buf_clear(&b);
	return r;
}

static int work(struct job *j, char *const *paths, int n, struct bt_error *err)
{
	static char standard[] = "-";
	char *none[] = {standard};
	int i, r = BT_OK;

	if (n == 0 && j->v->files)
		return bt_error_set(err, BT_EARG,
		                    "give the safetensors files as operands");
	if (n == 0) {
		paths = none;
		n = 1;
	}
	if (j->v->mean || j->v->compare)
		r = combine(j, paths, n, err);
	for (i = 0; i < n && r == BT_OK && !j->v->mean && !j->v->compare; i++)
		r = j->v->files     ? pass_file(j, paths[i], err)
		    : j->v->softmax ? combine(j, paths + i, 1, err)
		                    : pass(j, paths[i], err);
	if (r == BT_OK && j->v->expect != ANY && j->v->expect != j->rows &&
	    !j->differ)
		r = bt_error_set(
		    err, BT_ETRUNCATED, "read %llu row%s, expected %llu",
		    (unsigned long long)j->rows, j->rows == 1 ? "" : "s",
		    (unsigned long long)j->v->expect);
	if (r == BT_OK && j->v->compare && !j->differ)
		r = tell_differences(j, err);
	if (r == BT_OK && j->v->verify)
		r = verified(j, err);
	if (r == BT_OK && j->npy != NULL)
		r = bt_frame_npy_write(j->npy, j->out, err);
	if (r == BT_OK && j->stream != NULL) {
		r = bt_tsout_finish(j->stream, err);
		j->stream = NULL;
	}
	return r;
}

/* Options of the streams; then all of the work. */
static int prepare_and_work(struct job *j, char *const *paths, int n,
                            struct bt_error *err)
{
	struct bt_out *out;
	int r = parse_size("limit", j->v->limit, &j->limit, err);

	if (r == BT_OK && j->v->weights != NULL)
		r = parse_weights(j, n == 0 ? 1 : n, err);
	if (r == BT_OK && j->v->select != NULL)
		r = cut(j->v->select, &j->names, &j->n_names, err);
	if (r == BT_OK)
		r = open_output(j, err);
	if (r == BT_OK)
		r = work(j, paths, n, err);
	out = j->out;
	j->out = NULL;
	if (r == BT_OK)
		return bt_out_commit(out, err);
	bt_tsout_abandon(j->stream);
	bt_out_abandon(out);
	return r;
}

static void clear(struct job *j)
{
	bt_frame_csv_free(j->csv);
	bt_frame_npy_free(j->npy);
	bt_frame_made_clear(&j->made);
	bt_differences_clear(&j->diff);
	free(j->weights);
	free(j->names);
	free(j->chosen);
}

static int run(const struct values *v, char *const *paths, int n)
{
	struct bt_log log = bt_tool_log(&tool, &v->common);
	struct job j = {.v = v};
	struct bt_error err = {0};
	int i, std = 0, r;

	for (i = 0; i < n; i++)
		std += strcmp(paths[i], "-") == 0;
	if (std > 1)
		return bt_tool_misuse(&tool, "standard input is given %d times",
		                      std);
	if (!options_make_sense(v, n))
		return BT_EXIT_USAGE;
	r = prepare_and_work(&j, paths, n, &err);
	clear(&j);
	if (r == BT_EARG)
		return bt_tool_misuse(&tool, "%s", err.text);
	if (r != BT_OK) {
		bt_tool_fail(&tool, &err);
		/* 1 is an answer of --compare */
		return v->compare ? BT_EXIT_USAGE : BT_EXIT_FAILED;
	}
	if (!v->verify && !v->compare)
		bt_log(&log, BT_LOG_NOTE, "%llu frame%s, %llu row%s",
		       (unsigned long long)j.frames, j.frames == 1 ? "" : "s",
		       (unsigned long long)j.rows, j.rows == 1 ? "" : "s");
	return j.differ ? BT_EXIT_FAILED : BT_EXIT_DONE;
}

int main(int argc, char **argv)
{
	struct values v = {
	    .common = BT_COMMON_INIT, .expect = ANY, .level = BT_TS_LEVEL};
	int operand, status;

	if (!bt_tool_options(&tool, argc, argv, &v, &operand, &status))
		return status;
	status = run(&v, argv + operand, argc - operand);
	return bt_tool_end(&tool, status);
}
