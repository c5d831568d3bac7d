/* SPDX-License-Identifier: MIT */
/* Programs: compiled, and what they take and give. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pjrt/client_int.h"

/* Replica r runs on device r: arguments are put there. */
static int check_devices(struct bt_pjrt_program *x, struct bt_error *err)
{
	struct bt_pjrt *p = x->p;
	const void *list;
	size_t n;
	int r = bt_pjrt_ask_list(&p->lib, BT_PJRT_LOADED_DEVICES, x->loaded,
	                         &list, &n, err);

	if (r != BT_OK)
		return r;
	if (n != (size_t)x->replicas ||
	    memcmp(list, p->devs, n * sizeof(*p->devs)) != 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "plugin '%s' runs the program on other "
		                    "devices than it was compiled for",
		                    p->lib.name);
	return BT_OK;
}

/* Types are as PJRT numbers them, dims those of all results on end. */
static int take_results(struct bt_pjrt_program *x, const int *types,
                        const int64_t *dims, const size_t *n_dims,
                        struct bt_error *err)
{
	struct bt_pjrt_shape *s;
	size_t i, bytes;
	struct bt_error why = {0};

	for (i = 0; i < x->n_results; i++) {
		s = &x->results[i];
		s->type = (enum bt_pjrt_type)types[i];
		s->n_dims = n_dims[i] <= BT_PJRT_MAX_DIMS
		                ? (int)n_dims[i]
		                : BT_PJRT_MAX_DIMS + 1;
		if (s->n_dims <= BT_PJRT_MAX_DIMS)
			memcpy(s->dims, dims, n_dims[i] * sizeof(*dims));
		dims += n_dims[i];
		if (bt_pjrt_shape_bytes(s, &bytes, &why) != BT_OK)
			return bt_error_set(err, BT_EFORMAT, "result %zu: %s",
			                    i, why.text);
	}
	return BT_OK;
}

static int read_results(struct bt_pjrt_program *x, struct bt_pjrt_exec *exec,
                        struct bt_error *err)
{
	BT_PJRT_ARGS(bt_pjrt_output_dims_args, u);
	struct bt_pjrt_lib *lib = &x->p->lib;
	const void *types;
	void *count;
	size_t n;
	int r = bt_pjrt_ask_pointer(lib, BT_PJRT_EXECUTABLE_NUM_OUTPUTS, exec,
	                            &count, err);

	if (r == BT_OK)
		r = bt_pjrt_ask_list(lib, BT_PJRT_EXECUTABLE_OUTPUT_TYPES, exec,
		                     &types, &n, err);
	if (r != BT_OK)
		return r;
	u.a.executable = exec;
	r = bt_pjrt_call(lib, BT_PJRT_EXECUTABLE_OUTPUT_DIMS, &u,
	                 BT_PJRT_SIZE(bt_pjrt_output_dims_args, n_dims), err);
	if (r != BT_OK)
		return r;
	x->n_results = (size_t)(uintptr_t)count;
	if (n != x->n_results || u.a.n_outputs != n || n > 1u << 20)
		return bt_error_set(err, BT_EFORMAT,
		                    "plugin '%s' gives %zu results with %zu "
		                    "types and %zu shapes",
		                    lib->name, x->n_results, n, u.a.n_outputs);
	x->results = bt_array0(n, sizeof(*x->results));
	if (x->results == NULL)
		return bt_error_nomem(err, "listing results");
	return take_results(x, types, u.a.dims, u.a.n_dims, err);
}

static int look_into(struct bt_pjrt_program *x, struct bt_error *err)
{
	void *exec;
	int r = check_devices(x, err);

	if (r == BT_OK)
		r = bt_pjrt_ask_pointer(&x->p->lib, BT_PJRT_LOADED_EXECUTABLE,
		                        x->loaded, &exec, err);
	if (r != BT_OK)
		return r;
	r = read_results(x, exec, err);
	bt_pjrt_end(&x->p->lib, BT_PJRT_EXECUTABLE_DESTROY, exec);
	return r;
}

static int check_source(const struct bt_pjrt *p, const struct bt_pjrt_source *s,
                        struct bt_error *err)
{
	size_t i, bytes;
	int r;

