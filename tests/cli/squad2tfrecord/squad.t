#!/bin/sh
# SPDX-License-Identifier: MIT
# squad2tfrecord: SQuAD's JSON and JSON Lines, and what is wrong in them.
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"
json() { squad2tfrecord -q "$@" | tfrecord-cat -q --json; }

cat >a.json <<'END'
{"version": "v2.0", "data": [
 {"title": "Bücher", "paragraphs": [
  {"context": "Zoë reads 中文.", "qas": [
   {"id": "q1", "question": "Who?", "is_impossible": false, "answers": [
     {"text": "Zoë", "answer_start": 0}, {"text": "中文", "answer_start": 10}]},
   {"id": "q2", "question": "When?", "is_impossible": true, "answers": [],
    "plausible_answers": [{"text": "reads", "answer_start": 4}]},
   {"id": 3, "question": "Why?"}]},
  {"context": "", "qas": []}]},
 {"paragraphs": []},
 {"id": "q4", "question": "What?", "context": "x", "answers": {"text": ["x"], "answer_start": [0]}}]}
END
works 'a document' squad2tfrecord -o a.rec a.json
is "$(cat err)" 'squad2tfrecord: 4 questions: 2 answered, 1 without an answer in the context, 1 unlabelled' \
	'says what there was'
is "$(tfrecord-cat -q --json a.rec)" \
	'{"answer_starts": [0, 10], "answers": ["Zoë", "中文"], "context": "Zoë reads 中文.", "id": "q1", "question": "Who?", "title": "Bücher"}
{"answer_starts": {"int64": []}, "answers": {"bytes": []}, "context": "Zoë reads 中文.", "id": "q2", "question": "When?", "title": "Bücher"}
{"context": "Zoë reads 中文.", "id": "3", "question": "Why?", "title": "Bücher"}
{"answer_starts": 0, "answers": "x", "context": "x", "id": "q4", "question": "What?"}' 'their records'
tr -d '\n' <a.json >one-line.json
printf '\357\273\277' | cat - a.json | gzip >bom.json.gz
for f in one-line.json bom.json.gz; do
	is "$(json $f)" "$(json a.json)" "the same of $f"
done
like "$(squad2tfrecord a.json one-line.json 2>&1 >/dev/null)" \
	"*4 records have the id of an earlier one, first 'q1'*8 questions*" 'ids that come again'

printf '%s\r\n\n%s' '{"id": 7, "question": "?", "context": "ab", "answers": [{"text": "b", "answer_start": 1}], "n": {}}' \
	'{"title": "t", "question": "?", "context": "ab", "answers": {"text": [], "answer_start": []}}' >a.jsonl
is "$(json a.jsonl)" '{"answer_starts": 1, "answers": "b", "context": "ab", "id": "7", "question": "?"}
{"answer_starts": {"int64": []}, "answers": {"bytes": []}, "context": "ab", "id": "1", "question": "?", "title": "t"}' 'JSON Lines'
printf '\377\376{\0"\0d\0a\0t\0a\0"\0:\0[\0]\0}\0\n\0' >utf16.json
declines 1 "squad2tfrecord: 'utf16.json' holds no question" 'UTF-16 with its mark' squad2tfrecord utf16.json
{ echo '[' && tr -d '\r' <a.jsonl | grep . | sed '$!s/$/,/' && echo ']'; } >array.json
is "$(json array.json)" "$(json a.jsonl)" 'a list of questions'
printf '[{"title": "t", "paragraphs": [{"context": "ab", "qas": [{"id": "1", "question": "?", "answers": []}]}]}]' >articles.json
like "$(json articles.json)" '{*"context": "ab", "id": "1", *}' 'a list of articles'
{ printf '\n \r\n' && cat a.jsonl && echo; } >blank.jsonl
is "$(json blank.jsonl)" "$(json a.jsonl)" 'JSON Lines behind blank lines'
echo '{"question": 1}' >>blank.jsonl
is "$(squad2tfrecord -q blank.jsonl 2>&1 >/dev/null)" \
	"squad2tfrecord: 'blank.jsonl': line $(wc -l <blank.jsonl): has no member 'context'" '... which count'
is "$(printf '\n\n{"data":\n,' | squad2tfrecord -q 2>&1 >/dev/null)" \
	"squad2tfrecord: standard input: the text is not valid JSON: line 4, column 1: unexpected token near ','" \
	'... also before a document'
is "$(json --no-answers a.jsonl | grep -c answer)" 0 'answers left out'

# where each text of an answer stands in its context
qa() { printf '{"id": "q", "question": "?", "context": "%s", "answers": [{"text": "%s", "answer_start": %s}]}\n' "$@"; }
qa 'Zoë reads, Zoë sings' 'Zoë' 12 >byte.jsonl
works 'moves an answer' squad2tfrecord --realign -o byte.rec byte.jsonl
like "$(cat err)" '*: 1 answer moved to where the text stands*1 question: 1 answered*' 'and says so'
like "$(tfrecord-cat -q --json byte.rec)" '{"answer_starts": 11, *' 'to the nearest place'

