#!/bin/sh
# SPDX-License-Identifier: MIT
# --teacher for words: logits of each, as bert-predict --format tensor writes them.
. "$TEST_TOP/tests/lib/lib.sh"
vocab=$TEST_TOP/pipelines/data/vocab.txt
for i in 1 2 3 4 5 6 7 8; do
	printf '%s\n' 'i O' 'cardbook B-X' 'openxyz I-X' 'the O' 'booklibrary B-Y' 'opens O' '' 'my O' 'room1987 B-Z' 'cards B-X' ''
done >train.txt
conll2tfrecord -q train.txt >text.rec
bert-tokenize -q -m "$vocab" -o train.rec text.rec
train() { # OUT [OPTION ...]
	out=$1
	shift
	bert-train -q --force --init-config tiny --tokenizer "$vocab" --task tagging --learning-rate 1e-3 \
		--batch-size 4 --epochs 3 -o "$out" "$@"
}
train a --epochs 8 train.rec

# the stream: a row for each word
works 'writes logits' bert-predict -m a --dtype f32 --format tensor -o a.ts train.rec
like "$(cat err)" '*16 sentences, 72 words: predicted *' 'and says what it predicted'
works 'a sound stream' tensor-cat -q --verify a.ts
is "$(tensor-cat -q --csv a.ts | sed -n '1p; 2,12s/^\([^,]*\),.*,\([0-9]*\)$/\1 \2/p' | tr '\n' ' ')" \
	'id,logits.B-X,logits.B-Y,logits.B-Z,logits.I-X,logits.O,position 0 0 0 1 0 2 0 3 0 4 0 5 1 0 1 1 1 2 2 0 2 1 ' 'a row for each word'
is "$(tensor-cat -q --csv a.ts | awk -F, 'NR == 1 { for (i = 1; i < NF; i++) { sub("logits.", "", $i); name[i] = $i } next }
	{ best = 2; for (i = 3; i < NF; i++) if ($i > $best) best = i; print name[best] }' | cksum)" \
	"$(bert-predict -q -m a --dtype f32 --format csv train.rec | sed 1d | cut -d, -f4 | cksum)" 'whose largest is the tag'
bert-tokenize -q -m "$vocab" --max-length 8 -o windows.rec text.rec
bert-predict -q -m a --dtype f32 --format tensor -o windows.ts windows.rec
is "$(tensor-cat -q --csv windows.ts | sed 's/,.*,/ /')" "$(tensor-cat -q --csv a.ts | sed 's/,.*,/ /')" 'windows are joined'
misuses '*options for labels and CSV do not apply to tensors*' 'probabilities' bert-predict -m a --format tensor --proba train.rec
misuses '*a tensor holds the logits of words, whatever *' 'a scheme' bert-predict -m a --format tensor --scheme iob2 train.rec

# a student
student() { # OUT [OPTION ...]
	train "$@" --seed 5
}
student plain train.rec
student zero --teacher a.ts --teacher-weight 0 train.rec
is "$(weights zero)" "$(weights plain)" 'a teacher of weight 0 changes nothing'
works 'a teacher' student half --teacher a.ts train.rec
! cmp -s half/model.safetensors plain/model.safetensors
result $? 'teaches'
student threads --teacher a.ts -j 3 train.rec
is "$(weights threads)" "$(weights half)" 'threads do not matter'
tensor-cat -q --mean -o mean.ts a.ts a.ts
student mean --teacher mean.ts train.rec
is "$(weights mean)" "$(weights half)" 'a mean of teachers'
bert-tokenize -q -m "$vocab" --max-length 512 text.rec | tfrecord-cat -q --shuffle --seed 3 -o shuffled.rec
bert-predict -q -m a --dtype f32 --format tensor -o shuffled.ts shuffled.rec
student order --teacher shuffled.ts train.rec
like "$(tail -n 1 order/history.jsonl)" '*"loss":*' 'matched by id'
near=$(for k in half order; do sed -n '$s/.*"loss":\([^,]*\).*/\1/p' $k/history.jsonl; done | tr '\n' ' ' | awk '{ print ($1 - $2)^2 < 1e-8 }')
is "$near" 1 '... whatever the order'
student turned --teacher a.ts --labels O,I-X,B-Z,B-Y,B-X --epochs 30 --learning-rate 2e-3 --teacher-weight 1 train.rec
is "$(bert-predict -q -m turned train.rec | cksum)" "$(bert-predict -q -m a train.rec | cksum)" 'a teacher alone teaches its tags by name'
works 'windows' student windows --teacher a.ts windows.rec
works 'a part held out' student share --teacher a.ts --eval-share .25 train.rec
bert-tokenize -q -m "$vocab" --label-all -o all.rec text.rec
works 'all tokens of words' student all --teacher a.ts all.rec
works 'stops' student kept --teacher a.ts --save-steps 5 --keep 9 train.rec
works 'goes on' student again --teacher a.ts --resume-from kept/checkpoint-5.safetensors train.rec
is "$(weights again)" "$(weights half)" '... to the same weights'
bert-predict -q -m plain --format tensor -o b.ts train.rec
refuses '*belongs to another run*other teacher*' 'another teacher is another run' \
	student x --teacher b.ts --resume-from kept/checkpoint-5.safetensors train.rec

