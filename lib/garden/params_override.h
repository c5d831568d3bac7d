/* SPDX-License-Identifier: MIT */
/* Model Garden's assignments on a line: "trainer.train_steps=10,task.x='a b'".
 */
#ifndef BT_GARDEN_PARAMS_OVERRIDE_H
#define BT_GARDEN_PARAMS_OVERRIDE_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Turns them into the flow mapping of YAML that Model Garden makes of them:
 *   NAME[INDEX]=VALUE items, a comma and blanks between; blanks around "=";
 *   NAME begins with a letter, then letters, digits, "_" and "." for nesting;
 *   VALUE is '...', "...", [...] without brackets in it, or runs to the next
 *   comma or "[" and may be empty.
 * A value that begins with one of g s : / is put in single quotes. Indexed
 * values are numbers and make a list, of which none may be missing.
 *
 * BT_EFORMAT, the error naming where, for another text: it may be YAML itself.
 */
int bt_override_yaml(const char *text, struct bt_buf *out,
                     struct bt_error *err) BT_MUST_USE;

#endif
