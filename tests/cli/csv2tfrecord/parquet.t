#!/bin/sh
# SPDX-License-Identifier: MIT
# csv2tfrecord on Parquet files.
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"
P=$DATA/parquet
json() { csv2tfrecord -q "$@" | tfrecord-cat -q --json; }

works 'a file of pandas' csv2tfrecord -l label --na drop -o a.rec "$P/pandas.parquet"
is "$(cat err)" 'csv2tfrecord: 2 records from 1 file, 1 label; 1 row without text or label left out' \
	'the summary'
is "$(json -l label --na drop -i __index_level_0__ --keep when "$P/pandas.parquet")" \
	'{"id": "r", "label": "1", "text_a": "a", "when": "2020-01-01 00:00:00"}
{"id": "t", "label": "1", "text_a": "c", "when": "2021-01-01 10:00:00"}' 'numbers and times'
is "$(json -t 1 -l 2 --na drop "$P/pandas.parquet" | cksum)" \
	"$(tfrecord-cat -q --json a.rec | cksum)" 'columns by number'

# every file of the fixture beside its rows as JSON Lines
for f in plain-v1 plain-v2-snappy dictionary-v1-gzip dictionary-v2-zstd delta-v1-lz4 delta-v2; do
	json -t text -l yes --pair text --keep n,big --na drop "$P/$f.jsonl" >wanted
	json -t text -l yes --pair text --keep n,big --na drop "$P/$f.parquet" >got
	same got wanted "$f as JSON Lines"
done
json -t text -i id --where s.a=true --na drop "$P/polars.parquet" >got
is "$(grep -o '"id": "[0-9]*"' got | tr -dc '0-9\n')" '4
8' 'a column in another, and a filter'
is "$(json -t dec4 --keep dec38,u64,u32,i8,half,us,time,date,fixed,bytes --na drop "$P/types.parquet")" \
	'{"text_a": "-0.05", "dec38": "-1222222222222222222222222222.3333333333", "u64": "0", "u32": "0", "i8": "-128", "half": "1.5", "us": "2024-02-29 23:59:58.000005+00:00", "time": "01:02:03", "date": "0001-01-01", "fixed": "abc", "bytes": "abc"}
{"text_a": "9.99", "dec38": "0.0000000000", "u64": "9223372036854775807", "u32": "4294967295", "i8": "127", "us": "1969-12-31 23:59:59.999000+00:00", "time": "23:00:00.000007", "date": "2024-02-29", "fixed": "xyz", "bytes": ""}' \
	'other types'

# classes
is "$(json -l label --na drop "$P/classes.parquet")" '{"label": "pos", "label_ids": 1, "text_a": "good"}
{"label": "neg", "label_ids": 0, "text_a": "bad"}' 'names of classes, with their numbers'
is "$(json -l label --na drop --map-label pos=1,neg=0 "$P/classes.parquet" | head -n 1)" \
	'{"label": "1", "label_ids": 1, "text_a": "good"}' '... renamed'
is "$(json -l label --na drop --map-label pos=x,neg=x "$P/classes.parquet" | head -n 1)" \
	'{"label": "x", "text_a": "good"}' '... to the same name'
is "$(json -l label --na drop --fold-case "$P/classes.parquet" | head -n 1)" \
	'{"label": "pos", "text_a": "good"}' '... tidied'
is "$(json -l of.topics "$P/classes.parquet")" '{"label": ["u", "v"], "label_names": ["u", "v"], "text_a": "good"}
{"label": {"bytes": []}, "label_names": ["u", "v"], "text_a": "bad"}
{"label": "v", "label_names": ["u", "v"], "text_a": "unknown"}' 'lists of classes'
refuses "csv2tfrecord: cannot read '$P/classes.parquet': record 3 (row group 1): the label is null (--na drop *)" \
	'class -1 is none' csv2tfrecord -o x.rec -l label "$P/classes.parquet"

