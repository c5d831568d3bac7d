#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-run-glue --mode=zip: predictions for the leaderboard, checked and collected.
# Not under thread: starts no threads
# Not under isa: the trainings are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"

names='CoLA SST-2 MRPC STS-B QQP MNLI-m MNLI-mm QNLI RTE WNLI AX'
# predictions ROWS CHOICE ...: a file of them, by turns
predictions() {
	awk -v rows="$1" -v list="$2" 'BEGIN {
		n = split(list, v, " ")
		print "index\tprediction"
		for (i = 0; i < rows; i++) print i "\t" v[i % n + 1]
	}' </dev/null
}
zero_one='0 1' two='entailment not_entailment' three='neutral contradiction entailment'
numbers='0.000 5.000 2.375 .5 3'
all() { # DIR SIZE-OF-TASK...: the files, of the sizes of the test sets
	mkdir -p "$1"
	dir=$1
	shift
	for name in $names; do
		case $name in
		STS-B) words=$numbers ;;
		MNLI-* | AX) words=$three ;;
		QNLI | RTE) words=$two ;;
		*) words=$zero_one ;;
		esac
		predictions "$1" "$words" >"$dir/$name.tsv"
		[ $# = 1 ] || shift
	done
}
collect() { # DIR FLAG ...
	dir=$1
	shift
	bert-run-glue --mode=zip --predictions_dir="$dir" --zip_output_path=out.zip "$@"
}
unpacked() { # ARCHIVE MEMBER
	perl -MIO::Uncompress::Unzip=unzip,\$UnzipError -e \
		'unzip($ARGV[0] => "-", Name => $ARGV[1]) or die $UnzipError' "$1" "$2"
}
# the names of the members, in their order
members() {
	perl -MIO::Uncompress::Unzip -e '$u = IO::Uncompress::Unzip->new($ARGV[0]) or die;
		do { print $u->getHeaderInfo->{Name}, " ";
			1 while $u->read($x) > 0 } while ($u->nextStream > 0)' "$1"
}

all p 1063 1821 1725 1379 390965 9796 9847 5463 3000 146 1104
works 'collects all files' collect p
like "$(cat err)" "bert-run-glue: 11 files in 'out.zip'" 'says so'
is "$(members out.zip)" "$(for f in $names; do printf '%s.tsv ' $f; done)" \
	'they stand in no folder'
for f in $names; do
	unpacked out.zip $f.tsv >got
	cmp got p/$f.tsv >why 2>&1
	result $? "$f.tsv as it was"
done
[ "$(wc -c <out.zip)" -lt "$(($(cat p/* | wc -c) / 3))" ]
result $? 'packed'
mv out.zip first.zip
works 'once more' collect p/
cmp out.zip first.zip >why 2>&1
result $? 'gives the same bytes'

# one file that is wrong: NAME LINE WORDS
wrong() {
	rm -f out.zip
	exits 1 "$1.tsv is wrong: $3" collect s --notest_set_sizes
	is "$(cat err)" "bert-run-glue: warning: 's/$1.tsv': $2$3
bert-run-glue: 1 of the 11 files are missing or wrong: $1.tsv" '... is reported'
	[ ! -e out.zip ]
	result $? '... and no archive is written'
	cp -r good/. s
}
all good 5
cp -r good s
works 'small files, if asked for' collect s --notest_set_sizes
exits 1 'not else' collect s
is "$(grep -c ': 5 rows, and the test set has ' err)" 11 'each is reported'
like "$(cat err)" "*'s/QQP.tsv': 5 rows, and the test set has 390965*" 'with its size'
sed -i 's/^3/4/' s/RTE.tsv
wrong RTE 'line 5: ' "index '4', expected 3: rows are in the order of the test set, from 0"
sed -i '4s/.*/2	yes/' s/QNLI.tsv
wrong QNLI 'line 4: ' "prediction 'yes', expected entailment or not_entailment"
sed -i '2s/neutral/0/' s/AX.tsv
wrong AX 'line 2: ' "prediction '0', expected contradiction, entailment or neutral"
sed -i '6s/.*/4	entailment/' s/WNLI.tsv
wrong WNLI 'line 6: ' "prediction 'entailment', expected 0 or 1"
for v in 5.001 -0.1 nan '1 ' ''; do
	sed -i "3s/	.*/	$v/" s/STS-B.tsv
	wrong STS-B 'line 3: ' "prediction '$v', expected a number from 0 to 5"
