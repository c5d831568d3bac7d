/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/sys.h"
#include "base/tool.h"
#include "ckpt/convert.h"
#include "ckpt/identify.h"
#include "ckpt/inspect.h"
#include "ckpt/open.h"
#include "format/hub_cache.h"

/* Exit status of --check, --diff and --family, as that of cmp. */
enum { YES = 0, NO = 1, TROUBLE = 2 };

struct args {
	struct bt_common common;
	bool stats, check, diff, json, tree, family;
	int64_t depth;
	const char *grep;
	const char *dump, *format;
	regex_t pattern; /* grep, where that is given */
	char **path;     /* one, or two to compare */
};

static const struct bt_opt options[] = {
    BT_GROUP("Selection"),
    BT_STR(0, "grep", "PATTERN", "only tensors whose name matches", args, grep),
    BT_GROUP("Reports"),
    BT_FLAG(0, "stats", "add min, max, mean, standard deviation, NaN, Inf",
            args, stats),
    BT_FLAG(0, "tree", "show tensors as a tree of modules with totals", args,
            tree),
    BT_INT(0, "depth", "N", "levels of --tree [all]", args, depth, 1, 4096),
    BT_FLAG(0, "family", "identify the model and its size", args, family),
    BT_FLAG(0, "check", "read everything and check its integrity", args, check),
    BT_FLAG(0, "diff", "compare two checkpoints (implied by two PATHs)", args,
            diff),
    BT_GROUP("Values"),
    BT_STR(0, "dump", "TENSOR", "print the values of one tensor", args, dump),
    BT_STR(0, "format", "text|npy|tensor", "format of --dump [text]", args,
           format),
    BT_GROUP("Output"),
    BT_FLAG(0, "json", "print JSON", args, json),
    BT_STR('o', "output", "FILE", "write to FILE [standard output]", args,
           common.output),
    BT_OPT_COMMON(args),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {
    "ckpt-inspect",
    "[OPTION ...] PATH [PATH]",
    "Lists, checks and compares the tensors of checkpoints.",
    "ckpt-inspect --stats --grep 'layer\\.0\\.' bert-base-uncased",
    options,
};

/* What all steps of a run work on. */
struct run {
	const struct args *args;
	struct bt_ckpt *c[2];
	struct bt_inspect_view v[2];
	struct bt_pool *pool;
	struct bt_tensor_stats *stats;
	struct bt_tensor_diff *rows;
	struct bt_buf text;
};

static int put(struct run *r, struct bt_error *err)
{
	struct bt_out *out;
	int e;

	if (r->text.oom)
		return bt_error_nomem(err, "printing");
	e = bt_out_open(r->args->common.output, BT_OUT_TEXT, &out, err);
	if (e != BT_OK)
		return e;
	e = bt_out_write(out, r->text.data, r->text.len, err);
	return bt_out_end(out, e, err);
}

static int open_path(struct run *r, int i, struct bt_error *err)
{
	struct bt_log log = bt_tool_log(&tool, &r->args->common);
	const char *path = r->args->path[i];
	double start = bt_seconds();
	int e = bt_sidecar_spare(path, r->args->common.output, err);

	if (e == BT_OK)
		e = bt_ckpt_open(path, &r->c[i], err);
	if (e != BT_OK)
		return e;
	bt_log(&log, BT_LOG_MORE,
	       "'%s': %s, %zu tensors in %zu files, opened in %.3f s, peak "
	       "memory %.1f MB",
	       path, bt_ckpt_format(r->c[i]), bt_ckpt_count(r->c[i]),
	       bt_ckpt_files(r->c[i]), bt_seconds() - start,
	       (double)bt_peak_memory() / 1e6);
	return bt_inspect_view_init(
	    &r->v[i], r->c[i], r->args->grep != NULL ? &r->args->pattern : NULL,
	    err);
}

/* What is read of both checkpoints is first compared with its checksums. */
static int verify(struct run *r, struct bt_error *err)
{
	int e = bt_pool_new((int)r->args->common.threads, &r->pool, err), i;

	for (i = 0; i < 2 && r->c[i] != NULL && e == BT_OK; i++) {
		e = bt_ckpt_verify(r->c[i], err);
		if (e == BT_OK)
			e = bt_checksums_verify(r->v[i].t, r->v[i].n, r->pool,
			                        err);
	}
	return e;
}

static int compute_stats(struct run *r, struct bt_error *err)
{
	int e = verify(r, err);

	if (e != BT_OK)
		return e;
	r->stats = bt_array(r->v[0].n, sizeof(*r->stats));
	if (r->stats == NULL)
		return bt_error_nomem(err, "computing statistics");
	return bt_stats(r->v[0].t, r->v[0].n, r->pool, r->stats, err);
}

static void show_config(struct run *r)
{
	struct bt_log log = bt_tool_log(&tool, &r->args->common);
	struct bt_error err = {0};

	if (bt_inspect_config(&r->text, r->args->path[0], &err) != BT_OK)
		bt_log_warn(&log, "bad-configuration", BT_HINT_NONE, "%s",
		            err.text);
}

static int list(struct run *r, int *status, struct bt_error *err)
{
	int e = open_path(r, 0, err);

	(void)status;
	if (e == BT_OK && r->args->stats)
		e = compute_stats(r, err);
	if (e != BT_OK)
		return e;
	if (r->args->tree && r->args->json) {
		bt_inspect_tree_json(&r->text, &r->v[0], (int)r->args->depth);
	} else if (r->args->tree) {
		show_config(r);
		bt_inspect_tree(&r->text, &r->v[0], (int)r->args->depth);
	} else if (r->args->json) {
		bt_inspect_list_json(&r->text, &r->v[0], r->stats);
	} else {
		show_config(r);
		bt_inspect_list(&r->text, &r->v[0], r->stats);
	}
	return put(r, err);
}

/* A verdict on no tensor at all would hide a mistyped pattern. */
static int check_matches(const struct run *r, struct bt_error *err)
{
	if (r->args->grep == NULL || r->v[0].n + r->v[1].n > 0)
		return BT_OK;
	return bt_error_set(err, BT_EARG,
	                    "no tensor has a name that '%s' matches",
	                    r->args->grep);
}

static int check(struct run *r, int *status, struct bt_error *err)
{
	const struct args *a = r->args;
	int e = open_path(r, 0, err);
	size_t bad = 1;

	if (e == BT_OK)
		e = check_matches(r, err);
	if (e == BT_OK)
		e = compute_stats(r, err);
	if (e == BT_ECORRUPT || e == BT_ETRUNCATED || e == BT_ELIMIT) {
		if (a->json)
			bt_inspect_damage_json(&r->text, a->path[0], err->text);
		else
			bt_buf_printf(&r->text, "%s\n", err->text);
		bt_error_clear(err);
	} else {
		if (e != BT_OK)
			return e;
		bad = a->json
		          ? bt_inspect_check_json(&r->text, &r->v[0], r->stats)
		          : bt_inspect_check(&r->text, &r->v[0], r->stats,
		                             a->common.quiet);
	}
	*status = bad == 0 ? YES : NO;
	return put(r, err);
}

static int diff(struct run *r, int *status, struct bt_error *err)
{
	const struct bt_inspect_view *v = r->v;
	size_t n, n_diff;
	int e = open_path(r, 0, err);

	if (e == BT_OK)
		e = open_path(r, 1, err);
	if (e == BT_OK)
		e = check_matches(r, err);
	if (e == BT_OK)
		e = verify(r, err);
	if (e == BT_OK)
		e = bt_stats_diff(v[0].t, v[0].n, v[1].t, v[1].n, r->pool,
		                  &r->rows, &n, err);
	if (e != BT_OK)
		return e;
	n_diff =
	    r->args->json
	        ? bt_inspect_diff_json(&r->text, r->c[0], r->c[1], r->rows, n)
	        : bt_inspect_diff(&r->text, r->rows, n, r->args->common.quiet);
	*status = n_diff == 0 ? YES : NO;
	return put(r, err);
}

static int family(struct run *r, int *status, struct bt_error *err)
{
	struct bt_ckpt_family f;
	int e = open_path(r, 0, err);

	if (e == BT_OK)
		e = bt_ckpt_family(r->c[0], r->args->path[0], &f, err);
	if (e != BT_OK)
		return e;
	if (r->args->json)
		bt_inspect_family_json(&r->text, &f);
	else
		bt_inspect_family(&r->text, &f);
	*status = f.family != NULL ? YES : NO;
	bt_ckpt_family_clear(&f);
	return put(r, err);
}

static int dump(struct run *r, int *status, struct bt_error *err)
{
	const char *name = r->args->dump, *form = r->args->format;
	bool npy = bt_str_is(form, "npy");
	bool stream = bt_str_is(form, "tensor");
	const struct bt_tensor *t;
	struct bt_out *out;
	int e = open_path(r, 0, err);

	(void)status;
	if (e != BT_OK)
		return e;
	t = bt_ckpt_find(r->c[0], name);
	if (t == NULL)
		return bt_error_set(err, BT_EARG, "'%s' has no tensor '%s'",
		                    r->args->path[0], name);
	e = bt_ckpt_verify(r->c[0], err);
	if (e == BT_OK)
		e = bt_tensor_verify(t, err);
	if (e != BT_OK)
		return e;
	e = bt_out_open(r->args->common.output,
	                npy || stream ? BT_OUT_BINARY : BT_OUT_TEXT, &out, err);
	if (e != BT_OK)
		return e;
	e = npy      ? bt_inspect_npy(out, t, err)
	    : stream ? bt_inspect_stream(out, t, err)
	             : bt_inspect_values(out, t, err);
	return bt_out_end(out, e, err);
}

static void clear(struct run *r)
{
	int i;

	for (i = 0; i < 2; i++) {
		bt_inspect_view_clear(&r->v[i]);
		bt_ckpt_close(r->c[i]);
	}
	bt_pool_free(r->pool);
	bt_buf_clear(&r->text);
	free(r->stats);
	free(r->rows);
}

static int run(const struct args *a)
{
	int (*job)(struct run *, int *, struct bt_error *) = list;
	struct run r = {.args = a, .text = BT_BUF_INIT};
	bool asks = a->check || a->diff || a->family;
	struct bt_error err = {0};
	int status = BT_EXIT_DONE;

	if (a->check)
		job = check;
	else if (a->diff)
		job = diff;
	else if (a->family)
		job = family;
	else if (a->dump != NULL)
		job = dump;
	if (job(&r, &status, &err) != BT_OK) {
		status = bt_tool_fail(&tool, &err);
		if (asks)
			status = TROUBLE;
	}
	clear(&r);
	return status;
}

static bool parse_pattern(struct args *a, int *status)
{
	char why[160];
	int e;

	if (a->grep == NULL)
		return true;
	e = regcomp(&a->pattern, a->grep, REG_EXTENDED | REG_NOSUB);
	if (e == 0)
		return true;
	regerror(e, &a->pattern, why, sizeof(why));
	*status = bt_tool_misuse(&tool, "bad pattern '%s': %s", a->grep, why);
	return false;
}

static int modes(const struct args *a)
{
	return a->stats + a->tree + a->family + a->check + a->diff +
	       (a->dump != NULL);
}

static bool parse(int argc, char **argv, struct args *a, int *status)
{
	int at, n, i;

	if (!bt_tool_options(&tool, argc, argv, a, &at, status))
		return false;
	for (i = at; i < argc; i++)
		argv[i] = (char *)bt_hub_cache_find(argv[i]);
	a->path = argv + at;
	n = argc - at;
	a->tree = a->tree || a->depth > 0;
	a->diff = a->diff || (n == 2 && modes(a) == 0);
	if (modes(a) > 1)
		*status = bt_tool_misuse(
		    &tool, "--stats, --tree, --family, --check, --diff and "
		           "--dump exclude each other");
	else if (a->format != NULL && a->dump == NULL)
		*status = bt_tool_misuse(&tool, "--format goes with --dump");
	else if (a->dump != NULL && (a->json || a->grep != NULL))
		*status = bt_tool_misuse(&tool, "--dump goes with neither "
		                                "--json nor --grep");
	else if (a->family && a->grep != NULL)
		*status = bt_tool_misuse(&tool, "--family does not go with "
		                                "--grep");
	else if (n != (a->diff ? 2 : 1))
		*status = bt_tool_misuse(&tool, "expected %s",
		                         a->diff ? "two PATHs" : "one PATH");
	else
		return parse_pattern(a, status);
	return false;
}

int main(int argc, char **argv)
{
	struct args a = {.common = BT_COMMON_INIT};
	int status;

	if (!parse(argc, argv, &a, &status))
		return status;
	status = run(&a);
	if (a.grep != NULL)
		regfree(&a.pattern);
	return bt_tool_end(&tool, status);
}
