#!/bin/sh
# SPDX-License-Identifier: MIT
# Sets of labels that hold the true one as often as was asked for, and labels that are not
# given because they are not probable enough.
# Not under thread: the threads are those of cli/bert-predict/output
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
small_train a -q --epochs 3 --learning-rate 2e-3
bert-eval -q -m a --calibrate temperature dev.rec >out
sed 1d train.csv | sed 's/.*,//' >truth
bert-predict -q -m a --proba train.rec >proba.csv

# the limit, by its formula: the scores of the true labels in order
limit() { # METHOD SHARE
	sed 1d proba.csv | paste -d, - truth | awk -F, -v m="$1" -v head="$(head -n 1 proba.csv)" '
	BEGIN { n = split(head, name, ",") }
	{ for (k = 3; k <= n; k++) if (name[k] == $NF) y = $k
		s = 1 - y
		if (m == "aps") { s = 0; for (k = 3; k <= n; k++) if ($k > y) s += $k }
		printf "%.9f\n", s }' | sort -g | awk -v c="$2" '{ x[NR] = $1 }
	END { r = (NR + 1) * c; if (r > int(r)) r = int(r) + 1; printf "%.5f\n", x[r] }'
}
for m in lac aps; do
	works "$m" bert-eval -q -m a --coverage .95 --set-method $m train.rec
	like "$(cat out)" "$m, limit *
sets of these $(wc -l <truth | tr -d ' ') examples: * have the true label, * labels each, * have one label" 'reports'
	{ sed -n "s/^$m, limit //p" out && limit $m .95; } | tr '\n' ' ' >got
	is "$(awk '{ print ($1 - $2) ^ 2 < 4e-10 }' got)" 1 "the limit: $(cat got)"
	bert-predict -q -m a --sets train.rec >sets.csv
	is "$(head -n 1 sets.csv)" id,label,set 'a column of sets'
	sed 1d sets.csv | paste -d, - truth | awk -F, '{ n = split($3, s, " "); h += index(" " $3 " ", " " $4 " ") > 0
		t += n; one += n == 1; if (index(" " $3 " ", " " $2 " ") == 0) bad++ }
		END { printf "%.4f %.2f %.4f %d\n", h / NR, t / NR, one / NR, bad }' >got
	is "$(cut -d' ' -f1-3 got)" "$(sed -n 's/.*: \([.0-9]*\) have the true label, \([.0-9]*\) labels each, \([.0-9]*\) .*/\1 \2 \3/p' out)" \
		'whose sets are those of the report'
	is "$(awk '{ print ($1 >= .95), $4 }' got)" '1 0' 'cover, and have the label that is predicted'
done
bert-predict -q -m a --sets --format jsonl -o sets.jsonl train.rec
is "$(sed 's/.*"set": \[\(.*\)\].*/\1/; s/[",]//g' sets.jsonl | cksum)" "$(sed 1d sets.csv | cut -d, -f3 | cksum)" 'JSON Lines'
bert-predict -q -m a --sets --format tfrecord train.rec | tfrecord-cat -q --json |
	sed 's/.*"set": //; s/[][}",]//g' | cksum >got
sed 1d sets.csv | cut -d, -f3 | cksum >want
same got want 'records'
bert-predict -q -m a --sets --label-separator '|' --proba train.rec | head -n 1 >got
is "$(cat got)" 'id,label,set,get_card,parking,pay_fine,wifi_access' 'before the probabilities'
is "$(bert-predict -q -m a --sets --label-separator '|' train.rec | cut -d, -f3 | grep -c '|')" \
	"$(cut -d, -f3 sets.csv | grep -c ' ')" 'with another separator'
is "$(sed -n 's/.*"method": "\([a-z]*\)".*/\1/p' a/calibration.json | tr '\n' ' ')" 'temperature aps ' 'beside the calibration'
bert-eval -q -m a --calibrate temperature dev.rec >out
misuses '*the model has no sets of labels (find them with bert-eval --coverage)*' \
	'new probabilities have none' bert-predict -m a --sets train.rec
small_train b -q
bert-predict -q -m b --proba dev.rec >before
works 'a model that is not calibrated' bert-eval -q -m b --coverage .5 dev.rec
bert-predict -q -m b --proba dev.rec >after
same before after 'stays as it is'
small_train b -q --seed 3
misuses '*the model has no sets of labels*' 'other weights' bert-predict -m b --sets train.rec

# rejected
bert-predict -q -m a --proba dev.rec >proba.csv
p=$(sed 1d proba.csv | awk -F, '{ m = 0; for (k = 3; k <= NF; k++) if ($k > m) m = $k; printf "%.9f\n", m }' | sort -g |
	awk '{ x[NR] = $1 } END { print (x[4] + x[5]) / 2 }')
works 'improbable labels' bert-predict -m a --min-proba "$p" dev.rec
is "$(grep -c ',$' out)" 4 'are not given'
like "$(cat err)" '*predicted *, rejected 4*' 'and counted'
grep -v ',$' out | sed 1d >got
cut -d, -f1,2 proba.csv | grep -Fx -f got >want
same got want 'the others are'
is "$(bert-predict -q -m a --min-proba "$p" --rejected other dev.rec | grep -c ',other$')" 4 'a name for them'
is "$(bert-predict -q -m a --min-proba "$p" --format jsonl dev.rec | grep -c '"label": null, ')" 4 'null'
is "$(bert-predict -q -m a --min-proba "$p" --rejected other --format jsonl dev.rec | grep -c '"label": "other", ')" 4 'or the name'

# what is refused
misuses '*--coverage take one -m DIR*' 'two models' bert-eval -m a -m b --coverage .9 dev.rec
misuses '*calibrate first*' 'both' bert-eval -m a --calibrate vector --coverage .9 dev.rec
misuses '*--set-method needs --coverage*' 'a method alone' bert-eval -m a --set-method aps dev.rec
misuses '*--coverage*' 'a share of 1' bert-eval -m a --coverage 1 dev.rec
tfrecord-cat -q --head 9 dev.rec >few.rec
refuses '*a coverage of 0.95 needs 19 examples at least, and there are 9*' 'too few' bert-eval -m a --coverage .95 few.rec
misuses '*--rejected needs --min-proba*' 'a name alone' bert-predict -m a --rejected x dev.rec
misuses '*none is rejected*' '--top' bert-predict -m a --min-proba .5 --top 2 dev.rec
misuses '*--sets takes one model*' 'sets of two' bert-predict -m a -m b --sets dev.rec
misuses '*do not apply to tsv*' 'tsv' bert-predict -m a --sets --format tsv dev.rec
awk -F, -v OFS=, 'NR == 1 { print "id,text,card,wifi"; next }
	/^[^"]*$/ { $3 = (/card/ ? 1 : 0) OFS (/wifi/ ? 1 : 0); print }' dev.csv |
	csv2tfrecord -q -i id -t text -l card,wifi | bert-tokenize -q -m vocab.txt -o many.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task multilabel --steps 2 -o many many.rec
misuses '*sets of labels are for models that choose one class*' 'labels' bert-eval -m many --coverage .9 many.rec
misuses '*--sets and --min-proba apply only to classification*' 'and their predictions' bert-predict -m many --min-proba .9 many.rec
finish