done
sed -i 1d s/CoLA.tsv
wrong CoLA 'line 1: ' "expected a header of 'index', a tab and 'prediction'"
sed -i 's/	/,/' s/MRPC.tsv
wrong MRPC 'line 1: ' "expected a header of 'index', a tab and 'prediction'"
sed -i '2s/	/,/' s/MRPC.tsv
wrong MRPC 'line 2: ' 'expected an index, a tab and a prediction'
echo >>s/QQP.tsv
wrong QQP 'line 7: ' 'expected an index, a tab and a prediction'
sed -i 's/$/\r/' s/QQP.tsv
wrong QQP 'line 1: ' 'the line ends in CR and LF, expected LF alone'
: >s/SST-2.tsv
wrong SST-2 '' 'the file is empty'
printf %s "$(cat good/RTE.tsv)" >s/RTE.tsv
works 'a last line without its end' collect s --notest_set_sizes
rm s/SST-2.tsv
mkdir s/SST-2.tsv
refuses "*'s/SST-2.tsv'*" 'a folder' collect s --notest_set_sizes

# what is missing
rm -r s/SST-2.tsv s/WNLI.tsv
exits 1 'missing files' collect s --notest_set_sizes
is "$(cat err)" "bert-run-glue: warning: 's/SST-2.tsv' is missing
bert-run-glue: warning: 's/WNLI.tsv' is missing
bert-run-glue: 2 of the 11 files are missing or wrong: SST-2.tsv, WNLI.tsv" 'are named'
works 'a constant for them' collect s --notest_set_sizes --fill_missing=WNLI=1,SST-2=0,AX=neutral
like "$(cat err)" "*'s/WNLI.tsv' is missing: 146 rows are filled with '1'*" 'is reported'
unpacked out.zip WNLI.tsv >got
predictions 146 1 >wanted
same got wanted 'in each row of the test set'
unpacked out.zip AX.tsv >got
same got good/AX.tsv 'a file that is there is taken'
ln -s WNLI.tsv s/WNLI.tsv
refuses "*warning: *'s/WNLI.tsv': Too many levels of symbolic links*files are missing or wrong: WNLI.tsv" 'a file that cannot be opened' \
	collect s --notest_set_sizes --fill_missing=WNLI=1,SST-2=0
rm s/WNLI.tsv
misuses "*--fill_missing: WNLI: prediction '2', expected 0 or 1*" 'another class' \
	collect s --fill_missing=WNLI=2
misuses '*--fill_missing=WNLI: expected NAME=PREDICTION*' 'no class' \
	collect s --fill_missing=WNLI
misuses '*--fill_missing=MNLI=neutral: expected*names are those of the files*' \
	'a name that no file has' collect s --fill_missing=MNLI=neutral
misuses '*--fill_missing: STS-B: prediction *expected a number from 0 to 5*' \
	'a number that is none' collect s --fill_missing=STS-B=6
cp p/AX.tsv p.ax
run_other() {
	bert-run-glue --task_name=AX --mode=predict --input_meta_data_path=x --model_dir=x \
		--test_input_path=x --test_output_path=x --fill_missing=AX=neutral
}
misuses '*--mode=zip needs --predictions_dir*' 'no folder' bert-run-glue --mode=zip
misuses '*--mode=zip needs --zip_output_path*' 'no output' \
	bert-run-glue --mode=zip --predictions_dir=s
misuses '*--mode=predict needs --task_name*' 'no task' bert-run-glue --mode=predict
misuses '*--fill_missing is for --mode=zip' 'a flag of this mode in another' run_other
misuses "*'p/AX.tsv'*" 'one of the files as output' collect p --zip_output_path=p/AX.tsv
same p/AX.tsv p.ax 'which stays as it is'
refuses "*cannot *'nosuch/out.zip'*" 'an output in no folder' \
	collect p --zip_output_path=nosuch/out.zip
finish
