/* SPDX-License-Identifier: MIT */
/* A SentencePiece model as a tokenizer.json: its normalizers and the like, and
 * the whole of it. */

#include "base/buf.h"
#include "format/base64.h"
#include "tokenizer_file/sentencepiece_open_int.h"

static int add_step(json_t *list, json_t *step)
{
	return json_array_append_new(list, step);
}

static int add_replace(json_t *list, const char *kind, const char *pattern,
                       const char *content)
{
	return add_step(list,
	                json_pack("{ss s{ss} ss}", "type", "Replace", "pattern",
	                          kind, pattern, "content", content));
}

static int add_simple(json_t *list, const char *type)
{
	return add_step(list, json_pack("{ss}", "type", type));
}

static int add_strip(json_t *list, bool left)
{
	return add_step(list, json_pack("{ss sb sb}", "type", "Strip",
	                                "strip_left", left, "strip_right", 1));
}

static int add_albert(json_t *list, const struct bt_spm_settings *s)
{
	int bad = add_replace(list, "String", "``", "\"");

	bad |= add_replace(list, "String", "''", "\"");
	if (!s->keep_accents) {
		bad |= add_simple(list, "NFKD");
		bad |= add_simple(list, "StripAccents");
	}
	if (s->lower)
		bad |= add_simple(list, "Lowercase");
	return bad;
}

static int add_charsmap(json_t *list, const struct bt_spm_proto *m)
{
	struct bt_buf b = BT_BUF_INIT;
	int bad = 1;

	if (m->charsmap.n == 0)
		return 0;
	bt_base64_put(&b, m->charsmap.p, m->charsmap.n);
	if (!b.oom)
		bad = add_step(
		    list, json_pack("{ss ss%}", "type", "Precompiled",
		                    "precompiled_charsmap", b.data, b.len));
	bt_buf_clear(&b);
	return bad;
}

json_t *bt_spm_normalizer(const struct bt_spm_proto *m,
                          const struct bt_spm_settings *s)
{
	enum bt_spm_clean clean = s->family->clean;
	json_t *list;
	int bad = 0;

	if (clean == BT_SPM_CLEAN_NONE)
		return json_null();
	list = json_array();
	if (clean == BT_SPM_CLEAN_ALBERT)
		bad |= add_albert(list, s);
	if (clean == BT_SPM_CLEAN_DEBERTA && s->lower)
		bad |= add_simple(list, "Lowercase");
	if (clean == BT_SPM_CLEAN_DEBERTA)
		bad |= add_strip(list, true);
	bad |= add_charsmap(list, m);
	if (clean == BT_SPM_CLEAN_XLMR)
		bad |= add_strip(list, false);
	bad |= add_replace(list, "Regex", " {2,}",
	                   clean == BT_SPM_CLEAN_XLMR ? BT_SPM_MARK : " ");
	if (bad) {
		json_decref(list);
		return NULL;
	}
	return json_pack("{ss so}", "type", "Sequence", "normalizers", list);
}

static json_t *make_metaspace(const char *scheme, bool split)
{
	return json_pack("{ss ss ss sb}", "type", "Metaspace", "replacement",
	                 BT_SPM_MARK, "prepend_scheme", scheme, "split", split);
}

json_t *bt_spm_pretok(const struct bt_spm_settings *s)
{
	json_t *space;

	if (s->family->clean == BT_SPM_CLEAN_NONE)
		return make_metaspace(!s->prefix  ? "never"
		                      : s->legacy ? "always"
		                                  : "first",
		                      false);
	space = make_metaspace("always", true);
	if (s->family->clean != BT_SPM_CLEAN_DEBERTA || !s->split_by_punct)
		return space;
	return json_pack("{ss s[{ss ss} o]}", "type", "Sequence",
	                 "pretokenizers", "type", "Punctuation", "behavior",
	                 "Isolated", space);
}

json_t *bt_spm_decoder(const struct bt_spm_settings *s)
{
	json_t *list;
	int bad;

	if (s->family->clean != BT_SPM_CLEAN_NONE)
		return make_metaspace("always", true);
	list = json_array();
	bad = add_replace(list, "String", BT_SPM_MARK, " ");
	bad |= add_simple(list, "ByteFallback");
	bad |= add_simple(list, "Fuse");
	if (s->prefix)
		bad |= add_step(list, json_pack("{ss ss si si}", "type",
		                                "Strip", "content", " ",
		                                "start", 1, "stop", 0));
	if (bad) {
		json_decref(list);
		return NULL;
	}
	return json_pack("{ss so}", "type", "Sequence", "decoders", list);
}
