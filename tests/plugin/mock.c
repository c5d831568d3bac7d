/* SPDX-License-Identifier: MIT */
/*
 * A plugin of PJRT that computes nothing, for tests of the client. It checks
 * the size of every argument and counts what is alive. Its programs are lines:
 * the number of results, and for each result its type, its number of
 * dimensions, the dimensions, and the argument that it is a copy of. Before
 * them may stand a line that says what compiling does: "abort"; "full": there
 * is no memory; "killed"; "stay": for ever; "meet N": waits until N processes
 * do that, and fails after ten seconds. Anything else is refused.
 * The environment says what it does:
 *
 * MOCK_MAJOR, MOCK_MINOR  the version that it claims [0, 114]
 * MOCK_GROWN=N            all arguments are N bytes longer than in 0.114
 * MOCK_STRICT             refuses arguments that are too long, too
 * MOCK_FAIL=N             its Nth call fails; MOCK_FAIL_FN=N: all of function N
 * MOCK_LATE               runs fail in their events
 * MOCK_DEVICES=N          has so many devices [cpu_device_count]
 * MOCK_LIE=WHAT           bytes, outputs, types, dims, null, results, devices
 * MOCK_EXIT=N             a process other than MOCK_PARENT and its children
 *                         ends as a client is made; MOCK_ALONE: one other than
 *                         MOCK_PARENT gets none
 * MOCK_DIES               aborts as a client is made; MOCK_WAITS: never makes
 * one MOCK_ABORT              aborts whatever it compiles; MOCK_FULL: has no
 * memory for it; MOCK_STAY: stays at it for ever MOCK_DIR=DIR            gets a
 * file for each process that stays, meets or waits, of which the name is its
 * number MOCK_TABLE=N            the size of its table of functions
 *
 * Its topologies are board:N, of N devices with MOCK_LIMIT bytes [2^34]. For
 * them it compiles anything, which then takes 1000 bytes of arguments, 500 of
 * results, 200 of these in the place of arguments, 300 for a while, 50 of code,
 * MOCK_PEAK [1600] at most, and 7 operations; MOCK_LIE: topology, executable,
 * sizes.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pjrt/pjrt_api_int.h"

#define MAX 8

struct bt_pjrt_failure {
	int code;
	char text[200];
};
struct bt_pjrt_event {
	int fails;
};
struct bt_pjrt_description {
	int id;
};
struct bt_pjrt_dev {
	struct bt_pjrt_description d;
};
struct bt_pjrt_client {
	size_t n;
	struct bt_pjrt_dev dev[MAX], *list[MAX];
};
struct result {
	int type;
	size_t n_dims, arg;
	int64_t dims[MAX];
};
struct bt_pjrt_exec {
	size_t n, replicas;
	struct result results[MAX];
	int types[MAX];
	int64_t dims[MAX * MAX];
	size_t n_dims[MAX];
	size_t text_size;
	char text[1000];
};
struct bt_pjrt_topology {
	size_t n;
	struct bt_pjrt_description d[MAX], *list[MAX];
};
struct bt_pjrt_loaded {
	struct bt_pjrt_exec e;
	struct bt_pjrt_client *client;
	struct bt_pjrt_dev *devices[MAX];
};
struct bt_pjrt_array {
	size_t bytes;
	struct bt_pjrt_dev *device;
	int donated;
	char data[];
};

/* Objects alive, mistakes of the client, calls, the function that failed: tests
 * look at them. */
long mock_alive, mock_wrong, mock_calls, mock_failed, mock_compiled;

static long number(const char *name, long otherwise)
{
	const char *s = getenv(name);

	return s != NULL && s[0] != '\0' ? atol(s) : otherwise;
}

static int lies(const char *what)
{
	const char *s = getenv("MOCK_LIE");

	return s != NULL && strcmp(s, what) == 0;
}

static void *make(size_t size)
{
	mock_alive++;
	return calloc(1, size);
}

static struct bt_pjrt_failure *fail(int code, const char *text)
{
	struct bt_pjrt_failure *f = make(sizeof(*f));

	f->code = code;
	snprintf(f->text, sizeof(f->text), "%s\nand a second line", text);
	return f;
}

static size_t options_size(long minor)
{
	return minor < 76    ? 80
	       : minor < 78  ? 88
	       : minor < 97  ? 112
	       : minor < 108 ? 120
	       : minor < 112 ? 121
	                     : 144;
}

