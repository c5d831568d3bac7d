/* SPDX-License-Identifier: MIT */
#include "ckpt/convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file_use.h"
#include "base/str.h"
#include "ckpt/average.h"
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

/* By enum bt_convert_format. */
static const struct {
	const char *word;
	const char *written; /* the format of the files */
	const char *file;    /* in a directory */
	enum bt_names names; /* which go with it */
} formats[] = {
    {"", "", "", BT_NAMES_DEFAULT},
    {"safetensors", "safetensors", BT_FILE_WEIGHTS, BT_NAMES_DEFAULT},
    {"npz", "npz", "model.npz", BT_NAMES_DEFAULT},
    {"gguf", "gguf", "model.gguf", BT_NAMES_GGUF},
    {"tf1", "tensorflow", BT_FILE_TF_STEM, BT_NAMES_TF1},
    {"tf2", "tensorflow", BT_FILE_TF_STEM, BT_NAMES_TF2},
    {"h5", "hdf5", BT_FILE_TF_KERAS, BT_NAMES_H5},
    {"keras", "hdf5", "weights.h5", BT_NAMES_KERAS},
};

/* By enum bt_names. */
static const struct {
	const char *word, *whose;
} kinds[] = {
    {"", ""},
    {"keep", "names kept"},
    {"hf", "names of Hugging Face"},
    {"tf1", "names of TensorFlow 1"},
    {"tf2", "names of Model Garden"},
    {"gguf", "names of llama.cpp"},
    {"h5", "names of Hugging Face for TensorFlow"},
    {"keras", "names of a Keras model"},
};

enum bt_convert_format bt_convert_format_parse(const char *word)
{
	int i = BT_STR_ROW_BY(word, formats, word);

	return i >= 0 ? (enum bt_convert_format)i : BT_CONVERT_UNKNOWN;
}

enum bt_convert_format bt_convert_format_of(const char *path)
{
	static const struct {
		const char *end;
		enum bt_convert_format format;
	} ends[] = {
	    {".safetensors", BT_CONVERT_SAFETENSORS},
	    {".npz", BT_CONVERT_NPZ},
	    {".gguf", BT_CONVERT_GGUF},
	    {".weights.h5", BT_CONVERT_H5},
	    {"weights.h5", BT_CONVERT_KERAS},
	    {".h5", BT_CONVERT_H5},
	    {".ckpt", BT_CONVERT_TF1},
	    {".index", BT_CONVERT_TF1},
	};
	size_t i;

	if (bt_path_means_dir(path))
		return BT_CONVERT_SAFETENSORS;
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (bt_str_ends(path, ends[i].end))
			return ends[i].format;
	return BT_CONVERT_UNKNOWN;
}

const char *bt_convert_format_word(enum bt_convert_format format)
{
	return formats[format].word;
}

enum bt_names bt_convert_format_names(enum bt_convert_format format)
{
	return formats[format].names;
}

enum bt_names bt_convert_names_parse(const char *word)
{
	int i = BT_STR_ROW_BY(word, kinds, word);

	return i >= 0 ? (enum bt_names)i : BT_NAMES_DEFAULT;
}

/* Whether names of several files can begin as r->to does: a device or a pipe
 * cannot take them. */
static bool names_files(const struct bt_convert *r)
{
	struct stat st;

	return strcmp(r->to, "-") != 0 &&
	       (stat(r->to, &st) != 0 || S_ISREG(st.st_mode) ||
	        S_ISDIR(st.st_mode));
}

int bt_convert_check(const struct bt_convert *r, struct bt_error *err)
{
	int i;

	if (bt_url_refuse(r->from, BT_URL_DIR, err) != BT_OK ||
	    bt_url_refuse(r->to, BT_URL_DIR_OUT, err) != BT_OK)
		return BT_EREMOTE;
	for (i = 0; i < r->n_others; i++)
		if (bt_url_refuse(r->others[i], BT_URL_DIR, err) != BT_OK)
			return BT_EREMOTE;
	if (r->format == BT_CONVERT_KERAS && bt_str_ends(r->to, ".weights.h5"))
		return bt_error_set(err, BT_EARG,
		                    "'%s' is a name by which Keras knows "
		                    "another form, which is not written "
		                    "(weights.h5, without the point)",
		                    r->to);
	if ((r->format == BT_CONVERT_TF1 || r->format == BT_CONVERT_TF2) &&
	    !names_files(r))
		return bt_error_set(err, BT_EARG,
		                    "'%s' takes one stream, and a checkpoint "
		                    "of TensorFlow is two files",
		                    r->to);
	return BT_OK;
}

