/* SPDX-License-Identifier: MIT */
#include "device/sizes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "device/device_int.h"

#define LEAST_LENGTH 64
#define FEW 4      /* sizes */
#define MANY 8     /* at most */
#define WORTH .003 /* of all places: less is no reason for a program */
#define DEAR .02   /* that much is one, beyond FEW */

int bt_device_row_length(size_t longest)
{
	int length = LEAST_LENGTH;

	while ((size_t)length < longest)
		length *= 2;
	return length;
}

static size_t places_of(const struct bt_device_size *s)
{
	return (size_t)s->rows * (size_t)s->length;
}

/* n, or the next number above it of which there are so many between a power of
 * 2 and the next. */
static int round_up(size_t n, size_t steps)
{
	size_t most = 1, step;

	while (most < n)
		most *= 2;
	step = most / 2 / steps;
	return (int)(step > 1 ? (n + step - 1) / step * step : n);
}

/* Behind the group of text t, which is before `end`. */
static size_t next_group(const struct bt_device_division *v, size_t t,
                         size_t end)
{
	do
		t++;
	while (v->number != NULL && t < end && v->number[t] != 0);
	return t;
}

size_t bt_device_cut(const struct bt_device_division *v, size_t first,
                     size_t end, int part, int parts)
{
	const uint32_t *start = v->start;
	uint64_t all = start[end] - start[first];
	uint64_t at = all * (uint64_t)part / (uint64_t)parts + start[first];
	size_t t = first, before = first;

	while (t < end && start[t] < at) {
		before = t;
		t = next_group(v, t, end);
	}
	return at - start[before] < start[t] - at ? before : t;
}

/* Places the parts of a piece, one for each device, in rows of that length:
 * sets place[t] of its texts, and the rows of the part that has most. */
static int place_parts(const struct bt_device_division *v,
                       const struct bt_device_piece *p, int length,
                       struct bt_hlo_place *place, size_t *rows,
                       struct bt_error *err)
{
	size_t from = p->first, to, n;
	int i, r = BT_OK;

	for (*rows = 1, i = 0; i < v->replicas && r == BT_OK; i++, from = to) {
		to = bt_device_cut(v, p->first, p->end, i + 1, v->replicas);
		r = bt_hlo_place(v->start + from, to - from, length,
		                 place + from, &n, err);
		*rows = r == BT_OK && n > *rows ? n : *rows;
	}
	return r;
}

/* Sets the length of rows that a piece needs, and how many. */
static int measure(const struct bt_device_division *v,
                   struct bt_device_piece *p, struct bt_hlo_place *place,
                   struct bt_error *err)
{
	size_t longest = 1, t, n;

	for (t = p->first; t < p->end; t++) {
		n = v->start[t + 1] - v->start[t];
		longest = n > longest ? n : longest;
	}
	p->length = bt_device_row_length(longest);
	return place_parts(v, p, p->length, place, &p->rows, err);
}

size_t bt_device_least(const struct bt_device_division *v, size_t first,
                       size_t end)
{
	int i;

	for (i = 0; i < v->replicas && first < end; i++)
		first = next_group(v, first, end);
	return first;
}

int bt_device_piece(const struct bt_device_division *v, size_t first,
                    size_t end, struct bt_hlo_place *place,
                    struct bt_device_piece *p, struct bt_error *err)
{
	size_t all, least = bt_device_least(v, first, end);
	int parts = 0, r;

	*p = (struct bt_device_piece){.first = first, .end = end};
	for (;;) {
		r = measure(v, p, place, err);
		all = p->rows * (size_t)p->length;
		if (r != BT_OK || p->end <= least || all <= v->places)
			return r;
		parts = parts == 0 ? (int)((all + v->places - 1) / v->places)
		                   : parts + 1;
		p->end = bt_device_cut(v, first, end, 1, parts);
		if (p->end < least)
			p->end = least;
	}
}

int bt_device_fit(const struct bt_device_sizes *s,
                  const struct bt_device_division *v,
                  const struct bt_device_piece *p, struct bt_hlo_place *place,
                  struct bt_hlo_size *z, struct bt_error *err)
{
	int length = 0, r = BT_OK;
	size_t rows = 0, i;

