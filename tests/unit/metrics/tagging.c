/* SPDX-License-Identifier: MIT */
/* Metrics of tagged words, against seqeval 1.2.2: those of a few cases, and of
 * random ones in tests/data/tagging.txt, made by
 * tests/fixtures/tagging-table.py. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/metrics.h"
#include "test.h"

#define MOST 64 /* words of a case */

/* Sentences, with a slash between, of truth and prediction; what seqeval says:
 * precision, recall, F1, accuracy, F1 as macro and as weighted average. */
static const struct {
	const char *scheme; /* of seqeval's strict mode, or NULL */
	const char *truth, *guess;
	double want[6];
} cases[] = {
    {NULL,
     "B-PER I-PER O B-LOC / O B-PER",
     "B-PER I-PER O B-PER / O B-PER",
     {2.0 / 3, 2.0 / 3, 2.0 / 3, 5.0 / 6, 0.4, 8.0 / 15}},
    {NULL,
     "O I-PER I-LOC B-LOC I-LOC O",
     "O B-PER I-LOC I-LOC I-LOC O",
     {0.5, 1.0 / 3, 0.4, 2.0 / 3, 0.5, 1.0 / 3}},
    {NULL,
     "S-X B-Y I-Y E-Y O S-Y / B-X E-X",
     "S-X B-Y I-Y E-Y S-Y O / B-X I-X",
     {0.75, 0.75, 0.75, 0.625, 0.75, 0.75}},
    /* an entity ends with its sentence */
    {NULL,
     "B-PER I-PER / I-PER O",
     "B-PER I-PER / I-PER O",
     {1, 1, 1, 1, 1, 1}},
    {NULL, "O O O", "B-PER O I-PER", {0, 0, 0, 1.0 / 3, 0, 0}},
    {NULL, "B-A I-B B-A", "O O O", {0, 0, 0, 0, 0, 0}},
    {NULL, "O O", "O O", {0, 0, 0, 1, 0, 0}},
    {NULL,
     "B-A I-A I-A B-A I-A O I-B",
     "B-A I-A O B-A I-A O I-B",
     {2.0 / 3, 2.0 / 3, 2.0 / 3, 6.0 / 7, 0.75, 2.0 / 3}},
    /* BILOU is IOBES by other letters */
    {NULL,
     "U-X B-Y I-Y L-Y O U-Y / B-X L-X",
     "U-X B-Y I-Y L-Y U-Y O / B-X I-X",
     {0.75, 0.75, 0.75, 0.625, 0.75, 0.75}},
    /* parts of speech: F1 of all is the accuracy */
    {NULL,
     "DET NOUN VERB / NOUN",
     "DET VERB VERB / NOUN",
     {.75, .75, .75, .75}},
    {"iob1",
     "I-A I-A B-A I-B O / B-B I-B O",
     "I-A B-A B-A I-B I-B / I-B I-B O",
     {0.2, 0.25, 2.0 / 9, 0.625, 0.2, 0.2}},
    {"iob2",
     "B-A I-A O I-A B-B I-A / B-B",
     "B-A I-A O I-A B-B I-B / I-B",
     {0.5, 1.0 / 3, 0.4, 5.0 / 7, 0.5, 1.0 / 3}},
    {"ioe1",
     "I-A I-A E-A I-A O / I-B E-B O",
     "I-A E-A I-A I-A O / I-B I-B O",
     {0, 0, 0, 0.625, 0, 0}},
    {"ioe2",
     "I-A E-A E-B O I-A / I-B E-B",
     "I-A E-A I-B E-A O / E-B E-B",
     {0.25, 1.0 / 3, 2.0 / 7, 3.0 / 7, 1.0 / 3, 2.0 / 9}},
    {"iobes",
     "B-A I-A E-A S-B O / B-B E-A S-A",
     "B-A I-A I-A S-B E-A / B-B E-B S-A",
     {2.0 / 3, 2.0 / 3, 2.0 / 3, 0.625, 2.0 / 3, 2.0 / 3}},
    {"bilou",
     "B-A I-A L-A U-B O / B-B L-B U-A",
     "B-A I-A L-A U-A O / B-B I-B U-A",
     {2.0 / 3, 0.5, 4.0 / 7, 0.75, 0.4, 0.4}},
};

/* Adds the words of both texts to the labels. */
static size_t words(const char *text, struct bt_labels *l, int *out)
{
	struct bt_error err = {0};
	size_t n = 0, len;

	for (; *text != '\0'; text += len) {
		text += strspn(text, " ");
		len = strcspn(text, " ");
		if (len == 0)
			continue;
		assert_true(n < MOST);
		out[n] = -1; /* a slash */
		if (text[0] != '/')
			out[n] =
			    bt_labels_add(l, (struct bt_span){text, len}, &err);
		n++;
	}
	return n;
}

