/* SPDX-License-Identifier: MIT */
/* The configuration files beside a vocabulary. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/hf_config.h"
#include "format/json.h"
#include "format/model_files.h"
#include "tokenizer_file/reader.h"

#define CONFIG BT_FILE_TOKENIZER_CONFIG
#define MAP BT_FILE_SPECIALS

/* Larger than any real limit: transformers writes 1e30 for "none". */
#define NO_LIMIT 1e9

/* The value of a role in one of the files, of which special_tokens_map.json
 * goes before tokenizer_config.json; NULL: not said. */
static const json_t *find_role(const json_t *config, const json_t *map,
                               const char *key)
{
	const json_t *v = json_object_get(map, key);

	if (v == NULL || json_is_null(v))
		v = json_object_get(config, key);
	return v == NULL || json_is_null(v) ? NULL : v;
}

/* What is said of the tokenizer as tokenizer_config.json says it. */
static int load_config(const struct bt_tok *t, json_t **o, struct bt_error *err)
{
	return t->is_keras ? bt_hf_config_keras_tokenizer(t->path, o, err)
	                   : bt_hf_config_tokenizer(t->path, o, err);
}

static int read_roles(struct bt_tok *t, const json_t *config, const json_t *map,
                      struct bt_error *err)
{
	struct bt_added_token token;
	const json_t *v;
	int i, r;

	for (i = 0; i < BT_TOK_ROLES; i++) {
		if (t->is_json && i == BT_TOK_UNK && t->kind != BT_TOK_BPE)
			continue; /* its model has said */
		memset(&token, 0, sizeof(token));
		token.id = -1;
		token.lstrip = i == BT_TOK_MASK && t->mask_lstrip;
		v = find_role(config, map, bt_tok_role_key[i]);
		token.content = bt_span(t->role_name[i]);
		if (v != NULL) {
			r = bt_tok_read_added(v, &token, err);
			if (r != BT_OK)
				return bt_error_prefix(err, "'%s'",
				                       bt_tok_role_key[i]);
			r = bt_tok_set_role(t, (enum bt_tok_role)i,
			                    token.content, err);
			if (r != BT_OK)
				return r;
		}
		/* what a vocabulary lacks is refused later, or never looked
		 * for: no ids are made up */
		if (t->is_json || bt_vocab_find(&t->vocab, token.content) < 0)
			continue;
		token.special = true;
		r = bt_tok_add(t, &token, err);
		if (r != BT_OK)
			return r;
	}
	return BT_OK;
}

static int blame(const struct bt_tok *t, const char *name, struct bt_error *err)
{
	return bt_error_prefix(err, "'%s/%s'", t->path, name);
}

/* A token by its name as the files say it: a string, or an object. */
static int note_special(json_t *o, const json_t *token)
{
	if (json_is_object(token))
		token = json_object_get(token, "content");
	if (!json_is_string(token))
		return 0;
	return json_object_setn_new(o, json_string_value(token),
	                            json_string_length(token), json_true());
}

/* An object whose keys are the tokens that the files call special, or NULL. */
static json_t *list_specials(const json_t *config, const json_t *map)
{
	static const char *const key[] = {"additional_special_tokens",
	                                  "extra_special_tokens"};
	json_t *o = json_object(), *v;
	int i, bad = o == NULL;
	size_t k;

	for (i = 0; i < BT_TOK_ROLES; i++)
		bad |=
		    note_special(o, find_role(config, map, bt_tok_role_key[i]));
	bad |= note_special(o, find_role(config, map, "bos_token"));
	bad |= note_special(o, find_role(config, map, "eos_token"));
	for (i = 0; i < 4; i++)
		json_array_foreach(
		    json_object_get(i < 2 ? config : map, key[i & 1]), k, v)
		    bad |= note_special(o, v);
	return bt_json_whole(o, bad);
}

/* added_tokens.json */
static int read_added_ids(struct bt_tok *t, const json_t *config,
                          const json_t *map, struct bt_error *err)
{
	json_t *added = NULL, *specials = NULL;
	int r = bt_json_load_in(t->path, BT_FILE_ADDED, &added, err);

	if (r != BT_OK || added == NULL)
		return r;
	specials = list_specials(config, map);
	r = specials == NULL ? bt_error_nomem(err, "reading a tokenizer")
	                     : bt_tok_add_table(t, added, specials, err);
	json_decref(specials);
	json_decref(added);
	return r == BT_OK ? BT_OK : blame(t, BT_FILE_ADDED, err);
}

/* The tokens with ids that tokenizer_config.json has; these are all then, in
 * the place of what older files say. */
static json_t *added_of(const json_t *config)
{
	json_t *o = json_object_get(config, "added_tokens_decoder");

	return json_is_null(o) ? NULL : o;
}

