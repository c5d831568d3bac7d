/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Labels, metrics, data sets, schedules, batches. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finetune/dataset.h"
#include "metrics/metrics.h"
#include "optim/optim.h"
#include "record/labels.h"
#include "task/task.h"
#include "train/batches.h"

static void add(struct bt_labels *l, const char *name, int wanted)
{
	struct bt_error err = {0};

	assert_int_equal(bt_labels_add(l, bt_span(name), &err), wanted);
}

TEST(labels_keep_their_numbers)
{
	static const char *const sorted[] = {"10", "9", "a", "b"};
	struct bt_span nul = {"a\0b", 3};
	struct bt_error err = {0};
	struct bt_labels l = {0};
	int map[4], i;

	assert_int_equal(bt_labels_find(&l, bt_span("b")), -1);
	add(&l, "b", 0);
	add(&l, "9", 1);
	add(&l, "b", 0);
	add(&l, "10", 2);
	add(&l, "a", 3);
	assert_err(bt_labels_add(&l, nul, &err), BT_EFORMAT, "NUL");
	assert_ok(bt_labels_sort(&l, map, &err));
	for (i = 0; i < 4; i++) {
		assert_string_equal(l.name[i], sorted[i]);
		assert_int_equal(bt_labels_find(&l, bt_span(sorted[i])), i);
	}
	assert_int_equal(map[0], 3);
	assert_int_equal(map[2], 0);
	bt_labels_clear(&l);
}

/* -1 stands before 0, and 2 before 10, where all labels are numbers. */
TEST(numbers_sort_as_numbers)
{
	static const char *const sorted[] = {"-1", "0", "2", "10"};
	struct bt_error err = {0};
	struct bt_labels l = {0};
	int i;

	add(&l, "10", 0);
	add(&l, "2", 1);
	add(&l, "0", 2);
	add(&l, "-1", 3);
	assert_ok(bt_labels_sort(&l, NULL, &err));
	for (i = 0; i < 4; i++)
		assert_string_equal(l.name[i], sorted[i]);
	bt_labels_clear(&l);
}

/* Numbers that records give decide, unless they make no order. */
TEST(given_numbers_order_labels)
{
	static const struct {
		int64_t given[4]; /* of b, a, 10 and of b again */
		const char *sorted[3];
	} cases[] = {
	    {{0, 7, 2, 0}, {"b", "10", "a"}},
	    {{0, 7, 2, 1}, {"10", "a", "b"}},   /* two for one label */
	    {{0, 7, 2, -1}, {"10", "a", "b"}},  /* none for a record */
	    {{-1, 7, 2, -1}, {"10", "a", "b"}}, /* none for a label */
	    {{2, 7, 2, 2}, {"10", "a", "b"}},   /* one for two labels */
	};
	static const char *const names[] = {"b", "a", "10", "b"};
	struct bt_error err = {0};
	struct bt_labels l = {0};
	size_t c, i;
	int map[3];

	for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		for (i = 0; i < 4; i++) {
			add(&l, names[i], (int)(i % 3));
			bt_labels_given(&l, (int)(i % 3), cases[c].given[i]);
		}
		assert_ok(bt_labels_sort(&l, map, &err));
		for (i = 0; i < 3; i++) {
			assert_string_equal(l.name[i], cases[c].sorted[i]);
			assert_string_equal(l.name[map[i]], names[i]);
		}
		bt_labels_clear(&l);
	}
}

static int from_json(const char *text, struct bt_labels *l,
                     struct bt_error *err)
{
	json_t *o = json_loads(text, 0, NULL);
	int r = bt_labels_from_json(o, l, err);

	json_decref(o);
	return r;
}

