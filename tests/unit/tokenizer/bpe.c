/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "golden.h"

#include "base/utf8.h"
#include "io/out.h"
#include "tokenizer/bpe_int.h"
#include "tokenizer_file/tokenizer_file.h"

static struct bt_error err;

static const char *data(const char *name)
{
	return data_path("bpe", name);
}

/* The CRC-32 of the ids of "c a<c>b <c>1" for every step-th code point c. */
static unsigned long fold_all(const struct bt_tok *t, struct bt_tok_scratch *s,
                              uint32_t step)
{
	struct bt_span none = {NULL, 0}, text;
	struct bt_tok_encode_opts how = {0};
	unsigned long crc = 0;
	struct bt_encoding e;
	uint8_t p[20], *q;
	uint32_t c;

	text.p = (const char *)p;
	for (c = 0; c < 0x110000; c += step) {
		if (c >= 0xd800 && c < 0xe000)
			continue;
		q = p;
		q += bt_utf8_put(q, c);
		*q++ = ' ';
		*q++ = 'a';
		q += bt_utf8_put(q, c);
		*q++ = 'b';
		*q++ = ' ';
		q += bt_utf8_put(q, c);
		*q++ = '1';
		text.n = (size_t)(q - p);
		assert_ok(bt_tok_encode(t, s, text, none, &how, &e, &err));
		crc = crc32(crc, (const Bytef *)e.ids,
		            (uInt)(e.n * sizeof(*e.ids)));
	}
	return crc;
}

TEST(golden_cases)
{
	json_t *golden =
	    json_load_file(data("golden.json"), JSON_ALLOW_NUL, NULL);
	struct bt_tok_scratch *s;
	struct bt_tok *t;
	const char *name;
	char file[40];
	json_t *g;

	assert_true(json_object_size(golden) > 10);
	json_object_foreach(golden, name, g)
	{
		snprintf(file, sizeof(file), "%s.json", name);
		assert_ok(bt_tok_open(data(file), NULL, &t, &err));
		assert_ok(bt_tok_scratch_new(t, &s, &err));
		check_encodings(name, json_object_get(g, "cases"), 60, t);
		if (fold_all(t, s,
		             (uint32_t)json_integer_value(
		                 json_object_get(g, "step"))) !=
		    (unsigned long)json_integer_value(
		        json_object_get(g, "all")))
			fail_msg("%s: the ids of some code point differ", name);
		bt_tok_scratch_free(s);
		bt_tok_free(t);
	}
	json_decref(golden);
}

/* vocab.json and merges.txt give what tokenizer.json gives. */
TEST(two_files)
{
	json_t *golden =
	    json_load_file(data("golden.json"), JSON_ALLOW_NUL, NULL);
	struct bt_tok *t, *same;

	assert_ok(bt_tok_open(data("roberta"), NULL, &t, &err));
	check_encodings(
	    "roberta",
	    json_object_get(json_object_get(golden, "roberta"), "cases"), 60,
	    t);
	assert_int_equal(bt_tok_max_length(t), 512);
	assert_int_equal(bt_tok_role(t, BT_TOK_PAD), 1);
	assert_int_equal(bt_tok_specials(t, true), 4);
	assert_ok(bt_tok_open(data("roberta.json"), NULL, &same, &err));
	assert_string_equal(bt_tok_fingerprint(t), bt_tok_fingerprint(same));
	bt_tok_free(same);
	assert_int_equal(mkdir("saved", 0777), 0);
	assert_ok(bt_tok_save(t, "saved", 100, &err));
	assert_ok(bt_tok_open("saved", NULL, &same, &err));
	assert_string_equal(bt_tok_fingerprint(t), bt_tok_fingerprint(same));
	bt_tok_free(same);
	bt_tok_free(t);
	json_decref(golden);
}

/* A vocabulary of the letters and what some merges make of them. */
struct made {
	struct bt_vocab v;
	struct bt_bpe_merge merge[200];
	char text[200][40];
	size_t merges;
	struct bt_tok_model *model;
};

static uint32_t draw(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 10;
}

static void make(struct made *m, uint32_t seed)
{
	struct bt_bpe_opts o = {
	    .unknown = -1, .prefix = {"", 0}, .suffix = {"", 0}};
	struct bt_span a, b;
	size_t i, k;
	char s[2] = "a";

	memset(m, 0, sizeof(*m));
	for (; *s < 'd'; ++*s)
		assert_ok(bt_vocab_put(&m->v, m->v.n, bt_span(s), &err));
	for (i = 0; i < 200; i++) {
		a = m->v.token[draw(&seed) % m->v.n];
		b = m->v.token[draw(&seed) % m->v.n];
		if (a.n + b.n >= 8)
			continue;
		memcpy(m->text[i], a.p, a.n);
		memcpy(m->text[i] + a.n, b.p, b.n);
		for (k = 0; k < m->v.n; k++)
			if (bt_span_equal(m->v.token[k], bt_span(m->text[i])))
				break;
		if (k < m->v.n)
			continue;
		assert_ok(
		    bt_vocab_put(&m->v, m->v.n, bt_span(m->text[i]), &err));
		m->merge[m->merges++] = (struct bt_bpe_merge){a, b};
	}
	assert_ok(bt_vocab_index(&m->v, 0, &err));
	assert_ok(
	    bt_tok_model_bpe(&m->v, m->merge, m->merges, &o, &m->model, &err));
}

