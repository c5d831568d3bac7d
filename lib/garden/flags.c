/* SPDX-License-Identifier: MIT */
#include "garden/flags.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/suggest.h"
#include "io/in.h"

#define MAX_FILE ((size_t)1 << 20)
#define DEEPEST 10 /* files that name files */

#define TRUE_WORDS "true|t|1|yes|y"
#define FALSE_WORDS "false|f|0|no|n"

/* In lower case; a longer text than room is no word of ours. */
static const char *lower(const char *s, char room[16])
{
	size_t i;

	for (i = 0; i < 15 && s[i] != '\0'; i++)
		room[i] = (char)tolower((unsigned char)s[i]);
	room[i] = '\0';
	return s[i] == '\0' ? room : "";
}

static int bad_value(const struct bt_flag *f, const char *value,
                     const char *expected, struct bt_error *err)
{
	return bt_error_set(err, BT_EARG, "bad value '%.100s' for --%s: %s",
	                    value, f->name, expected);
}

static int bad_range(const struct bt_flag *f, const char *value,
                     const char *what, struct bt_error *err)
{
	char expected[96];

	snprintf(expected, sizeof(expected), "expected %s from %.15g to %.15g",
	         what, f->lo, f->hi);
	return bad_value(f, value, expected, err);
}

static int set_enum(const struct bt_flag *f, const char *value,
                    const char **dst, struct bt_error *err)
{
	char expected[240];

	if (!bt_str_in_list(f->arg, value)) {
		snprintf(expected, sizeof(expected), "expected %s", f->arg);
		return bad_value(f, value, expected, err);
	}
	*dst = value;
	return BT_OK;
}

static int set_bool(const struct bt_flag *f, const char *value, bool *dst,
                    struct bt_error *err)
{
	char room[16];

	if (bt_str_in_list(TRUE_WORDS, lower(value, room)))
		*dst = true;
	else if (bt_str_in_list(FALSE_WORDS, lower(value, room)))
		*dst = false;
	else
		return bad_value(f, value, "expected true or false", err);
	return BT_OK;
}

static int set_value(const struct bt_flag *f, const char *value, void *values,
                     struct bt_error *err)
{
	void *at = (char *)values + f->offset;
	struct bt_opt_list *list = at;

	switch (f->type) {
	case BT_FLAG_STR:
		*(const char **)at = value;
		return BT_OK;
	case BT_FLAG_ENUM:
		return set_enum(f, value, at, err);
	case BT_FLAG_BOOL:
		return set_bool(f, value, at, err);
	case BT_FLAG_MULTI:
		if (list->n == BT_OPT_LIST_MAX)
			return bt_error_set(err, BT_EARG,
			                    "--%s given more than %d times",
			                    f->name, BT_OPT_LIST_MAX);
		list->item[list->n++] = value;
		return BT_OK;
	case BT_FLAG_INT:
		if (bt_parse_i64(value, (int64_t)f->lo, (int64_t)f->hi, at) !=
		    BT_OK)
			return bad_range(f, value, "a whole number", err);
		return BT_OK;
	case BT_FLAG_REAL:
		if (bt_parse_f64(value, f->lo, f->hi, at) != BT_OK)
			return bad_range(f, value, "a number", err);
		return BT_OK;
	case BT_FLAG_U64:
		if (bt_parse_u64(value, at) != BT_OK)
			return bad_value(f, value, "expected a whole number",
			                 err);
		return BT_OK;
	default:
		return BT_OK;
	}
}

/* Whether a value asks for what cannot be done here. */
static bool is_refused(const struct bt_flag *f, const char *value)
{
	double number;
	char room[16];

	if (f->refuse == NULL || *value == '\0')
		return false;
	if (strcmp(f->refuse, "*") != 0)
		return bt_str_in_list(f->refuse, value);
	if (f->type == BT_FLAG_BOOL)
		return !bt_str_in_list(FALSE_WORDS, lower(value, room));
	if (f->type != BT_FLAG_INT && f->type != BT_FLAG_REAL)
		return true;
	return bt_parse_f64(value, -1e300, 1e300, &number) != BT_OK ||
	       number != 0;
}

/* An argument, taken apart. */
struct word {
	const char *text; /* "--a=b" */
	char name[64];
	char *value; /* behind "=", or NULL */
};

