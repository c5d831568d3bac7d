#!/bin/sh
# SPDX-License-Identifier: MIT
# --label-issues: records whose labels are probably wrong. The issues and their
# order are those that cleanlab 2.9 finds in these probabilities, with
# find_label_issues(labels, pred_probs, filter_by='confident_learning',
# return_indices_ranked_by='self_confidence'): no record has the label d, two
# labels are equally probable, one suggested class is not the likeliest.
# Not under thread: the threads are those of cli/bert-eval/report
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
n=0
cp "$TEST_TOP/pipelines/data/vocab.txt" .
cat >all.csv <<'END'
id,label,a,b,c,d
r0,c,0.03,0.28,0.41,0.28
r1,c,0.43,0.06,0.07,0.44
r2,c,0.31,0.35,0.07,0.27
r3,c,0.11,0.12,0.58,0.19
r4,c,0.55,0.04,0.05,0.36
r5,c,0.05,0.07,0.11,0.77
r6,c,0.03,0.45,0.08,0.44
r7,a,0.56,0.14,0.21,0.09
r8,b,0.11,0.49,0.04,0.36
r9,c,0.02,0.01,0.94,0.03
r10,a,0.01,0.84,0.03,0.12
r11,b,0.13,0.77,0.06,0.04
r12,c,0.01,0.05,0.37,0.57
r13,c,0.06,0.42,0.08,0.44
r14,c,0.1,0.1,0.67,0.13
r15,b,0.39,0.06,0.41,0.14
END
cut -d, -f1,3- all.csv >p.csv
records() { # FILE [OPTION ...]: of a table with the columns id, text, label
	csv2tfrecord -q -i id -t text -l label "$@" | bert-tokenize -q -m vocab.txt --keep-text
}
awk -F, -v OFS=, 'NR == 1 { print "id,text,label"; next } { print $1, "\"Text, of " $1 "\"", $2 }' all.csv >texts.csv
records texts.csv >r.rec

works 'issues' bert-eval --predictions p.csv --label-issues issues.csv -o report r.rec
is "$(cat issues.csv)" 'id,label,suggested,label_probability,suggested_probability,text
r10,a,b,0.01,0.84,"Text, of r10"
r4,c,a,0.05,0.55,"Text, of r4"
r15,b,c,0.06,0.41,"Text, of r15"
r1,c,a,0.07,0.43,"Text, of r1"
r2,c,a,0.07,0.31,"Text, of r2"
r6,c,b,0.08,0.45,"Text, of r6"' 'are those of cleanlab, in its order'
like "$(cat err)" "*: 6 of 16 labels look wrong: most often 'c' for 'a' (3), 'a' for 'b' (1), 'b' for 'c' (1)
*" 'the log counts them, and the pairs of labels'
like "$(cat report)" '*accuracy*' 'the report comes, too'
bert-eval -q --predictions p.csv --label-issues issues.tsv -o report r.rec
is "$(sed -n 2p issues.tsv)" "$(printf 'r10\ta\tb\t0.01\t0.84\tText, of r10')" '.tsv has tabs'
{ head -n 1 p.csv; sed 1d p.csv | sort -t, -k3; } >shuffled.csv
bert-eval -q --predictions shuffled.csv --label-issues out.csv -o report r.rec
same out.csv issues.csv 'rows match by id'

# records without ids, texts or labels; pairs
tfrecord-cat -q --json r.rec | sed 's/"id": "[^"]*", //; s/"text_a": "[^"]*", //; s/, "text_a": "[^"]*"//' |
	tfrecord-cat -q --from-json -o bare.rec
