/* SPDX-License-Identifier: MIT */
/* The instructions of a pickle: a stack, marks on it, a memo. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "ckpt_format/pickle_int.h"

#define DEPTH_MAX ((size_t)1 << 20) /* of the stack */
#define LINE_MAX_BYTES 1024
#define UNSET UINT32_MAX /* in the memo */

static int corrupt(struct bt_pickle *k, const char *why)
{
	return bt_pk_bad(k, BT_ECORRUPT, why);
}

static int nomem(struct bt_pickle *k)
{
	return bt_error_nomem(k->err, "reading a pickle");
}

static int push(struct bt_pickle *k, uint32_t id)
{
	if (k->n_stack >= DEPTH_MAX)
		return bt_pk_bad(k, BT_ELIMIT, "its stack is too deep");
	if (bt_grow(&k->stack, &k->cap_stack, k->n_stack + 1,
	            sizeof(*k->stack)) != BT_OK)
		return nomem(k);
	k->stack[k->n_stack++] = id;
	return BT_OK;
}

/* A new value on the stack. */
static int make(struct bt_pickle *k, struct bt_pk_value v)
{
	uint32_t id = 0;
	int r = bt_pk_new(k, v, &id);

	return r == BT_OK ? push(k, id) : r;
}

static int make_kind(struct bt_pickle *k, enum bt_pk_kind kind)
{
	return make(k, (struct bt_pk_value){.kind = kind});
}

static int make_int(struct bt_pickle *k, int64_t i)
{
	return make(k, (struct bt_pk_value){.kind = BT_PK_INT, .u.i = i});
}

static size_t mark_of(const struct bt_pickle *k)
{
	return k->n_marks > 0 ? k->marks[k->n_marks - 1] : 0;
}

/* There are n values above the last mark. */
static int have(struct bt_pickle *k, size_t n)
{
	if (k->n_stack - mark_of(k) < n)
		return corrupt(k, "its stack is empty");
	return BT_OK;
}

/* The next n bytes of the pickle. */
static int take(struct bt_pickle *k, uint64_t n, const uint8_t **p)
{
	if (n > (size_t)(k->end - k->p))
		return bt_pk_bad(k, BT_ETRUNCATED, "it is cut off");
	*p = k->p;
	k->p += n;
	return BT_OK;
}

/* The next n bytes as a number without a sign; n is at most 8. */
static int number(struct bt_pickle *k, size_t n, uint64_t *v)
{
	const uint8_t *p = NULL;
	int r = take(k, n, &p);

	*v = 0;
	if (r == BT_OK)
		memcpy(v, p, n);
	return r;
}

static int line(struct bt_pickle *k, const uint8_t **p, size_t *n)
{
	size_t left = (size_t)(k->end - k->p);
	const uint8_t *end;

	left = left < LINE_MAX_BYTES ? left : LINE_MAX_BYTES;
	end = memchr(k->p, '\n', left);
	if (end == NULL && left == LINE_MAX_BYTES)
		return bt_pk_bad(k, BT_ELIMIT, "a name that is too long");
	if (end == NULL)
		return bt_pk_bad(k, BT_ETRUNCATED, "it is cut off");
	*p = k->p;
	*n = (size_t)(end - k->p);
	k->p = end + 1;
	return BT_OK;
}

/* --- what an opcode does, that was just read --- */

static int nothing(struct bt_pickle *k)
{
	(void)k;
	return BT_OK;
}

static int op_proto(struct bt_pickle *k)
{
	uint64_t v = 0;
	int r = number(k, 1, &v);

	if (r == BT_OK && v > 5)
		r = bt_pk_bad(k, BT_EFORMAT, "a protocol above 5");
	return r;
}

static int op_frame(struct bt_pickle *k)
{
	uint64_t v = 0;

	return number(k, 8, &v);
}

static int op_mark(struct bt_pickle *k)
{
	if (k->n_marks >= DEPTH_MAX)
		return bt_pk_bad(k, BT_ELIMIT, "it is nested too deep");
	if (bt_grow(&k->marks, &k->cap_marks, k->n_marks + 1,
	            sizeof(*k->marks)) != BT_OK)
		return nomem(k);
	k->marks[k->n_marks++] = k->n_stack;
	return BT_OK;
}

static int op_pop(struct bt_pickle *k)
{
	int r = have(k, 1);

	if (r == BT_OK)
		k->n_stack--;
	return r;
}

