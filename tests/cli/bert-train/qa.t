#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train --task qa: which tokens begin and end an answer.
. "$TEST_TOP/tests/lib/lib.sh"

# Windows in which the answer is "th" and the word behind it; in every sixth there is none.
{
	printf '%s\n' '[PAD]' '[UNK]' '[CLS]' '[SEP]' '[MASK]' '?' th
	for i in 1 2 3 4 5 6 7 8 9; do echo "w$i"; done
} >vocab.txt
windows() { # SEED NUMBER
	awk -v seed="$1" -v count="$2" 'BEGIN {
		srand(seed)
		for (i = 1; i <= count; i++) {
			tokens = 4 + int(rand() * 12)
			at = i % 6 == 0 ? -1 : int(rand() * (tokens - 1))
			ids = "2,5,3"
			segments = "0,0,0"
			starts = ends = "-1,-1,-1"
			most = "0,0,0"
			context = ""
			answer = "{\"bytes\": []}"
			for (k = 0; k < tokens; k++) {
				id = k == at ? 6 : 7 + int(rand() * 9)
				ids = ids "," id
				word = id == 6 ? "th" : "w" (id - 6)
				context = context word " "
				if (at >= 0 && k == at + 1) answer = "[\"th " word "\"]"
				segments = segments ",1"
				starts = starts "," 3 * k
				ends = ends "," 3 * k + 2
				most = most ",1"
			}
			printf "{\"id\": [\"q%d\"], \"input_ids\": [%s,3], \"segment_ids\": [%s,1], " \
				"\"token_starts\": [%s,-1], \"token_ends\": [%s,-1], \"max_context\": [%s,0], " \
				"\"window\": [0], \"start_position\": [%d], \"end_position\": [%d], " \
				"\"question\": [\"?\"], \"context\": [\"%s\"], \"answers\": %s, " \
				"\"answer_starts\": %s}\n", i, ids, segments, starts, ends, most,
				at < 0 ? 0 : at + 3, at < 0 ? 0 : at + 4, context, answer, \
				at < 0 ? "{\"int64\": []}" : "[" 3 * at "]"
		}
	}'
}
windows 1 400 | tfrecord-cat -q --from-json -o train.rec
windows 2 100 | tfrecord-cat -q --from-json -o dev.rec
train() {
	bert-train --force --init-config tiny --tokenizer vocab.txt --learning-rate 1e-3 \
		--batch-size 16 --dropout 0 "$@"
}
# the plain build shows that it learns
epochs=6 least=.9 limits='--min exact_match=.9 --min f1=.95 --min loss=.3'
[ -z "${TEST_KIND-}" ] || epochs=1 least=0 limits=
works 'trains' train --task qa --epochs $epochs --eval dev.rec -o m train.rec
like "$(cat err)" '*400 training examples, 100 for evaluation, 334 windows with an answer*' \
	'says how many have an answer'
like "$(cat err)" "*epoch $epochs: loss *, evaluation loss *, exact match *, F1 *" 'and what is measured'
# shellcheck disable=SC2086 # options
works 'finds the answers' bert-eval -q -m m $limits dev.rec
like "$(cat out)" '*has answer *no answer *all *' '... and says so'
scores() { # PREFIX: of a line of JSON
	tr -d ' {}\n' | tr , '\n' | awk -F : -v name="\"$1" '
		$1 == name "exact_match\"" { exact = $2 }
		$1 == name "f1\"" { f1 = $2 }
		END { printf "%.6f %.6f", exact, f1 }'
}
train -q --task qa --steps 60 --eval dev.rec -o measured train.rec
is "$(grep '"best":true' measured/history.jsonl | tail -n 1 | scores eval_)" \
	"$(bert-eval -q --json -m measured dev.rec | scores '')" 'training measures whole answers, as bert-eval does'
