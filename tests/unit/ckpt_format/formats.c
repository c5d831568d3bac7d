/* SPDX-License-Identifier: MIT */
/* Not under emulation: no code depends on the machine; fuzz/ckpt is run */
/* Not under thread: starts no threads */
/* Checkpoints of PyTorch, NumPy, GGUF and HDF5: read to the bit, and safe
 * whatever their bytes are. */
#include "test.h"

#include "ckpt.h"
#include "ckpt/open.h"
#include "zipmaker.h"

#define DIR "ckpt-formats/"

/* Files of tests/fixtures/ckpt-formats.py and ckpt-hdf5.py, each with what it
 * holds. */
static const struct {
	const char *name, *same, *format;
	size_t strided; /* tensors whose elements are not in order */
} files[] = {
    {DIR "torch.bin", DIR "torch.safetensors", "pytorch", 2},
    {DIR "torch-old.bin", DIR "torch.safetensors", "pytorch", 2},
    {DIR "wrapped.bin", DIR "wrapped.safetensors", "pytorch", 0},
    {DIR "wrapped-old.bin", DIR "wrapped.safetensors", "pytorch", 0},
    {DIR "numpy.npz", DIR "numpy.safetensors", "npz", 1},
    {DIR "numpy-packed.npz", DIR "numpy.safetensors", "npz", 1},
    {DIR "tiny.gguf", DIR "tiny-gguf.safetensors", "gguf", 1},
    {"ckpt-hdf5/types.h5", "ckpt-hdf5/types.safetensors", "hdf5", 0},
    {"ckpt-hdf5/latest.h5", "ckpt-hdf5/latest.safetensors", "hdf5", 0},
};

#define FILES (sizeof(files) / sizeof(files[0]))

static struct bt_ckpt *open_file(const char *name)
{
	struct bt_error err = {0};
	struct bt_ckpt *c = NULL;

	assert_ok(bt_ckpt_open(fixture(name), &c, &err));
	return c;
}

/* Equal type, shape and bits, read at once and from the middle. */
static void same_tensor(const struct bt_tensor *a, const struct bt_tensor *b)
{
	uint8_t *p = malloc(a->bytes + 1), *q = malloc(a->bytes + 1);
	size_t width = bt_dtype_bits(a->dtype) / 8, i;
	struct bt_error err = {0};

	assert_string_equal(a->name, b->name);
	assert_int_equal(a->dtype, b->dtype);
	assert_int_equal(a->rank, b->rank);
	for (i = 0; i < (size_t)a->rank; i++)
		assert_int_equal(a->shape[i], b->shape[i]);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->bytes, b->bytes);
	assert_ok(bt_tensor_read(a, 0, a->count, p, &err));
	assert_ok(bt_tensor_read(b, 0, b->count, q, &err));
	assert_memory_equal(p, q, a->bytes);
	for (i = 0; i < a->count; i++) {
		assert_ok(bt_tensor_read(a, i, 1, p, &err));
		assert_memory_equal(p, q + i * width, width);
	}
	assert_err(bt_tensor_read(a, a->count, 1, p, &err), BT_EARG,
	           "elements");
	free(p);
	free(q);
}

TEST(read_to_the_bit)
{
	struct bt_error err = {0};
	struct bt_ckpt *a, *b;
	size_t i, k, strided;

	for (i = 0; i < FILES; i++) {
		a = open_file(files[i].name);
		b = open_file(files[i].same);
		assert_string_equal(bt_ckpt_format(a), files[i].format);
		assert_int_equal(bt_ckpt_count(a), bt_ckpt_count(b));
		strided = 0;
		for (k = 0; k < bt_ckpt_count(a); k++) {
			same_tensor(bt_ckpt_tensor(a, k), bt_ckpt_tensor(b, k));
			strided += bt_ckpt_tensor(a, k)->data == NULL;
		}
		assert_int_equal(strided, files[i].strided);
		assert_ok(bt_ckpt_verify(a, &err));
		bt_ckpt_close(a);
		bt_ckpt_close(b);
	}
}

TEST(one_array)
{
	struct bt_ckpt *a = open_file(DIR "array.npy");
	struct bt_ckpt *b = open_file(DIR "numpy.safetensors");
	struct bt_tensor t = *bt_ckpt_find(b, "a");

	assert_string_equal(bt_ckpt_format(a), "npy");
	assert_int_equal(bt_ckpt_count(a), 1);
	t.name = "array";
	same_tensor(bt_ckpt_tensor(a, 0), &t);
	bt_ckpt_close(a);
	bt_ckpt_close(b);
}

