/* SPDX-License-Identifier: MIT */
/*
 * Errors of the library. A function that can fail returns 0 or a negative
 * enum bt_err and, given a struct bt_error, leaves in it a text that says where
 * and what ("record 17: checksum differs"). The library never prints it and
 * never exits: the programs in cmd/ do.
 *
 * Outputs of a failed call are not set. A struct bt_error keeps the first error
 * that was put into it, so clean-up code cannot hide the cause.
 */
#ifndef BT_BASE_ERR_H
#define BT_BASE_ERR_H

#include <stddef.h>
#include <stdint.h>

#include "base/hint.h"

#if defined(__GNUC__)
#define BT_MUST_USE __attribute__((warn_unused_result))
#define BT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define BT_MUST_USE
#define BT_PRINTF(fmt, args)
#endif

enum bt_err {
	BT_OK = 0,
	BT_ENOMEM = -1,     /* out of memory */
	BT_EIO = -2,        /* the system refused a read, write, open, rename */
	BT_ETRUNCATED = -3, /* the input ends inside something */
	BT_ECORRUPT = -4,   /* a checksum or an invariant of a format fails */
	BT_EFORMAT = -5,    /* well-formed, but not what was expected */
	BT_ELIMIT = -6,     /* larger than a stated limit */
	BT_EARG = -7,       /* the caller's argument makes no sense: of a tool,
	                     * wrong usage */
	BT_ECANCEL = -8,    /* stopped on request */
	BT_EREMOTE = -9     /* an address in place of a path (io/url.h) */
};

struct bt_error {
	int code;          /* 0 or the first enum bt_err set */
	enum bt_hint hint; /* what the user can do about it, or BT_HINT_NONE */
	char text[504];
};

/* Sets code and text unless an error is already there. err may be NULL.
 * Returns code. */
int bt_error_set(struct bt_error *err, int code, const char *fmt, ...)
    BT_PRINTF(3, 4);

/* As bt_error_set, followed by ": " and the text of errnum; the code is
 * BT_ENOMEM for ENOMEM, else BT_EIO. */
int bt_error_sys(struct bt_error *err, int errnum, const char *fmt, ...)
    BT_PRINTF(3, 4);

/* Puts "fmt: " before the text that err already has. Returns err's code, or
 * BT_EIO if err is NULL: what failed stays a failure. */
int bt_error_prefix(struct bt_error *err, const char *fmt, ...) BT_PRINTF(2, 3);

/* Attaches a hint to the error that err holds, unless it has one. Use it around
 * bt_error_set: return bt_error_hint(err, BT_HINT_X, bt_error_set(err, ...));
 * Returns code. */
int bt_error_hint(struct bt_error *err, enum bt_hint hint, int code);

/* Reports that memory ran out while doing what ("reading labels"). */
int bt_error_nomem(struct bt_error *err, const char *what);

/* A word for a code: "format". */
const char *bt_error_word(int code);

/* Where an error lies. Its text says so in one form, "cannot read 'x.csv':
 * record 3 (line 4): ...", "cannot find column 'a' in 'x.csv'", "'x.json':
 * ..." or, where it is not about the command line (BT_EARG), "'x.json' holds
 * ...", of which this is made. */
struct bt_error_place {
	char file[504];        /* "" where there is none: standard input */
	uint64_t record, line; /* from 1; 0 where there is none */
};

void bt_error_place(int code, const char *text, struct bt_error_place *place);

/* Forgets the error. */
void bt_error_clear(struct bt_error *err);

/* Makes '?' of what would steer a terminal: messages quote what stands in
 * files. */
void bt_printable(char *text);

#endif
