/* SPDX-License-Identifier: MIT */
#include "finetune/predict_stream.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/sys.h"
#include "device/device.h"
#include "finetune/agreement.h"
#include "finetune/contributions.h"
#include "finetune/predict_device.h"
#include "finetune/predict_entailment.h"
#include "finetune/unfinished.h"
#include "format/sentence.h"
#include "io/duplicate_paths.h"
#include "tokenizer_file/tokenizer_file.h"

#define BLOCK_TEXTS ((size_t)4096)
#define BLOCK_TOKENS ((size_t)1 << 16)

/* Texts that engines are made for: they grow for longer ones. */
#define SHORT 128
#define SELECTED 64 /* and tokens of a batch, where some are selected */

/* The tokenizer is only needed for its fingerprint: a directory without one, or
 * with one that is not understood, still predicts. One that cannot be read may
 * be of either kind, and one that is also an output would be lost. */
static int open_tokenizer(struct bt_predict_stream *s, struct bt_error *err)
{
	struct bt_error why = {0};
	int r;

	if (s->o.model == NULL ||
	    (r = bt_tok_open(s->o.model, NULL, &s->tok, &why)) == BT_OK)
		return BT_OK;
	s->tok = NULL;
	if (r == BT_EIO || r == BT_ENOMEM || r == BT_EARG)
		return bt_error_set(err, r, "%s", why.text);
	bt_log(s->o.log, BT_LOG_MORE,
	       "records are not checked against the model's tokenizer: %s",
	       why.text);
	return BT_OK;
}

/* The pooling is the model's own. */
static int choose_own(struct bt_predict_stream *s, struct bt_error *err)
{
	struct bt_sentence *own = &s->own;
	int r = bt_sentence_read(s->o.model, own, err);

	if (r == BT_OK && own->pooling == NULL)
		r = bt_error_set(
		    err, BT_EFORMAT,
		    "'%s' has no modules.json, which would say how "
		    "the model embeds texts",
		    s->o.model);
	if (r != BT_OK)
		return bt_error_hint(err, BT_HINT_EMBED, r);
	s->o.embed = own->pooling;
	bt_log(s->o.log, BT_LOG_NOTE,
	       "'%s' embeds texts by %s%s%s, as its modules.json says",
	       s->o.model, own->pooling,
	       own->n_dense == 0   ? ""
	       : own->n_dense == 1 ? " and a dense layer"
	                           : " and dense layers",
	       own->normalize ? " and scales to length 1" : "");
	return BT_OK;
}

/* Warns where the pooling is not the model's own. */
static int compare_own(const struct bt_predict_stream *s, struct bt_error *err)
{
	struct bt_error why = {0};
	struct bt_sentence own;
	int r = bt_sentence_read(s->o.model, &own, &why);

	if (r == BT_ENOMEM)
		return bt_error_set(err, r, "%s", why.text);
	if (r != BT_OK)
		bt_log_warn(s->o.log, "embedding-differs", BT_HINT_NONE,
		            "the embeddings will not be the model's own: %s",
		            why.text);
	else if (own.n_dense > 0)
		bt_log_warn(
		    s->o.log, "embedding-differs", BT_HINT_NONE,
		    "the embeddings will not be the model's own: its dense "
		    "layer '%s' is left out",
		    own.dense[0].folder);
	else if (own.pooling != NULL && strcmp(own.pooling, s->o.embed) != 0)
		bt_log_warn(
		    s->o.log, "embedding-differs", BT_HINT_NONE,
		    "'%s' embeds texts by %s, as its modules.json says, not "
		    "by %s",
		    s->o.model, own.pooling, s->o.embed);
	return BT_OK;
}

static int open_encoder(struct bt_predict_stream *s,
                        const struct bt_engine_opts *e, struct bt_error *err)
{
	static const char *const names[] = {"cls", "mean", "max"};
	int i, r = strcmp(s->o.embed, "auto") == 0 ? choose_own(s, err)
	                                           : compare_own(s, err);

	if (r != BT_OK)
		return r;
	i = BT_STR_ROW(s->o.embed, names);
	if (i < 0)
		return bt_error_set(err, BT_EARG, "'%s' is not a way to embed",
		                    s->o.embed);
	return bt_model_open_encoder(s->o.model, (enum bt_pooling)i, &s->own, e,
	                             &s->model, err);
}

