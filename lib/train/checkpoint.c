/* SPDX-License-Identifier: MIT */
/*
 * The resumable state of a run: one safetensors file that holds the parameters
 * and both moments of those that are trained, and as a note the place in the
 * run and the settings that decide its results.
 */
#include <math.h>
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

/* The members of the state; later: earlier versions have no such. */
static const struct {
	const char *key;
	enum { INTEGER, REAL, BOOLEAN } type;
	bool later;
	size_t at;
} members[] = {
#define MEMBER(name, type, later)                                              \
	{                                                                      \
#name, type, later, offsetof(struct bt_train_state, name)      \
	}
    MEMBER(step, INTEGER, false),
    MEMBER(epoch, INTEGER, false),
    MEMBER(pos, INTEGER, false),
    MEMBER(loss_sum, REAL, false),
    MEMBER(loss_weight, REAL, false),
    MEMBER(step_loss_sum, REAL, true),
    MEMBER(step_loss_weight, REAL, true),
    MEMBER(have_best, BOOLEAN, false),
    MEMBER(best, REAL, false),
    MEMBER(best_epoch, INTEGER, false),
    MEMBER(best_step, INTEGER, false),
    MEMBER(stale, INTEGER, false),
    MEMBER(seconds, REAL, false),
    MEMBER(right, INTEGER, true),
    MEMBER(seen, INTEGER, true),
    MEMBER(trial, INTEGER, true),
#undef MEMBER
};

#define MEMBERS (sizeof(members) / sizeof(members[0]))

static char *describe(const struct bt_train_run *t)
{
	struct bt_train_state s = t->s;
	const struct bt_append_log *g = &t->history;
	json_t *o = json_pack("{s:i}", "version", VERSION), *v;
	json_t *files = json_pack("{s:I}", g->name, (json_int_t)g->size);
	const void *p;
	char *text;
	size_t i;

	s.seconds += bt_seconds() - t->began;
	for (i = 0; i < MEMBERS; i++) {
		p = (const char *)&s + members[i].at;
		v = members[i].type == INTEGER
		        ? json_integer(*(const int64_t *)p)
		    : members[i].type == REAL
		        ? bt_json_finite(*(const double *)p)
		        : json_boolean(*(const bool *)p);
		json_object_set_new(o, members[i].key, v);
	}
	for (i = 0; i < BT_EVENT_STREAMS; i++) {
		g = &t->events.file[i];
		if (g->name != NULL) /* how long it is now */
			json_object_set_new(files, g->name,
			                    json_integer((json_int_t)g->size));
	}
	if (s.unreported)
		json_object_set_new(o, "unreported", json_true());
	json_object_set_new(o, "files", files);
	json_object_set_new(o, "settings", bt_train_settings(t));
	text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
	json_decref(o);
	return text;
}

/* The arenas; returns their number. */
static int sets(struct bt_train_run *t, const struct bt_arena *m,
                const struct bt_arena *v, struct bt_weights_set out[3])
{
	out[0] = (struct bt_weights_set){"param.",
	                                 bt_engine_params(t->m->engine), false};
	out[1] = (struct bt_weights_set){"moment1.", m->base, true};
	out[2] = (struct bt_weights_set){"moment2.", v->base, true};
	return 1 + bt_optim_moments(t->optim.o.kind);
}

/* On rank 0, with the moments of all. */
static int write_state(struct bt_train_run *t, const char *dir,
                       const char *path, bool rescues, const struct bt_arena *m,
                       const struct bt_arena *v, struct bt_error *err)
{
	char *text = describe(t);
	struct bt_ckpt_note note = {BT_CHECKPOINT_NOTE, text};
	struct bt_weights_set set[3];
	int n = sets(t, m, v, set);
	int r = bt_disk_space_check(dir, bt_checkpoint_file_size(t->m, t->o),
	                            "the checkpoint", err);

	if (r == BT_OK && !rescues &&
	    !(r = bt_append_log_sync(&t->history, err)) &&
	    !(r = bt_events_sync(&t->events, err)))
		r = bt_checkpoint_set_aside(t, err);
	if (r == BT_OK)
		r = bt_weights_save(path, &t->m->graph, set, n, &note, 1, err);
	free(text);
	return r;
}

