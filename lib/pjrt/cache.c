/* SPDX-License-Identifier: MIT */
#include "pjrt/cache_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/crc32c.h"
#include "base/file_use.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/sys.h"
#include "io/in.h"
#include "io/out.h"
#include "io/path.h"

#define MAGIC "BTPJRT1\n"
#define HEAD 24 /* bytes before the key */
#define LIMIT ((size_t)1 << 36)

char *bt_pjrt_cache_dir(void)
{
	const char *own = getenv("BT_PJRT_CACHE");
	const char *xdg = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (own != NULL && own[0] != '\0')
		return bt_strndup(own, strlen(own));
	if (xdg != NULL && xdg[0] == '/')
		return bt_path_join(xdg, "bertutils/pjrt");
	if (home != NULL && home[0] == '/')
		return bt_path_join(home, ".cache/bertutils/pjrt");
	return NULL;
}

/* The processor that this is: XLA compiles for the one that it runs on. */
static void put_processor(struct bt_buf *key)
{
	static const char *const names[] = {"model name", "flags", "Features",
	                                    "CPU part"};

	bt_processor_lines(names, sizeof(names) / sizeof(*names), key);
}

static void put_variable(struct bt_buf *key, const char *name)
{
	const char *value = getenv(name);

	bt_buf_printf(key, "%s=%s\n", name, value != NULL ? value : "");
}

void bt_pjrt_cache_key(struct bt_pjrt *p, const char *text, size_t len,
                       const struct bt_buf *options, struct bt_buf *key)
{
	const void *version;
	struct stat st;
	size_t n;

	if (bt_pjrt_ask_list(&p->lib, BT_PJRT_CLIENT_PLATFORM_VERSION,
	                     p->client, &version, &n, NULL) == BT_OK)
		bt_buf_put(key, version, n);
	bt_buf_printf(key, "\n%s %s %d\n", p->about.platform,
	              p->devices[0].kind, p->about.api_minor);
	if (stat(p->lib.path, &st) == 0)
		bt_buf_printf(key, "%lld %lld %ld\n", (long long)st.st_size,
		              (long long)st.st_mtim.tv_sec,
		              (long)st.st_mtim.tv_nsec);
	put_processor(key);
	put_variable(key, "XLA_FLAGS");
	put_variable(key, "LIBTPU_INIT_ARGS");
	bt_buf_printf(key, "%zu\n", options->len);
	bt_buf_put(key, options->data, options->len);
	bt_buf_put(key, text, len);
}

static char *path_of(const char *dir, const struct bt_buf *key)
{
	char name[32];

	snprintf(name, sizeof(name), "%016llx.pjrt",
	         (unsigned long long)bt_hash(key->data, key->len));
	return bt_path_join(dir, name);
}

static bool check(const char *data, size_t len, const struct bt_buf *key,
                  struct bt_buf *program)
{
	uint64_t n_key, n_program;
	uint32_t crc;

	if (len < HEAD + 4 || memcmp(data, MAGIC, 8) != 0)
		return false;
	memcpy(&n_key, data + 8, 8);
	memcpy(&n_program, data + 16, 8);
	if (n_key != key->len || n_key > len - HEAD - 4 ||
	    n_program != len - HEAD - 4 - n_key)
		return false;
	memcpy(&crc, data + len - 4, 4);
	if (crc != bt_crc32c(0, data, len - 4) ||
	    memcmp(data + HEAD, key->data, key->len) != 0)
		return false;
	bt_buf_put(program, data + HEAD + n_key, n_program);
	return !program->oom;
}

bool bt_pjrt_cache_get(const char *dir, const struct bt_buf *key,
                       struct bt_buf *program)
{
	char *path, *data;
	size_t len;
	bool good;

	if (key->oom)
		return false;
	path = path_of(dir, key);
	bt_file_use_own(true);
	good = bt_path_is_file(path) &&
	       bt_in_whole(path, LIMIT, &data, &len, NULL) == BT_OK;
	bt_file_use_own(false);
	free(path);
	if (!good)
		return false;
	good = check(data, len, key, program);
	free(data);
	return good;
}

void bt_pjrt_cache_put(const char *dir, const struct bt_buf *key,
                       const struct bt_buf *program, struct bt_error *err)
{
	struct bt_buf file = BT_BUF_INIT;
	char *path = path_of(dir, key);

	bt_buf_put(&file, MAGIC, 8);
	bt_buf_uint(&file, key->len, 8);
	bt_buf_uint(&file, program->len, 8);
	bt_buf_put(&file, key->data, key->len);
	bt_buf_put(&file, program->data, program->len);
	bt_buf_uint(&file, bt_crc32c(0, bt_buf_at(&file, 0), file.len), 4);
	if (file.oom || key->oom)
		bt_error_nomem(err, "keeping a compiled program");
	else if (bt_path_above(path, err) == BT_OK &&
	         bt_out_whole(path, file.data, file.len, err) != BT_OK)
		bt_buf_reset(&file);
	bt_buf_clear(&file);
	free(path);
}
