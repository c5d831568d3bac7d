/* SPDX-License-Identifier: MIT */
#include "evaluate/evaluation_page.h"

#include <string.h>

#include "format/charset.h"
#include "format/escape.h"
#include "io/out.h"
#include "plot/page.h"

static void put(struct bt_buf *b, const char *before, const char *name)
{
	bt_buf_puts(b, before);
	bt_charset_mend(b, name, strlen(name));
}

static void put_title(const struct bt_evaluation_opts *o, struct bt_buf *b)
{
	size_t i;

	if (o->stream.model != NULL)
		put(b, "Evaluation of ", o->stream.model);
	for (i = 0; o->stream.model != NULL && i < o->stream.n_more; i++)
		put(b, ", ", o->stream.more[i]);
	for (i = 0; i < o->n_files; i++)
		put(b, i > 0 ? ", " : "Evaluation of ", o->files[i]);
}

int bt_evaluation_page(struct bt_evaluation *v, const char *path, int argc,
                       char *const *argv, const char *made_by,
                       struct bt_error *err)
{
	struct bt_buf title = BT_BUF_INIT, command = BT_BUF_INIT;
	struct bt_buf b = BT_BUF_INIT;
	struct bt_page page = {.made_by = made_by};
	json_t *report = bt_evaluation_json(v);
	int e;

	put_title(&v->o, &title);
	bt_escape_command(&command, argc, argv);
	page.title = bt_buf_str(&title);
	page.command = bt_buf_str(&command);
	e = report != NULL && !title.oom && !command.oom
	        ? bt_page_write(report, &page, &b, err)
	        : bt_error_nomem(err, "writing a page");
	if (e == BT_OK)
		e = bt_out_whole(path, b.data, b.len, err);
	json_decref(report);
	bt_buf_clear(&title);
	bt_buf_clear(&command);
	bt_buf_clear(&b);
	return e;
}
