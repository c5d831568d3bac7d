/* SPDX-License-Identifier: MIT */
/*
 * The resumable state of a run: one safetensors file that holds the parameters
 * and both moments, and as a note the place in the run and the settings that
 * decide its results.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_use.h"
#include "base/mem.h"
#include "base/sys.h"
#include "ckpt/open.h"
#include "finetune/unfinished.h"
#include "format/json.h"
#include "io/path.h"
#include "io/temp_store.h"
#include "tensor/checkpoint.h"
#include "train/disk_space.h"
#include "train/train_int.h"

#define VERSION 2 /* of the training state in the metadata */

bool bt_train_left(const char *out)
{
	char *path = out != NULL ? bt_train_checkpoint(out) : NULL;
	bool there = path != NULL && access(path, F_OK) == 0;

	free(path);
	return there;
}

/* How long the files that grow are now. */
static json_t *lengths(const struct bt_train_run *t)
{
	const struct bt_append_log *g = &t->history;
	json_t *o = json_pack("{s:I}", g->name, (json_int_t)g->size);
	int i;

	for (i = 0; i < BT_EVENT_STREAMS; i++) {
		g = &t->events.file[i];
		if (g->name != NULL)
			json_object_set_new(o, g->name,
			                    json_integer((json_int_t)g->size));
	}
	return o;
}

static char *describe(const struct bt_train_run *t)
{
	const struct bt_train_state *s = &t->s;
	json_t *o = json_pack(
	    "{s:i, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:b, s:f, s:I, s:I, s:I, "
	    "s:f, s:I, s:I, s:I}",
	    "version", VERSION, "step", (json_int_t)s->step, "epoch",
	    (json_int_t)s->epoch, "pos", (json_int_t)s->pos, "loss_sum",
	    s->loss_sum, "loss_weight", s->loss_weight, "step_loss_sum",
	    s->step_loss_sum, "step_loss_weight", s->step_loss_weight,
	    "have_best", (int)s->have_best, "best", s->best, "best_epoch",
	    (json_int_t)s->best_epoch, "best_step", (json_int_t)s->best_step,
	    "stale", (json_int_t)s->stale, "seconds",
	    s->seconds + bt_seconds() - t->began, "right", (json_int_t)s->right,
	    "seen", (json_int_t)s->seen, "trial", (json_int_t)s->trial);
	char *text;

	if (s->unreported)
		json_object_set_new(o, "unreported", json_true());
	json_object_set_new(o, "files", lengths(t));
	json_object_set_new(o, "settings", bt_train_settings(t));
	text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
	json_decref(o);
	return text;
}

/* The arenas; returns their number. */
static int sets(struct bt_train_run *t, struct bt_weights_set out[3])
{
	out[0].prefix = "param.";
	out[0].values = bt_engine_params(t->m->engine);
	out[1].prefix = "moment1.";
	out[1].values = t->optim.m.base;
	out[2].prefix = "moment2.";
	out[2].values = t->optim.v.base;
	return 1 + bt_optim_moments(t->optim.o.kind);
}

static int write_state(struct bt_train_run *t, const char *path,
                       const char *text, struct bt_error *err)
{
	struct bt_ckpt_note note = {BT_CHECKPOINT_NOTE, (char *)text};
	struct bt_weights_set set[3];
	int n = sets(t, set), r;

	r = bt_disk_space_check(t->o->out, bt_checkpoint_file_size(t->m, t->o),
	                        "the checkpoint", err);
	if (r == BT_OK)
		r = bt_append_log_sync(&t->history, err);
	if (r == BT_OK)
		r = bt_events_sync(&t->events, err);
	if (r == BT_OK)
		r = bt_checkpoint_set_aside(t, err);
	if (r == BT_OK)
		r = bt_weights_save(path, &t->m->graph, set, n, &note, 1, err);
	return r;
}

/* A new directory of $TMPDIR and a checkpoint in it; to be freed. */
static int rescue(struct bt_train_run *t, char **path, struct bt_error *err)
{
	char *text = describe(t);
	struct bt_ckpt_note note = {BT_CHECKPOINT_NOTE, text};
	char *dir = bt_path_join(bt_temp_dir(), "bert-train.XXXXXX");
	struct bt_weights_set set[3];
	int n = sets(t, set), r = BT_EIO;

	if (dir != NULL && text != NULL && mkdtemp(dir) != NULL) {
		*path = bt_train_checkpoint(dir);
		r = bt_disk_space_check(dir,
		                        bt_checkpoint_file_size(t->m, t->o),
		                        "the checkpoint", err);
		if (r == BT_OK)
			r = bt_weights_save(*path, &t->m->graph, set, n, &note,
			                    1, err);
		if (r != BT_OK)
			(void)rmdir(dir);
	}
	free(text);
	free(dir);
	return r;
}

