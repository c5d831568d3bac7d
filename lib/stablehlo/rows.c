/* SPDX-License-Identifier: MIT */
#include "stablehlo/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Lists of rows by the room that is left, and of texts by their length: each
 * element names the next one, 0 ends a list, and numbers count from 1. */
struct placing {
	const uint32_t *start;
	int length;
	uint32_t *head;              /* [length + 1] rows with that room */
	uint32_t *next;              /* [n + 1] */
	uint32_t *used;              /* [n + 1] texts of a row */
	uint32_t *texts, *next_text; /* [length + 1], [n + 1] */
	size_t rows;
};

/* Takes out of its list the row with the least room for so many tokens, or a
 * new row, and sets its room. */
static uint32_t take_row(struct placing *p, int tokens, int *room)
{
	uint32_t row;
	int i;

	for (i = tokens; i <= p->length; i++) {
		row = p->head[i];
		if (row != 0) {
			p->head[i] = p->next[row];
			*room = i;
			return row;
		}
	}
	*room = p->length;
	return (uint32_t)++p->rows;
}

static void place_text(struct placing *p, int tokens, struct bt_hlo_place *at)
{
	int room;
	uint32_t row = take_row(p, tokens, &room);

	at->row = row - 1;
	at->column = (uint32_t)(p->length - room);
	at->number = p->used[row]++;
	room -= tokens;
	if (room == 0 || (int)p->used[row] == bt_hlo_row_texts(p->length))
		return; /* full */
	p->next[row] = p->head[room];
	p->head[room] = row;
}

/* Texts by their length, those of equal length in their order. */
static void sort_texts(struct placing *p, size_t n)
{
	uint32_t tokens;
	size_t t;

	for (t = n; t-- > 0;) {
		tokens = p->start[t + 1] - p->start[t];
		p->next_text[t + 1] = p->texts[tokens];
		p->texts[tokens] = (uint32_t)(t + 1);
	}
}

int bt_hlo_place(const uint32_t *start, size_t n, int length,
                 struct bt_hlo_place *place, size_t *rows, struct bt_error *err)
{
	struct placing p = {.start = start, .length = length};
	size_t wide = (size_t)length + 1;
	uint32_t *all = bt_array0(2 * wide + 3 * (n + 1), sizeof(*all)), t;
	int tokens;

	if (all == NULL)
		return bt_error_nomem(err, "placing texts in rows");
	p.head = all;
	p.texts = p.head + wide;
	p.next = p.texts + wide;
	p.used = p.next + n + 1;
	p.next_text = p.used + n + 1;
	sort_texts(&p, n);
	for (tokens = length; tokens > 0; tokens--)
		for (t = p.texts[tokens]; t != 0; t = p.next_text[t])
			place_text(&p, tokens, &place[t - 1]);
	free(all);
	*rows = p.rows;
	return BT_OK;
}

static size_t elements(const struct bt_hlo_batch *b, enum bt_hlo_source source)
{
	struct bt_hlo_shape s = bt_hlo_source_shape(b->g, &b->size, source);
	size_t n = 1;
	int i;

	for (i = 0; i < s.rank; i++)
		n *= (size_t)s.dim[i];
	return n;
}

const void *bt_hlo_batch_data(const struct bt_hlo_batch *b,
                              enum bt_hlo_source source)
{
	return b->real[source] != NULL ? (const void *)b->real[source]
	                               : b->arg[source];
}

/* Allocates an argument. */
static int add_argument(struct bt_hlo_batch *b, enum bt_hlo_source source)
{
	struct bt_hlo_shape s = bt_hlo_source_shape(b->g, &b->size, source);
	size_t n = elements(b, source) + 1;

	if (s.type == BT_HLO_F32)
		b->real[source] = bt_array(n, sizeof(float));
	else
		b->arg[source] = bt_array(n, sizeof(int32_t));
	return bt_hlo_batch_data(b, source) != NULL ? BT_OK : BT_ENOMEM;
}

int bt_hlo_batch_init(struct bt_hlo_batch *b, const struct bt_graph *g,
                      const struct bt_hlo_size *size, bool learning,
                      struct bt_error *err)
{
	int last = learning ? BT_HLO_ARG_TEACHER : BT_HLO_ARG_LABELS, i, k;

