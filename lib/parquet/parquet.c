/* SPDX-License-Identifier: MIT */
#include "parquet/parquet.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "parquet/parquet_int.h"
#include "parquet/value_text.h"

#define MAGIC "PAR1"
#define TAIL 8 /* the footer's length, and the magic bytes again */
#define FOOTER_MAX ((uint64_t)256 << 20)
#define SHOWN 60 /* bytes of a name in a message */

int bt_parquet_begins(struct bt_in *in, struct bt_error *err)
{
	const uint8_t *p;
	size_t n;
	int r = bt_in_peek(in, 4, &p, &n, err);

	if (r != BT_OK)
		return r;
	return n == 4 &&
	       (memcmp(p, MAGIC, 4) == 0 || memcmp(p, "PARE", 4) == 0);
}

/* The footer's bytes, and where it begins. */
static int read_footer(struct bt_random_access *file, struct bt_buf *b,
                       uint64_t *at, struct bt_error *err)
{
	uint64_t size = bt_random_access_size(file);
	uint8_t tail[TAIL];
	uint32_t n;
	int r;

	if (size < 4 + TAIL)
		return bt_error_set(err, BT_ETRUNCATED,
		                    "it ends inside the format's first bytes");
	r = bt_random_access_read(file, size - TAIL, tail, TAIL, err);
	if (r != BT_OK)
		return r;
	if (memcmp(tail + 4, "PARE", 4) == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "it is encrypted, which is not read");
	if (memcmp(tail + 4, MAGIC, 4) != 0)
		return bt_error_set(err, BT_ETRUNCATED,
		                    "it begins as a Parquet file does, but "
		                    "does not end as one: it is cut short, or "
		                    "not Parquet");
	memcpy(&n, tail, 4);
	if (n > size - TAIL - 4)
		return bt_error_set(err, BT_ECORRUPT,
		                    "its footer is damaged: it claims %lu "
		                    "bytes of a file of %llu",
		                    (unsigned long)n, (unsigned long long)size);
	if (n > FOOTER_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "its footer has more than %llu bytes",
		                    (unsigned long long)FOOTER_MAX);
	*at = size - TAIL - n;
	if (bt_buf_reserve(b, n + 1) == NULL)
		return bt_error_nomem(err, "reading a footer");
	r = bt_random_access_read(file, *at, b->data, n, err);
	b->len = n;
	return r;
}

static int set_up(struct bt_parquet *p, struct bt_error *err)
{
	size_t n = p->schema.n_leaves, i;

	p->names = bt_array(n, sizeof(*p->names));
	p->fields = bt_array0(n, sizeof(*p->fields));
	p->column = bt_array0(n, sizeof(*p->column));
	p->wanted = bt_array(n, sizeof(*p->wanted));
	p->at = bt_array(n, sizeof(*p->at));
	p->used = bt_array(n, sizeof(*p->used));
	if (p->names == NULL || p->fields == NULL || p->column == NULL ||
	    p->wanted == NULL || p->at == NULL || p->used == NULL)
		return bt_error_nomem(err, "reading a footer");
	for (i = 0; i < n; i++)
		p->names[i] = p->schema.leaves[i].name;
	return BT_OK;
}

int bt_parquet_open(struct bt_in *in, size_t max, struct bt_in_limit *limit,
                    struct bt_parquet **parquet, struct bt_error *err)
{
	struct bt_parquet *p = bt_array0(1, sizeof(*p));
	uint64_t left = limit != NULL ? limit->left : 0, at = 0;
	struct bt_buf footer = BT_BUF_INIT;
	int r = bt_random_access_from(in, &p->file, err);

	p->max = max;
	p->limit = limit;
	if (limit != NULL) /* values count, not the bytes that hold them */
		limit->left = left;
	if (r == BT_OK) {
		r = read_footer(p->file, &footer, &at, err);
		if (r == BT_OK)
			r = bt_parquet_schema_read(&p->schema, &footer, at,
			                           err);
		if (r == BT_OK)
			r = set_up(p, err);
		if (r != BT_OK && r != BT_EIO)
			bt_error_prefix(err, "cannot read %s",
			                bt_parquet_name(p));
	}
	bt_buf_clear(&footer);
	if (r != BT_OK) {
		bt_parquet_close(p);
		return r;
	}
	*parquet = p;
	return BT_OK;
}

