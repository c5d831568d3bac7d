#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-plot: curves, evaluations and lengths, as pictures and in letters.
# Not under thread: the threads are those of the tools' own tests
. "$TEST_TOP/tests/lib/lib.sh"
texts() { grep -o '<text[^>]*>[^<]*' "$1" | sed 's/.*>//'; }
# points NAME: the values that a line of class s0, s1, ... goes through, as pixels
points() { sed -n "s/.*class=\"line $2\" points=\"\([^\"]*\) \".*/\1/p" "$1"; }

mkdir a b
cat >a/history.jsonl <<'END'
{"step":10,"epoch":1,"loss":2,"accuracy":0.25,"learning_rate":0.1,"seconds":1,"eval_loss":1.5,"eval_accuracy":0.5,"best":true}
{"step":20,"epoch":2,"loss":1,"accuracy":0.5,"learning_rate":0.05,"seconds":2,"eval_loss":null,"eval_accuracy":0.75,"best":true}
{"step":30,"epoch":3,"loss":0,"accuracy":1,"learning_rate":0,"seconds":3,"eval_loss":0.5,"eval_accuracy":1,"best":true}
END
sed 's/"loss":2/"loss":4/' a/history.jsonl >b/history.jsonl
works 'curves of a run' bert-plot -o a.svg a
is "$(texts a.svg | grep -E '^[A-Z]|ing|tion' | tr '\n' ' ')" \
	'Loss training evaluation Accuracy training evaluation ' 'of the loss and the accuracy'
is "$(points a.svg s0 | head -n 1 | awk '{ n = split($0, p, /[ ,]/)
	x = p[3] - p[1] - (p[5] - p[3]); y = p[4] - p[2] - (p[6] - p[4])
	print n, x * x < .05, y * y < .05 }')" '6 1 1' \
	'points that are equally far apart are so in the picture'
is "$(points a.svg s1 | wc -l)" 1 'a null ends a line'
is "$(grep -c '<circle class="f1"' a.svg)" 2 'and points without neighbours are dots'
works 'a history file' bert-plot -o b.svg a/history.jsonl
works 'gives the same' cmp a.svg b.svg
mkdir null
sed 's/loss":\(null\|[0-9.]*\)/loss":null/g' a/history.jsonl >null/history.jsonl
works 'losses that are all null, beside an accuracy' bert-plot -o null.svg null
refuses "bert-plot: nothing to draw: no line has a finite 'loss' beside its 'epoch'" '... alone' \
	bert-plot --metric loss -o null.svg null
works 'two runs' bert-plot -o two.svg --metric loss a b/
is "$(texts two.svg | grep , | tr '\n' ';')" \
	'a, training;a, evaluation;b, training;b, evaluation;' 'with their names'
mkdir -p c/a
cp a/history.jsonl c/a
works 'two of a name' bert-plot -o two.svg --metric loss a c/a b
is "$(texts two.svg | grep , | tr '\n' ';')" \
	'a, training;a, evaluation;c/a, training;c/a, evaluation;b, training;b, evaluation;' 'with their paths'
mkdir -p cv/fold-1 cv/fold-2 cv/fold-10 cv/fold-x
for k in 1 2 10 x; do cp a/history.jsonl cv/fold-$k; done
works 'the folds of a cross-validation' bert-plot -o cv.svg --metric loss cv/ a
works '... are the same one by one' bert-plot -o folds.svg --metric loss cv/fold-1 cv/fold-2 cv/fold-10 a
same cv.svg folds.svg '... in order'
mv cv/fold-2 cv/seed-42
mv cv/fold-10 cv/seed-7
works 'and those of several seeds' bert-plot -o cv.svg --metric loss cv
is "$(texts cv.svg | sed -n 's/, training//p' | tr '\n' ' ')" 'fold-1 seed-7 seed-42 ' '... by their numbers'
cp a/history.jsonl cv
works 'a run' bert-plot -o cv.svg cv
is "$(texts cv.svg | grep -c fold)" 0 '... is itself'
works 'a metric of evaluations' bert-plot --terminal --metric learning_rate --x seconds -o rate a
like "$(cat rate)" '*Learning rate*training*0.10 *seconds*' 'over seconds'
works 'in letters' bert-plot --terminal --width 40 --height 8 -o letters --metric accuracy a
is "$(sed -n '1,3p;10,12p' letters)" 'Accuracy
● training   ○ evaluation
      1.0 ┤                         ○○○○
      0.0 ┤
          └─────────────────────────────
           1             2             3  epoch' 'with axes'
head -n 2 a/history.jsonl >two.jsonl
head -n 1 a/history.jsonl >one.jsonl
works 'two epochs' bert-plot -o two-epochs.svg --metric accuracy two.jsonl
is "$(texts two-epochs.svg | grep -c '1.5')" 0 'have no tick at 1.5'
works 'one epoch' bert-plot --terminal --width 40 --height 8 -o letters one.jsonl
is "$(tail -n 1 letters | tr -s ' ')" ' 0 1 2 epoch' 'ticks are at whole epochs'
works 'a title' bert-plot --title "run_a $(printf '\377\033')" --metric learning_rate -o title.svg a
is "$(texts title.svg | head -n 1)" "run_a $(printf '\357\277\275')\\x1b: learning rate" \
	'stays as it is, but for what neither XML nor a terminal takes'
