#!/bin/sh
# SPDX-License-Identifier: MIT
# --predictions: answers to questions, by the rules of SQuAD and MLQA.
. "$TEST_TOP/tests/lib/lib.sh"
question() { # ID ANSWER ...
	id=$1 answers='' starts=''
	shift
	for answer; do
		answers="$answers${answers:+, }\"$answer\"" starts="$starts${starts:+, }0"
	done
	[ -n "$answers" ] && answers="[$answers]" starts="[$starts]"
	printf '{"id": "%s", "question": "What?", "context": "text", "answers": %s, "answer_starts": %s}\n' \
		"$id" "${answers:-{\"bytes\": []\}}" "${starts:-{\"int64\": []\}}"
}
{
	question a 'Denver Broncos' 'The Denver Broncos'
	question b Gold 'gold medal'
	question c The
} >v1.jsonl
tfrecord-cat -q --from-json -o v1.rec v1.jsonl
echo '{"a": "the Broncos!", "b": "gold", "c": "a"}' >v1.json
works 'version 1.1' bert-eval --predictions v1.json v1.rec
like "$(cat out)" '*
all               0.6667  0.5556          3' 'is scored as evaluate-v1.1.py does'
exits 0 '... for --min' bert-eval -q --predictions v1.json --min exact_match=.66 v1.rec
exits 1 '... that is not met' bert-eval -q --predictions v1.json --min f1=.66 v1.rec
exits 1 '... nor by what is not there' bert-eval -q --predictions v1.json --min no_answer_f1=.1 v1.rec
like "$(cat err)" '*no_answer_f1 is undefined: every question has an answer, null odds are not given' 'why it is not'
{ cat v1.jsonl; question d; question e; question f 1990; question g; } | tfrecord-cat -q --from-json -o v2.rec
echo '{"a": "the Broncos!", "b": "gold", "c": "a", "d": "Paris", "e": "", "f": "", "g": "the"}' >v2.json
echo '{"a": -2, "b": 0.25, "c": 0.25, "d": 3, "e": 0.5, "f": 4, "g": -1}' >odds.json
works 'version 2.0' bert-eval -q --predictions v2.json --null-odds odds.json v2.rec
cat >want <<'EOF'
             exact match      f1  questions
has answer        0.5000  0.6667          4
no answer         1.0000  1.0000          3
all               0.7143  0.8095          7

best exact match 0.5714 with null odds up to 0.25, best F1 0.6667 up to 0.25
average precision 0.2500 of exact match, 0.4444 of F1, 0.7679 at most
EOF
same out want 'is scored as evaluate-v2.0.py does'
bert-eval -q --json --predictions v2.json --null-odds odds.json v2.rec >out
like "$(cat out)" '*"f1": 0.80952381,*"f1_threshold": 0.25,*"has_answer": 4,*"no_answer": 3*' 'as JSON'
bert-eval -q --predictions v2.json --null-odds odds.json --null-threshold 9 v2.rec >out
like "$(cat out)" '*all               0.5714  0.6667          7*' 'with another threshold'
bert-eval -q --predictions v2.json v2.rec >out
like "$(cat out)" '*no answer         0.6667  0.6667          3
all               0.5714  0.6667          7' 'without null odds'

question z '北京市。' | tfrecord-cat -q --from-json -o zh.rec
echo '{"z": "北京"}' >zh.json
like "$(bert-eval -q --predictions zh.json zh.rec)" '*all * 0.0000  0.0000 *' 'Chinese is a word'
like "$(bert-eval -q --language zh --predictions zh.json zh.rec)" '*all * 0.0000  0.8000 *' '... or characters'

# what does not match
echo '{"a": "x", "b": "gold", "y": "?"}' >some.json
works 'other questions' bert-eval --predictions some.json v1.rec
like "$(cat err)" "*1 of 3 questions, which count as wrong: 'c'*1 of 3 answers in 'some.json'*: 'y'*" 'are warned of'
like "$(cat out)" '*all               0.3333  0.3333          3' 'and count'
refuses "*'v1.json' answers none of the 1 questions: its ids are 'a', 'b', 'c', and theirs 'z'" 'no id matches' \
	bert-eval --predictions v1.json zh.rec
refuses "*the value of 'a' is not a text" 'no text' bert-eval --predictions odds.json v1.rec
refuses "*the value of 'a' is not a number" 'no number' bert-eval --predictions v1.json --null-odds v1.json v1.rec
echo '{"a": 1}' >few.json
refuses "*record 2: 'few.json' holds no number for the question 'b'*" 'odds are missing' \
	bert-eval --predictions v1.json --null-odds few.json v1.rec
echo '{"a": "x"' >bad.json
refuses "*'bad.json' is not valid JSON: line *(--predictions reads *, neither as JSON Lines)" 'no JSON' bert-eval --predictions bad.json v1.rec
cat v1.rec v1.rec >twice.rec
refuses "*record 4: another question has the id 'a', too" 'an id twice' bert-eval --predictions v1.json twice.rec
printf 'text,label\nx,y\n' | csv2tfrecord -q -t text -l label -o text.rec
refuses "*record 1: has no 'question'*squad2tfrecord*" 'no questions' bert-eval --predictions v1.json text.rec
misuses '*answers to questions are evaluated without *a second file of --predictions' 'no mean of answers' bert-eval --predictions v1.json --predictions v1.json v1.rec
printf 'text,label\nx,x\n' | csv2tfrecord -q -t text -l label | bert-tokenize -q -m "$TEST_TOP/pipelines/data/vocab.txt" -o labels.rec
printf 'id,label\n0,x\n' >labels.csv
misuses '*--null-odds, --null-threshold, --dialect and --language are for answers*' 'no odds of labels' \
	bert-eval --predictions labels.csv --language de labels.rec
finish