/* Those with ids first: the others get the next ones. */
static int read_added_files(struct bt_tok *t, json_t *config, json_t *map,
                            struct bt_error *err)
{
	json_t *added = added_of(config);
	int r;

	if (added == NULL) {
		r = read_added_ids(t, config, map, err);
	} else {
		r = bt_tok_add_table(t, added, NULL, err);
		if (r != BT_OK)
			blame(t, CONFIG, err);
	}
	if (r != BT_OK)
		return r;
	r = bt_tok_add_list(t, config, "additional_special_tokens", err);
	if (r == BT_OK)
		r = bt_tok_add_list(t, config, "extra_special_tokens", err);
	if (r != BT_OK)
		return blame(t, CONFIG, err);
	r = bt_tok_add_list(t, map, "additional_special_tokens", err);
	return r == BT_OK ? BT_OK : blame(t, MAP, err);
}

bool bt_tok_is_class(const char *name, const char *const *known)
{
	size_t i, n;

	for (i = 0; known[i] != NULL; i++) {
		n = strlen(known[i]);
		if (strncmp(name, known[i], n) == 0 &&
		    (strcmp(name + n, "Tokenizer") == 0 ||
		     strcmp(name + n, "TokenizerFast") == 0))
			return true;
	}
	return false;
}

/* Tokenizers that are BERT's but for their name. */
static const char *const like_bert[] = {
    "Bert",       "DistilBert",        "Electra",
    "MobileBert", "ConvBert",          "SqueezeBert",
    "Lxmert",     "LayoutLM",          "RetriBert",
    "DPRReader",  "DPRContextEncoder", "DPRQuestionEncoder",
    NULL};

/* Another whose flags go before tokenizer.json's. */
static const char *const like_mpnet[] = {"MPNet", NULL};

/* Those that are RoBERTa's, and those that put their special tokens as BERT. */
static const char *const like_roberta[] = {"Roberta", "Longformer", "Bart",
                                           "LED", NULL};
static const char *const like_deberta[] = {"Deberta", NULL};

/* A byte-level tokenizer's class decides whether texts begin with a space, and
 * where there is no tokenizer.json what the special tokens are. */
static int read_bpe_flags(struct bt_tok *t, const json_t *o,
                          struct bt_error *err)
{
	const char *class = t->is_json ? "" : "RobertaTokenizer";
	bool prefix = t->bytes.prefix;
	int r;

	r = bt_json_str(o, "tokenizer_class", &class, err);
	if (r != BT_OK)
		return r;
	if (bt_tok_is_class(class, like_roberta)) {
		prefix = false;
	} else if (bt_tok_is_class(class, like_deberta)) {
		prefix = false;
		t->frame = t->is_json ? t->frame : BT_TEMPLATE_KIND_BERT;
	} else if (!t->is_json) {
		return bt_error_set(err, BT_EFORMAT,
		                    "tokenizer_class '%.100s' is not supported "
		                    "without a tokenizer.json",
		                    class);
	} else {
		return BT_OK; /* it takes tokenizer.json as it is */
	}
	r = bt_json_bool(o, "add_prefix_space", &prefix, err);
	if (r == BT_OK && t->bytes.top)
		t->bytes.prefix = prefix;
	if (r != BT_OK || !bt_tok_is_class(class, like_roberta))
		return r;
	t->trim.on = true;
	t->trim.prefix = prefix;
	return bt_json_bool(o, "trim_offsets", &t->trim.on, err);
}

/* The flags that tokenizer_config.json states go before tokenizer.json's, as
 * in transformers, unless it names the class that takes the latter as it is. */
static int read_flags(struct bt_tok *t, const json_t *o, struct bt_error *err)
{
	const char *class = "BertTokenizer";
	int r;

	if (t->spm != NULL)
		return BT_OK; /* sentencepiece_open.c has read them */
	if (t->kind == BT_TOK_BPE)
		return read_bpe_flags(t, o, err);
	r = bt_json_str(o, "tokenizer_class", &class, err);
	if (r != BT_OK)
		return r;
	t->named_class = !t->is_json && o != NULL &&
	                 json_object_get(o, "tokenizer_class") != NULL;
	if (!bt_tok_is_class(class, like_bert) &&
	    !(t->is_json && bt_tok_is_class(class, like_mpnet))) {
		if (t->is_json)
			return BT_OK;
		return bt_error_set(err, BT_EFORMAT,
		                    "tokenizer_class '%s' is not supported "
		                    "without a tokenizer.json",
		                    class);
	}
	if ((r = bt_json_flag(o, "do_lower_case", &t->flags.lower, err)) ||
	    (r = bt_json_flag(o, "tokenize_chinese_chars", &t->flags.cjk, err)))
		return r;
	if (json_object_get(o, "strip_accents") != NULL)
		t->flags.strip = BT_TOK_UNSET; /* null: as lower */
	return bt_json_flag(o, "strip_accents", &t->flags.strip, err);
}

