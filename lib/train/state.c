/* SPDX-License-Identifier: MIT */
/*
 * The resumable state of a run: one safetensors file that holds the parameters
 * and both moments, and as a note the place in the run and the settings that
 * decide its results.
 */
#include <stdlib.h>
#include <string.h>

#include "ckpt/ckpt.h"
#include "io/crc32c.h"
#include "io/json.h"
#include "train/train_int.h"

#define NOTE "bertutils_training_state"

char *bt_train_checkpoint(const char *out)
{
	return bt_model_path(out, "checkpoint.safetensors");
}

/* What must be the same for a resumed run to give the same bits. */
static json_t *settings(const struct bt_train_run *t)
{
	const struct bt_train_opts *o = t->o;
	const struct bt_config *c = &t->m->config;
	struct bt_buf engine = BT_BUF_INIT;
	uint32_t labels = 0;
	json_t *s;
	int i;

	for (i = 0; i < t->m->labels.n; i++)
		labels = bt_crc32c(labels, t->m->labels.name[i],
		                   strlen(t->m->labels.name[i]) + 1);
	bt_engine_describe(t->m->engine, &engine);
	s = json_pack(
	    "{s:I, s:I, s:I, s:I, s:i, s:f, s:i, s:I, s:f, s:f, s:f, s:f, s:f}",
	    "seed", (json_int_t)o->batching.seed, "steps in all",
	    (json_int_t)t->total, "batch size", (json_int_t)o->batching.size,
	    "batch tokens", (json_int_t)o->batching.tokens, "accumulate",
	    o->batching.accumulate, "learning rate", o->lr, "schedule",
	    (int)o->schedule, "warm-up steps", (json_int_t)t->warmup,
	    "weight decay", o->optim.weight_decay, "clip", o->optim.clip,
	    "label smoothing", o->smoothing, "dropout",
	    (double)c->hidden_dropout, "attention dropout",
	    (double)c->attention_dropout);
	json_object_set_new(s, "classifier dropout",
	                    json_real((double)c->classifier_dropout));
	json_object_set_new(s, "best by", json_string(o->metric));
	json_object_set_new(s, "training data",
	                    json_integer((json_int_t)t->train->crc));
	json_object_set_new(
	    s, "evaluation data",
	    json_integer(t->eval != NULL ? (json_int_t)t->eval->crc : -1));
	json_object_set_new(s, "labels", json_integer((json_int_t)labels));
	json_object_set_new(s, "computed by", json_string(bt_buf_str(&engine)));
	bt_buf_clear(&engine);
	return s;
}

static char *describe(const struct bt_train_run *t)
{
	const struct bt_train_state *s = &t->s;
	json_t *o = json_pack(
	    "{s:I, s:I, s:I, s:f, s:f, s:b, s:f, s:I}", "step",
	    (json_int_t)s->step, "epoch", (json_int_t)s->epoch, "pos",
	    (json_int_t)s->pos, "loss_sum", s->loss_sum, "loss_weight",
	    s->loss_weight, "have_best", (int)s->have_best, "best", s->best,
	    "best_epoch", (json_int_t)s->best_epoch);
	char *text;

	json_object_set_new(o, "settings", settings(t));
	text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
	json_decref(o);
	return text;
}

static void sets(struct bt_train_run *t, struct bt_weights_set out[3])
{
	out[0].prefix = "param.";
	out[0].values = bt_engine_params(t->m->engine);
	out[1].prefix = "moment1.";
	out[1].values = t->optim.m.base;
	out[2].prefix = "moment2.";
	out[2].values = t->optim.v.base;
}

int bt_train_save_state(struct bt_train_run *t, struct bt_error *err)
{
	struct bt_ckpt_note note = {NOTE, NULL};
	struct bt_weights_set set[3];
	char *path = bt_train_checkpoint(t->o->out), *text = describe(t);
	int r;

	note.value = text;
	sets(t, set);
	if (path == NULL || text == NULL)
		r = bt_error_nomem(err, "writing a checkpoint");
	else
		r = bt_weights_save(path, &t->m->graph, set, 3, &note, 1, err);
	free(path);
	free(text);
	return r;
}