	if (s->replicas < 1 || s->replicas > p->n_devices)
		return bt_error_set(err, BT_EARG,
		                    "plugin '%s' has %d device%s, and the "
		                    "program '%s' is to run on %d",
		                    p->lib.name, p->n_devices,
		                    p->n_devices == 1 ? "" : "s", s->name,
		                    s->replicas);
	for (i = 0; i < s->n_args; i++) {
		r = bt_pjrt_shape_bytes(&s->args[i].shape, &bytes, err);
		if (r != BT_OK) {
			bt_error_prefix(err, "program '%s': argument %zu",
			                s->name, i);
			return r;
		}
	}
	return BT_OK;
}

/* A program that is not compiled yet. */
static struct bt_pjrt_program *make(struct bt_pjrt *p,
                                    const struct bt_pjrt_source *s)
{
	struct bt_pjrt_program *x = bt_array0(1, sizeof(*x));
	size_t i;

	x->p = p;
	x->cost = (struct bt_pjrt_cost)BT_PJRT_COST_NONE;
	x->name = bt_strndup(s->name, strlen(s->name));
	x->replicas = s->replicas;
	x->n_args = s->n_args;
	x->args = bt_array(s->n_args, sizeof(*x->args));
	x->kept = bt_array(s->n_args, sizeof(*x->kept));
	if (x->args == NULL || x->kept == NULL) {
		bt_pjrt_program_free(x);
		return NULL;
	}
	for (i = 0; i < s->n_args; i++) {
		x->args[i] = s->args[i];
		if (!s->args[i].donated)
			x->kept[x->n_kept++] = (int64_t)i;
	}
	return x;
}

/* n programs that are asked for, or an error and none. */
static int ask(struct bt_pjrt *p, const struct bt_pjrt_source *sources,
               size_t n, struct bt_pjrt_wanted **wanted, struct bt_error *err)
{
	struct bt_pjrt_wanted *w;
	size_t i;
	int r;

	for (i = 0; i < n; i++)
		if ((r = check_source(p, &sources[i], err)))
			return r;
	w = bt_array0(n, sizeof(*w));
	for (i = 0; w != NULL && i < n; i++) {
		w[i].s = &sources[i];
		w[i].x = make(p, &sources[i]);
	}
	*wanted = w;
	return w == NULL ? bt_error_nomem(err, "compiling") : BT_OK;
}

static int obtain(struct bt_pjrt *p, const struct bt_pjrt_source *sources,
                  size_t n, bool together, struct bt_pjrt_program **programs,
                  struct bt_error *err)
{
	struct bt_pjrt_wanted *w = NULL;
	size_t i;
	int r = ask(p, sources, n, &w, err);

	if (r != BT_OK)
		return r;
	for (i = 0; i < n && r == BT_OK; i++)
		if (w[i].x == NULL)
			r = bt_error_nomem(err, "compiling");
	if (r == BT_OK)
		r = bt_pjrt_obtain(p, w, n, together, err);
	for (i = 0; i < n && r == BT_OK; i++)
		if (w[i].x->loaded != NULL && (r = look_into(w[i].x, err)))
			bt_error_prefix(err, "cannot compile program '%s'",
			                w[i].s->name);
	for (i = 0; i < n; i++) {
		programs[i] = NULL;
		if (r == BT_OK && w[i].state == BT_PJRT_THERE)
			programs[i] = w[i].x;
		else
			bt_pjrt_program_free(w[i].x);
	}
	free(w);
	return r;
}

int bt_pjrt_compile(struct bt_pjrt *p, const struct bt_pjrt_source *source,
                    struct bt_pjrt_program **program, struct bt_error *err)
{
	struct bt_pjrt_program *x;
	int r = obtain(p, source, 1, false, &x, err);

	if (r == BT_OK)
		*program = x;
	return r;
}

int bt_pjrt_compile_all(struct bt_pjrt *p, const struct bt_pjrt_source *sources,
                        size_t n, struct bt_pjrt_program **programs,
                        struct bt_error *err)
{
	return obtain(p, sources, n, true, programs, err);
}

void bt_pjrt_program_free(struct bt_pjrt_program *x)
{
	if (x == NULL)
		return;
	if (!x->stays)
		bt_pjrt_end(&x->p->lib, BT_PJRT_LOADED_DESTROY, x->loaded);
	free(x->results);
	free(x->kept);
	free(x->args);
	free(x->name);
	free(x);
}

enum bt_pjrt_origin bt_pjrt_origin(const struct bt_pjrt_program *program)
{
	return program->origin;
}

const struct bt_pjrt_cost *bt_pjrt_cost(const struct bt_pjrt_program *program)
{
	return &program->cost;
}