void bt_parquet_close(struct bt_parquet *p)
{
	size_t i;

	if (p == NULL)
		return;
	for (i = 0; i < p->n_wanted; i++) {
		bt_parquet_column_clear(p->column[p->wanted[i]]);
		free(p->column[p->wanted[i]]);
	}
	bt_parquet_schema_clear(&p->schema);
	bt_random_access_close(p->file);
	bt_buf_clear(&p->text);
	free(p->names);
	free(p->fields);
	free(p->column);
	free(p->wanted);
	free(p->at);
	free(p->used);
	free(p);
}

size_t bt_parquet_width(const struct bt_parquet *p)
{
	return p->schema.n_leaves;
}

const struct bt_span *bt_parquet_names(const struct bt_parquet *p)
{
	return p->names;
}

static const struct bt_parquet_node *node_of(const struct bt_parquet *p,
                                             size_t leaf)
{
	return &p->schema.nodes[p->schema.leaves[leaf].node];
}

unsigned bt_parquet_lists(const struct bt_parquet *p, size_t i)
{
	return node_of(p, i)->rep;
}

const struct bt_string_set *bt_parquet_classes(const struct bt_parquet *p,
                                               size_t i)
{
	return p->schema.leaves[i].classes;
}

bool bt_parquet_has_numbers(const struct bt_parquet *p, size_t i)
{
	int kind = node_of(p, i)->kind;

	return bt_parquet_classes(p, i) == NULL &&
	       (kind == BT_PARQUET_IS_INT || kind == BT_PARQUET_IS_UINT ||
	        kind == BT_PARQUET_IS_REAL || kind == BT_PARQUET_IS_DECIMAL);
}

const char *bt_parquet_name(const struct bt_parquet *p)
{
	return bt_random_access_name(p->file);
}

static int show(struct bt_span name)
{
	return (int)(name.n < SHOWN ? name.n : SHOWN);
}

int bt_parquet_want(struct bt_parquet *p, size_t i, struct bt_error *err)
{
	const struct bt_parquet_node *node = node_of(p, i);
	struct bt_parquet_column *c;

	if (p->column[i] != NULL)
		return BT_OK;
	if (node->kind == BT_PARQUET_IS_OTHER)
		return bt_error_set(err, BT_EFORMAT,
		                    "cannot read %s: column '%.*s' holds %s, "
		                    "which are not read",
		                    bt_parquet_name(p), show(p->names[i]),
		                    p->names[i].p, node->other);
	c = bt_array0(1, sizeof(*c));
	c->file = p->file;
	c->node = node;
	c->max = p->max;
	p->column[i] = c;
	p->wanted[p->n_wanted++] = i;
	return BT_OK;
}

int bt_parquet_want_all(struct bt_parquet *p, const char *name,
                        struct bt_error *err)
{
	const struct bt_parquet_node *node, *nodes = p->schema.nodes;
	size_t i, k;
	int r = BT_OK;

	for (i = 1; i < p->schema.n_nodes; i = nodes[i].next) {
		node = &nodes[i];
		if (!bt_span_equal(node->name, bt_span(name)))
			continue;
		for (k = 0; r == BT_OK && k < node->n_leaves; k++)
			r = bt_parquet_want(p, node->leaf + k, err);
		return r == BT_OK ? node->n_leaves > 0 : r;
	}
	return 0;
}

/* Says in which column an error is. */
static int blame_column(const struct bt_parquet *p, size_t leaf,
                        struct bt_error *err)
{
	return bt_error_prefix(err,
	                       "cannot read %s: record %llu (row group %zu): "
	                       "column '%.*s'",
	                       bt_parquet_name(p),
	                       (unsigned long long)p->row + 1, p->group,
	                       show(p->names[leaf]), p->names[leaf].p);
}

