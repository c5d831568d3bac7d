/* SPDX-License-Identifier: MIT */
#ifndef BT_TOKENIZE_JOB_INT_H
#define BT_TOKENIZE_JOB_INT_H

#include "base/buf.h"
#include "format/tf_example.h"
#include "io/in.h"
#include "record/record.h"
#include "tokenize/job.h"

/* A text of the block. */
struct bt_tokenize_item {
	size_t at, len; /* in the block's bytes */
	size_t name;    /* of its file */
	uint64_t number;
};

/* A run of texts that one thread encodes. */
struct bt_tokenize_piece {
	size_t first, last;
	struct bt_buf out;  /* encoded, one after the other */
	size_t *end, n_end; /* where each record ends in out */
	size_t end_cap;
	struct bt_tokenize_stats stats;
	struct bt_error err;
	size_t bad; /* the text that err is about */
};

/* Most special tokens before or behind a text. */
#define BT_TOKENIZE_SPECIALS 8

/* A text in words, and the window of it (words.c). */
struct bt_tokenize_words {
	bool ready, blank; /* known: the specials, and whether words need a
	                    * blank */
	int32_t before[BT_TOKENIZE_SPECIALS], after[BT_TOKENIZE_SPECIALS];
	size_t n_before, n_after;
	size_t room; /* tokens of words that a window has room for */
	int32_t *piece;
	size_t *at; /* [n + 1] the first token of each word */
	size_t n; /* words, of which first .. last - 1 are to be tagged and the
	           * others stand around these */
	size_t first, last;
	size_t unknown;      /* of them */
	size_t lost;         /* tokens of words that are longer than the room */
	size_t own_to;       /* words that windows had so far */
	int32_t *ids, *word; /* the window's tokens, as records have them */
	uint8_t *types;
	struct bt_buf text;
	size_t piece_cap, at_cap, ids_cap, types_cap, word_cap;
};

/* A question, and the window of its context (question.c). */
struct bt_tokenize_question {
	struct bt_token_place *place; /* of the window's tokens */
	size_t place_cap;
	size_t tokens;     /* of the context */
	size_t keep, step; /* in each window; from one to the next */
	bool has_answer;
	int64_t start, end; /* code points of it in the context */
	bool found;         /* a window has all of it */
};

/* What each thread works with. */
struct bt_tokenize_worker {
	struct bt_tok_scratch *scratch;
	struct bt_token_rec rec;
	struct bt_example_writer example;
	struct bt_buf payload;
	struct bt_buf mended[2], prompted;
	struct bt_tokenize_words words;
	struct bt_tokenize_question question;
	int64_t *hot; /* label_ids of several labels */
	size_t hot_cap;
};

struct bt_tokenize {
	const struct bt_tok *tok;
	struct bt_pool *pool;
	struct bt_tokenize_opts opts;
	struct bt_tokenize_worker *worker; /* one for each thread */
	struct bt_buf bytes;
	struct bt_tokenize_item *item;
	size_t items, items_cap;
	struct bt_tokenize_piece *piece;
	size_t pieces, pieces_cap;
	size_t own; /* the first of those that this rank encodes */
	char **name;
	size_t names, names_cap;
	struct bt_tokenize_stats stats;
};

/* As bt_tokenize_write, where r is the result of reading the block: an error of
 * any rank, or of the first bad text, is one of all. *over: the ranks have
 * agreed on an error, so that none may call this again. */
int bt_tokenize_end_block(struct bt_tokenize *j, int r, struct bt_out *out,
                          bool *over, struct bt_error *err) BT_MUST_USE;

/* Encodes a text of the block and appends the result to p->out; what is wrong
 * goes to p->err. */
int bt_tokenize_encode_one(const struct bt_tokenize *j,
                           struct bt_tokenize_worker *w,
                           const struct bt_tokenize_item *x,
                           struct bt_tokenize_piece *p) BT_MUST_USE;

/* A place in a text, in bytes and in characters. */
struct bt_cursor {
	uint32_t byte, chars;
};

