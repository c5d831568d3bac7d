/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
#include "test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/crc32c.h"
#include "base/mem.h"
#include "base/philox.h"
#include "base/utf8.h"
#include "format/charset.h"
#include "tokenizer/bert_normalizer.h"
#include "tokenizer/trie.h"
#include "tokenizer/vocab.h"
#include "tokenizer/wordpiece_int.h"

TEST(utf8_round_trip)
{
	uint8_t s[4];
	uint32_t c;
	unsigned n;

	for (c = 0; c <= 0x10ffff; c++) {
		n = bt_utf8_put(s, c);
		if (c >= 0xd800 && c < 0xe000) {
			assert_int_equal(
			    bt_charset_check(BT_CHARSET_UTF8, (char *)s, n), 0);
			continue;
		}
		assert_int_equal(
		    bt_charset_check(BT_CHARSET_UTF8, (char *)s, n), n);
		assert_int_equal(bt_utf8_len(s[0]), n);
		assert_int_equal(bt_utf8_get(s), c);
		assert_ptr_equal(bt_utf8_back(s + n), s);
		if (n > 1) /* cut off */
			assert_int_equal(
			    bt_charset_check(BT_CHARSET_UTF8, (char *)s, n - 1),
			    0);
	}
}

/* Appends the words of normalised text, each but the first after \x1f. */
static void put_words(const struct bt_bert_normalizer *m,
                      const struct bt_offset_text *n, struct bt_buf *out)
{
	enum bt_char_kind kind, last = BT_CHAR_WHITE;
	unsigned len;
	size_t at;

	for (at = 0; at < n->n; at += len) {
		kind = bt_bert_normalizer_kind(m, n->text + at, &len);
		if (kind != BT_CHAR_WHITE && out->len > 0 &&
		    (last != BT_CHAR_WORD || kind != BT_CHAR_WORD))
			bt_buf_putc(out, '\x1f');
		if (kind != BT_CHAR_WHITE)
			bt_buf_put(out, n->text + at, len);
		last = kind;
	}
}

/* What becomes of every character is what the package makes of it. */
TEST(every_character)
{
	static const struct {
		const char *name;
		struct bt_bert_normalizer_opts o;
	} cases[] = {
	    {"uncased", {BT_CHAR_DIALECT_HF, true, true, true, true}},
	    {"cased", {BT_CHAR_DIALECT_HF, true, true, false, false}},
	    {"lower-only", {BT_CHAR_DIALECT_HF, true, true, false, true}},
	    {"strip-only", {BT_CHAR_DIALECT_HF, true, true, true, false}},
	    {"raw", {BT_CHAR_DIALECT_HF, false, false, false, false}},
	};
	struct bt_buf path = BT_BUF_INIT, words = BT_BUF_INIT;
	struct bt_offset_text n = {0};
	struct bt_error err = {0};
	struct bt_bert_normalizer *m;
	uint8_t s[6] = "a";
	const char *wanted;
	char got[9];
	uint32_t c, crc;
	unsigned len;
	json_t *golden;
	size_t i;

	bt_buf_printf(&path, "%s/tests/data/tok/golden.json",
	              getenv("TEST_TOP"));
	golden = json_load_file(bt_buf_str(&path), JSON_ALLOW_NUL, NULL);
	assert_non_null(golden);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_ok(bt_bert_normalizer_new(&cases[i].o, &m, &err));
		crc = 0;
		for (c = 0; c <= 0x10ffff; c++) {
			if (c >= 0xd800 && c < 0xe000)
				continue;
			len = bt_utf8_put(s + 1, c);
			s[1 + len] = 'b';
			assert_ok(bt_bert_normalizer_run(m, s, 0, len + 2, &n));
			bt_buf_reset(&words);
			put_words(m, &n, &words);
			bt_buf_putc(&words, '\n');
			crc = bt_crc32c(crc, words.data, words.len);
		}
		snprintf(got, sizeof(got), "%08x", crc);
		wanted = json_string_value(json_object_get(
		    json_object_get(golden, cases[i].name), "all"));
		if (strcmp(got, wanted) != 0)
			fail_msg("%s: %s, wanted %s", cases[i].name, got,
			         wanted);
		bt_bert_normalizer_free(m);
	}
	json_decref(golden);
	bt_offset_text_clear(&n);
	bt_buf_clear(&words);
	bt_buf_clear(&path);
}

