/* SPDX-License-Identifier: MIT */
/* A command line like another, with some options changed. */
#ifndef BT_BASE_COMMAND_H
#define BT_BASE_COMMAND_H

#include "base/opt.h"

struct bt_command {
	int n;
	char **word; /* [n], and NULL behind them */
};

/* The words of argv, which bt_opt_parse has read, without the options named in
 * "a|b|c". c is zero. */
int bt_command_copy(struct bt_command *c, const struct bt_tool *tool, int argc,
                    char **argv, const char *without,
                    struct bt_error *err) BT_MUST_USE;

/* Puts "--name value" behind the options, in the place of that option where it
 * is given. */
int bt_command_set(struct bt_command *c, const struct bt_tool *tool,
                   const char *name, const char *value,
                   struct bt_error *err) BT_MUST_USE;
void bt_command_clear(struct bt_command *c);

#endif