/* What a model that names no labels was trained for; NULL: it does not say. */
static const struct bt_task *trained_for(const char *dir)
{
	const struct bt_task *task = NULL;
	struct bt_labels l = {0};
	struct bt_sentence own;
	struct bt_config c;

	if (bt_model_config(dir, &c, &l, NULL) != BT_OK)
		return NULL;
	if (l.n == 0 && bt_sentence_read(dir, &own, NULL) == BT_OK &&
	    own.pooling != NULL)
		task = &bt_task_embedding;
	else if (l.n == 0 && bt_config_was_masked(&c))
		task = &bt_task_masked_lm;
	bt_labels_clear(&l);
	bt_config_clear(&c);
	return task;
}

static int open_embedding(struct bt_predict_stream *s,
                          const struct bt_engine_opts *e, struct bt_error *err)
{
	int r;

	s->o.embed = "auto";
	r = open_encoder(s, e, err);
	s->model.task = &bt_task_embedding;
	return r;
}

/* What masks tokens, or finds masks. */
static int open_masking(struct bt_predict_stream *s, struct bt_error *err)
{
	if (s->tok == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' has no tokenizer, by which tokens "
		                    "are masked and told",
		                    s->o.model);
	return bt_masking_init(&s->masking, s->tok, BT_MASKING_SHARE, false,
	                       s->o.seed, err);
}

static int open_model(struct bt_predict_stream *s,
                      const struct bt_engine_opts *e, struct bt_error *err)
{
	const struct bt_task *task =
	    s->o.judges && s->o.embed == NULL ? trained_for(s->o.model) : NULL;

	if (task == &bt_task_embedding)
		return open_embedding(s, e, err);
	if (task == &bt_task_masked_lm || s->o.fills)
		return bt_model_open_masked(s->o.model, !s->o.fills, e,
		                            &s->model, err);
	if (s->entails)
		return bt_model_open_entailment(s->o.model, s->o.singly, e,
		                                &s->model, err);
	if (s->o.model == NULL)
		return bt_model_open_parts(s->o.config, s->o.weights,
		                           s->o.classes, e, &s->model, err);
	return s->o.embed == NULL ? bt_model_open(s->o.model, e, &s->model, err)
	                          : open_encoder(s, e, err);
}

/* Whether what it predicts should have been compared. */
static bool warns_of_int8(const struct bt_predict_stream *s)
{
	return s->o.dtype == BT_PRECISION_INT8 && s->o.model != NULL &&
	       !s->o.judges && s->o.embed == NULL;
}

/* The further models, and what joins windows of a text; those of words with
 * tags are joined word by word, not here. */
static int open_more(struct bt_predict_stream *s,
                     const struct bt_engine_opts *e, struct bt_error *err)
{
	const struct bt_predict_stream_opts *o = &s->o;
	size_t i, rows = o->apart ? o->n_more + 1 : 1;
	int r;

	if (!s->model.task->per_token || o->embed != NULL)
		s->windows.join = o->windows;
	r = bt_join_init(&s->join, s->windows.join,
	                 rows * bt_model_width(&s->model), err);
	s->more.apart = o->apart;
	if (r != BT_OK || o->n_more == 0)
		return r;
	if (s->model.task->masks || (s->model.task->per_token && o->apart))
		return bt_error_set(err, BT_EARG,
		                    "'%s' learnt to %s: several such models "
		                    "cannot be %s",
		                    o->model, s->model.task->learns,
		                    o->apart ? "compared" : "combined");
	r = bt_ensemble_open(&s->more, o->more, o->n_more, &s->model,
	                     s->tok != NULL ? bt_tok_fingerprint(s->tok) : NULL,
	                     e, err);
	for (i = 0; r == BT_OK && i < o->n_more; i++) {
		bt_calibration_log(&s->more.model[i].calibration, o->more[i],
		                   o->log);
		r = bt_unfinished_warn(o->more[i], o->log, err);
		if (r == BT_OK && warns_of_int8(s))
			r = bt_agreement_warn(o->more[i], &s->more.model[i],
			                      o->log, err);
	}
	return r;
}

/* What the engine of s is to be. */
static int plan_engine(struct bt_predict_stream *s, struct bt_engine_opts *e,
                       struct bt_error *err)
{
	const struct bt_predict_stream_opts *o = &s->o;

