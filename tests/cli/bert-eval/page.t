#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-eval --html: a page that needs nothing else.
# Not under thread: the threads are those of cli/bert-eval/report
. "$TEST_TOP/tests/lib/lib.sh"

# What a row of records predicts, so that no model is needed
cat >texts.csv <<'END'
id,text,label
1,"<script>alert(1)</script> & more",no
2,نص بالعربية,yes
3,third,yes
4,fourth,no
END
csv2tfrecord -q -i id -t text -l label texts.csv | bert-tokenize -q -m "$TEST_TOP/pipelines/data/vocab.txt" -o texts.rec
printf 'id,no,yes\n1,0.9,0.1\n2,0.2,0.8\n3,0.6,0.4\n4,0.7,0.3\n' >p.csv
works 'a page of predictions' bert-eval -q --predictions p.csv --html page.html -o report texts.rec
like "$(cat page.html)" '<!doctype html>*<h1 dir="auto">Evaluation of p.csv</h1>*bert-eval -q --predictions p.csv --html page.html -o report texts.rec*0.7500*accuracy*' \
	'title, command and figures'
is "$(grep -c '</svg>' page.html)" 5 'matrix, classes, reliability, ROC and precision-recall'
is "$(grep -cE '(src|href)=|<script|@import|url\(' page.html)" 0 'needs nothing else'
like "$(cat report)" '*accuracy*' 'beside the report'
works 'as JSON, too' bert-eval -q --predictions p.csv --html page2.html --json -o report.json texts.rec
like "$(tr -d '\n ' <report.json)" \
	'*"reliability":\[\[0,0.0,0.0],*"roc":\[\[0.0,0.0],\[0.0,0.5],\[0.0,1.0],\[0.5,1.0],\[1.0,1.0]],"precision_recall":\[\[0.5,1.0],\[1.0,1.0],\[1.0,0.666666667],\[1.0,0.5]]*' \
	'with the points of the pictures'
bert-train -q --init-config tiny --tokenizer "$TEST_TOP/pipelines/data/vocab.txt" --epochs 1 -o model texts.rec
works 'a page of a model' bert-eval -q -m model --errors 4 --by id --compare model --html m.html -o report texts.rec
like "$(cat m.html)" '*By id*Largest losses*<div dir="auto">*Comparison*All metrics*' 'groups, errors, comparison'
is "$(grep -c '<script' m.html)" 0 'texts are not markup'
works 'the same page' sh -c 'bert-eval -q -m model --errors 4 --by id --compare model --html m.html -o report texts.rec &&
	cp m.html m1.html && bert-eval -q -m model --errors 4 --by id --compare model --html m.html -o report texts.rec &&
	cmp m.html m1.html'
# what the page is of: the same records, in whichever way they come
data() { sed -n 's/.*<p class="dim">\(Data: .*\)<\/p>/\1/p' "$1"; }
like "$(data m.html)" 'Data: 4 records, CRC-32C ????????; tokenizer ????????' 'records, their checksum, the tokenizer'
data m.html >wanted
bert-eval -q -m model --html pipe.html -o report <texts.rec
data pipe.html >got
same got wanted 'the same from a pipe'
gzip -k texts.rec
bert-eval -q -m model --threads 3 --html gz.html -o report texts.rec.gz
data gz.html >got
same got wanted 'compressed, with several threads'
tfrecord-cat -q --head 2 -o first.rec texts.rec && tfrecord-cat -q --tail 2 -o rest.rec texts.rec
bert-eval -q -m model --html parts.html -o report first.rec rest.rec
data parts.html >got
same got wanted 'in two files'
bert-eval -q -m model --html parts.html -o report rest.rec first.rec
differ() { ! cmp -s got wanted; }
data parts.html >got
works 'another order is another sum' differ
is "$(data page.html)" "$(sed 's/; tokenizer.*//' wanted)" 'of predictions, too'
bert-train -q --init-config tiny --tokenizer "$TEST_TOP/pipelines/data/vocab.txt" --epochs 1 --eval first.rec -o card texts.rec
sum=$(sed 's/.*CRC-32C \([0-9a-f]*\).*/\1/' wanted)
like "$(cat card/README.md)" "*| training | texts.rec | 4 | * | $sum |*| evaluation | first.rec | 2 |*" 'the model card has it'
# more records than a block of the stream has
awk 'BEGIN { print "text,label"; for (i = 0; i < 9000; i++) print "t" i % 7 "," (i % 2 ? "yes" : "no") }' |
	csv2tfrecord -q -t text -l label | bert-tokenize -q -m model -o many.rec
tfrecord-cat -q many.rec | bert-eval -q -m model --threads 1 --html one.html -o report
bert-eval -q -m model --threads 4 --html four.html -o report many.rec
data one.html >wanted
data four.html >got
like "$(cat wanted)" 'Data: 9000 records, *' 'many records'
same got wanted 'the same with any number of threads'
bert-train -q --init-config tiny --tokenizer model --epochs 1 --eval many.rec -o card2 texts.rec
like "$(cat card2/README.md)" "*| evaluation | many.rec | 9000 | * | $(sed 's/.*CRC-32C \([0-9a-f]*\).*/\1/' wanted) |*" \
	'and as the card has it'