TEST(labels_from_configurations)
{
	struct bt_error err = {0};
	struct bt_labels l;

	assert_ok(from_json("{\"id2label\": {\"1\": \"neg\", \"0\": \"pos\"},"
	                    " \"label2id\": {\"pos\": \"0\"}}",
	                    &l, &err));
	assert_int_equal(l.n, 2);
	assert_string_equal(l.name[0], "pos");
	bt_labels_clear(&l);
	assert_ok(from_json("{\"id2label\": {\"0\": 7, \"1\": -1}}", &l, &err));
	assert_int_equal(l.n, 2);
	assert_string_equal(l.name[0], "7");
	assert_string_equal(l.name[1], "-1");
	bt_labels_clear(&l);
	assert_ok(from_json("{}", &l, &err));
	assert_int_equal(l.n, 0);
	assert_err(
	    from_json("{\"id2label\": {\"0\": \"a\", \"2\": \"b\"}}", &l, &err),
	    BT_EFORMAT, "no text for '1'");
	assert_err(
	    from_json("{\"id2label\": {\"0\": \"a\", \"1\": \"a\"}}", &l, &err),
	    BT_EFORMAT, "twice");
	assert_err(from_json("{\"id2label\": [\"a\"]}", &l, &err), BT_EFORMAT,
	           "not an object");
	assert_err(from_json("{\"id2label\": {\"0\": null}}", &l, &err),
	           BT_EFORMAT, "no text");
	assert_err(
	    from_json("{\"id2label\": {\"0\": \"7\", \"1\": 7}}", &l, &err),
	    BT_EFORMAT, "label '7' twice");
}

static void near(double got, double wanted)
{
	if (!(fabs(got - wanted) < 1e-6))
		fail_msg("%.9g, not %.9g", got, wanted);
}

/* Values from scikit-learn. */
TEST(metrics_known_answers)
{
	static const int truth[] = {0, 1, 2, 2, 1, 0};
	static const int guess[] = {0, 2, 2, 2, 0, 0};
	float logits[4];
	struct bt_metrics_summary s;
	struct bt_class_metrics c;
	struct bt_error err = {0};
	struct bt_metrics m;
	double v;
	int i;

	assert_ok(bt_metrics_init(&m, &bt_metrics_classification, 4,
	                          &err)); /* class 3 never occurs */
	for (i = 0; i < 6; i++) {
		memset(logits, 0, sizeof(logits));
		logits[guess[i]] = 2;
		assert_ok(bt_metrics_add(&m, truth[i], NULL, logits, &err));
	}
	bt_metrics_summary(&m, &s);
	near(s.macro_f1, 0.5333333333);
	near(s.weighted_f1, 0.5333333333);
	near(s.macro_precision, 0.4444444444);
	near(s.macro_recall, 0.6666666667);
	near(s.accuracy, 0.6666666667);
	near(s.mcc, 0.5773502692);
	/* log(3 + e^2), less 2 where the guess is right */
	near(s.loss, log(3 + exp(2)) - 8.0 / 6);
	bt_metrics_class(&m, 1, &c);
	assert_true(c.precision == 0 && c.recall == 0 && c.f1 == 0);
	assert_int_equal(c.support, 2);
	assert_ok(bt_metrics_find(&s, "weighted-f1", &v, &err));
	near(v, s.weighted_f1);
	assert_err(bt_metrics_find(&s, "f2", &v, &err), BT_EARG, "accuracy");
	bt_metrics_reset(&m);
	bt_metrics_summary(&m, &s);
	assert_true(s.accuracy == 0 && s.loss == 0 && s.mcc == 0);
	bt_metrics_clear(&m);
}

/* n examples of 1, 2, ..., 7, 1, 2 ... tokens, ids = number of the example. */
static void make_dataset(struct bt_dataset *d, int n)
{
	int32_t ids[8];
	uint8_t types[8] = {0};
	struct bt_token_rec rec = {.ids = ids, .types = types, .weight = 1};
	struct bt_error err = {0};
	char name[16];
	int i, k;

	memset(d, 0, sizeof(*d));
	for (i = 0; i < n; i++) {
		rec.n = (size_t)(1 + i % 7);
		for (k = 0; k < 8; k++)
			ids[k] = i;
		snprintf(name, sizeof(name), "n%d", i);
		rec.id = i % 2 ? bt_span(name) : bt_span(NULL);
		assert_ok(bt_dataset_add(d, &rec, i % 3, &err));
	}
}

