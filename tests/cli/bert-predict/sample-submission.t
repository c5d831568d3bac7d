#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-predict: the shapes of competitions' sample submissions, and labels
# under other names.
# Not under thread: the threads are those of cli/bert-predict/output
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
small_train m -q --epochs 6 --learning-rate 2e-3
rows=$(($(wc -l <dev.csv) - 1))
predict() { bert-predict -m m "$@"; }
predict -q --proba dev.rec >plain.csv # id,label,get_card,parking,pay_fine,wifi_access
cut -d, -f1 plain.csv | sed 1d >ids

# One label: where its column and that of the ids stand, and how they are named.
shape() { # HEADER AWK-EXPRESSION-OF-$1: a sample, its rows turned round
	echo "$1"
	sed -n '1!G;h;$p' ids | awk -F, "{ print $2 }"
}
answers() { # COLUMNS: of plain.csv, turned round
	sed 1d plain.csv | sed -n '1!G;h;$p' | cut -d, -f"$1"
}
shape intent,Id '"parking," $1' >s.csv
works 'the column named id need not be the first' predict --sample s.csv dev.rec
is "$(grep -c warning err)" 0 'nothing is odd about it'
{ echo intent,Id; answers 1,2 | awk -F, '{ print $2 "," $1 }'; } >wanted
same out wanted 'its answers are'
tr , ';' <s.csv >semicolons.csv
mkfifo pipe
cat semicolons.csv >pipe &
works 'a sample may come through a pipe' predict --sample pipe dev.rec
tr , ';' <wanted | diff - out >why
result $? '... with another delimiter'
wait
shape 'intent,row' '"parking," $1' >s.csv
refuses "*sample 's.csv': * of $rows rows repeat an id: 'parking', *--sample-id*" \
	'without a column id the first counts' predict --sample s.csv dev.rec
for c in row 2; do
	works "--sample-id $c" predict --sample s.csv --sample-id $c dev.rec
	sed '1s/Id/row/' wanted >wanted2
	same out wanted2 'says which it is'
done
refuses "*sample 's.csv': the column 'x' does not exist" 'one that it lacks' \
	predict --sample s.csv --sample-id x dev.rec
{ printf '\357\273\277"ID","the ""intent"""\r\n'
	sed 's/.*/"&",""\r/' ids; } >s.csv
works 'a byte order mark, quotes, CRLF' predict --sample s.csv dev.rec
{ echo 'ID,"the ""intent"""'; sed 1d plain.csv | cut -d, -f1,2; } >wanted
same out wanted 'are understood'
tr ',' ';' <s.csv >s2.csv
works 'semicolons' predict --sample s2.csv dev.rec
tr ',' ';' <wanted >wanted2
same out wanted2 'stay'

# Probabilities.
shape pay_fine,wifi_access,ID,parking,get_card '"0,0," $1 ",0,0"' >s.csv
works 'a column a class, in any order' predict --sample s.csv dev.rec
{ head -n 1 s.csv
	answers 1,3-6 | awk -F, '{ print $4 "," $5 "," $1 "," $3 "," $2 }'; } >wanted
same out wanted 'takes their probabilities'
shape ID,mars,parking,venus,pay_fine,moon,sun '$1 ",0,0,0,0,0,0"' >s.csv
refuses "*columns 'mars', 'venus', 'moon', ...: not among the model's 4 labels; without a column: 'get_card', 'wifi_access' (--map-label*" \
	'columns that are no class are named' predict --sample s.csv dev.rec
shape ID,parking,pay_fine,wifi_access '$1 ",0,0,0"' >s.csv
works 'a class without a column' predict --sample s.csv dev.rec
like "$(cat err)" "*warning: 's.csv' has no column for 1 of the 4 labels: 'get_card'*" \
	'the message says so'
shape ID,a,b,c,d '$1 ",0,0,0,0"' >s.csv
works 'columns by other names' predict --sample s.csv \
	--map-label parking=a,get_card=b,wifi_access=c,pay_fine=d dev.rec
{ head -n 1 s.csv
	answers 1,3-6 | awk -F, '{ print $1 "," $3 "," $2 "," $5 "," $4 }'; } >wanted
same out wanted 'are those of --map-label'
shape ID,parking '$1 ",0.5"' >s.csv
works 'one column, of a class' predict --sample s.csv --proba dev.rec
{ head -n 1 s.csv; answers 1,4; } >wanted
same out wanted 'with --proba: its probability'
works 'and without' predict --sample s.csv dev.rec
like "$(cat err)" "*warning: 's.csv' holds '0.5', not among the labels to write*--proba writes probabilities*" \
	'with a warning'