	memset(b, 0, sizeof(*b));
	b->g = g;
	b->size = *size;
	b->pad = -1;
	for (i = 0; i < g->n_nodes; i++)
		if (g->nodes[i].op == BT_OP_EMBED) {
			b->position0 = g->nodes[i].u.embed.position0;
			b->pad = g->nodes[i].u.embed.pad;
		}
	for (k = BT_HLO_ARG_IDS; k < last; k++)
		if (add_argument(b, (enum bt_hlo_source)k) != BT_OK) {
			bt_hlo_batch_clear(b);
			return bt_error_nomem(err, "placing texts in rows");
		}
	bt_hlo_batch_empty(b);
	return BT_OK;
}

int bt_hlo_batch_room(struct bt_hlo_batch *b, enum bt_hlo_source source,
                      struct bt_error *err)
{
	if (add_argument(b, source) != BT_OK)
		return bt_error_nomem(err, "placing texts in rows");
	memset(b->real[source], 0, elements(b, source) * sizeof(float));
	return BT_OK;
}

void bt_hlo_batch_clear(struct bt_hlo_batch *b)
{
	int k;

	for (k = 0; k < BT_HLO_ARG_SOURCES; k++) {
		free(b->arg[k]);
		free(b->real[k]);
	}
	memset(b, 0, sizeof(*b));
}

/* What element i is where the batch has nothing: of first tokens a number that
 * no token has, another one each. */
static int32_t nothing(const struct bt_hlo_batch *b, int source, size_t i)
{
	switch (source) {
	case BT_HLO_ARG_SEGMENTS:
	case BT_HLO_ARG_LABELS:
	case BT_HLO_ARG_GROUPS:
	case BT_HLO_ARG_PAIRS:
	case BT_HLO_ARG_EQUAL:
		return -1;
	case BT_HLO_ARG_OWN:
		return (int32_t)i;
	case BT_HLO_ARG_FIRST:
		return b->size.rows * b->size.length + (int32_t)i;
	case BT_HLO_ARG_OTHERS:
		return (int32_t)i;
	default:
		return 0;
	}
}

void bt_hlo_batch_empty(struct bt_hlo_batch *b)
{
	size_t i, n;
	int k;

	for (k = BT_HLO_ARG_IDS; k < BT_HLO_ARG_SOURCES; k++) {
		if (bt_hlo_batch_data(b, (enum bt_hlo_source)k) == NULL)
			continue;
		n = elements(b, (enum bt_hlo_source)k);
		for (i = 0; b->arg[k] != NULL && i < n; i++)
			b->arg[k][i] = nothing(b, k, i);
		for (i = 0; b->real[k] != NULL && i < n; i++)
			b->real[k][i] = 0;
	}
	b->n_selected = 0;
}

size_t bt_hlo_batch_add(struct bt_hlo_batch *b,
                        const struct bt_hlo_place *place, const int32_t *ids,
                        const uint8_t *types, size_t n)
{
	size_t first = bt_hlo_token(b, place), text = bt_hlo_text(b, place);
	size_t i, at;
	int32_t position = b->position0;
	bool pads = b->position0 > 0;

	b->arg[BT_HLO_ARG_FIRST][text] = (int32_t)first;
	for (i = 0; i < n; i++) {
		at = first + i;
		b->arg[BT_HLO_ARG_IDS][at] = ids[i];
		b->arg[BT_HLO_ARG_TYPES][at] = types == NULL ? 0 : types[i];
		b->arg[BT_HLO_ARG_PLACES][at] = (int32_t)i;
		b->arg[BT_HLO_ARG_SEGMENTS][at] = (int32_t)text;
		b->arg[BT_HLO_ARG_POSITIONS][at] =
		    pads && ids[i] == b->pad ? b->position0 - 1 : position++;
	}
	return text;
}

bool bt_hlo_batch_select(struct bt_hlo_batch *b,
                         const struct bt_hlo_place *place, size_t i)
{
	if (b->n_selected == b->size.selected)
		return false;
	b->arg[BT_HLO_ARG_SELECTED][b->n_selected++] =
	    (int32_t)(bt_hlo_token(b, place) + i);
	return true;
}

