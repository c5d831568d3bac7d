/* SPDX-License-Identifier: MIT */
#include "evaluate/evaluation_page.h"

#include <string.h>

#include "base/opt.h"
#include "base/str.h"
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

/* What the figures are of. */
static void put_data(const struct bt_evaluation *v, struct bt_buf *b)
{
	bt_buf_printf(b, "Data: %llu record%s, CRC-32C %08x",
	              (unsigned long long)v->sum.records,
	              bt_plural(v->sum.records), (unsigned)v->sum.crc);
	if (v->s.tok != NULL)
		bt_buf_printf(b, "; tokenizer %s",
		              bt_tok_fingerprint(v->s.tok));
}

#define WORST_LABELS 20 /* label issues that the page shows */

/* The report, with what only the page has. */
static json_t *page_report(struct bt_evaluation *v)
{
	json_t *report = bt_evaluation_json(v);

	if (report != NULL && v->o.issues &&
	    json_object_set_new(
	        report, "label_issues",
	        bt_label_issues_json(&v->issues, WORST_LABELS)) != 0) {
		json_decref(report);
		report = NULL;
	}
	return report;
}

int bt_evaluation_page(struct bt_evaluation *v, const char *path, int argc,
                       char *const *argv, const char *made_by,
                       struct bt_error *err)
{
	struct bt_buf title = BT_BUF_INIT, command = BT_BUF_INIT;
	struct bt_buf data = BT_BUF_INIT, by = BT_BUF_INIT, b = BT_BUF_INIT;
	struct bt_page page = {0};
	json_t *report = page_report(v);
	int e;

	put_title(&v->o, &title);
	bt_escape_command(&command, argc, argv);
	put_data(v, &data);
	page.title = bt_buf_str(&title);
	page.command = bt_buf_str(&command);
	page.data = bt_buf_str(&data);
	bt_buf_printf(&by, "%s (bertutils) %s", made_by, BT_VERSION);
	page.made_by = bt_buf_str(&by);
	e = report != NULL && !title.oom && !command.oom && !data.oom && !by.oom
	        ? bt_page_write(report, &page, &b, err)
	        : bt_error_nomem(err, "writing a page");
	if (e == BT_OK)
		e = bt_out_whole(path, b.data, b.len, err);
	json_decref(report);
	bt_buf_clear(&title);
	bt_buf_clear(&command);
	bt_buf_clear(&data);
	bt_buf_clear(&by);
	bt_buf_clear(&b);
	return e;
}
