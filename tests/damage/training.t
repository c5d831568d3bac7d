#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train, bert-eval and bert-predict on input that is not as it should be,
# and on outputs that cannot be written.
# Not under thread: the threads are those of the tools' own tests
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
small_train m -q

csv() { # NAME ROWS [OPTION ...]: makes NAME.rec
	name=$1
	printf 'text,y\n%b' "$2" >"$name.csv"
	shift 2
	csv2tfrecord -q -t text "$@" "$name.csv" |
		bert-tokenize -q -m vocab.txt -o "$name.rec"
}
csv one 'a,x\nb,x\n' -l y
csv none 'a,x\nb,y\n'
csv unknown 'a,parking\nb,mars\n' -l y

refuses '*same label*' 'one class only' bert-train -m m -o x one.rec
refuses '*no training record has a label*' 'no labels' bert-train -m m -o x none.rec
cat train.rec none.rec >some.rec
printf 'text,y,w\na,x,0\nb,y,0\n' | csv2tfrecord -q -t text -l y --weight w |
	bert-tokenize -q -m vocab.txt -o weightless.rec
refuses '*all 2 training records have the weight 0*' 'weights that are all 0' \
	bert-train -m m -o x weightless.rec
refuses '*2 of 181*no label*' 'some without a label' bert-train -m m -o x some.rec
refuses "*'unknown.rec'*record 2*'mars' is not one of*" 'an unknown label to evaluate on' \
	bert-train -m m -o x --eval unknown.rec train.rec
refuses "*'unknown.rec'*record 2*'mars' is not one of*" 'and for bert-eval' bert-eval -m m unknown.rec
refuses '*no record has a label*' 'nothing to measure' bert-eval -m m none.rec
: >empty
refuses '*holds no records*' 'empty input to bert-train' bert-train -m m -o x empty
refuses '*holds no records*' 'empty input to bert-eval' bert-eval -m m empty
refuses '*holds no records*' 'empty input to bert-predict' bert-predict -m m -o p empty
refuses '*holds no records*' 'empty standard input' bert-predict -m m </dev/null
refuses "*cannot open 'nosuch'*" 'a missing file' bert-predict -m m nosuch
refuses '*text, not tokens*' 'text to bert-eval' bert-eval -m m dev.text.rec
refuses '*starts with text*' 'a table to bert-predict' bert-predict -m m train.csv

# Records of another tokenizer.
sed 's/^the$/unheard-of/' vocab.txt >vocab2.txt
bert-tokenize -q -m vocab2.txt -o other.rec dev.text.rec
refuses '*tokenized with another vocabulary*' 'tokens of another vocabulary' \
	bert-eval -m m other.rec
cut -c1-12 m/config.json >/dev/null
mkdir small
cp m/* small
sed 's/"vocab_size": [0-9]*/"vocab_size": 100/' m/config.json >small/config.json
refuses '*vocabulary*100*' 'a vocabulary larger than the model' \
	bert-tokenize -m small dev.text.rec -o t.rec

# Weights that do not fit.
sed 's/"hidden_size": 64/"hidden_size": 32/' m/config.json >small/config.json
refuses "*tensor 'bert.*has shape \[*the configuration asks for \[*" \
	'sizes that differ from the weights' bert-predict -m small dev.rec
sed 's/"num_hidden_layers": 1/"num_hidden_layers": 2/' m/config.json >small/config.json
refuses "*has no tensor 'bert.encoder.layer.1.*" 'a layer too many' \
	bert-predict -m small dev.rec
cp m/config.json small/config.json
for damage in truncate header garbage; do
	cp m/model.safetensors small/model.safetensors
	case $damage in
	truncate) truncate -s -100 small/model.safetensors ;;
	header) printf '\377\377\377\377' |
		dd of=small/model.safetensors conv=notrunc 2>/dev/null ;;
	garbage) head -c 1000 /dev/urandom >small/model.safetensors ;;
	esac
	refuses '*model.safetensors*' "weights: $damage" bert-predict -m small dev.rec
