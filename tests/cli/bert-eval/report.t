#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-eval beside its measures: the worst examples, groups, another model.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=tiny
small_data
small_train a -q --epochs 3
small_train b -q --epochs 4 --seed 7
n=0
all=$(($(wc -l <dev.csv) - 1))
bert-eval -q -m a -o report dev.rec
bert-eval -q -m a --json -o report.json dev.rec
lines=$(wc -l <report)

# truth, prediction and the probability of both, in input order, by the others
cut -d, -f1 dev.csv | sed 1d >ids
sed '1d; s/.*,//' dev.csv >truth
for m in a b; do
	bert-predict -q -m $m --proba -o $m.csv dev.rec
done
# LOSS RECORD ID TRUTH GUESS PROBABILITY
sed 1d a.csv | paste -d, truth - | awk -F, -v OFS=' ' '
BEGIN { split("get_card parking pay_fine wifi_access", l, " ") }
{ for (k = 1; k <= 4; k++) p[l[k]] = $(k + 3)
	printf "%.4f %d %s %s %s %.4f\n", -log(p[$1]), NR, $2, $1, $3, p[$3] }' >losses

# --errors
sort -k1,1nr -k2,2n losses | head -n 5 | awk '{ print $2, "(" $3 ")", $1, $4, "->", $5, "(" $6 ")" }' >want
works '--errors' bert-eval -q -m a --errors 5 dev.rec
head -n "$lines" out >got
same got report 'the report comes first'
sed "1,${lines}d" out >rest
is "$(sed -n 1,2p rest)" '
most wrong: record, loss, truth -> predicted' 'then a headline'
sed '1,2d' rest | grep -v '^        ' | sed 's/^ *//; s/  */ /g' >got
same got want 'the examples with the largest loss, as bert-predict gives them'
sed '1,2d' rest | grep '^        ' | sed 's/^ *//' >texts
is "$(wc -l <texts | tr -d ' ')" 5 'each with its text'
record=$(sed -n '1s/ .*//p' want)
is "$(sed -n 1p texts)" "$(bert-tokenize -q -m vocab.txt --detokenize --skip-special dev.rec | sed -n "${record}p")" \
	'as bert-tokenize decodes it'
works 'more than there are' bert-eval -q -m a --errors 1000 dev.rec
is "$(sed "1,${lines}d" out | grep -c ' -> ')" $((all + 1)) 'are all'
bert-eval -q -m a --errors 6 dev.rec dev.rec | sed "1,/^most wrong/d" | grep -v '^        ' |
	awk '{ print $1 }' >got
sort -k1,1nr -k2,2n losses | head -n 3 | awk -v all="$all" '{ print $2; print $2 + all }' >want
same got want 'equal losses: the lower record first, over all inputs'
for j in 1 3; do
	bert-eval -q -m a -j $j --errors 9 --by label --compare b --json -o j$j dev.rec
done
same j1 j3 'one thread or three'
tfrecord-cat -q --json --head 1 dev.rec | sed 's/"is_real.*//; s/^{/{"is_real_example": 0, /' |
	tfrecord-cat -q --from-json -o fill.rec
bert-eval -q -m a --errors 1 fill.rec dev.rec | tail -n 2 | awk 'NR == 1 { print $1 }' >got
is "$(cat got)" $((record + 1)) 'filling counts as a record'

# texts of pairs, odd ids, no tokenizer
printf 'id,text,two,intent\n"a\tb",where is my card,a second text,parking\n' |
	csv2tfrecord -q -i id --pair two -l intent | bert-tokenize -q -m vocab.txt -o pair.rec
bert-eval -q -m a --errors 1 pair.rec | tail -n 3 >got
like "$(cat got)" '      1 (a\\tb)  [0-9]*parking -> *
        where is my card
        a second text' 'a pair has two texts'
