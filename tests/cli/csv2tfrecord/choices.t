#!/bin/sh
# SPDX-License-Identifier: MIT
# csv2tfrecord --choices: questions with choices, up to their token records.
# Not under thread: the threads are those of cli/common/read-ahead
. "$TEST_TOP/tests/lib/lib.sh"
vocab=$TEST_TOP/pipelines/data/vocab.txt

# holds TEXT NAME OPTION...: the records
holds() {
	wanted=$1 name=$2
	shift 2
	is "$(csv2tfrecord -q "$@" | tfrecord-cat -q --json)" "$wanted" "$name"
}

printf 'id,prompt,A,B,C,answer\n1,a card,no,yes,new,B\n2,a book,the,a,,0\n' >a.csv
holds '{"choices": ["no", "yes", "new"], "id": "1", "label": "B", "label_names": ["A", "B", "C"], "text_a": "a card"}
{"choices": ["the", "a"], "id": "2", "label": "A", "label_names": ["A", "B"], "text_a": "a book"}' \
	'a name or a number, and fewer choices' -t prompt --choices A,B,C -l answer -i id a.csv
holds '{"choices": ["yes", "no"], "label_names": ["B", "A"], "text_a": "a card"}
{"choices": ["a", "the"], "label_names": ["B", "A"], "text_a": "a book"}' \
	'in the order asked for, without a label' -t prompt --choices B,3 a.csv
printf 'q,0,1,a\nx,b,c,1\n' >n.csv
holds '{"choices": ["c", "b"], "label": "1", "label_names": ["1", "0"], "text_a": "x"}' \
	'a name that is a number wins' -t q --choices 1,0 -l a n.csv
printf 'q,1,2,3,a\nx,b,c,d,0\n' >from1.csv
refuses "*the label '0' is not one of the 3 choices, '1' to '3' (--map-label renames labels)" 'and then labels are not counted from 0' \
	csv2tfrecord -q -t q --choices 1,2,3 -l a -o x from1.csv
# counts WARNED NAME LABEL ...: 24 questions that have these in turn
counts() {
	warned=$1 name=$2
	shift 2
	echo "$@" | awk '{ print "q,A,B,C,D,a"; for (i = 0; i < 24; i++) print "x" i ",b,c,d,e," $(i % NF + 1) }' >count.csv
	csv2tfrecord -t q --choices A,B,C,D -l a -o x $more count.csv 2>err
	is "$(grep '^[^:]*: warning: ' err)" "$warned" "$name"
}
more=
counts 'csv2tfrecord: warning: none of 24 labels is 0, the number of the first choice: 1 was taken for the second (if they count from 1, --map-label 1=A,2=B renames them)' \
	'labels that seem to count from 1' 1 2 3 2
counts '' '... which a 0 shows not to be so' 1 2 3 0
counts '' '... nor names' B C D B
counts '' '... nor a few numbers beside them' B C D 1
more='--map-label 1=A,2=B,3=C'
counts '' '... nor those that got new names' 1 2 3 2
printf '{"ctx": "he", "ending0": "runs", "ending1": "\303\251", "label": 1}\n{"ctx": "x", "ending0": "a", "ending1": null, "label": 0}\n' >s.jsonl
holds '{"choices": ["runs", "é"], "label": "ending1", "label_names": ["ending0", "ending1"], "text_a": "he"}' \
	'JSON Lines' --skip-bad -t ctx --choices ending0,ending1 -l label s.jsonl
like "$(csv2tfrecord -t ctx --choices ending0,ending1 -l label --skip-bad s.jsonl 2>&1 >/dev/null)" \
	'*1 with an empty choice*' 'counts what is malformed'
printf 'q,a,b\n\350,\351\352,\353x\n' >l.csv
holds '{"choices": ["éê", "ëx"], "label_names": ["a", "b"], "text_a": "è"}' 'another character set' \
	--encoding latin1 -t q --choices a,b l.csv
printf 'prompt,A,B\nq,x,y\nq,x,z\nq,x,y\n' >again.csv
is "$(csv2tfrecord -q -t prompt --choices A,B --drop-duplicates again.csv | tfrecord-cat -q --count)" 2 \
	'other choices are no duplicate'
like "$(csv2tfrecord -t prompt --choices A,B,C -l answer -o a.text a.csv 2>&1)" '*2 records*' 'no contradictions'

