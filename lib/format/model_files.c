/* SPDX-License-Identifier: MIT */
#include "format/model_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/json.h"
#include "io/path.h"

#define TOKENS (BT_USE_TOKENS | BT_USE_OPENS)
#define LINES (TOKENS | BT_USE_WORDPIECE)
#define SPM (TOKENS | BT_USE_SPM)
#define SENTENCE (BT_USE_SETTINGS | BT_USE_SENTENCE)

/* Weights in the order in which transformers looks for them. */
static const struct bt_model_file files[] = {
    {BT_FILE_CONFIG, BT_USE_CONFIG, NULL},
    {"bert_config.json", BT_USE_CONFIG, NULL},
    {"albert_config.json", BT_USE_CONFIG, NULL},

    {BT_FILE_WEIGHTS, BT_USE_WEIGHTS, NULL},
    {BT_FILE_SHARDS, BT_USE_WEIGHTS, NULL},
    {"pytorch_model.bin", BT_USE_WEIGHTS, NULL},
    {"pytorch_model.bin.index.json", BT_USE_WEIGHTS, NULL},
    {BT_FILE_TF_KERAS, BT_USE_WEIGHTS, NULL},
    {"tf_model.h5.index.json", BT_USE_WEIGHTS, NULL},
    {BT_FILE_KERAS_WEIGHTS, BT_USE_WEIGHTS, NULL}, /* of KerasHub */
    {BT_FILE_KERAS_SHARDS, BT_USE_WEIGHTS, NULL},

    {BT_FILE_TOKENIZER, TOKENS, NULL},
    {BT_FILE_VOCAB, LINES, NULL},
    {"vocab_chinese.txt", LINES, BT_FILE_VOCAB}, /* of ALBERT */
    {"assets/vocab.txt", TOKENS, BT_FILE_VOCAB}, /* of a SavedModel */
    {BT_FILE_KERAS_VOCAB, TOKENS, BT_FILE_VOCAB},
    {BT_FILE_IDS, TOKENS, NULL},
    {BT_FILE_MERGES, BT_USE_TOKENS, NULL},
    {"sentencepiece.bpe.model", SPM, NULL},
    {"spiece.model", SPM, NULL},
    {"spm.model", SPM, NULL},
    {"tokenizer.model", SPM, NULL},
    {"30k-clean.model", SPM, "spiece.model"}, /* of ALBERT */

    {BT_FILE_TOKENIZER_CONFIG, BT_USE_SETTINGS, NULL},
    {BT_FILE_SPECIALS, BT_USE_SPECIALS, NULL},
    {BT_FILE_ADDED, BT_USE_SPECIALS, NULL},
    {BT_FILE_MODULES, BT_USE_SETTINGS, NULL},
    {BT_FILE_SENTENCE, SENTENCE, NULL},
    {"sentence_roberta_config.json", SENTENCE, BT_FILE_SENTENCE},
    {"sentence_distilbert_config.json", SENTENCE, BT_FILE_SENTENCE},
    {"sentence_camembert_config.json", SENTENCE, BT_FILE_SENTENCE},
    {"sentence_albert_config.json", SENTENCE, BT_FILE_SENTENCE},
    {"sentence_xlm-roberta_config.json", SENTENCE, BT_FILE_SENTENCE},
    {BT_FILE_PROMPTS, BT_USE_SETTINGS, NULL},
    {"1_Pooling/config.json", BT_USE_SETTINGS, NULL}, /* of modules.json */
    {"2_Normalize/config.json", BT_USE_SETTINGS, NULL},
    {"2_Dense/config.json", BT_USE_SETTINGS, NULL},
    {"2_Dense/model.safetensors", BT_USE_SETTINGS, NULL},
    {"2_Dense/pytorch_model.bin", BT_USE_SETTINGS, NULL},
    {"3_Normalize/config.json", BT_USE_SETTINGS, NULL},
    {"3_Dense/config.json", BT_USE_SETTINGS, NULL},
    {"3_Dense/model.safetensors", BT_USE_SETTINGS, NULL},
    {"3_Dense/pytorch_model.bin", BT_USE_SETTINGS, NULL},
    {"4_Normalize/config.json", BT_USE_SETTINGS, NULL},
};

#define FILES (sizeof(files) / sizeof(files[0]))

const struct bt_model_file *
bt_model_files_next(const struct bt_model_file *behind, unsigned uses)
{
	const struct bt_model_file *f = behind != NULL ? behind + 1 : files;

	while (f < files + FILES && (f->use & uses) == 0)
		f++;
	return f < files + FILES ? f : NULL;
}

char *bt_model_files_encoder(const char *dir)
{
	char *modules = bt_path_join(dir, BT_FILE_MODULES), *found = NULL;
	const char *path = "";
	json_t *list = NULL;

	if (bt_path_there(modules) &&
	    bt_json_load_list(modules, &list, NULL) == BT_OK &&
	    bt_json_str(json_array_get(list, 0), "path", &path, NULL) ==
	        BT_OK &&
	    *path != '\0' && bt_path_is_inside(path))
		found = bt_path_join(dir, path);
	json_decref(list);
	free(modules);
	return found != NULL ? found : bt_strndup(dir, strlen(dir));
}

int bt_model_files_find(const char *dir, unsigned uses,
                        const struct bt_model_file **found, char **path,
                        struct bt_error *err)
{
	const struct bt_model_file *f = NULL;
	char *p, *in = bt_model_files_encoder(dir);

	while ((f = bt_model_files_next(f, uses)) != NULL) {
		p = bt_path_join(in, f->name);
		if (bt_path_there(p)) {
			if (path != NULL)
				*path = p;
			else
				free(p);
			break;
		}
		free(p);
	}
	(void)err;
	free(in);
	*found = f;
	return BT_OK;
}
