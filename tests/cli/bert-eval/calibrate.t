#!/bin/sh
# SPDX-License-Identifier: MIT
# Probabilities that are fitted to held-out records and kept in the model directory.
# Not under thread: the threads are those of cli/bert-eval/report
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
# the second or third number of a line of the report
before() { sed -n "s/^$1 *\([0-9.]*\) .*/\1/p" "${2-out}"; }
after() { sed -n "s/^$1 .* \([0-9.]*\)$/\1/p" "${2-out}"; }
measure() { bert-eval -q -m "$1" --json "$3" | sed -n "s/^ \"$2\": \(.*\),/\1/p" | awk '{ printf "%.6f\n", $1 }'; }

small_data
small_train a -q --epochs 4 --learning-rate 3e-3
loss=$(measure a loss dev.rec)
bert-predict -q -m a --proba dev.rec >raw.csv
sed 1d dev.csv | sed 's/.*,//' >truth
works 'it fits' bert-eval -m a --calibrate temperature dev.rec
like "$(cat out)" 'temperature *before *after*log loss *Brier score *calibration error *accuracy *' 'and reports'
is "$(before 'log loss')" "$loss" 'the loss before'
is "$(after 'log loss')" "$(measure a loss dev.rec)" 'and after, as the model has it from then on'
is "$(after 'Brier score')" "$(measure a brier_score dev.rec)" 'its Brier score'
is "$(after 'calibration error')" "$(measure a ece dev.rec)" 'its calibration error'
is "$(awk -v a="$(before 'log loss')" -v b="$(after 'log loss')" 'BEGIN { print (b < a) }')" 1 'the loss is lower'

# the mean loss of p^(1/t), scaled to a sum of 1, of the probabilities before
t=$(sed -n 's/^temperature //p' out)
at() { sed 1d raw.csv | paste -d, - truth | awk -F, -v t="$1" -v head="$(head -n 1 raw.csv)" '
	BEGIN { n = split(head, name, ",") }
	{ s = 0; for (k = 3; k <= n; k++) { s += $k ^ (1 / t); if (name[k] == $NF) y = $k ^ (1 / t) }
	sum -= log(y / s) } END { printf "%.7f\n", sum / NR }'; }
is "$(at "$t" | cut -c1-6)" "$(after 'log loss' | cut -c1-6)" 'probabilities are those of the temperature'
is "$(awk -v m="$(at "$t")" -v l="$(at "$(awk "BEGIN { print $t * .97 }")")" -v u="$(at "$(awk "BEGIN { print $t * 1.03 }")")" \
	'BEGIN { print (m < l && m < u) }')" 1 'which is the best one'
bert-predict -q -m a --proba dev.rec >cal.csv
is "$(cut -d, -f2 cal.csv | cksum)" "$(cut -d, -f2 raw.csv | cksum)" 'no label changes'
is "$(cmp -s cal.csv raw.csv && echo same)" '' 'but probabilities do'
bert-predict -q -m a -m a/. --proba dev.rec 2>/dev/null | awk -F, 'NR > 1 { printf "%.4f\n", $3 }' >two
awk -F, 'NR > 1 { printf "%.4f\n", $3 }' cal.csv >one
[ -s two ] && same one two 'as one of several models, too'
bert-eval -q -m a --calibrate temperature dev.rec >again
same again out 'it is fitted to the logits of the model, not to what was calibrated'

# any number of threads
cp a/calibration.json three
bert-eval -q -j1 -m a --calibrate temperature dev.rec >again
same a/calibration.json three 'the same with one thread'

works 'classes by themselves' bert-eval -q -m a --calibrate vector dev.rec
like "$(cat out)" 'label *temperature *bias
get_card *wifi_access *
*before*' 'have a line each'
is "$(before 'log loss')" "$loss" 'from the same logits'
is "$(awk -v a="$(after 'log loss')" -v b="$(after 'log loss' again)" 'BEGIN { print (a <= b) }')" 1 'no worse than one number'
is "$(after 'log loss')" "$(measure a loss dev.rec)" 'the model has them'

# other weights, labels, damage
small_train a -q --epochs 1
bert-eval -m a dev.rec >fresh 2>err
like "$(cat err)" "*'a/calibration.json' was fitted to other weights and is not used (fit it again with bert-eval --calibrate)*" \
	'other weights'
rm a/calibration.json
bert-eval -q -m a dev.rec >want
same fresh want 'are not calibrated'
bert-eval -q -m a --calibrate temperature dev.rec >out
cp a/calibration.json good
sed 's/parking/park/' good >a/calibration.json
refuses "*'a/calibration.json': 'labels' are not the model's 4 labels*" 'other labels' bert-predict -m a dev.rec
sed '/"scale"/,/]/ s/^    [0-9].*,$//' good >a/calibration.json
refuses "*'a/calibration.json': 'scale' is not a list of 4 numbers*" 'too few numbers' bert-predict -m a dev.rec
sed 's/"bias": \[/"bias": ["x",/' good >a/calibration.json
refuses "*'a/calibration.json': 'bias' is not a list of 4 numbers*" 'too many' bert-predict -m a dev.rec
echo '{' >a/calibration.json
refuses "*a/calibration.json*" 'no JSON' bert-predict -m a dev.rec
rm a/calibration.json

# labels of their own, of which one is never and one always there
awk -F, -v OFS=, 'NR == 1 { print "id,text,card,wifi,never"; next }
	/^[^"]*$/ { $3 = (/card/ ? 1 : 0) OFS (/wifi/ ? 1 : 0) OFS 0; print }' \
	"$TEST_TOP/pipelines/data/library-dev.csv" >many.csv
csv2tfrecord -q -i id -t text -l card,wifi,never many.csv | bert-tokenize -q -m vocab.txt -o many.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task multilabel --learning-rate 1e-3 --steps 40 -o many many.rec
loss=$(measure many loss many.rec)
for how in temperature vector; do
	works "$how of labels" bert-eval -m many --calibrate $how many.rec
	like "$(cat err)" '*1 of 3 labels stay as they are*' 'one stays'
	is "$(awk '$1 == "never" { print $2, $3 }' out)" '1.000000 0.0000' '... as it is'
	is "$(before 'log loss')" "$loss" 'before'
	is "$(after 'log loss')" "$(measure many loss many.rec)" 'after'
	is "$(after 'calibration error')" "$(measure many ece many.rec)" 'the calibration error'
	is "$(awk -v a="$(after 'log loss')" -v b="$loss" 'BEGIN { print (a < b) }')" 1 'is better'
done
bert-predict -q -m many --proba many.rec | sed 1d | cut -d, -f3- >p
sed 1d many.csv | cut -d, -f3- | paste -d, p - | awk -F, '{ for (k = 1; k <= 3; k++) {
		b = int($k * 15); if (b == $k * 15) b--; gap[b] += $(k + 3) - $k } n += 3 }
	END { for (b in gap) s += gap[b] < 0 ? -gap[b] : gap[b]; printf "%.4f\n", s / n }' >want