bad() { # PATTERN TEXT [OPTION ...]
	printf '%s' "$2" >bad.json
	pattern=$1 text=$(printf '%s' "$2" | tr '\n' ' ')
	shift 2
	declines 1 "squad2tfrecord: 'bad.json': $pattern" "refuses $text $*" \
		squad2tfrecord -o bad.rec "$@" bad.json
}
bad "line 1: question 'q': answer 1, 'Zoë', is not at answer_start 12, where 'oë ' stands; it is at 11: off by one (--realign takes the nearest place of the text)" \
	"$(cat byte.jsonl)"
bad "line 1: question 'q': answer 1, 'Zoë', is not at answer_start 9, which is beyond the 5 characters; it is at 0 (*" \
	"$(qa 'Zoë x' 'Zoë' 9)"
printf '%s\n' '{"id": "a", "question": "?", "context": "c", "answer": "", "is_impossible": true}' \
	'{"id": "b", "question": "?", "context": "c", "answer": ""}' | squad2tfrecord -o empty.rec 2>err
like "$(cat err)" '*2 questions: 0 answered, 2 without an answer in the context, 0 unlabelled' 'an empty answer is none'
printf '%s\n' '{"question": "?", "context": "c", "answers": [""]}' '{"question": "?", "context": "c", "answers": ["", ""]}' \
	'{"question": "?", "context": "c", "answers": [{"text": "", "answer_start": -1}], "is_impossible": true}' \
	'{"question": "?", "context": "c", "answers": {"text": [""], "answer_start": [0]}}' \
	'{"question": "?", "context": "a c", "answers": {"text": ["", "c"], "answer_start": [0, 2]}}' \
	'{"question": "?", "context": "a c", "answers": ["", "c"]}' >none.jsonl
