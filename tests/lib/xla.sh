# SPDX-License-Identifier: MIT
# Where XLA's plugin for CPUs is.
# shellcheck shell=sh

# xla_path: sets BT_PJRT_PATH, unless it is set, to where the Python of PEER_PYTHON has its
# packages; fails where there is neither.
xla_path() {
	if [ -z "${BT_PJRT_PATH-}" ]; then
		[ -n "${PEER_PYTHON-}" ] || return 1
		BT_PJRT_PATH=$("$PEER_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
	fi
	export BT_PJRT_PATH
	[ -z "${XLA_FLAGS+set}" ] || return 0
	# Programs run once or twice: compiling them takes longer than all else. Each of these
	# halves it; a version that lacks one ends its process.
	XLA_FLAGS=--xla_backend_optimization_level=0
	export XLA_FLAGS
	for flag in --xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1; do
		XLA_FLAGS="$XLA_FLAGS $flag" bert-predict --device list 2>/dev/null |
			grep -q '^  not usable: ' || XLA_FLAGS="$XLA_FLAGS $flag"
	done
}

# xla_unit NAME: runs build/unit/NAME, whose output it leaves in said and why; ends the test
# where there is no plugin. Sets status.
xla_unit() {
	if ! xla_path; then
		skip "XLA's plugin for CPUs" 'PEER_PYTHON is not set'
		finish
	fi
	status=0
	"$BUILD/unit/$1" >said 2>why || status=$?
	if grep -q '# SKIP' said; then
		skip "XLA's plugin for CPUs" 'the Python of PEER_PYTHON has no xla-cpu-pjrt'
		finish
	fi
	grep '^#' said
}
