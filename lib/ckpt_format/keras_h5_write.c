/* SPDX-License-Identifier: MIT */
/*
 * HDF5 as Keras writes weights: "a/b/c" is the array c in the group b of the
 * group a, which is a layer. Attributes list these and the arrays of each, in
 * the order of the source. All that is no data stands at the front.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "ckpt_format/hdf5_write_int.h"
#include "ckpt_format/writer.h"

#define PARTS_MAX 31 /* of a name: as deep as our reader goes */
#define NAME_MAX_BYTES 2048

struct file {
	struct bt_buf b;
	const struct bt_tensor_source *s;
	const struct bt_tensor **order; /* by name, parts before the whole */
	size_t *patch; /* where the addresses of the values are to be */
	bool keras;
};

static const char *name_of(const struct file *f, size_t i)
{
	return f->order[i]->name;
}

static size_t part(const char *p)
{
	return strcspn(p, "/");
}

/* --- what a name must be */

static int check_name(const char *name, struct bt_error *err)
{
	const char *p = name;
	int parts = 0;
	bool good = strlen(name) <= NAME_MAX_BYTES;
	size_t n;

	do {
		n = part(p);
		good = good && n > 0 && !(n == 1 && p[0] == '.');
		p += n + 1;
	} while (p[-1] != '\0' && ++parts < PARTS_MAX && good);
	if (good && parts < PARTS_MAX)
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "'%.100s' cannot be the name of an array in groups",
	                    name);
}

/* Slashes before everything else, so that a group's members stand together. */
static int by_name(const void *s, const void *t)
{
	const char *a = (*(const struct bt_tensor *const *)s)->name;
	const char *b = (*(const struct bt_tensor *const *)t)->name;
	int x, y;

	for (; *a == *b && *a != '\0'; a++)
		b++;
	x = *a == '/' ? 0 : (unsigned char)*a;
	y = *b == '/' ? 0 : (unsigned char)*b;
	/* the end of a name before them */
	return x != y ? x - y : (*a != '\0') - (*b != '\0');
}

/* No two of the same name, and none that is also a group. */
static int check_order(const struct file *f, struct bt_error *err)
{
	const char *a, *b;
	size_t i, n;

	for (i = 1; i < f->s->count; i++) {
		a = name_of(f, i - 1);
		b = name_of(f, i);
		n = strlen(a);
		if (strcmp(a, b) == 0)
			return bt_error_set(
			    err, BT_EFORMAT,
			    "two tensors cannot be named '%.100s'", a);
		if (strncmp(a, b, n) == 0 && b[n] == '/')
			return bt_error_set(
			    err, BT_EFORMAT,
			    "'%.100s' cannot be an array and a group, of "
			    "'%.100s'",
			    a, b);
	}
	return BT_OK;
}

static int check(const struct bt_tensor *t, struct bt_error *err)
{
	if (!bt_h5_has_type(t->dtype))
		return bt_error_hint(
		    err,
		    bt_dtype_is_real(t->dtype) ? BT_HINT_CKPT_CONVERT_NO_BF16
		                               : BT_HINT_NONE,
		    bt_error_set(err, BT_EFORMAT,
		                 "tensor '%.100s' is of type %s, which HDF5 "
		                 "does not have",
		                 t->name, bt_dtype_name(t->dtype)));
	if (t->rank > 32)
		return bt_error_set(err, BT_EFORMAT,
		                    "tensor '%.100s' has more than 32 "
		                    "dimensions",
		                    t->name);
	return BT_OK;
}

/* --- what Keras wants to know */

/* The outermost groups, as they come. */
static void put_layers(struct file *f, struct bt_h5_head *h)
{
	struct bt_span *layers = bt_array(f->s->count, sizeof(*layers));
	const char *name;
	size_t n = 0, i, k, len;

	if (layers == NULL) {
		f->b.oom = true;
		return;
	}
	for (i = 0; i < f->s->count; i++) {
		name = f->s->tensors[i].name;
		len = part(name);
		/* most often the last one again */
		for (k = n; k > 0; k--)
			if (strncmp(layers[k - 1].p, name, len + 1) == 0)
				break;
		if (k == 0)
			layers[n++] = (struct bt_span){name, len};
	}
	bt_h5_put_texts(&f->b, h, "layer_names", layers, n);
	bt_h5_put_text(&f->b, h, "backend", "tensorflow");
	bt_h5_put_text(&f->b, h, "keras_version", "2.11.0");
	free(layers);
}

/* Those of the layer that the tensors from lo on are of. */
static void put_weights(struct file *f, struct bt_h5_head *h, const char *layer,
                        size_t most)
{
	size_t len = part(layer), n = 0, i;
	struct bt_span *names = bt_array(most, sizeof(*names));
	const char *name;

	if (names == NULL) {
		f->b.oom = true;
		return;
	}
	for (i = 0; i < f->s->count && n < most; i++) {
		name = f->s->tensors[i].name;
		if (strncmp(name, layer, len + 1) == 0)
			names[n++] = bt_span(name + len + 1);
	}
	bt_h5_put_texts(&f->b, h, "weight_names", names, n);
	free(names);
}

