/* SPDX-License-Identifier: MIT */
/* The files that make a model directory one of sentence-transformers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "format/json.h"
#include "format/model_files.h"
#include "format/sentence.h"
#include "io/path.h"

#define POOLING "1_Pooling"
#define CLASS "sentence_transformers.models."

static int save(const char *dir, const char *name, json_t *o,
                struct bt_error *err)
{
	char *path = bt_path_join(dir, name);
	int r = bt_json_save(path, o, err);

	json_decref(o);
	free(path);
	return r;
}

static json_t *module(int i, const char *path, const char *class)
{
	const char name[] = {(char)('0' + i), '\0'};

	return json_pack("{s:i, s:s, s:s, s:s+}", "idx", i, "name", name,
	                 "path", path, "type", CLASS, class);
}

static int save_pooling(const char *dir, const struct bt_sentence *s, int width,
                        struct bt_error *err)
{
	char *folder = bt_path_join(dir, POOLING);
	bool cls = strcmp(s->pooling, "cls") == 0;
	bool max = strcmp(s->pooling, "max") == 0;
	int r = BT_OK;

	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		r = bt_error_sys(err, errno, "cannot create '%s'", folder);
	if (r == BT_OK)
		r = save(folder, BT_FILE_CONFIG,
		         json_pack("{s:i, s:b, s:b, s:b, s:b, s:b}",
		                   "word_embedding_dimension", width,
		                   "pooling_mode_cls_token", cls,
		                   "pooling_mode_mean_tokens", !cls && !max,
		                   "pooling_mode_max_tokens", max,
		                   "pooling_mode_mean_sqrt_len_tokens", false,
		                   "include_prompt", !s->leaves_prompt),
		         err);
	free(folder);
	return r;
}

/* The prompts stay those of the model that was trained. */
static int save_prompts(const char *dir, const char *from, struct bt_error *err)
{
	json_t *o = NULL;
	int r = BT_OK;

	if (from != NULL)
		r = bt_json_load_in(from, BT_FILE_PROMPTS, &o, err);
	if (o == NULL)
		o = json_object();
	json_object_del(o, "__version__");
	json_object_set_new(o, "similarity_fn_name", json_string("cosine"));
	if (r == BT_OK)
		return save(dir, BT_FILE_PROMPTS, o, err);
	json_decref(o);
	return r;
}

int bt_sentence_write(const char *dir, const char *from,
                      const struct bt_sentence *s, int width, int longest,
                      struct bt_error *err)
{
	json_t *list = json_array();
	int64_t length = longest;
	bool lower = false;
	int r = BT_OK;

	json_array_append_new(list, module(0, "", "Transformer"));
	json_array_append_new(list, module(1, POOLING, "Pooling"));
	if (s->normalize)
		json_array_append_new(list,
		                      module(2, "2_Normalize", "Normalize"));
	if (from != NULL)
		r = bt_sentence_length(from, &length, &lower, err);
	if (r != BT_OK || (r = save_pooling(dir, s, width, err)) ||
	    (r = save(dir, BT_FILE_SENTENCE,
	              json_pack("{s:I, s:b}", "max_seq_length",
	                        (json_int_t)length, "do_lower_case", lower),
	              err)) ||
	    (r = save_prompts(dir, from, err))) {
		json_decref(list);
		return r;
	}
	return save(dir, BT_FILE_MODULES, list, err);
}

bool bt_sentence_remove(const char *dir)
{
	static const char *const files[] = {BT_FILE_MODULES, BT_FILE_SENTENCE,
	                                    BT_FILE_PROMPTS,
	                                    POOLING "/" BT_FILE_CONFIG};
	bool there = false;
	char *path;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		path = bt_path_join(dir, files[i]);
		there |= unlink(path) == 0;
		free(path);
	}
	path = bt_path_join(dir, POOLING);
	(void)rmdir(path); /* unless something else is in it */
	free(path);
	return there;
}
