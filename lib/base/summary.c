/* SPDX-License-Identifier: MIT */
#include "base/summary.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/opt.h"
#include "base/sys.h"
#include "base/utf8.h"

/* Bytes of the well-formed character of UTF-8 at p, which ends in NUL; 0: there
 * is none. */
static unsigned well_formed(const uint8_t *p)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned n = bt_utf8_len(*p), i;
	uint32_t c;

	if (n == 1)
		return 1;
	if (*p < 0xc2 || *p > 0xf4)
		return 0;
	for (i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	c = bt_utf8_get(p);
	return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0
	                                                                   : n;
}

/* Any bytes as a string of JSON in its quotes: U+FFFD for what is not UTF-8,
 * and what steers a terminal as \u001b. */
static void put_string(struct bt_buf *b, const char *text)
{
	const uint8_t *p = (const uint8_t *)text;
	unsigned n;

	bt_buf_putc(b, '"');
	for (; *p != '\0'; p += n > 0 ? n : 1) {
		n = well_formed(p);
		if (n == 0)
			bt_buf_puts(b, "\xef\xbf\xbd");
		else if (*p == '"' || *p == '\\')
			bt_buf_printf(b, "\\%c", *p);
		else if (bt_utf8_steers(p, n) > 0)
			bt_buf_printf(b, "\\u%04x", (unsigned)bt_utf8_get(p));
		else
			bt_buf_put(b, p, n);
	}
	bt_buf_putc(b, '"');
}

/* The comma before it and the key of a member. */
static void put_key(struct bt_buf *b, const char *key)
{
	if (b->len > 0 && b->data[b->len - 1] != '{')
		bt_buf_putc(b, ',');
	put_string(b, key);
	bt_buf_putc(b, ':');
}

static void put_text(struct bt_buf *b, const char *key, const char *text)
{
	put_key(b, key);
	put_string(b, text);
}

static void put_real(struct bt_buf *b, const char *key, double v)
{
	char s[32] = "null";

	if (isfinite(v))
		bt_format_f64(s, sizeof(s), v);
	put_key(b, key);
	bt_buf_puts(b, s);
}

static void put_count(struct bt_buf *b, const char *key, uint64_t n)
{
	put_key(b, key);
	bt_buf_printf(b, "%llu", (unsigned long long)n);
}

void bt_summary_count(struct bt_summary *s, const char *key, uint64_t n)
{
	if (s == NULL)
		return;
	put_count(&s->facts, key, n);
}

void bt_summary_real(struct bt_summary *s, const char *key, double v)
{
	if (s != NULL)
		put_real(&s->facts, key, v);
}

void bt_summary_text(struct bt_summary *s, const char *key, const char *text)
{
	if (s != NULL)
		put_text(&s->facts, key, text);
}

void bt_summary_open(struct bt_summary *s, const char *key)
{
	if (s == NULL)
		return;
	put_key(&s->facts, key);
	bt_buf_putc(&s->facts, '{');
	s->depth++;
}

void bt_summary_close(struct bt_summary *s)
{
	if (s == NULL)
		return;
	bt_buf_putc(&s->facts, '}');
	s->depth--;
}

/* The members that all messages have. place may be NULL. */
static void put_message(struct bt_buf *b, const char *code, const char *text,
                        const struct bt_error_place *place, enum bt_hint hint)
{
	if (code != NULL)
		put_text(b, "code", code);
	put_text(b, "message", text);
	if (place != NULL && place->file[0] != '\0')
		put_text(b, "file", place->file);
	if (place != NULL && place->record > 0)
		put_count(b, "record", place->record);
	if (place != NULL && place->line > 0)
		put_count(b, "line", place->line);
	if (hint != BT_HINT_NONE)
		put_text(b, "hint", bt_hint_words(hint));
}

void bt_summary_put_line(struct bt_buf *b, const char *tool, const char *level,
                         const char *code, const char *text, enum bt_hint hint)
{
	struct bt_error_place place = {0};

	bt_buf_putc(b, '{');
	put_text(b, "tool", tool);
	put_text(b, "level", level);
	if (strcmp(level, "error") == 0)
		bt_error_place(strcmp(code, bt_error_word(BT_EARG)) == 0
		                   ? BT_EARG
		                   : BT_EFORMAT,
		               text, &place);
	put_message(b, code, text, &place, hint);
	bt_buf_puts(b, "}\n");
}

void bt_summary_warn(struct bt_summary *s, const char *code, const char *text,
                     enum bt_hint hint)
{
	if (s == NULL)
		return;
	if (s->warnings.len > 0)
		bt_buf_putc(&s->warnings, ',');
	bt_buf_putc(&s->warnings, '{');
	put_message(&s->warnings, code, text, NULL, hint);
	bt_buf_putc(&s->warnings, '}');
}

void bt_summary_print(const struct bt_summary *s, const char *tool, int status,
                      double seconds, const struct bt_error *err,
                      struct bt_buf *out)
{
	struct bt_error_place place;
	int i;

	bt_buf_putc(out, '{');
	put_text(out, "tool", tool);
	put_text(out, "version", BT_VERSION);
	put_key(out, "status");
	bt_buf_printf(out, "%d", status);
	put_real(out, "seconds", seconds);
	put_count(out, "peak_memory", bt_peak_memory());
	if (s->facts.len > 0) {
		bt_buf_putc(out, ',');
		bt_buf_put(out, s->facts.data, s->facts.len);
	}
	for (i = 0; i < s->depth; i++) /* where a run failed in the middle */
		bt_buf_putc(out, '}');
	put_key(out, "warnings");
	bt_buf_printf(out, "[%.*s]", (int)s->warnings.len,
	              bt_buf_at(&s->warnings, 0));
	if (err->code != BT_OK) {
		put_key(out, "error");
		bt_buf_putc(out, '{');
		bt_error_place(err->code, err->text, &place);
		put_message(out, bt_error_word(err->code), err->text, &place,
		            err->hint);
		bt_buf_putc(out, '}');
	}
	bt_buf_puts(out, "}\n");
	out->oom |= s->facts.oom || s->warnings.oom;
}
