#!/bin/sh
# SPDX-License-Identifier: MIT
# Several numbers to predict of each text: records, training, measures,
# predictions, submissions, what is refused.
# Not under thread: the threads are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
vocab=$TEST_TOP/pipelines/data/vocab.txt
table() { # ROWS SEED
	awk -v n="$1" -v seed="$2" 'BEGIN {
		srand(seed)
		print "id,text,length,books,mean score"
		for (i = 1; i <= n; i++) {
			k = int(rand() * 5); b = int(rand() * 5)
			text = "the library"
			for (j = 0; j < k; j++) text = text " is open"
			for (j = 0; j < b; j++) text = text " and my book"
			print "r" i "," text "," k / 2 "," b "," (k + b) / 4 - 1
		}
	}'
}
table 128 1 >train.csv
table 40 2 >dev.csv
for f in train dev; do
	csv2tfrecord -q -i id -l 'length,books,mean score' --label-type float $f.csv |
		bert-tokenize -q -m "$vocab" -o $f.rec
done
train() { # OUT [OPTION ...]
	dir=$1
	shift
	bert-train --init-config tiny --tokenizer "$vocab" --learning-rate 2e-3 --dropout 0 \
		--batch-size 16 --task regression -o "$dir" "$@"
}

printf 'text,a,b\nx,1.5,-2\n' >two.csv
is "$(csv2tfrecord -q -l a,b --label-type float two.csv | tfrecord-cat -q --json)" \
	'{"label_ids": [1.5, -2.0], "label_names": ["a", "b"], "text_a": "x"}' \
	'a record has the numbers and their names'
like "$(tfrecord-cat -q --json --head 1 dev.rec)" \
	'*"label_ids": [[]*.*, *, *], "label_names": [[]"length", "books", "mean score"]*' \
	'so have tokens'

works 'it trains' train m --epochs 10 --metric mcrmse --eval dev.rec train.rec
like "$(cat err)" '*numbers from -1 to 4, several a text*epoch 10: *evaluation loss *, mcrmse *' \
	'and tells the measures'
like "$(tr -d ' \n' <m/config.json)" \
	'*"problem_type":"regression"*"id2label":{"0":"length","1":"books","2":"meanscore"}*' \
	'the configuration says so'
bert-eval -q -m m -o report dev.rec
like "$(cat report)" 'number *mse *rmse *
length *
books *
mean score *
mean *
mean columnwise root mean squared error * (40 examples)' 'the report'
exits 0 '--min holds' bert-eval -q -m m --min mcrmse=.9 --min pearson=.5 dev.rec
exits 1 '--min fails' bert-eval -q -m m --min rmse=.0001 dev.rec
bert-eval -q -m m --json -o report.json dev.rec
bert-predict -q -m m -o p.csv dev.rec
is "$(head -n 1 p.csv)" 'id,length,books,mean score' 'a column for each'
paste -d, dev.csv p.csv | awk -F, 'NR > 1 {
	for (k = 0; k < 3; k++) { d = $(3 + k) - $(7 + k); s[k] += d * d }
} END { n = NR - 1
	printf "%.5f %.5f", (s[0] + s[1] + s[2]) / 3 / n,
		(sqrt(s[0] / n) + sqrt(s[1] / n) + sqrt(s[2] / n)) / 3 }' >want
number() { sed -n "s/^ *\"$1\": \([-0-9.e]*\),*/\1/p" report.json | head -n 1; }
is "$(printf '%.5f %.5f' "$(number mse)" "$(number rmse)")" "$(cat want)" 'measures are right'

# threads, resumed, going on
train one -q -j1 --epochs 2 --eval dev.rec train.rec
train half -q -j3 --epochs 2 --eval dev.rec --save-steps 5 --max-minutes 1e-5 train.rec 2>err
until train half -q --epochs 2 --eval dev.rec --save-steps 5 --resume train.rec; do :; done
same half/model.safetensors one/model.safetensors 'resumed, with other threads'
works 'it is trained on' bert-train -m m -o more --steps 1 train.rec
is "$(grep -c 'newly initialized' err)" 0 'with its last layer'

# forms
like "$(bert-predict -q -m m --format jsonl dev.rec | head -n 1)" \
	'{"id": "r1", "values": {"length": *, "books": *, "mean score": *}}' 'JSON Lines'
