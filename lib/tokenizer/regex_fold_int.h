/* SPDX-License-Identifier: MIT */
/* Characters that are several others where case does not count, as U+00DF is
 * "ss": Oniguruma finds the one as the others, PCRE2 does not. */
#ifndef BT_TOKENIZER_REGEX_FOLD_INT_H
#define BT_TOKENIZER_REGEX_FOLD_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BT_REGEX_FOLDS_MAX 256

struct bt_folds {
	struct bt_fold {
		uint32_t c, first, second; /* of those that it is */
	} fold[BT_REGEX_FOLDS_MAX];
	size_t n; /* 0: not listed */
};

/* True if one of low .. high is several. */
bool bt_folds_have(struct bt_folds *f, uint32_t low, uint32_t high);

/* True if a and b begin what another character is. */
bool bt_folds_begin(struct bt_folds *f, uint32_t a, uint32_t b);

#endif
