/* SPDX-License-Identifier: MIT */
#include "pretrain/pretraining_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/tf_example.h"
#include "format/tfrecord.h"
#include "io/out_set.h"
#include "io/path.h"
#include "pretrain/pairs_int.h"
#include "pretrain/python_random_int.h"
#include "tokenizer_file/tokenizer_file.h"

#define IN_MEMORY ((size_t)256 << 20) /* bytes of tokens, and of sequences */

struct maker {
	const struct bt_pretraining *f;
	struct bt_tok *tok;
	struct bt_documents d;
	struct bt_mt19937 random;
	struct bt_mask mask;
	struct bt_pairs pairs;
	/* sequences: the numbers of a bt_pair, then its arrays */
	struct bt_temp_store *store;
	uint64_t *at; /* [n] where they stand */
	size_t n, cap;
	uint64_t masks, random_next;

	struct bt_out_set out;
	struct bt_example_writer w;
	int64_t *ints; /* [most of a feature] */
	float *weight; /* [max_predictions_per_seq] */
};

#define HEAD (4 * sizeof(uint32_t)) /* the numbers of a bt_pair */

static int open_outputs(struct maker *m, struct bt_error *err)
{
	const char *s = m->f->output_file;
	size_t len;
	char *path;
	int r = BT_OK;

	for (; r == BT_OK && s != NULL;
	     s = s[len] == ',' ? s + len + 1 : NULL) {
		len = strcspn(s, ",");
		if (len == 0)
			return bt_error_set(err, BT_EARG,
			                    "'%s' has an empty name",
			                    m->f->output_file);
		path = bt_strndup(s, len);
		r = bt_path_above(path, err);
		if (r == BT_OK)
			r = bt_out_spare(path, m->f->input_file,
			                 m->f->n_input_files, err);
		if (r == BT_OK)
			r = bt_out_set_add(&m->out,
			                   strcmp(path, "-") == 0 ? NULL : path,
			                   BT_OUT_RECORDS, err);
		free(path);
	}
	return r;
}

static int open_all(struct maker *m, struct bt_error *err)
{
	const struct bt_pretraining *f = m->f;
	const struct bt_tok_opts how = {
	    .dialect = BT_TOK_GARDEN, .lower = f->do_lower_case, .log = f->log};
	const struct bt_mask_opts mask = {
	    .prob = f->masked_lm_prob,
	    .most = (size_t)f->max_predictions_per_seq,
	    .words = f->do_whole_word_mask,
	    .ngram = f->max_ngram_size > 0 ? (int)f->max_ngram_size : 1,
	    .tokens = (size_t)f->max_seq_length};
	struct bt_pair *p = &m->pairs.pair;
	int r = bt_tok_open(f->vocab_file, &how, &m->tok, err);

	if (r == BT_OK)
		r = bt_mask_init(&m->mask, &mask, m->tok, &m->random,
		                 f->random_seed, err);
	if (r == BT_OK)
		r = open_outputs(m, err);
	if (r != BT_OK)
		return r;
	bt_python_random_init(&m->random, f->random_seed);
	m->store = bt_temp_store_new(IN_MEMORY);
	p->id = bt_array(mask.tokens, sizeof(*p->id));
	p->position = bt_array(mask.tokens, sizeof(*p->position));
	p->label = bt_array(mask.tokens, sizeof(*p->label));
	m->ints = bt_array(mask.tokens > mask.most ? mask.tokens : mask.most,
	                   sizeof(*m->ints));
	m->weight = bt_array(mask.most, sizeof(*m->weight));
	return p->id != NULL && p->position != NULL && p->label != NULL &&
	               m->ints != NULL && m->weight != NULL
	           ? BT_OK
	           : bt_error_nomem(err, "making records");
}

