/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "base/tool.h"
#include "format/hub_cache.h"
#include "hub/fetch.h"
#include "io/path.h"

struct args {
	struct bt_common common;
	const char *revision;
	bool list, force, base, dataset;
	struct bt_opt_list include;
	int64_t retries, timeout;
};

static const struct bt_opt options[] = {
    BT_GROUP("What is fetched"),
    BT_STR(0, "revision", "REVISION", "branch, tag or commit [main]", args,
           revision),
    BT_FLAG(0, "base", "of an adapter: fetch the model that it changes, too",
            args, base),
    BT_FLAG(0, "dataset", "NAME is a data set: fetch its tables", args,
            dataset),
    BT_LIST(0, "include", "PATTERN",
            "of a data set: the files whose names match, as '*train*'", args,
            include),
    BT_FLAG(0, "list", "print the files and their sizes, fetch nothing", args,
            list),
    BT_GROUP("Output"),
    BT_STR('o', "output", "DIR", "write to DIR, not to the cache", args,
           common.output),
    BT_FLAG(0, "force", "replace other files in DIR", args, force),
    BT_GROUP("Connection"),
    BT_INT(0, "retries", "N", "attempts after a failure [5]", args, retries, 0,
           1000),
    BT_INT(0, "timeout", "SECONDS",
           "give up on a connection that is silent [30]", args, timeout, 1,
           86400),
    BT_OPT_COMMON(args),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {
    "bert-fetch",
    "[OPTION ...] NAME",
    "Fetches a model or a data set from Hugging Face's hub.",
    "bert-fetch sentence-transformers/all-MiniLM-L6-v2",
    options,
};

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && *value != '\0' ? value : NULL;
}

/* Hugging Face's word for "open no connection". */
static bool is_offline(void)
{
	static const char *const yes[] = {"1", "on", "yes", "true"};
	const char *value = variable("HF_HUB_OFFLINE");
	size_t i;

	for (i = 0; value != NULL && i < sizeof(yes) / sizeof(yes[0]); i++)
		if (strcasecmp(value, yes[i]) == 0)
			return true;
	return false;
}

static void print(const struct args *a, const struct bt_hub_fetched *f)
{
	size_t i;

	if (!a->list && !a->dataset)
		puts(f->dir);
	for (i = 0; i < f->n; i++)
		if (a->list)
			printf("%" PRIu64 "\t%s\n", f->file[i].size,
			       f->file[i].name);
		else if (a->dataset)
			printf("%s/%s\n", f->dir, f->file[i].name);
}

static void summary(const struct args *a, const char *name,
                    const struct bt_hub_fetched *f)
{
	struct bt_log log = bt_tool_log(&tool, &a->common);
	double rate = f->seconds > 0 ? (double)f->fetched / f->seconds : 0;

	bt_log(&log, BT_LOG_NOTE, "'%s' at commit %s: %zu file%s, %.1f MB",
	       name, f->commit, f->n, bt_plural(f->n), (double)f->bytes / 1e6);
	if (!a->list && f->there == f->n)
		bt_log(&log, BT_LOG_NOTE, "all were here");
	else if (!a->list)
		bt_log(
		    &log, BT_LOG_NOTE,
		    "%.1f MB fetched in %.1f s (%.1f MB/s), %zu of the files "
		    "were here",
		    (double)f->fetched / 1e6, f->seconds, rate / 1e6, f->there);
}

/* What an adapter changes, which is looked for by its name. */
static void tell_base(const struct bt_log *log, const char *name,
                      const char *base)
{
	bool other = !bt_hub_is_name(base);

	if (!other && bt_path_is_dir(bt_hub_cache_find(base)))
		bt_log(log, BT_LOG_NOTE,
		       "'%s' is an adapter of the model '%s', which is here",
		       name, base);
	else
		bt_log_warn(log, "base-missing",
		            other ? BT_HINT_ADAPTER_BASE : BT_HINT_FETCH_BASE,
		            "'%s' is an adapter of the model '%s', which %s",
		            name, base,
		            other ? "is not one of the hub" : "is not here");
}

/* The model of the name, then what it changes if that is wanted. */
static int fetch(const struct args *a, struct bt_hub_job *job,
                 struct bt_hub_fetched *f, struct bt_error *err)
{
	struct bt_hub_fetched base = {0};
	const char *name = job->name;
	int r = bt_hub_fetch(job, f, err);

	if (r != BT_OK)
		return r;
	summary(a, name, f);
	if (f->base == NULL)
		return BT_OK;
	if (!a->base || !bt_hub_is_name(f->base)) {
		tell_base(job->log, name, f->base);
		return BT_OK;
	}
	job->name = f->base;
	job->revision = job->dir = NULL;
	r = bt_hub_fetch(job, &base, err);
	if (r == BT_OK)
		summary(a, job->name, &base);
	bt_hub_fetched_clear(&base);
	return r;
}

static int run(const struct args *a, const char *name)
{
	struct bt_log log = bt_tool_log(&tool, &a->common);
	struct bt_progress progress;
	struct bt_hub_job job = {
	    .name = name,
	    .dataset = a->dataset,
	    .patterns = a->include.item,
	    .n_patterns = (size_t)a->include.n,
	    .revision = a->revision,
	    .endpoint = variable("HF_ENDPOINT"),
	    .token = variable("HF_TOKEN"),
	    .dir = a->common.output,
	    .force = a->force,
	    .list = a->list,
	    .retries = (int)a->retries,
	    .timeout = (int)a->timeout,
	    .log = &log,
	    .progress = &progress,
	    .stopped = bt_tool_stopped,
	};
	struct bt_hub_fetched f = {0};
	struct bt_error err = {0};
	int status = BT_EXIT_DONE;

	bt_progress_init(&progress, stderr, a->common.quiet);
	bt_tool_catch_stop();
	if (fetch(a, &job, &f, &err) == BT_OK)
		print(a, &f);
	else
		status = bt_tool_fail(&tool, &err);
	bt_hub_fetched_clear(&f);
	return status;
}

int main(int argc, char **argv)
{
	struct args a = {.common = BT_COMMON_INIT, .retries = 5, .timeout = 30};
	int at, status = BT_EXIT_USAGE;

	if (!bt_tool_options(&tool, argc, argv, &a, &at, &status))
		return status;
	if (argc - at != 1)
		status =
		    bt_tool_misuse(&tool, "expected one NAME of a model or, "
		                          "with --dataset, of a data set");
	else if (a.force && a.common.output == NULL)
		status = bt_tool_misuse(&tool, "--force goes with -o");
	else if (bt_str_is(a.common.output, "-"))
		status = bt_tool_misuse(&tool, "-o: expected a directory, not "
		                               "the standard output");
	else if (a.list && a.common.output != NULL)
		status = bt_tool_misuse(&tool, "-o does not go with --list");
	else if (a.base && a.list)
		status =
		    bt_tool_misuse(&tool, "--base does not go with --list");
	else if (a.base && a.dataset)
		status =
		    bt_tool_misuse(&tool, "--base does not go with --dataset");
	else if (a.include.n > 0 && !a.dataset)
		status = bt_tool_misuse(&tool, "--include goes with --dataset");
	else if (is_offline())
		status = bt_tool_misuse(
		    &tool, "the environment variable HF_HUB_OFFLINE says that "
		           "no connection is to be opened");
	else
		status = run(&a, argv[at]);
	return bt_tool_end(&tool, status);
}
