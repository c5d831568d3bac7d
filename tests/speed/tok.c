/* SPDX-License-Identifier: MIT */
/*
 * How fast texts are encoded, on one thread and without anything around it, by
 * processor time. Cold: each different word of the texts once, with a scratch
 * that is new. Warm: the texts with a scratch that has seen them. Offsets: the
 * same with where each token stands.
 *
 * usage: tok MODEL FILE
 * prints "open MS cold MB/S warm MB/S offsets MB/S two TIMES"
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "io/in.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer_file/tokenizer_file.h"

#define ROUNDS 7
#define MAX_FILE ((size_t)1 << 30)

static struct bt_error err;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void need(int r)
{
	if (r == BT_OK)
		return;
	fprintf(stderr, "tok: %s\n", err.text);
	exit(1);
}

/* Encodes the lines; returns the seconds. */
static double encode(const struct bt_tok *tok, struct bt_tok_scratch *s,
                     const char *p, size_t n, bool offsets)
{
	const struct bt_tok_encode_opts how = {.special = true,
	                                       .offsets = offsets};
	const char *end = p + n, *nl;
	struct bt_encoding e;
	struct bt_error mine = {0};
	double start = now();

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (nl == NULL)
			nl = end;
		if (bt_tok_encode(tok, s, (struct bt_span){p, (size_t)(nl - p)},
		                  (struct bt_span){NULL, 0}, &how, &e,
		                  &mine) != BT_OK) {
			fprintf(stderr, "tok: %s\n", mine.text);
			exit(1);
		}
	}
	return now() - start;
}

static int compare(const void *a, const void *b)
{
	return bt_span_compare(*(const struct bt_span *)a,
	                       *(const struct bt_span *)b);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n';
}

/* The different words of a text, twenty a line, in a mixed order. */
static void list_words(const char *p, size_t n, struct bt_buf *out)
{
	const char *end = p + n;
	struct bt_span *word = malloc((n / 2 + 1) * sizeof(*word)), swap;
	size_t words = 0, kept = 0, i, k;

	if (word == NULL)
		exit(1);
	while (p < end) {
		while (p < end && is_space(*p))
			p++;
		word[words].p = p;
		while (p < end && !is_space(*p))
			p++;
		word[words].n = (size_t)(p - word[words].p);
		words += word[words].n > 0;
	}
	qsort(word, words, sizeof(*word), compare);
	for (i = 0; i < words; i++)
		if (i == 0 || !bt_span_equal(word[i], word[kept - 1]))
			word[kept++] = word[i];
	for (i = 0; i < kept; i++) {
		k = i * 7919 % kept;
		swap = word[i];
		word[i] = word[k];
		word[k] = swap;
	}
	for (i = 0; i < kept; i++) {
		bt_buf_put(out, word[i].p, word[i].n);
		bt_buf_put(out, i % 20 == 19 ? "\n" : " ", 1);
	}
	free(word);
}

struct job {
	const struct bt_tok *tok;
	const char *p;
	size_t n;
	bool offsets;
	double best;
};

/* The best of some rounds over texts that the scratch knows. */
static void *warm(void *arg)
{
	struct job *j = arg;
	struct bt_tok_scratch *s = NULL;
	struct bt_error mine = {0};
	double t;
	int i;

	if (bt_tok_scratch_new(j->tok, &s, &mine) != BT_OK)
		exit(1);
	for (i = 0; i < ROUNDS; i++) {
		t = encode(j->tok, s, j->p, j->n, j->offsets);
		if (i == 1 || (i > 1 && t < j->best))
			j->best = t;
	}
	bt_tok_scratch_free(s);
	return NULL;
}

static double cold(const struct bt_tok *tok, const char *p, size_t n)
{
	struct bt_tok_scratch *s = NULL;
	double best = 0, t;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		need(bt_tok_scratch_new(tok, &s, &err));
		t = encode(tok, s, p, n, false);
		if (i == 0 || t < best)
			best = t;
		bt_tok_scratch_free(s);
	}
	return best;
}

static double open_time(const char *path)
{
	struct bt_tok *tok = NULL;
	double best = 0, t;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		t = now();
		need(bt_tok_open(path, NULL, &tok, &err));
		t = now() - t;
		if (i == 0 || t < best)
			best = t;
		bt_tok_free(tok);
	}
	return best;
}

int main(int argc, char **argv)
{
	struct bt_buf words = BT_BUF_INIT;
	struct bt_tok *tok = NULL;
	struct job j = {0}, where, two[2];
	pthread_t thread[2];
	double seconds, slower;
	char *text = NULL;
	int i;

	if (argc != 3) {
		fprintf(stderr, "usage: tok MODEL FILE\n");
		return 2;
	}
	seconds = open_time(argv[1]);
	need(bt_tok_open(argv[1], NULL, &tok, &err));
	need(bt_in_whole(argv[2], MAX_FILE, &text, &j.n, &err));
	list_words(text, j.n, &words);
	if (words.oom || words.len == 0)
		return 1;
	j.tok = tok;
	j.p = text;
	printf("open %.1f ", seconds * 1e3);
	printf("cold %.1f ", (double)words.len * 1e-6 /
	                         cold(tok, (char *)words.data, words.len));
	warm(&j);
	where = j;
	where.offsets = true;
	warm(&where);
	for (i = 0; i < 2; i++) {
		two[i] = j;
		if (pthread_create(&thread[i], NULL, warm, &two[i]) != 0)
			return 1;
	}
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	slower = two[0].best > two[1].best ? two[0].best : two[1].best;
	printf("warm %.1f offsets %.1f two %.2f\n", (double)j.n * 1e-6 / j.best,
	       (double)j.n * 1e-6 / where.best, 2 * j.best / slower);
	bt_tok_free(tok);
	bt_buf_clear(&words);
	free(text);
	return 0;
}
