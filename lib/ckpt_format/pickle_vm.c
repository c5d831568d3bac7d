/* SPDX-License-Identifier: MIT */
/* The instructions of a pickle: a stack, marks on it, a memo. */
#include <stdio.h>
#include <string.h>

#include "ckpt_format/pickle_int.h"

#define DEPTH_MAX ((size_t)1 << 20) /* of the stack */
#define LINE_MAX_BYTES 1024
#define UNSET UINT32_MAX /* in the memo */

static void push(struct bt_pickle *k, uint32_t id)
{
	if (k->n_stack >= DEPTH_MAX)
		bt_pk_bad(k, BT_ELIMIT, "its stack is too deep");
	if (bt_pk_room(k, &k->stack, &k->cap_stack, k->n_stack + 1,
	               sizeof(*k->stack)))
		k->stack[k->n_stack++] = id;
}

/* A new value on the stack. */
static void make(struct bt_pickle *k, struct bt_pk_value v)
{
	push(k, bt_pk_new(k, v));
}

/* Whether there are n values above the last mark, and there was no error. */
static bool have(struct bt_pickle *k, size_t n)
{
	size_t mark = k->n_marks > 0 ? k->marks[k->n_marks - 1] : 0;

	if (k->r == BT_OK && k->n_stack - mark < n)
		bt_pk_bad(k, BT_ECORRUPT, "its stack is empty");
	return k->r == BT_OK;
}

/* Takes the last mark away. Returns how many values are above it. */
static size_t unmark(struct bt_pickle *k)
{
	if (k->n_marks == 0) {
		bt_pk_bad(k, BT_ECORRUPT, "no mark");
		return 0;
	}
	return k->n_stack - k->marks[--k->n_marks];
}

/* The next n bytes of the pickle, or NULL. */
static const uint8_t *take(struct bt_pickle *k, uint64_t n)
{
	const uint8_t *p = k->p;

	if (n > (size_t)(k->end - k->p)) {
		bt_pk_bad(k, BT_ETRUNCATED, "it is cut off");
		return NULL;
	}
	k->p += n;
	return p;
}

/* The next n bytes as a number without a sign; n is at most 8. */
static uint64_t number(struct bt_pickle *k, size_t n)
{
	const uint8_t *p = take(k, n);
	uint64_t v = 0;

	if (p != NULL)
		memcpy(&v, p, n);
	return v;
}

static const uint8_t *line(struct bt_pickle *k, size_t *n)
{
	size_t left = (size_t)(k->end - k->p);
	const uint8_t *p = k->p, *end;

	left = left < LINE_MAX_BYTES ? left : LINE_MAX_BYTES;
	end = memchr(p, '\n', left);
	if (end == NULL && left == LINE_MAX_BYTES)
		bt_pk_bad(k, BT_ELIMIT, "a name that is too long");
	else if (end == NULL)
		bt_pk_bad(k, BT_ETRUNCATED, "it is cut off");
	else
		k->p = end + 1;
	*n = end != NULL ? (size_t)(end - p) : 0;
	return p;
}

/* --- what an opcode does, that was just read, with the number in the table */

static void protocol(struct bt_pickle *k, unsigned bytes)
{
	if (number(k, bytes) > 5)
		bt_pk_bad(k, BT_EFORMAT, "a protocol above 5");
}

static void skip(struct bt_pickle *k, unsigned bytes)
{
	(void)take(k, bytes);
}

static void mark(struct bt_pickle *k, unsigned unused)
{
	(void)unused;
	if (k->n_marks >= DEPTH_MAX)
		bt_pk_bad(k, BT_ELIMIT, "it is nested too deep");
	if (bt_pk_room(k, &k->marks, &k->cap_marks, k->n_marks + 1,
	               sizeof(*k->marks)))
		k->marks[k->n_marks++] = k->n_stack;
}

/* Drops the last of n values. With two, it is what changes the other: PyTorch's
 * _metadata, hooks. */
static void pop(struct bt_pickle *k, unsigned n)
{
	if (have(k, n))
		k->n_stack--;
}

static void pop_marked(struct bt_pickle *k, unsigned unused)
{
	(void)unused;
	k->n_stack -= unmark(k);
}

static void dup(struct bt_pickle *k, unsigned n)
{
	if (have(k, n))
		push(k, k->stack[k->n_stack - 1]);
}

static void make_kind(struct bt_pickle *k, unsigned kind)
{
	make(k, (struct bt_pk_value){.kind = kind});
}

static void boolean(struct bt_pickle *k, unsigned v)
{
	make(k, (struct bt_pk_value){.kind = BT_PK_BOOL, .u.i = v});
}

