# SPDX-License-Identifier: MIT
# hold_libraries ISA: keeps the libraries that compute beside us within the instruction set,
# by the names that they have for it: oneDNN (DNNL_ before 2.5), OpenBLAS, MKL, PyTorch. For
# ref they get the least that they know. Nothing of the kind holds ONNX Runtime and OpenVINO.
# shellcheck shell=sh
hold_libraries() {
	openblas='' mkl='' aten=''
	case $1 in
	ref) onednn=SSE41 openblas=Prescott mkl=SSE4_2 aten=default ;;
	avx2) onednn=AVX2 openblas=Haswell mkl=AVX2 aten=avx2 ;;
	avx2vnni) onednn=AVX2_VNNI openblas=Haswell mkl=AVX2 aten=avx2 ;;
	avx512) onednn=AVX512_CORE openblas=SkylakeX mkl=AVX512 aten=avx512 ;;
	avx512vnni) onednn=AVX512_CORE_VNNI openblas=SkylakeX mkl=AVX512_E1 aten=avx512 ;;
	avx512bf16) onednn=AVX512_CORE_BF16 openblas=Cooperlake ;;
	neon*) onednn=ADVANCED_SIMD openblas=ARMV8 ;;
	*) onednn=ALL ;;
	esac
	export ONEDNN_MAX_CPU_ISA="$onednn" DNNL_MAX_CPU_ISA="$onednn"
	[ -z "$openblas" ] || export OPENBLAS_CORETYPE="$openblas"
	[ -z "$mkl" ] || export MKL_ENABLE_INSTRUCTIONS="$mkl"
	[ -z "$aten" ] || export ATEN_CPU_CAPABILITY="$aten"
}
