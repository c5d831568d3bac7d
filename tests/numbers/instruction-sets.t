#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests of kernels and engine on every instruction set but the best, on which they run by
# themselves, forced by BT_ISA; under sanitizers those alone whose memory the instruction set
# decides about.
# Not under thread: the units run by themselves, whose threads know no instruction sets
# Not under isa: the plain build runs the units on every instruction set
. "$TEST_TOP/tests/lib/lib.sh"

units='cpu/kernels cpu/int8 cpu/engine'
others='cpu/batch_edges model/heads model/gradients'
if [ -z "${TEST_KIND-}" ]; then
	units="$units $others"
else
	skip "$others" 'under sanitizers they run by themselves'
fi
best=$(bert-train --version | sed -n 's/^instruction set: \([a-z0-9]*\);.*/\1/p')
case " $instruction_sets " in
*" $best "*) result 0 "the units run on $best by themselves" ;;
*) result 1 "the best instruction set is one of those known: '$best'" ;;
esac
for isa in $instruction_sets; do
	[ $isa != "$best" ] || continue
	for unit in $units; do
		case ${TEST_KIND-}$isa$unit in
		*vnnimodel/* | *neondotmodel/*) continue ;; # which computes no int8
		*vnnicpu/kernels | *neondotcpu/kernels | *amxcpu/kernels) continue ;; # products of int8 alone (bt_kernels_for)
		*refcpu/kernels) continue ;; # it runs beside each of the others
		address*avx2cpu/engine) ;;
		address*cpu/engine) continue ;; # the best has unit/cpu/engine
		esac
		if ! BT_ISA=$isa "$BUILD/unit/$unit" >out 2>err &&
			grep -q 'does not have' err out; then
			skip "$unit on $isa" 'this CPU does not have it'
			continue
		fi
		cp err why
		grep '^not ok' out >>why
		grep -q '^ok' out && ! grep '^not ok' out | grep -qv '# SKIP'
		result $? "$unit on $isa"
	done
done
finish
