/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/suggest.h"

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t bt_suggest_distance(const char *a, const char *b)
{
	size_t rows[3][BT_SUGGEST_LONGEST + 1], n = strlen(b), i, j;
	size_t *before = rows[0], *above = rows[1], *row = rows[2], *free;

	for (j = 0; j <= n; j++)
		row[j] = j;
	for (i = 1; a[i - 1] != '\0'; i++) {
		free = before;
		before = above;
		above = row;
		row = free;
		row[0] = i;
		for (j = 1; j <= n; j++) {
			row[j] = least(least(above[j], row[j - 1]) + 1,
			               above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return row[n];
}

/* The next word of *s, of *n bytes; false at the end. */
static bool next_word(const char **s, const char **word, size_t *n)
{
	*s += strspn(*s, "-_");
	*word = *s;
	*n = strcspn(*s, "-_");
	*s += *n;
	return *n > 0;
}

static bool has_word(const char *name, const char *word, size_t n)
{
	const char *w;
	size_t k;

	while (next_word(&name, &w, &k))
		if (k == n && memcmp(w, word, n) == 0)
			return true;
	return false;
}

bool bt_suggest_words(const char *ours, const char *theirs)
{
	bool among = true, letters = true;
	const char *w, *letter = theirs;
	size_t n, words = 0;

	while (next_word(&ours, &w, &n)) {
		among = among && has_word(theirs, w, n);
		letters = letters && *letter == *w;
		letter += *letter != '\0';
		words++;
	}
	return words > 0 &&
	       (among || (letters && words > 1 && *letter == '\0'));
}
