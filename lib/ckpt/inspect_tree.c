/* SPDX-License-Identifier: MIT */
/*
 * Checkpoints as trees: the parts of a name, between dots or slashes, are
 * modules in each other. Tensors of a module stand together, since they are in
 * the order of their names.
 */
#include <string.h>

#include "ckpt/inspect_int.h"
#include "format/escape.h"

#define LEVELS_MAX 64 /* modules in each other; the rest of a name is one */

/* A module: what a name has before byte end, which is behind a separator. */
struct module {
	const struct bt_inspect_view *v;
	size_t first, end;
	int depth;
	struct bt_inspect_totals sum;
};

static char separator_of(const char *name)
{
	return strchr(name, '/') != NULL ? '/' : '.';
}

/* Bytes of the next part of name from byte at on, with what ends it; 0: it is
 * the last one, a tensor. */
static size_t part(const char *name, size_t at)
{
	const char *end = strchr(name + at, separator_of(name));

	return end == NULL ? 0 : (size_t)(end - name) - at + 1;
}

static bool is_in(const char *name, const struct module *m)
{
	return strncmp(name, m->v->t[m->first]->name, m->end) == 0;
}

/* Calls fn for each module that begins with tensor i, the outermost first, and
 * returns in how many it stands. *rest is where its own name begins. */
static int modules_of(const struct bt_inspect_view *v, size_t i, int depth,
                      void (*fn)(void *, const struct module *), void *arg,
                      size_t *rest)
{
	const char *name = v->t[i]->name;
	struct module m = {.v = v, .first = i};
	bool cut =
	    depth > 0 && depth <= LEVELS_MAX; /* what is deeper is left out */
	size_t n, k;

	while ((n = part(name, m.end)) != 0 &&
	       m.depth < (cut ? depth : LEVELS_MAX)) {
		m.end += n;
		if (i == 0 || !is_in(v->t[i - 1]->name, &m)) {
			m.sum = (struct bt_inspect_totals){0, 0, 0};
			for (k = i; k < v->n && is_in(v->t[k]->name, &m); k++) {
				m.sum.tensors++;
				m.sum.parameters += v->t[k]->count;
				m.sum.bytes += v->t[k]->bytes;
			}
			fn(arg, &m);
		}
		m.depth++;
	}
	*rest = m.end;
	return n != 0 && cut ? -1 : m.depth;
}

static void indent(struct bt_inspect_table *t, int depth)
{
	for (; depth > 0; depth--)
		bt_buf_puts(&t->text, "  ");
}

static void module_line(void *arg, const struct module *m)
{
	const char *name = m->v->t[m->first]->name;
	size_t end = m->end - 1, at = end;
	struct bt_inspect_table *t = arg;

	while (at > 0 && name[at - 1] != separator_of(name))
		at--;
	indent(t, m->depth);
	bt_escape(&t->text, (struct bt_span){name + at, end - at}, "");
	bt_inspect_table_end(t);
	bt_inspect_table_cell(t, "%zu", m->sum.tensors);
	bt_inspect_table_cell(t, " ");
	bt_inspect_table_cell(t, " ");
	bt_inspect_table_cell(t, "%zu", m->sum.parameters);
	bt_inspect_table_cell(t, "%zu", m->sum.bytes);
}

static void tensor_line(struct bt_inspect_table *t, const struct bt_tensor *x,
                        size_t rest, int depth)
{
	indent(t, depth);
	bt_inspect_name(&t->text, x->name + rest);
	bt_inspect_table_end(t);
	bt_inspect_table_cell(t, " ");
	bt_inspect_table_cell(t, "%s", bt_dtype_name(x->dtype));
	bt_inspect_shape(&t->text, x);
	bt_inspect_table_end(t);
	bt_inspect_table_cell(t, "%zu", x->count);
	bt_inspect_table_cell(t, "%zu", x->bytes);
}

void bt_inspect_tree(struct bt_buf *b, const struct bt_inspect_view *v,
                     int depth)
{
	static const char *const head[] = {"MODULE", "TENSORS",    "DTYPE",
	                                   "SHAPE",  "PARAMETERS", "BYTES"};
	struct bt_inspect_table t = BT_INSPECT_TABLE_INIT("lrllrr");
	struct bt_inspect_totals sum = bt_inspect_totals(v, BT_DTYPES);
	size_t i, rest;
	int in;

	for (i = 0; i < 6; i++)
		bt_inspect_table_cell(&t, "%s", head[i]);
	for (i = 0; i < v->n; i++) {
		in = modules_of(v, i, depth, module_line, &t, &rest);
		if (in >= 0 && (depth == 0 || in < depth))
			tensor_line(&t, v->t[i], rest, in);
	}
	bt_inspect_table_show(&t, b);
	bt_inspect_totals_line(b, &sum);
	bt_buf_putc(b, '\n');
}

struct list {
	struct bt_buf *b;
	const char *comma;
};

static void module_json(void *arg, const struct module *m)
{
	const char *name = m->v->t[m->first]->name;
	struct list *l = arg;

	bt_buf_puts(l->b, l->comma);
	bt_inspect_json(
	    l->b, json_pack("{s:s%,s:I,s:I,s:I}", "name", name, m->end - 1,
	                    "tensors", (json_int_t)m->sum.tensors, "parameters",
	                    (json_int_t)m->sum.parameters, "bytes",
	                    (json_int_t)m->sum.bytes));
	l->comma = ",\n  ";
}

void bt_inspect_tree_json(struct bt_buf *b, const struct bt_inspect_view *v,
                          int depth)
{
	struct bt_inspect_totals sum = bt_inspect_totals(v, BT_DTYPES);
	struct list l = {b, "\n  "};
	size_t i, rest;

	bt_buf_puts(b, "{\"format\": ");
	bt_inspect_json(b, json_string(bt_ckpt_format(v->ckpt)));
	bt_buf_puts(b, ",\n \"modules\": [");
	for (i = 0; i < v->n; i++)
		(void)modules_of(v, i, depth, module_json, &l, &rest);
	bt_buf_printf(b,
	              "],\n \"tensors\": %zu,\n \"parameters\": %zu,\n "
	              "\"bytes\": %zu}\n",
	              sum.tensors, sum.parameters, sum.bytes);
}
