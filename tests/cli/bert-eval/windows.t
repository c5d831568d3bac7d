#!/bin/sh
# SPDX-License-Identifier: MIT
# --windows: the windows of a text are one example, in every report.
# Not under thread: the threads are those of cli/bert-eval/report
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
small_train m -q --epochs 3
small_train m2 -q --epochs 3 --seed 3
n=0
rows=$(($(wc -l <dev.csv) - 1))
bert-tokenize -q -m m --max-length 10 --stride 2 -o w.rec dev.text.rec

for how in mean max first; do
	works "--windows $how" bert-eval -m m --windows $how --errors 2 --by label --compare m2 w.rec
	cp out want
	like "$(cat err)" "bert-eval: $rows texts of * windows: *" '... says so'
	like "$(grep examples out)" "*($rows examples)*" '... and counts texts'
	sed -n '/^by/,/^ *$/p' want >by
	bert-predict -q -m m --windows $how --proba -o p.csv w.rec
	bert-predict -q -m m --windows $how --format tensor -o p.ts w.rec
	bert-eval -q -m m --windows $how w.rec >want
	bert-eval -q --predictions p.csv w.rec >got
	same got want '... as the predictions that are written'
	bert-eval -q --predictions p.ts --windows $how w.rec >got
	same got want '... or their logits'
	bert-eval -q --predictions p.ts dev.rec >got
	same got want '... with the labels of whole texts'
	bert-eval -q -m m --windows $how --compare m w.rec >got
	like "$(tail -n 1 got)" 'exact McNemar test: p = 1' '... and compares alike'
done
bert-eval -q -m m --json w.rec >got
bert-eval -q -m m --windows mean --json w.rec >want
same got want 'the mean is the default'
bert-eval -q -m m -m m2 w.rec >got
bert-predict -q -m m -m m2 --format tensor -o p.ts w.rec
bert-eval -q --predictions p.ts w.rec >want
same got want 'several models'
works '--windows each' bert-eval -q -m m --windows each w.rec
like "$(grep examples out)" "*($(tfrecord-cat --count w.rec) examples)*" 'counts windows'
bert-eval -q -m m --by label --json w.rec | tr -d ' \n' >got
is "$(grep -o '"by":.*' got | grep -o '"examples":[0-9]*' | awk -F: '{ n += $2 } END { print n }')" "$rows" \
	'--by divides texts'

# label issues: of texts
bert-eval -m m --label-issues issues.csv -o report w.rec 2>err
like "$(cat err)" "* of $rows labels look wrong*" 'label issues are of texts'
bert-predict -q -m m --proba -o p.csv w.rec
bert-eval -q --predictions p.csv --label-issues issues2.csv -o report w.rec
is "$(cut -d, -f1-3 issues2.csv)" "$(cut -d, -f1-3 issues.csv)" '... also in predictions'
bert-eval -q --predictions p.csv --label-issues issues3.csv -o report dev.rec
same issues3.csv issues2.csv '... which are those of whole texts'
[ "$(wc -l <issues.csv)" -gt 2 ]
result $? '... some'
csv2tfrecord -q -t text -l intent dev.csv | bert-tokenize -q -m m --max-length 10 --stride 2 --keep-text -o nameless.rec
bert-eval -q -m m --label-issues issues4.csv -o report nameless.rec
is "$(cut -d, -f2,3 issues4.csv)" "$(cut -d, -f2,3 issues.csv)" '... without ids'
awk -F, 'NR == FNR { if (FNR > 1) id[FNR - 2] = $1; next } FNR > 1 { print id[$1] }' dev.csv issues4.csv >got
is "$(cat got)" "$(sed 1d issues.csv | cut -d, -f1)" '... by the number of the text'

# two classes: thresholds; several labels; numbers
awk -F, 'NR == 1 || /,(parking|wifi_access)$/' train.csv | csv2tfrecord -q -i id -t text -l intent -o two.text
bert-tokenize -q -m m -o train.rec two.text
bert-tokenize -q -m m --max-length 10 --stride 2 -o two.rec two.text
small_train two -q
works '--tune-threshold' bert-eval -q -m two --tune-threshold f1 -o th.csv two.rec
bert-predict -q -m two --proba -o p.csv two.rec
bert-eval -q --predictions p.csv --tune-threshold f1 -o th2.csv two.rec
same th2.csv th.csv 'tunes on texts'

awk -F, 'NR == 1 { print "id,text,score" } NR > 1 { print $1 ",where is the book of the week and the parking " NR "," NR / 9 }' train.csv |
	csv2tfrecord -q -i id -t text -l score --label-type float -o n.text
bert-tokenize -q -m m --max-length 10 --stride 2 -o n.rec n.text
bert-tokenize -q -m m -o train.rec n.text
small_train number -q --task regression
works 'numbers' bert-eval -m number --json n.rec
cp out want
like "$(cat err)" "*a text has the mean of its windows' numbers*" 'are joined'
bert-predict -q -m number --windows each n.rec | awk -F, 'NR == 1 { print; next }
	$1 != id { if (n) print id "," s / n; s = n = 0; id = $1 } { s += $2; n++ } END { print id "," s / n }' >p.csv
bert-eval -q --predictions p.csv --task regression --json n.rec >got
mse() { sed -n 's/.*"mse": \([0-9.]*\).*/\1/p' "$1"; }
is "$(awk "BEGIN { d = $(mse got) / $(mse want) - 1; print (d < 1e-4 && d > -1e-4) }")" 1 '... by their mean'
finish
