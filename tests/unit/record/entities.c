/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Tags that a scheme takes strictly, as seqeval does, are exactly those that
 * are written for the entities in them. */
#include "record/entities.h"

#include "test.h"

#define WORDS 4
#define TYPES 2

/* Whether every entity is whole by the scheme, and no word outside all. */
static bool is_strict(const struct bt_entity_scheme *s,
                      const struct bt_entity_tag *tag, size_t n)
{
	struct bt_entity_reader r = {bt_entity_outside, false};
	struct bt_entity_step step;
	size_t i;

	for (i = 0; i <= n; i++) {
		step =
		    bt_entity_next(&r, s, i < n ? tag[i] : bt_entity_outside);
		if (step.ends && !step.whole)
			return false;
		if (i < n && r.open != (tag[i].part != 'O'))
			return false;
	}
	return true;
}

/* All sequences of n tags of the letters, of which `code` counts. */
static void one(const struct bt_entity_scheme *s, const char *letters,
                unsigned code, size_t n, size_t *valid)
{
	static const char read[] = "BIESLU", means[] = "BIESES";
	unsigned k, choices = (unsigned)strlen(letters) * TYPES + 1;
	struct bt_entity_tag tag[WORDS];
	char want[WORDS], got[WORDS];
	bool written, strict;
	size_t i;

	for (i = 0; i < n; i++, code /= choices) {
		k = code % choices;
		tag[i] = bt_entity_outside;
		want[i] = 'O';
		if (k == 0)
			continue;
		want[i] = letters[(k - 1) / TYPES];
		tag[i].part = means[strchr(read, want[i]) - read];
		tag[i].type = (int)((k - 1) % TYPES);
	}
	bt_entity_write(s, tag, n, got);
	written = memcmp(got, want, n) == 0;
	strict = is_strict(s, tag, n);
	/* seqeval's ioe1 knows no E that an entity begins with */
	if (strcmp(bt_entity_scheme_name(s), "ioe1") == 0)
		assert_true(written || !strict);
	else
		assert_int_equal(strict, written);
	*valid += written;
}

TEST(test_writes_what_is_strict)
{
	static const char *const cases[][2] = {
	    {"iob1", "BI"}, {"iob2", "BI"},    {"ioe1", "IE"},
	    {"ioe2", "IE"}, {"iobes", "BIES"}, {"bilou", "BILU"}};
	/* ways to place entities of two types in 1 to 4 words */
	static const size_t ways[] = {3, 11, 41, 153};
	struct bt_error err = {0};
	unsigned code, all, choices;
	size_t i, n, valid;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct bt_entity_scheme *s =
		    bt_entity_scheme(cases[i][0], &err);

		assert_string_equal(bt_entity_scheme_name(s), cases[i][0]);
		choices = (unsigned)strlen(cases[i][1]) * TYPES + 1;
		for (n = 1, all = choices; n <= WORDS; n++, all *= choices) {
			valid = 0;
			for (code = 0; code < all; code++)
				one(s, cases[i][1], code, n, &valid);
			assert_int_equal(valid, ways[n - 1]);
		}
	}
}

TEST(test_forms)
{
	static const char *const good[] = {"O", "B-X", "U-a-b", "I--"};
	static const char *const bad[] = {"",    "B",   "B-", "o",
	                                  "X-Y", "O-X", "NN"};
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(bt_entity_has_part(bt_span(good[i])));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(bt_entity_has_part(bt_span(bad[i])));
}