static void list_idle(struct bt_convert_report *rep, const char *rule)
{
	if (rep->idle++ > 0)
		bt_buf_puts(&rep->idle_rules, ", ");
	bt_buf_printf(&rep->idle_rules, "'%s'", rule);
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
		if (e == BT_OK && n == 0)
			list_idle(&r->report, r->drop[i]);
	}
	for (i = 0; i < r->n_rename && e == BT_OK; i++) {
		e = bt_rename(l, r->rename[i], &n, err);
		if (e == BT_OK)
			r->report.renamed += n;
		if (e == BT_OK && n == 0)
			list_idle(&r->report, r->rename[i]);
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

	if (n == 0)
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

/* Drops what a file holds twice, and what is not a parameter elsewhere: the
 * counter of saves of TensorFlow, ids of positions. */
static void drop_buffers(struct bt_named_list *l, enum bt_names to)
{
	static const char counter[] = "save_counter/.ATTRIBUTES/VARIABLE_VALUE";
	const char *name;
	size_t i;

	for (i = l->n; i-- > 0;) {
		name = l->v[i].name;
		if (l->v[i].again ||
		    (to >= BT_NAMES_GGUF &&
		     bt_str_ends(name, "embeddings.position_ids")) ||
		    (to != BT_NAMES_TF2 && strcmp(name, counter) == 0))
			bt_names_drop(l, i);
	}
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

/* llama.cpp's tables of positions begin with that of the first token. */
static int cut_positions(const struct bt_convert *r, struct bt_named_list *l,
                         const char *family, struct bt_error *err)
{
	char *dir = bt_path_of(r->from);
	int64_t offset = 0;
	json_t *o = NULL;
	int e = bt_hf_config_find(dir, &o, NULL, err);

	if (e == BT_OK && o != NULL && family != NULL)
		e = bt_gguf_position_offset(o, &offset, err);
	if (e == BT_OK && offset > 0)
		e = bt_names_cut_rows(l, "position_embd.weight", offset, err);
	json_decref(o);
	free(dir);
	return e;
}

/* What a file for llama.cpp may not hold, which refuses it then. */
static int leave_out(struct bt_named_list *l, struct bt_error *err)
{
	size_t i;

	for (i = l->n; i-- > 0;)
		if (!l->v[i].known)
			bt_names_drop(l, i);
	return l->n > 0 ? BT_OK
	                : bt_error_set(err, BT_EFORMAT,
	                               "no tensor has a name that llama.cpp "
	                               "has a place for");
}

/* Into names of a kind, where the model's family has such. */
static int name_as(struct bt_convert *r, enum bt_names to,
                   struct bt_named_list *l, const struct bt_ckpt *c,
                   struct bt_error *err)
{
	struct bt_ckpt_family f;
	bool by_head;
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
		                 r->from, f.family, kinds[to].whose,
		                 bt_names_known(BT_NAMES_H5, f.family) ? ", h5"
		                                                       : ""));
	else if (f.family == NULL &&
	         (to == BT_NAMES_H5 || to == BT_NAMES_KERAS))
		e = bt_error_hint(
		    err, BT_HINT_CKPT_KEEP_NAMES,
		    bt_error_set(err, BT_EFORMAT,
		                 "'%s' is not of a known family of models, so "
		                 "it does not have %s",
		                 r->from, kinds[to].whose));
	by_head = to == BT_NAMES_GGUF && bt_str_is(f.family, "neobert");
	if (e == BT_OK && (to == BT_NAMES_TF2 || by_head))
		e = find_heads(r, &heads, err);
	if (e == BT_OK)
		e = bt_names_to(l, to, f.family, heads, err);
	if (e == BT_OK && by_head)
		e = bt_names_by_part(l, ".attn_qkv.weight", heads, err);
	if (e == BT_OK && to == BT_NAMES_GGUF)
		e = cut_positions(r, l, f.family, err);
	r->report.left_out = to == BT_NAMES_GGUF && f.family != NULL;
	bt_ckpt_family_clear(&f);
	return e;
}

static int name_all(struct bt_convert *r, struct bt_named_list *l,
                    const struct bt_ckpt *c, struct bt_error *err)
{
	const char *from = bt_ckpt_format(c);
	enum bt_names to = r->names;
	int e;

	if (to == BT_NAMES_DEFAULT)
		to = formats[r->format].names;
	if (to == BT_NAMES_DEFAULT) /* TensorFlow's names are given up */
		to = strcmp(from, "tensorflow") == 0 ||
		             strcmp(from, "hdf5") == 0 ||
		             strcmp(from, "gguf") == 0
		         ? BT_NAMES_HF
		         : BT_NAMES_KEEP;
	r->report.names = kinds[to].whose;
	if (to == BT_NAMES_KEEP)
		return BT_OK;
	e = bt_names_hf(l, c, err);
	if (e == BT_OK)
		e = bt_names_one_model(l, err);
	if (e != BT_OK)
		return e;
	drop_buffers(l, to);
	if (to != BT_NAMES_HF)
		e = name_as(r, to, l, c, err);
	r->report.no_pooler = l->no_pooler;
	if (e == BT_OK)
		list_unknown(&r->report, l);
	if (e == BT_OK && r->report.left_out)
		e = leave_out(l, err);
	return e;
}