/* Writes a checkpoint into a new directory of $TMPDIR. */
static void rescue(struct bt_train_run *t, const struct bt_arena *m,
                   const struct bt_arena *v, struct bt_error *err)
{
	struct bt_error why = {0};
	char *dir = bt_path_join(bt_temp_dir(), "bert-train.XXXXXX"), *path;

	if (mkdtemp(dir) == NULL) {
		free(dir);
		return;
	}
	path = bt_train_checkpoint(dir);
	if (write_state(t, dir, path, true, m, v, &why) == BT_OK) {
		why = *err;
		bt_error_clear(err);
		(void)bt_error_hint(
		    err, BT_HINT_RESUME_FROM,
		    bt_error_set(err, why.code,
		                 "%s; the checkpoint of step %lld was written "
		                 "to '%s' instead",
		                 why.text, (long long)t->s.step, path));
	} else {
		(void)rmdir(dir);
	}
	free(path);
	free(dir);
}

void bt_train_rescue_state(struct bt_train_run *t, struct bt_error *err)
{
	struct bt_arena m, v;
	struct bt_error why = {0};

	if (t->on->read(t, true, &why) != BT_OK ||
	    bt_optim_gather(&t->optim, &m, &v, &why) != BT_OK)
		return;
	if (bt_dist_is_first(t->o->dist))
		rescue(t, &m, &v, err);
	bt_optim_give_back(&t->optim, &m, &v);
}

