/* SPDX-License-Identifier: MIT */
#include "ckpt/inspect_int.h"

static bool is_bad(const struct bt_tensor_stats *s)
{
	return s->nan + s->inf != 0;
}

static void problem(struct bt_buf *b, const struct bt_tensor *t,
                    const struct bt_tensor_stats *s)
{
	bt_buf_putc(b, '\'');
	bt_inspect_name(b, t->file);
	bt_buf_puts(b, "': tensor '");
	bt_inspect_name(b, t->name);
	bt_buf_printf(b, "': %zu NaN and %zu Inf in %zu elements, first at %zu",
	              s->nan, s->inf, t->count, s->first_bad);
}

size_t bt_inspect_check(struct bt_buf *b, const struct bt_inspect_view *v,
                        const struct bt_tensor_stats *s, bool quiet)
{
	struct bt_inspect_totals sum = bt_inspect_totals(v, BT_DTYPES);
	size_t i, bad = 0;

	for (i = 0; i < v->n; i++) {
		if (!is_bad(&s[i]))
			continue;
		problem(b, v->t[i], &s[i]);
		bt_buf_putc(b, '\n');
		bad++;
	}
	if (bad == 0 && !quiet) {
		bt_buf_puts(b, "good: ");
		bt_inspect_totals_line(b, &sum);
		bt_buf_putc(b, '\n');
	}
	return bad;
}

static void begin(struct bt_buf *b, const char *path, bool good)
{
	bt_buf_puts(b, "{\"path\": ");
	bt_inspect_json(b, bt_inspect_text_json(path));
	bt_buf_printf(b, ", \"good\": %s,\n \"problems\": [",
	              good ? "true" : "false");
}

size_t bt_inspect_check_json(struct bt_buf *b, const struct bt_inspect_view *v,
                             const struct bt_tensor_stats *s)
{
	struct bt_buf line = BT_BUF_INIT;
	size_t i, bad = 0;

	for (i = 0; i < v->n; i++)
		bad += is_bad(&s[i]);
	begin(b, bt_ckpt_path(v->ckpt), bad == 0);
	bad = 0;
	for (i = 0; i < v->n; i++) {
		if (!is_bad(&s[i]))
			continue;
		bt_buf_puts(b, bad++ > 0 ? ",\n  " : "\n  ");
		bt_buf_reset(&line);
		problem(&line, v->t[i], &s[i]);
		bt_inspect_json(b, bt_inspect_text_json(bt_buf_str(&line)));
	}
	bt_buf_puts(b, "]}\n");
	bt_buf_clear(&line);
	return bad;
}

void bt_inspect_damage_json(struct bt_buf *b, const char *path,
                            const char *text)
{
	begin(b, path, false);
	bt_buf_puts(b, "\n  ");
	bt_inspect_json(b, bt_inspect_text_json(text));
	bt_buf_puts(b, "]}\n");
}
