/* SPDX-License-Identifier: MIT */
/*
 * HDF5 as Keras writes weights: "a/b/c" is the array c in the group b of the
 * group a, which is a layer. Attributes list these and the arrays of each, in
 * the order of the source. All that is no data stands at the front.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ckpt_format/hdf5_write_int.h"
#include "ckpt_format/writer.h"
#include "io/out.h"

#define PARTS_MAX 31 /* of a name: as deep as our reader goes */
#define NAME_MAX_BYTES 2048

struct file {
	struct bt_buf b;
	const struct bt_tensor_source *s;
	size_t *order; /* tensors by their names, parts before the whole */
	size_t *patch; /* where the addresses of their values are to be */
	bool keras;
};

static const char *name_of(const struct file *f, size_t i)
{
	return f->s->tensors[f->order[i]].name;
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
static int compare(const char *a, const char *b)
{
	int x, y;

	for (; *a == *b && *a != '\0'; a++)
		b++;
	x = *a == '/' ? 0 : (unsigned char)*a;
	y = *b == '/' ? 0 : (unsigned char)*b;
	/* the end of a name before them */
	return x != y ? x - y : (*a != '\0') - (*b != '\0');
}

struct entry {
	const char *name;
	size_t i;
};

static int by_name(const void *a, const void *b)
{
	return compare(((const struct entry *)a)->name,
	               ((const struct entry *)b)->name);
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

static int sort(struct file *f, struct bt_error *err)
{
	struct entry *v = bt_array(f->s->count, sizeof(*v));
	size_t i;

	if (v == NULL)
		return bt_error_nomem(err, "writing a checkpoint");
	for (i = 0; i < f->s->count; i++) {
		v[i].name = f->s->tensors[i].name;
		v[i].i = i;
	}
	if (f->s->count > 1)
		qsort(v, f->s->count, sizeof(*v), by_name);
	for (i = 0; i < f->s->count; i++)
		f->order[i] = v[i].i;
	free(v);
	return check_order(f, err);
}

static int check(const struct file *f, struct bt_error *err)
{
	const struct bt_tensor *t;
	size_t i;
	int r = BT_OK;

	for (i = 0; i < f->s->count && r == BT_OK; i++) {
		t = &f->s->tensors[i];
		r = check_name(t->name, err);
		if (r != BT_OK)
			break;
		if (!bt_h5_has_type(t->dtype))
			r = bt_error_hint(
			    err, BT_HINT_CKPT_CONVERT_NO_BF16,
			    bt_error_set(err, BT_EFORMAT,
			                 "tensor '%.100s' is of type %s, which "
			                 "HDF5 does not have",
			                 t->name, bt_dtype_name(t->dtype)));
		else if (t->rank > 32)
			r = bt_error_set(err, BT_EFORMAT,
			                 "tensor '%.100s' has more than 32 "
			                 "dimensions",
			                 t->name);
	}
	return r;
}

/* --- what Keras wants to know */

/* The outermost groups, as they come; layers[i] need not end with a NUL. */
static void put_layers(struct file *f, struct bt_h5_head *h)
{
	const char **layers = bt_array(f->s->count, sizeof(*layers)), *name;
	struct bt_buf text = BT_BUF_INIT;
	size_t n = 0, i, k, len;

	for (i = 0; i < f->s->count && layers != NULL; i++) {
		name = f->s->tensors[i].name;
		len = part(name);
		/* most often the last one again */
		for (k = n; k > 0; k--)
			if (strncmp(layers[k - 1], name, len + 1) == 0)
				break;
		if (k == 0)
			layers[n++] = name;
	}
	for (i = 0; i < n; i++) {
		bt_buf_put(&text, layers[i], part(layers[i]));
		bt_buf_putc(&text, '\0');
	}
	name = bt_buf_at(&text, 0);
	for (i = 0; i < n && !text.oom; i++) {
		layers[i] = name;
		name += strlen(name) + 1;
	}
	f->b.oom |= text.oom || layers == NULL;
	if (!f->b.oom) {
		bt_h5_put_texts(&f->b, h, "layer_names", layers, n);
		bt_h5_put_text(&f->b, h, "backend", "tensorflow");
		bt_h5_put_text(&f->b, h, "keras_version", "2.11.0");
	}
	bt_buf_clear(&text);
	free(layers);
}

/* Those of the layer that the tensors from lo on are of. */
static void put_weights(struct file *f, struct bt_h5_head *h, const char *layer,
                        size_t most)
{
	size_t len = part(layer), n = 0, i;
	const char **names = bt_array(most, sizeof(*names)), *name;

	if (names == NULL) {
		f->b.oom = true;
		return;
	}
	for (i = 0; i < f->s->count && n < most; i++) {
		name = f->s->tensors[i].name;
		if (strncmp(name, layer, len + 1) == 0)
			names[n++] = name + len + 1;
	}
	bt_h5_put_texts(&f->b, h, "weight_names", names, n);
	free(names);
}

static struct bt_h5_link put_empty(struct file *f, const char *name)
{
	struct bt_h5_link link = {name, strlen(name), 0};
	struct bt_h5_group g = bt_h5_put_members(&f->b, NULL, 0);
	struct bt_h5_head h = bt_h5_head_begin(&f->b);

	bt_h5_put_group(&f->b, &h, &g);
	bt_h5_put_texts(&f->b, &h, "weight_names", NULL, 0);
	link.address = bt_h5_head_end(&f->b, h);
	return link;
}

#define TOP_LEVEL "top_level_model_weights"

static bool has_top_level(const struct file *f)
{
	size_t i, n = sizeof(TOP_LEVEL) - 1;

	for (i = 0; i < f->s->count; i++)
		if (strncmp(name_of(f, i), TOP_LEVEL "/", n + 1) == 0)
			return true;
	return false;
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
	size_t n = 0, i, end;
	const char *p;

	if (links == NULL) {
		f->b.oom = true;
		return 0;
	}
	for (i = lo; i < hi; i = end, n++) {
		p = name_of(f, i) + at;
		links[n].name = p;
		links[n].n = part(p);
		for (end = i + 1; end < hi && p[links[n].n] == '/'; end++)
			if (strncmp(name_of(f, end) + at, p, links[n].n + 1))
				break;
		if (p[links[n].n] == '/')
			links[n].address =
			    put_group(f, i, end, at + links[n].n + 1, &inner);
		else
			links[n].address =
			    bt_h5_put_array(&f->b, &f->s->tensors[f->order[i]],
			                    &f->patch[f->order[i]]);
	}
	if (at == 0 && f->keras && !has_top_level(f))
		links[n++] = put_empty(f, TOP_LEVEL);
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
static int make_front(struct file *f, struct bt_error *err)
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
	return f->b.oom ? bt_error_nomem(err, "writing a checkpoint") : BT_OK;
}

static int write_all(const struct file *f, struct bt_out *out,
                     struct bt_error *err)
{
	static const char zeros[8];
	const struct bt_tensor_source *s = f->s;
	size_t i, n;
	int r = bt_out_write(out, f->b.data, f->b.len, err);

	for (i = 0; i < s->count && r == BT_OK; i++) {
		n = s->tensors[i].bytes;
		r = bt_tensor_source_put(s, i, out, NULL, err);
		if (r == BT_OK)
			r = bt_out_write(out, zeros, bt_round_up(n, 8) - n,
			                 err);
	}
	return r;
}

int bt_keras_h5_write(const struct bt_tensor_source *s, const char *path,
                      bool layers, struct bt_error *err)
{
	struct file f = {.b = BT_BUF_INIT, .s = s, .keras = layers};
	struct bt_out *out;
	int r;

	f.order = bt_array0(s->count, sizeof(*f.order));
	f.patch = bt_array0(s->count, sizeof(*f.patch));
	if (f.order == NULL || f.patch == NULL)
		r = bt_error_nomem(err, "writing a checkpoint");
	else
		r = check(&f, err);
	if (r == BT_OK)
		r = sort(&f, err);
	if (r == BT_OK)
		r = make_front(&f, err);
	if (r == BT_OK)
		r = bt_out_open(path, BT_OUT_BINARY, &out, err);
	if (r == BT_OK) {
		bt_tensor_source_begin(s, out);
		r = write_all(&f, out, err);
		if (r == BT_OK)
			r = bt_out_commit(out, err);
		else
			bt_out_abandon(out);
	}
	bt_buf_clear(&f.b);
	free(f.order);
	free(f.patch);
	return r;
}