works 'without ids' bert-eval -q --predictions p.csv --label-issues bare.csv -o report bare.rec
sed 's/,"Text.*//; s/,text//; s/^r//' issues.csv >want
same bare.csv want 'without ids and texts, records are numbered'
printf 'id,text\nnew,no label\n' | csv2tfrecord -q -i id -t text | bert-tokenize -q -m vocab.txt -o none.rec
{ head -n 1 p.csv; echo new,.1,.2,.3,.4; sed 1d p.csv; } >more.csv
bert-eval -q --predictions more.csv --label-issues out.csv -o report none.rec r.rec
same out.csv issues.csv 'a record without a label is passed over'
awk -F, -v OFS=, 'NR == 1 { print "id,text,two,label"; next } { print $1, "one", "and " $1, $2 }' all.csv >pairs.csv
records --pair two pairs.csv >pairs.rec
bert-eval -q --predictions p.csv --label-issues out.csv -o report pairs.rec
is "$(sed -n 1,2p out.csv)" 'id,label,suggested,label_probability,suggested_probability,text,text_b
r10,a,b,0.01,0.84,one,and r10' 'both texts of a pair'

# nothing wrong; everything wrong
awk -F, -v OFS=, 'NR == 1 { print "id,a,b,c"; next }
	{ print $1, ($2 == "a") + 0, ($2 == "b") + 0, ($2 == "c") + 0 }' all.csv >sure.csv
works 'sure of all labels' bert-eval --predictions sure.csv --label-issues out.csv -o report r.rec
is "$(wc -l <out.csv | tr -d ' ')" 1 'no issues'
like "$(cat err)" '*: 0 of 16 labels look wrong
*' 'the log says so'
awk -F, -v OFS=, 'NR == 1 { print "id,a,b,c"; next }
	{ print $1, ($2 == "c") + 0, ($2 == "a") + 0, ($2 == "b") + 0 }' all.csv >wrong.csv
bert-eval -q --predictions wrong.csv --label-issues out.csv -o report r.rec
is "$(wc -l <out.csv | tr -d ' ')" 17 'all are issues, though all thresholds are 0'

# a model
small_data
small_train m -q --epochs 3
bert-predict -q -m m --proba -o m.csv dev.rec
bert-eval -q --predictions m.csv --label-issues want.csv -o report dev.rec
for j in 1 3; do
	works 'a model' bert-eval -q -m m -j $j --errors 2 --by label --label-issues out.csv -o report dev.rec
	cut -d, -f1-3 out.csv >got
	cut -d, -f1-3 want.csv >want
	same got want "finds what its predictions show, $j threads"
done
like "$(wc -l <want | tr -d ' ')" '[1-9]*' 'which is something'

# what does not go together
misuses '*--label-issues needs a file other than the report*' 'standard output' \
	bert-eval --predictions p.csv --label-issues - r.rec
misuses '*--label-issues needs a file other than the report*' 'the file of the report' \
	bert-eval --predictions p.csv --label-issues x -o x r.rec
misuses "*'p.csv' is both input and output*" 'the predictions' bert-eval --predictions p.csv --label-issues p.csv r.rec
misuses "*'r.rec' is both input and output*" 'the records' bert-eval --predictions p.csv --label-issues r.rec r.rec
misuses '*leave out*--label-issues*' 'thresholds' \
	bert-eval --predictions p.csv --label-issues x --tune-threshold f1 -o t r.rec
cut -d, -f1,2 all.csv >labels.csv
misuses '*label issues need probabilities, and there are labels alone (--proba*' 'labels alone' \
	bert-eval --predictions labels.csv --label-issues x r.rec
printf 'id,text,x,y\na,b,1,0\n' | csv2tfrecord -q -i id -t text -l x,y | bert-tokenize -q -m vocab.txt -o many.rec
printf 'id,x,y\na,.5,.5\n' >many.csv
misuses '*label issues are found where each text has one class, and here the task is multilabel*' 'several labels' \
	bert-eval --predictions many.csv --label-issues x many.rec
refuses "*'no/x'*" 'a folder that is not there' bert-eval --predictions p.csv --label-issues no/x -o report2 r.rec
is "$(ls report2 2>/dev/null)" '' 'no report without it'
finish
