/* SPDX-License-Identifier: MIT */
/*
 * Flags that both older programs of Model Garden have, run_classifier and
 * run_squad: of their recipe, and those of former training loops and of types
 * that change nothing here.
 */
#ifndef BT_GARDEN_RECIPE_FLAGS_H
#define BT_GARDEN_RECIPE_FLAGS_H

#include "garden/flags.h"

#define BT_RUN_RECIPE_INIT                                                     \
	{                                                                      \
		.epochs = 3, .batch = 32, .rate = 5e-5, .optimizer = "adamw"   \
	}

/* Rows for the struct bt_run_recipe that is member r of struct s. */
#define BT_RECIPE_FLAGS(s, r)                                                  \
	BT_FLAG_NUMBER(BT_FLAG_INT, "train_batch_size",                        \
	               "examples per batch [32]", s, r.batch, 1, 1e9),         \
	    BT_FLAG_NUMBER(BT_FLAG_REAL, "learning_rate",                      \
	                   "peak learning rate [5e-5]", s, r.rate, 0, 10),     \
	    BT_FLAG_NUMBER(BT_FLAG_REAL, "end_lr",                             \
	                   "learning rate at the end [0]", s, r.end_rate, 0,   \
	                   10),                                                \
	    BT_FLAG_NUMBER(BT_FLAG_INT, "num_train_epochs",                    \
	                   "passes over the data [3]", s, r.epochs, 1, 1e6),   \
	    BT_FLAG_ROW(BT_FLAG_ENUM, "optimizer_type", "adamw|lamb",          \
	                "optimizer [adamw]", s, r.optimizer)

struct bt_recipe_flags {
	const char *hub, *loss_scale, *fp16, *sub_model;
	int64_t bytes_per_pack;
	bool hub_trainable, scale_loss, compile_fit, explicit_allreduce;
};

#define BT_RECIPE_SWITCH(s, name, help, f)                                     \
	BT_FLAG_ROW(BT_FLAG_BOOL, name, NULL, help, s, f, .idle = true)

/* Rows for the member more of struct s. */
#define BT_RECIPE_MORE_FLAGS(s)                                                \
	BT_FLAG_ROW(BT_FLAG_STR, "hub_module_url", "DIR",                      \
	            "TensorFlow Hub module with the encoder", s, more.hub),    \
	    BT_RECIPE_SWITCH(s, "hub_module_trainable", "whether to train it", \
	                     more.hub_trainable),                              \
	    BT_FLAG_ROW(BT_FLAG_STR, "loss_scale", "X", "for fp16", s,         \
	                more.loss_scale, .alias = "ls", .idle = true),         \
	    BT_FLAG_ROW(BT_FLAG_STR, "fp16_implementation", "NAME",            \
	                "for fp16", s, more.fp16, .idle = true),               \
	    BT_RECIPE_SWITCH(s, "scale_loss",                                  \
	                     "for the original training loop",                 \
	                     more.scale_loss),                                 \
	    BT_RECIPE_SWITCH(s, "use_keras_compile_fit",                       \
	                     "for the original training loop",                 \
	                     more.compile_fit),                                \
	    BT_RECIPE_SWITCH(s, "explicit_allreduce",                          \
	                     "for the original training loop",                 \
	                     more.explicit_allreduce),                         \
	    BT_FLAG_NUMBER(BT_FLAG_INT, "allreduce_bytes_per_pack",            \
	                   "for the original training loop", s,                \
	                   more.bytes_per_pack, 0, 1e12, .idle = true),        \
	    BT_FLAG_ROW(BT_FLAG_STR, "sub_model_export_name", "NAME",          \
	                "for the original training loop", s, more.sub_model,   \
	                .idle = true)

#endif