static size_t args_size(int fn, long minor)
{
	static const unsigned char size[BT_PJRT_FNS] = {
	    [0] = 24,   [1] = 40,  [2] = 28,   [3] = 16,   [4] = 32,  [5] = 24,
	    [6] = 25,   [8] = 24,  [10] = 88,  [11] = 24,  [12] = 40, [14] = 40,
	    [16] = 40,  [20] = 56, [22] = 120, [23] = 28,  [26] = 40, [29] = 32,
	    [34] = 201, [40] = 24, [44] = 32,  [49] = 56,  [50] = 24, [51] = 32,
	    [52] = 40,  [25] = 40, [46] = 40,  [82] = 56,  [83] = 24, [84] = 40,
	    [85] = 40,  [86] = 40, [89] = 64,  [96] = 144, [55] = 80, [56] = 72,
	    [58] = 24,  [70] = 56, [90] = 40,  [91] = 48};

	if (fn == 4 && minor < 71)
		return 24;
	if (fn == 34 && minor < 113)
		return 185;
	if (fn == 96 && minor < 104)
		return minor < 72 ? 104 : minor < 90 ? 112 : 120;
	if (fn == 56 && minor < 111)
		return minor < 71 ? 48 : 64;
	return size[fn];
}

static struct bt_pjrt_failure *check_size(const char *name, size_t expected,
                                          size_t got)
{
	char text[150];

	expected += (size_t)number("MOCK_GROWN", 0);
	if (got == expected ||
	    (got > expected && getenv("MOCK_STRICT") == NULL))
		return NULL;
	snprintf(text, sizeof(text),
	         "Unexpected PJRT_%s size: expected %zu, got %zu. Check.", name,
	         expected, got);
	return fail(3, text);
}

/* What every call does first. */
static struct bt_pjrt_failure *enter(int fn, void *args)
{
	const struct bt_pjrt_one_args *head = args;
	char text[60];

	snprintf(text, sizeof(text), "mock function %d fails", fn);
	if (fn > 2 && (++mock_calls == number("MOCK_FAIL", -1) ||
	               fn == number("MOCK_FAIL_FN", -1))) {
		mock_failed = fn;
		return fail(13, text);
	}
	if (head->extension != NULL)
		mock_wrong++;
	return fn <= 2 ? NULL
	               : check_size("Some_Args",
	                            args_size(fn, number("MOCK_MINOR", 114)),
	                            head->struct_size);
}

#define FN(number, type)                                                       \
	static struct bt_pjrt_failure *do_##number(struct type *a);            \
	static struct bt_pjrt_failure *fn_##number(void *a)                    \
	{                                                                      \
		struct bt_pjrt_failure *f = enter(number, a);                  \
		return f != NULL ? f : do_##number(a);                         \
	}                                                                      \
	static struct bt_pjrt_failure *do_##number(struct type *a)

/* An object that ends, also where the call fails. */
#define END(number)                                                            \
	static struct bt_pjrt_failure *fn_##number(void *a)                    \
	{                                                                      \
		struct bt_pjrt_failure *f = enter(number, a);                  \
		if (f == NULL || f->code == 13) {                              \
			/* a client ends after all that is its own */          \
			if (number == 11 && mock_alive > 1 + (f != NULL))      \
				mock_wrong++;                                  \
			free(((struct bt_pjrt_one_args *)a)->object);          \
			mock_alive--;                                          \
		}                                                              \
		return f;                                                      \
	}

END(0) /* errors */
END(5) /* events */
END(40)
END(50)
END(58)
END(83)

FN(1, bt_pjrt_list_args)
{
	struct bt_pjrt_failure *f = a->object;

	a->values = f->text;
	a->n = strlen(f->text);
	return NULL;
}

FN(2, bt_pjrt_int_args)
{
	a->value = ((struct bt_pjrt_failure *)a->object)->code;
	return NULL;
}

FN(3, bt_pjrt_initialize_args)
{
	(void)a;
	return NULL;
}

FN(4, bt_pjrt_attributes_args)
{
	static const int64_t version[] = {1, 2, 3};
	static struct bt_pjrt_value v;

	v.struct_size = 56;
	v.name = "stablehlo_current_version";
	v.name_size = strlen(v.name);
	v.kind = BT_PJRT_VALUE_INT64S;
	v.v.int64s = version;
	v.size = 3;
	a->values = &v;
	a->n = 1;
	return NULL;
}

