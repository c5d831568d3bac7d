/* SPDX-License-Identifier: MIT */
/*
 * Oniguruma's expressions, as Ruby writes them, in PCRE2's syntax. Most is the
 * same in both. What differs is written another way (\h \s \v \w \b, classes
 * and properties by name, {,n}, a plus behind {n,m}, the flag m) or refused
 * (classes in classes, flags in the middle, calls).
 */
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "tokenizer/regex.h"
#include "tokenizer/regex_fold_int.h"

#define DEPTH_MAX 100

#define SPACE "\\t-\\r\\x{85}\\p{Z}"
#define IN_CLASS "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}"
/* outside of classes it has all numbers of Latin-1 */
#define WORD IN_CLASS "\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}"
#define HEX "0-9A-Fa-f"

struct reader {
	struct bt_span in;
	size_t at;
	struct bt_buf *out;
	size_t group[DEPTH_MAX]; /* where each open one begins in out */
	int depth;
	size_t atom;   /* where the last thing that is repeated begins */
	bool started;  /* something stands in the group */
	bool any_case; /* the flag i holds */
	bool outside[DEPTH_MAX]; /* held before each open group */
	uint32_t last;           /* the character just read, or NO_CHAR */
	struct bt_folds folds;
	struct bt_error *err;
};

#define NO_CHAR UINT32_MAX

static int refuse(struct reader *r, const char *what)
{
	return bt_error_set(
	    r->err, BT_EFORMAT,
	    "the regular expression '%.*s' is not supported: %s at byte %zu",
	    (int)(r->in.n < 200 ? r->in.n : 200), r->in.p, what, r->at);
}

/* Where case does not count, refuses a character that is several characters in
 * another case or, outside of a class, part of several that are one. In a class
 * from is where its range begins, else it is the character before it. */
static int check_case(struct reader *r, uint32_t from, bool inside)
{
	uint32_t c = bt_utf8_get((const uint8_t *)r->in.p + r->at);

	if (!r->any_case)
		return BT_OK;
	if (bt_folds_have(&r->folds, inside && from < c ? from : c, c) ||
	    (!inside && from != NO_CHAR && bt_folds_begin(&r->folds, from, c)))
		return refuse(r, "what is several characters in another case");
	return BT_OK;
}

static bool ahead(const struct reader *r, const char *s)
{
	size_t n = strlen(s);

	return r->in.n - r->at >= n && memcmp(r->in.p + r->at, s, n) == 0;
}

static int peek(const struct reader *r, size_t more)
{
	return more < r->in.n - r->at ? (uint8_t)r->in.p[r->at + more] : -1;
}

/* Copies n bytes. */
static void take(struct reader *r, size_t n)
{
	bt_buf_put(r->out, r->in.p + r->at, n);
	r->at += n;
}

static bool is_hex(int c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	       (c >= 'A' && c <= 'F');
}

/* A class by another name: with "[" and "]" around it outside of one. */
static int put_class(struct reader *r, const char *set, bool negated,
                     bool inside)
{
	if (inside && negated)
		return refuse(r, "such a class in another");
	if (inside && strcmp(set, WORD) == 0)
		set = IN_CLASS;
	if (!inside)
		bt_buf_puts(r->out, negated ? "[^" : "[");
	bt_buf_puts(r->out, set);
	if (!inside)
		bt_buf_puts(r->out, "]");
	return BT_OK;
}

/* Names of properties that are PCRE2's, too, or something else there; others
 * are scripts. */
