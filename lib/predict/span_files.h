/* SPDX-License-Identifier: MIT */
/*
 * Files of answers to questions: as SQuAD has them, a JSON object of texts by
 * id, of the best answers to each and of the null odds, to the byte as Python
 * writes them with an indent of four; CSV (id, answer); or JSON Lines with the
 * place of each answer in code points.
 */
#ifndef BT_PREDICT_SPAN_FILES_H
#define BT_PREDICT_SPAN_FILES_H

#include "base/log.h"
#include "io/out.h"
#include "predict/questions.h"

enum bt_span_format { BT_SPAN_JSON, BT_SPAN_JSONL, BT_SPAN_CSV };

struct bt_span_files_opts {
	enum bt_span_format format;
	const char *header; /* of CSV: names of id and answer; or NULL */
	char delimiter;     /* of CSV; 0: a comma */
	const char *output; /* path of out, or NULL */
	const char *nbest, *null_odds; /* paths; NULL: not written */
	double null_threshold; /* NaN: 0 with null_odds, else questions have an
	                        * answer */
	int64_t max_answer;    /* tokens of an answer; 0: BT_SPANS_LONGEST */
	int64_t best; /* answers to each, and tokens of each window, of which
	               * they are made; 0: BT_SPANS_BEST */
	const struct bt_tok *google; /* as bt_spans_opts has it */
};

struct bt_span_files {
	struct bt_span_files_opts o;
	struct bt_span column[2]; /* of CSV, their names */
	bool may_lack;            /* questions may have no answer */
	struct bt_out *out, *nbest, *null_odds;
	struct bt_questions questions; /* look and add are its own */
	uint64_t n, lacking;  /* questions, and those without an answer */
	bool named, numbered; /* some had an id, or none */
	struct bt_buf row;    /* scratch */
};

/* out is borrowed; the other files appear when they are closed. f is not to be
 * moved. */
int bt_span_files_open(struct bt_span_files *f,
                       const struct bt_span_files_opts *o, struct bt_out *out,
                       struct bt_error *err) BT_MUST_USE;
void bt_span_files_clear(struct bt_span_files *f);

/* The last question, and the ends of the files. */
int bt_span_files_finish(struct bt_span_files *f,
                         struct bt_error *err) BT_MUST_USE;

/* Closes the other files, or abandons them if r is an error, which is returned.
 */
int bt_span_files_close(struct bt_span_files *f, int r,
                        struct bt_error *err) BT_MUST_USE;

/* Says how many questions there were. */
void bt_span_files_tell(const struct bt_span_files *f,
                        const struct bt_log *log);

#endif
