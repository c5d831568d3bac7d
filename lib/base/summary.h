/* SPDX-License-Identifier: MIT */
/*
 * What a run did and what went wrong, as JSON for scripts: bertutils-json(5)
 * lists the keys. The library adds facts where it logs them in words
 * (log->summary); the programs write the whole (io/summary_file.h).
 */
#ifndef BT_BASE_SUMMARY_H
#define BT_BASE_SUMMARY_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct bt_summary {
	struct bt_buf facts;    /* ,"key":value ... */
	struct bt_buf warnings; /* ,{...},{...} */
	int depth;              /* objects that are open in facts */
};

/* Each adds a member. s may be NULL: nobody asked. */
void bt_summary_count(struct bt_summary *s, const char *key, uint64_t n);
void bt_summary_real(struct bt_summary *s, const char *key, double v);
void bt_summary_text(struct bt_summary *s, const char *key, const char *text);

/* The members that follow belong to an object under that key. */
void bt_summary_open(struct bt_summary *s, const char *key);
void bt_summary_close(struct bt_summary *s);

/* A message as an object on a line of its own: who says it, its level, a word
 * for programs or NULL, what is wrong, and what can be done, if anything. The
 * place of an error is put as well. */
void bt_summary_put_line(struct bt_buf *b, const char *tool, const char *level,
                         const char *code, const char *text, enum bt_hint hint);

/* Adds a warning. */
void bt_summary_warn(struct bt_summary *s, const char *code, const char *text,
                     enum bt_hint hint);

/* The whole as an object of one line: the program and its version, how it
 * ended, how long it took, the facts, the warnings, and the error, if any. */
void bt_summary_print(const struct bt_summary *s, const char *tool, int status,
                      double seconds, const struct bt_error *err,
                      struct bt_buf *out);

#endif
