/* SPDX-License-Identifier: MIT */
/* Small questions about strings. */
#ifndef BT_BASE_STR_H
#define BT_BASE_STR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* How the pointer begins that Git LFS leaves in a clone in a file's place, and
 * what is to be said of that file. */
#define BT_LFS_POINTER "version https://git-lfs.github.com/spec/"
#define BT_LFS_SAYS                                                            \
	"only says where Git LFS keeps the file: git lfs pull fetches it"

/* Takes NULL. */
static inline bool bt_str_empty(const char *s)
{
	return s == NULL || *s == '\0';
}

static inline bool bt_str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

static inline bool bt_str_ends(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && memcmp(s + n - k, end, k) == 0;
}

/* Whether s, which may be NULL, is that word. */
static inline bool bt_str_is(const char *s, const char *word)
{
	return s != NULL && strcmp(s, word) == 0;
}

/* The first of n strings that are size bytes apart, any of them perhaps NULL,
 * that is this one; -1: none, or name is NULL. */
static inline int bt_str_find(const char *name, const char *const *first,
                              size_t n, size_t size)
{
	const char *s;
	size_t i;

	for (i = 0; name != NULL && i < n; i++) {
		memcpy(&s, (const char *)first + i * size, sizeof(s));
		if (bt_str_is(s, name))
			return (int)i;
	}
	return -1;
}

/* The place of a name in an array of names, or of structs with such a member.
 */
#define BT_STR_ROW(name, names)                                                \
	bt_str_find(name, &(names)[0], sizeof(names) / sizeof((names)[0]),     \
	            sizeof((names)[0]))
#define BT_STR_ROW_BY(name, rows, member)                                      \
	bt_str_find(name, &(rows)[0].member, sizeof(rows) / sizeof((rows)[0]), \
	            sizeof((rows)[0]))

/* Whether word is one of "a|b|c"; NULL is an empty list. */
static inline bool bt_str_in_list(const char *list, const char *word)
{
	size_t n = strlen(word), len;

	for (; list != NULL; list = list[len] != '\0' ? list + len + 1 : NULL) {
		len = strcspn(list, "|");
		if (len == n && memcmp(list, word, n) == 0)
			return true;
	}
	return false;
}

/* The end of a noun that counts n things: "%zu record%s". */
static inline const char *bt_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
