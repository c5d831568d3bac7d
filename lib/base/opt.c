/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* getopt_long */
#include "base/opt.h"

#include <ctype.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "base/suggest.h"

#define MAX_OPTIONS 128 /* rows, with headings */
#define LONG_KEY 256    /* getopt's value of row i is LONG_KEY + i */

/* "a|b|c" lists every value that the option takes, and so does "a". */
static bool is_choice(const char *arg)
{
	return islower((unsigned char)*arg);
}

static bool choice_has(const char *choices, const char *value)
{
	size_t n = strlen(value), len;
	const char *p = choices;

	for (;;) {
		len = strcspn(p, "|");
		if (len == n && memcmp(p, value, n) == 0)
			return true;
		if (p[len] == '\0')
			return false;
		p += len + 1;
	}
}

static int bad_value(const struct bt_opt *o, const char *value,
                     const char *expected, struct bt_error *err)
{
	return bt_error_set(err, BT_EARG, "bad value '%s' for --%s: %s", value,
	                    o->name, expected);
}

/* Who gives a list does not know what the number is for. */
static int bad_range(const struct bt_opt *o, const char *value,
                     const char *what, struct bt_error *err)
{
	bool list = strchr(value, ',') != NULL;
	char expected[256];

	snprintf(expected, sizeof(expected),
	         "expected %s from %.15g to %.15g%s%s%s%s", what, o->lo, o->hi,
	         list ? ", " : "", list ? o->arg : "", list ? ": " : "",
	         list ? o->help : "");
	return bad_value(o, value, expected, err);
}

/* What of the choices the value was likely meant to be, by another program's
 * name for it or mistyped: *n bytes; or NULL. */
static const char *meant_choice(const struct bt_opt *o, const char *value,
                                size_t *n)
{
	const struct bt_suggest_known *k = NULL;
	char one[BT_SUGGEST_LONGEST];
	size_t len = strlen(o->name), d, least = 1 + strlen(value) / 3;
	const char *best = NULL, *p;

	while ((k = bt_suggest_known_next(k, value)) != NULL)
		if (k->ours != NULL && strncmp(k->ours, o->name, len) == 0 &&
		    k->ours[len] == ' ' &&
		    choice_has(o->arg, k->ours + len + 1)) {
			*n = strlen(k->ours + len + 1);
			return k->ours + len + 1;
		}
	for (p = o->arg; strlen(value) < sizeof(one); p += len + 1) {
		len = strcspn(p, "|");
		snprintf(one, sizeof(one), "%.*s", (int)len, p);
		d = bt_suggest_distance(value, one);
		if (d < least) {
			least = d;
			best = p;
			*n = len;
		}
		if (p[len] == '\0')
			break;
	}
	return best;
}

static int bad_choice(const struct bt_opt *o, const char *value,
                      struct bt_error *err)
{
	char expected[320];
	size_t n = 0;
	const char *best = meant_choice(o, value, &n);

	if (best == NULL)
		snprintf(expected, sizeof(expected), "expected %s", o->arg);
	else
		snprintf(expected, sizeof(expected),
		         "expected %s; did you mean '%.*s'?", o->arg, (int)n,
		         best);
	return bad_value(o, value, expected, err);
}

static int set_str(const struct bt_opt *o, const char *value, const char **dst,
                   struct bt_error *err)
{
	if (is_choice(o->arg) && !choice_has(o->arg, value))
		return bad_choice(o, value, err);
	*dst = value;
	return BT_OK;
}

static int set_list(const struct bt_opt *o, const char *value,
                    struct bt_opt_list *list, struct bt_error *err)
{
	if (list->n == BT_OPT_LIST_MAX)
		return bt_error_set(err, BT_EARG,
		                    "--%s given more than %d times", o->name,
		                    BT_OPT_LIST_MAX);
	list->item[list->n++] = value;
	return BT_OK;
}

static int set_size(const struct bt_opt *o, const char *value,
                    struct bt_opt_maybe *to, struct bt_error *err)
{
	size_t n;