FN(6, bt_pjrt_ready_args)
{
	a->is_ready = true;
	return NULL;
}

FN(8, bt_pjrt_one_args)
{
	return ((struct bt_pjrt_event *)a->object)->fails
	           ? fail(13, "the run failed")
	           : NULL;
}

static int sign_in(void);

FN(10, bt_pjrt_create_args)
{
	struct bt_pjrt_client *c;
	size_t i, n = 1;

	if (getenv("MOCK_WAITS") != NULL)
		for (sign_in();;)
			pause();
	if (getenv("MOCK_DIES") != NULL) {
		fprintf(stderr, "F0000 y.cc:1] Check failed: device_ok\n");
		abort();
	}
	if (getenv("MOCK_PARENT") != NULL &&
	    number("MOCK_PARENT", 0) != (long)getpid()) {
		if (getenv("MOCK_EXIT") != NULL &&
		    number("MOCK_PARENT", 0) != (long)getppid())
			_exit((int)number("MOCK_EXIT", 0));
		if (getenv("MOCK_ALONE") != NULL)
			return fail(14, "the device is in use");
	}
	for (i = 0; i < a->n_options; i++)
		if (a->options[i].struct_size == 56 &&
		    a->options[i].kind == BT_PJRT_VALUE_INT64 &&
		    strncmp(a->options[i].name, "cpu_device_count",
		            a->options[i].name_size) == 0)
			n = (size_t)a->options[i].v.int64;
	c = make(sizeof(*c));
	c->n = (size_t)number("MOCK_DEVICES", (long)n);
	for (i = 0; i < MAX; i++) {
		c->dev[i].d.id = (int)i;
		c->list[i] = &c->dev[i];
	}
	a->client = c;
	return NULL;
}

END(11)

static struct bt_pjrt_failure *text(struct bt_pjrt_list_args *a, const char *s)
{
	a->values = s;
	a->n = strlen(s);
	return NULL;
}

FN(12, bt_pjrt_list_args)
{
	return text(a, "mock");
}

FN(14, bt_pjrt_list_args)
{
	return text(a, "mock 7\x1b[31m\nbuilt by hand");
}

FN(16, bt_pjrt_list_args)
{
	struct bt_pjrt_client *c = a->object;

	a->values = c->list;
	a->n = c->n;
	return NULL;
}

/* Reads a program. */
static int parse(struct bt_pjrt_exec *e, const char *s, size_t n)
{
	size_t i, k, at = 0;
	int read;

	if (n >= sizeof(e->text))
		return 0;
	memcpy(e->text, s, n);
	e->text_size = n;
	s = e->text;
	if (sscanf(s, "%zu%n", &e->n, &read) != 1 || e->n > MAX)
		return 0;
	for (i = 0; i < e->n; i++) {
		struct result *r = &e->results[i];

		s += read;
		if (sscanf(s, "%d %zu%n", &r->type, &r->n_dims, &read) != 2)
			return 0;
		for (k = 0; k < r->n_dims && k < MAX; k++) {
			s += read;
			if (sscanf(s, "%ld%n", &r->dims[k], &read) != 1)
				return 0;
			e->dims[at++] = r->dims[k];
		}
		s += read;
		if (sscanf(s, "%zu%n", &r->arg, &read) != 1)
			return 0;
		e->types[i] = lies("types") ? 99 : r->type;
		e->n_dims[i] = lies("dims") ? 99 : r->n_dims;
	}
	return 1;
}

static struct bt_pjrt_failure *load(struct bt_pjrt_client *c, const char *s,
                                    size_t n, size_t replicas,
                                    struct bt_pjrt_loaded **out)
{
	struct bt_pjrt_loaded *l = make(sizeof(*l));
	size_t i;

	l->client = c;
	if (replicas < 1 || replicas > c->n || !parse(&l->e, s, n)) {
		free(l);
		mock_alive--;
		return fail(3, "this is no program");
	}
	l->e.replicas = replicas;
	for (i = 0; i < replicas; i++)
		l->devices[i] = c->list[lies("devices") ? replicas - 1 - i : i];
	*out = l;
	return NULL;
}

