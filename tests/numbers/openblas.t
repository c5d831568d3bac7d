#!/bin/sh
# SPDX-License-Identifier: MIT
# --gemm openblas, and what is said where OpenBLAS does not know the processor.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data

if ! small_train m --epochs 3 --gemm openblas -v 2>err && grep -q 'OpenBLAS does not load' err; then
	skip 'OpenBLAS' 'it is not installed'
	finish
fi
like "$(cat err)" '*products f32 by openblas*' 'trains, in f32 unless told otherwise'
works 'predicts' bert-predict -q -m m --gemm openblas -o a.csv dev.rec
bert-predict -q -m m --gemm ref --dtype f32 -o b.csv dev.rec
same a.csv b.csv 'as plain C does'
mv b.csv f32.csv
small_train m2 -q --epochs 3 --gemm openblas -j 3
cmp m/model.safetensors m2/model.safetensors >why 2>&1
result $? 'the same model with three threads'
works 'bf16' bert-predict -q -m m --gemm openblas --dtype bf16 -o a.csv dev.rec
bert-predict -q -m m --gemm ref --dtype bf16 -o b.csv dev.rec
same a.csv b.csv 'as plain C does'

# The variants of OpenBLAS that stand beside the usual one.
for v in ${OPENBLAS_VARIANTS-/usr/lib/*/openblas-openmp /usr/lib/*/openblas-serial}; do
	if [ ! -e "$v/libopenblas.so.0" ]; then
		skip "${v##*/}" 'it is not installed'
		continue
	fi
	threads=3
	case $v in
	*-serial)
		LD_LIBRARY_PATH=$v refuses '*built for one thread*' "${v##*/}: three threads" \
			bert-predict -m m --gemm openblas -j 3 dev.rec
		threads=1
		;;
	esac
	LD_LIBRARY_PATH=$v bert-predict -q -m m --gemm openblas -j $threads dev.rec >o.csv
	same o.csv f32.csv "${v##*/}: the same labels"
done

have() {
	BT_ISA=$1 bert-train --version 2>&1 | grep -q "^instruction set: $1;"
}

# The model of processor that OpenBLAS takes this one for.
if beyond_isa avx2; then
	skip 'warnings of AVX2' "beyond ISA=$ISA"
elif have avx2; then
	OPENBLAS_CORETYPE=Haswell BT_ISA=avx2 bert-eval -m m --gemm openblas dev.rec >out 2>err
	is "$(grep -c OPENBLAS_CORETYPE err)" 0 'AVX2 and Haswell: nothing is said'
	OPENBLAS_CORETYPE=Nehalem BT_ISA=avx2 bert-eval -m m --gemm openblas dev.rec >out 2>err
	like "$(cat err)" '*warning*as on Nehalem*OPENBLAS_CORETYPE=Haswell*' 'AVX2 and Nehalem: a warning'
else
	skip 'warnings of AVX2' 'this CPU does not have it'
fi
if beyond_isa avx512; then
	skip 'warnings of AVX-512' "beyond ISA=$ISA"
elif BT_ISA=avx512 bert-eval -m m --gemm ref dev.rec >out 2>err; then
	OPENBLAS_CORETYPE=Haswell bert-predict -m m --gemm openblas dev.rec >out 2>err
	like "$(cat err)" '*warning*as on Haswell*OPENBLAS_CORETYPE=SkylakeX*' 'AVX-512 and Haswell: a warning'
	OPENBLAS_CORETYPE=SkylakeX bert-predict -m m --gemm openblas dev.rec >out 2>err
	is "$(grep -c OPENBLAS_CORETYPE err)" 0 'AVX-512 and SkylakeX: nothing is said'
else
	skip 'warnings of AVX-512' 'this CPU does not have it'
fi
finish