is "$(measure many ece many.rec | awk '{ printf "%.4f\n", $1 }')" "$(cat want)" 'by its formula'

# what all records have, or none, says nothing of logits of both signs
awk -F, -v OFS=, 'NR == 1 { print "id,text,long,short"; next }
	/^[^"]*$/ { n = length($2) > 60; print $1, $2, n, 1 - n }' "$TEST_TOP/pipelines/data/library-dev.csv" >both.csv
csv2tfrecord -q -i id -t text -l long,short both.csv | bert-tokenize -q -m vocab.txt -o both.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task multilabel --learning-rate 1e-3 --steps 40 -o both both.rec
is "$(bert-predict -q -m both --proba both.rec | awk -F, '{ for (k = 3; k <= 4; k++) sign[k, $k > .5]++ }
	END { print (sign[3, 0] > 0 && sign[3, 1] > 0 && sign[4, 0] > 0 && sign[4, 1] > 0) }')" 1 'logits of both signs'
awk -F, -v OFS=, 'NR > 1 { $3 = 0; $4 = 1 } { print }' both.csv >always.csv
csv2tfrecord -q -i id -t text -l long,short always.csv | bert-tokenize -q -m vocab.txt -o always.rec
for how in temperature vector; do
	works "$how of labels that records never or always have" bert-eval -m both --calibrate $how always.rec
	like "$(cat err)" '*2 of 2 labels stay as they are*' 'both stay'
done

# what is refused
misuses '*--calibrate and --coverage take one -m DIR*' 'two models' bert-eval -m a -m many --calibrate vector dev.rec
misuses '*--calibrate and --coverage take one -m DIR*' 'predictions' bert-eval --predictions raw.csv --calibrate vector dev.rec
misuses '*have their own reports*' 'another report' bert-eval -m a --calibrate vector --json dev.rec
misuses '*--calibrate*' 'another method' bert-eval -m a --calibrate isotonic dev.rec
bert-predict -q -m a dev.rec | sed 1d | head -n 3 >some
tfrecord-cat -q --head 3 --json dev.rec | sed 's/"label": "[a-z_]*"/"label": "LABEL"/' |
	paste -d'|' some - | sed 's/^[^,]*,\([^|]*\)|\(.*\)LABEL/\2\1/' | tfrecord-cat -q --from-json -o right.rec
refuses '*all 3 examples are predicted right: no temperature is the best one*' 'nothing to fit' \
	bert-eval -m a --calibrate temperature right.rec
is "$(ls a/calibration.json 2>&1 | grep -c cannot)" 1 'leaves no file'
csv2tfrecord -q -i id -t text -l card --label-type float many.csv 2>/dev/null | bert-tokenize -q -m vocab.txt -o num.rec 2>/dev/null
bert-train -q --init-config tiny --tokenizer vocab.txt --task regression --steps 1 -o num num.rec
misuses '*only the probabilities of texts'\'' labels can be calibrated*' 'a number' bert-eval -m num --calibrate temperature num.rec
finish