/* Makes this process' file, and counts them. */
static int sign_in(void)
{
	const char *dir = getenv("MOCK_DIR");
	struct dirent *e;
	char path[600];
	int n = 0;
	FILE *f;
	DIR *d;

	snprintf(path, sizeof(path), "%s/%ld", dir, (long)getpid());
	f = fopen(path, "w");
	if (f != NULL)
		fclose(f);
	d = opendir(dir);
	while (d != NULL && (e = readdir(d)) != NULL)
		n += e->d_name[0] != '.';
	if (d != NULL)
		closedir(d);
	return n;
}

/* Does what the first line of a program says, and leaves that out. */
static struct bt_pjrt_failure *obey(const char **s, size_t *n)
{
	char line[20] = "";
	const struct timespec nap = {0, 10000000};
	size_t len = strcspn(*s, "\n");
	int i, all;

	memcpy(line, *s, len < 19 ? len : 19);
	if (strcmp(line, "stay") == 0 || getenv("MOCK_STAY") != NULL)
		for (sign_in();;)
			pause();
	if (strcmp(line, "killed") == 0)
		raise(SIGKILL);
	if (strcmp(line, "full") == 0)
		return fail(8, "out of memory while compiling");
	if (sscanf(line, "meet %d", &all) != 1)
		return NULL;
	for (i = 0; sign_in() < all; i++) {
		if (i == 1000)
			return fail(3, "the others do not come");
		nanosleep(&nap, NULL);
	}
	*s += len + 1;
	*n -= len + 1;
	return NULL;
}

FN(20, bt_pjrt_compile_args)
{
	const struct bt_pjrt_code *code = a->program;
	const char *s = code->code;
	size_t n = code->code_size;
	struct bt_pjrt_failure *f;

	mock_compiled++;
	if (code->struct_size != 48 || code->format_size != 4 ||
	    memcmp(code->format, "mlir", 4) != 0)
		mock_wrong++;
	if (strncmp(code->code, "abort", 5) == 0 ||
	    getenv("MOCK_ABORT") != NULL) {
		fprintf(stderr,
		        "loading\nF0000 x.cc:1] Check failed: 1 == 2\n");
		abort();
	}
	if (getenv("MOCK_FULL") != NULL)
		return fail(8, "out of memory while compiling");
	f = obey(&s, &n);
	if (f != NULL)
		return f;
	/* 1A n, 08 -1 (10 bytes), 20 replicas */
	if (a->options_size < 16 || a->options[0] != 0x1a ||
	    a->options[13] != 0x20)
		return fail(3, "wrong options");
	return load(a->client, s, n, (size_t)a->options[14], &a->loaded);
}

static size_t bytes_of(int type, const int64_t *dims, size_t n)
{
	size_t bytes = type == 11 || type == 4 ? 4 : type == 13 ? 2 : 1;

	for (; n > 0; n--)
		bytes *= (size_t)dims[n - 1];
	return bytes;
}

FN(22, bt_pjrt_from_host_args)
{
	struct bt_pjrt_array *b;
	size_t bytes = bytes_of(a->type, a->dims, a->n_dims);

	if (lies("null"))
		return NULL;
	b = make(sizeof(*b) + bytes);
	b->bytes = bytes;
	b->device = a->device;
	memcpy(b->data, a->data, bytes);
	a->buffer = b;
	a->done = make(sizeof(*a->done));
	return NULL;
}

FN(23, bt_pjrt_int_args)
{
	a->value = ((struct bt_pjrt_description *)a->object)->id;
	return NULL;
}

FN(26, bt_pjrt_list_args)
{
	return text(a, "mock device");
}

FN(29, bt_pjrt_pointer_args)
{
	a->value = &((struct bt_pjrt_dev *)a->object)->d;
	return NULL;
}

FN(34, bt_pjrt_memory_stats_args)
{
	a->limit = (int64_t)1 << 34;
	a->limit_set = true;
	return NULL;
}

FN(44, bt_pjrt_pointer_args)
{
	struct bt_pjrt_exec *e = a->object;
	size_t n = lies("outputs") ? e->n + 1 : e->n;

	memcpy(&a->value, &n, sizeof(n));
	return NULL;
}

static void end_bytes(void *bytes)
{
	free(bytes);
	mock_alive--;
}

FN(49, bt_pjrt_serialize_args)
{
	struct bt_pjrt_exec *e = a->executable;
	char *bytes = make(e->text_size + 1);

	bytes[0] = (char)e->replicas;
	memcpy(bytes + 1, e->text, e->text_size);
	a->bytes = bytes;
	a->n_bytes = e->text_size + 1;
	a->serialized = bytes;
	a->destroy = end_bytes;
	return NULL;
}

