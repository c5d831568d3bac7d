/* SPDX-License-Identifier: MIT */
/* From the words of a command line to what they mean. */
#include "tokenize/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/sentence.h"
#include "tokenize/input_meta_data.h"
#include "tokenizer_file/tokenizer_file.h"

int bt_tokenize_options_open(const struct bt_tokenize_options *o,
                             const struct bt_log *log, struct bt_tok **tok,
                             struct bt_error *err)
{
	struct bt_tok_opts t = BT_TOK_OPTS_INIT;
	const char *dialect = o->dialect;

	/* whose layout it is, his tokens are wanted */
	if (dialect == NULL && !bt_str_is(o->layout, "full"))
		dialect = bt_str_is(o->layout, "bert") ? "google" : o->layout;
	if (dialect != NULL)
		t.dialect = bt_str_is(dialect, "google")        ? BT_TOK_GOOGLE
		            : bt_str_is(dialect, "modelgarden") ? BT_TOK_GARDEN
		                                                : BT_TOK_HF;
	if (o->lower != NULL)
		t.lower = bt_str_is(o->lower, "yes");
	t.log = log;
	return bt_tok_open(o->model, &t, tok, err);
}

int bt_tokenize_options_labels(const struct bt_tokenize_options *o,
                               struct bt_labels *l,
                               struct bt_tokenize_opts *how,
                               struct bt_error *err)
{
	int r;

	how->layout = bt_str_is(o->layout, "bert")          ? BT_LAYOUT_BERT
	              : bt_str_is(o->layout, "modelgarden") ? BT_LAYOUT_GARDEN
	                                                    : BT_LAYOUT_FULL;
	how->label_type = bt_str_is(o->label_type, "int")     ? BT_LABEL_INT
	                  : bt_str_is(o->label_type, "float") ? BT_LABEL_FLOAT
	                  : bt_str_is(o->label_type, "none")  ? BT_LABEL_NONE
	                                                      : BT_LABEL_CLASS;
	how->dummy_label = o->dummy;
	how->number_of_id = bt_str_is(o->example_id, "id");
	if (how->label_type != BT_LABEL_CLASS)
		return BT_OK;
	r = o->labels != NULL ? bt_labels_parse(o->labels, l, err)
	                      : bt_labels_load(o->model, l, err);
	how->labels = r == BT_OK && l->n > 0 ? l : NULL;
	how->model_labels = o->labels == NULL;
	how->only_labels =
	    how->labels != NULL &&
	    (o->labels != NULL || how->layout != 0 || o->meta != NULL);
	return r;
}

static int warn_default_prompt(const char *model, const struct bt_log *log,
                               struct bt_error *err)
{
	char *name;
	int r = bt_sentence_default_prompt(model, &name, err);

	if (r == BT_OK && name != NULL)
		bt_log_warn(log, "prompt-left-out", BT_HINT_PROMPT,
		            "texts are tokenized without the prompt '%s', "
		            "which sentence-transformers puts before each by "
		            "default",
		            name);
	free(name);
	return r;
}

/* A model that does not pool what stands before the text would pool it here. */
static int check_prompt(const char *model, struct bt_error *err)
{
	struct bt_error why = {0};
	struct bt_sentence s;

	if (bt_sentence_read(model, &s, &why) != BT_OK || !s.leaves_prompt)
		return BT_OK; /* any other pooling has the prompt in it */
	return bt_error_set(err, BT_EFORMAT,
	                    "the model '%s' leaves the prompt out of its "
	                    "pooling ('include_prompt' is false), which is not "
	                    "supported",
	                    model);
}

int bt_tokenize_options_prompt(const struct bt_tokenize_options *o,
                               const struct bt_log *log, char **prompt,
                               struct bt_tokenize_opts *how,
                               struct bt_error *err)
{
	int r = BT_OK;

