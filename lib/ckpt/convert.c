/* SPDX-License-Identifier: MIT */
#include "ckpt/convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "base/str.h"
#include "ckpt/cast.h"
#include "ckpt/identify.h"
#include "ckpt/open.h"
#include "ckpt/rename.h"
#include "format/hf_config.h"
#include "format/json.h"
#include "format/model_files.h"
#include "io/path.h"
#include "io/url.h"
#include "tensor/checkpoint_reader.h"

#define MANY 20 /* names in a message */

static bool is(const char *s, const char *word)
{
	return s != NULL && strcmp(s, word) == 0;
}

/* The format that was given, or what the name of the target says; or NULL. */
static const char *format_of(const struct bt_convert *r)
{
	const char *path = r->to;

	if (r->format != NULL)
		return r->format;
	if (r->shard_size != NULL || bt_str_ends(path, ".safetensors") ||
	    bt_path_means_dir(path))
		return "safetensors";
	if (bt_str_ends(path, ".npz"))
		return "npz";
	if (bt_str_ends(path, ".gguf"))
		return "gguf";
	if (bt_str_ends(path, "weights.h5") &&
	    !bt_str_ends(path, ".weights.h5"))
		return "keras";
	if (bt_str_ends(path, ".h5"))
		return "h5";
	if (bt_str_ends(path, ".ckpt") || bt_str_ends(path, ".index"))
		return "tf1";
	return NULL;
}

static bool is_tensorflow(const char *format)
{
	return is(format, "tf1") || is(format, "tf2");
}

static bool is_hdf5(const char *format)
{
	return is(format, "h5") || is(format, "keras");
}

/* Whether a format goes with names of its own. */
static bool has_names(const char *format)
{
	return is_tensorflow(format) || is_hdf5(format) || is(format, "gguf");
}

int bt_convert_check(const struct bt_convert *r, struct bt_error *err)
{
	const char *format = format_of(r);
	size_t n;

	if (bt_url_refuse(r->from, BT_URL_DIR, err) != BT_OK ||
	    bt_url_refuse(r->to, BT_URL_DIR_OUT, err) != BT_OK)
		return BT_EREMOTE;
	if (format == NULL)
		return bt_error_set(err, BT_EARG,
		                    "'%s' does not say which format it is to "
		                    "have: --to is needed",
		                    r->to);
	if (has_names(format) && r->names != NULL &&
	    strcmp(r->names, format) != 0 && !is(r->names, "keep") &&
	    !is(r->names, "hf"))
		return bt_error_set(err, BT_EARG,
		                    "--names %s does not go with --to %s",
		                    r->names, format);
	if (is(format, "keras") && bt_str_ends(r->to, ".weights.h5"))
		return bt_error_set(err, BT_EARG,
		                    "'%s' is a name by which Keras knows "
		                    "another form, which is not written "
		                    "(weights.h5, without the point)",
		                    r->to);
	if (r->shard_size == NULL)
		return BT_OK;
	if (bt_parse_bytes(r->shard_size, &n) != BT_OK || n == 0)
		return bt_error_set(err, BT_EARG,
		                    "--shard-size needs a number of bytes, not "
		                    "'%s'",
		                    r->shard_size);
	if (!is(format, "safetensors") || bt_str_ends(r->to, ".safetensors"))
		return bt_error_set(err, BT_EARG,
		                    "--shard-size needs a directory to put "
		                    "files of safetensors into");
	return BT_OK;
}

static int choose(struct bt_convert *r, struct bt_named_list *l,
                  struct bt_error *err)
{
	int i, e = BT_OK;
	size_t n;

	for (i = 0; i < r->n_drop && e == BT_OK; i++) {
		e = bt_rename_drop(l, r->drop[i], &n, err);
		if (e == BT_OK)
			r->report.dropped += n;
	}
	for (i = 0; i < r->n_rename && e == BT_OK; i++) {
		e = bt_rename(l, r->rename[i], &n, err);
		if (e == BT_OK)
			r->report.renamed += n;
	}
	if (e == BT_OK && l->n == 0)
		e = bt_error_set(err, BT_EARG, "'%s': no tensor is left",
		                 r->from);
	return e;
}

/* The heads that were given, or those of the configuration that stands beside
 * the checkpoint. */
static int find_heads(const struct bt_convert *r, int *heads,
                      struct bt_error *err)
{
	char *dir = bt_path_of(r->from), *path = NULL;
	int64_t n = r->heads;
	json_t *o = NULL;
	int e = BT_OK;

	if (dir == NULL)
		e = bt_error_nomem(err, "reading a configuration");
	if (e == BT_OK && n == 0)
		e = bt_hf_config_find(dir, &o, &path, err);
	if (e == BT_OK && o != NULL) {
		e = bt_json_int(o, "num_attention_heads", 1, 1 << 20, &n, err);
		if (e != BT_OK)
			bt_error_prefix(err, "'%s'", path);
	}
	if (e == BT_OK && n == 0)
		e = bt_error_hint(
		    err, BT_HINT_CKPT_HEADS,
		    bt_error_set(err, BT_EARG,
		                 "the number of attention heads is not known: "
		                 "'%s' does not hold a configuration",
		                 dir));
	*heads = (int)n;
	json_decref(o);
	free(path);
	free(dir);
	return e;
}

