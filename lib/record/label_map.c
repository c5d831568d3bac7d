/* SPDX-License-Identifier: MIT */
#include "record/label_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/string_set.h"
#include "format/csv.h"
#include "io/path.h"

#define SHOWN 200 /* bytes of a list of labels in a message, about */

struct bt_label_map {
	struct bt_string_set *from;
	char **to; /* [count of from] */
	size_t n, cap;
};

void bt_label_map_free(struct bt_label_map *m)
{
	size_t i;

	if (m == NULL)
		return;
	for (i = 0; i < m->n; i++)
		free(m->to[i]);
	free(m->to);
	bt_string_set_free(m->from);
	free(m);
}

static int add(struct bt_label_map *m, struct bt_span from, struct bt_span to,
               int code, struct bt_error *err)
{
	size_t at;

	if (from.n == 0 || to.n == 0)
		return bt_error_set(err, code, "'%.*s=%.*s' lacks a label",
		                    (int)from.n, from.p, (int)to.n, to.p);
	if (bt_string_set_find(m->from, from, &at))
		return bt_error_set(err, code, "label '%.*s' stands twice",
		                    (int)from.n, from.p);
	if (bt_grow(&m->to, &m->cap, m->n + 1, sizeof(*m->to)) != BT_OK ||
	    bt_string_set_add(m->from, from, &m->n) != BT_OK ||
	    (m->to[m->n] = bt_strndup(to.p, to.n)) == NULL)
		return bt_error_nomem(err, "reading a label map");
	m->n++;
	return BT_OK;
}

static int read_pairs(struct bt_label_map *m, const char *text,
                      struct bt_error *err)
{
	const char *p = text, *end, *equals;
	int r = BT_OK;

	for (; r == BT_OK; p = end + 1) {
		end = p + strcspn(p, ",");
		equals = memchr(p, '=', (size_t)(end - p));
		if (equals == NULL)
			return bt_error_set(err, BT_EARG,
			                    "'%.*s' is not a pair A=B "
			                    "(labels with commas need @FILE)",
			                    (int)(end - p), p);
		r = add(
		    m, (struct bt_span){p, (size_t)(equals - p)},
		    (struct bt_span){equals + 1, (size_t)(end - equals) - 1},
		    BT_EARG, err);
		if (*end == '\0')
			break;
	}
	return r;
}

static int read_file(struct bt_label_map *m, const char *path,
                     struct bt_error *err)
{
	struct bt_csv_opts opts = BT_CSV_OPTS_INIT;
	const struct bt_span *f;
	struct bt_csv *csv;
	int r;

	opts.header = false;
	if (bt_path_is_tsv(path))
		opts.delimiter = '\t';
	r = bt_csv_open(path, &opts, &csv, err);
	if (r != BT_OK)
		return r;
	while ((r = bt_csv_next(csv, &f, err)) == 1) {
		if (bt_csv_width(csv) != 2)
			r = bt_error_set(err, BT_EFORMAT,
			                 "%zu fields, expected two: a label "
			                 "and its new name",
			                 bt_csv_width(csv));
		else
			r = add(m, f[0], f[1], BT_EFORMAT, err);
		if (r != BT_OK) {
			bt_csv_blame(csv, err);
			break;
		}
	}
	if (r != BT_OK)
		bt_error_prefix(err, "cannot read %s", bt_csv_name(csv));
	bt_csv_close(csv);
	return r;
}

int bt_label_map_new(const char *text, struct bt_label_map **map,
                     struct bt_error *err)
{
	struct bt_label_map *m = bt_array0(1, sizeof(*m));
	int r;

	m->from = bt_string_set_new();
	r = text[0] == '@' ? read_file(m, text + 1, err)
	                   : read_pairs(m, text, err);
	if (r == BT_OK)
		*map = m;
	else
		bt_label_map_free(m);
	return r;
}

bool bt_label_map_find(const struct bt_label_map *m, struct bt_span label,
                       struct bt_span *to)
{
	size_t at;

	if (!bt_string_set_find(m->from, label, &at))
		return false;
	*to = bt_span(m->to[at]);
	return true;
}

bool bt_label_map_get(const struct bt_label_map *m, size_t i,
                      struct bt_span *from)
{
	if (i >= m->n)
		return false;
	*from = bt_string_set_get(m->from, i);
	return true;
}

void bt_label_map_put(const struct bt_label_map *m, struct bt_buf *b)
{
	size_t start = b->len, i;
	struct bt_span v;

	for (i = 0; i < m->n && b->len - start < SHOWN; i++) {
		v = bt_string_set_get(m->from, i);
		bt_buf_puts(b, i > 0 ? ", '" : "'");
		bt_buf_put(b, v.p, v.n < SHOWN / 2 ? v.n : SHOWN / 2);
		bt_buf_putc(b, '\'');
	}
	if (i < m->n)
		bt_buf_printf(b, ", ... (%zu in all)", m->n);
}
