/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "evaluate/minimum.h"

int bt_minimum_read(const char *text, struct bt_minimum *m,
                    struct bt_error *err)
{
	const struct bt_metrics_summary any = {0};
	const char *eq = strchr(text, '=');
	double value;
	int r;

	if (eq == NULL || (size_t)(eq - text) >= sizeof(m->name) ||
	    bt_parse_f64(eq + 1, -1e300, 1e300, &m->value) != BT_OK)
		return bt_error_set(err, BT_EARG,
		                    "bad value '%s': expected METRIC=VALUE",
		                    text);
	memcpy(m->name, text, (size_t)(eq - text));
	m->name[eq - text] = '\0';
	r = bt_metrics_find(&any, m->name, &value, err);
	if (r == BT_OK && m->value > 1 && !bt_metrics_falls(m->name))
		r = bt_error_set(err, BT_EARG,
		                 "bad value '%s': %s is at most 1", text,
		                 m->name);
	return r;
}

int bt_minimum_check(const struct bt_minimum *m, size_t n,
                     const struct bt_metrics_summary *s, unsigned *needs,
                     struct bt_error *err)
{
	double value;
	size_t i;
	int r = BT_OK;

	*needs = 0;
	for (i = 0; i < n && r == BT_OK; i++) {
		r = bt_metrics_find(s, m[i].name, &value, err);
		*needs |= bt_metrics_needs(m[i].name);
	}
	return r;
}

static bool is_met(const struct bt_minimum *m, double value)
{
	return bt_metrics_falls(m->name) ? value <= m->value
	                                 : value >= m->value; /* NaN is not */
}

int bt_minimum_unmet(const struct bt_minimum *m, size_t n,
                     const struct bt_metrics *metrics,
                     const struct bt_labels *labels, struct bt_buf *why)
{
	struct bt_metrics_summary s;
	struct bt_error err;
	double value;
	size_t i;
	int unmet = 0;

	bt_metrics_summary(metrics, &s);
	for (i = 0; i < n; i++) {
		memset(&err, 0, sizeof(err));
		value = NAN;
		if (bt_metrics_find(&s, m[i].name, &value, &err) == BT_OK &&
		    is_met(&m[i], value))
			continue;
		unmet++;
		if (err.code != BT_OK) {
			bt_buf_puts(why, err.text);
		} else if (isnan(value) && metrics->kind->undefined != NULL) {
			bt_buf_printf(why, "%s is undefined: ", m[i].name);
			metrics->kind->undefined(metrics, labels, why);
		} else if (isnan(value)) {
			bt_buf_printf(why, "%s is undefined for these data",
			              m[i].name);
		} else {
			bt_buf_printf(
			    why, "%s is %.4f, %s than %g", m[i].name, value,
			    bt_metrics_falls(m[i].name) ? "more" : "less",
			    m[i].value);
		}
		bt_buf_putc(why, '\n');
	}
	return unmet;
}
