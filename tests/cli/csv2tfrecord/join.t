#!/bin/sh
# SPDX-License-Identifier: MIT
# csv2tfrecord --join: columns of another file, found by a key.
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/csv.sh"

# a data set as BEIR has them
printf 'query-id\tcorpus-id\tscore\nq1\td1\t1\n2\td3\t1\nq1\td2\t0\n' >qrels.tsv
cat >corpus.jsonl <<'END'
{"_id": "d1", "title": "Ice", "text": "Ice is frozen water.", "metadata": {}}
{"_id": "d2", "title": "", "text": "Steam is hot.", "metadata": {"by": ["x"]}}
{"_id": "d3", "title": "Rain", "text": "It falls.", "metadata": {}}
END
printf '{"_id": "q1", "text": "what is ice?"}\n{"_id": 2, "text": "what falls?"}\n' >queries.jsonl
beir='label=1|text_a=what is ice?|text_b=Ice Ice is frozen water.
label=1|text_a=what falls?|text_b=Rain It falls.
label=0|text_a=what is ice?|text_b= Steam is hot.'
set -- -t query-id.text --pair corpus-id.title,corpus-id.text -l score
gives "$beir" 'queries and passages by their ids' "$@" \
	--join query-id=queries.jsonl --join corpus-id=corpus.jsonl qrels.tsv
gives "$beir" 'whose key is named' "$@" \
	--join query-id=queries.jsonl:_id --join corpus-id=corpus.jsonl:_id qrels.tsv
gives "$beir" 'from rows of JSON Lines' "$@" --join query-id=queries.jsonl \
	--join corpus-id=corpus.jsonl - <<'END'
{"query-id": "q1", "corpus-id": "d1", "score": 1}
{"query-id": "2", "corpus-id": "d3", "score": 1}
{"query-id": "q1", "corpus-id": "d2", "score": 0}
END
gzip -c corpus.jsonl >corpus.jsonl.gz
mkfifo pipe
cat queries.jsonl >pipe &
gives "$beir" 'compressed, and through a pipe' "$@" --join query-id=pipe \
	--join corpus-id=corpus.jsonl.gz qrels.tsv
wait
sed '2,$d' corpus.jsonl >one.jsonl
sed 1d corpus.jsonl >two.jsonl
gives "$beir" 'from files in parts' "$@" --join query-id=queries.jsonl \
	--join corpus-id=one.jsonl --join corpus-id=two.jsonl qrels.tsv
cat >meta.csv <<'END'
text,id,w,lang,rude,long
one,d1,1.5,en,0,1
two,d2,2,de,1,1
three,d3,3,en,0,0
END
gives 'corpus-id.lang=en|id=d1|label=corpus-id.long|label_names=[corpus-id.rude,corpus-id.long]|text_a=one|weight=1.5' \
	'in every part of a record' -t corpus-id.text -i corpus-id.id --weight corpus-id.w \
	-l corpus-id.rude,corpus-id.long --keep corpus-id.lang --where corpus-id.lang=en \
	--where query-id=q1 --join corpus-id=meta.csv qrels.tsv
like "$(cat err)" '*1 record *; 2 rows passed over*' 'other rows are passed over'
gives 'choices=[1,one]|label=score|label_names=[score,corpus-id.text]|text_a=q1' 'as a choice' \
	-t query-id --choices score,corpus-id.text --map-label d1=score \
	-l corpus-id --where score=1 --where query-id=q1 --join corpus-id=meta.csv qrels.tsv

# lists of a joined file
cat >lists.jsonl <<'END'
{"id": "d1", "turns": ["a", "b"], "tags": ["x", "y"], "n": ["P", "Q"]}
{"id": "d2", "turns": [], "tags": ["x"], "n": ["P", "Q"]}
END
printf 'id,t,l\nd1,one,P\nd2,two,Q\n' >of.csv
gives 'label=[x,y]|text_a=a b
label=x|text_a=' 'lists of texts and labels' -t id.turns -l id.tags --text-list --join id=lists.jsonl of.csv
gives 'choices=[x,y]|label=P|label_names=[P,Q]|text_a=one' 'of choices and their names' --where id=d1 -t t -l l \
	--choices id.tags --choice-names id.n --join id=lists.jsonl of.csv
