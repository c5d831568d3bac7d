/* SPDX-License-Identifier: MIT */
/*
 * The parts without the order. What stands where after all splits is known: the
 * first part, the second, and so on. So the numbers of the parts are put into
 * these places, and every step is turned back, the last one first, until each
 * number stands where its record was. A step moves records by their places and
 * classes only, never by what they are; that takes a bit or few for each of
 * them, where an order takes 32.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "recordset/split_int.h"

/* A part split off, by classes. */
struct step {
	uint32_t n, tests;
	struct bt_split_counts counts;
	struct bt_mt19937 classes, train; /* as they were before each of these
	                                   * was shuffled */
};

struct job {
	const struct bt_split *p;
	uint32_t seed, n;
	uint32_t left[BT_SPLIT_MAX + 1]; /* records of parts 0 .. k-1 */
	const struct bt_bitpack *class;
	uint32_t classes;
	uint32_t *next;                 /* [classes] */
	struct step step[BT_SPLIT_MAX]; /* of part k */
};

static int count_parts(struct job *j, struct bt_error *err)
{
	uint32_t tests;
	int k, r = BT_OK;

	j->left[j->p->n] = j->n;
	for (k = j->p->n - 1; k > 0 && r == BT_OK; k--) {
		r = bt_split_tests(j->p, k, j->left[k + 1], j->n, &tests, err);
		j->left[k] = j->left[k + 1] - tests;
	}
	return r;
}

static void put_parts(const struct job *j, struct bt_bitpack *part)
{
	uint32_t i = 0;
	int k;

	for (k = 0; k < j->p->n; k++)
		for (; i < j->left[k + 1]; i++)
			bt_bitpack_set(part, i, (uint32_t)k);
}

/* Turns back the split of part k without classes, which moved the first tests
 * of the shuffled records behind the others. */
static int join(const struct job *j, int k, struct bt_bitpack *part)
{
	uint32_t n = j->left[k + 1], tests = n - j->left[k], i;
	struct bt_mt19937 t;

	for (i = n; i-- > tests;)
		bt_bitpack_set(part, i, bt_bitpack_get(part, i - tests));
	for (i = 0; i < tests; i++)
		bt_bitpack_set(part, i, (uint32_t)k);
	bt_mt19937_init(&t, j->seed);
	return bt_random_state_unshuffle(&t, part, 0, n);
}

/* The records of each class before the first split. */
static void count_classes(struct job *j, struct bt_split_counts *c)
{
	uint32_t i;

	memset(j->next, 0, j->classes * sizeof(*j->next));
	for (i = 0; i < j->n; i++)
		j->next[bt_bitpack_get(j->class, i)]++;
	for (i = 0; i < j->classes; i++)
		if (j->next[i] > 0) {
			c->class[c->classes] = i;
			c->count[c->classes++] = j->next[i];
		}
}

/* Goes through the split of part k for how many of each class it takes, and
 * where the generator was. */
static int plan(struct job *j, int k)
{
	struct step *s = &j->step[k];
	struct bt_split_counts *c;
	struct bt_mt19937 t;
	uint32_t i;

	s->n = j->left[k + 1];
	s->tests = s->n - j->left[k];
	if (bt_split_counts_init(&s->counts, j->classes) != BT_OK)
		return BT_ENOMEM;
	c = &s->counts;
	if (k == j->p->n - 1)
		count_classes(j, c);
	else /* what the split before this one left */
		for (i = 0; i < s[1].counts.classes; i++)
			if (s[1].counts.first[i] > 0) {
				c->class[c->classes] = s[1].counts.class[i];
				c->count[c->classes++] = s[1].counts.first[i];
			}
	bt_mt19937_init(&t, j->seed);
	bt_split_apportion(&t, &s->counts, s->n, s->tests);
	s->classes = t;
	for (i = 0; i < s->counts.classes; i++)
		bt_random_state_skip(&t, s->counts.count[i]);
	s->train = t;
	return BT_OK;
}

/* The class of each record that stands before the split of part k. */
static int classes_before(const struct job *j, int k, struct bt_bitpack *class)
{
	const struct step *s = &j->step[k + 1];
	struct bt_mt19937 t = s->train;
	uint32_t i, c, at = 0;

	if (bt_bitpack_init(class, j->left[k + 1], j->classes - 1) != BT_OK)
		return BT_ENOMEM;
	for (c = 0; c < s->counts.classes; c++)
		for (i = 0; i < s->counts.first[c]; i++)
			bt_bitpack_set(class, at++, s->counts.class[c]);
	bt_random_state_shuffle_packed(&t, class, 0, j->left[k + 1]);
	return BT_OK;
}

