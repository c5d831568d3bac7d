/* SPDX-License-Identifier: MIT */
/* Lines of columns, for table/conll.h. */
#ifndef BT_TABLE_CONLL_INT_H
#define BT_TABLE_CONLL_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "format/tf_example.h"
#include "io/in.h"
#include "io/out.h"
#include "table/conll.h"

#define BT_CONLL_COLUMNS 256
#define BT_CONLL_LINE_MAX ((size_t)64 << 20) /* bytes */

/* Texts, one behind the other. */
struct bt_conll_texts {
	struct bt_buf bytes;
	size_t *end; /* [n] */
	size_t n, cap;
};

/* BT_OK or BT_ENOMEM. */
int bt_conll_texts_add(struct bt_conll_texts *t, struct bt_span s) BT_MUST_USE;
int bt_conll_texts_append(struct bt_conll_texts *t,
                          const struct bt_conll_texts *more) BT_MUST_USE;
/* Adds a list of texts or whole numbers, the value of key. */
int bt_conll_texts_list(struct bt_conll_texts *t, const json_t *list,
                        const char *key, struct bt_error *err) BT_MUST_USE;
/* Whether there are texts, to be cut into words. */
static inline bool bt_conll_has_texts(const struct bt_conll_opts *o)
{
	return o->text != NULL || o->spans != NULL;
}
/* The key of the words, or the text. */
const char *bt_conll_word_key(const struct bt_conll_opts *o);
void bt_conll_texts_forget(struct bt_conll_texts *t);
void bt_conll_texts_clear(struct bt_conll_texts *t);

struct bt_conll_sentence {
	struct bt_conll_texts words, tags, lines;
	struct bt_buf doc, id;
	struct bt_buf text; /* whose words they are, one after the other with
	                     * white space between; empty: they came as words */
	uint64_t *number;   /* [words.n] of the lines, in columns, or rows */
	size_t number_cap;
};

/* Appends the words, tags and lines of the next sentence of a document, with an
 * empty line between. BT_OK or BT_ENOMEM. */
int bt_conll_sentence_append(struct bt_conll_sentence *s,
                             const struct bt_conll_sentence *next) BT_MUST_USE;
/* Reads an object with a list of words and, unless opts have no tags, perhaps
 * one of tags, which it must have where opts name it; or with a text and
 * spans. */
int bt_conll_sentence_read(struct bt_conll_sentence *s, const json_t *o,
                           const struct bt_conll_opts *opts,
                           struct bt_error *err) BT_MUST_USE;
/* Adds the words of a text; list has its spans, or is NULL: there are no
 * tags. */
int bt_conll_spans_read(struct bt_conll_sentence *s, struct bt_span text,
                        const json_t *list, struct bt_error *err) BT_MUST_USE;
void bt_conll_sentence_forget(struct bt_conll_sentence *s);
void bt_conll_sentence_clear(struct bt_conll_sentence *s);

/* Writes records of sentences. */
struct bt_conll_writer {
	struct bt_out *out; /* borrowed */
	struct bt_example_writer x;
	struct bt_span *list; /* [n] of a feature */
	size_t n, cap;
};

/* Appends texts to w->list. BT_OK or BT_ENOMEM. */
int bt_conll_list(struct bt_conll_writer *w,
                  const struct bt_conll_texts *t) BT_MUST_USE;
/* Writes sentence q[k], whose context are q[from .. to-1]. */
int bt_conll_write(struct bt_conll_writer *w, const struct bt_conll_sentence *q,
                   size_t from, size_t k, size_t to,
                   struct bt_error *err) BT_MUST_USE;
void bt_conll_writer_clear(struct bt_conll_writer *w);

bool bt_conll_has_tab(struct bt_span line);

/* Whether a line is left out, and no word: with begin, if it begins so, else in
 * a file with tabs if it begins with '#' and has none. */
bool bt_conll_is_comment(struct bt_span line, const char *begin, bool tabs);

/* Cuts a line at tabs or, where neither it nor the file has any, at blanks, of
 * which several are as one. Returns the number of columns, of which only
 * BT_CONLL_COLUMNS are kept. */
int bt_conll_cut(struct bt_span line, bool tabs, struct bt_span *column);

size_t bt_conll_count(struct bt_span line, char c);

/* BT_EFORMAT: each line has n times the comma or semicolon c, as a table has.
 */
int bt_conll_refuse_csv(char c, size_t n, struct bt_error *err);

/* "# sent_id = 1", or another comment of CoNLL-U that is well known: whatever
 * divides the n columns. */
bool bt_conll_is_conllu(const struct bt_span *column, int n);

/* Where a sentence of CoNLL-U is, which has the numbers of words in the first
 * column. It begins as {0, 0}. */
struct bt_conll_place {
	int64_t word; /* the last number; -2: something else */
	int64_t node; /* of the empty nodes behind it the last */
};

/* Whether a line with that first column is, behind those so far, of CoNLL-U and
 * no word: a token of several words, "1-2", whose words follow, or an empty
 * node, "1.1" behind word 1. */
bool bt_conll_is_no_word(struct bt_conll_place *at, struct bt_span first);

/* Whether a line begins a document. */
bool bt_conll_is_document(struct bt_span line);

/* Whether a comment of CoNLL-U does: "# newdoc", "# newdoc id = 1". */
bool bt_conll_is_new_document(struct bt_span comment);

/* Whether columns are a header: they name words and tags. */
bool bt_conll_is_header(struct bt_span word, struct bt_span tag);

/* Looks whether tabs divide the columns of a file whose next line begins with
 * '#': up to the end of the first line that does not and is not blank, it has
 * one. *sentence becomes true where a blank line was seen: what is in front of
 * it is a sentence, if it is not comments. Both begin as false. */
int bt_conll_look_tabs(struct bt_in *in, bool *tabs, bool *sentence,
                       struct bt_error *err) BT_MUST_USE;

/* The column that a user names, or the standard one, from 0 on. */
int bt_conll_choose(const char *name, const char *what, int standard,
                    int columns, int *column, struct bt_error *err) BT_MUST_USE;

/* Whether a text that begins with these bytes is JSON, not columns. */
bool bt_conll_is_json(const uint8_t *p, size_t n);

/* Whether a file is Parquet: 1; 0; or what it is not to be is an error. */
int bt_conll_look_first(struct bt_in *in, struct bt_error *err) BT_MUST_USE;

/* Takes the mark of its encoding from a text that is not Parquet, and finds out
 * whether it is JSON. t, or NULL, names the encoding. */
int bt_conll_begin_text(const struct bt_table_opts *t, struct bt_in *in,
                        bool *json, struct bt_error *err) BT_MUST_USE;

#endif
