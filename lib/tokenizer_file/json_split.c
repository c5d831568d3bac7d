/* SPDX-License-Identifier: MIT */
/* The pre-tokenizers of tokenizer.json that find matches, and ByteLevel. */

#include "base/str.h"
#include "format/json.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer_file/tokenizer_json_int.h"

static int add_split(struct bt_tok *t, const struct bt_split_opts *o,
                     struct bt_error *err)
{
	struct bt_pre_tokenizer *pretok = NULL;
	int r = bt_tok_need_table(t, err);

	if (r == BT_OK)
		r = bt_pre_tokenizer_split(t->table, o, &pretok, err);
	if (r != BT_OK)
		return r;
	return bt_tok_add_pretok(
	    t, pretok, err, "split=%d:%08x:%d%d", (int)o->pattern,
	    bt_tok_crc(o->string.p, o->string.n), (int)o->behavior, o->invert);
}

static int read_behavior(const json_t *o, enum bt_behavior *behavior,
                         struct bt_error *err)
{
	static const char *const names[] = {[BT_ISOLATED] = "Isolated",
	                                    [BT_REMOVED] = "Removed",
	                                    [BT_CONTIGUOUS] = "Contiguous",
	                                    [BT_PREVIOUS] =
	                                        "MergedWithPrevious",
	                                    [BT_NEXT] = "MergedWithNext"};
	const char *name = names[*behavior];
	int r = bt_json_str(o, "behavior", &name, err), i;

	if (r != BT_OK)
		return r;
	i = BT_STR_ROW(name, names);
	if (i < 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "the behavior '%.100s' is not supported",
		                    name);
	*behavior = (enum bt_behavior)i;
	return BT_OK;
}

int bt_tok_json_split(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	const json_t *pattern = json_object_get(o, "pattern");
	struct bt_span string =
	    bt_json_text(json_object_get(pattern, "String"));
	struct bt_span regex = bt_json_text(json_object_get(pattern, "Regex"));
	struct bt_split_opts s = {BT_PAT_STRING, {"", 0}, BT_ISOLATED, false};
	int found;
	int r = read_behavior(o, &s.behavior, err);

	if (r == BT_OK)
		r = bt_json_bool(o, "invert", &s.invert, err);
	if (r != BT_OK)
		return r;
	if (string.n > 0) {
		s.string = string;
		return add_split(t, &s, err);
	}
	if (regex.p == NULL)
		return bt_error_set(err, BT_EFORMAT, "no 'pattern'");
	found = bt_span_has_nul(regex) ? -1 : bt_pattern_find(regex.p);
	s.pattern = found >= 0 ? (enum bt_pattern)found : BT_PAT_REGEX;
	if (found < 0)
		s.string = regex;
	return add_split(t, &s, err);
}

int bt_tok_json_punctuation(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	struct bt_split_opts s = {BT_PAT_PUNCT, {"", 0}, BT_ISOLATED, false};
	int r = read_behavior(o, &s.behavior, err);

	return r == BT_OK ? add_split(t, &s, err) : r;
}

int bt_tok_json_digits(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	struct bt_split_opts s = {BT_PAT_NUMBER, {"", 0}, BT_CONTIGUOUS, false};
	bool single = false;
	int r = bt_json_bool(o, "individual_digits", &single, err);

	if (single)
		s.behavior = BT_ISOLATED;
	return r == BT_OK ? add_split(t, &s, err) : r;
}

int bt_tok_json_whitespace(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	struct bt_split_opts s = {BT_PAT_WORDS, {"", 0}, BT_REMOVED, true};

	(void)o;
	return add_split(t, &s, err);
}

int bt_tok_json_bert(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	struct bt_split_opts white = {BT_PAT_WHITE, {"", 0}, BT_REMOVED, false};
	struct bt_split_opts punct = {
	    BT_PAT_PUNCT, {"", 0}, BT_ISOLATED, false};
	int r = add_split(t, &white, err);

	(void)o;
	return r == BT_OK ? add_split(t, &punct, err) : r;
}

/* It is added last of all, when everything was read (bt_tok_add_bytes). */
int bt_tok_json_bytes(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	bool trim = true; /* the post-processor's affair */
	int r;

	t->bytes.on = t->bytes.prefix = t->bytes.split = true;
	if ((r = bt_json_bool(o, "add_prefix_space", &t->bytes.prefix, err)) ||
	    (r = bt_json_bool(o, "use_regex", &t->bytes.split, err)))
		return r;
	return bt_json_bool(o, "trim_offsets", &trim, err);
}

int bt_tok_add_bytes(struct bt_tok *t, struct bt_error *err)
{
	struct bt_pre_tokenizer *pretok = NULL;
	int r = bt_tok_need_table(t, err);

	if (r != BT_OK)
		return r;
	if (t->bytes.prefix || t->bytes.split)
		pretok = bt_pre_tokenizer_bytes(t->table, t->bytes.prefix,
		                                t->bytes.split);
	return bt_tok_add_pretok(t, pretok, err, "bytes=%d%d", t->bytes.prefix,
	                         t->bytes.split);
}
