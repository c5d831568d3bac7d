/* SPDX-License-Identifier: MIT */
/* Calls into a plugin: sizes of arguments, errors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pjrt/plugin_int.h"

/* What every argument begins with. */
struct head {
	size_t struct_size;
	void *extension;
};

/* Arguments that grew since the oldest version that we accept. */
static const struct {
	enum bt_pjrt_fn fn;
	int until; /* the minor version before which it had that size */
	unsigned size;
} smaller[] = {
    {BT_PJRT_PLUGIN_ATTRIBUTES, 71, 24},
    {BT_PJRT_DESERIALIZE, 71, 48},
    {BT_PJRT_DESERIALIZE, 111, 64},
    {BT_PJRT_DEVICE_MEMORY_STATS, 113, 185},
    {BT_PJRT_EXECUTABLE_MEMORY, 72, 104},
    {BT_PJRT_EXECUTABLE_MEMORY, 90, 112},
    {BT_PJRT_EXECUTABLE_MEMORY, 104, 120},
};

static const struct {
	int until;
	unsigned size;
} smaller_options[] = {{76, 80}, {78, 88}, {97, 112}, {108, 120}, {112, 121}};

static size_t args_size(const struct bt_pjrt_lib *lib, enum bt_pjrt_fn fn,
                        size_t newest)
{
	size_t i;

	if (lib->sizes[fn] != 0)
		return lib->sizes[fn];
	for (i = 0; i < sizeof(smaller) / sizeof(*smaller); i++)
		if (smaller[i].fn == fn &&
		    lib->api->version.minor < smaller[i].until)
			return smaller[i].size;
	return newest;
}

static size_t options_size(const struct bt_pjrt_lib *lib)
{
	size_t i;

	if (lib->execute_options != 0)
		return lib->execute_options;
	for (i = 0; i < sizeof(smaller_options) / sizeof(*smaller_options); i++)
		if (lib->api->version.minor < smaller_options[i].until)
			return smaller_options[i].size;
	return BT_PJRT_SIZE(bt_pjrt_execute_options, n_hlo_callbacks);
}

/* The first line of what the plugin says, and its code; ends the failure. */
static int tell(struct bt_pjrt_lib *lib, struct bt_pjrt_failure *failure,
                char *line, size_t room)
{
	BT_PJRT_ARGS(bt_pjrt_list_args, text);
	BT_PJRT_ARGS(bt_pjrt_int_args, code);
	BT_PJRT_ARGS(bt_pjrt_one_args, end);
	const char *p;
	size_t n, len = 0;

	text.a.struct_size = BT_PJRT_SIZE(bt_pjrt_list_args, n);
	text.a.object = failure;
	lib->api->fn[BT_PJRT_ERROR_MESSAGE](&text);
	p = text.a.values;
	n = p != NULL ? text.a.n : 0;
	while (len < n && len < room - 1 && p[len] != '\n' && p[len] != '\0')
		len++;
	memcpy(line, p != NULL ? p : "", len);
	line[len] = '\0';
	bt_printable(line);

	/* The code's function itself can fail, which says nothing more. */
	code.a.struct_size = BT_PJRT_SIZE(bt_pjrt_int_args, value);
	code.a.object = failure;
	if (lib->api->fn[BT_PJRT_ERROR_CODE](&code) != NULL)
		code.a.value = 0;
	end.a.struct_size = BT_PJRT_SIZE(bt_pjrt_one_args, object);
	end.a.object = failure;
	lib->api->fn[BT_PJRT_ERROR_DESTROY](&end);
	return code.a.value;
}

/* Whether a plugin wants an argument of another size than it was sent. */
static bool wants_size(int code, const char *line, size_t sent, size_t *size)
{
	const char *p = strstr(line, "size: expected ");
	size_t wanted, got;

	if (code != 3 || p == NULL ||
	    sscanf(p, "size: expected %zu, got %zu", &wanted, &got) != 2)
		return false;
	if (got != sent || wanted == sent || wanted < sizeof(struct head) ||
	    wanted > BT_PJRT_ROOM)
		return false;
	*size = wanted;
	return true;
}

static int fail(struct bt_pjrt_lib *lib, int code, const char *line,
                struct bt_error *err)
{
	return bt_error_set(err, code == 8 ? BT_ENOMEM : BT_EFORMAT,
	                    "plugin '%s': %s", lib->name,
	                    line[0] != '\0' ? line : "failed without a reason");
}

static bool has(const struct bt_pjrt_lib *lib, enum bt_pjrt_fn fn)
{
	return lib->api->struct_size >= 48 + 8 * (size_t)fn &&
	       lib->api->fn[fn] != NULL;
}

/* options: those of Execute, or NULL. */
static int call(struct bt_pjrt_lib *lib, enum bt_pjrt_fn fn, struct head *args,
                size_t size, struct head *options, struct bt_error *err)
{
	struct bt_pjrt_failure *failure;
	char line[sizeof(err->text) - 60];
	size_t wanted;
	int code = 0, try;

	if (!has(lib, fn))
		return bt_error_set(err, BT_EFORMAT,
		                    "plugin '%s' lacks function %d of PJRT",
		                    lib->name, (int)fn);
	/* Once for each of the two sizes, and once as they were told. */
	for (try = 0; try < 3; try++) {
		args->struct_size = args_size(lib, fn, size);
		if (options != NULL)
			options->struct_size = options_size(lib);
		failure = lib->api->fn[fn](args);
		if (failure == NULL)
			return BT_OK;
		code = tell(lib, failure, line, sizeof(line));
		if (options != NULL && strstr(line, "ExecuteOptions") != NULL &&
		    wants_size(code, line, options_size(lib), &wanted))
			lib->execute_options = (unsigned short)wanted;
		else if (wants_size(code, line, args_size(lib, fn, size),
		                    &wanted))
			lib->sizes[fn] = (unsigned short)wanted;
		else
			break;
	}
	return fail(lib, code, line, err);
}