/* The definition: merges the first of all pairs until there is none. */
static size_t naive(const struct made *m, const char *text, size_t n,
                    int32_t *id)
{
	size_t i, k, best, at = 0;

	for (i = 0; i < n; i++)
		id[i] = text[i] - 'a';
	for (;;) {
		best = m->merges;
		for (i = 0; i + 1 < n; i++)
			for (k = 0; k < best; k++)
				if (bt_span_equal(m->merge[k].a,
				                  m->v.token[id[i]]) &&
				    bt_span_equal(m->merge[k].b,
				                  m->v.token[id[i + 1]])) {
					best = k;
					at = i;
				}
		if (best == m->merges)
			return n;
		id[at] = (int32_t)best + 3; /* after the letters */
		for (i = at + 1; i + 1 < n; i++)
			id[i] = id[i + 1];
		n--;
	}
}

TEST(merges_in_order)
{
	struct bt_pieces out = {0};
	int32_t id[200];
	char text[200];
	struct made m;
	uint32_t seed;
	size_t n, i, k;
	void *work;

	for (seed = 1; seed <= 20; seed++) {
		uint32_t s = seed * 977;

		make(&m, seed);
		assert_ok(bt_bpe_work_new(m.model, &work));
		for (k = 0; k < 60; k++) {
			/* around the length where the heap takes over */
			n = k < 30 ? 1 + k % 12 : 25 + draw(&s) % 60;
			for (i = 0; i < n; i++)
				text[i] = (char)('a' + draw(&s) % 3);
			out.n = 0;
			assert_ok(m.model->ops->cut(
			    m.model, work, (const uint8_t *)text, 0, n, &out));
			assert_int_equal(out.n, naive(&m, text, n, id));
			for (i = 0; i < out.n; i++)
				assert_int_equal(out.piece[i].id, id[i]);
			assert_int_equal(out.piece[out.n - 1].end, n);
		}
		bt_bpe_work_free(work);
		bt_tok_model_free(m.model);
		bt_vocab_clear(&m.v);
	}
	free(out.piece);
}

#define TOKENS 300u

/* Each pair's merge is found, and no other's: see + 1, 0 where there is none.
 */
static void check_pairs(const struct bt_bpe_ranks *p, const uint32_t *see)
{
	uint32_t a, b, want, look;

	for (a = 0; a < TOKENS; a++)
		for (b = 0; b < TOKENS; b++) {
			want = see[a * TOKENS + b];
			assert_int_equal(bt_bpe_ranks_find(p, a, b),
			                 want == 0 ? BT_NO_MERGE : want - 1);
			if (p->slot == NULL)
				continue;
			look = bt_bpe_ranks_look(p, a, b);
			if (want == 0)
				assert_true(look >= BT_BPE_RANKS_MERGES);
			else
				assert_int_equal(look, want - 1);
		}
}

/* Few and many merges for the room there is, some of them twice; with a
 * vocabulary that is too large for the slots, too. */
TEST(table_of_pairs)
{
	static const size_t vocabulary[3] = {TOKENS, BT_BPE_RANKS_NOBODY,
	                                     BT_BPE_RANKS_NOBODY + 1};
	uint32_t *see = calloc(TOKENS * TOKENS, sizeof(*see)), seed = 7, a, b;
	size_t room, v, i, n = 20000;
	struct bt_bpe_ranks p;

	assert_non_null(see);
	for (v = 0; v < 3; v++)
		for (room = 1; room <= n; room *= 20) {
			memset(see, 0, TOKENS * TOKENS * sizeof(*see));
			assert_int_equal(
			    bt_bpe_ranks_init(&p, room, vocabulary[v]), BT_OK);
			assert_int_equal(p.slot == NULL, v == 2);
			for (i = 0; i < n; i++) {
				a = draw(&seed) % TOKENS;
				b = draw(&seed) % TOKENS;
				assert_int_equal(
				    bt_bpe_ranks_put(&p, a, b, (uint32_t)i),
				    BT_OK);
				see[a * TOKENS + b] = (uint32_t)i + 1;
			}
			assert_true(p.n_beside > 0);
			check_pairs(&p, see);
			bt_bpe_ranks_clear(&p);
		}
	free(see);
}

