/* SPDX-License-Identifier: MIT */
/*
 * Runs an entry without libFuzzer: over the committed inputs, each as it is,
 * cut off and with single bytes changed. A finding ends the program, with the
 * input in the file "input" and its origin on standard error. Some entries
 * write files: in the current directory.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>

#include "fuzz.h"

#define VARIANTS 16 /* of one file: so many cuts, so many changes */
#define MOST ((size_t)1 << 20)

static const char *const changed_to[] = {"\0", "\xff", "\"", "{", "\n", "9"};

static void try(const char *what, size_t at, const uint8_t *data, size_t size)
{
	/* a copy without a byte to spare, for the sanitizers */
	uint8_t *copy = malloc(size != 0 ? size : 1);

	FUZZ_CHECK(copy != NULL);
	memcpy(copy, data, size);
	fuzz_put("input", copy, size);
	fprintf(stderr, "# %s, byte %zu\n", what, at);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void run_file(const char *path)
{
	uint8_t *data = malloc(MOST), old;
	FILE *f = fopen(path, "rb");
	size_t n, i, at;

	FUZZ_CHECK(data != NULL && f != NULL);
	n = fread(data, 1, MOST, f);
	FUZZ_CHECK(!ferror(f));
	fclose(f);
	try(path, n, data, n);
	for (i = 0; i < VARIANTS && n > 0; i++) {
		at = n <= VARIANTS ? i % n : n * i / VARIANTS;
		try(path, at, data, at);
		old = data[at];
		data[at] = (uint8_t)changed_to[i % 6][0];
		try(path, at, data, n);
		data[at] = old;
	}
	free(data);
}

int main(int argc, char **argv)
{
	const char *top = getenv("TEST_TOP"), *slash = strrchr(argv[0], '/');
	char dir[4096], path[8192];
	struct dirent **e;
	int i, n, files = 0;

	snprintf(dir, sizeof(dir), "%s/tests/fuzz/corpus/%s",
	         top != NULL ? top : ".", slash != NULL ? slash + 1 : "");
	for (i = 1; i < argc; i++)
		run_file(argv[i]);
	n = argc > 1 ? 0 : scandir(dir, &e, NULL, alphasort);
	for (i = 0; i < n; i++) {
		if (e[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s", dir,
			         e[i]->d_name);
			run_file(path);
			files++;
		}
		free(e[i]);
	}
	if (n > 0)
		free(e);
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	(void)remove("input"); /* no finding */
	printf("%sok 1 - %d inputs of %s\n1..1\n",
	       argc == 1 && files == 0 ? "not " : "", files, dir);
	return argc == 1 && files == 0;
}
