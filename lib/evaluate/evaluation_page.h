/* SPDX-License-Identifier: MIT */
/* The page of an evaluation. */
#ifndef BT_EVALUATE_EVALUATION_PAGE_H
#define BT_EVALUATE_EVALUATION_PAGE_H

#include "evaluate/evaluation.h"

/* Writes plot/page.h's page, whose title names the models or files, to a file.
 * The arguments of the program, argv[argc], stand in it as the command. */
int bt_evaluation_page(struct bt_evaluation *v, const char *path, int argc,
                       char *const *argv, const char *made_by,
                       struct bt_error *err) BT_MUST_USE;

#endif
