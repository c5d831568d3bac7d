/* SPDX-License-Identifier: MIT */
#include "finetune/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/file_use.h"
#include "base/mem.h"
#include "base/str.h"
#include "ckpt/open.h"
#include "finetune/adapter.h"
#include "finetune/unfinished.h"
#include "format/json.h"
#include "format/model_files.h"
#include "format/sentence.h"
#include "io/path.h"
#include "model/freeze.h"
#include "tokenizer/tokenizer.h"

#define FINGERPRINT 1024 /* values of each parameter in it */

void bt_model_clear(struct bt_model *m)
{
	bt_calibration_clear(&m->calibration);
	bt_engine_free(m->engine);
	bt_ckpt_close(m->weights);
	bt_graph_clear(&m->graph);
	bt_labels_clear(&m->labels);
	bt_config_clear(&m->config);
	memset(m, 0, sizeof(*m));
}

enum bt_precision bt_precision_named(const char *name)
{
	static const char *const names[] = {"auto", "f32", "bf16", "int8"};
	int i = BT_STR_ROW(name, names);

	return i >= 0 ? (enum bt_precision)i : BT_PRECISION_AUTO;
}

bool bt_model_low(enum bt_precision dtype, const char *gemm)
{
	return dtype == BT_PRECISION_AUTO ? bt_engine_prefers_bf16(gemm)
	                                  : dtype != BT_PRECISION_F32;
}

bool bt_model_low_on(const struct bt_device *device, enum bt_precision dtype)
{
	return (dtype == BT_PRECISION_AUTO &&
	        strcmp(bt_device_platform(device), "cpu") != 0) ||
	       bt_model_low(dtype, NULL);
}

int bt_model_load_on(const struct bt_model *m, struct bt_device *device,
                     bool low, struct bt_error *err)
{
	const struct bt_graph *g = &m->graph;
	const float **at = bt_array((size_t)g->n_params + 1, sizeof(*at));
	int i, r;

	if (at == NULL)
		return bt_error_nomem(err, "loading a model");
	for (i = 0; i < g->n_params; i++)
		at[i] = bt_engine_param(m->engine, i);
	r = bt_device_load(device, g, at, low, err);
	free(at);
	return r;
}

void bt_model_log(const struct bt_model *m, const struct bt_log *log)
{
	const char *warning = bt_engine_warning(m->engine);
	struct bt_buf b = BT_BUF_INIT;

	if (warning != NULL)
		bt_log_warn(log, "slow-products", BT_HINT_NONE, "%s", warning);
	bt_engine_describe(m->engine, &b);
	bt_log(log, BT_LOG_MORE, "%s", bt_buf_str(&b));
	bt_buf_clear(&b);
}

int bt_model_plan(struct bt_model *m, const struct bt_engine_opts *o,
                  struct bt_error *err)
{
	struct bt_engine_opts opts = *o;
	size_t length = (size_t)bt_head_length(&m->config.head);
	int r;

	bt_graph_init(&m->graph, err);
	r = m->embeds
	        ? bt_family_sentence(&m->graph, &m->config, m->pooling,
	                             m->dense, m->n_dense)
	        : bt_task_graph(m->task, &m->graph, &m->config, m->labels.n);
	if (r == BT_OK && m->freeze != NULL)
		r = bt_freeze(&m->graph, m->freeze, err);
	if (r == BT_OK && m->lora.rank > 0)
		r = bt_lora_add(&m->graph, &m->lora, err);
	if (r != BT_OK)
		return r;
	if (opts.max_length == 0 ||
	    opts.max_length > (size_t)m->config.max_positions)
		opts.max_length = (size_t)m->config.max_positions;
	if (opts.max_length > opts.max_tokens)
		opts.max_length = opts.max_tokens;
	if (length > 0 && opts.max_sequences > opts.max_tokens / length)
		opts.max_sequences =
		    opts.max_tokens / length + (opts.max_tokens < length);
	return bt_engine_plan(&m->graph, &opts, &m->engine, err);
}

int bt_model_build(struct bt_model *m, const struct bt_engine_opts *o,
                   struct bt_error *err)
{
	int r = bt_model_plan(m, o, err);

	return r == BT_OK ? bt_engine_allocate(m->engine, err) : r;
}

