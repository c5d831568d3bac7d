/* SPDX-License-Identifier: MIT */
#include "ckpt/rename.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define PARTS 10 /* the match, and what \1 .. \9 stand for */

static int compile(regex_t *re, const char *text, int flags,
                   struct bt_error *err)
{
	char why[160];
	int e = regcomp(re, text, REG_EXTENDED | flags);

	if (e == 0)
		return BT_OK;
	regerror(e, re, why, sizeof(why));
	return bt_error_set(err, BT_EARG, "bad pattern '%.100s': %s", text,
	                    why);
}

int bt_rename_drop(struct bt_named_list *l, const char *pattern, size_t *n,
                   struct bt_error *err)
{
	regex_t re;
	size_t i;
	int r = compile(&re, pattern, REG_NOSUB, err);

	if (r != BT_OK)
		return r;
	*n = 0;
	for (i = l->n; i-- > 0;)
		if (regexec(&re, l->v[i].name, 0, NULL, 0) == 0) {
			bt_names_drop(l, i);
			++*n;
		}
	regfree(&re);
	return BT_OK;
}

/* "s/A/B/" and "s/A/B/g", taken apart. */
struct rule {
	char *pattern, *with;
	bool all;
};

/* A copy of p up to the mark, which a backslash before it makes part of it;
 * *end is behind the mark, NULL where there is none. */
static char *until(const char *p, char mark, const char **end)
{
	struct bt_buf b = BT_BUF_INIT;

	for (; *p != '\0' && *p != mark; p++) {
		if (*p == '\\' && p[1] == mark)
			p++;
		else if (*p == '\\' && p[1] != '\0')
			bt_buf_putc(&b, *p++);
		bt_buf_putc(&b, *p);
	}
	*end = *p == mark ? p + 1 : NULL;
	return bt_buf_detach(&b);
}

static int bad_rule(const char *text, struct bt_error *err)
{
	return bt_error_set(
	    err, BT_EARG,
	    "'%.100s' is not a rule: expected s/PATTERN/NAME/ or "
	    "FROM=TO",
	    text);
}

static int parse(const char *text, struct rule *rule, struct bt_error *err)
{
	const char *p;

	rule->with = NULL;
	rule->pattern = until(text + 2, text[1], &p);
	if (p != NULL)
		rule->with = until(p, text[1], &p);
	rule->all = bt_str_is(p, "g");
	if (p != NULL && (*p == '\0' || rule->all) && rule->pattern[0] != '\0')
		return BT_OK;
	free(rule->pattern);
	free(rule->with);
	return bad_rule(text, err);
}

static void put_with(struct bt_buf *b, const char *with, const char *at,
                     const regmatch_t *m)
{
	int k;

	for (; *with != '\0'; with++) {
		k = -1;
		if (*with == '&')
			k = 0;
		else if (*with == '\\' && isdigit((unsigned char)with[1]))
			k = *++with - '0';
		else if (*with == '\\' && with[1] != '\0')
			with++;
		if (k < 0)
			bt_buf_putc(b, *with);
		else if (m[k].rm_so >= 0)
			bt_buf_put(b, at + m[k].rm_so,
			           (size_t)(m[k].rm_eo - m[k].rm_so));
	}
}

/* The new name, or NULL when out of memory. */
static char *apply(const struct rule *rule, const regex_t *re, const char *name)
{
	struct bt_buf b = BT_BUF_INIT;
	regmatch_t m[PARTS];
	const char *p = name;
	bool again = true, joins = false; /* p is where a match ended */

	while (again &&
	       regexec(re, p, PARTS, m, p > name ? REG_NOTBOL : 0) == 0) {
		bt_buf_put(&b, p, (size_t)m[0].rm_so);
		if (m[0].rm_eo > 0 || !joins)
			put_with(&b, rule->with, p, m);
		p += m[0].rm_eo;
		joins = m[0].rm_eo > m[0].rm_so;
		if (!joins) { /* empty: go on behind it */
			if (*p == '\0')
				break;
			bt_buf_putc(&b, *p++);
		}
		again = rule->all;
	}
	bt_buf_puts(&b, p);
	return bt_buf_detach(&b);
}

/* Gives v the name, and counts it if it is another. */
static int take(struct bt_named *v, char *name, size_t *n, struct bt_error *err)
{
	if (name == NULL)
		return bt_error_nomem(err, "renaming tensors");
	if (name[0] == '\0') {
		free(name);
		return bt_error_set(err, BT_EARG,
		                    "tensor '%.100s' would lose its whole name",
		                    v->name);
	}
	*n += strcmp(name, v->name) != 0;
	free(v->name);
	v->name = name;
	return BT_OK;
}

static int rename_all(struct bt_named_list *l, const char *text, size_t *n,
                      struct bt_error *err)
{
	struct rule rule;
	regex_t re;
	size_t i;
	int r = parse(text, &rule, err);

	if (r != BT_OK)
		return r;
	r = compile(&re, rule.pattern, 0, err);
	if (r == BT_OK) {
		for (i = 0; i < l->n && r == BT_OK; i++)
			r = take(&l->v[i], apply(&rule, &re, l->v[i].name), n,
			         err);
		regfree(&re);
	}
	free(rule.pattern);
	free(rule.with);
	return r;
}

int bt_rename(struct bt_named_list *l, const char *rule, size_t *n,
              struct bt_error *err)
{
	const char *equals = strchr(rule, '=');
	size_t i, m;

	*n = 0;
	if (rule[0] == 's' && ispunct((unsigned char)rule[1]) &&
	    rule[1] != '=' && rule[1] != '.' && rule[1] != '_' &&
	    rule[1] != '\\')
		return rename_all(l, rule, n, err);
	if (equals == NULL || equals == rule || equals[1] == '\0')
		return bad_rule(rule, err);
	m = (size_t)(equals - rule);
	for (i = 0; i < l->n; i++)
		if (strlen(l->v[i].name) == m &&
		    memcmp(l->v[i].name, rule, m) == 0)
			return take(&l->v[i],
			            bt_strndup(equals + 1, strlen(equals + 1)),
			            n, err);
	return BT_OK;
}
