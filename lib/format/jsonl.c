/* SPDX-License-Identifier: MIT */
#include "format/jsonl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/charset.h"
#include "format/jsonl_int.h"

#define RAW_MAX ((size_t)1 << 20) /* bytes kept of a line that is too long */

struct bt_jsonl {
	struct bt_in *in;
	struct bt_jsonl_object object;
	size_t max;
	size_t used;    /* bytes of the last line that are still to be passed */
	uint64_t lines; /* begun so far */
	uint64_t record;
	struct bt_span text;  /* of the line, without its end */
	struct bt_buf beyond; /* of a line that is too long: how it begins */
	enum bt_jsonl_fault fault;
};

int bt_jsonl_from(struct bt_in *in, const struct bt_span *keys, size_t n,
                  size_t max, struct bt_jsonl **jsonl, struct bt_error *err)
{
	struct bt_jsonl *j = bt_array0(1, sizeof(*j));
	int r;

	j->in = in;
	j->max = max;
	j->object.keys = keys;
	j->object.n = n;
	j->object.values = bt_array0(n, sizeof(*j->object.values));
	j->object.found = bt_array0(n, sizeof(*j->object.found));
	j->object.lists = bt_array0(n, sizeof(*j->object.lists));
	r = bt_in_skip_mark(in, err);
	if (r == BT_OK)
		*jsonl = j;
	else
		bt_jsonl_close(j);
	return r;
}

void bt_jsonl_allow_list(struct bt_jsonl *j, size_t i)
{
	j->object.lists[i] = true;
}

void bt_jsonl_close(struct bt_jsonl *j)
{
	if (j == NULL)
		return;
	bt_in_close(j->in);
	free(j->object.values);
	free(j->object.found);
	bt_buf_clear(&j->object.bytes);
	free(j->object.lists);
	bt_buf_clear(&j->object.key);
	bt_buf_clear(&j->object.path);
	bt_buf_clear(&j->beyond);
	free(j);
}

/* Passes the rest of a line that is too long. */
static int pass_line(struct bt_jsonl *j, struct bt_error *err)
{
	const uint8_t *p, *q = NULL;
	size_t got;
	int r;

	bt_buf_reset(&j->beyond);
	do {
		r = bt_in_some(j->in, 1, &p, &got, err);
		if (r != BT_OK)
			return r;
		q = got > 0 ? memchr(p, '\n', got) : NULL;
		if (q != NULL)
			got = (size_t)(q - p);
		if (j->beyond.len == 0)
			bt_buf_put(&j->beyond, p,
			           got < RAW_MAX ? got : RAW_MAX);
		bt_in_skip(j->in, got + (q != NULL));
	} while (q == NULL && got > 0);
	j->text = (struct bt_span){j->beyond.data, j->beyond.len};
	j->used = 0;
	j->fault = BT_JSONL_LARGE;
	return bt_error_set(err, BT_ELIMIT, "longer than %zu bytes", j->max);
}

/* 1: j->text is the next line; 0: no more; else an error. */
static int read_line(struct bt_jsonl *j, struct bt_error *err)
{
	const uint8_t *p, *q = NULL;
	size_t seen = 0, got;
	int r;

	bt_in_skip(j->in, j->used);
	j->used = 0;
	for (;;) {
		r = bt_in_some(j->in, seen + 1, &p, &got, err);
		if (r != BT_OK)
			return r;
		if (got <= seen)
			break;
		q = memchr(p + seen, '\n', got - seen);
		if (q != NULL)
			break;
		seen = got;
		if (seen > j->max)
			break;
	}
	if (q == NULL && seen == 0)
		return 0;
	j->lines++;
	j->text.p = (const char *)p;
	j->text.n = q != NULL ? (size_t)(q - p) : seen;
	j->used = j->text.n + (q != NULL);
	if (j->text.n > 0 && j->text.p[j->text.n - 1] == '\r')
		j->text.n--;
	if (j->text.n > j->max)
		return pass_line(j, err);
	return 1;
}

static int parse(struct bt_jsonl *j, struct bt_error *err)
{
	size_t at = bt_charset_check(BT_CHARSET_UTF8, j->text.p, j->text.n);
	int r;

	if (at < j->text.n) {
		j->fault = BT_JSONL_CHARSET;
		return bt_error_set(err, BT_EFORMAT,
		                    "byte %zu: not valid utf-8 (byte %02X)",
		                    at + 1, (unsigned char)j->text.p[at]);
	}
	r = bt_jsonl_parse(&j->object, j->text, err);
	j->fault = j->object.fault;
	return r;
}

int bt_jsonl_next(struct bt_jsonl *j, const struct bt_span **values,
                  struct bt_error *err)
{
	int r;

	j->fault = BT_JSONL_FINE;
	do
		r = read_line(j, err);
	while (r == 1 && bt_span_trim(j->text, " \t\r").n == 0);
	if (r == 0)
		return 0;
	if (r < 0 && j->fault == BT_JSONL_FINE)
		return r;
	j->record++;
	if (r == 1)
		r = parse(j, err);
	if (r == BT_OK) {
		*values = j->object.values;
		return 1;
	}
	return j->fault == BT_JSONL_FINE ? r : bt_jsonl_blame(j, err);
}

enum bt_jsonl_fault bt_jsonl_fault(const struct bt_jsonl *j)
{
	return j->fault;
}

int bt_jsonl_blame(const struct bt_jsonl *j, struct bt_error *err)
{
	return bt_error_prefix(err, "record %llu (line %llu)",
	                       (unsigned long long)j->record,
	                       (unsigned long long)j->lines);
}

uint64_t bt_jsonl_line(const struct bt_jsonl *j)
{
	return j->lines;
}

struct bt_span bt_jsonl_raw(const struct bt_jsonl *j)
{
	return j->text;
}

const char *bt_jsonl_name(const struct bt_jsonl *j)
{
	return bt_in_name(j->in);
}

uint64_t bt_jsonl_offset(const struct bt_jsonl *j)
{
	return bt_in_offset(j->in);
}
