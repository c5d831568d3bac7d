/* SPDX-License-Identifier: MIT */
#include "dedup/minhash.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "dedup/hash_index.h"
#include "dedup/record_store.h"
#include "dedup/shingle.h"

#define HASHES 160   /* orders at most, in fours */
#define ROWS_MAX 16  /* of a band */
#define MISSED 1e-6  /* chance to miss a pair at the threshold */
#define TEXT_BITS 32 /* of a text's number */

/* What stands before a tag and a text that were kept. */
struct head {
	uint32_t tag;  /* its bytes */
	uint32_t size; /* distinct shingles of the text */
};

/* The shingles of the text at hand: an open table at most half full. */
struct query {
	uint64_t *hash;
	uint32_t *mark; /* 0: free; else 1 + the last text compared with it */
	size_t slots, cap_hash, cap_mark;
	uint32_t distinct;
};

struct bt_minhash {
	double threshold;
	unsigned rows, bands;
	uint64_t factor[HASHES], shift[HASHES]; /* the random orders */
	struct bt_record_store *store; /* tags and texts that were kept */
	struct bt_hash_index *places; /* their numbers by the hashes of bands */
	struct bt_shingles one, other;
	struct query query;
	uint64_t band[HASHES]; /* hashes of the text at hand */
	uint32_t *found;       /* texts that may be like it */
	size_t n_found, found_cap;
	struct bt_buf payload;
};

static int nomem(struct bt_error *err)
{
	return bt_error_nomem(err, "comparing texts");
}

/* The longest bands that are still enough of them. */
static void choose_bands(struct bt_minhash *n)
{
	double agree, bands;
	unsigned rows;

	for (rows = ROWS_MAX; rows > 0; rows--) {
		agree = pow(n->threshold, rows);
		bands = agree < 1 ? ceil(log(MISSED) / log1p(-agree)) : 1;
		if (bands * rows <= HASHES)
			break;
	}
	n->rows = rows;
	n->bands = (unsigned)bands;
}

struct bt_minhash *bt_minhash_new(double threshold, size_t memory)
{
	struct bt_minhash *n = bt_array0(1, sizeof(*n));
	uint64_t i;

	n->threshold = threshold;
	choose_bands(n);
	for (i = 0; i < HASHES; i++) {
		n->factor[i] = bt_hash_mix(2 * i + 1) | 1;
		n->shift[i] = bt_hash_mix(2 * i + 2);
	}
	n->store = bt_record_store_new(memory / 2, false);
	n->places = bt_hash_index_new(memory / 2, TEXT_BITS);
	return n;
}

void bt_minhash_free(struct bt_minhash *n)
{
	if (n == NULL)
		return;
	bt_record_store_free(n->store);
	bt_hash_index_free(n->places);
	bt_shingles_clear(&n->one);
	bt_shingles_clear(&n->other);
	free(n->query.hash);
	free(n->query.mark);
	free(n->found);
	bt_buf_clear(&n->payload);
	free(n);
}

static size_t slot_of(const struct query *q, uint64_t hash)
{
	size_t i = hash & (q->slots - 1);

	while (q->mark[i] != 0 && q->hash[i] != hash)
		i = (i + 1) & (q->slots - 1);
	return i;
}

/* The set of the text at hand. */
static int fill_query(struct query *q, const struct bt_shingles *s)
{
	size_t i, k;

	for (q->slots = 16; q->slots < 2 * s->n;)
		q->slots *= 2;
	if (s->n > UINT32_MAX ||
	    bt_grow(&q->hash, &q->cap_hash, q->slots, sizeof(*q->hash)) !=
	        BT_OK ||
	    bt_grow(&q->mark, &q->cap_mark, q->slots, sizeof(*q->mark)) !=
	        BT_OK)
		return BT_ENOMEM;
	memset(q->mark, 0, q->slots * sizeof(*q->mark));
	q->distinct = 0;
	for (i = 0; i < s->n; i++) {
		k = slot_of(q, s->hash[i]);
		if (q->mark[k] != 0)
			continue;
		q->hash[k] = s->hash[i];
		q->mark[k] = 1;
		q->distinct++;
	}
	return BT_OK;
}