# Labels under other names.
shape ID,label '$1 ",0"' >s.csv
works 'numbers where the model has names' predict --sample s.csv dev.rec
like "$(cat err)" "*'s.csv' holds '0', not among the labels to write ('get_card' ... 'wifi_access') (--map-label*" \
	'messages say so'
map=get_card=-1,parking=0,pay_fine=1,wifi_access=2
works 'renamed' predict --sample s.csv --map-label $map dev.rec
like "$(cat err)" 'bert-predict: predicted *[012] [0-9]*' 'the summary has the new names'
is "$(grep -c warning err)" 0 'nothing is odd then'
turn='sub(/get_card/, -1, $2) sub(/parking/, 0, $2) sub(/pay_fine/, 1, $2) sub(/wifi_access/, 2, $2)'
{ echo ID,label; answers 1,2 | awk -F, -v OFS=, "{ x = $turn; print }"; } >wanted
same out wanted 'the labels are mapped'
printf 'get_card,-1\nparking,0\npay_fine,1\nwifi_access,2\n' >map.csv
predict -q --sample s.csv --map-label @map.csv dev.rec >out
same out wanted 'also from a file'
predict -q --map-label $map --proba dev.rec >out
is "$(head -n 1 out)" 'id,label,-1,0,1,2' 'without a sample, too'
cut -d, -f3- out >a
cut -d, -f3- plain.csv >b
sed 1d a >a2
sed 1d b >b2
same a2 b2 'the probabilities are the same'
works 'two labels under one name' predict --proba --format jsonl \
	--map-label get_card=desk,pay_fine=desk dev.rec
like "$(cat err)" "*the model's 4 labels are written as 3*predicted*" 'the message says so'
like "$(head -n 1 out)" '*"probabilities": {"desk": *, "parking": *, "wifi_access": *}}' \
	'they are one class'
is "$(predict -q --proba --map-label get_card=desk,pay_fine=desk dev.rec | paste -d, plain.csv - |
	awk -F, 'NR > 1 { d = $3 + $5 - $9; if (d > 1e-6 || d < -1e-6) n++ } END { print n + 0, $9 != "" }')" \
	'0 1' 'with the sum of their probabilities'
misuses "*label map: 'mars' is not one of the model's 4 labels*" \
	'a label that the model lacks' predict --map-label parking=1,mars=2 dev.rec
misuses '*label map: *' 'no pair' predict --map-label parking dev.rec

# In order, without ids.
csv2tfrecord -q -t text dev.csv | bert-tokenize -q -m m >noid.rec
cut -d, -f2 plain.csv | sed 1d >labels
sed 's/.*/Z&,x/; 1i ID,label' ids >s.csv
refuses "*$rows of $rows predictions are for ids that it does not list: '0', '1', '2', ...; $rows of its $rows ids have no prediction: 'ZL*" \
	'records without ids do not match a sample' predict --sample s.csv noid.rec
works 'unless --sample-order says so' predict --sample s.csv --sample-order noid.rec
cut -d, -f1 s.csv >a
cut -d, -f1 out >b
same b a 'its ids'
cut -d, -f2 out | sed 1d >b
same b labels 'the answers in order'
is "$(grep -c warning err)" 1 'no word about numbers that nobody sees'
sed '$d' s.csv >less.csv
refuses "*sample 'less.csv' has $((rows - 1)) rows, and there are $rows predictions*" \
	'fewer rows than records' predict --sample less.csv --sample-order noid.rec
{ cat s.csv; echo Z,x; } >more.csv
refuses "*has $((rows + 1)) rows, and there are $rows predictions*" 'or more' \
	predict --sample more.csv --sample-order noid.rec
{ echo intent; sed 's/.*/""/' ids; } >one.csv
refuses "*'one.csv': has no column beside the ids (--sample-order *" 'a sample without ids' \
	predict --sample one.csv noid.rec
works 'goes in order' predict --sample one.csv --sample-order noid.rec
{ echo intent; cat labels; } >wanted
same out wanted 'and has the labels alone'
{ echo get_card,parking,pay_fine,wifi_access; sed 's/.*/0,0,0,0/' ids; } >four.csv
refuses "*has no column of ids (--sample-order *" \
	'none, and no order' predict --sample four.csv --sample-id none noid.rec
