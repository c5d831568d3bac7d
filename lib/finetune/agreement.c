/* SPDX-License-Identifier: MIT */
#include "finetune/agreement.h"

#include <stdlib.h>

#include "base/file_use.h"
#include "format/json.h"
#include "format/model_files.h"
#include "io/path.h"

bool bt_agreement_applies(const struct bt_task *task)
{
	return task == &bt_task_classification ||
	       task == &bt_task_multi_label || task == &bt_task_tagging;
}

int bt_agreement_parse(const json_t *o, struct bt_agreement *a,
                       struct bt_error *err)
{
	int64_t n = 0, equal = 0, weights = 0;
	int r;

	*a = (struct bt_agreement){0};
	if ((r = bt_json_int(o, "predictions", 1, INT64_MAX, &n, err)) ||
	    (r = bt_json_int(o, "equal", 0, n, &equal, err)) ||
	    (r = bt_json_real(o, "least", 0, 1, &a->least, err)) ||
	    (r = bt_json_int(o, "weights", 0, UINT32_MAX, &weights, err)))
		return r;
	if (n == 0)
		return bt_error_set(err, BT_EFORMAT, "'predictions' is absent");
	a->n = (uint64_t)n;
	a->equal = (uint64_t)equal;
	a->weights = (uint32_t)weights;
	return BT_OK;
}

json_t *bt_agreement_json(const struct bt_agreement *a)
{
	return json_pack("{s:I, s:I, s:f, s:f, s:I}", "predictions",
	                 (json_int_t)a->n, "equal", (json_int_t)a->equal,
	                 "share", bt_agreement_share(a), "least", a->least,
	                 "weights", (json_int_t)a->weights);
}

int bt_agreement_write(const char *dir, const json_t *o, struct bt_error *err)
{
	char *path = bt_path_join(dir, BT_FILE_AGREEMENT);
	int r = bt_json_save(path, o, err);

	free(path);
	return r;
}

int bt_agreement_warn(const char *dir, const struct bt_model *m,
                      const struct bt_log *log, struct bt_error *err)
{
	struct bt_agreement a;
	json_t *o;
	int r;

	if (!bt_agreement_applies(m->task))
		return BT_OK;
	bt_file_use_own(true); /* what is measured anew takes its place */
	r = bt_json_load_in(dir, BT_FILE_AGREEMENT, &o, err);
	bt_file_use_own(false);
	if (r != BT_OK)
		return r;
	if (o == NULL) {
		bt_log_warn(log, "int8-unmeasured", BT_HINT_AGREEMENT,
		            "nobody measured how often '%s' predicts "
		            "the same in int8",
		            dir);
		return BT_OK;
	}
	r = bt_agreement_parse(o, &a, err);
	json_decref(o);
	if (r != BT_OK)
		return bt_error_prefix(err, "'%s/" BT_FILE_AGREEMENT "'", dir);
	if (a.weights != bt_calibration_weights(&m->graph, m->engine))
		bt_log_warn(log, "int8-unmeasured", BT_HINT_AGREEMENT,
		            "'%s/" BT_FILE_AGREEMENT
		            "' was measured with other weights",
		            dir);
	else if (bt_agreement_share(&a) < a.least)
		bt_log_warn(log, "int8-differs", BT_HINT_NONE,
		            "'%s' predicts the same in int8 for a share of "
		            "%.4f only: %.4f was asked for",
		            dir, bt_agreement_share(&a), a.least);
	return BT_OK;
}
