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
#include "base/str.h"
#include "finetune/unfinished.h"
#include "format/sentence.h"
#include "io/path.h"
#include "train/train_int.h"

#define BEFORE "checkpoint-"
#define BEHIND ".safetensors"

char *bt_train_checkpoint(const char *out)
{
	return bt_path_join(out, BT_CHECKPOINT_FILE);
}

void bt_train_remove(const char *out)
{
	char *path = bt_train_checkpoint(out);

	bt_model_remove(out);
	(void)bt_sentence_remove(out);
	bt_unfinished_end(out);
	(void)unlink(path);
	free(path);
}

static char *path_of(const char *out, int64_t step)
{
	char name[64];

	snprintf(name, sizeof(name), BEFORE "%lld" BEHIND, (long long)step);
	return bt_path_join(out, name);
}

/* The step in a file's name, or -1. */
static int64_t step_of(const char *name)
{
	char same[64];
	long long step;

	if (!bt_str_starts(name, BEFORE))
		return -1;
	step = strtoll(name + strlen(BEFORE), NULL, 10);
	snprintf(same, sizeof(same), BEFORE "%lld" BEHIND, step);
	return strcmp(name, same) == 0 ? step : -1;
}

int bt_checkpoint_set_aside(const struct bt_train_run *t, struct bt_error *err)
{
	char *from, *to;
	int r = BT_OK;

	if (t->o->keep < 2 || t->saved_step < 0)
		return BT_OK;
	from = bt_train_checkpoint(t->o->out);
	to = path_of(t->o->out, t->saved_step);
	if (unlink(to) != 0 && errno != ENOENT)
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

/* Removes all of fewer than `below` steps but the last ones. */
static void remove_earlier(const char *out, int64_t below, size_t but)
{
	DIR *dir = opendir(out);
	int64_t *steps = NULL, step;
	struct dirent *e;
	size_t cap = 0, n = 0, i;
	char *path;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		step = step_of(e->d_name);
		if (step < 0 || step >= below)
			continue;
		if (bt_grow(&steps, &cap, n + 1, sizeof(*steps)) != BT_OK)
			break;
		steps[n++] = step;
	}
	if (dir != NULL)
		closedir(dir);
	if (n > 0)
		qsort(steps, n, sizeof(*steps), falling);
	for (i = but; i < n; i++) {
		path = path_of(out, steps[i]);
		(void)unlink(path);
		free(path);
	}
	free(steps);
}

void bt_checkpoint_prune(const struct bt_train_run *t)
{
	int64_t keep = t->o->keep;

	if (keep > 0)
		remove_earlier(t->o->out, t->saved_step, (size_t)keep - 1);
}

int bt_checkpoint_forget_other(const struct bt_train_run *t,
                               struct bt_error *err)
{
	const char *from = t->o->resume_from, *out = t->o->out;
	char *path, *dir;
	int r = BT_OK;

	if (!bt_dist_is_first(t->o->dist) || (t->o->resume && from == NULL))
		return BT_OK;
	path = bt_train_checkpoint(out);
	dir = from != NULL ? bt_path_of(from) : NULL;
	/* those beside the one that is resumed are of its run */
	if (access(path, F_OK) == 0 && (dir == NULL || !bt_path_same(dir, out)))
		remove_earlier(out, INT64_MAX, 0);
	if ((from == NULL || !bt_path_same(from, path)) && unlink(path) != 0 &&
	    errno != ENOENT)
		r = bt_error_sys(err, errno, "cannot remove '%s'", path);
	free(path);
	free(dir);
	return r;
}