	*e = (struct bt_engine_opts){.bf16 = bt_model_low(o->dtype, o->gemm),
	                             .gemm = o->gemm,
	                             .profile = o->profile,
	                             .max_sequences = BT_FORWARD_TEXTS,
	                             .max_tokens = BT_FORWARD_TOKENS,
	                             .max_selected = SELECTED,
	                             .max_length = SHORT};
	if (o->explains) {
		e->train = e->fixed = true;
		e->max_tokens = BT_CONTRIBUTIONS_TOKENS;
	}
	if (o->dtype != BT_PRECISION_INT8)
		return BT_OK;
	if (o->explains)
		return bt_error_set(err, BT_EARG,
		                    "products of int8 have no gradients, by "
		                    "which predictions are explained");
	if (o->gemm != NULL)
		return bt_error_hint(err, BT_HINT_GEMM_INT8,
		                     bt_error_set(err, BT_EARG,
		                                  "%s does not multiply int8: "
		                                  "bertutils does",
		                                  o->gemm));
	s->o.gemm = e->gemm = "int8";
	return BT_OK;
}

int bt_predict_stream_open(const struct bt_predict_stream_opts *o,
                           struct bt_predict_stream *s, struct bt_error *err)
{
	struct bt_engine_opts e;
	struct bt_labels labels = {0};
	struct bt_config c;
	size_t room;
	int r;

	memset(s, 0, sizeof(*s));
	s->o = *o;
	if (o->explains && o->dtype == BT_PRECISION_AUTO)
		s->o.dtype = BT_PRECISION_F32;
	r = plan_engine(s, &e, err);
	if (r || (r = bt_predict_device_open(s, err)) ||
	    (r = o->model != NULL ? bt_model_config(o->model, &c, &labels, err)
	                          : bt_config_load(o->config, &c, err)))
		goto out;
	room = (size_t)c.max_positions;
	if (room < BT_FORWARD_TOKENS)
		room = BT_FORWARD_TOKENS;
	r = bt_predict_entailment_look(s, &c, &labels, err);
	bt_labels_clear(&labels);
	bt_config_clear(&c);
	if (r || (r = bt_pool_new(o->threads, &s->pool, err)))
		goto out;
	e.pool = s->pool;
	if ((r = bt_gather_init(&s->gather, e.max_sequences, room, 0, err)) ||
	    (r = open_model(s, &e, err)) || (r = open_tokenizer(s, err)) ||
	    (s->model.task->masks && (r = open_masking(s, err))))
		goto out;
	s->gather.dist = o->dist;
	if (o->explains)
		s->gather.tokens = BT_CONTRIBUTIONS_TOKENS;
	if (s->device == NULL)
		bt_model_log(&s->model, o->log);
	else if ((r = bt_predict_device_load(s, err)))
		goto out;
	if (o->raw)
		bt_calibration_clear(&s->model.calibration);
	bt_calibration_log(&s->model.calibration, o->model, o->log);
	if (o->model != NULL)
		r = bt_unfinished_warn(o->model, o->log, err);
	if (r == BT_OK && warns_of_int8(s))
		r = bt_agreement_warn(o->model, &s->model, o->log, err);
	if (r == BT_OK)
		r = open_more(s, &e, err);
out:
	if (r != BT_OK)
		bt_predict_stream_close(s);
	return r;
}

void bt_predict_stream_close(struct bt_predict_stream *s)
{
	bt_device_close(s->device); /* before its graph */
	bt_tfrecord_close(s->in);
	bt_ensemble_clear(&s->more);
	bt_model_clear(&s->model);
	bt_tok_free(s->tok);
	bt_gather_clear(&s->gather);
	bt_dataset_clear(&s->block);
	bt_dataset_clear(&s->copies);
	bt_masking_clear(&s->masking);
	bt_windows_clear(&s->windows);
	bt_join_clear(&s->join);
	bt_pool_free(s->pool);
	memset(s, 0, sizeof(*s));
}

/* The records of a run. */
struct reading {
	struct bt_tfrecord *in;
	struct bt_token_rec rec;
	const uint8_t *data; /* of rec */
	size_t len;
	bool seen; /* data are still to be read into rec */
	bool held; /* rec is still to be taken */
	struct bt_whole whole;
};

/* The next record that counts: 1; or 0 at the end. */
static int read_next(struct bt_predict_stream *s, struct reading *x,
                     struct bt_error *err)
{
	int r;

