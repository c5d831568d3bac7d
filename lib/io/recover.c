/* SPDX-License-Identifier: MIT */
#include "io/recover.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/crc32c.h"
#include "io/in.h"
#include "io/tfrecord.h"

#define HEADER 12 /* length and its checksum */
#define FOOTER 4

struct bt_recover {
	char *const *paths;
	int n_paths, next_path;
	const struct bt_log *log;
	struct bt_in *in; /* NULL between files */
	char *file;
	uint64_t record, total;
	size_t pending; /* bytes of the last record */
	bool damaged;   /* from byte lost_from on */
	uint64_t lost_from;
};

static int open_next(struct bt_recover *r, struct bt_error *err)
{
	const char *path = r->n_paths == 0 ? NULL : r->paths[r->next_path];
	const char *name;
	int e = bt_in_open(path, &r->in, err);

	if (e != BT_OK)
		return e;
	r->next_path++;
	r->record = 0;
	r->pending = 0;
	r->damaged = false;
	free(r->file);
	name = bt_in_name(r->in);
	r->file = bt_strndup(name, strlen(name));
	return r->file == NULL ? bt_error_nomem(err, "opening records") : BT_OK;
}

int bt_recover_open(char *const *paths, int n, const struct bt_log *log,
                    struct bt_recover **res, struct bt_error *err)
{
	struct bt_recover *r = bt_array0(1, sizeof(*r));
	int e;

	if (r == NULL)
		return bt_error_nomem(err, "opening records");
	r->paths = paths;
	r->n_paths = n;
	r->log = log;
	e = open_next(r, err);
	if (e == BT_OK)
		*res = r;
	else
		bt_recover_close(r);
	return e;
}

void bt_recover_close(struct bt_recover *r)
{
	if (r == NULL)
		return;
	bt_in_close(r->in);
	free(r->file);
	free(r);
}

static void tell(struct bt_recover *r)
{
	uint64_t to = bt_in_offset(r->in);

	if (r->damaged)
		bt_log(r->log, BT_LOG_WARN,
		       "%s: %llu bytes from byte %llu on are damaged and left "
		       "out, with an unknown number of records",
		       r->file, (unsigned long long)(to - r->lost_from),
		       (unsigned long long)r->lost_from);
	r->damaged = false;
}

static bool crc_holds(const uint8_t *p, size_t n)
{
	uint32_t crc;

	memcpy(&crc, p + n, sizeof(crc));
	return bt_crc32c_mask(bt_crc32c(0, p, n)) == crc;
}

/* 1: a whole record of len bytes stands here; 0: none does; 2: the end. */
static int look(struct bt_recover *r, const uint8_t **data, size_t *len,
                struct bt_error *err)
{
	const uint8_t *p;
	size_t got, whole;
	uint64_t n;
	int e = bt_in_peek(r->in, HEADER, &p, &got, err);

	if (e != BT_OK)
		return e;
	if (got == 0)
		return 2;
	if (got < HEADER || !crc_holds(p, 8))
		return 0;
	memcpy(&n, p, sizeof(n));
	if (n > BT_TFREC_MAX)
		return 0;
	whole = HEADER + (size_t)n + FOOTER;
	e = bt_in_peek(r->in, whole, &p, &got, err);
	if (e != BT_OK)
		return e;
	if (got < whole || !crc_holds(p + HEADER, (size_t)n))
		return 0;
	*data = p + HEADER;
	*len = (size_t)n;
	return 1;
}

/* As bt_recover_next, within the open file. */
static int next_in_file(struct bt_recover *r, const uint8_t **data, size_t *len,
                        struct bt_error *err)
{
	int e;

	bt_in_skip(r->in, r->pending);
	r->pending = 0;
	while ((e = look(r, data, len, err)) == 0) {
		if (!r->damaged)
			r->lost_from = bt_in_offset(r->in);
		r->damaged = true;
		bt_in_skip(r->in, 1);
	}
	if (e < 0)
		return e;
	if (e == 2 && r->record == 0 && r->damaged)
		return bt_error_set(err, BT_ECORRUPT,
		                    "cannot recover %s: not one record of it "
		                    "is whole",
		                    r->file);
	tell(r);
	if (e == 2)
		return 0;
	r->record++;
	r->total++;
	r->pending = HEADER + *len + FOOTER;
	return 1;
}

int bt_recover_next(struct bt_recover *r, const uint8_t **data, size_t *len,
                    struct bt_error *err)
{
	int e;

	for (;;) {
		if (r->in == NULL) {
			if (r->next_path >= r->n_paths)
				return 0;
			e = open_next(r, err);
			if (e != BT_OK)
				return e;
		}
		e = next_in_file(r, data, len, err);
		if (e != 0)
			return e;
		bt_in_close(r->in);
		r->in = NULL;
	}
}

const char *bt_recover_file(const struct bt_recover *r)
{
	return r->file;
}

uint64_t bt_recover_record(const struct bt_recover *r)
{
	return r->record;
}

uint64_t bt_recover_total(const struct bt_recover *r)
{
	return r->total;
}