static void check_norm(enum bt_char_dialect school, const char *raw,
                       const char *wanted)
{
	struct bt_bert_normalizer_opts o = {school, true, true, true, true};
	struct bt_error err = {0};
	struct bt_offset_text n = {0};
	struct bt_bert_normalizer *m;

	n.want_src = true;
	assert_ok(bt_bert_normalizer_new(&o, &m, &err));
	assert_ok(bt_bert_normalizer_run(m, (const uint8_t *)raw, 0,
	                                 strlen(raw), &n));
	assert_int_equal(n.n, strlen(wanted));
	assert_memory_equal(n.text, wanted, n.n);
	bt_offset_text_clear(&n);
	bt_bert_normalizer_free(m);
}

/* Where the schools differ; the final sigma looks at its neighbours. */
TEST(schools_differ)
{
	check_norm(BT_CHAR_DIALECT_HF, "ΑΣ", "ασ");
	check_norm(BT_CHAR_DIALECT_GOOGLE, "ΑΣ", "ας");
	check_norm(BT_CHAR_DIALECT_GOOGLE, "Σ", "σ");
	check_norm(BT_CHAR_DIALECT_GOOGLE, "ΑΣΑ", "ασα");
	check_norm(BT_CHAR_DIALECT_GOOGLE, "ΑΣ.", "ας.");
	check_norm(BT_CHAR_DIALECT_GOOGLE, "ΑΣ.Α", "ασ.α");
	check_norm(BT_CHAR_DIALECT_GOOGLE, "Α.Σ", "α.ς");
	check_norm(BT_CHAR_DIALECT_GOOGLE, "Α Σ", "α σ");
	check_norm(BT_CHAR_DIALECT_GOOGLE, "1Σ", "1σ");
	check_norm(BT_CHAR_DIALECT_GOOGLE, "ΑΣ\xcc\x81\x01", "ας");
	check_norm(BT_CHAR_DIALECT_GOOGLE, "ΑΣ Α", "ας α");
	check_norm(BT_CHAR_DIALECT_GOOGLE, "ΑΣ中Α", "ας 中 α");
	check_norm(BT_CHAR_DIALECT_HF, "\xf0\xab\xa0\xa0", "\xf0\xab\xa0\xa0");
	check_norm(BT_CHAR_DIALECT_GOOGLE, "\xf0\xab\xa0\xa0",
	           " \xf0\xab\xa0\xa0 ");
	/* a private character is a control to one only */
	check_norm(BT_CHAR_DIALECT_HF, "a\xee\x80\x80z", "az");
	check_norm(BT_CHAR_DIALECT_GOOGLE, "a\xee\x80\x80z", "a\xee\x80\x80z");
}

/* Marks that stay are brought into canonical order, however many. */
TEST(many_marks_in_order)
{
	static const char low[] = "\xf0\x9d\x85\xa5";  /* U+1D165, 216 */
	static const char high[] = "\xf0\x9d\x85\xad"; /* U+1D16D, 226 */
	struct bt_bert_normalizer_opts o = {BT_CHAR_DIALECT_HF, true, true,
	                                    true, true};
	struct bt_buf raw = BT_BUF_INIT;
	struct bt_error err = {0};
	struct bt_offset_text n = {0};
	struct bt_bert_normalizer *m;
	size_t i, pairs = 100000;

	bt_buf_putc(&raw, 'a');
	for (i = 0; i < pairs; i++) {
		bt_buf_puts(&raw, high);
		bt_buf_puts(&raw, low);
	}
	bt_buf_putc(&raw, 'b');
	n.want_src = true;
	assert_ok(bt_bert_normalizer_new(&o, &m, &err));
	assert_ok(bt_bert_normalizer_run(m, (const uint8_t *)raw.data, 0,
	                                 raw.len, &n));
	assert_int_equal(n.n, raw.len);
	for (i = 0; i < 2 * pairs; i++)
		assert_memory_equal(n.text + 1 + 4 * i, i < pairs ? low : high,
		                    4);
	/* places are given out in the new order */
	assert_int_equal(n.src[1], 1);
	assert_int_equal(n.src[1 + 4 * pairs], 1 + 4 * pairs);
	assert_int_equal(n.text[n.n - 1], 'b');
	bt_offset_text_clear(&n);
	bt_bert_normalizer_free(m);
	bt_buf_clear(&raw);
}

