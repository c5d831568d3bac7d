/* SPDX-License-Identifier: MIT */
/* SVG as PNG or PDF, by librsvg's program. */
#ifndef BT_PLOT_RASTER_H
#define BT_PLOT_RASTER_H

#include "base/buf.h"
#include "base/err.h"

/* Appends the picture svg in a format: "png" or "pdf". BT_EARG: rsvg-convert is
 * not installed; BT_EIO: it failed. */
int bt_raster(const struct bt_buf *svg, const char *format, struct bt_buf *out,
              struct bt_error *err) BT_MUST_USE;

#endif