static const char *const names[][2] = {
    {"alnum", "\\p{Alphabetic}\\p{Nd}"},
    {"alpha", "\\p{Alphabetic}"},
    {"alphabetic", "\\p{Alphabetic}"},
    {"digit", "\\p{Nd}"},
    {"lower", "\\p{Lowercase}"},
    {"lowercase", "\\p{Lowercase}"},
    {"upper", "\\p{Uppercase}"},
    {"uppercase", "\\p{Uppercase}"},
    {"space", SPACE},
    {"whitespace", SPACE},
    {"word", WORD},
    {"xdigit", HEX},
    {"punct", "\\p{P}"},
    {"blank", "\\t\\p{Zs}"},
    {"graph", "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Cf}\\p{Co}"},
    {"print", "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Cf}\\p{Co}\\p{Zs}"},
    {"any", "\\x{0}-\\x{10ffff}"},
    {"ascii", "\\x{0}-\\x{7f}"},
    {"emoji", "\\p{Emoji}"},
    {"extendedpictographic", "\\p{Extended_Pictographic}"},
    {"ideographic", "\\p{Ideographic}"},
    {"letter", "\\p{L}"},
    {"uppercaseletter", "\\p{Lu}"},
    {"lowercaseletter", "\\p{Ll}"},
    {"titlecaseletter", "\\p{Lt}"},
    {"modifierletter", "\\p{Lm}"},
    {"otherletter", "\\p{Lo}"},
    {"mark", "\\p{M}"},
    {"nonspacingmark", "\\p{Mn}"},
    {"number", "\\p{N}"},
    {"decimalnumber", "\\p{Nd}"},
    {"punctuation", "\\p{P}"},
    {"symbol", "\\p{S}"},
    {"separator", "\\p{Z}"},
    {"other", "\\p{C}"},
    {"control", "\\p{Cc}"},
};

/* The set that a name, without case, spaces and such, stands for, or NULL. */
static const char *find_name(const char *s, size_t n)
{
	char plain[32];
	size_t i, k = 0;
	int row;

	for (i = 0; i < n && k + 1 < sizeof(plain); i++)
		if (s[i] != '_' && s[i] != ' ' && s[i] != '-')
			plain[k++] =
			    (char)(s[i] >= 'A' && s[i] <= 'Z' ? s[i] + 'a' - 'A'
			                                      : s[i]);
	plain[k] = '\0';
	row = bt_str_find(plain, names[0], sizeof(names) / sizeof(names[0]),
	                  sizeof(names[0]));
	return row >= 0 ? names[row][1] : NULL;
}

/* \p{...}, \P{...}: general categories are the same, scripts mean the script
 * alone. */
static int read_property(struct reader *r, bool inside)
{
	bool negated = r->in.p[r->at + 1] == 'P';
	const char *name, *end, *set;
	size_t n;

	if (peek(r, 2) != '{')
		return refuse(r, "a property without '{'");
	name = r->in.p + r->at + 3;
	end = memchr(name, '}', r->in.n - r->at - 3);
	if (end == NULL)
		return refuse(r, "a property without '}'");
	if (*name == '^') {
		negated = !negated;
		name++;
	}
	n = (size_t)(end - name);
	set = find_name(name, n);
	if (set != NULL) {
		r->at = (size_t)(end + 1 - r->in.p);
		return put_class(r, set, negated, inside);
	}
	bt_buf_printf(r->out, "\\%c{%s", negated ? 'P' : 'p',
	              n > 2 ? "sc:" : "");
	bt_buf_put(r->out, name, n);
	bt_buf_putc(r->out, '}');
	r->at = (size_t)(end + 1 - r->in.p);
	return BT_OK;
}

/* \uHHHH and \xHH */
static int read_code(struct reader *r)
{
	size_t most = r->in.p[r->at + 1] == 'u' ? 4 : 2, n = 0;

	if (ahead(r, "\\x{")) {
		take(r, 3);
		return BT_OK; /* the rest is plain text in both */
	}
	while (n < most && is_hex(peek(r, 2 + n)))
		n++;
	if ((most == 4 && n < 4) || n == 0)
		return refuse(r, "a code without its digits");
	if (n == 2 && most == 2 && (uint8_t)r->in.p[r->at + 2] >= '8')
		return refuse(r, "a byte that is not a character");
	bt_buf_puts(r->out, "\\x{");
	bt_buf_put(r->out, r->in.p + r->at + 2, n);
	bt_buf_putc(r->out, '}');
	r->at += 2 + n;
	return BT_OK;
}

/* Sets that have a letter of their own. */
static const char *set_of(int c)
{
	switch (c) {
	case 's':
	case 'S':
		return SPACE;
	case 'w':
	case 'W':
		return WORD;
	case 'h':
	case 'H':
		return HEX;
	case 'd':
	case 'D':
		return "\\p{Nd}";
	default:
		return NULL;
	}
}