void bt_train_rescue_state(struct bt_train_run *t, struct bt_error *err)
{
	struct bt_error why = {0};
	char *path = NULL;

	if (rescue(t, &path, &why) == BT_OK) {
		why = *err;
		bt_error_clear(err);
		(void)bt_error_hint(
		    err, BT_HINT_RESUME_FROM,
		    bt_error_set(err, why.code,
		                 "%s; the checkpoint of step %lld was written "
		                 "to '%s' instead",
		                 why.text, (long long)t->s.step, path));
	}
	free(path);
}

int bt_train_save_state(struct bt_train_run *t, struct bt_error *err)
{
	char *path = bt_train_checkpoint(t->o->out), *text = describe(t);
	int r;

	if (path == NULL || text == NULL)
		r = bt_error_nomem(err, "writing a checkpoint");
	else
		r = write_state(t, path, text, err);
	free(path);
	free(text);
	if (r == BT_OK) {
		t->saved_step = t->s.step;
		t->saved_at = bt_seconds();
		bt_checkpoint_prune(t);
	} else if (t->saved_step >= 0) {
		bt_error_prefix(
		    err,
		    "no checkpoint of step %lld (the one of step %lld "
		    "remains; run the same command to resume)",
		    (long long)t->s.step, (long long)t->saved_step);
	} else {
		bt_error_prefix(err, "no checkpoint of step %lld",
		                (long long)t->s.step);
	}
	if (r == BT_EIO)
		bt_train_rescue_state(t, err);
	return r;
}

static int check_settings(struct bt_train_run *t, const json_t *o,
                          const char *path, struct bt_error *err)
{
	const json_t *then = json_object_get(o, "settings");
	struct bt_buf diff = BT_BUF_INIT;
	json_t *now = bt_train_settings(t);
	int r = BT_OK;

	if (!t->o->measure_only)
		bt_train_compare(then, now, &diff);
	if (diff.len > 0)
		r = bt_error_hint(
		    err, BT_HINT_START_OVER,
		    bt_error_set(err, BT_EFORMAT,
		                 "cannot resume from '%s', which belongs to "
		                 "another run: %s",
		                 path, bt_buf_str(&diff)));
	else if (!json_equal(json_object_get(then, "computed by"),
	                     json_object_get(now, "computed by")))
		bt_log(
		    t->o->log, BT_LOG_WARN,
		    "the run was computed by %s until now and continues with "
		    "%s, so the last bits may differ",
		    json_string_value(json_object_get(then, "computed by")),
		    json_string_value(json_object_get(now, "computed by")));
	bt_buf_clear(&diff);
	json_decref(now);
	return r;
}

/* The file's name, which it keeps through all of the run, and the length it had
 * if it is still there. */
static int take_up(struct bt_append_log *g, const char *name, json_int_t size,
                   struct bt_error *err)
{
	char *path = bt_path_join(g->dir, name);
	char *copy = bt_strndup(name, strlen(name));

	if (path == NULL || copy == NULL) {
		free(path);
		free(copy);
		return bt_error_nomem(err, "reading a checkpoint");
	}
	free(g->name);
	g->name = copy;
	g->size = size > 0 && access(path, F_OK) == 0 ? (uint64_t)size : 0;
	free(path);
	return BT_OK;
}

static int read_lengths(struct bt_train_run *t, json_t *files,
                        struct bt_error *err)
{
	const char *name;
	json_t *v;
	int i, r = BT_OK;

	json_object_foreach(files, name, v)
	{
		if (strcmp(name, t->history.name) == 0)
			r = take_up(&t->history, name, json_integer_value(v),
			            err);
		for (i = 0; r == BT_OK && i < BT_EVENT_STREAMS; i++)
			if (t->events.file[i].dir != NULL &&
			    bt_events_names((enum bt_event_stream)i, name))
				r = take_up(&t->events.file[i], name,
				            json_integer_value(v), err);
		if (r != BT_OK)
			break;
	}
	return r;
}