refuses "*'a.csv': record 2 (line 3): the choice 'C' is empty, and the ones behind it are not*" \
	'a gap' csv2tfrecord -q -t prompt --choices C,A,B -l answer -o x a.csv
refuses "*the label 'B' is not one of the 2 choices, 'A' to 'C', or the number of one, from 0*" \
	'a label of another column' csv2tfrecord -q -t prompt --choices A,C -l answer -o x a.csv
printf 'q,a,b,l\nx,y,,a\n' >one.csv
refuses '*record 1 (line 2): the question has but one choice*' 'one choice' \
	csv2tfrecord -q -t q --choices a,b -l l -o x one.csv
misuses '*choices need two columns or more, except in lists*' 'one column' csv2tfrecord -q -t q --choices a -o x one.csv
misuses '*choice column 2 of * is given twice*' 'a column twice' csv2tfrecord -q -t q --choices a,a -o x one.csv
misuses '*several choice columns need a header*' 'columns without names' \
	csv2tfrecord -q -t 1 --choices 2,3 --no-header -o x one.csv
for o in '--pair l' '-l l --fold-case'; do
	# shellcheck disable=SC2086 # options
	misuses '*--pair, --label-separator, --fold-case and --label-type float make no sense with --choices*' "$o" \
		csv2tfrecord -t q --choices a,b $o one.csv
done
misuses "*column 4 of 'one.csv' cannot be both label and choice*" 'the answer as a choice' \
	csv2tfrecord -q -t q --choices a,l -l l -o x one.csv
misuses "*column 1 of 'one.csv' cannot be both text and choice*" 'the question as a choice' \
	csv2tfrecord -q -t q --choices a,q -l l -o x one.csv
printf 'q,A,A,B\nx,y,z,w\n' >same.csv
refuses "*choice columns 2 and 3 of 'same.csv' have the same name, 'A'*" 'two choices of a name' \
	csv2tfrecord -q -t q --choices 4,2,3 -o x same.csv
misuses '*--choices makes no sense with --task*' 'data sets' csv2tfrecord --task rte --choices a,b one.csv

# lists of choices
cat >lists.jsonl <<'END'
{"question": "q", "options": ["x", "\u00e9\"", 3], "answer": "C"}
{"question": "r", "options": ["x", "y", ""], "answer": 1}
END
holds '{"choices": ["x", "é\"", "3"], "label": "C", "label_names": ["A", "B", "C"], "text_a": "q"}
{"choices": ["x", "y"], "label": "B", "label_names": ["A", "B"], "text_a": "r"}' \
	'a list of JSON Lines, named by letters' -t question --choices options -l answer lists.jsonl
cat >arc.jsonl <<'END'
{"id": "a", "question": {"stem": "q", "choices": [{"text": "x", "label": "A"}, {"label": "B", "text": "y"}]}, "answerKey": "B"}
{"id": "b", "question": {"stem": "r", "choices": [{"text": "x", "label": "1"}, {"text": "z", "label": "2"}]}, "answerKey": "2"}
END
holds '{"choices": ["x", "y"], "id": "a", "label": "B", "label_names": ["A", "B"], "text_a": "q"}
{"choices": ["x", "z"], "id": "b", "label": "2", "label_names": ["1", "2"], "text_a": "r"}' 'a list of objects with names' \
	-i id -t question.stem --choices question.choices.text --choice-names question.choices.label -l answerKey arc.jsonl
for f in parquet jsonl; do
	holds '{"choices": ["3", "4"], "label": "B", "label_names": ["A", "B"], "text_a": "2 + 2"}
{"choices": ["0", "1", "2"], "label": "2", "label_names": ["1", "2", "3"], "text_a": "1 or 0"}' "lists and names of $f" \
		-t question --choices choices.text --choice-names choices.label -l answerKey "$DATA/parquet/choices.$f"
done
holds '{"choices": ["3", "4", "5"], "label": "B", "label_ids": 1, "label_names": ["A", "B", "C"], "text_a": "2 + 2"}
{"choices": ["1", "0"], "label": "A", "label_ids": 0, "label_names": ["A", "B"], "text_a": "1 or 0"}' \
	'a class of Parquet as the label' -t question --choices options -l answer "$DATA/parquet/choices.parquet"
