/* SPDX-License-Identifier: MIT */
#include "table/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/charset.h"

#define GAP "{}"

static int check_template(const char *template, struct bt_error *err)
{
	size_t n = strlen(template);

	if (strstr(template, GAP) == NULL)
		return bt_error_set(err, BT_EARG,
		                    "the template '%.100s' has no " GAP
		                    ", in whose place the candidates are put",
		                    template);
	if (bt_charset_check(BT_CHARSET_UTF8, template, n) < n)
		return bt_error_set(err, BT_EARG,
		                    "the template is not valid UTF-8");
	return BT_OK;
}

static void fill(struct bt_buf *b, const char *template, const char *name)
{
	const char *gap;

	for (; (gap = strstr(template, GAP)) != NULL;
	     template = gap + strlen(GAP)) {
		bt_buf_put(b, template, (size_t)(gap - template));
		bt_buf_puts(b, name);
	}
	bt_buf_puts(b, template);
}

/* Writes the texts, which are found when all are there: their place may change.
 */
static int fill_all(struct bt_candidates *c, const char *template,
                    struct bt_error *err)
{
	struct bt_span v;
	size_t i, before, at = 0;

	for (i = 0; i < c->n; i++) {
		v = bt_span(c->labels.name[i]);
		if (bt_span_trim(v, " \t").n < v.n)
			return bt_error_set(err, BT_EARG,
			                    "the candidate '%.100s' begins or "
			                    "ends with a blank",
			                    v.p);
		before = c->bytes.len;
		fill(&c->bytes, template, v.p);
		c->name[i] = v;
		c->text[i].n = c->bytes.len - before;
	}
	if (bt_buf_str(&c->bytes) == NULL)
		return bt_error_nomem(err, "reading candidates");
	for (i = 0; i < c->n; at += c->text[i++].n)
		c->text[i].p = bt_buf_at(&c->bytes, at);
	return BT_OK;
}

int bt_candidates_init(struct bt_candidates *c, const char *labels,
                       const char *template, struct bt_error *err)
{
	int r;

	memset(c, 0, sizeof(*c));
	if (template == NULL)
		template = BT_CANDIDATES_TEMPLATE;
	r = check_template(template, err);
	if (r != BT_OK)
		return r;
	r = bt_labels_parse(labels, &c->labels, err);
	if (r != BT_OK)
		return bt_error_prefix(err, "the candidates");
	c->n = (size_t)c->labels.n;
	c->name = bt_array(c->n, sizeof(*c->name));
	c->text = bt_array(c->n, sizeof(*c->text));
	r = fill_all(c, template, err);
	if (r != BT_OK)
		bt_candidates_clear(c);
	return r;
}

void bt_candidates_clear(struct bt_candidates *c)
{
	bt_labels_clear(&c->labels);
	free(c->name);
	free(c->text);
	bt_buf_clear(&c->bytes);
	memset(c, 0, sizeof(*c));
}