	if (bt_parse_bytes(value, &n) != BT_OK)
		return bt_error_set(err, BT_EARG,
		                    "bad value '%s' for --%s: expected bytes, "
		                    "as 1000000, 64M or 2G",
		                    value, o->name);
	*to = (struct bt_opt_maybe){true, n};
	return BT_OK;
}

static int set_u64(const struct bt_opt *o, const char *value, uint64_t *dst,
                   struct bt_error *err)
{
	if (bt_parse_u64(value, dst) != BT_OK)
		return bad_value(o, value, "expected a whole number", err);
	return BT_OK;
}

static int set_value(const struct bt_opt *o, const char *value, void *values,
                     struct bt_error *err)
{
	char *at = (char *)values + o->offset;

	switch (o->type) {
	case BT_OPT_FLAG:
		*(bool *)(void *)at = true;
		return BT_OK;
	case BT_OPT_COUNT:
		++*(int *)(void *)at;
		return BT_OK;
	case BT_OPT_STR:
		return set_str(o, value, (const char **)(void *)at, err);
	case BT_OPT_LIST:
		return set_list(o, value, (struct bt_opt_list *)(void *)at,
		                err);
	case BT_OPT_INT:
		if (bt_parse_i64(value, (int64_t)o->lo, (int64_t)o->hi,
		                 (int64_t *)(void *)at) != BT_OK)
			return bad_range(o, value, "a whole number", err);
		return BT_OK;
	case BT_OPT_U64:
		return set_u64(o, value, (uint64_t *)(void *)at, err);
	case BT_OPT_MAYBE:
		((struct bt_opt_maybe *)(void *)at)->given = true;
		return set_u64(o, value,
		               &((struct bt_opt_maybe *)(void *)at)->n, err);
	case BT_OPT_SIZE:
		return set_size(o, value, (struct bt_opt_maybe *)(void *)at,
		                err);
	case BT_OPT_REAL:
		if (bt_parse_f64(value, o->lo, o->hi, (double *)(void *)at) !=
		    BT_OK)
			return bad_range(o, value, "a number", err);
		return BT_OK;
	default:
		return BT_OK;
	}
}

static const struct bt_opt *find(const struct bt_opt *opts, int key)
{
	if (key >= LONG_KEY)
		return &opts[key - LONG_KEY];
	while (opts->letter != key)
		opts++;
	return opts;
}

/* The next word, if it is the value of an option that needs none: one of its
 * choices, or one mistyped and not the name of a file. */
static char *choice_behind(const struct bt_opt *o, int argc, char **argv)
{
	char *word = optind < argc ? argv[optind] : NULL;
	size_t n;

	if (o->bare == NULL || !is_choice(o->arg) || optarg != NULL ||
	    word == NULL)
		return NULL;
	return choice_has(o->arg, word) || (meant_choice(o, word, &n) != NULL &&
	                                    access(word, F_OK) != 0)
	           ? word
	           : NULL;
}

/* getopt_long, with a value that is the next word; *o is the option's row, if
 * the key is neither -1 nor a mistake. */
static int next_option(const struct bt_tool *tool, int argc, char **argv,
                       const char *letters, const struct option *longs,
                       const struct bt_opt **o)
{
	int key = getopt_long(argc, argv, letters, longs, NULL);
	char *choice;

	*o = NULL;
	if (key == -1 || key == ':' || key == '?')
		return key;
	*o = find(tool->opts, key);
	choice = choice_behind(*o, argc, argv);
	if (choice != NULL) {
		optarg = choice;
		optind++;
	}
	return key;
}

/* Fills getopt's tables from ours. */
static void make_tables(const struct bt_opt *opts, char *letters,
                        struct option *longs)
{
	char *l = letters;
	int i;

	*l++ =
	    ':'; /* getopt then tells a missing value from an unknown option */
	for (i = 0; i < MAX_OPTIONS && opts[i].type != BT_OPT_END; i++) {
		if (opts[i].type == BT_OPT_GROUP)
			continue;
		longs->name = opts[i].name;
		longs->has_arg = opts[i].arg == NULL    ? no_argument
		                 : opts[i].bare != NULL ? optional_argument
		                                        : required_argument;
		longs->flag = NULL;
		longs->val = LONG_KEY + i;
		longs++;
		if (opts[i].letter != 0) {
			*l++ = opts[i].letter;
			if (opts[i].arg != NULL)
				*l++ = ':';
		}
	}
	*l = '\0';
	memset(longs, 0, sizeof(*longs));
}

