/* SPDX-License-Identifier: MIT */
/* The configuration of the model that an adapter makes of another, where peft
 * wrote none: it keeps neither the class nor the labels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "ckpt/adapter.h"
#include "ckpt/open.h"
#include "format/hf_config.h"
#include "format/model_files.h"

#define LABELS_MAX (1 << 20)

/* peft's words for what a model does, and the ends of the names of Hugging
 * Face's classes. */
static const struct {
	const char *task, *class;
} tasks[] = {
    {"SEQ_CLS", "ForSequenceClassification"},
    {"TOKEN_CLS", "ForTokenClassification"},
    {"QUESTION_ANS", "ForQuestionAnswering"},
};

#define TASKS (sizeof(tasks) / sizeof(tasks[0]))

/* How many outputs the head has that an adapter brings; 0: it brings none. */
static int64_t outputs(const struct bt_ckpt *c)
{
	static const char *const ends[] = {".classifier.weight",
	                                   ".classifier.out_proj.weight",
	                                   ".qa_outputs.weight"};
	const struct bt_tensor *t;
	size_t i, k;

	for (i = 0; i < bt_ckpt_count(c); i++) {
		t = bt_ckpt_tensor(c, i);
		for (k = 0; k < sizeof(ends) / sizeof(ends[0]); k++)
			if (t->rank == 2 && t->shape[0] <= LABELS_MAX &&
			    bt_str_ends(t->name, ends[k]))
				return t->shape[0];
	}
	return 0;
}

/* Numbered labels, as Hugging Face's. */
static void number_labels(json_t *o, int64_t n)
{
	json_t *names = json_object();
	char key[32], label[40];
	int64_t i;

	json_object_del(o, "num_labels"); /* the base model's */
	if ((int64_t)json_object_size(json_object_get(o, "id2label")) != n) {
		for (i = 0; i < n; i++) {
			snprintf(key, sizeof(key), "%lld", (long long)i);
			snprintf(label, sizeof(label), "LABEL_%s", key);
			json_object_set_new(names, key, json_string(label));
		}
		json_object_set(o, "id2label", names);
	}
	json_decref(names);
}

/* The class of the base model's family that does a task. */
static void set_class(json_t *o, const char *task)
{
	const char *old = json_string_value(
	    json_array_get(json_object_get(o, "architectures"), 0));
	struct bt_buf b = BT_BUF_INIT;
	size_t n = 0;

	if (old != NULL) {
		n = strlen(old);
		if (strstr(old, "For") != NULL)
			n = (size_t)(strstr(old, "For") - old);
		else if (bt_str_ends(old, "Model"))
			n -= strlen("Model");
	}
	bt_buf_printf(&b, "%.*s%s", (int)n, old != NULL ? old : "", task);
	json_object_set_new(o, "architectures",
	                    json_pack("[s]", bt_buf_str(&b)));
	bt_buf_clear(&b);
}

/* To which task and labels the configuration of the base model is fitted. */
static int fit(const char *dir, json_t *o, struct bt_error *err)
{
	struct bt_adapter_config c;
	struct bt_ckpt *adapter;
	int64_t n;
	size_t i = 0;
	int r = bt_adapter_config_load(dir, &c, err);

	if (r != BT_OK)
		return r;
	while (i < TASKS && (c.task == NULL || strcmp(tasks[i].task, c.task)))
		i++;
	bt_adapter_config_clear(&c);
	if (i == TASKS)
		return BT_OK;
	r = bt_ckpt_open_adapter(dir, &adapter, err);
	if (r != BT_OK)
		return r;
	n = outputs(adapter);
	bt_ckpt_close(adapter);
	if (n > 0) {
		set_class(o, tasks[i].class);
		number_labels(o, n);
	}
	return BT_OK;
}

/* One of its own. */
static bool has_config(const char *dir)
{
	const struct bt_model_file *f = NULL;

	return bt_model_files_find(dir, BT_USE_CONFIG, &f, NULL, NULL) ==
	           BT_OK &&
	       f != NULL;
}

int bt_ckpt_config(const char *dir, json_t **o, char **path,
                   struct bt_error *err)
{
	int r = bt_hf_config_find(dir, o, path, err);

	if (r != BT_OK || *o == NULL || !bt_adapter_is(dir) || has_config(dir))
		return r;
	r = fit(dir, *o, err);
	if (r != BT_OK) {
		json_decref(*o);
		*o = NULL;
		if (path != NULL) {
			free(*path);
			*path = NULL;
		}
	}
	return r;
}