/* A word over a, b, c from a number in base 4; "" at the first 0. */
static size_t make_word(uint32_t v, char *s)
{
	size_t n = 0;

	for (; v % 4 != 0; v /= 4)
		s[n++] = (char)('a' + v % 4 - 1);
	return n;
}

TEST(tries_find_what_is_there)
{
	enum { KINDS = 4096, MOST = 400 };
	char text[MOST][8], s[8];
	struct bt_span list[MOST];
	struct bt_error err = {0};
	struct bt_trie t;
	int number[KINDS];
	size_t same[2], n;
	uint32_t v, round, i;

	for (round = 0; round < 50; round++) {
		memset(number, -1, sizeof(number));
		for (i = n = 0; i < MOST / 50 * (round + 1); i++) {
			v = (uint32_t)bt_random_below(round, 1, 0, i, KINDS);
			if (make_word(v, text[n]) == 0)
				continue;
			/* words are told apart by the digits that count */
			list[n].p = text[n];
			list[n].n = make_word(v, text[n]);
			v &= (1u << 2 * list[n].n) - 1;
			if (number[v] < 0)
				number[v] = (int)n++;
		}
		assert_ok(bt_trie_init(&t, list, n, same, &err));
		for (v = 0; v < KINDS; v++) {
			n = make_word(v, s);
			if (n == 0 || v >> 2 * n != 0)
				continue;
			assert_int_equal(bt_trie_find(&t, s, n), number[v]);
		}
		assert_int_equal(bt_trie_find(&t, "", 0), -1);
		assert_int_equal(bt_trie_find(&t, "\xff", 1), -1);
		bt_trie_clear(&t);
	}
}

/* So many that they are sorted by digits, and beginnings that many share. */
TEST(tries_hold_many)
{
	enum { MANY = 20000 };
	static char text[MANY][24];
	static struct bt_span list[MANY];
	struct bt_error err = {0};
	size_t same[2], i;
	struct bt_trie t;
	int n;

	for (i = 0; i < MANY; i++) {
		n = snprintf(text[i], sizeof(text[i]), "%.*s%zu", (int)(i % 13),
		             "antidisestab", i * 7919 % MANY);
		list[i].p = text[i];
		list[i].n = (size_t)n;
	}
	assert_ok(bt_trie_init(&t, list, MANY, same, &err));
	for (i = 0; i < MANY; i++)
		assert_int_equal(bt_trie_find(&t, text[i], list[i].n), i);
	assert_int_equal(bt_trie_find(&t, "antidisestab", 12), -1);
	bt_trie_clear(&t);
	list[MANY - 5] = list[12];
	assert_int_equal(bt_trie_init(&t, list, MANY, same, &err), BT_EFORMAT);
	assert_int_equal(same[0], 12);
	assert_int_equal(same[1], MANY - 5);
}

TEST(tries_refuse)
{
	struct bt_span list[] = {bt_span("x"), bt_span("y"), bt_span(""),
	                         bt_span("x"), bt_span("")};
	struct bt_error err = {0};
	struct bt_trie t;
	size_t same[2];

	assert_int_equal(bt_trie_init(&t, list, 5, same, &err), BT_EFORMAT);
	assert_int_equal(same[0], 0);
	assert_int_equal(same[1], 3);
	list[3] = bt_span("a\xff");
	assert_err(bt_trie_init(&t, list, 5, same, &err), BT_EARG, "0xff");
	assert_ok(bt_trie_init(&t, list, 3, same, &err));
	assert_int_equal(bt_trie_find(&t, "y", 1), 1);
	bt_trie_clear(&t);
	assert_ok(bt_trie_init(&t, NULL, 0, same, &err));
	assert_int_equal(bt_trie_find(&t, "y", 1), -1);
	bt_trie_clear(&t);
}

