/* SPDX-License-Identifier: MIT */
/*
 * Command lines as Model Garden's programs read them (absl's flags):
 * --name=value, --name value, -name; a switch is --name, --name=true, --noname
 * or --name=false; the last of several counts, but for those that gather. Flags
 * come from a table, so that the parser and the help text cannot differ.
 *
 * A flag may stand in the table though it cannot do here what it does there.
 * What asks for that is refused before any work (`refuse`, `why`); what changes
 * nothing here is taken and told (`idle`).
 */
#ifndef BT_GARDEN_FLAGS_H
#define BT_GARDEN_FLAGS_H

#include "base/tool.h"

enum bt_flag_type {
	BT_FLAG_END = 0,
	BT_FLAG_STR,   /* const char *, borrowed from argv */
	BT_FLAG_ENUM,  /* the same, one of those that arg lists */
	BT_FLAG_INT,   /* int64_t in [lo, hi] */
	BT_FLAG_U64,   /* uint64_t */
	BT_FLAG_REAL,  /* double in [lo, hi] */
	BT_FLAG_BOOL,  /* bool */
	BT_FLAG_MULTI, /* struct bt_opt_list, one more string each time */
	BT_FLAG_HELP,
	BT_FLAG_VERSION
};

struct bt_flag {
	enum bt_flag_type type;
	const char *name;  /* without the dashes */
	const char *alias; /* a shorter name; or NULL */
	const char *arg;   /* "FILE"; all values of a BT_FLAG_ENUM, "a|b|c" */
	const char *help;  /* one line; the default in [ ] */
	size_t offset;     /* of the value in the tool's struct */
	double lo, hi;
	bool fold;     /* upper case is taken for lower (of ENUM) */
	bool required; /* may not be left out, or be empty */
	bool idle;     /* changes nothing here */
	bool blank;    /* an empty value leaves the default, as of idle ones */

	/* Values that are refused, "a|b|c"; or "*": all but those that ask
	 * for nothing: an empty one, the number 0, false. */
	const char *refuse;
	const char *why; /* "there is no TPU to be had" */
};

/* Rows of a table; s is the tag of the tool's struct, f the member. Behind them
 * may follow other members: BT_FLAG_ROW(..., .alias = "md"). */
#define BT_FLAG_ROW(kind, nm, values, text, s, f, ...)                         \
	{                                                                      \
		.type = kind, .name = nm, .arg = values, .help = text,         \
		.offset = offsetof(struct s, f), __VA_ARGS__                   \
	}
#define BT_FLAG_NUMBER(kind, nm, text, s, f, least, most, ...)                 \
	{                                                                      \
		.type = kind, .name = nm, .arg = "N", .help = text,            \
		.offset = offsetof(struct s, f), .lo = least, .hi = most,      \
		__VA_ARGS__                                                    \
	}
#define BT_FLAG_LAST                                                           \
	{                                                                      \
		.type = BT_FLAG_END                                            \
	}

#define BT_FLAGS_MAX 128

/* With what the struct of every tool that reads such flags begins. */
struct bt_flags_common {
	struct bt_common common;
	int64_t verbosity;
	bool logs;                         /* asked for where they go anyway */
	const char *flagfile;              /* bt_flags_expand has read it */
	uint64_t given[BT_FLAGS_MAX / 64]; /* rows of the table, as bits */
};

#define BT_FLAGS_COMMON_INIT                                                   \
	{                                                                      \
		.common = BT_COMMON_INIT                                       \
	}

/* Rows for every tool; the member flags of struct s, its first, is a struct
 * bt_flags_common. */
#define BT_FLAGS_COMMON(s)                                                     \
	BT_FLAG_NUMBER(BT_FLAG_INT, "threads",                                 \
	               "number of threads; 0: one per core [0]", s,            \
	               flags.common.threads, 0, 1024),                         \
	    BT_FLAG_NUMBER(BT_FLAG_U64, "seed",                                \
	                   "seed for all random choices [42]", s,              \
	                   flags.common.seed, 0, 0),                           \
	    BT_FLAG_NUMBER(BT_FLAG_INT, "verbosity",                           \
	                   "1: more details; -1: warnings; -2: errors [0]", s, \
	                   flags.verbosity, -4, 9, .alias = "v"),              \
	    BT_FLAG_ROW(BT_FLAG_BOOL, "logtostderr", NULL,                     \
	                "log to standard error", s, flags.logs, .idle = true), \
	    BT_FLAG_ROW(BT_FLAG_BOOL, "alsologtostderr", NULL,                 \
	                "log to standard error", s, flags.logs, .idle = true), \
	    BT_FLAG_ROW(BT_FLAG_STR, "flagfile", "FILE",                       \
	                "read flags from FILE, one on a line", s,              \
	                flags.flagfile),                                       \
	    {.type = BT_FLAG_HELP, .name = "help", .help = "print this help"}, \
	    {.type = BT_FLAG_HELP,                                             \
	     .name = "helpfull",                                               \
	     .help = "print this help"},                                       \
	{                                                                      \
		.type = BT_FLAG_VERSION, .name = "version",                    \
		.help = "print the version"                                    \
	}

/* A program and its flags; opts of tool is NULL. */
struct bt_flags {
	struct bt_tool tool;
	const struct bt_flag *flags; /* at most BT_FLAGS_MAX */
};

/*
 * Parses argv into the struct at values. BT_OPT_MISTAKE for a flag that is not
 * in the table, a value that is not one of its type, one that is refused, a
 * required flag that is missing, and for operands.
 */
enum bt_opt_result bt_flags_parse(const struct bt_flags *f, int argc,
                                  char **argv, void *values,
                                  struct bt_error *err) BT_MUST_USE;

/* Puts what the files of --flagfile hold where that stands, as absl does: a
 * flag a line, between blank lines and comments, which begin with # or //. The
 * new list and its words stay until the process ends. */
int bt_flags_expand(int *argc, char ***argv, struct bt_error *err) BT_MUST_USE;

/* Where a job of training failed with r, lets the hint speak of these flags,
 * not of bert-train's options. Returns r. */
int bt_flags_hint(struct bt_error *err, int r) BT_MUST_USE;

/* As bt_tool_options. Sets what --verbosity says in flags.common. */
bool bt_flags_options(const struct bt_flags *f, int argc, char **argv,
                      void *values, int *status) BT_MUST_USE;

/* Whether the command line had that flag. */
bool bt_flags_given(const struct bt_flags *f, const void *values,
                    const char *name);

/* Tells in one line which of the flags given change nothing here, if any. */
void bt_flags_note(const struct bt_flags *f, const void *values,
                   const struct bt_log *log);

/* As bt_tool_log; --verbosity=-1 lets only warnings through. */
struct bt_log bt_flags_log(const struct bt_flags *f, const void *values);

#endif
