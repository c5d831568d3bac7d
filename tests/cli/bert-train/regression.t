#!/bin/sh
# SPDX-License-Identifier: MIT
# Models that predict numbers: training, measures, predictions, what is refused.
# Not under thread: the threads are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data

# the number of each text is its length in words, in tenths
for f in train dev; do
	"${PERL:-perl}" -ne 'if ($. == 1) { print "id,text,size\n"; next }
		my ($id, $rest) = /^(L\d+),(.*),\w+$/ or die;
		my $n = () = $rest =~ /\w+/g;
		print "$id,$rest,", $n / 10, "\n"' $f.csv >$f.n.csv
	csv2tfrecord -q -i id -t text -l size -o $f.text.rec $f.n.csv
	bert-tokenize -q -m vocab.txt --max-length 48 -o $f.rec $f.text.rec
done
numbers() { small_train "$@" --task regression; }

works 'it trains' numbers m --epochs 8 --eval dev.rec
like "$(cat err)" '*numbers from 0.[0-9]* to *pearson*mse*' 'and tells the measures'
bert-eval -q -m m -o report dev.rec
like "$(cat report)" 'mean squared error*pearson 0.[6-9]*examples)' \
	'what the text shows is learnt'
bert-eval -q -m m --json -o report.json dev.rec
bert-predict -q -m m -o p.csv dev.rec
is "$(head -n 1 p.csv)" id,label 'two columns'
is "$(bert-eval -q -m m -o - --min pearson=.5 --min mse=1 dev.rec | wc -l)" 4 \
	'--min holds'
exits 1 '--min fails' bert-eval -q -m m --min spearman=.9999 dev.rec
like "$(grep -c '"eval_mse"' m/history.jsonl)$(grep accuracy m/history.jsonl)" 8 \
	'the history has measures of numbers alone'
like "$(tr -d '\n' <m/config.json)" '*"problem_type": "regression"*"0": "LABEL_0"*' \
	'the configuration says so'

like "$(ckpt-inspect --family m)" '*classifier of a number*' 'ckpt-inspect sees it'

printf 'text,y\na,2.615\n' | csv2tfrecord -q -l y | bert-tokenize -q -m vocab.txt -o odd.rec
refuses "*label '2.615' is not one of the * labels known *: labels that look like numbers are used as class names (train with --task regression)" \
	'numbers as classes, with an evaluation' small_train x --eval odd.rec
works 'a directory with a slash' bert-eval -q -m m/ -o - dev.rec
small_train slash/ -q --steps 1 --task regression
refuses "*'slash/model.safetensors'*" 'is printed with one' sh -c ': >slash/model.safetensors; bert-eval -m slash/ dev.rec'

# numbers far from 0: the loss is high where the texts count already
awk 'BEGIN { srand(3); print "text,y"; for (i = 0; i < 420; i++) {
	n = 1 + int(rand() * 12); for (k = s = ""; k++ < n;) s = s " book"
	print s "," 3 + n / 6 + rand() } }' >far.csv
sed 221q far.csv | csv2tfrecord -q -l y | bert-tokenize -q -m vocab.txt -o far.rec
sed '2,221d' far.csv | csv2tfrecord -q -l y | bert-tokenize -q -m vocab.txt -o fardev.rec
far() {
	bert-train --force --init-config tiny --tokenizer vocab.txt --task regression --epochs 1 \
		--learning-rate 1e-3 --seed 3 --batch-size 8 -o far "$@" far.rec
}
works 'one epoch of numbers far from 0' far --eval fardev.rec
like "$(cat err)" '*pearson 0.[3-9]*' 'orders the texts'
is "$(grep -c 'learned nothing' err)" 0 'which is something learned'
far 2>err
like "$(cat err)" '*the loss at the end (*than that of guessing*learned nothing yet*' \
	'without an evaluation only the loss counts'

# the measures, by their definitions
cut -d, -f1,2 p.csv | sed 1d >guess
csv2tfrecord -q -i id -t text -l size dev.n.csv | tfrecord-cat -q --json |
	sed 's/.*"id": "\([^"]*\)", "label": "\([^"]*\)".*/\1,\2/' >truth
paste -d, truth guess | awk -F, '
$1 != $3 { bad = 1 }
{ x = $2; y = $4; n++; se += (x - y) ^ 2; ae += x > y ? x - y : y - x
	sx += x; sy += y; xx += x * x; yy += y * y; xy += x * y }
