/* SPDX-License-Identifier: MIT */
/* Normalizers that change what they find and leave the rest as it is. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "tokenizer/normalizers.h"
#include "tokenizer/precompiled_charsmap.h"
#include "tokenizer/regex.h"
#include "unicode/nfd_hf.h"

/* A text on its way: what lies before done was written to out. */
struct run {
	const uint8_t *text;
	size_t done, to;
	struct bt_offset_text *out;
	bool changed;
};

/* Writes what lies before at as it is. */
static int copy(struct run *r, size_t at)
{
	unsigned len;

	if (at == r->done)
		return BT_OK;
	if (bt_offset_text_room(r->out, at - r->done) != BT_OK)
		return BT_ENOMEM;
	if (!r->out->want_src) {
		memcpy(r->out->text + r->out->n, r->text + r->done,
		       at - r->done);
		r->out->n += at - r->done;
		r->done = at;
	}
	for (; r->done < at; r->done += len) {
		len = bt_utf8_len(r->text[r->done]);
		bt_offset_text_put(r->out, r->text + r->done, len, r->done);
	}
	return BT_OK;
}

/* Puts a text, which comes from the character at src, in the place of
 * text[at .. end-1]. */
static int put(struct run *r, size_t at, size_t end, struct bt_span with,
               size_t src)
{
	if (copy(r, at) != BT_OK ||
	    bt_offset_text_room(r->out, with.n) != BT_OK ||
	    r->out->n + with.n > INT32_MAX)
		return BT_ENOMEM;
	bt_offset_text_put(r->out, (const uint8_t *)with.p, with.n, src);
	r->done = end;
	r->changed = true;
	return BT_OK;
}

static int finish(struct run *r)
{
	return r->changed ? copy(r, r->to) : BT_NORMALIZER_SAME;
}

static void *part_new(size_t size, const struct bt_normalizer_ops *ops)
{
	struct bt_normalizer *part = bt_array0(1, size);

	part->ops = ops;
	return part;
}

struct precompiled {
	struct bt_normalizer part;
	struct bt_charsmap map;
	bool longest;
};

static int precompiled_run(const struct bt_normalizer *norm,
                           const uint8_t *text, size_t from, size_t to,
                           struct bt_offset_text *out)
{
	const struct precompiled *p = (const struct precompiled *)norm;

	return p->longest
	           ? bt_charsmap_run_longest(&p->map, text, from, to, out)
	           : bt_charsmap_run(&p->map, text, from, to, out);
}

static void precompiled_free(struct bt_normalizer *norm)
{
	bt_charsmap_clear(&((struct precompiled *)norm)->map);
	free(norm);
}

int bt_normalizer_precompiled(const void *map, size_t n, bool longest,
                              struct bt_normalizer **norm, struct bt_error *err)
{
	static const struct bt_normalizer_ops ops = {precompiled_run,
	                                             precompiled_free};
	struct precompiled *p = part_new(sizeof(*p), &ops);
	int r;

	p->longest = longest;
	r = bt_charsmap_init(&p->map, map, n, err);
	if (r != BT_OK) {
		free(p);
		return r;
	}
	*norm = &p->part;
	return BT_OK;
}

/* What Replace looks for: a string, or least times a character (c, or white
 * space where that is 0), or with lines one character of these. */
struct replace {
	struct bt_normalizer part;
	bool run;
	uint32_t c;
	size_t least;
	bool lines; /* a single \n, \r or \t as well */
	uint8_t *pattern;
	size_t pattern_n;
	char *content;
	size_t content_n;
	struct bt_regex *regex; /* another than these, or NULL */
};

/* Passes over the run at text[at], if it is one; *last is where its last
 * character begins. */
static size_t match_run(const struct replace *p, const uint8_t *text, size_t at,
                        size_t to, size_t *last)
{
	size_t end = at, n = 0;
	uint32_t c;

	for (; end < to; n++) {
		c = bt_utf8_get(text + end);
		if (p->c != 0 ? c != p->c : !bt_char_is_space(c))
			break;
		*last = end;
		end += bt_utf8_len(text[end]);
	}
	if (n >= p->least)
		return end;
	c = text[at];
	if (p->lines && (c == '\n' || c == '\r' || c == '\t')) {
		*last = at;
		return at + 1;
	}
	return at;
}

static size_t match_string(const struct replace *p, const uint8_t *text,
                           size_t at, size_t to, size_t *last)
{
	if (text[at] != p->pattern[0] || to - at < p->pattern_n ||
	    memcmp(text + at, p->pattern, p->pattern_n) != 0)
		return at;
	*last = (size_t)(bt_utf8_back(text + at + p->pattern_n) - text);
	return at + p->pattern_n;
}

/* Where a match may begin: the next place of an ASCII character or of the
 * string's first byte, else at itself. */
static size_t skip(const struct replace *p, const uint8_t *text, size_t at,
                   size_t to)
{
	const uint8_t *next;
	int c = p->run ? (int)p->c : p->pattern[0];

	if ((p->run && (c == 0 || c >= 0x80)) || p->lines)
		return at;
	next = memchr(text + at, c, to - at);
	return next != NULL ? (size_t)(next - text) : to;
}