#define TOP_LEVEL "top_level_model_weights"

/* A group without arrays, if there is none of this name. */
static bool put_top_level(struct file *f, struct bt_h5_link *link)
{
	struct bt_h5_group g;
	struct bt_h5_head h;
	size_t i;

	for (i = 0; i < f->s->count; i++)
		if (bt_str_starts(name_of(f, i), TOP_LEVEL "/"))
			return false;
	g = bt_h5_put_members(&f->b, NULL, 0);
	h = bt_h5_head_begin(&f->b);
	bt_h5_put_group(&f->b, &h, &g);
	bt_h5_put_texts(&f->b, &h, "weight_names", NULL, 0);
	link->name = bt_span(TOP_LEVEL);
	link->address = bt_h5_head_end(&f->b, h);
	return true;
}

/* --- groups */

/* The group of the tensors lo .. hi-1, whose names go on at at; those of its
 * members that are groups first. */
static uint64_t put_group(struct file *f, size_t lo, size_t hi, size_t at,
                          struct bt_h5_group *g)
{
	struct bt_h5_link *links = bt_array(hi - lo + 1, sizeof(*links));
	struct bt_h5_group inner;
	struct bt_h5_head h;
	size_t n = 0, i, end, len;
	const char *p;

	if (links == NULL) {
		f->b.oom = true;
		return 0;
	}
	for (i = lo; i < hi; i = end, n++) {
		p = name_of(f, i) + at;
		len = part(p);
		links[n].name = (struct bt_span){p, len};
		for (end = i + 1; end < hi && p[len] == '/'; end++)
			if (strncmp(name_of(f, end) + at, p, len + 1) != 0)
				break;
		links[n].address =
		    p[len] == '/' ? put_group(f, i, end, at + len + 1, &inner)
		                  : bt_h5_put_array(
		                        &f->b, f->order[i],
		                        &f->patch[f->order[i] - f->s->tensors]);
	}
	if (at == 0 && f->keras)
		n += put_top_level(f, &links[n]);
	*g = bt_h5_put_members(&f->b, links, n);
	h = bt_h5_head_begin(&f->b);
	bt_h5_put_group(&f->b, &h, g);
	if (f->keras && at == 0)
		put_layers(f, &h);
	else if (f->keras && at == part(name_of(f, lo)) + 1)
		put_weights(f, &h, name_of(f, lo), hi - lo);
	free(links);
	return bt_h5_head_end(&f->b, h);
}

/* Values stand behind the rest, in the order of the source, at multiples of 8.
 */
static void make_front(struct file *f)
{
	static const char none[BT_H5_SUPERBLOCK];
	struct bt_h5_group g;
	uint64_t root, at;
	size_t i;

	bt_buf_put(&f->b, none, sizeof(none));
	root = put_group(f, 0, f->s->count, 0, &g);
	while (f->b.len % 8 != 0 && !f->b.oom)
		bt_buf_putc(&f->b, '\0');
	for (i = 0, at = f->b.len; i < f->s->count && !f->b.oom; i++) {
		if (f->s->tensors[i].bytes == 0)
			continue;
		memcpy(bt_buf_at(&f->b, f->patch[i]), &at, 8);
		at += bt_round_up(f->s->tensors[i].bytes, 8);
	}
	if (!f->b.oom)
		bt_h5_superblock(&f->b, root, &g, at);
}

int bt_keras_h5_write(const struct bt_tensor_source *s, const char *path,
                      bool layers, struct bt_error *err)
{
	struct file f = {.b = BT_BUF_INIT, .s = s, .keras = layers};
	int r = BT_OK;
	size_t i;

	f.order = bt_array(s->count, sizeof(*f.order));
	f.patch = bt_array0(s->count, sizeof(*f.patch));
	if (f.order == NULL || f.patch == NULL)
		r = bt_error_nomem(err, "writing a checkpoint");
	for (i = 0; i < s->count && r == BT_OK; i++) {
		f.order[i] = &s->tensors[i];
		r = check_name(s->tensors[i].name, err);
		if (r == BT_OK)
			r = check(&s->tensors[i], err);
	}
	if (r == BT_OK) {
		qsort(f.order, s->count, sizeof(*f.order), by_name);
		r = check_order(&f, err);
	}
	if (r == BT_OK) {
		make_front(&f);
		r = bt_tensor_source_save(s, path, &f.b, 8, err);
	}
	bt_buf_clear(&f.b);
	free(f.order);
	free(f.patch);
	return r;
}
