#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-tokenize: questions and windows of the contexts that answer them.
. "$TEST_TOP/tests/lib/lib.sh"
M=$DATA/tok/uncased
# question ID QUESTION CONTEXT ANSWERS; no ANSWERS: they are not known
question() {
	printf '{"id": "%s", "question": "%s", "context": "%s"%s}\n' "$1" "$2" "$3" "${4:+, \"answers\": $4}" |
		squad2tfrecord -q
}
answer() { printf '[{"text": "%s", "answer_start": %s}]' "$1" "$2"; }
json() { bert-tokenize -q -m "$M" "$@" 2>err | tfrecord-cat -q --json; }
# get NAME: what each record has of it
get() { sed 's/.*"'"$1"'": \(\[[^]]*\]\|[^,}]*\).*/\1/'; }

# a .. h are 61 .. 68, [CLS] 2, [SEP] 3
question q 'g h' 'a b c d e f' "$(answer 'c d' 4)" >q.text
json --max-length 8 --stride 1 <q.text >got
is "$(get input_ids <got)" '[2, 67, 68, 3, 61, 62, 63, 3]
[2, 67, 68, 3, 63, 64, 65, 3]
[2, 67, 68, 3, 65, 66, 3]' 'the question stands before each window of the context'
is "$(get segment_ids <got | tail -n 1)" '[0, 0, 0, 0, 1, 1, 1]' 'in another segment'
is "$(get token_starts <got | sed -n 2p) $(get token_ends <got | sed -n 2p)" \
	'[-1, -1, -1, -1, 4, 6, 8, -1] [-1, -1, -1, -1, 5, 7, 9, -1]' 'where tokens stand in it'
is "$(get start_position <got | tr '\n' ' ')$(get end_position <got | tr '\n' ' ')" '0 4 0 0 5 0 ' \
	'the tokens of the answer, or the class token'
is "$(get max_context <got)" '[0, 0, 0, 0, 1, 1, 1, 0]
[0, 0, 0, 0, 0, 1, 1, 0]
[0, 0, 0, 0, 0, 1, 0]' 'the window that shows most around a token'
is "$(get window <got | tr '\n' ' ')$(get id <got | tr '\n' ' ')" '0 1 2 "q" "q" "q" ' 'numbers and ids'
like "$(tail -n 1 got)" '*"answer_starts": 4, "answers": "c d", "context": "a b c d e f", "question": "g h"*' \
	'texts and answers are passed along'
for j in 1 3; do
	for i in 1 2 3 4 5 6 7 8 9; do cat q.text; done | bert-tokenize -q -m "$M" -j $j --max-length 8 --stride 2 -o $j.rec
done
same 1.rec 3.rec 'the same by several threads'
like "$(json --max-length 8 --stride 1 --pad 10 <q.text | tail -n 1)" \
	'*"input_mask": ?1, 1, 1, 1, 1, 1, 1, 0, 0, 0*"max_context": ?0, 0, 0, 0, 0, 1, 0, 0, 0, 0*"token_starts": ?-1, -1, -1, -1, 8, 10, -1, -1, -1, -1]*' \
	'padded'

# characters are code points; several tokens may be one
printf '%s\n' '{"id": "z", "question": "\u3000 g", "context": "é 中文 b", "answers": {"text": ["b"], "answer_start": [5]}}' |
	squad2tfrecord -q >z.text
json <z.text >got
is "$(get token_starts <got) $(get start_position <got)" '[-1, -1, -1, 0, 2, 3, 5, -1] 6' 'code points, not bytes'

# no answer, and none that is known
question none g 'a b' '[]' | json >got
is "$(get start_position <got)$(get end_position <got)" 00 'no answer in the context'
question unknown g 'a b' | json >got
is "$(grep -c position got)" 0 'an answer that is not known'
question empty g '' '[]' | json >got
is "$(get input_ids <got) $(get start_position <got)" '[2, 67, 3, 3] 0' 'an empty context'

# what is too long, and how the log counts it
question long 'a b c d e' 'f g h' "$(answer 'f g h' 0)" >long.text
works 'a long question' bert-tokenize -m "$M" --max-question 2 --max-length 7 --stride 0 --format ids long.text
is "$(cat out)" '2 61 62 3 66 67 3
2 61 62 3 68 3' '... is cut, its context in windows'
like "$(cat err)" '*1 text, 13 tokens; 1 context cut into windows of 7 tokens (2 records in all); 1 question truncated to 2 tokens (3 tokens lost); 1 answer is whole in no window; *' \
	'... and the log says so'
refuses() { # PATTERN NAME OPTION ...
	pattern=$1 name=$2
	shift 2
	declines 1 "bert-tokenize: *: record 1: question 'long': $pattern" "$name" bert-tokenize -m "$M" -o bad.rec "$@"
}
refuses 'the question has 5 tokens, which with 3 special ones leave no room for the context in 8' \
	'no room for the context' --max-length 8 long.text
refuses 'the question has 5 tokens and leaves room for 2 of the context, not more than windows are to share (2)' \
	'a stride that is too long' --max-length 10 --stride 2 long.text
refuses 'the question and its context have 11 tokens, more than fit' '--no-truncation' --no-truncation --max-length 10 long.text
refuses 'holds a question, which needs special tokens' '--no-special' --no-special long.text
refuses 'holds a question, for which this layout has no features' 'a layout without features' \
	--layout bert --pad 20 --label-type none long.text
[ ! -e bad.rec ]
result $? 'nothing is written then'
is "$(json --max-length 30 <long.text | wc -l | tr -d ' ')" 1 'the default stride follows the length'
i=0
while [ $((i += 1)) -le 500 ]; do printf 'a '; done >words
question many g "$(cat words)" | bert-tokenize -m "$M" --format ids >ids 2>err
like "$(cat err)" '*windows of 384 tokens (2 records*' 'the default length is 384'
is "$(head -n 1 ids | wc -w | tr -d ' ') $(tail -n 1 ids | wc -w | tr -d ' ')" '384 252' 'and windows share 128'
is "$(bert-tokenize -q -m "$M" --format json --max-length 8 --stride 1 q.text | grep -o '"window": [0-9]' | tr '\n' ' ')" \
	'"window": 0 "window": 1 "window": 2 ' 'lines of JSON have windows, too'
bert-tokenize -q -m "$M" --explain --max-length 8 --stride 1 q.text >got
like "$(cat got)" '*a	0	1	67	g	g*b	0	1	61	a	a*# window 1*' '--explain'
printf '%s\n' '{"id": "a", "question": "who?", "context": {"base64": "YWLk"}, "answers": ["x"], "answer_starts": [3]}' |
	tfrecord-cat -q --from-json -o cut.rec
exits 1 'a context that ends within a character' bert-tokenize -m "$M" -o none.rec cut.rec
like "$(cat err)" "*record 1: question 'a': the context does not have the first answer at its answer_start, 3" \
	'... has no answer there'
finish