done
# four bytes at the end are a float of the last tensor: make it a NaN
cp m/model.safetensors small/model.safetensors
size=$(wc -c <small/model.safetensors)
printf '\000\000\300\177' |
	dd of=small/model.safetensors bs=1 seek=$((size - 4)) conv=notrunc 2>/dev/null
refuses "*tensor '*' holds a NaN*" 'a NaN among the weights' bert-predict -m small dev.rec
printf '{"model_type": "bert", "hidden_size": }' >small/config.json
refuses '*config.json*not valid JSON: line 1*' 'a broken configuration' \
	bert-predict -m small dev.rec
printf '{"model_type": "llama"}' >small/config.json
refuses "*'llama' is not supported*" 'another family' bert-predict -m small dev.rec
printf '{"model_type": "bert", "hidden_size": 100, "num_attention_heads": 3}' \
	>small/config.json
refuses '*not a multiple*' 'heads that do not divide' bert-predict -m small dev.rec
rm small/config.json
cp "$TEST_TOP/pipelines/data/vocab.txt" small
refuses '*weights of the family bert and no configuration*' 'no configuration' bert-predict -m small dev.rec

# Not a trained classifier.
mkdir plain
cp m/* plain
sed 's/"id2label"/"unused"/' m/config.json >plain/config.json
refuses "*'plain': tensor 'classifier.weight' has shape \[4, 64\], the configuration asks for \[2, 64\]*" \
	'no names, which means two classes' bert-predict -m plain dev.rec

# A diverged run: says where, and keeps the last good model.
cp m/model.safetensors before
small_train m -q --learning-rate 10 --warmup 0 --clip 0 --epochs 30 --dtype f32 >out 2>err
status=$?
if [ $status = 1 ]; then
	like "$(cat err)" '*not finite at step *epoch *diverged*' 'says at which step'
else
	# a model this small may survive: then it must at least have ended well
	is $status 0 'a huge learning rate ends in one of two ways'
fi
small_train new -q --learning-rate 10 --weight-decay 1 --warmup 0 --clip 0 \
	--steps 200 >out 2>err
[ -e new/model.safetensors ] || grep -q 'no model was written' err
result $? 'a run that diverges in its first epoch leaves no model'

# Outputs that cannot be written.
if [ "$(id -u)" = 0 ]; then
	skip 'a directory that cannot be written' 'root writes everywhere'
else
	mkdir locked
	chmod 500 locked
	refuses "*cannot write to 'locked'*" 'a directory that cannot be written' \
		bert-train -m m -o locked train.rec
fi
refuses "*cannot create 'no/such/dir'*" 'a directory that cannot be made' \
	bert-train -m m -o no/such/dir train.rec
refuses "*'vocab.txt' is not a directory*" 'a file in its place' \
	bert-train -m m -o vocab.txt train.rec
refuses "*cannot write '/dev/full': No space left*" 'a full disk' bert-predict -q -m m -o /dev/full dev.rec
bert-predict -q -m m dev.rec >/dev/full 2>err
is $? 1 'a full standard output'
bert-eval -q -m m dev.rec >/dev/full 2>err
is $? 1 'also of bert-eval'
{ bert-predict -q -m m train.rec; echo $? >status; } | :
case $(cat status) in
141 | 0 | 1) result 0 'a closed pipe ends it quietly' ;;
*) result 1 "a closed pipe: status $(cat status)" ;;
esac

# An earlier output stays.
echo old >p.csv
head -c 700 dev.rec >cut.rec
refuses "*'cut.rec'*" 'a cut input' bert-predict -m m -o p.csv cut.rec
is "$(cat p.csv)" old 'leaves the earlier output as it was'
ls -A | grep -v '^[a-z]' >strays
is "$(cat strays)" '' 'and nothing beside it'
finish
