/* SPDX-License-Identifier: MIT */
#include "io/summary_file.h"

#include <string.h>

int bt_summary_file_open(const struct bt_common *common, char *const *inputs,
                         int n, struct bt_out **out, struct bt_error *err)
{
	const char *path = common->summary, *output = common->output;

	*out = NULL;
	if (path == NULL)
		return BT_OK;
	if (strcmp(path, output != NULL ? output : "-") == 0)
		return bt_error_set(err, BT_EARG,
		                    "the summary cannot go where the output "
		                    "goes: give it a file of its own");
	if (bt_out_spare(path, inputs, n, err) != BT_OK)
		return BT_EARG;
	return bt_out_open(path, BT_OUT_TEXT, out, err);
}

int bt_summary_file_end(const struct bt_tool *tool, struct bt_out *out,
                        int status)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	int r;

	if (out == NULL || status == BT_EXIT_USAGE) {
		bt_out_abandon(out);
		return status;
	}
	bt_tool_summary(tool, status, &b);
	r = b.oom ? bt_error_nomem(&err, "writing the summary")
	          : bt_out_write(out, b.data, b.len, &err);
	bt_buf_clear(&b);
	r = bt_out_end(out, r, &err);
	return r == BT_OK ? status : bt_tool_fail(tool, &err);
}

int bt_summary_file_main(const struct bt_tool *tool, int argc, char **argv,
                         void *values, const struct bt_common *common,
                         int (*run)(void *values, char *const *files, int n),
                         bool (*records)(const void *values))
{
	struct bt_error err = {0};
	struct bt_out *summary = NULL;
	int operand, status;
	bool parsed;

	bt_tool_first_works();
	parsed = bt_tool_options(tool, argc, argv, values, &operand, &status);
	if (parsed &&
	    bt_summary_file_open(common, argv + operand, argc - operand,
	                         &summary, &err) == BT_OK)
		status = run(values, argv + operand, argc - operand);
	else if (parsed)
		status = bt_tool_fail(tool, &err);
	if (status == BT_EXIT_USAGE && (records == NULL || records(values)))
		bt_out_unopened(common->output);
	status = bt_summary_file_end(tool, summary, status);
	return parsed ? bt_tool_end(tool, status) : status;
}