/* Four bytes have a sign, fewer do not. */
static void integer(struct bt_pickle *k, unsigned bytes)
{
	uint64_t v = number(k, bytes);
	int64_t i = bytes == 4 ? (int32_t)(uint32_t)v : (int64_t)v;

	make(k, (struct bt_pk_value){.kind = BT_PK_INT, .u.i = i});
}

/* A number whose length has that many bytes; what 64 bits do not hold is not
 * asked for. */
static void wide(struct bt_pickle *k, unsigned bytes)
{
	uint64_t n = number(k, bytes), v = 0;
	const uint8_t *p = take(k, n);

	if (p != NULL && n > 8) {
		make_kind(k, BT_PK_OTHER);
	} else if (p != NULL) {
		if (n > 0 && (p[n - 1] & 0x80))
			v = UINT64_MAX;
		memcpy(&v, p, (size_t)n);
		make(k, (struct bt_pk_value){.kind = BT_PK_INT,
		                             .u.i = (int64_t)v});
	}
}

static void real(struct bt_pickle *k, unsigned bytes)
{
	(void)take(k, bytes);
	make_kind(k, BT_PK_OTHER);
}

/* A text whose length has that many bytes. */
static void text(struct bt_pickle *k, unsigned bytes)
{
	uint64_t n = number(k, bytes);
	struct bt_pk_value v = {BT_PK_TEXT, (uint32_t)n, {.text = take(k, n)}};

	if (n >= UINT32_MAX)
		bt_pk_bad(k, BT_ELIMIT, "a text of 4 GiB");
	make(k, v);
}

/* Moves the last n values of the stack into a container. */
static void fill(struct bt_pickle *k, uint32_t container, size_t n)
{
	size_t i;

	if (k->r != BT_OK)
		return;
	if (k->v[container].kind == BT_PK_DICT && n % 2 != 0)
		bt_pk_bad(k, BT_ECORRUPT, "a key without a value");
	for (i = k->n_stack - n; i < k->n_stack && k->r == BT_OK; i++)
		bt_pk_append(k, container, k->stack[i]);
	k->n_stack -= n;
}

/* A new container of the last n values. */
static void gather(struct bt_pickle *k, enum bt_pk_kind kind, size_t n)
{
	uint32_t id;

	if (!have(k, n))
		return;
	id = bt_pk_new(k, (struct bt_pk_value){.kind = kind});
	fill(k, id, n);
	push(k, id);
}

static void gather_marked(struct bt_pickle *k, unsigned kind)
{
	gather(k, kind, unmark(k));
}

static void tuple(struct bt_pickle *k, unsigned n)
{
	gather(k, BT_PK_LIST, n);
}

/* Adds the last n values to the container below them. Additions to what is not
 * looked at are dropped. */
static void add(struct bt_pickle *k, enum bt_pk_kind kind, size_t n)
{
	uint32_t to;

	if (!have(k, n + 1))
		return;
	to = k->stack[k->n_stack - n - 1];
	if (k->v[to].kind == kind)
		fill(k, to, n);
	else if (k->v[to].kind == BT_PK_OTHER)
		k->n_stack -= n;
	else
		bt_pk_bad(k, BT_ECORRUPT,
		          "members for a value that is not a container");
}

static void add_one(struct bt_pickle *k, unsigned kind)
{
	add(k, kind, kind == BT_PK_DICT ? 2 : 1);
}

static void add_marked(struct bt_pickle *k, unsigned kind)
{
	add(k, kind, unmark(k));
}

static void global(struct bt_pickle *k, unsigned unused)
{
	size_t n, m;
	const uint8_t *module = line(k, &n), *name = line(k, &m);

	(void)unused;
	if (k->r == BT_OK)
		push(k, bt_pk_global(k, module, n, name, m));
}

static void stack_global(struct bt_pickle *k, unsigned n)
{
	const struct bt_pk_value *module, *name;

	if (!have(k, n))
		return;
	k->n_stack -= n;
	module = &k->v[k->stack[k->n_stack]];
	name = &k->v[k->stack[k->n_stack + 1]];
	if (module->kind != BT_PK_TEXT || name->kind != BT_PK_TEXT)
		bt_pk_bad(k, BT_ECORRUPT, "an import without a name");
	else
		push(k, bt_pk_global(k, module->u.text, module->n, name->u.text,
		                     name->n));
}

static void call(struct bt_pickle *k, unsigned n)
{
	if (!have(k, n))
		return;
	k->n_stack -= n;
	push(k, bt_pk_call(k, k->stack[k->n_stack], k->stack[k->n_stack + 1]));
}