like "$(bert-eval -q -m a --errors 1 --json pair.rec | tr -d '\n')" \
	'*"errors": [[]*"record": 1,*"id": "a\\tb",*"loss": [0-9.]*,*"label": "parking",*"predicted": "*",*"probability": 0.*,*"text": "where is my card",*"text_b": "a second text"*' \
	'... in JSON'
printf 'text,two,intent\nWHERE is my card,"a, second
text",parking\n' | csv2tfrecord -q --pair two -l intent |
	bert-tokenize -q -m vocab.txt --keep-text -o kept.rec
is "$(bert-eval -q -m a --errors 1 kept.rec | tail -n 2)" '        WHERE is my card
        a, second\ntext' 'texts that records keep are shown as they were'
like "$(bert-eval -q -m a --errors 1 --json kept.rec | tr -d '\n')" \
	'*"text": "WHERE is my card",*"text_b": "a, second\\ntext"*' '... in JSON'
bert-eval -q -m a --errors 9 kept.rec dev.rec kept.rec | sed '1,/^most wrong/d' >got
is "$(grep -c '^        WHERE' got) $(grep -B 1 '^        WHERE' got | awk '/->/ { printf "%s ", $1 }')" \
	"2 1 $((all + 2)) " '... each with its own'
bert-tokenize -q -m vocab.txt --keep-text -o again.rec kept.rec
same again.rec kept.rec 'such records can be tokenized again'
exits 2 '--keep-text with a layout of others' bert-tokenize -m vocab.txt --pad 8 --layout bert --keep-text dev.text.rec
exits 2 '... without records' bert-tokenize -m vocab.txt --format ids --keep-text dev.text.rec
mkdir bare
cp a/config.json a/model.safetensors bare
like "$(bert-eval -q -m bare --errors 1 pair.rec | tail -n 1)" '        tokens 2 [0-9]*' \
	'without a tokenizer, tokens'

# --by
works '--by' bert-eval -q -m a --by label --by length dev.rec
sed "1,${lines}d" out >rest
like "$(head -n 2 rest)" '
by label *examples  accuracy  macro F1 *mcc *loss' 'a table'
for l in get_card pay_fine; do
	tfrecord-cat -q --where label=$l -o part.rec dev.rec
	bert-eval -q -m a --json -o part.json part.rec
	number() { sed -n "s/^ \"$1\": \([-0-9.e]*\),*/\1/p" part.json; }
	is "$(awk -v l=$l '$1 == l { print $2, $3, $4, $5, $6 }' rest)" \
		"$(printf '%d %.4f %.4f %.4f %.4f' "$(number examples)" "$(number accuracy)" \
			"$(number macro_f1)" "$(number mcc)" "$(number loss)")" \
		"$l: what a run of these records alone measures"
done
sed '1,/^by length/d' rest >got
is "$(awk '{ n += $2 } END { print n }' got)" "$all" 'every example has a length'
tfrecord-cat -q --json dev.rec | sed 's/.*"input_ids": \[\([^]]*\)\].*/\1/' | awk -F, '
	{ for (m = 1; m < NF; m *= 2); n[m]++ } END { for (m in n) print m, n[m] }' | sort -n >want
is "$(sed 's/^[0-9]*-//' got | awk '{ print $1, $2 }')" "$(cat want)" 'by powers of two'

tfrecord-cat -q --json dev.rec | awk 'NR % 3 { sub(/^{/, "{\"age\": " NR % 3 * 5 ", ") } { print }' |
	tfrecord-cat -q --from-json -o age.rec
is "$(bert-eval -q -m a --by age age.rec | sed '1,/^by age/d' | awk '{ print $1 }')" '5
10
(none)' 'numbers in their order, then those without'
like "$(bert-eval -q -m a --by age --json age.rec | tr -d '\n')" \
	'*"by": [[]*"field": "age",*"groups": [[]*"value": "5",*"examples": *"accuracy": *"value": "10",*"value": null,*' 'in JSON'
