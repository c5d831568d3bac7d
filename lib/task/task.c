/* SPDX-License-Identifier: MIT */
#include "task/task.h"

#include <string.h>

#include "base/buf.h"
#include "model/family.h"

static const struct bt_task *const tasks[] = {
    &bt_task_classification,  &bt_task_multi_label, &bt_task_regression,
    &bt_task_ranking,         &bt_task_tagging,     &bt_task_qa,
    &bt_task_multiple_choice, &bt_task_embedding,   &bt_task_masked_lm,
};

#define TASKS (sizeof(tasks) / sizeof(tasks[0]))

const struct bt_task *bt_task_find(const char *name, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t i;

	for (i = 0; i < TASKS; i++)
		if (strcmp(tasks[i]->name, name) == 0)
			return tasks[i];
	for (i = 0; i < TASKS; i++)
		bt_buf_printf(&b, "%s%s", i > 0 ? ", " : "", tasks[i]->name);
	bt_error_set(err, BT_EARG, "unknown task '%s' (choose from: %s)", name,
	             bt_buf_str(&b));
	bt_buf_clear(&b);
	return NULL;
}

const struct bt_task *bt_task_of(const char *problem_type)
{
	size_t i;

	for (i = 0; problem_type != NULL && i < TASKS; i++)
		if (strcmp(tasks[i]->problem_type, problem_type) == 0)
			return tasks[i];
	return &bt_task_classification;
}

int bt_task_graph(const struct bt_task *task, struct bt_graph *g,
                  const struct bt_config *c, int outputs)
{
	bool activated = bt_family_classifier(g, c, outputs);

	if (task->plain_loss != NULL)
		g->loss = task->plain_loss(g, g->logits);
	else
		task->loss(g, activated);
	return bt_graph_done(g);
}
