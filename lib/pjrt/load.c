/* SPDX-License-Identifier: MIT */
/* Loads a plugin. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "io/path.h"
#include "pjrt/find_int.h"
#include "pjrt/plugin_int.h"

/* Adds a flag, "--name=", to those that XLA reads, unless it is among them. */
static void add_flag(const char *flag, const char *value)
{
	const char *flags = getenv("XLA_FLAGS");
	struct bt_buf b = BT_BUF_INIT;

	if (flags != NULL && strstr(flags, flag) != NULL)
		return;
	bt_buf_printf(&b, "%s%s%s%s", flags != NULL ? flags : "",
	              flags != NULL ? " " : "", flag, value);
	setenv("XLA_FLAGS", bt_buf_str(&b), 1);
	bt_buf_clear(&b);
}

/* XLA runs ptxas and links libdevice for NVIDIA's GPUs, and looks for them
 * where a toolkit is installed. Python's packages have them in
 * SITE/nvidia/cu13, or cuda_nvcc for CUDA 12, where the plugin is in
 * SITE/jax_plugins/NAME. */
static void name_toolkit(const char *path)
{
	static const char *const dirs[] = {"cu13", "cuda_nvcc"};
	const char *slash = strrchr(path, '/');
	struct bt_buf b = BT_BUF_INIT;
	size_t i, len;

	for (i = 0; slash != NULL && i < 2; i++) {
		b.len = 0;
		bt_buf_printf(&b, "%.*s/../../nvidia/%s", (int)(slash - path),
		              path, dirs[i]);
		len = b.len;
		bt_buf_puts(&b, "/bin/ptxas");
		if (!bt_path_is_file(bt_buf_str(&b)))
			continue;
		b.len = len;
		add_flag("--xla_gpu_cuda_data_dir=", bt_buf_str(&b));
		break;
	}
	bt_buf_clear(&b);
}

/* For NVIDIA's GPUs: the same bits again, also compiled again; and products by
 * NVIDIA's libraries alone, since to try kernels of Triton's takes minutes a
 * program. Nothing can be tried on a card that is not here. */
static void choose_kernels(bool here)
{
	if (!here)
		add_flag("--xla_gpu_autotune_level=", "0");
	add_flag("--xla_gpu_exclude_nondeterministic_ops=", "true");
	add_flag("--xla_gpu_enable_triton_gemm=", "false");
}

/* What a library reads when it is loaded. Variables that are set stay. */
static void prepare(const struct bt_pjrt_lib *lib, bool beside)
{
	/* XLA's notes to whoever works on it */
	setenv("TF_CPP_MIN_LOG_LEVEL", "2", 0);
	if (strcmp(lib->kind, "cuda") == 0) {
		choose_kernels(!beside);
		name_toolkit(lib->path);
	}
	if (strcmp(lib->kind, "tpu") != 0)
		return;
	/* or it asks an address of Google's cloud, for half a minute a question
	 */
	setenv("TPU_SKIP_MDS_QUERY", "1", 0);
	setenv("TPU_WORKER_HOSTNAMES", "localhost", 0);
	setenv("TPU_WORKER_ID", "0", 0);
	if (!beside)
		return;
	setenv("ALLOW_MULTIPLE_LIBTPU_LOAD", "1", 0);
	/* or it complains that it does not know what this machine has, and
	 * keeps logs in /tmp */
	setenv("TPU_ACCELERATOR_TYPE", "v5litepod-1", 0);
	setenv("TPU_LOG_DIR", "disabled", 0);
}

/* Once in a process, whoever loads it. */
static int initialize(struct bt_pjrt_lib *lib, struct bt_error *err)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static const struct bt_pjrt_api *done[32];
	size_t i, max = sizeof(done) / sizeof(*done);
	BT_PJRT_ARGS(bt_pjrt_initialize_args, u);
	int r = BT_OK;

	pthread_mutex_lock(&lock);
	for (i = 0; i < max && done[i] != NULL && done[i] != lib->api; i++)
		;
	if (i == max || done[i] == NULL)
		r = bt_pjrt_call(
		    lib, BT_PJRT_PLUGIN_INITIALIZE, &u,
		    BT_PJRT_SIZE(bt_pjrt_initialize_args, extension), err);
	if (r == BT_OK && i < max)
		done[i] = lib->api;
	pthread_mutex_unlock(&lock);
	return r;
}

static int check_version(const struct bt_pjrt_lib *lib, struct bt_error *err)
{
	const struct bt_pjrt_api *api = lib->api;

	if (api->struct_size < offsetof(struct bt_pjrt_api, fn))
		return bt_error_set(err, BT_EFORMAT,
		                    "plugin '%s': its table of functions has "
		                    "%zu bytes",
		                    lib->path, api->struct_size);
	if (api->version.major != 0 || api->version.minor < 70)
		return bt_error_set(err, BT_EFORMAT,
		                    "plugin '%s' speaks version %d.%d of PJRT, "
		                    "not 0.70 or later",
		                    lib->path, api->version.major,
		                    api->version.minor);
	if (api->struct_size < 48 + 8 * BT_PJRT_EXECUTABLE_OUTPUT_DIMS)
		return bt_error_set(err, BT_EFORMAT,
		                    "plugin '%s': its table of functions has "
		                    "%zu bytes, fewer than PJRT's 0.70",
		                    lib->path, api->struct_size);
	return BT_OK;
}

static int load(struct bt_pjrt_lib *lib, bool beside, struct bt_error *err)
{
	const struct bt_pjrt_api *(*get)(void);
	void *handle, *symbol;
	int r;

	prepare(lib, beside);
	handle = dlopen(lib->path, RTLD_NOW | RTLD_LOCAL);
	if (handle == NULL)
		return bt_error_set(err, BT_EIO, "cannot load plugin '%s': %s",
		                    lib->path, dlerror());
	symbol = dlsym(handle, "GetPjrtApi");
	if (symbol == NULL) {
		dlclose(handle);
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' is not a PJRT plugin: it lacks "
		                    "GetPjrtApi",
		                    lib->path);
	}
	memcpy(&get, &symbol, sizeof(get));
	lib->api = get();
	if (lib->api == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "plugin '%s' gives no table of functions",
		                    lib->path);
	r = check_version(lib, err);
	return r == BT_OK ? initialize(lib, err) : r;
}

int bt_pjrt_lib_load(struct bt_pjrt_lib *lib, const char *plugin, bool beside,
                     struct bt_error *err)
{
	int r;

	memset(lib, 0, sizeof(*lib));
	r = bt_pjrt_find(plugin, &lib->name, &lib->path, err);
	if (r == BT_OK) {
		lib->kind = bt_pjrt_kind(lib->name, lib->path);
		r = load(lib, beside, err);
	}
	if (r != BT_OK)
		bt_pjrt_lib_clear(lib);
	return r;
}

void bt_pjrt_lib_clear(struct bt_pjrt_lib *lib)
{
	free(lib->name);
	free(lib->path);
	memset(lib, 0, sizeof(*lib));
}