FN(51, bt_pjrt_pointer_args)
{
	struct bt_pjrt_exec *e = make(sizeof(*e));

	*e = ((struct bt_pjrt_loaded *)a->object)->e;
	a->value = e;
	return NULL;
}

FN(52, bt_pjrt_list_args)
{
	struct bt_pjrt_loaded *l = a->object;

	a->values = l->devices;
	a->n = l->e.replicas;
	return NULL;
}

static int is_kept(const struct bt_pjrt_execute_options *o, size_t arg)
{
	size_t i;

	for (i = 0; i < o->n_kept; i++)
		if (o->kept[i] == (int64_t)arg)
			return 1;
	return 0;
}

FN(55, bt_pjrt_execute_args)
{
	struct bt_pjrt_exec *e = &a->loaded->e;
	struct bt_pjrt_failure *f = check_size(
	    "ExecuteOptions", options_size(number("MOCK_MINOR", 114)),
	    a->options->struct_size);
	struct bt_pjrt_array *from, *b;
	size_t d, i;

	if (f != NULL)
		return f;
	if (a->n_devices != e->replicas)
		return fail(3, "wrong number of devices");
	for (d = 0; d < a->n_devices; d++) {
		for (i = 0; i < a->n_args; i++)
			if (a->arguments[d][i]->donated ||
			    a->arguments[d][i]->device != a->loaded->devices[d])
				mock_wrong++;
		for (i = 0; i < e->n; i++) {
			from = a->arguments[d][e->results[i].arg];
			b = make(sizeof(*b) + from->bytes);
			memcpy(b, from, sizeof(*b) + from->bytes);
			a->outputs[d][i] = lies("results") && i > 0 ? NULL : b;
			if (a->outputs[d][i] == NULL)
				end_bytes(b);
		}
		for (i = 0; i < a->n_args; i++)
			a->arguments[d][i]->donated = !is_kept(a->options, i);
		a->events[d] = make(sizeof(*a->events[d]));
		a->events[d]->fails = getenv("MOCK_LATE") != NULL;
	}
	return NULL;
}

FN(56, bt_pjrt_deserialize_args)
{
	if (a->n_bytes < 1)
		return fail(3, "no bytes");
	return load(a->client, a->bytes + 1, a->n_bytes - 1,
	            (size_t)a->bytes[0], &a->loaded);
}

FN(70, bt_pjrt_to_host_args)
{
	size_t bytes = a->buffer->bytes + (lies("bytes") ? 1 : 0);

	if (a->buffer->donated || a->layout == NULL ||
	    a->layout->struct_size != 76 || a->layout->tiled.struct_size != 56)
		mock_wrong++;
	if (a->data == NULL) {
		a->bytes = bytes;
		return NULL;
	}
	memcpy(a->data, a->buffer->data, a->buffer->bytes);
	a->event = make(sizeof(*a->event));
	return NULL;
}

FN(90, bt_pjrt_list_args)
{
	struct bt_pjrt_exec *e = a->object;

	a->values = e->types;
	a->n = e->n;
	return NULL;
}

FN(91, bt_pjrt_output_dims_args)
{
	a->n_outputs = a->executable->n;
	a->dims = a->executable->dims;
	a->n_dims = a->executable->n_dims;
	return NULL;
}

/* Whether it is asked for cards, as NVIDIA's plugin is, and for how many. */
static bool cards(const struct bt_pjrt_topology_args *a, size_t *n)
{
	char shape[20] = "";

	if (a->n_options != 2 || a->options[1].size >= sizeof(shape) ||
	    strncmp(a->options[0].v.string, "gpu_device_info {\n", 18) != 0)
		return false;
	memcpy(shape, a->options[1].v.string, a->options[1].size);
	return sscanf(shape, "1x1x%zu", n) == 1 && *n <= MAX;
}

FN(82, bt_pjrt_topology_args)
{
	struct bt_pjrt_topology *t;
	char name[20] = "";
	size_t i, n;

	memcpy(name, a->name, a->name_size < 19 ? a->name_size : 19);
	if (!cards(a, &n) && (sscanf(name, "board:%zu", &n) != 1 || n > MAX))
		return fail(3, "not a topology");
	if (lies("topology"))
		return NULL;
	t = make(sizeof(*t));
	t->n = n;
	for (i = 0; i < MAX; i++) {
		t->d[i].id = (int)i;
		t->list[i] = &t->d[i];
	}
	a->topology = t;
	return NULL;
}

