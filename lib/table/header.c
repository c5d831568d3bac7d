/* SPDX-License-Identifier: MIT */
/* The header of a table, and what messages say of it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/suggest.h"
#include "table/table_int.h"

#define NAME_SHOWN 40    /* bytes of a name in a message */
#define NAMES_SHOWN 200  /* bytes of a list of them, about */
#define NAME_COMPARED 48 /* longest name that a hint is looked for among */

void bt_table_header_clear(struct bt_table_header *h)
{
	bt_buf_clear(&h->bytes);
	free(h->names);
}

/* Whether it is the line that tells Excel the delimiter: "sep=;", in which a
 * reader by that delimiter finds two fields. */
static bool is_excels(const struct bt_table_header *h)
{
	struct bt_span s = h->names[0];

	return s.n >= 4 && strncasecmp(s.p, "sep=", 4) == 0 &&
	       (h->n == 1 ? s.n == 5
	                  : h->n == 2 && s.n == 4 && h->names[1].n == 0);
}

int bt_table_header_init(struct bt_table_header *h, const struct bt_csv *csv,
                         enum bt_charset set, struct bt_error *err)
{
	const struct bt_span *names = bt_csv_names(csv);
	size_t i, at;

	memset(h, 0, sizeof(*h));
	h->file = bt_csv_name(csv);
	h->n = bt_csv_width(csv);
	if (names == NULL)
		return BT_OK;
	h->names = bt_array(h->n, sizeof(*h->names));
	if (h->names == NULL)
		return bt_error_nomem(err, "reading a header");
	for (i = 0; i < h->n; i++) {
		at = bt_charset_check(set, names[i].p, names[i].n);
		if (at < names[i].n) {
			bt_error_set(
			    err, BT_EFORMAT,
			    "cannot read %s: header: the name of column %zu is "
			    "not valid %s (byte %02X at position %zu)",
			    h->file, i + 1, bt_charset_name(set),
			    (unsigned char)names[i].p[at], at + 1);
			return set == BT_CHARSET_UTF8
			           ? bt_error_hint(err, BT_HINT_TABLE_ENCODING,
			                           BT_EFORMAT)
			           : BT_EFORMAT;
		}
		h->names[i].n = h->bytes.len;
		bt_charset_put(&h->bytes, set, names[i].p, names[i].n);
	}
	if (h->bytes.oom)
		return bt_error_nomem(err, "reading a header");
	for (i = 0; i < h->n; i++) {
		at = h->names[i].n;
		h->names[i].p = bt_buf_at(&h->bytes, at);
		h->names[i].n =
		    (i + 1 < h->n ? h->names[i + 1].n : h->bytes.len) - at;
	}
	if (is_excels(h))
		return bt_error_hint(err, BT_HINT_TABLE_SEP,
		                     bt_error_set(err, BT_EFORMAT,
		                                  "cannot read %s: its first "
		                                  "line tells Excel the "
		                                  "delimiter, and names no "
		                                  "columns",
		                                  h->file));
	return BT_OK;
}

void bt_table_put_name(struct bt_buf *b, struct bt_span name)
{
	size_t n = name.n;

	if (n > NAME_SHOWN) {
		n = NAME_SHOWN;
		while (n > 0 && ((unsigned char)name.p[n] & 0xC0) == 0x80)
			n--;
	}
	bt_buf_putc(b, '\'');
	bt_buf_put(b, name.p, n);
	bt_buf_puts(b, n < name.n ? "...'" : "'");
}

void bt_table_put_names(struct bt_buf *b, const struct bt_table_header *h)
{
	size_t start = b->len, i;

	if (h->names == NULL) {
		bt_buf_printf(b, "it has %zu column%s and no header", h->n,
		              bt_plural(h->n));
		return;
	}
	bt_buf_puts(b, h->n == 1 ? "its only column is " : "its columns are ");
	for (i = 0; i < h->n && b->len - start < NAMES_SHOWN; i++) {
		bt_buf_puts(b, i > 0 ? ", " : "");
		bt_table_put_name(b, h->names[i]);
	}
	if (i < h->n)
		bt_buf_printf(b, ", ... (%zu in all)", h->n);
}

/* Without blanks at its ends and without regard to case; "" where it is too
 * long to be compared. */
static void to_compare(struct bt_span name, char out[NAME_COMPARED + 1])
{
	if (!bt_span_str(bt_span_trim(name, " \t"), out, NAME_COMPARED + 1))
		*out = '\0';
	for (; *out != '\0'; out++)
		*out = (char)tolower((unsigned char)*out);
}

static enum bt_hint delimiter_hint(struct bt_span name)
{
	static const struct {
		char c;
		enum bt_hint hint;
	} all[] = {{'\t', BT_HINT_TABLE_TAB},
	           {';', BT_HINT_TABLE_SEMICOLON},
	           {',', BT_HINT_TABLE_COMMA},
	           {'|', BT_HINT_TABLE_PIPE}};
	enum bt_hint best = BT_HINT_NONE;
	size_t most = 0, n, i, k;

	for (k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		for (i = n = 0; i < name.n; i++)
			n += name.p[i] == all[k].c;
		if (n > most) {
			most = n;
			best = all[k].hint;
		}
	}
	return best;
}

void bt_table_doubt_delimiter(const char *file, struct bt_span name,
                              const struct bt_log *log)
{
	enum bt_hint hint = delimiter_hint(name);
	struct bt_buf b = BT_BUF_INIT;

	if (hint == BT_HINT_NONE)
		return;
	bt_table_put_name(&b, name);
	bt_log_warn(log, "one-column", hint, "the only column of %s is %s",
	            file, bt_buf_str(&b));
	bt_buf_clear(&b);
}

/* A number is no usual name; Parquet has no row of names that could be data. */
static bool seems_data(const struct bt_table_header *h)
{
	double x;
	size_t i;

	for (i = 0; h->bytes.len > 0 && i < h->n; i++)
		if (bt_table_is_number(h->names[i], &x))
			return true;
	return false;
}

enum bt_hint bt_table_put_hint(struct bt_buf *b,
                               const struct bt_table_header *h,
                               struct bt_span word)
{
	char wanted[NAME_COMPARED + 1], name[NAME_COMPARED + 1];
	size_t best = 1 + word.n / 4, i, d;
	const struct bt_span *near = NULL;

	if (h->names == NULL)
		return BT_HINT_NONE;
	if (h->n == 1 && delimiter_hint(h->names[0]) != BT_HINT_NONE)
		return delimiter_hint(h->names[0]);
	if (bt_span_trim(word, " \t").n > NAME_COMPARED)
		return BT_HINT_NONE;
	to_compare(word, wanted);
	for (i = 0; i < h->n && best > 0; i++) {
		to_compare(h->names[i], name);
		if (*name == '\0')
			continue;
		d = bt_suggest_distance(wanted, name);
		if (d < strlen(wanted) &&
		    (near == NULL ? d <= best : d < best)) {
			best = d;
			near = &h->names[i];
		}
	}
	if (near != NULL) {
		bt_buf_puts(b, " (did you mean ");
		bt_table_put_name(b, *near);
		bt_buf_puts(b, "?)");
		return BT_HINT_NONE;
	}
	return seems_data(h) ? BT_HINT_TABLE_NO_HEADER : BT_HINT_NONE;
}
