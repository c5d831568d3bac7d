#!/bin/sh
# SPDX-License-Identifier: MIT
# csv2tfrecord on JSON Lines.
# Not under thread: the threads are those of cli/common/read-ahead
# shellcheck shell=sh
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/csv.sh"

cat >a.jsonl <<'END'
{"text": "caf\u00e9 \"one\"\n", "label": 1, "id": "x1", "meta": {"by": [1, {}]}}

{"id": 2, "label": true, "text": ""}
{"label": -0.50, "text": "b", "id": 12345678901234567890}
END
gives 'text_a=café "one"\n
text_a=
text_a=b' 'told by its first character' a.jsonl
is "$(cat err)" 'csv2tfrecord: 3 records from 1 file; 1 text is empty' \
	'the summary'
gives 'id=x1|label=1|text_a=café "one"\n
id=2|label=true|text_a=
id=12345678901234567890|label=-0.50|text_a=b' \
	'numbers and booleans as their text' -l label -i id a.jsonl
gives 'text_a=1 café "one"\n|text_b=x1
text_a=true |text_b=2
text_a=-0.50 b|text_b=12345678901234567890' 'joined and paired' \
	-t label,text --pair id - <a.jsonl
printf '%s\n' '{"text": "x", "meta": {"label": 1, "by": {"name": "Ann"}}}' '{"text": "y", "meta.label": 0, "meta": {"by.name": "B"}}' >members.jsonl
gives 'id=Ann|label=1|text_a=x
id=B|label=0|text_a=y' 'members of objects, and keys with dots' -l meta.label -i meta.by.name members.jsonl
refuses "*record 1 (line 1): has no key 'meta.labels'; the keys of 'meta' are 'label', 'by'" 'a member that is missing' \
	csv2tfrecord -o x -l meta.labels members.jsonl
refuses "*record 1 (line 1): has no key 'meta.by.nam'; the keys of 'meta.by' are 'name'" '... two objects down' \
	csv2tfrecord -o x -l meta.by.nam members.jsonl
refuses "*record 1 (line 1): has no key 'met.label'; its keys are 'text', 'meta'" '... of which the object is, too' \
	csv2tfrecord -o x -l met.label members.jsonl
printf '%s\n' '{"text": "x", "meta": {"tags": [{"name": "a"}, {"name": "b"}]}}' >tags.jsonl
gives 'label=[a,b]|text_a=x' 'labels in a list of objects' -l meta.tags.name tags.jsonl
gzip -k a.jsonl
gives 'text_a=café "one"\n
text_a=
text_a=b' 'compressed' a.jsonl.gz
printf '\357\273\277\r\n {"text":"x"}\r\n{"text":"y"}' >b.txt
gives 'text_a=x
text_a=y' 'a byte order mark, CRLF, no last line end' b.txt
printf 'text,k\nz,{\n' >c.csv
gives 'text_a=x
text_a=y
text_a=z' 'beside a CSV file' b.txt c.csv
printf '{text},k\nz,1\n' >brace.csv
gives 'text_a=z' 'CSV that begins with a brace' --format csv -t '{text}' brace.csv
gives 'text_a=z' 'so do options of CSV' --delimiter , -t '{text}' brace.csv
for option in --no-header --no-quote --delimiter=, --encoding=latin1; do
	exits 2 "$option with JSON Lines" csv2tfrecord --format jsonl $option a.jsonl
	is "$(head -n 1 err)" "csv2tfrecord: ${option%%=*} makes no sense with --format jsonl" \
		'... is a mistake'
done

# bad TEXT MESSAGE: the second line is bad
bad() {
	printf '{"text":"a"}\n%b\n{"text":"z"}\n' "$1" >bad.jsonl
	refuses "csv2tfrecord: cannot read 'bad.jsonl': record 2 (line 2): $2" \
		"refuses $1" csv2tfrecord -o x bad.jsonl
	csv2tfrecord -q --skip-bad -o x bad.jsonl
	is "$("$TEST_TOP/tests/lib/records" x)" 'text_a=a
text_a=z' '... which can be skipped'
}
bad '{"txt":1,"b c":2}' "has no key 'text'; its keys are 'txt', 'b c'"
bad '{}' "has no key 'text', nor any"
bad '{"text":null}' 'the text is null'
bad '{"text":{"a":1}}' \
	"byte 9: 'text' holds an object, expected a string, number or boolean (KEY.NAME is the value of NAME in *"
bad '{"text":{"0":"a","1":"b"},"label":{"0":1,"1":0}}' \
	"byte 9: 'text' holds an object, * (these are columns: to_json(orient='records') of pandas *"