END { printf "%s%.5f %.5f %.4f %.4f", bad ? "ids " : "", se / n, ae / n,
	(xy - sx * sy / n) / sqrt((xx - sx * sx / n) * (yy - sy * sy / n)),
	1 - se / (xx - sx * sx / n) }' >want
number() { sed -n "s/^ *\"$1\": \([-0-9.e]*\),*/\1/p" report.json; }
is "$(printf '%.5f %.5f %.4f %.4f' "$(number mse)" "$(number mae)" \
	"$(number pearson)" "$(number r2)")" "$(cat want)" 'measures are right'
if [ -n "${PEER_PYTHON-}" ] && "$PEER_PYTHON" -c 'import scipy' 2>/dev/null; then
	is "$(paste -d, truth guess | "$PEER_PYTHON" -c '
import csv, sys
from scipy.stats import spearmanr
r = list(csv.reader(sys.stdin))
print("%.6f" % spearmanr([float(x[1]) for x in r], [float(x[3]) for x in r])[0])')" \
		"$(printf %.6f "$(number spearman)")" "SciPy's spearman"
else
	skip "SciPy's spearman" 'PEER_PYTHON has no scipy'
fi

# the worst examples, groups and another model
paste -d, truth guess | awk -F, '{ printf "%.6g %d (%s) %s -> %.6g\n", ($2 - $4) ^ 2, NR, $1, $2, $4 }' |
	sort -k1,1gr | head -n 3 | awk '{ print $2, $3, $4, $5, $6 }' >want
bert-eval -q -m m --errors 3 dev.rec | sed '1,/^most wrong: record, squared error/d' |
	awk '/->/ { print $1, $2, $4, $5, $6 }' >got
same got want '--errors: the largest squared error'
like "$(bert-eval -q -m m --errors 1 --json dev.rec | tr -d ' \n')" \
	'*"errors":[[]{"record":*,"id":"L*","loss":*,"value":*,"predicted":*,"text":"*"}]}' '... in JSON'
like "$(bert-eval -q -m m --by length dev.rec | sed -n '/^by/,$p')" \
	'by length *examples *root mse *mean abs *R2 *pearson *spearman *loss
*17-32 *' '--by has measures of numbers'
small_train other -q --task regression --epochs 2
bert-predict -q -m other dev.rec | sed 1d | cut -d, -f2 >second
paste -d, truth guess second | awk -F, '{ d = ($2 - $5) ^ 2 - ($2 - $4) ^ 2; n++; s += d; q += d * d }
	END { m = s / n; e = sqrt((q - n * m * m) / (n - 1) / n)
		print m, e, m / e }' >want
bert-eval -q -m m --compare other dev.rec >got
# predictions are rounded, and so is what is printed
{ cat want && tail -n 1 got | tr -d ,; } | awk 'function near(a, b) { return (a > b ? a - b : b - a) < 1e-3 * (b > 0 ? b : -b) }
	NR == 1 { m = $1; e = $2; z = $3 } { print }
	END { exit !(/^squared error B - A: mean / && near($7, m) && near($10, e) && near($12, z)) }' >why
result $? '--compare: the mean difference, its error'
like "$(tail -n 1 got)" '*, p = [0-9]*' 'and p'
is "$(awk '$1 == "mse" { printf "%.4f", $4 }' got)" "$(awk '{ printf "%.4f", $1 }' want)" \
	'which is the difference of the means'

# forms of the answer
is "$(bert-predict -q -m m --format tsv dev.rec | head -n 1 | cut -c1-5)" \
	"$(sed -n 2p p.csv | cut -d, -f2 | cut -c1-5)" 'tsv'
is "$(bert-predict -q -m m --format tfrecord dev.rec | tfrecord-cat -q --json |
	sed 's/"//g')" "$(bert-predict -q -m m --format jsonl dev.rec | sed 's/"//g')" \
	'records say what JSON does'
