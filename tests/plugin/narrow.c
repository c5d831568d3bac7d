/* SPDX-License-Identifier: MIT */
/*
 * A plugin of PJRT that passes all calls on to the one that NARROW_OF names,
 * but does not end (NARROW_LATE), or says that its memory is exhausted:
 *
 * NARROW_PLACES=N  where it is to compile a program that learns whose batch has
 *                  more than N tokens
 * NARROW_RUNS=LIST when it is to run something for the Nth time, of each N in
 *                  ",1,5,"
 * NARROW_FAILS=LIST likewise, but only in its event, and when its first result
 * is read, as of a device that works behind the calls NARROW_BUSY      its runs
 * are not done until they are waited for NARROW_LEFT=FILE gets the number of
 * arrays that were put on a device and are still there when the client ends
 * NARROW_LATE=KIND where it is to compile a program of a kind, forward or
 *                  gradients, for the first time; then it leaves the file
 *                  "refused", and the next time "stays", and compiles for ever
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pjrt/pjrt_api_int.h"

#define EXHAUSTED 8
#define MOST_FNS 300
#define MOST_ARRAYS 4096

struct bt_pjrt_failure {
	int code;
};

static const struct bt_pjrt_api *real;
static struct bt_pjrt_failure exhausted = {EXHAUSTED};
static int runs;
static struct bt_pjrt_event *failed; /* of a run, */
static const void *lost;             /* and its first result */

static struct {
	size_t struct_size;
	void *extension;
	struct bt_pjrt_api_version version;
	struct bt_pjrt_failure *(*fn[MOST_FNS])(void *args);
} api;

static struct bt_pjrt_failure *destroy(void *args)
{
	const struct bt_pjrt_one_args *a = args;

	return a->object == &exhausted ? NULL : real->fn[0](args);
}

static struct bt_pjrt_failure *message(void *args)
{
	static const char text[] = "out of memory, says a test";
	struct bt_pjrt_list_args *a = args;

	if (a->object != &exhausted)
		return real->fn[1](args);
	a->values = text;
	a->n = sizeof(text) - 1;
	return NULL;
}

static struct bt_pjrt_failure *code(void *args)
{
	struct bt_pjrt_int_args *a = args;

	if (a->object != &exhausted)
		return real->fn[2](args);
	a->value = EXHAUSTED;
	return NULL;
}

/* The longest vector of i32 among the arguments of a program, which is one for
 * each token. */
static long tokens_of(const char *text)
{
	const char *end = strstr(text, ") -> "), *s = text;
	long most = 0, n;
	int read;

	while ((s = strstr(s, "tensor<")) != NULL && s < end) {
		read = 0;
		if (sscanf(s, "tensor<%ldxi32>%n", &n, &read) == 1 && read > 0)
			most = n > most ? n : most;
		s++;
	}
	return most;
}

/* Of a loss. */
static bool learns(const char *text)
{
	return strstr(text, "stablehlo.log\"") != NULL;
}

static void leave(const char *name)
{
	FILE *f = fopen(name, "w");

	if (f != NULL)
		fclose(f);
}

/* Whether a program is refused; or it does not return. */
static bool is_late(const char *text)
{
	const char *kind = getenv("NARROW_LATE");

	if (kind == NULL || tokens_of(text) == 0 ||
	    learns(text) != (strcmp(kind, "gradients") == 0))
		return false;
	if (access("refused", F_OK) != 0) {
		leave("refused");
		return true;
	}
	leave("stays");
	for (;;)
		pause();
}

static struct bt_pjrt_failure *compile(void *args)
{
	const struct bt_pjrt_compile_args *a = args;
	const char *limit = getenv("NARROW_PLACES");
	const char *text = a->program->code;

	return (limit != NULL && learns(text) &&
	        tokens_of(text) > atol(limit)) ||
	               is_late(text)
	           ? &exhausted
	           : real->fn[BT_PJRT_CLIENT_COMPILE](args);
}

static const void *arrays[MOST_ARRAYS];

static size_t place_of(const void *array)
{
	size_t i = 0;

	while (i < MOST_ARRAYS && arrays[i] != array)
		i++;
	return i;
}