/* What is wanted of n rows of logits, from a row on. */
static void learn_rows(struct bt_hlo_batch *b, size_t row, size_t n,
                       const struct bt_hlo_truth *x)
{
	size_t i, cols = (size_t)b->g->nodes[b->g->logits].cols;

	for (i = 0; x->labels != NULL && i < n; i++) {
		b->arg[BT_HLO_ARG_LABELS][row + i] = x->labels[i];
		b->real[BT_HLO_ARG_WEIGHTS][row + i] =
		    x->labels[i] < 0 ? 0 : x->weight;
	}
	for (i = 0; x->teacher != NULL && i < n; i++)
		memcpy(b->real[BT_HLO_ARG_TEACHER] + (row + i) * cols,
		       x->teacher + (size_t)x->teacher_row[i] * cols,
		       cols * sizeof(float));
	if (x->grads != NULL)
		memcpy(b->real[BT_HLO_ARG_LOGIT_GRADS] + row * cols, x->grads,
		       cols * sizeof(float));
	if (x->targets == NULL)
		return;
	b->real[BT_HLO_ARG_WEIGHTS][row] = x->weight;
	memcpy(b->real[BT_HLO_ARG_TARGETS] + row * cols, x->targets,
	       cols * sizeof(float));
}

/* The tokens of a text, and both ends of its span. */
static void learn_span(struct bt_hlo_batch *b, size_t token, size_t n,
                       const struct bt_hlo_truth *x)
{
	float *target = b->real[BT_HLO_ARG_TARGETS] + 2 * token;
	size_t i;

	for (i = 0; i < n; i++)
		b->real[BT_HLO_ARG_WEIGHTS][token + i] = x->weight;
	for (i = 0; i < 2; i++)
		target[2 * (size_t)x->targets[i] + i] = 1;
}

void bt_hlo_batch_learn(struct bt_hlo_batch *b,
                        const struct bt_hlo_place *place, size_t text, size_t n,
                        size_t selected, const struct bt_hlo_truth *truth)
{
	enum bt_rows rows = b->g->nodes[b->g->logits].rows;
	size_t token = bt_hlo_token(b, place), i;

	if (rows == BT_PER_SEQUENCE)
		learn_rows(b, text, 1, truth);
	else if (rows == BT_PER_SELECTED)
		learn_rows(b, (size_t)b->n_selected - selected, selected,
		           truth);
	else if (truth->targets != NULL)
		learn_span(b, token, n, truth);
	else
		learn_rows(b, token, n, truth);
	b->arg[BT_HLO_ARG_NEXT_LABELS][text] = truth->next;
	if (truth->next >= 0)
		b->real[BT_HLO_ARG_NEXT_WEIGHTS][text] = truth->next_weight;
	for (i = 0; i < n; i++)
		b->arg[BT_HLO_ARG_NUMBERS][token + i] =
		    (int32_t)(truth->token + i);
	b->arg[BT_HLO_ARG_TEXT_NUMBERS][text] = (int32_t)truth->number;
	b->arg[BT_HLO_ARG_OTHERS][text] = (int32_t)truth->other;
}

void bt_hlo_batch_group(struct bt_hlo_batch *b, size_t text,
                        const struct bt_hlo_member *m)
{
	if (b->size.compared > 0) {
		b->arg[BT_HLO_ARG_PAIRS][text] = m->pair;
		b->arg[BT_HLO_ARG_EQUAL][text] = m->equal;
	} else {
		b->arg[BT_HLO_ARG_GROUPS][text] = m->group;
	}
	b->real[BT_HLO_ARG_WEIGHTS][text] = m->weight;
	b->real[BT_HLO_ARG_TARGETS][text] = m->target;
}

void bt_hlo_batch_own(struct bt_hlo_batch *b, size_t first)
{
	int i;

	for (i = 0; i < b->size.texts; i++)
		b->arg[BT_HLO_ARG_OWN][i] = (int32_t)first + i;
}

void bt_hlo_batch_random(struct bt_hlo_batch *b, uint64_t seed, uint32_t step,
                         uint32_t token0)
{
	int32_t *x = b->arg[BT_HLO_ARG_RANDOM];

	x[0] = (int32_t)(uint32_t)seed;
	x[1] = (int32_t)(uint32_t)(seed >> 32);
	x[2] = (int32_t)step;
	x[3] = (int32_t)token0;
}
