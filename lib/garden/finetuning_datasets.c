/* SPDX-License-Identifier: MIT */
/* The data sets of classification: which files their parts are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "garden/finetuning_int.h"
#include "io/url.h"

enum layout {
	PLAIN,  /* a file a part, of the published form */
	XNLI,   /* languages in one file, told by a column */
	PAWSX,  /* a folder a language */
	XTREME, /* a file a language, and translations elsewhere */
	JSONL   /* SuperGLUE's */
};

static const char *const xnli_languages[] = {"ar", "bg", "de", "el", "en", "es",
                                             "fr", "hi", "ru", "sw", "th", "tr",
                                             "ur", "vi", "zh", NULL};
static const char *const pawsx_languages[] = {"de", "en", "es", "fr",
                                              "ja", "ko", "zh", NULL};

/* A '*' in the name of a file stands for the kind of MNLI. */
struct task {
	const char *name; /* --classification_task_name */
	const char *type; /* processor_type */
	enum layout layout;
	const char *published;          /* name of the data set, for its labels
	                                 * and, where PLAIN, columns; or NULL */
	const char *train, *dev, *test; /* names of files; NULL: none */
	const char *dummy; /* label of all test records; NULL: their own */
	const char *text, *pair; /* of JSONL */
	const char *map;         /* of labels, or NULL */
	const char *labels;      /* where there is no published */
	const char *const *languages;
};

/* A task of GLUE. */
#define GLUE(task_name, data_set, label)                                       \
	{                                                                      \
		.name = task_name, .type = task_name, .published = data_set,   \
		.train = "train.tsv", .dev = "dev.tsv", .test = "test.tsv",    \
		.dummy = label                                                 \
	}
/* A task of SuperGLUE. */
#define SUPER(task_name, processor, label, all, ...)                           \
	{                                                                      \
		.name = task_name, .type = processor, .layout = JSONL,         \
		.train = "train.jsonl", .dev = "val.jsonl",                    \
		.test = "test.jsonl", .dummy = label, .labels = all,           \
		__VA_ARGS__                                                    \
	}
#define PREMISE .text = "premise", .pair = "hypothesis"

static const struct task tasks[] = {
    GLUE("AX", "ax", "contradiction"),
    GLUE("COLA", "cola", "0"),
    {.name = "IMDB",
     .type = "IMDB",
     .published = "imdb",
     .train = "train",
     .dev = "test"},
    {.name = "MNLI",
     .type = "MNLI",
     .published = "mnli",
     .train = "train.tsv",
     .dev = "dev_*.tsv",
     .test = "test_*.tsv",
     .dummy = "contradiction"},
    GLUE("MRPC", "mrpc", "0"),
    {.name = "PAWS-X",
     .type = "XTREME-PAWS-X",
     .layout = PAWSX,
     .published = "paws-x",
     .languages = pawsx_languages},
    GLUE("QNLI", "qnli", "entailment"),
    GLUE("QQP", "qqp", "0"),
    GLUE("RTE", "rte", "entailment"),
    GLUE("SST-2", "sst-2", "0"),
    GLUE("STS-B", "sts-b", "0.0"),
    GLUE("WNLI", "wnli", "0"),
    {.name = "XNLI",
     .type = "XNLI",
     .layout = XNLI,
     .published = "xnli",
     .languages = xnli_languages},
    {.name = "XTREME-XNLI",
     .type = "XTREME-XNLI",
     .layout = XTREME,
     .published = "xnli",
     .dummy = "contradiction",
     .map = "contradictory=contradiction,contradiction=contradiction,"
            "entailment=entailment,neutral=neutral",
     .languages = xnli_languages},
    {.name = "XTREME-PAWS-X",
     .type = "XTREME-PAWS-X",
     .layout = XTREME,
     .published = "paws-x",
     .dummy = "0",
     .languages = pawsx_languages},
    {.name = "AX-g",
     .type = "AXg",
     .layout = JSONL,
     .test = "AX-g.jsonl",
     .labels = "entailment,not_entailment",
     PREMISE},
    SUPER("SUPERGLUE-RTE", "RTESuperGLUE", "entailment",
          "entailment,not_entailment", PREMISE),
    SUPER("CB", "CB", "entailment", "entailment,neutral,contradiction",
          PREMISE),
    SUPER("BoolQ", "BoolQ", "False", "True,False", .text = "question",
          .pair = "passage", .map = "true=True,false=False"),
};

/* What one call of add_part below is about. */
struct ask {
	struct bt_finetuning_plan *plan;
	const struct task *t;
	const char *flag, *output; /* as given */
	const char *word;          /* what "{}" becomes; NULL: nothing */
};

/* A part of a data set; its columns are those of the task. */
static int add_part(const struct ask *a, const char *name, const char *key,
                    struct bt_finetuning_part **part, struct bt_error *err)
{
	struct bt_finetuning_part *p =
	    bt_finetuning_part(a->plan, a->output, a->word);