static int replace_run(const struct bt_normalizer *norm, const uint8_t *text,
                       size_t from, size_t to, struct bt_offset_text *out)
{
	const struct replace *p = (const struct replace *)norm;
	struct bt_span with = {p->content, p->content_n};
	struct run r = {text, from, to, out, false};
	size_t at = from, end, last = 0;

	while ((at = skip(p, text, at, to)) < to) {
		end = p->run ? match_run(p, text, at, to, &last)
		             : match_string(p, text, at, to, &last);
		if (end == at) {
			at += bt_utf8_len(text[at]);
			continue;
		}
		if (put(&r, at, end, with, last) != BT_OK)
			return BT_ENOMEM;
		at = end;
	}
	return finish(&r);
}

static int regex_run(const struct bt_normalizer *norm, const uint8_t *text,
                     size_t from, size_t to, struct bt_offset_text *out)
{
	const struct replace *p = (const struct replace *)norm;
	struct bt_span with = {p->content, p->content_n};
	struct run r = {text, from, to, out, false};
	struct bt_regex_iter it;
	size_t start, end, last;
	int e = bt_regex_begin(&it, p->regex, text + from, to - from);

	while (e == BT_OK && (e = bt_regex_next(&it, &start, &end)) == 1) {
		last = from + end;
		if (end > 0)
			last = (size_t)(bt_utf8_back(text + last) - text);
		e = put(&r, from + start, from + end, with, last);
	}
	bt_regex_end(&it);
	out->hard |= e == BT_ELIMIT;
	return e == BT_OK ? finish(&r) : BT_ENOMEM;
}

static void replace_free(struct bt_normalizer *norm)
{
	struct replace *p = (struct replace *)norm;

	bt_regex_free(p->regex);
	free(p->pattern);
	free(p->content);
	free(p);
}

/* Reads the forms of regular expressions that are known. */
static bool read_regex(struct replace *p, struct bt_span re)
{
	static const char lines[] = "|[\\n\\r\\t]";
	static const char special[] = "\\^$.|?*+()[]{}";
	size_t n = strlen(lines), unit;
	char number[8];
	int64_t least;

	p->run = true;
	if (re.n > n && memcmp(re.p + re.n - n, lines, n) == 0) {
		p->lines = true;
		re.n -= n;
	}
	if (re.n < 2)
		return false;
	unit = bt_utf8_len((uint8_t)*re.p);
	if (re.p[0] == '\\' && re.p[1] == 's')
		unit = 2;
	else if (strchr(special, re.p[0]) != NULL)
		return false;
	else
		p->c = bt_utf8_get((const uint8_t *)re.p);
	re.p += unit;
	re.n -= unit;
	p->least = 1;
	if (re.n == 1)
		return *re.p == '+';
	/* {N,} */
	if (re.n < 4 || re.n > 6 || re.p[0] != '{' ||
	    memcmp(re.p + re.n - 2, ",}", 2) != 0)
		return false;
	memcpy(number, re.p + 1, re.n - 3);
	number[re.n - 3] = '\0';
	if (bt_parse_i64(number, 1, 999, &least) != BT_OK)
		return false;
	p->least = (size_t)least;
	return true;
}

int bt_normalizer_replace(struct bt_span pattern, bool regex,
                          struct bt_span content, struct bt_normalizer **norm,
                          struct bt_error *err)
{
	static const struct bt_normalizer_ops ops = {replace_run, replace_free};
	static const struct bt_normalizer_ops other = {regex_run, replace_free};
	struct replace *p = part_new(sizeof(*p), &ops);
	int r = BT_OK;

	if (pattern.n == 0)
		r = bt_error_set(err, BT_EFORMAT,
		                 "Replace with an empty pattern is not "
		                 "supported");
	else if (regex && !read_regex(p, pattern))
		r = bt_regex_new(pattern, &p->regex, err);
	/* what becomes of the text then is not defined there */
	if (p->regex != NULL && bt_regex_is_empty(p->regex))
		r = bt_error_set(err, BT_EFORMAT,
		                 "Replace with the pattern '%.*s', which "
		                 "matches nothing, is not supported",
		                 (int)(pattern.n < 100 ? pattern.n : 100),
		                 pattern.p);
	if (r != BT_OK) {
		replace_free(&p->part);
		return r;
	}
	if (p->regex != NULL)
		p->part.ops = &other;
	p->pattern = (uint8_t *)bt_strndup(pattern.p, pattern.n);
	p->pattern_n = pattern.n;
	p->content = bt_strndup(content.p, content.n);
	p->content_n = content.n;
	if (p->pattern == NULL || p->content == NULL) {
		replace_free(&p->part);
		return bt_error_nomem(err, "opening a tokenizer");
	}
	*norm = &p->part;
	return BT_OK;
}