static int read_escape(struct reader *r, bool inside)
{
	int c = peek(r, 1);
	const char *set = set_of(c);
	int e;

	if (c < 0)
		return refuse(r, "a backslash at its end");
	if (set != NULL) {
		e = put_class(r, set, c < 'a', inside);
		r->at += 2;
		return e;
	}
	if (c == 'p' || c == 'P')
		return read_property(r, inside);
	if (c == 'u' || c == 'x')
		return read_code(r);
	if (c == 'v') {
		bt_buf_puts(r->out, "\\x{b}");
		r->at += 2;
		return BT_OK;
	}
	if (!inside && (c == 'b' || c == 'B')) {
		bt_buf_puts(r->out, c == 'b'
		                        ? "(?:(?<=[" WORD "])(?![" WORD "])|"
		                          "(?<![" WORD "])(?=[" WORD "]))"
		                        : "(?:(?<=[" WORD "])(?=[" WORD "])|"
		                          "(?<![" WORD "])(?![" WORD "]))");
		r->at += 2;
		return BT_OK;
	}
	if (c < 0x80 && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) &&
	    strchr(inside ? "abefnrt" : "aefnrtAzZRX", c) == NULL)
		return refuse(r, "an escape");
	take(r, 1 + bt_utf8_len((uint8_t)c));
	return BT_OK;
}

/* [:name:] in a class */
static int read_posix(struct reader *r)
{
	const char *p = r->in.p + r->at + 2, *end, *set;
	size_t left = r->in.n - r->at - 2;
	bool negated = left > 0 && *p == '^';

	end = memchr(p, ':', left);
	if (end == NULL || (size_t)(end - p) + 1 >= left || end[1] != ']')
		return refuse(r, "a class in another");
	set = find_name(p + negated, (size_t)(end - p) - negated);
	if (bt_str_is(set, "\\p{P}"))
		set = "\\p{P}\\p{S}"; /* is more in this form */
	if (set != NULL) {
		if (put_class(r, set, negated, true) != BT_OK)
			return BT_EFORMAT;
		r->at = (size_t)(end + 2 - r->in.p);
		return BT_OK;
	}
	take(r, (size_t)(end + 2 - r->in.p) - r->at);
	return BT_OK;
}

/* A character in a class, which may end a range. */
static int read_plain(struct reader *r)
{
	bool range = r->in.p[r->at - 1] == '-' && r->last != NO_CHAR;
	uint32_t c = bt_utf8_get((const uint8_t *)r->in.p + r->at);
	int e = check_case(r, range ? r->last : c, true);

	if (c != '-')
		r->last = c;
	take(r, bt_utf8_len((uint8_t)r->in.p[r->at]));
	return e;
}

/* One thing in a class; *nest counts those around it that are part of it, as
 * "bc" is in [a[bc]]. */
static int read_member(struct reader *r, int *nest)
{
	if (peek(r, 0) < 0)
		return refuse(r, "a class without its end");
	if (ahead(r, "&&"))
		return refuse(r, "an intersection");
	if (ahead(r, "[:"))
		return read_posix(r);
	if (ahead(r, "[^") || ahead(r, "[]"))
		return refuse(r, "such a class in another");
	if (peek(r, 0) == '\\') {
		r->last = NO_CHAR;
		return read_escape(r, true);
	}
	if (peek(r, 0) != '[' && peek(r, 0) != ']')
		return read_plain(r);
	*nest += peek(r, 0) == '[' ? 1 : -1;
	r->at++;
	return BT_OK;
}

static int read_set(struct reader *r)
{
	int e = BT_OK, nest = 0;

	take(r, 1);
	if (peek(r, 0) == '^')
		take(r, 1);
	if (peek(r, 0) == ']')
		return refuse(r, "an empty class");
	r->last = NO_CHAR;
	while (e == BT_OK && (nest > 0 || peek(r, 0) != ']'))
		e = read_member(r, &nest);
	r->last = NO_CHAR;
	if (e == BT_OK)
		take(r, 1);
	return e;
}

/* (?im-im) or (?im-im: with m for a dot that matches line ends, too. */
static int read_flags(struct reader *r)
{
	bool on = true;

	take(r, 2);
	while (peek(r, 0) == 'i' || peek(r, 0) == 'm' || peek(r, 0) == '-') {
		on = on && peek(r, 0) != '-';
		if (peek(r, 0) == 'i')
			r->any_case = on;
		bt_buf_putc(r->out,
		            (char)(peek(r, 0) == 'm' ? 's' : peek(r, 0)));
		r->at++;
	}
	if (peek(r, 0) == ':') {
		take(r, 1);
		r->started = false;
		return BT_OK;
	}
	/* after an atom, their scope differs between the two */
	if (peek(r, 0) != ')' || r->started)
		return refuse(r, "flags");
	take(r, 1);
	r->depth--;
	return BT_OK;
}