/* How many shingles of the text at hand another one has; mark is above 1 and
 * another number for every one. */
static uint32_t in_both(struct query *q, const struct bt_shingles *s,
                        uint32_t mark)
{
	uint32_t both = 0;
	size_t i, k;

	for (i = 0; i < s->n; i++) {
		k = slot_of(q, s->hash[i]);
		both += q->mark[k] != 0 && q->mark[k] != mark;
		if (q->mark[k] != 0)
			q->mark[k] = mark;
	}
	return both;
}

static inline uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The least of four orders: each waits for itself alone. */
static void find_least(const struct bt_minhash *n, unsigned k,
                       uint64_t least[4])
{
	const uint64_t *f = n->factor + k, *s = n->shift + k;
	uint64_t a = UINT64_MAX, b = a, c = a, d = a, x;
	size_t i;

	for (i = 0; i < n->one.n; i++) {
		x = n->one.hash[i];
		a = lesser(f[0] * x + s[0], a);
		b = lesser(f[1] * x + s[1], b);
		c = lesser(f[2] * x + s[2], c);
		d = lesser(f[3] * x + s[3], d);
	}
	least[0] = a;
	least[1] = b;
	least[2] = c;
	least[3] = d;
}

/* The least of each order, a band's together in one hash. */
static void hash_bands(struct bt_minhash *n)
{
	uint64_t h, least[HASHES];
	unsigned b, r, k;

	for (k = 0; k < n->bands * n->rows; k += 4)
		find_least(n, k, least + k);
	for (b = 0, k = 0; b < n->bands; b++) {
		h = b;
		for (r = 0; r < n->rows; r++, k++)
			/* cppcheck-suppress uninitvar ; all are set above */
			h = bt_hash_mix(h ^ least[k]);
		n->band[b] = h;
	}
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int note(void *arg, uint64_t text, struct bt_error *err)
{
	struct bt_minhash *n = arg;

	if (bt_grow(&n->found, &n->found_cap, n->n_found + 1,
	            sizeof(*n->found)) != BT_OK)
		return nomem(err);
	n->found[n->n_found++] = (uint32_t)text;
	return 0;
}

/* Kept texts that agree in some band, each once, in their order. */
static int look_up(struct bt_minhash *n, struct bt_error *err)
{
	size_t i, different = 0;
	unsigned b;
	int r = BT_OK;

	n->n_found = 0;
	for (b = 0; b < n->bands; b++)
		bt_hash_index_prefetch(n->places, n->band[b]);
	for (b = 0; b < n->bands && r == BT_OK; b++)
		r = bt_hash_index_find(n->places, n->band[b], note, n, err);
	if (n->n_found > 1)
		qsort(n->found, n->n_found, sizeof(*n->found), ascending);
	for (i = 0; i < n->n_found; i++)
		if (i == 0 || n->found[i] != n->found[i - 1])
			n->found[different++] = n->found[i];
	n->n_found = different;
	return r;
}

/* Prepares for all questions about a text. */
static int begin(struct bt_minhash *n, struct bt_span text,
                 struct bt_error *err)
{
	if (bt_shingles_make(&n->one, text) != BT_OK ||
	    fill_query(&n->query, &n->one) != BT_OK)
		return nomem(err);
	hash_bands(n);
	return look_up(n, err);
}

/* Text i of those found, borrowed from the store, with its tag; *size is the
 * number of its shingles. */
static int fetch(struct bt_minhash *n, size_t i, struct bt_minhash_pair *pair,
                 uint32_t *size, struct bt_error *err)
{
	const void *data;
	struct head head;
	size_t len;
	int r = bt_record_store_get(n->store, n->found[i], &data, &len, err);

	if (r != BT_OK)
		return r;
	memcpy(&head, data, sizeof(head));
	pair->tag.p = (const char *)data + sizeof(head);
	pair->tag.n = head.tag;
	pair->text.p = pair->tag.p + head.tag;
	pair->text.n = len - sizeof(head) - head.tag;
	*size = head.size;
	return BT_OK;
}

/* The same, compared in full with the text at hand, unless by their sizes they
 * are not alike enough. */
static int compare(struct bt_minhash *n, size_t i, struct bt_minhash_pair *pair,
                   struct bt_error *err)
{
	uint32_t both, size;
	double mine = n->query.distinct, all;
	int r = fetch(n, i, pair, &size, err);

	if (r != BT_OK)
		return r;
	pair->similarity = 0;
	if (size < n->threshold * mine - 1 || mine < n->threshold * size - 1)
		return BT_OK;
	if (bt_shingles_make(&n->other, pair->text) != BT_OK)
		return nomem(err);
	all = mine + size;
	both = in_both(&n->query, &n->other, (uint32_t)i + 2);
	pair->similarity = both / (all - both);
	return BT_OK;
}

/* Keeps the text at hand. */
static int keep(struct bt_minhash *n, struct bt_span tag, struct bt_span text,
                struct bt_error *err)
{
	struct head head = {(uint32_t)tag.n, n->query.distinct};
	size_t k = bt_record_store_count(n->store);
	unsigned b;
	int r;

	if (k >= UINT32_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "more than %zu texts to compare", k);
	bt_buf_reset(&n->payload);
	bt_buf_put(&n->payload, &head, sizeof(head));
	bt_buf_put(&n->payload, tag.p, tag.n);
	bt_buf_put(&n->payload, text.p, text.n);
	if (n->payload.oom)
		return nomem(err);
	r = bt_record_store_put(n->store, n->payload.data, n->payload.len, err);
	for (b = 0; b < n->bands && r == BT_OK; b++)
		r = bt_hash_index_add(n->places, n->band[b], k, err);
	return r;
}

int bt_minhash_keep(struct bt_minhash *n, struct bt_span text,
                    struct bt_error *err)
{
	struct bt_minhash_pair pair;
	struct bt_span none = {"", 0};
	size_t i;
	int r = begin(n, text, err);

	for (i = 0; i < n->n_found && r == BT_OK; i++) {
		r = compare(n, i, &pair, err);
		if (r == BT_OK && pair.similarity >= n->threshold)
			return 0;
	}
	if (r == BT_OK)
		r = keep(n, none, text, err);
	return r == BT_OK ? 1 : r;
}

/* The one among those found with the same bytes, or n_found. */
static int find_copy(struct bt_minhash *n, struct bt_span text,
                     struct bt_minhash_pair *pair, size_t *i,
                     struct bt_error *err)
{
	uint32_t size;
	int r = BT_OK;

	for (*i = 0; *i < n->n_found && r == BT_OK; ++*i) {
		r = fetch(n, *i, pair, &size, err);
		if (r == BT_OK && bt_span_equal(pair->text, text))
			break;
	}
	return r;
}

/* *is_copy: an equal one was kept. */
static int find(struct bt_minhash *n, struct bt_span text, bt_minhash_fn *fn,
                void *arg, bool *is_copy, struct bt_error *err)
{
	struct bt_minhash_pair pair;
	size_t i;
	int r = begin(n, text, err);

	*is_copy = false;
	if (r == BT_OK)
		r = find_copy(n, text, &pair, &i, err);
	if (r == BT_OK && i < n->n_found) {
		*is_copy = true;
		pair.similarity = 1;
		return fn(arg, &pair, err);
	}
	for (i = 0; i < n->n_found && r == BT_OK; i++) {
		r = compare(n, i, &pair, err);
		if (r == BT_OK && pair.similarity >= n->threshold)
			r = fn(arg, &pair, err);
	}
	return r;
}

int bt_minhash_find(struct bt_minhash *n, struct bt_span text,
                    bt_minhash_fn *fn, void *arg, struct bt_error *err)
{
	bool is_copy;

	return find(n, text, fn, arg, &is_copy, err);
}

int bt_minhash_pairs(struct bt_minhash *n, struct bt_span tag,
                     struct bt_span text, bt_minhash_fn *fn, void *arg,
                     struct bt_error *err)
{
	bool is_copy;
	int r = find(n, text, fn, arg, &is_copy, err);

	return r == BT_OK && !is_copy ? keep(n, tag, text, err) : r;
}
