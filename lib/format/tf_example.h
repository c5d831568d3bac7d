/* SPDX-License-Identifier: MIT */
/*
 * tf.train.Example, the payload of a record: named features, each a list of
 * byte strings, floats or int64s. Read in place, with every size checked;
 * written into a buffer, features in the order they are added.
 *
 * Field numbers: Example.features = 1; Features.feature = 1, a map entry with
 * key = 1 and value = 2; Feature.bytes_list = 1, float_list = 2,
 * int64_list = 3; in each list value = 1, packed or not.
 */
#ifndef BT_FORMAT_TF_EXAMPLE_H
#define BT_FORMAT_TF_EXAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "format/protobuf_wire.h"

enum bt_feature_kind {
	BT_FEATURE_NONE = 0, /* a feature without a list */
	BT_FEATURE_BYTES = 1,
	BT_FEATURE_FLOAT = 2,
	BT_FEATURE_INT64 = 3
};

struct bt_feature {
	const char *name; /* name_len bytes, no NUL behind; borrowed */
	size_t name_len;
	enum bt_feature_kind kind;
	struct bt_pb list; /* the undecoded list */
};

/* Position in an Example. */
struct bt_example {
	struct bt_pb rest;     /* of the Example */
	struct bt_pb features; /* of the Features message being read */
};

void bt_example_open(struct bt_example *x, const void *data, size_t len);

/* 1: *f is the next feature, borrowed from the data; 0: no more; BT_ECORRUPT:
 * no tf.Example. */
int bt_example_next(struct bt_example *x, struct bt_feature *f,
                    struct bt_error *err) BT_MUST_USE;

bool bt_feature_is(const struct bt_feature *f, const char *name);

/* The only byte string of a BYTES feature. BT_EFORMAT if it has another kind or
 * number of values. */
int bt_feature_text(const struct bt_feature *f, const char **s, size_t *len,
                    struct bt_error *err) BT_MUST_USE;

/* The next byte string of a BYTES feature; *at begins as f->list. 1: *s is it;
 * 0: no more; else an error. */
int bt_feature_next_text(const struct bt_feature *f, struct bt_pb *at,
                         const char **s, size_t *len,
                         struct bt_error *err) BT_MUST_USE;

/* Values of an INT64 feature: at most max are stored in out (which may be NULL
 * with max 0), *n is how many there are. */
int bt_feature_int64s(const struct bt_feature *f, int64_t *out, size_t max,
                      size_t *n, struct bt_error *err) BT_MUST_USE;

/* The same for a FLOAT feature. */
int bt_feature_floats(const struct bt_feature *f, float *out, size_t max,
                      size_t *n, struct bt_error *err) BT_MUST_USE;

/* Writing: an Example is begun, features are added, and it is ended. The bytes
 * stand in out; memory running out shows in its oom. */
struct bt_example_writer {
	struct bt_buf features; /* the Features message, behind some room */
};

void bt_example_begin(struct bt_example_writer *w);
void bt_example_add_text(struct bt_example_writer *w, const char *name,
                         const char *s, size_t len);
/* The same for n byte strings, perhaps none. */
void bt_example_add_texts(struct bt_example_writer *w, const char *name,
                          const struct bt_span *v, size_t n);
void bt_example_add_int64s(struct bt_example_writer *w, const char *name,
                           const int64_t *v, size_t n);
void bt_example_add_floats(struct bt_example_writer *w, const char *name,
                           const float *v, size_t n);
/* Any feature by its undecoded list, which may be empty; with NONE there is no
 * list. */
void bt_example_add_list(struct bt_example_writer *w, const char *name,
                         enum bt_feature_kind kind, const void *list,
                         size_t len);
/* The same as it was read. */
void bt_example_add_feature(struct bt_example_writer *w,
                            const struct bt_feature *f);
void bt_example_end(struct bt_example_writer *w, struct bt_buf *out);
/* The same without a copy: the bytes are borrowed from w until its next begin;
 * p is NULL when out of memory. */
struct bt_span bt_example_finish(struct bt_example_writer *w);

/* Frees what the writer holds; it can be begun again. */
void bt_example_clear(struct bt_example_writer *w);

#endif