printf '{"step":%s,"epoch":1,"loss":%s}\n' 100000000000000000 0.1 100000000000000016 0.10000000000000002 >close.jsonl
for x in epoch step; do
	works "values that differ by rounding alone, over $x" timeout 60 bert-plot --metric loss --x $x -o close.svg close.jsonl
	is "$(texts close.svg | grep '^0\.' | tr '\n' ' ')" '0.090 0.095 0.100 0.105 0.110 ' 'are drawn as one'
done
printf '{"step":%s,"epoch":%s,"loss":%s}\n' 1 1 1e308 2 2 -1e308 3 3 1 4 4 2 >huge.jsonl
works 'numbers near the largest' bert-plot --metric loss -o huge.svg huge.jsonl
is "$(grep -c nan huge.svg; points huge.svg s0 | wc -w)" "0
2" 'are drawn as infinite ones'
declines 2 "bert-plot: no run has 'f1', there are: step epoch loss accuracy learning_rate seconds*" \
	'a metric that is not there' bert-plot --metric f1 a
printf '{"step": 1, "loss": 1}\n{"loss": 2}\n' >bad.jsonl
declines 1 "bert-plot: 'bad.jsonl': line 2: a line of a history has a whole number \"step\"" \
	'a line without a step' bert-plot bad.jsonl
printf '{"step": 1,\n' >bad.jsonl
declines 1 "bert-plot: 'bad.jsonl': line 1 is not valid JSON*" 'a line that is not JSON' bert-plot bad.jsonl

cat >report.json <<'END'
{
 "examples": 10, "accuracy": 0.7, "ece": 0.1,
 "classes": [
  {"label": "a<b & c", "precision": 0.6, "recall": 0.75, "f1": 0.6667, "support": 4},
  {"label": "图书馆的开放时间是什么", "precision": 0.8, "recall": 0.6667, "f1": 0.7273, "support": 6}
 ],
 "confusion": [
  [3, 1],
  [2, 4]
 ],
 "reliability": [[2, 0.5, 0.5], [0, 0, 0], [8, 0.9, 0.75]],
 "roc": [[0, 0], [0.25, 0.5], [1, 1]],
 "precision_recall": [[0.5, 1], [1, 0.6]]
}
END
works 'a confusion matrix' bert-plot -o confusion.svg report.json
like "$(cat confusion.svg)" '*a&lt;b &amp; c, right: 3 of 4 (75.0 %)*a&lt;b &amp; c taken for 图*: 1 of 4 (25.0 %)*' \
	'names and counts'
tr -d '\n' <report.json >line.json
works 'on one line' bert-plot -o line.svg line.json
same line.svg confusion.svg '... the same picture'
sed 's/\[2, 4\]/[2]/' report.json >ragged.json
declines 1 "bert-plot: 'ragged.json': row 2 of the confusion matrix does not have 2 numbers" 'a row that is cut' \
	bert-plot ragged.json
works 'its shares' bert-plot --normalize --title T -o shares.svg report.json
is "$(texts shares.svg | grep -c -x -E 'T|75|25|33|67')" 5 'in percent'
works 'a narrow one' bert-plot --width 60 -o narrow.svg report.json
for kind in classes reliability roc precision-recall; do
	works "$kind" bert-plot --kind $kind -o $kind.svg report.json
	works "$kind in letters" bert-plot --kind $kind --terminal -o $kind.txt report.json
done
like "$(cat classes.txt)" '*a<b & c*█*0.667*0.727*' 'bars of classes'
is "$(grep -o '<title>[0-9.]*: [0-9.]*<' reliability.svg | tr '\n' ' ')" \
	'<title>0.00: 0.50< <title>0.67: 0.75< ' 'bars of bins that have examples'
is "$(sed -n 's/.*<circle class="f1" cx="\([0-9.]*\)".*/\1/p' roc.svg | wc -l)" 1 \
	'the predictions on the ROC curve'
cat >odd.json <<'END'
{"classes": [{"label": "\u001b[31mred", "f1": 0.5, "support": 1}, {"label": "a\nb\u202e", "f1": 0.2, "support": 2}],
 "confusion": [[1, 0], [1, 1]]}
END
for kind in confusion classes; do
	works "names that would steer a terminal: $kind" bert-plot --terminal --kind $kind odd.json
	is "$(sed -n 's/ *│.*//p' out | tr '\n' ' ')" '\x1b[31mred a\nb\u202e ' 'are escaped'
done
escape=$(printf '\033[31m')
mkdir "r$escape"
sed 's/accuracy/a\\u001b[31mb/g' a/history.jsonl >"r$escape/history.jsonl"
works 'those of a run and its metric' bert-plot --terminal "r$escape" "r$escape"
is "$(grep -cF "$escape" out) $(grep -cF '\x1b[31m' out)" '0 3' 'are escaped'