static int op_pop_mark(struct bt_pickle *k)
{
	if (k->n_marks == 0)
		return corrupt(k, "no mark");
	k->n_stack = k->marks[--k->n_marks];
	return BT_OK;
}

static int op_dup(struct bt_pickle *k)
{
	int r = have(k, 1);

	return r == BT_OK ? push(k, k->stack[k->n_stack - 1]) : r;
}

static int op_none(struct bt_pickle *k)
{
	return make_kind(k, BT_PK_NONE);
}

static int op_true(struct bt_pickle *k)
{
	return make(k, (struct bt_pk_value){.kind = BT_PK_BOOL, .u.i = 1});
}

static int op_false(struct bt_pickle *k)
{
	return make_kind(k, BT_PK_BOOL);
}

static int op_int4(struct bt_pickle *k)
{
	uint64_t v = 0;
	int r = number(k, 4, &v);

	return r == BT_OK ? make_int(k, (int32_t)(uint32_t)v) : r;
}

static int op_int1(struct bt_pickle *k)
{
	uint64_t v = 0;
	int r = number(k, 1, &v);

	return r == BT_OK ? make_int(k, (int64_t)v) : r;
}

static int op_int2(struct bt_pickle *k)
{
	uint64_t v = 0;
	int r = number(k, 2, &v);

	return r == BT_OK ? make_int(k, (int64_t)v) : r;
}

/* A number of n bytes; what 64 bits do not hold is not asked for. */
static int wide(struct bt_pickle *k, uint64_t n)
{
	const uint8_t *p = NULL;
	uint64_t v = 0;
	int r = take(k, n, &p);

	if (r != BT_OK)
		return r;
	if (n > 8)
		return make_kind(k, BT_PK_OTHER);
	if (n > 0 && (p[n - 1] & 0x80))
		v = UINT64_MAX;
	memcpy(&v, p, (size_t)n);
	return make_int(k, (int64_t)v);
}

static int op_long1(struct bt_pickle *k)
{
	uint64_t n = 0;
	int r = number(k, 1, &n);

	return r == BT_OK ? wide(k, n) : r;
}

static int op_long4(struct bt_pickle *k)
{
	uint64_t n = 0;
	int r = number(k, 4, &n);

	return r == BT_OK ? wide(k, n) : r;
}

static int op_float(struct bt_pickle *k)
{
	const uint8_t *p = NULL;
	int r = take(k, 8, &p);

	return r == BT_OK ? make_kind(k, BT_PK_OTHER) : r;
}

/* A text whose length has that many bytes. */
static int text(struct bt_pickle *k, size_t bytes)
{
	struct bt_pk_value v = {.kind = BT_PK_TEXT};
	uint64_t n = 0;
	int r = number(k, bytes, &n);

	if (r == BT_OK)
		r = take(k, n, &v.u.text);
	if (r == BT_OK && n >= UINT32_MAX)
		r = bt_pk_bad(k, BT_ELIMIT, "a text of 4 GiB");
	v.n = (uint32_t)n;
	return r == BT_OK ? make(k, v) : r;
}

static int op_text1(struct bt_pickle *k)
{
	return text(k, 1);
}

static int op_text4(struct bt_pickle *k)
{
	return text(k, 4);
}

static int op_text8(struct bt_pickle *k)
{
	return text(k, 8);
}

static int op_empty_list(struct bt_pickle *k)
{
	return make_kind(k, BT_PK_LIST);
}

static int op_empty_dict(struct bt_pickle *k)
{
	return make_kind(k, BT_PK_DICT);
}

/* Moves the last n values of the stack into a container. */
static int fill(struct bt_pickle *k, uint32_t container, size_t n)
{
	enum bt_pk_kind kind = k->v[container].kind;
	size_t i;
	int r = BT_OK;

	if (kind == BT_PK_DICT && n % 2 != 0)
		return corrupt(k, "a key without a value");
	for (i = k->n_stack - n; i < k->n_stack && r == BT_OK; i++)
		r = bt_pk_append(k, container, k->stack[i]);
	k->n_stack -= n;
	return r;
}

/* A new container of the last n values. */
static int gather(struct bt_pickle *k, enum bt_pk_kind kind, size_t n)
{
	uint32_t id = 0;
	int r = have(k, n);

	if (r == BT_OK)
		r = bt_pk_new(k, (struct bt_pk_value){.kind = kind}, &id);
	if (r == BT_OK)
		r = fill(k, id, n);
	return r == BT_OK ? push(k, id) : r;
}