size_t bt_model_pairs(const struct bt_config *c, const struct bt_tok *tok,
                      const struct bt_dataset *d)
{
	bool shown = c->type_vocab_size > 1 || tok == NULL;

	return bt_dataset_pairs(d, shown ? -1 : bt_tok_role(tok, BT_TOK_SEP));
}

void bt_model_check_pairs(const struct bt_config *c, const char *what, size_t n,
                          size_t pairs, const struct bt_log *log)
{
	if (c->texts == BT_TEXTS_SINGLE && pairs > 0)
		bt_log_warn(
		    log, "texts-are-pairs", BT_HINT_NONE,
		    "%zu of %zu %s are pairs of texts, and the model was "
		    "trained on single ones",
		    pairs, n, what);
	else if (c->texts == BT_TEXTS_PAIRS && pairs < n)
		bt_log_warn(log, "texts-are-single", BT_HINT_PAIR,
		            "%zu of %zu %s are single texts, but the model was "
		            "trained on pairs",
		            n - pairs, n, what);
}

struct bt_fit bt_model_fit(const struct bt_model *m, const char *tokenizer)
{
	const struct bt_config *c = &m->config;
	struct bt_fit f = {.vocab_size = c->vocab_size,
	                   .type_vocab_size = c->type_vocab_size,
	                   .max_positions = c->max_positions,
	                   .per_token = m->task->per_token && !m->embeds,
	                   .selects = m->task->masks && !m->embeds,
	                   .embeds = m->embeds,
	                   .length = bt_head_length(&c->head),
	                   .task = m->task,
	                   .tokenizer = tokenizer};

	if (f.type_vocab_size == 0)
		f.type_vocab_size = 256; /* what is not looked at may be any */
	return f;
}

/* The dense layers take the columns that the encoder and each other give. */
static int check_dense(const char *dir, const struct bt_model *m,
                       struct bt_error *err)
{
	int i, columns = m->config.hidden_size;

	for (i = 0; i < m->n_dense; columns = m->dense[i++].out)
		if (m->dense[i].in != columns)
			return bt_error_set(err, BT_EFORMAT,
			                    "'%s/%s/" BT_FILE_CONFIG
			                    "': 'in_features' is %d, but the "
			                    "module before it has %d outputs",
			                    dir, m->dense[i].folder,
			                    m->dense[i].in, columns);
	return BT_OK;
}

/* Loads a dense layer, from a graph of its parameters alone. */
static int load_dense(const char *dir, struct bt_model *m,
                      const struct bt_sentence_dense *d, struct bt_error *err)
{
	const struct bt_param_spec weight = {.rows = d->out, .cols = d->in};
	const struct bt_param_spec bias = {.cols = d->out};
	char *folder = bt_path_join(dir, d->folder), name[96];
	struct bt_weights_report rep;
	struct bt_ckpt *c = NULL;
	struct bt_graph g;
	float *p = NULL;
	int r, i, to;

	bt_graph_init(&g, err);
	g.prefix = "";
	bt_graph_param(&g, &weight, "linear.weight");
	if (d->bias)
		bt_graph_param(&g, &bias, "linear.bias");
	r = bt_graph_done(&g);
	if (r == BT_OK && (p = bt_array(g.n_floats, sizeof(*p))) == NULL)
		r = bt_error_nomem(err, "reading a dense layer");
	if (!r && !(r = bt_ckpt_open(folder, &c, err)) &&
	    !(r = bt_weights_load(&g, c, false, NULL, p, NULL, &rep, err)))
		bt_weights_report_clear(&rep);
	for (i = 0; r == BT_OK && i < g.n_params; i++) {
		snprintf(name, sizeof(name), "%s/%s", d->folder,
		         g.params[i].name);
		to = bt_graph_find(&m->graph, name);
		memcpy(bt_engine_params(m->engine) + m->graph.params[to].offset,
		       p + g.params[i].offset,
		       bt_param_size(&g.params[i]) * sizeof(*p));
	}
	bt_ckpt_close(c);
	bt_graph_clear(&g);
	free(folder);
	free(p);
	return r;
}

/* By the first values of each parameter: all their bits and, in the
 * fingerprint, their signs, which files in f16 and bf16 have, too. The table of
 * words, the first parameter, need not be loaded. */
