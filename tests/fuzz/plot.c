/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as a history of training, or as the JSON of an evaluation. */
#include "fuzz.h"

#include "format/json.h"
#include "plot/evaluation.h"
#include "plot/history.h"
#include "plot/page.h"

static void draw_history(unsigned how)
{
	static const char *const x[] = {"epoch", "step", "seconds"};
	struct bt_history_opts o = {.x = x[how % 3],
	                            .width = how & 4 ? 1000 : 60,
	                            .height = how & 8 ? 20 : 0,
	                            .text = (how & 16) != 0};
	struct bt_history h = {0};
	struct bt_buf out = BT_BUF_INIT;
	struct bt_error err = {0};

	if (fuzz_told(bt_history_read("history.jsonl", &h, &err), &err) ==
	        BT_OK &&
	    fuzz_told(bt_history_draw(&h, 1, &o, &out, &err), &err) == BT_OK)
		FUZZ_CHECK(out.len > 0);
	bt_history_clear(&h);
	bt_buf_clear(&out);
}

static void draw_report(const uint8_t *data, size_t size, unsigned how)
{
	static const char *const kinds[] = {
	    "confusion", "classes", "reliability", "roc", "precision-recall"};
	struct bt_evaluation_picture p = {.kind = kinds[how % 5],
	                                  .width = how & 8 ? 1000 : 60,
	                                  .height = how & 16 ? 20 : 0,
	                                  .shares = (how & 32) != 0,
	                                  .text = (how & 64) != 0};
	struct bt_page page = {"title", "command", "data", "program"};
	struct bt_buf out = BT_BUF_INIT;
	struct bt_error err = {0};
	json_t *o = NULL;

	if (fuzz_told(bt_json_parse("report", (const char *)data, size, false,
	                            &o, &err),
	              &err) == BT_OK) {
		(void)!fuzz_told(bt_evaluation_draw(o, &p, &out, &err), &err);
		bt_error_clear(&err);
		(void)!fuzz_told(bt_page_write(o, &page, &out, &err), &err);
	}
	json_decref(o);
	bt_buf_clear(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned how = fuzz_byte(&data, &size);

	if (how & 128) {
		fuzz_put("history.jsonl", data, size);
		draw_history(how);
	} else {
		draw_report(data, size, how);
	}
	return 0;
}
