/* SPDX-License-Identifier: MIT */
/* Help and notes about flags. */
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "garden/flags.h"

void bt_flags_note(const struct bt_flags *f, const void *values,
                   const struct bt_log *log)
{
	const struct bt_flag *g;
	struct bt_buf b = BT_BUF_INIT;
	int n = 0;

	for (g = f->flags; g->type != BT_FLAG_END; g++)
		if (g->idle && bt_flags_given(f, values, g->name))
			bt_buf_printf(&b, "%s--%s", n++ > 0 ? ", " : "",
			              g->name);
	if (n > 0)
		bt_log(log, BT_LOG_NOTE, "without effect here: %s",
		       bt_buf_str(&b));
	bt_buf_clear(&b);
}

struct bt_log bt_flags_log(const struct bt_flags *f, const void *values)
{
	const struct bt_flags_common *c = values;
	struct bt_log log = bt_tool_log(&f->tool, &c->common);

	if (c->verbosity == -1)
		log.level = BT_LOG_WARN;
	return log;
}

/* Whether a list of values is short enough to stand with the name. */
static bool is_short(const struct bt_flag *g)
{
	return g->type != BT_FLAG_ENUM || strlen(g->arg) < 30;
}

static int words(const struct bt_flag *g, char *s, size_t size)
{
	int n = snprintf(s, size, "--%s", g->name);

	if (g->arg != NULL)
		n += snprintf(s + n, size - (size_t)n, "=%s",
		              is_short(g) ? g->arg : "NAME");
	return n;
}

/* The flags with an effect here, or those without. */
static void print_flags(const struct bt_flag *g, bool idle, int width, FILE *to)
{
	char text[160];

	for (; g->type != BT_FLAG_END; g++) {
		if (g->idle != idle)
			continue;
		if (words(g, text, sizeof(text)) > width)
			fprintf(to, "  %s\n  %*s  %s", text, width, "",
			        g->help);
		else
			fprintf(to, "  %-*s  %s", width, text, g->help);
		if (!is_short(g))
			fprintf(to, ": %s", g->arg);
		if (bt_str_is(g->refuse, "*"))
			fputs(" (refused unless empty)", to);
		else if (g->refuse != NULL)
			fprintf(to, " (not here: %s)", g->refuse);
		if (g->alias != NULL)
			fprintf(to, " [-%s]", g->alias);
		fputc('\n', to);
	}
}

static void help(const struct bt_tool *tool, FILE *to)
{
	const struct bt_flags *f = (const struct bt_flags *)(const void *)tool;
	const struct bt_flag *g;
	char text[160];
	int width = 0, n;

	fprintf(to,
	        "Usage: %s %s\n%s\n\nExample: %s\n\nFlags (--name=value or "
	        "--name value; switches --name or --noname):\n",
	        tool->name, tool->synopsis, tool->purpose, tool->example);
	for (g = f->flags; g->type != BT_FLAG_END; g++) {
		n = words(g, text, sizeof(text));
		if (n > width && n <= 26)
			width = n;
	}
	print_flags(f->flags, false, width, to);
	fputs("\nFlags without effect here:\n", to);
	print_flags(f->flags, true, width, to);
}

bool bt_flags_options(const struct bt_flags *f, int argc, char **argv,
                      void *values, int *status)
{
	struct bt_flags_common *c = values;
	enum bt_opt_result result;
	struct bt_error err = {0};

	bt_tool_start();
	result = bt_flags_expand(&argc, &argv, &err) == BT_OK
	             ? bt_flags_parse(f, argc, argv, values, &err)
	             : BT_OPT_MISTAKE;
	c->common.quiet = c->verbosity <= -2;
	c->common.verbose = c->verbosity > 0;
	return bt_tool_parsed(&f->tool, result, help, &err, status);
}