# rows
csv2tfrecord -q -l label --rejects bad.csv -i row -o x.rec "$P/classes.parquet"
is "$(sed "s|$P/||" bad.csv)" 'file,line,reason,row
classes.parquet,3,the label is null,"{""text"":""unknown"",""label"":null}"' 'a rejected row'
is "$(tfrecord-cat -q --json x.rec | sed "s|$P/||" | head -n 1)" \
	'{"id": "classes.parquet:1", "label": "pos", "label_ids": 1, "text_a": "good"}' 'the number of the row as id'
is "$(json --na drop "$P/pandas.parquet" "$P/classes.parquet" | wc -l)" 5 'several files'

# from where it comes
json "$P/classes.parquet" >wanted
csv2tfrecord -q <"$P/classes.parquet" | tfrecord-cat -q --json >got
same got wanted 'from standard input'
# shellcheck disable=SC2002 # a pipe is the point
cat "$P/classes.parquet" | csv2tfrecord -q | tfrecord-cat -q --json >got
same got wanted 'from a pipe'
gzip -c "$P/classes.parquet" >c.gz
json c.gz >got
same got wanted 'from gzip'
is "$(csv2tfrecord -q --max-bytes 14 -o x.rec "$P/classes.parquet" 2>&1)" \
	"csv2tfrecord: cannot read '$P/classes.parquet': there is more than the 14 bytes allowed, decompressed" 'a limit on bytes'
works '... that is enough' csv2tfrecord -q --max-bytes 17 -o x.rec "$P/classes.parquet"

is "$(csv2tfrecord -q -l y --label-type float --decimal-comma --na drop "$P/plain-v1.parquet" | tfrecord-cat -q --json --head 2)" \
	'{"label": "0.0", "text_a": "0"}
{"label": "0.14285714285714285", "text_a": "a0"}' 'numbers have a point, whatever texts have'

# what is refused
refuses "csv2tfrecord: column 'tokens' of '$P/classes.parquet' holds lists, expected single values" \
	'a list as text' csv2tfrecord -o y.rec -t tokens "$P/classes.parquet"
is "$(csv2tfrecord -q -t tokens --skip-bad --text-list "$P/lists.parquet" | tfrecord-cat -q --json --head 2)" '{"text_a": "a bb"}
{"text_a": ""}' '... but those of --text-list'
refuses "csv2tfrecord: column 'of.topics' of '$P/classes.parquet' holds lists, expected single values" \
	'a list as number' csv2tfrecord -o y.rec -l of.topics --label-type float "$P/classes.parquet"
refuses "csv2tfrecord: cannot find column 'txt' in '$P/classes.parquet' (did you mean 'text'?); its columns are 'text', 'label', 'tokens', 'ner_tags', 'of.topics'" \
	'another column' csv2tfrecord -o y.rec -t txt "$P/classes.parquet"
refuses "csv2tfrecord: cannot read '$P/brotli.parquet': record 1 (row group 1): column 'text': its compression, Brotli, is not read: write the file again with zstd, as pandas.read_parquet(FILE).to_parquet(NEW, compression='zstd') does" \
	'Brotli' csv2tfrecord -o y.rec "$P/brotli.parquet"
LC_ALL=C sed 's/label/start/g' "$P/choices.parquet" >spans.parquet
refuses "csv2tfrecord: cannot find column 'choices' in 'spans.parquet'; * (conll2tfrecord *)" \
	'parts of a text with their labels' csv2tfrecord -o y.rec -t question -l choices spans.parquet
head -c 900 "$P/classes.parquet" >cut.parquet
refuses "csv2tfrecord: cannot read 'cut.parquet': it begins as a Parquet file does, but does not end as one: it is cut short, or not Parquet" \
	'a file that is cut short' csv2tfrecord -o y.rec cut.parquet
refuses "csv2tfrecord: cannot read '$P/classes.parquet': it is a Parquet file, not CSV" \
	'as CSV' csv2tfrecord -o y.rec --format csv "$P/classes.parquet"
refuses "tfrecord-cat: '$P/classes.parquet' is not a TFRecord stream: it starts with the mark of a Parquet file (csv2tfrecord reads it, *" \
	'other tools name the one that reads it' tfrecord-cat "$P/classes.parquet"
