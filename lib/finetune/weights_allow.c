/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <regex.h>
#include <string.h>

#include "finetune/weights_int.h"

static int check(const struct bt_opt_list *l, struct bt_error *err)
{
	char why[160];
	regex_t re;
	int i, e;

	for (i = 0; i < l->n; i++) {
		e = regcomp(&re, l->item[i], REG_EXTENDED | REG_NOSUB);
		if (e != 0) {
			regerror(e, &re, why, sizeof(why));
			return bt_error_set(err, BT_EARG,
			                    "bad pattern '%.100s': %s",
			                    l->item[i], why);
		}
		regfree(&re);
	}
	return BT_OK;
}

void bt_weights_gaps_any(struct bt_weights_gaps *gaps)
{
	gaps->unused.item[0] = ".";
	gaps->unused.n = 1;
}

int bt_weights_gaps_check(const struct bt_weights_gaps *gaps,
                          struct bt_error *err)
{
	int r = check(&gaps->missing, err);

	return r == BT_OK ? check(&gaps->unused, err) : r;
}

static bool matches(const struct bt_opt_list *l, const char *name)
{
	bool yes = false;
	regex_t re;
	int i;

	for (i = 0; i < l->n && !yes; i++) {
		if (regcomp(&re, l->item[i], REG_EXTENDED | REG_NOSUB) != 0)
			continue;
		yes = regexec(&re, name, 0, NULL, 0) == 0;
		regfree(&re);
	}
	return yes;
}

bool bt_weights_gaps_missing(const struct bt_weights_gaps *gaps,
                             const char *name)
{
	return gaps != NULL && matches(&gaps->missing, name);
}

bool bt_weights_gaps_may(const struct bt_weights_gaps *gaps, const char *name)
{
	return gaps != NULL && matches(&gaps->unused, name);
}

/* The same but for numbers. */
static bool alike(const char *a, const char *b)
{
	while (*a != '\0' && *b != '\0') {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			a += strspn(a, "0123456789");
			b += strspn(b, "0123456789");
		} else if (*a++ != *b++) {
			return false;
		}
	}
	return *a == *b;
}

static bool is_part(const struct bt_graph *g, const char *name)
{
	size_t n = strlen(g->prefix);
	int i;

	for (i = 0; i < g->n_params; i++)
		if (!g->params[i].head &&
		    (alike(name, g->params[i].name) ||
		     (strncmp(name, g->prefix, n) == 0 &&
		      alike(name + n, g->params[i].name))))
			return true;
	return false;
}

int bt_weights_gaps_unused(const struct bt_weights_gaps *gaps,
                           const struct bt_graph *g, const struct bt_ckpt *c,
                           const char *name, const char *file,
                           struct bt_error *err)
{
	if (!is_part(g, name) || bt_weights_gaps_may(gaps, file) ||
	    bt_weights_gaps_may(gaps, name))
		return BT_OK;
	return bt_error_hint(
	    err, BT_HINT_ALLOW_UNUSED,
	    bt_error_set(err, BT_EFORMAT,
	                 "'%s' holds the tensor '%s', for which the "
	                 "configuration has no layer",
	                 bt_ckpt_path(c), file));
}
