/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Words of a command line, a line each, read as Model Garden's flags. */
#include "fuzz.h"

#include "garden/flags.h"

#define MOST 64

struct args {
	struct bt_flags_common flags;
	const char *dir, *mode, *tpu;
	int64_t steps;
	double rate;
	bool xla;
	struct bt_opt_list files;
};

static const struct bt_flag table[] = {
    BT_FLAG_ROW(BT_FLAG_STR, "model_dir", "DIR", "", args, dir, .alias = "md",
                .required = true),
    BT_FLAG_ROW(BT_FLAG_ENUM, "mode", "train|predict", "", args, mode,
                .fold = true),
    BT_FLAG_ROW(BT_FLAG_STR, "tpu", "NAME", "", args, tpu, .idle = true,
                .refuse = "*", .why = "there is none"),
    BT_FLAG_NUMBER(BT_FLAG_INT, "steps", "", args, steps, -9, 1e9,
                   .idle = true),
    BT_FLAG_NUMBER(BT_FLAG_REAL, "rate", "", args, rate, 0, 1),
    BT_FLAG_ROW(BT_FLAG_BOOL, "xla", NULL, "", args, xla),
    BT_FLAG_ROW(BT_FLAG_MULTI, "file", "FILE", "", args, files),
    BT_FLAGS_COMMON(args),
    BT_FLAG_LAST,
};

static const struct bt_flags program = {{"tool", "", "", "", NULL}, table};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct args a = {.flags = BT_FLAGS_COMMON_INIT};
	char *text = malloc(size + 1), *argv[MOST + 2], *at = text;
	char name[] = "tool";
	struct bt_error err = {0};
	int argc = 0;

	FUZZ_CHECK(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	argv[argc++] = name;
	while (argc <= MOST && *at != '\0') {
		argv[argc++] = at;
		at += strcspn(at, "\n");
		if (*at != '\0')
			*at++ = '\0';
	}
	argv[argc] = NULL;
	switch (bt_flags_parse(&program, argc, argv, &a, &err)) {
	case BT_OPT_RUN:
		FUZZ_CHECK(a.dir != NULL && *a.dir != '\0');
		FUZZ_CHECK(a.tpu == NULL && a.rate >= 0 && a.rate <= 1);
		FUZZ_CHECK(a.mode == NULL || strcmp(a.mode, "train") == 0 ||
		           strcmp(a.mode, "predict") == 0);
		bt_flags_note(&program, &a, NULL);
		break;
	case BT_OPT_MISTAKE:
		FUZZ_CHECK(err.code == BT_EARG && err.text[0] != '\0');
		break;
	default:
		break;
	}
	free(text);
	return 0;
}
