/* SPDX-License-Identifier: MIT */
/* The parts of a plan and their files. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "garden/finetuning_int.h"

void bt_finetuning_plan_clear(struct bt_finetuning_plan *plan)
{
	struct bt_finetuning_part *p;
	size_t i, k;

	for (i = 0; i < plan->n; i++) {
		p = &plan->part[i];
		for (k = 0; k < p->n_paths; k++)
			free(p->paths[k]);
		free(p->paths);
		free(p->output);
		bt_out_abandon(p->out);
	}
	free(plan->part);
	bt_labels_clear(&plan->labels);
	bt_label_map_free(plan->map);
}

/* s with each `from` replaced by word; NULL when out of memory. */
static char *fill(const char *s, const char *from, const char *word)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *p;

	for (; (p = strstr(s, from)) != NULL; s = p + strlen(from)) {
		bt_buf_put(&b, s, (size_t)(p - s));
		bt_buf_puts(&b, word);
	}
	bt_buf_puts(&b, s);
	return bt_buf_detach(&b);
}

struct bt_finetuning_part *bt_finetuning_part(struct bt_finetuning_plan *plan,
                                              const char *template,
                                              const char *word)
{
	struct bt_finetuning_part *p;

	if (bt_grow(&plan->part, &plan->cap, plan->n + 1,
	            sizeof(*plan->part)) != BT_OK)
		return NULL;
	p = &plan->part[plan->n++];
	memset(p, 0, sizeof(*p));
	p->output = word != NULL ? fill(template, "{}", word)
	                         : bt_strndup(template, strlen(template));
	return p->output != NULL ? p : NULL;
}

int bt_finetuning_file(struct bt_finetuning_part *p, const char *dir,
                       const char *pattern, const char *word,
                       struct bt_error *err)
{
	char *name = fill(pattern, "*", word), *path = NULL;
	struct bt_buf b = BT_BUF_INIT;

	if (name != NULL) {
		bt_buf_puts(&b, dir);
		if (b.len == 0 || b.data[b.len - 1] != '/')
			bt_buf_putc(&b, '/');
		bt_buf_puts(&b, name);
		path = bt_buf_detach(&b);
	}
	free(name);
	if (path == NULL || bt_grow(&p->paths, &p->cap, p->n_paths + 1,
	                            sizeof(*p->paths)) != BT_OK) {
		free(path);
		return bt_error_nomem(err, "planning files");
	}
	p->paths[p->n_paths++] = path;
	return BT_OK;
}