static void take_apart(char *arg, struct word *w)
{
	char *name = arg + (arg[1] == '-' ? 2 : 1);
	size_t n = strcspn(name, "=");

	w->text = arg;
	w->value = name[n] == '=' ? name + n + 1 : NULL;
	if (n >= sizeof(w->name)) /* longer than any: no flag */
		n = sizeof(w->name) - 1;
	memcpy(w->name, name, n);
	w->name[n] = '\0';
}

static const struct bt_flag *find(const struct bt_flags *f, const char *name)
{
	const struct bt_flag *g;

	for (g = f->flags; g->type != BT_FLAG_END; g++)
		if (strcmp(g->name, name) == 0 || bt_str_is(g->alias, name))
			return g;
	return NULL;
}

/* The flag whose name is the most like this one, or NULL. */
static const struct bt_flag *nearest_flag(const struct bt_flag *flags,
                                          const char *name)
{
	const struct bt_flag *g, *best = NULL;
	size_t d, nearest = 1 + strlen(name) / 3;

	if (strlen(name) > BT_SUGGEST_LONGEST)
		return NULL;
	for (g = flags; g->type != BT_FLAG_END; g++) {
		d = bt_suggest_distance(g->name, name);
		if (d <= nearest && (best == NULL || d < nearest)) {
			nearest = d;
			best = g;
		}
	}
	return best;
}

static int unknown(const struct bt_flags *f, const struct word *w,
                   struct bt_error *err)
{
	const struct bt_flag *near = nearest_flag(f->flags, w->name);

	if (near != NULL)
		return bt_error_set(err, BT_EARG,
		                    "unknown flag '%.80s'; did you mean --%s?",
		                    w->text, near->name);
	return bt_error_set(err, BT_EARG, "unknown flag '%.80s'", w->text);
}

/* The flag that a word names, or NULL with err; w->value is set where the word
 * alone says the value. */
static const struct bt_flag *look_up(const struct bt_flags *f, struct word *w,
                                     struct bt_error *err)
{
	static char yes[] = "true", no[] = "false";
	const struct bt_flag *g = find(f, w->name);

	if (g != NULL) {
		if (w->value == NULL &&
		    (g->type == BT_FLAG_BOOL || g->type == BT_FLAG_HELP ||
		     g->type == BT_FLAG_VERSION))
			w->value = yes;
		return g;
	}
	if (strncmp(w->name, "no", 2) == 0)
		g = find(f, w->name + 2);
	if (g == NULL || g->type != BT_FLAG_BOOL) {
		(void)unknown(f, w, err);
		return NULL;
	}
	if (w->value != NULL) {
		bt_error_set(err, BT_EARG, "'%.80s' takes no value", w->text);
		return NULL;
	}
	w->value = no;
	return g;
}

static int apply(const struct bt_flags *f, const struct bt_flag *g, char *value,
                 void *values, struct bt_error *err)
{
	struct bt_flags_common *c = values;
	size_t row = (size_t)(g - f->flags);
	char *p;
	int r;

	for (p = value; g->fold && *p != '\0'; p++)
		*p = (char)tolower((unsigned char)*p);
	if (is_refused(g, value))
		return bt_error_set(err, BT_EARG, "--%s=%.100s: %s", g->name,
		                    value, g->why);
	/* "--steps_per_loop=$STEPS" with nothing in STEPS */
	if ((g->idle || g->blank) && *value == '\0')
		return BT_OK;
	r = set_value(g, value, values, err);
	if (r == BT_OK)
		c->given[row / 64] |= (uint64_t)1 << (row % 64);
	return r;
}

static int check_required(const struct bt_flags *f, const char *values,
                          struct bt_error *err)
{
	const struct bt_flag *g;
	const char *v;

	for (g = f->flags; g->type != BT_FLAG_END; g++) {
		if (!g->required)
			continue;
		memcpy(&v, values + g->offset, sizeof(v));
		if (v == NULL || *v == '\0')
			return bt_error_set(err, BT_EARG, "give --%s=%s: %s",
			                    g->name, g->arg, g->help);
	}
	return BT_OK;
}

