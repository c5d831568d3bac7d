/* SPDX-License-Identifier: MIT */
/* The options of bert-predict. */
#ifndef BERT_PREDICT_OPTIONS_H
#define BERT_PREDICT_OPTIONS_H

#include "base/opt.h"
#include "evaluate/prediction_output.h"
#include "finetune/contributions.h"
#include "record/entities.h"

struct args {
	struct bt_common common;
	struct bt_opt_list model, adapter, files;
	const char *dtype, *gemm, *device, *format, *embed, *delimiter, *extra,
	    *with, *windows, *scheme, *dialect, *weights, *task;
	struct bt_predict_opts p;
	int64_t top, expect, steps, replicas, truncate_dim;
	bool profile, normalize, fill, sets, ranks;
	struct bt_explain_opts explain; /* its baseline by name: */
	const char *baseline;
	bool explains;
	bool standard_format; /* none was asked for */
	bool json_name;       /* but by a name that ends in .json */
	const char *nbest, *null_odds;
	double null_threshold;    /* NaN: not given */
	int64_t max_answer, best; /* 0: not given */
};

static const struct bt_opt options[] = {
    BT_GROUP("Input and output"),
    BT_LIST('m', "model", "DIR", "trained model or encoder; repeat to average",
            args, model),
    BT_LIST(0, "adapter", "DIR", "adapter that changes it; repeat to average",
            args, adapter),
    BT_LIST(0, "predictions", "FILE",
            "write these instead of a model's; repeat to average", args, files),
    BT_STR(0, "task", "classification|multilabel|ranking|regression",
           "what --predictions predict [as the first says]", args, task),
    BT_STR(0, "weights", "W,...", "weights of the files in the mean", args,
           weights),
    BT_FLAG(0, "ranks", "average their ranks, not probabilities or numbers",
            args, ranks),
    BT_STR('o', "output", "FILE", "write to FILE [standard output]", args,
           common.output),
    BT_OPT_SUMMARY(args),
    BT_STR(0, "format", "conll|csv|json|jsonl|npy|tensor|tfrecord|tsv",
           "output format [the name's ending, else csv, conll or json]", args,
           format),
    BT_INT(0, "expect", "N", "fail unless there are exactly N records", args,
           expect, 1, 1e15),
    BT_STR(0, "with", "FIELD,...",
           "also write these fields of the records, behind the id", args, with),
    BT_STR(0, "windows", BT_WINDOWS_NAMES,
           "how to join the windows of a text [mean]", args, windows),
    BT_GROUP("Labels"),
    BT_FLAG(0, "proba", "add the probability of every class", args, p.proba),
    BT_INT(0, "top", "K", "give the K most likely classes", args, top, 1, 1e6),
    BT_STR(0, "threshold", "X|LABEL=X,...|MIN..MAX",
           "lowest probability of a label [.5]; scores of numbers", args,
           p.threshold),
    BT_REAL(0, "min-proba", "P",
            "give no label where the likeliest is less probable", args,
            p.min_proba, 0, 1),
    BT_STR(0, "rejected", "LABEL", "label to give there [none]", args,
           p.rejected),
    BT_FLAG(0, "sets", "add the set of labels of bert-eval --coverage", args,
            sets),
    BT_STR(0, "label-separator", "S",
           "separator between several labels [a space]", args, p.separator),
    BT_STR(0, "map-label", "A=B,...", "write label A as B", args, p.map),
    BT_STR(0, "scheme", BT_ENTITY_SCHEMES,
           "tagging: predict only tags that follow this scheme", args, scheme),
    BT_GROUP("Submissions"),
    BT_STR(0, "sample", "FILE", "fill in this sample submission, checking ids",
           args, p.sample),
    BT_STR(0, "sample-id", "COL", "its id column, or none [id, or the first]",
           args, p.sample_id),
    BT_STR(0, "sample-missing", "VALUE", "for rows without a prediction [fail]",
           args, p.sample_missing),
    BT_STR(0, "sample-extra", "fail|ignore",
           "predictions whose id the sample lacks [fail]", args, extra),
    BT_FLAG(0, "sample-order", "match the sample's rows to records by order",
            args, p.sample_order),
    BT_GROUP("CSV"),
    BT_STR(0, "header", "ID,LABEL", "column names [id,label]", args, p.header),
    BT_STR(0, "delimiter", "C", "a " BT_CSV_DELIMITERS, args, delimiter),
    BT_GROUP("Questions"),
    BT_STR(0, "nbest", "FILE", "write the best answers to each to FILE", args,
           nbest),
    BT_STR(0, "null-odds", "FILE",
           "write the null odds of each question to FILE", args, null_odds),
    BT_REAL(0, "null-threshold", "X",
            "no answer where these odds are higher [0 with --null-odds]", args,
            null_threshold, -1e300, 1e300),
    BT_INT(0, "max-answer", "N", "most tokens of an answer [30]", args,
           max_answer, 1, 1e6),
    BT_INT(0, "n-best", "N",
           "answers to keep, tokens to begin and end them [20]", args, best, 1,
           1000),
    BT_STR(0, "dialect", "hf|google",
           "find answers as transformers or as BERT's run_squad do [hf]", args,
           dialect),
    BT_GROUP("Masks"),
    BT_FLAG(0, "fill-mask", "tell the tokens that masks in the texts stand for",
            args, fill),
    BT_GROUP("Explanations"),
    BT_FLAG(0, "explain", "write what each word contributed to a prediction",
            args, explains),
    BT_STR(0, "explain-class", "LABEL",
           "explain this class [the predicted one]", args, explain.label),
    BT_INT(0, "explain-steps", "N", "points of the integral [50]", args, steps,
           1, BT_CONTRIBUTIONS_MOST_STEPS),
    BT_STR(0, "explain-baseline", BT_EXPLAIN_BASELINES,
           "what words are compared with [mask]", args, baseline),
    BT_FLAG(0, "explain-special", "list special tokens, too", args,
            explain.special),
    BT_GROUP("Embeddings"),
    BT_BARE(BT_OPT_STR, "embed", "auto|cls|mean|max",
            "write embeddings instead of labels; auto: as modules.json says",
            args, embed, 0, 0, "auto"),
    BT_FLAG(0, "normalize", "scale embeddings to length 1", args, normalize),
    BT_INT(0, "truncate-dim", "N", "keep the first N values of embeddings",
           args, truncate_dim, 1, 1e6),
    BT_GROUP("Speed"),
    BT_STR(0, "dtype", "auto|f32|bf16|int8", "type of matrix products [auto]",
           args, dtype),
    BT_STR(0, "device", "NAME|FILE|list",
           "compute on a device, by this PJRT plugin; list: tell all devices",
           args, device),
    BT_INT(0, "replicas", "N", "devices to use [1]", args, replicas, 1, 4096),
    BT_STR(0, "gemm", BT_GEMM_NAMES,
           "library for matrix products [the fastest]", args, gemm),
    BT_FLAG(0, "profile", "print where the time goes", args, profile),
    BT_OPT_COMMON(args),
    BT_OPT_LAST,
};

#endif