/* TensorFlow counts saves in the file; elsewhere that is no tensor. */
static void drop_counter(struct bt_named_list *l)
{
	static const char name[] = "save_counter/.ATTRIBUTES/VARIABLE_VALUE";
	size_t i;

	for (i = l->n; i-- > 0;)
		if (strcmp(l->v[i].name, name) == 0)
			bt_names_drop(l, i);
}

/* What a file holds twice, and what other programs do not take for weights. */
static void drop_buffers(struct bt_named_list *l, bool ids)
{
	size_t i;

	for (i = l->n; i-- > 0;)
		if (l->v[i].again ||
		    (ids &&
		     bt_str_ends(l->v[i].name, "embeddings.position_ids")))
			bt_names_drop(l, i);
}

static void list_unknown(struct bt_convert_report *rep,
                         const struct bt_named_list *l)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		if (l->v[i].known)
			continue;
		if (rep->unknown++ >= MANY)
			continue;
		if (rep->unknown > 1)
			bt_buf_puts(&rep->unknown_names, ", ");
		bt_buf_puts(&rep->unknown_names, l->v[i].name);
	}
	if (rep->unknown > MANY)
		bt_buf_puts(&rep->unknown_names, ", ...");
}

/* Whether names of a format are given up for Hugging Face's unless told. */
static bool renames(const char *format)
{
	return is(format, "tensorflow") || is(format, "hdf5") ||
	       is(format, "gguf");
}

/* Kinds of names by the word for them. */
static const struct {
	const char *word, *whose;
	enum bt_names names;
} kinds[] = {
    {"hf", "names of Hugging Face", BT_NAMES_HF},
    {"tf1", "names of TensorFlow 1", BT_NAMES_TF1},
    {"tf2", "names of Model Garden", BT_NAMES_TF2},
    {"gguf", "names of llama.cpp", BT_NAMES_GGUF},
    {"h5", "names of Hugging Face for TensorFlow", BT_NAMES_H5},
    {"keras", "names of a Keras model", BT_NAMES_KERAS},
};

/* Into names of a kind, where the model's family has such. */
static int name_as(const struct bt_convert *r, size_t kind,
                   struct bt_named_list *l, const struct bt_ckpt *c,
                   struct bt_error *err)
{
	enum bt_names to = kinds[kind].names;
	struct bt_ckpt_family f;
	int heads = 0, e;

	e = bt_ckpt_family(c, r->from, &f, err);
	if (e != BT_OK)
		return e;
	if (f.family != NULL && !bt_names_known(to, f.family))
		e = bt_error_hint(
		    err, BT_HINT_CKPT_KEEP_NAMES,
		    bt_error_set(err, BT_EFORMAT,
		                 "'%s' is a model of the family %s, which does "
		                 "not have %s; it can be written as "
		                 "safetensors, npz%s or onnx",
		                 r->from, f.family, kinds[kind].whose,
		                 bt_names_known(BT_NAMES_H5, f.family) ? ", h5"
		                                                       : ""));
	else if (f.family == NULL &&
	         (to == BT_NAMES_H5 || to == BT_NAMES_KERAS))
		e = bt_error_hint(
		    err, BT_HINT_CKPT_KEEP_NAMES,
		    bt_error_set(err, BT_EFORMAT,
		                 "'%s' is not of a known family of models, so "
		                 "it does not have %s",
		                 r->from, kinds[kind].whose));
	if (e == BT_OK && to == BT_NAMES_TF2)
		e = find_heads(r, &heads, err);
	if (e == BT_OK)
		e = bt_names_to(l, to, f.family, heads, err);
	bt_ckpt_family_clear(&f);
	return e;
}

static int name_all(struct bt_convert *r, const char *format,
                    struct bt_named_list *l, const struct bt_ckpt *c,
                    struct bt_error *err)
{
	const char *to = r->names;
	size_t kind = 0;
	int e;

	if (to == NULL && has_names(format))
		to = format;
	if (is(to, "keep") || (to == NULL && !renames(bt_ckpt_format(c)))) {
		r->report.names = "names kept";
		return BT_OK;
	}
	while (to != NULL && !is(to, kinds[kind].word))
		kind++;
	r->report.names = kinds[kind].whose;
	e = bt_names_hf(l, c, err);
	if (e != BT_OK)
		return e;
	drop_buffers(l, kinds[kind].names >= BT_NAMES_GGUF);
	if (kinds[kind].names != BT_NAMES_TF2)
		drop_counter(l);
	if (kinds[kind].names != BT_NAMES_HF)
		e = name_as(r, kind, l, c, err);
	r->report.no_pooler = l->no_pooler;
	if (e == BT_OK)
		list_unknown(&r->report, l);
	return e;
}

