/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "base/str.h"
#include "base/sys.h"
#include "base/tool.h"
#include "ckpt/convert.h"
#include "ckpt/fingerprint.h"
#include "format/adapter_config.h"
#include "format/hub_cache.h"
#include "io/path.h"
#include "io/url.h"
#include "onnx/export.h"
#include "onnx/graph_writer.h"

struct args {
	struct bt_common common;
	const char *to, *names, *dtype, *shard_size, *adapter;
	int64_t heads;
	int external, force, average;
	struct bt_opt_list rename, drop;
	char **path; /* FROM TO */
};

static const struct bt_opt options[] = {
    BT_GROUP("Format"),
    BT_STR(0, "to", "safetensors|npz|gguf|tf1|tf2|h5|keras|onnx",
           "format of TO [from its name]", args, to),
    BT_STR(0, "names", "hf|tf1|tf2|gguf|keep",
           "naming scheme of the tensors [that of --to]", args, names),
    BT_STR(0, "dtype", "f32|bf16|f16|q8_0",
           "type of all floating-point tensors [unchanged]", args, dtype),
    BT_FLAG(0, "force", "TO may be the file FROM, which is replaced", args,
            force),
    BT_GROUP("Tensors"),
    BT_LIST(0, "rename", "RULE", "s/PATTERN/NAME/ or FROM=TO; repeatable", args,
            rename),
    BT_LIST(0, "drop", "PATTERN",
            "leave out tensors whose name matches; repeatable", args, drop),
    BT_FLAG(0, "average", "write the mean of several checkpoints FROM ...",
            args, average),
    BT_STR(0, "adapter", "DIR", "change FROM by this adapter", args, adapter),
    BT_GROUP("Details of one format"),
    BT_STR(0, "shard-size", "BYTES",
           "safetensors: split into files of this size", args, shard_size),
    BT_INT(0, "heads", "N", "tf2: number of attention heads [config.json's]",
           args, heads, 0, 1 << 20),
    BT_FLAG(0, "external-data", "onnx: store the weights in a separate file",
            args, external),
    BT_OPT_COMMON(args),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {
    "ckpt-convert",
    "[OPTION ...] FROM [FROM ...] TO",
    "Converts a checkpoint to another format, naming scheme or dtype.",
    "ckpt-convert --drop '/adam_[mv]$|^global_step$' bert_model.ckpt "
    "bert.safetensors",
    options,
};

static void tell_copied(const struct args *a, int n)
{
	struct bt_log log = bt_tool_log(&tool, &a->common);

	if (n > 0)
		bt_log(&log, BT_LOG_NOTE,
		       "%d file%s of configuration and tokenizer copied", n,
		       bt_plural(n));
}

static void tell(const struct args *a, const struct bt_convert *job)
{
	struct bt_log log = bt_tool_log(&tool, &a->common);
	const struct bt_convert_report *r = &job->report;

	if (r->idle > 0)
		bt_log_warn(&log, "rules-unused", BT_HINT_NONE,
		            "%zu rule%s of --drop and --rename changed no "
		            "tensor: %s",
		            r->idle, bt_plural(r->idle),
		            bt_buf_str((struct bt_buf *)&r->idle_rules));
	if (r->unknown > 0 && r->left_out)
		bt_log_warn(&log, "unknown-names", BT_HINT_NONE,
		            "%zu tensor%s left out, for which llama.cpp has no "
		            "place: %s",
		            r->unknown, bt_plural(r->unknown),
		            bt_buf_str((struct bt_buf *)&r->unknown_names));
	else if (r->unknown > 0)
		bt_log_warn(&log, "unknown-names", BT_HINT_NONE,
		            "%zu tensor%s kept under %s own name: %s",
		            r->unknown, bt_plural(r->unknown),
		            r->unknown == 1 ? "its" : "their",
		            bt_buf_str((struct bt_buf *)&r->unknown_names));
	if (r->no_pooler)
		bt_log(&log, BT_LOG_NOTE,
		       "the model has no pooler, which Keras' has; zeros stand "
		       "for it");
	if (r->overflows > 0)
		bt_log_warn(
		    &log, "numbers-too-large", BT_HINT_NONE,
		    "%zu number%s too large for %s and ha%s become infinite",
		    r->overflows, r->overflows == 1 ? " is" : "s are", a->dtype,
		    r->overflows == 1 ? "s" : "ve");
	bt_log(&log, BT_LOG_NOTE,
	       "%zu tensors, %zu bytes written to '%s' (%s, %s)", r->tensors,
	       r->bytes, r->path, r->format, r->names);
	tell_copied(a, r->copied);
	bt_log(&log, BT_LOG_MORE, "%zu dropped, %zu renamed by rules",
	       r->dropped, r->renamed);
}

static int run(const struct args *a, struct bt_convert *job)
{
	struct bt_error err = {0};
	int status = BT_EXIT_DONE;

	job->behind = bt_threads(a->common.threads) > 1;
	if (bt_convert_run(job, &err) == BT_OK)
		tell(a, job);
	else
		status = bt_tool_fail(&tool, &err);
	bt_convert_clear(job);
	return status;
}

/* A whole model is written, not a checkpoint. */
static bool is_onnx(const struct args *a, const char *to)
{
	return a->to != NULL ? strcmp(a->to, "onnx") == 0
	                     : bt_str_ends(to, ".onnx");
}

static bool check_onnx(const struct args *a, int *status)
{
	struct bt_error err = {0};

	if (bt_url_refuse(a->path[0], BT_URL_DIR, &err) != BT_OK ||
	    bt_url_refuse(a->path[1], BT_URL_DIR_OUT, &err) != BT_OK) {
		*status = bt_tool_fail(&tool, &err);
		return false;
	}
	if (a->names == NULL && a->dtype == NULL && a->rename.n == 0 &&
	    a->drop.n == 0 && a->shard_size == NULL && a->heads == 0 &&
	    !a->force)
		return true;
	*status = bt_tool_misuse(&tool, "--names, --dtype, --rename, --drop, "
	                                "--shard-size, --heads and --force do "
	                                "not go with ONNX");
	return false;
}

static int export(const struct args *a, const char *path, bool dir,
                  struct bt_error *err)
{
	struct bt_log log = bt_tool_log(&tool, &a->common);
	struct bt_export_report r;
	int copied = 0, e = bt_sidecar_spare(a->path[0], path, err);

	if (e == BT_OK)
		e = bt_export_onnx(a->path[0], path,
		                   a->external ? 0 : BT_ONNX_MOST, &r, err);
	if (e == BT_OK && dir)
		e = bt_sidecar_copy(a->path[0], a->path[1], &copied, err);
	if (e != BT_OK)
		return e;
	bt_log(&log, BT_LOG_NOTE,
	       "%d operators, %d tensors written to '%s'%s%s%s (onnx, %s)",
	       r.nodes, r.arrays, path, r.beside ? " and '" : "",
	       r.beside ? path : "", r.beside ? ".data'" : "",
	       r.classifier ? "a classifier" : "an encoder");
	tell_copied(a, copied);
	return BT_OK;
}

static int run_onnx(const struct args *a)
{
	const char *to = a->path[1];
	bool dir = bt_path_means_dir(to);
	char *path = dir ? bt_path_join(to, "model.onnx") : NULL;
	struct bt_error err = {0};
	int e = BT_OK;

	if (dir && mkdir(to, 0777) != 0 && errno != EEXIST)
		e = bt_error_sys(&err, errno, "cannot make '%s'", to);
	if (e == BT_OK)
		e = export(a, dir ? path : to, dir, &err);
	free(path);
	return e == BT_OK ? BT_EXIT_DONE : bt_tool_fail(&tool, &err);
}

static bool is_q8(const char *word)
{
	return bt_str_is(word, "q8_0");
}

static enum bt_dtype dtype_of(const char *word)
{
	if (word == NULL)
		return BT_DTYPES;
	if (strcmp(word, "f32") == 0 || is_q8(word))
		return BT_DTYPE_F32;
	return strcmp(word, "f16") == 0 ? BT_DTYPE_F16 : BT_DTYPE_BF16;
}

/* Whether the options go together; sets job->shard_size. */
static bool check(const struct args *a, struct bt_convert *job, int *status)
{
	enum bt_names own = bt_convert_format_names(job->format);
	struct bt_error err = {0};

	if (bt_convert_check(job, &err) != BT_OK)
		*status = bt_tool_misuse(&tool, "%s", err.text);
	else if (job->format == BT_CONVERT_UNKNOWN)
		*status = bt_tool_misuse(
		    &tool,
		    "'%s' does not say which format to write: give it with "
		    "--to, or a name that ends in .safetensors, .npz, .gguf, "
		    ".ckpt, .h5 or .onnx, or in a slash for a directory",
		    job->to);
	else if (own != BT_NAMES_DEFAULT && job->names > BT_NAMES_HF &&
	         job->names != own)
		*status = bt_tool_misuse(
		    &tool, "--names %s does not go with --to %s", a->names,
		    bt_convert_format_word(job->format));
	else if (job->q8 && job->format != BT_CONVERT_GGUF)
		*status = bt_tool_misuse(&tool, "--dtype q8_0 goes with GGUF "
		                                "only");
	else if (a->force &&
	         (a->shard_size != NULL || bt_path_means_dir(job->to) ||
	          job->format == BT_CONVERT_TF1 ||
	          job->format == BT_CONVERT_TF2))
		*status =
		    bt_tool_misuse(&tool, "--force goes with formats of one "
		                          "file, and TO its name");
	else if (a->shard_size == NULL)
		return true;
	else if (bt_parse_bytes(a->shard_size, &job->shard_size) != BT_OK ||
	         job->shard_size == 0)
		*status =
		    bt_tool_misuse(&tool,
		                   "--shard-size needs a number of bytes, "
		                   "not '%s'",
		                   a->shard_size);
	else if (job->format != BT_CONVERT_SAFETENSORS ||
	         bt_str_ends(job->to, ".safetensors"))
		*status =
		    bt_tool_misuse(&tool, "--shard-size needs a directory for "
		                          "files of safetensors");
	else
		return true;
	return false;
}

/* Puts the adapter in the place of the model that it is to change. */
static bool use_adapter(const struct args *a, char **from, int *status)
{
	const char *dir = bt_hub_cache_find(a->adapter);
	struct bt_error err = {0};

	if (a->average || a->force)
		*status = bt_tool_misuse(&tool, "--adapter does not go with "
		                                "--average and --force");
	else if (bt_adapter_expect(dir, &err) != BT_OK)
		*status = bt_tool_fail(&tool, &err);
	else
		bt_adapter_base_set(*from);
	*from = (char *)dir;
	return *status == BT_EXIT_DONE;
}

/* The error if n operands are too few or too many; or NULL. */
static const char *misfit(const struct args *a, int n)
{
	if (a->average)
		return n < 3 ? "--average expects two FROM at least, and TO"
		             : NULL;
	return n == 2  ? NULL
	       : n < 2 ? "expected FROM and TO"
	               : "expected FROM and TO; several FROM need --average";
}

static bool parse(int argc, char **argv, struct args *a, struct bt_convert *job,
                  int *status)
{
	struct bt_log log;
	const char *wrong;
	int at, i;

	if (!bt_tool_options(&tool, argc, argv, a, &at, status))
		return false;
	wrong = misfit(a, argc - at);
	if (wrong != NULL) {
		*status = bt_tool_misuse(&tool, "%s", wrong);
		return false;
	}
	for (i = at; i < argc - 1; i++)
		argv[i] = (char *)bt_hub_cache_find(argv[i]);
	if (a->adapter != NULL && !use_adapter(a, &argv[at], status))
		return false;
	log = bt_tool_log(&tool, &a->common);
	for (i = at; i < argc - 1; i++)
		bt_fingerprint_warn(argv[i], &log);
	if (a->average && is_onnx(a, argv[argc - 1])) {
		*status =
		    bt_tool_misuse(&tool, "--average does not go with ONNX");
		return false;
	}
	if (is_onnx(a, argv[at + 1])) {
		a->path = argv + at;
		return check_onnx(a, status);
	}
	if (a->external) {
		*status = bt_tool_misuse(&tool,
		                         "--external-data goes with ONNX only");
		return false;
	}
	*job = (struct bt_convert){.from = argv[at],
	                           .to = argv[argc - 1],
	                           .others = (const char *const *)argv + at + 1,
	                           .n_others = argc - at - 2,
	                           .dtype = dtype_of(a->dtype),
	                           .q8 = is_q8(a->dtype),
	                           .heads = (int)a->heads,
	                           .force = a->force,
	                           .rename = a->rename.item,
	                           .n_rename = a->rename.n,
	                           .drop = a->drop.item,
	                           .n_drop = a->drop.n};
	if (a->to != NULL)
		job->format = bt_convert_format_parse(a->to);
	else if (a->shard_size != NULL)
		job->format = BT_CONVERT_SAFETENSORS;
	else
		job->format = bt_convert_format_of(job->to);
	if (a->names != NULL)
		job->names = bt_convert_names_parse(a->names);
	return check(a, job, status);
}

int main(int argc, char **argv)
{
	struct args a = {.common = BT_COMMON_INIT};
	struct bt_convert job = {0};
	int status = BT_EXIT_DONE;

	if (!parse(argc, argv, &a, &job, &status))
		return status;
	return bt_tool_end(&tool,
	                   a.path != NULL ? run_onnx(&a) : run(&a, &job));
}