static int read_place(struct bt_train_run *t, json_t *o, const char *path,
                      struct bt_error *err)
{
	json_int_t step, epoch, pos, best_epoch, best_step, stale;
	json_int_t right = 0, seen = 0,
	           trial = 0; /* not in earlier versions' */
	struct bt_train_state s = {0};
	int have;

	if (json_unpack(o,
	                "{s:I, s:I, s:I, s:F, s:F, s?F, s?F, s:b, s:F, s:I, "
	                "s:I, s:I, s:F, s?I, s?I, s?I}",
	                "step", &step, "epoch", &epoch, "pos", &pos, "loss_sum",
	                &s.loss_sum, "loss_weight", &s.loss_weight,
	                "step_loss_sum", &s.step_loss_sum, "step_loss_weight",
	                &s.step_loss_weight, "have_best", &have, "best",
	                &s.best, "best_epoch", &best_epoch, "best_step",
	                &best_step, "stale", &stale, "seconds", &s.seconds,
	                "right", &right, "seen", &seen, "trial", &trial) != 0 ||
	    step < 0 || (step > t->total && !t->o->measure_only) || epoch < 0 ||
	    epoch > UINT32_MAX || pos < 0 ||
	    ((uint64_t)pos > t->train->n && !t->o->measure_only) || stale < 0)
		return bt_error_set(err, BT_ECORRUPT,
		                    "'%s': the note of its place in the run "
		                    "makes no sense",
		                    path);
	s.step = step;
	s.epoch = epoch;
	s.pos = pos;
	s.have_best = have != 0;
	s.unreported = json_is_true(json_object_get(o, "unreported"));
	s.best_epoch = best_epoch;
	s.best_step = best_step;
	s.stale = stale;
	s.right = right;
	s.seen = seen;
	s.trial = trial;
	t->batches.epoch = -1;
	t->s = s;
	if (t->o->measure_only) /* those files are the other run's */
		return BT_OK;
	return read_lengths(t, json_object_get(o, "files"), err);
}

static int check_version(const json_t *o, const char *path,
                         struct bt_error *err)
{
	json_int_t v = json_integer_value(json_object_get(o, "version"));

	if (v == VERSION)
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "'%s' was written by %s version of bert-train, "
	                    "which alone can go on from it",
	                    path, v < VERSION ? "an earlier" : "a later");
}

static const char *find_note(const struct bt_ckpt *c)
{
	size_t i;

	for (i = 0; i < bt_ckpt_notes(c); i++)
		if (strcmp(bt_ckpt_note(c, i)->key, BT_CHECKPOINT_NOTE) == 0)
			return bt_ckpt_note(c, i)->value;
	return NULL;
}

static int restore(struct bt_train_run *t, const struct bt_ckpt *c,
                   const char *path, struct bt_error *err)
{
	const char *note = find_note(c);
	struct bt_weights_set set[3];
	json_t *o;
	int n, r;

	if (note == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' is no checkpoint of bert-train",
		                    path);
	r = bt_json_parse(path, note, strlen(note), true, &o, err);
	if (r != BT_OK)
		return r;
	r = check_version(o, path, err);
	if (r == BT_OK)
		r = check_settings(t, o, path, err);
	if (r == BT_OK)
		r = read_place(t, o, path, err);
	json_decref(o);
	n = sets(t, set);
	if (r == BT_OK)
		r = bt_weights_restore(c, &t->m->graph, set, n, err);
	return r;
}

int bt_train_load_state(struct bt_train_run *t, struct bt_error *err)
{
	const char *from = t->o->resume_from;
	char *path = from != NULL ? bt_strndup(from, strlen(from))
	                          : bt_train_checkpoint(t->o->out);
	struct bt_ckpt *c;
	int r;

	if (path == NULL)
		return bt_error_nomem(err, "reading a checkpoint");
	bt_file_use_own(true);
	r = bt_ckpt_open(path, &c, err);
	bt_file_use_own(false);
	if (r != BT_OK) {
		bt_error_prefix(err, "nothing to resume");
		free(path);
		return r;
	}
	r = restore(t, c, path, err);
	bt_ckpt_close(c);
	/* what stands in the output is this one, or one of later */
	if (r == BT_OK && from == NULL)
		t->saved_step = t->s.step;
	free(path);
	return r;
}
