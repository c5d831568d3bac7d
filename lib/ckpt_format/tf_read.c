/* SPDX-License-Identifier: MIT */
/* Where the bytes are that the index of a TensorFlow checkpoint speaks of. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "ckpt_format/tf_read_int.h"
#include "tensor/map.h"

int bt_tf_read_bad(const struct bt_tf_read *r, const char *name,
                   const char *what, struct bt_error *err)
{
	return bt_error_set(err, BT_ECORRUPT, "'%s': tensor '%.100s' %s",
	                    r->f->path, name, what);
}

/* Maps a shard when it is first asked for. */
static int look(struct bt_tf_read *r, uint64_t i, struct bt_tf_shard **res,
                struct bt_error *err)
{
	struct bt_tf_shard *s = &r->shards[i];
	const char *end = strstr(r->f->path, ".index");
	char tail[64], *path;
	struct stat st;
	size_t n;
	int e = BT_OK;

	*res = s;
	if (s->looked)
		return BT_OK;
	s->looked = true;
	while (end != NULL && end[6] != '\0')
		end = strstr(end + 1, ".index");
	if (!r->f->mapped || end == NULL)
		return BT_OK;
	n = (size_t)(end - r->f->path);
	snprintf(tail, sizeof(tail), ".data-%05llu-of-%05zu",
	         (unsigned long long)i, r->n_shards);
	path = bt_ckpt_keep(r->c, n + strlen(tail) + 1);
	if (path == NULL)
		return bt_error_nomem(err, "reading an index");
	memcpy(path, r->f->path, n);
	strcpy(path + n, tail);
	s->path = path;
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0) {
		/* all tensors are empty; nothing can be mapped */
		s->f = bt_ckpt_add_memory(r->c, path, "", 0);
		if (s->f == NULL)
			e = bt_error_nomem(err, "reading an index");
	} else if (access(path, F_OK) == 0) {
		e = bt_ckpt_map(r->c, path, &s->f, err);
	}
	return e;
}

/* Where the bytes of an entry are; *p is NULL where the file is missing. */
int bt_tf_read_locate(struct bt_tf_read *r, const char *name,
                      const struct bt_tf_entry *e, const uint8_t **p,
                      const char **file, struct bt_error *err)
{
	struct bt_tf_location *at;
	struct bt_tf_shard *s;
	int code;

	if (e->shard >= r->n_shards)
		return bt_tf_read_bad(r, name,
		                      "is in a file that there cannot be", err);
	code = look(r, e->shard, &s, err);
	if (code != BT_OK)
		return code;
	if (e->offset > INT64_MAX || e->size > INT64_MAX)
		return bt_tf_read_bad(r, name, "lies out of any file", err);
	if (s->f != NULL && (e->offset > s->f->size ||
	                     e->size > s->f->size - (size_t)e->offset))
		return bt_error_set(
		    err, BT_ETRUNCATED,
		    "'%s' holds %zu bytes, but tensor '%.100s' ends at %llu",
		    s->path, s->f->size, name,
		    (unsigned long long)(e->offset + e->size));
	if (bt_grow(&r->places, &r->cap_places, r->n_places + 1, sizeof(*at)) !=
	    BT_OK)
		return bt_error_nomem(err, "reading an index");
	at = &r->places[r->n_places++];
	at->shard = e->shard;
	at->begin = e->offset;
	at->end = e->offset + e->size;
	at->name = name;
	*p = s->f != NULL ? s->f->data + e->offset : NULL;
	*file = s->path != NULL ? s->path : r->f->path;
	return BT_OK;
}
