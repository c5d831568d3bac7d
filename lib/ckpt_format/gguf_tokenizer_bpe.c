/* SPDX-License-Identifier: MIT */
/* vocab.json and merges.txt as the tokenizer.json that says the same. */
#include <stdlib.h>
#include <string.h>

#include "ckpt_format/gguf_int.h"
#include "format/hf_config.h"
#include "format/json.h"
#include "format/model_files.h"
#include "io/in.h"
#include "io/path.h"

#define MERGES_MAX ((size_t)256 << 20)

static int read_merges(const char *dir, json_t *list, struct bt_error *err)
{
	char *path = bt_path_join(dir, BT_FILE_MERGES), *data = NULL, *p, *end;
	size_t len = 0;
	int r = bt_in_whole(path, MERGES_MAX, &data, &len, err);

	for (p = data; r == BT_OK && p < data + len; p = end + 1) {
		end = memchr(p, '\n', (size_t)(data + len - p));
		end = end != NULL ? end : data + len;
		if (end > p && strncmp(p, "#version", 8) != 0 &&
		    json_array_append_new(
		        list, json_stringn(p, (size_t)(end - p -
		                                       (end[-1] == '\r')))) < 0)
			r = bt_error_set(err, BT_EFORMAT,
			                 "'%s': a line is not UTF-8", path);
	}
	free(data);
	free(path);
	return r;
}

/* What tokenizer_config.json calls a token, else as RoBERTa does. */
static const char *token(const json_t *config, const char *key,
                         const char *otherwise)
{
	const json_t *v = json_object_get(config, key);
	const char *s = json_string_value(
	    json_is_object(v) ? json_object_get(v, "content") : v);

	return s != NULL ? s : otherwise;
}

/* The special tokens that the vocabulary has, and what goes around a text. */
static void add_specials(json_t *o, const json_t *vocab, const json_t *config)
{
	static const char *const keys[][2] = {{"cls_token", "<s>"},
	                                      {"sep_token", "</s>"},
	                                      {"pad_token", "<pad>"},
	                                      {"unk_token", "<unk>"},
	                                      {"mask_token", "<mask>"}};
	json_t *added = json_array(), *post = json_object(), *id;
	const char *s;
	size_t i;

	for (i = 0; i < 5; i++) {
		s = token(config, keys[i][0], keys[i][1]);
		id = json_object_get(vocab, s);
		if (!json_is_integer(id))
			continue;
		json_array_append_new(added,
		                      json_pack("{s:O, s:s, s:b}", "id", id,
		                                "content", s, "special", 1));
		if (i < 2)
			json_object_set_new(post, i == 0 ? "cls" : "sep",
			                    json_pack("[s, O]", s, id));
	}
	json_object_set_new(post, "type", json_string("RobertaProcessing"));
	json_object_set_new(o, "added_tokens", added);
	json_object_set_new(o, "post_processor", post);
}

int bt_gguf_bpe_json(const char *dir, json_t **o, struct bt_error *err)
{
	char *path = bt_path_join(dir, BT_FILE_IDS);
	json_t *vocab = NULL, *config = NULL, *merges = json_array();
	bool space = false;
	int r = bt_json_load(path, &vocab, err);

	*o = NULL;
	if (r == BT_OK)
		r = read_merges(dir, merges, err);
	if (r == BT_OK)
		r = bt_hf_config_tokenizer(dir, &config, err);
	if (r == BT_OK && config != NULL)
		r = bt_json_bool(config, "add_prefix_space", &space, err);
	if (r == BT_OK) {
		*o = json_pack("{s:{s:s, s:O, s:O}, s:{s:s, s:b}}", "model",
		               "type", "BPE", "vocab", vocab, "merges", merges,
		               "pre_tokenizer", "type", "ByteLevel",
		               "add_prefix_space", space);
		add_specials(*o, vocab, config);
	}
	json_decref(config);
	json_decref(vocab);
	json_decref(merges);
	free(path);
	return r;
}