/* The pieces of a word as "id:start-end id:..." */
static void check_word(const struct bt_wordpiece *wp, const char *word,
                       const char *wanted)
{
	struct bt_wordpiece_work work = {0};
	struct bt_pieces p = {0};
	struct bt_buf b = BT_BUF_INIT;
	size_t i;

	assert_int_equal(bt_wordpiece_encode(wp, &work, (const uint8_t *)word,
	                                     0, strlen(word), &p),
	                 BT_OK);
	for (i = 0; i < p.n; i++)
		bt_buf_printf(&b, "%s%d:%u-%u", i ? " " : "",
		              (int)p.piece[i].id, p.piece[i].start,
		              p.piece[i].end);
	assert_string_equal(bt_buf_str(&b), wanted);
	bt_buf_clear(&b);
	free(p.piece);
	bt_wordpiece_work_clear(&work);
}

TEST(words_are_cut)
{
	static const char *const tokens[] = {
	    "?",  "un", "##aff", "##able", "a",   "##a", "##aa",
	    "##", "#",  "unab",  "é",      "##é", "una", "##b"};
	struct bt_error err = {0};
	struct bt_wordpiece wp;
	struct bt_vocab v = {0};
	size_t i;

	for (i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++)
		assert_ok(bt_vocab_put(&v, i, bt_span(tokens[i]), &err));
	assert_ok(bt_vocab_index(&v, 0, &err));
	bt_wordpiece_init(&wp, &v, bt_span("##"), 0, 8);
	check_word(&wp, "un", "1:0-2");
	check_word(&wp, "unaffable", "0:0-9"); /* nine characters */
	wp.max_chars = 9;
	check_word(&wp, "unaffable", "0:0-9"); /* una ##f... */
	check_word(&wp, "unable", "0:0-6");    /* unab, then no ##l */
	check_word(&wp, "unaa", "12:0-3 5:3-4");
	check_word(&wp, "aaaa", "4:0-1 6:1-3 5:3-4");
	check_word(&wp, "un#", "0:0-3"); /* ## is no continuation of "" */
	check_word(&wp, "#", "8:0-1");
	check_word(&wp, "éé", "10:0-2 11:2-4");
	check_word(&wp, "ééééééééé",
	           "10:0-2 11:2-4 11:4-6 11:6-8 11:8-10 "
	           "11:10-12 11:12-14 11:14-16 11:16-18");
	check_word(&wp, "éééééééééé", "0:0-20");
	bt_wordpiece_init(&wp, &v, bt_span(""), 0, 100);
	check_word(&wp, "aun", "4:0-1 1:1-3");
	bt_wordpiece_init(&wp, &v, bt_span("zz"), 0, 100);
	check_word(&wp, "aa", "0:0-2"); /* nothing continues */
	bt_vocab_clear(&v);
}

/* The rest of a word, behind its first byte, one token after the other. */
static size_t cut_plainly(const struct bt_wordpiece *wp, const uint8_t *s,
                          size_t at, size_t end, struct bt_piece *p)
{
	uint32_t node, found = 0;
	size_t n = 0, i, stop;

	for (; at < end; at = stop) {
		node = wp->more;
		stop = at;
		for (i = at; i < end; i++) {
			node = bt_trie_step(wp->trie, node, s[i]);
			if (node == BT_TRIE_NONE)
				break;
			if (bt_trie_is_end(wp->trie, node)) {
				stop = i + 1;
				found = node;
			}
		}
		if (stop == at)
			return 0;
		p[n].id = (int32_t)bt_trie_number(wp->trie, found);
		p[n].start = (uint32_t)at;
		p[n++].end = (uint32_t)stop;
	}
	return n;
}

static uint64_t state_of_chance = 1;

static unsigned chance(unsigned n)
{
	state_of_chance = state_of_chance * 6364136223846793005u + 1;
	return (unsigned)(state_of_chance >> 33) % n;
}

