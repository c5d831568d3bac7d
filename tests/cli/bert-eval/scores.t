#!/bin/sh
# SPDX-License-Identifier: MIT
# Numbers that become whole-number scores: their kappa, their thresholds, in bert-train,
# bert-eval and bert-predict (the best thresholds: unit/evaluate/fit_scores).
# Not under thread: the threads are those of cli/bert-eval/report
. "$TEST_TOP/tests/lib/lib.sh"
n=0
cp "$TEST_TOP/pipelines/data/vocab.txt" .

# the score of a text, from 2 to 6, is how many books it has, with some noise
awk 'BEGIN { srand(5); print "id,text,score"; for (i = 1; i <= 240; i++) {
	n = 2 + int(rand() * 5); for (k = 0; k++ < n;) s = s " book"
	for (; k++ < 8;) s = s " card"
	if (rand() < .15 && n < 6) n++
	print i ",the" s "," n; s = "" } }' >all.csv
sed 161q all.csv >train.csv
sed '2,161d' all.csv >dev.csv
for f in train dev; do
	csv2tfrecord -q -i id -t text -l score --label-type float $f.csv | bert-tokenize -q -m vocab.txt -o $f.rec
done
numbers() { # DIR [OPTION ...]
	dir=$1
	shift
	bert-train --init-config tiny --tokenizer vocab.txt --task regression --learning-rate 1e-3 \
		--batch-size 8 -o "$dir" "$@" train.rec
}
# of lines TRUTH,SCORE
kappa() { awk -F, '{ t += $1; p += $2; s += $1 ^ 2 + $2 ^ 2; d += ($1 - $2) ^ 2 }
	END { printf "%.4f\n", 1 - d / (s - 2 * t * p / NR) }'; }
number() { sed -n "s/^ \"$1\": \([-0-9.e]*\),*\$/\1/p" "$2" | awk '{ printf "%.4f\n", $1 }'; }
sed '1d; s/.*,//' dev.csv >truth

works 'the best model by the kappa' numbers m --epochs 12 --eval dev.rec --metric qwk
like "$(cat err)" '*epoch 1: *, qwk [-0-9.]*' 'which each epoch tells'
bert-predict -q -m m dev.rec >raw.csv
sed '1d; s/.*,//' raw.csv | awk '{ s = int($1 + .5); print (s < 2 ? 2 : s > 6 ? 6 : s) }' >nearest
bert-eval -q -m m dev.rec >report
like "$(cat report)" "*
quadratic weighted kappa $(paste -d, truth nearest | kappa)
R2 *" 'of the nearest score that labels have'
bert-eval -q -m m --json dev.rec >json
is "$(number quadratic_weighted_kappa json)" "$(paste -d, truth nearest | kappa)" '... in JSON'
works '... of predictions in a file' bert-eval -q --task regression --predictions raw.csv dev.rec
same out report 'is the same'
works '... which may be required' bert-eval -q -m m --min qwk=-1 -o enough dev.rec
like "$(bert-eval -q -m m --ci --ci-samples 50 dev.rec | grep kappa)" '*
quadratic_weighted_kappa * * *' '... with an interval'

# the nearest scores
works 'the nearest of scores' bert-predict -m m --threshold 2..6 -o p.csv dev.rec
sed '1d; s/.*,//' p.csv >got
same got nearest 'are predicted'
like "$(cat err)" '*predicted numbers from [2-6] to [2-6], mean*' '... which the summary has'
is "$(bert-predict -q -m m --threshold=-1..3 dev.rec | sed '1d; s/.*,//' | sort -u | tail -n 1)" 3 'of others'
is "$(bert-predict -q -m m --threshold 2..6 --format jsonl dev.rec | head -n 1)" \
	"{\"id\": \"161\", \"value\": $(head -n 1 nearest)}" 'in JSON Lines'
{ echo id,score; sed '1d; s/,.*/,0/' raw.csv; } >sample.csv
bert-predict -q -m m --threshold 2..6 --sample sample.csv dev.rec | sed '1d; s/.*,//' >got
same got nearest 'in a sample'

# the best thresholds
works 'they are found' bert-eval -q -m m --tune-threshold qwk -o cuts.csv dev.rec
is "$(cut -d, -f1 cuts.csv | tr '\n' ' ')" '3 4 5 6 ' 'one for each score but the lowest'
like "$(cat out)" 'score  threshold  support   before    after
    2                  *
    3 *
    6 *
quadratic weighted kappa  *' 'with a report'
is "$(awk 'NF == 4 && $1 == 2 { print $2, $3 } NF == 5 && $1 == 6 { print $3, $4 }' out)" \
	"$(for k in 2 6; do echo "$(grep -c $k truth) $(grep -c $k nearest)"; done)" 'of how many examples have each'
best=$(sed -n 's/.* \([.0-9][.0-9]*\) after$/\1/p' out)
is "$(sed -n 's/.*kappa  \([-0-9.]*\) before.*/\1/p' out)" "$(paste -d, truth nearest | kappa)" 'the kappa before'
awk -F, -v OFS=, 'NR > 1 { $2 = $2 * .5 + 1 } 1' raw.csv >shrunk.csv
bert-eval -q --task regression --predictions shrunk.csv --tune-threshold qwk -o shrunk.cuts dev.rec |
	sed -n 's/.*kappa  \([-0-9.]*\) before.*, \([0-9.]*\) after$/\1 \2/p' >kappas
is "$(awk -v best="$best" '{ print ($1 < best), $2 }' kappas)" "1 $best" 'predictions of another scale reach the same'
bert-predict -q -m m --threshold @cuts.csv dev.rec | sed '1d; s/.*,//' >got
is "$(paste -d, truth got | kappa)" "$best" 'which predictions reach'
is "$(sort -u got | tr -d '2-6\n')" '' '... that are scores'
bert-eval -q -m m --threshold @cuts.csv --json dev.rec >cut.json
is "$(number quadratic_weighted_kappa cut.json)" "$best" 'and the evaluation'
is "$(number mse cut.json)" "$(number mse json)" '... whose other metrics are those of the numbers'
bert-predict -q -m m --threshold "$(tr ',\n' '=,' <cuts.csv | sed 's/,$//')" dev.rec | sed '1d; s/.*,//' >same
same same got 'as pairs'

# means are scored, not scores averaged
works 'folds' numbers cv -q --epochs 2 --kfold 2
like "$(cat out)" '*quadratic_weighted_kappa *' 'have a kappa'
works 'thresholds of all folds' bert-eval -q --task regression --predictions cv/out-of-fold.ts \
	--tune-threshold qwk -o cv.csv train.rec
bert-predict -q -m cv dev.rec | sed '1d; s/.*,//' | awk -v cuts="$(tr '\n' ' ' <cv.csv)" '
	BEGIN { n = split(cuts, c, " ") } { s = 2; for (i = 1; i <= n; i++) { split(c[i], x, ",")
	if ($1 + 0 >= x[2] + 0) s = x[1] } print s }' >want
bert-predict -q -m cv --threshold @cv.csv dev.rec | sed '1d; s/.*,//' >got
same got want 'are for their mean'

# a fold has some of the scores; the model of others predicts those beside them
awk -F, -v OFS=, 'NR == 1 { print $0, "g" } NR > 1 { $3 = gsub(/book/, "book", $2); print $0, ($3 == 3 || $3 == 4) }' \
	all.csv >group.csv
csv2tfrecord -q -i id -t text -l score --label-type float --keep g group.csv | bert-tokenize -q -m vocab.txt -o group.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task regression --learning-rate 1e-3 --batch-size 8 \
	--epochs 9 --kfold 2 --group-by g -o group group.rec >out
tensor-cat -q --csv group/out-of-fold.ts | sed '1d; s/.*,//' >raw
sed 1d group.csv | paste -d, - raw | awk -F, '$4 { print $3 "," int($5 + .5) }' >pairs
[ "$(grep -c ',[256]$' pairs)" -gt 50 ]
result $? 'predictions beyond the scores of a fold'
like "$(grep quadratic_weighted_kappa out)" "* $(kappa <pairs)*" 'count as the scores that all labels have'

# what is refused
misuses "*metric 'qwk' needs labels that are all whole numbers, less than 256 apart" 'labels between' \
	sh -c 'sed "1!s/\$/.5/" dev.csv | csv2tfrecord -q -i id -t text -l score --label-type float |
		bert-tokenize -q -m vocab.txt -o half.rec
		bert-train --init-config tiny --tokenizer vocab.txt --task regression --metric qwk --eval half.rec -o x train.rec'
is "$(bert-eval -q -m m --json half.rec | grep -c kappa)" 0 '... have none'
works '... with a threshold' bert-eval -m m --threshold 2..6 half.rec
like "$(cat err)" '*warning: --threshold changes nothing: it is for the quadratic weighted kappa, which needs labels that are all whole numbers, less than 256 apart*' \
	'... a warning says so'
bert-eval -m m --threshold 2..6 dev.rec >out 2>err
is "$(grep -c warning err)" 0 'not of scores'
refuses '*the labels are not all whole numbers, as scores are: one is [2-6].5' '... nor thresholds' \
	bert-eval -m m --tune-threshold qwk -o x half.rec
sed '1!s/$/00/' dev.csv | csv2tfrecord -q -i id -t text -l score --label-type float | bert-tokenize -q -m vocab.txt -o far.rec
refuses '*the labels from 200 to 600 are more than 256 scores, or beyond 16777216' 'too many scores' \
	bert-eval -m m --tune-threshold qwk -o x far.rec
awk -F, 'NR == 1 || $3 == 4' dev.csv | csv2tfrecord -q -i id -t text -l score --label-type float |
	bert-tokenize -q -m vocab.txt -o four.rec
refuses '*all labels are 4, and a threshold divides two scores*' 'one score' bert-eval -m m --tune-threshold qwk -o x four.rec
awk -F, -v OFS=, 'NR > 1 { $2 = -$2 } 1' raw.csv >falls.csv
refuses '*the predictions do not rise with the labels*' 'predictions that fall' \
	bert-eval --task regression --predictions falls.csv --tune-threshold qwk -o x dev.rec
misuses '*the model predicts a number, whose thresholds are tuned for qwk' 'another goal' \
	bert-eval -m m --tune-threshold f1 -o x dev.rec
[ ! -e x ]
result $? 'no file is written'
for tool in predict eval; do
	for odd in "2.5|*'2.5' is not MIN..MAX, SCORE=X,... or @FILE*" "6..2|*'6..2' is not MIN..MAX with two*" \
		"1..x|*'1..x' is not MIN..MAX*" "0..256|*'0..256' has 257 scores, more than 256*" \
		"a=1|*'a' is not a score, a whole number*" "2=1,4=3|*the score 4 stands where 3 is expected*" \
		"2=x|*'x' of score 2 is not a number*" "2=3,3=2|*that of score 3, 2, is below that of the score before it, 3*"; do
		misuses "${odd#*|}" "bert-$tool: ${odd%%|*}" bert-$tool -m m --threshold "${odd%%|*}" dev.rec
	done
done
misuses '*the model predicts a number, which is explained as it is: thresholds do not apply*' 'an explanation' \
	bert-predict -m m --explain --threshold 2..6 dev.rec
csv2tfrecord -q -i id -t text -l score dev.csv | bert-tokenize -q -m vocab.txt -o class.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --steps 1 -o class class.rec
misuses '*the model predicts labels: qwk is the goal where numbers become scores' 'a model of classes' \
	bert-eval -m class --tune-threshold qwk -o x class.rec
sed 's/^\(.*\),\(.\)$/\1,\2,\2/; 1s/.*/id,text,score,more/' dev.csv |
	csv2tfrecord -q -i id -t text -l score,more --label-type float | bert-tokenize -q -m vocab.txt -o two.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task regression --steps 1 -o two two.rec
misuses '*the model predicts 2 numbers, and thresholds divide one into scores' 'two numbers' \
	bert-predict -m two --threshold 2..6 two.rec
misuses '*the model predicts 2 numbers, and thresholds divide one into scores' '... to tune for' \
	bert-eval -m two --tune-threshold qwk -o x two.rec
like "$(bert-eval -q -m two two.rec)" '*
quadratic weighted kappa *
mean columnwise *' '... have a mean kappa'
is "$(bert-eval -q -m two --json two.rec | grep -c kappa)" 3 '... and one each'
finish
