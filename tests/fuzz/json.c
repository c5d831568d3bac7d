/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as a JSON object, with every kind of member asked for. */
#include "fuzz.h"

#include "format/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bt_error err = {0};
	const char *key, *s;
	int64_t i = 0;
	double d = 0;
	bool b = false;
	int unique;
	json_t *o, *v;

	for (unique = 0; unique < 2; unique++) {
		bt_error_clear(&err);
		if (fuzz_told(bt_json_parse("input", (const char *)data, size,
		                            unique, &o, &err),
		              &err) != BT_OK)
			continue;
		FUZZ_CHECK(json_is_object(o));
		json_object_foreach(o, key, v)
		{
			struct bt_error e[4] = {{0}};

			s = NULL;
			fuzz_told(bt_json_int(o, key, -9, 999999, &i, &e[0]),
			          &e[0]);
			fuzz_told(bt_json_real(o, key, -1e9, 1e9, &d, &e[1]),
			          &e[1]);
			fuzz_told(bt_json_bool(o, key, &b, &e[2]), &e[2]);
			fuzz_told(bt_json_str(o, key, &s, &e[3]), &e[3]);
			FUZZ_CHECK(s == NULL || json_is_string(v));
		}
		json_decref(o);
	}
	return 0;
}