static int read_settings(struct bt_tok *t, const json_t *o,
                         struct bt_error *err)
{
	const char *side = t->cut_left ? "left" : "right";
	double limit = NO_LIMIT;
	int r = read_flags(t, o, err);

	if (r == BT_OK)
		r = bt_json_real(o, "model_max_length", 1, 1e300, &limit, err);
	if (r == BT_OK)
		r = bt_json_str(o, "truncation_side", &side, err);
	if (r != BT_OK)
		return r;
	if (limit < NO_LIMIT)
		t->max_length = (size_t)limit;
	t->cut_left = strcmp(side, "left") == 0;
	if (!t->cut_left && strcmp(side, "right") != 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "truncation_side '%s' is not supported",
		                    side);
	return BT_OK;
}

int bt_tok_read_config(struct bt_tok *t, struct bt_error *err)
{
	json_t *config = NULL, *map = NULL;
	int r = load_config(t, &config, err);

	if (r == BT_OK)
		r = bt_json_load_in(t->path, MAP, &map, err);
	if (r == BT_OK && config != NULL) {
		r = read_settings(t, config, err);
		if (r != BT_OK)
			blame(t, CONFIG, err);
	}
	/* sentence-transformers sets its own limit in the tokenizer's place */
	if (t->seq_length != 0)
		t->max_length = t->seq_length;
	if (added_of(config) != NULL) {
		json_decref(map);
		map = NULL;
	}
	if (r == BT_OK && !t->is_json)
		r = read_added_files(t, config, map, err);
	if (r == BT_OK) {
		r = read_roles(t, config, map, err);
		if (r != BT_OK)
			blame(t, config != NULL ? CONFIG : MAP, err);
	}
	json_decref(config);
	json_decref(map);
	return r;
}

int bt_tok_read_dialect(struct bt_tok *t, struct bt_error *err)
{
	const char *name = "hf";
	json_t *o = NULL;
	int r = bt_hf_config_keras_tokenizer(t->path, &o, err);

	t->is_keras = o != NULL;
	if (r != BT_OK || t->is_keras) {
		json_decref(o);
		return r;
	}
	r = bt_hf_config_tokenizer(t->path, &o, err);
	t->has_config = o != NULL;
	if (r != BT_OK || o == NULL)
		return r;
	r = bt_json_str(o, "dialect", &name, err);
	if (r == BT_OK)
		t->garden = strcmp(name, "modelgarden") == 0;
	if (r == BT_OK && (t->garden || strcmp(name, "google") == 0))
		t->dialect = BT_TOK_GOOGLE;
	else if (r == BT_OK && strcmp(name, "hf") != 0)
		r = bt_error_set(err, BT_EFORMAT, "dialect '%s' is unknown",
		                 name);
	if (r != BT_OK)
		blame(t, CONFIG, err);
	json_decref(o);
	return r;
}

/* In RoBERTa's family the first token has the position behind that of the
 * padding. */
static int read_position_offset(const json_t *o, int64_t *offset,
                                struct bt_error *err)
{
	static const char *const family[] = {
	    "roberta", "xlm-roberta", "camembert", "longformer", "mpnet"};
	const char *type = "";
	int64_t pad = 1;
	int r = bt_json_str(o, "model_type", &type, err);

	if (r == BT_OK)
		r = bt_json_int(o, "pad_token_id", 0, INT32_MAX, &pad, err);
	if (r == BT_OK && BT_STR_ROW(type, family) >= 0)
		*offset = pad + 1;
	return r;
}

int bt_tok_read_model_config(struct bt_tok *t, struct bt_error *err)
{
	int64_t positions = 0, size = 0, offset = 0;
	char *path = NULL;
	json_t *o;
	int r = bt_hf_config_find(t->path, &o, &path, err);

	if (r != BT_OK || o == NULL)
		return r;
	r = bt_json_int(o, "max_position_embeddings", 1, INT32_MAX, &positions,
	                err);
	if (r == BT_OK)
		r = bt_json_int(o, "vocab_size", 1, INT32_MAX, &size, err);
	if (r == BT_OK)
		r = read_position_offset(o, &offset, err);
	json_decref(o);
	if (r == BT_OK && size != 0 && (size_t)size < t->vocab.n)
		r = bt_error_set(err, BT_EFORMAT,
		                 "the vocabulary has %zu tokens and the model "
		                 "only %lld (vocab_size)",
		                 t->vocab.n, (long long)size);
	if (r != BT_OK)
		bt_error_prefix(err, "'%s'", path);
	free(path);
	if (r != BT_OK)
		return r;
	if (offset < positions)
		positions -= offset;
	t->max_positions = (size_t)positions;
	t->model_size = (size_t)size;
	return BT_OK;
}
