#!/bin/sh
# SPDX-License-Identifier: MIT
# What people do wrong without any file being damaged: they are told.
# Not under thread: the threads are those of the tools' own tests
. "$TEST_TOP/tests/lib/lib.sh"
cp "$TEST_TOP"/pipelines/data/* .
csv2tfrecord -q -i id -t text -l intent library-train.csv >train.text
csv2tfrecord -q -i id -t text -l intent library-dev.csv >dev.text
for s in train dev; do
	bert-tokenize -q -m vocab.txt -o $s.rec $s.text
done

# train OPTION...: a tiny model
train() {
	bert-train --force --init-config tiny --tokenizer vocab.txt --steps 3 "$@"
}

# kept NAME COMMAND...: status 2, a message, and dev.rec as it was
kept() {
	name=$1
	shift
	misuses "*is both input and output*" "$name" "$@"
}

# An input is not overwritten.
cp library-dev.csv one.csv
cp dev.text one.text
cp dev.rec one.rec
train -q -o m dev.rec
kept 'a table' csv2tfrecord -l intent -o one.csv one.csv
kept 'rejects' csv2tfrecord -l intent --rejects one.csv -o x one.csv
kept 'text records' bert-tokenize -m vocab.txt -o ./one.text one.text
kept 'records evaluated' bert-eval -m m -o one.rec one.rec
kept 'records predicted' bert-predict -m m -o one.rec dev.rec one.rec
same one.csv library-dev.csv 'the table stands'
same one.text dev.text 'text records stand'
same one.rec dev.rec 'token records stand'

# A model is not joined with what another one left in the directory.
bert-vocab -q --size 1389 -o other train.text
cp -r m stale
rm stale/vocab.txt
cp other/vocab.txt stale
works "the same tokenizer's file from before" train -q -o stale dev.rec
bert-tokenize -q -m m --save m
works 'another form of the same tokenizer' train -q -o m dev.rec
bert-tokenize -q -m other --save stale
refuses "*'stale' has the file 'tokenizer.json' of another tokenizer*" \
	"another tokenizer's file" train -q -o stale dev.rec
cp -r m full
cp m/config.json before
(
	ulimit -f 100
	exec bert-train --force -q --init-config tiny --tokenizer vocab.txt --dropout .5 \
		--steps 3 -o full dev.rec
) >/dev/null 2>err
like "$(cat err)" "*cannot write 'full/model.safetensors'*" 'no room for the weights'
same full/config.json before 'then the configuration of the old ones stays'

# Measures.
misuses '*accuracy is at most 1*' 'a measure in percent' bert-eval -m m --min accuracy=90 dev.rec
works 'a loss above 1' bert-eval -m m --min loss=90 dev.rec
misuses '*--metric needs records to evaluate on*' 'a measure of nothing' bert-train -m m -o x --metric loss train.rec
misuses '*--metric needs records*--eval-share X (a fold has no part in the choice of its model, and has all metrics)*' 'a measure of folds' \
	bert-train -m m -o x --kfold 2 --metric loss train.rec

# warns GLOB NAME COMMAND...: status 0 and a warning
warns() {
	glob=$1 name=$2
	shift 2
	works "$name" "$@"
	like "$(cat err)" "*warning: $glob" "$name: told"
}

# The same input again.
ln dev.rec link.rec
warns "'dev.rec' is given twice: what is in it counts again*" 'trained on twice' \
	train -o m dev.rec dev.rec
warns "'link.rec' is 'dev.rec' again: *counts twice (2 of 4 inputs were there before)*" \
	'under two names, and again' bert-eval -m m dev.rec train.rec link.rec dev.rec
warns "'m/.' is 'm' again: *" 'a model with itself' bert-predict -m m -m m/. dev.rec
for tool in 'bert-tokenize -m m' 'csv2tfrecord -l intent' tfrecord-cat; do
	case $tool in
	bert*) f=dev.text ;;
	csv*) f=library-dev.csv ;;
	*) f=dev.rec ;;
	esac
	# shellcheck disable=SC2086
	warns "'$f' is given twice*" "$tool" $tool -o made $f $f
	cp $f copy
	# shellcheck disable=SC2086
	works "$tool, a copy" $tool -o made $f copy
	is "$(grep -c 'counts' err)" 0 'without a message'
done
misuses '*: standard input is given 2 times' 'standard input twice' bert-predict -m m - -
works 'nothing told of one read in training and evaluation' train -o m --eval dev.rec train.rec
is "$(grep -c 'counts' err)" 0 'without a message'

# Pairs of texts.
grep -E '^L[0-9]+,[^,"]+,[a-z_]+$' library-dev.csv | sed 's/^[^,]*,//; s/,/,truly,/' >pairs.csv
csv2tfrecord -q --no-header -t 1 --pair 2 -l 3 pairs.csv | bert-tokenize -q -m vocab.txt -o pairs.rec
train -q -o paired pairs.rec
of=$(tfrecord-cat --count pairs.rec)
warns "192 of 192 records are single texts, but the model was trained on pairs*" \
	'single texts for a model of pairs' bert-predict -m paired dev.rec
warns "$of of $((of + 192)) records are pairs of texts, and the model was trained on single*" \
	'pairs for a model of single texts' bert-eval -m m dev.rec pairs.rec
warns "192 of 192 examples for evaluation are single texts*" \
	'evaluation of others than training' train -o paired --eval dev.rec pairs.rec
train -q -o both dev.rec pairs.rec
sed 's/"texts": "single"/"pool": "pooler"/' m/config.json >c.json
cp -r m older
mv c.json older/config.json
for m in 'm dev.rec' 'paired pairs.rec' 'both dev.rec' 'both pairs.rec' 'older pairs.rec' \
	'paired --embed mean dev.rec'; do
	# shellcheck disable=SC2086
	works "nothing odd: $m" bert-predict -m $m
	is "$(grep -c 'texts' err)" 0 'without a message'
done
sed 's/"texts": "single"/"texts": "three"/' m/config.json >older/config.json
refuses "*'older/config.json': texts 'three' is not single, pairs or both" 'other texts' \
	bert-predict -m older dev.rec

# What another stage writes, or reads.
bert-predict -q -m m --format tensor -o m.ts dev.rec
printf 'Ann B-PER\n' | conll2tfrecord -q -o words.text
echo '{"id": "1", "question": "Who?", "context": "Ann", "answers": [{"text": "Ann", "answer_start": 0}]}' |
	squad2tfrecord -q -o questions.text
for tool in 'bert-train -m m -o new' 'bert-eval -m m' 'bert-predict -m m'; do
	# shellcheck disable=SC2086
	refuses '*: record 1: holds text, not tokens (run bert-tokenize first)' \
		"text records to $tool" $tool dev.text
	for text in words questions; do
		# shellcheck disable=SC2086
		refuses '*: record 1: holds text, not tokens (run bert-tokenize first)' \
			"$text to $tool" $tool $text.text
	done
	# shellcheck disable=SC2086
	refuses '*starts with text (csv2tfrecord reads tables*' "a table to $tool" \
		$tool library-dev.csv
	# shellcheck disable=SC2086
	refuses '*starts with tensors (tensor-cat reads streams of tensors*' "tensors to $tool" \
		$tool m.ts
done
refuses '*: record 1: holds tokens (input_ids), not text (*' 'token records to bert-tokenize' \
	bert-tokenize -m m dev.rec
refuses '*starts with text (*bert-tokenize --lines lines of text)' 'lines to bert-tokenize' \
	bert-tokenize -m m library-dev.csv
refuses "*'dev.text' holds records, not lines (drop --lines)" 'records as lines' \
	bert-tokenize -m m --lines dev.text
warns "each whole line of 'library-dev.csv' is a text; csv2tfrecord*" \
	'a table as lines' bert-tokenize -m m --lines -o x.rec library-dev.csv
gzip -c library-dev.csv >dev.csv.gz
warns "each whole line of 'dev.csv.gz' is a text; csv2tfrecord*" \
	'... that is compressed' bert-tokenize -m m --lines -o x.rec dev.csv.gz
refuses "*'dev.text': it is a TFRecord stream, not a table *" 'records to csv2tfrecord' \
	csv2tfrecord -o x.rec dev.text
refuses "*'dev.rec': it is a TFRecord stream, not text *" 'records to conll2tfrecord' \
	conll2tfrecord -o x.rec dev.rec
refuses "*'dev.text': it is a TFRecord stream, not JSON *" 'records to squad2tfrecord' \
	squad2tfrecord -o x.rec dev.text
refuses "*'library-dev.csv': it is neither JSON nor a table of questions: it begins with 'id,text,intent' (csv2tfrecord reads tables*" \
	'a table to squad2tfrecord' squad2tfrecord -o x.rec library-dev.csv
# words to csv2tfrecord, and what only looks like them
k=0
while read -r columns lines; do
	k=$((k + 1))
	printf '%b' "$lines" >words.$k
	refuses "*'words.$k': it holds a word and its tag in each line, * (conll2tfrecord reads *" \
		"$columns" csv2tfrecord -l label -o x.rec words.$k
	works '... and it does' conll2tfrecord -q -o x.rec words.$k
done <<-'EOF'
	blanks EU B-ORG\nrejects O\n\nPeter B-PER\n
	tabs EU\tNNP\tB-ORG\nrejects\tVBZ\tO\n\n
	tags-in-lower-case a\tO\r\nb\tI-geo\r\n
	parts-of-speech the DT\nend NN\n. .\n
	documents -DOCSTART- -X- O\n\nEU B-ORG\n
EOF
while read -r columns lines; do
	printf '%b' "$lines" >words
	misuses "*cannot find a column named 'text' in 'words'*" "$columns" \
		csv2tfrecord -l label -o x.rec words
done <<-'EOF'
	texts words class\nA GOOD FILM GOOD\n\nA BAD ONE BAD\n
	numbers words\tclass\na\t1\n\nb\t0\n
	blanks-in-texts A B\tC\nD E\tF\n
	capitals REVIEW\tLABEL\nGOOD\tPOS\nBAD\tNEG\n
	texts-behind-ids ID\tREVIEW\tLABEL\n1\tI liked it\tPOS\n2\tI did not\tNEG\n
EOF
printf 'O\tTAG\nEU\tB-ORG\n\n' >words
works 'a table of words' csv2tfrecord -q --delimiter tab -t O -o x.rec words
# questions to csv2tfrecord, and what only looks like them
qa='"paragraphs": [{"context": "x", "qas": [{"id": "a", "question": "y", "answers": []}]}]'
for json in '{"data": [{'"$qa"'}]}' '\357\273\277{"version": "2", "data":[{'"$qa"'}]}' \
	'{\n "data": [\n {'"$qa"'}\n]}\n'; do
	printf '%b' "$json" >questions.json
	refuses "*'questions.json': it holds questions in the form of SQuAD, * (squad2tfrecord reads *" \
		"$json" csv2tfrecord -o x.rec questions.json
	works '... and it does' squad2tfrecord -q -o x.rec questions.json
done
echo '{"data": [{'"$qa"'}]}' >questions.json
refuses "*'questions.json': line 1: has no key 'tokens'; its keys are 'data' (squad2tfrecord reads questions *" \
	'questions to conll2tfrecord' conll2tfrecord -o x.rec questions.json
echo '{"text": "a", "meta": {"data": ["question"]}, "data": "qas"}' >rows.json
works 'JSON Lines' csv2tfrecord -q -o x.rec rows.json
for i in 1 2; do
	echo '{"data": [{"question": "b"}], "text": "a"}'
done >rows.json
works '... that begin as questions do' csv2tfrecord -q -o x.rec rows.json
refuses "*'dev.rec': it holds records and not a stream of tensors (tfrecord-cat reads records)" 'records to tensor-cat' \
	tensor-cat dev.rec

# Tables.
cat library-dev.csv library-dev.csv >twice.csv
refuses "*'twice.csv': record 193 (line 19*): it is the header again*" 'a second header' \
	csv2tfrecord -l intent -o x twice.csv
works 'which is left out' csv2tfrecord -l intent --skip-bad -o x twice.csv
like "$(cat err)" '*384 records*1 with the header again*' 'and counted'
sed 1d library-dev.csv >bare.csv
warns "the first row of 'bare.csv'*(if that row is data, use --no-header)*" 'no header' \
	csv2tfrecord -t 2 -l 3 -o x bare.csv
warns "label 'intent' occurs only in the first row (if that row is a header*" \
	'a header that is none' csv2tfrecord -t 2 -l 3 --no-header -o x library-dev.csv
tr , ';' <library-dev.csv >semicolons.csv
warns "the only column of 'semicolons.csv' is 'id;text;intent' (use --delimiter semicolon)*" \
	'a delimiter that is another' csv2tfrecord -t 1 -o x semicolons.csv
for o in '-t 2 -l 3 --no-header bare.csv' '-t 2 -l 3 library-dev.csv' \
	'-l intent library-dev.csv'; do
	# shellcheck disable=SC2086
	works "nothing odd: $o" csv2tfrecord $o -o x
	is "$(grep -c warning err)" 0 "$o: nothing told"
done
printf 'text,y\na,Spam\nb,spam\nc, spam\nd,nan\n' >odd.csv
warns "the label ' spam' starts or ends with a blank*" 'labels' \
	csv2tfrecord -l y -o x odd.csv
like "$(cat err)" "*'Spam' and 'spam', 'Spam' and ' spam' (*--map-label*" 'alike'
like "$(cat err)" "*label 'nan' *--na drop*" 'missing'
printf 'text,y\na,1\nb,1.0\nc,2\n' >odd.csv
warns "labels that may be the same one: '1' and '1.0'*" 'numbers' \
	csv2tfrecord -l y -o x odd.csv
echo d,2.5 >>odd.csv
csv2tfrecord -l y -o x odd.csv 2>err
is "$(grep -c warning err)" 0 'numbers to predict may be written in several ways'
printf 'PAR1\0\0' >odd.csv
refuses '*it is a Parquet file, not CSV' 'a Parquet file' \
	csv2tfrecord --format csv -o x odd.csv
printf '<!DOCTYPE html><html>Log in, please\n' >odd.csv
refuses '*it is an HTML page, not CSV' 'a page' csv2tfrecord -o x odd.csv
echo 'version https://git-lfs.github.com/spec/v1' >odd.csv
for tool in csv2tfrecord conll2tfrecord 'csv2tfrecord --format jsonl' 'bert-tokenize --lines -m vocab.txt' tfrecord-cat \
	squad2tfrecord tensor-cat 'tfrecord-cat --from-json' 'bert-vocab --lines'; do
	# shellcheck disable=SC2086 # options are words
	refuses "*'odd.csv' only says where Git LFS keeps the file: git lfs pull fetches it" \
		"a pointer, $tool" $tool -o x odd.csv
done
printf '"text";"y"\n"a, b";"c"\n' >odd.csv
refuses '*text after a closing quote: are fields divided by something else?' \
	'semicolons' csv2tfrecord -o x odd.csv
printf 't\0e\0x\0t\0\n\0' >odd.csv
refuses '*a NUL byte: is it UTF-16, or no text at all? (use --encoding utf-16)' 'UTF-16 without a mark' \
	csv2tfrecord -o x odd.csv

# What is no model.
refuses '*no such directory here (bert-fetch NAME fetches a model by its name)' 'a name for a model' \
	bert-train -m bert-base-uncased -o new train.rec
mkdir lora
echo '{"peft_type": "LORA"}' >lora/adapter_config.json
: >lora/adapter_model.safetensors
refuses "*'lora/adapter_config.json' does not name the model that the adapter changes*" 'an adapter of nothing' bert-predict -m lora train.rec
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 123\n' >large.safetensors
refuses "*'large.safetensors' only says where Git LFS*" 'a pointer of Git LFS' \
	ckpt-inspect large.safetensors

# Training that cannot come to much.
warns '192 of 192 evaluation texts also occur in the training data*' 'evaluated on what is trained on' \
	train -o trained --eval dev.rec train.rec dev.rec
works 'evaluated on other texts' train -o trained --eval dev.rec train.rec
is "$(grep -c 'also occur' err)" 0 'without a message'
csv2tfrecord -q -l id library-dev.csv | bert-tokenize -q -m vocab.txt -o odd.rec
warns "192 labels for 192 training examples, 'L0004' ... *right column*" 'ids for labels' \
	train -o trained odd.rec
sed '1d; s/.*/hello,1.5\nfarewell,2\nhello again,3.25/; q' library-dev.csv |
	csv2tfrecord -q --no-header -t 1 -l 2 | bert-tokenize -q -m vocab.txt -o odd.rec
warns "the labels '1.5' ... '3.25' look like numbers*--task regression*" 'numbers for classes' \
	train -o trained odd.rec
bert-tokenize -q -m vocab.txt --max-length 3 -o odd.rec dev.text
warns 'only * of 192 training texts are distinct*' 'texts cut short' train -o trained odd.rec
bert-tokenize -q -m vocab.txt --no-special -o odd.rec dev.text
warns '192 of 192 training texts do not start with*special tokens*' 'no [CLS]' train -o trained odd.rec
warns 'warm-up takes 100 updates, but the run has only 3*' 'a long warm-up' \
	train -o trained --warmup 100 dev.rec
warns 'each update uses all 192 examples, and the run has only 3*' 'a large batch' \
	train -o trained --batch-size 1000 dev.rec
warns 'the learning rate 3 is very high*' 'a wrong exponent' \
	train -o trained --learning-rate 3 dev.rec
like "$(cat err)" '*the loss at the end (*) is higher than that of guessing without the texts (*' \
	'and nothing learnt'
works 'a run that learns' bert-train --force --init-config tiny --tokenizer vocab.txt --epochs 4 \
	--learning-rate 2e-3 -o good train.rec
is "$(grep -c warning err)" 0 'without a message'
finish