/* The conversions see the same numbers, whatever the order. */
TEST(numbers_of_strided_tensors)
{
	struct bt_ckpt *a = open_file(DIR "torch.bin");
	struct bt_ckpt *b = open_file(DIR "torch.safetensors");
	const struct bt_tensor *s = bt_ckpt_find(a, "t");
	const struct bt_tensor *t = bt_ckpt_find(b, "t");
	struct bt_error err = {0};
	double v[24], w[24];
	float f[24];
	size_t i, n;

	assert_null(s->data);
	for (i = 0; i < 24; i++)
		for (n = 0; n <= 24 - i; n++) {
			assert_ok(bt_tensor_to_f64(s, i, n, v, &err));
			assert_ok(bt_tensor_to_f64(t, i, n, w, &err));
			assert_memory_equal(v, w, n * sizeof(*v));
			assert_ok(bt_tensor_to_f32(s, i, n, f, &err));
			assert_memory_equal(f, (const float *)t->data + i,
			                    n * sizeof(*f));
		}
	bt_ckpt_close(a);
	bt_ckpt_close(b);
}

TEST(notes_of_gguf)
{
	struct bt_ckpt *c = open_file(DIR "tiny.gguf");
	const struct bt_ckpt_note *n;
	size_t i, found = 0;

	for (i = 0; i < bt_ckpt_notes(c); i++) {
		n = bt_ckpt_note(c, i);
		if (strcmp(n->key, "general.name") == 0)
			found += strcmp(n->value, "t\u00efny") == 0;
		if (strcmp(n->key, "bert.block_count") == 0)
			found += strcmp(n->value, "1") == 0;
		if (strcmp(n->key, "bert.attention.causal") == 0)
			found += strcmp(n->value, "false") == 0;
	}
	assert_int_equal(found, 3);
	assert_string_equal(bt_tensor_packed(bt_ckpt_find(c, "q8.weight")),
	                    "Q8_0");
	bt_ckpt_close(c);
}

/* What one can get hold of must be safe to use. */
static void use(const struct bt_ckpt *c)
{
	struct bt_error err = {0};
	const struct bt_tensor *t;
	uint8_t bytes[64 * 8];
	size_t i, j, n;
	double v[64];

	for (i = 0; i < bt_ckpt_count(c); i++) {
		t = bt_ckpt_tensor(c, i);
		assert_true(t->data != NULL || t->from != NULL);
		for (j = 0; j < t->count && j < 4096; j += n) {
			n = t->count - j < 64 ? t->count - j : 64;
			assert_ok(bt_tensor_read(t, j, n, bytes, &err));
			if (bt_dtype_is_real(t->dtype))
				assert_ok(bt_tensor_to_f64(t, j, n, v, &err));
		}
	}
	(void)!bt_ckpt_verify(c, &err);
}

TEST(cut_at_every_byte)
{
	size_t i, n, size;
	uint8_t *p;

	for (i = 0; i < FILES; i++) {
		p = load(fixture(files[i].name), &size);
		assert_int_equal(try_copy(use, p, size), 1);
		/* GGUF may end in bytes that fill up to the alignment */
		if (strcmp(files[i].format, "gguf") == 0)
			size -= 31;
		for (n = 0; n < size; n++)
			assert_int_equal(try_copy(use, p, n), 0);
		free(p);
	}
}

TEST(every_bit_flipped)
{
	size_t i, k, size, taken;
	uint8_t *p;
	int bit;

	for (i = 0; i < FILES; i++) {
		p = load(fixture(files[i].name), &size);
		for (taken = k = 0; k < size; k++)
			for (bit = 0; bit < 8; bit++) {
				p[k] ^= (uint8_t)(1 << bit);
				taken += (size_t)try_copy(use, p, size);
				p[k] ^= (uint8_t)(1 << bit);
			}
		assert_true(taken > 0 && taken < size * 8);
		free(p);
	}
}

/* A flipped bit of the data is found by its checksum. */
TEST(damaged_data)
{
	struct bt_error err = {0};
	struct bt_ckpt *c;
	size_t size, i;
	uint8_t *p = load(fixture(DIR "torch.bin"), &size);
	const uint8_t *data;

	assert_ok(bt_ckpt_open_memory("m", p, size, &c, &err));
	data = bt_ckpt_find(c, "x")->data;
	for (i = 0; i < 96; i++) {
		p[data - p + (ptrdiff_t)i] ^= 4;
		assert_err(bt_ckpt_verify(c, &err), BT_ECORRUPT,
		           "'m': the checksum of '");
		p[data - p + (ptrdiff_t)i] ^= 4;
	}
	assert_ok(bt_ckpt_verify(c, &err));
	bt_ckpt_close(c);
	free(p);
}