/* Whether "name", or "name value", could stand on the command line. */
static bool takes(const struct bt_opt *opts, const char *words)
{
	size_t n = strcspn(words, " ");
	const char *value = words[n] != '\0' ? words + n + 1 : NULL;

	for (; opts->type != BT_OPT_END; opts++)
		if (opts->name != NULL && strlen(opts->name) == n &&
		    memcmp(opts->name, words, n) == 0)
			return value == NULL ||
			       (opts->arg != NULL && is_choice(opts->arg) &&
			        choice_has(opts->arg, value));
	return false;
}

/* Whether the hint says something of this program: one of training or of
 * devices does where there are options for these. */
static bool applies(const struct bt_opt *opts, enum bt_hint hint)
{
	return (hint != BT_HINT_LEFT_OUT || takes(opts, "epochs")) &&
	       (hint != BT_HINT_DEVICES || takes(opts, "device"));
}

/* What an option by the name of another program's is here; or NULL. True if
 * the name is known, whether or not this program has such an option: then it
 * is not a mistyped one. */
static bool known(const struct bt_opt *opts, const char *name,
                  const char **ours, enum bt_hint *instead)
{
	const struct bt_suggest_known *k = NULL;
	bool found = false;

	*ours = NULL;
	*instead = BT_HINT_NONE;
	while ((k = bt_suggest_known_next(k, name)) != NULL) {
		found = true;
		if (k->ours != NULL && takes(opts, k->ours)) {
			*ours = k->ours;
			*instead = BT_HINT_NONE;
			return true;
		}
		*instead =
		    applies(opts, k->instead) ? k->instead : BT_HINT_NONE;
	}
	return found;
}

/* The option that --name was likely meant to be; or NULL. */
static const char *meant(const struct bt_opt *opts, const char *name)
{
	const struct bt_opt *o;
	const char *best = NULL;
	size_t d, least = 1 + strlen(name) / 3, longest = 0;

	for (o = opts; o->type != BT_OPT_END; o++) {
		if (o->name == NULL)
			continue;
		d = bt_suggest_distance(o->name, name);
		if (d < least) {
			least = d;
			best = o->name;
		}
	}
	if (best != NULL)
		return best;
	for (o = opts; o->type != BT_OPT_END; o++) {
		if (o->name != NULL && bt_suggest_words(o->name, name) &&
		    strlen(o->name) > longest) {
			longest = strlen(o->name);
			best = o->name;
		}
	}
	return best;
}

/* If several options begin with name, sets the error and returns true. */
static bool set_ambiguous(const struct bt_opt *opts, const char *name,
                          struct bt_error *err)
{
	char list[300] = "";
	const struct bt_opt *o;
	size_t at = 0, len;
	int n = 0;

	for (o = opts; o->type != BT_OPT_END; o++) {
		if (o->name == NULL || !bt_str_starts(o->name, name))
			continue;
		n++;
		len = strlen(o->name) + 4; /* with ", --" */
		if (at + len + sizeof(", ...") > sizeof(list)) {
			snprintf(list + at, sizeof(list) - at, ", ...");
			break;
		}
		at += (size_t)snprintf(list + at, sizeof(list) - at, "%s--%s",
		                       n > 1 ? ", " : "", o->name);
	}
	if (n < 2)
		return false;
	bt_error_set(err, BT_EARG, "option '--%s' is ambiguous: %s", name,
	             list);
	return true;
}

static void set_unknown(const struct bt_opt *opts, const char *word,
                        struct bt_error *err)
{
	char name[BT_SUGGEST_LONGEST + 1];
	size_t n = strcspn(word + 2, "=");
	enum bt_hint instead = BT_HINT_NONE;
	const char *near = NULL;