tfrecord-cat -q --json dev.rec | sed 's/^{/{"length": "long", /' | tfrecord-cat -q --from-json -o long.rec
is "$(bert-eval -q -m a --by length long.rec | sed '1,/^by length/d' | awk '{ print $1, $2 }')" \
	"long $all" 'a feature that is called length goes first'
refuses "bert-eval: none of the first $all records has the feature 'lang': the first one has id, input_ids, *" \
	'a field that is not there' bert-eval -m a --by lang dev.rec
bert-tokenize -q -m vocab.txt --max-length 48 --pad 80 -o padded.rec dev.text.rec
refuses "*'padded.rec': record 1: feature 'input_ids' is a list of 80 values, too long to be shown" \
	'a long list' bert-eval -m a --by input_ids padded.rec

# --compare
works '--compare' bert-eval -q -m a --compare b dev.rec
head -n "$lines" out >got
same got report 'the report of the first comes first'
sed "1,${lines}d" out >rest
like "$(sed -n 2,3p rest)" 'compared: A is a, B is b
measure *A *B *B - A' 'then both'
bert-eval -q -m b --json -o b.json dev.rec
for x in accuracy macro_f1 loss; do
	is "$(awk -v x=$x '$1 == x { print $2, $3 }' rest)" "$(for f in report.json b.json; do
		sed -n "s/^ \"$x\": \([-0-9.e]*\),*/\1/p" $f
	done | awk '{ printf "%s%.4f", (NR > 1 ? " " : ""), $1 }')" "$x of both"
done
sed 1d b.csv | cut -d, -f2 >guess
sed 1d a.csv | cut -d, -f2 | paste -d' ' truth - guess | awk '
	{ n[$2 == $1, $3 == $1]++ }
	END { printf "right: both %d, A alone %d, B alone %d, neither %d",
		n[1, 1], n[1, 0], n[0, 1], n[0, 0] }' >want
is "$(grep ^right: rest)" "$(cat want)" 'who is right'
if [ -n "${PEER_PYTHON-}" ] && "$PEER_PYTHON" -c 'import scipy' 2>/dev/null; then
	is "$(tail -n 1 rest)" "exact McNemar test: p = $(awk -F'[ ,]+' '{ print $6, $9 }' want | "$PEER_PYTHON" -c '
from scipy.stats import binomtest
b, c = map(int, input().split())
print("%.4g" % (binomtest(min(b, c), b + c, .5).pvalue if b + c else 1))')" "SciPy's p"
else
	skip "SciPy's p" 'PEER_PYTHON has no scipy'
fi
bert-eval -q -m a --compare b <dev.rec >got
same got out 'the same from a pipe'
bert-eval -q -m b --compare a dev.rec | tail -n 1 >got
is "$(cat got)" "$(tail -n 1 out)" 'p is the same the other way round'
like "$(bert-eval -q -m a --compare a dev.rec | tail -n 2)" '*A alone 0, B alone 0, *
exact McNemar test: p = 1' 'with itself'
like "$(bert-eval -q -m a --compare b --json dev.rec | tr -d '\n')" \
	'*"compare": {*"a": "a",*"b": "b",*"measures": {*"loss": {*"a": *"b": *"difference": *},*"right": {*"both": *"a_alone": *"b_alone": *"neither": *},*"mcnemar_p": *' \
	'in JSON'
# classes in another order are the same classes
bert-train -q --init-config tiny --tokenizer vocab.txt --steps 3 --labels \
	wifi_access,pay_fine,parking,get_card -o turned train.rec
bert-eval -q -m turned --json -o t.json dev.rec
is "$(bert-eval -q -m a --compare turned dev.rec | awk '$1 == "loss" && NF == 4 { print $3 }')" \
	"$(printf %.4f "$(sed -n 's/^ "loss": \([0-9.e-]*\),/\1/p' t.json)")" \
	'classes in another order'