enum bt_opt_result bt_flags_parse(const struct bt_flags *f, int argc,
                                  char **argv, void *values,
                                  struct bt_error *err)
{
	const struct bt_flag *g;
	struct word w;
	int i;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		take_apart(argv[i], &w);
		g = look_up(f, &w, err);
		if (g == NULL)
			return BT_OPT_MISTAKE;
		if (g->type == BT_FLAG_HELP)
			return BT_OPT_HELP_ASKED;
		if (g->type == BT_FLAG_VERSION)
			return BT_OPT_VERSION_ASKED;
		if (w.value == NULL && i + 1 == argc) {
			bt_error_set(err, BT_EARG, "flag '%.80s' needs a value",
			             w.text);
			return BT_OPT_MISTAKE;
		}
		if (apply(f, g, w.value != NULL ? w.value : argv[++i], values,
		          err) != BT_OK)
			return BT_OPT_MISTAKE;
	}
	if (i < argc) {
		bt_error_set(err, BT_EARG,
		             "'%.100s' is not a flag: all is given by flags",
		             argv[i]);
		return BT_OPT_MISTAKE;
	}
	return check_required(f, values, err) == BT_OK ? BT_OPT_RUN
	                                               : BT_OPT_MISTAKE;
}

bool bt_flags_given(const struct bt_flags *f, const void *values,
                    const char *name)
{
	const struct bt_flags_common *c = values;
	const struct bt_flag *g = find(f, name);
	size_t row = g != NULL ? (size_t)(g - f->flags) : 0;

	return g != NULL && (c->given[row / 64] >> (row % 64) & 1) != 0;
}

struct arguments {
	char **v; /* [n], and room for a NULL behind them */
	size_t n, cap;
	bool due; /* the name of a file, after --flagfile alone */
	bool end; /* behind "--" */
};

#define MARK "\xef\xbb\xbf" /* of UTF-8, at the beginning of a file */

static struct arguments kept; /* what the values of flags point into */

static int add(struct arguments *w, char *word, int depth,
               struct bt_error *err);

/* Adds the flags of a text. */
static int add_lines(struct arguments *w, const char *text, int depth,
                     struct bt_error *err)
{
	const char *line, *next, *end;
	char *word;
	size_t n;
	int r = BT_OK;

	for (line = text; *line != '\0' && r == BT_OK; line = next) {
		end = line + strcspn(line, "\n");
		next = end + (*end != '\0');
		while (line < end && isspace((unsigned char)*line))
			line++;
		while (end > line && isspace((unsigned char)end[-1]))
			end--;
		if (line == end || *line == '#' || bt_str_starts(line, "//"))
			continue;
		word = bt_strndup(line, (size_t)(end - line));
		n = w->n;
		r = add(w, word, depth, err);
		if (w->n == n || w->v[n] != word) /* it named a file */
			free(word);
	}
	return r;
}

static int add_file(struct arguments *w, const char *path, int depth,
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
	if (strlen(text) != len) /* UTF-16, say */
		r = bt_error_set(err, BT_EFORMAT,
		                 "--flagfile: '%s' has a NUL byte, which no "
		                 "flag can",
		                 path);
	else
		r = add_lines(w, text + (bt_str_starts(text, MARK) ? 3 : 0),
		              depth + 1, err);
	free(text);
	return r;
}

static int add(struct arguments *w, char *word, int depth, struct bt_error *err)
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

int bt_flags_expand(int *argc, char ***argv, struct bt_error *err)
{
	int i, r = BT_OK;

	kept = (struct arguments){.n = 0};
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

static enum bt_hint by_flags(enum bt_hint hint)
{
	switch (hint) {
	case BT_HINT_START_OVER:
	case BT_HINT_GO_ON_FROM_MODEL:
	case BT_HINT_FORCE:
		return BT_HINT_MODEL_DIR;
	case BT_HINT_RESUME_FROM:
		return BT_HINT_MODEL_DIR_CHECKPOINT;
	case BT_HINT_SAVE_FEWER:
		return BT_HINT_MODEL_DIR_ROOM;
	case BT_HINT_BATCH_SMALLER:
	case BT_HINT_BATCH_SMALLER_OR_CHECKPOINT:
		return BT_HINT_MODEL_DIR_BATCH;
	default:
		return hint;
	}
}

int bt_flags_hint(struct bt_error *err, int r)
{
	if (r != BT_OK && err != NULL)
		err->hint = by_flags(err->hint);
	return r;
}