/* 1: there are rows left in the group, perhaps the next one; 0: no more. */
static int find_group(struct bt_parquet *p, struct bt_error *err)
{
	const struct bt_parquet_schema *s = &p->schema;
	struct bt_parquet_column *c;
	size_t i, leaf;
	int r = BT_OK;

	if (p->end)
		return 0;
	while (p->left == 0) {
		for (i = 0; r == BT_OK && i < p->n_wanted && p->group > 0;
		     i++) {
			leaf = p->wanted[i];
			c = p->column[leaf];
			p->before += c->chunk->size;
			r = bt_parquet_column_end(c, err);
			if (r != BT_OK)
				return blame_column(p, leaf, err);
		}
		p->end = p->group == s->n_groups;
		if (p->end)
			return 0;
		p->left = s->rows[p->group++];
		for (i = 0; i < p->n_wanted; i++) {
			leaf = p->wanted[i];
			r = bt_parquet_column_begin(
			    p->column[leaf],
			    &s->chunks[(p->group - 1) * s->n_leaves + leaf],
			    err);
			if (r != BT_OK)
				return blame_column(p, leaf, err);
		}
	}
	return 1;
}

/* What was read counts by its values, so that few bytes cannot become endless
 * ones. */
static int count_bytes(struct bt_parquet *p, struct bt_error *err)
{
	const struct bt_parquet_column *c;
	uint64_t n = 0;
	size_t i, k;

	for (i = 0; p->limit != NULL && i < p->n_wanted; i++) {
		c = p->column[p->wanted[i]];
		for (k = 0; k < c->n; k++)
			n += 1 + c->row[k].value.n;
	}
	if (p->limit == NULL || n <= p->limit->left) {
		if (p->limit != NULL)
			p->limit->left -= n;
		return BT_OK;
	}
	return bt_error_set(err, BT_ELIMIT,
	                    "cannot read %s: there is more than the %llu bytes "
	                    "allowed, decompressed",
	                    bt_parquet_name(p),
	                    (unsigned long long)p->limit->max);
}

/* Reads the next row of each column: 1, 0 or an error. */
static int advance(struct bt_parquet *p, struct bt_error *err)
{
	size_t i;
	int r;

	p->fault = BT_PARQUET_FINE;
	r = find_group(p, err);
	if (r != 1)
		return r;
	p->left--;
	for (i = 0; i < p->n_wanted; i++) {
		r = bt_parquet_column_next(p->column[p->wanted[i]], err);
		if (r == BT_EIO)
			return r;
		if (r != BT_OK)
			return blame_column(p, p->wanted[i], err);
	}
	p->row++;
	r = count_bytes(p, err);
	return r == BT_OK ? 1 : r;
}

/* Appends the text of a value; *null is set where it stands for none. */
static int put_value(struct bt_parquet *p, size_t leaf, struct bt_span value,
                     bool *null, struct bt_error *err)
{
	const struct bt_parquet_node *node = node_of(p, leaf);
	enum bt_parquet_found found;

	if (node->kind == BT_PARQUET_IS_TEXT && bt_span_has_nul(value))
		return bt_parquet_bad_value(p, leaf, BT_PARQUET_NUL, err);
	found = bt_parquet_value_put(node, bt_parquet_classes(p, leaf), value,
	                             &p->text);
	*null = found == BT_PARQUET_NULL;
	if (found != BT_PARQUET_NOT)
		return BT_OK;
	return bt_parquet_bad_value(p, leaf,
	                            node->kind == BT_PARQUET_IS_DECIMAL
	                                ? BT_PARQUET_DECIMAL
	                                : BT_PARQUET_CLASS,
	                            err);
}

/* The texts of a list; *null is set where there is none. */
static int put_list(struct bt_parquet *p, size_t leaf, bool *null,
                    struct bt_error *err)
{
	const struct bt_parquet_column *c = p->column[leaf];
	unsigned list_def = p->schema.leaves[leaf].list_def;
	size_t i;
	int r;