/* A text of the block that was encoded, and the window of it. */
struct bt_tokenize_text {
	struct bt_text_rec rec;
	struct bt_encoding e;
	struct bt_cursor start[2], end[2]; /* of both texts: where the last
	                                    * token told began and ended */
	uint64_t number;                   /* of the text, over all blocks */
	size_t window;
	bool known; /* a window so far has a token that is not unknown */
	struct bt_span second; /* apart: what was text_b of rec, */
	size_t text;           /* and is text_a now if this is 1; 2 and more:
	                        * that is a field */
	size_t choices; /* of a question: text_b is number `text`, 0: none */
	struct bt_pb choice; /* behind it in the record's list */
	size_t mended;       /* U+FFFD put into it so far */
	bool cut;            /* one of its texts so far was */
	const int32_t *word; /* [e.n] of a text in words, else NULL */
	/* of a question, else NULL; its texts are text_a and text_b of rec */
	const struct bt_token_place *place; /* [e.n] */
	int64_t start_position, end_position;
};

/* Moves to a byte that begins a character, or the end; returns the characters.
 */
uint32_t bt_cursor_move(struct bt_cursor *c, const char *text, uint32_t to);

/* Replaces text by its copy in w->mended[k], if it is not UTF-8, and adds the
 * U+FFFD put in to *mended. BT_ENOMEM alone. */
int bt_tokenize_mend(struct bt_tokenize_worker *w, int k, struct bt_span *text,
                     size_t *mended) BT_MUST_USE;

/* Encodes the words of x->rec; then each call of _window makes the next window,
 * x->window, until that is x->e.windows - 1. */
int bt_tokenize_words(const struct bt_tokenize *j, struct bt_tokenize_worker *w,
                      struct bt_tokenize_text *x,
                      struct bt_error *err) BT_MUST_USE;
int bt_tokenize_words_window(const struct bt_tokenize *j,
                             struct bt_tokenize_worker *w,
                             struct bt_tokenize_text *x) BT_MUST_USE;
void bt_tokenize_words_clear(struct bt_tokenize_words *s);

/* Puts the words before the text. */
int bt_tokenize_prompt(struct bt_tokenize_worker *w, const char *words,
                       struct bt_span *text) BT_MUST_USE;

/* Encodes the question of x->rec and the first window of its context; _window
 * finds out what is in the window, x->window, that x->e is. */
int bt_tokenize_question(const struct bt_tokenize *j,
                         struct bt_tokenize_worker *w,
                         struct bt_tokenize_text *x,
                         struct bt_error *err) BT_MUST_USE;
int bt_tokenize_question_window(const struct bt_tokenize *j,
                                struct bt_tokenize_worker *w,
                                struct bt_tokenize_text *x) BT_MUST_USE;
void bt_tokenize_question_clear(struct bt_tokenize_question *q);

/* Takes apart x->rec, a question with choices: x->choices of them, of which the
 * first becomes text_b; _next makes the next one that. */
int bt_tokenize_choices(const struct bt_tokenize *j,
                        struct bt_tokenize_worker *w,
                        struct bt_tokenize_text *x,
                        struct bt_error *err) BT_MUST_USE;
int bt_tokenize_choice_next(const struct bt_tokenize *j,
                            struct bt_tokenize_worker *w,
                            struct bt_tokenize_text *x,
                            struct bt_error *err) BT_MUST_USE;

/* label_ids of such a question: the number of the right choice. */
int bt_tokenize_choice_label(const struct bt_tokenize *j, size_t choices,
                             struct bt_token_rec *rec,
                             struct bt_error *err) BT_MUST_USE;

/* Where a label stands among the names of its record; n: nowhere. */
size_t bt_tokenize_find_name(const struct bt_feature *names,
                             struct bt_span label, size_t n);

/* Writes a line for each token (explain.c). e has offsets. */
void bt_tokenize_explain(const struct bt_tok *tok,
                         const struct bt_tokenize_text *x, struct bt_buf *out);

/* Write a line, of ids or of JSON (lines_out.c). e has offsets for JSON. */
void bt_tokenize_put_ids(const struct bt_tokenize *j,
                         const struct bt_encoding *e, const char *between,
                         struct bt_buf *out);
/* A member of JSON and ", ", if s is there; it must be text. */
int bt_tokenize_put_member(struct bt_buf *out, const char *name,
                           struct bt_span s, struct bt_error *err) BT_MUST_USE;
int bt_tokenize_put_json(const struct bt_tokenize *j,
                         struct bt_tokenize_text *x, struct bt_buf *out,
                         struct bt_error *err) BT_MUST_USE;

#endif