static int read_group(struct reader *r)
{
	static const char *const kinds[] = {"(?:", "(?=",  "(?!",
	                                    "(?>", "(?<=", "(?<!"};
	bool started = r->started;
	size_t i;

	if (r->depth == DEPTH_MAX)
		return refuse(r, "a group too deep");
	r->outside[r->depth] = r->any_case;
	r->group[r->depth++] = r->out->len;
	r->started = false;
	if (ahead(r, "(*"))
		return refuse(r, "a verb");
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (ahead(r, kinds[i])) {
			take(r, strlen(kinds[i]));
			return BT_OK;
		}
	if (ahead(r, "(?<")) {
		take(r, 3); /* a name */
		return BT_OK;
	}
	if (ahead(r, "(?")) {
		r->started = started;
		return read_flags(r);
	}
	take(r, 1);
	return BT_OK;
}

/* Reads {n}, {n,}, {,n} or {n,m}. Returns false where the brace begins none of
 * these and is text. */
static bool read_counts(struct reader *r, bool *range)
{
	size_t i = 1, low = 0, high = 0;

	for (; peek(r, i) >= '0' && peek(r, i) <= '9'; i++)
		low++;
	*range = peek(r, i) == ',';
	if (*range)
		for (i++; peek(r, i) >= '0' && peek(r, i) <= '9'; i++)
			high++;
	if (peek(r, i) != '}' || low + high == 0)
		return false;
	bt_buf_puts(r->out, low == 0 ? "{0" : "{");
	r->at++;
	take(r, i);
	return true;
}

/* A brace after an atom. In Oniguruma a plus after it repeats the whole, and so
 * does a question mark after {n}. */
static void read_brace(struct reader *r)
{
	struct bt_buf tail = BT_BUF_INIT;
	bool range;

	if (!read_counts(r, &range)) {
		bt_buf_puts(r->out, "\\{");
		r->at++;
		return;
	}
	if (peek(r, 0) != '+' && (peek(r, 0) != '?' || range))
		return;
	bt_buf_put(&tail, bt_buf_at(r->out, r->atom), r->out->len - r->atom);
	r->out->len = r->atom;
	bt_buf_puts(r->out, "(?:");
	bt_buf_put(r->out, bt_buf_at(&tail, 0), tail.len);
	bt_buf_putc(r->out, ')');
	r->out->oom |= tail.oom;
	bt_buf_clear(&tail);
}

static int read_one(struct reader *r)
{
	int c = peek(r, 0);
	size_t from = r->out->len;
	uint32_t last = r->last;
	int e = BT_OK;

	r->last = NO_CHAR;
	if (c == '(')
		return read_group(r);
	if (c == ')') {
		if (r->depth == 0)
			return refuse(r, "a ')' without its '('");
		r->atom = r->group[--r->depth];
		r->any_case = r->outside[r->depth];
		r->started = true;
		take(r, 1);
		return BT_OK;
	}
	if (c == '{') {
		read_brace(r);
		return BT_OK;
	}
	if (c == '*' || c == '+' || c == '?' || c == '|') {
		take(r, 1);
		return BT_OK;
	}
	if (c == '\\')
		e = read_escape(r, false);
	else if (c == '[')
		e = read_set(r);
	else {
		e = check_case(r, last, false);
		r->last = bt_utf8_get((const uint8_t *)r->in.p + r->at);
		take(r, bt_utf8_len((uint8_t)c));
	}
	r->atom = from;
	r->started = true;
	return e;
}

int bt_regex_read(struct bt_span pattern, struct bt_buf *out,
                  struct bt_error *err)
{
	struct reader r = {
	    .in = pattern, .out = out, .last = NO_CHAR, .err = err};
	int e = BT_OK;

	while (e == BT_OK && r.at < pattern.n)
		e = read_one(&r);
	if (e == BT_OK && r.depth > 0)
		e = refuse(&r, "a '(' without its ')'");
	if (out->oom)
		return bt_error_nomem(err, "reading a regular expression");
	return e;
}
