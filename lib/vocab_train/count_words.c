/* SPDX-License-Identifier: MIT */
#include "vocab_train/count_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "format/lines.h"
#include "format/tfrecord.h"
#include "io/in.h"
#include "record/record.h"

#define BLOCK_BYTES ((size_t)4 << 20)
#define PIECES 64
#define THREAD_WORDS ((size_t)16 << 10)

/* A text of the block. */
struct text {
	size_t at, n;
	uint64_t number; /* of its record or line */
};

struct job {
	const struct bt_word_splitter *splitter;
	struct bt_pool *pool;
	struct bt_word_counts *all;
	struct bt_word_counts *words;              /* [threads] not moved yet */
	struct bt_word_splitter_scratch **scratch; /* [threads] */
	int threads;
	bool lines;
	const char *file; /* of the block */
	struct bt_buf bytes;
	struct text *text;
	size_t n, cap;
	struct bt_error error[PIECES];
	int moved[BT_WORD_COUNTS_PARTS];
	struct bt_progress *progress;
	struct bt_count_words_sum sum;
};

static void count_piece(void *arg, int piece, int worker)
{
	struct job *j = arg;
	size_t i = j->n * (size_t)piece / PIECES;
	size_t end = j->n * ((size_t)piece + 1) / PIECES;
	struct bt_error *err = &j->error[piece];
	const struct text *t;
	struct bt_span s;

	for (; i < end; i++) {
		t = &j->text[i];
		s.p = bt_buf_at(&j->bytes, t->at);
		s.n = t->n;
		if (bt_word_split(j->splitter, j->scratch[worker], s,
		                  &j->words[worker], err) == BT_OK)
			continue;
		bt_error_prefix(err, "%s: %s %llu", j->file,
		                j->lines ? "line" : "record",
		                (unsigned long long)t->number);
		return;
	}
}

static void move_part(void *arg, int part, int worker)
{
	struct job *j = arg;
	int i, r = BT_OK;

	(void)worker;
	for (i = 0; r == BT_OK && i < j->threads; i++)
		r = bt_word_counts_move(j->all, &j->words[i], part);
	j->moved[part] = r;
}

/* Moves the words of each thread into the common table, so that a word is not
 * in the tables of several threads for long. Does nothing while each has fewer
 * than from words. */
static int gather(struct job *j, size_t from, struct bt_error *err)
{
	size_t most = 0, n;
	int i;

	for (i = 0; i < j->threads; i++) {
		n = bt_word_counts_n(&j->words[i]);
		most = n > most ? n : most;
	}
	if (most < from)
		return BT_OK;
	bt_pool_run(j->pool, move_part, j, BT_WORD_COUNTS_PARTS);
	for (i = 0; i < BT_WORD_COUNTS_PARTS; i++)
		if (j->moved[i] == BT_ELIMIT)
			return bt_error_set(err, BT_ELIMIT,
			                    "there are too many words");
		else if (j->moved[i] != BT_OK)
			return bt_error_nomem(err, "counting words");
	return BT_OK;
}

/* Counts the block, whose texts are from one file. */
static int flush(struct job *j, struct bt_error *err)
{
	int i;

	bt_pool_run(j->pool, count_piece, j, PIECES);
	for (i = 0; i < PIECES; i++)
		if (j->error[i].code != BT_OK)
			return bt_error_hint(err, j->error[i].hint,
			                     bt_error_set(err, j->error[i].code,
			                                  "%s",
			                                  j->error[i].text));
	j->sum.texts += j->n;
	j->sum.bytes += j->bytes.len;
	bt_buf_reset(&j->bytes);
	j->n = 0;
	if (j->progress != NULL && bt_progress_due(j->progress))
		bt_progress_show(j->progress, "%llu texts",
		                 (unsigned long long)j->sum.texts);
	return gather(j, THREAD_WORDS, err);
}

static int add(struct job *j, struct bt_span s, uint64_t number,
               struct bt_error *err)
{
	if (s.p == NULL)
		return BT_OK;
	if (bt_grow(&j->text, &j->cap, j->n + 1, sizeof(*j->text)) != BT_OK)
		return bt_error_nomem(err, "reading texts");
	j->text[j->n++] = (struct text){j->bytes.len, s.n, number};
	bt_buf_put(&j->bytes, s.p, s.n);
	if (j->bytes.oom)
		return bt_error_nomem(err, "reading texts");
	return j->bytes.len >= BLOCK_BYTES ? flush(j, err) : BT_OK;
}

