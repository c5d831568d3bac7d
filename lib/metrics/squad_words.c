/* SPDX-License-Identifier: MIT */
/* The words of an answer, by which it is compared. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "format/charset.h"
#include "metrics/squad_int.h"
#include "unicode/python_str.h"

static const struct {
	const char *name;
	const char *articles; /* words; NULL: none */
	const char *prefix;   /* taken out wherever it stands; or NULL */
	bool characters;      /* those of Chinese are words */
} rules_of[BT_SQUAD_LANGUAGES] = {
    [BT_SQUAD_RULES] = {"", "a|an|the", NULL, false},
    [BT_SQUAD_AR] = {"ar", NULL, "\u0627\u0644", false},
    [BT_SQUAD_DE] = {"de",
                     "ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des",
                     NULL, false},
    [BT_SQUAD_EN] = {"en", "a|an|the", NULL, false},
    [BT_SQUAD_ES] = {"es", "un|una|unos|unas|el|la|los|las", NULL, false},
    [BT_SQUAD_HI] = {"hi", NULL, NULL, false},
    [BT_SQUAD_VI] = {"vi", "c\u1ee7a|l\u00e0|c\u00e1i|chi\u1ebfc|nh\u1eefng",
                     NULL, false},
    [BT_SQUAD_ZH] = {"zh", NULL, NULL, true},
};

enum bt_squad_rules bt_squad_rules_named(const char *language)
{
	int i = 1;

	if (language == NULL)
		return BT_SQUAD_RULES;
	while (i < BT_SQUAD_LANGUAGES - 1 &&
	       strcmp(rules_of[i].name, language) != 0)
		i++;
	return (enum bt_squad_rules)i;
}

void bt_squad_words_clear(struct bt_squad_words *w)
{
	bt_buf_clear(&w->text);
	free(w->word);
	memset(w, 0, sizeof(*w));
}

static bool is_ascii_punct(uint32_t c)
{
	return c > 0x20 && c < 0x7f && bt_py_is_punct(c);
}

/* Takes out punctuation: that of ASCII, or by a language's rules all. */
static void drop_punctuation(enum bt_squad_rules rules, struct bt_buf *b)
{
	uint8_t *from = (uint8_t *)bt_buf_at(b, 0), *to = from, *p = from;
	const uint8_t *end = from + b->len;
	unsigned len;
	uint32_t c;

	for (; p < end; p += len) {
		len = bt_utf8_len(*p);
		c = bt_utf8_get(p);
		if (rules == BT_SQUAD_RULES ? is_ascii_punct(c)
		                            : bt_py_is_punct(c))
			continue;
		memmove(to, p, len);
		to += len;
	}
	b->len = (size_t)(to - from);
}

static bool is_word(uint32_t c)
{
	return c == '_' || bt_py_is_alnum(c);
}

static bool is_article(enum bt_squad_rules rules, const uint8_t *p, size_t n)
{
	char word[32];

	return bt_span_str((struct bt_span){(const char *)p, n}, word,
	                   sizeof(word)) &&
	       bt_str_in_list(rules_of[rules].articles, word);
}

/* Makes articles, which are words on their own, blanks. */
static void blank_articles(enum bt_squad_rules rules, struct bt_buf *b)
{
	uint8_t *p = (uint8_t *)bt_buf_at(b, 0), *q;
	const uint8_t *end = p + b->len;

	if (rules_of[rules].articles == NULL)
		return;
	for (; p < end; p = q < end ? q + bt_utf8_len(*q) : q) {
		for (q = p; q < end && is_word(bt_utf8_get(q));)
			q += bt_utf8_len(*q);
		if (is_article(rules, p, (size_t)(q - p)))
			memset(p, ' ', (size_t)(q - p));
	}
}

static void blank_prefix(enum bt_squad_rules rules, struct bt_buf *b)
{
	const char *prefix = rules_of[rules].prefix;
	size_t n = prefix != NULL ? strlen(prefix) : 0;
	char *p = bt_buf_at(b, 0);
	const char *end = p + b->len;

	while (n > 0 && (size_t)(end - p) >= n)
		if (memcmp(p, prefix, n) == 0) {
			memset(p, ' ', n);
			p += n;
		} else {
			p++;
		}
}

static bool is_alone(enum bt_squad_rules rules, uint32_t c)
{
	return rules_of[rules].characters && c >= 0x4e00 && c <= 0x9fa5;
}

static int split(enum bt_squad_rules rules, struct bt_squad_words *w)
{
	const uint8_t *p = (const uint8_t *)bt_buf_at(&w->text, 0);
	const uint8_t *end = p + w->text.len;
	bool within = false;
	unsigned len;
	uint32_t c;

	for (w->n = 0; p < end; p += len) {
		len = bt_utf8_len(*p);
		c = bt_utf8_get(p);
		if (bt_py_is_space(c)) {
			within = false;
			continue;
		}
		if (!within || is_alone(rules, c)) {
			if (bt_grow(&w->word, &w->cap, w->n + 1,
			            sizeof(*w->word)) != BT_OK)
				return BT_ENOMEM;
			w->word[w->n++] = (struct bt_span){(const char *)p, 0};
		}
		w->word[w->n - 1].n += len;
		within = !is_alone(rules, c);
	}
	return BT_OK;
}

int bt_squad_words_read(enum bt_squad_rules rules, struct bt_span s,
                        struct bt_squad_words *w)
{
	struct bt_buf mended = BT_BUF_INIT;
	bool oom;

	bt_buf_reset(&w->text);
	w->n = 0;
	if (bt_charset_check(BT_CHARSET_UTF8, s.p, s.n) < s.n) {
		bt_charset_mend(&mended, s.p, s.n);
		s = (struct bt_span){bt_buf_at(&mended, 0), mended.len};
	}
	bt_py_lower(s, &w->text);
	oom = mended.oom || w->text.oom;
	bt_buf_clear(&mended);
	if (oom)
		return BT_ENOMEM;
	drop_punctuation(rules, &w->text);
	blank_articles(rules, &w->text);
	blank_prefix(rules, &w->text);
	return split(rules, w);
}