/* The file to write, for a directory one in it. */
static const char *target(struct bt_convert *r, const char *format)
{
	const char *slash = bt_str_ends(r->to, "/") ? "" : "/";
	size_t n = strlen(r->to);

	bt_buf_reset(&r->path);
	bt_buf_puts(&r->path, r->to);
	if (bt_path_means_dir(r->to)) {
		if (is(format, "safetensors"))
			bt_buf_printf(&r->path, "%s" BT_FILE_WEIGHTS, slash);
		else if (is_hdf5(format))
			bt_buf_printf(&r->path, "%s%s", slash,
			              is(format, "h5") ? BT_FILE_TF_KERAS
			                               : "weights.h5");
		else if (!is_tensorflow(format))
			bt_buf_printf(&r->path, "%smodel.%s", slash, format);
		else
			bt_buf_printf(&r->path, "%s" BT_FILE_TF_STEM, slash);
	} else if (is_tensorflow(format) && bt_str_ends(r->to, ".index")) {
		r->path.len = n - strlen(".index");
	}
	return bt_buf_str(&r->path);
}

static int write_as(struct bt_convert *r, const char *format,
                    const struct bt_tensor_source *s, struct bt_error *err)
{
	static const struct bt_ckpt_note note = {"format", "pt"};
	const char *path;
	size_t most;

	if ((bt_str_ends(r->to, "/") || r->shard_size != NULL) &&
	    mkdir(r->to, 0777) != 0 && errno != EEXIST)
		return bt_error_sys(err, errno, "cannot make '%s'", r->to);
	path = target(r, format);
	if (path == NULL)
		return bt_error_nomem(err, "writing a checkpoint");
	r->report.path = path;
	if (r->shard_size != NULL) {
		r->report.path = r->to;
		if (bt_parse_bytes(r->shard_size, &most) != BT_OK)
			return bt_error_set(err, BT_EARG, "no size");
		return bt_safetensors_write_shards(s, r->to, most, &note, 1,
		                                   err);
	}
	if (is(format, "safetensors"))
		return bt_safetensors_write_tensors(s, path, &note, 1, err);
	if (is(format, "npz"))
		return bt_npz_write(s, path, err);
	if (is_hdf5(format)) /* names that are kept have no order */
		return bt_keras_h5_write(s, path, r->names == NULL, err);
	if (is(format, "gguf"))
		return bt_gguf_write(s, path, r->from, err);
	return bt_tf_bundle_write(s, path, err);
}

/* A model directory is to load at once. */
static int copy_beside(struct bt_convert *r, struct bt_error *err)
{
	if (r->shard_size == NULL && !bt_path_means_dir(r->to))
		return BT_OK;
	return bt_sidecar_copy(r->from, r->to, &r->report.copied, err);
}

static int convert(struct bt_convert *r, const struct bt_named_list *l,
                   const char *format, struct bt_error *err)
{
	enum bt_dtype dtype = BT_DTYPES;
	struct bt_cast *recode;
	const struct bt_tensor_source *s;
	size_t i;
	int e;

	if (r->dtype != NULL)
		dtype = is(r->dtype, "f32")    ? BT_DTYPE_F32
		        : is(r->dtype, "bf16") ? BT_DTYPE_BF16
		                               : BT_DTYPE_F16;
	e = bt_cast_new(l, dtype, &recode, err);
	if (e != BT_OK)
		return e;
	bt_cast_behind(recode, r->behind);
	s = bt_cast_source(recode);
	e = write_as(r, format, s, err);
	if (e == BT_OK)
		e = copy_beside(r, err);
	r->report.format = is_tensorflow(format) ? "tensorflow"
	                   : is_hdf5(format)     ? "hdf5"
	                                         : format;
	r->report.tensors = s->count;
	for (i = 0; i < s->count; i++)
		r->report.bytes += s->tensors[i].bytes;
	r->report.overflows = bt_cast_overflows(recode);
	bt_cast_free(recode);
	return e;
}

int bt_convert_run(struct bt_convert *r, struct bt_error *err)
{
	const char *format = format_of(r);
	struct bt_named_list l = {.n = 0};
	struct bt_ckpt *c;
	int e = bt_convert_check(r, err);

	if (e == BT_OK)
		e = bt_ckpt_open(r->from, &c, err);
	if (e != BT_OK)
		return e;
	e = bt_names_init(&l, c, err);
	if (e == BT_OK)
		e = choose(r, &l, err);
	if (e == BT_OK)
		e = name_all(r, format, &l, c, err);
	if (e == BT_OK)
		e = convert(r, &l, format, err);
	bt_names_clear(&l);
	bt_ckpt_close(c);
	return e;
}

void bt_convert_clear(struct bt_convert *r)
{
	bt_buf_clear(&r->report.unknown_names);
	bt_buf_clear(&r->path);
}