/* --- pickles --- */

#define PROTO "\x80\2"
#define FLOATS                                                                 \
	"((X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"                    \
	"0X\3\0\0\0cpuK\x10tQ"
#define REBUILD "ctorch._utils\n_rebuild_tensor_v2\n"
#define END                                                                    \
	"\x89"                                                                 \
	"ccollections\nOrderedDict\n)RtR"
#define AS(shape, stride)                                                      \
	PROTO "}X\1\0\0\0a" REBUILD FLOATS "K\0" shape stride END "s."

static const struct {
	const char *pickle;
	size_t n;
	int code; /* 0: sound */
	const char *words;
} pickles[] = {
#define P(s, code, words)                                                      \
	{                                                                      \
		s, sizeof(s) - 1, code, words                                  \
	}
    P(AS("K\4K\4\x86", "K\4K\1\x86"), 0, NULL),
    P(AS("K\4K\4\x86", "K\1K\4\x86"), 0, NULL),
    P(AS("K\3K\2\x86", "K\5K\5\x86"), 0, NULL),
    P(AS(")", ")"), 0, NULL),
    P(AS("K\0\x85", "K\1\x85"), 0, NULL),
    P(AS("K\1K\x10\x86", "J\xff\xff\xff\xffK\1\x86"), 0, NULL),
    P(AS("K\x11\x85", "K\1\x85"), BT_ECORRUPT,
      "tensor 'a': its strides lead out of its 64 bytes"),
    P(AS("K\4K\4\x86", "K\5K\1\x86"), BT_ECORRUPT, "strides lead out"),
    P(AS("K\4\x85", "J\xff\xff\xff\xff\x85"), BT_ECORRUPT, "strides lead out"),
    P(AS("J\xff\xff\xff\xff\x85", "K\1\x85"), BT_ECORRUPT, "negative"),
    P(AS("K\4K\4\x86", "K\4\x85"), BT_ECORRUPT, "a tensor that is not valid"),
    P(AS("NN\x86", "K\4K\1\x86"), BT_ECORRUPT, "not valid"),
    P(AS("J\xff\xff\xff\x7f\x85", "K\0\x85"), BT_ELIMIT,
      "more than 16 times the bytes of the file"),
    P(AS("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x85", "K\0\x85"),
      BT_ECORRUPT, "overflows"),
    P(AS("\x8a\x08\0\0\0\0\0\0\0\x40"
         "K\4\x86",
         "\x8a\x08\0\0\0\0\0\0\0\x40K\1\x86"),
      BT_ECORRUPT, "overflows"),
    P(AS("K\2K\2\x86", "\x8a\x08\0\0\0\0\0\0\0\x40K\1\x86"), BT_ECORRUPT,
      "lead out"),
    P(PROTO "}X\1\0\0\0a" REBUILD FLOATS "K\0K\4\x85K\1\x85\x89"
            "ccollections\nOrderedDict\n)R}X\3\0\0\0neg\x88stRs.",
      BT_EFORMAT, "still to be negated or conjugated"),
    P(PROTO "}(X\1\0\0\0pcpathlib\nPosixPath\nX\1\0\0\0/\x85R"
            "X\1\0\0\0hclightning.fabric.utilities.data\nAttributeDict\n"
            ")\x81X\1\0\0\0aK\1sX\1\0\0\0a" REBUILD FLOATS
            "K\0K\4\x85K\1\x85" END "u.",
      0, NULL),
    P(PROTO "cos\nsystem\nX\4\0\0\0true\x85R.", BT_EFORMAT,
      "'m': it imports os.system, which is not data: save the weights "
      "alone, as torch.save(model.state_dict(), FILE) does"),
    P(PROTO "cbuiltins\neval\nX\1\0\0\0"
            "1\x85R.",
      BT_EFORMAT, "it imports builtins.eval,"),
    P("\x80\4\x8c\5posix\x8c\6system\x93.", BT_EFORMAT,
      "it imports posix.system,"),
    P(PROTO "ctorch\nFloatStorage\n)R.", BT_EFORMAT,
      "it calls torch.FloatStorage"),
    P(PROTO "X\1\0\0\0a)R.", BT_ECORRUPT, "a call that is not valid"),
    P(PROTO "}.", BT_EFORMAT, "it holds no tensor"),
    P(PROTO "K\1.", BT_EFORMAT, "it holds no tensor"),
    P(PROTO "N.x", BT_ECORRUPT, "the pickle ends at byte 4 of 5"),
    P(PROTO ".", BT_ECORRUPT, "it ends in the middle"),
    P(PROTO "(.", BT_ECORRUPT, "it ends in the middle"),
    P(PROTO "}}.", BT_ECORRUPT, "it ends in the middle"),
    P(PROTO "0.", BT_ECORRUPT, "its stack is empty"),
    P(PROTO "}(00.", BT_ECORRUPT, "its stack is empty"),
    P(PROTO "t.", BT_ECORRUPT, "no mark"),
    P(PROTO "}K\1a.", BT_ECORRUPT,
      "members for a value that is not a container"),
    P(PROTO "}(K\1u.", BT_ECORRUPT, "a key without a value"),
    P(PROTO "h\0.", BT_ECORRUPT, "what it recalls was never put there"),
    P(PROTO "Nr\xff\xff\xff\xff.", BT_ELIMIT, "its memo is too large"),
    P(PROTO "X\xff\xff\xff\xff.", BT_ETRUNCATED, "cut off"),
    P("\x80\4\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", BT_ETRUNCATED, "cut off"),
    P(PROTO "\x8b\xff\xff\xff\xff.", BT_ETRUNCATED, "cut off"),
    P("\x80\6N.", BT_EFORMAT, "protocol"),
    P(PROTO "I1\n.", BT_EFORMAT, "an instruction 0x49"),
    P(PROTO "cos\n", BT_ETRUNCATED, "cut off"),
    P(PROTO "cargparse\nNamespace\n)\x81}X\1\0\0\0aK\1sb.", BT_EFORMAT,
      "no tensor"),
    P(PROTO "NQ.", BT_ECORRUPT, "a reference that is not to a storage"),
    P(PROTO "ctorch._tensor\n_rebuild_from_type_v2\nq\0(h\0Nh\0h\0tq\1h\1tR.",
      BT_ECORRUPT, "no mark"),
    /* a list that is in itself */
    P(PROTO "]q\0h\0a.", BT_ELIMIT, "deep"),
    P(PROTO "}q\0X\1\0\0\0ah\0s.", BT_ELIMIT, "deep"),
#undef P
};

