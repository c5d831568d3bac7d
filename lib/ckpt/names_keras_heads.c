/* SPDX-License-Identifier: MIT */
/*
 * What the groups of Keras' HDF5 files say beside the names in them. In the
 * file of a model that someone built around an encoder, the dense layers behind
 * it have names that count layers of a session ("dense_3"): their order makes
 * them the head. In the file of a whole model a layer that uses tables of
 * another holds them again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "ckpt/names_int.h"
#include "tensor/checkpoint_reader.h"

/* A tensor by the parts of its name in the file, "group/second/third/...". */
struct place {
	const char *group, *second, *third;
};

/* p up to a slash or its end. */
static size_t part(const char *p)
{
	return strcspn(p, "/");
}

static bool same_part(const char *a, const char *b)
{
	return part(a) == part(b) && memcmp(a, b, part(a)) == 0;
}

static const char *next(const char *p)
{
	p += part(p);
	return *p == '/' ? p + 1 : p;
}

static struct place place_of(const struct bt_named *v)
{
	struct place p;

	p.group = v->from->name;
	if (bt_str_starts(p.group, "model_weights/"))
		p.group += 14;
	p.second = next(p.group);
	p.third = next(p.second);
	return p;
}

/* Whether it is of an encoder that is one layer of a model. */
static bool of_layer(const struct place *p)
{
	return bt_names_is_model(p->group) && same_part(p->group, p->second) &&
	       strchr(p->third, '/') != NULL;
}

/* Of one whose layers are a group each. */
static bool of_keras_bert(const struct place *p)
{
	return bt_str_starts(p->group, "Encoder-1-MultiHeadSelfAttention/");
}

/* One that has got no other name by now. */
static bool of_dense(const struct bt_named *v, const struct place *p)
{
	return !bt_names_is_model(p->group) &&
	       strncmp(v->name, p->group, part(p->group)) == 0 &&
	       same_part(p->group, p->second) &&
	       (strcmp(p->third, "kernel:0") == 0 ||
	        strcmp(p->third, "bias:0") == 0);
}

/* --- heads */

struct dense {
	struct bt_named *v;
	const char *group;
	size_t at; /* in the list of layers */
};

/* Where in "a, b, c" a layer stands; all that are not there come last. */
static size_t position(const char *layers, const char *group)
{
	const char *p = layers;
	size_t n = part(group);

	for (; p != NULL && *p != '\0'; p = strstr(p, ", ")) {
		p += p != layers ? 2 : 0;
		if (strncmp(p, group, n) == 0 && (p[n] == ',' || p[n] == '\0'))
			return (size_t)(p - layers);
	}
	return SIZE_MAX;
}

static int by_place(const void *a, const void *b)
{
	const struct dense *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return bt_ckpt_compare(x->group, y->group);
}

static const char *layers_of(const struct bt_ckpt *c)
{
	size_t i;

	for (i = 0; i < bt_ckpt_notes(c); i++)
		if (strcmp(bt_ckpt_note(c, i)->key, "layer_names") == 0)
			return bt_ckpt_note(c, i)->value;
	return NULL;
}

static void call_all(struct dense *d, size_t n, const char *layers)
{
	struct bt_buf b = BT_BUF_INIT;
	int number = 0;
	size_t i;

	for (i = 0; i < n; i++)
		d[i].at = position(layers, d[i].group);
	qsort(d, n, sizeof(*d), by_place);
	for (i = 0; i < n; i++) {
		number += i > 0 && !same_part(d[i].group, d[i - 1].group);
		if (same_part(d[0].group, d[n - 1].group))
			bt_buf_puts(&b, "classifier");
		else
			bt_buf_printf(&b, "head.%d", number);
		bt_buf_puts(&b, strrchr(d[i].v->name, '.'));
		bt_named_rename(d[i].v, bt_buf_detach(&b));
	}
}

static int find_heads(struct bt_named_list *l, const struct bt_ckpt *c)
{
	struct dense *d = bt_array(l->n, sizeof(*d));
	bool encoder = false;
	struct place p;
	size_t i, n = 0;

	if (d == NULL)
		return BT_ENOMEM;
	for (i = 0; i < l->n; i++) {
		if (!l->v[i].known)
			continue;
		p = place_of(&l->v[i]);
		encoder = encoder || of_layer(&p) || of_keras_bert(&p);
		if (of_dense(&l->v[i], &p))
			d[n++] = (struct dense){&l->v[i], p.group, 0};
	}
	if (encoder && n > 0)
		call_all(d, n, layers_of(c));
	free(d);
	return BT_OK;
}

/* --- tables that are held again */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_other(const struct bt_named *v)
{
	struct place p = place_of(v);

	return v->known && bt_names_is_model(p.second) &&
	       !same_part(p.group, p.second) && !same_part(p.group, p.third);
}

static int find_again(struct bt_named_list *l)
{
	const char **own = bt_array(l->n, sizeof(*own));
	const char *name;
	size_t i, n = 0;

	if (own == NULL)
		return BT_ENOMEM;
	for (i = 0; i < l->n; i++)
		if (l->v[i].known && !is_other(&l->v[i]))
			own[n++] = l->v[i].name;
	if (n > 1)
		qsort(own, n, sizeof(*own), by_text);
	for (i = 0; i < l->n && n > 0; i++) {
		name = l->v[i].name;
		if (is_other(&l->v[i]) &&
		    bsearch(&name, own, n, sizeof(*own), by_text) != NULL) {
			l->v[i].again = true;
			l->v[i].known = false;
		}
	}
	free(own);
	return BT_OK;
}

int bt_names_keras_groups(struct bt_named_list *l, const struct bt_ckpt *c)
{
	int r = find_heads(l, c);

	return r == BT_OK ? find_again(l) : r;
}