	if (p == NULL)
		return bt_error_nomem(err, "planning files");
	snprintf(p->key, sizeof(p->key), "%s%s%s", name, key != NULL ? "=" : "",
	         key != NULL ? key : "");
	if (a->t->layout == JSONL) {
		p->jsonl = true;
		p->text = a->t->text;
		p->pair = a->t->pair;
		p->label = "label";
	}
	*part = p;
	return BT_OK;
}

static int add_plain(const struct ask *a, const char *name, const char *file,
                     struct bt_error *err)
{
	const struct bt_finetuning *f = a->plan->f;
	struct bt_finetuning_part *p;
	int r;

	if (file == NULL)
		return bt_error_set(err, BT_EARG, "--%s: %s has no such data",
		                    a->flag, a->t->name);
	r = add_part(a, name, NULL, &p, err);
	if (r != BT_OK)
		return r;
	if (strcmp(name, "test") == 0 && a->t->dummy != NULL) {
		p->dummy = a->t->dummy;
		p->label = NULL;
	}
	return bt_finetuning_file(p, f->input_data_dir, file, f->mnli_type,
	                          err);
}

/* The columns of XTREME's files, which have no header. */
static void set_columns(struct bt_finetuning_part *p, bool translated,
                        bool labels)
{
	p->text = translated ? "3" : "1";
	p->pair = translated ? "4" : "2";
	p->label = !labels ? NULL : translated ? "5" : "3";
}

/* One file, of training or development data, of a language. */
static int add_language(const struct ask *a, bool train, const char *language,
                        struct bt_finetuning_part *p, struct bt_error *err)
{
	const struct bt_finetuning *f = a->plan->f;
	const char *dir = f->input_data_dir, *file;
	bool en = strcmp(language, "en") == 0;

	if (a->t->layout == XNLI) {
		file = train ? "multinli/multinli.train.*.tsv" : "xnli.dev.tsv";
	} else if (a->t->layout == PAWSX) {
		file = !train ? "*/dev_2k.tsv"
		       : en   ? "*/train.tsv"
		              : "*/translated_train.tsv";
	} else if (train && bt_finetuning_given(f->translated_input_data_dir)) {
		dir = f->translated_input_data_dir;
		file = "translate-train/en-*-translated.tsv";
		set_columns(p, true, true);
	} else {
		file = train ? "train-*.tsv" : "dev-*.tsv";
		set_columns(p, false, true);
	}
	return bt_finetuning_file(p, dir, file, language, err);
}

/* Training or development data in a chosen language, or in all. */
static int add_languages(const struct ask *a, bool train, const char *language,
                         struct bt_error *err)
{
	const char *const *l = a->t->languages;
	struct bt_finetuning_part *p;
	int r = add_part(a, train ? "train" : "eval", NULL, &p, err);

	if (r == BT_OK && strcmp(language, "all") != 0)
		return add_language(a, train, language, p, err);
	for (; r == BT_OK && *l != NULL; l++)
		r = add_language(a, train, *l, p, err);
	return r;
}

/* Which language add_languages is to be asked for. */
static const char *language_of(const struct ask *a, bool train)
{
	const struct bt_finetuning *f = a->plan->f;

	switch (a->t->layout) {
	case XNLI: /* all are in the one file for development */
		return train ? f->xnli_language : "en";
	case PAWSX:
		return train ? f->pawsx_language : "all";
	default:
		if (train)
			return bt_finetuning_given(f->translated_input_data_dir)
			           ? "all"
			           : "en";
		return f->only_use_en_dev ? "en" : "all";
	}
}

/* The test data of a language, or its translation into English. */
static int add_test(struct ask *a, const char *language, bool translated,
                    struct bt_error *err)
{
	const struct bt_finetuning *f = a->plan->f;
	const char *dir = f->input_data_dir;
	struct bt_finetuning_part *p;
	char key[16];
	int r;

	snprintf(key, sizeof(key), "%s%s", language, translated ? "-en" : "");
	a->word = key;
	r = add_part(a, "test", key, &p, err);
	if (r != BT_OK)
		return r;
	p->dummy = a->t->dummy;
	if (a->t->layout == XNLI) {
		p->where.column = bt_span("language");
		p->where.value = bt_span(language);
		return bt_finetuning_file(p, dir, "xnli.test.tsv", "", err);
	}
	if (a->t->layout == PAWSX)
		return bt_finetuning_file(p, dir, "*/test_2k.tsv", language,
		                          err);
	set_columns(p, translated, false);
	if (translated)
		dir = f->translated_input_data_dir;
	return bt_finetuning_file(
	    p, dir,
	    translated ? "translate-test/test-*-en-translated.tsv"
	               : "test-*.tsv",
	    language, err);
}

static int add_tests(struct ask *a, struct bt_error *err)
{
	const struct bt_finetuning *f = a->plan->f;
	const char *const *l;
	int r = BT_OK;

	if (strstr(a->output, "{}") == NULL)
		return bt_error_set(err, BT_EARG,
		                    "--%s: %s has test data for each language: "
		                    "put {} into '%s', which the language is "
		                    "put in for",
		                    a->flag, a->t->name, a->output);
	for (l = a->t->languages; r == BT_OK && *l != NULL; l++)
		r = add_test(a, *l, false, err);
	if (a->t->layout != XTREME ||
	    !bt_finetuning_given(f->translated_input_data_dir))
		return r;
	for (l = a->t->languages; r == BT_OK && *l != NULL; l++)
		if (strcmp(*l, "en") != 0)
			r = add_test(a, *l, true, err);
	return r;
}

