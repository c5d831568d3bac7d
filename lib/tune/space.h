/* SPDX-License-Identifier: MIT */
/*
 * Settings that a search may change, and which values they take.
 *
 * Values are drawn by a quasi-random sequence, which covers the ranges more
 * evenly than independent numbers do [M. Roberts 2018, "The Unreasonable
 * Effectiveness of Quasirandom Sequences"]: of d settings, setting k of draw
 * j = 0, 1, ... has the place
 *	u = frac(s_k + (j + 1) / g^(k + 1)), g > 1 the root of g^(d+1) = g + 1
 * where s_k is a random number of the seed. Of n listed values it is number
 * floor(u n); between A and B it is A + u (B - A) or, where 10 A <= B and A is
 * above 0, A (B / A)^u, with two significant digits. Whole numbers are drawn
 * where A and B are whole and more than 1 apart.
 */
#ifndef BT_TUNE_SPACE_H
#define BT_TUNE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define BT_TUNE_VALUE 64 /* bytes of a value, with its NUL */

struct bt_tune_setting {
	char name[BT_TUNE_VALUE];
	char (*value)[BT_TUNE_VALUE]; /* [n] those listed, or both ends */
	size_t n;
	bool range, whole, powers; /* between lo and hi */
	double lo, hi;
};

struct bt_tune_space {
	struct bt_tune_setting *setting; /* [n] */
	size_t n, cap;
	double root; /* g; 0: not known yet */
};

/* Adds what "NAME=A..B" or "NAME=VALUE,VALUE..." says to the space, which is
 * zero before the first. BT_EARG for a text that is neither, an empty range, a
 * single value, or a name that was there before. */
int bt_tune_space_add(struct bt_tune_space *s, const char *text,
                      struct bt_error *err) BT_MUST_USE;
void bt_tune_space_clear(struct bt_tune_space *s);

/* Sets value [s->n] to draw j of the sequence. */
void bt_tune_space_draw(struct bt_tune_space *s, uint64_t seed, uint64_t j,
                        char (*value)[BT_TUNE_VALUE]);

#endif
