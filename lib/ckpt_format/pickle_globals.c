/* SPDX-License-Identifier: MIT */
/* What names in pickles mean: the few that checkpoints are made of. */
#include <string.h>

#include "base/mem.h"
#include "ckpt_format/pickle_int.h"

#define CALLS_MAX 8 /* calls in calls */

enum meaning {
	DICT,
	STORAGE,
	UNTYPED, /* a storage of bytes */
	DTYPE,
	TENSOR,       /* storage, offset, size, stride, ... */
	TENSOR_TYPED, /* the same with a type as seventh */
	SAME,         /* gives its first argument: a parameter its tensor */
	SUBCLASS,     /* function, class, arguments: calls that function */
	OTHER         /* gives what nobody asks for */
};

static const struct meaning_of {
	const char *module, *name;
	enum meaning means;
	enum bt_dtype dtype;
} known[] = {
    {"collections", "OrderedDict", DICT, 0},
    {"__builtin__", "dict", DICT, 0},
    {"builtins", "dict", DICT, 0},
    {"torch._utils", "_rebuild_tensor", TENSOR, 0},
    {"torch._utils", "_rebuild_tensor_v2", TENSOR, 0},
    {"torch._utils", "_rebuild_tensor_v3", TENSOR_TYPED, 0},
    {"torch._utils", "_rebuild_parameter", SAME, 0},
    {"torch._utils", "_rebuild_parameter_with_state", SAME, 0},
    {"torch._tensor", "_rebuild_from_type_v2", SUBCLASS, 0},
    {"torch.storage", "UntypedStorage", UNTYPED, 0},
    {"torch", "UntypedStorage", UNTYPED, 0},
    {"torch", "ByteStorage", STORAGE, BT_DTYPE_U8},
    {"torch", "CharStorage", STORAGE, BT_DTYPE_I8},
    {"torch", "BoolStorage", STORAGE, BT_DTYPE_BOOL},
    {"torch", "ShortStorage", STORAGE, BT_DTYPE_I16},
    {"torch", "IntStorage", STORAGE, BT_DTYPE_I32},
    {"torch", "LongStorage", STORAGE, BT_DTYPE_I64},
    {"torch", "HalfStorage", STORAGE, BT_DTYPE_F16},
    {"torch", "BFloat16Storage", STORAGE, BT_DTYPE_BF16},
    {"torch", "FloatStorage", STORAGE, BT_DTYPE_F32},
    {"torch", "DoubleStorage", STORAGE, BT_DTYPE_F64},
    {"torch", "ComplexFloatStorage", STORAGE, BT_DTYPE_C64},
    {"torch", "bool", DTYPE, BT_DTYPE_BOOL},
    {"torch", "uint8", DTYPE, BT_DTYPE_U8},
    {"torch", "int8", DTYPE, BT_DTYPE_I8},
    {"torch", "int16", DTYPE, BT_DTYPE_I16},
    {"torch", "uint16", DTYPE, BT_DTYPE_U16},
    {"torch", "int32", DTYPE, BT_DTYPE_I32},
    {"torch", "uint32", DTYPE, BT_DTYPE_U32},
    {"torch", "int64", DTYPE, BT_DTYPE_I64},
    {"torch", "uint64", DTYPE, BT_DTYPE_U64},
    {"torch", "float16", DTYPE, BT_DTYPE_F16},
    {"torch", "bfloat16", DTYPE, BT_DTYPE_BF16},
    {"torch", "float32", DTYPE, BT_DTYPE_F32},
    {"torch", "float64", DTYPE, BT_DTYPE_F64},
    {"torch", "complex64", DTYPE, BT_DTYPE_C64},
    {"torch", "float8_e5m2", DTYPE, BT_DTYPE_F8_E5M2},
    {"torch", "float8_e4m3fn", DTYPE, BT_DTYPE_F8_E4M3},
    {"torch", "float8_e8m0fnu", DTYPE, BT_DTYPE_F8_E8M0},
    {"torch", "float8_e4m3fnuz", DTYPE, BT_DTYPE_F8_E4M3FNUZ},
    {"torch", "float8_e5m2fnuz", DTYPE, BT_DTYPE_F8_E5M2FNUZ},
    {"torch", "Size", SAME, 0},
    {"torch", "Tensor", OTHER, 0},
    {"torch._tensor", "Tensor", OTHER, 0},
    {"torch.nn.parameter", "Parameter", OTHER, 0},
    {"torch.nn.parameter", "Buffer", OTHER, 0},
    {"torch", "device", OTHER, 0},
    {"torch.serialization", "_get_layout", OTHER, 0},
    {"_codecs", "encode", OTHER, 0},
    /* what training scripts put beside the weights */
    {"argparse", "Namespace", OTHER, 0},
    {"lightning.fabric.utilities.data", "AttributeDict", OTHER, 0},
    {"lightning_fabric.utilities.data", "AttributeDict", OTHER, 0},
    {"pytorch_lightning.utilities.parsing", "AttributeDict", OTHER, 0},
    {"__builtin__", "set", OTHER, 0},
    {"builtins", "set", OTHER, 0},
    {"__builtin__", "complex", OTHER, 0},
    {"builtins", "complex", OTHER, 0},
    {"pathlib", "PosixPath", OTHER, 0},
    {"pathlib._local", "PosixPath", OTHER, 0},
    {"pathlib", "WindowsPath", OTHER, 0},
    {"datetime", "datetime", OTHER, 0},
    {"datetime", "timedelta", OTHER, 0},
    {"torch.torch_version", "TorchVersion", OTHER, 0},
    {"numpy", "dtype", OTHER, 0},
    {"numpy", "ndarray", OTHER, 0},
    {"numpy.core.multiarray", "scalar", OTHER, 0},
    {"numpy.core.multiarray", "_reconstruct", OTHER, 0},
    {"numpy._core.multiarray", "scalar", OTHER, 0},
    {"numpy._core.multiarray", "_reconstruct", OTHER, 0},
};

