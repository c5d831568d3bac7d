/* SPDX-License-Identifier: MIT */
/*
 * Memory: checked sizes, allocation of arrays, and arenas for the big blocks
 * (parameters, gradients, optimizer state, activations) that are sized once.
 */
#ifndef BT_BASE_MEM_H
#define BT_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "files are read in place: little-endian machines only");

/* Vector loads of every instruction set are aligned to this many bytes. */
#define BT_ALIGN 64

/* *out = a * b, or a + b. Returns false, *out untouched, on overflow. */
bool bt_size_mul(size_t a, size_t b, size_t *out) BT_MUST_USE;
bool bt_size_add(size_t a, size_t b, size_t *out) BT_MUST_USE;

/* n rounded up to a multiple of step (a power of two). No overflow check:
 * n must be a size that was already allocated or bounded. */
static inline size_t bt_round_up(size_t n, size_t step)
{
	return (n + step - 1) & ~(step - 1);
}

/*
 * A request for less than BT_SMALL bytes, through any function here or struct
 * bt_buf, never fails: where the system has no memory left, the process ends
 * (see bt_mem_on_failure). So nobody checks what is small whatever the input: a
 * struct, a name, an option. What a file's size decides is checked, since it
 * may be large.
 */
#define BT_SMALL ((size_t)1 << 20)

/* Sets what ends the process; it must not return and must not ask for memory.
 * The programs' prints a message and removes unfinished output. Without one:
 * abort(). */
void bt_mem_on_failure(void (*end)(void));

/* Arrays of n elements of size bytes; from BT_SMALL bytes on NULL when out of
 * memory or when n * size overflows. bt_array is not cleared, bt_array0 is.
 * Free with free(). A zero size gives a pointer that can be freed. */
void *bt_array(size_t n, size_t size) BT_MUST_USE;
void *bt_array0(size_t n, size_t size) BT_MUST_USE;

/* array is the address of a pointer to elements of size bytes. Makes it hold at
 * least need of them, growing by doubling; *cap is the capacity. Returns 0 or
 * BT_ENOMEM, nothing changed. */
int bt_grow(void *array, size_t *cap, size_t need, size_t size) BT_MUST_USE;

/* A copy of the first n bytes of s with a NUL behind them; free with free().
 * NULL as for bt_array. */
char *bt_strndup(const char *s, size_t n) BT_MUST_USE;

/*
 * A block of zeroed bytes from the system, aligned to a page, on huge pages
 * where the system gives them. Pages not written take no memory.
 */
struct bt_arena {
	void *base;
	size_t size; /* bytes */
};

/* Returns 0 or BT_ENOMEM. An arena of size 0 has base NULL. */
int bt_arena_init(struct bt_arena *a, size_t size) BT_MUST_USE;

/* Makes it larger, or smaller, which gives memory back; it may move. What the
 * bytes behind the earlier ones are is not told. Returns 0 or BT_ENOMEM,
 * nothing changed. */
int bt_arena_resize(struct bt_arena *a, size_t size) BT_MUST_USE;

/* Says that most of these bytes of a new block may never be written to: what is
 * takes small pages. */
void bt_arena_sparse(struct bt_arena *a, size_t at, size_t bytes);

/* Takes memory for all of a block that is new, in less time than page by page
 * as it is written. */
void bt_arena_take(struct bt_arena *a);

/* Gives the block back; the arena is empty afterwards. */
void bt_arena_clear(struct bt_arena *a);

#endif
