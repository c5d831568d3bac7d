/* SPDX-License-Identifier: MIT */
/* Rules that give tensors other names, or leave them out. */
#ifndef BT_CKPT_RENAME_H
#define BT_CKPT_RENAME_H

#include "ckpt/names.h"

/*
 * Applies a rule to all names: "s/A/B/" puts B where a name holds a match of
 * the extended regular expression A, the first one, or with "s/A/B/g"
 * everywhere; in B & is the match and \1 .. \9 are its parts; any mark may
 * stand for the slash. "FROM=TO" renames one tensor. *n is how many names
 * changed. BT_EARG: the text is no rule.
 */
int bt_rename(struct bt_named_list *l, const char *rule, size_t *n,
              struct bt_error *err) BT_MUST_USE;

/* Takes out all whose name holds a match of the extended regular expression;
 * *n is how many. BT_EARG: the text is none. */
int bt_rename_drop(struct bt_named_list *l, const char *pattern, size_t *n,
                   struct bt_error *err) BT_MUST_USE;

#endif
