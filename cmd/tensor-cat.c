/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tool.h"
#include "ckpt_format/tensor_stream_write.h"
#include "dedup/record_store.h"
#include "io/duplicate_paths.h"
#include "io/out.h"
#include "tensorstream/job.h"

struct values {
	struct bt_common common;
	bool mean, softmax, sigmoid, compare, csv, label, npy, json, verify,
	    files, others;
	const char *select, *weights, *header, *nearest;
	struct bt_opt_maybe limit, memory;
	double tolerance;
	int64_t level, top, clusters;
	uint64_t expect;
};

#define ANY UINT64_MAX

static const struct bt_opt options[] = {
    BT_GROUP("Selection"),
    BT_STR(0, "select", "NAME,...", "only the named tensors", values, select),
    BT_ROW(BT_OPT_U64, 0, "expect", "N", "fail unless exactly N rows are read",
           values, expect, 0, 0),
    BT_SIZE("limit", "SIZE", "reject frames larger than this [1G]", values,
            limit),
    BT_GROUP("Calculation"),
    BT_FLAG(0, "mean", "average all streams, row by row", values, mean),
    BT_STR(0, "weights", "W,...", "weights of the streams in the mean", values,
           weights),
    BT_FLAG(0, "softmax",
            "turn logits into class probabilities (before a mean)", values,
            softmax),
    BT_FLAG(0, "sigmoid", "turn multi-label logits into probabilities", values,
            sigmoid),
    BT_FLAG(0, "compare", "report how two streams differ", values, compare),
    BT_REAL(0, "tolerance", "X", "with --compare: allowed difference [0]",
            values, tolerance, 0, 1e300),
    BT_GROUP("Embeddings"),
    BT_STR(0, "nearest", "FILE",
           "list the rows of FILE most similar to each row, as CSV", values,
           nearest),
    BT_INT(0, "top", "K", "with --nearest: how many rows of FILE [10]", values,
           top, 1, BT_NEAREST_TOP_MAX),
    BT_FLAG(0, "exclude-same-id",
            "with --nearest: leave out rows of FILE with the row's id", values,
            others),
    BT_INT(0, "cluster", "K", "divide the rows into K clusters, as CSV", values,
           clusters, 1, BT_CLUSTER_MAX),
    BT_GROUP("Input and output formats"),
    BT_FLAG(0, "csv", "write CSV: id and all values", values, csv),
    BT_FLAG(0, "label", "write CSV: id and the most likely class", values,
            label),
    BT_STR(0, "header", "ID,LABEL", "column names of the CSV [id,label]",
           values, header),
    BT_FLAG(0, "npy", "write one tensor as a NumPy file", values, npy),
    BT_FLAG(0, "from-safetensors", "read safetensors files, one frame each",
            values, files),
    BT_FLAG(0, "json", "list frames and tensors as JSON Lines", values, json),
    BT_FLAG(0, "verify", "print the number of frames, rows and bytes", values,
            verify),
    BT_STR('o', "output", "FILE", "write to FILE [standard output]", values,
           common.output),
    BT_INT(0, "level", "N", "zstd level of frames built here [1]", values,
           level, 1, BT_OUT_ZSTD_MAX),
    BT_SIZE("memory", "SIZE", "with --npy: spill to $TMPDIR above SIZE [64M]",
            values, memory),
    BT_OPT_COMMON(values),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {
    "tensor-cat",
    "[OPTION ...] [TENSORS ...]",
    "Averages, compares, searches, clusters, selects and prints tensor streams.",
    "tensor-cat --mean --softmax a.ts b.ts | tensor-cat --label >submission.csv",
    options,
};

/* True if the file to look in and an operand are both standard input. */
static bool reads_input_twice(const struct values *v, char *const *paths, int n)
{
	int i;

	if (v->nearest == NULL || strcmp(v->nearest, "-") != 0)
		return false;
	for (i = 0; i < n; i++)
		if (strcmp(paths[i], "-") == 0)
			return true;
	return n == 0;
}

/* Whether what should name a file is a number, and names none. */
static bool is_number(const char *file)
{
	int64_t k;

	return file != NULL && bt_parse_i64(file, 0, INT64_MAX, &k) == BT_OK &&
	       access(file, F_OK) != 0;
}

static bool options_make_sense(const struct values *v, char *const *paths,
                               int n)
{
	bool made = v->mean || v->softmax || v->sigmoid;
	const char *what = NULL;

	if ((v->csv || v->label) + v->npy + v->json + v->verify + v->compare +
	        (v->nearest != NULL) + (v->clusters > 0) >
	    1)
		what = "--csv or --label, --npy, --json, --verify, --compare, "
		       "--nearest and --cluster exclude each other";
	else if (v->compare && (made || v->select != NULL))
		what = "--compare takes streams as they are";
	else if ((v->verify || v->json) && made)
		what = "--verify and --json take streams as they are";
	else if (v->files && (made || v->compare))
		what = "--from-safetensors makes a stream: give it to another "
		       "tensor-cat";
	else if (v->softmax && v->sigmoid)
		what = "give --softmax where one label holds, --sigmoid where "
		       "any number may";
	else if (v->compare && n != 2)
		what = "--compare needs two streams";
	else if (v->weights != NULL && !v->mean)
		what = "--weights needs --mean";
	else if (v->header != NULL && !v->csv && !v->label)
		what = "--header needs --csv or --label";
	else if (v->tolerance > 0 && !v->compare)
		what = "--tolerance needs --compare";
	else if ((v->top != 0 || v->others) && v->nearest == NULL)
		what = "--top and --exclude-same-id need --nearest";
	else if (is_number(v->nearest))
		what = "--nearest names the FILE to search in; --top K says "
		       "how many rows of it";
	else if (reads_input_twice(v, paths, n))
		what = "standard input cannot be FILE and the input: name one "
		       "of them";
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

static enum bt_tensors_form form_of(const struct values *v)
{
	return v->csv || v->label ? BT_TENSORS_CSV
	       : v->npy           ? BT_TENSORS_NPY
	       : v->json          ? BT_TENSORS_JSON
	       : v->verify        ? BT_TENSORS_VERIFY
	       : v->compare       ? BT_TENSORS_COMPARE
	       : v->nearest       ? BT_TENSORS_NEAREST
	       : v->clusters > 0  ? BT_TENSORS_CLUSTER
	                          : BT_TENSORS_STREAM;
}

static int work(const struct values *v, char *const *paths, int n,
                struct bt_tensors_sum *sum, struct bt_error *err)
{
	struct bt_tensors_opts o = {
	    .form = form_of(v),
	    .files = v->files,
	    .mean = v->mean,
	    .softmax = v->softmax,
	    .sigmoid = v->sigmoid,
	    .csv = {v->csv, v->label, v->header},
	    .nearest = {.file = v->nearest,
	                .top = v->top != 0 ? (size_t)v->top : BT_NEAREST_TOP,
	                .others = v->others,
	                .threads = (int)v->common.threads},
	    .cluster = {.clusters = (size_t)v->clusters,
	                .seed = v->common.seed,
	                .threads = (int)v->common.threads},
	    .limit = v->limit.n,
	    .memory = v->memory.given ? v->memory.n : BT_RECORD_STORE_DEFAULT,
	    .level = (int)v->level,
	    .counts = v->expect != ANY,
	    .expect = v->expect,
	    .tolerance = v->tolerance,
	    .output = v->common.output};
	struct bt_span *names = NULL;
	double *weights = NULL;
	size_t streams = n == 0 ? 1 : (size_t)n;
	int r = BT_OK;

	if (v->limit.given && v->limit.n == 0)
		r = bt_error_set(err, BT_EARG,
		                 "bad value '0' for --limit: expected 1 byte "
		                 "or more");
	if (r == BT_OK && v->weights != NULL) {
		weights = bt_array(streams, sizeof(*weights));
		r = bt_parse_weights(v->weights, streams, "stream", weights,
		                     err);
	}
	if (r == BT_OK && v->select != NULL)
		r = cut(v->select, &names, &o.n_names, err);
	o.names = names;
	o.weights = weights;
	if (r == BT_OK)
		r = bt_tensors(&o, paths, n, sum, err);
	free(names);
	free(weights);
	return r;
}

static int run(const struct values *v, char *const *paths, int n)
{
	struct bt_log log = bt_tool_log(&tool, &v->common);
	struct bt_tensors_sum sum = {0};
	struct bt_error err = {0};
	int r, status;

	if (!options_make_sense(v, paths, n))
		return BT_EXIT_USAGE;
	r = bt_duplicate_paths(paths, n, v->compare ? NULL : &log, &err);
	if (r == BT_OK)
		r = work(v, paths, n, &sum, &err);
	if (r != BT_OK) {
		status = bt_tool_fail(&tool, &err);
		/* 1 is an answer of --compare */
		return v->compare ? BT_EXIT_USAGE : status;
	}
	if (sum.mixed)
		bt_vectors_warn_mixed(&log);
	if (!v->verify && !v->compare)
		bt_log(&log, BT_LOG_NOTE, "%llu frame%s, %llu row%s",
		       (unsigned long long)sum.frames, bt_plural(sum.frames),
		       (unsigned long long)sum.rows, bt_plural(sum.rows));
	return sum.differ ? BT_EXIT_FAILED : BT_EXIT_DONE;
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