	if (n > 0 && n < sizeof(name)) {
		memcpy(name, word + 2, n);
		name[n] = '\0';
		if (set_ambiguous(opts, name, err))
			return;
		if (!known(opts, name, &near, &instead))
			near = meant(opts, name);
	}
	bt_error_set(err, BT_EARG, "unknown option '%.100s'%s%s%s", word,
	             near != NULL ? "; did you mean '--" : "",
	             near != NULL ? near : "", near != NULL ? "'?" : "");
	bt_error_hint(err, instead, BT_EARG);
}

/* Adds a hint where a word that was taken for an option is the name of a file.
 * getopt stands at that word or behind it. */
static void hint_file(char **word, struct bt_error *err)
{
	int i;

	for (i = -1; i <= 0 && word[i] != NULL; i++)
		if (word[i][0] == '-' && word[i][1] != '\0' &&
		    access(word[i], F_OK) == 0)
			bt_error_hint(err, BT_HINT_DASH, BT_EARG);
}

static enum bt_opt_result mistake(const struct bt_opt *opts, int key,
                                  char **argv, struct bt_error *err)
{
	const char *word = argv[optind - 1];

	if (key == ':')
		bt_error_set(err, BT_EARG, "option '%s' needs a value", word);
	else if (optopt != 0 && optopt < LONG_KEY)
		bt_error_set(err, BT_EARG, "unknown option '-%c'", optopt);
	else if (optopt >= LONG_KEY)
		bt_error_set(err, BT_EARG, "option '%s' takes no value", word);
	else
		set_unknown(opts, word, err);
	if (key == '?')
		hint_file(argv + optind, err);
	return BT_OPT_MISTAKE;
}

/* Whether the word behind a flag is a value that other programs take there,
 * yes, no, a number or, of --json, "x.json", and not a file; then sets the
 * error. */
static bool has_value(const struct bt_opt *o, const char *word,
                      struct bt_error *err)
{
	const char *end = word != NULL ? strrchr(word, '.') : NULL;
	bool is_file = end != NULL && strcmp(end + 1, o->name) == 0, is_no;
	char lower[8] = "";
	size_t i, n = word != NULL ? strlen(word) : 0;
	double x;

	if (n == 0 || o->arg != NULL || access(word, F_OK) == 0)
		return false;
	for (i = 0; n < sizeof(lower) && i < n; i++)
		lower[i] = (char)tolower((unsigned char)word[i]);
	is_no = choice_has("false|no|off|0", lower);
	if (!is_no && !is_file && !choice_has("true|yes|on|1", lower) &&
	    bt_parse_f64(word, -1e300, 1e300, &x) != BT_OK)
		return false;
	bt_error_set(err, BT_EARG,
	             "option '--%s' takes no value: leave %s '%s'", o->name,
	             is_no ? "it out for" : "out", word);
	if (is_file)
		bt_error_hint(err, BT_HINT_OUTPUT_FILE, BT_EARG);
	return true;
}

/* Whether the word "-o" or "--output" is an option, as where a variable of a
 * script was empty that should have been the value before it; then sets the
 * error. A value that looks so stands behind "=". */
static bool is_option(const struct bt_opt *opts, char **argv,
                      struct bt_error *err)
{
	const char *word = argv[optind - 1];
	size_t n = strcspn(word, "=");
	const struct bt_opt *o;
	bool found = false;

	if (word != optarg || word[0] != '-')
		return false;
	for (o = opts; o->type != BT_OPT_END; o++)
		if (word[1] == '-')
			found |= o->name != NULL && strlen(o->name) == n - 2 &&
			         memcmp(o->name, word + 2, n - 2) == 0;
		else
			found |= n == 2 && o->letter == word[1];
	if (!found)
		return false;
	word = argv[optind - 2];
	if (word[1] != '-') /* "-qm" */
		word += strlen(word) - 1;
	bt_error_set(err, BT_EARG,
	             "option '%s%s' needs a value: '%s' is an option",
	             word[0] == '-' ? "" : "-", word, optarg);
	return true;
}

