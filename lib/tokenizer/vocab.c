/* SPDX-License-Identifier: MIT */
#include "tokenizer/vocab.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "format/charset.h"
#include "io/in.h"
#include "unicode/bert_char_class.h"

#define MAX_FILE ((size_t)64 << 20)

int bt_vocab_own(struct bt_vocab *v, char *text)
{
	int r =
	    bt_grow(&v->text, &v->texts_cap, v->texts + 1, sizeof(*v->text));

	if (r == BT_OK)
		v->text[v->texts++] = text;
	return r;
}

int bt_vocab_add(struct bt_vocab *v, struct bt_span s, struct bt_error *err)
{
	if (bt_grow(&v->token, &v->cap, v->n + 1, sizeof(*v->token)) != BT_OK)
		return bt_error_nomem(err, "reading a vocabulary");
	v->token[v->n++] = s;
	return BT_OK;
}

static bool is_white(uint32_t c)
{
	return bt_char_is_white(BT_CHAR_DIALECT_GOOGLE, c);
}

static struct bt_span trimmed(struct bt_span s)
{
	const uint8_t *p = (const uint8_t *)s.p, *end = p + s.n, *q;

	while (p < end && is_white(bt_utf8_get(p)))
		p += bt_utf8_len(*p);
	while (end > p) {
		q = bt_utf8_back(end);
		if (!is_white(bt_utf8_get(q)))
			break;
		end = q;
	}
	s.p = (const char *)p;
	s.n = (size_t)(end - p);
	return s;
}

/* True if there are lines and all of them end in \r\n. */
static bool is_crlf(const char *p, size_t n)
{
	const char *end = p + n, *nl;
	bool any = false;

	while (p < end && (nl = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		if (nl == p || nl[-1] != '\r')
			return false;
		any = true;
		p = nl + 1;
	}
	return any;
}

static int read_lines(struct bt_vocab *v, const char *p, size_t n, bool trim,
                      struct bt_error *err)
{
	bool crlf = is_crlf(p, n);
	const char *end = p + n, *nl;
	struct bt_span s;
	size_t good;
	int r;

	while (p < end) {
		nl = memchr(p, '\n', (size_t)(end - p));
		s.p = p;
		s.n = (size_t)((nl != NULL ? nl : end) - p);
		p = nl != NULL ? nl + 1 : end;
		if (nl != NULL && crlf)
			s.n--;
		good = bt_charset_check(BT_CHARSET_UTF8, s.p, s.n);
		if (good != s.n)
			return bt_error_set(err, BT_EFORMAT,
			                    "line %zu is not valid UTF-8 "
			                    "(byte %zu of the line)",
			                    v->n + 1, good);
		if (trim)
			s = trimmed(s);
		if (v->n == BT_VOCAB_MAX)
			return bt_error_set(err, BT_ELIMIT,
			                    "more than %zu tokens", v->n);
		r = bt_vocab_add(v, s, err);
		if (r != BT_OK)
			return r;
	}
	return BT_OK;
}

int bt_vocab_read(struct bt_vocab *v, const char *path, bool trim,
                  struct bt_error *err)
{
	char *data;
	size_t n;
	int r = bt_in_whole(path, MAX_FILE, &data, &n, err);

	if (r != BT_OK)
		return r;
	if (bt_vocab_own(v, data) != BT_OK) {
		free(data);
		return bt_error_nomem(err, "reading a vocabulary");
	}
	r = read_lines(v, data, n, trim, err);
	if (r != BT_OK)
		bt_error_prefix(err, "'%s'", path);
	return r;
}

int bt_vocab_put(struct bt_vocab *v, size_t id, struct bt_span s,
                 struct bt_error *err)
{
	char *copy = bt_strndup(s.p, s.n);
	int r = BT_OK;

	if (copy == NULL || bt_vocab_own(v, copy) != BT_OK) {
		free(copy);
		return bt_error_nomem(err, "reading a vocabulary");
	}
	while (r == BT_OK && v->n < id)
		r = bt_vocab_add(v, (struct bt_span){copy + s.n, 0}, err);
	return r == BT_OK ? bt_vocab_add(v, (struct bt_span){copy, s.n}, err)
	                  : r;
}

int bt_vocab_index(struct bt_vocab *v, int base, struct bt_error *err)
{
	size_t same[2];
	int r = bt_trie_init(&v->trie, v->token, v->n, same, err);

	if (r != BT_EFORMAT)
		return r;
	return bt_error_set(
	    err, BT_EFORMAT, "the token '%.*s' is there twice: %s %zu and %zu",
	    (int)(v->token[same[0]].n < 100 ? v->token[same[0]].n : 100),
	    v->token[same[0]].p, base == 0 ? "ids" : "lines",
	    same[0] + (size_t)base, same[1] + (size_t)base);
}

int64_t bt_vocab_find(const struct bt_vocab *v, struct bt_span s)
{
	return s.n == 0 ? -1 : bt_trie_find(&v->trie, s.p, s.n);
}

bool bt_vocab_is_lower(const struct bt_vocab *v)
{
	const uint8_t *p, *end;
	uint32_t c, low[BT_CHAR_LOWER_MAX];
	size_t i;

	for (i = 0; i < v->n; i++) {
		p = (const uint8_t *)v->token[i].p;
		end = p + v->token[i].n;
		if (p < end && ((*p == '[' && end[-1] == ']') ||
		                (*p == '<' && end[-1] == '>')))
			continue;
		for (; p < end; p += bt_utf8_len(*p)) {
			c = bt_utf8_get(p);
			if (c < 0x80) {
				if (c >= 'A' && c <= 'Z')
					return false;
				continue;
			}
			bt_char_lower(BT_CHAR_DIALECT_HF, c, low);
			if (low[0] != c)
				return false;
		}
	}
	return true;
}

void bt_vocab_clear(struct bt_vocab *v)
{
	size_t i;

	for (i = 0; i < v->texts; i++)
		free(v->text[i]);
	free(v->text);
	free(v->token);
	bt_trie_clear(&v->trie);
	memset(v, 0, sizeof(*v));
}
