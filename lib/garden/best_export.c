/* SPDX-License-Identifier: MIT */
/* The best model of a run, in a directory of its own, with info.json. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_use.h"
#include "format/json.h"
#include "format/python_repr.h"
#include "garden/experiment_int.h"
#include "io/out.h"
#include "io/path.h"

#define STEP "best_ckpt_global_step"

static int read_info(struct bt_best_export *b, const char *path,
                     const struct bt_experiment_job *p, struct bt_error *err)
{
	double step = 0;
	json_t *o;
	int r;

	bt_file_use_own(true);
	r = bt_json_load(path, &o, err);
	bt_file_use_own(false);
	if (r != BT_OK)
		return r;
	b->value = HUGE_VAL;
	r = bt_json_real(o, p->best_by, -1e300, 1e300, &b->value, err);
	if (r == BT_OK)
		r = bt_json_real(o, STEP, 0, 1e15, &step, err);
	json_decref(o);
	b->step = (int64_t)step;
	/* of a run that went by another measure nothing is known */
	b->have = b->value < HUGE_VAL;
	return r == BT_OK ? r : bt_error_prefix(err, "'%s'", path);
}

int bt_best_export_open(struct bt_best_export *b, const char *dir,
                        const struct bt_experiment_job *p, struct bt_error *err)
{
	char *path;
	int r;

	memset(b, 0, sizeof(*b));
	if (*p->best_in == '\0')
		return BT_OK;
	b->dir = bt_path_join(dir, p->best_in);
	path = bt_path_join(b->dir, "info.json");
	r = access(path, F_OK) == 0 ? read_info(b, path, p, err) : BT_OK;
	free(path);
	return r;
}

void bt_best_export_clear(struct bt_best_export *b)
{
	free(b->dir);
	b->dir = NULL;
}

/* As Python's json writes it, indented by four: its floats, NaN among them. */
static void put_info(const struct bt_experiment_log *t, int64_t step,
                     struct bt_buf *out)
{
	int i;

	bt_buf_puts(out, "{\n");
	for (i = 0; i < t->n; i++) {
		bt_buf_printf(out, "    \"%s\": ", t->name[i]);
		if (isfinite(t->value[i]))
			bt_py_real(t->value[i], out);
		else
			bt_buf_puts(out, isnan(t->value[i]) ? "NaN"
			                 : t->value[i] > 0  ? "Infinity"
			                                    : "-Infinity");
		bt_buf_puts(out, ",\n");
	}
	bt_buf_printf(out, "    \"" STEP "\": %lld.0\n}\n", (long long)step);
}

static int save(const struct bt_best_export *b, const struct bt_train_news *n,
                const struct bt_experiment_log *told, struct bt_error *err)
{
	char *path = bt_path_join(b->dir, "info.json");
	struct bt_buf info = BT_BUF_INIT;
	int r = bt_file_patterns_make(b->dir, err);

	if (r == BT_OK)
		r = bt_train_save_model(n->run, b->dir, err);
	put_info(told, n->step, &info);
	if (r == BT_OK)
		r = bt_out_whole(path, info.data, info.len, err);
	bt_buf_clear(&info);
	free(path);
	return r;
}

int bt_best_export_offer(struct bt_best_export *b,
                         const struct bt_experiment_job *p,
                         const struct bt_train_news *n,
                         const struct bt_experiment_log *told,
                         const struct bt_log *log, struct bt_error *err)
{
	double v = 0;
	int i, r;

	if (b->dir == NULL)
		return BT_OK;
	for (i = 0; i < told->n; i++)
		if (strcmp(told->name[i], p->best_by) == 0)
			v = told->value[i];
	if (isnan(v) ||
	    (b->have && !(p->best_falls ? v < b->value : v > b->value)))
		return BT_OK;
	r = save(b, n, told, err);
	if (r != BT_OK)
		return r;
	b->have = true;
	b->value = v;
	b->step = n->step;
	bt_log(log, BT_LOG_NOTE, "the best %s so far, %.4f: saved in '%s'",
	       p->best_by, v, b->dir);
	return BT_OK;
}