static void persistent(struct bt_pickle *k, unsigned n)
{
	if (have(k, n))
		push(k, bt_pk_persistent(k, k->stack[--k->n_stack]));
}

/* Remembers the last value under a number of that many bytes; 0: the next. */
static void put(struct bt_pickle *k, unsigned bytes)
{
	uint64_t at = bytes == 0 ? k->n_memo : number(k, bytes);

	if (!have(k, 1))
		return;
	if (at >= BT_PK_VALUES_MAX)
		bt_pk_bad(k, BT_ELIMIT, "its memo is too large");
	if (!bt_pk_room(k, &k->memo, &k->cap_memo, (size_t)at + 1,
	                sizeof(*k->memo)))
		return;
	while (k->n_memo <= at)
		k->memo[k->n_memo++] = UNSET;
	k->memo[at] = k->stack[k->n_stack - 1];
}

static void get(struct bt_pickle *k, unsigned bytes)
{
	uint64_t at = number(k, bytes);

	if (at >= k->n_memo || k->memo[at] == UNSET)
		bt_pk_bad(k, BT_ECORRUPT,
		          "what it recalls was never put there");
	else
		push(k, k->memo[at]);
}

static const struct {
	void (*run)(struct bt_pickle *k, unsigned arg);
	unsigned arg;
} ops[256] = {
    [0x80] = {protocol, 1},
    [0x95] = {skip, 8},
    ['.'] = {skip, 0},
    ['('] = {mark, 0},
    ['0'] = {pop, 1},
    ['b'] = {pop, 2},
    ['1'] = {pop_marked, 0},
    ['2'] = {dup, 1},
    ['N'] = {make_kind, BT_PK_NONE},
    [0x88] = {boolean, 1},
    [0x89] = {boolean, 0},
    ['J'] = {integer, 4},
    ['K'] = {integer, 1},
    ['M'] = {integer, 2},
    [0x8a] = {wide, 1},
    [0x8b] = {wide, 4},
    ['G'] = {real, 8},
    ['X'] = {text, 4},
    [0x8c] = {text, 1},
    [0x8d] = {text, 8},
    ['T'] = {text, 4},
    ['U'] = {text, 1},
    ['C'] = {text, 1},
    ['B'] = {text, 4},
    [0x8e] = {text, 8},
    [')'] = {make_kind, BT_PK_LIST},
    [']'] = {make_kind, BT_PK_LIST},
    [0x8f] = {make_kind, BT_PK_LIST},
    ['}'] = {make_kind, BT_PK_DICT},
    ['t'] = {gather_marked, BT_PK_LIST},
    ['l'] = {gather_marked, BT_PK_LIST},
    [0x91] = {gather_marked, BT_PK_LIST},
    ['d'] = {gather_marked, BT_PK_DICT},
    [0x85] = {tuple, 1},
    [0x86] = {tuple, 2},
    [0x87] = {tuple, 3},
    ['a'] = {add_one, BT_PK_LIST},
    ['s'] = {add_one, BT_PK_DICT},
    ['e'] = {add_marked, BT_PK_LIST},
    [0x90] = {add_marked, BT_PK_LIST},
    ['u'] = {add_marked, BT_PK_DICT},
    ['c'] = {global, 0},
    [0x93] = {stack_global, 2},
    ['R'] = {call, 2},
    [0x81] = {call, 2},
    ['Q'] = {persistent, 1},
    ['q'] = {put, 1},
    ['r'] = {put, 4},
    [0x94] = {put, 0},
    ['h'] = {get, 1},
    ['j'] = {get, 4},
};

static void run(struct bt_pickle *k)
{
	char why[64];
	uint8_t op;

	do {
		op = (uint8_t)number(k, 1);
		if (k->r == BT_OK && ops[op].run == NULL) {
			snprintf(why, sizeof(why),
			         "an instruction 0x%02x that no checkpoint "
			         "needs",
			         op);
			k->p--;
			bt_pk_bad(k, BT_EFORMAT, why);
		}
		if (k->r == BT_OK)
			ops[op].run(k, ops[op].arg);
	} while (k->r == BT_OK && op != '.');
	if (k->n_stack != 1 || k->n_marks != 0)
		bt_pk_bad(k, BT_ECORRUPT, "it ends in the middle");
}

int bt_pickle_read(struct bt_pickle *k, const uint8_t *data, size_t size,
                   size_t *used, struct bt_error *err)
{
	memset(k, 0, sizeof(*k));
	k->start = k->p = data;
	k->end = data + size;
	k->err = err;
	run(k);
	if (k->r == BT_OK) {
		k->top = k->stack[0];
		*used = (size_t)(k->p - data);
	}
	return k->r;
}
