#!/bin/sh
# SPDX-License-Identifier: MIT
# --explain: what each word of a text contributed to its prediction.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
small_train m -q --epochs 8
cat >in.csv <<'.'
id,text
a,"Where is my  library-card, Zoë? Überweisung!"
b,Can I park here
c,can i park here tomorrow
d,wifi
.
csv2tfrecord -q -i id -t text in.csv | bert-tokenize -q -m m --keep-text -o in.rec
bert-predict -q -m m --dtype f32 --proba in.rec >plain.csv
explain() { bert-predict -q -m m --explain "$@"; }

works 'words are explained' bert-predict -m m --explain in.rec
cp out all.tsv
like "$(cat err)" '*contributions of each text add up to what it changes, within * %*' 'and add up'
is "$(head -n 1 all.tsv)" "$(printf 'id\tlabel\tposition\ttext\tword\tstart\tend\tcontribution')" 'a table'
is "$(awk -F'\t' '$1 == "a" { printf "%s %s-%s ", $5, $6, $7 }' all.tsv)" \
	'Where 0-5 is 6-8 my 9-11 library 13-20 - 20-21 card 21-25 , 25-26 Zoë 27-30 ? 30-31 Überweisung 32-43 ! 43-44 ' \
	'of words with their places in code points'
is "$(awk -F'\t' 'NR > 1 && !($1 in l) { print $1 "," $2; l[$1] }' all.tsv)" "$(sed 1d plain.csv | cut -d, -f1,2)" \
	'of what is predicted'
is "$(awk -F'\t' 'NR > 1 && $3 != n[$1]++ { bad++ } END { print (NR > 20), bad + 0 }' all.tsv)" '1 0' 'counted in each text'
for j in 1 3; do
	explain -j $j in.rec >some.tsv
	same some.tsv all.tsv "the same with $j threads"
done
for k in 1 3 4; do
	tfrecord-cat -q in.rec --where "id=$(sed -n "$((k + 1))s/,.*//p" in.csv)" -o one.rec
	explain one.rec >one.tsv
	awk -F'\t' -v id="$(sed -n 2p one.tsv | cut -f1)" 'NR == 1 || $1 == id' all.tsv >want
	same one.tsv want "text $k by itself is explained as among others"
done

works 'as JSON Lines' explain --format jsonl in.rec
cp out all.jsonl
like "$(sed -n 4p all.jsonl)" \
	'{"id": "d", "label": "*", "probability": 0.*, "logit": *, "baseline": *, "gap": *, "words": \[{"word": "wifi", "text": "a", "start": 0, "end": 4, "contribution": *}]}' \
	'with all that is known'
is "$(grep -o '"contribution": [^}]*' all.jsonl | cut -d' ' -f2 | paste -sd' ')" \
	"$(sed 1d all.tsv | cut -f8 | paste -sd' ')" 'the same numbers'
cat >sums.awk <<'.'
# of each line: whether contributions are logit - baseline + gap, and the gap is small
function value(name) { match($0, "\"" name "\": [-+.e0-9]*"); return substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4) }
{
	sum = n = 0; rest = $0
	while (match(rest, /"contribution": [-+.e0-9]*/)) { sum += substr(rest, RSTART + 16, RLENGTH - 16); n++; rest = substr(rest, RSTART + RLENGTH) }
	d = value("logit") - value("baseline"); g = value("gap") + 0; e = sum - d - g
	if (e < 0) e = -e
	if (g < 0) g = -g
	if (d < 0) d = -d
	if (n == 0 || e > 1e-4 || g > .05 * d + 1e-2) bad++
}
END { print NR, bad + 0 }
.
is "$(awk -f sums.awk all.jsonl)" '4 0' 'the contributions are the difference to the baseline, but for the gap'
explain --format jsonl --explain-steps 1 in.rec >rough.jsonl
is "$(awk -f sums.awk rough.jsonl | cut -d' ' -f1)" 4 'one step'
! cmp -s rough.jsonl all.jsonl
result $? 'is not as good as many'
bert-predict -m m --explain --explain-steps 1 in.rec 2>err >/dev/null
like "$(cat err)" '*of * of 4 explanations the contributions do not add up to what the text changes, by more than 2 % of it (more --explain-steps help)*' \
	'which is said'

works 'another class' explain --explain-class wifi_access --format jsonl in.rec
is "$(grep -c '"label": "wifi_access"' out)" 4 'is explained for every text'
is "$(awk -f sums.awk out)" '4 0' 'and adds up'
works 'another baseline' explain --explain-baseline pad --format jsonl in.rec
is "$(awk -f sums.awk out)" '4 0' 'adds up, too'
! cmp -s out all.jsonl
result $? 'to another difference'
works 'special tokens' explain --explain-special in.rec
is "$(awk -F'\t' '$1 == "d"' OFS=: out | cut -f3-7 | tr '\t' : | paste -sd' ')" '0:-:[CLS]:: 1:a:wifi:0:4 2:-:[SEP]::' 'are listed'
is "$(awk -F'\t' '$4 == "-" && $8 != 0' out)" '' 'and contribute nothing'
works 'CSV' explain -o why.csv in.rec
is "$(sed -n '/^a.*","/p' why.csv | cut -d, -f1,3-4)" 'a,6,a' 'by the name of the file, in quotes where it must be'

