# SPDX-License-Identifier: MIT
# Several processes of one job, on this machine.
# shellcheck shell=sh

# have_ranks NAME: whether mpirun is here and may be used; else NAME is skipped
have_ranks() {
	if ! command -v mpirun >/dev/null; then
		skip "$1" 'mpirun is not installed (make deps-dev)'
		return 1
	fi
	if [ "${TEST_KIND-}" = emulation ]; then
		skip "$1" 'there is no libmpi of the emulated machine'
		return 1
	fi
	# Open MPI keeps memory of plugins that it has unloaded, which a suppression cannot
	# name; what leaks in our own code shows with one process
	LSAN_OPTIONS=${LSAN_OPTIONS:+$LSAN_OPTIONS:}detect_leaks=0
	export LSAN_OPTIONS
	# a folder of its own, which a job of another test does not remove
	export OMPI_MCA_orte_tmpdir_base="$PWD" PRTE_MCA_prte_tmpdir_base="$PWD"
	# nothing is said beyond this machine, even by its loopback
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1 OMPI_MCA_rmaps_base_oversubscribe=1 \
		OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_oob_tcp_if_include=lo HWLOC_COMPONENTS=-gl
}

# ranks N COMMAND ...
ranks() {
	number=$1
	shift
	mpirun -n "$number" "$@" </dev/null
}

# make_on_rank: ./on-rank RANK SETTING COMMAND ... runs the command, after the setting where
# the process has that rank
make_on_rank() {
	cat >on-rank <<-'END'
		#!/bin/sh
		[ "$OMPI_COMM_WORLD_RANK" != "$1" ] || eval "$2"
		shift 2
		exec "$@"
	END
	chmod +x on-rank
}

# both NAME COMMAND ...: one process, and three, or in slow builds two, write the same bytes on
# standard output and into the file "o", if the command does, tell the same, and end with the
# same status
both() {
	name=$1 number=3
	[ -z "${TEST_KIND-}" ] || number=2
	shift
	rm -f o o.one
	"$@" >one 2>one.err </dev/null
	echo $? >>one
	[ ! -e o ] || mv o o.one
	ranks $number "$@" >many 2>many.err
	echo $? >>many
	{
		cmp one many && if [ -e o.one ] || [ -e o ]; then cmp o.one o; fi
	} >why 2>&1
	result $? "$name, $number ranks"
	grep "^$1" many.err | sed 's/ in [0-9.]* s: .*//' >many.told
	grep "^$1" one.err | sed 's/ in [0-9.]* s: .*//' >one.told
	same many.told one.told '... and the messages'
	rm -f o
}