works 'probabilities alone' predict --sample four.csv --sample-id none \
	--sample-order noid.rec
cut -d, -f3- plain.csv >wanted
same out wanted 'a column a class'
sed '1!G;h;$!d' ids | sed 's/$/,x/; 1i ID,label' >turned.csv
refuses "*sample 'turned.csv': the records are in another order: * of $rows have the id of another row: '*leave out --sample-order*" \
	'ids of the sample in another order' predict --sample turned.csv --sample-order dev.rec
works 'that matches by ids' predict --sample turned.csv dev.rec
sed 's/$/,x/; 1i ID,label' ids >same.csv
works 'ids in the same order' predict --sample same.csv --sample-order dev.rec
sed 's/.*/0,x/; 1i key,label' ids >repeated.csv
works 'a column of repeated values does not identify rows' \
	predict --sample repeated.csv --sample-order dev.rec
exits 2 'an order without a sample' predict --sample-order noid.rec

# Rows without a prediction, and predictions without a row.
{ echo ID,label; echo ZZ,x; sed '1,3d; s/$/,x/' ids; } >part.csv
refuses "*sample 'part.csv': 3 of $rows predictions are for ids that it does not list: *; 1 of its $((rows - 2)) ids have no prediction: 'ZZ' (--sample-missing VALUE fills rows without a prediction, --sample-extra ignore leaves out predictions without a row)" \
	'neither fits' predict --sample part.csv dev.rec
refuses "*3 of $rows predictions are for ids*" 'rows alone are filled' \
	predict --sample part.csv --sample-missing x,y dev.rec
refuses "*1 of its $((rows - 2)) ids have no prediction: 'ZZ' (*" 'predictions alone are left out' \
	predict --sample part.csv --sample-extra ignore dev.rec
works 'both' predict --sample part.csv --sample-missing x,y --sample-extra ignore dev.rec
sed '1,4d' plain.csv | cut -d, -f1,2 | sed '1i ID,label\nZZ,"x,y"' >wanted
same out wanted 'and what fits is as before'
like "$(cat err)" "*warning: 1 of the $((rows - 2)) ids of sample 'part.csv' have no prediction and get 'x,y'
*warning: 3 of $rows predictions are for ids that sample 'part.csv' does not list: they are left out*" 'warnings for both'
{ echo ID,label; echo ZZ,x; } >strange.csv
refuses "*sample 'strange.csv': 1 of its 1 ids have no prediction: 'ZZ'" 'nothing fits at all' \
	predict --sample strange.csv --sample-missing x --sample-extra ignore dev.rec
misuses '*--sample-missing and --sample-extra match by ids*' 'not in order' \
	predict --sample part.csv --sample-missing x --sample-order dev.rec

# Ids are texts.
awk -F, 'NR == 1 { print "id,text" } NR > 1 { printf "%04d,where is it\n", NR }' \
	dev.csv >zeros.csv
csv2tfrecord -q -i id -t text zeros.csv | bert-tokenize -q -m m >zeros.rec
sed 's/,.*/,0/; 1s/.*/id,label/' zeros.csv >s.csv
works 'zeros before a number' predict -q --sample s.csv zeros.rec
is "$(sed -n '2s/,.*//p' out)" 0002 'stay'
sed 's/^0*//' s.csv >s2.csv
refuses "*'0002' (it lists '2'), '0003', '0004', ...; *no prediction: '2', '3', '4', ..." \
	'and a sample without them is reported' predict --sample s2.csv zeros.rec
printf 'id,label\n' >empty.csv
refuses "*'empty.csv'*holds no rows*" 'no rows' predict --sample empty.csv dev.rec
: >empty.csv
refuses "*'empty.csv'*" 'nothing at all' predict --sample empty.csv dev.rec
printf 'id,label\na,b,c\n' >bad.csv
refuses "*'bad.csv': record 1 (line 2): 3 fields, expected 2*" 'a bad row' \
	predict --sample bad.csv dev.rec

misuses '*the sample decides format and columns (do not combine --sample with *--min-proba, --sets or --with)' \
	'rejected records in a sample' predict --sample s.csv --min-proba .9 dev.rec

# Numbers are the shortest that read back.
predict -q --proba --format jsonl dev.rec >long
is "$(grep -cE '\.0*[1-9][0-9]{9,}' long)" 0 'no number has more than nine digits'
finish