static void add_up(struct bt_model *m)
{
	const struct bt_graph *g = &m->graph;
	uint8_t sign[FINGERPRINT];
	uint32_t signs = 0;
	const float *x;
	size_t n, k;
	int i;

	if (m->embeds)
		signs = bt_crc32c(0, &m->pooling, sizeof(m->pooling));
	m->sum = signs;
	for (i = 1; i < g->n_params; i++) {
		x = bt_engine_param(m->engine, i);
		n = bt_param_size(&g->params[i]);
		n = n < FINGERPRINT ? n : FINGERPRINT;
		for (k = 0; k < n; k++)
			sign[k] = signbit(x[k]) != 0;
		signs = bt_crc32c(signs, sign, n);
		m->sum = bt_crc32c(m->sum, x, n * sizeof(*x));
	}
	snprintf(m->fingerprint, sizeof(m->fingerprint), "%08x", signs);
}

/* Loads the weights but for a table of words in bf16, whose rows are read where
 * they stand: that may be most of the model. */
static int load_weights(struct bt_model *m, const struct bt_weights_gaps *gaps,
                        struct bt_error *err)
{
	const float **at = bt_array((size_t)m->graph.n_params, sizeof(*at));
	struct bt_param *p = m->graph.params;
	int word = bt_engine_only_words(m->engine), r = BT_OK, i;
	struct bt_weights_report rep;
	const uint16_t *words = NULL;

	if (word >= 0)
		r = bt_weights_find_bf16(&m->graph, m->weights, word, &words,
		                         err);
	if (words != NULL) /* not to be loaded with the others */
		p[word].apart = true;
	if (r == BT_OK &&
	    (r = bt_weights_load(&m->graph, m->weights, false, gaps,
	                         bt_engine_params(m->engine), at, &rep, err)) ==
	        BT_OK) {
		bt_weights_report_clear(&rep);
		for (i = 0; i < m->graph.n_params; i++)
			bt_engine_map_param(m->engine, i, at[i]);
		bt_engine_map_words(m->engine, words);
	}
	if (words != NULL)
		p[word].apart = false;
	free(at);
	return r;
}

/* Builds m, whose configuration was read unless r is an error, and loads its
 * weights, with the gaps, which may be NULL; clears it after an error. */
static int finish_open(int r, const char *dir, const struct bt_engine_opts *o,
                       const struct bt_weights_gaps *gaps, struct bt_model *m,
                       struct bt_error *err)
{
	int i;

	if (r == BT_OK && (r = bt_model_build(m, o, err)) == BT_OK &&
	    (r = bt_ckpt_open(dir, &m->weights, err)) == BT_OK)
		r = load_weights(m, gaps, err);
	for (i = 0; r == BT_OK && i < m->n_dense; i++)
		r = load_dense(dir, m, &m->dense[i], err);
	if (r == BT_OK) {
		add_up(m);
		r = bt_engine_pack(m->engine, err);
	}
	if (r != BT_OK)
		bt_model_clear(m);
	return r;
}

uint32_t bt_model_sum(const struct bt_model *m, uint32_t sum)
{
	int k;

	for (k = 0; k < m->labels.n; k++)
		sum = bt_crc32c(sum, m->labels.name[k],
		                strlen(m->labels.name[k]) + 1);
	return bt_crc32c(sum, &m->sum, sizeof(m->sum));
}

/* Whether the directory is made for embeddings. */
static bool is_embedder(const char *dir)
{
	struct bt_sentence own;

	return bt_sentence_read(dir, &own, NULL) == BT_OK &&
	       own.pooling != NULL;
}

int bt_model_open(const char *dir, const struct bt_engine_opts *o,
                  struct bt_model *m, struct bt_error *err)
{
	enum bt_hint hint = BT_HINT_NONE;
	int r;