TEST(datasets)
{
	struct bt_dataset d, e = {0};
	uint32_t which[3] = {9, 0, 13};
	struct bt_error err = {0};
	int map[3] = {2, 0, 1};
	struct bt_gather g;
	size_t i;
	char seen[100] = {0};

	make_dataset(&d, 100);
	assert_int_equal(d.n, 100);
	assert_int_equal(d.longest, 7);
	assert_null(bt_dataset_id(&d, 4).p);
	assert_true(bt_span_equal(bt_dataset_id(&d, 9), bt_span("n9")));
	assert_ok(bt_gather_init(&g, 3, 20, 0, &err));
	bt_gather_fill(&g, &d, which, 0, 3);
	assert_int_equal(g.b.tokens, 3 + 1 + 7);
	assert_int_equal(g.b.ids[4], 13);
	assert_int_equal(g.b.start[2], 4);
	assert_int_equal(g.b.labels[0], 0);
	bt_gather_clear(&g);
	assert_ok(bt_dataset_relabel(&d, map, 2, &err));
	assert_int_equal(d.label[0], 2);
	assert_ok(bt_dataset_split(&d, 0.25, 7, &e, &err));
	assert_int_equal(d.n, 75);
	assert_int_equal(e.n, 25);
	for (i = 0; i < 75; i++)
		seen[d.ids[d.start[i]]]++;
	for (i = 0; i < 25; i++)
		seen[e.ids[e.start[i]]]++;
	for (i = 0; i < 100; i++)
		assert_int_equal(seen[i], 1);
	bt_dataset_clear(&d);
	bt_dataset_clear(&e);
}

/* Each label gives floor or ceil of its share, its last example stays. */
TEST(a_split_is_stratified)
{
	static const int32_t of[6] = {300, 41, 7, 2, 1, 0}; /* label k - 1 */
	static const double shares[] = {.1, .07, .5, .9};
	struct bt_token_rec rec = {.weight = 1};
	struct bt_dataset d, e;
	struct bt_error err = {0};
	int32_t ids[1] = {5}, k;
	uint8_t types[1] = {0};
	size_t i, s, held[6], total;
	double exact;
	int n;

	rec.ids = ids;
	rec.types = types;
	rec.n = 1;
	for (s = 0; s < 4; s++) {
		memset(&d, 0, sizeof(d));
		memset(&e, 0, sizeof(e));
		for (k = 0; k < 6; k++)
			for (n = 0; n < of[k]; n++)
				assert_ok(
				    bt_dataset_add(&d, &rec, k - 1, &err));
		assert_ok(bt_dataset_split(&d, shares[s], 11, &e, &err));
		memset(held, 0, sizeof(held));
		for (i = total = 0; i < e.n; i++)
			held[e.label[i] + 1]++;
		for (k = 0; k < 6; k++) {
			exact = shares[s] * of[k];
			total += held[k];
			assert_true((double)held[k] < exact + 1);
			assert_true((double)held[k] > exact - 1 ||
			            (int)held[k] == of[k] - 1);
			assert_true(of[k] == 0 || (int)held[k] < of[k]);
		}
		assert_int_equal(total + d.n, 351);
		bt_dataset_clear(&d);
		bt_dataset_clear(&e);
	}
}

/* Pairs show in segments, and else in the token behind each text. */
TEST(pairs_are_counted)
{
	static int32_t ids[][6] = {{2, 7, 3}, {2, 7, 3, 3, 8, 3}, {2, 7, 8}};
	static uint8_t types[6] = {0, 0, 0, 0, 0, 1}, none[6];
	struct bt_token_rec rec = {0};
	struct bt_dataset d = {0};
	struct bt_error err = {0};
	size_t i;

	assert_int_equal(bt_dataset_pairs(&d, 3), 0);
	for (i = 0; i < 3; i++) {
		rec.ids = ids[i];
		rec.types = none;
		rec.n = i == 1 ? 6 : 3;
		assert_ok(bt_dataset_add(&d, &rec, 0, &err));
	}
	assert_int_equal(bt_dataset_pairs(&d, 3), 1);
	assert_int_equal(bt_dataset_pairs(&d, -1), 0);
	rec.ids = ids[1];
	rec.types = types;
	rec.n = 6;
	assert_ok(bt_dataset_add(&d, &rec, 0, &err));
	assert_int_equal(bt_dataset_pairs(&d, 3), 2);
	assert_int_equal(bt_dataset_pairs(&d, -1), 1);
	bt_dataset_clear(&d);
}