FN(84, bt_pjrt_list_args)
{
	return text(a, "mock");
}

FN(85, bt_pjrt_list_args)
{
	return text(a, "mock board");
}

FN(86, bt_pjrt_list_args)
{
	struct bt_pjrt_topology *t = a->object;

	a->values = t->list;
	a->n = t->n;
	return NULL;
}

/* A list of one number. */
static struct bt_pjrt_failure *value(struct bt_pjrt_analysis_args *a,
                                     const char *name, int kind)
{
	static struct bt_pjrt_value v;

	v.struct_size = 56;
	v.name = name;
	v.name_size = strlen(name);
	v.kind = kind;
	v.size = 1;
	if (kind == BT_PJRT_VALUE_FLOAT)
		v.v.f = lies("sizes") ? -7 : 7;
	else
		v.v.int64 = number("MOCK_LIMIT", (long)1 << 34);
	a->values = &v;
	a->n = 1;
	return NULL;
}

FN(25, bt_pjrt_analysis_args)
{
	return value(a, "device_memory_bytes_limit", BT_PJRT_VALUE_INT64);
}

FN(46, bt_pjrt_analysis_args)
{
	return value(a, "flops", BT_PJRT_VALUE_FLOAT);
}

FN(89, bt_pjrt_ahead_args)
{
	struct bt_pjrt_exec *e;

	mock_compiled++;
	if (a->client != NULL || a->program->struct_size != 48)
		mock_wrong++;
	if (getenv("MOCK_ABORT") != NULL) {
		fprintf(stderr, "F0000 x.cc:1] Check failed: 1 == 2\n");
		abort();
	}
	if (getenv("MOCK_FULL") != NULL)
		return fail(8, "52.50G of 15.75G");
	if (a->options_size < 16 || a->options[0] != 0x1a ||
	    a->options[13] != 0x20 || (size_t)a->options[14] > a->topology->n)
		return fail(3, "wrong options");
	if (lies("executable"))
		return NULL;
	e = make(sizeof(*e));
	a->executable = e;
	return NULL;
}

FN(96, bt_pjrt_memory_args)
{
	int64_t sign = lies("sizes") ? -1 : 1;

	a->arguments = 1000 * sign;
	a->results = 500 * sign;
	a->shared = 200 * sign;
	a->temporaries = 300 * sign;
	a->code = 50 * sign;
	a->peak = sign * number("MOCK_PEAK", 1600);
	return NULL;
}

static struct {
	size_t struct_size;
	void *extension;
	struct bt_pjrt_api_version version;
	struct bt_pjrt_failure *(*fn[BT_PJRT_FNS])(void *args);
} api = {
    0,
    NULL,
    {24, NULL, 0, 0},
    {[0] = fn_0,   [1] = fn_1,   [2] = fn_2,   [3] = fn_3,   [4] = fn_4,
     [5] = fn_5,   [6] = fn_6,   [8] = fn_8,   [10] = fn_10, [11] = fn_11,
     [12] = fn_12, [14] = fn_14, [16] = fn_16, [20] = fn_20, [22] = fn_22,
     [23] = fn_23, [26] = fn_26, [29] = fn_29, [34] = fn_34, [40] = fn_40,
     [44] = fn_44, [25] = fn_25, [46] = fn_46, [82] = fn_82, [83] = fn_83,
     [84] = fn_84, [85] = fn_85, [86] = fn_86, [89] = fn_89, [96] = fn_96,
     [49] = fn_49, [50] = fn_50, [51] = fn_51, [52] = fn_52, [55] = fn_55,
     [56] = fn_56, [58] = fn_58, [70] = fn_70, [90] = fn_90, [91] = fn_91}};

const void *GetPjrtApi(void);

const void *GetPjrtApi(void)
{
	api.struct_size = (size_t)number("MOCK_TABLE", sizeof(api));
	api.version.major = (int)number("MOCK_MAJOR", 0);
	api.version.minor = (int)number("MOCK_MINOR", 114);
	return getenv("MOCK_TABLE") != NULL && number("MOCK_TABLE", 1) == 0
	           ? NULL
	           : (const void *)&api;
}