enum bt_opt_result bt_opt_parse(const struct bt_tool *tool, int argc,
                                char **argv, void *values, int *operand,
                                struct bt_opt_again *again,
                                struct bt_error *err)
{
	struct option longs[MAX_OPTIONS + 1];
	char letters[2 * MAX_OPTIONS + 2];
	const char *before[MAX_OPTIONS] = {NULL}, **earlier;
	const struct bt_opt *o;
	int key;

	make_tables(tool->opts, letters, longs);
	memset(again, 0, sizeof(*again));
	optind = 0; /* start afresh, also when called a second time */
	opterr = 0;
	while ((key = next_option(tool, argc, argv, letters, longs, &o)) !=
	       -1) {
		if (o == NULL)
			return mistake(tool->opts, key, argv, err);
		if (o->type == BT_OPT_HELP)
			return BT_OPT_HELP_ASKED;
		if (o->type == BT_OPT_VERSION)
			return BT_OPT_VERSION_ASKED;
		if (o->type == BT_OPT_OVERRIDE)
			memset(before, 0, sizeof(before));
		if ((optarg != NULL && is_option(tool->opts, argv, err)) ||
		    set_value(o, optarg != NULL ? optarg : o->bare, values,
		              err) != BT_OK ||
		    has_value(o, optind < argc ? argv[optind] : NULL, err))
			return BT_OPT_MISTAKE;
		/* a value that replaces a different, earlier one */
		earlier = &before[o - tool->opts];
		if (o->type != BT_OPT_FLAG && o->type != BT_OPT_COUNT &&
		    o->type != BT_OPT_LIST && optarg != NULL &&
		    *earlier != NULL && strcmp(*earlier, optarg) != 0)
			*again =
			    (struct bt_opt_again){o->name, *earlier, optarg,
			                          strstr(o->arg, "[,") != NULL};
		*earlier = optarg;
	}
	*operand = optind;
	return BT_OPT_RUN;
}

void bt_opt_rows(const struct bt_tool *tool, int argc, char **argv,
                 const struct bt_opt **row)
{
	struct option longs[MAX_OPTIONS + 1];
	char letters[2 * MAX_OPTIONS + 2];
	const struct bt_opt *o;
	int i = 1;

	make_tables(tool->opts, letters, longs);
	memset(row, 0, (size_t)argc * sizeof(*row));
	optind = 0;
	opterr = 0;
	while (next_option(tool, argc, argv, letters, longs, &o) != -1)
		for (; i < optind; i++)
			row[i] = o;
}

static int option_words(const struct bt_opt *o, char *s, size_t size)
{
	int n = 0;

	if (o->letter != 0)
		n = snprintf(s, size, "-%c, ", o->letter);
	else
		n = snprintf(s, size, "    ");
	n += snprintf(s + n, size - (size_t)n, "--%s", o->name);
	if (o->arg != NULL)
		n += snprintf(s + n, size - (size_t)n,
		              o->bare == NULL     ? " %s"
		              : is_choice(o->arg) ? " [%s]"
		                                  : "[=%s]",
		              o->arg);
	return n;
}

void bt_opt_help(const struct bt_tool *tool, FILE *to)
{
	const struct bt_opt *o;
	char words[128];
	int width = 0, n;

	fprintf(to, "Usage: %s %s\n%s\n\nExample: %s\n", tool->name,
	        tool->synopsis, tool->purpose, tool->example);
	for (o = tool->opts; o->type != BT_OPT_END; o++) {
		if (o->type == BT_OPT_GROUP)
			continue;
		n = option_words(o, words, sizeof(words));
		if (n > width && n <= 26)
			width = n;
	}
	for (o = tool->opts; o->type != BT_OPT_END; o++) {
		if (o->type == BT_OPT_GROUP) {
			fprintf(to, "\n%s:\n", o->help);
			continue;
		}
		n = option_words(o, words, sizeof(words));
		if (n > width)
			fprintf(to, "  %s\n  %*s  %s\n", words, width, "",
			        o->help);
		else
			fprintf(to, "  %-*s  %s\n", width, words, o->help);
	}
}
