#!/bin/sh
# SPDX-License-Identifier: MIT
# A classifier of entailment (NLI) chooses among candidates for the label of a text.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/families.sh"
cp "$TEST_TOP"/pipelines/data/vocab.txt .
family_config bert >bert.json

# what is named is entailed
awk 'BEGIN { n = split("cafe books card wifi park fine", w, " "); print "a,b,label"
	for (i = 0; i < 216; i++) { x = w[i % n + 1]; y = i % 5 < 2 ? x : w[int(i / n) % n + 1]
		print x ",the " y "," (x == y ? "Entailment" : i % 2 ? "contradiction" : "neutral") } }' >nli.csv
csv2tfrecord -q -t a --pair b -l label nli.csv | bert-tokenize -q -m vocab.txt -o nli.rec
works 'a model of entailment' bert-train -q --init-config bert.json --tokenizer vocab.txt --epochs 60 --batch-size 8 \
	--learning-rate 3e-3 --dropout 0 --dtype f32 -o nli nli.rec
names=cafe,books,card,wifi,park,fine
awk -v names=$names 'BEGIN { n = split(names, w, ","); print "id,text,kind"
	for (i = 0; i < 18; i++) print "t" i "," w[i % n + 1] "," w[i % n + 1] }' >text.csv
csv2tfrecord -q -i id -l kind --candidates $names --template 'the {}' text.csv |
	bert-tokenize -q -m nli -o text.rec
bert-predict -m nli --proba --dtype f32 -o p.csv text.rec 2>err
like "$(cat err)" "*'nli' chooses by its logit of the class 'Entailment'*18 predictions in *" 'texts are predicted, not choices'
is "$(head -n 1 p.csv)" "id,label,$names" 'among the candidates'
bert-eval -q -m nli -o report text.rec
like "$(cat report)" 'accuracy 1.0000  MAP@3 1.0000  loss 0.*  (18 questions)' 'and are right'

# as by hand: the softmax of the logits of entailment
awk -F, -v names=$names 'NR == 1 { n = split(names, w, ","); print "a,b"; next }
	{ for (k = 1; k <= n; k++) print $2 ",the " w[k] }' text.csv |
	csv2tfrecord -q -t a --pair b | bert-tokenize -q -m nli | bert-predict -q -m nli --dtype f32 --format tensor |
	tensor-cat -q --csv -o pairs.csv
cp pairs.csv logits.csv
is "$(head -n 1 logits.csv)" id,Entailment,contradiction,neutral 'the first class of three'
awk -F, 'NR == FNR { if (FNR > 1) e[n++] = exp($2); next } FNR > 1 { s = 0
	for (k = 0; k < 6; k++) s += e[6 * (FNR - 2) + k]
	for (k = 0; k < 6; k++) { d = e[6 * (FNR - 2) + k] / s - $(k + 3); if (d * d > 1e-12) print }
	all++ } END { if (all != 18) print all }' logits.csv p.csv >off
is "$(cat off)" '' 'its probabilities are those'

# another place of the class, further models, other ways to compute and to read
sed 's/Entailment/x-Entailment/' nli.csv >other.csv
csv2tfrecord -q -t a --pair b -l label other.csv | bert-tokenize -q -m vocab.txt -o other.rec
works 'another' bert-train -q --init-config bert.json --tokenizer vocab.txt --steps 20 --learning-rate 3e-3 --seed 2 \
	-o other --labels neutral,contradiction,x-Entailment other.rec
refuses "*'text.rec': record 1: holds a choice of a question, but the model learns to choose one class (train with --task multiple-choice, or take a classifier that has a class whose name begins with 'entail')*" \
	'no class begins so' bert-predict -q -m other -o x text.rec
refuses '*holds a choice of a question, but the model learns to choose one class (*entail*' 'nor to evaluate' bert-eval -q -m other text.rec
sed 's/x-Entailment/entailed/' other/config.json >config
cp config other/config.json
works 'a class at the end' bert-predict -q -m other --dtype f32 --proba -o last.csv text.rec
awk -F, -v names=$names 'NR > 1 { for (k = 1; k <= split(names, w, ","); k++) print $2 "\t" "the " w[k] }' text.csv |
	csv2tfrecord -q --no-header --delimiter tab -t 1 --pair 2 | bert-tokenize -q -m other |
	bert-predict -q -m other --dtype f32 --format tensor | tensor-cat -q --csv -o logits.csv
awk -F, 'NR == FNR { if (FNR > 1) e[n++] = exp($4); next } FNR > 1 { s = 0
	for (k = 0; k < 6; k++) s += e[6 * (FNR - 2) + k]
	for (k = 0; k < 6; k++) { d = e[6 * (FNR - 2) + k] / s - $(k + 3); if (d * d > 1e-12) print } }' logits.csv last.csv >off
is "$(head -n 1 logits.csv) $(cat off)" 'id,neutral,contradiction,entailed ' 'is found there'
works 'two models' bert-predict -q -m nli -m other -o two.csv text.rec
is "$(wc -l <two.csv | tr -d ' ')" 19 'answer together'
works 'int8' bert-predict -q -m nli --dtype int8 -o int8.csv text.rec
is "$(cut -d , -f 2 int8.csv)" "$(cut -d , -f 2 p.csv)" 'predicts the same'
bert-predict -q -m nli --dtype f32 --proba -o pipe.csv <text.rec
same pipe.csv p.csv 'from a pipe'
works 'counted' bert-predict -q -m nli --expect 108 -o p2.csv text.rec
refuses '*expected 109 records, found 108*' '... wrongly' bert-predict -q -m nli --expect 109 -o x text.rec
: >none
refuses "*'none'*" 'no records' bert-predict -q -m nli -o x none
refuses '*missing*' 'no file' bert-predict -q -m nli -o x missing
bert-predict -q -m nli --summary s.json -o x.csv text.rec
like "$(tr -d ' \n' <s.json)" '*"examples":18,*' 'the summary counts texts'

