/* SPDX-License-Identifier: MIT */
/* What was meant by a name that is not known. */
#ifndef BT_BASE_SUGGEST_H
#define BT_BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hint.h"

#define BT_SUGGEST_LONGEST 64 /* bytes of a name that is compared */

/*
 * How many characters to put in, take out, change or swap with the next one
 * make b of a, each place being edited once (Damerau and Levenshtein's distance
 * as optimal string alignment). b has at most BT_SUGGEST_LONGEST bytes.
 */
size_t bt_suggest_distance(const char *a, const char *b);

/*
 * Whether a name of another program's option is likely this option of ours:
 * all of our words are among its ("num_train_epochs" and "epochs"), or it is
 * their first letters ("lr" and "learning-rate"). Words end at '-' and '_'.
 */
bool bt_suggest_words(const char *ours, const char *theirs);

/* What other programs call an option: Hugging Face's Trainer, Model Garden,
 * Keras and what is usual beside them. */
struct bt_suggest_known {
	const char *ours;     /* a value may follow, "dtype bf16"; or NULL */
	const char *theirs;   /* names, with a blank between two */
	enum bt_hint instead; /* where no option is ours; or BT_HINT_NONE */
};

/* The first row of the table behind another (NULL: of all) that has theirs,
 * with '_' as '-' and in small letters or not; NULL: no more. */
const struct bt_suggest_known *
bt_suggest_known_next(const struct bt_suggest_known *behind,
                      const char *theirs);

#endif
