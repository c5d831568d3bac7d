/* SPDX-License-Identifier: MIT */
/*
 * Strict parsers for numbers given by people: the whole string must be the
 * number, no leading blanks, no trailing text, within the range. They return 0
 * or BT_EARG and leave *out alone on failure.
 */
#ifndef BT_BASE_NUM_H
#define BT_BASE_NUM_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

int bt_parse_i64(const char *s, int64_t lo, int64_t hi,
                 int64_t *out) BT_MUST_USE;
int bt_parse_u64(const char *s, uint64_t *out) BT_MUST_USE;

/* Decimal or exponent form; finite. "0x" forms, "inf" and "nan" are refused. */
int bt_parse_f64(const char *s, double lo, double hi, double *out) BT_MUST_USE;

/* The n weights of a list with commas, from 0 to 1e100 and not all 0, scaled
 * by a power of two: only their ratios matter. item is what each is for. */
int bt_parse_weights(const char *s, size_t n, const char *item, double *weights,
                     struct bt_error *err) BT_MUST_USE;

/* Bytes: a number that may end in K, M, G or T (powers of 1024). */
int bt_parse_bytes(const char *s, size_t *out) BT_MUST_USE;

/* The number of four hexadecimal digits, as behind JSON's "\\u"; -1: they are
 * none. */
int bt_parse_hex4(const char *s);

/* The shortest decimal text that reads back as the same value; returns its
 * length. size should be 32. */
int bt_format_f32(char *s, size_t size, float v);
int bt_format_f64(char *s, size_t size, double v);

#endif
