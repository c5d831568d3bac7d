/* SPDX-License-Identifier: MIT */
/* Shared libraries that are loaded while the program runs, if they are there.
 */
#ifndef BT_BASE_LIBRARY_H
#define BT_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Where the address of a symbol goes in the caller's struct of pointers. */
struct bt_symbol {
	const char *name;
	size_t at;
};

/*
 * Loads a library by its file name, as the system finds it, for the rest of the
 * process, and puts the addresses of n symbols, its own or of a library that it
 * needs, into api. global: libraries that are loaded later find its symbols.
 * BT_EARG with the system's reason if it or a symbol is missing.
 */
int bt_library_load(const char *name, bool global,
                    const struct bt_symbol *symbols, size_t n, void *api,
                    struct bt_error *err) BT_MUST_USE;

#endif
