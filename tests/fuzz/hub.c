/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes up to a NUL as what a hub tells of a model, those behind it as the
 * list of modules and the index of shards, and as a pattern of names. */
#include "fuzz.h"

#include <stdlib.h>

#include "base/mem.h"
#include "hub/select.h"

struct rest {
	const uint8_t *data;
	size_t size;
};

static int text(void *ctx, struct bt_hub_file *f, char **res, size_t *len,
                struct bt_error *err)
{
	const struct rest *r = ctx;

	(void)f;
	(void)err;
	*res = bt_strndup(r->size > 0 ? (const char *)r->data : "", r->size);
	*len = r->size;
	return BT_OK;
}

/* The chosen files of a data set are files of the listing, in its order. */
static void select_data(const struct bt_hub_listing *l,
                        const char *const *patterns, size_t n)
{
	struct bt_hub_selection s;
	struct bt_error err = {0};
	size_t i;

	if (fuzz_told(bt_hub_select_data(l, patterns, n, &s, &err), &err) ==
	    BT_OK) {
		FUZZ_CHECK(s.n > 0 && s.n <= l->n);
		for (i = 0; i < s.n; i++)
			FUZZ_CHECK(s.file[i] >=
			               (i > 0 ? s.file[i - 1] + 1 : l->file) &&
			           s.file[i] < l->file + l->n);
	}
	bt_hub_selection_clear(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size > 0 ? memchr(data, 0, size) : NULL;
	size_t n = nul != NULL ? (size_t)(nul - data) : size, i;
	struct rest rest = {data + n + (nul != NULL), size - n - (nul != NULL)};
	struct bt_hub_listing l;
	struct bt_hub_selection s;
	struct bt_error err = {0};
	const char *patterns[] = {NULL, "*.csv"};
	char *pattern;

	if (fuzz_told(bt_hub_listing_read((const char *)data, n, &l, &err),
	              &err) == BT_OK) {
		FUZZ_CHECK(strlen(l.commit) == 40);
		for (i = 0; i < l.n; i++) {
			const char *name = l.file[i].name;

			FUZZ_CHECK(name[0] != '/' && name[0] != '\0');
			FUZZ_CHECK(strstr(name, "/../") == NULL &&
			           strncmp(name, "../", 3) != 0);
			FUZZ_CHECK(strchr(l.file[i].hash, '/') == NULL);
		}
		if (fuzz_told(bt_hub_select(&l, text, &rest, &s, &err), &err) ==
		    BT_OK)
			for (i = 0; i < s.n; i++)
				FUZZ_CHECK(s.file[i] >= l.file &&
				           s.file[i] < l.file + l.n);
		bt_hub_selection_clear(&s);
		patterns[0] = pattern = bt_strndup(
		    rest.size > 0 ? (const char *)rest.data : "", rest.size);
		select_data(&l, patterns, 0);
		select_data(&l, patterns, 2);
		free(pattern);
	}
	bt_hub_listing_clear(&l);
	return 0;
}