# without the text
csv2tfrecord -q -i id -t text in.csv | bert-tokenize -q -m m -o bare.rec
works 'records without their text' bert-predict -m m --explain bare.rec
like "$(cat err)" '*4 of 4 records do not hold the text*tokens are shown in place of words (bert-tokenize -m MODEL --keep-text keeps it)*' \
	'are told'
is "$(awk -F'\t' '$1 == "d"' out | cut -f3-7)" "$(printf '0\t-\twifi\t\t')" 'their tokens are explained'
# cut, in windows, in pairs
csv2tfrecord -q -i id -t text in.csv | bert-tokenize -q -m m --max-length 7 --keep-text -o cut.rec
works 'texts that were cut' explain cut.rec
is "$(awk -F'\t' '$1 == "a"' out | cut -f5-7 | tail -n 1)" "$(printf -- '-\t20\t21')" 'as far as they go'
csv2tfrecord -q -i id -t text in.csv | bert-tokenize -q -m m --max-length 7 --stride 2 --keep-text -o windows.rec
works 'windows' explain windows.rec
is "$(awk -F'\t' '$1 == "b" { printf "%s %s-%s ", $5, $6, $7 }' out)" 'Can 0-3 I 4-5 park 6-10 here 11-15 ' 'of a short text'
is "$(awk -F'\t' '$4 != "a"' out | sed 1d)" '' 'each of which is found in its text'
is "$(awk -F'\t' '$1 == "a" && $6 < end + 3 { end = $7 } END { print end }' out)" 44 'which together are all of it'
printf '%s\n' id,text,more 'p,the wifi is slow,the wifi is "slow"' >pair.csv
csv2tfrecord -q -i id -t text --pair more pair.csv | bert-tokenize -q -m m --keep-text -o pair.rec
works 'a pair' explain pair.rec
is "$(sed 1d out | cut -f4-6 | tr '\t' : | paste -sd' ')" \
	'a:the:0 a:wifi:4 a:is:9 a:slow:12 b:the:0 b:wifi:4 b:is:9 b:"""":12 b:slow:13 b:"""":17' 'has words of both texts'

# a calibrated model
cp -r m fit
for method in temperature vector; do
	bert-eval -q -m fit --calibrate $method dev.rec >out
	works "a calibrated model ($method)" bert-predict -m fit --explain --format jsonl in.rec
	like "$(cat err)" '*contributions of each text add up to what it changes, within * %*' 'is explained as it predicts'
	is "$(awk -f sums.awk out)" '4 0' 'from its own baseline'
	is "$(sed 's/.*"label": "\([^"]*\)", "probability": \([^,]*\),.*/\1,\2/' out)" \
		"$(bert-predict -q -m fit --dtype f32 --top 1 in.rec | sed 1d | cut -d, -f2,3)" 'with its own probability'
done

# the number of a ranking model, which is the sigmoid of what is explained
awk -F, -v OFS=, 'NR > 1 && NF == 3 { $3 = NR % 5 / 5 } NR == 1 || NF == 3' train.csv |
	csv2tfrecord -q -i id -t text -l intent --label-type float | bert-tokenize -q -m vocab.txt --keep-text |
	tfrecord-cat -q --head 3 -o rank.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task ranking --steps 2 -o rank rank.rec
works 'a ranking model' bert-predict -q -m rank --explain --format jsonl rank.rec
is "$(sed 's/.*"id": "\([^"]*\)".*"value": \([^,]*\),.*/\1,\2/' out)" \
	"$(bert-predict -q -m rank --dtype f32 rank.rec | sed 1d)" 'has the number that it predicts'
is "$(awk -f sums.awk out)" '3 0' 'and adds up to its logit'

misuses '*--explain-special need --explain*' 'options without --explain' bert-predict -q -m m --explain-steps 3 in.rec
misuses '*--explain takes one model*' 'two models' bert-predict -q -m m -m m --explain in.rec
misuses '*one of --explain, --embed and --fill-mask*' 'embeddings' bert-predict -q -m m --explain --embed mean in.rec
misuses '*only --threshold applies to --explain*' 'options for labels' bert-predict -q -m m --explain --proba in.rec
for o in '--rejected x' '--sample-missing x' '--sample-extra ignore' --normalize; do
	# shellcheck disable=SC2086
	misuses '*only --threshold applies to --explain*' "$o" bert-predict -q -m m --explain $o in.rec
done
misuses '*--windows does not apply*' 'joined windows' bert-predict -q -m m --explain --windows max in.rec
misuses '*--threshold does not apply*' 'a threshold and a class' \
	bert-predict -q -m m --explain --explain-class parking --threshold .3 in.rec
misuses "*the class to explain: 'no such' is not one of the model's 4 labels*" 'an unknown class' \
	bert-predict -q -m m --explain --explain-class 'no such' -o x.tsv in.rec
[ ! -e x.tsv ]
result $? 'leaves nothing behind'
misuses '*explanations are written as tsv, csv or jsonl, not as npy*' 'another format' \
	bert-predict -q -m m --explain -o x.npy in.rec
misuses '*int8 have no gradients*' 'int8' bert-predict -q -m m --explain --dtype int8 in.rec
finish