bad '{"text":{"0":"\\"start\\" it","1":"b"}}' "byte 9: 'text' holds an object, * (these are columns: *"
bad '{"b":1,"text":["a"]}' "byte 15: 'text' holds a list, expected a string, number or boolean"
bad '{"text":"a"' "byte 12: expected ',' or '}'"
bad '{"text":"a}' 'byte 12: the string is not closed'
bad '{"text":"a" "b":1}' "byte 13: expected ',' or '}'"
bad '{"text":"a","text":"b"}' 'byte 20: a key that stands twice'
bad '{"text":"\\u0000"}' "a NUL in 'text'"
bad '{"text":"\\ud800x"}' 'byte 11: half of a surrogate pair'
bad '{"text":"\0377"}' 'byte 10: not valid utf-8 (byte FF) (iconv *)'
bad 'text' 'byte 1: expected an object'
bad '{"text":01}' "byte 10: expected ',' or '}'"
bad '{"text":"a"} x' 'byte 14: text behind the object'

# a table in one object, as it is and too long to be read
bad '{"a":1,"data":[ {"text":"x"}]}' "has no key 'text'; its keys are 'a', 'data' (jq -c '.KEY[[]]' FILE *)"
bad '{"a":1,"spans":[{"txt":"x"}]}' "has no key 'text'; its keys are 'a', 'spans'"
bad '{"columns":["text"],"data":[["x"]]}' "has no key 'text'; * (jq -c '.columns as *)"
bad '{"train":[["x","y"]]}' "has no key 'text'; * (jq -r '.KEY[[]] | @csv' *)"
bad '{"0":{"text":"x"}}' "has no key 'text'; * (jq -c '.[[]]' FILE *)"
perl -e 'print qq({"data":[{"text":"), "x" x (65 << 20), qq("}]}\n)' >long.json
refuses "*: longer than * (jq -c '.KEY[[]]' FILE *)" 'a large one' csv2tfrecord -o x long.json
# the rest was searched for the key from each list on: 10 seconds
awk 'BEGIN { printf "{\"k\":[{}]"; for (i = 1; i < 300000; i++) printf ",\"k\":[{}]"; print "}" }' >lists.jsonl
refuses "*has no key 'text'; its keys are 'k', *" 'nor many lists' sh -c 'ulimit -t 5; csv2tfrecord -q -j 1 -o x lists.jsonl'
if command -v jq >/dev/null; then
	printf '{"columns":["text","y"],"index":[0,1],"data":[["a","b"],["c,",null]]}' >split.json
	csv2tfrecord split.json 2>&1 >x.rec | sed "s/.*(jq -c '\(.*\)' FILE .*/\1/" >filter
	is "$(jq -c -f filter split.json | tr '\n' ' ')" '{"text":"a","y":"b"} {"text":"c,","y":null} ' 'what jq makes of it'
else
	skip 'what jq makes of it' 'jq is not installed'
fi

for o in -l --weight -i; do
	printf '{"text":"a","x":null}\n' >null.jsonl
	refuses "csv2tfrecord: cannot read 'null.jsonl': record 1 (line 1): the *" "a null for $o" \
		csv2tfrecord -o x $o x null.jsonl
done

# several labels
printf '%s\n' '{"text":"a","y":["u","b \u00e9"]}' '{"y": [ ] ,"text":"b"}' \
	'{"text":"c","y":[1, true,"u"]}' >labels.jsonl
gives 'label=[u,b é]|text_a=a
label=[]|text_a=b
label=[1,true,u]|text_a=c' 'a list is several labels' -l y labels.jsonl
gives 'label=[v,b é]|text_a=a
label=[]|text_a=b
label=[1,true,v]|text_a=c' 'with new names' -l y --map-label u=v labels.jsonl
for list in '["a",null]' '[["a"]]' '["a",{}]'; do
	echo "{\"text\":\"a\",\"y\":$list}" >odd.jsonl
	refuses "*record 1 (line 1): byte *: 'y' holds a list with other values, expected *" \
		"not $list" csv2tfrecord -l y odd.jsonl
done
echo '{"text":"a","y":["a" "b"]}' >odd.jsonl
refuses "*record 1 (line 1): byte 22: expected ',' or ']'" 'a comma is missing' csv2tfrecord -l y odd.jsonl
echo '{"text":"a","y":["a",""]}' >odd.jsonl
refuses "*record 1 (line 1): a label of the list is empty" 'an empty label' csv2tfrecord -l y odd.jsonl
echo '{"text":"a","y":[1, 2]}' >odd.jsonl
refuses "*'y' holds a list, expected *" 'several numbers' csv2tfrecord -l y --label-type float odd.jsonl
refuses "*record 1 (line 1): the value kept is a list" 'lists are not kept' \
	csv2tfrecord -l y --keep y labels.jsonl
{ cat labels.jsonl; echo '{"text":["a"],"y":["b"]}'; } >odd.jsonl
csv2tfrecord -q -l y --skip-bad -o x odd.jsonl
csv2tfrecord -l y --skip-bad -o x odd.jsonl 2>err
like "$(cat err)" '*1 bad row skipped: 1 with a list or an object under a key' 'lists elsewhere are counted'

