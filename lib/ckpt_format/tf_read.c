/* SPDX-License-Identifier: MIT */
/* Where the bytes are that the index of a TensorFlow checkpoint speaks of. */
#include <string.h>
#include <sys/stat.h>

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
static int look(struct bt_tf_read *r, uint64_t i, struct bt_tf_shard *s,
                struct bt_error *err)
{
	const char *end = strstr(r->f->path, ".index");
	struct bt_buf b = BT_BUF_INIT;
	struct stat st;

	s->looked = true;
	while (end != NULL && end[6] != '\0')
		end = strstr(end + 1, ".index");
	if (!r->f->mapped || end == NULL)
		return BT_OK;
	bt_buf_printf(&b, "%.*s.data-%05llu-of-%05zu", (int)(end - r->f->path),
	              r->f->path, (unsigned long long)i, r->n_shards);
	s->path = bt_ckpt_keep_str(r->c, bt_buf_str(&b));
	bt_buf_clear(&b);
	if (stat(s->path, &st) != 0)
		return BT_OK;
	if (!S_ISREG(st.st_mode) || st.st_size != 0)
		return bt_ckpt_map(r->c, s->path, &s->f, err);
	/* all tensors are empty; nothing can be mapped */
	s->f = bt_ckpt_add_memory(r->c, s->path, "", 0);
	return s->f != NULL ? BT_OK : bt_error_nomem(err, "reading an index");
}

/* Where the bytes of an entry are; *p is NULL where the file is missing. */
int bt_tf_read_locate(struct bt_tf_read *r, const char *name,
                      const struct bt_tf_entry *e, const uint8_t **p,
                      const char **file, struct bt_error *err)
{
	struct bt_tf_shard *s;
	int code;

	if (e->shard >= r->n_shards)
		return bt_tf_read_bad(r, name,
		                      "is in a file that there cannot be", err);
	s = &r->shards[e->shard];
	code = s->looked ? BT_OK : look(r, e->shard, s, err);
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
	if (bt_grow(&r->places, &r->cap_places, r->n_places + 1,
	            sizeof(*r->places)) != BT_OK)
		return bt_error_nomem(err, "reading an index");
	r->places[r->n_places++] = (struct bt_tf_location){
	    e->shard, e->offset, e->offset + e->size, name};
	*p = s->f != NULL ? s->f->data + e->offset : NULL;
	*file = s->path != NULL ? s->path : r->f->path;
	return BT_OK;
}