static int open_pickle(const void *pickle, size_t n, struct bt_ckpt **c,
                       struct bt_error *err)
{
	static const uint8_t storage[64];
	static struct bt_buf b;
	struct zip_entry e[] = {
	    {.name = "a/data.pkl", .data = pickle, .n = n},
	    {.name = "a/data/0", .data = storage, .n = sizeof(storage)},
	};

	bt_buf_clear(&b);
	zip_make(&b, e, 2);
	return bt_ckpt_open_memory("m", b.data, b.len, c, err);
}

TEST(pickles_that_lie)
{
	struct bt_error err;
	struct bt_ckpt *c;
	size_t i;

	for (i = 0; i < sizeof(pickles) / sizeof(pickles[0]); i++) {
		err.code = 0;
		c = NULL;
		if (open_pickle(pickles[i].pickle, pickles[i].n, &c, &err) !=
		        pickles[i].code ||
		    (pickles[i].code != 0 &&
		     strstr(err.text, pickles[i].words) == NULL))
			fail_msg("pickle %zu: %d %s", i, err.code,
			         err.code != 0 ? err.text : "sound");
		if (c != NULL)
			use(c);
		bt_ckpt_close(c);
	}
}

/* Dictionaries each of which holds the one before twice: few bytes, as many
 * paths as one likes. */
TEST(paths_without_end)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	struct bt_ckpt *c;
	int i;

	bt_buf_put(&b, PROTO "}q\0", 5);
	for (i = 0; i < 60; i++) {
		bt_buf_put(&b, "}(K\1h", 5);
		bt_buf_putc(&b, (char)i);
		bt_buf_put(&b, "K\2h", 3);
		bt_buf_putc(&b, (char)i);
		bt_buf_put(&b, "uq", 2);
		bt_buf_putc(&b, (char)(i + 1));
	}
	bt_buf_put(&b, "\x86", 0);
	for (i = 0; i < 60; i++)
		bt_buf_put(&b, "\x86", 1);
	bt_buf_putc(&b, '.');
	assert_err(open_pickle(b.data, b.len, &c, &err), BT_ELIMIT, "members");
	bt_buf_clear(&b);
}

/* --- zip files --- */

static void npy(struct bt_buf *b, const char *header, size_t n)
{
	size_t size = strlen(header);

	bt_buf_reset(b);
	bt_buf_put(b, "\x93NUMPY\1\0", 8);
	zip_number(b, size, 2);
	bt_buf_puts(b, header);
	while (n-- > 0)
		bt_buf_putc(b, 0);
}

static const char sound[] =
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";