/* The same of all values above the last mark. */
static int gather_marked(struct bt_pickle *k, enum bt_pk_kind kind)
{
	size_t mark = mark_of(k);

	if (k->n_marks == 0)
		return corrupt(k, "no mark");
	k->n_marks--;
	return gather(k, kind, k->n_stack - mark);
}

static int op_tuple(struct bt_pickle *k)
{
	return gather_marked(k, BT_PK_LIST);
}

static int op_dict(struct bt_pickle *k)
{
	return gather_marked(k, BT_PK_DICT);
}

static int op_tuple1(struct bt_pickle *k)
{
	return gather(k, BT_PK_LIST, 1);
}

static int op_tuple2(struct bt_pickle *k)
{
	return gather(k, BT_PK_LIST, 2);
}

static int op_tuple3(struct bt_pickle *k)
{
	return gather(k, BT_PK_LIST, 3);
}

/* Adds the last n values to the container below them. Additions to what is not
 * looked at are dropped. */
static int add(struct bt_pickle *k, enum bt_pk_kind kind, size_t n)
{
	uint32_t to;
	int r = have(k, n + 1);

	if (r != BT_OK)
		return r;
	to = k->stack[k->n_stack - n - 1];
	if (k->v[to].kind == kind)
		return fill(k, to, n);
	if (k->v[to].kind != BT_PK_OTHER)
		return corrupt(k,
		               "members for a value that is not a container");
	k->n_stack -= n;
	return BT_OK;
}

static int add_marked(struct bt_pickle *k, enum bt_pk_kind kind)
{
	size_t mark = mark_of(k);

	if (k->n_marks == 0)
		return corrupt(k, "no mark");
	k->n_marks--;
	return add(k, kind, k->n_stack - mark);
}

static int op_append(struct bt_pickle *k)
{
	return add(k, BT_PK_LIST, 1);
}

static int op_appends(struct bt_pickle *k)
{
	return add_marked(k, BT_PK_LIST);
}

static int op_setitem(struct bt_pickle *k)
{
	return add(k, BT_PK_DICT, 2);
}

static int op_setitems(struct bt_pickle *k)
{
	return add_marked(k, BT_PK_DICT);
}

static int op_global(struct bt_pickle *k)
{
	const uint8_t *module = NULL, *name = NULL;
	size_t n = 0, m = 0;
	uint32_t id = 0;
	int r = line(k, &module, &n);

	if (r == BT_OK)
		r = line(k, &name, &m);
	if (r == BT_OK)
		r = bt_pk_global(k, module, n, name, m, &id);
	return r == BT_OK ? push(k, id) : r;
}

static int op_stack_global(struct bt_pickle *k)
{
	const struct bt_pk_value *module, *name;
	uint32_t id = 0;
	int r = have(k, 2);

	if (r != BT_OK)
		return r;
	module = &k->v[k->stack[k->n_stack - 2]];
	name = &k->v[k->stack[k->n_stack - 1]];
	if (module->kind != BT_PK_TEXT || name->kind != BT_PK_TEXT)
		return corrupt(k, "an import without a name");
	k->n_stack -= 2;
	r = bt_pk_global(k, module->u.text, module->n, name->u.text, name->n,
	                 &id);
	return r == BT_OK ? push(k, id) : r;
}

static int op_call(struct bt_pickle *k)
{
	uint32_t id = 0;
	int r = have(k, 2);

	if (r != BT_OK)
		return r;
	k->n_stack -= 2;
	r = bt_pk_call(k, k->stack[k->n_stack], k->stack[k->n_stack + 1], &id);
	return r == BT_OK ? push(k, id) : r;
}

/* Attributes of an object: PyTorch's _metadata, hooks. */
static int op_build(struct bt_pickle *k)
{
	int r = have(k, 2);

	if (r == BT_OK)
		k->n_stack--;
	return r;
}

static int op_persistent(struct bt_pickle *k)
{
	uint32_t id = 0;
	int r = have(k, 1);

	if (r != BT_OK)
		return r;
	r = bt_pk_persistent(k, k->stack[--k->n_stack], &id);
	return r == BT_OK ? push(k, id) : r;
}

