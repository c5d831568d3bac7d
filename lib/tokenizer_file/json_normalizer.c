/* SPDX-License-Identifier: MIT */
/* The normalizers and pre-tokenizers of tokenizer.json, type by type. */

#include "base/buf.h"
#include "base/str.h"
#include "format/base64.h"
#include "format/json.h"
#include "tokenizer/normalizers.h"
#include "tokenizer_file/tokenizer_json_int.h"

#define DEPTH_MAX 8 /* of Sequences in Sequences */

/* A type, its members, and what reads it and appends it, or for a type without
 * settings what appends it. */
struct type {
	const char *name;
	const char *known[8]; /* ends with NULL */
	int (*read)(struct bt_tok *t, json_t *o, struct bt_error *err);
	int (*add)(struct bt_tok *t, int which, struct bt_error *err);
	int which;
};

/* Normalizers or pre-tokenizers. */
struct kind {
	const char *what;
	const char *parts; /* the member of a Sequence */
	struct type type[12];
};

/* Reads a part by its type, or the parts of a Sequence. */
static int read_part(struct bt_tok *t, const struct kind *kind, json_t *o,
                     int depth, struct bt_error *err)
{
	const char *const known[] = {"type", kind->parts, NULL};
	const struct type *type = kind->type;
	json_t *v;
	size_t i;
	int r;

	if (o == NULL || json_is_null(o))
		return BT_OK;
	if (t->bytes.on)
		return bt_error_set(err, BT_EFORMAT,
		                    "a %s behind ByteLevel is not supported",
		                    kind->what);
	if (bt_tok_is_type(o, "Sequence") && depth < DEPTH_MAX) {
		r = bt_tok_only(kind->what, o, known, err);
		if (r == BT_OK)
			r = bt_tok_list(kind->what, o, kind->parts, err);
		json_array_foreach(json_object_get(o, kind->parts), i, v)
		{
			if (r == BT_OK)
				r = read_part(t, kind, v, depth + 1, err);
		}
		return r;
	}
	while (type->name != NULL && !bt_tok_is_type(o, type->name))
		type++;
	if (type->name == NULL)
		return bt_tok_unsupported(kind->what, o, err);
	r = bt_tok_only(kind->what, o, type->known, err);
	if (r == BT_OK)
		r = type->read != NULL ? type->read(t, o, err)
		                       : type->add(t, type->which, err);
	return r == BT_OK
	           ? BT_OK
	           : bt_error_prefix(err, "%s %s", kind->what, type->name);
}

static int read_precompiled(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	const json_t *v = json_object_get(o, "precompiled_charsmap");
	struct bt_span s = bt_json_text(v);
	struct bt_buf b = BT_BUF_INIT;
	struct bt_normalizer *norm = NULL;
	int r;

	if (v == NULL || json_is_null(v))
		return BT_OK;
	if (s.p == NULL || bt_base64_get(&b, s.p, s.n) != BT_OK)
		r = bt_error_set(err, BT_EFORMAT,
		                 "'precompiled_charsmap' is not base64");
	else if (b.oom)
		r = bt_error_nomem(err, "reading a character map");
	else
		r = bt_normalizer_precompiled(b.data, b.len, false, &norm, err);
	if (r == BT_OK)
		r = bt_tok_add_norm(t, norm, err, "precompiled=%08x",
		                    bt_tok_crc(b.data, b.len));
	bt_buf_clear(&b);
	return r;
}

static int read_replace(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	const json_t *pattern = json_object_get(o, "pattern");
	struct bt_span string =
	    bt_json_text(json_object_get(pattern, "String"));
	struct bt_span regex = bt_json_text(json_object_get(pattern, "Regex"));
	struct bt_span content = bt_json_text(json_object_get(o, "content"));

	if ((string.p == NULL) == (regex.p == NULL) || content.p == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "no 'pattern' or 'content'");
	return bt_tok_add_replace(t, string.p != NULL ? string : regex,
	                          regex.p != NULL, content, err);
}

static int read_prepend(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	struct bt_span s = bt_json_text(json_object_get(o, "prepend"));
	struct bt_normalizer *norm = NULL;
	int r;

	if (s.p == NULL)
		return bt_error_set(err, BT_EFORMAT, "no 'prepend'");
	if (bt_span_has_nul(s))
		return bt_error_set(err, BT_EFORMAT,
		                    "a NUL in 'prepend' is not supported");
	r = bt_normalizer_prepend(s, &norm, err);
	return r == BT_OK ? bt_tok_add_norm(t, norm, err, "prepend=%s", s.p)
	                  : r;
}

