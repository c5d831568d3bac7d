#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs run through XLA's own plugin for CPUs: products, sums over devices, donation,
# errors, compiled programs that are kept.
# Not under thread: the plugin's threads are not known to it
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/xla.sh"
xla_unit pjrt/xla_cpu
sed -n 's/^ok [0-9]* - //p' said >passed
while read -r name; do
	result 0 "$name"
done <passed
grep -v '^ok' said >why.said
cat why >>why.said
mv why.said why
result "$status" 'all of them'
finish
