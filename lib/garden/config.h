/* SPDX-License-Identifier: MIT */
/*
 * The configuration of an experiment, as Model Garden's train.py builds it: a
 * tree of classes with defaults, over which files and assignments are merged,
 * strictly, one after the other. Each value remembers where it came from.
 *
 * One thread at a time uses a configuration.
 */
#ifndef BT_GARDEN_CONFIG_H
#define BT_GARDEN_CONFIG_H

#include "garden/yaml.h"

struct bt_garden;

/* The configuration that is registered under that name. BT_EARG, listing the
 * names, for another. *c is the caller's to free. */
int bt_garden_new(const char *experiment, struct bt_garden **c,
                  struct bt_error *err) BT_MUST_USE;
void bt_garden_free(struct bt_garden *c); /* takes NULL */

/*
 * Merges what an option was given: assignments on a line
 * (garden/params_override.h), a YAML mapping, or the path of a YAML file; tried
 * in this order. Mappings merge key by key, all else replaces. A key that a
 * class does not have is BT_EARG (BT_EFORMAT in a file), naming key, class and
 * what may have been meant.
 */
int bt_garden_apply(struct bt_garden *c, const char *option, const char *value,
                    struct bt_error *err) BT_MUST_USE;

/* Sets one value to a string or, with NULL, to null. */
void bt_garden_set(struct bt_garden *c, const char *source, const char *path,
                   const char *text);

/* Once all is merged: whether the values are of their keys' types, and the
 * experiment's own restrictions hold. */
int bt_garden_check(const struct bt_garden *c,
                    struct bt_error *err) BT_MUST_USE;

/* The configuration as params.yaml has it: sorted, and of each choice only the
 * chosen member. With origins each value's source stands behind it. */
int bt_garden_write(const struct bt_garden *c, bool origins, struct bt_buf *out,
                    struct bt_error *err) BT_MUST_USE;

/* "bert/squad" */
const char *bt_garden_name(const struct bt_garden *c);

/*
 * Values by their paths ("trainer.train_steps"), which must exist. After
 * bt_garden_check a number where null may stand is dflt if it is null.
 * bt_garden_str gives "" for null.
 */
const struct bt_yaml *bt_garden_get(const struct bt_garden *c,
                                    const char *path);
bool bt_garden_is_null(const struct bt_garden *c, const char *path);
int64_t bt_garden_int(const struct bt_garden *c, const char *path,
                      int64_t dflt);
double bt_garden_real(const struct bt_garden *c, const char *path, double dflt);
bool bt_garden_bool(const struct bt_garden *c, const char *path);
const char *bt_garden_str(const struct bt_garden *c, const char *path);

/* Sets the error "PATH (where the value came from): ...", BT_EARG, unless err
 * has one: checks may go on after it. err is not NULL. */
int bt_garden_fault(const struct bt_garden *c, const char *path,
                    struct bt_error *err, const char *fmt, ...) BT_PRINTF(4, 5);

#endif