/* Every epoch goes through each example once, in whole updates. */
TEST(batches_cover_epochs)
{
	struct bt_batching o = {.size = 8, .accumulate = 3, .seed = 1};
	struct bt_error err = {0};
	struct bt_batches b;
	struct bt_dataset d;
	size_t pos, end, i, n, tokens, most;
	int64_t updates;
	int mode;

	make_dataset(&d, 100);
	for (mode = 0; mode < 2; mode++) {
		o.size = mode == 0 ? 8 : 0;
		o.tokens = mode == 0 ? 0 : 30;
		assert_ok(bt_batches_init(&b, &d, &o, &err));
		most = bt_batches_max_tokens(&b);
		bt_batches_seek(&b, 4, 0);
		for (pos = updates = 0; pos < d.n; updates++) {
			end = bt_batches_update_end(&b, pos);
			assert_true(end > pos && end <= d.n);
			assert_true(end - pos <= bt_batches_update_texts(&b));
			for (i = pos, tokens = 0; i < end; i++)
				tokens += bt_dataset_length(&d, b.order[i]);
			assert_true(tokens <= bt_batches_update_tokens(&b));
			for (; pos < end; pos += n) {
				n = bt_batches_at(&b, pos);
				for (i = tokens = 0; i < n; i++)
					tokens += bt_dataset_length(
					    &d, b.order[pos + i]);
				assert_true(tokens <= most);
				assert_true(n <= bt_batches_max_texts(&b));
				assert_true(mode == 0 || tokens <= 30);
			}
		}
		assert_int_equal(bt_batches_count(&b, 4), updates);
		if (mode == 0) {
			assert_int_equal(updates, 5); /* 13 batches of 3 */
			assert_int_equal(bt_batches_total(&b, 2.5), 13);
			assert_int_equal(most, 7 * 8);
			assert_int_equal(bt_batches_update_texts(&b), 3 * 8);
			assert_int_equal(bt_batches_update_tokens(&b),
			                 14 * 7 + 10 * 6);
		}
		bt_batches_clear(&b);
	}
	bt_dataset_clear(&d);
}

/* The parts of a batch are all of it, each within a text of its share. */
TEST(parts_have_as_many_tokens)
{
	static const size_t lengths[] = {9, 1, 1, 7, 1, 1, 1, 3, 8, 2, 2, 4};
	struct bt_batching o = {.size = 12, .accumulate = 1};
	int32_t ids[9] = {0};
	uint8_t types[9] = {0};
	struct bt_token_rec rec = {.ids = ids, .types = types};
	struct bt_dataset d = {0};
	struct bt_error err = {0};
	struct bt_batches b;
	size_t i, at, end, tokens;
	int s, parts;

	for (i = 0; i < 12; i++) {
		rec.n = lengths[i];
		assert_ok(bt_dataset_add(&d, &rec, 0, &err));
	}
	assert_ok(bt_batches_init(&b, &d, &o, &err));
	bt_batches_seek(&b, 0, 0);
	for (i = 0; i < 12; i++)
		b.order[i] = (uint32_t)i;
	/* of 40: where 10 and 20 are, and nearer to 30 behind the 8 than before
	 */
	assert_int_equal(bt_batches_part(&b, 0, 12, 1, 4), 2);
	assert_int_equal(bt_batches_part(&b, 0, 12, 2, 4), 6);
	assert_int_equal(bt_batches_part(&b, 0, 12, 3, 4), 9);
	for (parts = 1; parts <= 14; parts++) {
		assert_int_equal(bt_batches_part(&b, 0, 12, 0, parts), 0);
		assert_int_equal(bt_batches_part(&b, 0, 12, parts, parts), 12);
		for (s = 0; s < parts; s++) {
			at = bt_batches_part(&b, 0, 12, s, parts);
			end = bt_batches_part(&b, 0, 12, s + 1, parts);
			assert_true(at <= end);
			for (tokens = 0; at < end; at++)
				tokens += lengths[at];
			assert_true(fabs((double)tokens - 40.0 / parts) <= 9);
		}
	}
	bt_batches_clear(&b);
	bt_dataset_clear(&d);
}