/* The file to write, for a directory one in it. */
static const char *target(struct bt_convert *r)
{
	bt_buf_reset(&r->path);
	bt_buf_puts(&r->path, r->to);
	if (bt_path_means_dir(r->to))
		bt_buf_printf(&r->path, "%s%s",
		              bt_str_ends(r->to, "/") ? "" : "/",
		              formats[r->format].file);
	else if ((r->format == BT_CONVERT_TF1 || r->format == BT_CONVERT_TF2) &&
	         bt_str_ends(r->to, ".index"))
		r->path.len -= strlen(".index");
	return bt_buf_str(&r->path);
}

/* A single file in the directory would be read in place of the shards. */
static int check_alone(const struct bt_convert *r, struct bt_error *err)
{
	char *single = bt_path_join(r->to, BT_FILE_WEIGHTS);
	int e = BT_OK;

	if (bt_path_there(single))
		e = bt_error_set(err, BT_EARG,
		                 "'%s' would be read in place of the shards: "
		                 "remove it, or write them elsewhere",
		                 single);
	free(single);
	return e;
}

static int write_as(struct bt_convert *r, const struct bt_tensor_source *s,
                    struct bt_error *err)
{
	static const struct bt_ckpt_note note = {"format", "pt"};
	const char *path;
	int e = bt_tensor_source_check_names(s, err);

	if (e == BT_OK && r->shard_size != 0)
		e = check_alone(r, err);
	if (e != BT_OK)
		return e;
	if ((bt_str_ends(r->to, "/") || r->shard_size != 0) &&
	    mkdir(r->to, 0777) != 0 && errno != EEXIST)
		return bt_error_sys(err, errno, "cannot make '%s'", r->to);
	path = r->report.path = r->shard_size != 0 ? r->to : target(r);
	if (r->shard_size != 0)
		return bt_safetensors_write_shards(s, path, r->shard_size,
		                                   &note, 1, err);
	switch (r->format) {
	case BT_CONVERT_NPZ:
		return bt_npz_write(s, path, err);
	case BT_CONVERT_GGUF:
		return bt_gguf_write(s, path, r->from, r->q8, err);
	case BT_CONVERT_TF1:
	case BT_CONVERT_TF2:
		return bt_tf_bundle_write(s, path, err);
	case BT_CONVERT_H5:
	case BT_CONVERT_KERAS: /* names that are kept do not have an order */
		return bt_keras_h5_write(s, path, r->names == BT_NAMES_DEFAULT,
		                         err);
	default:
		return bt_safetensors_write_tensors(s, path, &note, 1, err);
	}
}

static int convert(struct bt_convert *r, const struct bt_named_list *l,
                   struct bt_error *err)
{
	const struct bt_tensor_source *s;
	struct bt_cast *cast;
	size_t i;
	int e = bt_cast_new(l, r->dtype, &cast, err);

	if (e != BT_OK)
		return e;
	bt_cast_behind(cast, r->behind);
	s = bt_cast_source(cast);
	e = write_as(r, s, err);
	/* a model directory is to load at once */
	if (e == BT_OK && (r->shard_size != 0 || bt_path_means_dir(r->to)))
		e = bt_sidecar_copy(r->from, r->to, &r->report.copied, err);
	r->report.format = formats[r->format].written;
	r->report.tensors = s->count;
	for (i = 0; i < s->count; i++)
		r->report.bytes += bt_gguf_bytes(&s->tensors[i], r->q8);
	r->report.overflows = bt_cast_overflows(cast);
	bt_cast_free(cast);
	return e;
}

int bt_convert_run(struct bt_convert *r, struct bt_error *err)
{
	struct bt_named_list l = {.n = 0};
	struct bt_ckpt *c;
	int e = bt_convert_check(r, err), i;

	if (e == BT_OK)
		e = bt_sidecar_spare(r->from, r->to, err);
	for (i = 0; i < r->n_others && e == BT_OK; i++)
		e = bt_sidecar_spare(r->others[i], r->to, err);
	if (e != BT_OK)
		return e;
	/* a file that is mapped outlives the one that takes its name */
	bt_file_use_own(r->force);
	e = bt_ckpt_open(r->from, &c, err);
	bt_file_use_own(false);
	if (e != BT_OK)
		return e;
	if (r->force && bt_ckpt_files(c) > 1)
		e = bt_error_set(err, BT_EARG,
		                 "'%s' has %zu files: only a checkpoint of one "
		                 "file can be replaced",
		                 r->from, bt_ckpt_files(c));
	if (e == BT_OK)
		e = bt_ckpt_verify(c, err);
	if (e == BT_OK)
		e = bt_names_init(&l, c, err);
	if (e == BT_OK)
		e = choose(r, &l, err);
	if (e == BT_OK && r->n_others > 0)
		e = bt_ckpt_average(&l, r->others, r->n_others, err);
	if (e == BT_OK)
		e = name_all(r, &l, c, err);
	if (e == BT_OK)
		e = convert(r, &l, err);
	bt_names_clear(&l);
	bt_ckpt_close(c);
	return e;
}

void bt_convert_clear(struct bt_convert *r)
{
	bt_buf_clear(&r->report.unknown_names);
	bt_buf_clear(&r->report.idle_rules);
	bt_buf_clear(&r->path);
}