int bt_pjrt_call(struct bt_pjrt_lib *lib, enum bt_pjrt_fn fn, void *args,
                 size_t size, struct bt_error *err)
{
	return call(lib, fn, args, size, NULL, err);
}

int bt_pjrt_call_execute(struct bt_pjrt_lib *lib,
                         struct bt_pjrt_execute_args *args,
                         struct bt_error *err)
{
	return call(lib, BT_PJRT_EXECUTE, (struct head *)args,
	            BT_PJRT_SIZE(bt_pjrt_execute_args, device),
	            (struct head *)args->options, err);
}

int bt_pjrt_ask_pointer(struct bt_pjrt_lib *lib, enum bt_pjrt_fn fn,
                        void *object, void **value, struct bt_error *err)
{
	BT_PJRT_ARGS(bt_pjrt_pointer_args, u);
	int r;

	u.a.object = object;
	r = bt_pjrt_call(lib, fn, &u, BT_PJRT_SIZE(bt_pjrt_pointer_args, value),
	                 err);
	*value = u.a.value;
	return r;
}

int bt_pjrt_ask_int(struct bt_pjrt_lib *lib, enum bt_pjrt_fn fn, void *object,
                    int *value, struct bt_error *err)
{
	BT_PJRT_ARGS(bt_pjrt_int_args, u);
	int r;

	u.a.object = object;
	r = bt_pjrt_call(lib, fn, &u, BT_PJRT_SIZE(bt_pjrt_int_args, value),
	                 err);
	*value = u.a.value;
	return r;
}

int bt_pjrt_ask_list(struct bt_pjrt_lib *lib, enum bt_pjrt_fn fn, void *object,
                     const void **values, size_t *n, struct bt_error *err)
{
	BT_PJRT_ARGS(bt_pjrt_list_args, u);
	int r;

	u.a.object = object;
	r = bt_pjrt_call(lib, fn, &u, BT_PJRT_SIZE(bt_pjrt_list_args, n), err);
	*values = u.a.values;
	*n = u.a.values != NULL ? u.a.n : 0;
	return r;
}

int bt_pjrt_ask_text(struct bt_pjrt_lib *lib, enum bt_pjrt_fn fn, void *object,
                     char **text, struct bt_error *err)
{
	const void *p;
	const char *s;
	size_t n, len = 0;
	int r = bt_pjrt_ask_list(lib, fn, object, &p, &n, err);

	if (r != BT_OK)
		return r;
	for (s = p; len < n && len < 500 && s[len] != '\n' && s[len] != '\0';)
		len++;
	*text = bt_strndup(s != NULL ? s : "", len);
	bt_printable(*text);
	return BT_OK;
}

bool bt_pjrt_ask_value(struct bt_pjrt_lib *lib, enum bt_pjrt_fn fn,
                       void *object, const char *name,
                       struct bt_pjrt_value *value)
{
	BT_PJRT_ARGS(bt_pjrt_analysis_args, u);
	const struct bt_pjrt_value *v;
	size_t i;

	u.a.object = object;
	if (bt_pjrt_call(lib, fn, &u,
	                 BT_PJRT_SIZE(bt_pjrt_analysis_args, values),
	                 NULL) != BT_OK)
		return false;
	for (i = 0; u.a.values != NULL && i < u.a.n; i++) {
		v = &u.a.values[i];
		if (v->kind == value->kind && v->name_size == strlen(name) &&
		    memcmp(v->name, name, v->name_size) == 0) {
			*value = *v;
			return true;
		}
	}
	return false;
}

void bt_pjrt_end(struct bt_pjrt_lib *lib, enum bt_pjrt_fn fn, void *object)
{
	BT_PJRT_ARGS(bt_pjrt_one_args, u);

	u.a.object = object;
	if (object != NULL &&
	    bt_pjrt_call(lib, fn, &u, BT_PJRT_SIZE(bt_pjrt_one_args, object),
	                 NULL) != BT_OK)
		return;
}

int bt_pjrt_await(struct bt_pjrt_lib *lib, struct bt_pjrt_event *event,
                  struct bt_error *err)
{
	BT_PJRT_ARGS(bt_pjrt_one_args, u);
	int r;

	if (event == NULL)
		return BT_OK;
	u.a.object = event;
	r = bt_pjrt_call(lib, BT_PJRT_EVENT_AWAIT, &u,
	                 BT_PJRT_SIZE(bt_pjrt_one_args, object), err);
	bt_pjrt_end(lib, BT_PJRT_EVENT_DESTROY, event);
	return r;
}

struct bt_pjrt_value bt_pjrt_option(const char *name, int kind)
{
	struct bt_pjrt_value v = {0};

	v.struct_size = BT_PJRT_SIZE(bt_pjrt_value, size);
	v.name = name;
	v.name_size = strlen(name);
	v.kind = kind;
	v.size = 1;
	return v;
}