# it stays a classifier, too
bert-predict -q -m nli nli.rec | cut -d , -f 2 | sed '1d; s/neutral/contradiction/' >ours
sed '1d; s/.*,//; s/neutral/contradiction/' nli.csv >wanted
same ours wanted 'pairs have classes'
cat nli.rec text.rec >mixed.rec
refuses "*'mixed.rec': record 217: holds a choice *" 'choices behind pairs' bert-predict -q -m nli -o x mixed.rec
cat text.rec nli.rec >mixed.rec
refuses "*'mixed.rec': record 109: *the record is not one of the choices of a question*" 'pairs behind choices' \
	bert-predict -q -m nli -o x mixed.rec
refuses '*record 1: holds a choice of a question, but the model learns to choose one class (train with --task multiple-choice)' \
	'it is not trained on choices' bert-train -q -m nli --steps 1 -o x text.rec
works 'but as a model that chooses' bert-train -q -m nli --task multiple-choice --steps 1 -o chooses text.rec

# each label by itself: the softmax of entailment and contradiction, as transformers has it
works 'each label by itself' bert-predict -m nli --threshold .6 --proba --dtype f32 -o each.csv text.rec
like "$(cat err)" "*'nli' tells which labels a text has by its logits of the classes 'Entailment' and 'contradiction'*" \
	'... as a message says'
rm -rf unnamed
cp -r nli unnamed
sed 's/contradiction/other/' nli/config.json >unnamed/config.json
bert-predict -m unnamed --threshold .6 text.rec 2>&1 >x.csv | grep -q "classes 'Entailment' and 'neutral'"
result $? '... also which class was taken where none is named so'
awk -F, -v names=$names 'BEGIN { n = split(names, w, ","); print "id,label," names }
	FNR > 1 { p[i++] = 1 / (1 + exp($3 - $2)) }
	END { for (t = 0; t < i / n; t++) { s = ps = ""; for (k = 0; k < n; k++) { x = p[t * n + k]
		if (x >= .6) s = s (s == "" ? "" : " ") w[k + 1]
		ps = ps sprintf(",%.3f", x) } print "t" t "," s ps } }' pairs.csv >wanted
awk 'BEGIN { FS = OFS = "," } NR > 1 { for (k = 3; k <= NF; k++) $k = sprintf("%.3f", $k) } { print }' each.csv >ours
same ours wanted 'its probabilities are those, and its labels the probable ones'
bert-predict -q -m nli --threshold .6 --dtype f32 --label-separator '|' -o other.csv text.rec
is "$(tr '|' ' ' <other.csv)" "$(cut -d , -f -2 each.csv)" 'another separator'
bert-predict -q -m nli --threshold .6 --dtype f32 --proba -o each.jsonl text.rec
awk -F, 'NR > 1 { n = split($2, w, " "); s = ""; for (k = 1; k <= n; k++) s = s (k > 1 ? ", " : "") "\"" w[k] "\""
	print "{\"id\": \"" $1 "\", \"labels\": [" s "], \"probabilities\": {" }' each.csv >wanted
sed 's/\(probabilities": {\).*/\1/' each.jsonl >ours
same ours wanted 'as JSON Lines, lists'
works 'what no text reaches' bert-predict -m nli --threshold 1 -o none.csv text.rec
like "$(cat err)" '*no label: 18 of 18 texts*' '... is counted'
is "$(sed -n 2p none.csv)" t0, '... and leaves the field empty'
works 'two models' bert-predict -q -m nli -m nli --threshold .6 --dtype f32 --proba -o two.csv text.rec
same two.csv each.csv 'of the same kind answer alike'
sed 's/cafe/the cafe/; s/name/name/' text.csv | csv2tfrecord -q --candidates 'the cafe,card' - |
	bert-tokenize -q -m nli -o blank.rec
refuses "*the label 'the cafe' contains ' ', which separates labels*--label-separator*" 'a blank in a label' \
	bert-predict -q -m nli --threshold .5 -o x text.rec blank.rec
misuses '*where each label counts by itself, of the other options for labels --proba, *' 'the likeliest of them' \
	bert-predict -q -m nli --threshold .5 --top 2 text.rec
misuses "*threshold '1.5' is not a number from 1e-9 to 1*" 'no probability' \
	bert-predict -q -m nli --threshold 1.5 text.rec
misuses '*the model chooses an answer: of the options for labels*' 'a threshold for a model that was trained to choose' \
	bert-predict -q -m chooses --threshold .2 text.rec
misuses '*--windows joins what is predicted of whole texts*' 'windows' \
	bert-predict -q -m nli --windows each text.rec
misuses '*what is explained is why a text has a class, a label or a number*' 'an explanation' \
	bert-predict -q -m nli --explain text.rec
works 'embeddings of choices' bert-predict -q -m nli --embed mean -o x.npy text.rec

# a question is answered while the next one is awaited
mkfifo texts
csv2tfrecord -q --candidates cafe,card texts | bert-tokenize -q -m nli | bert-predict -q -m nli >answers &
exec 3>texts
printf 'text\ncafe\n' >&3
has_lines() { [ "$(wc -l <"$2")" = "$1" ]; }
wait_for has_lines 2 answers
is "$(sed -n 2p answers | cut -d , -f 1)" 0 'the first text is answered before the next one'
echo card >&3
wait_for has_lines 3 answers
is "$(wc -l <answers | tr -d ' ')" 3 '... and so is that'
exec 3>&-
wait $!
finish