/* From the training part, then the other one, each sorted by class, to one run
 * of records sorted by class. */
static void interleave(const struct step *s, int k, struct bt_bitpack *part)
{
	const struct bt_split_counts *c = &s->counts;
	uint32_t from = s->n - s->tests, to = s->n, g, i;

	for (g = c->classes; g-- > 0;) {
		for (i = c->first[g]; i < c->count[g]; i++)
			bt_bitpack_set(part, --to, (uint32_t)k);
		for (i = 0; i < c->first[g]; i++)
			bt_bitpack_set(part, --to,
			               bt_bitpack_get(part, --from));
	}
}

/* From records sorted by class to the order they had. */
static void unsort(struct job *j, const struct step *s,
                   const struct bt_bitpack *class,
                   const struct bt_bitpack *from, struct bt_bitpack *to)
{
	uint32_t i, at = 0;

	for (i = 0; i < s->counts.classes; i++) {
		j->next[s->counts.class[i]] = at;
		at += s->counts.count[i];
	}
	for (i = 0; i < s->n; i++)
		bt_bitpack_set(
		    to, i,
		    bt_bitpack_get(from, j->next[bt_bitpack_get(class, i)]++));
}

/* The same by classes; part and other change places. */
static int join_classes(struct job *j, int k, struct bt_bitpack *part,
                        struct bt_bitpack *other)
{
	struct step *s = &j->step[k];
	struct bt_bitpack class = BT_BITPACK_INIT, swap = *part;
	uint32_t i, at = 0;
	int r = bt_random_state_unshuffle(&s->train, part, 0, s->n - s->tests);

	if (r == BT_OK)
		interleave(s, k, part);
	for (i = 0; i < s->counts.classes && r == BT_OK; i++) {
		r = bt_random_state_unshuffle(&s->classes, part, at,
		                              s->counts.count[i]);
		at += s->counts.count[i];
	}
	if (r == BT_OK && k < j->p->n - 1)
		r = classes_before(j, k, &class);
	if (r != BT_OK)
		return r;
	unsort(j, s, k < j->p->n - 1 ? &class : j->class, part, other);
	/* parts that were split off before stand behind */
	for (i = s->n; i < j->n; i++)
		bt_bitpack_set(other, i, bt_bitpack_get(part, i));
	bt_bitpack_clear(&class);
	*part = *other;
	*other = swap;
	return BT_OK;
}

static int choose(struct job *j, struct bt_bitpack *part)
{
	struct bt_bitpack other = BT_BITPACK_INIT;
	int k, r = bt_bitpack_init(part, j->n, (uint32_t)j->p->n - 1);

	if (r != BT_OK)
		return r;
	put_parts(j, part);
	if (j->class != NULL) {
		r = bt_bitpack_init(&other, j->n, (uint32_t)j->p->n - 1);
		for (k = j->p->n - 1; k > 0 && r == BT_OK; k--)
			r = plan(j, k);
	}
	for (k = 1; k < j->p->n && r == BT_OK; k++)
		r = j->class != NULL ? join_classes(j, k, part, &other)
		                     : join(j, k, part);
	bt_bitpack_clear(&other);
	return r;
}

int bt_split_parts(const struct bt_split *p, uint32_t seed, uint32_t n,
                   const struct bt_bitpack *class, uint32_t classes,
                   struct bt_bitpack *part, struct bt_error *err)
{
	struct job *j = bt_array0(1, sizeof(*j));
	int k, r;

	*j = (struct job){.p = p,
	                  .seed = seed,
	                  .n = n,
	                  .class = class,
	                  .classes = classes,
	                  .next = bt_array(classes, sizeof(*j->next))};
	r = count_parts(j, err);
	if (r == BT_OK && (j->next == NULL || choose(j, part) != BT_OK))
		r = bt_error_nomem(err, "splitting");
	for (k = 0; k < BT_SPLIT_MAX; k++)
		bt_split_counts_clear(&j->step[k].counts);
	free(j->next);
	free(j);
	return r;
}
