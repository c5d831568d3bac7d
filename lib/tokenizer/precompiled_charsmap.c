/* SPDX-License-Identifier: MIT */
/*
 * A unit of the double array: bits 0-7 the label, bit 8 set where a key ends in
 * the node, bits 10-30 the offset to its children, shifted by eight more where
 * bit 9 is set. From the node at place p, whose children's base is p ^ offset,
 * the byte c leads to base ^ c if that has the label c; base ^ 0 keeps the
 * value of a key that ends, a place in the pool.
 */
#include "tokenizer/precompiled_charsmap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "format/charset.h"
#include "tokenizer/component_int.h"

#define LEAF 0x100u
#define FAR 0x200u
#define LABEL (1u << 31 | 0xffu)
#define VALUE ~(1u << 31)
#define CLUSTER_MAX 6 /* clusters of so many bytes are taken apart */

static size_t offset_of(uint32_t unit)
{
	return (size_t)(unit >> 10) << ((unit & FAR) >> 6);
}

/* The text at a value, p NULL if that is nowhere. */
static struct bt_span value_at(const struct bt_charsmap *m, size_t node)
{
	struct bt_span none = {NULL, 0};
	size_t at;

	if (node >= m->units)
		return none;
	at = m->unit[node] & VALUE;
	if (at > m->pool_n || ((uint8_t)m->pool[at] & 0xc0) == 0x80)
		return none;
	return bt_span(m->pool + at);
}

/* Walks on by c from the children's base *node; false: there is no such key. */
static inline bool step(const struct bt_charsmap *m, size_t *node, uint8_t c,
                        bool *ends)
{
	size_t to = *node ^ c;
	uint32_t unit;

	if (c == 0 || to >= m->units)
		return false;
	unit = m->unit[to];
	if ((unit & LABEL) != c)
		return false;
	*node = to ^ offset_of(unit);
	*ends = (unit & LEAF) != 0;
	return true;
}

/* The replacement of the shortest key that begins text[0 .. n-1], p NULL where
 * there is none. *len is the length of the key. */
static struct bt_span shortest(const struct bt_charsmap *m, const uint8_t *text,
                               size_t n, size_t *len)
{
	struct bt_span none = {NULL, 0};
	size_t node = m->units > 0 ? offset_of(m->unit[0]) : 0, i;
	bool ends;

	for (i = 0; i < n && step(m, &node, text[i], &ends); i++)
		if (ends) {
			*len = i + 1;
			return value_at(m, node);
		}
	return none;
}

static struct bt_span longest(const struct bt_charsmap *m, const uint8_t *text,
                              size_t n, size_t *len)
{
	struct bt_span found = {NULL, 0}, v;
	size_t node = m->units > 0 ? offset_of(m->unit[0]) : 0, i;
	bool ends;

	for (i = 0; i < n && step(m, &node, text[i], &ends); i++) {
		if (!ends)
			continue;
		v = value_at(m, node);
		if (v.p != NULL) {
			found = v;
			*len = i + 1;
		}
	}
	return found;
}

static int bad(struct bt_error *err, const char *why)
{
	return bt_error_set(err, BT_EFORMAT, "the character map %s", why);
}

int bt_charsmap_init(struct bt_charsmap *m, const void *data, size_t n,
                     struct bt_error *err)
{
	const char *p = data;
	size_t node;
	uint32_t size;
	uint8_t c;
	bool ends;
	int r;

	memset(m, 0, sizeof(*m));
	if (n < sizeof(size))
		return bad(err, "is shorter than its first number");
	memcpy(&size, p, sizeof(size));
	p += sizeof(size);
	n -= sizeof(size);
	if (size > n || size % sizeof(*m->unit) != 0 || size == 0)
		return bad(err, "states a size that it does not have");
	m->pool_n = n - size;
	if (bt_charset_check(BT_CHARSET_UTF8, p + size, m->pool_n) != m->pool_n)
		return bad(err, "holds text that is not UTF-8");
	m->units = size / sizeof(*m->unit);
	m->unit = bt_array(m->units, sizeof(*m->unit));
	m->pool = bt_strndup(p + size, m->pool_n);
	if (m->unit == NULL || m->pool == NULL) {
		bt_charsmap_clear(m);
		return bt_error_nomem(err, "reading a character map");
	}
	memcpy(m->unit, p, size);
	for (c = 1; c < 128; c++) { /* those that may begin a key */
		node = offset_of(m->unit[0]);
		m->ascii[c] = step(m, &node, c, &ends);
	}
	r = bt_graphemes_init(&m->graphemes, err);
	if (r != BT_OK)
		bt_charsmap_clear(m);
	return r;
}

void bt_charsmap_clear(struct bt_charsmap *m)
{
	free(m->unit);
	free(m->pool);
	bt_graphemes_clear(&m->graphemes);
	memset(m, 0, sizeof(*m));
}

/* A text on its way: what lies before done was written to out. */
struct run {
	const struct bt_charsmap *m;
	const uint8_t *text;
	size_t done, to;
	struct bt_offset_text *out;
	bool changed;
	size_t lost; /* characters that went before any was written */
	bool over;   /* the last one written had no place of its own */
};

