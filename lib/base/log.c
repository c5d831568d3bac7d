/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <limits.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/sys.h"

bool bt_log_is_heard(const struct bt_log *log, enum bt_log_level level)
{
	return log != NULL && ((log->emit != NULL && level <= log->level) ||
	                       (log->summary != NULL && level == BT_LOG_WARN));
}

static void BT_PRINTF(3, 0)
    say(const struct bt_log *log, struct bt_log_line line, const char *fmt,
        va_list ap)
{
	char text[1024];

	if (!bt_log_is_heard(log, line.level))
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	bt_printable(text);
	line.text = text;
	if (line.level == BT_LOG_WARN)
		bt_summary_warn(log->summary, line.code, text, line.hint);
	if (log->emit != NULL)
		log->emit(log->ctx, &line);
}

void bt_log(const struct bt_log *log, enum bt_log_level level, const char *fmt,
            ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(log, (struct bt_log_line){.level = level}, fmt, ap);
	va_end(ap);
}

void bt_log_hint(const struct bt_log *log, enum bt_log_level level,
                 enum bt_hint hint, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(log, (struct bt_log_line){.level = level, .hint = hint}, fmt, ap);
	va_end(ap);
}

void bt_log_warn(const struct bt_log *log, const char *code, enum bt_hint hint,
                 const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(log,
	    (struct bt_log_line){
	        .level = BT_LOG_WARN, .code = code, .hint = hint},
	    fmt, ap);
	va_end(ap);
}

static void emit_headed(void *ctx, const struct bt_log_line *line)
{
	struct bt_log_headed *h = ctx;

	if (h->heading[0] != '\0')
		bt_log(h->to, BT_LOG_NOTE, "%s", h->heading);
	h->heading[0] = '\0';
	h->to->emit(h->to->ctx, line);
}

void bt_log_head(struct bt_log_headed *h, const struct bt_log *to,
                 const char *fmt, ...)
{
	va_list ap;

	h->log = to != NULL ? *to : (struct bt_log){0};
	h->to = to;
	va_start(ap, fmt);
	vsnprintf(h->heading, sizeof(h->heading), fmt, ap);
	va_end(ap);
	if (h->log.emit == NULL)
		return;
	h->log.emit = emit_headed;
	h->log.ctx = h;
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

/* Columns that a line may have so that it stays on one of the terminal. */
static int room(FILE *to)
{
#ifdef TIOCGWINSZ
	struct winsize w;

	if (ioctl(fileno(to), TIOCGWINSZ, &w) == 0 && w.ws_col > 1)
		return w.ws_col - 1;
#else
	(void)to;
#endif
	return INT_MAX; /* it does not say */
}

void bt_progress_show(struct bt_progress *p, const char *fmt, ...)
{
	char line[256];
	va_list ap;
	int n, most;

	if (!bt_progress_due(p))
		return;
	p->shown = bt_seconds();
	most = room(p->to);
	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	most = most < (int)sizeof(line) ? most : (int)sizeof(line) - 1;
	if (n > most) {
		for (n = most; n > 0 && line[n] != ','; n--)
			;
		n = n > 0 ? n : most;
	}
	fprintf(p->to, "\r%.*s", n, line);
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
