/* SPDX-License-Identifier: MIT */
#include "model/head.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/span.h"
#include "base/str.h"

static const char *const kinds[] = {
    [BT_HEAD_POOLER] = "pooler",   [BT_HEAD_FIRST] = "first",
    [BT_HEAD_MEAN] = "mean",       [BT_HEAD_MAX] = "max",
    [BT_HEAD_FLATTEN] = "flatten", [BT_HEAD_DROPOUT] = "dropout",
    [BT_HEAD_DENSE] = "dense"};

const char *bt_pooled_name(enum bt_pooled pool)
{
	return kinds[pool];
}

bool bt_pooled_named(const char *name, enum bt_pooled *pool)
{
	int i;

	for (i = BT_POOLED_POOLER; i <= BT_POOLED_MAX; i++)
		if (strcmp(kinds[i], name) == 0) {
			*pool = (enum bt_pooled)i;
			return true;
		}
	return false;
}

static const struct {
	const char *name;
	enum bt_activation act;
	bool softmax;
} acts[] = {
    {"linear", BT_ACT_NONE, false}, {"softmax", BT_ACT_NONE, true},
    {"relu", BT_ACT_RELU, false},   {"gelu", BT_ACT_GELU, false},
    {"tanh", BT_ACT_TANH, false},   {"softplus", BT_ACT_SOFTPLUS, false},
};

#define ACTS (sizeof(acts) / sizeof(acts[0]))

#define WORDS 3 /* of a layer */
#define WORD 40 /* bytes of one */

/* One layer's text, and the words in it. */
struct reading {
	struct bt_span text;
	int number; /* from 1 on */
	char word[WORDS][WORD];
	int words;
};

static int wrong(const struct reading *r, const char *why, struct bt_error *err)
{
	return bt_error_set(err, BT_EARG, "layer %d of the head, '%.*s': %s",
	                    r->number, (int)(r->text.n < 60 ? r->text.n : 60),
	                    r->text.n > 0 ? r->text.p : "", why);
}

static int cut_words(struct reading *r, struct bt_error *err)
{
	size_t i = 0, start;

	for (r->words = 0; i < r->text.n; r->words++) {
		start = i;
		while (i < r->text.n && r->text.p[i] != ' ')
			i++;
		if (r->words == WORDS || i - start >= WORD)
			return wrong(r, "more than a layer's words", err);
		memcpy(r->word[r->words], r->text.p + start, i - start);
		r->word[r->words][i - start] = '\0';
		while (i < r->text.n && r->text.p[i] == ' ')
			i++;
	}
	return r->words > 0 ? BT_OK : wrong(r, "it is empty", err);
}

static int read_count(const struct reading *r, int most, int *n,
                      struct bt_error *err)
{
	char why[80];
	int64_t v;

	snprintf(why, sizeof(why), "expected a whole number from 1 to %d",
	         most);
	if (bt_parse_i64(r->word[1], 1, most, &v) != BT_OK)
		return wrong(r, why, err);
	*n = (int)v;
	return BT_OK;
}

static int read_dense(const struct reading *r, struct bt_head_layer *l,
                      struct bt_error *err)
{
	const char *first = r->words > 1 ? r->word[1] : "a";
	bool counted = strspn(first, "-+.0123456789") > 0;
	int at = 1 + counted, e = BT_OK, i;

	if (counted)
		e = read_count(r, BT_HEAD_UNITS, &l->units, err);
	if (e != BT_OK || at == r->words)
		return e;
	i = BT_STR_ROW_BY(r->word[at], acts, name);
	if (i < 0 || at + 1 < r->words)
		return wrong(r,
		             "expected a number of outputs, then linear, relu, "
		             "gelu, tanh, softplus or softmax",
		             err);
	l->act = acts[i].act;
	l->softmax = acts[i].softmax;
	return BT_OK;
}

static int read_layer(struct reading *r, struct bt_head_layer *l,
                      struct bt_error *err)
{
	int e = cut_words(r, err), i;
	double v;

	if (e != BT_OK)
		return e;
	memset(l, 0, sizeof(*l));
	i = BT_STR_ROW(r->word[0], kinds);
	if (i < 0)
		return wrong(r,
		             "no such layer: there are dense, dropout, "
		             "flatten, first, mean, max and pooler",
		             err);
	l->kind = (enum bt_head_kind)i;
	if (l->kind == BT_HEAD_DENSE)
		return read_dense(r, l, err);
	if (l->kind == BT_HEAD_DROPOUT) {
		if (r->words != 2 ||
		    bt_parse_f64(r->word[1], 0, 0.99, &v) != BT_OK)
			return wrong(r, "expected a probability from 0 to 0.99",
			             err);
		l->dropout = (float)v;
		return BT_OK;
	}
	if (l->kind == BT_HEAD_FLATTEN && r->words > 2)
		return wrong(r, "expected no more than a number of tokens",
		             err);
	if (l->kind == BT_HEAD_FLATTEN && r->words == 2)
		return read_count(r, BT_HEAD_UNITS, &l->length, err);
	return r->words == 1 ? BT_OK : wrong(r, "takes no value", err);
}

