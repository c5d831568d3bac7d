/* SPDX-License-Identifier: MIT */
#include "garden/flag_file.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "io/in.h"

#define MAX_FILE ((size_t)1 << 20)
#define DEEPEST 10 /* files that name files */

struct words {
	char **v; /* [n], and room for a NULL behind them */
	size_t n, cap;
	bool due; /* the name of a file, after --flagfile alone */
	bool end; /* behind "--" */
};

static struct words kept; /* what the values of flags point into */

static int add(struct words *w, char *word, int depth, struct bt_error *err);

/* Adds the flags of a text. */
static int add_lines(struct words *w, const char *text, int depth,
                     struct bt_error *err)
{
	const char *line, *next, *end;
	int r = BT_OK;

	for (line = text; *line != '\0' && r == BT_OK; line = next) {
		end = line + strcspn(line, "\n");
		next = end + (*end != '\0');
		while (line < end && isspace((unsigned char)*line))
			line++;
		while (end > line && isspace((unsigned char)end[-1]))
			end--;
		if (line < end && *line != '#' && !bt_str_starts(line, "//"))
			r = add(w, bt_strndup(line, (size_t)(end - line)),
			        depth, err);
	}
	return r;
}

static int add_file(struct words *w, const char *path, int depth,
                    struct bt_error *err)
{
	char *text = NULL;
	size_t len;
	int r;

	if (depth == DEEPEST)
		return bt_error_set(err, BT_EARG,
		                    "--flagfile: '%s' is the %dth file of "
		                    "flags that name each other",
		                    path, DEEPEST + 1);
	r = bt_in_whole(path, MAX_FILE, &text, &len, err);
	if (r != BT_OK)
		return bt_error_prefix(err, "--flagfile");
	r = add_lines(w, text, depth + 1, err);
	free(text);
	return r;
}

static int add(struct words *w, char *word, int depth, struct bt_error *err)
{
	const char *name = word + strspn(word, "-");

	if (w->due) {
		w->due = false;
		return add_file(w, word, depth, err);
	}
	w->end |= strcmp(word, "--") == 0;
	if (!w->end && *word == '-' && name - word <= 2) {
		w->due = strcmp(name, "flagfile") == 0;
		if (w->due)
			return BT_OK;
		if (bt_str_starts(name, "flagfile=") && strchr(name, '=')[1])
			return add_file(w, strchr(name, '=') + 1, depth, err);
	}
	if (bt_grow(&w->v, &w->cap, w->n + 2, sizeof(*w->v)) != BT_OK)
		return bt_error_nomem(err, "reading flags");
	w->v[w->n++] = word;
	w->v[w->n] = NULL;
	return BT_OK;
}

int bt_flag_file_expand(int *argc, char ***argv, struct bt_error *err)
{
	int i, r = BT_OK;

	kept = (struct words){.n = 0};
	for (i = 0; i < *argc && r == BT_OK; i++)
		r = add(&kept, (*argv)[i], 0, err);
	if (r == BT_OK && kept.due)
		r = bt_error_set(err, BT_EARG,
		                 "flag '--flagfile' needs a value");
	if (r != BT_OK)
		return r;
	*argc = (int)kept.n;
	*argv = kept.v;
	return BT_OK;
}
