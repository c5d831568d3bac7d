/* SPDX-License-Identifier: MIT */
/*
 * What an evaluation tells beside a model's measures: the examples that it was
 * most wrong about, its measures for each value of features, how well it ranks,
 * and how another model does on the same records.
 */
#ifndef BT_EVALUATE_REPORT_H
#define BT_EVALUATE_REPORT_H

#include "evaluate/by_feature.h"
#include "evaluate/groups.h"
#include "evaluate/label_issues.h"
#include "evaluate/leaks.h"
#include "evaluate/model_comparison.h"
#include "evaluate/ranking.h"
#include "evaluate/top_losses.h"
#include "finetune/predict_stream.h"

struct bt_report_opts {
	size_t errors;         /* so many examples, or 0 */
	const char *const *by; /* [n_by] features; borrowed */
	size_t n_by;
	const char *rank_by; /* the feature of a query, borrowed; or NULL */
	size_t rank_top;     /* candidates of a query that count */
	struct bt_groups *groups; /* borrowed; looks at records; or NULL */
	const char *compare;      /* the other model's directory, or NULL */
	struct bt_label_issues *issues; /* borrowed; looks at records, too; or
	                                 * NULL */
	const char *leak; /* a file of records to compare texts with, or NULL */
};

/* Where both texts of an example stand in those of its block. */
struct bt_report_record {
	uint64_t number;
	bool has[2];
	size_t at[2], len[2];
};

/* Zero is none. */
struct bt_report {
	struct bt_report_opts o;
	struct bt_top_losses *worst;  /* or NULL */
	struct bt_by_feature **group; /* [o.n_by] */
	struct bt_ranking *ranking;   /* or NULL */
	struct bt_comparison paired;
	struct bt_leaks *leaks;          /* or NULL */
	struct bt_report_record *record; /* of each example of a block */
	size_t record_cap;
	struct bt_buf texts; /* of the block, those that records have */
};

/* Lets a stream that is to be opened with *s serve d. */
void bt_report_ask(struct bt_report *d, const struct bt_report_opts *o,
                   struct bt_predict_stream_opts *s);

/* After it was opened: like, borrowed, is of the kind of the model's measures,
 * and set. tok, borrowed, is the model's tokenizer, which opts.leak needs. */
int bt_report_init(struct bt_report *d, const struct bt_metrics *like,
                   const struct bt_answer_form *form,
                   const struct bt_labels *labels, const struct bt_tok *tok,
                   struct bt_error *err) BT_MUST_USE;
void bt_report_clear(struct bt_report *d);

/* The answer to example k, which has a label, or the answers of both models. */
int bt_report_add(struct bt_report *d, const struct bt_dataset *block, size_t k,
                  const float *answers, struct bt_error *err) BT_MUST_USE;

/* Appends to the report of m; adds members to its JSON: 0, or -1 when out of
 * memory. */
void bt_report_print(struct bt_report *d, const struct bt_predict_stream *s,
                     const struct bt_metrics *m, struct bt_buf *out);
int bt_report_json(struct bt_report *d, const struct bt_predict_stream *s,
                   const struct bt_metrics *m, json_t *o);

#endif
