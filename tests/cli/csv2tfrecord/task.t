#!/bin/sh
# SPDX-License-Identifier: MIT
# csv2tfrecord --task: the files of published data sets, the real ones where
# they are, else a few rows of the same form.
# shellcheck shell=sh
# Not under thread: the threads are those of cli/bert-tokenize/records
. "$TEST_TOP/tests/lib/lib.sh"

records() { "$TEST_TOP/tests/lib/records" "$@"; }

# real TASK FILE SUMMARY: a file of the real data
real() {
	if [ ! -f "$SHARED/$2" ]; then
		skip "$2" 'the data is not here'
		return
	fi
	csv2tfrecord --task "$1" -o got "$SHARED/$2" 2>err
	is "$? $(cat err)" "0 csv2tfrecord: $3" "$1: $2"
}

# first RECORD: of the last one
first() {
	[ ! -f got ] || is "$(records got | head -n 1)" "$1" '... its first record'
	rm -f got
}

real sst-2 glue/SST-2/train.tsv '67349 records from 1 file, 2 labels'
first 'label=0|label_ids=0|text_a=hide new secretions from the parental units '
real sst-2 glue/SST-2/dev.tsv '872 records from 1 file, 2 labels'
real sst-2 glue/SST-2/test.tsv '1821 records from 1 file'
first 'id=0|text_a=uneasy mishmash of styles and genres .'
real mrpc glue/MRPC/train.tsv '3668 records from 1 file, 2 labels'
real mrpc glue/MRPC/msr_paraphrase_train.txt '4076 records from 1 file, 2 labels'
real mrpc glue/MRPC/dev.tsv '408 records from 1 file, 2 labels'
real mrpc glue/MRPC/test.tsv '1725 records from 1 file'
real cola glue/CoLA/train.tsv '8551 records from 1 file, 2 labels'
first "label=1|label_ids=1|text_a=Our friends won't buy this analysis, let alone the next one we propose."
real cola glue/CoLA/dev.tsv '1043 records from 1 file, 2 labels'
real cola glue/CoLA/test.tsv '1063 records from 1 file'
first 'id=0|text_a=Bill whistled past the house.'
real rte glue/RTE/train.tsv '2490 records from 1 file, 2 labels'
first 'id=0|label=not_entailment|label_ids=1|text_a=No Weapons of Mass Destruction Found in Iraq Yet.|text_b=Weapons of Mass Destruction Found in Iraq.'
real rte glue/RTE/dev.tsv '277 records from 1 file, 2 labels'
real rte glue/RTE/test.tsv '3000 records from 1 file'
real banking77 banking77/train.csv '10003 records from 1 file, 77 labels'
first 'label=card_arrival|label_ids=11|text_a=I am still waiting on my card?'
real banking77 banking77/test.csv '3080 records from 1 file, 77 labels'
real ag-news ag_news/test.csv '7600 records from 1 file, 4 labels'
[ ! -f got ] || like "$(records got | head -n 1)" \
	'label=3|label_ids=2|text_a=Fears for T N pension after talks Unions *' \
	'title and description are joined'

# given TASK HEADER ROW RECORD: a file of that header and row, where ~ is a tab
given() {
	task=$1 wanted=$4
	printf '%s\n%s\n' "$2" "$3" | sed '/^$/d' | tr '~' '\t' >f.tsv
	csv2tfrecord --task "$task" f.tsv >got 2>err
	is "$? $(records got)" "0 $wanted" "$task: $(echo "$2" | cut -c 1-40)"
}

head10='index~promptID~pairID~genre~sentence1_binary_parse~sentence2_binary_parse~sentence1_parse~sentence2_parse~sentence1~sentence2'
given qqp 'id~qid1~qid2~question1~question2~is_duplicate' '7~1~2~"a" b~c~1' \
	'id=7|label=1|label_ids=1|text_a="a" b|text_b=c'
given qqp 'id~question1~question2' '0~a~b' 'id=0|text_a=a|text_b=b'
given sts-b 'index~genre~filename~year~old_index~source1~source2~sentence1~sentence2~score' \
	'3~g~f~2012~1~x~y~a~b~3.250' 'id=3|label=3.250|text_a=a|text_b=b'
given sts-b 'index~genre~filename~year~old_index~source1~source2~sentence1~sentence2' \
	'3~g~f~2012~1~x~y~a~b' 'id=3|text_a=a|text_b=b'
given mnli "$head10~label1~gold_label" '0~1~2~g~p~p~p~p~a~b~neutral~entailment' \
	'id=0|label=entailment|label_ids=1|text_a=a|text_b=b'
given mnli "$head10~label1~label2~label3~label4~label5~gold_label" \
	'0~1~2~g~p~p~p~p~a~b~1~2~3~4~5~neutral' \
	'id=0|label=neutral|label_ids=2|text_a=a|text_b=b'
