/* SPDX-License-Identifier: MIT */
#include "parquet/schema.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "parquet/thrift.h"

#define SHOWN 60            /* bytes of a name in a message */
#define NODES_MAX (1 << 18) /* of the tree */
/* Bytes of all leaves' names: each has those of the columns that it is in. */
#define NAMES_MAX ((size_t)16 << 20)

struct file_meta {
	int64_t rows;
	struct bt_thrift_list schema, groups, pairs;
};

struct element {
	int64_t type, repetition, children;
	struct bt_span name;
	struct bt_parquet_logical logical;
};

struct group {
	int64_t rows;
	struct bt_thrift_list columns;
};

struct column {
	struct bt_span path;
	struct bt_pb meta, crypto;
};

struct column_meta {
	int64_t type, codec, values, size, data_at, dictionary_at;
};

#define IN(s, m) offsetof(struct s, m)

static int damaged(const char *what, struct bt_error *err)
{
	return bt_error_set(err, BT_ECORRUPT, "its footer is damaged: %s",
	                    what);
}

static int take_element(struct bt_thrift_list *list, struct element *e,
                        struct bt_error *err)
{
	static const struct bt_thrift_member members[] = {
	    {1, BT_THRIFT_INT, IN(element, type)},
	    {2, BT_THRIFT_INT, IN(element, logical.length)},
	    {3, BT_THRIFT_INT, IN(element, repetition)},
	    {4, BT_THRIFT_TEXT, IN(element, name)},
	    {5, BT_THRIFT_INT, IN(element, children)},
	    {6, BT_THRIFT_INT, IN(element, logical.converted)},
	    {7, BT_THRIFT_INT, IN(element, logical.scale)},
	    {10, BT_THRIFT_STRUCT, IN(element, logical.type)}};

	*e = (struct element){.type = -1, .logical = {.converted = -1}};
	if (list->n == 0)
		return damaged("columns are missing", err);
	list->n--;
	if (!bt_thrift_read(&list->rest, members, 8, e) || e->name.p == NULL)
		return damaged("a column cannot be read", err);
	if (e->children < 0 || e->repetition < 0 || e->repetition > 2 ||
	    e->type < -1 || e->type >= BT_PARQUET_TYPES)
		return damaged("a column has a number out of range", err);
	return BT_OK;
}

static bool ends_in_tuple(struct bt_span name, struct bt_span list)
{
	return name.n == list.n + 6 && memcmp(name.p, list.p, list.n) == 0 &&
	       memcmp(name.p + list.n, "_tuple", 6) == 0;
}

/* The child of a list, whose own name is not of the data. Its only child is the
 * element, unless older rules say that it is the element itself. */
static void note_list(struct bt_parquet_node *child,
                      const struct bt_parquet_node *list, int64_t children)
{
	child->hidden = true;
	child->wrapper = children == 1 &&
	                 !bt_span_equal(child->name, bt_span("array")) &&
	                 !ends_in_tuple(child->name, list->name);
}

/* The node of an element, below parent; parent of the root is SIZE_MAX. */
static int add_node(struct bt_parquet_schema *s, const struct element *e,
                    size_t parent, struct bt_error *err)
{
	struct bt_parquet_node *node, *up = NULL;

	if (s->n_nodes == NODES_MAX || s->n_leaves == BT_PARQUET_LEAVES_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "it has more than %d columns",
		                    BT_PARQUET_LEAVES_MAX);
	if (bt_grow(&s->nodes, &s->nodes_cap, s->n_nodes + 1,
	            sizeof(*s->nodes)) != BT_OK)
		return bt_error_nomem(err, "reading a footer");
	node = &s->nodes[s->n_nodes++];
	*node = (struct bt_parquet_node){.name = e->name,
	                                 .type = e->children == 0 ? (int)e->type
	                                                          : -1,
	                                 .leaf = s->n_leaves};
	if (parent == SIZE_MAX)
		return BT_OK;
	up = &s->nodes[parent];
	node->optional = e->repetition == 1;
	node->repeated = e->repetition == 2;
	node->def = up->def + (e->repetition != 0);
	node->rep = up->rep + node->repeated;
	if (up->list && node->repeated)
		note_list(node, up, e->children);
	else
		node->hidden = up->wrapper;
	return bt_parquet_kind_find(node, &e->logical, err);
}

