/* SPDX-License-Identifier: MIT */
#include "finetune/inputs.h"

#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"
#include "ckpt/fingerprint.h"
#include "ckpt/open.h"
#include "format/tfrecord.h"
#include "io/in.h"
#include "io/path.h"

/* The members, and what a message calls them. */
static const struct {
	const char *key, *others;
} input[] = {{"data", "other records"},
             {"model", "another starting model"},
             {"config", "another configuration of the model"},
             {"teacher", "another teacher"},
             {"pseudo_labels", "other predicted labels"}};

#define INPUTS (sizeof(input) / sizeof(input[0]))

static void put(json_t *sums, const char *key, uint32_t sum)
{
	char text[9];

	snprintf(text, sizeof(text), "%08x", (unsigned)sum);
	json_object_set_new(sums, key, json_string(text));
}

static int add(char *const *paths, int n, struct bt_tfrecord_sum *sum,
               struct bt_error *err)
{
	struct bt_tfrecord *in;
	const uint8_t *data;
	size_t len;
	int i, r = BT_OK;

	for (i = 0; r == BT_OK && i < n; i++)
		r = bt_path_refuse_pipe(paths[i], err);
	if (r == BT_OK)
		r = bt_tfrecord_open(paths, n, &in, err);
	if (r != BT_OK)
		return r;
	bt_tfrecord_add_to(in, sum);
	do
		r = bt_tfrecord_next(in, &data, &len, err);
	while (r == 1);
	bt_tfrecord_close(in);
	return r;
}

static int add_records(json_t *sums, const struct bt_inputs *o,
                       struct bt_error *err)
{
	struct bt_tfrecord_sum all = {0};
	char *const one[] = {(char *)o->eval};
	char parted[24];
	int r = add(o->records, o->n_records, &all, err);

	if (r == BT_OK && o->eval != NULL) {
		snprintf(parted, sizeof(parted), "%llu",
		         (unsigned long long)all.records);
		all.crc = bt_crc32c(all.crc, parted, strlen(parted));
		r = add(one, 1, &all, err);
	}
	put(sums, "data", all.crc);
	return r;
}

static void add_model(json_t *sums, const char *path)
{
	struct bt_ckpt *c;
	uint32_t sum;

	if (path == NULL)
		json_object_set_new(sums, "model", json_null());
	if (path == NULL || bt_ckpt_open(path, &c, NULL) != BT_OK)
		return;
	if (bt_ckpt_fingerprint(c, false, &sum, NULL) == BT_OK)
		put(sums, "model", sum);
	bt_ckpt_close(c);
}

static int add_file(json_t *sums, const char *key, const char *path,
                    struct bt_error *err)
{
	struct bt_in *in = NULL;
	const uint8_t *data;
	uint32_t sum = 0;
	size_t n = 1;
	int r;

	if (path == NULL)
		json_object_set_new(sums, key, json_null());
	if (path == NULL)
		return BT_OK;
	if ((r = bt_path_refuse_pipe(path, err)))
		return r;
	r = bt_in_open(path, &in, NULL);
	while (r == BT_OK && n > 0) {
		r = bt_in_some(in, 1, &data, &n, NULL);
		if (r == BT_OK) {
			sum = bt_crc32c(sum, data, n);
			bt_in_skip(in, n);
		}
	}
	bt_in_close(in);
	if (r == BT_OK)
		put(sums, key, sum);
	return BT_OK;
}

int bt_inputs_sum(const struct bt_inputs *o, json_t **sums,
                  struct bt_error *err)
{
	json_t *s = json_object();
	int r = add_records(s, o, err);

	if (r == BT_OK)
		r = add_file(s, "config", o->config, err);
	if (r == BT_OK)
		r = add_file(s, "teacher", o->teacher, err);
	if (r == BT_OK)
		r = add_file(s, "pseudo_labels", o->pseudo_labels, err);
	if (r == BT_OK)
		add_model(s, o->model);
	*sums = s;
	return r;
}

int bt_inputs_check(const json_t *then, const json_t *sums, const char *dir,
                    const char *name, enum bt_hint hint, struct bt_error *err)
{
	const json_t *old, *now;
	size_t i;

	for (i = 0; i < INPUTS; i++) {
		old = json_object_get(then, input[i].key);
		now = json_object_get(sums, input[i].key);
		if (old != NULL && now != NULL && !json_equal(old, now))
			return bt_error_hint(
			    err, hint,
			    bt_error_set(err, BT_EARG,
			                 "'%s/%s' is of %s than given now", dir,
			                 name, input[i].others));
	}
	return BT_OK;
}
