#!/bin/sh
# SPDX-License-Identifier: MIT
# Models of all families run by XLA's own plugin for CPUs: unit/device/forward, which the
# suite skips where BT_PJRT_PATH is not set.
# Not under thread: the plugin's threads are not known to it
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/xla.sh"
xla_unit device/forward
grep -v '^ok' said >>why
result "$status" 'logits like those of the CPU engine'
finish
