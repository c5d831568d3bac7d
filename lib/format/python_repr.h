/* SPDX-License-Identifier: MIT */
/* Values written as Python writes them. */
#ifndef BT_FORMAT_PYTHON_REPR_H
#define BT_FORMAT_PYTHON_REPR_H

#include "base/buf.h"

/* repr() of a float: 0.9986154437065125, 1e-05, 1000000.0, nan. */
void bt_py_real(double v, struct bt_buf *out);

/* repr() of a string that is plain ASCII: 'it'. */
void bt_py_str(const char *s, struct bt_buf *out);

#endif
