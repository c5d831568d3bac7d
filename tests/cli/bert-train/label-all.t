#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-tokenize --label-all: training learns from all tokens of a word.
# Not under thread: the threads are those of cli/bert-train/train
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
vocab=$TEST_TOP/pipelines/data/vocab.txt
# words of one token and of several
for i in 1 2 3 4 5 6 7 8; do
	printf '%s\n' 'i O' 'cardbook B-X' 'openxyz I-X' 'the O' 'booklibrary B-Y' 'opens O' '' 'my O' 'room1987 B-Z' 'cards B-X' ''
done >train.txt
conll2tfrecord -q train.txt >text.rec
bert-tokenize -q -m "$vocab" -o first.rec text.rec
works 'marks the records' bert-tokenize -m "$vocab" --label-all -o all.rec text.rec
is "$(tfrecord-cat -q --json all.rec | grep -c '"label_all": 1')" 16 'each of them'
is "$(tfrecord-cat -q --json all.rec | sed 's/"label_all": 1, //' | cksum)" "$(tfrecord-cat -q --json first.rec | cksum)" \
	'... and nothing else'
train() { # OUT RECORDS [OPTION ...]
	out=$1 records=$2
	shift 2
	bert-train -q --force --init-config tiny --tokenizer "$vocab" --task tagging --learning-rate 1e-3 \
		--batch-size 4 --dropout 0 --seed 3 --epochs 3 -o "$out" "$@" $records
}
# the same by hand: each token is a word, whose tag is that of its word, B- as I- behind the first where
# there is such a tag (of Y and Z there is none)
tfrecord-cat -q --json all.rec | "${AWK:-awk}" '
function list(name,   s) {
	s = $0
	sub(".*\"" name "\": \\[", "", s)
	sub("\\].*", "", s)
	return s
}
{
	count = split(list("word_ids"), word, ", ")
	split(list("tags"), tag, ", ")
	last = -1
	ids = tags = words = ""
	k = 0
	for (i = 1; i <= count; i++) {
		if (word[i] < 0) { ids = ids ", -1"; continue }
		t = tag[word[i] + 1]
		if (word[i] == last && t == "\"B-X\"") sub("B-", "I-", t)
		last = word[i]
		ids = ids ", " k++
		tags = tags ", " t
		words = words ", \"w\""
	}
	sub("\"word_ids\": \\[[^]]*\\]", "\"word_ids\": [" substr(ids, 3) "]")
	sub("\"tags\": \\[[^]]*\\]", "\"tags\": [" substr(tags, 3) "]")
	sub("\"words\": \\[[^]]*\\]", "\"words\": [" substr(words, 3) "]")
	sub("\"label_all\": 1, ", "")
	sub("\"lines\": \\[[^]]*\\], ", "")
	print
}' >byhand.json
tfrecord-cat -q --from-json -o byhand.rec byhand.json
works 'trains' train all all.rec
works 'trains by hand' train byhand byhand.rec
same all/model.safetensors byhand/model.safetensors 'the same weights as with a word for each token'
train first first.rec
! cmp -s first/model.safetensors all/model.safetensors
result $? 'others than from first tokens'
is "$(sed -n '/id2label/,/}/p' all/config.json)" "$(sed -n '/id2label/,/}/p' first/config.json)" 'the same tags'
works 'labels in another order' train other all.rec --labels Z,O,B-Z,I-X,B-Y,B-X
train otherhand byhand.rec --labels Z,O,B-Z,I-X,B-Y,B-X
same other/model.safetensors otherhand/model.safetensors '... the same'
train share all.rec --eval-share .3
is $? 0 'a part held out'
for k in all byhand; do
	bert-train -q -m all --dropout 0 --steps 3 --learning-rate 1e-3 -o goes-$k $k.rec
done
same goes-all/model.safetensors goes-byhand/model.safetensors 'a model that is trained on'

# evaluation and prediction look at words
is "$(bert-predict -q -m all all.rec | cksum)" "$(bert-predict -q -m all first.rec | cksum)" 'predicts one tag for a word'
is "$(bert-predict -q -m all all.rec | grep -c .)" 72 '... of each'
is "$(bert-eval -q -m all all.rec)" "$(bert-eval -q -m all first.rec)" 'evaluates words'
# windows, and words of which nothing is known
bert-tokenize -q -m "$vocab" --label-all --max-length 8 -o windows.rec text.rec
works 'windows' train windows windows.rec
printf '%s\n' i cardbook | conll2tfrecord -q | bert-tokenize -q -m "$vocab" --label-all -o bare.rec
is "$(bert-predict -q -m all bare.rec | grep -c .)" 2 'words without tags'
# a run is not resumed with the other kind
train part all.rec --save-steps 2 --keep 9
refuses '*belongs to another run*' 'is another data set' train part first.rec --resume

csv2tfrecord -q -t text -l intent "$TEST_TOP/pipelines/data/library-dev.csv" >texts.rec
refuses '*record 1: holds no words, all of whose tokens are to be labelled (make records of words with conll2tfrecord, *)' \
	'texts' bert-tokenize -q -m "$vocab" --label-all -o x.rec texts.rec
misuses '*--label-all needs --format tfrecord*' 'lines of ids' bert-tokenize -m "$vocab" --label-all --format ids text.rec
misuses '*--label-all is for records of words in --layout full*' 'plain lines' bert-tokenize -m "$vocab" --label-all --lines text.rec
misuses '*--label-all is for records of words in --layout full*' 'another layout' \
	bert-tokenize -m "$vocab" --label-all --layout bert --pad 64 text.rec
[ ! -e x.rec ]
result $? 'nothing is written then'
finish
