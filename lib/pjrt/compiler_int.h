/* SPDX-License-Identifier: MIT */
/* A process that compiles, each program in a process of that one's, so that a
 * compiler that aborts ends none of ours. Several of them work beside each
 * other. */
#ifndef BT_PJRT_COMPILER_INT_H
#define BT_PJRT_COMPILER_INT_H

#include "pjrt/child_int.h"
#include "pjrt/pjrt.h"

struct bt_pjrt_compiler;

/* What a process compiles. */
struct bt_pjrt_job {
	const char *plugin; /* as bt_pjrt_open takes them */
	const struct bt_pjrt_options *o;
	const char *text;
	size_t len;
	struct bt_buf options; /* of CompileOptionsProto */
};

/* Starts it, before the plugin is loaded; NULL where that cannot be. work is
 * done with a job (pjrt/child_int.h) and puts the serialized program into its
 * output. */
struct bt_pjrt_compiler *
bt_pjrt_compiler_start(bt_pjrt_work *work, const char *plugin,
                       const struct bt_pjrt_options *o);
void bt_pjrt_compiler_stop(struct bt_pjrt_compiler *c); /* takes NULL */

struct bt_pjrt_task {
	const char *text;
	size_t len;
	const struct bt_buf *options;
};

/* What came of a task. begun is false where the failure is not the program's:
 * there is no client in that process. */
struct bt_pjrt_answer {
	size_t task;
	int code; /* BT_OK, or that of an error, */
	const char *why;
	bool begun;
	struct bt_buf *bytes; /* the serialized program */
};

/* Hears an answer, or NULL a few times a second; false: no more of them, and
 * what is being compiled ends. */
typedef bool bt_pjrt_hear(void *ctx, const struct bt_pjrt_answer *a);

/* Compiles n programs, `width` at most at a time in their order, and tells what
 * came of each when it is there. BT_EIO where the process is gone. */
int bt_pjrt_compiler_run(struct bt_pjrt_compiler *c,
                         const struct bt_pjrt_task *tasks, size_t n,
                         size_t width, bt_pjrt_hear *hear, void *ctx,
                         struct bt_error *err) BT_MUST_USE;

#endif
