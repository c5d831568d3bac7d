/* SPDX-License-Identifier: MIT */
/* Reading a model directory to say it in another form. */
#include <stdlib.h>

#include "base/mem.h"
#include "ckpt/open.h"
#include "finetune/model.h"
#include "onnx/export_int.h"

/* A model as it is read: its graph, and where its weights are. */
struct source {
	struct bt_config config;
	struct bt_labels labels;
	struct bt_graph graph;
	struct bt_ckpt *c;
	struct bt_arena arena;
	const float **at;
	bool classifier;
	int last; /* the node of the answer */
};

static int load(const char *dir, struct source *s, struct bt_error *err)
{
	struct bt_weights_report rep;
	struct bt_graph *g = &s->graph;
	const struct bt_task *task;
	char name[BT_CLASSES_NAME];
	int r = bt_model_config(dir, &s->config, &s->labels, err);

	if (r == BT_OK)
		r = bt_ckpt_open(dir, &s->c, err);
	if (r != BT_OK)
		return r;
	task = bt_task_of(s->config.problem_type);
	s->classifier =
	    s->labels.n >= task->least &&
	    bt_weights_has(s->c, bt_family_classes(&s->config, name));
	bt_graph_init(g, err);
	r = s->classifier ? bt_task_graph(task, g, &s->config, s->labels.n)
	                  : bt_family_embedding(g, &s->config, BT_POOLING_MEAN);
	if (r != BT_OK)
		return r;
	s->last = s->classifier ? g->logits : g->nodes[g->logits].in[0];
	s->at = bt_array0((size_t)g->n_params, sizeof(*s->at));
	if (s->at == NULL ||
	    bt_arena_init(&s->arena, g->n_floats * sizeof(float)) != BT_OK)
		return bt_error_nomem(err, "reading the weights");
	r = bt_weights_load(g, s->c, false, NULL, s->arena.base, s->at, &rep,
	                    err);
	if (r == BT_OK)
		bt_weights_report_clear(&rep);
	return r;
}

int bt_export_onnx(const char *dir, const char *path, size_t most,
                   struct bt_export_report *report, struct bt_error *err)
{
	struct source s = {0};
	struct bt_error own = {0};
	struct bt_export_graph e = {.graph = &s.graph};
	int r;

	if (err == NULL)
		err = &own;
	r = load(dir, &s, err);
	if (r == BT_OK) {
		e.name = bt_config_type(&s.config);
		e.at = s.at;
		e.last = s.last;
		e.classifier = s.classifier;
		e.most = most;
		report->nodes = s.last + 1;
		report->arrays = s.graph.n_params;
		report->classifier = s.classifier;
		r = bt_export_translate(&e, path, &report->beside, err);
	}
	bt_graph_clear(&s.graph);
	bt_labels_clear(&s.labels);
	bt_config_clear(&s.config);
	bt_ckpt_close(s.c);
	bt_arena_clear(&s.arena);
	free(s.at);
	return r;
}
