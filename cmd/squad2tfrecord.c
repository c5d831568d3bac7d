/* SPDX-License-Identifier: MIT */
/* Turns questions that texts answer into text records. */
#include "base/str.h"
#include "base/sys.h"
#include "base/tool.h"
#include "io/duplicate_paths.h"
#include "io/out.h"
#include "io/summary_file.h"
#include "table/squad.h"

struct values {
	struct bt_common common;
	struct bt_squad_opts o;
	int64_t zstd; /* 0: not compressed */
};

static const struct bt_opt options[] = {
    BT_GROUP("Input and output"),
    BT_STR('o', "output", "FILE", "write to FILE [standard output]", values,
           common.output),
    BT_BARE(BT_OPT_INT, "zstd", "LEVEL",
            "compress the output at level 1 to 19 [3]", values, zstd, 1,
            BT_OUT_ZSTD_MAX, "3"),
    BT_OPT_SUMMARY(values),
    BT_GROUP("Answers"),
    BT_FLAG(0, "no-answers", "leave the answers out", values, o.no_answers),
    BT_FLAG(0, "realign",
            "move answers to the nearest place where their text stands", values,
            o.realign),
    BT_OPT_COMMON(values),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {
    "squad2tfrecord",
    "[OPTION ...] [FILE ...]",
    "Turns questions and the texts that answer them, in SQuAD's JSON, JSON "
    "Lines,\nParquet or CSV, into records.",
    "squad2tfrecord train-v1.1.json | bert-tokenize -m minilm -o train.rec",
    options,
};

static int convert(const struct values *v, char *const *files, int n,
                   const struct bt_log *log, struct bt_squad_stats *stats,
                   struct bt_error *err)
{
	struct bt_out *out;
	int r = bt_out_open(v->common.output, BT_OUT_RECORDS, &out, err);

	if (r != BT_OK)
		return r;
	if (v->zstd != 0)
		r = bt_out_zstd(out, (int)v->zstd,
		                bt_threads(v->common.threads), err);
	if (r == BT_OK)
		r = bt_squad_convert(files, n, &v->o, out, log, stats, err);
	return bt_out_end(out, r, err);
}

static void tell(const struct bt_squad_stats *s, const struct bt_log *log)
{
	struct bt_summary *sum = bt_log_summary(log);

	bt_summary_count(sum, "questions", s->questions);
	bt_summary_count(sum, "answered",
	                 s->questions - s->impossible - s->unknown);
	bt_summary_count(sum, "without_answer", s->impossible);
	bt_summary_count(sum, "unlabelled", s->unknown);
	bt_summary_count(sum, "answers_moved", s->realigned);
	if (s->realigned > 0)
		bt_log(log, BT_LOG_NOTE,
		       "%llu answer%s moved to where the text stands",
		       (unsigned long long)s->realigned,
		       bt_plural(s->realigned));
	if (s->repeated > 0)
		bt_log(log, BT_LOG_NOTE,
		       "%llu answer%s without an answer_start, and more than "
		       "once in the context: the first place is taken",
		       (unsigned long long)s->repeated, bt_plural(s->repeated));
	bt_log(log, BT_LOG_NOTE,
	       "%llu question%s: %llu answered, %llu without an answer in the "
	       "context, %llu unlabelled",
	       (unsigned long long)s->questions, bt_plural(s->questions),
	       (unsigned long long)(s->questions - s->impossible - s->unknown),
	       (unsigned long long)s->impossible,
	       (unsigned long long)s->unknown);
}

static int run(void *values, char *const *files, int n)
{
	const struct values *v = values;
	struct bt_log log = bt_tool_log(&tool, &v->common);
	struct bt_squad_stats stats = {0};
	struct bt_error err = {0};
	int r;

	if (v->o.no_answers && v->o.realign)
		return bt_tool_misuse(&tool,
		                      "give either --no-answers or --realign");
	if (bt_out_spare(v->common.output, files, n, &err) != BT_OK)
		return bt_tool_misuse(&tool, "%s", err.text);
	r = bt_duplicate_paths(files, n, &log, &err);
	if (r == BT_OK)
		r = convert(v, files, n, &log, &stats, &err);
	if (r != BT_OK)
		return bt_tool_fail(&tool, &err);
	tell(&stats, &log);
	return BT_EXIT_DONE;
}

int main(int argc, char **argv)
{
	struct values v = {.common = BT_COMMON_INIT};

	return bt_summary_file_main(&tool, argc, argv, &v, &v.common, run,
	                            NULL);
}