static struct bt_pjrt_failure *from_host(void *args)
{
	struct bt_pjrt_failure *failure =
	    real->fn[BT_PJRT_BUFFER_FROM_HOST](args);
	const struct bt_pjrt_from_host_args *a = args;
	size_t i = place_of(NULL);

	if (failure == NULL && i < MOST_ARRAYS)
		arrays[i] = a->buffer;
	return failure;
}

static struct bt_pjrt_failure *end_array(void *args)
{
	const struct bt_pjrt_one_args *a = args;
	size_t i = place_of(a->object);

	if (i < MOST_ARRAYS)
		arrays[i] = NULL;
	if (a->object == lost)
		lost = NULL;
	return real->fn[BT_PJRT_BUFFER_DESTROY](args);
}

static struct bt_pjrt_failure *end_client(void *args)
{
	const char *path = getenv("NARROW_LEFT");
	FILE *f = path != NULL ? fopen(path, "w") : NULL;
	size_t i, n = 0;

	for (i = 0; i < MOST_ARRAYS; i++)
		n += arrays[i] != NULL;
	if (f != NULL) {
		fprintf(f, "%zu\n", n);
		fclose(f);
	}
	return real->fn[BT_PJRT_CLIENT_DESTROY](args);
}

static bool is_listed(const char *variable)
{
	const char *list = getenv(variable);
	char word[20];

	snprintf(word, sizeof(word), ",%d,", runs);
	return list != NULL && strstr(list, word) != NULL;
}

static struct bt_pjrt_failure *execute(void *args)
{
	const struct bt_pjrt_execute_args *a = args;
	struct bt_pjrt_failure *failure;

	runs++;
	if (is_listed("NARROW_RUNS"))
		return &exhausted;
	failure = real->fn[BT_PJRT_EXECUTE](args);
	if (failure == NULL && is_listed("NARROW_FAILS")) {
		failed = a->events[0];
		lost = a->outputs[0][0];
	}
	return failure;
}

static struct bt_pjrt_failure *to_host(void *args)
{
	const struct bt_pjrt_to_host_args *a = args;

	return lost != NULL && a->buffer == lost
	           ? &exhausted
	           : real->fn[BT_PJRT_BUFFER_TO_HOST](args);
}

static struct bt_pjrt_failure *await(void *args)
{
	struct bt_pjrt_failure *failure;
	const struct bt_pjrt_one_args *a = args;
	bool is_of_failed = failed != NULL && a->object == failed;

	failure = real->fn[BT_PJRT_EVENT_AWAIT](args);
	if (!is_of_failed || failure != NULL)
		return failure;
	failed = NULL;
	return &exhausted;
}

static struct bt_pjrt_failure *is_ready(void *args)
{
	struct bt_pjrt_ready_args *a = args;

	if (getenv("NARROW_BUSY") == NULL)
		return real->fn[BT_PJRT_EVENT_IS_READY](args);
	a->is_ready = false;
	return NULL;
}

const void *GetPjrtApi(void);

const void *GetPjrtApi(void)
{
	const char *path = getenv("NARROW_OF");
	void *lib = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	void *symbol = lib != NULL ? dlsym(lib, "GetPjrtApi") : NULL;
	const struct bt_pjrt_api *(*get)(void);

	if (symbol == NULL)
		return NULL;
	memcpy(&get, &symbol, sizeof(get));
	real = get();
	memcpy(&api, real,
	       real->struct_size < sizeof(api) ? real->struct_size
	                                       : sizeof(api));
	api.fn[0] = destroy;
	api.fn[1] = message;
	api.fn[2] = code;
	api.fn[BT_PJRT_CLIENT_COMPILE] = compile;
	api.fn[BT_PJRT_CLIENT_DESTROY] = end_client;
	api.fn[BT_PJRT_BUFFER_FROM_HOST] = from_host;
	api.fn[BT_PJRT_BUFFER_DESTROY] = end_array;
	api.fn[BT_PJRT_EXECUTE] = execute;
	api.fn[BT_PJRT_BUFFER_TO_HOST] = to_host;
	api.fn[BT_PJRT_EVENT_IS_READY] = is_ready;
	api.fn[BT_PJRT_EVENT_AWAIT] = await;
	return &api;
}
