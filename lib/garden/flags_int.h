/* SPDX-License-Identifier: MIT */
#ifndef BT_GARDEN_FLAGS_INT_H
#define BT_GARDEN_FLAGS_INT_H

#include "garden/flags.h"

/* The flag whose name is so near to that one that it may have been meant; or
 * NULL (flags_help.c). */
const struct bt_flag *bt_flags_nearest(const struct bt_flag *flags,
                                       const char *name);

#endif