	memset(m, 0, sizeof(*m));
	r = bt_model_config(dir, &m->config, &m->labels, err);
	m->task = bt_task_of(m->config.problem_type);
	/* a directory without a trained classifier cannot predict: say so
	 * before the lack of some tensor does */
	if (r == BT_OK && m->labels.n < m->task->least)
		r = bt_error_hint(
		    err,
		    is_embedder(dir)                   ? BT_HINT_EMBED_AUTO
		    : bt_config_was_masked(&m->config) ? BT_HINT_FILL_MASK
		                                       : BT_HINT_CLASSES_TRAIN,
		    bt_error_set(err, BT_EFORMAT,
		                 "'%s' does not hold a trained classifier: "
		                 "its configuration names %d label%s",
		                 dir, m->labels.n,
		                 bt_plural((uint64_t)m->labels.n)));
	else if (r == BT_OK && m->task->names_outputs &&
	         m->config.head.n == 0 && !bt_config_classifies(&m->config) &&
	         is_embedder(dir))
		hint = BT_HINT_EMBED_AUTO; /* if it lacks the head */
	r = finish_open(r, dir, o, NULL, m, err);
	if (r == BT_EFORMAT)
		return bt_error_hint(err, hint, r);
	if (r != BT_OK || m->task->per_token || !m->task->names_outputs)
		return r;
	r = bt_calibration_read(dir, &m->graph, m->engine, &m->labels,
	                        &m->calibration, err);
	if (r != BT_OK)
		bt_model_clear(m);
	return r;
}

int bt_model_open_parts(const char *config, const char *weights, int classes,
                        const struct bt_engine_opts *o, struct bt_model *m,
                        struct bt_error *err)
{
	int r;

	memset(m, 0, sizeof(*m));
	r = bt_config_load(config, &m->config, err);
	m->task = classes == 0   ? &bt_task_qa
	          : classes == 1 ? &bt_task_regression
	                         : &bt_task_classification;
	m->config.problem_type = m->task->problem_type;
	m->config.per_token = m->task->per_token;
	if (r == BT_OK)
		r = bt_labels_numbered(&m->labels, classes == 1 ? "LABEL_" : "",
		                       classes > 0 ? classes : 2, err);
	return finish_open(r, weights, o, NULL, m, err);
}

static int class_named(const struct bt_labels *classes, const char *begin)
{
	int i = 0;

	while (i < classes->n &&
	       strncasecmp(classes->name[i], begin, strlen(begin)) != 0)
		i++;
	return i < classes->n ? i : -1;
}

int bt_model_entailment(const struct bt_labels *classes)
{
	return class_named(classes, "entail");
}

int bt_model_contradiction(const struct bt_labels *classes, int entailment)
{
	int class = class_named(classes, "contra");

	return class >= 0 ? class : entailment > 0 ? 0 : classes->n - 1;
}

int bt_model_open_entailment(const char *dir, bool singly,
                             const struct bt_engine_opts *o, struct bt_model *m,
                             struct bt_error *err)
{
	struct bt_weights_gaps gaps = {.n_old = 0};
	int r, row, minus;

	memset(m, 0, sizeof(*m));
	r = bt_model_config(dir, &m->config, &m->labels, err);
	row = bt_model_entailment(&m->labels);
	if (r == BT_OK && (row < 0 || bt_task_of(m->config.problem_type) !=
	                                  &bt_task_classification))
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s' has no class whose name begins with "
		                 "'entail'",
		                 dir);
	m->task = &bt_task_multiple_choice;
	m->entails = true;
	m->singly = singly;
	minus = bt_model_contradiction(&m->labels, row);
	gaps.old_row = &row;
	gaps.minus_row = singly ? &minus : NULL;
	gaps.n_old = m->labels.n;
	bt_labels_clear(&m->labels);
	if (r == BT_OK)
		r = bt_labels_numbered(&m->labels, "LABEL_", 1, err);
	return finish_open(r, dir, o, &gaps, m, err);
}

int bt_model_open_encoder(const char *dir, enum bt_pooling pooling,
                          const struct bt_sentence *own,
                          const struct bt_engine_opts *o, struct bt_model *m,
                          struct bt_error *err)
{
	int r;

	memset(m, 0, sizeof(*m));
	m->embeds = true;
	m->pooling = pooling;
	r = bt_model_config(dir, &m->config, &m->labels, err);
	m->task = bt_task_of(m->config.problem_type);
	m->config.head.n = 0; /* what it asks of texts is not asked here */
	if (own != NULL) {
		memcpy(m->dense, own->dense, sizeof(m->dense));
		m->n_dense = own->n_dense;
	}
	if (r == BT_OK)
		r = check_dense(dir, m, err);
	return finish_open(r, dir, o, NULL, m, err);
}