TEST(zips_that_lie)
{
	struct zip_entry e[3] = {{0}};
	struct bt_buf a = BT_BUF_INIT, b = BT_BUF_INIT, z = BT_BUF_INIT;
	struct bt_error err = {0};
	struct bt_ckpt *c;
	uint32_t v;

	npy(&a, sound, 8);
	e[0] = (struct zip_entry){.name = "a.npy", .data = a.data, .n = a.len};
	e[1] = e[2] = e[0];
	e[1].name = "b.npy";
	zip_make(&z, e, 2);
	assert_ok(bt_ckpt_open_memory("m", z.data, z.len, &c, &err));
	assert_int_equal(bt_ckpt_count(c), 2);
	bt_ckpt_close(c);
#define REFUSED(code, words)                                                   \
	assert_err(bt_ckpt_open_memory("m", z.data, z.len, &c, &err), code,    \
	           words)
#define PUT(at, value)                                                         \
	do {                                                                   \
		v = (uint32_t)(value);                                         \
		memcpy(z.data + (at), &v, 4);                                  \
	} while (0)
#define AGAIN                                                                  \
	do {                                                                   \
		bt_buf_reset(&z);                                              \
		zip_make(&z, e, 2);                                            \
	} while (0)
	/* twice the same name */
	e[1].name = "a.npy";
	AGAIN;
	REFUSED(BT_ECORRUPT, "zip entry 'a.npy': it is there twice");
	e[1].name = "b.npy";
	/* two entries of the same bytes */
	AGAIN;
	PUT(e[1].central + 42, e[0].at);
	REFUSED(BT_ECORRUPT, "another name stands before its data");
	memcpy(z.data + e[1].central + 46, "a.npy", 5);
	REFUSED(BT_ECORRUPT, "it overlaps another");
	/* sizes that differ, or lead out of the file */
	AGAIN;
	PUT(e[0].central + 24, a.len + 1);
	REFUSED(BT_ECORRUPT, "stored, but of two sizes");
	PUT(e[0].central + 20, a.len + 1);
	REFUSED(BT_ECORRUPT, "other sizes stand before its data");
	PUT(e[0].at + 18, a.len + 1);
	PUT(e[0].at + 22, a.len + 1);
	REFUSED(BT_ECORRUPT, "it overlaps another");
	AGAIN;
	PUT(e[1].central + 20, 1000000);
	PUT(e[1].central + 24, 1000000);
	PUT(e[1].at + 18, 1000000);
	PUT(e[1].at + 22, 1000000);
	REFUSED(BT_ECORRUPT, "its data reach into the directory");
	AGAIN;
	PUT(e[1].central + 42, 0xfffffff0);
	REFUSED(BT_ECORRUPT, "nothing of it stands where it should");
	AGAIN;
	PUT(e[1].central + 42, 0xffffffff);
	REFUSED(BT_ECORRUPT, "its sizes are missing");
	AGAIN;
	z.data[e[0].central + 8] |= 1;
	REFUSED(BT_EFORMAT, "encrypted");
	AGAIN;
	z.data[e[0].central + 10] = 8;
	REFUSED(BT_ECORRUPT, "packed in two ways");
	z.data[e[0].at + 8] = 8;
	REFUSED(BT_ECORRUPT, "its deflated data are damaged");
	z.data[e[0].at + 8] = z.data[e[0].central + 10] = 9;
	REFUSED(BT_EFORMAT, "packed by method 9");
	/* the end */
	AGAIN;
	z.data[z.len - 12] = 1;
	REFUSED(BT_ECORRUPT, "holds more than its 1 entries");
	z.data[z.len - 12] = 3;
	REFUSED(BT_ECORRUPT, "the zip file's directory");
	z.data[z.len - 11] = (char)0xff;
	REFUSED(BT_ECORRUPT, "too short for its 65283 entries");
	AGAIN;
	bt_buf_putc(&z, 0);
	REFUSED(BT_ETRUNCATED, "without its end");
	/* neither PyTorch's nor NumPy's */
	e[1].name = "b.txt";
	AGAIN;
	REFUSED(BT_EFORMAT, "nor NumPy's (it holds 'b.txt')");
	e[1].name = "model.weights.h5";
	AGAIN;
	REFUSED(BT_EFORMAT, "a model of Keras, whose weights are in a file");
	bt_buf_reset(&z);
	bt_buf_puts(&z, "PK\5\6");
	npy(&b, "", 18);
	bt_buf_put(&z, b.data + 10, 18);
	REFUSED(BT_EFORMAT, "a zip file of nothing");
	bt_buf_clear(&a);
	bt_buf_clear(&b);
	bt_buf_clear(&z);
}

