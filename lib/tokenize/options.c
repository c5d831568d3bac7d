/* SPDX-License-Identifier: MIT */
/* From the words of a command line to what they mean. */
#include "tokenize/options.h"

#include <string.h>

#include "base/num.h"
#include "tokenize/input_meta_data.h"
#include "tokenizer_file/tokenizer_file.h"

static bool is(const char *value, const char *word)
{
	return value != NULL && strcmp(value, word) == 0;
}

/* What goes with windows, and with the way back. */
static int check_way(const struct bt_tokenize_options *o, struct bt_error *err)
{
	if (o->skip_special && !o->detokenize)
		return bt_error_set(err, BT_EARG,
		                    "--skip-special goes with --detokenize");
	if (o->detokenize && (o->meta != NULL || o->stride.given ||
	                      o->pad != NULL || !is(o->layout, "full")))
		return bt_error_set(err, BT_EARG,
		                    "--detokenize makes text: no "
		                    "--layout, --pad, --stride or "
		                    "--meta-data goes with it");
	if (o->detokenize && o->format != NULL && !is(o->format, "json"))
		return bt_error_set(err, BT_EARG,
		                    "--detokenize writes lines of "
		                    "text, or --format json");
	if (o->keep_text && (o->detokenize || !is(o->layout, "full") ||
	                     (o->format != NULL && !is(o->format, "tfrecord"))))
		return bt_error_set(err, BT_EARG,
		                    "--keep-text is for --format tfrecord and "
		                    "--layout full");
	if (o->stride.given && o->no_truncation)
		return bt_error_set(err, BT_EARG,
		                    "--stride cuts, --no-truncation does not");
	return BT_OK;
}

int bt_tokenize_options_check(struct bt_tokenize_options *o,
                              struct bt_error *err)
{
	if (o->model == NULL)
		return bt_error_set(err, BT_EARG, "no model given: use -m DIR");
	if (o->explain && o->format != NULL && !is(o->format, "explain"))
		return bt_error_set(err, BT_EARG,
		                    "--explain is --format explain");
	if (o->explain)
		o->format = "explain";
	if (o->pad != NULL && !is(o->pad, "none") &&
	    bt_parse_i64(o->pad, 1, 1 << 30, &o->pad_to) != BT_OK)
		return bt_error_set(err, BT_EARG,
		                    "bad value '%s' for --pad: expected none "
		                    "or a whole number",
		                    o->pad);
	if (o->pad_to != 0 && o->max_length > o->pad_to)
		return bt_error_set(err, BT_EARG,
		                    "--pad %lld is smaller than --max-length "
		                    "%lld",
		                    (long long)o->pad_to,
		                    (long long)o->max_length);
	if (o->attend_pad && o->pad_to == 0)
		return bt_error_set(err, BT_EARG,
		                    "--attend-pad goes with --pad N");
	if (o->format != NULL && !is(o->format, "tfrecord") && o->attend_pad)
		return bt_error_set(err, BT_EARG,
		                    "--attend-pad is about input_mask, which "
		                    "only --format tfrecord has");
	if (o->format != NULL && !is(o->format, "tfrecord") &&
	    (o->meta != NULL || !is(o->layout, "full")))
		return bt_error_set(err, BT_EARG,
		                    "--layout and --meta-data are for "
		                    "--format tfrecord");
	if (o->pad_to == 0 && (o->meta != NULL || !is(o->layout, "full")))
		return bt_error_set(err, BT_EARG,
		                    "TensorFlow wants records of one length: "
		                    "%s%s goes with --pad N",
		                    o->meta != NULL ? "--meta-data"
		                                    : "--layout ",
		                    o->meta != NULL ? "" : o->layout);
	if ((o->meta == NULL) != (o->part == NULL) ||
	    (o->meta == NULL && o->processor != NULL))
		return bt_error_set(err, BT_EARG,
		                    "--meta-data FILE, --part NAME "
		                    "and --processor go together");
	if (o->labels != NULL && o->label_type != NULL &&
	    !is(o->label_type, "class"))
		return bt_error_set(err, BT_EARG,
		                    "--labels are for --label-type class, "
		                    "not %s",
		                    o->label_type);
	if (o->expect != 0 && o->lines)
		return bt_error_set(
		    err, BT_EARG,
		    "--expect counts records, and --lines reads lines");
	return check_way(o, err);
}

int bt_tokenize_options_open(const struct bt_tokenize_options *o,
                             const struct bt_log *log, struct bt_tok **tok,
                             struct bt_error *err)
{
	struct bt_tok_opts t = BT_TOK_OPTS_INIT;
	const char *dialect = o->dialect;

	/* whose layout it is, his tokens are wanted */
	if (dialect == NULL && !is(o->layout, "full"))
		dialect = is(o->layout, "bert") ? "google" : o->layout;
	if (dialect != NULL)
		t.dialect = is(dialect, "google")        ? BT_TOK_GOOGLE
		            : is(dialect, "modelgarden") ? BT_TOK_GARDEN
		                                         : BT_TOK_HF;
	if (o->lower != NULL)
		t.lower = is(o->lower, "yes");
	t.log = log;
	return bt_tok_open(o->model, &t, tok, err);
}

int bt_tokenize_options_labels(const struct bt_tokenize_options *o,
                               struct bt_labels *l,
                               struct bt_tokenize_opts *how,
                               struct bt_error *err)
{
	int r;

	how->layout = is(o->layout, "bert")          ? BT_LAYOUT_BERT
	              : is(o->layout, "modelgarden") ? BT_LAYOUT_GARDEN
	                                             : BT_LAYOUT_FULL;
	how->label_type = is(o->label_type, "int")     ? BT_LABEL_INT
	                  : is(o->label_type, "float") ? BT_LABEL_FLOAT
	                  : is(o->label_type, "none")  ? BT_LABEL_NONE
	                                               : BT_LABEL_CLASS;
	how->dummy_label = o->dummy;
	how->number_of_id = is(o->example_id, "id");
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
		return bt_error_set(err, BT_EARG,
		                    "meta data tell how many labels there are: "
		                    "give --labels");
	return bt_metadata_check(o->meta, &m, err);
}

int bt_tokenize_options_settle(const struct bt_tokenize_options *o,
                               const struct bt_tok *tok,
                               struct bt_tokenize_opts *how,
                               struct bt_error *err)
{
	int r;

	how->format = is(o->format, "ids")       ? BT_TOKENIZE_IDS
	              : is(o->format, "json")    ? BT_TOKENIZE_JSON
	              : is(o->format, "explain") ? BT_TOKENIZE_EXPLAIN
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
	how->mend = o->mend;
	how->keep_text = o->keep_text;
	how->which = is(o->truncation, "only_first") ? BT_TOK_TRUNCATION_FIRST
	             : is(o->truncation, "only_second")
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