	*null = false;
	bt_buf_putc(&p->text, '\0');
	if (c->n == 1 && c->row[0].def < list_def) {
		*null = c->row[0].def + 1 < list_def;
		return BT_OK;
	}
	for (i = 0; i < c->n; i++) {
		if (c->row[i].value.p == NULL)
			return bt_parquet_bad_value(p, leaf, BT_PARQUET_NESTED,
			                            err);
		r = put_value(p, leaf, c->row[i].value, null, err);
		if (r == BT_OK && *null)
			r = bt_parquet_bad_value(p, leaf, BT_PARQUET_NESTED,
			                         err);
		if (r != BT_OK)
			return r;
		bt_buf_putc(&p->text, '\0');
	}
	return BT_OK;
}

/* The field of wanted column number i. */
static int make_field(struct bt_parquet *p, size_t i, struct bt_error *err)
{
	size_t leaf = p->wanted[i];
	const struct bt_parquet_column *c = p->column[leaf];
	const struct bt_parquet_node *node = node_of(p, leaf);
	struct bt_span value, *field = &p->fields[leaf];
	size_t at = p->text.len;
	bool null = false;
	int r;

	p->at[i] = SIZE_MAX;
	*field = (struct bt_span){NULL, 0};
	if (c->large)
		return bt_parquet_bad_value(p, leaf, BT_PARQUET_LARGE, err);
	if (node->rep > 0) {
		r = put_list(p, leaf, &null, err);
	} else {
		value = c->row[0].value;
		if (value.p == NULL)
			return BT_OK;
		if (node->kind == BT_PARQUET_IS_TEXT) {
			*field = value;
			return bt_span_has_nul(value)
			           ? bt_parquet_bad_value(p, leaf,
			                                  BT_PARQUET_NUL, err)
			           : BT_OK;
		}
		r = put_value(p, leaf, value, &null, err);
	}
	if (r != BT_OK || null)
		return r;
	p->at[i] = at;
	field->n = p->text.len - at;
	return BT_OK;
}

int bt_parquet_next(struct bt_parquet *p, const struct bt_span **fields,
                    struct bt_error *err)
{
	size_t i;
	int r = advance(p, err);

	if (r != 1)
		return r;
	bt_buf_reset(&p->text);
	for (i = 0; i < p->n_wanted; i++) {
		r = make_field(p, i, err);
		if (r != BT_OK)
			return bt_parquet_blame(p, err);
	}
	if (p->text.oom)
		return bt_error_nomem(err, "reading a row");
	for (i = 0; i < p->n_wanted; i++)
		if (p->at[i] != SIZE_MAX)
			p->fields[p->wanted[i]].p =
			    bt_buf_at(&p->text, p->at[i]);
	*fields = p->fields;
	return 1;
}

int bt_parquet_next_object(struct bt_parquet *p, json_t **object,
                           struct bt_error *err)
{
	int r = advance(p, err);

	if (r != 1)
		return r;
	r = bt_parquet_make_object(p, false, object, err);
	if (r == BT_OK)
		return 1;
	bt_parquet_blame(p, err);
	return p->fault != BT_PARQUET_FINE
	           ? r
	           : bt_error_prefix(err, "cannot read %s", bt_parquet_name(p));
}

enum bt_parquet_fault bt_parquet_fault(const struct bt_parquet *p)
{
	return p->fault;
}

int bt_parquet_blame(const struct bt_parquet *p, struct bt_error *err)
{
	return bt_error_prefix(err, "record %llu (row group %zu)",
	                       (unsigned long long)p->row, p->group);
}

uint64_t bt_parquet_row(const struct bt_parquet *p)
{
	return p->row;
}

void bt_parquet_put_row(struct bt_parquet *p, struct bt_buf *b)
{
	enum bt_parquet_fault fault = p->fault;
	json_t *o = NULL;
	char *text = NULL;

	if (bt_parquet_make_object(p, true, &o, NULL) == BT_OK)
		text = json_dumps(o, JSON_COMPACT);
	if (text != NULL)
		bt_buf_puts(b, text);
	free(text);
	json_decref(o);
	p->fault = fault;
}

uint64_t bt_parquet_offset(const struct bt_parquet *p)
{
	const struct bt_parquet_column *c;
	uint64_t n = p->before;
	size_t i;

	for (i = 0; p->group > 0 && !p->end && i < p->n_wanted; i++) {
		c = p->column[p->wanted[i]];
		n += c->at - c->chunk->at;
	}
	return n;
}