static size_t deflated_bytes(const void *data, size_t n, uint8_t **res)
{
	uint8_t *p;
	uLong size = compressBound((uLong)n) + 64;
	z_stream s = {0};

	p = malloc(size);
	assert_int_equal(deflateInit2(&s, 9, Z_DEFLATED, -15, 9, 0), Z_OK);
	s.next_in = (Bytef *)(uintptr_t)data;
	s.avail_in = (uInt)n;
	s.next_out = p;
	s.avail_out = (uInt)size;
	assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
	size = s.total_out;
	deflateEnd(&s);
	*res = p;
	return size;
}

/* n zeros, deflated. */
static size_t deflated(size_t n, uint8_t **res)
{
	void *zeros = calloc(1, n);

	assert_non_null(zeros);
	n = deflated_bytes(zeros, n, res);
	free(zeros);
	return n;
}

/* What is packed well is no attack: the bound is on bytes. */
TEST(many_zeros)
{
	struct zip_entry e = {.name = "a.npy", .method = 8};
	struct bt_buf z = BT_BUF_INIT, a = BT_BUF_INIT;
	struct bt_error err = {0};
	struct bt_ckpt *c;
	uint8_t *p;

	npy(&a,
	    "{'descr': '<f4', 'fortran_order': False, 'shape': (5000000,), }\n",
	    20000000);
	e.n = deflated_bytes(a.data, a.len, &p);
	e.data = p;
	e.size = a.len;
	e.crc = (uint32_t)crc32_z(0, (const uint8_t *)a.data, a.len);
	zip_make(&z, &e, 1);
	assert_true(z.len < 100000);
	assert_ok(bt_ckpt_open_memory("m", z.data, z.len, &c, &err));
	assert_int_equal(bt_ckpt_count(c), 1);
	bt_ckpt_close(c);
	free(p);
	bt_buf_clear(&a);
	bt_buf_clear(&z);
}

TEST(bombs)
{
	struct zip_entry e = {.name = "a.npy", .method = 8};
	struct bt_buf z = BT_BUF_INIT;
	struct bt_error err = {0};
	struct bt_ckpt *c;
	uint8_t *p;

	e.n = deflated(1000, &p);
	e.data = p;
	e.size = (size_t)3 << 30;
	zip_make(&z, &e, 1);
	REFUSED(BT_ECORRUPT, "so much cannot come of its data");
	e.size = 1001;
	bt_buf_reset(&z);
	zip_make(&z, &e, 1);
	REFUSED(BT_ECORRUPT, "damaged");
	e.size = 999;
	bt_buf_reset(&z);
	zip_make(&z, &e, 1);
	REFUSED(BT_ECORRUPT, "damaged");
	free(p);
	/* as large as it says, and then no array */
	e.n = deflated(1 << 20, &p);
	e.data = p;
	e.size = 1 << 20;
	e.crc = (uint32_t)crc32(0, NULL, 0);
	p[0] ^= 0; /* the bytes are sound, the checksum is not */
	e.crc = 1;
	bt_buf_reset(&z);
	zip_make(&z, &e, 1);
	REFUSED(BT_ECORRUPT, "damaged");
	free(p);
	bt_buf_clear(&z);
}

/* --- arrays --- */

#define H(descr, order, shape)                                                 \
	"{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape     \
	", }\n"