is "$(squad2tfrecord -q none.jsonl | tfrecord-cat -q --json | sed 's/, "context.*//')" \
	'{"answer_starts": {"int64": []}, "answers": {"bytes": []}
{"answer_starts": {"int64": []}, "answers": {"bytes": []}
{"answer_starts": {"int64": []}, "answers": {"bytes": []}
{"answer_starts": {"int64": []}, "answers": {"bytes": []}
{"answer_starts": 2, "answers": "c"
{"answer_starts": 2, "answers": "c"' 'empty texts in lists are none, beside others'
bad "line 1: question '0': answer 2, 'x': the context does not contain it *" \
	'{"question": "?", "context": "c", "answers": ["", "x"]}'
bad "line 1: question '0': 'is_impossible' is false, but *" \
	'{"question": "?", "context": "c", "answers": [""], "is_impossible": false}'
bad "line 1: question '0': 'is_impossible' is false, but *" \
	'{"question": "?", "context": "c", "answer": "", "is_impossible": false}'
bad "line 1: question 'q': answer 1, 'zoë', is not at answer_start 0, where 'Zoë' stands; the context does not contain it" \
	"$(qa 'Zoë x' 'zoë' 0)" --realign
bad "line 1: question 'q': answer 1: 'answer_start' is not a whole number from 0 on" "$(qa a a -1)"
bad "line 1: question 'q': answer 1: 'answer_start' is not a whole number from 0 on" "$(qa a a '"a"')"
bad "line 1: question 'q': answer 1: 'text' is not a text" \
	'{"id": "q", "question": "?", "context": "c", "answers": [{"text": 3, "answer_start": 0}]}'
bad "line 2: question 'r': has no member 'question'" '{"id": "q", "question": "?", "context": "c"}
{"id": "r", "context": "c"}'
bad "line 1: has no member 'context'" '{"question": "?"}'
bad "line 1: 'id' is neither a text nor a whole number" '{"id": [], "question": "?", "context": "c"}'
bad "the text has ?u0000 in a string, in line 2, *" '{"question": "?", "context": "c"}
{"question": "a\u0000", "context": "c"}'
bad "the text is not valid JSON: line 2, column 16: *" '{"question": "?", "context": "c"}
{"question": "?"'
bad "line 1: question '0': 'answers' is neither a text nor an object with 'text' and 'answer_start', nor a list" \
	'{"question": "?", "context": "c", "answers": {}}'
bad "line 1: question '0': has 1 answer, but 0 in 'answer_start'" \
	'{"question": "?", "context": "c", "answers": {"text": ["c"], "answer_start": []}}'
paragraph() { printf '{"data": [{"paragraphs": [{"context": "c", "qas": [%s]}]}]}' "$1"; }
bad "data 1: paragraph 1: question 'q': 'is_impossible' is true, but it has 1 answer" \
	"$(paragraph '{"id": "q", "question": "?", "is_impossible": true, "answers": [{"text": "c", "answer_start": 0}]}')"
bad "data 1: paragraph 1: question 'q': 'is_impossible' is false, but it has no answers (*--no-answers)" \
	"$(paragraph '{"id": "q", "question": "?", "is_impossible": false, "answers": []}')"
bad "data 1: paragraph 1: question 'q': *is_impossible*" \
	"$(paragraph '{"id": "q", "question": "?", "is_impossible": "no", "answers": []}')"
bad 'data 1: paragraph 1: question 1: has no id' "$(paragraph '{"question": "?"}')"
bad "data 1: paragraph 1: has no member 'qas'" '{"data": [{"paragraphs": [{"context": "c"}]}]}'
bad "data 1: has no member 'paragraphs'" '{"data": [{"title": "t"}]}'
bad "data 1: 'paragraphs' is not a list" '{"data": [{"paragraphs": {}}]}'
bad "line 1: has no member 'context'" '{
"dat": []}'
bad 'the text is not valid JSON: line 1*' '{"data": ['
declines 1 "squad2tfrecord: '/dev/null' holds no question" 'an empty file' squad2tfrecord -o bad.rec /dev/null
[ ! -e bad.rec ]
result $? 'nothing is written then'
echo '{"data": []}' >empty.json
declines 1 '*empty.json* no question*' 'no question' squad2tfrecord empty.json
declines 2 '*give either --no-answers or --realign' 'answers moved and left out' \
	squad2tfrecord --no-answers --realign a.json

# answers without a place
cat >texts.jsonl <<'END'
{"id": "q1", "question": "?", "context": "Zoë reads.", "answer": "reads"}
{"id": "q2", "question": "?", "context": "a b a", "answer": "a"}
{"id": "q3", "question": "?", "context": "a b a", "answer": "a", "answer_start": 4}
{"id": "q4", "question": "?", "context": "a b a", "answers": ["b", "b a"]}
{"id": "q5", "question": "?", "context": "a b a", "answer": {"text": "b", "answer_start": 2}}
{"id": "q6", "question": "?", "context": "a b a", "answer": ["b"], "answers": []}
{"id": "q8", "question": "?", "context": "a b a", "answers": {"text": "a", "answer_start": 4}}
{"id": "q7", "question": "?", "context": "a b a", "answer": null, "answers": null}
END
works 'answers that are texts alone' squad2tfrecord -o texts.rec texts.jsonl
is "$(cat err)" 'squad2tfrecord: 1 answer without an answer_start, and more than once in the context: the first place is taken
squad2tfrecord: 8 questions: 6 answered, 1 without an answer in the context, 1 unlabelled' 'are counted'
is "$(tfrecord-cat -q --json texts.rec | cut -c 1-40)" '{"answer_starts": 4, "answers": "reads",
{"answer_starts": 0, "answers": "a", "co
{"answer_starts": 4, "answers": "a", "co
{"answer_starts": [2, 2], "answers": ["b
{"answer_starts": 2, "answers": "b", "co
{"answer_starts": {"int64": []}, "answer
{"answer_starts": 4, "answers": "a", "co
{"context": "a b a", "id": "q7", "questi' 'and found'
bad "line 1: question 'q': answer 1, 'zoë': the context does not contain it (*--no-answers)" \
	'{"id": "q", "question": "?", "context": "Zoë", "answer": "zoë"}'
bad "line 1: question '0': 'answer' is neither a text nor *" '{"question": "?", "context": "c", "answer": 5}'
bad "line 1: question '0': has 2 answers, but 1 in 'answer_start'" \
	'{"question": "?", "context": "a b", "answers": ["a", "b"], "answer_start": [0]}'
bad "line 1: question '0': answer 1: 'answer_start' is not a whole number *" \
	'{"question": "?", "context": "a", "answer": "a", "answer_start": 0.5}'
for start in '""' '"x"' '"-1"' '"0.5"'; do
	bad "line 1: question '0': answer 1: 'answer_start' is not a whole number *" \
		'{"question": "?", "context": "a", "answer": "a", "answer_start": '"$start}"
done
# of a table, as tfrecord-cat makes JSON of it
is "$(echo '{"id": "7", "text_a": "?", "question": "?", "context": "a b a", "answer_text": "a", "answer_start": "4"}' |
	squad2tfrecord -q | tfrecord-cat -q --json)" \
	'{"answer_starts": 4, "answers": "a", "context": "a b a", "id": "7", "question": "?"}' 'texts as members'
# places beside texts, as numbers of other programs; a word rather than a part of one
printf '{"question": "?", "context": "%s", %s}\n' 'a b a' '"answers": ["a", "b"], "answer_start": [4.0, 2]' \
	'a b a' '"answer": ["a"], "answer_start": 4' 'a b a' '"answers": "b"' 'a b a' '"answers": {"text": "b"}' \
	'Do you know? no' '"answer": "no"' 'Do you know?' '"answer": "no"' 'Wissen: 2 %, 12 %' '"answer": "2 %"' |
	squad2tfrecord -q -o places.rec
is "$(tfrecord-cat -q --json places.rec | sed 's/.*"answer_starts": \([^"]*\), .*/\1/' | tr '\n' ' ')" '[4, 2] 4 2 2 13 8 8 ' \
	'places beside texts, and of words'

# Parquet
P=$DATA/parquet
is "$(json "$P/squad.parquet")" "$(json "$P/squad.jsonl")" 'Parquet as JSON Lines'
# shellcheck disable=SC2002 # a pipe is the point
is "$(cat "$P/squad.parquet" | json --no-answers)" "$(json --no-answers "$P/squad.jsonl")" '... from a pipe'
refuses "squad2tfrecord: '$P/classes.parquet': record 1 (row group 1): has no member 'context'" \
	'Parquet of something else' squad2tfrecord -o x.rec "$P/classes.parquet"
head -c 900 "$P/squad.parquet" >cut.parquet
refuses "squad2tfrecord: cannot read 'cut.parquet': it begins as a Parquet file does, but does not end as one*" \
	'Parquet that is cut short' squad2tfrecord -o x.rec cut.parquet

# CSV, with answers as pandas writes them
cat >q.csv <<'END'
id,title,context,question,answers,is_impossible
7,T,"Ben, who reads.",Who?,"{'text': ['Ben', 'Ben'], 'answer_start': [0, 0]}",False
8,,"Ann said ""(1990)"".",When?,"{'text': array(['(1990)'], dtype=object), 'answer_start': array([10], dtype=int32)}",0
x,,a,b,"{'text': [], 'answer_start': []}",True
y,,a b,b,"[{""text"": ""b"", ""answer_start"": 2}]",
,,a b,b,b,
n,,a b,b,,
END
is "$(json q.csv)" '{"answer_starts": [0, 0], "answers": ["Ben", "Ben"], "context": "Ben, who reads.", "id": "7", "question": "Who?", "title": "T"}
{"answer_starts": 10, "answers": "(1990)", "context": "Ann said \"(1990)\".", "id": "8", "question": "When?"}
{"answer_starts": {"int64": []}, "answers": {"bytes": []}, "context": "a", "id": "x", "question": "b"}
{"answer_starts": 2, "answers": "b", "context": "a b", "id": "y", "question": "b"}
{"answer_starts": 2, "answers": "b", "context": "a b", "id": "4", "question": "b"}
{"answer_starts": {"int64": []}, "answers": {"bytes": []}, "context": "a b", "id": "n", "question": "b"}' 'CSV'
for c in ',' ';' '|' '\t'; do
	printf "\357\273\277question${c}context${c}answer_text${c}answer_start\nWho?${c}Ann and Ann.${c}Ann${c}8.0\nWho?${c}Ann.${c}Ann${c}\n" >q.csv
	is "$(json q.csv | cut -c 1-39 | tr '\n' ' ')" '{"answer_starts": 8, "answers": "Ann",  {"answer_starts": 0, "answers": "Ann",  ' \
		"divided by '$c'"
done
is "$(json --no-answers q.csv | grep -c answer)" 0 '... without its answers'
# table MESSAGE LINE ...: what is wrong in a table
table() {
	message=$1
	shift
	printf '%b\n' "$@" >bad.csv
	refuses "squad2tfrecord: $message" "CSV: $message" squad2tfrecord -o x.rec bad.csv
}
table "cannot find column 'context' in 'bad.csv' (did you mean 'contxt'?); its columns are 'question', 'contxt'" question,contxt a,b
table "'bad.csv': it is neither JSON nor a table of questions: it begins with 'a,b' (*" a,b c,d
table "cannot read 'bad.csv': record 1 (line 2): question '0': answer 1, 'd': the context does not contain it (*--no-answers)" \
	question,context,answer a,b,d
table "cannot read 'bad.csv': record 2 (line 3): question '1': answer 1, 'c', is not at answer_start 2, *" \
	question,context,answer,answer_start a,cc,c,0 a,cc,c,2
table "cannot read 'bad.csv': record 1 (line 2): 'context' is not valid utf-8 (byte E9 at position 1) (iconv *" \
	question,context 'a,\0351'
table "cannot read 'bad.csv': record 1 (line 2): text after a closing quote" question,context '"a" b,c'
table "cannot read 'bad.csv': record 1 (line 2): 3 fields, expected 2 (a field that *" question,context a,b,c
finish