# Of six questions of several windows all but one are held out; any may be that one.
for i in 1 2 3 4 5 6; do
	awk -v i=$i 'BEGIN {
		srand(i)
		at = i == 6 ? -1 : int(rand() * 29) # the sixth has no answer
		for (k = 0; k < 30; k++) {
			word = k == at ? "th" : "w" 1 + int(rand() * 9)
			if (k == at) start = length(context)
			if (at >= 0 && k == at + 1) answer = "{\"text\": \"th " word "\", \"answer_start\": " start "}"
			context = context word " "
		}
		printf "{\"id\": \"%d\", \"question\": \"?\", \"context\": \"%s\", \"answers\": [%s]}\n", i, context, answer
	}'
done >six.jsonl
parts() { squad2tfrecord -q "$1" | bert-tokenize -q -m vocab.txt --max-length 16 --stride 4 -o "$2"; }
parts six.jsonl six.rec
for i in 1 2 3 4 5 6; do
	sed ${i}d six.jsonl >five.jsonl
	parts five.jsonl five.rec
	bert-eval -q --json -m measured five.rec | scores ''
	echo
done >all.scores
works 'questions held out' bert-train -q --force -m measured --learning-rate 0 --steps 1 --eval-share .8 -o held six.rec
like "$(cat all.scores)" "*$(scores eval_ <held/history.jsonl)*" '... are whole questions, with all their windows'
like "$(tr -d ' \n' <m/config.json)" \
	'*"architectures":\["BertForQuestionAnswering"\]*"id2label":{"0":"start","1":"end"}*' \
	"is of Hugging Face's class"
is "$(ckpt-inspect m | grep -c 'qa_outputs')" 2 "... with its head's names"
cp -R m unnamed # published models have no names of their outputs
tr -d ' \n' <m/config.json | sed 's/"id2label":{[^}]*},//; s/,*"label2id":{[^}]*}//' >unnamed/config.json
is "$(grep -c start unnamed/config.json)" 0 'a model without names of its outputs'
is "$(bert-eval -q -m unnamed dev.rec)" "$(bert-eval -q -m m dev.rec)" '... is the same'
bert-train -m unnamed --steps 1 --learning-rate 0 -o kept train.rec 2>err
like "$(cat err)" "*'unnamed': * tensors loaded*" '... and trained on'
grep -q 'newly initialized' err
is $? 1 '... with its outputs'
train -q --task qa --epochs $epochs --eval dev.rec -o again train.rec
same m/model.safetensors again/model.safetensors 'twice the same'
works 'goes on from such a model' bert-train -q -m m --epochs 1 --learning-rate 1e-5 -o more train.rec
exits 0 '... without losing it' bert-eval -q -m more --min f1=$least dev.rec
is "$(bert-predict -q -m m --embed mean --format npy dev.rec | wc -c)" $((128 + 100 * 128 * 4)) \
	'embeds texts, too'

# what does not fit
refuses "*'train.rec': record 1: holds a question, but the model learns to choose one class (train with --task qa)*" 'questions for a classifier' \
	train --steps 1 -o c train.rec
printf 'a,b\nw1,x\nw2,y\n' >texts.csv
csv2tfrecord -q -t a -l b texts.csv | bert-tokenize -q -m vocab.txt -o texts.rec
refuses "*record 1: the model answers questions, and the record has no 'token_starts' (make records of questions with squad2tfrecord)*" 'texts for --task qa' \
	train --task qa --steps 1 -o c texts.rec
tfrecord-cat -q --json train.rec | sed 's/"start_position": [0-9]*/"start_position": 99/' |
	tfrecord-cat -q --from-json -o beyond.rec
refuses "*record 1: start_position and end_position are not two of * tokens in order*" 'an answer beyond the window' \
	train --task qa --steps 1 -o c beyond.rec
exits 2 'class weights' train --task qa --class-weight balanced --steps 1 -o c train.rec
tfrecord-cat -q --json dev.rec | sed 's/"context": "w/"context": "", "was": "w/' | tfrecord-cat -q --from-json -o short.rec
refuses '*evaluation records: record 1: a token stands for the characters *' 'a place that the context does not have' \
	train --task qa --steps 1 --eval short.rec -o d train.rec
is "$([ -e c ] || echo none)" none 'nothing was written'
finish