static int read_strip(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	bool left = true, right = true;
	int r = bt_json_bool(o, "strip_left", &left, err);

	if (r == BT_OK)
		r = bt_json_bool(o, "strip_right", &right, err);
	return r == BT_OK ? bt_tok_add_strip(t, left, right, err) : r;
}

int bt_tok_json_norm(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	static const struct kind norms = {
	    "normalizer",
	    "normalizers",
	    {{"Precompiled",
	      {"type", "!precompiled_charsmap"},
	      .read = read_precompiled},
	     {"Replace", {"type", "pattern", "content"}, .read = read_replace},
	     {"Prepend", {"type", "prepend"}, .read = read_prepend},
	     {"Strip",
	      {"type", "!strip_left", "!strip_right"},
	      .read = read_strip},
	     {"Nmt",
	      {"type"},
	      .add = bt_tok_add_simple,
	      .which = BT_NORMALIZER_NMT},
	     {"Lowercase",
	      {"type"},
	      .add = bt_tok_add_simple,
	      .which = BT_NORMALIZER_LOWERCASE},
	     {"StripAccents",
	      {"type"},
	      .add = bt_tok_add_simple,
	      .which = BT_NORMALIZER_STRIP_ACCENTS},
	     {"NFC", {"type"}, .add = bt_tok_add_form, .which = BT_NFC},
	     {"NFD", {"type"}, .add = bt_tok_add_form, .which = BT_NFD},
	     {"NFKC", {"type"}, .add = bt_tok_add_form, .which = BT_NFKC},
	     {"NFKD", {"type"}, .add = bt_tok_add_form, .which = BT_NFKD}}};

	return read_part(t, &norms, o, 0, err);
}

static int read_whitespace(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	(void)o;
	return bt_tok_add_pretok(t, bt_pre_tokenizer_whitespace_split(), err,
	                         "whitespace");
}

/* Files before version 0.15 have add_prefix_space for prepend_scheme. */
static int read_metaspace(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	static const char *const names[] = {"always", "first", "never"};
	const char *scheme = names[0], *mark = NULL;
	bool prefix = true, split = true;
	int r, i;

	if ((r = bt_json_str(o, "replacement", &mark, err)) ||
	    (r = bt_json_bool(o, "add_prefix_space", &prefix, err)))
		return r;
	if (!prefix)
		scheme = "never";
	if ((r = bt_json_str(o, "prepend_scheme", &scheme, err)) ||
	    (r = bt_json_bool(o, "split", &split, err)))
		return r;
	i = BT_STR_ROW(scheme, names);
	if (i < 0 || (!prefix && i != BT_PREPEND_NEVER))
		return bt_error_set(err, BT_EFORMAT,
		                    "prepend_scheme '%.100s' is not supported",
		                    scheme);
	return bt_tok_add_metaspace(t, bt_span(mark), (enum bt_prepend)i, split,
	                            err);
}

int bt_tok_json_pretok(struct bt_tok *t, json_t *o, struct bt_error *err)
{
	static const struct kind pretoks = {
	    "pre_tokenizer",
	    "pretokenizers",
	    {{"ByteLevel",
	      {"type", "!add_prefix_space", "!trim_offsets", "use_regex"},
	      .read = bt_tok_json_bytes},
	     {"BertPreTokenizer", {"type"}, .read = bt_tok_json_bert},
	     {"Whitespace", {"type"}, .read = bt_tok_json_whitespace},
	     {"Punctuation",
	      {"type", "behavior"},
	      .read = bt_tok_json_punctuation},
	     {"Digits",
	      {"type", "!individual_digits"},
	      .read = bt_tok_json_digits},
	     {"Split",
	      {"type", "pattern", "!behavior", "!invert"},
	      .read = bt_tok_json_split},
	     {"WhitespaceSplit", {"type"}, .read = read_whitespace},
	     {"Metaspace",
	      {"type", "!replacement", "prepend_scheme", "split",
	       "add_prefix_space", "str_rep"},
	      .read = read_metaspace}}};

	return read_part(t, &pretoks, o, 0, err);
}
