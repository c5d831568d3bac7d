/* SPDX-License-Identifier: MIT */
/* Earlier checkpoints of a run: checkpoint-STEP.safetensors beside the newest,
 * which is checkpoint.safetensors. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "finetune/unfinished.h"
#include "io/path.h"
#include "train/train_int.h"

#define BEFORE "checkpoint-"
#define BEHIND ".safetensors"

char *bt_train_checkpoint(const char *out)
{
	return bt_path_join(out, BT_CHECKPOINT_FILE);
}

static char *path_of(const struct bt_train_run *t, int64_t step)
{
	char name[64];

	snprintf(name, sizeof(name), BEFORE "%lld" BEHIND, (long long)step);
	return bt_path_join(t->o->out, name);
}

/* The step in a file's name, or -1. */
static int64_t step_of(const char *name)
{
	size_t n = strlen(name), a = strlen(BEFORE), b = strlen(BEHIND);
	char digits[24];
	int64_t step = -1;

	if (n <= a + b || n - a - b >= sizeof(digits) ||
	    strncmp(name, BEFORE, a) != 0 || strcmp(name + n - b, BEHIND) != 0)
		return -1;
	memcpy(digits, name + a, n - a - b);
	digits[n - a - b] = '\0';
	return bt_parse_i64(digits, 0, INT64_MAX, &step) == BT_OK ? step : -1;
}

int bt_checkpoint_set_aside(const struct bt_train_run *t, struct bt_error *err)
{
	char *from, *to;
	int r = BT_OK;

	if (t->o->keep < 2 || t->saved_step < 0)
		return BT_OK;
	from = bt_train_checkpoint(t->o->out);
	to = path_of(t, t->saved_step);
	if (from == NULL || to == NULL)
		r = bt_error_nomem(err, "keeping a checkpoint");
	else if (unlink(to) != 0 && errno != ENOENT)
		r = bt_error_sys(err, errno, "cannot replace '%s'", to);
	/* a second name, so that there is a newest one at any moment; not all
	 * file systems have that */
	else if (link(from, to) != 0 && rename(from, to) != 0 &&
	         errno != ENOENT)
		r = bt_error_sys(err, errno, "cannot create '%s'", to);
	free(from);
	free(to);
	return r;
}

static int falling(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x < y) - (x > y);
}

/* The steps of all that are there and before the newest. The caller frees
 * them. */
static size_t list(const struct bt_train_run *t, int64_t **steps)
{
	DIR *dir = opendir(t->o->out);
	struct dirent *e;
	size_t n = 0, cap = 0;
	int64_t step;

	*steps = NULL;
	while (dir != NULL && (e = readdir(dir)) != NULL) {
		step = step_of(e->d_name);
		if (step < 0 || step >= t->saved_step)
			continue;
		if (bt_grow(steps, &cap, n + 1, sizeof(**steps)) != BT_OK)
			break;
		(*steps)[n++] = step;
	}
	if (dir != NULL)
		closedir(dir);
	return n;
}

void bt_checkpoint_prune(const struct bt_train_run *t)
{
	size_t most = t->o->keep > 1 ? (size_t)t->o->keep - 1 : 0, n, i;
	int64_t *steps;
	char *path;

	if (t->o->keep < 1)
		return;
	n = list(t, &steps);
	if (n > 0)
		qsort(steps, n, sizeof(*steps), falling);
	for (i = most; i < n; i++) {
		path = path_of(t, steps[i]);
		if (path != NULL)
			(void)unlink(path);
		free(path);
	}
	free(steps);
}