# one list, and objects of several lines, as pandas and jq write them
printf '{"text":"a","y":"1"}\n{"text":"b {[","y":"2"}\n' >lines.jsonl
{ echo '[' && sed '$!s/$/,/' lines.jsonl && printf ']'; } >list.json
sed 's/[:,]/&\n  /g; s/{"/{\n"/' lines.jsonl >objects.json
{ printf '[\n\t' && sed '$!s/$/,/;s/{/&\t/' lines.jsonl && printf ']'; } >tabs.json
tr -d '\n' <list.json | gzip >list.json.gz
csv2tfrecord -q -l y lines.jsonl >lines.rec
for f in list.json objects.json tabs.json list.json.gz '--format jsonl list.json' '- <list.json'; do
	# shellcheck disable=SC2086 # options are words
	eval "csv2tfrecord -q -l y $f" | cmp -s - lines.rec
	result $? "the same of $f"
done
printf '[{"text": "a"},\n{"text": "b"},\n' >cut.json
refuses "csv2tfrecord: cannot read 'cut.json': record 3 (line 3): the array ends without a '[]]'" \
	'a list that is cut short' csv2tfrecord cut.json
printf '[{"text": "a"},\n{"text": },\n{"text": "c"}]' >bad.json
csv2tfrecord -q --rejects rejects.csv bad.json | tfrecord-cat -q --json >rest
is "$(cat rest)" '{"text_a": "a"}
{"text_a": "c"}' 'reading goes on behind a bad object'
is "$(sed -n 2p rejects.csv)" 'bad.json,2,byte 10: expected a value,"{""text"": }"' '... which the file names'
printf '[[1, 2]]' >list.jsonl
refuses "*record 1 (line 1): byte 1: a list, expected an object" 'a list of lists' csv2tfrecord list.jsonl
printf '[ ]\n' >none.json
refuses "csv2tfrecord: 'none.json' is empty" 'a list of nothing' csv2tfrecord none.json
: >none.jsonl
refuses "csv2tfrecord: 'none.jsonl' is empty" 'an empty file' csv2tfrecord none.jsonl
printf '\n\n' >none.jsonl
refuses "csv2tfrecord: 'none.jsonl' is empty" 'blank lines' csv2tfrecord none.jsonl
misuses "*cannot be both text and label*" 'text and label alike' csv2tfrecord -l text a.jsonl

# A line of 20 MB, and one beyond the limit, which does not stay in memory.
perl -e 'print qq({"text":"), "x" x 20000000, qq("}\n)' >long.jsonl
works 'a long line' csv2tfrecord -q -o x long.jsonl
is "$(wc -c <x | tr -d ' ')" 20000049 '... is read whole'
perl -e 'print qq({"text":"); print "x" x 1000000 for 1 .. 300;
	print qq("}\n{"text":"y"}\n)' >long.jsonl
csv2tfrecord --skip-bad -o x long.jsonl 2>err
is "$? $("$TEST_TOP/tests/lib/records" x)" '0 text_a=y' 'a line beyond the limit'
like "$(cat err)" '*record 1 (line 1): longer than 67108864 bytes*1 beyond a limit' \
	'... is said to be'

# Cut at every byte: the first lines, or an error.
printf '{"text":"a","n":[1,2]}\n{"text":"b\\u00e9"}' >whole.jsonl
size=$(wc -c <whole.jsonl) at=0 odd=''
while [ $at -lt "$size" ]; do
	head -c $at whole.jsonl >cut.jsonl
	csv2tfrecord -q -o cut.tfrecord cut.jsonl 2>err
	case $?$at in
	022 | 023) ;;
	1*) [ ! -e cut.tfrecord ] && [ "$(wc -l <err)" = 1 ] || odd="$odd $at" ;;
	*) odd="$odd $at" ;;
	esac
	rm -f cut.tfrecord
	at=$((at + 1))
done
is "$odd" '' 'cut at every byte'
echo '{"": "a"}' >nameless.jsonl
works 'a key without a name' csv2tfrecord -t '' -o x nameless.jsonl
is "$(cat err)" 'csv2tfrecord: 1 record from 1 file' '... is not taken for row numbers'
echo '{"data": [{"text": "a"}]}' >inside.json
refuses "*has no key '';*" 'an empty key' csv2tfrecord -t '' -o no inside.json

finish
