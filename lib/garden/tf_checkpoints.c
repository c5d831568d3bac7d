/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "garden/tf_checkpoints.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/str.h"
#include "ckpt/cast.h"
#include "ckpt/open.h"
#include "finetune/model.h"
#include "format/model_files.h"
#include "io/out.h"
#include "io/path.h"

#define ROOT "encoder/"                   /* as ckpt/names.h names it */
#define WAY "model/layer_with_weights-0/" /* from a classifier to it */
#define VALUE "/.ATTRIBUTES/VARIABLE_VALUE"

void bt_tf_checkpoints_clear(struct bt_tf_checkpoints *s)
{
	bt_buf_clear(&s->paths);
	bt_buf_clear(&s->times);
}

/* A whole number beside the tensors. */
static struct bt_tensor number(const char *name, const int64_t *value)
{
	struct bt_tensor t = {.name = name,
	                      .dtype = BT_DTYPE_I64,
	                      .data = value,
	                      .count = 1,
	                      .bytes = sizeof(*value)};

	return t;
}

/* The model's tensors, and two numbers. */
struct whole {
	const struct bt_tensor_source *model;
	struct bt_tensor *tensors;
	size_t count;
};

static int bytes_of(void *ctx, size_t i, const void **data,
                    struct bt_error *err)
{
	const struct whole *w = ctx;

	if (i < w->model->count)
		return w->model->bytes(w->model->ctx, i, data, err);
	*data = w->tensors[i].data;
	return BT_OK;
}

static int write_whole(const struct bt_tf_checkpoints *c,
                       const struct bt_tensor_source *model, const char *prefix,
                       int64_t step, int64_t saves, struct bt_error *err)
{
	struct whole w = {model, NULL, model->count};
	struct bt_tensor_source s = {.bytes = bytes_of, .ctx = &w};
	int r;

	w.tensors = bt_array(model->count + 2, sizeof(*w.tensors));
	if (w.tensors == NULL)
		return bt_error_nomem(err, "writing a checkpoint");
	memcpy(w.tensors, model->tensors, model->count * sizeof(*w.tensors));
	w.tensors[w.count++] = number(
	    c->loop ? "global_step" VALUE : "optimizer/iter" VALUE, &step);
	w.tensors[w.count++] = number("save_counter" VALUE, &saves);
	s.tensors = w.tensors;
	s.count = w.count;
	r = bt_tf_bundle_write(&s, prefix, err);
	free(w.tensors);
	return r;
}

/* The encoder's names begin where the classifier is. */
static void put_below(struct bt_named_list *l)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t i;

	for (i = 0; i < l->n; i++) {
		if (!bt_str_starts(l->v[i].name, ROOT))
			continue;
		bt_buf_printf(&b, WAY "%s", l->v[i].name + strlen(ROOT));
		free(l->v[i].name);
		l->v[i].name = bt_buf_detach(&b);
	}
}

static int convert(const struct bt_tf_checkpoints *s, const struct bt_ckpt *c,
                   const char *prefix, int64_t step, struct bt_error *err)
{
	struct bt_named_list l = {0};
	struct bt_cast *recode = NULL;
	int r = bt_names_init(&l, c, err);

	if (r == BT_OK)
		r = bt_names_hf(&l, c, err);
	if (r == BT_OK)
		r = bt_names_to(&l, BT_NAMES_TF2, "bert", s->heads, err);
	if (r == BT_OK)
		put_below(&l);
	if (r == BT_OK)
		r = bt_cast_new(&l, BT_DTYPES, &recode, err);
	if (r == BT_OK)
		r = write_whole(s, bt_cast_source(recode), prefix, step,
		                s->saves + 1, err);
	bt_cast_free(recode);
	bt_names_clear(&l);
	return r;
}

/* The file "checkpoint": the newest first, then all. */
static int list(struct bt_tf_checkpoints *s, const char *name,
                struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	char *path = bt_path_join(s->dir, "checkpoint");
	struct timespec now;
	double t;
	int r;

	clock_gettime(CLOCK_REALTIME, &now);
	t = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
	bt_buf_printf(&s->paths, "all_model_checkpoint_paths: \"%s\"\n", name);
	bt_buf_printf(&s->times, "all_model_checkpoint_timestamps: %.6f\n", t);
	bt_buf_printf(&b, "model_checkpoint_path: \"%s\"\n", name);
	bt_buf_put(&b, s->paths.data, s->paths.len);
	bt_buf_put(&b, s->times.data, s->times.len);
	bt_buf_printf(&b, "last_preserved_timestamp: %.6f\n", t);
	r = bt_out_whole(path, b.data, b.len, err);
	bt_buf_clear(&b);
	free(path);
	return r;
}

int bt_tf_checkpoints(struct bt_tf_checkpoints *s, int64_t step,
                      struct bt_error *err)
{
	char *from = bt_path_join(s->dir, BT_FILE_WEIGHTS), *prefix;
	char name[80];
	struct bt_ckpt *c;
	int r;

	if (s->loop)
		snprintf(name, sizeof(name), "ctl_step_%lld.ckpt-%lld",
		         (long long)step, (long long)s->saves + 1);
	else
		snprintf(name, sizeof(name), "ckpt-%lld", (long long)step);
	prefix = bt_path_join(s->dir, name);
	r = bt_ckpt_open(from, &c, err);
	if (r == BT_OK) {
		r = convert(s, c, prefix, step, err);
		bt_ckpt_close(c);
	}
	if (r == BT_OK)
		r = list(s, name, err);
	if (r == BT_OK)
		s->saves++;
	free(prefix);
	free(from);
	return r;
}
