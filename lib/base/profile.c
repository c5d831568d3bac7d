/* SPDX-License-Identifier: MIT */
#include "base/profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void bt_profile_clear(struct bt_profile *p)
{
	free(p->line);
	memset(p, 0, sizeof(*p));
}

int bt_profile_line(struct bt_profile *p, const char *fmt, ...)
{
	struct bt_profile_line l = {0};
	va_list ap;
	int i;

	va_start(ap, fmt);
	vsnprintf(l.name, sizeof(l.name), fmt, ap);
	va_end(ap);
	for (i = 0; i < p->n; i++)
		if (strcmp(p->line[i].name, l.name) == 0)
			return i;
	if (bt_grow(&p->line, &p->cap, (size_t)p->n + 1, sizeof(*p->line)) !=
	    BT_OK)
		return -1;
	p->line[p->n] = l;
	return p->n++;
}

void bt_profile_add(struct bt_profile *p, int line, double seconds, double flop,
                    double bytes)
{
	struct bt_profile_line *l;

	if (line < 0)
		return;
	l = &p->line[line];
	l->calls++;
	l->seconds += seconds;
	l->flop += flop;
	l->bytes += bytes;
}

static int by_seconds(const void *a, const void *b)
{
	const struct bt_profile_line *x = a, *y = b;

	return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static void print_rate(double rate, double limit, const char *unit,
                       struct bt_buf *out)
{
	bt_buf_printf(out, " %8.1f %s", rate / 1e9, unit);
	if (limit > 0)
		bt_buf_printf(out, " %4.0f%%", 100 * rate / limit);
}

void bt_profile_restart(struct bt_profile *p)
{
	struct bt_profile_line *l;
	int i;

	for (i = 0; i < p->n; i++) {
		l = &p->line[i];
		l->calls = 0;
		l->seconds = l->flop = l->bytes = 0;
	}
	p->steps = p->tokens = 0;
	p->sent = 0;
}

static void print_line(const struct bt_profile *p,
                       const struct bt_profile_line *l, double all,
                       struct bt_buf *out)
{
	bt_buf_printf(out, "%-40s %10.3f %5.1f%%", l->name,
	              1e3 * l->seconds / (double)p->steps,
	              100 * l->seconds / all);
	if (l->flop > 0)
		print_rate(l->flop / l->seconds, p->flop_limit, "GFLOP/s", out);
	else if (l->bytes > 0)
		print_rate(l->bytes / l->seconds, p->byte_limit, "GB/s   ",
		           out);
	bt_buf_putc(out, '\n');
}

void bt_profile_print(const struct bt_profile *p, struct bt_buf *out)
{
	struct bt_profile_line *l = bt_array((size_t)p->n + 1, sizeof(*l));
	struct bt_profile_line all = {.name = "in all"};
	int i;

	if (p->steps == 0) {
		free(l);
		return;
	}
	for (i = 0; i < p->n; i++) {
		l[i] = p->line[i];
		all.seconds += l[i].seconds;
		all.flop += l[i].flop;
	}
	qsort(l, (size_t)p->n, sizeof(*l), by_seconds);
	bt_buf_printf(out, "%-40s %10s %6s %16s %5s\n", "", "ms/step", "time",
	              "rate", "limit");
	for (i = 0; i < p->n && l[i].seconds > 0; i++)
		print_line(p, &l[i], all.seconds, out);
	if (all.seconds > 0)
		print_line(p, &all, all.seconds, out);
	bt_buf_printf(out, "%.0f tokens/s in %llu steps\n",
	              all.seconds > 0 ? (double)p->tokens / all.seconds : 0,
	              (unsigned long long)p->steps);
	if (p->sent > 0)
		bt_buf_printf(out,
		              "%.1f MB sent to other processes in a step\n",
		              p->sent / 1e6 / (double)p->steps);
	if (p->flop_limit > 0)
		bt_buf_printf(out,
		              "limits measured here: products %.0f GFLOP/s, "
		              "copying %.1f GB/s\n",
		              p->flop_limit / 1e9, p->byte_limit / 1e9);
	free(l);
}