/* Whether it makes one row of a text's tokens. */
static bool is_pool(const struct bt_head_layer *l)
{
	return l->kind <= BT_HEAD_FLATTEN;
}

/* A layer where it stands; *pooled: one before it is a pool. */
static int check_layer(const struct reading *r, const struct bt_head_layer *l,
                       bool last, bool *pooled, struct bt_error *err)
{
	if (is_pool(l) && *pooled)
		return wrong(r,
		             "a layer before it has made one row of the tokens "
		             "already",
		             err);
	*pooled |= is_pool(l);
	if (l->kind == BT_HEAD_POOLER && r->number > 1)
		return wrong(r, "must be the first layer", err);
	if (last && l->kind != BT_HEAD_DENSE)
		return wrong(r,
		             "the last layer must be dense: its outputs are "
		             "the classes",
		             err);
	if (!last && l->kind == BT_HEAD_DENSE && l->units == 0)
		return wrong(r,
		             "needs a number of outputs (only the last layer "
		             "has as many as there are labels)",
		             err);
	if (!last && l->softmax)
		return wrong(r, "only the last layer may be a softmax", err);
	if (last && !*pooled)
		return wrong(r,
		             "no layer before it makes one row of the tokens: "
		             "give flatten, first, mean, max or pooler",
		             err);
	if (last && (l->act == BT_ACT_GELU || l->act == BT_ACT_TANH))
		return wrong(r,
		             "its outputs can be negative, which probabilities "
		             "are not: give linear, softmax, softplus or relu",
		             err);
	return BT_OK;
}

int bt_head_parse(const char *spec, struct bt_head *h, struct bt_error *err)
{
	struct reading r = {.number = 0};
	bool pooled = false;
	const char *at = spec;
	size_t n;
	int e = BT_OK;

	memset(h, 0, sizeof(*h));
	while (e == BT_OK) {
		n = strcspn(at, ",");
		r.text = bt_span_trim((struct bt_span){at, n}, " ");
		at += n;
		r.number++;
		if (h->n == BT_HEAD_LAYERS)
			return wrong(&r, "there are more than 32 layers", err);
		e = read_layer(&r, &h->layer[h->n], err);
		if (e == BT_OK)
			e = check_layer(&r, &h->layer[h->n], *at == '\0',
			                &pooled, err);
		h->n++;
		if (*at == '\0')
			break;
		at++;
	}
	return e;
}

static void print_layer(const struct bt_head_layer *l, struct bt_buf *out)
{
	size_t i = 1; /* linear need not be said */
	char s[32];

	bt_buf_puts(out, kinds[l->kind]);
	if (l->kind == BT_HEAD_DROPOUT) {
		bt_format_f32(s, sizeof(s), l->dropout);
		bt_buf_printf(out, " %s", s);
	}
	if (l->kind == BT_HEAD_FLATTEN && l->length > 0)
		bt_buf_printf(out, " %d", l->length);
	if (l->kind == BT_HEAD_DENSE && l->units > 0)
		bt_buf_printf(out, " %d", l->units);
	while (i < ACTS &&
	       (acts[i].act != l->act || acts[i].softmax != l->softmax))
		i++;
	if (l->kind == BT_HEAD_DENSE && i < ACTS)
		bt_buf_printf(out, " %s", acts[i].name);
}

void bt_head_print(const struct bt_head *h, struct bt_buf *out)
{
	int i;

	for (i = 0; i < h->n; i++) {
		if (i > 0)
			bt_buf_puts(out, ", ");
		print_layer(&h->layer[i], out);
	}
}

void bt_head_name(const struct bt_head *h, int i, struct bt_buf *out)
{
	bt_buf_printf(out, "layer %d of the head, '", i + 1);
	print_layer(&h->layer[i], out);
	bt_buf_putc(out, '\'');
}

bool bt_head_equal(const struct bt_head *a, const struct bt_head *b)
{
	const struct bt_head_layer *x, *y;
	int i;

	for (i = 0; i < a->n && i < b->n; i++) {
		x = &a->layer[i];
		y = &b->layer[i];
		if (x->kind != y->kind || x->units != y->units ||
		    x->act != y->act || x->softmax != y->softmax ||
		    x->dropout > y->dropout || x->dropout < y->dropout)
			return false;
	}
	return a->n == b->n;
}

static struct bt_head_layer *flatten_of(const struct bt_head *h)
{
	int i;

	for (i = 0; i < h->n; i++)
		if (h->layer[i].kind == BT_HEAD_FLATTEN)
			return (struct bt_head_layer *)&h->layer[i];
	return NULL;
}

int bt_head_length(const struct bt_head *h)
{
	const struct bt_head_layer *l = flatten_of(h);

	return l == NULL ? 0 : l->length == 0 ? -1 : l->length;
}

void bt_head_fix(struct bt_head *h, int length)
{
	struct bt_head_layer *l = flatten_of(h);

	if (l != NULL)
		l->length = length;
}

bool bt_head_only_first(const struct bt_head *h)
{
	return h->n > 0 && (h->layer[0].kind == BT_HEAD_POOLER ||
	                    h->layer[0].kind == BT_HEAD_FIRST);
}
