/* SPDX-License-Identifier: MIT */
#include "train/disk_space.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/sys.h"
#include "finetune/unfinished.h"
#include "format/model_files.h"
#include "io/path.h"

uint64_t bt_model_file_size(const struct bt_model *m)
{
	return (m->lora.rank > 0 ? bt_graph_trained(&m->graph)
	                         : bt_graph_floats(&m->graph)) *
	       sizeof(float);
}

uint64_t bt_checkpoint_file_size(const struct bt_model *m,
                                 const struct bt_train_opts *o)
{
	uint64_t moments = (uint64_t)bt_optim_moments(o->optim.kind);

	return bt_graph_floats(&m->graph) * sizeof(float) +
	       moments * bt_graph_trained(&m->graph) * sizeof(float);
}

int bt_disk_space_check(const char *dir, uint64_t bytes, const char *what,
                        struct bt_error *err)
{
	uint64_t there = bt_free_space(dir);

	if (bytes <= there)
		return BT_OK;
	return bt_error_set(err, BT_EIO,
	                    "'%s' has no room for %s: %.1f MB are needed and "
	                    "%.1f MB are free",
	                    dir, what, (double)bytes * 1e-6,
	                    (double)there * 1e-6);
}

/* What is not yet taken of bytes by a file of that name. */
static uint64_t missing(const char *dir, const char *name, uint64_t bytes)
{
	char *path = bt_path_join(dir, name);
	struct stat st;
	uint64_t there = 0;

	if (path != NULL && stat(path, &st) == 0 && st.st_size > 0)
		there = (uint64_t)st.st_size;
	free(path);
	return there < bytes ? bytes - there : 0;
}

int bt_disk_space_check_run(const struct bt_model *m,
                            const struct bt_train_opts *o, int64_t steps,
                            struct bt_error *err)
{
	int64_t most = steps / (o->save_steps > 0 ? o->save_steps : 1);
	int64_t kept = o->keep < most ? o->keep : most;
	uint64_t model = bt_model_file_size(m), all,
	         checkpoint = bt_checkpoint_file_size(m, o);
	bool saves = o->save_steps > 0 || o->save_minutes > 0 || o->save_end;
	int r;

	/* a new one is complete before the old one goes */
	all = missing(o->out,
	              m->lora.rank > 0 ? BT_FILE_ADAPTER : BT_FILE_WEIGHTS,
	              model) +
	      (o->epochs > 1 || o->eval_steps > 0 || saves ? model : 0);
	r = bt_disk_space_check(o->out, all > model ? all : model, "the model",
	                        err);
	if (r != BT_OK || !saves)
		return r;
	all += missing(o->out, BT_CHECKPOINT_FILE, checkpoint) + checkpoint -
	       model;
	if (kept > 1 && !o->resume)
		all += (uint64_t)(kept - 1) * checkpoint;
	r = bt_disk_space_check(o->out, all, "the model and its checkpoints",
	                        err);
	return r == BT_OK ? r : bt_error_hint(err, BT_HINT_SAVE_FEWER, r);
}
