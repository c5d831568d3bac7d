/* SPDX-License-Identifier: MIT */
#include "garden/glue.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/str.h"
#include "format/json.h"
#include "garden/input_meta.h"

static const char *const no_yes[] = {"0", "1", NULL};
static const char *const entailed[] = {"entailment", "not_entailment", NULL};
static const char *const inferred[] = {"contradiction", "entailment", "neutral",
                                       NULL};

static const struct task {
	const char *name;
	const char *const *classes;
	const char *kind;    /* metric_type */
	const char *measure; /* that chooses the best model */
} tasks[] = {
    {"AX", inferred, "matthews_corrcoef", "matthews_corrcoef"},
    {"COLA", no_yes, "matthews_corrcoef", "matthews_corrcoef"},
    {"MNLI", inferred, "accuracy", "cls_accuracy"},
    {"MRPC", no_yes, "f1", "f1"},
    {"QNLI", entailed, "accuracy", "cls_accuracy"},
    {"QQP", no_yes, "f1", "f1"},
    {"RTE", entailed, "accuracy", "cls_accuracy"},
    {"SST-2", no_yes, "accuracy", "cls_accuracy"},
    {"STS-B", NULL, "pearson_spearman_corr", "pearson_spearman_corr"},
    {"WNLI", no_yes, "accuracy", "cls_accuracy"},
};

/* The name is one of BT_GLUE_TASKS. */
static const struct task *find(const char *name)
{
	return &tasks[BT_STR_ROW_BY(name, tasks, name)];
}

const char *const *bt_glue_classes(const char *task)
{
	return find(task)->classes;
}

/* Keys of an encoder, by the name in bert_config.json where that is another. */
static const struct {
	const char *name, *old;
} keys[] = {
    {"vocab_size", NULL},
    {"hidden_size", NULL},
    {"num_layers", "num_hidden_layers"},
    {"num_attention_heads", NULL},
    {"intermediate_size", NULL},
    {"hidden_activation", "hidden_act"},
    {"dropout_rate", "hidden_dropout_prob"},
    {"attention_dropout_rate", "attention_probs_dropout_prob"},
    {"max_position_embeddings", NULL},
    {"type_vocab_size", NULL},
    {"initializer_range", NULL},
};

/* Reads the encoder's configuration into *to, as Model Garden names it. */
static int read_encoder(const char *path, json_t **to, struct bt_error *err)
{
	json_t *o, *v, *w;
	size_t i;
	int r = bt_json_load(path, &o, err);

	*to = r == BT_OK ? json_object() : NULL;
	for (i = 0; r == BT_OK && i < sizeof(keys) / sizeof(keys[0]); i++) {
		v = json_object_get(o, keys[i].name);
		w = keys[i].old != NULL ? json_object_get(o, keys[i].old)
		                        : NULL;
		if (v != NULL && w != NULL)
			r = bt_error_set(err, BT_EFORMAT,
			                 "'%s' has both '%s' and '%s'", path,
			                 keys[i].name, keys[i].old);
		else if (v != NULL || w != NULL)
			json_object_set(*to, keys[i].name, v != NULL ? v : w);
	}
	json_decref(o);
	return r;
}

static json_t *data(const struct bt_glue *g, const struct bt_meta *m,
                    const char *path, bool training)
{
	json_int_t n = m->max_length > 0 ? (json_int_t)m->max_length : 128;
	bool number = find(g->task)->classes == NULL;

	return json_pack("{s:s, s:s, s:I, s:I, s:b, s:b}", "label_type",
	                 number ? "float" : "int", "input_path",
	                 path != NULL ? path : "", "global_batch_size",
	                 (json_int_t)g->batch, "seq_length", n, "is_training",
	                 (int)training, "drop_remainder", (int)training);
}