is "$(bert-predict -q -m m --format tsv dev.rec | head -n 1 | awk '{ print NF }')" 3 'tsv'
is "$(bert-predict -q -m m --header a,b,c,d dev.rec | head -n 1)" a,b,c,d 'a header'
misuses "*the header 'a,b' names 2 columns, and there are an id and 3 numbers" \
	'another number of columns' bert-predict -m m --header a,b dev.rec
{ echo 'id,mean score,length,books'; sed '1d; s/,.*/,3,3,3/' dev.csv | sort -r; } >sample.csv
bert-predict -q -m m --sample sample.csv -o s.csv dev.rec
awk -F, -v OFS=, 'NR > 1 { print $1, $4, $2, $3 }' p.csv | sort -r >want
is "$(sed 1d s.csv)" "$(cat want)" 'a submission has each number in its column'
sed '1s/books/tomes/' sample.csv >odd.csv
refuses "*column 'tomes': not among the model's 3 numbers; without a column: 'books' (*" \
	'a column of another name' bert-predict -m m --sample odd.csv dev.rec
works '--map-label renames it' bert-predict -q -m m --map-label books=tomes --sample odd.csv dev.rec
bert-predict -q -m m -m m -o twice.csv dev.rec
same twice.csv p.csv 'a model and itself predict their mean'
for d in bf16 int8; do
	bert-predict -q -m m --dtype $d -o d.csv dev.rec
	is "$(paste -d, p.csv d.csv | awk -F, 'NR > 1 { for (k = 2; k <= 4; k++) {
		d = $k - $(k + 4); if (d > .1 || d < -.1) bad++ } } END { print bad + 0 }')" \
		0 "$d predicts nearly the same"
done

# columns in another order are found by name
csv2tfrecord -q -l 'books,mean score,length' --label-type float dev.csv |
	bert-tokenize -q -m m -o turned.rec
is "$(bert-eval -q -m m turned.rec)" "$(cat report)" 'columns in another order'

# what is refused
csv2tfrecord -q -l length,books --label-type float dev.csv | bert-tokenize -q -m m -o two.rec
bert-train -q --init-config tiny --tokenizer "$vocab" --task regression --steps 1 -o two two.rec
refuses "*'two' has 2 numbers, the first model 3" 'not as many numbers' \
	bert-eval -m m --compare two dev.rec
sed 's/books/tomes/' m/config.json >config.json
cp -r m renamed
mv config.json renamed
refuses "*'renamed' does not know the first model's number 'books'" 'another number' \
	bert-predict -m m -m renamed dev.rec
csv2tfrecord -q -l length,books --label-type float dev.csv | bert-tokenize -q -m m -o few.rec
refuses "*record 1: its label_names lack 'mean score', unlike*" 'a column less' bert-eval -m m few.rec
refuses '*has several numbers to predict, but the model is single-label (train with --task regression)' \
	'numbers for a classifier' bert-train --init-config tiny --tokenizer "$vocab" -o x train.rec
refuses "*label_ids holds * for 'length', expected 0 or 1" \
	'numbers for labels' bert-train --init-config tiny --tokenizer "$vocab" --task multilabel -o x train.rec
for v in nan inf x '' 1e40; do
	printf 'text,a,b\nx,1,%s\n' "$v" >bad.csv
	refuses "*record 1 (line 2): 'b' is '$v', expected a number*" "the number '$v'" \
		csv2tfrecord -l a,b --label-type float bad.csv
	refuses "*record 1 (line 2): *" '... alone' csv2tfrecord -l b --label-type float bad.csv
done
exits 2 'no names for them' csv2tfrecord -l a,b --label-type float --map-label a=c bad.csv
exits 2 'without a column' csv2tfrecord --label-type float bad.csv
printf '%s\n' '{"input_ids": [2, 5, 3], "label_ids": [1.5, 2.5]}' '{"input_ids": [2, 5, 3], "label_ids": 1.5}' |
	tfrecord-cat -q --from-json -o uneven.rec
refuses '*record 2: label_ids holds 1 number, expected 2' 'fewer numbers' train x uneven.rec

if compares 'transformers, PyTorch and scikit-learn'; then
	peer=$TEST_TOP/tests/fixtures/targets-peer.py
	bert-train -q -m one -o step --optimizer sgd --momentum 0 --learning-rate 1 \
		--weight-decay 0 --clip 0 --dropout 0 --schedule constant --warmup 0 \
		--batch-size 40 --steps 1 --dtype f32 dev.rec
	tfrecord-cat -q --json -o dev.json dev.rec
	bert-predict -q -m one --dtype f32 -o one.csv dev.rec
	bert-eval -q -m one --dtype f32 --json -o one.json dev.rec
	works "numbers, loss, measures and gradients are transformers' and PyTorch's" \
		"$PEER_PYTHON" "$peer" check one step dev.json one.csv one.json
fi
finish