# texts that are known: equal ones, and one that differs by a letter
cat >known.csv <<'END'
text,label
third,yes
the library opens at nine in the morning on working days,no
END
cat >new.csv <<'END'
text,label
THIRD,yes
the library opens at nine in the mornings on working days,no
<i>something else that nobody has said,yes
<i>something else that nobody has said,yes
END
for f in known new; do
	csv2tfrecord -q -t text -l label $f.csv |
		bert-tokenize -q -m "$TEST_TOP/pipelines/data/vocab.txt" -o $f.rec
done
works '--leak' bert-eval -q -m model --leak known.rec --html leaks.html -o leaks new.rec
like "$(tail -n 1 leaks)" "texts that may be known: of 4, 1 are in 'known.rec', 1 similar to one there, 1 repeated" \
	'... counts texts'
like "$(tr '\n' ' ' <leaks.html)" '*Texts that may be known*<code>known.rec</code>: of 4 texts, 1 are there, 1 are similar to one there, 1 repeat one of*>third</div>*>1</td><td class="n">1.0000<*mornings on*>the library opens*>2</td><td class="n">0.8*' \
	'... and shows them, the most similar first'
is "$(grep -c 'nobody' leaks.html)" 0 '... and no others'
works '... as JSON' bert-eval -q -m model --leak known.rec --json -o leaks.json new.rec
like "$(tr -d ' \n' <leaks.json)" '*"leaks":{"file":"known.rec","texts":4,"equal":1,"similar":1,"repeated":1,"pairs":\[{"similarity":1.0,"record":1,"text":"third","other":"third"},*' \
	'... too'
tfrecord-cat -q -o twice.rec new.rec new.rec
bert-eval -q -m model --leak known.rec twice.rec >out
like "$(tail -n 1 out)" "texts that may be known: of 8, 2 are in 'known.rec', 2 similar to one there, 5 repeated" \
	'... each time that they occur'
name=$(printf 'n\377.rec')
cp known.rec "$name"
works '... of a file whose name is not UTF-8' bert-eval -q -m model --leak "$name" --html n.html --json -o n.json new.rec
declines 1 "bert-eval: 'new.csv' is not a TFRecord stream*" '... of what is not records' bert-eval -q -m model --leak new.csv new.rec
declines 1 "bert-eval: cannot open 'nosuch': *" '... of a file that is not there' bert-eval -q -m model --leak nosuch new.rec
declines 2 '*need a model: give -m DIR*' '... without a model' bert-eval --predictions p.csv --leak known.rec texts.rec
declines 2 '*is both input and output*' '... into its file' bert-eval -q -m model --leak known.rec -o known.rec new.rec

# labels that look wrong, of the texts that records kept
awk 'BEGIN { print "id,text,label"; for (i = 0; i < 30; i++)
	print i ",<b>" (i % 2 ? "cats" : "cars") " " i "," (i % 2 || i == 4 ? "pet" : "vehicle") }' >pets.csv
csv2tfrecord -q -i id -t text -l label pets.csv |
	bert-tokenize -q --keep-text -m "$TEST_TOP/pipelines/data/vocab.txt" -o pets.rec
awk 'BEGIN { print "id,pet,vehicle"; for (i = 0; i < 30; i++)
	print i (i % 2 ? ",0.9,0.1" : ",0.2,0.8") }' >pets-p.csv
works 'a page of label issues' bert-eval -q --predictions pets-p.csv --label-issues issues.csv \
	--html issues.html -o report pets.rec
is "$(wc -l <issues.csv)" 2 '... of which there is one'
like "$(tr '\n' ' ' <issues.html)" '*Labels that look wrong*1 of 30 labels, *&lt;b&gt;cars 4</div>*>4</div>*>pet<*>vehicle<*0.2000*0.8000*All metrics*' \
	'... with its text, labels and probabilities'
is "$(grep -c 'Labels that look wrong' page.html)" 0 '... only where they are asked for'
like "$(tail -n 4 issues.html)" "*<p class=\"dim\">$(bert-eval --version | head -n 1)</p>*" 'the version that made it'
declines 2 'bert-eval: --html needs a file other than the others*' 'the report'\''s file' \
	bert-eval -m model --html x -o x texts.rec
declines 2 'bert-eval: --html needs a file other than the others*' 'standard output' bert-eval -m model --html - texts.rec
declines 2 '*is both input and output*' 'a file that is read' bert-eval -m model --html texts.rec texts.rec
declines 1 "*no/page.html*" 'a directory that is not there' bert-eval -q -m model --html no/page.html -o r2 texts.rec
[ ! -e r2 ]
result $? 'nothing is written'
finish
