/* SPDX-License-Identifier: MIT */
/* Folds of groups, against scikit-learn's (tests/fixtures/group-folds.py). */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "recordset/group_folds.h"
#include "test.h"

static void check(FILE *f, unsigned seed, unsigned folds, unsigned n,
                  unsigned groups, unsigned classes)
{
	struct bt_bitpack group = BT_BITPACK_INIT, class = BT_BITPACK_INIT;
	struct bt_bitpack fold = BT_BITPACK_INIT;
	struct bt_group_folds g = {seed,   folds,  n,
	                           &group, groups, classes > 0 ? &class : NULL,
	                           classes};
	unsigned *want = bt_array(n, sizeof(*want)), x, y, i;
	struct bt_error err = {0};

	assert_non_null(want);
	assert_int_equal(bt_bitpack_init(&group, n, groups), 0);
	assert_int_equal(bt_bitpack_init(&class, n, classes + 1), 0);
	for (i = 0; i < n; i++) {
		assert_int_equal(fscanf(f, "%u %u %u", &x, &y, &want[i]), 3);
		bt_bitpack_set(&group, i, x);
		bt_bitpack_set(&class, i, y);
	}
	assert_int_equal(bt_group_folds_choose(&g, &fold, &err), 0);
	for (i = 0; i < n; i++)
		assert_int_equal(bt_bitpack_get(&fold, i), want[i]);
	bt_bitpack_clear(&fold);
	g.folds = groups + 1;
	assert_int_equal(bt_group_folds_choose(&g, &fold, &err), BT_EFORMAT);
	bt_bitpack_clear(&group);
	bt_bitpack_clear(&class);
	free(want);
}

TEST(as_scikit_learn)
{
	const char *top = getenv("TEST_TOP");
	unsigned seed, folds, n, groups, classes, cases = 0;
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/data/group-folds.txt",
	         top != NULL ? top : ".");
	f = fopen(path, "r");
	assert_non_null(f);
	while (fscanf(f, "%u %u %u %u %u", &seed, &folds, &n, &groups,
	              &classes) == 5) {
		check(f, seed, folds, n, groups, classes);
		cases++;
	}
	fclose(f);
	assert_int_equal(cases, 24);
}
