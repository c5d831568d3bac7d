#!/bin/sh
# SPDX-License-Identifier: MIT
# csv2tfrecord on published data sets. The checksums are those of what Python's
# csv module reads (or, without quoting, of lines split at tabs), written down
# as tests/lib/records does.
# Not under thread: the threads are those of cli/common/read-ahead
# shellcheck shell=sh
. "$TEST_TOP/tests/lib/lib.sh"

# table FILE SUMMARY ARGUMENT...: the table gives that many records and labels; a
# "3 texts have!" before them is a warning of different labels
table() {
	file=$SHARED/$1 name=$1 summary=$2
	shift 2
	if [ ! -f "$file" ]; then
		skip "$name" 'the data is not here'
		return
	fi
	csv2tfrecord "$@" "$file" 2>err >got.tfrecord
	is "$? $(sed "s/^csv2tfrecord: //; s/ different labels in .*/!/" err | tr -d '\n')" \
		"0 $summary" "$name: $*"
}

# sum CRC: of the records that table made
sum() {
	if [ ! -f "$file" ]; then
		skip "$name: content" 'the data is not here'
		return
	fi
	is "$("$TEST_TOP/tests/lib/records" got.tfrecord | cksum)" "$1" \
		"$name: content"
}

table banking77/train.csv '10003 records from 1 file, 77 labels' -l category
sum '16623765 956346'
table banking77/test.csv '3080 records from 1 file, 77 labels' -l category
sum '2591707433 276134'

pair='--pair=#2 String'
table glue/MRPC/train.tsv '3668 records from 1 file, 2 labels' \
	--no-quote -t '#1 String' "$pair" -l Quality
sum '1787024887 936501'
table glue/MRPC/dev.tsv '408 records from 1 file, 2 labels' \
	--no-quote -t '#1 String' "$pair" -l Quality
table glue/MRPC/test.tsv '1725 records from 1 file' \
	--no-quote -t '#1 String' "$pair" -i index

table glue/SST-2/train.tsv 'warning: in the first 50000 rows, 3 texts have!67349 records from 1 file, 2 labels' \
	--no-quote -t sentence -l label
table glue/SST-2/dev.tsv '872 records from 1 file, 2 labels' \
	--no-quote -t sentence -l label
table glue/SST-2/test.tsv '1821 records from 1 file' \
	--no-quote -t sentence -i index
table glue/CoLA/train.tsv 'warning: 11 texts have!8551 records from 1 file, 2 labels' \
	--no-quote --no-header -t 4 -l 2
table glue/CoLA/dev.tsv 'warning: 3 texts have!1043 records from 1 file, 2 labels' \
	--no-quote --no-header -t 4 -l 2
table glue/CoLA/test.tsv '1063 records from 1 file' \
	--no-quote -t sentence -i index

table glue/RTE/train.tsv '2490 records from 1 file, 2 labels' \
	--no-quote -t sentence1 --pair sentence2 -l label -i index
table glue/RTE/dev.tsv '277 records from 1 file, 2 labels' \
	--no-quote -t sentence1 --pair sentence2 -l label -i index
table glue/RTE/test.tsv '3000 records from 1 file' \
	--no-quote -t sentence1 --pair sentence2 -i index
table glue/RTE/source_hf_form/train.tsv '2490 records from 1 file, 2 labels' \
	-t sentence1 --pair sentence2 -l label -i idx
sum '1488297663 876090'

table ag_news/test.csv '7600 records from 1 file, 4 labels' \
	--no-header -t 2,3 -l 1
sum '2339054581 1911544'

table zindi_arabizi/train_ppd.csv 'warning: in the first 50000 rows, 8 texts have!70000 records from 1 file, 3 labels' \
	-l label
table zindi_arabizi/ppd_Train.csv 'warning: in the first 50000 rows, 8 texts have!70000 records from 1 file, 3 labels' \
	-l label
table zindi_arabizi/ppd_Test.csv '30000 records from 1 file'

# with quoting on, rows would be lost: never without a word
mrpc=$SHARED/glue/MRPC/dev.tsv
if [ -f "$mrpc" ]; then
	refuses "*'$mrpc': record 1 (line 2): text after a closing quote on line 3*(use --no-quote*" \
		'MRPC with quoting' csv2tfrecord -t 4 "$mrpc"
else
	skip 'MRPC with quoting' 'the data is not here'
fi

finish
