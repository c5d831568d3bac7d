/* SPDX-License-Identifier: MIT */
/*
 * The parts of a TensorFlow checkpoint ("tensor bundle"): a sorted table of
 * keys and values, which is the .index file, and in it the graph of the objects
 * whose variables were saved. How the table is laid out stands in tf_table.c.
 */
#ifndef BT_CKPT_FORMAT_TF_BUNDLE_H
#define BT_CKPT_FORMAT_TF_BUNDLE_H

#include "format/protobuf_wire.h"
#include "tensor/checkpoint_reader.h"

/* The last bytes of a table. */
extern const uint8_t bt_tf_table_magic[8];

/* A footer: two places of blocks, padding, the magic. */
#define BT_TF_TABLE_FOOTER 48

/* Reading one: entry is called for each key in order. */
struct bt_tf_table {
	const char *path; /* for messages */
	const uint8_t *data;
	size_t size;
	int (*entry)(void *ctx, const char *key, size_t n, struct bt_pb value,
	             struct bt_error *err);
	void *ctx;
};

int bt_tf_table_read(const struct bt_tf_table *t,
                     struct bt_error *err) BT_MUST_USE;

/* Writing one: keys in strictly rising order of their bytes. */
struct bt_tf_table_writer {
	struct bt_buf file;  /* blocks so far */
	struct bt_buf block; /* the one being filled */
	struct bt_buf index; /* entries of the block of blocks */
	struct bt_buf last;  /* the last key */
	struct bt_buf restarts, index_restarts; /* uint32_t each */
	size_t in_run; /* entries since the last restart */
};

void bt_tf_table_writer_put(struct bt_tf_table_writer *w, const char *key,
                            size_t n, const struct bt_buf *value);

/* The whole table is in w->file afterwards. Returns 0 or BT_ENOMEM. */
int bt_tf_table_writer_end(struct bt_tf_table_writer *w) BT_MUST_USE;
void bt_tf_table_writer_clear(struct bt_tf_table_writer *w);

/* What the index says of a tensor (BundleEntryProto). */
struct bt_tf_entry {
	uint64_t dtype; /* TensorFlow's number */
	int rank;
	bool unknown_rank;
	int64_t shape[BT_TENSOR_MAX_RANK];
	uint64_t shard, offset, size;
	bool has_crc;
	uint32_t crc;       /* masked */
	struct bt_pb whole; /* the message, for its slices */
	size_t n_slices;
};

/* Numbers of types that tensors of ours have, and back; BT_EARG for others. */
int bt_tf_dtype(uint64_t number, enum bt_dtype *dtype) BT_MUST_USE;
int bt_tf_number(enum bt_dtype dtype, unsigned *number) BT_MUST_USE;
#define BT_TF_STRING 7

#define BT_TF_GRAPH "_CHECKPOINTABLE_OBJECT_GRAPH"
#define BT_TF_VALUE "/.ATTRIBUTES/VARIABLE_VALUE" /* ends keys of variables */

/* false where the bytes are no such message. */
bool bt_tf_entry_parse(struct bt_pb in, struct bt_tf_entry *e) BT_MUST_USE;

/* One part of a variable that was saved in parts. */
struct bt_tf_part {
	const char *key; /* as the table has it: binary */
	size_t n;
	struct bt_pb value;
};

/* Appends the key under which a slice (TensorSliceProto) of that tensor is
 * kept. false where it is no slice of that shape; start and length are then
 * undefined. */
bool bt_tf_slice_key(struct bt_pb slice, const char *name, int rank,
                     const int64_t *shape, struct bt_buf *key, int64_t *start,
                     int64_t *length) BT_MUST_USE;

/* Copies a part of a tensor to its place in the whole. */
void bt_tf_slice_copy(uint8_t *to, const uint8_t *from, size_t element,
                      int rank, const int64_t *shape, const int64_t *start,
                      const int64_t *length);

/*
 * Objects and the names of the edges between them. Node 0 is the root. Names
 * and keys are borrowed from what it was made of.
 */
struct bt_tf_edge {
	const char *name;
	size_t n;    /* bytes of it */
	size_t to;   /* node */
	size_t next; /* edge of the same node, or SIZE_MAX */
};

struct bt_tf_node {
	size_t first, last; /* edges */
	const char *key;    /* of the variable's value, or NULL */
	size_t key_n;
};

struct bt_tf_graph {
	struct bt_tf_node *nodes;
	size_t n_nodes, cap_nodes;
	struct bt_tf_edge *edges;
	size_t n_edges, cap_edges;
	bool failed; /* out of memory */
};

/* Takes a TrackableObjectGraph. BT_ECORRUPT where the bytes are none. */
int bt_tf_graph_parse(struct bt_tf_graph *g, const void *data,
                      size_t size) BT_MUST_USE;

/* Adds the variable of a key, with the objects that lead to it; a key of
 * another form is left out. key must outlive g. */
void bt_tf_graph_add(struct bt_tf_graph *g, const char *key);

/* Adds an edge. */
void bt_tf_graph_link(struct bt_tf_graph *g, size_t from, const char *name,
                      size_t to);

/* Adds an object without a way to it. */
size_t bt_tf_graph_node(struct bt_tf_graph *g);

/* The node at the end of "a/b/c" from a node, SIZE_MAX where there is none. */
size_t bt_tf_graph_find(const struct bt_tf_graph *g, size_t from,
                        const char *path);

/* Appends a TrackableObjectGraph. Returns 0 or BT_ENOMEM. */
int bt_tf_graph_write(const struct bt_tf_graph *g,
                      struct bt_buf *out) BT_MUST_USE;

void bt_tf_graph_clear(struct bt_tf_graph *g);

#endif
