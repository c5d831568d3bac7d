/* SPDX-License-Identifier: MIT */
/*
 * The file is looked at once, up to its model's members. A value is taken if it
 * is strict JSON and says nothing unusual. What is around it is only skipped:
 * jansson reads that, with {} or [] in place of the value, and if it finds it
 * to be JSON, then the value stands where it seemed to.
 */
#include "tokenizer_file/fast_vocab_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "format/charset.h"
#include "format/json.h"
#include "io/in.h"
#include "tokenizer_file/json_score_int.h"

#define MAX_FILE ((size_t)256 << 20)
#define LEAST_ENTRY 5 /* bytes: "":0, */
#define NO_CHAR UINT32_MAX

int bt_merges_add(struct bt_merges *l, struct bt_span a, struct bt_span b,
                  struct bt_error *err)
{
	if (bt_grow(&l->merge, &l->cap, l->n + 1, sizeof(*l->merge)) != BT_OK)
		return bt_error_nomem(err, "reading merges");
	l->merge[l->n].a = a;
	l->merge[l->n++].b = b;
	return BT_OK;
}

int bt_merges_add_line(struct bt_merges *l, struct bt_span s,
                       struct bt_error *err)
{
	static const char version[] = "#version";
	const char *space = s.n > 0 ? memchr(s.p, ' ', s.n) : NULL;
	struct bt_span a = s, b;

	if (s.n >= strlen(version) &&
	    memcmp(s.p, version, strlen(version)) == 0)
		return BT_OK;
	if (space == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "'%.*s' is not two tokens with a space",
		                    (int)(s.n < 100 ? s.n : 100), s.p);
	a.n = (size_t)(space - s.p);
	b.p = space + 1;
	b.n = s.n - a.n - 1;
	if (memchr(b.p, ' ', b.n) != NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "'%.*s' has more than one space",
		                    (int)(s.n < 100 ? s.n : 100), s.p);
	return bt_merges_add(l, a, b, err);
}

/* A NUL stands behind the text, and no loop goes beyond one. */
struct scan {
	const char *p, *end;
	char *room; /* for strings without their escapes, or NULL */
	struct bt_fast_vocab *b;
	struct bt_span cut[2]; /* values that were taken, in their order */
	int cuts;
	bool model;
};

