#!/bin/sh
# SPDX-License-Identifier: MIT
# Metrics of probabilities, in bert-eval and to select the best model (their
# values beside scikit-learn's: unit/metrics/ranking).
# Not under thread: the threads are those of cli/bert-eval/report
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
n=0
small_train four -q
number() { sed -n "s/^ \"$1\": \([-0-9.e]*\),*\$/\1/p" "$2"; }
# AREA: of pairs "SCORE 1" and "SCORE 0", by counting them
area() { awk '{ v[NR] = $1; y[NR] = $2 }
	END { for (i in v) for (j in v) if (y[i] && !y[j]) {
		n++; a += v[i] > v[j] ? 1 : v[i] == v[j] ? .5 : 0 }
	printf "%.6f", a / n }'; }
sed '1d; s/.*,//' dev.csv >truth

bert-predict -q -m four --proba -o four.csv dev.rec
works 'four classes' bert-eval -q -m four dev.rec
like "$(cat out)" '*
ROC AUC 0.???? (one-vs-rest, macro; weighted 0.????)  average precision 0.????
Brier score 0.????  calibration error 0.????  top-2 0.????  top-3 0.????
accuracy *' 'metrics of probabilities, for as few classes'
bert-eval -q -m four --json -o four.json dev.rec
head -n 1 four.csv | tr , '\n' | sed 1,2d | {
	c=3
	while read -r class; do
		sed 1d four.csv | cut -d, -f$c | paste -d' ' - truth | sed "s/ $class\$/ 1/; s/ [a-z].*/ 0/" | area
		echo
		c=$((c + 1))
	done
} >areas
sed -n 's/^   "roc_auc": \([0-9.]*\),/\1/p' four.json | awk '{ printf "%.6f\n", $1 }' >got
same got areas 'the area of each class, by the file of probabilities'
is "$(number roc_auc four.json | awk '{ printf "%.5f", $1 }')" \
	"$(awk '{ s += $1 } END { printf "%.5f", s / NR }' areas)" 'and their mean'
sed 1d four.csv | paste -d, - truth | awk -F, '
BEGIN { split("get_card parking pay_fine wifi_access", l, " ") }
{ for (k = 1; k <= 4; k++) { d = $(k + 2) - ($7 == l[k]); s += d * d; if ($7 == l[k]) t = $(k + 2) }
	b = 0; for (k = 1; k <= 4; k++) b += $(k + 2) > t
	two += b < 2 }
END { printf "%.6f %.6f", s / NR, two / NR }' >want
is "$(printf '%.6f %.6f' "$(number brier_score four.json)" "$(number top_2_accuracy four.json)")" \
	"$(cat want)" 'the Brier score, and the second guess'
is "$(grep -c top_5 four.json)" 0 'no fifth guess of four'
exits 0 '--min' bert-eval -q -m four --min roc_auc=.2 --min log-loss=9 --min ece=.99 dev.rec
exits 1 '... not met' bert-eval -q -m four --min weighted_roc_auc=1 dev.rec
like "$(cat err)" '*weighted_roc_auc is 0.????, less than 1' '... which it says'
misuses "*metric 'top_5_accuracy' needs more than 5 classes, and there are 4" 'the fifth of four' \
	bert-eval -q -m four --min top_5_accuracy=.2 dev.rec
misuses "*metric 'f1' needs two classes" 'the second of four classes alone' \
	bert-eval -q -m four --min f1=.2 dev.rec
like "$(bert-eval -q -m four --compare four dev.rec)" '*
quadratic_weighted_kappa *0.0000
*' 'two models by all of them'
like "$(bert-eval -q -m four --by length dev.rec | grep ^by)" 'by length *examples  accuracy  macro F1 *mcc *loss' \
	'groups have no areas'

# classes that are never predicted
csv2tfrecord -q -i id -t text -l intent "$TEST_TOP/pipelines/data/library-dev.csv" |
	bert-tokenize -q -m vocab.txt -o all.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --steps 1 -o all all.rec
bert-eval -q -m all all.rec >out
line=$(grep '^never predicted' out)
is "$(echo "$line" | tr -cd , | wc -c | tr -d ' ')" 10 'ten names'
left=$(bert-predict -q -m all all.rec | sed 1d | cut -d, -f2 | sort -u | wc -l)
classes=$(bert-eval -q -m all --json all.rec | grep -c '"label"')
like "$line" "never predicted: *, ... $((classes - left - 10)) more" '... and how many more'

# two classes
for f in train dev; do
	awk -F, 'NR == 1 || /,(parking|wifi_access)$/' $f.csv |
		csv2tfrecord -q -i id -t text -l intent | bert-tokenize -q -m vocab.txt -o $f.rec
done
works 'it selects the best model' small_train two --epochs 3 --metric average-precision --eval dev.rec
like "$(cat err)" '*epoch 1: *, average-precision *(best)*' '... and is logged'
is "$(grep -c '"eval_roc_auc":.*"eval_brier_score":' two/history.jsonl)" 3 '... with the other one'
small_train ece -q --metric ece --eval dev.rec
is "$(grep -c roc_auc ece/history.jsonl)$(grep -c eval_ece ece/history.jsonl)" 01 'unless another metric does'
bert-predict -q -m two --proba -o two.csv dev.rec
awk '/,(parking|wifi_access)$/' dev.csv | sed 's/.*,//; s/parking/0/; s/wifi_access/1/' >truth
bert-eval -q -m two --json -o two.json dev.rec
is "$(number roc_auc two.json | awk '{ printf "%.6f", $1 }')" \
	"$(sed 1d two.csv | cut -d, -f4 | paste -d' ' - truth | area)" 'the area of the second class'
like "$(bert-eval -q -m two dev.rec)" '*
ROC AUC 0.???? (positive: wifi_access)  average precision 0.????
*' '... which is named'

# one class
tfrecord-cat -q --where label=parking -o one.rec dev.rec
exits 0 'records of one class' bert-eval -q -m two one.rec
like "$(cat out)" "*
ROC AUC -: all 8 examples have the label 'parking'
*" 'have no curve'
is "$(bert-eval -q -m two --json one.rec | grep '"roc_auc"')" ' "roc_auc": null,' '... in JSON'
exits 1 '... which is not enough' bert-eval -q -m two --min roc_auc=0 one.rec
like "$(cat err)" "*roc_auc is undefined: all 8 examples have the label 'parking'" 'it says why'
for metric in roc_auc average_precision; do
	refuses "*evaluation records: the metric '$metric' is undefined: all 8 examples have the label 'parking'" \
		"and select no model: $metric" small_train x --metric $metric --eval one.rec
done
works 'other metrics do' small_train x --metric brier-score --eval one.rec

# ratings
awk -F, -v OFS=, 'NR == 1 { print; next } { $NF = length($2) % 3 + 9; print }' dev.csv |
	csv2tfrecord -q -t text -l intent 2>csv.err | bert-tokenize -q -m vocab.txt -o stars.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --steps 1 -o stars stars.rec
like "$(bert-eval -q -m stars stars.rec)" '*  quadratic weighted kappa *
*' 'numbers are ratings'

for tool in train eval; do
	like "$(bert-$tool --help)" '*
  classification:
    loss accuracy * roc_auc *
  multi-label classification:
    *
  regression:
    loss quadratic_weighted_kappa mse rmse mae r2 * pearson_spearman
  tagging:
    loss accuracy precision recall f1 *' "bert-$tool --help lists them"
done
finish