/* Adds the name of the last node to that of the path down to it. */
static int add_leaf(struct bt_parquet_schema *s, size_t name, unsigned list_def,
                    struct bt_error *err)
{
	if (s->nodes[s->n_nodes - 1].type < 0) /* a struct of nothing */
		return BT_OK;
	if (bt_grow(&s->leaves, &s->leaves_cap, s->n_leaves + 1,
	            sizeof(*s->leaves)) != BT_OK)
		return bt_error_nomem(err, "reading a footer");
	s->leaves[s->n_leaves++] =
	    (struct bt_parquet_leaf){.node = s->n_nodes - 1,
	                             .name = {NULL, s->names.len - name},
	                             .list_def = list_def};
	return BT_OK;
}

/* The nodes that are open, from the root down. */
struct path {
	size_t node;
	int64_t left; /* children that are still to be read */
	size_t named; /* bytes of the path's name */
	unsigned list_def;
};

/* Puts the path's name behind those of all leaves before. */
static void put_path(struct bt_buf *names, struct bt_buf *path,
                     const struct bt_parquet_node *node)
{
	if (!node->hidden) {
		if (path->len > 0)
			bt_buf_putc(path, '.');
		bt_buf_put(path, node->name.p, node->name.n);
	}
	if (node->type >= 0)
		bt_buf_put(names, bt_buf_at(path, 0), path->len);
}

static int read_nodes(struct bt_parquet_schema *s, struct bt_thrift_list *list,
                      struct bt_buf *name, struct bt_error *err)
{
	struct path path[BT_PARQUET_DEPTH_MAX] = {{0}};
	const struct bt_parquet_node *node;
	struct element e;
	size_t depth = 0, start;
	int r;

	do {
		r = take_element(list, &e, err);
		if (r == BT_OK)
			r = add_node(
			    s, &e, depth > 0 ? path[depth - 1].node : SIZE_MAX,
			    err);
		if (r != BT_OK)
			return r;
		node = &s->nodes[s->n_nodes - 1];
		if (depth > 0) {
			name->len = path[depth - 1].named;
			start = s->names.len;
			put_path(&s->names, name, node);
			r = add_leaf(s, start,
			             node->repeated ? node->def
			                            : path[depth - 1].list_def,
			             err);
		}
		if (r == BT_OK && s->names.len > NAMES_MAX)
			r = bt_error_set(err, BT_ELIMIT,
			                 "its columns' names have more than "
			                 "%zu bytes",
			                 NAMES_MAX);
		if (r == BT_OK && depth == BT_PARQUET_DEPTH_MAX)
			r = damaged("columns are nested too deeply", err);
		if (r != BT_OK)
			return r;
		path[depth] =
		    (struct path){s->n_nodes - 1, e.children, name->len,
		                  node->repeated ? node->def
		                  : depth > 0    ? path[depth - 1].list_def
		                                 : 0};
		depth++;
		while (depth > 0 && path[depth - 1].left == 0) {
			depth--;
			s->nodes[path[depth].node].next = s->n_nodes;
			s->nodes[path[depth].node].n_leaves =
			    s->n_leaves - s->nodes[path[depth].node].leaf;
		}
		if (depth > 0)
			path[depth - 1].left--;
	} while (depth > 0);
	return BT_OK;
}

static int read_tree(struct bt_parquet_schema *s, struct bt_thrift_list *list,
                     struct bt_error *err)
{
	struct bt_buf name = BT_BUF_INIT;
	size_t i, at;
	int r = read_nodes(s, list, &name, err);

	bt_buf_clear(&name);
	if (r != BT_OK)
		return r;
	if (s->names.oom)
		return bt_error_nomem(err, "reading a footer");
	if (s->n_leaves == 0)
		return damaged("the schema has no columns", err);
	for (i = at = 0; i < s->n_leaves; at += s->leaves[i++].name.n)
		s->leaves[i].name.p = bt_buf_at(&s->names, at);
	return BT_OK;
}