printf 'id\n1\n2\n' >numbers.csv
gives 'text_a=a bb
text_a=' 'of Parquet' -t id.tokens --text-list --join id="$DATA/parquet/lists.parquet" --skip-bad numbers.csv
refuses "*'turns' holds a list, expected *" 'but not as texts' csv2tfrecord -t id.turns -l id.tags --join id=lists.jsonl -o no of.csv
refuses "*'of.csv': record 1 (line 2): the value asked for is a list" '... or a value asked for' \
	csv2tfrecord -t id.turns --text-list --where id.turns=a --join id=lists.jsonl -o no of.csv
misuses '*choices need two columns or more, except in lists*' 'nor does a CSV file list choices' \
	csv2tfrecord -t t --choices l -o no of.csv

works 'columns are listed' csv2tfrecord --list-columns --join id=meta.csv --join id=meta.csv of.csv
is "$(paste -sd ' ' out)" 'id t l id.text id.id id.w id.lang id.rude id.long' '... with those of a joined file, once'
refuses '*cannot open *nosuch.csv*' '... which must be there' csv2tfrecord --list-columns --join id=nosuch.csv of.csv

# without headers, as MS MARCO
printf '5\t10\t11\n5\t12\t10\n' >triples.tsv
printf '10\tten\n11\t"eleven\n12\ttwelve\n' >collection.tsv
printf '5\tfive\n' >queries.tsv
gives '3.2="eleven|text_a=five|text_b=ten
3.2=ten|text_a=five|text_b=twelve' 'columns by number' --no-header --no-quote -t 1.2 --pair 2.2 --keep 3.2 \
	--join 1=queries.tsv --join 2=collection.tsv --join 3=collection.tsv triples.tsv

printf '4\tfour\n5\tfive\n' >more.tsv
printf '4\t10\n5\t11\n' >lines.tsv
gives 'text_a=five' 'with the first row as the header' -t 1.2 --join 1=more.tsv lines.tsv
like "$(cat err)" "*warning: the first row of 'lines.tsv' was read as the header, '4' as the name of a column (*" \
	'a warning says so'
printf '5 0 12 1\n' >trec.qrels
gives 'label=1|text_a=five|text_b=twelve' 'another delimiter than theirs, as of TREC' --no-header --no-quote \
	--delimiter ' ' -t 1.2 --pair 3.2 -l 4 --join 1=queries.tsv --join 3=collection.tsv trec.qrels

# labels and texts by one id, as on Kaggle
printf 'essay_id,label\n7,x\n8,y\n' >labels.csv
printf 'text;essay_id\na, b;7\nc;8\n' >semicolon.csv
printf 'text\tessay_id\na, b\t7\nc\t8\n' >texts.tsv
both='label=x|text_a=a, b
label=y|text_a=c'
gives "$both" 'the key has the name of the column' -t essay_id.text -l label --join essay_id=texts.tsv labels.csv
tr , ';' <labels.csv >semicolons.csv
gives "$both" 'a delimiter is that of all' -t essay_id.text -l label --delimiter ';' \
	--join essay_id=semicolon.csv semicolons.csv
mkdir texts
printf 'a, b' >texts/7.txt
printf c >texts/8.txt
gives "$both" 'a folder of texts' -t essay_id.text -l label --join essay_id=texts labels.csv
printf '{"text": "a, b", "essay_id": 7}\n{"text": "c", "essay_id": 8}\n' >texts.jsonl
gives "$both" 'JSON Lines' -t essay_id.text -l label --join essay_id=texts.jsonl labels.csv
{
	printf '{"long": "%0100000d", "id": 7, "text": "a, b"}\n' 0
	echo '{"long": "", "id": 8, "text": "c"}'
} >long.jsonl
gives "$both" 'whose first object is long' -t essay_id.text -l label --join essay_id=long.jsonl labels.csv
printf '{"n": "7", "t": {"x": "a, b"}}\n{"t": {"x": "c"}, "n": "8"}\n' >nested.jsonl
gives "$both" 'the first key is that of the first object' -t essay_id.t.x -l label --join essay_id=nested.jsonl labels.csv
cp texts.tsv a:b.tsv
gives "$both" 'a file with a colon in its name' -t essay_id.text -l label --join essay_id=a:b.tsv labels.csv
gives "$both" '... and a key' -t essay_id.text -l label --join essay_id=a:b.tsv:essay_id labels.csv
printf 'id,t\nd1,caf\351\n' >latin1.csv
gives "text_a=$(printf 'caf\303\251')" 'another character set' -t id.t --encoding latin1 --join id=latin1.csv latin1.csv