/* The trainer's part. */
static json_t *trainer(const struct bt_glue *g, const struct bt_meta *m)
{
	json_int_t epoch = (json_int_t)(m->train_size / g->batch);
	json_int_t steps = epoch * g->epochs;
	json_int_t every = epoch / g->evals_per_epoch;
	json_int_t eval =
	    (json_int_t)((m->eval_size + g->batch - 1) / g->batch);
	json_int_t warm = (json_int_t)((double)steps * g->warmup);

	if (every < 1)
		every = 1;
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:s, s:s, "
	                 "s:{s:{s:s, s:{s:f, s:f, s:I}}, s:{s:s, s:{s:I}}}}",
	                 "train_steps", steps, "validation_steps", eval,
	                 "validation_interval", every, "steps_per_loop", every,
	                 "summary_interval", every, "checkpoint_interval",
	                 every, "best_checkpoint_export_subdir", "best_ckpt",
	                 "best_checkpoint_eval_metric", find(g->task)->measure,
	                 "best_checkpoint_metric_comp", "higher",
	                 "optimizer_config", "learning_rate", "type",
	                 "polynomial", "polynomial", "initial_learning_rate",
	                 g->rate, "end_learning_rate", 0.0, "decay_steps",
	                 steps, "warmup", "type", "polynomial", "polynomial",
	                 "warmup_steps", warm);
}

/* All of it; takes the encoder's reference. */
static json_t *assemble(const struct bt_glue *g, const struct bt_meta *m,
                        json_t *encoder)
{
	return json_pack(
	    "{s:{s:s, s:s, s:s, s:{s:i, s:{s:s, s:o}}, s:o, s:o}, s:o}", "task",
	    "init_checkpoint", g->init != NULL ? g->init : "", "hub_module_url",
	    g->hub != NULL ? g->hub : "", "metric_type", find(g->task)->kind,
	    "model", "num_classes", m->labels, "encoder", "type", "bert",
	    "bert", encoder, "train_data", data(g, m, g->train, true),
	    "validation_data", data(g, m, g->eval, false), "trainer",
	    trainer(g, m));
}

int bt_glue_width(const char *task)
{
	const char *const *names = find(task)->classes;
	int n = 0;

	while (names != NULL && names[n] != NULL)
		n++;
	return names != NULL ? n : 1;
}

/* The configuration that the flags make, as a text that is YAML too. */
static int make(const struct bt_glue *g, char **text, struct bt_error *err)
{
	struct bt_meta m;
	json_t *encoder = NULL, *all = NULL;
	int r = bt_meta_read(g->meta_data, &m, err);

	*text = NULL;
	if (r == BT_OK && m.labels != bt_glue_width(g->task))
		r = bt_error_set(
		    err, BT_EFORMAT,
		    "meta data '%s': num_labels is %d, and %s "
		    "has %d%s",
		    g->meta_data, m.labels, g->task, bt_glue_width(g->task),
		    bt_glue_width(g->task) > 1 ? " classes"
		                               : ", a number to predict");
	if (r == BT_OK && m.train_size < g->batch)
		r = bt_error_set(err, BT_EARG,
		                 "an update takes %lld examples, and "
		                 "train_data_size of the meta data is %lld",
		                 (long long)g->batch, (long long)m.train_size);
	if (r == BT_OK)
		r = read_encoder(g->encoder, &encoder, err);
	if (r != BT_OK) {
		json_decref(encoder);
		return r;
	}
	all = assemble(g, &m, encoder);
	*text = json_dumps(all, JSON_REAL_PRECISION(9));
	json_decref(all);
	return BT_OK;
}

int bt_glue_configure(const struct bt_glue *g, struct bt_garden **c,
                      struct bt_error *err)
{
	char *text = NULL;
	int i, r = bt_garden_new("bert/sentence_prediction", c, err);

	if (r == BT_OK && g->files->n == 0) {
		r = make(g, &text, err);
		if (r == BT_OK)
			r = bt_garden_apply(*c, "flags", text, err);
	}
	for (i = 0; r == BT_OK && i < g->files->n; i++)
		r = bt_garden_apply(*c, "config_file", g->files->item[i], err);
	free(text);
	return r == BT_OK ? bt_garden_check(*c, err) : r;
}
