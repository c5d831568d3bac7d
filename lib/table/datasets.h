/* SPDX-License-Identifier: MIT */
/*
 * Published data sets: how their files are written, which columns hold what,
 * and their labels in the published order, in which the position of a label is
 * its number.
 */
#ifndef BT_TABLE_DATASETS_H
#define BT_TABLE_DATASETS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"

/* One way in which the files of a data set are laid out. */
struct bt_published_form {
	bool header;
	size_t width; /* number of columns; 0: any */
	/* columns as in struct bt_table_opts, by number without a header; NULL:
	 * there are none */
	const char *text, *pair, *label, *id;
};

#define BT_PUBLISHED_FORMS 3

struct bt_published {
	const char *name; /* as a user gives it: "sst-2" */
	char delimiter;
	bool quotes;
	bool numbers;    /* labels are numbers, no classes */
	bool short_rows; /* rows of too few fields are left out */
	bool folder;     /* also: a folder for each label */
	bool breaks;     /* "<br />" is a blank, blanks at the ends go */
	const char *const *same;   /* pairs: a label, and what it is read as;
	                            * NULL, or ends in NULL */
	const char *const *labels; /* ends in NULL; NULL with numbers */
	struct bt_published_form forms[BT_PUBLISHED_FORMS];
	/* as Parquet on Hugging Face's hub, where a label is numbered as here
	 * or has one of the names here */
	struct bt_published_form hub;
};

/* The names of all, as "a|b|c". */
#define BT_PUBLISHED_NAMES                                                     \
	"ag-news|ax|banking77|cola|imdb|mnli|mrpc|paws-x|qnli|qqp|rte|sst-2|"  \
	"sts-b|wnli|xnli"

/* NULL if no data set has that name. */
const struct bt_published *bt_published_find(const char *name);

/*
 * The form of a file whose first row is given. BT_EFORMAT, with what was
 * expected, if it has none of them; file is for the message.
 */
int bt_published_form(const struct bt_published *p, const char *file,
                      const struct bt_span *first, size_t width,
                      const struct bt_published_form **form,
                      struct bt_error *err) BT_MUST_USE;

/* The same of a file whose columns have names, whatever other ones there are:
 * that on the hub, or one with a header. */
int bt_published_columns(const struct bt_published *p, const char *file,
                         const struct bt_span *names, size_t n,
                         const struct bt_published_form **form,
                         struct bt_error *err) BT_MUST_USE;

#endif
