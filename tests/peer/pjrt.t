#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs run through XLA's own plugin for CPUs: products, sums over devices, donation,
# errors, compiled programs that are kept.
# Not under thread: the plugin's threads are not known to it
. "$TEST_TOP/tests/lib/lib.sh"
if [ -z "${PEER_PYTHON-}" ]; then
	skip "XLA's plugin for CPUs" 'PEER_PYTHON is not set'
	finish
fi
BT_PJRT_PATH=$("$PEER_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export BT_PJRT_PATH
"$BUILD/unit/pjrt/xla_cpu" >said 2>err
status=$?
if grep -q '# SKIP' said; then
	skip "XLA's plugin for CPUs" 'the Python of PEER_PYTHON has no xla-cpu-pjrt'
	finish
fi
grep '^#' said
sed -n 's/^ok [0-9]* - //p' said >passed
while read -r name; do
	result 0 "$name"
done <passed
grep -v '^ok' said >why
cat err >>why
result "$status" 'all of them'
finish
