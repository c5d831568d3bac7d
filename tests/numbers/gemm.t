#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests of the engine with each provider of products that is there and has
# products for this CPU, but the best, with which they run by themselves; under
# sanitizers the engine's alone.
. "$TEST_TOP/tests/lib/lib.sh"

units='cpu/engine cpu/batch_edges'
if [ -n "${TEST_KIND-}" ]; then
	units=cpu/engine
	skip cpu/batch_edges 'under sanitizers it runs by itself'
fi
providers='native onednn openblas ref'
best=$(bert-train --version | sed -n 's/^matrix products: .* by //p')
case " $providers " in
*" $best "*) result 0 "the best is $best" ;;
*) result 1 "the best is one of those known: '$best'" ;;
esac
# its loops are as slow there as they are plain, and unit/cpu/gemm runs them
[ -z "${TEST_KIND-}" ] || providers='native onednn openblas'
for gemm in $providers; do
	[ "$gemm" != "$best" ] || continue
	for unit in $units; do
		if ! TEST_GEMM=$gemm "$BUILD/unit/$unit" >out 2>err &&
			grep -qE 'not built in|does not load|has no products' err; then
			skip "$unit with $gemm" "$(cat err)"
			continue
		fi
		cp err why
		grep '^not ok' out >>why
		grep -q '^ok' out && ! grep '^not ok' out | grep -qv '# SKIP'
		result $? "$unit with $gemm"
	done
done
finish
