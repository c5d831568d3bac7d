#!/bin/sh
# SPDX-License-Identifier: MIT
# csv2tfrecord --keep: columns that go with records, up to bert-eval --by.
# Not under thread: the threads are those of cli/common/read-ahead
. "$TEST_TOP/tests/lib/lib.sh"
vocab=$TEST_TOP/pipelines/data/vocab.txt

# holds TEXT NAME OPTION...: the records
holds() {
	wanted=$1 name=$2
	shift 2
	is "$(csv2tfrecord -q "$@" | tfrecord-cat -q --json)" "$wanted" "$name"
}

printf 'text,n,lang,label,src\na card,1,fr,x,"s ""1"""\na book,2,,y,s\n' >a.csv
holds '{"text_a": "a card", "lang": "fr"}
{"text_a": "a book", "lang": ""}' 'a column' --keep lang a.csv
holds '{"id": "1", "label": "x", "text_a": "a card", "src": "s \"1\"", "n": "1"}
{"id": "2", "label": "y", "text_a": "a book", "src": "s", "n": "2"}' \
	'several, by name and by number, beside all else' -i n -l label --keep src,2 a.csv
printf 'a,b,c\n' >bare.csv
holds '{"text_a": "a", "2": "b", "3": "c"}' 'without a header' --no-header -t 1 --keep 2,3 bare.csv
printf '"a,b",text\nx,y\n' >comma.csv
holds '{"text_a": "y", "a,b": "x"}' 'a name with a comma' --keep a,b comma.csv
printf '{"text": "a", "k": true, "m": null}\n{"text": "b", "k": 2.50, "m": "v"}\n' >c.jsonl
holds '{"text_a": "a", "k": "true"}
{"text_a": "b", "k": "2.50", "m": "v"}' 'JSON Lines, where null is absent' --keep k,m c.jsonl
printf 'text,l,m\na,\351\350,b\n' >d.csv
holds '{"text_a": "a", "l": "éè", "m": "b"}' 'another character set' --encoding latin1 --keep l,m d.csv
printf 'language\tgold_label\tsentence1\tsentence2\tpairID\nfr\tneutral\ta\tb\t1\n' >x.tsv
holds '{"id": "1", "label": "neutral", "label_ids": 2, "text_a": "a", "text_b": "b", "language": "fr"}' \
	'of a published data set' --task xnli --keep language x.tsv
printf 'src,text,lang\nq,c,it\n' >b.csv
holds '{"text_a": "a card", "lang": "fr", "src": "s \"1\""}
{"text_a": "a book", "lang": "", "src": "s"}
{"text_a": "c", "lang": "it", "src": "q"}' 'in files of another order' --keep lang,src a.csv b.csv

# they travel along
csv2tfrecord -q -l label --keep lang,src -o a.text a.csv
bert-tokenize -q -m "$vocab" -o a.rec a.text
like "$(tfrecord-cat -q --json --head 1 a.rec)" '{"input_ids": *"tokenizer": "*", "lang": "fr", "src": "s \\"1\\""}' \
	'bert-tokenize passes them on'
is "$(tfrecord-cat -q --where lang=fr --count a.rec)" 1 'tfrecord-cat knows them'
bert-tokenize -q -m "$vocab" --max-length 4 --stride 1 -o windows.rec a.text
is "$(tfrecord-cat -q --json windows.rec | grep -c '"lang"')" \
	"$(tfrecord-cat -q --count windows.rec)" 'each window has them'
is "$(bert-tokenize -q -m "$vocab" --pad 8 --max-length 8 --labels x,y --layout modelgarden a.text |
	tfrecord-cat -q --json | grep -c lang)" 0 'a layout of others does not'
tfrecord-cat -q --json a.text | sed 's/"lang": "[a-z]*"/"f": [1.5, 2.0], "i": [7, 8], "z": {"bytes": []}, "none": null, "window": 3/' |
	tfrecord-cat -q --from-json | bert-tokenize -q -m "$vocab" -o odd.rec
like "$(tfrecord-cat -q --json --head 1 odd.rec)" \
	'{*"tokenizer": "*", "f": [[]1.5, 2.0], "i": [[]7, 8], "z": {"bytes": [[]]}, "none": null, "src": *' \
	'features of any kind, but none that records have anyway'

# and the model does not mind
csv2tfrecord -q -l label -o plain.text a.csv
bert-tokenize -q -m "$vocab" -o plain.rec plain.text
for f in plain a; do
	bert-train -q -j1 --init-config tiny --tokenizer "$vocab" --steps 1 -o $f.model $f.rec
done
same a.model/model.safetensors plain.model/model.safetensors 'training is the same'
is "$(bert-eval -q -j1 -m a.model --by lang a.rec | sed '1,/^by lang/d' | awk '{ print $1, $2 }')" \
	'"" 1
fr 1' 'bert-eval --by them'

refuses "*cannot find column 'lnag' in 'a.csv' (did you mean 'lang'?)*" \
	'a column that is not there' csv2tfrecord --keep lnag a.csv
exits 2 'a name that records have' csv2tfrecord -l n --keep label a.csv
is "$(head -n 1 err)" "csv2tfrecord: column 'label' cannot be kept: records have a feature of that name" 'the message says so'
exits 2 'twice' csv2tfrecord --keep lang,src,3 a.csv
is "$(head -n 1 err)" "csv2tfrecord: kept column 3 of 'a.csv' is given twice" 'the message says so'
refuses "*record 1 (line 2): the value kept is not valid utf-8*" 'a value that is no text' \
	csv2tfrecord --keep l d.csv
refuses "*has no key 'm'*" 'a key that is not there' \
	sh -c 'printf "{\"text\": \"a\"}\n" | csv2tfrecord --keep m'
finish
