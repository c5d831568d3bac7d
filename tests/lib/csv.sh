# SPDX-License-Identifier: MIT
# Helpers of the tests of csv2tfrecord.
# shellcheck shell=sh
records() { "$TEST_TOP/tests/lib/records" "$@"; }

# gives "WANTED" NAME ARGUMENT...: the records that csv2tfrecord makes
gives() {
	wanted=$1 name=$2
	shift 2
	csv2tfrecord "$@" >got 2>err
	is "$? $(records got)" "0 $wanted" "$name"
}