TEST(headers_of_arrays)
{
	static const struct {
		const char *header;
		size_t bytes;
		int code;
		const char *words;
	} cases[] = {
	    {H("'<f4'", "False", "(2,)"), 8, 0, NULL},
	    {H("\"<f4\"", "False", "(2L,)"), 8, 0, NULL},
	    {"{\"shape\":(1,2),\"fortran_order\":True,\"descr\":\"<f4\"}", 8, 0,
	     NULL},
	    {H("'<f8'", "False", "()"), 8, 0, NULL},
	    {H("'|b1'", "True", "(2, 2, 2)"), 8, 0, NULL},
	    {H("'<f4'", "False", "(0, 3)"), 0, 0, NULL},
	    {H("'<f4'", "True", "(3, 0)"), 0, 0, NULL},
	    {H("'<f4'", "False", "(2)"), 8, 0, NULL},
	    {H("'<f4'", "False", "(3,)"), 8, BT_ETRUNCATED,
	     "array 'm': it is cut off: 8 bytes of 12"},
	    {H("'<f4'", "False", "(1,)"), 8, BT_ECORRUPT,
	     "4 bytes follow behind its 1 elements"},
	    {H("'>f4'", "False", "(2,)"), 8, BT_EFORMAT, "big-endian"},
	    {H("'|O'", "False", "(1,)"), 8, BT_EFORMAT,
	     "pickled objects, which are not data"},
	    {H("'<U2'", "False", "(1,)"), 8, BT_EFORMAT, "type '<U2'"},
	    {H("'|V2'", "False", "(4,)"), 8, BT_EFORMAT, "type '|V2'"},
	    {H("[('a', '<f4')]", "False", "(2,)"), 8, BT_EFORMAT, "records"},
	    {H("'<f4'", "0", "(2,)"), 8, BT_ECORRUPT, "neither True"},
	    {H("'<f4'", "False", "(-2,)"), 8, BT_ECORRUPT, "dimension 0"},
	    {H("'<f4'", "False", "(2 2)"), 8, BT_ECORRUPT, "dimension 0"},
	    {H("'<f4'", "False", "[2]"), 8, BT_ECORRUPT, "no tuple"},
	    {H("'<f4'", "False", "(99999999999999999999,)"), 8, BT_ECORRUPT,
	     "dimension 0"},
	    {H("'<f4'", "True", "(4294967296,4294967296,4294967296)"), 8,
	     BT_ECORRUPT, "overflows"},
	    {H("'<f4'", "False", "(4611686018427387904,)"), 8, BT_ECORRUPT,
	     "overflows"},
	    {"{'descr': '<f4', 'fortran_order': False}", 8, BT_ECORRUPT,
	     "lacks"},
	    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", 8,
	     BT_ECORRUPT, "not valid"},
	    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}x", 8,
	     BT_ECORRUPT, "does not end"},
	    {"{'x': 1}", 8, BT_EFORMAT, "a header with 'x'"},
	    {"[]", 8, BT_ECORRUPT, "no header"},
	    {"", 0, BT_ECORRUPT, "no header"},
	};
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err;
	struct bt_ckpt *c;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		npy(&b, cases[i].header, cases[i].bytes);
		err.code = 0;
		c = NULL;
		if (bt_ckpt_open_memory("m", b.data, b.len, &c, &err) !=
		        cases[i].code ||
		    (cases[i].code != 0 &&
		     strstr(err.text, cases[i].words) == NULL))
			fail_msg("%s: %d %s", cases[i].header, err.code,
			         err.code != 0 ? err.text : "sound");
		bt_ckpt_close(c);
	}
	bt_buf_clear(&b);
}

/* --- GGUF --- */

/* What a GGUF file says; 0 where a member is not given. */
struct gguf {
	uint32_t version;   /* 3 */
	uint64_t n_notes;   /* 0 */
	uint64_t n_tensors; /* 2: "a" and "b", of 8 floats each */
	const char *notes;  /* with their bytes */
	size_t n_bytes;
	uint64_t dim;        /* 8 */
	uint32_t type, rank; /* of b; F32, 1 */
	uint64_t offset;     /* of b; 32 */
	const char *name;    /* of b */
	size_t less;         /* bytes missing at the end */
};

static void gguf_make(struct bt_buf *b, const struct gguf *g)
{
	const char *name = g->name != NULL ? g->name : "b";
	int i;

	bt_buf_reset(b);
	bt_buf_put(b, "GGUF", 4);
	zip_number(b, g->version != 0 ? g->version : 3, 4);
	zip_number(b, g->n_tensors != 0 ? g->n_tensors : 2, 8);
	zip_number(b, g->n_notes, 8);
	bt_buf_put(b, g->notes != NULL ? g->notes : "", g->n_bytes);
	for (i = 0; i < 2; i++) {
		zip_number(b, i == 0 ? 1 : strlen(name), 8);
		bt_buf_puts(b, i == 0 ? "a" : name);
		zip_number(b, i == 0 || g->rank == 0 ? 1 : g->rank, 4);
		zip_number(b, i == 0 || g->dim == 0 ? 8 : g->dim, 8);
		zip_number(b, i == 0 ? 0 : g->type, 4);
		zip_number(b, i == 0 ? 0 : g->offset != 0 ? g->offset : 32, 8);
	}
	while (b->len % 32 != 0)
		bt_buf_putc(b, 0);
	for (i = 0; i < 64 - (int)g->less; i++)
		bt_buf_putc(b, (char)i);
}

