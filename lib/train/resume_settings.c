/* SPDX-License-Identifier: MIT */
/* The settings that decide a run's results, under names for people. */
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/mem.h"
#include "base/str.h"
#include "device/device.h"
#include "train/train_int.h"

/* Settings whose values tell people nothing. */
#define CHECKSUMS                                                              \
	"evaluation data|labels|starting weights|teacher|training data"

/* Settings of earlier versions, of techniques that this one does not have. */
#define LEFT_OUT                                                               \
	"adversarial from epoch|adversarial step of weights|averaged updates|" \
	"contrastive loss|contrastive temperature|decay of the average|focal loss"

static json_t *optimizer(const struct bt_optim_opts *o)
{
	json_t *s = json_pack(
	    "{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "optimizer",
	    bt_optim_name(o->kind), "beta1", o->beta1, "beta2", o->beta2,
	    "epsilon", o->eps, "momentum", o->momentum, "weight decay",
	    o->weight_decay, "clip", o->clip, "clip value", o->clip_value);

	if (o->layer_decay != 1)
		json_object_set_new(s, "decay by layers",
		                    json_real(o->layer_decay));
	if (o->head_scale != 1)
		json_object_set_new(s, "rate of the head",
		                    json_real(o->head_scale));
	if (o->clip_rows && o->clip > 0)
		json_object_set_new(s, "clipped rows", json_true());
	return s;
}

static json_t *schedule(const struct bt_train_run *t)
{
	const struct bt_schedule_opts *o = &t->o->schedule;

	if (o->own != NULL) /* which does not look at the number of steps */
		return json_pack("{s:s}", "schedule", o->own_text);
	return json_pack("{s:I, s:f, s:s, s:I, s:f, s:f, s:I}", "steps in all",
	                 (json_int_t)t->total, "learning rate", o->lr,
	                 "schedule", bt_schedule_name(o->kind), "warm-up steps",
	                 (json_int_t)t->warmup, "end learning rate", o->end,
	                 "power", o->power, "cycles", (json_int_t)o->cycles);
}

static json_t *adapters(const struct bt_lora *l)
{
	return json_pack("[i, f, f, s]", l->rank, l->alpha, l->dropout,
	                 l->targets != NULL ? l->targets : BT_LORA_TARGETS);
}

static void add_loss(json_t *s, const struct bt_train_opts *o)
{
	json_t *dims = json_array();
	size_t i;

	if (o->r_drop > 0)
		json_object_set_new(s, "weight of R-Drop",
		                    json_real(o->r_drop));
	if (o->fgm > 0)
		json_object_set_new(s, "adversarial step of words",
		                    json_real(o->fgm));
	if (o->pos_weight != NULL)
		json_object_set_new(s, "weight of positives",
		                    json_string(o->pos_weight));
	if (o->teacher != NULL) {
		json_object_set_new(s, "teacher",
		                    json_integer((json_int_t)o->teacher_crc));
		json_object_set_new(s, "teacher temperature",
		                    json_real(o->temperature));
		json_object_set_new(s, "teacher weight",
		                    json_real(o->teacher_weight));
	}
	if (o->embedding_loss != BT_EMBEDDING_RANKING)
		json_object_set_new(s, "embedding loss",
		                    json_integer(o->embedding_loss));
	for (i = 0; i < o->matryoshka.n; i++)
		json_array_append_new(
		    dims, json_integer((json_int_t)o->matryoshka.dim[i]));
	if (o->matryoshka.n > 0)
		json_object_set(s, "dimensions", dims);
	json_decref(dims);
}

static json_t *loop(const struct bt_train_opts *o)
{
	json_t *s;

	s = json_pack("{s:I, s:I, s:I, s:i, s:f, s:s, s:s, s:I, s:I}", "seed",
	              (json_int_t)o->batching.seed, "batch size",
	              (json_int_t)o->batching.size, "batch tokens",
	              (json_int_t)o->batching.tokens, "accumulate",
	              o->batching.accumulate, "label smoothing", o->smoothing,
	              "best by", o->metric, "class weight",
	              o->class_weight != NULL ? o->class_weight : "none",
	              "eval steps",
	              (json_int_t)(o->keep_last ? 0 : o->eval_steps),
	              "patience", (json_int_t)o->patience);
	add_loss(s, o);
	if (o->freeze != NULL)
		json_object_set_new(s, "frozen", json_string(o->freeze));
	if (o->lora.rank > 0)
		json_object_set_new(s, "adapters", adapters(&o->lora));
	if (o->masking != NULL) {
		json_object_set_new(s, "masked share",
		                    json_real(o->masking->share));
		json_object_set_new(s, "whole words",
		                    json_boolean(o->masking->whole_words));
	}
	if (o->epoch_steps > 0)
		json_object_set_new(s, "steps of an epoch",
		                    json_integer((json_int_t)o->epoch_steps));
	if (bt_train_shards(o) > 1)
		json_object_set_new(s, "shards",
		                    json_integer(bt_train_shards(o)));
	if (o->batching.stream)
		json_object_set_new(s, "full batches", json_true());
	if (o->train_share != 0)
		json_object_set_new(s, "train share",
		                    json_real(o->train_share));
	return s;
}

