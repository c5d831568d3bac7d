/* SPDX-License-Identifier: MIT */
/* What a run of create_finetuning_data.py is to make: its parts, each of files
 * that become one. */
#ifndef BT_GARDEN_FINETUNING_INT_H
#define BT_GARDEN_FINETUNING_INT_H

#include "garden/finetuning_data.h"
#include "record/label_map.h"
#include "record/labels.h"
#include "table/table.h"
#include "tokenize/job.h"

struct bt_finetuning_part {
	char key[32]; /* as the meta data name it: "train", "test=de" */
	char **paths;
	size_t n_paths, cap;
	char *output;
	/* columns; text NULL: those of the published data set */
	const char *text, *pair, *label, *id;
	bool jsonl;
	struct bt_table_where where; /* column.p NULL: all rows */
	const char *dummy; /* the label of all records; NULL: their own */
	bool number_of_id; /* example_id is the number in the id */

	struct bt_out *out; /* written, not yet there */
	uint64_t records;
};

struct bt_finetuning_plan {
	const struct bt_finetuning *f;
	bool squad;            /* one part: questions, not rows with labels */
	bool tagging;          /* words with labels */
	const char *processor; /* processor_type */
	const struct bt_published *published; /* or NULL */
	enum bt_label_type label_type;
	struct bt_labels labels;  /* of BT_LABEL_CLASS */
	struct bt_label_map *map; /* of labels, or NULL */
	struct bt_finetuning_part *part;
	size_t n, cap;
};

/* What f asks for. BT_EARG where that makes no sense. The plan is cleared by
 * the caller in any case. */
int bt_finetuning_plan(const struct bt_finetuning *f,
                       struct bt_finetuning_plan *plan,
                       struct bt_error *err) BT_MUST_USE;
void bt_finetuning_plan_clear(struct bt_finetuning_plan *plan);

/* A new part, whose output is made of template: "{}" in it becomes word, unless
 * that is NULL. */
struct bt_finetuning_part *bt_finetuning_part(struct bt_finetuning_plan *plan,
                                              const char *template,
                                              const char *word);

/* Adds DIR/PATTERN to its files, where each '*' of the pattern becomes word. */
void bt_finetuning_file(struct bt_finetuning_part *part, const char *dir,
                        const char *pattern, const char *word);

/* Adds a file as it is named. */
void bt_finetuning_path(struct bt_finetuning_part *part, const char *path);

/* The parts of a retrieval task. */
int bt_finetuning_retrieval(struct bt_finetuning_plan *plan,
                            struct bt_error *err) BT_MUST_USE;

/* The part of questions, what is written for it, and the meta data. */
int bt_finetuning_squad(struct bt_finetuning_plan *plan,
                        struct bt_error *err) BT_MUST_USE;
int bt_finetuning_squad_make(const struct bt_finetuning *f,
                             struct bt_finetuning_part *part,
                             const struct bt_tok *tok,
                             struct bt_error *err) BT_MUST_USE;
int bt_finetuning_squad_metadata(const struct bt_finetuning *f,
                                 uint64_t records,
                                 struct bt_error *err) BT_MUST_USE;

/* The parts of tagged words, what is written for them, and the meta data. */
int bt_finetuning_tagging(struct bt_finetuning_plan *plan,
                          struct bt_error *err) BT_MUST_USE;
int bt_finetuning_tagging_make(const struct bt_finetuning_plan *plan,
                               const struct bt_tok *tok,
                               struct bt_error *err) BT_MUST_USE;
int bt_finetuning_tagging_metadata(const struct bt_finetuning_plan *plan,
                                   struct bt_error *err) BT_MUST_USE;

static inline bool bt_finetuning_given(const char *s)
{
	return s != NULL && *s != '\0';
}

#endif
