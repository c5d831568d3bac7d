/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "base/sys.h"
#include "base/tool.h"
#include "dedup/minhash.h"
#include "dedup/record_store.h"
#include "io/out_set.h"
#include "io/summary_file.h"
#include "recordset/folds.h"
#include "recordset/job.h"

struct values {
	struct bt_common common;
	bool count, verify, json, from_json, stats, recover;
	struct bt_opt_maybe head, tail, expect;
	const char *slice;
	struct bt_opt_list where;
	bool shuffle, pairs;
	double near;
	int64_t shard, kfold;
	const char *split, *stratify, *dedupe, *leak;
	struct bt_opt_maybe memory;
	struct bt_opt_maybe max_bytes;
	int64_t zstd; /* 0: not compressed */
};

static const struct bt_opt options[] = {
    BT_GROUP("Selection"),
    BT_LIST(0, "where", "FIELD=VALUE",
            "only matching records, also <, <=, >, >=; repeat to require all",
            values, where),
    BT_MAYBE("head", "N", "only the first N records", values, head),
    BT_MAYBE("tail", "N", "only the last N records", values, tail),
    BT_STR(0, "slice", "A:B", "only records A to B-1, counted from 0", values,
           slice),
    BT_STR(0, "dedupe", "FIELD", "only the first record of each value", values,
           dedupe),
    BT_BARE(BT_OPT_REAL, "near", "LIKE",
            "with --dedupe: also drop similar texts [.8]", values, near,
            BT_MINHASH_MIN, 1, ".8"),
    BT_FLAG(0, "pairs", "with --near: print the pairs of similar texts", values,
            pairs),
    BT_GROUP("Order and splits"),
    BT_FLAG(0, "shuffle", "write records in random order", values, shuffle),
    BT_STR(0, "split", "NAME=SHARE,...", "divide records between several files",
           values, split),
    BT_STR(0, "stratify", "FIELD",
           "with --split or --kfold: keep FIELD's proportions", values,
           stratify),
    BT_INT(0, "kfold", "K", "write NAME-train-1, NAME-test-1 ... NAME-test-K",
           values, kfold, 2, BT_FOLDS_MAX),
    BT_INT(0, "shard", "N", "distribute records over NAME-00000-of-N ...",
           values, shard, 1, BT_OUT_SET_MAX),
    BT_SIZE("memory", "SIZE",
            "spill to $TMPDIR above SIZE [64M; shuffle: 512M]", values, memory),
    BT_GROUP("Information"),
    BT_FLAG(0, "count", "print the number of records", values, count),
    BT_FLAG(0, "stats", "print counts of labels and lengths", values, stats),
    BT_FLAG(0, "verify", "print the number of records and bytes", values,
            verify),
    BT_STR(0, "leak", "OTHER", "print texts that also occur in OTHER", values,
           leak),
    BT_MAYBE("expect", "N", "fail unless exactly N records are read", values,
             expect),
    BT_GROUP("Formats"),
    BT_FLAG(0, "json", "write records as JSON Lines", values, json),
    BT_FLAG(0, "from-json", "read JSON Lines in the form of --json", values,
            from_json),
    BT_FLAG(0, "recover", "skip damaged data with a warning", values, recover),
    BT_SIZE("max-bytes", "SIZE", "fail if the (uncompressed) input is longer",
            values, max_bytes),
    BT_BARE(BT_OPT_INT, "zstd", "LEVEL",
            "compress the output at level 1 to 19 [3]", values, zstd, 1,
            BT_OUT_ZSTD_MAX, "3"),
    BT_STR('o', "output", "FILE", "write to FILE [standard output]", values,
           common.output),
    BT_OPT_SUMMARY(values),
    BT_OPT_COMMON(values),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {
    "tfrecord-cat",
    "[OPTION ...] [RECORDS ...]",
    "Filters, shuffles, splits, counts and prints records.",
    "tfrecord-cat --where label=spam --head 100 -o some.tfrecord all.tfrecord",
    options,
};

/* The one thing that is written; -1 where several are asked for. */
static int what(const struct values *v)
{
	const bool asked[] = {
	    [BT_SINK_JSON] = v->json,         [BT_SINK_COUNT] = v->count,
	    [BT_SINK_VERIFY] = v->verify,     [BT_SINK_STATS] = v->stats,
	    [BT_SINK_LEAK] = v->leak != NULL, [BT_SINK_PAIRS] = v->pairs};
	int i, k = BT_SINK_RECORDS;

	for (i = 0; i < (int)(sizeof(asked) / sizeof(asked[0])); i++)
		if (asked[i])
			k = k == BT_SINK_RECORDS ? i : -1;
	return k;
}

static const char *wrong_output(const struct values *v, int put)
{
	const char *name = v->common.output;
	bool std = name == NULL || strcmp(name, "-") == 0;
	int divided = (v->shard > 0) + (v->split != NULL) + (v->kfold > 0);

	if (put < 0)
		return "--count, --verify, --stats, --leak, --pairs and --json "
		       "exclude each other";
	if (bt_sink_is_report((enum bt_sink_what)put) &&
	    (v->shuffle || divided))
		return "--shuffle, --shard, --split and --kfold write records";
	if (bt_sink_is_report((enum bt_sink_what)put) && v->zstd != 0)
		return "--zstd compresses records or --json, not a report";
	if (divided > 1)
		return "--shard, --split and --kfold exclude each other";
	if ((v->shard > 0 || v->kfold > 0) && std)
		return "--shard and --kfold need -o NAME";
	if (v->split != NULL && std && name != NULL)
		return "--split needs another name than '-'";
	return NULL;
}

/* What stands in the way of the options given, or NULL. */
static const char *wrong(const struct values *v, int put)
{
	if (v->head.given + v->tail.given + (v->slice != NULL) > 1)
		return "--head, --tail and --slice exclude each other";
	if ((v->kfold > 0 || v->split != NULL) && v->common.seed > UINT32_MAX)
		return "--split and --kfold need a --seed below 2^32";
	if ((v->leak != NULL || v->pairs) && v->tail.given)
		return "--tail goes neither with --leak nor with --pairs";
	if (v->near > 0 && v->dedupe == NULL)
		return "--near needs --dedupe";
	if (v->pairs && v->near == 0)
		return "--pairs needs --near";
	if (v->recover && v->from_json)
		return "--recover reads records, not --from-json";
	if (v->stratify != NULL && v->split == NULL && v->kfold == 0)
		return "--stratify needs --split or --kfold";
	if (v->memory.given && !v->shuffle && v->split == NULL &&
	    v->kfold == 0 && v->dedupe == NULL && v->leak == NULL)
		return "--memory has no effect without --shuffle, --split, "
		       "--kfold, --dedupe or --leak";
	return wrong_output(v, put);
}

/* "A:B", either of which may be missing. */
static int parse_slice(const char *s, uint64_t *from, uint64_t *to)
{
	const char *colon = strchr(s, ':');
	char first[32] = "0";

	if (colon == NULL || (size_t)(colon - s) >= sizeof(first))
		return BT_EARG;
	if (colon > s) {
		memcpy(first, s, (size_t)(colon - s));
		first[colon - s] = 0;
	}
	if (bt_parse_u64(first, from) != BT_OK ||
	    (colon[1] != 0 && bt_parse_u64(colon + 1, to) != BT_OK) ||
	    *from > *to)
		return BT_EARG;
	return BT_OK;
}

/* Makes what the library takes of what was given. */
static int translate(const struct values *v, struct bt_recordset_opts *o,
                     struct bt_error *err)
{
	int put = what(v);
	const char *no = wrong(v, put);

	if (no != NULL)
		return bt_error_set(err, BT_EARG, "%s", no);
	o->from.kind = v->from_json ? BT_INPUT_JSON
	               : v->recover ? BT_INPUT_RECOVER
	                            : BT_INPUT_RECORDS;
	o->from.log = o->log;
	o->from.ahead = bt_threads(v->common.threads) > 1;
	o->from.limited = v->max_bytes.given;
	o->from.max = v->max_bytes.n;
	o->counts = v->expect.given;
	o->expect = v->expect.n;
	o->choose.where = v->where.item;
	o->choose.n_where = v->where.n;
	o->choose.dedupe = v->pairs ? NULL : v->dedupe;
	o->choose.near = v->near;
	if (v->head.given)
		o->choose.to = v->head.n;
	if (v->slice != NULL &&
	    parse_slice(v->slice, &o->choose.from, &o->choose.to) != BT_OK)
		return bt_error_set(err, BT_EARG,
		                    "bad value '%s' for --slice: expected A:B "
		                    "with A not above B",
		                    v->slice);
	o->last = v->tail.given;
	o->tail = v->tail.n;
	o->shuffle = v->shuffle;
	o->split = v->split;
	o->shards = (int)v->shard;
	o->folds = (int)v->kfold;
	o->stratify = v->stratify;
	o->seed = v->common.seed;
	if (v->shuffle)
		o->memory = BT_RECORD_STORE_AT_RANDOM;
	if (v->memory.given)
		o->memory = o->choose.memory = o->put.memory = v->memory.n;
	o->put.what = (enum bt_sink_what)put;
	o->put.leak = v->leak;
	o->put.limited = v->max_bytes.given;
	o->put.max = v->max_bytes.n;
	o->put.field = v->dedupe;
	o->put.near = v->near;
	o->output = v->common.output;
	o->zstd = (int)v->zstd;
	o->threads = bt_threads(v->common.threads);
	return BT_OK;
}

static void summary(const struct bt_recordset_opts *o,
                    const struct bt_recordset_sum *sum)
{
	unsigned long long n = sum->count, found = sum->found;
	const char *s = bt_plural(n);

	bt_summary_count(o->log->summary, "records",
	                 o->folds > 0 ? n / (unsigned)o->folds : n);
	bt_summary_count(o->log->summary, "duplicates_dropped", sum->dropped);
	if (o->put.what == BT_SINK_LEAK || o->put.what == BT_SINK_PAIRS)
		bt_summary_count(o->log->summary, "found", found);
	if (o->put.what == BT_SINK_LEAK)
		bt_log(o->log, BT_LOG_NOTE,
		       "%llu of %llu record%s in '%s', too", found, n, s,
		       o->put.leak);
	else if (o->put.what == BT_SINK_PAIRS)
		bt_log(o->log, BT_LOG_NOTE, "%llu pair%s among %llu record%s",
		       found, bt_plural(found), n, s);
	else if (o->choose.dedupe != NULL)
		bt_log(o->log, BT_LOG_NOTE,
		       "%llu record%s; %llu dropped as duplicates", n, s,
		       (unsigned long long)sum->dropped);
	else if (o->folds > 0)
		bt_log(o->log, BT_LOG_NOTE, "%llu record%s in %d folds",
		       n / (unsigned)o->folds,
		       bt_plural(n / (unsigned)o->folds), o->folds);
	else if (!bt_sink_is_report(o->put.what))
		bt_log(o->log, BT_LOG_NOTE, "%llu record%s", n, s);
}

/* What is chosen is chosen first. */
static void warn_order(const struct values *v, const struct bt_log *log)
{
	if (v->shuffle && (v->head.given || v->tail.given || v->slice != NULL))
		bt_log_warn(
		    log, "not-random", BT_HINT_NONE,
		    "the records of %s are shuffled, not chosen at random: "
		    "for that, pipe the output of --shuffle into another "
		    "tfrecord-cat",
		    v->head.given   ? "--head"
		    : v->tail.given ? "--tail"
		                    : "--slice");
}

static int run(void *values, char *const *files, int n)
{
	const struct values *v = values;
	struct bt_log log = bt_tool_log(&tool, &v->common);
	struct bt_recordset_opts o = BT_RECORDSET_OPTS_INIT;
	struct bt_recordset_sum sum = {0};
	struct bt_error err = {0};
	int r, status;

	o.log = &log;
	r = translate(v, &o, &err);
	if (r == BT_OK) {
		warn_order(v, &log);
		r = bt_recordset(&o, files, n, &sum, &err);
	}
	if (r != BT_OK) {
		status = bt_tool_fail(&tool, &err);
		/* 1 is an answer of --leak */
		return v->leak != NULL ? BT_EXIT_USAGE : status;
	}
	summary(&o, &sum);
	return v->leak != NULL && sum.found > 0 ? BT_EXIT_FAILED : BT_EXIT_DONE;
}

static bool writes_records(const void *values)
{
	return what(values) == BT_SINK_RECORDS;
}

int main(int argc, char **argv)
{
	struct values v = {.common = BT_COMMON_INIT};

	return bt_summary_file_main(&tool, argc, argv, &v, &v.common, run,
	                            writes_records);
}
