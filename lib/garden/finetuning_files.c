/* SPDX-License-Identifier: MIT */
/* The parts of a plan and their files. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
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

/* s with each `from` replaced by word. */
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

	(void)!bt_grow(&plan->part, &plan->cap, plan->n + 1,
	               sizeof(*plan->part));
	p = &plan->part[plan->n++];
	memset(p, 0, sizeof(*p));
	p->output = fill(template, "{}", word != NULL ? word : "{}");
	return p;
}

void bt_finetuning_path(struct bt_finetuning_part *p, const char *path)
{
	(void)!bt_grow(&p->paths, &p->cap, p->n_paths + 1, sizeof(*p->paths));
	p->paths[p->n_paths++] = bt_strndup(path, strlen(path));
}

void bt_finetuning_file(struct bt_finetuning_part *p, const char *dir,
                        const char *pattern, const char *word)
{
	char *name = fill(pattern, "*", word);
	struct bt_buf path = BT_BUF_INIT;

	bt_buf_printf(&path, "%s%s%s", dir, bt_str_ends(dir, "/") ? "" : "/",
	              name);
	bt_finetuning_path(p, bt_buf_str(&path));
	bt_buf_clear(&path);
	free(name);
}
