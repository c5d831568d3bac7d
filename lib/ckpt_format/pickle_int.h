/* SPDX-License-Identifier: MIT */
/*
 * Pickles as data. Python's loader imports whatever a pickle names and calls
 * it; this one knows a few names, those that PyTorch writes into checkpoints,
 * and what each makes of its arguments: a dictionary, a tensor, or nothing that
 * matters here. Any other name is an error that tells it. Nothing is run.
 *
 * All values stand in one array, by number; what a container holds is a list of
 * cells. A value may be in several containers, or in itself: who walks them
 * counts his steps.
 */
#ifndef BT_CKPT_FORMAT_PICKLE_INT_H
#define BT_CKPT_FORMAT_PICKLE_INT_H

#include "tensor/checkpoint_reader.h"

enum bt_pk_kind {
	BT_PK_NONE,
	BT_PK_BOOL,
	BT_PK_INT,
	BT_PK_TEXT, /* also bytes */
	BT_PK_LIST, /* also tuples and sets */
	BT_PK_DICT, /* keys and values take turns */
	BT_PK_GLOBAL,
	BT_PK_STORAGE,
	BT_PK_TENSOR,
	BT_PK_OTHER /* what nobody asks for: numbers with fractions, devices */
};

struct bt_pk_value {
	enum bt_pk_kind kind;
	uint32_t n; /* bytes of a text; cells of a container */
	union {
		int64_t i; /* also BOOL */
		const uint8_t *text;
		size_t at; /* of a storage, a tensor, a global, in its array */
		struct {
			uint32_t head, tail;
		} list;
	} u;
};

#define BT_PK_VALUES_MAX ((size_t)1 << 22)
#define BT_PK_END UINT32_MAX /* the next cell of the last */

struct bt_pk_cell {
	uint32_t value, next;
};

/* Bytes that tensors are views of. */
struct bt_pk_storage {
	bool untyped; /* then n and first count bytes */
	enum bt_dtype dtype;
	const uint8_t *key;
	size_t n_key;
	uint64_t n;     /* elements */
	uint64_t first; /* of a view of another storage, as old files have */
};

struct bt_pk_tensor {
	size_t storage;
	enum bt_dtype dtype;
	uint64_t offset;       /* elements */
	uint32_t size, stride; /* values: lists of numbers */
};

struct bt_pickle {
	const uint8_t *start, *p, *end;
	struct bt_pk_value *v;
	size_t n_v, cap_v;
	struct bt_pk_cell *cells;
	size_t n_cells, cap_cells;
	struct bt_pk_storage *storages;
	size_t n_storages, cap_storages;
	struct bt_pk_tensor *tensors;
	size_t n_tensors, cap_tensors;
	uint32_t *stack;
	size_t n_stack, cap_stack;
	size_t *marks; /* heights of the stack */
	size_t n_marks, cap_marks;
	uint32_t *memo;
	size_t n_memo, cap_memo;
	uint32_t top; /* what was pickled */
	int r;        /* of the first error; nothing is done after it */
	struct bt_error *err;
};

/*
 * Reads the pickle that data begin with; *used are its bytes. A pickle of more
 * than BT_PK_VALUES_MAX values is BT_ELIMIT. bt_pickle_clear it in any case.
 * The texts lie in data.
 */
int bt_pickle_read(struct bt_pickle *k, const uint8_t *data, size_t size,
                   size_t *used, struct bt_error *err) BT_MUST_USE;
void bt_pickle_clear(struct bt_pickle *k);

/* Whether a value is the text s. */
bool bt_pk_is(const struct bt_pickle *k, uint32_t value, const char *s);

/* What d holds under key, or BT_PK_END. */
uint32_t bt_pk_get(const struct bt_pickle *k, uint32_t d, const char *key);

/* --- between pickle.c, pickle_vm.c and pickle_globals.c --- */

/* Ends with an error, which why describes. Returns BT_PK_END. */
uint32_t bt_pk_bad(struct bt_pickle *k, int code, const char *why);

/* As bt_grow; false after an error, of which want of memory is one. */
bool bt_pk_room(struct bt_pickle *k, void *array, size_t *cap, size_t need,
                size_t size) BT_MUST_USE;

/* A new value. */
uint32_t bt_pk_new(struct bt_pickle *k, struct bt_pk_value v);

/* Appends a value to those that a container holds. */
void bt_pk_append(struct bt_pickle *k, uint32_t container, uint32_t value);

/* The value that module.name stands for; an error where it is not known. */
uint32_t bt_pk_global(struct bt_pickle *k, const uint8_t *module,
                      size_t n_module, const uint8_t *name, size_t n_name);

/* The value that the call of a global returns. */
uint32_t bt_pk_call(struct bt_pickle *k, uint32_t global, uint32_t args);

/* The storage that a persistent id stands for. */
uint32_t bt_pk_persistent(struct bt_pickle *k, uint32_t pid);

#endif
