/* SPDX-License-Identifier: MIT */
/*
 * The scores in a tokenizer.json, to the last bit as the package `tokenizers`
 * reads them: its digits as a whole number, rounded to a double, multiplied or
 * divided by a power of ten and rounded again. That is not always the nearest
 * double, and where two ways to cut a word have the same sum, the last bit
 * decides.
 */
#ifndef BT_TOKENIZER_FILE_JSON_SCORE_INT_H
#define BT_TOKENIZER_FILE_JSON_SCORE_INT_H

#include <stdbool.h>

/* Reads the JSON number at *p, behind which there is a byte that is not part of
 * it, and goes behind it; false where it is none, or too large. */
bool bt_json_score_read(const char **p, double *v);

/* What is read of the text that is written of the double v. */
double bt_json_score_reread(double v);

#endif