TEST(ggufs_that_lie)
{
	static const char wide[] = "\x11\0\0\0\0\0\0\0general.alignment"
	                           "\4\0\0\0\x21\0\0\0";
	static const char nested[] =
	    "\1\0\0\0\0\0\0\0k\x9\0\0\0"
	    "\x9\0\0\0\1\0\0\0\0\0\0\0\x9\0\0\0\1\0\0\0\0\0\0\0"
	    "\x9\0\0\0\1\0\0\0\0\0\0\0\x9\0\0\0\1\0\0\0\0\0\0\0"
	    "\x9\0\0\0\1\0\0\0\0\0\0\0\x9\0\0\0\1\0\0\0\0\0\0\0";
	static const char many[] = "\1\0\0\0\0\0\0\0k\x9\0\0\0\xc\0\0\0"
	                           "\xff\xff\xff\xff\xff\xff\xff\x7f";
	static const char text[] =
	    "\1\0\0\0\0\0\0\0k\x8\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff";
	static const char odd[] = "\1\0\0\0\0\0\0\0k\xd\0\0\0";
	static const struct {
		struct gguf g;
		int code;
		const char *words;
	} cases[] = {
	    {{0}, 0, NULL},
	    {{.dim = 4}, 0, NULL},
	    {{.dim = 32, .type = 8, .less = 0}, BT_ETRUNCATED, "Q8_0"},
	    {{.dim = 7, .type = 8}, BT_ECORRUPT, "not a multiple of 32"},
	    {{.type = 24}, 0, NULL},
	    {{.version = 1}, BT_EFORMAT, "version 1 of GGUF"},
	    {{.version = 0x3000000}, BT_EFORMAT, "version"},
	    {{.type = 2}, BT_EFORMAT, "tensor 'b': its type Q4_0 is not read"},
	    {{.type = 99}, BT_EFORMAT, "its type 99 is not known"},
	    {{.name = "a"}, BT_ECORRUPT, "it holds tensor 'a' twice"},
	    {{.name = "\xff"}, BT_ECORRUPT, "not UTF-8"},
	    {{.offset = 31}, BT_ECORRUPT, "not aligned"},
	    {{.offset = 64}, BT_ECORRUPT, "do not fit into 0 bytes"},
	    {{.offset = 96}, BT_ETRUNCATED, "behind the end"},
	    {{.offset = (uint64_t)1 << 63}, BT_ETRUNCATED, "behind the end"},
	    {{.less = 1}, BT_ECORRUPT, "do not fit into 31 bytes"},
	    {{.dim = (uint64_t)1 << 62}, BT_ECORRUPT, "overflows"},
	    {{.dim = UINT64_MAX}, BT_ECORRUPT, "a dimension too large"},
	    {{.rank = 65}, BT_ECORRUPT, "too many dimensions"},
	    {{.n_tensors = UINT64_MAX}, BT_ECORRUPT, "more tensors than"},
	    {{.n_tensors = 3}, BT_ETRUNCATED, "cut off"},
	    {{.n_tensors = 1}, 0, NULL},
	    {{.n_notes = UINT64_MAX}, BT_ELIMIT, "18446744073709551615 notes"},
	    {{.n_notes = 60000}, BT_ETRUNCATED, "cut off"},
	    {{.n_notes = 1, .notes = wide, .n_bytes = sizeof(wide) - 1},
	     BT_ECORRUPT,
	     "not a power of two"},
	    {{.n_notes = 1, .notes = nested, .n_bytes = sizeof(nested) - 1},
	     BT_ECORRUPT,
	     "an array of an unknown type"},
	    {{.n_notes = 1, .notes = many, .n_bytes = sizeof(many) - 1},
	     BT_ECORRUPT,
	     "an array too long"},
	    {{.n_notes = 1, .notes = text, .n_bytes = sizeof(text) - 1},
	     BT_ETRUNCATED,
	     "cut off"},
	    {{.n_notes = 1, .notes = odd, .n_bytes = sizeof(odd) - 1},
	     BT_ECORRUPT,
	     "a note of an unknown type"},
	};
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err;
	struct bt_ckpt *c;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		gguf_make(&b, &cases[i].g);
		err.code = 0;
		c = NULL;
		if (bt_ckpt_open_memory("m", b.data, b.len, &c, &err) !=
		        cases[i].code ||
		    (cases[i].code != 0 &&
		     strstr(err.text, cases[i].words) == NULL))
			fail_msg("file %zu: %d %s", i, err.code,
			         err.code != 0 ? err.text : "sound");
		if (c != NULL)
			use(c);
		bt_ckpt_close(c);
	}
	/* two tensors that share a byte */
	gguf_make(&b, &(struct gguf){.notes = NULL});
	b.data[24 + 33 + 8 + 1 + 4 + 8 + 4] = 0;
	assert_err(bt_ckpt_open_memory("m", b.data, b.len, &c, &err),
	           BT_ECORRUPT, "overlaps another");
	bt_buf_clear(&b);
}