given mnli "$head10" '9~1~2~g~p~p~p~p~a~b' 'id=9|text_a=a|text_b=b'
given qnli 'index~question~sentence~label' '4~a?~b "x~not_entailment' \
	'id=4|label=not_entailment|label_ids=1|text_a=a?|text_b=b "x'
given qnli 'index~question~sentence' '4~a~b' 'id=4|text_a=a|text_b=b'
given wnli 'index~sentence1~sentence2~label' '1~a~b~0' \
	'id=1|label=0|label_ids=0|text_a=a|text_b=b'
given wnli 'index~sentence1~sentence2' '1~a~b' 'id=1|text_a=a|text_b=b'
given ax 'index~sentence1~sentence2' '1~a~b' 'id=1|text_a=a|text_b=b'
given ax "$head10~label1~gold_label" '0~1~2~g~p~p~p~p~a~b~neutral~contradiction' \
	'id=0|label=contradiction|label_ids=0|text_a=a|text_b=b'
given ax 'Lexical Semantics~Predicate-Argument Structure~Logic~Knowledge~Domain~Premise~Hypothesis~Label' \
	'~~~~News~a~b~entailment' 'label=entailment|label_ids=1|text_a=a|text_b=b'
given xnli 'premise~hypo~label' 'a~b~contradictory' \
	'label=contradiction|label_ids=0|text_a=a|text_b=b'
given xnli 'language~gold_label~sentence1_binary_parse~sentence2_binary_parse~sentence1_parse~sentence2_parse~sentence1~sentence2~promptID~pairID~genre~label1~label2~label3~label4~label5~sentence1_tokenized~sentence2_tokenized~match' \
	'fr~neutral~~~~~a~b~1~2~g~1~2~3~4~5~a~b~True' \
	'id=2|label=neutral|label_ids=2|text_a=a|text_b=b'
given paws-x 'id~sentence1~sentence2~label' '1~a~b~1' \
	'id=1|label=1|label_ids=1|text_a=a|text_b=b'
given cola 'gj04~1~~One "sentence.' '' 'label=1|label_ids=1|text_a=One "sentence.'
given cola 'index~sentence' '0~a' 'id=0|text_a=a'
given mrpc "$(printf '\357\273\277')Quality~#1 ID~#2 ID~#1 String~#2 String" \
	'0~1~2~He said "x~y"' 'label=0|label_ids=0|text_a=He said "x|text_b=y"'
given sst-2 'sentence~label' 'a ~1' 'label=1|label_ids=1|text_a=a '
given rte 'index~sentence1~sentence2~label' '0~a~b~entailment' \
	'id=0|label=entailment|label_ids=0|text_a=a|text_b=b'
given ag-news '"4","a ""b""","c\d"' '' 'label=4|label_ids=3|text_a=a "b" c\\d'
given ag-news 'Class Index,Title,Description' '1,a,b' 'label=1|label_ids=0|text_a=a b'
given banking77 'text,category' '"a, b",Refund_not_showing_up' \
	'label=Refund_not_showing_up|label_ids=51|text_a=a, b'
given imdb 'review,sentiment' '" a<br /><br />b ",positive' \
	'label=pos|label_ids=1|text_a=a  b'

# IMDB as folders
mkdir -p imdb/neg imdb/pos imdb/unsup
printf ' bad<br />film\n' >imdb/neg/1_2.txt
printf 'worse' >imdb/neg/0_1.txt
printf '"good"' >imdb/pos/0_9.txt
echo x >imdb/pos/notes.md
csv2tfrecord --task imdb imdb >got 2>err
is "$? $(records got)" '0 id=0_1|label=neg|label_ids=0|text_a=worse
id=1_2|label=neg|label_ids=0|text_a=bad film
id=0_9|label=pos|label_ids=1|text_a="good"' 'imdb: folders'
printf 'a\000b' >imdb/neg/2_2.txt
refuses "*cannot read 'imdb': record 3 (file 'neg/2_2.txt'): a NUL byte" \
	'imdb: a bad file' csv2tfrecord --task imdb imdb
csv2tfrecord --task imdb --rejects bad.csv imdb 2>err >got
is "$? $(tr -d '\0' <bad.csv | tail -n 1)" '0 imdb/neg/2_2.txt,1,a NUL byte,ab' \
	'imdb: which can be rejected'
rm -r imdb/pos
refuses "*'imdb' has no folder 'pos' that can be read" 'imdb: no folder' \
	csv2tfrecord --task imdb imdb

