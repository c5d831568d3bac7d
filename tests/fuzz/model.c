/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/*
 * A model directory, its small files in one input: "=NAME" on a line of its own
 * begins the file NAME, what stands before the first is config.json. The
 * configuration, labels, tokenizer and index of shards are read, a model is
 * laid out, what sentence-transformers says is read, and what stands beside the
 * weights is copied. An adapter may change the model in 0_Transformer.
 */
#include "fuzz.h"

#include <sys/stat.h>
#include <unistd.h>

#include "ckpt/convert.h"
#include "ckpt/open.h"
#include "finetune/model.h"
#include "format/sentence.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer_file/tokenizer_file.h"

static const char *const names[] = {"config.json",
                                    "bert_config.json",
                                    "vocab.txt",
                                    "tokenizer.json",
                                    "tokenizer_config.json",
                                    "special_tokens_map.json",
                                    "added_tokens.json",
                                    "model.safetensors.index.json",
                                    "model.safetensors",
                                    "albert_config.json",
                                    "vocab_chinese.txt",
                                    "30k-clean.model",
                                    "checkpoint",
                                    "a.index",
                                    "b.index",
                                    "task.json",
                                    "model.weights.h5",
                                    "task.weights.h5",
                                    "assets/tokenizer/vocabulary.txt",
                                    "modules.json",
                                    "1_Pooling/config.json",
                                    "2_Normalize/config.json",
                                    "2_Dense/config.json",
                                    "0_Transformer/config.json",
                                    "0_Transformer/vocab.txt",
                                    "sentence_bert_config.json",
                                    "sentence_roberta_config.json",
                                    "config_sentence_transformers.json",
                                    "adapter_config.json",
                                    "adapter_model.safetensors",
                                    "0_Transformer/model.safetensors"};
#define NAMES ((int)(sizeof(names) / sizeof(names[0])))

static int find(const uint8_t *p, size_t n)
{
	int i;

	for (i = 0; i < NAMES; i++)
		if (strlen(names[i]) == n && memcmp(names[i], p, n) == 0)
			return i;
	return -1;
}

/* Lays the files down; those of the input before are gone. */
static void lay_down(const uint8_t *data, size_t size)
{
	const uint8_t *p = data, *end = data + size, *from = data, *nl;
	int i, file = 0;

	mkdir("assets", 0777);
	mkdir("assets/tokenizer", 0777);
	mkdir("1_Pooling", 0777);
	mkdir("2_Normalize", 0777);
	mkdir("2_Dense", 0777);
	mkdir("0_Transformer", 0777);
	for (i = 0; i < NAMES; i++)
		unlink(names[i]);
	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl != NULL ? nl : end;
		i = *p == '=' ? find(p + 1, (size_t)(nl - p - 1)) : -1;
		if (i >= 0) {
			if (from < p)
				fuzz_put(names[file], from, (size_t)(p - from));
			file = i;
			from = nl + 1;
		}
		if (nl == end)
			break;
	}
	if (from < end)
		fuzz_put(names[file], from, (size_t)(end - from));
}

static void copy_beside(void)
{
	struct bt_error err = {0};
	char path[64];
	int i, copied;

	mkdir("to", 0777);
	unlink("to/spiece.model");
	for (i = 0; i < NAMES; i++) {
		snprintf(path, sizeof(path), "to/%s", names[i]);
		unlink(path);
	}
	fuzz_told(bt_sidecar_copy(".", "to", &copied, &err), &err);
}

/* Every tensor, which may be that of a model that was changed. */
static void read_all(const struct bt_ckpt *c)
{
	const struct bt_tensor *t;
	struct bt_error err = {0};
	size_t i;
	void *p;

	for (i = 0; i < bt_ckpt_count(c); i++) {
		t = bt_ckpt_tensor(c, i);
		p = malloc(t->bytes + 1);
		FUZZ_CHECK(p != NULL);
		if (fuzz_told(bt_tensor_read(t, 0, t->count, p, &err), &err) ==
		    BT_OK)
			fuzz_read(p, t->bytes);
		bt_error_clear(&err);
		free(p);
	}
}

/* How the model embeds, and its prompts. */
static void read_sentence(void)
{
	struct bt_error err = {0};
	struct bt_sentence s;
	char *text = NULL, *name = NULL;

	if (fuzz_told(bt_sentence_read(".", &s, &err), &err) == BT_OK)
		FUZZ_CHECK(s.pooling == NULL || strlen(s.pooling) >= 3);
	bt_error_clear(&err);
	fuzz_told(bt_sentence_default_prompt(".", &name, &err), &err);
	bt_error_clear(&err);
	fuzz_told(
	    bt_sentence_prompt(".", name != NULL ? name : "query", &text, &err),
	    &err);
	free(name);
	free(text);
}

static void lay_out(struct bt_model *m)
{
	static struct bt_pool *pool;
	struct bt_engine_opts o = {0};
	struct bt_error err = {0};

	FUZZ_CHECK(pool != NULL || bt_pool_new(1, &pool, &err) == BT_OK);
	o.pool = pool;
	o.max_sequences = 2;
	o.max_tokens = 64;
	m->task = bt_task_of(m->config.problem_type);
	if (m->labels.n >= 2)
		fuzz_told(bt_model_plan(m, &o, &err), &err);
}

/* The encoder, and the dense layers that the directory says there are. */
static void lay_out_sentence(void)
{
	struct bt_error err = {0};
	struct bt_sentence s;
	struct bt_model m = {.embeds = true, .pooling = BT_POOLING_MEAN};

	if (bt_sentence_read(".", &s, NULL) != BT_OK || s.n_dense == 0)
		return;
	memcpy(m.dense, s.dense, sizeof(m.dense));
	m.n_dense = s.n_dense;
	if (bt_model_config(".", &m.config, &m.labels, NULL) == BT_OK) {
		m.labels.n = 2;
		lay_out(&m);
		m.labels.n = 0;
	}
	bt_error_clear(&err);
	bt_model_clear(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bt_error err = {0};
	struct bt_model m = {0};
	struct bt_ckpt *c;
	struct bt_tok *t;
	json_t *o;

	lay_down(data, size);
	if (fuzz_told(bt_model_config(".", &m.config, &m.labels, &err), &err) ==
	    BT_OK) {
		o = bt_config_json(&m.config, m.labels.name, m.labels.n);
		FUZZ_CHECK(o != NULL);
		json_decref(o);
		lay_out(&m);
		bt_model_clear(&m);
	}
	bt_error_clear(&err);
	if (fuzz_told(bt_tok_open(".", NULL, &t, &err), &err) == BT_OK)
		bt_tok_free(t);
	bt_error_clear(&err);
	if (fuzz_told(bt_ckpt_open(".", &c, &err), &err) == BT_OK) {
		read_all(c);
		bt_ckpt_close(c);
	}
	read_sentence();
	lay_out_sentence();
	copy_beside();
	return 0;
}