/* Adds a text, or the two of a pair. */
static int add_record(struct job *j, const void *data, size_t len,
                      const struct bt_tfrecord *in, struct bt_error *err)
{
	struct bt_text_rec rec;
	int r;

	if (j->n > 0 && strcmp(j->file, bt_tfrecord_file(in)) != 0) {
		r = flush(j, err);
		if (r != BT_OK)
			return r;
	}
	j->file = bt_tfrecord_file(in);
	if (bt_text_rec_read(data, len, &rec, err) != BT_OK)
		return bt_tfrecord_blame(in, err);
	r = add(j, rec.text_a, bt_tfrecord_record(in), err);
	return r == BT_OK ? add(j, rec.text_b, bt_tfrecord_record(in), err) : r;
}

static int read_records(struct job *j, char *const *paths, int n,
                        struct bt_error *err)
{
	struct bt_tfrecord *in;
	const uint8_t *data;
	size_t len;
	int r = bt_tfrecord_open(paths, n, &in, err);

	if (r != BT_OK)
		return r;
	if (j->threads > 1)
		bt_tfrecord_ahead(in);
	while ((r = bt_tfrecord_next(in, &data, &len, err)) == 1) {
		r = add_record(j, data, len, in, err);
		if (r != BT_OK)
			break;
	}
	if (r == BT_OK)
		r = flush(j, err); /* the name of the file is still valid */
	bt_tfrecord_close(in);
	return r;
}

static int read_lines(struct job *j, const char *path, struct bt_error *err)
{
	struct bt_span line;
	uint64_t number = 0;
	struct bt_in *in;
	size_t skip = 0;
	int r = bt_in_open(path, &in, err);

	if (r != BT_OK)
		return r;
	if (j->threads > 1)
		bt_in_ahead(in);
	j->file = bt_in_name(in);
	r = bt_lines_begin(in, err);
	while (r == BT_OK) {
		r = bt_in_line(in, BT_TFRECORD_MAX, &line, &skip, err);
		if (r != 1)
			break;
		r = add(j, line, ++number, err);
		if (r == BT_OK)
			bt_in_skip(in, skip);
	}
	if (r == BT_OK)
		r = flush(j, err);
	bt_in_close(in);
	return r;
}

static int read_all(struct job *j, char *const *paths, int n,
                    struct bt_error *err)
{
	int i, r = BT_OK;

	if (!j->lines)
		r = read_records(j, paths, n, err);
	else if (n == 0)
		r = read_lines(j, NULL, err);
	for (i = 0; j->lines && r == BT_OK && i < n; i++)
		r = read_lines(j, paths[i], err);
	if (r == BT_OK && j->sum.texts == 0)
		r = bt_error_set(err, BT_EFORMAT, "the input has no texts");
	return r;
}

static void clear(struct job *j)
{
	int i;

	for (i = 0; i < j->threads; i++) {
		bt_word_counts_clear(&j->words[i]);
		bt_word_splitter_scratch_free(j->scratch[i]);
	}
	free(j->words);
	free(j->scratch);
	free(j->text);
	bt_buf_clear(&j->bytes);
}

int bt_count_words(const struct bt_word_splitter *splitter,
                   struct bt_pool *pool, bool lines, char *const *paths, int n,
                   struct bt_progress *progress, struct bt_word_counts *words,
                   struct bt_count_words_sum *sum, struct bt_error *err)
{
	struct job j = {.splitter = splitter,
	                .pool = pool,
	                .all = words,
	                .threads = bt_pool_threads(pool),
	                .lines = lines,
	                .progress = progress};
	int i, r;

	j.words = bt_array0((size_t)j.threads, sizeof(*j.words));
	if (j.words == NULL)
		return bt_error_nomem(err, "counting words");
	j.scratch = bt_array0((size_t)j.threads, sizeof(void *));
	for (i = 0; i < j.threads; i++)
		j.scratch[i] = bt_word_splitter_scratch_new();
	r = read_all(&j, paths, n, err);
	if (r == BT_OK)
		r = gather(&j, 0, err);
	j.sum.words = bt_word_counts_n(words);
	*sum = j.sum;
	clear(&j);
	return r;
}