csv2tfrecord -q -t text -l intent --where intent=parking --map-label parking=garage train.csv |
	bert-tokenize -q -m vocab.txt -o garage.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --steps 2 -o five train.rec garage.rec
sed 's/pay_fine/fines/' a/config.json >config.json
cp -r a renamed
mv config.json renamed
refuses "*'five' has 5 classes, the first model 4" 'more classes' bert-eval -m a --compare five dev.rec
refuses "*'renamed' does not know the first model's class 'pay_fine'" 'another class' \
	bert-eval -m a --compare renamed dev.rec
sed '$d' vocab.txt >short.txt
bert-train -q --init-config tiny --tokenizer short.txt --steps 1 -o short \
	"$(bert-tokenize -q -m short.txt -o s.rec dev.text.rec; echo s.rec)"
refuses "*'short' has another tokenizer than the first model: models are compared on the same tokens" \
	'another tokenizer' bert-eval -m a --compare short dev.rec
mkdir untrained
cp a/config.json untrained
refuses "*'untrained' has no 'model.safetensors'*" 'a model that is not trained' \
	bert-eval -m a --compare untrained dev.rec
refuses "*no model directory 'none'*" 'no model' bert-eval -m a --compare none dev.rec

# no example at all; an answer that is no number, far behind, of one of two
: >empty.rec
refuses "*'empty.rec' holds no records" 'nothing to compare' \
	bert-eval -m a --errors 2 --by label --compare b empty.rec
cp -r a broken
head=$(od -An -tu4 -N4 a/model.safetensors)
words=$(head -c "$head" a/model.safetensors | tr '{}' '\n\n' |
	sed -n '/word_embeddings/{ n; s/.*_offsets":[[]\([0-9]*\),.*/\1/p; }')
word=$(grep -nx wifi vocab.txt | cut -d: -f1)
printf '\346\261\141\177%.0s' $(seq 128) |
	dd of=broken/model.safetensors bs=1 conv=notrunc 2>dd \
		seek=$((8 + head + words + (word - 1) * 512))
{
	yes 'the card' | head -n 4499
	echo 'the wifi'
} | bert-tokenize -q -m vocab.txt --lines -o many.rec
refuses "bert-predict: the model's answer to example 4500 is not a number" 'no number' \
	bert-predict -q -m broken -o p.csv many.rec
refuses "*'broken': the model's answer to example 4500 is not a number" 'whose it is' \
	bert-predict -q -m a -m broken -o p.csv many.rec
refuses "*the first model: the model's answer to example 4500 *" 'or the first one'"'s" \
	bert-predict -q -m broken -m a -o p.csv many.rec

# all of them together; what else there is
works 'together' bert-eval -q -m a --errors 2 --by label --compare b --min accuracy=.1 dev.rec
like "$(cat out)" '*accuracy*by label*compared: *McNemar*most wrong: *' 'in this order'
exits 2 'no example' bert-eval -m a --errors 0 dev.rec
exits 2 'no number' bert-eval -m a --errors few dev.rec
exits 1 '--min is about the first' bert-eval -q -m a --compare b --min accuracy=1 dev.rec

# several models
bert-predict -q -m a -m b dev.rec | sed '1d; s/^[^,]*,//' | paste -d, truth - >both
right=$(awk -F, '{ n += $1 == $2 } END { printf "%.4f", n / NR }' both)
works 'two models' bert-eval -q -m a -m b dev.rec
like "$(tail -n 1 out)" "accuracy $right*" 'their average is evaluated, as bert-predict predicts it'
misuses '*--compare takes one -m DIR*' 'an average is not compared' \
	bert-eval -m a -m b --compare a dev.rec

# a file that --json does not take
rm -f report.json
misuses "bert-eval: option '--json' takes no value: leave out 'report.json' (-o FILE writes to a file)" \
	'a file for JSON' bert-eval -m a --json report.json dev.rec
refuses "bert-eval: *'new': No such file or directory" 'another that is not there' bert-eval -m a --json new dev.rec
finish