static inline void skip_blanks(struct scan *s)
{
	while (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r')
		s->p++;
}

/* Goes behind c, and blanks around it, if it is next. */
static inline bool take(struct scan *s, char c)
{
	skip_blanks(s);
	if (*s->p != c)
		return false;
	s->p++;
	skip_blanks(s);
	return true;
}

/* True in the middle of a string. */
static inline bool is_plain(char c)
{
	return (unsigned char)c >= ' ' && c != '"' && c != '\\';
}

/* Behind the 'u' of an escape: its character, or NO_CHAR. */
static uint32_t take_unicode(struct scan *s)
{
	int c = bt_parse_hex4(s->p), low;

	if (c < 0 || (c >= 0xdc00 && c < 0xe000))
		return NO_CHAR;
	s->p += 4;
	if (c < 0xd800 || c >= 0xe000)
		return (uint32_t)c;
	low = s->p[0] == '\\' && s->p[1] == 'u' ? bt_parse_hex4(s->p + 2) : -1;
	if (low < 0xdc00 || low >= 0xe000)
		return NO_CHAR;
	s->p += 6;
	return 0x10000 + ((uint32_t)(c - 0xd800) << 10) +
	       (uint32_t)(low - 0xdc00);
}

/* At a backslash; its character, or NO_CHAR. */
static uint32_t take_escape(struct scan *s)
{
	static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	char c = s->p[1];
	const char *at;

	s->p += c != '\0' ? 2 : 1;
	if (c == 'u')
		return take_unicode(s);
	at = c != '\0' ? strchr(letters, c) : NULL;
	return at != NULL ? (uint32_t)bytes[at - letters] : NO_CHAR;
}

/* The rest of a string that began at first, from its first escape on. */
static bool take_escaped(struct scan *s, const char *first, struct bt_span *v)
{
	size_t n = (size_t)(s->p - first);
	uint32_t c;
	char *to;

	/* no string grows by losing its escapes */
	if (s->room == NULL) {
		to = bt_array((size_t)(s->end - first), 1);
		if (to == NULL)
			return false;
		if (bt_vocab_own(&s->b->vocab, to) != BT_OK) {
			free(to);
			return false;
		}
		s->room = to;
	}
	v->p = to = s->room;
	memcpy(to, first, n);
	to += n;
	for (;;) {
		if (is_plain(*s->p)) {
			*to++ = *s->p++;
		} else if (*s->p == '\\') {
			c = take_escape(s);
			if (c == NO_CHAR)
				return false;
			to += bt_utf8_put((uint8_t *)to, c);
		} else {
			break;
		}
	}
	v->n = (size_t)(to - v->p);
	s->room = to;
	return *s->p++ == '"';
}

/* A string, if it is next. */
static bool take_string(struct scan *s, struct bt_span *v)
{
	const char *p = s->p, *first = p + 1;

	if (*p != '"')
		return false;
	for (p++; is_plain(*p); p++)
		;
	s->p = p;
	if (*p == '\\')
		return take_escaped(s, first, v);
	v->p = first;
	v->n = (size_t)(p - first);
	s->p++;
	return *p == '"';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A number of a token, below BT_VOCAB_MAX. */
static bool take_id(struct scan *s, size_t *id)
{
	size_t v = 0;

	if (!is_digit(*s->p) || (*s->p == '0' && is_digit(s->p[1])))
		return false;
	while (is_digit(*s->p) && v < BT_VOCAB_MAX)
		v = v * 10 + (size_t)(*s->p++ - '0');
	*id = v;
	return v < BT_VOCAB_MAX;
}

/* Puts a token at an id that has none yet; max is more than any can be. */
static bool put(struct bt_vocab *v, size_t id, struct bt_span s, size_t max)
{
	static const struct bt_span none = {NULL, 0};

	if (id > max ||
	    bt_grow(&v->token, &v->cap, id + 1, sizeof(*v->token)) != BT_OK)
		return false;
	while (v->n <= id)
		v->token[v->n++] = none;
	if (v->token[id].p != NULL)
		return false;
	v->token[id] = s;
	return true;
}

/* The object of tokens and ids that is next. */
static bool take_ids(struct scan *s)
{
	struct bt_vocab *v = &s->b->vocab;
	size_t max = (size_t)(s->end - s->p) / LEAST_ENTRY * 16, n = 0, id, i;
	struct bt_span token;

	take(s, '{');
	do {
		skip_blanks(s);
		if (!take_string(s, &token) || !take(s, ':') ||
		    !take_id(s, &id) || !put(v, id, token, max))
			return false;
		n++;
	} while (take(s, ','));
	if (!take(s, '}') || (v->n - 1) / 16 > n)
		return false;
	for (i = 0; i < v->n; i++)
		if (v->token[i].p == NULL)
			v->token[i] = (struct bt_span){"", 0};
	s->b->kind = BT_FAST_VOCAB_IDS;
	return bt_vocab_index(v, 0, NULL) == BT_OK;
}

/* The list of pieces and scores that is next. */
static bool take_pieces(struct scan *s)
{
	struct bt_vocab *v = &s->b->vocab;
	struct bt_span piece;
	size_t cap = 0;

	take(s, '[');
	do {
		if (!take(s, '[') || !take_string(s, &piece) || !take(s, ',') ||
		    v->n == BT_VOCAB_MAX ||
		    bt_grow(&s->b->score, &cap, v->n + 1,
		            sizeof(*s->b->score)) != BT_OK ||
		    !bt_json_score_read(&s->p, &s->b->score[v->n]) ||
		    !take(s, ']') || !put(v, v->n, piece, BT_VOCAB_MAX))
			return false;
	} while (take(s, ','));
	s->b->kind = BT_FAST_VOCAB_SCORES;
	return take(s, ']');
}

/* "a b" or ["a", "b"] */
static bool take_merge(struct scan *s)
{
	struct bt_merges *l = &s->b->merges;
	struct bt_span x, y;

	if (*s->p != '[')
		return take_string(s, &x) &&
		       bt_merges_add_line(l, x, NULL) == BT_OK;
	return take(s, '[') && take_string(s, &x) && take(s, ',') &&
	       take_string(s, &y) && take(s, ']') &&
	       bt_merges_add(l, x, y, NULL) == BT_OK;
}

static bool take_merges(struct scan *s)
{
	s->b->has_merges = true;
	take(s, '[');
	if (take(s, ']'))
		return true;
	do {
		skip_blanks(s);
		if (!take_merge(s))
			return false;
	} while (take(s, ','));
	return take(s, ']');
}

/* Goes behind the string that is next, whatever it is. */
static bool skip_string(struct scan *s)
{
	for (s->p++; *s->p != '"'; s->p++) {
		if (*s->p == '\\')
			s->p++;
		if (*s->p == '\0')
			return false;
	}
	s->p++;
	return true;
}

/* Goes behind the value that is next, if it is one. */
static bool skip_value(struct scan *s)
{
	size_t depth = 0;

	do {
		switch (*s->p) {
		case '\0':
			return false;
		case '"':
			if (!skip_string(s))
				return false;
			continue;
		case '{':
		case '[':
			depth++;
			break;
		case '}':
		case ']':
			if (depth == 0)
				return true;
			depth--;
			break;
		case ',':
			if (depth == 0)
				return true;
			break;
		}
		s->p++;
	} while (depth > 0 || (*s->p != ',' && *s->p != '}'));
	return true;
}

/* Takes the value that is next away from what jansson reads. */
static bool cut(struct scan *s, bool (*value)(struct scan *))
{
	const char *from = s->p;
	size_t n;

	if (!value(s))
		return false;
	n = (size_t)(s->p - from);
	s->cut[s->cuts++] = (struct bt_span){from, n};
	return bt_charset_check(BT_CHARSET_UTF8, from, n) == n;
}

/* A member of the model. */
static bool take_part(struct scan *s, struct bt_span key)
{
	if (bt_span_equal(key, bt_span("vocab"))) {
		if (s->b->kind != BT_FAST_VOCAB_NONE)
			return false;
		if (*s->p == '{')
			return cut(s, take_ids);
		if (*s->p == '[')
			return cut(s, take_pieces);
		return false;
	}
	if (bt_span_equal(key, bt_span("merges")))
		return !s->b->has_merges && *s->p == '[' && cut(s, take_merges);
	return skip_value(s);
}

/* Goes through the members of the object that is next. A key that is written
 * with escapes could be one that was looked for. */
static bool take_object(struct scan *s,
                        bool (*member)(struct scan *, struct bt_span key))
{
	struct bt_span key;

	if (!take(s, '{'))
		return false;
	do {
		skip_blanks(s);
		key.p = s->p + 1;
		if (*s->p != '"' || !skip_string(s))
			return false;
		key.n = (size_t)(s->p - 1 - key.p);
		if (memchr(key.p, '\\', key.n) != NULL || !take(s, ':') ||
		    !member(s, key))
			return false;
	} while (take(s, ','));
	return take(s, '}');
}

static bool take_member(struct scan *s, struct bt_span key)
{
	if (!bt_span_equal(key, bt_span("model")))
		return skip_value(s);
	if (s->model)
		return false;
	s->model = true;
	return take_object(s, take_part);
}

/* Parses the text without what was taken; what is wrong with it is not said. */
static int parse_rest(const struct scan *s, const char *data, json_t **rest)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *from = data;
	int i, r;

	for (i = 0; i < s->cuts; i++) {
		bt_buf_put(&b, from, (size_t)(s->cut[i].p - from));
		bt_buf_puts(&b, *s->cut[i].p == '{' ? "{}" : "[]");
		from = s->cut[i].p + s->cut[i].n;
	}
	bt_buf_put(&b, from, (size_t)(s->end - from));
	r = b.oom ? BT_ENOMEM
	          : bt_json_parse_nul("", b.data, b.len, rest, NULL);
	bt_buf_clear(&b);
	return r;
}

void bt_fast_vocab_clear(struct bt_fast_vocab *b)
{
	bt_vocab_clear(&b->vocab);
	free(b->score);
	free(b->merges.merge);
	memset(b, 0, sizeof(*b));
}

/* Reads a file with take_all; where that fails, all of the file is in *rest. */
static int read_file(const char *path, struct bt_fast_vocab *b, json_t **rest,
                     bool (*take_all)(struct scan *, const char *data,
                                      json_t **rest),
                     struct bt_error *err)
{
	struct scan s = {.b = b};
	char *data, name[300];
	size_t n;
	int r;

	memset(b, 0, sizeof(*b));
	*rest = NULL;
	r = bt_in_whole(path, MAX_FILE, &data, &n, err);
	if (r != BT_OK)
		return r;
	s.p = data;
	s.end = data + n;
	if (take_all(&s, data, rest) && bt_vocab_own(&b->vocab, data) == BT_OK)
		return BT_OK;
	json_decref(*rest);
	bt_fast_vocab_clear(b);
	snprintf(name, sizeof(name), "'%s'", path);
	r = bt_json_parse_nul(name, data, n, rest, err);
	free(data);
	return r;
}

static bool take_tokenizer(struct scan *s, const char *data, json_t **rest)
{
	return take_object(s, take_member) && s->cuts > 0 &&
	       parse_rest(s, data, rest) == BT_OK;
}

static bool take_vocab(struct scan *s, const char *data, json_t **rest)
{
	(void)data;
	(void)rest;
	skip_blanks(s);
	return *s->p == '{' && cut(s, take_ids) && s->p == s->end;
}

int bt_fast_vocab_read(const char *path, struct bt_fast_vocab *b, json_t **rest,
                       struct bt_error *err)
{
	return read_file(path, b, rest, take_tokenizer, err);
}

int bt_fast_vocab_read_vocab(const char *path, struct bt_fast_vocab *b,
                             json_t **rest, struct bt_error *err)
{
	return read_file(path, b, rest, take_vocab, err);
}