TEST(groups_stay_together)
{
	/* of 1, 2 or 3 texts */
	static const int32_t number[] = {0, 0, 1, 0, 1, 2, 0, 0, 1, 0, 1, 0};
	struct bt_batching o = {.size = 2, .accumulate = 1, .seed = 3};
	struct bt_token_rec rec = {.n = 2};
	int32_t ids[] = {1, 2};
	uint8_t types[] = {0, 0}, seen[12] = {0};
	struct bt_dataset d = {0};
	struct bt_error err = {0};
	struct bt_batches b;
	size_t i, pos, n, most;
	int64_t epoch;

	rec.ids = ids;
	rec.types = types;
	for (i = 0; i < 12; i++) {
		rec.text_number = number[i];
		assert_ok(bt_dataset_add(&d, &rec, number[i], &err));
	}
	assert_int_equal(d.most_texts, 3);
	assert_ok(bt_batches_init(&b, &d, &o, &err));
	assert_int_equal(bt_batches_count(&b, 0), 4); /* 7 groups */
	assert_int_equal(bt_batches_max_texts(&b), 6);
	for (epoch = 0; epoch < 9; epoch++) {
		bt_batches_seek(&b, epoch, 0);
		for (i = 0; i < 12; i++) {
			seen[b.order[i]]++;
			if (d.label[b.order[i]] > 0)
				assert_int_equal(b.order[i],
				                 b.order[i - 1] + 1);
		}
		for (i = 0; i < 12; i++)
			assert_int_equal(seen[i], epoch + 1);
		for (pos = 0; pos < 12; pos += n) {
			assert_int_equal(d.label[b.order[pos]], 0);
			n = bt_batches_at(&b, pos);
		}
		assert_int_equal(bt_batches_between(&b, 0, 12), 7);
	}
	bt_batches_clear(&b);
	/* a group of more tokens, and more texts, than a batch is to have */
	o = (struct bt_batching){.tokens = 2, .accumulate = 1, .seed = 3};
	assert_ok(bt_batches_init(&b, &d, &o, &err));
	bt_batches_seek(&b, 0, 0);
	for (pos = most = 0; pos < 12; pos += n) {
		n = bt_batches_at(&b, pos);
		most = n > most ? n : most;
		assert_true(n <= bt_batches_max_texts(&b));
		assert_true(2 * n <= bt_batches_max_tokens(&b));
	}
	assert_int_equal(most, 3);
	bt_batches_clear(&b);
	bt_dataset_clear(&d);
}

/* Each example is the first of a pair once in an epoch, and the second of one
 * of its class; both are the same only where the class has no other. */
TEST(pairs_are_of_one_class)
{
	struct bt_batching o = {
	    .size = 8, .accumulate = 1, .seed = 5, .pairs = true};
	int first[100], second[100], other[100] = {0}, moved = 0;
	struct bt_error err = {0};
	struct bt_batches b;
	struct bt_dataset d;
	size_t pos, n, i, tokens;
	int64_t epoch;
	uint32_t x, y;

	make_dataset(&d, 100);
	d.label[37] = 9;
	assert_ok(bt_batches_init(&b, &d, &o, &err));
	assert_int_equal(b.n, 200);
	assert_int_equal(bt_batches_count(&b, 0), 13);
	assert_int_equal(bt_batches_max_texts(&b), 16);
	for (epoch = 0; epoch < 4; epoch++) {
		memset(first, 0, sizeof(first));
		memset(second, 0, sizeof(second));
		bt_batches_seek(&b, epoch, 0);
		for (pos = 0; pos < 200; pos += n) {
			n = bt_batches_at(&b, pos);
			assert_int_equal(n, pos < 192 ? 16 : 8);
			assert_int_equal(bt_batches_between(&b, pos, pos + n),
			                 n / 2);
			for (i = pos, tokens = 0; i < pos + n; i++)
				tokens += bt_dataset_length(&d, b.order[i]);
			assert_true(tokens <= bt_batches_max_tokens(&b));
		}
		for (i = 0; i < 200; i += 2) {
			x = b.order[i];
			y = b.order[i + 1];
			first[x]++;
			second[y]++;
			assert_int_equal(d.label[x], d.label[y]);
			assert_int_equal(x == y, x == 37);
			moved += epoch > 0 && other[x] != (int)y;
			other[x] = (int)y;
		}
		for (i = 0; i < 100; i++)
			assert_true(first[i] == 1 && second[i] == 1);
	}
	assert_true(moved > 270); /* of 297: others in each epoch */
	bt_batches_clear(&b);
	bt_dataset_clear(&d);
}