static int add_parts(struct bt_finetuning_plan *plan, const struct task *t,
                     struct bt_error *err)
{
	const struct bt_finetuning *f = plan->f;
	const char *name[] = {"train", "eval", "test"};
	const char *file[] = {t->train, t->dev, t->test};
	struct ask a[] = {
	    {plan, t, "train_data_output_path", f->train_data_output_path,
	     NULL},
	    {plan, t, "eval_data_output_path", f->eval_data_output_path, NULL},
	    {plan, t, "test_data_output_path", f->test_data_output_path, NULL}};
	int i, r = BT_OK;

	for (i = 0; r == BT_OK && i < 3; i++) {
		if (!bt_finetuning_given(a[i].output))
			continue;
		if (t->layout == PLAIN || t->layout == JSONL)
			r = add_plain(&a[i], name[i], file[i], err);
		else if (i < 2)
			r = add_languages(&a[i], i == 0,
			                  language_of(&a[i], i == 0), err);
		else
			r = add_tests(&a[i], err);
	}
	return r;
}

static int add_labels(struct bt_finetuning_plan *plan, const struct task *t,
                      struct bt_error *err)
{
	const char *const *l;
	int r = BT_OK;

	plan->label_type = BT_LABEL_CLASS;
	if (t->map != NULL)
		r = bt_label_map_new(t->map, &plan->map, err);
	if (r == BT_OK && t->labels != NULL)
		return bt_labels_parse(t->labels, &plan->labels, err);
	if (r != BT_OK || plan->published == NULL)
		return r;
	if (plan->published->numbers)
		plan->label_type = BT_LABEL_FLOAT;
	for (l = plan->published->labels; r >= 0 && l != NULL && *l != NULL;
	     l++)
		r = bt_labels_add(&plan->labels, bt_span(*l), err);
	return r < 0 ? r : BT_OK;
}

static int plan_classes(struct bt_finetuning_plan *plan, struct bt_error *err)
{
	const char *name = plan->f->classification_task_name;
	const struct task *t = NULL;
	size_t i;
	int r;

	for (i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
		if (strcmp(tasks[i].name, name) == 0)
			t = &tasks[i];
	if (t == NULL)
		return bt_error_set(err, BT_EARG,
		                    "no data set is called '%s' here", name);
	if (strcmp(plan->f->fine_tuning_task_type, "regression") == 0 &&
	    strcmp(name, "STS-B") != 0)
		return bt_error_set(err, BT_EARG,
		                    "of the data sets that are files STS-B "
		                    "alone is a regression, not %s",
		                    name);
	plan->processor = t->type;
	if (t->published != NULL)
		plan->published = bt_published_find(t->published);
	r = add_labels(plan, t, err);
	return r == BT_OK ? add_parts(plan, t, err) : r;
}

/* Outputs that are not here, or two that are one file. */
static int check_outputs(const struct bt_finetuning_plan *plan,
                         struct bt_error *err)
{
	const char *o, *meta = plan->f->meta_data_file_path;
	size_t i, k;
	int r = bt_url_refuse(meta, BT_URL_OUT, err);

	for (i = 0; r == BT_OK && i < plan->n; i++) {
		o = plan->part[i].output;
		r = bt_url_refuse(o, BT_URL_OUT, err);
		for (k = 0; k < i && strcmp(plan->part[k].output, o) != 0; k++)
			;
		if (k < i || strcmp(o, meta) == 0)
			return bt_error_set(err, BT_EARG,
			                    "'%s' is to be two outputs at once",
			                    o);
	}
	return r;
}

int bt_finetuning_plan(const struct bt_finetuning *f,
                       struct bt_finetuning_plan *plan, struct bt_error *err)
{
	bool retrieval = strcmp(f->fine_tuning_task_type, "retrieval") == 0;
	int r;

	memset(plan, 0, sizeof(*plan));
	plan->f = f;
	if (!bt_finetuning_given(f->input_data_dir))
		return bt_error_set(err, BT_EARG,
		                    "--input_data_dir is missing: the "
		                    "directory that the data set is in");
	if (!bt_finetuning_given(f->vocab_file))
		return bt_error_set(err, BT_EARG,
		                    "--vocab_file is missing: the vocab.txt of "
		                    "the model");
	r = retrieval ? bt_finetuning_retrieval(plan, err)
	              : plan_classes(plan, err);
	if (r == BT_OK && plan->n == 0)
		return bt_error_set(err, BT_EARG,
		                    "nothing is to be made: give %s--eval_data_"
		                    "output_path or --test_data_output_path",
		                    retrieval ? ""
		                              : "--train_data_output_path, ");
	return r == BT_OK ? check_outputs(plan, err) : r;
}