refuses "bert-tokenize: '$P/classes.parquet' is a Parquet file, not lines (csv2tfrecord reads it, *" \
	'... where lines are expected' \
	bert-tokenize -j 1 -m "$DATA/tok/uncased" --lines "$P/classes.parquet"
# files of the hub by the name of their data set
H=$DATA/parquet-hub
is "$(json --task sst-2 "$H/sst2.parquet")" '{"id": "7", "label": "1", "label_ids": 1, "text_a": "a fine film "}
{"id": "8", "label": "0", "label_ids": 0, "text_a": "dull "}' 'a class by another name than the data set has'
is "$(json --task sst-2 "$H/sst2-test.parquet")" '{"id": "0", "text_a": "uneasy "}' 'a test set'
is "$(json --task mnli "$H/mnli.parquet")" \
	'{"id": "3", "label": "entailment", "label_ids": 1, "text_a": "It rains.", "text_b": "It is wet."}
{"id": "4", "label": "contradiction", "label_ids": 0, "text_a": "It rains.", "text_b": "It is dry."}' \
	'classes in another order than the data set has'
is "$(json --task sts-b "$H/stsb.parquet")" '{"id": "1", "label": "2.5", "text_a": "a", "text_b": "b"}' 'numbers'
is "$(json --task ag-news "$H/ag_news.parquet")" '{"label": "2", "label_ids": 1, "text_a": "Goal"}
{"label": "4", "label_ids": 3, "text_a": "Chip"}' 'other columns than the CSV file has'
is "$(json --task ag-news <"$H/ag_news.parquet" | cksum)" "$(json --task ag-news "$H/ag_news.parquet" | cksum)" 'a pipe'
refuses "csv2tfrecord: '$H/mnli.parquet' is not a file of sst-2: expected a header with 'idx', 'sentence', 'label', as on the hub" \
	'another data set' csv2tfrecord -o y.rec --task sst-2 "$H/mnli.parquet"
refuses "csv2tfrecord: '$H/sst2.parquet' is not a file of ag-news: expected *" \
	'columns by number are not looked for' csv2tfrecord -o y.rec --task ag-news "$H/sst2.parquet"

is "$(csv2tfrecord --list-columns "$P/classes.parquet" | paste -sd , -)" 'text,label,tokens,ner_tags,of.topics' 'the columns'
printf '\357\273\277"a;b";c d;"x\ny"\n1;2;3\n' >names.csv
is "$(csv2tfrecord --list-columns --delimiter ';' names.csv)" 'a;b
c d
x\ny' '... of CSV, a line each'
iconv -f UTF-8 -t UTF-16 names.csv | csv2tfrecord --list-columns --delimiter ';' -o names
is "$(head -n 1 names)" 'a;b' '... from a pipe, in UTF-16, into a file'
echo '{"text": "x"}' >x.jsonl
refuses "csv2tfrecord: 'x.jsonl' holds JSON Lines, which have no header: each row has its own names" '... of JSON Lines' \
	csv2tfrecord --list-columns -o y.rec x.jsonl
: >empty.csv
declines 1 "csv2tfrecord: *empty.csv*" '... of nothing' csv2tfrecord --list-columns -o y.rec empty.csv
declines 2 'csv2tfrecord: --list-columns takes one file, *' '... of two files' csv2tfrecord --list-columns names.csv names.csv
declines 2 'csv2tfrecord: --list-columns takes one file, *' '... without a header' csv2tfrecord --list-columns --no-header names.csv
declines 2 'csv2tfrecord: --list-columns takes one file, without *--where*' '... of some rows' csv2tfrecord --list-columns --where a=b names.csv
declines 2 'csv2tfrecord: --list-columns takes one file, without *--rejects*' '... with rejects' csv2tfrecord --list-columns --rejects y.rec names.csv
declines 2 'csv2tfrecord: --list-columns takes one file, without *--zstd' '... compressed' csv2tfrecord --list-columns --zstd names.csv
printf 'a;b\n1;2\n' >one.csv
is "$(csv2tfrecord --list-columns one.csv 2>&1)" "csv2tfrecord: warning: the only column of 'one.csv' is 'a;b' (use --delimiter semicolon)
a;b" 'a delimiter that is not the right one'
finish