printf 'id\nd1\n' >ascii.csv
refuses "csv2tfrecord: cannot read 'latin1.csv': record 1 (line 2): column 't' is not valid utf-8 (byte E9 at position 4) (use --encoding *" \
	'which is an error of the joined file' csv2tfrecord -t id.t --join id=latin1.csv -o no ascii.csv
misuses "*cannot read 'https://example.com/c.csv': remote files *" 'an address has no key' \
	csv2tfrecord -t id.t --join id=https://example.com/c.csv -o no ascii.csv

# Parquet
printf 'i,l\nt,x\nr,y\n' >letters.csv
gives 'label=x|text_a=c
label=y|text_a=a' 'Parquet is joined' -t i.text -l l \
	--join i="$DATA/parquet/pandas.parquet:__index_level_0__" letters.csv
gives 'label=y|text_a=a
label=x|text_a=c' 'and joins' -l __index_level_0__.l --join __index_level_0__=letters.csv \
	--where label=1 "$DATA/parquet/pandas.parquet"

# the longest name
printf 'a,a.b\n1,2\n' >dots.csv
printf 'key,b.c,c\n1,no,yes\n' >one.csv
printf 'key,c\n2,good\n' >two.csv
gives 'text_a=good yes' 'of columns with dots' -t a.b.c,a.c --join a=one.csv --join a.b=two.csv dots.csv

# keys that are not there
printf 'id,label\n7,x\n9,\n8,y\n' >more.csv
refuses "csv2tfrecord: cannot read 'more.csv': record 2 (line 3): '9' in column 'id' is not a key of 'texts.tsv' (--skip-bad drops the row)" \
	'a key that is not there' csv2tfrecord -t id.text --join id=texts.tsv:essay_id -o no more.csv
refuses "*record 1 (line 2): '7' in column 'id' is not a key of 'two.csv' and 1 other (*" 'or in none of several files' \
	csv2tfrecord -t id.c --join id=two.csv --join id=one.csv -o no more.csv
works 'is left out' csv2tfrecord -t id.text --join id=texts.tsv:essay_id --rejects bad -o got more.csv
is "$(cat bad)" "file,line,reason,row
more.csv,3,'9' in column 'id' is not a key of 'texts.tsv',\"9,\"" 'and listed'
like "$(cat err)" "*2 records *; 1 bad row in 'bad': 1 with a key that a joined file lacks" 'and counted'
gives 'text_a=c' 'rows that are not wanted need no key' -t id.text --where label=y \
	--join id=texts.tsv:essay_id more.csv
printf '{"id": null, "label": "x"}\n{"id": 8, "label": "y"}\n' >null.jsonl
refuses '*record 1 (line 1): the text is null' 'null joins nulls' \
	csv2tfrecord -t id.text --join id=texts.tsv:essay_id -o no null.jsonl
gives 'text_a=c' 'which may be dropped' -t id.text --na drop --join id=texts.tsv:essay_id null.jsonl
refuses "*record 1 (line 1): *'id'*list*" 'a list is not a key' \
	sh -c 'echo "{\"id\": [1]}" | csv2tfrecord -t id.text --join id=texts.tsv -o no'

# files that cannot be joined
printf 'id,text\n7,a\n7,a\n8,c\n' >again.csv
printf 'id,text\n7,a\n\n7,b\n' >other.csv
printf 'id,text\n7,b\n' >other2.csv
gives 'text_a=a
text_a=c' 'a row may be there twice' -t essay_id.text --join essay_id=again.csv labels.csv
refuses "csv2tfrecord: cannot read 'other.csv': record 2 (line 4): an earlier row has the key '7' and other values" \
	'but not with other values' csv2tfrecord -t essay_id.text --join essay_id=other.csv -o no labels.csv
refuses "*cannot read 'again.csv': record 1 (line 2): an earlier row has the key '7' and other values" \
	'nor in another file' csv2tfrecord -t essay_id.text --join essay_id=other2.csv --join essay_id=again.csv -o no labels.csv
refuses "*cannot find column 'txt' in 'again.csv' (did you mean 'text'?)*" 'a column that is not there' \
	csv2tfrecord -t essay_id.txt --join essay_id=again.csv -o no labels.csv
refuses "*cannot find column 'key' in 'again.csv'*" 'a key that is not there' \
	csv2tfrecord -t essay_id.text --join essay_id=again.csv:key -o no labels.csv
