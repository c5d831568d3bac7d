#!/bin/sh
# SPDX-License-Identifier: MIT
# Labels, names and values that steer a terminal, in reports and messages.
. "$TEST_TOP/tests/lib/lib.sh"

# tame FILE WHAT: it has no control character but the line end, and none that
# changes the direction of text
tame() {
	LC_ALL=C tr '\n' ' ' <"$1" | LC_ALL=C grep -qa "[[:cntrl:]]\|$(printf '\302\233\|\342\200\256')"
	is $? 1 "$2"
}

esc=$(printf '\033[31mred\302\2332J')
rlo=$(printf 'gnp\342\200\256exe')
cp "$TEST_TOP/pipelines/data/vocab.txt" .
for i in 1 2 3 4; do
	printf '{"t":"a card","l":"%s"}\n{"t":"a desk","l":"%s"}\n' '\u001b[31mred\u009b2J' '\u202egnp'
done >x.jsonl
csv2tfrecord -q -t t -l l x.jsonl | bert-tokenize -q -m vocab.txt -o x.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --steps 1 -o m x.rec
works 'report' bert-eval -m m --errors 2 --by label x.rec
tame out 'a report of labels'
like "$(cat out)" '*\\x1b\[31mred\\x9b2J*\\u202egnp*' 'shows what they are'
works 'report as JSON' bert-eval -m m --json x.rec
tame out 'a report as JSON'
like "$(cat out)" '*\\u001[bB]\[31mred\\u009b2J*\\u202egnp*' 'whose strings hold them as escapes'
works 'predictions as JSON' bert-predict -m m --proba --format jsonl x.rec
tame out 'predictions as JSON'
works 'predictions' bert-predict -m m -o p x.rec
works 'records as JSON' tfrecord-cat --json x.rec
tame out 'records as JSON'
works 'statistics' tfrecord-cat --stats x.rec
tame out 'statistics'

sed 's,"l":\(".*"\),"l":["a"\,\1],' x.jsonl >y.jsonl
csv2tfrecord -q -t t -l l y.jsonl | bert-tokenize -q -m vocab.txt -o y.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task multilabel --steps 1 -o n y.rec
works 'multi-label report' bert-eval -m n y.rec
tame out 'a report of several labels'

# Messages: of a file, an option, a value.
for name in "$esc" "$rlo"; do
	exits 1 'a file' ckpt-inspect "$name"
	tame err 'its name in the error'
	exits 2 'an option' ckpt-inspect "--$name"
	tame err 'its name in the misuse'
	exits 2 'a value' bert-eval -j "$name" -m m x.rec
	tame err 'the value in the misuse'
done
finish
