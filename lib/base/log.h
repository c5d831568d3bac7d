/* SPDX-License-Identifier: MIT */
/*
 * Messages and progress. The library says what happens through a struct bt_log
 * that its caller fills in; where the words go is the caller's affair.
 */
#ifndef BT_BASE_LOG_H
#define BT_BASE_LOG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "base/summary.h"

enum bt_log_level {
	BT_LOG_WARN = 0, /* something the user should look at */
	BT_LOG_NOTE = 1, /* what a run did: its summary */
	BT_LOG_MORE = 2  /* details, with -v */
};

struct bt_log_line {
	enum bt_log_level level;
	const char *code; /* of a warning: a word for programs; else NULL */
	const char *text;
	enum bt_hint hint; /* what the user can do, or BT_HINT_NONE */
};

struct bt_log {
	void (*emit)(void *ctx, const struct bt_log_line *line); /* or NULL */
	void *ctx;
	enum bt_log_level level;    /* what lies above it is dropped */
	struct bt_summary *summary; /* gets warnings and facts; or NULL */
};

/* False where a line of that level would be dropped. */
bool bt_log_is_heard(const struct bt_log *log, enum bt_log_level level);

/* Where facts go that are logged in words, too; log may be NULL. */
static inline struct bt_summary *bt_log_summary(const struct bt_log *log)
{
	return log != NULL ? log->summary : NULL;
}

/* Formats one line (no newline), which is no warning, and emits it; log may be
 * NULL. */
void bt_log(const struct bt_log *log, enum bt_log_level level, const char *fmt,
            ...) BT_PRINTF(3, 4);

/* The same with a hint. */
void bt_log_hint(const struct bt_log *log, enum bt_log_level level,
                 enum bt_hint hint, const char *fmt, ...) BT_PRINTF(4, 5);

/* A warning. code is a word by which programs know it: bertutils-json(5) lists
 * them. */
void bt_log_warn(const struct bt_log *log, const char *code, enum bt_hint hint,
                 const char *fmt, ...) BT_PRINTF(4, 5);

/* A log whose lines go to another one, behind a note that says what they belong
 * to. Where there are no lines, nothing is said. Valid as long as both are. */
struct bt_log_headed {
	struct bt_log log;
	const struct bt_log *to;
	char heading[64]; /* "": was said */
};

/* to may be NULL. */
void bt_log_head(struct bt_log_headed *h, const struct bt_log *to,
                 const char *fmt, ...) BT_PRINTF(3, 4);

/*
 * A line that is written again and again on a terminal. Does nothing when the
 * stream is no terminal. At most about ten updates a second are shown. Where
 * the terminal is too narrow for all of it, it ends at a comma.
 */
struct bt_progress {
	FILE *to;     /* NULL: show nothing */
	double shown; /* time of the last update */
	int width;    /* columns written */
};

/* Uses `to` if it is a terminal and quiet is false. */
void bt_progress_init(struct bt_progress *p, FILE *to, bool quiet);

/* True when the next update would be shown: lets the caller save the work. */
bool bt_progress_due(struct bt_progress *p);

void bt_progress_show(struct bt_progress *p, const char *fmt, ...)
    BT_PRINTF(2, 3);

/* Wipes the line, so that other text can be printed. */
void bt_progress_clear(struct bt_progress *p);

#endif
