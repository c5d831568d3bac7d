/* SPDX-License-Identifier: MIT */
/* The decoder of tokenizer.json. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "format/json.h"
#include "tokenizer/decoder.h"
#include "tokenizer/normalizers.h"
#include "tokenizer_file/tokenizer_json_int.h"

#define DEPTH_MAX 8

static int read_wordpiece(struct bt_decoder *d, json_t *o, struct bt_error *err)
{
	const char *prefix = "##";
	bool cleanup = true;
	int r = bt_json_str(o, "prefix", &prefix, err);

	if (r == BT_OK)
		r = bt_json_bool(o, "cleanup", &cleanup, err);
	return r == BT_OK ? bt_decoder_add(d, BT_DECODER_WORDPIECE,
	                                   bt_span(prefix), cleanup, NULL, err)
	                  : r;
}

/* Files before version 0.15 have add_prefix_space for prepend_scheme. */
static int read_metaspace(struct bt_decoder *d, json_t *o, struct bt_error *err)
{
	const char *mark = "\xe2\x96\x81", *scheme = "always";
	bool prefix = true;
	int r = bt_json_str(o, "replacement", &mark, err);

	if (r == BT_OK)
		r = bt_json_bool(o, "add_prefix_space", &prefix, err);
	if (r == BT_OK && !prefix)
		scheme = "never";
	if (r == BT_OK)
		r = bt_json_str(o, "prepend_scheme", &scheme, err);
	if (r == BT_OK && *mark == '\0')
		r = bt_error_set(err, BT_EFORMAT, "'replacement' is empty");
	return r == BT_OK
	           ? bt_decoder_add(d, BT_DECODER_METASPACE, bt_span(mark),
	                            strcmp(scheme, "never") != 0, NULL, err)
	           : r;
}

static int read_bpe(struct bt_decoder *d, json_t *o, struct bt_error *err)
{
	const char *suffix = "</w>";
	int r = bt_json_str(o, "suffix", &suffix, err);

	return r == BT_OK ? bt_decoder_add(d, BT_DECODER_BPE, bt_span(suffix),
	                                   false, NULL, err)
	                  : r;
}

static int read_replace(struct bt_decoder *d, json_t *o, struct bt_error *err)
{
	const json_t *pattern = json_object_get(o, "pattern");
	struct bt_span string =
	    bt_json_text(json_object_get(pattern, "String"));
	struct bt_span regex = bt_json_text(json_object_get(pattern, "Regex"));
	struct bt_span content = bt_json_text(json_object_get(o, "content"));
	struct bt_normalizer *norm = NULL;
	int r;

	if ((string.p == NULL) == (regex.p == NULL) || content.p == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "no 'pattern' or 'content'");
	r = bt_normalizer_replace(string.p != NULL ? string : regex,
	                          regex.p != NULL, content, &norm, err);
	return r == BT_OK ? bt_decoder_add(d, BT_DECODER_REPLACE, bt_span(NULL),
	                                   false, norm, err)
	                  : r;
}

static int read_strip(struct bt_decoder *d, json_t *o, struct bt_error *err)
{
	struct bt_span c = bt_json_text(json_object_get(o, "content"));
	int64_t start = 0, stop = 0;
	int r = bt_json_int(o, "start", 0, INT32_MAX, &start, err);

	if (r == BT_OK)
		r = bt_json_int(o, "stop", 0, INT32_MAX, &stop, err);
	if (r == BT_OK && (c.n == 0 || c.n != bt_utf8_len((uint8_t)*c.p)))
		r = bt_error_set(err, BT_EFORMAT,
		                 "'content' is not one character");
	if (r == BT_OK)
		r = bt_decoder_add(d, BT_DECODER_STRIP, c, false, NULL, err);
	if (r != BT_OK)
		return r;
	d->step[d->n - 1].start = (size_t)start;
	d->step[d->n - 1].stop = (size_t)stop;
	return BT_OK;
}

static int read_decoder(struct bt_decoder *d, json_t *o, int depth,
                        struct bt_error *err)
{
	/* read: NULL for a kind without settings */
	static const struct {
		const char *name;
		int (*read)(struct bt_decoder *d, json_t *o,
		            struct bt_error *err);
		enum bt_decoder_kind kind;
	} type[] = {
	    {"WordPiece", read_wordpiece, 0},
	    {"ByteLevel", NULL, BT_DECODER_BYTES},
	    {"Metaspace", read_metaspace, 0},
	    {"BPEDecoder", read_bpe, 0},
	    {"Replace", read_replace, 0},
	    {"Fuse", NULL, BT_DECODER_FUSE},
	    {"ByteFallback", NULL, BT_DECODER_FALLBACK},
	    {"Strip", read_strip, 0},
	};
	static const char *const known[] = {
	    "type",         "prefix",    "cleanup",     "add_prefix_space",
	    "trim_offsets", "use_regex", "replacement", "prepend_scheme",
	    "split",        "str_rep",   "suffix",      "pattern",
	    "content",      "start",     "stop",        NULL};
	size_t i;
	json_t *v;
	int r = BT_OK;

	if (o == NULL || json_is_null(o))
		return BT_OK;
	if (bt_tok_is_type(o, "Sequence") && depth < DEPTH_MAX) {
		r = bt_tok_list("decoder", o, "decoders", err);
		json_array_foreach(json_object_get(o, "decoders"), i, v)
		{
			if (r == BT_OK)
				r = read_decoder(d, v, depth + 1, err);
		}
		/* with a decoder, if of no steps, nothing parts tokens */
		if (r == BT_OK && depth == 0 && d->n == 0)
			r = bt_decoder_add(d, BT_DECODER_FUSE, bt_span(NULL),
			                   false, NULL, err);
		return r;
	}
	for (i = 0; i < sizeof(type) / sizeof(type[0]); i++)
		if (bt_tok_is_type(o, type[i].name))
			break;
	if (i == sizeof(type) / sizeof(type[0]))
		return bt_tok_unsupported("decoder", o, err);
	r = bt_tok_only("decoder", o, known, err);
	if (r == BT_OK)
		r = type[i].read != NULL
		        ? type[i].read(d, o, err)
		        : bt_decoder_add(d, type[i].kind, bt_span(NULL), false,
		                         NULL, err);
	return r == BT_OK ? BT_OK
	                  : bt_error_prefix(err, "decoder %s", type[i].name);
}

int bt_decoder_read(struct bt_decoder *d, json_t *o, struct bt_error *err)
{
	struct bt_error why = {0};
	int r = read_decoder(d, o, 0, &why);

	if (r == BT_OK)
		return BT_OK;
	bt_decoder_clear(d);
	if (r == BT_ENOMEM)
		return bt_error_nomem(err, "reading a tokenizer");
	d->unknown = bt_strndup(why.text, strlen(why.text));
	return BT_OK;
}