	if (x->held) {
		x->held = false;
		return 1;
	}
	do {
		r = x->seen ? 1
		            : bt_tfrecord_next(x->in, &x->data, &x->len, err);
		x->seen = false;
		if (r != 1)
			return r;
		r = bt_token_rec_read(x->data, x->len, &x->rec, err);
		if (r == BT_OK && x->rec.is_real)
			r = bt_windows_take(&s->windows, &x->rec, err);
		if (r < 0)
			return bt_tfrecord_blame(x->in, err);
	} while (r == 0);
	return r;
}

static bool is_full(const struct bt_predict_stream *s)
{
	const struct bt_dataset *d = &s->block;

	return d->n == BLOCK_TEXTS ||
	       (d->n > 0 && d->start[d->n] >= BLOCK_TOKENS);
}

/* Whether the next record may be a window that counts for the last text, too.
 */
static bool is_open(const struct bt_predict_stream *s)
{
	return s->windows.within && s->windows.join != BT_WINDOWS_FIRST;
}

/* Fills the block with the next records; an empty block is the end. */
static int read_block(struct bt_predict_stream *s, struct reading *x,
                      struct bt_error *err)
{
	struct bt_fit fit = bt_model_fit(
	    &s->model, s->tok != NULL ? bt_tok_fingerprint(s->tok) : NULL);
	int32_t label;
	int r;

	fit.graded = s->o.graded;
	bt_ensemble_fit(&s->more, &fit);
	bt_dataset_reset(&s->block);
	while (!is_full(s)) {
		r = read_next(s, x, err);
		if (r != 1)
			return r;
		if ((r = bt_dataset_check(&x->rec, &fit, s->o.labels,
		                          &s->model.labels, &label, err)) ||
		    (x->rec.texts > 0 &&
		     (r = bt_whole_take(&x->whole, &x->rec, err))) ||
		    (r = bt_dataset_add(&s->block, &x->rec, label, err)) ||
		    (s->o.look != NULL &&
		     (r = s->o.look(s->o.look_ctx, s->block.n - 1,
		                    bt_tfrecord_total(x->in), x->data, x->len,
		                    err))))
			return bt_tfrecord_blame(x->in, err);
	}
	if (!is_open(s))
		return BT_OK;
	/* the record after it shows if the last text ends here */
	r = read_next(s, x, err);
	x->held = r == 1;
	s->block.cut = x->held && x->rec.window > 0;
	return r < 0 ? r : BT_OK;
}

struct forward {
	struct bt_predict_stream *s;
	bt_predict_stream_fn *fn;
	int (*after)(void *ctx, struct bt_error *err); /* or NULL */
	void *ctx;
};

static int pass_on(void *ctx, size_t i, const float *logits,
                   struct bt_error *err)
{
	const struct forward *f = ctx;
	struct bt_predict_stream *s = f->s;
	/* a question is an example, and begins with its first choice */
	bool begins = s->model.embeds ||
	              s->model.task != &bt_task_multiple_choice ||
	              s->block.continues[i] != BT_CONTINUES_GROUP;

	logits = bt_join_add(&s->join, &s->block, i, logits);
	if (logits == NULL)
		return BT_OK;
	s->examples += begins;
	return f->fn(f->ctx, s->examples - 1, &s->block, i, logits, err);
}

/* Where the answer to a copy of an example goes. */
static int pass_copy(void *ctx, size_t i, const float *logits,
                     struct bt_error *err)
{
	const struct forward *f = ctx;

	return f->fn(f->ctx, f->s->examples, &f->s->copies, i, logits, err);
}

#define COPIES ((size_t)64) /* of a text that are in memory at a time */

/* Example i with each of its tokens masked. */
static int infer_tokens(struct bt_predict_stream *s, size_t i,
                        struct forward *f, struct bt_error *err)
{
	size_t at = 0, n = bt_dataset_length(&s->block, i);
	int r = BT_OK;

	while (at < n && r == BT_OK) {
		bt_dataset_reset(&s->copies);
		s->copies.before = s->block.before + i;
		r = bt_masking_each(&s->masking, &s->block, i, &at, COPIES,
		                    &s->copies, err);
		if (r == BT_OK && s->copies.n > 0)
			r = bt_forward(s->model.engine, &s->copies, &s->gather,
			               bt_model_width(&s->model), pass_copy, f,
			               &s->flop, err);
	}
	return r;
}

static int infer_each(struct bt_predict_stream *s, struct forward *f,
                      struct bt_error *err)
{
	size_t i;
	int r = BT_OK;