/* Batches of a stream are full and go through each epoch's order as far as it
 * reaches, whatever the epoch that they began in. */
TEST(a_stream_has_full_batches)
{
	struct bt_batching o = {
	    .size = 8, .accumulate = 2, .seed = 1, .stream = true};
	struct bt_error err = {0};
	struct bt_batches b;
	struct bt_dataset d;
	int seen[3][100] = {{0}}, updates;
	size_t pos = 0, end, i, tokens;
	int64_t epoch = 0;

	make_dataset(&d, 100);
	assert_ok(bt_batches_init(&b, &d, &o, &err));
	for (updates = 0; updates < 18; updates++) { /* 288 examples */
		bt_batches_seek(&b, epoch, pos);
		end = bt_batches_update_end(&b, pos);
		assert_int_equal(end - pos, 16);
		assert_int_equal(bt_batches_at(&b, pos), 8);
		for (i = pos, tokens = 0; i < end; i++) {
			seen[epoch + (i >= 100)][b.order[i]]++;
			tokens += bt_dataset_length(&d, b.order[i]);
		}
		assert_true(tokens <= 2 * bt_batches_max_tokens(&b));
		epoch += end >= 100;
		pos = end % 100;
	}
	for (i = 0; i < 100; i++)
		assert_true(seen[0][i] == 1 && seen[1][i] == 1 &&
		            seen[2][i] <= 1);
	bt_batches_clear(&b);
	o.size = 51;
	assert_err(bt_batches_init(&b, &d, &o, &err), BT_EARG,
	           "takes 102 examples, and there are 100");
	bt_dataset_clear(&d);
}

/* Clipping to a norm and the moments, by hand for one parameter. */
TEST(optimizer_clips)
{
	char name[] = "p";
	struct bt_param param = {
	    .name = name, .rank = 1, .rows = 1, .cols = 4, .decay = true};
	struct bt_graph g = {.params = &param, .n_params = 1, .n_floats = 4};
	struct bt_optim_opts o = BT_OPTIM_INIT;
	float p[4] = {1, 2, 3, 4}, q[4], grad[4] = {3, 0, 4, 0};
	struct bt_error err = {0};
	struct bt_pool *pool;
	struct bt_optim a;
	double norm;

	assert_ok(bt_pool_new(1, &pool, &err));
	assert_ok(bt_optim_init(&a, &g, &o, pool, NULL, &err));
	norm = bt_optim_norm(&a, grad, NULL, 0);
	near(norm, 5);
	bt_optim_update(&a, p, grad, NULL, norm, 0.1, 1);
	near((double)((float *)a.m.base)[0], 0.1 * 3 / 5);
	near((double)((float *)a.m.base)[2], 0.1 * 4 / 5);
	/* the first step of Adam is the sign of the gradient */
	near((double)p[0], 1 * (1 - 0.1 * 0.01) - 0.1);
	near((double)p[1], 2 * (1 - 0.1 * 0.01));
	bt_optim_clear(&a);
	param.decay = false;
	assert_ok(bt_optim_init(&a, &g, &o, pool, NULL, &err));
	memcpy(q, p, sizeof(q));
	bt_optim_update(&a, p, grad, NULL, norm, 0.1, 1);
	assert_true(p[1] == q[1]);
	grad[3] = NAN;
	assert_true(isnan(bt_optim_norm(&a, grad, NULL, 0)));
	bt_optim_clear(&a);
	bt_pool_free(pool);
}