/* Keeps a sequence until all are there, to be shuffled. */
static int keep(void *ctx, const struct bt_pair *p, struct bt_error *err)
{
	const uint32_t head[4] = {p->n, p->second, p->masks, p->random};
	struct maker *m = ctx;
	int r;

	if (m->n == UINT32_MAX - 1)
		return bt_error_set(err, BT_ELIMIT, "more than %u records",
		                    UINT32_MAX - 1);
	if (bt_grow(&m->at, &m->cap, m->n + 1, sizeof(*m->at)))
		return bt_error_nomem(err, "making records");
	m->at[m->n++] = bt_temp_store_size(m->store);
	m->masks += p->masks;
	m->random_next += p->random;
	r = bt_temp_store_put(m->store, head, sizeof(head), err);
	if (r == BT_OK)
		r = bt_temp_store_put(m->store, p->id, p->n * sizeof(*p->id),
		                      err);
	if (r == BT_OK)
		r = bt_temp_store_put(m->store, p->position,
		                      p->masks * sizeof(*p->position), err);
	if (r == BT_OK)
		r = bt_temp_store_put(m->store, p->label,
		                      p->masks * sizeof(*p->label), err);
	return r;
}

static int make_pairs(struct maker *m, struct bt_error *err)
{
	const struct bt_pretraining *f = m->f;
	int64_t round;
	uint32_t i;
	int r = BT_OK;

	m->pairs.d = &m->d;
	m->pairs.random = &m->random;
	m->pairs.mask = &m->mask;
	m->pairs.tokens = (size_t)f->max_seq_length;
	m->pairs.short_prob = f->short_seq_prob;
	m->pairs.take = keep;
	m->pairs.ctx = m;
	bt_python_random_shuffle(&m->random, m->d.document, m->d.n,
	                         sizeof(*m->d.document));
	for (round = 0; r == BT_OK && round < f->dupe_factor; round++)
		for (i = 0; r == BT_OK && i < m->d.n; i++) {
			r = bt_pairs_make(&m->pairs, i, err);
			if (f->progress != NULL && bt_progress_due(f->progress))
				bt_progress_show(f->progress,
				                 "round %lld of %lld, %zu "
				                 "records",
				                 (long long)round + 1,
				                 (long long)f->dupe_factor,
				                 m->n);
		}
	bt_python_random_shuffle(&m->random, m->at, (uint32_t)m->n,
	                         sizeof(*m->at));
	return r;
}

/* Reads a sequence that was kept. */
static int get_pair(struct maker *m, uint64_t at, struct bt_pair *p,
                    struct bt_error *err)
{
	uint32_t head[4];
	size_t n, k;
	const void *data;
	int r = bt_temp_store_get(m->store, at, HEAD, false, &data, err);

	if (r != BT_OK)
		return r;
	memcpy(head, data, HEAD);
	p->n = head[0];
	p->second = head[1];
	p->masks = head[2];
	p->random = head[3];
	n = p->n * sizeof(*p->id);
	k = p->masks * sizeof(*p->position);
	r = bt_temp_store_get(m->store, at + HEAD, n + 2 * k, false, &data,
	                      err);
	if (r != BT_OK)
		return r;
	memcpy(p->id, data, n);
	memcpy(p->position, (const char *)data + n, k);
	memcpy(p->label, (const char *)data + n + k, k);
	return BT_OK;
}

/* A list of n numbers, filled with zeros. */
static void add_list(struct maker *m, const char *name, const int32_t *v,
                     size_t n, size_t most)
{
	size_t i;

	for (i = 0; i < most; i++)
		m->ints[i] = i < n ? v[i] : 0;
	bt_example_add_int64s(&m->w, name, m->ints, most);
}

/* Ones from a number to another, between zeros. */
static void add_ones(struct maker *m, const char *name, size_t from, size_t to)
{
	size_t i, n = (size_t)m->f->max_seq_length;

	for (i = 0; i < n; i++)
		m->ints[i] = i >= from && i < to;
	bt_example_add_int64s(&m->w, name, m->ints, n);
}

/* Features in the order of their names. */
static int write_pair(struct maker *m, const struct bt_pair *p,
                      struct bt_out *out, struct bt_error *err)
{
	const struct bt_pretraining *f = m->f;
	size_t length = (size_t)f->max_seq_length, i;
	size_t most = (size_t)f->max_predictions_per_seq;
	bool v2 = f->use_v2_feature_names;
	const int64_t random = p->random;
	struct bt_span payload;