# files that do not fit
printf 'sentence\tlabel\na\t1\n' >f.tsv
for t in ag-news ax banking77 cola imdb mnli mrpc paws-x qnli qqp rte sts-b wnli xnli; do
	refuses "csv2tfrecord: 'f.tsv' is not a file of $t: its first row has *; expected *" \
		"$t: another's file" csv2tfrecord --task $t f.tsv
done
refuses "csv2tfrecord: 'f.tsv' is not a file of rte: its first row has 2 fields, beginning with 'sentence'; expected a header with 'index', 'sentence1', 'sentence2', 'label', or a header with 'index', 'sentence1', 'sentence2'" \
	'what was expected' csv2tfrecord --task rte f.tsv
printf 'index\tsentence1\tsentence2\tlabel\n0\ta\tb\tmaybe\n' >f.tsv
refuses "csv2tfrecord: cannot read 'f.tsv': record 1 (line 2): label 'maybe' is not one of rte: 'entailment', 'not_entailment'" \
	'another label' csv2tfrecord --task rte f.tsv
printf 'index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n0\t\t\t\t\t\t\ta\tb\thigh\n' >f.tsv
refuses "*record 1 (line 2): label 'high' is not a number" 'no number' \
	csv2tfrecord --task sts-b f.tsv
printf 'id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n1\t2\n7\t1\t2\ta\tb\t0\n' >f.tsv
csv2tfrecord --task qqp f.tsv >got 2>err
is "$? $(records got)$(tail -n 1 err)" \
	'0 id=7|label=0|label_ids=0|text_a=a|text_b=bcsv2tfrecord: 1 record from 1 file, 1 label; 1 bad row skipped: 1 with the wrong number of fields' \
	'qqp: short rows are left out, and counted'
for option in '-t a' '-l a' '--pair a' --no-quote --no-header --delimiter=tab \
	--format=csv --encoding=latin1; do
	# shellcheck disable=SC2086
	exits 2 "$option with --task" csv2tfrecord --task rte $option f.tsv
done
exits 2 'an unknown task' csv2tfrecord --task glue f.tsv

# New names keep the numbers, unless two labels get the same one.
printf '"1","a","b"\n"4","c","d"\n' >n.csv
csv2tfrecord --task ag-news --map-label 1=World,2=Sports,3=Business,4=Sci/Tech n.csv >got 2>err
is "$(records got)" 'label=World|label_ids=0|text_a=a b
label=Sci/Tech|label_ids=3|text_a=c d' 'new names keep the numbers'
csv2tfrecord --task ag-news --map-label 1=x,2=x,3=x,4=y n.csv >got 2>err
is "$(records got)" 'label=x|text_a=a b
label=y|text_a=c d' 'not where they merge labels'

# The published order reaches the trained model, whatever the names.
cp "$TEST_TOP/pipelines/data/vocab.txt" .
order() {
	bert-tokenize -q -m vocab.txt -o t.rec got
	rm -rf m
	bert-train -q --init-config tiny --tokenizer vocab.txt -o m --epochs 1 t.rec
	tr -d '\n ' <m/config.json | sed 's/.*"id2label":{\([^}]*\)}.*/\1/'
}
printf '"4","c","d"\n"1","a","b"\n"2","c","d"\n"3","c","d"\n' >n.csv
csv2tfrecord -q --task ag-news --map-label 1=World,2=Sports,3=Business,4=Sci/Tech \
	-o got n.csv
is "$(order)" '"0":"World","1":"Sports","2":"Business","3":"Sci/Tech"' \
	'the order of the data set becomes that of the model'
printf 'text,category\na,card_arrival\nb,Refund_not_showing_up\nc,age_limit\n' >b.csv
csv2tfrecord -q --task banking77 -o got b.csv
is "$(order)" '"0":"age_limit","1":"card_arrival","2":"Refund_not_showing_up"' \
	'also where it is not that of bytes'
csv2tfrecord -q -l category -o more b.csv
cat more >>got
is "$(order)" '"0":"Refund_not_showing_up","1":"age_limit","2":"card_arrival"' \
	'records without numbers among them: the standard order'
printf 'index\tsentence1\tsentence2\tlabel\n0\ta\tb\tnot_entailment\n1\ta\tb\tentailment\n' >f.tsv
csv2tfrecord -q --task rte -o got f.tsv
is "$(order)" '"0":"entailment","1":"not_entailment"' 'rte: the published order'
{
	printf '%s\n' "$head10~label1~gold_label"
	for l in neutral entailment contradiction; do
		printf '%s\n' "0~1~2~g~p~p~p~p~a~b~x~$l"
	done
} | tr '~' '\t' >f.tsv
csv2tfrecord -q --task mnli -o got f.tsv
is "$(order)" '"0":"contradiction","1":"entailment","2":"neutral"' \
	'mnli: the published order'

finish