static bool is(const uint8_t *p, size_t n, const char *s)
{
	return n == strlen(s) && memcmp(p, s, n) == 0;
}

uint32_t bt_pk_global(struct bt_pickle *k, const uint8_t *module,
                      size_t n_module, const uint8_t *name, size_t n_name)
{
	struct bt_pk_value v = {.kind = BT_PK_GLOBAL};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (is(name, n_name, known[i].name) &&
		    (is(module, n_module, known[i].module) ||
		     (known[i].means == STORAGE &&
		      is(module, n_module, "torch.cuda")))) {
			v.u.at = i;
			return bt_pk_new(k, v);
		}
	k->r = bt_error_set(
	    k->err, BT_EFORMAT, "it imports %.*s.%.*s, which is %s",
	    (int)(n_module < 100 ? n_module : 100), (const char *)module,
	    (int)(n_name < 100 ? n_name : 100), (const char *)name,
	    is(module, n_module, "torch._utils") ||
	            (is(module, n_module, "torch") && n_name > 7 &&
	             is(name + n_name - 7, 7, "Storage"))
	        ? "for tensors of a kind that is not read"
	        : "not data: save the weights alone, as "
	          "torch.save(model.state_dict(), FILE) does");
	return BT_PK_END;
}

/* Member i of a list; BT_PK_END where there are not so many. */
static uint32_t member(const struct bt_pickle *k, uint32_t list, uint32_t i)
{
	uint32_t c = BT_PK_END;

	if (k->v[list].kind == BT_PK_LIST)
		c = k->v[list].u.list.head;
	for (; c != BT_PK_END && i > 0; i--)
		c = k->cells[c].next;
	return c == BT_PK_END ? c : k->cells[c].value;
}

static bool has_kind(const struct bt_pickle *k, uint32_t value,
                     enum bt_pk_kind kind)
{
	return value != BT_PK_END && k->v[value].kind == kind;
}

static const struct meaning_of *meaning(const struct bt_pickle *k,
                                        uint32_t value)
{
	if (!has_kind(k, value, BT_PK_GLOBAL))
		return NULL;
	return &known[k->v[value].u.at];
}

/* A number of elements or bytes. */
static bool natural(const struct bt_pickle *k, uint32_t value, uint64_t *n)
{
	if (!has_kind(k, value, BT_PK_INT) || k->v[value].u.i < 0)
		return false;
	*n = (uint64_t)k->v[value].u.i;
	return true;
}

/* The sixth member in old files: the part of the storage that this is. */
static bool read_view(const struct bt_pickle *k, uint32_t pid,
                      struct bt_pk_storage *s)
{
	uint32_t view = member(k, pid, 5);
	uint64_t n;

	if (view == BT_PK_END || k->v[view].kind == BT_PK_NONE)
		return true;
	if (!natural(k, member(k, view, 1), &s->first) ||
	    !natural(k, member(k, view, 2), &n))
		return false;
	return s->first <= s->n && n <= s->n - s->first;
}

uint32_t bt_pk_persistent(struct bt_pickle *k, uint32_t pid)
{
	struct bt_pk_value v = {.kind = BT_PK_STORAGE, .u.at = k->n_storages};
	const struct meaning_of *m = meaning(k, member(k, pid, 1));
	uint32_t word = member(k, pid, 0), key = member(k, pid, 2);
	struct bt_pk_storage s = {0};

	if (word == BT_PK_END || !bt_pk_is(k, word, "storage") || m == NULL ||
	    (m->means != STORAGE && m->means != UNTYPED) ||
	    !has_kind(k, key, BT_PK_TEXT) ||
	    !natural(k, member(k, pid, 4), &s.n) || !read_view(k, pid, &s))
		return bt_pk_bad(k, BT_ECORRUPT,
		                 "a reference that is not to a storage");
	s.untyped = m->means == UNTYPED;
	s.dtype = s.untyped ? BT_DTYPE_U8 : m->dtype;
	s.key = k->v[key].u.text;
	s.n_key = k->v[key].n;
	if (!bt_pk_room(k, &k->storages, &k->cap_storages, k->n_storages + 1,
	                sizeof(s)))
		return BT_PK_END;
	k->storages[k->n_storages++] = s;
	return bt_pk_new(k, v);
}