int bt_model_open_masked(const char *dir, bool next,
                         const struct bt_engine_opts *o, struct bt_model *m,
                         struct bt_error *err)
{
	bool was;
	int r;

	memset(m, 0, sizeof(*m));
	r = bt_model_config(dir, &m->config, &m->labels, err);
	was = r != BT_OK || bt_config_was_masked(&m->config);
	m->task = &bt_task_masked_lm;
	m->config.problem_type = m->task->problem_type;
	m->config.per_token = true;
	m->config.next_sentence =
	    r == BT_OK && next && bt_config_had_next(&m->config);
	bt_labels_clear(&m->labels);
	r = finish_open(r, dir, o, NULL, m, err);
	return r != BT_EFORMAT || was
	           ? r
	           : bt_error_hint(err, BT_HINT_MASKED_MODEL, r);
}

size_t bt_model_width(const struct bt_model *m)
{
	return (size_t)m->graph.nodes[m->graph.logits].cols;
}

bool bt_model_saved(const char *dir)
{
	static const char *const names[] = {BT_FILE_WEIGHTS, BT_FILE_ADAPTER};
	bool there = false;
	char *path;
	size_t i;

	for (i = 0; i < 2; i++) {
		path = bt_path_join(dir, names[i]);
		there = there || bt_path_is_file(path);
		free(path);
	}
	return there;
}

bool bt_model_finished(const char *dir)
{
	bool finished;

	bt_file_use_own(true);
	finished = bt_model_saved(dir) && !bt_unfinished(dir);
	bt_file_use_own(false);
	return finished;
}

static void remove_in(const char *dir, const char *name)
{
	char *path = bt_path_join(dir, name);

	(void)unlink(path);
	free(path);
}

void bt_model_remove(const char *dir)
{
	remove_in(dir, BT_FILE_WEIGHTS);
	remove_in(dir, BT_FILE_ADAPTER);
	remove_in(dir, BT_FILE_CONFIG);
	remove_in(dir, BT_FILE_ADAPTER_CONFIG);
}

/* The configurations, in the order in which a half of them does no harm. */
static int save_configs(const char *dir, const struct bt_model *m,
                        struct bt_error *err)
{
	bool adapts = m->lora.rank > 0;
	char *config = bt_path_join(dir, BT_FILE_CONFIG);
	char *adapter = bt_path_join(dir, BT_FILE_ADAPTER_CONFIG);
	json_t *o = bt_config_json(&m->config, m->labels.name, m->labels.n);
	json_t *a = adapts ? bt_adapter_config_json(m) : NULL;
	int r = bt_json_save(config, o, err);

	if (r == BT_OK && adapts) {
		remove_in(dir, BT_FILE_WEIGHTS);
		r = bt_json_save(adapter, a, err);
	} else if (r == BT_OK) {
		remove_in(dir, BT_FILE_ADAPTER_CONFIG);
		remove_in(dir, BT_FILE_ADAPTER);
	}
	json_decref(o);
	json_decref(a);
	free(config);
	free(adapter);
	return r;
}

int bt_model_save(const char *dir, const struct bt_model *m,
                  int (*more)(void *ctx, const char *dir, struct bt_error *err),
                  void *ctx, struct bt_error *err)
{
	static const struct bt_ckpt_note note = {"format", "pt"};
	bool adapts = m->lora.rank > 0;
	struct bt_weights_set set = {"", bt_engine_params(m->engine), false};
	char *path =
	    bt_path_join(dir, adapts ? BT_FILE_ADAPTER : BT_FILE_WEIGHTS);
	struct bt_out *out = NULL;
	int r = bt_out_open(path, BT_OUT_BINARY, &out, err);

	if (r == BT_OK)
		r = adapts ? bt_adapter_write(out, m, &note, err)
		           : bt_weights_write(out, &m->graph, &set, 1, &note, 1,
		                              err);
	if (!r && !(r = bt_out_settle(out, err)) &&
	    !(r = more != NULL ? more(ctx, dir, err) : BT_OK) &&
	    !(r = save_configs(dir, m, err)))
		r = bt_out_commit(out, err);
	else if (out != NULL)
		bt_out_abandon(out);
	free(path);
	return r;
}
