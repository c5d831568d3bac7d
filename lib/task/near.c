/* SPDX-License-Identifier: MIT */
#include "task/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "task/shingle.h"
#include "task/store.h"

#define HASHES 160  /* orders at most */
#define ROWS_MAX 16 /* of a band */
#define MISSED 1e-6 /* chance to miss a pair at the threshold */

/* A band of a text that was kept, in a chain of those with like hashes. */
struct node {
	uint32_t hash;
	uint32_t next; /* number of a node + 1, 0: the end */
};

/* The shingles of the text at hand: an open table at most half full. */
struct query {
	uint64_t *hash;
	uint32_t *mark; /* 0: free; else 1 + the last text compared with it */
	size_t slots, cap_hash, cap_mark;
	uint32_t distinct;
};

struct bt_near {
	double threshold;
	unsigned rows, bands;
	uint64_t factor[HASHES], shift[HASHES]; /* the random orders */
	struct bt_store *store; /* tags and texts that were kept */
	uint32_t *sizes;        /* distinct shingles of each */
	uint32_t *met;          /* of each: the text that met it last */
	size_t sizes_cap, met_cap;
	struct node *nodes; /* bands of each */
	size_t nodes_cap;
	uint32_t *heads; /* numbers of nodes + 1 */
	size_t n_heads;  /* a power of two, or 0 */
	uint32_t round;  /* texts looked at */
	struct bt_shingles one, other;
	struct query query;
	uint32_t band[HASHES]; /* hashes of the text at hand */
	uint32_t *found;       /* texts that may be like it */
	size_t n_found, found_cap;
	struct bt_buf payload;
};

static int nomem(struct bt_error *err)
{
	return bt_error_nomem(err, "comparing texts");
}

/* The longest bands that are still enough of them. */
static void choose_bands(struct bt_near *n)
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

int bt_near_new(double threshold, size_t memory, struct bt_near **res,
                struct bt_error *err)
{
	struct bt_near *n = bt_array0(1, sizeof(*n));
	uint64_t i;
	int r;

	if (n == NULL)
		return nomem(err);
	n->threshold = threshold;
	choose_bands(n);
	for (i = 0; i < HASHES; i++) {
		n->factor[i] = bt_hash_mix(2 * i + 1) | 1;
		n->shift[i] = bt_hash_mix(2 * i + 2);
	}
	r = bt_store_new(memory, false, &n->store, err);
	if (r == BT_OK)
		*res = n;
	else
		bt_near_free(n);
	return r;
}

