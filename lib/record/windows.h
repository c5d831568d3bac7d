/* SPDX-License-Identifier: MIT */
/*
 * Windows of a text: token records that follow each other, with one id and the
 * numbers 0, 1, 2, ... Joined, they are one example.
 */
#ifndef BT_RECORD_WINDOWS_H
#define BT_RECORD_WINDOWS_H

#include "base/log.h"
#include "record/record.h"

enum bt_windows_join {
	BT_WINDOWS_EACH,  /* they are not joined */
	BT_WINDOWS_MEAN,  /* of what a model puts out for them */
	BT_WINDOWS_MAX,   /* the largest of each output */
	BT_WINDOWS_FIRST, /* the first one stands for the text */
	BT_WINDOWS_JOINS  /* their number */
};

/* The values of an option, and what one of them stands for; NULL: the mean. */
#define BT_WINDOWS_NAMES "mean|max|first|each"
enum bt_windows_join bt_windows_named(const char *name);
const char *bt_windows_name(enum bt_windows_join join);

/* Zero is before the first record. */
struct bt_windows {
	enum bt_windows_join join;
	bool within;    /* the last record was a window: */
	int64_t number; /* its number */
	bool has_id;
	struct bt_buf id;
	uint64_t texts, records; /* texts in windows, and their windows */
};

void bt_windows_clear(struct bt_windows *w);

/*
 * Takes the next record: 1, or 0 if it is to be left out. BT_EFORMAT,
 * with advice, if it is a window that does not follow the one before it, where
 * they are joined.
 */
int bt_windows_take(struct bt_windows *w, struct bt_token_rec *rec,
                    struct bt_error *err) BT_MUST_USE;

/* How tokens are divided into windows: each begins `step` tokens behind the one
 * before and has `keep`, the last one what is left. */
struct bt_windows_cut {
	size_t tokens, keep, step; /* step <= keep */
};

/* Whether window k is the first of those that show most around token p, which
 * is in it: the lesser of the tokens before and behind, and a hundredth of the
 * window's. */
bool bt_windows_show_most(const struct bt_windows_cut *c, size_t k, size_t p);

/* Says what became of the windows, of which `what` is joined ("logits"), if
 * some text had several. */
void bt_windows_tell(const struct bt_windows *w, const char *what,
                     const struct bt_log *log);

#endif