# what does not match
tfrecord-cat -q --head 15 -o some.rec train.rec
bert-predict -q -m a --format tensor -o some.ts some.rec
refuses "*teacher 'some.ts': no row has the id '15' of a training record" 'a missing sentence' student x --teacher some.ts train.rec
works 'sentences that are not trained on' student some --teacher a.ts some.rec
sed '3d' train.txt | conll2tfrecord -q | bert-tokenize -q -m "$vocab" -o short.rec
refuses "*teacher 'a.ts': 6 rows are of words of the text '0', of which the training records hold 5 words" \
	'fewer words' student x --teacher a.ts short.rec
{ echo 'i O'; cat train.txt; } | conll2tfrecord -q | bert-tokenize -q -m "$vocab" -o long.rec
refuses "*teacher 'a.ts': 6 rows are of words of the text '0', of which the training records hold at least 7 words" \
	'more words' student x --teacher a.ts long.rec
bert-predict -q -m a --format csv -o a.csv train.rec
refuses "*predictions 'a.csv': is not a tensor stream with the logits of words (bert-predict --format tensor writes them)" \
	'tags alone' student x --teacher a.csv train.rec
tensor-cat -q --select logits -o bare.ts a.ts
refuses "*bare.ts*has no ids and positions of words" 'rows without positions' student x --teacher bare.ts train.rec
tensor-cat -q -o twice.ts a.ts a.ts
refuses "*twice.ts*row 73: the id '0' is that of another text, too" 'a text twice' student x --teacher twice.ts train.rec
printf 'i O\nhave B-W\n' | conll2tfrecord -q | bert-tokenize -q -m "$vocab" -o other.rec
bert-train -q --init-config tiny --tokenizer "$vocab" --task tagging --steps 1 -o other other.rec
bert-predict -q -m other --format tensor -o other.ts train.rec
refuses "*teacher 'other.ts': outputs for 2 labels, but the model has 5" 'other tags' student x --teacher other.ts train.rec
csv2tfrecord -q -i id -t text -l intent "$TEST_TOP/pipelines/data/library-dev.csv" | bert-tokenize -q -m "$vocab" -o texts.rec
bert-train -q --init-config tiny --tokenizer "$vocab" --steps 1 -o texts texts.rec
refuses "*a.ts*holds predictions of the kind token_classification, not single_label_classification" 'words for texts' \
	bert-train -q --init-config tiny --tokenizer "$vocab" -o x --teacher a.ts texts.rec
bert-predict -q -m texts --format tensor -o texts.ts texts.rec
refuses "*texts.ts*has no ids and positions of words" 'texts for words' student x --teacher texts.ts train.rec
head -c 400 a.ts >cut.ts
refuses '*cut.ts*' 'a damaged stream' student x --teacher cut.ts train.rec
[ ! -e x ]
result $? 'no directory is left behind'
finish
