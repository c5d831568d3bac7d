/* SPDX-License-Identifier: MIT */
/* The options of bert-eval. */
#ifndef BERT_EVAL_OPTIONS_H
#define BERT_EVAL_OPTIONS_H

#include "base/opt.h"
#include "evaluate/evaluation_page.h"
#include "evaluate/tune_threshold.h"
#include "record/entities.h"

struct args {
	struct bt_common common;
	struct bt_opt_list model, adapter, predictions;
	const char *task, *separator, *null_odds, *dialect;
	const char *dtype, *gemm, *device, *threshold, *windows, *scheme;
	struct bt_answers_opts answers;
	bool json, profile;
	int64_t expect, replicas, truncate_dim; /* 0: not given */
	struct bt_opt_list min, by;
	struct bt_minimum *minimum; /* [min.n] */
	int64_t errors;             /* 0: none */
	const char *compare, *leak;
	const char *rank_by; /* the feature of a query, or NULL */
	int64_t rank_at;     /* 0: not given */
	const char *issues,
	    *html;        /* files of label issues, of a page; or NULL */
	bool each;        /* token is masked */
	const char *tune; /* what to tune thresholds for, or NULL: */
	struct bt_threshold_goal goal;
	const char *calibrate; /* how, or NULL */
	bool ci;
	int64_t samples; /* 0: not given */
	const char *group_by;
	double coverage, agreement; /* 0: not given */
	const char *sets;           /* by which scores, or NULL */
};

static const struct bt_opt options[] = {
    BT_GROUP("Input and output"),
    BT_LIST('m', "model", "DIR", "trained model; repeat to average", args,
            model),
    BT_LIST(0, "adapter", "DIR", "adapter that changes it; repeat to average",
            args, adapter),
    BT_LIST(0, "predictions", "FILE",
            "score this file, not a model; repeat to average", args,
            predictions),
    BT_STR(0, "task", "classification|multilabel|ranking|regression",
           "what --predictions predict [as they say, or the first label]", args,
           task),
    BT_STR(0, "label-separator", "S",
           "between several labels in --predictions [a space]", args,
           separator),
    BT_STR('o', "output", "FILE", "write to FILE [standard output]", args,
           common.output),
    BT_FLAG(0, "json", "print JSON, with the full confusion matrix", args,
            json),
    BT_STR(0, "html", "FILE", "also write a page with pictures to FILE", args,
           html),
    BT_INT(0, "expect", "N", "fail unless there are exactly N records", args,
           expect, 1, 1e15),
    BT_STR(0, "windows", BT_WINDOWS_NAMES,
           "how to join the windows of a text [mean]", args, windows),
    BT_STR(0, "strict", BT_ENTITY_SCHEMES,
           "tagging: count only entities that follow this scheme", args,
           scheme),
    BT_GROUP("Reports"),
    BT_LIST(0, "by", "FIELD", "also report metrics for each value of a feature",
            args, by),
    BT_STR(0, "rank-by", "FIELD",
           "also rank records that share a feature's value: MRR, NDCG", args,
           rank_by),
    BT_INT(0, "rank-at", "K", "candidates that MRR and NDCG look at [10]", args,
           rank_at, 1, 1e6),
    BT_INT(0, "errors", "N", "list the N examples with the highest loss", args,
           errors, 1, 1e9),
    BT_STR(0, "compare", "DIR",
           "compare with a second model on the same records", args, compare),
    BT_STR(0, "label-issues", "FILE",
           "write the records whose labels are probably wrong to FILE", args,
           issues),
    BT_STR(0, "leak", "FILE",
           "count texts that occur in these records, or nearly", args, leak),
    BT_FLAG(0, "ci", "print 95 % confidence intervals of all metrics", args,
            ci),
    BT_INT(0, "ci-samples", "N", "samples that they are made of [1000]", args,
           samples, 20, 1e6),
    BT_STR(0, "ci-group", "FIELD",
           "draw records with the same value of a feature together", args,
           group_by),
    BT_FLAG(0, "pseudo-perplexity",
            "masked-lm: mask each token by itself, not 15 % of them", args,
            each),
    BT_INT(0, "truncate-dim", "N",
           "embedding: compare the first N values of embeddings", args,
           truncate_dim, 1, 1e6),
    BT_GROUP("Thresholds"),
    BT_LIST(0, "min", "METRIC=VALUE",
            "exit 1 if the metric is worse than VALUE", args, min),
    BT_STR(0, "threshold", "X|LABEL=X,...|MIN..MAX",
           "lowest probability of a label [.5]; scores of numbers", args,
           threshold),
    BT_STR(0, "tune-threshold", "GOAL",
           "write thresholds for f1, recall=X, precision=X, qwk to -o FILE",
           args, tune),
    BT_GROUP("Probabilities"),
    BT_STR(0, "calibrate", "temperature|vector",
           "fit the probabilities to these records, and keep it in -m DIR",
           args, calibrate),
    BT_REAL(0, "coverage", "SHARE",
            "find sets of labels that have the true one so often, and keep it",
            args, coverage, 1e-6, 1 - 1e-6),
    BT_STR(0, "set-method", BT_LABEL_SETS_METHODS,
           "scores of labels for --coverage [lac]", args, sets),
    BT_GROUP("Questions"),
    BT_STR(0, "null-odds", "FILE",
           "odds of --predictions that questions have no answer", args,
           null_odds),
    BT_REAL(0, "null-threshold", "X",
            "questions with higher null odds count as unanswered [1]", args,
            answers.null_threshold, -1e300, 1e300),
    BT_STR(0, "dialect", "hf|google",
           "find answers as transformers or as BERT's run_squad do [hf]", args,
           dialect),
    BT_STR(0, "language", BT_SQUAD_LANGUAGE_NAMES,
           "compare answers as MLQA does [as SQuAD does]", args,
           answers.language),
    BT_GROUP("Speed"),
    BT_STR(0, "dtype", "auto|f32|bf16|int8", "type of matrix products [auto]",
           args, dtype),
    BT_STR(0, "gemm", BT_GEMM_NAMES,
           "library for matrix products [the fastest]", args, gemm),
    BT_STR(0, "device", "NAME|FILE|list",
           "compute on a device, by this PJRT plugin; list: tell all devices",
           args, device),
    BT_INT(0, "replicas", "N", "devices to use [1]", args, replicas, 1, 4096),
    BT_REAL(0, "min-agreement", "X",
            "exit 1 if --dtype int8 predicts the same less often, and keep it",
            args, agreement, 1e-6, 1),
    BT_FLAG(0, "profile", "print where the time goes", args, profile),
    BT_OPT_COMMON(args),
    BT_OPT_LAST,
};

#endif