like "$(bert-predict -q -m m --format jsonl dev.rec | head -n 1)" \
	'{"id": "L*", "value": *}' 'JSON Lines'
{ echo id,size; cut -d, -f1 p.csv | sed 1d | sort -r | sed 's/$/,0/'; } >sample.csv
bert-predict -q -m m --sample sample.csv -o s.csv dev.rec
is "$(sort s.csv)" "$(sed '1s/.*/id,size/' p.csv | sort)" 'a sample is filled in'
{ echo id,a,b; cut -d, -f1 p.csv | sed '1d; s/$/,0,0/'; } >two.csv
refuses "*has 2 columns to fill ('a', 'b'), and the model predicts one number" \
	'not two columns of it' bert-predict -m m --sample two.csv dev.rec
cp -r m m2
bert-predict -q -m m -m m2 -o both.csv dev.rec
cmp p.csv both.csv
result $? 'a model and itself predict their mean'
bert-predict -q -m m --format tensor -o t dev.rec
works 'as tensors' tensor-cat -q --verify t

# label_ids of floats serve as well as text, and a run goes on from a model
bert-tokenize -q -m vocab.txt --label-type float --pad 48 --layout modelgarden \
	-o float.rec train.text.rec
works 'floats of label_ids' numbers f float.rec --epochs 1
works 'a model of numbers is trained on' bert-train -m m -o more --epochs 1 train.rec
is "$(grep -c 'newly initialized' err)" 0 'with its last layer'
small_train c -q --task classification
refuses "*'c' predicts classes, the first model a number" '--compare: not with classes' \
	bert-eval -m m --compare c dev.rec
works 'one of classes becomes one of numbers' \
	bert-train -m c --task regression --epochs 1 -o cn train.rec
like "$(cat err)" '*newly initialized: *classifier.weight*' 'with a fresh last layer'

# resumed to the same bits
numbers whole -q --epochs 3 --eval dev.rec
numbers half -q --epochs 3 --eval dev.rec --save-steps 5 --max-minutes 1e-5
until numbers half -q --epochs 3 --eval dev.rec --save-steps 5 --resume; do :; done
cmp whole/model.safetensors half/model.safetensors
result $? 'a resumed run ends in the same bits'

# what is refused
sed 's/,[0-9.]*$/,much/' dev.n.csv | csv2tfrecord -q -t text -l size |
	bert-tokenize -q -m vocab.txt -o words.rec
refuses "*record 1: label 'much' is not a number, and the model predicts numbers" \
	'a label that is no number' bert-train --init-config tiny --tokenizer vocab.txt \
	--task regression -o x words.rec
refuses "*record 1: label 'much' is not a number*" 'in evaluation too' \
	bert-eval -m m words.rec
works 'prediction does not look at it' bert-predict -q -m m -o y words.rec
refuses '*label_ids holds a number to predict*--task regression*' \
	'numbers for a classifier' bert-train --init-config tiny --tokenizer vocab.txt \
	-o x float.rec
for o in '--labels a,b' '--class-weight balanced' '--label-smoothing .1'; do
	# shellcheck disable=SC2086
	misuses "*(${o%% *} *appl*)" \
		"$o" bert-train -m m -o x $o train.rec
done
misuses "*metric 'accuracy' is not available for regression, available: loss, quadratic_weighted_kappa, mse*" 'a measure of classes' \
	bert-train -m m -o x --eval-share .2 --metric accuracy train.rec
tfrecord-cat -q --head 1 -o alone.rec train.rec
refuses '*no training record can be held out to evaluate on: there is only one*' 'one number' \
	bert-train -m m -o x --eval-share .2 alone.rec
misuses "*metric 'mse' is not available for classification, available: loss, accuracy*" 'a measure of numbers' \
	bert-eval -m c --min mse=1 dev.rec
misuses '*the model predicts a number (--proba, --top and --map-label do not apply to regression)' \
	'probabilities' bert-predict -m m --proba dev.rec
refuses "*'c' predicts classes, the first model a number" 'both kinds' \
	bert-predict -m m -m c dev.rec

if compares 'transformers loads it'; then
	csv2tfrecord -q -i id -t text dev.n.csv | bert-tokenize -q -m m -o d.rec
	bert-predict -q -m m --dtype f32 -o m.ours.csv d.rec
	works 'transformers loads it' "$PEER_PYTHON" \
		"$TEST_TOP/tests/fixtures/round-trip.py" run dev.n.csv m
	works 'and predicts numbers' "$PEER_PYTHON" \
		"$TEST_TOP/tests/fixtures/round-trip.py" compare them=m.ours.csv=m.csv
	like "$(cat out)" 'ok them*' '... the same'
fi
finish
