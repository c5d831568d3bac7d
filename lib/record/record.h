/* SPDX-License-Identifier: MIT */
/*
 * The two kinds of records that flow between the tools, each a tf.Example.
 *
 * Text record: id, text_a, text_b, label (bytes), weight (float), and label_ids
 * (int64) where the data set numbers its labels. A record of a task in which a
 * text may have any number of labels has them all in label, whose list may be
 * empty, and in label_names (bytes) the names of all labels that there are,
 * where these are known. One with several numbers to predict has them in
 * label_ids (float), and their names in label_names. A record of a sentence
 * whose words are to be tagged has words (bytes) in place of text_a, tags
 * (bytes), one for each, where they are known, before and after (bytes), words
 * that stand around it, and text (bytes), from which the words were cut, if
 * they were. One of a question that a text answers has question and context
 * (bytes) in place of text_a and, where they are known, answers (bytes; none:
 * the context has no answer) and answer_starts (int64), where in the context
 * each begins, in code points. One of a question with choices has these texts
 * in choices (bytes), their names in label_names, and in label the name of the
 * right one, where it is known.
 *
 * Token record: input_ids, input_mask, segment_ids (int64, of equal length, as
 * TensorFlow Model Garden writes them, padded or not), label_ids (int64) where
 * the label set was known, a 1 or 0 for each of several labels, and id, label,
 * label_names (bytes), weight (float) passed along.
 * tokenizer (bytes) is the fingerprint of the vocabulary and settings that made
 * the ids, so that a model can refuse another's tokens. A padded record has
 * is_real_example, too, which TensorFlow's readers ask for. Where a text was
 * cut into windows, window (int64) is the number of the record's, from 0 on.
 * Where the texts of an example stand in records of their own, one behind the
 * other, text_number (int64) is the number of the record's, from 0 on. So it is
 * with the choices of a question, each of which is a pair with the question;
 * label_names names all of them.
 * A record of words has word_ids (int64): for each token the number of its word
 * in words, or -1 where it belongs to none that is to be tagged here; words and
 * tags are passed along. Where label_all (int64) is 1, training learns from all
 * tokens of a word, not only from its first. As TensorFlow Model Garden writes
 * such records they have no words: label_ids is a list of a class for each
 * token that begins a word, and -1 for the others, and sentence_id and
 * sub_sentence_id (int64) number the sentences, and the records that one was
 * divided into, from 0 on. A record of a question has a
 * window of the context behind the question, and for each token token_starts
 * and token_ends (int64), the code points of the context that it stands for,
 * the end excluded, or -1, and max_context (int64), 1 where no other window
 * shows more around the token; start_position and end_position (int64), the
 * tokens of the first answer, or of the class token where the window does not
 * hold all of it, if answers are known; question, context, answers and
 * answer_starts are passed along. start_positions and end_positions, with which
 * Model Garden's create_finetuning_data ends a record that has no places, are
 * read as these tokens, too.
 *
 * Absent is absent: a span with p NULL. An empty text is an empty text.
 * Features that are not named here are ignored when reading.
 */
#ifndef BT_RECORD_RECORD_H
#define BT_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "format/tf_example.h"

/* A feature that only its user knows: one text, or p NULL and it is absent. */
struct bt_passthrough {
	const char *name;
	struct bt_span value;
};

/* Weights of records: 0 or more, but none so small that it is lost, or its
 * inverse infinite, beside others and beside a class's weight. */
#define BT_RECORD_WEIGHT_MIN 1e-30
static inline bool bt_record_weight_is(double w)
{
	return w == 0 || w >= BT_RECORD_WEIGHT_MIN;
}

/* True for the name of a feature that text or token records have. */
bool bt_record_owns(struct bt_span name);

/* A question that a text answers: all absent, or question and context are not.
 * Without a list the answers are not known. */
struct bt_question {
	struct bt_span question, context;
	struct bt_feature answers, starts; /* of equal length */
};

struct bt_text_rec {
	struct bt_span id, text_a, text_b, label;
	bool has_label_id;
	int64_t label_id;
	bool has_weight;
	float weight;

	bool several;    /* label is absent: its feature is a list of other than
	                  * one, as a record with several labels has */
	size_t n_labels; /* of the list */