static json_t *model(const struct bt_config *c, const struct bt_task *task)
{
	json_t *o =
	    json_pack("{s:f, s:f, s:f}", "dropout", (double)c->hidden_dropout,
	              "attention dropout", (double)c->attention_dropout,
	              "classifier dropout", (double)c->classifier_dropout);
	struct bt_buf b = BT_BUF_INIT;

	bt_head_print(&c->head, &b);
	if (c->head.n > 0)
		json_object_set_new(o, "head", json_string(bt_buf_str(&b)));
	else if (c->pool != BT_POOLED_POOLER)
		json_object_set_new(o, "head",
		                    json_string(bt_pooled_name(c->pool)));
	bt_buf_clear(&b);
	if (task != &bt_task_classification)
		json_object_set_new(o, task->name, json_true());
	if (c->next_sentence)
		json_object_set_new(o, "next sentences", json_true());
	return o;
}

/* What makes a rotation reach farther, if anything. */
static void print_scaling(struct bt_buf *b, const struct bt_rope *rope)
{
	struct bt_rope plain = bt_rope_of(rope->theta);

	if (rope->theta > 0 && memcmp(&plain, rope, sizeof(plain)) != 0)
		bt_buf_printf(b, ", rope %.7g %.7g %.7g %.7g",
		              (double)rope->factor, (double)rope->low,
		              (double)rope->high, (double)rope->scale);
}

/* The model that the run starts from: what of its configuration decides a
 * result and neither the weights' shapes nor other settings show. */
static json_t *start(const struct bt_train_run *t)
{
	const struct bt_config *c = &t->m->config;
	struct bt_buf b = BT_BUF_INIT;
	json_t *o;

	bt_buf_printf(&b, "%s, %d heads, activation %d %d, epsilon %.7g",
	              bt_config_type(c), c->heads, (int)c->act,
	              (int)c->head_act, (double)c->norm_eps);
	bt_buf_printf(&b, ", positions from %d, padding %d", c->position0,
	              c->pad_id);
	if (c->att_span > 0)
		bt_buf_printf(&b, ", distances %d %d %d, places %d%d%d%d",
		              c->att_span, c->position_buckets,
		              c->max_relative_positions, c->c2p, c->p2c,
		              c->share_att_key, c->norm_rel_embeddings);
	if (c->global_every > 0)
		bt_buf_printf(&b, ", window %d, all %d, theta %.7g %.7g",
		              c->window, c->global_every,
		              (double)c->global_rope.theta,
		              (double)c->local_rope.theta);
	else if (c->global_rope.theta > 0)
		bt_buf_printf(&b, ", theta %.7g, %d heads of keys",
		              (double)c->global_rope.theta, c->kv_heads);
	print_scaling(&b, &c->global_rope);
	print_scaling(&b, &c->local_rope);
	o = json_pack("{s:s, s:I, s:s}", "model", bt_buf_str(&b),
	              "starting weights", (json_int_t)t->start_crc,
	              "products in",
	              bt_engine_is_bf16(t->m->engine) ? "bf16" : "f32");
	bt_buf_clear(&b);
	return o;
}

static json_t *data(const struct bt_train_run *t)
{
	const struct bt_labels *l = &t->m->labels;
	/* where the last model is kept, evaluation decides nothing */
	const struct bt_dataset *d = t->o->keep_last ? NULL : t->eval;
	json_int_t eval = d != NULL ? (json_int_t)d->crc : -1;
	uint32_t labels = 0;
	json_t *o;
	int i;

	for (i = 0; i < l->n; i++)
		labels = bt_crc32c(labels, l->name[i], strlen(l->name[i]) + 1);
	o = json_pack("{s:I, s:I, s:I, s:I, s:I}", "training data",
	              (json_int_t)t->train->crc, "training examples",
	              (json_int_t)t->train->n, "evaluation data", eval,
	              "evaluation examples", (json_int_t)(d != NULL ? d->n : 0),
	              "labels", (json_int_t)labels);
	if (d != NULL && !d->per_token && bt_dataset_texts(d) < d->n)
		json_object_set_new(
		    o, "windows", json_string(bt_windows_name(t->o->windows)));
	return o;
}

