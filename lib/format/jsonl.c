/* SPDX-License-Identifier: MIT */
#include "format/jsonl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/charset.h"
#include "format/json_texts.h"
#include "format/jsonl_int.h"

struct bt_jsonl {
	struct bt_in *in;
	struct bt_json_texts texts;
	struct bt_jsonl_object object;
	uint64_t record;
	enum bt_jsonl_fault fault;
};

int bt_jsonl_from(struct bt_in *in, const struct bt_span *keys, size_t n,
                  size_t max, struct bt_jsonl **jsonl, struct bt_error *err)
{
	struct bt_jsonl *j = bt_array0(1, sizeof(*j));
	int r;

	j->in = in;
	bt_json_texts_init(&j->texts, in, max);
	j->object.keys = keys;
	j->object.n = n;
	j->object.values = bt_array0(n, sizeof(*j->object.values));
	j->object.found = bt_array0(n, sizeof(*j->object.found));
	j->object.lists = bt_array0(n, sizeof(*j->object.lists));
	j->object.texts = bt_array0(n, sizeof(*j->object.texts));
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
	free(j->object.texts);
	bt_buf_clear(&j->object.key);
	bt_buf_clear(&j->object.path);
	bt_json_texts_clear(&j->texts);
	free(j);
}

static int parse(struct bt_jsonl *j, struct bt_error *err)
{
	struct bt_span text = j->texts.text;
	size_t at = bt_charset_check(BT_CHARSET_UTF8, text.p, text.n);
	int r;

	if (at < text.n) {
		j->fault = BT_JSONL_CHARSET;
		return bt_error_set(err, BT_EFORMAT,
		                    "byte %zu: not valid utf-8 (byte %02X)",
		                    at + 1, (unsigned char)text.p[at]);
	}
	r = bt_jsonl_parse(&j->object, text, err);
	j->fault = j->object.fault;
	return r;
}

int bt_jsonl_next(struct bt_jsonl *j, const struct bt_span **values,
                  struct bt_error *err)
{
	int r = bt_json_texts_next(&j->texts, err);

	j->fault = BT_JSONL_FINE;
	if (r == 0 || (r < 0 && !j->texts.bad))
		return r;
	j->record++;
	if (r == 1)
		r = parse(j, err);
	else
		j->fault = r == BT_ELIMIT ? BT_JSONL_LARGE : BT_JSONL_SYNTAX;
	if (r == BT_ELIMIT && j->object.n > 0)
		bt_error_hint(err,
		              bt_jsonl_rows_inside(&j->object, j->texts.text,
		                                   j->object.keys[0]),
		              r);
	if (r == BT_OK) {
		*values = j->object.values;
		return 1;
	}
	return j->fault == BT_JSONL_FINE ? r : bt_jsonl_blame(j, err);
}

bool bt_jsonl_is_string(const struct bt_jsonl *j, size_t i)
{
	return j->object.texts[i];
}

enum bt_jsonl_fault bt_jsonl_fault(const struct bt_jsonl *j)
{
	return j->fault;
}

int bt_jsonl_blame(const struct bt_jsonl *j, struct bt_error *err)
{
	return bt_error_prefix(err, "record %llu (line %llu)",
	                       (unsigned long long)j->record,
	                       (unsigned long long)j->texts.line);
}

uint64_t bt_jsonl_line(const struct bt_jsonl *j)
{
	return j->texts.line;
}

struct bt_span bt_jsonl_raw(const struct bt_jsonl *j)
{
	return j->texts.text;
}

const char *bt_jsonl_name(const struct bt_jsonl *j)
{
	return bt_in_name(j->in);
}

uint64_t bt_jsonl_offset(const struct bt_jsonl *j)
{
	return bt_in_offset(j->in);
}