	/* of several labels or numbers, for writing: what stands in label,
	 * label_names and label_ids; NULL is what was read */
	const struct bt_span *labels; /* [n_labels] */
	const struct bt_span *names;  /* [n_names] */
	size_t n_names;
	const float *numbers;          /* [n_names] */
	const struct bt_span *choices; /* [n_names] likewise, of a question */
	/* features of other names: to write, and the payload that was read
	 * if it has some, p NULL if not; both are written */
	const struct bt_passthrough *kept; /* [n_kept] */
	size_t n_kept;
	struct bt_span others;
	/* as they were read; those that are absent have no name */
	struct bt_feature label_list, name_list, number_list, choice_list;
	/* without text_a; among the others, too: words, and what stands around
	 * them */
	struct bt_feature word_list, before_list, after_list;
	/* without text_a; among the others, too */
	struct bt_question question;
};

/* True if it may have any number of labels. */
bool bt_text_rec_is_open(const struct bt_text_rec *rec);

/* Reads a payload; the spans are borrowed from it. BT_EFORMAT, with advice, if
 * it is a token record or has no text_a. */
int bt_text_rec_read(const void *data, size_t len, struct bt_text_rec *rec,
                     struct bt_error *err) BT_MUST_USE;

/* Puts the texts into key as one run of bytes that no others have: the length
 * of the first one, then both, then choices, each with its length; an empty
 * second one is as none. Returns 0 or an error. */
int bt_text_rec_key(const struct bt_text_rec *rec, struct bt_buf *key,
                    struct bt_error *err) BT_MUST_USE;

/* The payload, borrowed from w until its next use; p is NULL when out of
 * memory. */
struct bt_span bt_text_rec_make(struct bt_example_writer *w,
                                const struct bt_text_rec *rec) BT_MUST_USE;

/* The class of a token that does not begin a word, and of one that begins a
 * word whose tag is not known. */
#define BT_TOKEN_INSIDE (-1)
#define BT_TOKEN_UNLABELLED (-2)

/* The same of a further token of a word of class k, where training learns from
 * all tokens of words; and k of such a value. */
#define BT_TOKEN_FURTHER(k) (-3 - (k))

/* Whether a token with this class begins a word. */
static inline bool bt_token_begins(int32_t label)
{
	return label >= 0 || label == BT_TOKEN_UNLABELLED;
}

/* The class that training learns from a token; less than 0: none. */
static inline int32_t bt_token_learns(int32_t label)
{
	return label <= BT_TOKEN_FURTHER(0) ? BT_TOKEN_FURTHER(label) : label;
}

/* What a token stands for in the context of a question. */
struct bt_token_place {
	int32_t start, end; /* code points; -1: it is not the context's */
	int32_t max_context;
};

/* Whether the second segment of a record for pre-training follows the first, in
 * the numbers of these; or the record does not say. */
enum { BT_NEXT_FOLLOWS = 0, BT_NEXT_RANDOM = 1, BT_NEXT_UNKNOWN = 2 };

struct bt_token_rec {
	int32_t *ids;   /* [n] tokens that input_mask marks as real */
	uint8_t *types; /* [n] segment ids */
	size_t n;
	struct bt_span id, label, tokenizer;
	bool has_label_id;
	int64_t label_id;
	bool has_label_value; /* label_ids holds a float: for regression */
	float label_value;
	bool has_example_id; /* Model Garden's running number */
	int64_t example_id;
	bool is_real; /* false: filling, to be passed over */
	bool has_weight;
	float weight;
	bool has_window;
	int64_t window; /* 0 if there is none */
	bool has_text_number;
	int64_t text_number;           /* 0 if there is none */
	struct bt_span text_a, text_b; /* written, not read */
	struct bt_span others; /* written: features of other names out of that
	                        * payload, p NULL: none; not read */
	int32_t pad_id;        /* what input_ids are padded with when written */

