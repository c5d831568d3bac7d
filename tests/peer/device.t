#!/bin/sh
# SPDX-License-Identifier: MIT
# Models of all families run by XLA's own plugin for CPUs, forwards and backwards:
# unit/device/forward, gradients and training, which the suite skips where BT_PJRT_PATH is not set.
# Not under thread: the plugin's threads are not known to it
# Not under address: XLA takes minutes there, and the texts of all programs are those of unit/stablehlo
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/xla.sh"
for what in forward:logits gradients:gradients training:updates; do
	xla_unit "device/${what%:*}"
	grep -v '^ok' said >>why
	result "$status" "${what#*:} like those of the CPU engine"
done
finish