# lacks PATTERN NAME VALUE: a question with these options is malformed
lacks() {
	printf '{"q": "x", "o": %s, "n": ["1", "1"]}\n' "$3" >l.jsonl
	refuses "*record 1 (line 1): $1*" "$2" csv2tfrecord -t q --choices o -o x l.jsonl
}
lacks "the choices are 'a', expected a list" 'a text in place of a list' '"a"'
lacks 'the question has no choices' 'null' null
lacks 'the question has but one choice' 'a list of one' '["a", ""]'
lacks "the choice 'B' is empty, and the ones behind it are not" 'a gap in a list' '["a", "", "b"]'
lacks "byte 23: 'o' holds a list with other values" 'a list in a list' '["a", ["b"]]'
lacks "the question has 27 choices, more than letters to name them (--choice-names reads them from a column)" \
	'more than the letters' "$(awk 'BEGIN { s = "[1"; for (i = 0; i < 26; i++) s = s ",1"; print s "]" }')"
printf '{"q": "x", "o": ["a", "b"], "n": ["1", "1"]}\n' >l.jsonl
refuses "*record 1 (line 1): two choices have the name '1'*" 'a name twice' \
	csv2tfrecord -q -t q --choices o --choice-names n -o x l.jsonl
printf '{"q": "x", "o": ["a", "b"], "n": ["1", ""]}\n' >l.jsonl
refuses "*record 1 (line 1): a choice's name is empty*" 'an empty name' \
	csv2tfrecord -q -t q --choices o --choice-names n -o x l.jsonl
printf '{"q": "x", "o": ["a", "b"], "n": ["1"]}\n' >l.jsonl
refuses "*record 1 (line 1): there are 2 choices and 1 names of them*" 'a name that is missing' \
	csv2tfrecord -q -t q --choices o --choice-names n -o x l.jsonl
printf '{"q": "x", "o": ["a", "b"], "n": ["A"]}\n' >l.jsonl
refuses "*record 1 (line 1): byte * 'n' holds a list, expected a string*" 'a list as the label' \
	csv2tfrecord -q -t q --choices o -l n -o x l.jsonl
refuses "*column 'choices.label' of * holds lists, expected single values*" '... of Parquet' \
	csv2tfrecord -q -t question --choices choices.text -l choices.label -o x "$DATA/parquet/choices.parquet"
misuses '*column 2 of * cannot be both label and names of choices*' 'the names as the label' \
	csv2tfrecord -q -t q --choices o --choice-names n -l n -o x l.jsonl
refuses "*record 1 (row group 1): the choices are 'B', expected a list*" 'a column of Parquet that holds no lists' \
	csv2tfrecord -q -t question --choices answer -o x "$DATA/parquet/choices.parquet"
# the last 3 is a name
perl -pe 'BEGIN { $/ = undef } s/\x01\x00\x00\x00\K3(?!.*\x01\x00\x00\x003)/\xff/s' \
	<"$DATA/parquet/choices.parquet" >odd.parquet
refuses "*record 2 (row group 1): the choice is not valid utf-8 (byte FF at position 1)*" 'a name that is not UTF-8' \
	csv2tfrecord -q -t question --choices choices.text --choice-names choices.label -l answerKey -o x odd.parquet
misuses '*a column for each choice gives their names*' 'names for columns' \
	csv2tfrecord -q -t prompt --choices A,B --choice-names id -o x a.csv
misuses '*--choice-names needs --choices*' 'names without choices' csv2tfrecord --choice-names B n.csv

