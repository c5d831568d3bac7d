/* SPDX-License-Identifier: MIT */
/* Programs that are compiled for what they cost, also for devices that are not
 * there. */
#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "pjrt/client_int.h"

static struct bt_pjrt_value text(const char *name, const struct bt_buf *b)
{
	struct bt_pjrt_value v = bt_pjrt_option(name, BT_PJRT_VALUE_STRING);

	v.v.string = b->data;
	v.size = b->len;
	return v;
}

/* NVIDIA's plugin knows cards by their numbers, others know names. */
static int create(struct bt_pjrt *p, const char *name,
                  struct bt_pjrt_topology **topology, struct bt_error *err)
{
	BT_PJRT_ARGS(bt_pjrt_topology_args, u);
	struct bt_buf target = BT_BUF_INIT, shape = BT_BUF_INIT;
	struct bt_pjrt_value options[2];
	int r = BT_OK;

	u.a.name = name;
	u.a.name_size = strlen(name);
	if (strcmp(p->lib.kind, "cuda") == 0) {
		r = bt_pjrt_card(name, &target, &shape, err);
		options[0] = text("target_config", &target);
		options[1] = text("topology", &shape);
		u.a.options = options;
		u.a.n_options = 2;
	}
	if (r == BT_OK)
		r = bt_pjrt_call(&p->lib, BT_PJRT_TOPOLOGY_CREATE, &u,
		                 BT_PJRT_SIZE(bt_pjrt_topology_args, topology),
		                 err);
	bt_buf_clear(&target);
	bt_buf_clear(&shape);
	*topology = u.a.topology;
	return r;
}

int bt_pjrt_topology_open(struct bt_pjrt *p, const char *name,
                          struct bt_error *err)
{
	int r = create(p, name, &p->topology, err);

	if (r == BT_OK && p->topology == NULL)
		r = bt_error_set(err, BT_EFORMAT,
		                 "plugin '%s' gives no topology", p->lib.name);
	return r == BT_OK ? r : bt_error_prefix(err, "topology '%s'", name);
}

static int64_t told(int64_t bytes)
{
	return bytes >= 0 ? bytes : -1;
}

/* Not every plugin tells these. */
static void read_memory(struct bt_pjrt *p, struct bt_pjrt_exec *exec,
                        struct bt_pjrt_cost *c)
{
	BT_PJRT_ARGS(bt_pjrt_memory_args, u);
	u.a.executable = exec;
	if (bt_pjrt_call(&p->lib, BT_PJRT_EXECUTABLE_MEMORY, &u,
	                 BT_PJRT_SIZE(bt_pjrt_memory_args, unpadded),
	                 NULL) != BT_OK)
		return;
	c->arguments = told(u.a.arguments);
	c->results = told(u.a.results);
	c->shared = told(u.a.shared);
	c->temporaries = told(u.a.temporaries);
	c->code = told(u.a.code);
	c->peak = told(u.a.peak);
}

static void read_flop(struct bt_pjrt *p, struct bt_pjrt_exec *exec,
                      struct bt_pjrt_cost *c)
{
	struct bt_pjrt_value v = {.kind = BT_PJRT_VALUE_FLOAT};

	if (bt_pjrt_ask_value(&p->lib, BT_PJRT_EXECUTABLE_COST, exec, "flops",
	                      &v) &&
	    isfinite(v.v.f) && v.v.f >= 0)
		c->flop = (double)v.v.f;
}

static int compile_ahead(struct bt_pjrt *p, const struct bt_pjrt_code *code,
                         const struct bt_buf *options,
                         struct bt_pjrt_exec **exec, struct bt_error *err)
{
	BT_PJRT_ARGS(bt_pjrt_ahead_args, u);
	int r;

	u.a.topology = p->topology;
	u.a.program = code;
	u.a.options = options->data;
	u.a.options_size = options->len;
	r = bt_pjrt_call(&p->lib, BT_PJRT_COMPILE, &u,
	                 BT_PJRT_SIZE(bt_pjrt_ahead_args, executable), err);
	*exec = u.a.executable;
	if (r == BT_OK && *exec == NULL)
		r = bt_error_set(err, BT_EFORMAT,
		                 "plugin '%s' gives no program", p->lib.name);
	return r;
}

int bt_pjrt_costs_here(struct bt_pjrt *p, const char *text, size_t len,
                       const struct bt_buf *options, struct bt_pjrt_cost *cost,
                       struct bt_buf *program, struct bt_error *err)
{
	struct bt_pjrt_code code = bt_pjrt_code_of(text, len);
	struct bt_pjrt_loaded *loaded = NULL;
	struct bt_pjrt_exec *exec = NULL;
	double start = bt_seconds();
	void *inside;
	int r;

	*cost = (struct bt_pjrt_cost)BT_PJRT_COST_NONE;
	if (p->topology != NULL) {
		r = compile_ahead(p, &code, options, &exec, err);
	} else if ((r = bt_pjrt_compile_here(p, text, len, options, &loaded,
	                                     err)) == BT_OK) {
		r = bt_pjrt_ask_pointer(&p->lib, BT_PJRT_LOADED_EXECUTABLE,
		                        loaded, &inside, err);
		exec = r == BT_OK ? inside : NULL;
	}
	cost->seconds = bt_seconds() - start;
	if (exec != NULL) {
		read_memory(p, exec, cost);
		read_flop(p, exec, cost);
	}
	if (r == BT_OK && loaded != NULL && program != NULL &&
	    bt_pjrt_serialize(p, loaded, program, NULL) != BT_OK)
		bt_buf_clear(program);
	bt_pjrt_end(&p->lib, BT_PJRT_EXECUTABLE_DESTROY, exec);
	bt_pjrt_end(&p->lib, BT_PJRT_LOADED_DESTROY, loaded);
	return r;
}