refuses "*cannot find column 'id' in 'labels.csv'; its columns are 'essay_id', 'label'" 'a column of keys that is not there' \
	csv2tfrecord -t id.text --join id=again.csv -o no labels.csv
printf '{"id": 7, "text": "a"}\n{"id": 8}\n' >hole.jsonl
refuses "*cannot read 'hole.jsonl': record 2 (line 2): has no key 'text'*" 'a bad row' \
	csv2tfrecord -t essay_id.text --join essay_id=hole.jsonl -o no labels.csv
printf 'essay_id,label\n7,x\n8,y\n' >both.csv
for o in --skip-bad --rejects=bad.csv; do
	works "... which $o skips" csv2tfrecord -t essay_id.text --join essay_id=hole.jsonl $o -o x both.csv
	like "$(cat err)" "csv2tfrecord: warning: skipped a row to join: 'hole.jsonl': record 2 (line 2): has no key 'text'*
*'hole.jsonl': 1 row to join, 1 bad skipped*" '... and tells of'
	is "$("$TEST_TOP/tests/lib/records" x)" 'text_a=a' '... and the row that it would have joined'
done
refuses "csv2tfrecord: 'hole.jsonl': 1 of 2 rows are malformed, a larger share than 0.3" '... unless there are too many' \
	csv2tfrecord -q -t essay_id.text --join essay_id=hole.jsonl --max-bad .3 -o no both.csv
refuses "*cannot read 'other.csv': record 2 (line 4): an earlier row has the key '7' and other values" \
	'other values are an error with --skip-bad, too' \
	csv2tfrecord -t essay_id.text --join essay_id=other.csv --skip-bad -o no both.csv
printf '{"id": 7, "text": "a"}\n{"id": null, "text": "b"}\n' >nokey.jsonl
refuses "*cannot read 'nokey.jsonl': record 2 (line 2): the key is null" 'a key that is null' \
	csv2tfrecord -t essay_id.text --join essay_id=nokey.jsonl -o no labels.csv
echo '[]' >empty.json
: >empty.jsonl
echo essay_id,text >empty.csv
for f in empty.json empty.jsonl empty.csv; do
	case $f in *.csv) is='has a header but no rows' ;; *) is='is empty' ;; esac
	refuses "csv2tfrecord: '$f' $is" "$f without rows" \
		csv2tfrecord -t essay_id.text --join essay_id=$f --skip-bad -o no labels.csv
done
refuses "*cannot open 'none.csv'*" 'a file that is not there' \
	csv2tfrecord -t essay_id.text --join essay_id=none.csv -o no labels.csv
refuses "*cannot read 'texts.tsv': there is more than the 40 bytes allowed" 'a limit is on all files' \
	csv2tfrecord -t essay_id.text --join essay_id=texts.tsv --max-bytes 40 -o no labels.csv
misuses "csv2tfrecord: nothing is to be read of 'texts.tsv': no column 'essay_id.NAME' is asked for*" \
	'nothing is wanted of it' csv2tfrecord -t label --join essay_id=texts.tsv -o no labels.csv
misuses "*bad value for --join: 'texts.tsv' is not COLUMN=FILE or COLUMN=FILE:KEY*" 'no column' \
	csv2tfrecord -t x.text --join texts.tsv -o no labels.csv
exits 2 'no file' csv2tfrecord -t x.text --join x= -o no labels.csv
exits 2 'an empty key' csv2tfrecord -t x.text --join x=none: -o no labels.csv
misuses '*--join needs a file, not standard input*' 'standard input' \
	csv2tfrecord -t x.text --join x=- -o no labels.csv
misuses "*key of 'texts.tsv' is not one column*" 'two columns' \
	csv2tfrecord -t essay_id.text --join essay_id=texts.tsv:text,essay_id -o no labels.csv
misuses '*--join makes no sense with --task*' 'a published data set' csv2tfrecord --task rte --join x=texts.tsv x.tsv
misuses "*texts.tsv*" 'it is not the output' csv2tfrecord -t essay_id.text --join essay_id=texts.tsv -o texts.tsv labels.csv
misuses "*column 'essay_id.text' cannot be both text and label*" 'text and label' \
	csv2tfrecord -t essay_id.text -l essay_id.text --join essay_id=texts.tsv -o no labels.csv
misuses "*kept column 'essay_id.text' is given twice*" 'twice' \
	csv2tfrecord -t essay_id.text --keep essay_id.text,essay_id.text --join essay_id=texts.tsv -o no labels.csv
finish
