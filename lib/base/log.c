/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <stdarg.h>
#include <unistd.h>

#include "base/sys.h"

bool bt_log_is_heard(const struct bt_log *log, enum bt_log_level level)
{
	return log != NULL && log->emit != NULL && level <= log->level;
}

void bt_log(const struct bt_log *log, enum bt_log_level level, const char *fmt,
            ...)
{
	char text[1024];
	va_list ap;

	if (!bt_log_is_heard(log, level))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	bt_printable(text);
	log->emit(log->ctx, level, text);
}

void bt_log_hint(const struct bt_log *log, enum bt_log_level level,
                 enum bt_hint hint, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (!bt_log_is_heard(log, level))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (hint == BT_HINT_NONE)
		bt_log(log, level, "%s", text);
	else
		bt_log(log, level, "%s (%s)", text, bt_hint_words(hint));
}

void bt_progress_init(struct bt_progress *p, FILE *to, bool quiet)
{
	p->to = !quiet && isatty(fileno(to)) ? to : NULL;
	p->shown = 0;
	p->width = 0;
}

bool bt_progress_due(struct bt_progress *p)
{
	return p->to != NULL && bt_seconds() - p->shown >= 0.1;
}

void bt_progress_show(struct bt_progress *p, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (!bt_progress_due(p))
		return;
	p->shown = bt_seconds();
	fputc('\r', p->to);
	va_start(ap, fmt);
	n = vfprintf(p->to, fmt, ap);
	va_end(ap);
	if (n < p->width)
		fprintf(p->to, "%*s", p->width - n, "");
	p->width = n;
	fflush(p->to);
}

void bt_progress_clear(struct bt_progress *p)
{
	if (p->to == NULL || p->width == 0)
		return;
	fprintf(p->to, "\r%*s\r", p->width, "");
	fflush(p->to);
	p->width = 0;
	p->shown = 0;
}