	for (i = 0; i < s->block.n && r == BT_OK; i++, s->examples++)
		r = infer_tokens(s, i, f, err);
	return r;
}

/* All of the block. */
static int infer(struct bt_predict_stream *s, struct forward *f,
                 struct bt_error *err)
{
	if (s->o.fills)
		bt_masking_mark(&s->masking, &s->block);
	else if (s->model.task->masks && s->o.each)
		return infer_each(s, f, err);
	else if (s->model.task->masks)
		bt_masking_fix(&s->masking, &s->block);
	if (s->o.apart || s->more.n > 0)
		return (s->o.apart ? bt_ensemble_each : bt_ensemble_infer)(
		    &s->more, &s->model, &s->block, &s->gather, pass_on, f,
		    &s->flop, err);
	return bt_calibration_forward(
	    &s->model.calibration, s->model.engine, &s->block, &s->gather,
	    bt_model_width(&s->model), pass_on, f, &s->flop, err);
}

/* The block that was read. */
static int run_block(struct forward *f, struct bt_error *err)
{
	struct bt_predict_stream *s = f->s;
	int r;

	s->block.before = s->records;
	if (s->block.n == 0)
		return BT_OK;
	r = infer(s, f, err);
	return r == BT_OK && f->after != NULL ? f->after(f->ctx, err) : r;
}

/* A block is a step of the profile. */
static void count(struct bt_predict_stream *s)
{
	struct bt_profile *p = s->o.profile;

	if (s->block.n == 0)
		return;
	s->records += s->block.n;
	s->tokens += s->block.start[s->block.n];
	s->pairs += bt_model_pairs(&s->model.config, s->tok, &s->block);
	if (p == NULL)
		return;
	p->steps++;
	p->tokens += s->block.start[s->block.n];
}

/* More is waited for: what came so far is answered. The last one of windows
 * that are joined may not be the last of its text. */
static int answer(void *ctx, struct bt_error *err)
{
	struct forward *f = ctx;
	int r = BT_OK;

	if (is_open(f->s))
		return BT_OK;
	r = run_block(f, err);
	count(f->s);
	bt_dataset_reset(&f->s->block);
	return r;
}

int bt_predict_stream_run(struct bt_predict_stream *s, char *const *paths,
                          int n_paths, bt_predict_stream_fn *fn,
                          int (*after)(void *ctx, struct bt_error *err),
                          void *ctx, struct bt_error *err)
{
	struct forward f = {s, fn, after, ctx};
	struct reading x = {0};
	double start = bt_seconds();
	struct bt_dist *dist = s->o.dist;
	int r = bt_duplicate_paths(paths, n_paths, s->o.log, err);

	if (r == BT_OK)
		r = bt_dist_check_inputs(dist, paths, n_paths, err);
	if (r == BT_OK && s->in == NULL)
		r = bt_predict_records_open(s, paths, n_paths, err);
	r = bt_dist_agree(dist, r, err);
	if (r == BT_OK && dist != NULL)
		r = bt_dist_same(
		    dist, bt_ensemble_sum(&s->more, bt_model_sum(&s->model, 0)),
		    "has another model", err);
	if (r != BT_OK)
		return r;
	x.in = s->in;
	x.data = s->first;
	x.len = s->first_len;
	x.seen = s->first != NULL;
	s->in = NULL;
	if (s->o.live && dist == NULL)
		bt_tfrecord_idle(x.in, answer, &f);
	do {
		r = bt_dist_agree(dist, read_block(s, &x, err), err);
		if (r == BT_OK)
			r = bt_dist_same(dist, s->block.crc, "reads other data",
			                 err);
		if (r == BT_OK)
			r = run_block(&f, err);
		r = bt_dist_agree(dist, r, err);
		count(s);
	} while (r == BT_OK && s->block.n > 0);
	if (r == BT_OK && s->records == 0)
		r = bt_tfrecord_none(x.in, err);
	if (r == BT_OK && bt_whole_end(&x.whole, err) != BT_OK)
		r = bt_tfrecord_blame(x.in, err);
	if (r == BT_OK)
		bt_windows_tell(&s->windows,
		                s->o.embed != NULL ? "embeddings"
		                : s->model.task->answer->is_number ? "numbers"
		                                                   : "logits",
		                s->o.log);
	s->seconds += bt_seconds() - start;
	bt_token_rec_clear(&x.rec);
	bt_whole_clear(&x.whole);
	bt_tfrecord_close(x.in);
	return r;
}
