#!/bin/sh
# SPDX-License-Identifier: MIT
# Confidence intervals of metrics: of texts, words and answers, and of predictions.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
small_train a -q --epochs 3 --learning-rate 2e-3
works 'intervals' bert-eval -q -m a --ci dev.rec
like "$(cat out)" '*metric *value *2.5 % *97.5 % *(1000 samples of 32 examples)
loss *
accuracy *
*macro_f1 *
*ece *' 'are printed'
sed -n '/2.5 %/,$p' out | sed 1d | awk 'NF != 4 || $3 > $4 { print "bad", $0 }
	$1 == "accuracy" { n++; if ($2 < $3 || $2 > $4 || $4 - $3 < .05) print "bad", $0 } END { print n }' >got
is "$(cat got)" 1 'in order, the accuracy within its own'
bert-eval -q -m a dev.rec >plain
grep -v -x -F -f plain out | sed '/./,$!d' >rest
is "$(sed -n '1s/ .*//p' rest)" metric 'behind the usual report'
bert-eval -q -m a --ci -j1 dev.rec >one
same one out 'the same with one thread'
bert-eval -q -m a --ci --seed 5 dev.rec >other
is "$(cmp -s other out && echo same)" '' 'other samples with another seed'
works 'JSON' bert-eval -q -m a --ci --ci-samples 50 --json dev.rec
like "$(cat out)" '*"ci": {
  "level": 0.95*"samples": 50,
*"examples": 32,
*"metrics": {
   "loss": [[]*, *],
   "accuracy": [[]*' 'has them'
bert-predict -q -m a --proba -o p.csv dev.rec
bert-eval -q --predictions p.csv --ci dev.rec | sed -n '/^accuracy  .*  /p' >got
bert-eval -q -m a --ci dev.rec | sed -n '/^accuracy  .*  /p' >want
sed -i 's/^accuracy [0-9.]*  loss.*//' got want
same got want 'of predictions, too'
# the normal approximation of a share, for many samples
bert-eval -q -m a --ci --ci-samples 4000 train.rec | awk '$1 == "accuracy" && NF == 4 {
	print ($4 - $3) / 2 / 1.96 / sqrt($2 * (1 - $2) / n) }' n="$(tfrecord-cat -q --count train.rec)" >got
is "$(awk '{ print ($1 > .9 && $1 < 1.1) }' got)" 1 'as wide as that of a binomial share'

# words: texts are drawn, with all of theirs
printf '%s\n' 'Ada B-PER' 'sees O' 'Rome B-LOC' '' 'Rome B-LOC' 'sleeps O' '' 'Bob B-PER' 'and O' 'Ada B-PER' >some
for i in 1 2 3 4 5 6 7 8 9 10; do cat some; echo; done >words.txt
conll2tfrecord -q words.txt | bert-tokenize -q -m vocab.txt -o words.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task tagging --steps 8 --learning-rate 1e-3 -o tags words.rec
works 'words' bert-eval -q -m tags --ci --ci-samples 100 --json words.rec
like "$(cat out)" '*"examples": 30,*"metrics": {*"f1": [[]*' 'have them'
sed -n 's/^ "\(f1\|accuracy\)": \([0-9.]*\),/\1 \2/p' out >value
sed -n 's/^ *"\(f1\|accuracy\)": \[\([0-9.]*\), \([0-9.]*\)\],*/\1 \2 \3/p' out >interval
is "$(sort value | join - interval 2>/dev/null | awk '{ print ($2 >= $3 && $2 <= $4) }' | tr -d '\n')" 11 'around the value'

# answers
printf '{"q1": "Rome", "q2": "a cat", "q3": "", "q4": "in 1900"}\n' >answers.json
cat >squad.json <<'END'
{"data": [{"paragraphs": [{"context": "Rome had a cat in 1900, and a dog.", "qas": [
 {"id": "q1", "question": "where", "answers": [{"text": "Rome", "answer_start": 0}]},
 {"id": "q2", "question": "what", "answers": [{"text": "a dog", "answer_start": 28}]},
 {"id": "q3", "question": "who", "answers": [{"text": "cat", "answer_start": 11}]},
 {"id": "q4", "question": "when", "answers": [{"text": "1900", "answer_start": 18}]}]}]}]}
END
squad2tfrecord -q -o squad.rec squad.json
works 'answers' bert-eval -q --predictions answers.json --ci --json squad.rec
like "$(cat out)" '*"exact_match": 0.25*"examples": 4,*"exact_match": [[]0.0, 0.75]*' 'have them'

# groups: what is there ten times over counts once
tfrecord-cat -q --json dev.rec >dev.json
for i in 1 2 3 4 5 6 7 8 9 10; do cat dev.json; done | tfrecord-cat -q --from-json -o ten.rec
bert-eval -q -m a --ci dev.rec | grep '^accuracy  .*  ' >want
works 'groups' bert-eval -q -m a --ci --ci-group id ten.rec
like "$(cat out)" '*(1000 samples of 32 groups)*' 'are drawn'
grep '^accuracy  .*  ' out | grep -v loss >got
grep -v loss want >want.accuracy
same got want.accuracy 'with all of their examples'
is "$(bert-eval -q -m a --ci ten.rec | awk '$1 == "accuracy" && NF == 4 { print $4 - $3 }' |
	paste - want.accuracy | awk '{ print ($1 < ($5 - $4) / 2) }')" 1 'else they would count each'
like "$(bert-eval -q -m a --ci --ci-group id --json dev.rec)" '*"groups": 32,*' 'as JSON'
refuses "*: record 1: has no feature 'nobody'*" 'a feature that is not there' bert-eval -m a --ci --ci-group nobody dev.rec
misuses '*--ci-group needs a model*' 'predictions' bert-eval --predictions p.csv --ci --ci-group id dev.rec
misuses '*--ci-samples and --ci-group need --ci*' 'samples alone' bert-eval -m a --ci-samples 100 dev.rec
misuses '*--ci-samples*' 'too few' bert-eval -m a --ci --ci-samples 3 dev.rec
misuses '*have their own reports*' 'thresholds' bert-eval -m a --ci --tune-threshold f1 -o x dev.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task masked-lm --steps 1 -o masked dev.rec
misuses '*confidence intervals are not available for *' 'masked tokens' bert-eval -m masked --ci dev.rec
finish