/* Writes what lies before at as it is. */
static int copy(struct run *r, size_t at)
{
	struct bt_offset_text *out = r->out;
	const uint8_t *text = r->text;
	unsigned len;

	if (at == r->done)
		return BT_OK;
	r->over = false;
	if (bt_offset_text_room(out, at - r->done) != BT_OK)
		return BT_ENOMEM;
	if (!out->want_src) {
		memcpy(out->text + out->n, text + r->done, at - r->done);
		out->n += at - r->done;
		r->done = at;
	}
	for (; r->done < at; r->done += len) {
		len = bt_utf8_len(text[r->done]);
		bt_offset_text_put(out, text + r->done, len, r->done);
	}
	return BT_OK;
}

/* Notes that text[at .. at+len-1] goes. The last character written takes its
 * place if it had none. */
static void drop(struct run *r, size_t at, size_t len)
{
	struct bt_offset_text *out = r->out;
	size_t i;

	for (i = at; out->n == 0 && i < at + len; i++)
		r->lost += (r->text[i] & 0xc0) != 0x80; /* characters */
	if (r->over && out->want_src) {
		i = (size_t)(bt_utf8_back(out->text + out->n) - out->text);
		for (; i < out->n; i++)
			out->src[i] = (uint32_t)at;
	}
	r->over = false;
}

/* Puts a text in the place of text[at .. at+len-1]: its characters come from
 * those one by one, what is over from the last. */
static int replace(struct run *r, size_t at, size_t len, struct bt_span with)
{
	const uint8_t *p = (const uint8_t *)with.p, *end = p + with.n;
	unsigned n;
	size_t src = at, next = at;

	if (copy(r, at) != BT_OK ||
	    bt_offset_text_room(r->out, with.n) != BT_OK ||
	    r->out->n + with.n > INT32_MAX)
		return BT_ENOMEM;
	if (p == end)
		drop(r, at, len);
	for (; p < end; p += n) {
		r->over = next == at + len;
		if (!r->over)
			src = next;
		n = bt_utf8_len(*p);
		bt_offset_text_put(r->out, p, n, src);
		if (!r->over)
			next = src + bt_utf8_len(r->text[src]);
	}
	r->done = at + len;
	r->changed = true;
	return BT_OK;
}

/* The cluster text[at .. at+len-1]. */
static int take_cluster(struct run *r, size_t at, size_t len)
{
	const struct bt_charsmap *m = r->m;
	size_t end = at + len, key;
	struct bt_span with;
	unsigned n;

	if (len < CLUSTER_MAX) {
		with = shortest(m, r->text + at, len, &key);
		if (with.p != NULL)
			return replace(r, at, len, with);
		if (bt_utf8_len(r->text[at]) == len)
			return BT_OK;
	}
	for (; at < end; at += n) {
		n = bt_utf8_len(r->text[at]);
		with = shortest(m, r->text + at, n, &key);
		if (with.p != NULL && replace(r, at, n, with) != BT_OK)
			return BT_ENOMEM;
	}
	return BT_OK;
}

/* Bytes of the cluster at; those of one character that nothing joins are the
 * rule. */
static size_t cluster_len(const struct run *r, size_t at)
{
	const struct bt_graphemes *g = &r->m->graphemes;
	size_t len = bt_utf8_len(r->text[at]);

	if (bt_grapheme_is_plain(g, bt_utf8_get(r->text + at)) &&
	    (at + len == r->to ||
	     bt_grapheme_is_plain(g, bt_utf8_get(r->text + at + len))))
		return len;
	return bt_grapheme_len(g, r->text, at, r->to);
}

/* True if the byte at is a cluster by itself that no key begins: ASCII before
 * ASCII. */
static bool is_plain(const struct run *r, size_t at)
{
	uint8_t c = r->text[at];

	return c < 0x80 && !r->m->ascii[c] &&
	       (at + 1 == r->to || r->text[at + 1] < 0x80) && c != '\r';
}

static int finish(struct run *r)
{
	return r->changed ? copy(r, r->to) : BT_NORMALIZER_SAME;
}

/* What is lost at the beginning is unknown to the `tokenizers` package: there
 * all that follows comes from as many characters earlier. */
static void shift(struct run *r, size_t from)
{
	struct bt_offset_text *out = r->out;
	size_t at = from, late = from, n = r->lost, i;

	for (; n > 0; n--)
		at += bt_utf8_len(r->text[at]);
	for (i = 0; i < out->n; i++) {
		for (; at < out->src[i]; at += bt_utf8_len(r->text[at]))
			late += bt_utf8_len(r->text[late]);
		out->src[i] = (uint32_t)late;
	}
}

int bt_charsmap_run(const struct bt_charsmap *m, const uint8_t *text,
                    size_t from, size_t to, struct bt_offset_text *out)
{
	struct run r = {m, text, from, to, out, false, 0, false};
	size_t at, len;
	int done;

	for (at = from; at < to; at += len) {
		len = 1;
		if (is_plain(&r, at))
			continue;
		len = cluster_len(&r, at);
		if (take_cluster(&r, at, len) != BT_OK)
			return BT_ENOMEM;
	}
	done = finish(&r);
	if (done == BT_OK && r.lost > 0 && out->want_src)
		shift(&r, from);
	return done;
}

int bt_charsmap_run_longest(const struct bt_charsmap *m, const uint8_t *text,
                            size_t from, size_t to, struct bt_offset_text *out)
{
	struct run r = {m, text, from, to, out, false, 0, false};
	struct bt_span with;
	size_t at, len;

	for (at = from; at < to; at += len) {
		with = longest(m, text + at, to - at, &len);
		if (with.p == NULL)
			len = bt_utf8_len(text[at]);
		else if (replace(&r, at, len, with) != BT_OK)
			return BT_ENOMEM;
	}
	return finish(&r);
}