static bool is_shape(const struct bt_pickle *k, uint32_t list)
{
	uint32_t c;

	if (!has_kind(k, list, BT_PK_LIST) || k->v[list].n > BT_TENSOR_MAX_RANK)
		return false;
	for (c = k->v[list].u.list.head; c != BT_PK_END; c = k->cells[c].next)
		if (k->v[k->cells[c].value].kind != BT_PK_INT)
			return false;
	return true;
}

/* Whether what stands behind a tensor says that its values are to be negated or
 * conjugated, which PyTorch leaves to the reader. */
static bool is_changed(const struct bt_pickle *k, uint32_t notes)
{
	return has_kind(k, notes, BT_PK_DICT) &&
	       (bt_pk_get(k, notes, "neg") != BT_PK_END ||
	        bt_pk_get(k, notes, "conj") != BT_PK_END);
}

static uint32_t rebuild(struct bt_pickle *k, bool typed, uint32_t args)
{
	struct bt_pk_value v = {.kind = BT_PK_TENSOR, .u.at = k->n_tensors};
	const struct meaning_of *m = meaning(k, member(k, args, 6));
	uint32_t storage = member(k, args, 0);
	struct bt_pk_tensor t = {0};

	t.size = member(k, args, 2);
	t.stride = member(k, args, 3);
	if (!has_kind(k, storage, BT_PK_STORAGE) ||
	    !natural(k, member(k, args, 1), &t.offset) ||
	    !is_shape(k, t.size) || !is_shape(k, t.stride) ||
	    k->v[t.size].n != k->v[t.stride].n ||
	    (typed && (m == NULL || m->means != DTYPE)))
		return bt_pk_bad(k, BT_ECORRUPT, "a tensor that is not valid");
	if (is_changed(k, member(k, args, typed ? 7 : 6)))
		return bt_pk_bad(k, BT_EFORMAT,
		                 "a tensor whose values are still to be "
		                 "negated or conjugated: save "
		                 "tensor.resolve_neg().resolve_conj()");
	t.storage = k->v[storage].u.at;
	t.dtype = typed ? m->dtype : k->storages[t.storage].dtype;
	if (!bt_pk_room(k, &k->tensors, &k->cap_tensors, k->n_tensors + 1,
	                sizeof(t)))
		return BT_PK_END;
	k->tensors[k->n_tensors++] = t;
	return bt_pk_new(k, v);
}

/* A dictionary of no arguments, or of a list of pairs. */
static uint32_t make_dict(struct bt_pickle *k, uint32_t args)
{
	uint32_t pairs = member(k, args, 0), c = BT_PK_END, key, value;
	uint32_t id = bt_pk_new(k, (struct bt_pk_value){.kind = BT_PK_DICT});

	if (has_kind(k, pairs, BT_PK_LIST))
		c = k->v[pairs].u.list.head;
	else if (pairs != BT_PK_END)
		bt_pk_bad(k, BT_ECORRUPT,
		          "a dictionary whose members are not pairs");
	for (; c != BT_PK_END && k->r == BT_OK; c = k->cells[c].next) {
		key = member(k, k->cells[c].value, 0);
		value = member(k, k->cells[c].value, 1);
		if (key == BT_PK_END || value == BT_PK_END)
			return bt_pk_bad(
			    k, BT_ECORRUPT,
			    "a dictionary whose members are not pairs");
		bt_pk_append(k, id, key);
		bt_pk_append(k, id, value);
	}
	return id;
}

static uint32_t call(struct bt_pickle *k, uint32_t global, uint32_t args,
                     int depth)
{
	const struct meaning_of *m = meaning(k, global);
	uint32_t id;

	if (m == NULL || !has_kind(k, args, BT_PK_LIST) || depth > CALLS_MAX)
		return bt_pk_bad(k, BT_ECORRUPT, "a call that is not valid");
	switch (m->means) {
	case DICT:
		return make_dict(k, args);
	case TENSOR:
	case TENSOR_TYPED:
		return rebuild(k, m->means == TENSOR_TYPED, args);
	case SAME:
		id = member(k, args, 0);
		if (id != BT_PK_END)
			return id;
		break;
	case SUBCLASS:
		global = member(k, args, 0);
		args = member(k, args, 2);
		if (args != BT_PK_END)
			return call(k, global, args, depth + 1);
		break;
	case OTHER:
		return bt_pk_new(k, (struct bt_pk_value){.kind = BT_PK_OTHER});
	default:
		break;
	}
	k->r = bt_error_set(k->err, BT_EFORMAT,
	                    "it calls %s.%s in a way that is not data",
	                    m->module, m->name);
	return BT_PK_END;
}

uint32_t bt_pk_call(struct bt_pickle *k, uint32_t global, uint32_t args)
{
	return call(k, global, args, 0);
}