	for (i = 0; i < s->n && r == BT_OK; i++) {
		if (s->at[i].length < p->length ||
		    places_of(&s->at[i]) > v->places)
			continue;
		if (s->at[i].length != length) {
			length = s->at[i].length;
			r = place_parts(v, p, length, place, &rows, err);
		}
		if (r == BT_OK && rows <= (size_t)s->at[i].rows) {
			z->rows = s->at[i].rows;
			z->length = length;
			return BT_OK;
		}
	}
	if (r != BT_OK)
		return r;
	z->rows = round_up(p->rows, 8);
	z->length = p->length;
	return place_parts(v, p, p->length, place, &rows, err);
}

static int count(struct bt_device_sizes *s, const struct bt_device_piece *p,
                 struct bt_error *err)
{
	int rows = round_up(p->rows, 16);
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->at[i].rows == rows && s->at[i].length == p->length) {
			s->at[i].count++;
			return BT_OK;
		}
	if (bt_grow(&s->at, &s->cap, s->n + 1, sizeof(*s->at)) != BT_OK)
		return bt_error_nomem(err, "choosing programs");
	s->at[s->n++] = (struct bt_device_size){rows, p->length, 1};
	return BT_OK;
}

int bt_device_sizes_count(struct bt_device_sizes *s,
                          const struct bt_device_division *v, size_t n,
                          struct bt_error *err)
{
	struct bt_hlo_place *place = bt_array(n + 1, sizeof(*place));
	struct bt_device_piece p = {.end = 0};
	int r = BT_OK;

	if (place == NULL)
		return bt_error_nomem(err, "placing texts in rows");
	while (p.end < n && r == BT_OK) {
		r = bt_device_piece(v, p.end, n, place, &p, err);
		if (r == BT_OK)
			r = count(s, &p, err);
	}
	free(place);
	return r;
}

/* Places that it costs to run in size b what size a is for. Rows of a, two and
 * more at a time, fill rows of b that are longer. */
static uint64_t cost(const struct bt_device_size *a,
                     const struct bt_device_size *b)
{
	int times = b->length / a->length;

	if (a == b || times == 0 || b->rows < (a->rows + times - 1) / times)
		return UINT64_MAX;
	return places_of(b) > places_of(a)
	           ? a->count * (places_of(b) - places_of(a))
	           : 0;
}

/* The size whose leaving out costs least, and the one that takes its place. */
static uint64_t cheapest(const struct bt_device_sizes *s, size_t *out,
                         size_t *in)
{
	uint64_t least = UINT64_MAX, x;
	size_t i, k;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->n; k++) {
			x = cost(&s->at[i], &s->at[k]);
			if (x < least) {
				least = x;
				*out = i;
				*in = k;
			}
		}
	return least;
}

static int by_places(const void *a, const void *b)
{
	const struct bt_device_size *x = a, *y = b;
	size_t m = places_of(x), n = places_of(y);

	return m != n ? (m > n) - (m < n)
	              : (x->length > y->length) - (x->length < y->length);
}

void bt_device_sizes_choose(struct bt_device_sizes *s)
{
	double all = 0;
	uint64_t least;
	size_t i, out, in;

	if (s->n == 0)
		return;
	qsort(s->at, s->n, sizeof(*s->at), by_places);
	for (i = 0; i < s->n; i++)
		all += (double)s->at[i].count * (double)places_of(&s->at[i]);
	for (;;) {
		least = cheapest(s, &out, &in);
		if (least == UINT64_MAX ||
		    (s->n <= MANY &&
		     (double)least > all * (s->n > FEW ? DEAR : WORTH)))
			return;
		s->at[in].count += s->at[out].count;
		s->n--;
		memmove(&s->at[out], &s->at[out + 1],
		        (s->n - out) * sizeof(*s->at));
	}
}

void bt_device_sizes_clear(struct bt_device_sizes *s)
{
	free(s->at);
	memset(s, 0, sizeof(*s));
}