json_t *bt_train_settings(const struct bt_train_run *t)
{
	json_t *parts[] = {loop(t->o),
	                   schedule(t),
	                   optimizer(&t->optim.o),
	                   model(&t->m->config, t->m->task),
	                   start(t),
	                   data(t)};
	struct bt_buf engine = BT_BUF_INIT;
	json_t *s = json_object();
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		json_object_update(s, parts[i]);
		json_decref(parts[i]);
	}
	if (t->o->device != NULL)
		bt_device_describe(t->o->device,
		                   bt_engine_is_bf16(t->m->engine), &engine);
	else
		bt_engine_arithmetic(t->m->engine, &engine);
	json_object_set_new(s, "computed by", json_string(bt_buf_str(&engine)));
	bt_buf_clear(&engine);
	return s;
}

/* Appends a setting that differs, unless earlier checkpoints do not have it;
 * NULL: absent. */
static void add_difference(const char *key, const json_t *then,
                           const json_t *now, struct bt_buf *out)
{
	char *a, *b;

	if (then == NULL &&
	    bt_str_in_list("model|starting weights|products in", key))
		return;
	bt_buf_puts(out, out->len > 0 ? "; " : "");
	if (then != NULL && now != NULL && bt_str_in_list(CHECKSUMS, key)) {
		bt_buf_printf(out, "other %s", key);
		return;
	}
	a = json_dumps(then, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
	b = json_dumps(now, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
	bt_buf_printf(out, "%s was %s, ", key, a != NULL ? a : "absent");
	if (bt_str_in_list(LEFT_OUT, key))
		bt_buf_puts(out, "which this version does not have");
	else
		bt_buf_printf(out, "is %s", b != NULL ? b : "absent");
	free(a);
	free(b);
}

void bt_train_compare(const json_t *then, const json_t *now, struct bt_buf *out)
{
	const char *key;
	json_t *v;

	/* another CPU or library is no other run, though the last bits may
	 * differ */
	json_object_foreach((json_t *)now, key, v)
	{
		if (strcmp(key, "computed by") != 0 &&
		    !json_equal(v, json_object_get(then, key)))
			add_difference(key, json_object_get(then, key), v, out);
	}
	json_object_foreach((json_t *)then, key, v)
	{
		if (json_object_get(now, key) == NULL)
			add_difference(key, v, NULL, out);
	}
}

/* The text of rank 0, to be freed. */
static char *text_of_first(struct bt_dist *dist, const json_t *o)
{
	char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
	size_t n = text != NULL ? strlen(text) + 1 : 1;

	bt_dist_tell(dist, &n, sizeof(n));
	if (!bt_dist_is_first(dist) || text == NULL) {
		free(text);
		text = bt_array0(n, 1);
	}
	bt_dist_tell(dist, text, n);
	return text;
}

int bt_train_ranks_agree(const struct bt_train_run *t, struct bt_error *err)
{
	struct bt_buf diff = BT_BUF_INIT;
	json_t *now, *first;
	int r = BT_OK;
	char *text;

	if (t->o->dist == NULL)
		return BT_OK;
	now = bt_train_settings(t);
	json_object_del(now, "products in"); /* machines of another kind */
	json_object_del(now, "computed by");
	json_object_set_new(now, "step", json_integer((json_int_t)t->s.step));
	/* all write a checkpoint together */
	json_object_set_new(now, "save steps",
	                    json_integer((json_int_t)t->o->save_steps));
	json_object_set_new(now, "save minutes", json_real(t->o->save_minutes));
	text = text_of_first(t->o->dist, now);
	first = json_loads(text, 0, NULL);
	bt_train_compare(first, now, &diff);
	if (diff.len > 0)
		r = bt_error_set(err, BT_ECORRUPT,
		                 "this is not the run of rank 0: %s",
		                 bt_buf_str(&diff));
	bt_buf_clear(&diff);
	json_decref(first);
	json_decref(now);
	free(text);
	return bt_dist_agree(t->o->dist, r, err);
}
