/* SPDX-License-Identifier: MIT */
/*
 * Command-line options from a table, so that the parser and the help text
 * cannot differ. A tool declares a struct for its values, a table whose rows
 * say where in it each value goes, and a struct bt_tool. BT_GROUP rows are the
 * headings of the help text. BT_OPT_COMMON adds the options of every tool.
 */
#ifndef BT_BASE_OPT_H
#define BT_BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

#define BT_VERSION "0.1.0"

enum bt_opt_type {
	BT_OPT_END = 0,
	BT_OPT_GROUP,    /* a heading of the help text, in help; no option */
	BT_OPT_FLAG,     /* bool, set to true */
	BT_OPT_COUNT,    /* int, one more each time */
	BT_OPT_STR,      /* const char *, borrowed from argv */
	BT_OPT_INT,      /* int64_t in [lo, hi] */
	BT_OPT_U64,      /* uint64_t */
	BT_OPT_MAYBE,    /* struct bt_opt_maybe */
	BT_OPT_SIZE,     /* the same; bytes, K, M, G or T may follow */
	BT_OPT_REAL,     /* double in [lo, hi] */
	BT_OPT_LIST,     /* struct bt_opt_list, one more string each time */
	BT_OPT_OVERRIDE, /* what was given before it may be given again */
	BT_OPT_HELP,
	BT_OPT_VERSION
};

#define BT_OPT_LIST_MAX 32

/* Strings of a repeatable option, in order. */
struct bt_opt_list {
	const char *item[BT_OPT_LIST_MAX];
	int n;
};

/* A whole number for which no value can mean "not given". */
struct bt_opt_maybe {
	bool given;
	uint64_t n;
};

struct bt_opt {
	enum bt_opt_type type;
	char letter;      /* or 0 */
	const char *name; /* without the dashes; NULL for a heading */
	const char *arg;  /* "FILE"; NULL for a flag; "a|b" in lower case
	                   * lists all values of a BT_OPT_STR */
	const char *help; /* one line; the default in [ ] */
	size_t offset;    /* of the value in the tool's struct */
	double lo, hi;
	/* The value of an option that is given without one; NULL: it needs one.
	 * Such an option's value stands behind "=", or is the next word where
	 * that is one of the values that arg lists. */
	const char *bare;
};

/* Rows of a table; s is the tag of the tool's struct, f the member. */
#define BT_ROW(type, l, name, arg, help, s, f, lo, hi)                         \
	{                                                                      \
		type, l, name, arg, help, offsetof(struct s, f), lo, hi, NULL  \
	}
#define BT_FLAG(l, name, help, s, f)                                           \
	BT_ROW(BT_OPT_FLAG, l, name, NULL, help, s, f, 0, 0)
#define BT_STR(l, name, arg, help, s, f)                                       \
	BT_ROW(BT_OPT_STR, l, name, arg, help, s, f, 0, 0)
#define BT_LIST(l, name, arg, help, s, f)                                      \
	BT_ROW(BT_OPT_LIST, l, name, arg, help, s, f, 0, 0)
#define BT_INT(l, name, arg, help, s, f, lo, hi)                               \
	BT_ROW(BT_OPT_INT, l, name, arg, help, s, f, lo, hi)
#define BT_MAYBE(name, arg, help, s, f)                                        \
	BT_ROW(BT_OPT_MAYBE, 0, name, arg, help, s, f, 0, 0)
#define BT_SIZE(name, arg, help, s, f)                                         \
	BT_ROW(BT_OPT_SIZE, 0, name, arg, help, s, f, 0, 0)
#define BT_REAL(l, name, arg, help, s, f, lo, hi)                              \
	BT_ROW(BT_OPT_REAL, l, name, arg, help, s, f, lo, hi)
#define BT_BARE(type, name, arg, help, s, f, lo, hi, bare)                     \
	{                                                                      \
		type, 0, name, arg, help, offsetof(struct s, f), lo, hi, bare  \
	}
