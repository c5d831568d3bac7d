#!/bin/sh
# SPDX-License-Identifier: MIT
# Models of all families run by XLA's own plugin for CPUs: unit/device/forward, which the
# suite skips where BT_PJRT_PATH is not set.
# Not under thread: the plugin's threads are not known to it
. "$TEST_TOP/tests/lib/lib.sh"
if [ -z "${PEER_PYTHON-}" ]; then
	skip "XLA's plugin for CPUs" 'PEER_PYTHON is not set'
	finish
fi
BT_PJRT_PATH=$("$PEER_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export BT_PJRT_PATH
"$BUILD/unit/device/forward" >said 2>why
status=$?
grep '^#' said
if grep -q '# SKIP' said; then
	skip "XLA's plugin for CPUs" 'the Python of PEER_PYTHON has no xla-cpu-pjrt'
	finish
fi
grep -v '^ok' said >>why
result "$status" 'logits like those of the CPU engine'
finish
