/* SPDX-License-Identifier: MIT */
#ifdef BT_HAVE_CURL
#include "hub/place_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "format/hub_cache.h"
#include "io/out.h"
#include "io/path.h"

static const char *revision(const struct bt_hub_job *job)
{
	return job->revision != NULL ? job->revision : BT_HUB_MAIN;
}

int bt_hub_place_init(struct bt_hub_place *p, const struct bt_hub_job *job,
                      const char *commit, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *folder;
	char *root;

	memset(p, 0, sizeof(*p));
	p->job = job;
	if (job->dir != NULL) {
		p->dir = bt_strndup(job->dir, strlen(job->dir));
		return BT_OK;
	}
	root = bt_hub_cache_root();
	if (root == NULL)
		return bt_error_set(err, BT_EARG,
		                    "no HF_HUB_CACHE, HF_HOME or HOME says "
		                    "where the cache is");
	p->folder = bt_hub_cache_folder(root, job->name, job->dataset);
	folder = p->folder + strlen(root) + 1;
	bt_buf_printf(&b, "%s/.locks/%s", root, folder);
	p->locks = bt_buf_detach(&b);
	bt_buf_printf(&b, "%s/snapshots/%s", p->folder, commit);
	p->dir = bt_buf_detach(&b);
	free(root);
	return BT_OK;
}

void bt_hub_place_clear(struct bt_hub_place *p)
{
	free(p->folder);
	free(p->locks);
	free(p->dir);
}

int bt_hub_place_blob(const struct bt_hub_place *p, struct bt_hub_blob *b,
                      struct bt_error *err)
{
	struct bt_buf s = BT_BUF_INIT;
	const char *hash = b->file->hash, *base;
	int r;

	b->by_hash = p->folder != NULL;
	b->replace = p->job->force;
	if (p->folder != NULL) {
		bt_buf_printf(&s, "%s/blobs/%s", p->folder, hash);
		b->path = bt_buf_detach(&s);
		bt_buf_printf(&s, "%s.incomplete", b->path);
		b->partial = bt_buf_detach(&s);
		bt_buf_printf(&s, "%s/%s.lock", p->locks, hash);
		b->lock = bt_buf_detach(&s);
	} else {
		b->path = bt_path_join(p->dir, b->file->name);
		base = strrchr(b->path, '/') + 1;
		bt_buf_printf(&s, "%.*s.%.200s.%.12s.incomplete",
		              (int)(base - b->path), b->path, base, hash);
		b->partial = bt_buf_detach(&s);
		b->lock = bt_strndup(b->partial, strlen(b->partial));
	}
	r = bt_path_above(b->path, err);
	return r == BT_OK ? bt_path_above(b->lock, err) : r;
}

int bt_hub_place_link(const struct bt_hub_place *p, const struct bt_hub_file *f,
                      struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	char *path, *temp, *to;
	const char *c;
	int r;

	if (p->folder == NULL)
		return BT_OK;
	path = bt_path_join(p->dir, f->name);
	for (c = f->name; c != NULL; c = strchr(c + 1, '/'))
		bt_buf_puts(&b, "../");
	bt_buf_printf(&b, "../blobs/%s", f->hash);
	to = bt_buf_detach(&b);
	bt_buf_printf(&b, "%s.%ld.new", path, (long)getpid());
	temp = bt_buf_detach(&b);
	r = bt_path_above(path, err);
	(void)unlink(temp);
	if (r == BT_OK && (symlink(to, temp) != 0 || rename(temp, path) != 0)) {
		r = bt_error_sys(err, errno, "cannot create '%s'", path);
		(void)unlink(temp);
	}
	free(path);
	free(temp);
	free(to);
	return r;
}

int bt_hub_place_refer(const struct bt_hub_place *p, const char *commit,
                       struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	char *path;
	int r;

	if (p->folder == NULL || strcmp(revision(p->job), commit) == 0)
		return BT_OK;
	bt_buf_printf(&b, "%s/refs/%s", p->folder, revision(p->job));
	path = bt_buf_detach(&b);
	r = bt_path_above(path, err);
	if (r == BT_OK)
		r = bt_out_whole(path, commit, strlen(commit), err);
	free(path);
	return r;
}

#else
typedef int bt_no_place; /* an empty file is not C */
#endif