/* A million letters without a blank end soon, with and without merges. */
TEST(long_word)
{
	static const char *const alike[] = {"a", "the", "\xcc\x81", " "};
	struct bt_tok_encode_opts how = {.offsets = true};
	struct bt_span none = {NULL, 0}, text;
	struct bt_tok_scratch *s;
	size_t n = 1000000, i, k, len;
	struct bt_encoding e;
	struct bt_tok *t;
	char *p = malloc(n);

	assert_non_null(p);
	assert_ok(bt_tok_open(data("modern.json"), NULL, &t, &err));
	assert_ok(bt_tok_scratch_new(t, &s, &err));
	for (k = 0; k < sizeof(alike) / sizeof(alike[0]); k++) {
		len = strlen(alike[k]);
		for (i = 0; i < n; i++)
			p[i] = alike[k][i % len];
		text.p = p;
		text.n = n / len * len;
		assert_ok(bt_tok_encode(t, s, text, none, &how, &e, &err));
		assert_int_equal(e.end[e.n - 1], text.n);
	}
	bt_tok_scratch_free(s);
	bt_tok_free(t);
	free(p);
}

static void refuses(const char *text, const char *words)
{
	struct bt_tok *t = NULL;

	assert_ok(bt_out_whole("t.json", text, strlen(text), &err));
	assert_err(bt_tok_open("t.json", NULL, &t, &err), BT_EFORMAT, words);
}

#define WRAP(pretok, model)                                                    \
	"{\"pre_tokenizer\":" pretok ",\"model\":{\"type\":\"BPE\"," model "}}"
#define VOCAB "\"vocab\":{\"a\":0,\"b\":1,\"ab\":2},"
#define BYTES                                                                  \
	"{\"type\":\"ByteLevel\",\"add_prefix_space\":true,"                   \
	"\"trim_offsets\":true}"
#define MERGES "\"merges\":[\"a b\"]"

TEST(odd_files)
{
	refuses(WRAP("null", VOCAB "\"merges\":[\"a  b\"]"),
	        "merges[0]: 'a  b' has more than one space");
	refuses(WRAP("null", VOCAB "\"merges\":[\"ab\"]"),
	        "merges[0]: 'ab' is not two tokens with a space");
	refuses(WRAP("null", VOCAB "\"merges\":[[\"a\",\"b\",\"c\"]]"),
	        "merges[0]: not two tokens");
	refuses(WRAP("null", VOCAB "\"merges\":[7]"), "not two tokens");
	refuses(WRAP("null", VOCAB "\"merges\":[\"a b\",\"a c\"]"),
	        "merge 2: the second half 'c' is not in the vocabulary");
	refuses(WRAP("null", VOCAB "\"merges\":[\"b a\"]"),
	        "merge 1: the result 'ba' is not in the vocabulary");
	refuses(WRAP("null", VOCAB "\"x\":1"),
	        "'x' of the model is not supported");
	refuses(WRAP("null", "\"vocab\":{\"a\":0}"), "the model has no merges");
	refuses(WRAP("null", VOCAB MERGES ",\"dropout\":0.1"),
	        "'dropout' of the model is not supported");
	refuses(WRAP("null", VOCAB MERGES ",\"unk_token\":\"u\""),
	        "unk_token 'u' is not in the vocabulary");
	refuses(WRAP("null", VOCAB MERGES ",\"dropout\":null"),
	        "lacks the token '[CLS]'");
	refuses(WRAP("{\"type\":\"Sequence\",\"pretokenizers\":[" BYTES
	             "," BYTES "]}",
	             VOCAB MERGES),
	        "a pre_tokenizer behind ByteLevel is not supported");
	refuses(WRAP("{\"type\":\"Split\",\"pattern\":{\"Regex\":\"a|(b\"},"
	             "\"behavior\":\"Isolated\",\"invert\":false}",
	             VOCAB MERGES),
	        "pre_tokenizer Split: the regular expression 'a|(b' is not "
	        "supported: a '(' without its ')' at byte 4");
	refuses(WRAP("{\"type\":\"Split\",\"pattern\":{\"String\":\"a\"},"
	             "\"behavior\":\"x\",\"invert\":false}",
	             VOCAB MERGES),
	        "the behavior 'x' is not supported");
	refuses(WRAP(BYTES, VOCAB MERGES ",\"byte_fallback\":true"),
	        "'byte_fallback' of the model is not supported with ByteLevel");
	refuses(WRAP("null", VOCAB MERGES ",\"byte_fallback\":true,"
	                                  "\"end_of_word_suffix\":\"x\""),
	        "'byte_fallback' of the model is not supported with");
}