# a pair for each
bert-tokenize -q -m "$vocab" --keep-text -o a.rec a.text
is "$(tfrecord-cat -q --json a.rec | sed 's/"input_[^]]*\], //g; s/"segment[^]]*\], //; s/, "tokenizer.*//')" \
	'{"label": "B", "label_ids": 1, "label_names": ["A", "B", "C"], "text_a": "a card", "text_b": "no", "text_number": 0
{"label": "B", "label_ids": 1, "label_names": ["A", "B", "C"], "text_a": "a card", "text_b": "yes", "text_number": 1
{"label": "B", "label_ids": 1, "label_names": ["A", "B", "C"], "text_a": "a card", "text_b": "new", "text_number": 2
{"label": "A", "label_ids": 0, "label_names": ["A", "B"], "text_a": "a book", "text_b": "the", "text_number": 0
{"label": "A", "label_ids": 0, "label_names": ["A", "B"], "text_a": "a book", "text_b": "a", "text_number": 1' \
	'are token records, one behind the other'
bert-tokenize -q -m "$vocab" --prompt-text 'the ' --keep-text -o prompt.rec a.text
is "$(tfrecord-cat -q --json prompt.rec | sed 's/"input_mask.*"text_a/"text_a/; s/, "text_number.*//; 4,$d')" \
	'{"input_ids": [2, 213, 47, 250, 3, 304, 3], "text_a": "a card", "text_b": "no"
{"input_ids": [2, 213, 47, 250, 3, 71, 109, 3], "text_a": "a card", "text_b": "yes"
{"input_ids": [2, 213, 47, 250, 3, 271, 3], "text_a": "a card", "text_b": "new"' \
	'a prompt goes before the question, once'
awk 'BEGIN { print "prompt,A,B"; for (i = 0; i < 3000; i++) print "q" i ",a" i ",b" i }' >many.csv
for j in 1 3; do
	csv2tfrecord -q -t prompt --choices A,B many.csv | bert-tokenize -q -j $j -m "$vocab" | cksum >sum$j
done
same sum1 sum3 'threads do not matter'
like "$(bert-tokenize -m "$vocab" a.text 2>&1 >/dev/null)" '*2 texts, *' 'two questions'
awk 'BEGIN { t = "prompt"; q = "q"; for (i = 1; i <= 1001; i++) { t = t ",c" i; q = q ",x" }; print t; print q }' >wide.csv
columns=$(sed -n '1s/prompt,//p' wide.csv)
csv2tfrecord -q -t prompt --choices "$columns" -o wide.text wide.csv
refuses "*'wide.text': record 1: has 1001 choices, more than 1000*" 'too many choices' \
	bert-tokenize -q -m "$vocab" -o x wide.text
is "$(csv2tfrecord -q -t prompt --choices "${columns%,*}" wide.csv | bert-tokenize -q -m "$vocab" | tfrecord-cat -q --count)" \
	1000 'and as many as there may be'
for o in '--labels A,B,C' '--dummy-label A'; do
	# shellcheck disable=SC2086 # options
	refuses '*record 1: has choices, whose names are its labels, in place of given ones and of a dummy*' "not with $o" \
		bert-tokenize -q -m "$vocab" $o -o x a.text
done
like "$(bert-tokenize -m "$vocab" --max-length 5 a.text 2>&1 >/dev/null)" '*2 texts, *; 2 texts truncated to 5 tokens*' \
	'questions that are cut for several choices'
for o in --apart '--stride 2 --max-length 8' '--layout bert --pad 8'; do
	# shellcheck disable=SC2086 # options
	refuses '*has choices, which go with one text, not apart, not in windows, and in full records*' "not with $o" \
		bert-tokenize -q -m "$vocab" $o a.text
done
refuses '*has 2 choices and 1 names of them*' 'names that are missing' \
	sh -c 'echo "{\"text_a\": \"a\", \"choices\": [\"b\", \"c\"], \"label_names\": [\"A\"]}" |
		tfrecord-cat -q --from-json | bert-tokenize -q -m "$1" -o x' sh "$vocab"
refuses "*the label 'C' names none of the 2 choices of its record*" 'a label that is none of them' \
	sh -c 'echo "{\"text_a\": \"a\", \"choices\": [\"b\", \"c\"], \"label_names\": [\"A\", \"B\"], \"label\": \"C\"}" |
		tfrecord-cat -q --from-json | bert-tokenize -q -m "$1" -o x' sh "$vocab"
x='{"base64": "eP8="}' # x and a byte that is not UTF-8
printf '%s\n' '{"text_a": "a", "choices": ["b", '"$x"'], "label_names": ["A", "B"]}' \
	'{"text_a": '"$x"', "choices": ['"$x"', "c"], "label_names": ["A", "B"]}' | tfrecord-cat -q --from-json |
	bert-tokenize -m "$vocab" --replace-invalid -o bad.rec 2>err
like "$(cat err)" '*; 2 texts with invalid UTF-8 (3 U+FFFD put in)*' 'questions with invalid bytes, in any choice'
finish