/* Where the values stand, which is in front of the footer. */
static int place(const struct bt_parquet_schema *s, size_t leaf,
                 const struct column_meta *m, uint64_t end,
                 struct bt_parquet_chunk *chunk, struct bt_error *err)
{
	const struct bt_parquet_node *node = &s->nodes[s->leaves[leaf].node];
	int64_t at = m->data_at;

	if (m->dictionary_at > 0 && m->dictionary_at < at)
		at = m->dictionary_at;
	if (m->type != node->type)
		return damaged("a column has two types", err);
	/* of a group without rows Arrow writes no page, and 0 as its place */
	if (m->values == 0 && s->rows[s->n_groups - 1] == 0) {
		*chunk = (struct bt_parquet_chunk){0};
		return BT_OK;
	}
	if (at < 4 || m->size < 0 || m->values < 0 || (uint64_t)at > end ||
	    (uint64_t)m->size > end - (uint64_t)at)
		return damaged("a column is outside the file", err);
	*chunk = (struct bt_parquet_chunk){
	    .at = (uint64_t)at,
	    .size = (uint64_t)m->size,
	    .values = (uint64_t)m->values,
	    .codec_number = m->codec,
	    .unread = bt_parquet_codec_check(m->codec, NULL) != BT_OK};
	if (!chunk->unread)
		chunk->codec = (enum bt_parquet_codec)m->codec;
	return BT_OK;
}

static int read_chunk(struct bt_parquet_schema *s, size_t leaf,
                      struct bt_thrift_list *list, uint64_t end,
                      struct bt_error *err)
{
	static const struct bt_thrift_member of_column[] = {
	    {1, BT_THRIFT_TEXT, IN(column, path)},
	    {3, BT_THRIFT_STRUCT, IN(column, meta)},
	    {8, BT_THRIFT_STRUCT, IN(column, crypto)}};
	static const struct bt_thrift_member of_meta[] = {
	    {1, BT_THRIFT_INT, IN(column_meta, type)},
	    {4, BT_THRIFT_INT, IN(column_meta, codec)},
	    {5, BT_THRIFT_INT, IN(column_meta, values)},
	    {7, BT_THRIFT_INT, IN(column_meta, size)},
	    {9, BT_THRIFT_INT, IN(column_meta, data_at)},
	    {11, BT_THRIFT_INT, IN(column_meta, dictionary_at)}};
	struct column c = {{NULL, 0}, {NULL, NULL}, {NULL, NULL}};
	struct column_meta m = {-1, -1, -1, -1, -1, 0};

	if (!bt_thrift_read(&list->rest, of_column, 3, &c))
		return damaged("a column of a row group cannot be read", err);
	if (c.crypto.p != NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "it is encrypted, which is not read");
	if (c.path.p != NULL && c.path.n > 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "it has its data in other files ('%.*s'): "
		                    "give these",
		                    (int)(c.path.n < SHOWN ? c.path.n : SHOWN),
		                    c.path.p);
	if (c.meta.p == NULL || !bt_thrift_read(&c.meta, of_meta, 6, &m))
		return damaged("a column of a row group cannot be read", err);
	if (bt_grow(&s->chunks, &s->chunks_cap, s->n_chunks + 1,
	            sizeof(*s->chunks)) != BT_OK)
		return bt_error_nomem(err, "reading a footer");
	return place(s, leaf, &m, end, &s->chunks[s->n_chunks++], err);
}