static int remember(struct bt_pickle *k, uint64_t at)
{
	int r = have(k, 1);

	if (r != BT_OK)
		return r;
	if (at >= BT_PK_VALUES_MAX)
		return bt_pk_bad(k, BT_ELIMIT, "its memo is too large");
	if (bt_grow(&k->memo, &k->cap_memo, (size_t)at + 1, sizeof(*k->memo)) !=
	    BT_OK)
		return nomem(k);
	while (k->n_memo <= at)
		k->memo[k->n_memo++] = UNSET;
	k->memo[at] = k->stack[k->n_stack - 1];
	return BT_OK;
}

static int op_put1(struct bt_pickle *k)
{
	uint64_t at = 0;
	int r = number(k, 1, &at);

	return r == BT_OK ? remember(k, at) : r;
}

static int op_put4(struct bt_pickle *k)
{
	uint64_t at = 0;
	int r = number(k, 4, &at);

	return r == BT_OK ? remember(k, at) : r;
}

static int op_memoize(struct bt_pickle *k)
{
	return remember(k, k->n_memo);
}

static int recall(struct bt_pickle *k, uint64_t at)
{
	if (at >= k->n_memo || k->memo[at] == UNSET)
		return corrupt(k, "what it recalls was never put there");
	return push(k, k->memo[at]);
}

static int op_get1(struct bt_pickle *k)
{
	uint64_t at = 0;
	int r = number(k, 1, &at);

	return r == BT_OK ? recall(k, at) : r;
}

static int op_get4(struct bt_pickle *k)
{
	uint64_t at = 0;
	int r = number(k, 4, &at);

	return r == BT_OK ? recall(k, at) : r;
}

static int (*const ops[256])(struct bt_pickle *) = {
    [0x80] = op_proto,     [0x95] = op_frame,     ['('] = op_mark,
    ['.'] = nothing,       ['0'] = op_pop,        ['1'] = op_pop_mark,
    ['2'] = op_dup,        ['N'] = op_none,       [0x88] = op_true,
    [0x89] = op_false,     ['J'] = op_int4,       ['K'] = op_int1,
    ['M'] = op_int2,       [0x8a] = op_long1,     [0x8b] = op_long4,
    ['G'] = op_float,      ['X'] = op_text4,      [0x8c] = op_text1,
    [0x8d] = op_text8,     ['T'] = op_text4,      ['U'] = op_text1,
    ['C'] = op_text1,      ['B'] = op_text4,      [0x8e] = op_text8,
    [')'] = op_empty_list, [']'] = op_empty_list, [0x8f] = op_empty_list,
    ['}'] = op_empty_dict, ['t'] = op_tuple,      ['l'] = op_tuple,
    [0x91] = op_tuple,     ['d'] = op_dict,       [0x85] = op_tuple1,
    [0x86] = op_tuple2,    [0x87] = op_tuple3,    ['a'] = op_append,
    ['e'] = op_appends,    [0x90] = op_appends,   ['s'] = op_setitem,
    ['u'] = op_setitems,   ['c'] = op_global,     [0x93] = op_stack_global,
    ['R'] = op_call,       [0x81] = op_call,      ['b'] = op_build,
    ['Q'] = op_persistent, ['q'] = op_put1,       ['r'] = op_put4,
    [0x94] = op_memoize,   ['h'] = op_get1,       ['j'] = op_get4,
};

static int next_op(struct bt_pickle *k, uint8_t *op)
{
	if (k->p == k->end)
		return bt_pk_bad(k, BT_ETRUNCATED, "it is cut off");
	*op = *k->p++;
	return BT_OK;
}

static int run(struct bt_pickle *k)
{
	char why[64];
	uint8_t op = 0;
	int r;

	do {
		r = next_op(k, &op);
		if (r == BT_OK && ops[op] == NULL) {
			snprintf(why, sizeof(why),
			         "an instruction 0x%02x that no checkpoint "
			         "needs",
			         op);
			k->p--;
			r = bt_pk_bad(k, BT_EFORMAT, why);
		}
		if (r == BT_OK)
			r = ops[op](k);
	} while (r == BT_OK && op != '.');
	if (r == BT_OK && (k->n_stack != 1 || k->n_marks != 0))
		r = bt_pk_bad(k, BT_ECORRUPT, "it ends in the middle");
	return r;
}

int bt_pickle_read(struct bt_pickle *k, const uint8_t *data, size_t size,
                   size_t *used, struct bt_error *err)
{
	int r;

	memset(k, 0, sizeof(*k));
	k->start = k->p = data;
	k->end = data + size;
	k->err = err;
	r = run(k);
	if (r == BT_OK) {
		k->top = k->stack[0];
		*used = (size_t)(k->p - data);
	}
	return r;
}