static void add(struct bt_metrics *m, int truth, int guess)
{
	float logits[MOST] = {0};
	struct bt_error err = {0};

	if (truth < 0) {
		m->kind->begin(m);
		return;
	}
	logits[guess] = 1;
	assert_ok(bt_metrics_add(m, truth, NULL, logits, &err));
}

TEST(known_answers)
{
	static const char *const names[] = {
	    "precision", "recall", "f1", "accuracy", "macro_f1", "weighted_f1"};
	int truth[MOST], guess[MOST];
	struct bt_metrics_summary s;
	struct bt_error err = {0};
	struct bt_metrics m;
	struct bt_labels l;
	size_t i, k, n;
	double got;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(&l, 0, sizeof(l));
		n = words(cases[i].truth, &l, truth);
		assert_int_equal(words(cases[i].guess, &l, guess), n);
		assert_ok(bt_metrics_init(&m, &bt_metrics_tagging, l.n, &err));
		assert_ok(bt_metrics_name_outputs(&m, &l, &err));
		if (cases[i].scheme != NULL)
			assert_ok(bt_metrics_set_scheme(&m, cases[i].scheme, &l,
			                                &err));
		/* once more after a reset */
		add(&m, 0, 0);
		bt_metrics_reset(&m);
		for (k = 0; k < n; k++)
			add(&m, truth[k], guess[k]);
		bt_metrics_summary(&m, &s);
		for (k = 0; k < (cases[i].want[4] == 0 ? 4 : 6); k++) {
			assert_ok(bt_metrics_find(&s, names[k], &got, &err));
			if (fabs(got - cases[i].want[k]) > 1e-12)
				fail_msg("case %zu: %s is %.17g, not %.17g", i,
				         names[k], got, cases[i].want[k]);
		}
		bt_metrics_clear(&m);
		bt_labels_clear(&l);
	}
}

/* Of a type, "f1:PER", or of all. */
static double find(const struct bt_metrics *m, const struct bt_labels *l,
                   char *name)
{
	char *type = strchr(name, ':');
	struct bt_metrics_summary s;
	struct bt_error err = {0};
	json_t *all, *one;
	double got = NAN;
	size_t i;

	if (type == NULL) {
		bt_metrics_summary(m, &s);
		assert_ok(bt_metrics_find(&s, name, &got, &err));
		return got;
	}
	*type++ = '\0';
	all = json_object();
	assert_int_equal(m->kind->json(m, l, all), 0);
	json_array_foreach(
	    json_object_get(all, "entities"), i,
	    one) if (strcmp(json_string_value(json_object_get(one, "type")),
	                    type) == 0) got =
	    json_real_value(json_object_get(one, name));
	json_decref(all);
	return got;
}

/* Begins metrics of the words of a case, and adds them. */
static void begin_case(struct bt_metrics *m, struct bt_labels *l,
                       const char *scheme, const int *truth, const int *guess,
                       size_t n)
{
	struct bt_error err = {0};
	size_t i;

	assert_ok(bt_metrics_init(m, &bt_metrics_tagging, l->n, &err));
	assert_ok(bt_metrics_name_outputs(m, l, &err));
	if (strcmp(scheme, "-") != 0)
		assert_ok(bt_metrics_set_scheme(m, scheme, l, &err));
	for (i = 0; i < n; i++)
		add(m, truth[i], guess[i]);
}

TEST(random_answers)
{
	char path[4096], line[1024], name[40], value[40], scheme[8] = "";
	const char *top = getenv("TEST_TOP");
	int truth[MOST], guess[MOST], at = 0, wants = 0;
	struct bt_metrics m = {0};
	struct bt_labels l = {0};
	size_t n = 0;
	double got;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/data/tagging.txt",
	         top != NULL ? top : ".");
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "case %7s", scheme) == 1) {
			bt_metrics_clear(&m);
			bt_labels_clear(&l);
			at++;
		} else if (strncmp(line, "truth ", 6) == 0) {
			n = words(line + 6, &l, truth);
		} else if (strncmp(line, "guess ", 6) == 0) {
			assert_int_equal(words(line + 6, &l, guess), n);
			begin_case(&m, &l, scheme, truth, guess, n);
		} else if (sscanf(line, "want %39s %39s", name, value) == 2) {
			got = find(&m, &l, name);
			if (!(fabs(got - strtod(value, NULL)) < 1e-12))
				fail_msg("case %d, %s: %s is %.17g, not %s", at,
				         scheme, name, got, value);
			wants++;
		}
	}
	fclose(f);
	bt_metrics_clear(&m);
	bt_labels_clear(&l);
	assert_int_equal(at, 140);
	assert_true(wants > 1900);
}