/* Random vocabularies of three letters, random words: as one by one. */
TEST(links_give_the_same)
{
	enum { ROUNDS = 300, WORDS = 60, LONGEST = 40 };
	struct bt_piece got[LONGEST], want[LONGEST];
	struct bt_error err = {0};
	struct bt_wordpiece_linear *k;
	struct bt_wordpiece wp;
	char s[LONGEST + 3];
	size_t round, i, n, known = 0;
	struct bt_vocab v;

	for (round = 0; round < ROUNDS; round++) {
		memset(&v, 0, sizeof(v));
		assert_ok(bt_vocab_put(&v, 0, bt_span("?"), &err));
		while (v.n < 3 + round % 20) {
			memcpy(s, "##", 2);
			n = round % 7 == 0 ? 0 : 2; /* no prefix */
			if (round % 3 != 0 && v.n < 3)
				s[n++] = "ab"[v.n - 1];
			else
				for (i = chance(9) + 1; i > 0; i--)
					s[n++] = "abc#"[chance(
					    round % 5 == 0 ? 4 : 3)];
			for (i = 0; i < v.n; i++)
				if (bt_span_equal(v.token[i],
				                  (struct bt_span){s, n}))
					break;
			if (i == v.n)
				assert_ok(bt_vocab_put(
				    &v, v.n, (struct bt_span){s, n}, &err));
		}
		assert_ok(bt_vocab_index(&v, 0, &err));
		bt_wordpiece_init(&wp, &v, bt_span(round % 7 == 0 ? "" : "##"),
		                  0, 100);
		assert_true(wp.more != BT_TRIE_NONE);
		assert_ok(bt_wordpiece_linear_new(&wp, &k));
		for (i = 0; i < WORDS; i++) {
			size_t len = 1 + chance(LONGEST - 1), j;
			uint8_t word[LONGEST];

			for (j = 0; j < len; j++)
				word[j] = (uint8_t) "aaaaaabbbbbbc#"[chance(
				    round % 5 == 0 ? 14 : 12)];
			n = cut_plainly(&wp, word, 1, len, want);
			assert_int_equal(
			    bt_wordpiece_linear_cut(&wp, k, word, 1, len, got),
			    n);
			assert_memory_equal(got, want, n * sizeof(*got));
			known += n > 1;
		}
		bt_wordpiece_linear_free(k);
		bt_vocab_clear(&v);
	}
	assert_true(known > 1000);
}

enum { LONG = 1 << 20 };

/* The processor's seconds for a word of n letters 'a' and one letter more;
 * count pieces. */
static double time_word(const struct bt_wordpiece *wp, size_t n, char last,
                        size_t count)
{
	struct bt_wordpiece_work work = {0};
	struct bt_pieces p = {0};
	char *word = bt_array(n + 1, 1);
	clock_t start;

	assert_non_null(word);
	memset(word, 'a', n);
	word[n] = last;
	start = clock();
	assert_int_equal(
	    bt_wordpiece_encode(wp, &work, (const uint8_t *)word, 0, n + 1, &p),
	    BT_OK);
	start = clock() - start;
	assert_int_equal(p.n, count);
	bt_wordpiece_work_clear(&work);
	free(p.piece);
	free(word);
	return (double)start / CLOCKS_PER_SEC;
}

/* A word of a million characters takes as long as a million short ones, though
 * the vocabulary has a token that is nearly as long, and nearly fits. */
TEST(long_words_take_linear_time)
{
	char *token = bt_array(LONG / 2 + 4, 1);
	struct bt_error err = {0};
	struct bt_wordpiece wp;
	struct bt_vocab v = {0};
	struct bt_span s = {token, LONG / 2 + 3};

	assert_non_null(token);
	memset(token, 'a', LONG / 2 + 2);
	memcpy(token, "##", 2);
	token[LONG / 2 + 2] = 'b';
	assert_ok(bt_vocab_put(&v, 0, bt_span("a"), &err));
	assert_ok(bt_vocab_put(&v, 1, s, &err));
	assert_ok(bt_vocab_put(&v, 2, bt_span("##a"), &err));
	assert_ok(bt_vocab_index(&v, 0, &err));
	bt_wordpiece_init(&wp, &v, bt_span("##"), 0, LONG + 1);
	/* plainly: 2^38 steps */
	assert_true(time_word(&wp, LONG, 'a', LONG + 1) < 10);
	assert_true(time_word(&wp, LONG, 'c', 1) < 10);
	/* a, and LONG/2 - 1 times ##a before the long one */
	assert_true(time_word(&wp, LONG, 'b', LONG / 2 + 1) < 10);
	wp.max_chars = 100;
	time_word(&wp, LONG, 'a', 1);
	bt_vocab_clear(&v);
	free(token);
}
