#!/bin/sh
# SPDX-License-Identifier: MIT
# Thresholds with the highest F1.
# Not under thread: the threads are those of cli/bert-eval/report
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
n=0
# the highest F1 of any threshold for lines "PROBABILITY HOLDS"
highest() { awk '{ p[NR] = $1; y[NR] = $2; all += $2 }
	END { for (i in p) { t = m = 0
			for (j in p) if (p[j] + 0 >= p[i] + 0) { m++; t += y[j] }
			f = 2 * t / (m + all); best = f > best ? f : best }
		printf "%.4f\n", best }'; }

# two classes
small_data
for f in train dev; do
	awk -F, 'NR == 1 || /,(parking|wifi_access)$/' $f.csv |
		csv2tfrecord -q -i id -t text -l intent | bert-tokenize -q -m vocab.txt -o $f.rec
done
small_train a -q --learning-rate 2e-4
small_train b -q --learning-rate 2e-4 --seed 7
awk '/,(parking|wifi_access)$/' dev.csv | sed 's/.*,//; s/parking/0/; s/wifi_access/1/' >truth
for models in '-m a' '-m a -m b'; do
	# shellcheck disable=SC2086
	{
		bert-predict -q $models --proba dev.rec | sed 1d | cut -d, -f4 | paste -d' ' - truth | highest >want
		works "$models" bert-eval -q $models --tune-threshold f1 -o t.csv dev.rec
		is "$(awk '$1 == "wifi_access" { print $3 }' out)" "$(cat want)" 'the highest F1 of the second class'
		is "$(wc -l <t.csv | tr -d ' ')$(cut -d, -f1 t.csv)" 1wifi_access 'and its threshold'
		is "$(bert-eval -q $models dev.rec | awk '$1 == "wifi_access" { print $4; exit }')" \
			"$(awk '$1 == "wifi_access" { print $2 }' out)" '... the F1 before'
		is "$(bert-eval -q $models --threshold @t.csv dev.rec | awk '$1 == "wifi_access" { print $4; exit }')" \
			"$(cat want)" '... and after, where it is given'
		bert-predict -q $models --threshold @t.csv dev.rec | sed '1d; s/.*,//; s/parking/0/; s/wifi_access/1/' |
			paste -d' ' - truth | awk '{ t += $1 * $2; n += $1 + $2 } END { printf "%.4f\n", 2 * t / n }' >got
		same got want '... to bert-predict, too'
	}
done

# any number of labels: two that are learnt, one that never holds
awk -F, -v OFS=, 'NR == 1 { print "id,text,card,wifi,never"; next }
	/^[^"]*$/ { $3 = (/card/ ? 1 : 0) OFS (/wifi/ ? 1 : 0) OFS 0; print }' \
	"$TEST_TOP/pipelines/data/library-dev.csv" >many.csv
csv2tfrecord -q -i id -t text -l card,wifi,never many.csv | bert-tokenize -q -m vocab.txt -o many.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task multilabel --steps 8 -o many many.rec
bert-predict -q -m many --proba many.rec | sed 1d >many.out
works 'labels' bert-eval -q -m many --tune-threshold f1 -o many.t many.rec
is "$(cut -d, -f1 many.t | tr '\n' ' ')" 'card wifi never ' 'a threshold for each'
for k in 1 2; do
	cut -d, -f$((k + 2)) many.out >p
	sed 1d many.csv | cut -d, -f$((k + 2)) | paste -d' ' p - | highest
done >want
sed -n 2,3p out | awk '{ print $3 }' >got
same got want 'the highest F1 of each'
is "$(sed -n 4p out | awk '{ print $1, $2, $3, $4, $5 }')" 'never 0.0000 0.0000 0.5 0' \
	'a label that no example has keeps .5'
bert-eval -q -m many many.rec >before
bert-eval -q -m many --threshold @many.t many.rec >after
for f in micro macro; do
	is "$(awk -v f=$f '$1 == f && $2 == "F1" { print $3, $4 }' out)" \
		"$(awk -v f=$f '$1 == f { print $5 }' before after | paste -sd' ' -)" "$f F1 before and after"
done
# what the two-class model predicts itself, as the truth
bert-predict -q -m a --threshold @t.csv --proba dev.rec >own.csv
middle=$(sed 1d own.csv | cut -d, -f4 | sort -g | sed -n 8p)
tfrecord-cat -q --json dev.rec >dev.json
sed 1d own.csv | awk -F, -v x="$middle" '{ print ($4 > x ? "wifi_access" : "parking") }' |
	paste -d'|' - dev.json | sed 's/^\([a-z_]*\)|\(.*"label": "\)[a-z_]*"/\2\1"/' |
	tfrecord-cat -q --from-json -o own.rec
bert-eval -q -m a --tune-threshold f1 -o own.t own.rec >out
is "$(sed -n 2p out | awk '{ print $3 }')" 1.0000 'labels that a threshold divides: it is found'
like "$(bert-eval -q -m a --threshold @own.t own.rec | tail -n 1)" 'accuracy 1.0000 *' '... exactly'

# half-way, also between probabilities of few digits
sed 1d own.csv | awk -F, -v OFS=, 'BEGIN { print "id,parking,wifi_access" }
	{ x = NR % 2 ? .61 : .6; print $1, 1 - x, x }' >near.csv
sed 1d own.csv | awk '{ print (NR % 2 ? "wifi_access" : "parking") }' |
	paste -d'|' - dev.json | sed 's/^\([a-z_]*\)|\(.*"label": "\)[a-z_]*"/\2\1"/' |
	tfrecord-cat -q --from-json -o near.rec
bert-eval -q --predictions near.csv --tune-threshold f1 -o near.t near.rec >out
is "$(cat near.t)" wifi_access,0.605 'half-way between probabilities of few digits'

# a recall or a precision that is asked for: the highest of the other one that any threshold
# with it has, for lines "PROBABILITY HOLDS"
other() { # recall|precision X
	awk -v of="$1" -v x="$2" '{ p[NR] = $1; y[NR] = $2; all += $2 }
	END { for (i in p) { t = m = 0
			for (j in p) if (p[j] + 0 >= p[i] + 0) { m++; t += y[j] }
			a = of == "recall" ? t / all : t / m; b = of == "recall" ? t / m : t / all
			if (a >= x && b > best) best = b }
		printf "%.4f\n", best }'
}
for goal in recall=.95 recall=1 precision=.8 precision=.3; do
	works "$goal" bert-eval -q -m many --tune-threshold $goal -o many.t many.rec
	for k in 1 2; do
		cut -d, -f$((k + 2)) many.out >p
		sed 1d many.csv | cut -d, -f$((k + 2)) | paste -d' ' p - | other ${goal%=*} ${goal#*=}
	done >want
	case $goal in recall*) column=6 ;; *) column=7 ;; esac
	sed -n 2,3p out | awk -v c=$column '/not reached/ { print "0.0000"; next } { print $c }' >got
	same got want 'the best there is'
	bert-eval -q -m many --threshold @many.t many.rec | awk '$1 == "card" || $1 == "wifi" { print $2, $3, $4 }' >got
	sed -n 2,3p out | awk '{ print $6, $7, $3 }' >want
	same got want '... of the thresholds in the file'
done
is "$(bert-eval -q -m many --tune-threshold precision=1 -o many.t many.rec | grep -c 'not reached')" \
	"$(bert-eval -q -m many --tune-threshold precision=1 -o many.t many.rec | sed 1d | awk 'NF > 5 && $6 < 1' | wc -l | tr -d ' ')" \
	'a precision that no threshold has'

# what is refused
misuses '*--tune-threshold needs -o FILE*' 'no file' bert-eval -m a --tune-threshold f1 dev.rec
misuses "*'recall' is not f1, recall=X or precision=X*" 'no share' bert-eval -m a --tune-threshold recall -o x dev.rec
misuses "*'recall=1.5' is not f1*" 'more than all' bert-eval -m a --tune-threshold recall=1.5 -o x dev.rec
misuses "*'accuracy=.9' is not f1*" 'another metric' bert-eval -m a --tune-threshold accuracy=.9 -o x dev.rec
misuses '*either --threshold or --tune-threshold*' 'a threshold' \
	bert-eval -m a --tune-threshold f1 --threshold .5 -o x dev.rec
misuses '*have their own reports*' 'another report' bert-eval -m a --tune-threshold f1 --json -o x dev.rec
small_data
small_train four -q --steps 1
misuses '*the model has 4 classes, and a threshold chooses between two*' 'four classes' \
	bert-eval -m four --tune-threshold f1 -o x dev.rec
[ ! -e x ]
result $? 'no file is written'
finish