int bt_train_save_state(struct bt_train_run *t, struct bt_error *err)
{
	bool first = bt_dist_is_first(t->o->dist);
	char *path = bt_train_checkpoint(t->o->out);
	struct bt_arena m, v;
	int r = t->on->read(t, true, err);

	if (r != BT_OK) { /* of a device, which one process has */
		free(path);
		return r;
	}
	r = bt_optim_gather(&t->optim, &m, &v, err);
	if (r == BT_OK && first)
		r = write_state(t, t->o->out, path, false, &m, &v, err);
	bt_optim_give_back(&t->optim, &m, &v);
	r = bt_dist_agree(t->o->dist, r, err);
	free(path);
	if (r == BT_OK) {
		t->saved_step = t->s.step;
		t->saved_at = bt_seconds();
		if (first)
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

	/* it decides when the run ends, and nothing before that */
	json_object_set(now, "patience", json_object_get(then, "patience"));
	if (!t->o->measure_only)
		bt_train_compare(then, now, &diff);
	if (diff.len > 0)
		r = bt_error_hint(
		    err,
		    bt_model_saved(t->o->out) ? BT_HINT_GO_ON_FROM_MODEL
		                              : BT_HINT_START_OVER,
		    bt_error_set(err, BT_EFORMAT,
		                 "cannot resume from '%s', which belongs to "
		                 "another run: %s",
		                 path, bt_buf_str(&diff)));
	else if (!json_equal(json_object_get(then, "computed by"),
	                     json_object_get(now, "computed by")))
		bt_log_warn(
		    t->o->log, "machine-differs", BT_HINT_NONE,
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
static void take_up(struct bt_append_log *g, const char *name, json_int_t size)
{
	char *path = bt_path_join(g->dir, name);

	free(g->name);
	g->name = bt_strndup(name, strlen(name));
	g->size = size > 0 && access(path, F_OK) == 0 ? (uint64_t)size : 0;
	free(path);
}

static int impossible(const char *path, const char *group, const char *field,
                      struct bt_error *err)
{
	return bt_error_set(err, BT_ECORRUPT,
	                    "'%s': the value of '%s%.100s' in its training "
	                    "state is not possible",
	                    path, group, field);
}

static int read_lengths(struct bt_train_run *t, json_t *files, const char *path,
                        struct bt_error *err)
{
	const char *name;
	json_t *v;
	int i;

	json_object_foreach(files, name, v)
	{
		if (!json_is_integer(v) || json_integer_value(v) < 0)
			return impossible(path, "files.", name, err);
		if (strcmp(name, t->history.name) == 0)
			take_up(&t->history, name, json_integer_value(v));
		for (i = 0; i < BT_EVENT_STREAMS; i++)
			if (t->events.file[i].dir != NULL &&
			    bt_events_names((enum bt_event_stream)i, name))
				take_up(&t->events.file[i], name,
				        json_integer_value(v));
	}
	return BT_OK;
}

static bool read_member(size_t i, const json_t *v, struct bt_train_state *s)
{
	void *p = (char *)s + members[i].at;

	if (members[i].type == INTEGER && json_is_integer(v))
		*(int64_t *)p = json_integer_value(v);
	else if (members[i].type == REAL && json_is_number(v))
		*(double *)p = json_number_value(v);
	else if (members[i].type == BOOLEAN && json_is_boolean(v))
		*(bool *)p = json_is_true(v);
	else if (p == &s->best && json_is_null(v))
		s->best = NAN; /* undefined: equal predictions, say */
	else
		return v == NULL && members[i].later;
	return true;
}

/* True if so many updates lead to the epoch and the position in it, all of
 * which are in their ranges. */
static bool leads_there(const struct bt_train_run *t,
                        const struct bt_train_state *s)
{
	const struct bt_batching *b = &t->o->batching;
	const struct bt_dataset *d = t->train;
	double n = (double)t->batches.n, epoch = (double)s->epoch;
	double used = epoch * n + (double)s->pos, step = (double)s->step;
	double most = (double)b->size * b->accumulate;
	bool even = true; /* all groups have as many texts */

	if (b->pairs)
		most *= 2;
	else if (d->most_texts > 1) {
		most *= (double)d->most_texts;
		even = bt_dataset_texts(d) * d->most_texts == d->n;
	}
	/* an update takes an example at least */
	if (b->size == 0 || b->tokens != 0 || !even)
		return step <= used && step >= epoch + (s->pos > 0);
	if (b->stream)
		return step * most == used;
	return step == epoch * ceil(n / most) + ceil((double)s->pos / most);
}

/* The name of a field that contradicts its meaning or others; NULL: none. any:
 * the run may be another one. */
static const char *contradiction(const struct bt_train_run *t,
                                 const struct bt_train_state *s, bool any)
{
	const struct {
		const char *field;
		bool holds;
	} is[] = {
	    {"step", s->step >= 0},
	    {"epoch", s->epoch >= 0 && s->epoch <= UINT32_MAX},
	    {"pos", s->pos >= 0 && ((uint64_t)s->pos <= t->batches.n || any)},
	    {"loss_weight", s->loss_weight >= 0},
	    {"step_loss_weight", s->step_loss_weight >= 0},
	    {"right", s->right >= 0 && s->right <= s->seen},
	    {"have_best", any || !s->have_best || t->eval != NULL},
	    {"best_step",
	     s->best_step >= 0 && s->best_step <= (s->have_best ? s->step : 0)},
	    {"best_epoch", s->best_epoch >= 0 && s->best_epoch <= s->step},
	    {"stale", s->stale >= 0 && s->stale <= s->step},
	    {"seconds", s->seconds >= 0},
	    {"trial", s->trial >= 0},
	    {"step", any || leads_there(t, s)},
	};
	size_t i;

	for (i = 0; i < sizeof(is) / sizeof(is[0]); i++)
		if (!is[i].holds)
			return is[i].field;
	return NULL;
}

static int read_state(struct bt_train_run *t, json_t *o, const char *path,
                      struct bt_error *err)
{
	struct bt_train_state s = {0};
	bool any = t->o->measure_only;
	const char *field;
	size_t i;
	int r;

	for (i = 0; i < MEMBERS; i++)
		if (!read_member(i, json_object_get(o, members[i].key), &s))
			return impossible(path, "", members[i].key, err);
	if (!any && s.step > t->total) /* where that may differ */
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' is of update %lld, and the run has "
		                    "%lld",
		                    path, (long long)s.step,
		                    (long long)t->total);
	field = contradiction(t, &s, any);
	if (field != NULL)
		return impossible(path, "", field, err);
	s.unreported = json_is_true(json_object_get(o, "unreported"));
	/* else those files are the other run's */
	r = any ? BT_OK
	        : read_lengths(t, json_object_get(o, "files"), path, err);
	if (r != BT_OK)
		return r;
	t->batches.epoch = -1;
	t->s = s;
	return BT_OK;
}

static int restore(struct bt_train_run *t, const struct bt_ckpt *c,
                   const char *path, struct bt_error *err)
{
	const char *note = NULL;
	struct bt_weights_set set[3];
	json_int_t v;
	json_t *o;
	size_t i;
	int n, r;

	for (i = 0; i < bt_ckpt_notes(c) && note == NULL; i++)
		if (strcmp(bt_ckpt_note(c, i)->key, BT_CHECKPOINT_NOTE) == 0)
			note = bt_ckpt_note(c, i)->value;
	if (note == NULL)
		return bt_error_set(
		    err, BT_EFORMAT,
		    "'%s' is not a checkpoint of a training run", path);
	r = bt_json_parse(path, note, strlen(note), true, &o, err);
	if (r != BT_OK)
		return r;
	v = json_integer_value(json_object_get(o, "version"));
	if (v != VERSION)
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s' was written by %s version, "
		                 "which alone can go on from it",
		                 path, v < VERSION ? "an earlier" : "a later");
	else if (!(r = check_settings(t, o, path, err)))
		r = read_state(t, o, path, err);
	json_decref(o);
	n = sets(t, &t->optim.m, &t->optim.v, set);
	if (r == BT_OK)
		r = bt_weights_restore(c, &t->m->graph, set, n, err);
	if (r == BT_OK)
		bt_optim_go_on(&t->optim);
	return r;
}

/* The best model so far may have stayed where the checkpoint came from: then
 * the best one of what follows is kept. */
static void forget_best(struct bt_train_run *t)
{
	if (!t->s.have_best || t->o->measure_only || bt_model_saved(t->o->out))
		return;
	bt_log_warn(t->o->log, "best-missing", BT_HINT_NONE,
	            "the best model so far, of step %lld, is not in '%s', "
	            "which will have the best of later ones",
	            (long long)t->s.best_step, t->o->out);
	t->s.have_best = false;
	t->s.best_step = t->s.best_epoch = t->s.stale = 0;
}

int bt_train_load_state(struct bt_train_run *t, struct bt_error *err)
{
	const char *from = t->o->resume_from;
	char *path = from != NULL ? bt_strndup(from, strlen(from))
	                          : bt_train_checkpoint(t->o->out);
	struct bt_ckpt *c;
	int r;

	bt_file_use_own(true);
	r = bt_ckpt_open(path, &c, err);
	bt_file_use_own(false);
	if (r != BT_OK) {
		bt_error_prefix(err, "nothing to resume");
		err->hint = BT_HINT_NONE; /* it is no model of a hub */
	} else {
		r = restore(t, c, path, err);
		bt_ckpt_close(c);
	}
	/* what stands in the output is this one, or one of later */
	if (r == BT_OK && from == NULL)
		t->saved_step = t->s.step;
	if (r == BT_OK)
		forget_best(t);
	free(path);
	return r;
}
