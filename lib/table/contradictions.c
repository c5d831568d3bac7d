/* SPDX-License-Identifier: MIT */
#include "table/contradictions_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/path.h"

#define LEAST ((size_t)1 << 15) /* slots */
#define MOST ((size_t)1 << 24)  /* 256 MiB */
#define LABEL_BITS 23

struct bt_contradiction_slot {
	uint64_t hash;     /* of the text */
	uint64_t row : 40; /* its first row; 0: the slot is free */
	uint64_t label : LABEL_BITS;
	uint64_t counted : 1; /* among the texts that contradict */
};

void bt_contradictions_clear(struct bt_contradictions *c)
{
	free(c->begins);
	free(c->slot);
	memset(c, 0, sizeof(*c));
}

void bt_contradictions_file(struct bt_contradictions *c, uint64_t rows)
{
	if (!c->on || bt_grow(&c->begins, &c->cap, c->n_begun + 1,
	                      sizeof(*c->begins)) != BT_OK)
		c->on = false;
	else
		c->begins[c->n_begun++] = rows;
}

/* The slot of the text, or the free one where it belongs. */
static struct bt_contradiction_slot *find(const struct bt_contradictions *c,
                                          uint64_t hash)
{
	size_t i = hash & (c->slots - 1);

	while (c->slot[i].row != 0 && c->slot[i].hash != hash)
		i = (i + 1) & (c->slots - 1);
	return &c->slot[i];
}

static bool has_room(const struct bt_contradictions *c)
{
	return 5 * (c->used + 1) <= 4 * c->slots;
}

static void grow(struct bt_contradictions *c)
{
	struct bt_contradiction_slot *old = c->slot;
	size_t n = c->slots, i;

	c->slots = n == 0 ? LEAST : 2 * n;
	c->slot =
	    c->slots <= MOST ? bt_array0(c->slots, sizeof(*c->slot)) : NULL;
	if (c->slot == NULL) {
		c->slot = old;
		c->slots = n;
		return;
	}
	for (i = 0; i < n; i++)
		if (old[i].row != 0)
			*find(c, old[i].hash) = old[i];
	free(old);
}

void bt_contradictions_note(struct bt_contradictions *c,
                            const struct bt_text_rec *rec, uint64_t row)
{
	const struct bt_span *label = rec->several ? rec->labels : &rec->label;
	size_t n = rec->several ? rec->n_labels : 1, i;

	if (!c->on || rec->text_a.n + rec->text_b.n == 0)
		return;
	row += c->begins[c->n_begun - 1];
	if (!c->all && row > BT_CONTRADICTIONS_FIRST) {
		c->partial = true;
		return;
	}
	c->hash = bt_hash(rec->text_a.p, rec->text_a.n);
	if (rec->text_b.n > 0)
		c->hash = bt_hash_mix(c->hash) ^
		          bt_hash(rec->text_b.p, rec->text_b.n);
	for (c->label = i = 0; i < n; i++) /* in any order */
		c->label += bt_hash(label[i].p, label[i].n);
	c->label &= ((uint64_t)1 << LABEL_BITS) - 1;
	if (!has_room(c))
		grow(c);
	c->on = c->slots > 0;
	if (!c->on)
		return;
	c->row = row;
	__builtin_prefetch(&c->slot[c->hash & (c->slots - 1)]);
}

/* Appends "row 3" and " of 'a.csv'", or the first alone where that is the file
 * of row `other`. */
static void put_row(const struct bt_contradictions *c, uint64_t row,
                    uint64_t other, struct bt_buf *b)
{
	size_t file = 0, i;
	char *name;

	for (i = 1; i < c->n_begun && c->begins[i] < row; i++)
		file = i;
	bt_buf_printf(b, "row %llu",
	              (unsigned long long)(row - c->begins[file]));
	if (other > c->begins[file] &&
	    (i == c->n_begun || other <= c->begins[i]))
		return;
	name = c->paths != NULL && strcmp(c->paths[file], "-") != 0
	           ? bt_path_quoted(c->paths[file])
	           : bt_strndup("standard input", 14);
	bt_buf_printf(b, " of %s", name);
	free(name);
}

uint64_t bt_contradictions_check(struct bt_contradictions *c)
{
	struct bt_contradiction_slot *s;
	uint64_t row = c->row;

	c->row = 0;
	if (row == 0)
		return 0;
	s = find(c, c->hash);
	if (s->row == 0 && has_room(c)) {
		*s = (struct bt_contradiction_slot){c->hash, row, c->label, 0};
		c->used++;
	}
	c->partial |= s->row == 0;
	if (s->row == 0 || s->label == c->label)
		return 0;
	if (c->rows++ == 0) {
		c->first = s->row;
		c->second = row;
	}
	c->texts += !s->counted;
	s->counted = 1;
	return s->row;
}

void bt_contradictions_put(const struct bt_contradictions *c, uint64_t row,
                           struct bt_buf *b)
{
	bt_buf_puts(b, c->dropped ? "dropped: " : "kept: ");
	put_row(c, row, UINT64_MAX, b);
	bt_buf_puts(b, " has this text with another label");
}

void bt_contradictions_tell(const struct bt_contradictions *c,
                            const char *rejects, const struct bt_log *log)
{
	struct bt_buf b = BT_BUF_INIT;
	uint64_t n = c->texts;

	if (!c->on || n == 0 || !bt_log_is_heard(log, BT_LOG_WARN))
		return;
	if (c->partial && !c->all)
		bt_buf_printf(&b, "in the first %d rows, ",
		              BT_CONTRADICTIONS_FIRST);
	bt_buf_printf(&b,
	              "%llu text%s different labels in different rows, as in ",
	              (unsigned long long)n, n == 1 ? " has" : "s have");
	put_row(c, c->first, c->second, &b);
	bt_buf_puts(&b, " and ");
	put_row(c, c->second, 0, &b);
	if (c->partial && c->all)
		bt_buf_printf(&b, " (of the first %zu texts)", c->used);
	if (rejects != NULL)
		bt_log_warn(log, "labels-contradict", BT_HINT_NONE,
		            "%s; '%s' lists %llu row%s, %s", bt_buf_str(&b),
		            rejects, (unsigned long long)c->rows,
		            bt_plural(c->rows),
		            c->dropped ? "dropped" : "kept");
	else
		bt_log_warn(log, "labels-contradict", BT_HINT_TABLE_REJECTS,
		            "%s", bt_buf_str(&b));
	bt_buf_clear(&b);
}
