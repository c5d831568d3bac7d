/* SPDX-License-Identifier: MIT */
/* The data sets of classification: which files their parts are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
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

/* An output to be planned. */
struct ask {
	struct bt_finetuning_plan *plan;
	const struct task *t;
	const char *flag, *output; /* as given */
};

/* A part of a data set; its columns are those of the task. word is what "{}"
 * becomes in the name of its output, or NULL. */
static struct bt_finetuning_part *add_part(const struct ask *a,
                                           const char *name, const char *word)
{
	struct bt_finetuning_part *p =
	    bt_finetuning_part(a->plan, a->output, word);

	snprintf(p->key, sizeof(p->key), "%s%s%s", name,
	         word != NULL ? "=" : "", word != NULL ? word : "");
	if (a->t->layout == JSONL) {
		p->jsonl = true;
		p->text = a->t->text;
		p->pair = a->t->pair;
		p->label = "label";
	}
	return p;
}

static int add_plain(const struct ask *a, const char *name, const char *file,
                     struct bt_error *err)
{
	const struct bt_finetuning *f = a->plan->f;
	struct bt_finetuning_part *p;

	if (file == NULL)
		return bt_error_set(err, BT_EARG, "--%s: %s has no such data",
		                    a->flag, a->t->name);
	p = add_part(a, name, NULL);
	if (strcmp(name, "test") == 0 && a->t->dummy != NULL) {
		p->dummy = a->t->dummy;
		p->label = NULL;
	}
	bt_finetuning_file(p, f->input_data_dir, file, f->mnli_type);
	return BT_OK;
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
static void add_language(const struct ask *a, bool train, const char *language,
                         struct bt_finetuning_part *p)
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
	bt_finetuning_file(p, dir, file, language);
}

/* Training or development data in one language or in all. */
static void add_languages(const struct ask *a, bool train)
{
	const struct bt_finetuning *f = a->plan->f;
	const char *const *l = a->t->languages, *language;
	struct bt_finetuning_part *p =
	    add_part(a, train ? "train" : "eval", NULL);
	bool all;

	switch (a->t->layout) {
	case XNLI: /* all are in the one file for development */
		language = train ? f->xnli_language : "en";
		break;
	case PAWSX:
		language = train ? f->pawsx_language : "all";
		break;
	default:
		all = train ? bt_finetuning_given(f->translated_input_data_dir)
		            : !f->only_use_en_dev;
		language = all ? "all" : "en";
	}
	if (strcmp(language, "all") != 0)
		add_language(a, train, language, p);
	else
		for (; *l != NULL; l++)
			add_language(a, train, *l, p);
}

/* The test data of a language, or its translation into English. */
static void add_test(const struct ask *a, const char *language, bool translated)
{
	const struct bt_finetuning *f = a->plan->f;
	const char *dir = f->input_data_dir;
	struct bt_finetuning_part *p;
	char key[16];

	snprintf(key, sizeof(key), "%s%s", language, translated ? "-en" : "");
	p = add_part(a, "test", key);
	p->dummy = a->t->dummy;
	if (a->t->layout == XNLI) {
		p->where.column = bt_span("language");
		p->where.value = bt_span(language);
		bt_finetuning_file(p, dir, "xnli.test.tsv", "");
		return;
	}
	if (a->t->layout == PAWSX) {
		bt_finetuning_file(p, dir, "*/test_2k.tsv", language);
		return;
	}
	set_columns(p, translated, false);
	if (translated)
		bt_finetuning_file(p, f->translated_input_data_dir,
		                   "translate-test/test-*-en-translated.tsv",
		                   language);
	else
		bt_finetuning_file(p, dir, "test-*.tsv", language);
}

static int add_tests(const struct ask *a, struct bt_error *err)
{
	const char *translated = a->plan->f->translated_input_data_dir;
	const char *const *l;

	if (strstr(a->output, "{}") == NULL)
		return bt_error_set(err, BT_EARG,
		                    "--%s: %s has test data for each language: "
		                    "put {} into '%s', which the language is "
		                    "put in for",
		                    a->flag, a->t->name, a->output);
	for (l = a->t->languages; *l != NULL; l++)
		add_test(a, *l, false);
	if (a->t->layout == XTREME && bt_finetuning_given(translated))
		for (l = a->t->languages; *l != NULL; l++)
			if (strcmp(*l, "en") != 0)
				add_test(a, *l, true);
	return BT_OK;
}

static int add_parts(struct bt_finetuning_plan *plan, const struct task *t,
                     struct bt_error *err)
{
	const struct bt_finetuning *f = plan->f;
	const char *name[] = {"train", "eval", "test"};
	const char *file[] = {t->train, t->dev, t->test};
	struct ask a[] = {
	    {plan, t, "train_data_output_path", f->train_data_output_path},
	    {plan, t, "eval_data_output_path", f->eval_data_output_path},
	    {plan, t, "test_data_output_path", f->test_data_output_path}};
	int i, r = BT_OK;

	for (i = 0; r == BT_OK && i < 3; i++) {
		if (!bt_finetuning_given(a[i].output))
			continue;
		if (t->layout == PLAIN || t->layout == JSONL)
			r = add_plain(&a[i], name[i], file[i], err);
		else if (i < 2)
			add_languages(&a[i], i == 0);
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
	int r, i = BT_STR_ROW_BY(name, tasks, name);
	const struct task *t = &tasks[i < 0 ? 0 : i];

	if (i < 0)
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
	plan->squad = strcmp(f->fine_tuning_task_type, "squad") == 0;
	plan->tagging = strcmp(f->fine_tuning_task_type, "tagging") == 0;
	if (!plan->squad && !bt_finetuning_given(f->input_data_dir))
		return bt_error_set(err, BT_EARG,
		                    "--input_data_dir is missing: the "
		                    "directory that the data set is in");
	if (!bt_finetuning_given(f->vocab_file))
		return bt_error_set(err, BT_EARG,
		                    "--vocab_file is missing: the vocab.txt of "
		                    "the model");
	r = plan->squad     ? bt_finetuning_squad(plan, err)
	    : retrieval     ? bt_finetuning_retrieval(plan, err)
	    : plan->tagging ? bt_finetuning_tagging(plan, err)
	                    : plan_classes(plan, err);
	if (r == BT_OK && plan->n == 0)
		return bt_error_set(err, BT_EARG,
		                    "nothing is to be made: give %s--eval_data_"
		                    "output_path or --test_data_output_path",
		                    retrieval ? ""
		                              : "--train_data_output_path, ");
	return r == BT_OK ? check_outputs(plan, err) : r;
}
