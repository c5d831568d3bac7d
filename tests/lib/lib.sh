# SPDX-License-Identifier: MIT
# Helpers of the shell tests: TAP by assertion. Every test starts with
#     . "$TEST_TOP/tests/lib/lib.sh"
# and ends with "finish". It runs in an empty directory of its own.
# shellcheck shell=sh
set -u
n=0
bad=0
DATA=$TEST_TOP/tests/data
SHARED=${BT_SHARED_DATA:-$TEST_TOP/../shared/data} # optional real data

# The names that BT_ISA takes, the least first
instruction_sets='ref neon neondot avx2 avx2vnni avx512 avx512vnni avx512bf16 amx'
# beyond_isa NAME: ISA=... keeps the tests from this instruction set
beyond_isa() {
	case " $instruction_sets " in
	*" ${ISA:-amx} "*"$1 "*) ;;
	*) false ;;
	esac
}

# result STATUS NAME: one case; what stands in the file "why" explains a failure
result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		bad=$((bad + 1))
		echo "not ok $n - $2"
		[ ! -s why ] || sed 's/^/#   /' why
	fi
	[ ! -e why ] || rm -f why
	[ -z "${TEST_CHECKSUMS-}" ] || checksums
}

# Adds the checksums of the files that are new or changed since the last case, but
# for messages, to what tests/checksums keeps.
checksums() {
	stamp=$TEST_CHECKSUMS.d/$(echo "$TEST_NAME" | tr / ,)
	touch "$stamp.now"
	if [ -f "$stamp" ]; then
		find . -type f ! -name err -newer "$stamp" -exec sha256sum {} +
	else
		find . -type f ! -name err -exec sha256sum {} +
	fi | sed "s,^,$TEST_NAME $n ," >>"$TEST_CHECKSUMS"
	mv "$stamp.now" "$stamp"
}

# skip NAME REASON
skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# is GOT WANTED NAME
is() {
	[ "$1" = "$2" ] || {
		printf 'got:    %s\nwanted: %s\n' "$1" "$2" >why
		false
	}
	result $? "$3"
}

# same FILE WANTED-FILE NAME: equal bytes
same() {
	cmp -s "$1" "$2" || diff -u "$2" "$1" >why 2>&1
	result $? "$3"
}

# same_card CARD WANTED-CARD NAME: model cards that are equal but for the last line,
# which says how fast the run was
same_card() {
	sed '$d' "$2" >card.wanted
	sed '$d' "$1" | diff -u card.wanted - >why 2>&1
	result $? "$3"
	rm card.wanted
}

# like TEXT GLOB NAME: the text matches the shell pattern
like() {
	# shellcheck disable=SC2254
	case $1 in
	$2) result 0 "$3" ;;
	*)
		printf 'got:    %s\npattern: %s\n' "$1" "$2" >why
		result 1 "$3"
		;;
	esac
}

# exits STATUS NAME COMMAND...: runs it with its output in the files out and
# err, and checks the exit status
exits() {
	wanted=$1 name=$2
	shift 2
	"$@" >out 2>err
	got=$?
	[ $got = "$wanted" ] || {
		echo "exit status $got, wanted $wanted: $*"
		head -n 5 err
		false
	} >why
	result $? "$name"
}

# works NAME COMMAND...: as exits 0
works() {
	exits 0 "$@"
}

# read_message: message=$(cat err), message_lines=$(wc -l <err), without a process
read_message() {
	message='' message_lines=0
	while IFS= read -r message_line; do
		message="$message$message_line
"
		message_lines=$((message_lines + 1))
	done <err
	message=$message$message_line
	while :; do
		case $message in
		*"
") message=${message%?} ;;
		*) break ;;
		esac
	done
}

# declines STATUS GLOB NAME COMMAND...: that exit status, a message that matches, for
# 2 followed by where to find help, and nothing on standard output
declines() {
	wanted=$1 glob=$2 name=$3
	shift 3
	"$@" >out 2>err
	got=$?
	read_message
	hint=
	if [ "$wanted" != 1 ]; then
		hint="
Try '* --help'."
	fi
	# shellcheck disable=SC2254
	case "$got$message" in
	"$wanted"$glob$hint) [ ! -s out ] ;;
	*) false ;;
	esac || {
		echo "exit status $got, $(wc -c <out) bytes of output: $*"
		echo "pattern: $glob$hint"
		head -n 5 err
		false
	} >why
	result $? "$name"
}

# refuses GLOB NAME COMMAND..., misuses GLOB NAME COMMAND...: it says so
refuses() { declines 1 "$@"; }
misuses() { declines 2 "$@"; }

# peer_or_end NAME [MODULE ...]: ends the test, NAME skipped, where PEER_PYTHON is not set
# or lacks a module. What follows asks no hub.
peer_or_end() {
	peer_name=$1
	shift
	if [ -z "${PEER_PYTHON-}" ]; then
		skip "$peer_name" 'PEER_PYTHON is not set'
		finish
	elif [ $# != 0 ] && ! "$PEER_PYTHON" -c 'import importlib.util as u, sys
sys.exit(not all(map(u.find_spec, sys.argv[1:])))' "$@" 2>/dev/null; then
		skip "$peer_name" "PEER_PYTHON lacks one of $*"
		finish
	fi
	export HF_HUB_OFFLINE=1
}

# minilm_or_end NAME: the same where MINILM is not set
minilm_or_end() {
	[ -n "${MINILM-}" ] || {
		skip "$1" 'MINILM is not set'
		finish
	}
}

# outcomes FILE [BEFORE]: its lines "ok NAME" and "not ok NAME" as cases, whose names begin
# with BEFORE; prints the others
outcomes() {
	while read -r outcome; do
		case $outcome in
		ok*'# SKIP '*)
			outcome=${outcome#ok }
			skip "${2-}${outcome%% # *}" "${outcome##*# SKIP }"
			;;
		'ok '*) result 0 "${2-}${outcome#ok }" ;;
		'not ok '*) result 1 "${2-}${outcome#not ok }" ;;
		*) echo "$outcome" ;;
		esac
	done <"$1"
}

# compares NAME: whether numbers are to be compared with a peer's; else NAME is skipped. One
# build does that, the plain one, or that which TEST_COMPARES names by its kind: in others
# the numbers are the same, and a peer's own time long.
compares() {
	if [ -z "${PEER_PYTHON-}" ]; then
		skip "$1" 'PEER_PYTHON is not set'
	elif [ "${TEST_KIND-}" != "${TEST_COMPARES-}" ]; then
		skip "$1" "not in this build: another one compares"
	else
		export HF_HUB_OFFLINE=1
		return 0
	fi
	return 1
}

# wait_for COMMAND...: tries it until it succeeds, some minutes at most, since tests run
# beside others: what must not take long has limits of processor time instead
wait_for() {
	tries=0
	until "$@"; do
		[ $tries -lt 6000 ] || return 1
		sleep 0.02
		tries=$((tries + 1))
	done
}
gone() { ! kill -0 "$1" 2>/dev/null; }

finish() {
	[ $n != 0 ] || { n=1 bad=1; echo 'not ok 1 - no case was run'; }
	echo "1..$n"
	[ $bad = 0 ]
	exit $?
}

# weights DIR: a checksum of those of a model
weights() { cksum <"$1/model.safetensors"; }
