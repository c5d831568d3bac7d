/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* flock, dirfd */
#include "finetune/unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "ckpt/fingerprint.h"
#include "ckpt/open.h"
#include "io/in.h"
#include "io/out.h"
#include "io/path.h"
#include "tensor/checkpoint.h"

#define MOST ((size_t)64 << 20) /* bytes of a history */

static json_int_t number(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

/* Where a run is: updates, those that it is to make, evaluations without a
 * better model, and after how many it ends (0: any). */
struct place {
	json_int_t step, all, stale, patience;
};

/* The history, which may go on behind the checkpoint. */
static void read_history(const char *dir, struct place *p)
{
	char *path = bt_path_join(dir, BT_HISTORY_FILE), *data = NULL;
	const char *s, *end;
	json_int_t step;
	size_t n = 0;
	json_t *o;

	if (bt_path_is_file(path) &&
	    bt_in_whole(path, MOST, &data, &n, NULL) == BT_OK)
		for (s = data; n > 0; n -= (size_t)(end - s) + 1, s = end + 1) {
			end = memchr(s, '\n', n);
			if (end == NULL)
				break; /* unfinished, too */
			o = json_loadb(s, (size_t)(end - s),
			               JSON_REJECT_DUPLICATES, NULL);
			step = number(o, "step");
			if (step > p->step) {
				p->step = step;
				p->stale++;
				if (json_is_true(json_object_get(o, "best")))
					p->stale = 0;
			}
			json_decref(o);
		}
	free(data);
	free(path);
}

static bool read_checkpoint(const char *dir, struct place *p)
{
	char *path = bt_path_join(dir, BT_CHECKPOINT_FILE);
	const struct bt_ckpt_note *note;
	struct bt_ckpt *c = NULL;
	const json_t *settings;
	bool there = false;
	json_t *o;
	size_t i;

	if (bt_path_is_file(path) && bt_ckpt_open(path, &c, NULL) != BT_OK)
		c = NULL; /* nothing of the model depends on it */
	for (i = 0; c != NULL && i < bt_ckpt_notes(c); i++) {
		note = bt_ckpt_note(c, i);
		if (strcmp(note->key, BT_CHECKPOINT_NOTE) != 0)
			continue;
		o = json_loads(note->value, JSON_REJECT_DUPLICATES, NULL);
		settings = json_object_get(o, "settings");
		*p = (struct place){
		    number(o, "step"), number(settings, "steps in all"),
		    number(o, "stale"), number(settings, "patience")};
		json_decref(o);
		there = true;
	}
	bt_ckpt_close(c);
	free(path);
	return there;
}

int bt_unfinished_mark(const char *dir, int64_t step, int64_t all,
                       struct bt_error *err)
{
	char *path = bt_path_join(dir, BT_UNFINISHED_FILE), s[64];
	int r, n = snprintf(s, sizeof(s), "%lld %lld\n", (long long)step,
	                    (long long)all);

	r = bt_out_whole(path, s, (size_t)n, err);
	free(path);
	return r;
}

void bt_unfinished_end(const char *dir)
{
	char *path = bt_path_join(dir, BT_UNFINISHED_FILE);

	(void)unlink(path);
	free(path);
}

static bool read_mark(const char *dir, struct place *p)
{
	char *path = bt_path_join(dir, BT_UNFINISHED_FILE), *s = NULL;
	bool there = bt_path_is_file(path);
	long long step, all;
	size_t n;

	if (there && bt_in_whole(path, 64, &s, &n, NULL) == BT_OK &&
	    sscanf(s, "%lld %lld", &step, &all) == 2) {
		p->step = step;
		p->all = all;
	}
	free(s);
	free(path);
	return there;
}

/* Whether a run holds the directory's lock (train/dir_lock.h); 1: it does, 0,
 * or an error. */
static int is_written(const char *dir, struct bt_error *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int locked;

	/* a model may be a prefix of names, as TensorFlow's checkpoints are */
	if (fd < 0 && (errno == EACCES || errno == ENOTDIR || errno == ENOENT))
		return 0;
	if (fd < 0)
		return bt_error_sys(err, errno, "cannot open '%s'", dir);
	locked = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	close(fd);
	return locked;
}

static bool is_unfinished(const char *dir, struct place *p)
{
	*p = (struct place){0};
	if (!read_checkpoint(dir, p))
		return read_mark(dir, p);
	read_history(dir, p);
	return p->step < p->all && (p->patience == 0 || p->stale < p->patience);
}

bool bt_unfinished(const char *dir)
{
	struct place p;

	return is_unfinished(dir, &p);
}

int bt_unfinished_warn(const char *dir, const struct bt_log *log,
                       struct bt_error *err)
{
	struct place p;
	int written = is_written(dir, err);

	if (written < 0)
		return written;
	bt_fingerprint_warn(dir, log);
	if (written)
		bt_log_warn(
		    log, "being-trained", BT_HINT_NONE,
		    "a training run is writing to '%s': its model will be "
		    "replaced",
		    dir);
	else if (is_unfinished(dir, &p))
		bt_log_warn(
		    log, "training-unfinished", BT_HINT_NONE,
		    "the training of '%s' was stopped at step %lld of %lld",
		    dir, (long long)p.step, (long long)p.all);
	return BT_OK;
}