#define BT_GROUP(heading)                                                      \
	{                                                                      \
		BT_OPT_GROUP, 0, NULL, NULL, heading, 0, 0, 0, NULL            \
	}
#define BT_OPT_LAST                                                            \
	{                                                                      \
		BT_OPT_END, 0, NULL, NULL, NULL, 0, 0, 0, NULL                 \
	}

/* What every tool takes. */
struct bt_common {
	const char *output; /* NULL or "-" is standard output */
	int64_t threads;    /* 0 = one for each core */
	uint64_t seed;
	bool quiet;
	int verbose;
	const char *summary; /* where that goes (base/summary.h), or NULL */
};

#define BT_COMMON_INIT                                                         \
	{                                                                      \
		.threads = 0, .seed = 42                                       \
	}

/* Rows for every tool; the member common of struct s is a struct bt_common. */
#define BT_OPT_COMMON(s)                                                        \
	BT_GROUP("Common options"),                                             \
	    BT_ROW(BT_OPT_INT, 'j', "threads", "N",                             \
	           "number of threads; 0: one per core [0]", s,                 \
	           common.threads, 0, 1024),                                    \
	    BT_ROW(BT_OPT_U64, 0, "seed", "N",                                  \
	           "seed for all random choices [42]", s, common.seed, 0, 0),   \
	    BT_FLAG('q', "quiet", "print only errors", s, common.quiet),        \
	    BT_ROW(BT_OPT_COUNT, 'v', "verbose", NULL, "print more details",    \
	           s, common.verbose, 0, 0),                                    \
	    {BT_OPT_OVERRIDE,                                                   \
	     0,                                                                 \
	     "override",                                                        \
	     NULL,                                                              \
	     "options that follow replace earlier ones without a warning",      \
	     0,                                                                 \
	     0,                                                                 \
	     0,                                                                 \
	     NULL},                                                             \
	    {BT_OPT_HELP, 'h', "help", NULL, "print this help", 0, 0, 0, NULL}, \
	{                                                                       \
		BT_OPT_VERSION, 0, "version", NULL, "print the version", 0, 0,  \
		    0, NULL                                                     \
	}

/* The row of tools that write a summary, before those. */
#define BT_OPT_SUMMARY(s)                                                      \
	BT_STR(0, "summary", "FILE",                                           \
	       "write counts, speed and warnings as JSON to FILE", s,          \
	       common.summary)

struct bt_tool {
	const char *name;     /* "bert-train" */
	const char *synopsis; /* "[-m DIR] [FILE ...]" */
	const char *purpose;  /* one sentence */
	const char *example;  /* one command line */
	const struct bt_opt *opts;
};

enum bt_opt_result {
	BT_OPT_RUN,           /* parsed: go on */
	BT_OPT_HELP_ASKED,    /* --help */
	BT_OPT_VERSION_ASKED, /* --version */
	BT_OPT_MISTAKE        /* err says what; exit status 2 */
};

/* An option given twice with different values, both before or both after a
 * BT_OPT_OVERRIDE: the last one counts. */
struct bt_opt_again {
	const char *name, *before, *value; /* name is NULL if there is none */
	bool list; /* a value may be several, with commas between */
};

/*
 * Parses argv into the struct at values. Operands may stand between options;
 * "--" ends the options. A long option may be shortened while it stays unique;
 * the error for an ambiguous one lists the candidates. On BT_OPT_RUN *operand
 * is the index in argv (which is reordered) of the first operand.
 */
enum bt_opt_result bt_opt_parse(const struct bt_tool *tool, int argc,
                                char **argv, void *values, int *operand,
                                struct bt_opt_again *again,
                                struct bt_error *err) BT_MUST_USE;

/* Sets row[0..argc-1] to the options that the words of argv belong to, after
 * bt_opt_parse has read it; NULL for others. */
void bt_opt_rows(const struct bt_tool *tool, int argc, char **argv,
                 const struct bt_opt **row);

/* Prints the help text made from the table. */
void bt_opt_help(const struct bt_tool *tool, FILE *to);

#endif