void bt_near_free(struct bt_near *n)
{
	if (n == NULL)
		return;
	bt_store_free(n->store);
	free(n->sizes);
	free(n->met);
	free(n->nodes);
	free(n->heads);
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

/* The least of each order, a band's together in one hash. */
static void hash_bands(struct bt_near *n)
{
	const uint64_t *x = n->one.hash;
	size_t count = n->one.n, i;
	uint64_t h, v, least;
	unsigned b, r, k = 0;

	for (b = 0; b < n->bands; b++) {
		h = b;
		for (r = 0; r < n->rows; r++, k++) {
			least = UINT64_MAX;
			for (i = 0; i < count; i++) {
				v = n->factor[k] * x[i] + n->shift[k];
				least = v < least ? v : least;
			}
			h = bt_hash_mix(h ^ least);
		}
		n->band[b] = (uint32_t)h;
	}
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Kept texts that agree in some band, each once, and whose sizes let them be
 * alike enough. */
static int look_up(struct bt_near *n)
{
	double size = n->query.distinct;
	uint32_t i, text;
	unsigned b;

	n->n_found = 0;
	if (++n->round == 0) { /* after 2^32 of them */
		memset(n->met, 0, bt_store_count(n->store) * sizeof(*n->met));
		n->round = 1;
	}
	for (b = 0; b < n->bands && n->n_heads > 0; b++) {
		i = n->heads[n->band[b] & (n->n_heads - 1)];
		for (; i != 0; i = n->nodes[i - 1].next) {
			text = (i - 1) / n->bands;
			if (n->nodes[i - 1].hash != n->band[b] ||
			    n->met[text] == n->round)
				continue;
			n->met[text] = n->round;
			if (n->sizes[text] < n->threshold * size - 1 ||
			    size < n->threshold * n->sizes[text] - 1)
				continue;
			if (bt_grow(&n->found, &n->found_cap, n->n_found + 1,
			            sizeof(*n->found)) != BT_OK)
				return BT_ENOMEM;
			n->found[n->n_found++] = text;
		}
	}
	if (n->n_found > 1)
		qsort(n->found, n->n_found, sizeof(*n->found), ascending);
	return BT_OK;
}

/* Prepares for all questions about a text. */
static int begin(struct bt_near *n, struct bt_span text, struct bt_error *err)
{
	if (bt_shingles_make(&n->one, text) != BT_OK ||
	    fill_query(&n->query, &n->one) != BT_OK)
		return nomem(err);
	hash_bands(n);
	return look_up(n) == BT_OK ? BT_OK : nomem(err);
}

/* Text i of those found; tag and text are borrowed from the store. */
static int fetch(struct bt_near *n, size_t i, struct bt_near_pair *pair,
                 struct bt_error *err)
{
	const void *data;
	const char *p;
	uint32_t tag;
	size_t len;
	int r = bt_store_get(n->store, n->found[i], &data, &len, err);

	if (r != BT_OK)
		return r;
	p = data;
	memcpy(&tag, p, sizeof(tag));
	pair->tag.p = p + sizeof(tag);
	pair->tag.n = tag;
	pair->text.p = pair->tag.p + tag;
	pair->text.n = len - sizeof(tag) - tag;
	return BT_OK;
}

/* The same, compared in full with the text at hand. */
static int compare(struct bt_near *n, size_t i, struct bt_near_pair *pair,
                   struct bt_error *err)
{
	double all = (double)n->query.distinct + n->sizes[n->found[i]];
	uint32_t both;
	int r = fetch(n, i, pair, err);

	if (r != BT_OK)
		return r;
	if (bt_shingles_make(&n->other, pair->text) != BT_OK)
		return nomem(err);
	both = in_both(&n->query, &n->other, (uint32_t)i + 2);
	pair->similarity = both / (all - both);
	return BT_OK;
}

/* Makes twice as many chains. */
static int grow_heads(struct bt_near *n, size_t nodes)
{
	size_t size = n->n_heads == 0 ? 1024 : 2 * n->n_heads, i;
	uint32_t *heads = bt_array0(size, sizeof(*heads)), *head;

	if (heads == NULL)
		return BT_ENOMEM;
	for (i = 0; i < nodes; i++) {
		head = &heads[n->nodes[i].hash & (size - 1)];
		n->nodes[i].next = *head;
		*head = (uint32_t)i + 1;
	}
	free(n->heads);
	n->heads = heads;
	n->n_heads = size;
	return BT_OK;
}

/* Keeps the text at hand. */
static int keep(struct bt_near *n, struct bt_span tag, struct bt_span text,
                struct bt_error *err)
{
	size_t k = bt_store_count(n->store), at = k * n->bands;
	uint32_t tag_len = (uint32_t)tag.n, *head;
	unsigned b;
	int r;

	if (at > UINT32_MAX - 2 * HASHES)
		return bt_error_set(err, BT_ELIMIT,
		                    "more than %zu texts to compare", k);
	if (bt_grow(&n->sizes, &n->sizes_cap, k + 1, sizeof(*n->sizes)) ||
	    bt_grow(&n->met, &n->met_cap, k + 1, sizeof(*n->met)) ||
	    bt_grow(&n->nodes, &n->nodes_cap, at + n->bands,
	            sizeof(*n->nodes)) ||
	    (at + n->bands > n->n_heads && grow_heads(n, at) != BT_OK))
		return nomem(err);
	bt_buf_reset(&n->payload);
	bt_buf_put(&n->payload, &tag_len, sizeof(tag_len));
	bt_buf_put(&n->payload, tag.p, tag.n);
	bt_buf_put(&n->payload, text.p, text.n);
	if (n->payload.oom)
		return nomem(err);
	r = bt_store_put(n->store, n->payload.data, n->payload.len, err);
	if (r != BT_OK)
		return r;
	n->sizes[k] = n->query.distinct;
	n->met[k] = 0;
	for (b = 0; b < n->bands; b++) {
		head = &n->heads[n->band[b] & (n->n_heads - 1)];
		n->nodes[at + b].hash = n->band[b];
		n->nodes[at + b].next = *head;
		*head = (uint32_t)(at + b) + 1;
	}
	return BT_OK;
}

int bt_near_keep(struct bt_near *n, struct bt_span text, struct bt_error *err)
{
	struct bt_near_pair pair;
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
static int find_copy(struct bt_near *n, struct bt_span text,
                     struct bt_near_pair *pair, size_t *i, struct bt_error *err)
{
	int r = BT_OK;

	for (*i = 0; *i < n->n_found && r == BT_OK; ++*i) {
		r = fetch(n, *i, pair, err);
		if (r == BT_OK && bt_span_equal(pair->text, text))
			break;
	}
	return r;
}

int bt_near_pairs(struct bt_near *n, struct bt_span tag, struct bt_span text,
                  bt_near_fn *fn, void *arg, struct bt_error *err)
{
	struct bt_near_pair pair;
	size_t i;
	int r = begin(n, text, err);

	if (r == BT_OK)
		r = find_copy(n, text, &pair, &i, err);
	if (r == BT_OK && i < n->n_found) {
		pair.similarity = 1;
		return fn(arg, &pair, err);
	}
	for (i = 0; i < n->n_found && r == BT_OK; i++) {
		r = compare(n, i, &pair, err);
		if (r == BT_OK && pair.similarity >= n->threshold)
			r = fn(arg, &pair, err);
	}
	return r == BT_OK ? keep(n, tag, text, err) : r;
}