static int read_group(struct bt_parquet_schema *s, struct bt_thrift_list *list,
                      uint64_t end, struct bt_error *err)
{
	static const struct bt_thrift_member members[] = {
	    {1, BT_THRIFT_LIST, IN(group, columns)},
	    {3, BT_THRIFT_INT, IN(group, rows)}};
	struct group g = {-1, {{NULL, NULL}, 0, 0}};
	size_t i;
	int r = BT_OK;

	if (!bt_thrift_read(&list->rest, members, 2, &g) || g.rows < 0)
		return damaged("a row group cannot be read", err);
	if (g.columns.n != s->n_leaves || !bt_thrift_has_structs(&g.columns))
		return bt_error_set(err, BT_ECORRUPT,
		                    "its footer is damaged: row group %zu has "
		                    "%zu columns, expected %zu",
		                    s->n_groups + 1, g.columns.n, s->n_leaves);
	if (bt_grow(&s->rows, &s->groups_cap, s->n_groups + 1,
	            sizeof(*s->rows)) != BT_OK)
		return bt_error_nomem(err, "reading a footer");
	s->rows[s->n_groups++] = (uint64_t)g.rows;
	for (i = 0; r == BT_OK && i < s->n_leaves; i++)
		r = read_chunk(s, i, &g.columns, end, err);
	return r;
}

static int check_rows(const struct bt_parquet_schema *s, int64_t rows,
                      struct bt_error *err)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < s->n_groups; i++)
		if (!bt_size_add(sum, s->rows[i], &sum))
			return damaged("there are too many rows", err);
	if (rows >= 0 && sum == (uint64_t)rows)
		return BT_OK;
	return bt_error_set(err, BT_ECORRUPT,
	                    "its footer is damaged: it claims %lld rows, but "
	                    "its row groups have %llu",
	                    (long long)rows, (unsigned long long)sum);
}

static void find_classes(struct bt_parquet_schema *s,
                         struct bt_thrift_list *pairs)
{
	static const struct bt_thrift_member members[] = {
	    {1, BT_THRIFT_TEXT, 0},
	    {2, BT_THRIFT_TEXT, sizeof(struct bt_span)}};
	struct bt_span pair[2];

	for (; pairs->n > 0; pairs->n--) {
		pair[0] = pair[1] = (struct bt_span){NULL, 0};
		if (!bt_thrift_read(&pairs->rest, members, 2, pair))
			return;
		if (bt_span_equal(pair[0], bt_span("huggingface")) &&
		    pair[1].p != NULL)
			bt_parquet_classes_find(s, pair[1]);
	}
}

int bt_parquet_schema_read(struct bt_parquet_schema *s, struct bt_buf *footer,
                           uint64_t end, struct bt_error *err)
{
	static const struct bt_thrift_member members[] = {
	    {2, BT_THRIFT_LIST, IN(file_meta, schema)},
	    {3, BT_THRIFT_INT, IN(file_meta, rows)},
	    {4, BT_THRIFT_LIST, IN(file_meta, groups)},
	    {5, BT_THRIFT_LIST, IN(file_meta, pairs)}};
	struct file_meta m = {.rows = -1};
	struct bt_pb in;
	int r;

	*s = (struct bt_parquet_schema){.footer = *footer};
	*footer = (struct bt_buf)BT_BUF_INIT;
	in.p = (const uint8_t *)bt_buf_at(&s->footer, 0);
	in.end = in.p + s->footer.len;
	if (!bt_thrift_read(&in, members, 4, &m) ||
	    !bt_thrift_has_structs(&m.schema) ||
	    !bt_thrift_has_structs(&m.groups) ||
	    !bt_thrift_has_structs(&m.pairs))
		return damaged("it cannot be read", err);
	r = read_tree(s, &m.schema, err);
	for (; r == BT_OK && m.groups.n > 0; m.groups.n--)
		r = read_group(s, &m.groups, end, err);
	if (r == BT_OK)
		r = check_rows(s, m.rows, err);
	if (r == BT_OK)
		find_classes(s, &m.pairs);
	return r;
}

void bt_parquet_schema_clear(struct bt_parquet_schema *s)
{
	size_t i;

	for (i = 0; i < s->n_leaves; i++)
		bt_string_set_free(s->leaves[i].classes);
	bt_buf_clear(&s->footer);
	bt_buf_clear(&s->names);
	free(s->nodes);
	free(s->leaves);
	free(s->chunks);
	free(s->rows);
	memset(s, 0, sizeof(*s));
}
