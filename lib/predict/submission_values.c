/* SPDX-License-Identifier: MIT */
#include "predict/submission_values.h"

void bt_submission_values_add(struct bt_submission_values *f,
                              struct bt_span name)
{
	int shown = (int)(name.n < 60 ? name.n : 60);

	if (f->n++ < BT_SUBMISSION_FEW)
		bt_buf_printf(&f->names, "%s'%.*s'", f->n > 1 ? ", " : "",
		              shown, name.n > 0 ? name.p : "");
	else if (f->n == BT_SUBMISSION_FEW + 1)
		bt_buf_puts(&f->names, ", ...");
}

const char *bt_submission_values_str(struct bt_submission_values *f)
{
	return bt_buf_str(&f->names);
}