	/* of several labels or numbers, borrowed; those that are absent have no
	 * name. ids: label_ids where it is a list of other than one */
	struct bt_feature label_list, name_list, id_list;
	bool several;       /* label_list is one of other than one */
	const int64_t *hot; /* [n_hot] label_ids to write, or NULL */
	size_t n_hot;
	/* of words: borrowed, and the word of each token; see above */
	struct bt_feature word_list, tag_list;
	bool has_words;
	bool label_all; /* training learns from all tokens of a word */
	int32_t *word;  /* [n] */
	size_t word_cap;
	/* of words as Model Garden has them, borrowed: numbers of the sentence
	 * and of the part of it that this record is; id_list holds a class for
	 * each token */
	struct bt_feature sentence_id, sub_sentence_id;
	/* of masks, as they stand in a record for pre-training: equally many;
	 * those of weight 0 fill the lists */
	struct bt_feature masked_positions, masked_ids, masked_weights;
	struct bt_feature next_sentence; /* its label there */
	/* of a question: borrowed, and the place of each token; see above */
	struct bt_question question;
	bool has_places;
	struct bt_token_place *place; /* [n] */
	size_t place_cap;
	bool has_position;
	int64_t start_position, end_position; /* less than n */
	/* what is to be predicted, set by bt_dataset_check */
	int32_t
	    *token_label; /* [n] of each token; see bt_dataset.token_label */
	size_t token_label_cap;
	bool has_token_labels;
	bool per_token;      /* the model's outputs are its tokens', */
	bool selects;        /* and only of those that stand for something */
	bool graded;         /* numbers to rank by may be above 1 */
	struct bt_span kept; /* the payload, to be kept; or p NULL */
	float *target;       /* [n_target] */
	size_t n_target, target_cap;
	bool open;     /* there may be any number of labels: it shows */
	int64_t texts; /* that its example has, where that is known; else 0 */

	/* memory behind ids and types, and scratch for decoding */
	size_t cap;
	int64_t *scratch;
	size_t scratch_cap;
};

/* Whether it is a choice of a question, with that. */
static inline bool bt_token_rec_is_choice(const struct bt_token_rec *rec)
{
	return rec->has_text_number && rec->name_list.name != NULL;
}

/* Zero is an empty record; clear frees its memory. */
void bt_token_rec_clear(struct bt_token_rec *rec);

/* Forgets the last record and copies n tokens and their segment ids into rec,
 * whose memory is reused. Returns 0 or BT_ENOMEM. */
int bt_token_rec_set(struct bt_token_rec *rec, const int32_t *ids,
                     const uint8_t *types, size_t n) BT_MUST_USE;

/* Sets the word of each of the n tokens that rec was given, -1: none. Returns 0
 * or BT_ENOMEM. */
int bt_token_rec_set_words(struct bt_token_rec *rec,
                           const int32_t *word) BT_MUST_USE;

/* Sets the places of the n tokens that rec was given. Returns 0 or BT_ENOMEM.
 */
int bt_token_rec_set_places(struct bt_token_rec *rec,
                            const struct bt_token_place *place) BT_MUST_USE;

/* Makes padding, with segment 0, part of the text, which becomes n tokens long
 * unless it is longer: input_mask will be 1 there. Returns 0 or BT_ENOMEM. */
int bt_token_rec_fill(struct bt_token_rec *rec, size_t n) BT_MUST_USE;

/*
 * Reads a payload into rec, whose memory is reused. The spans are borrowed from
 * the payload. BT_EFORMAT, with advice, if it is a text record, if the lists
 * differ in length, or if the mask is not ones followed by zeros; ids must be
 * in 0 .. 2^31-1, segment ids in 0 .. 255.
 */
int bt_token_rec_read(const void *data, size_t len, struct bt_token_rec *rec,
                      struct bt_error *err) BT_MUST_USE;

/* Which features a written token record has, and in which order. */
enum bt_token_layout {
	BT_LAYOUT_FULL, /* all that is set, by name; is_real_example if padded
	                 */
	BT_LAYOUT_BERT, /* what BERT's run_classifier.py writes, in its order */
	BT_LAYOUT_GARDEN /* what create_finetuning_data.py writes, by name */
};

/*
 * Makes the payload in out. The lists are padded to pad tokens, ids with
 * pad_id, the others with zeros, not at all if pad is 0; pad must not be
 * smaller than n otherwise. label_ids is hot where that is there, else
 * id_list, the label_value or the label_id, else absent.
 */
int bt_token_rec_write(struct bt_example_writer *w, struct bt_token_rec *rec,
                       enum bt_token_layout layout, size_t pad,
                       struct bt_buf *out) BT_MUST_USE;

#endif
