/* SPDX-License-Identifier: MIT */
/* BUCC and Tatoeba: pairs of languages, a file for each side, no labels. */
#include <stdio.h>
#include <string.h>

#include "garden/finetuning_int.h"

static const char *const bucc[] = {"de", "fr", "ru", "zh", NULL};
static const char *const tatoeba[] = {
    "af", "ar", "bg", "bn", "de", "el", "es", "et", "eu", "fa",
    "fi", "fr", "he", "hi", "hu", "id", "it", "ja", "jv", "ka",
    "kk", "ko", "ml", "mr", "nl", "pt", "ru", "sw", "ta", "te",
    "th", "tl", "tr", "ur", "vi", "zh", NULL};

struct side {
	bool bucc, dev;
	const char *dir; /* of the outputs */
	const char *other, *own;
};

/* One file: the sentences of one side of a pair. */
static void add(struct bt_finetuning_plan *plan, const struct side *s)
{
	const char *set = s->dev ? "dev" : "test";
	struct bt_finetuning_part *p;
	struct bt_buf name = BT_BUF_INIT;
	char file[64];

	bt_buf_printf(&name, "%s/%s-en-%s.%s.tfrecords", s->dir, s->other,
	              s->own, set);
	p = bt_finetuning_part(plan, bt_buf_str(&name), NULL);
	bt_buf_clear(&name);
	snprintf(p->key, sizeof(p->key), "%s=%s-en.%s",
	         s->dev ? "eval" : "test", s->other, s->own);
	p->text = s->bucc ? "2" : "1";
	p->id = s->bucc ? "1" : NULL;
	p->number_of_id = s->bucc;
	if (s->bucc)
		snprintf(file, sizeof(file), "%s-en.%s.%s", s->other, set,
		         s->own);
	else
		snprintf(file, sizeof(file), "%s-en.%s", s->other, s->own);
	bt_finetuning_file(p, plan->f->input_data_dir, file, "");
}

static void add_all(struct bt_finetuning_plan *plan, struct side s)
{
	const char *const *l = s.bucc ? bucc : tatoeba;

	for (; *l != NULL; l++) {
		s.other = s.own = *l;
		add(plan, &s);
		s.own = "en";
		add(plan, &s);
	}
}

int bt_finetuning_retrieval(struct bt_finetuning_plan *plan,
                            struct bt_error *err)
{
	const struct bt_finetuning *f = plan->f;
	struct side s = {.bucc = strcmp(f->retrieval_task_name, "bucc") == 0,
	                 .dev = true,
	                 .dir = f->eval_data_output_path};

	plan->processor = s.bucc ? "BUCC" : "TATOEBA";
	plan->label_type = BT_LABEL_NONE;
	if (bt_finetuning_given(f->train_data_output_path))
		return bt_error_set(err, BT_EARG,
		                    "--train_data_output_path: a retrieval "
		                    "task has no training data");
	if (!s.bucc && bt_finetuning_given(s.dir))
		return bt_error_set(err, BT_EARG,
		                    "--eval_data_output_path: tatoeba has "
		                    "test data alone");
	if (bt_finetuning_given(s.dir))
		add_all(plan, s);
	s.dev = false;
	s.dir = f->test_data_output_path;
	if (bt_finetuning_given(s.dir))
		add_all(plan, s);
	return BT_OK;
}