for i in $(seq 0 119); do
	[ "$i" = 0 ] || printf ','
	printf '{"label": "class %d", "f1": 1}' "$i"
done >classes
for i in $(seq 0 119); do
	[ "$i" = 0 ] || printf ','
	printf '['
	for j in $(seq 0 119); do
		[ "$j" = 0 ] || printf ','
		[ "$i" = "$j" ] && printf 3 || printf $((i == j + 1 && i > 9))
	done
	printf ']'
done >rows
printf '{\n"classes": [%s],\n"confusion": [%s]}' "$(cat classes)" "$(cat rows)" >many.json
declines 1 "bert-plot: 'many.json': the report has no 'roc', which a picture of kind roc shows: it is of two classes" \
	'a curve of many classes' bert-plot --kind roc many.json
works 'many classes' bert-plot --width 1600 -o many.svg many.json
like "$(texts many.svg)" '*the 100 of 120 classes with the most errors*' 'says which are drawn'
is "$(grep -c ' taken for ' many.svg)" 99 'those with errors'
declines 1 "bert-plot: 'report.json': the report has no 'reliability', which a picture of kind reliability shows" \
	'a part that the report lacks' sh -c 'grep -v reliability report.json >less.json
		mv less.json report.json; exec bert-plot --kind reliability report.json'

printf 'text\none\ntwo words\nfour words are these\n' | csv2tfrecord -q -t text | bert-tokenize -q -m "$TEST_TOP/pipelines/data/vocab.txt" -o t.rec
works 'lengths of records' bert-plot -o lengths.svg --max-length 4 t.rec
like "$(texts lengths.svg)" '*3 records, median *4: *.* % are longer*' 'with a limit'
{
	yes 'text one' | head -n 400
	printf 'word %.0s' $(seq 90)
} | sed '1s/.*/text/' | csv2tfrecord -q -t text | bert-tokenize -q -m "$TEST_TOP/pipelines/data/vocab.txt" -o long.rec
works 'one text is much longer than others' bert-plot -o long.svg long.rec
like "$(texts long.svg)" '*400 records, *longest 92; the last bar: * of * or more*' 'it does not squeeze the others'

for f in *.svg; do
	if command -v rsvg-convert >/dev/null; then
		works "$f as PNG" rsvg-convert -o x.png "$f"
	else
		skip "$f as PNG" 'no rsvg-convert'
	fi
done
if command -v rsvg-convert >/dev/null; then
	works 'PNG' bert-plot -o a.png a
	is "$(head -c 8 a.png | od -An -tx1)" ' 89 50 4e 47 0d 0a 1a 0a' 'is PNG'
	works 'PDF' bert-plot -o a.pdf a
	is "$(head -c 5 a.pdf)" '%PDF-' 'is PDF'
else
	skip 'PNG and PDF' 'no rsvg-convert'
fi
mkdir none
bin=$(dirname "$(command -v bert-plot)")
declines 2 'bert-plot: png needs the program rsvg-convert (of librsvg), which is not installed' \
	'PNG without librsvg' env PATH="$PWD/none" "$bin/bert-plot" -o no.png a
[ ! -e no.png ]
result $? 'nothing is written'

declines 2 'bert-plot: what to draw? give FILE ...*' 'nothing to draw' bert-plot
mkfifo pipe
for file in - pipe; do
	declines 2 "bert-plot: '$file' is not a file: it is read twice, *" "'$file'" bert-plot $file
done
declines 2 "bert-plot: 'a' and 'report.json' are not of one kind*" 'files of two kinds' bert-plot a report.json
declines 2 'bert-plot: *--normalize is for a confusion matrix*' 'shares of a curve' bert-plot --kind roc --normalize report.json
declines 2 'bert-plot: --kind and --normalize are for evaluations*' 'a kind of curves' bert-plot --kind roc a
declines 2 'bert-plot: --metric and --x are for histories*' 'a metric of a report' bert-plot --x step report.json
declines 2 'bert-plot: --max-length is for lengths*' 'lengths of a run' bert-plot --max-length 3 a
declines 2 'bert-plot: give either --terminal or -o FILE.png*' 'letters as PNG' bert-plot --terminal -o x.png a
declines 2 'bert-plot: give either --terminal or -o FILE.png*' '... in capitals' bert-plot --terminal -o x.PNG a
declines 2 "bert-plot: cannot write 'x.JPG'*" 'a foreign ending in capitals' bert-plot -o x.JPG a
declines 2 "bert-plot: cannot write 'x.gif': give a name that ends in .svg, .png or .pdf*" 'an ending of another format' \
	bert-plot -o x.gif a
[ ! -e x.gif ]
result $? 'nothing is written'
echo 'id,text' >table.csv
declines 1 "bert-plot: 'table.csv' is neither the history of a training, nor *" 'a table' bert-plot table.csv
: >empty
declines 1 "bert-plot: 'empty' is empty" 'an empty file' bert-plot empty
finish