	*prompt = NULL;
	if (o->prompt_text != NULL)
		*prompt = bt_strndup(o->prompt_text, strlen(o->prompt_text));
	else if (o->prompt != NULL)
		r = bt_sentence_prompt(o->model, o->prompt, prompt, err);
	else
		r = warn_default_prompt(o->model, log, err);
	if (r != BT_OK)
		return bt_error_hint(
		    err, o->prompt != NULL ? BT_HINT_PROMPT_TEXT : BT_HINT_NONE,
		    r);
	how->prompt = *prompt != NULL && **prompt != '\0' ? *prompt : NULL;
	return how->prompt != NULL ? check_prompt(o->model, err) : BT_OK;
}

static struct bt_metadata metadata(const struct bt_tokenize_options *o,
                                   const struct bt_tokenize_opts *how)
{
	return (struct bt_metadata){
	    .part = o->part,
	    .processor = o->processor,
	    .label_type = how->label_type,
	    .max_length = how->pad,
	    .labels = how->labels != NULL ? how->labels->n : 0};
}

/* What was asked for must fit the meta data that are there. */
static int check_metadata(const struct bt_tokenize_options *o,
                          const struct bt_tokenize_opts *how,
                          struct bt_error *err)
{
	struct bt_metadata m = metadata(o, how);

	if (o->meta == NULL)
		return BT_OK;
	if (how->label_type == BT_LABEL_CLASS && how->labels == NULL)
		return bt_error_hint(
		    err, BT_HINT_GIVE_LABELS,
		    bt_error_set(err, BT_EARG,
		                 "the meta data need the number of labels"));
	return bt_metadata_check(o->meta, &m, err);
}

/* Windows of questions: as for other texts, or as BERT has them for SQuAD. */
static void settle_questions(const struct bt_tokenize_options *o,
                             struct bt_tokenize_opts *how)
{
	size_t n = how->max_length;

	if (n == 0 || (o->max_length == 0 && o->pad_to == 0 && n > 384))
		n = 384;
	how->question_length = n;
	how->question_stride = how->windows  ? how->stride
	                       : n / 3 < 128 ? n / 3
	                                     : 128;
	how->max_question = (size_t)o->max_question;
}

int bt_tokenize_options_settle(const struct bt_tokenize_options *o,
                               const struct bt_tok *tok,
                               struct bt_tokenize_opts *how,
                               struct bt_error *err)
{
	int r;

	how->format = bt_str_is(o->format, "ids")       ? BT_TOKENIZE_IDS
	              : bt_str_is(o->format, "json")    ? BT_TOKENIZE_JSON
	              : bt_str_is(o->format, "explain") ? BT_TOKENIZE_EXPLAIN
	                                                : BT_TOKENIZE_TFRECORD;
	how->lines = o->lines;
	how->expect = (uint64_t)o->expect;
	how->special = !o->no_special;
	how->cut = !o->no_truncation;
	how->pad = (size_t)o->pad_to;
	how->attend_pad = o->attend_pad;
	how->max_length = o->max_length != 0 ? (size_t)o->max_length
	                  : o->pad_to != 0   ? (size_t)o->pad_to
	                                     : bt_tok_max_length(tok);
	how->windows = o->stride.given;
	how->stride = (size_t)o->stride.n;
	settle_questions(o, how);
	how->mend = o->mend;
	how->keep_text = o->keep_text;
	how->apart = o->apart;
	how->label_all = o->label_all;
	how->fields = o->negative.item;
	how->n_fields = (size_t)o->negative.n;
	how->which = bt_str_is(o->truncation, "only_first")
	                 ? BT_TOK_TRUNCATION_FIRST
	             : bt_str_is(o->truncation, "only_second")
	                 ? BT_TOK_TRUNCATION_SECOND
	                 : BT_TOK_TRUNCATION_LONGEST;
	r = bt_tokenize_check(tok, how, o->model, err);
	return r == BT_OK ? check_metadata(o, how, err) : r;
}

int bt_tokenize_options_tell(const struct bt_tokenize_options *o,
                             const struct bt_tokenize_opts *how,
                             const struct bt_tokenize_stats *s,
                             struct bt_error *err)
{
	struct bt_metadata m = metadata(o, how);

	if (o->meta == NULL)
		return BT_OK;
	return bt_metadata_update(o->meta, &m, s->records, s->weighted > 0,
	                          err);
}
