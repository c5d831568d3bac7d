/* SPDX-License-Identifier: MIT */
/*
 * What the main function of every program does around its work. This is the one
 * place of the library that writes to standard output and standard error, on
 * behalf of the programs in cmd/.
 *
 * With BT_MESSAGES=json in the environment each message is a line of JSON
 * (bertutils-json(5)).
 *
 * Exit status: 0 done, 1 failed, 2 wrong usage.
 */
#ifndef BT_BASE_TOOL_H
#define BT_BASE_TOOL_H

#include "base/log.h"
#include "base/opt.h"

enum bt_exit { BT_EXIT_DONE = 0, BT_EXIT_FAILED = 1, BT_EXIT_USAGE = 2 };

/* How the processes of one job are one program's; dist/dist.h has it. */
struct bt_tool_ranks {
	/* Before all else: BT_EARG where they are not asked for the same, whose
	 * words these are, as all of them then learn. */
	int (*meet)(int n, const char *const *word, struct bt_error *err);
	/* 1: all of them have come here within a moment; 0: not all; -1: nobody
	 * can tell. */
	int (*together)(void);
	/* From here on each is alone; all come here. */
	void (*part)(void);
};

/* Come first in programs that several processes of one job run as one does:
 * they share the work, or the first one does it and the others end at once,
 * well. Other programs refuse to be started so. */
void bt_tool_share_work(const struct bt_tool_ranks *ranks);
void bt_tool_first_works(void);

/* What --version adds: whole lines. Comes before the command line is parsed. */
void bt_tool_version_adds(void (*lines)(struct bt_buf *out));

/* In a program that shares its work, for work that it does not share: whether
 * this process is the one to do it. Else false, to end with *status. */
bool bt_tool_works(const struct bt_tool *tool, int *status) BT_MUST_USE;

/*
 * Parses the command line; answers --help and --version. Returns true to go on;
 * false to end with *status.
 */
bool bt_tool_options(const struct bt_tool *tool, int argc, char **argv,
                     void *values, int *operand, int *status) BT_MUST_USE;

/* The same where more than the table is printed for --help. */
bool bt_tool_options_help(const struct bt_tool *tool, int argc, char **argv,
                          void *values, int *operand,
                          void (*help)(const struct bt_tool *tool, FILE *to),
                          int *status) BT_MUST_USE;

/* The two halves of that, for command lines that another parser reads: what
 * comes first in every program, and what follows its parser's result. */
void bt_tool_start(void);
bool bt_tool_parsed(const struct bt_tool *tool, enum bt_opt_result result,
                    void (*help)(const struct bt_tool *tool, FILE *to),
                    const struct bt_error *err, int *status) BT_MUST_USE;

/* A mistake in the command line that the table cannot see: prints it and where
 * to find help. Returns BT_EXIT_USAGE. Where all processes of a job find it,
 * only the first does, and the others return BT_EXIT_DONE. */
int bt_tool_misuse(const struct bt_tool *tool, const char *fmt, ...)
    BT_PRINTF(2, 3);

/* Prints "tool: text" of err. Returns BT_EXIT_FAILED or, for what the command
 * line asks for and cannot have (BT_EARG, BT_EREMOTE), what bt_tool_misuse
 * does. */
int bt_tool_fail(const struct bt_tool *tool, const struct bt_error *err);

/* Prints a message that is not of a log: level is "error" or "warning", code a
 * word for programs. */
void bt_tool_say(const struct bt_tool *tool, const char *level,
                 const char *code, const char *fmt, ...) BT_PRINTF(4, 5);

/* Prints on standard output, at once; for callbacks of the library. */
void bt_tool_print(void *ctx, const char *text);

/* What this process has to tell about its run, which ended with that status;
 * those calls above and the logs of bt_tool_log collect it. */
void bt_tool_summary(const struct bt_tool *tool, int status,
                     struct bt_buf *out);

/* A log that prints "tool: warning: ..." or "tool: ..." on standard error, as
 * much as -q and -v ask for, and collects the summary if it is asked for. */
struct bt_log bt_tool_log(const struct bt_tool *tool,
                          const struct bt_common *common);

/* Last act of every main: closes standard output and turns a failure of it into
 * a message and BT_EXIT_FAILED. */
int bt_tool_end(const struct bt_tool *tool, int status);

/* In a program that shares its work: lists what there is into a file, or on
 * standard output, in one process. Returns what bt_tool_end does. */
int bt_tool_list(const struct bt_tool *tool,
                 int (*list)(const char *output, struct bt_error *err),
                 const char *output);

/* True when a stop was asked for (Ctrl-C, SIGTERM) after bt_tool_catch_stop. A
 * second request ends the program at once. */
void bt_tool_catch_stop(void);
bool bt_tool_stopped(void);

/* While it is on, a first request ends the program at once, too, and so does
 * one that came before: for calls that may never return. */
void bt_tool_stop_ends(bool on);

#endif