static int prepend_run(const struct bt_normalizer *norm, const uint8_t *text,
                       size_t from, size_t to, struct bt_offset_text *out)
{
	const struct replace *p = (const struct replace *)norm;
	struct bt_span with = {p->content, p->content_n};
	struct run r = {text, from, to, out, false};

	if (from == to)
		return BT_NORMALIZER_SAME;
	return put(&r, from, from, with, from) == BT_OK ? finish(&r)
	                                                : BT_ENOMEM;
}

int bt_normalizer_prepend(struct bt_span content, struct bt_normalizer **norm,
                          struct bt_error *err)
{
	static const struct bt_normalizer_ops ops = {prepend_run, replace_free};
	struct replace *p = part_new(sizeof(*p), &ops);

	p->content = bt_strndup(content.p, content.n);
	p->content_n = content.n;
	if (p->content == NULL) {
		free(p);
		return bt_error_nomem(err, "opening a tokenizer");
	}
	*norm = &p->part;
	return BT_OK;
}

struct strip {
	struct bt_normalizer part;
	bool left, right;
};

static int strip_run(const struct bt_normalizer *norm, const uint8_t *text,
                     size_t from, size_t to, struct bt_offset_text *out)
{
	const struct strip *s = (const struct strip *)norm;
	struct run r = {text, from, to, out, true};
	const uint8_t *last;

	if (s->left)
		while (r.done < to &&
		       bt_char_is_space(bt_utf8_get(text + r.done)))
			r.done += bt_utf8_len(text[r.done]);
	while (s->right && r.to > r.done) {
		last = bt_utf8_back(text + r.to);
		if (!bt_char_is_space(bt_utf8_get(last)))
			break;
		r.to = (size_t)(last - text);
	}
	if (r.done == from && r.to == to)
		return BT_NORMALIZER_SAME;
	return finish(&r);
}

struct bt_normalizer *bt_normalizer_strip(bool left, bool right)
{
	static const struct bt_normalizer_ops ops = {strip_run, NULL};
	struct strip *s = part_new(sizeof(*s), &ops);

	s->left = left;
	s->right = right;
	return &s->part;
}

struct simple {
	struct bt_normalizer part;
	/* What the character c becomes, at most BT_CHAR_LOWER_MAX; -1: it
	 * stays as it is. */
	int (*map)(uint32_t c, uint32_t *to);
	bool same[128]; /* ASCII that stays */
};

static int map_nmt(uint32_t c, uint32_t *to)
{
	to[0] = ' ';
	if ((c >= 1 && c <= 8) || c == 0xb || (c >= 0xe && c <= 0x1f) ||
	    c == 0x7f || c == 0x8f || c == 0x9f)
		return 0;
	if (c == 9 || c == 0xa || c == 0xc || c == 0xd || c == 0x1680 ||
	    (c >= 0x200b && c <= 0x200f) || c == 0x2028 || c == 0x2029 ||
	    c == 0x2581 || c == 0xfeff || c == 0xfffd)
		return 1;
	return -1;
}

static int map_lower(uint32_t c, uint32_t *to)
{
	int n = bt_char_lower(BT_CHAR_DIALECT_HF, c, to);

	return n == 1 && to[0] == c ? -1 : n;
}

static int map_accent(uint32_t c, uint32_t *to)
{
	(void)to;
	return bt_char_is_accent(c) ? 0 : -1;
}

static int simple_run(const struct bt_normalizer *norm, const uint8_t *text,
                      size_t from, size_t to, struct bt_offset_text *out)
{
	const struct simple *s = (const struct simple *)norm;
	struct run r = {text, from, to, out, false};
	uint32_t with[BT_CHAR_LOWER_MAX];
	uint8_t bytes[4 * BT_CHAR_LOWER_MAX];
	struct bt_span span = {(const char *)bytes, 0};
	size_t at, len;
	int n, i;

	for (at = from; at < to; at += len) {
		len = bt_utf8_len(text[at]);
		if (len == 1 && s->same[text[at]])
			continue;
		n = s->map(bt_utf8_get(text + at), with);
		if (n < 0)
			continue;
		span.n = 0;
		for (i = 0; i < n; i++)
			span.n += bt_utf8_put(bytes + span.n, with[i]);
		if (put(&r, at, at + len, span, at) != BT_OK)
			return BT_ENOMEM;
	}
	return finish(&r);
}

struct bt_normalizer *bt_normalizer_simple(enum bt_normalizer_simple which)
{
	static const struct bt_normalizer_ops ops = {simple_run, NULL};
	static int (*const map[])(uint32_t, uint32_t *) = {
	    [BT_NORMALIZER_NMT] = map_nmt,
	    [BT_NORMALIZER_LOWERCASE] = map_lower,
	    [BT_NORMALIZER_STRIP_ACCENTS] = map_accent,
	};
	struct simple *s = part_new(sizeof(*s), &ops);
	uint32_t c, to[BT_CHAR_LOWER_MAX];

	s->map = map[which];
	for (c = 0; c < 128; c++)
		s->same[c] = s->map(c, to) < 0;
	return &s->part;
}