	for (i = 0; i < most; i++)
		m->weight[i] = i < p->masks;
	bt_example_begin(&m->w);
	if (!v2)
		add_list(m, "input_ids", p->id, p->n, length);
	add_ones(m, "input_mask", 0, p->n);
	if (v2) {
		add_ones(m, "input_type_ids", p->second, p->n);
		add_list(m, "input_word_ids", p->id, p->n, length);
	}
	add_list(m, "masked_lm_ids", p->label, p->masks, most);
	add_list(m, "masked_lm_positions", p->position, p->masks, most);
	bt_example_add_floats(&m->w, "masked_lm_weights", m->weight, most);
	bt_example_add_int64s(&m->w, "next_sentence_labels", &random, 1);
	if (!v2)
		add_ones(m, "segment_ids", p->second, p->n);
	payload = bt_example_finish(&m->w);
	if (payload.p == NULL)
		return bt_error_nomem(err, "writing a record");
	return bt_tfrecord_write(out, payload.p, payload.n, err);
}

static int write_all(struct maker *m, struct bt_error *err)
{
	struct bt_pair *p = &m->pairs.pair;
	size_t i;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < m->n; i++) {
		r = get_pair(m, m->at[i], p, err);
		if (r == BT_OK)
			r = write_pair(m, p, m->out.out[i % (size_t)m->out.n],
			               err);
		if (m->f->progress != NULL && bt_progress_due(m->f->progress))
			bt_progress_show(m->f->progress,
			                 "%zu of %zu records written", i, m->n);
	}
	return r == BT_OK ? bt_out_set_commit(&m->out, err) : r;
}

static void tell(const struct maker *m)
{
	const struct bt_pretraining *f = m->f;
	uint64_t tokens = m->d.start[m->d.sentences];

	bt_log(f->log, BT_LOG_NOTE,
	       "%u document%s, %u sentence%s, %llu token%s (%.2f %% unknown)",
	       m->d.n, bt_plural(m->d.n), m->d.sentences,
	       bt_plural(m->d.sentences), (unsigned long long)tokens,
	       bt_plural(tokens), 100 * (double)m->d.unknown / (double)tokens);
	if (m->d.n == 1)
		bt_log_warn(f->log, "one-document", BT_HINT_NONE,
		            "the texts are one document: sentences that do not "
		            "follow the others are its own, too (an empty line "
		            "stands between documents)");
	bt_log(f->log, BT_LOG_NOTE,
	       "%zu record%s of %lld tokens in '%s', %.1f masked tokens each, "
	       "%.0f %% with a random next sentence",
	       m->n, bt_plural(m->n), (long long)f->max_seq_length,
	       f->output_file, (double)m->masks / (double)m->n,
	       100 * (double)m->random_next / (double)m->n);
}

static void clear(struct maker *m)
{
	bt_documents_clear(&m->d);
	bt_mask_clear(&m->mask);
	bt_temp_store_free(m->store);
	bt_out_set_clear(&m->out);
	bt_example_clear(&m->w);
	bt_tok_free(m->tok);
	free(m->pairs.pair.id);
	free(m->pairs.pair.position);
	free(m->pairs.pair.label);
	free(m->at);
	free(m->ints);
	free(m->weight);
	free(m);
}

int bt_pretraining_make(const struct bt_pretraining *f, struct bt_error *err)
{
	struct maker *m = bt_array0(1, sizeof(*m));
	int r;

	m->f = f;
	r = open_all(m, err);
	if (r == BT_OK)
		r = bt_documents_read(f->input_file, f->n_input_files, m->tok,
		                      IN_MEMORY, f->progress, &m->d, err);
	if (r == BT_OK)
		r = make_pairs(m, err);
	if (r == BT_OK)
		r = write_all(m, err);
	if (f->progress != NULL)
		bt_progress_clear(f->progress);
	if (r == BT_OK)
		tell(m);
	clear(m);
	return r;
}
