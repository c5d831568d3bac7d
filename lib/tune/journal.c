/* SPDX-License-Identifier: MIT */
#include "tune/journal_int.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file_use.h"
#include "base/mem.h"
#include "format/json.h"
#include "io/in.h"
#include "io/path.h"
#include "tune/tune.h"

#define MOST ((size_t)256 << 20) /* bytes of the file */

static void forget(struct bt_tune_journal *j)
{
	size_t i;

	for (i = 0; i < j->n; i++)
		json_decref(j->line[i]);
	json_decref(j->head);
	json_decref(j->result);
	j->head = j->result = NULL;
	j->n = 0;
	j->size = 0;
}

void bt_tune_journal_clear(struct bt_tune_journal *j)
{
	int r = bt_append_close(j->to, NULL);

	(void)r; /* every line is on the disk */
	forget(j);
	free(j->line);
	free(j->path);
	memset(j, 0, sizeof(*j));
}

void bt_tune_journal_forget(struct bt_tune_journal *j)
{
	forget(j);
	(void)unlink(j->path);
}

/* Puts a line where it belongs, which is then the journal's. */
static int keep(struct bt_tune_journal *j, json_t *o, struct bt_error *err)
{
	if (j->head == NULL) {
		j->head = o;
	} else if (json_object_get(o, "trial") == NULL) {
		json_decref(j->result);
		j->result = o;
	} else if (bt_grow(&j->line, &j->cap, j->n + 1, sizeof(*j->line)) !=
	           BT_OK) {
		json_decref(o);
		return bt_error_nomem(err, "reading trials");
	} else {
		j->line[j->n++] = o;
	}
	return BT_OK;
}

/* The members that are counted on are there. */
static int check(const struct bt_tune_journal *j, const json_t *o,
                 struct bt_error *err)
{
	static const char *const numbers[] = {"share", "updates", "of",
	                                      "seconds", "training_seconds"};
	size_t i;

	if (j->head == NULL && json_is_string(json_object_get(o, "command")) &&
	    json_is_string(json_object_get(o, "metric")))
		return BT_OK;
	if (j->head != NULL && json_object_get(o, "trial") == NULL &&
	    json_is_integer(json_object_get(o, "best_trial")))
		return BT_OK;
	for (i = 0; i < 5; i++)
		if (!json_is_number(json_object_get(o, numbers[i])))
			break;
	if (j->head != NULL && i == 5 &&
	    json_is_integer(json_object_get(o, "trial")) &&
	    json_is_string(json_object_get(o, "end")))
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "'%s' is not the file of a search: line %zu",
	                    j->path, j->n + 1 + (j->head != NULL));
}

int bt_tune_journal_open(struct bt_tune_journal *j, const char *dir,
                         struct bt_error *err)
{
	char *data = NULL, *p, *end;
	size_t n = 0;
	json_t *o;
	int r = BT_OK;

	j->path = bt_path_join(dir, BT_TUNE_FILE);
	if (!bt_path_is_file(j->path))
		return BT_OK;
	bt_file_use_own(true);
	r = bt_in_whole(j->path, MOST, &data, &n, err);
	bt_file_use_own(false);
	for (p = data; r == BT_OK && n > 0; p = end + 1) {
		end = memchr(p, '\n', n);
		if (end == NULL)
			break; /* of a run that was killed */
		n -= (size_t)(end + 1 - p);
		r = bt_json_parse(j->path, p, (size_t)(end - p), true, &o, err);
		if (r == BT_OK && (r = check(j, o, err)) != BT_OK)
			json_decref(o);
		if (r == BT_OK)
			r = keep(j, o, err);
		j->size = (uint64_t)(end + 1 - data);
	}
	free(data);
	return r;
}

int bt_tune_journal_add(struct bt_tune_journal *j, json_t *o,
                        struct bt_error *err)
{
	char *text = json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII);
	struct bt_buf b = BT_BUF_INIT;
	int r = BT_OK;

	if (o == NULL || text == NULL)
		r = bt_error_nomem(err, "writing trials");
	bt_buf_printf(&b, "%s\n", text != NULL ? text : "");
	if (r == BT_OK && j->to == NULL)
		r = bt_append_open(j->path, j->size, &j->to, err);
	if (r == BT_OK)
		r = bt_append_write(j->to, b.data, b.len, err);
	if (r == BT_OK)
		r = bt_append_sync(j->to, err);
	bt_buf_clear(&b);
	free(text);
	if (r != BT_OK) {
		json_decref(o);
		return r;
	}
	return keep(j, o, err);
}

const json_t *bt_tune_journal_find(const struct bt_tune_journal *j,
                                   size_t trial, double share)
{
	size_t i;

	for (i = 0; i < j->n; i++)
		if (json_integer_value(json_object_get(j->line[i], "trial")) ==
		        (json_int_t)trial &&
		    json_number_value(json_object_get(j->line[i], "share")) ==
		        share)
			return j->line[i];
	return NULL;
}