/* Lists in out the settings that differ. */
static void compare(const json_t *then, const json_t *now, struct bt_buf *out)
{
	const char *key;
	json_t *v, *w;
	char *a, *b;

	json_object_foreach((json_t *)now, key, v)
	{
		w = json_object_get(then, key);
		/* another number of threads, CPU or library is no other run,
		 * though the last bits may differ */
		if (strcmp(key, "computed by") == 0 || json_equal(v, w))
			continue;
		a = json_dumps(w, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
		b = json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
		bt_buf_printf(out, "%s%s was %s, is %s",
		              out->len > 0 ? "; " : "", key, a ? a : "absent",
		              b ? b : "?");
		free(a);
		free(b);
	}
}

static int check_settings(struct bt_train_run *t, const json_t *o,
                          const char *path, struct bt_error *err)
{
	const json_t *then = json_object_get(o, "settings");
	struct bt_buf diff = BT_BUF_INIT;
	json_t *now = settings(t);
	int r = BT_OK;

	compare(then, now, &diff);
	if (diff.len > 0)
		r = bt_error_set(err, BT_EFORMAT,
		                 "cannot resume from '%s', which is of another "
		                 "run: %s",
		                 path, bt_buf_str(&diff));
	else if (!json_equal(json_object_get(then, "computed by"),
	                     json_object_get(now, "computed by")))
		bt_log(t->o->log, BT_LOG_WARN,
		       "the stopped run was computed by %s; here it goes on by "
		       "%s, so the last bits may differ",
		       json_string_value(json_object_get(then, "computed by")),
		       json_string_value(json_object_get(now, "computed by")));
	bt_buf_clear(&diff);
	json_decref(now);
	return r;
}

static int read_place(struct bt_train_run *t, json_t *o, const char *path,
                      struct bt_error *err)
{
	struct bt_train_state s = {0};
	json_int_t step, epoch, pos, best_epoch;
	int have;

	if (json_unpack(o, "{s:I, s:I, s:I, s:F, s:F, s:b, s:F, s:I}", "step",
	                &step, "epoch", &epoch, "pos", &pos, "loss_sum",
	                &s.loss_sum, "loss_weight", &s.loss_weight, "have_best",
	                &have, "best", &s.best, "best_epoch",
	                &best_epoch) != 0 ||
	    step < 0 || step > t->total || epoch < 0 || epoch > UINT32_MAX ||
	    pos < 0 || (uint64_t)pos > t->train->n)
		return bt_error_set(err, BT_ECORRUPT,
		                    "'%s': the note of its place in the run "
		                    "makes no sense",
		                    path);
	s.step = step;
	s.epoch = epoch;
	s.pos = pos;
	s.have_best = have != 0;
	s.best_epoch = best_epoch;
	t->s = s;
	return BT_OK;
}

static const char *find_note(const struct bt_ckpt *c)
{
	size_t i;

	for (i = 0; i < bt_ckpt_notes(c); i++)
		if (strcmp(bt_ckpt_note(c, i)->key, NOTE) == 0)
			return bt_ckpt_note(c, i)->value;
	return NULL;
}

static int restore(struct bt_train_run *t, const struct bt_ckpt *c,
                   const char *path, struct bt_error *err)
{
	const char *note = find_note(c);
	struct bt_weights_set set[3];
	json_t *o;
	int r;

	if (note == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' is no checkpoint of bert-train",
		                    path);
	r = bt_json_parse(path, note, strlen(note), true, &o, err);
	if (r != BT_OK)
		return r;
	r = check_settings(t, o, path, err);
	if (r == BT_OK)
		r = read_place(t, o, path, err);
	json_decref(o);
	sets(t, set);
	if (r == BT_OK)
		r = bt_weights_restore(c, &t->m->graph, set, 3, err);
	return r;
}

int bt_train_load_state(struct bt_train_run *t, struct bt_error *err)
{
	char *path = bt_train_checkpoint(t->o->out);
	struct bt_ckpt *c;
	int r;

	if (path == NULL)
		return bt_error_nomem(err, "reading a checkpoint");
	r = bt_ckpt_open(path, &c, err);
	if (r != BT_OK) {
		bt_error_prefix(err, "nothing to resume");
		free(path);
		return r;
	}
	r = restore(t, c, path, err);
	bt_ckpt_close(c);
	free(path);
	return r;
}
