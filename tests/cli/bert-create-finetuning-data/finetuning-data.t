#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-create-finetuning-data: create_finetuning_data.py by its command line.
# Not under thread: the threads are those of cli/bert-tokenize/records
. "$TEST_TOP/tests/lib/lib.sh"
V=$DATA/tok/uncased/vocab.txt
rec=$TEST_TOP/tests/fixtures/tok-records.pl
records() { $rec -d <"$1" | sed 's/^example_id=\([0-9]*\).*	input_ids=\([0-9 ]*[1-9]\)\( 0\)*	.*is_real_example=1\(	label_ids=[^	]*\)\{0,1\}	.*/\1: \2\4/; s/	label_ids=/ -> /'; }
# ids of a text, or a pair with | between
ids() { echo "$1" | tr '|' '\t' >w.tsv
	csv2tfrecord -q --no-header --no-quote -t 1 ${2+--pair 2} w.tsv |
	bert-tokenize -qm "$DATA/tok/uncased" --format ids; }

# make NAME=VALUE ...: the program with what every call has
make() {
	bert-create-finetuning-data --vocab_file="$V" --max_seq_length=12 \
		--meta_data_file_path=meta.json --verbosity=-2 "$@"
}
tsv() { tr '~' '\t'; }

# The published command line, verbatim behind the program's name.
mrpc() {
	GLUE_DIR=$1 BERT_DIR=$2 OUTPUT_DIR=$3
	TASK_NAME=MRPC
	bert-create-finetuning-data \
		--input_data_dir=${GLUE_DIR}/${TASK_NAME}/ \
		--vocab_file=${BERT_DIR}/vocab.txt \
		--train_data_output_path=${OUTPUT_DIR}/${TASK_NAME}_train.tf_record \
		--eval_data_output_path=${OUTPUT_DIR}/${TASK_NAME}_eval.tf_record \
		--meta_data_file_path=${OUTPUT_DIR}/${TASK_NAME}_meta_data \
		--fine_tuning_task_type=classification --max_seq_length=128 \
		--classification_task_name=${TASK_NAME}
}
# by_steps OUTPUT PART FILE...: the same by csv2tfrecord and bert-tokenize
by_steps() {
	o=$1 p=$2 v=$3
	shift 3
	csv2tfrecord -q --task mrpc "$@" |
		bert-tokenize -qm "$v" --layout modelgarden --pad 128 --labels 0,1 \
			--meta-data "$o.json" --processor MRPC --part "$p" \
			-o "$o.$p"
}

mkdir -p glue/MRPC
{
	echo 'Quality~#1 ID~#2 ID~#1 String~#2 String'
	echo '1~1~2~the book~a book'
	echo '0~3~4~he said "a~the the book'
	echo '0~3~4~the book~'
} | tsv >glue/MRPC/train.tsv
sed 2d glue/MRPC/train.tsv >glue/MRPC/dev.tsv
real=$SHARED/tf/bert_tiny_mrpc
vocab=$SHARED/vocab/bert-tiny-uncased_L-2_H-128_A-2
for set in small real; do
	case $set in
	small) dir=glue model=$DATA/tok/uncased sizes='3 2' ;;
	real) dir=$real model=$vocab sizes='3668 408' ;;
	esac
	if [ ! -d "$dir/MRPC" ] || [ ! -f "$model/vocab.txt" ]; then
		skip "the published command line on all of MRPC" "no $dir"
		continue
	fi
	works "$set: the published command line" \
		mrpc "$dir" "$model" "made/$set/data"
	for p in train eval; do
		f=train.tsv
		[ $p = train ] || f=dev.tsv
		by_steps steps.$set $p "$model" "$dir/MRPC/$f"
		cmp "made/$set/data/MRPC_$p.tf_record" steps.$set.$p >why 2>&1
		result $? "$set: $p has the bytes that bert-tokenize makes"
	done
	same "made/$set/data/MRPC_meta_data" steps.$set.json "$set: and the meta data"
	like "$(cat err)" "*train: ${sizes% *} records of 128 tokens in 'made/$set/*eval: ${sizes#* } records*" \
		"$set: says what it made"
done
cat >wanted <<-E2
	{
	    "processor_type": "MRPC",
	    "train_data_size": 3,
	    "max_seq_length": 128,
	    "task_type": "bert_classification",
	    "num_labels": 2,
	    "eval_data_size": 2
	}
E2
same made/small/data/MRPC_meta_data wanted 'meta data as published, to the byte'
# what run_classifier.py of BERT wrote of the same rows, but for the example_id
if [ -f "$real/mrpc_output/train.tf_record" ]; then
	for p in train eval; do
		$rec -d <"made/real/data/MRPC_$p.tf_record" |
			sed 's/^example_id=[0-9]*	//' >got
		$rec -d <"$real/mrpc_output/$p.tf_record" |
			perl -F'\t' -lane 'print join "\t", sort @F' >wanted
		cmp got wanted >why 2>&1
		result $? "$p: the features of a real run"
	done
else
	skip 'the features of a real run' "no $real"
fi

# A second text that is empty is none.
records made/small/data/MRPC_train.tf_record >got
printf '%s\n' "0: $(ids 'the book|a book' pair) -> 1" \
	"1: $(ids 'he said "a|the the book' pair) -> 0" \
	"2: $(ids 'the book') -> 0" >wanted
same got wanted 'a second text that is empty is none'

# Flags as absl reads them.
works 'one dash, values apart, the last one counts' \
	make -input_data_dir glue/MRPC -classification_task_name MNLI \
	--classification_task_name MRPC --train_data_output_path a.tfr
works '--nodo_lower_case' make --input_data_dir=glue/MRPC \
	--classification_task_name=MRPC --train_data_output_path=b.tfr \
	--nodo_lower_case
echo 'Quality~#1 ID~#2 ID~#1 String~#2 String' | tsv >glue/MRPC/train.tsv
echo '1~1~2~The Book~a' | tsv >>glue/MRPC/train.tsv
for flag in --do_lower_case=true --do_lower_case --do_lower_case=f; do
	make --input_data_dir=glue/MRPC --classification_task_name=MRPC \
		--train_data_output_path=b.tfr $flag
	records b.tfr
done | cut -c -13 >got
printf '%s\n' "0: $(ids 'the book' | cut -c -10)" \
	"0: $(ids 'the book' | cut -c -10)" '0: 2 1 1 3 61' >wanted
same got wanted '--do_lower_case and its negation'

# task NAME: every task below has a folder d; parts of it that are there are
# made, and told: part, records and meta data without what all have
task() {
	name=$1
	shift
	rm -rf o meta.json
	works "$name: is made" make --input_data_dir=d \
		--classification_task_name="$name" "$@"
	for f in o/*; do
		[ ! -f "$f" ] || { echo "${f#o/}"; records "$f"; }
	done >got
	tr -d ' \n' <meta.json | sed 's/"max_seq_length":12,//' >>got
	echo >>got
	rm -rf d
}
train=--train_data_output_path=o/train
eval=--eval_data_output_path=o/eval
test=--test_data_output_path=o/test
bert() { # PROCESSOR TRAIN LABELS EVAL TEST
	printf '{"processor_type":"%s","train_data_size":%s,' "$1" "$2"
	[ -z "$5" ] || printf '"test_data_size":%s,' "$5"
	printf '"task_type":"bert_classification","num_labels":%s' "$3"
	[ -z "$4" ] || printf ',"eval_data_size":%s' "$4"
	echo '}'
}
# a task of GLUE: NAME TRAIN-HEADER TEST-HEADER, then rows of both, and for each
# the text or pair and its number
glue() {
	mkdir d
	for f in train dev; do
		printf '%s\n' "$2" "$4" | sed '/^$/d' | tsv >d/$f.tsv
		[ "$1" != MNLI ] || [ $f = train ] || mv d/dev.tsv d/dev_matched.tsv
	done
	t=test
	[ "$1" != MNLI ] || t=test_matched
	printf '%s\n' "$3" "$6" | tsv >d/$t.tsv
	task "$1" $train $eval $test
	case $5$7 in
	*'|'*) a=$(ids "${5% -> *}" pair) b=$(ids "${7% -> *}" pair) ;;
	*) a=$(ids "${5% -> *}") b=$(ids "${7% -> *}") ;;
	esac
	{
		printf '%s\n' eval "0: $a -> ${5#* -> }" test \
			"0: $b -> ${7#* -> }" train "0: $a -> ${5#* -> }"
		bert "${1}" 1 "$8" 1 1
	} >wanted
	same got wanted "$1: records and meta data"
}
head10='index~promptID~pairID~genre~b1~b2~p1~p2~sentence1~sentence2'
glue AX "$head10~label1~gold_label" 'index~sentence1~sentence2' \
	'0~1~2~g~p~p~p~p~the book~a book~x~neutral' 'the book|a book -> 2' \
	'0~a book~the book' 'a book|the book -> 0' 3
glue COLA '' 'index~sentence' 'gj~1~~the "book' 'the "book -> 1' '0~a book' \
	'a book -> 0' 2
glue MNLI "$head10~label1~gold_label" "$head10" \
	'0~1~2~g~p~p~p~p~the book~a book~x~entailment' 'the book|a book -> 1' \
	'0~1~2~g~p~p~p~p~a book~the book' 'a book|the book -> 0' 3
glue QNLI 'index~question~sentence~label' 'index~question~sentence' \
	'0~the book~a book~not_entailment' 'the book|a book -> 1' \
	'0~a book~the book' 'a book|the book -> 0' 2
glue QQP 'id~qid1~qid2~question1~question2~is_duplicate' \
	'id~question1~question2' '0~1~2~the book~a book~1' \
	'the book|a book -> 1' '0~a book~the book' 'a book|the book -> 0' 2
sentences='index~sentence1~sentence2'
glue RTE "$sentences~label" "$sentences" '0~the book~a book~not_entailment' \
	'the book|a book -> 1' '0~a book~the book' 'a book|the book -> 0' 2
glue WNLI "$sentences~label" "$sentences" '0~the book~a book~1' \
	'the book|a book -> 1' '0~a book~the book' 'a book|the book -> 0' 2
glue SST-2 'sentence~label' 'index~sentence' 'the book~1' 'the book -> 1' \
	'0~a book' 'a book -> 0' 2

# a test file that has labels gets the dummy all the same, as there
mkdir d
printf 'sentence\tlabel\na\t1\n' >d/test.tsv
task SST-2 $test
printf '%s\n' test "0: $(ids a) -> 0" "$(bert SST-2 0 2 '' 1)" >wanted
same got wanted 'labels of a test file are not looked at'

sts='index~genre~file~year~old~s1~s2~sentence1~sentence2'
for type in classification regression; do
	mkdir d
	printf '%s\n' "$sts~score" '0~g~f~y~o~1~2~the book~a book~3.25' |
		tsv >d/train.tsv
	printf '%s\n' "$sts" '0~g~f~y~o~1~2~the book~a book' | tsv >d/test.tsv
	task STS-B --fine_tuning_task_type=$type $train $test
	i=$(ids 'the book|a book' pair)
	printf '%s\n' test "0: $i -> 0" train "0: $i -> 3.25" \
		'{"processor_type":"STS-B","train_data_size":1,"test_data_size":1,"task_type":"bert_regression","label_type":"float"}' >wanted
	same got wanted "STS-B as a $type: numbers"
done

mkdir -p d/train/neg d/train/pos d/test/neg d/test/pos d/train/unsup
echo ' a<br />book ' >d/train/neg/0_1.txt
echo 'the book' >d/train/pos/0_9.txt
cp d/train/pos/0_9.txt d/test/neg
cp d/train/pos/0_9.txt d/test/pos
cp -r d imdb
task IMDB $train $eval
printf '%s\n' eval "0: $(ids 'the book') -> 0" "1: $(ids 'the book') -> 1" \
	train "0: $(ids 'a book') -> 0" "1: $(ids 'the book') -> 1" \
	"$(bert IMDB 2 2 2 '')" >wanted
same got wanted 'IMDB: folders'

# files of several languages
langs='ar bg de el en es fr hi ru sw th tr ur vi zh'
mkdir -p d/multinli
printf 'premise\thypo\tlabel\na\tb\tcontradictory\n' >d/multinli/multinli.train.en.tsv
printf 'premise\thypo\tlabel\nc\td\tneutral\n' >d/multinli/multinli.train.fr.tsv
{
	echo 'language~gold_label~b1~b2~p1~p2~sentence1~sentence2~promptID~pairID'
	for l in $langs; do
		echo "$l~neutral~~~~~$l~book~1~2"
		echo "$l~entailment~~~~~$l~the~1~2"
	done
} | tsv >d/xnli.dev.tsv
cp d/xnli.dev.tsv d/xnli.test.tsv
cp -r d xnli
task XNLI $train $eval "--test_data_output_path=o/t-{}.x"
sed -n '/^t-fr/,/^t-hi/p; $p' got >got2
printf '%s\n' t-fr.x "0: $(ids 'fr|book' pair) -> 2" \
	"1: $(ids 'fr|the' pair) -> 1" t-hi.x >wanted
{
	printf '{"processor_type":"XNLI","train_data_size":1,'
	for l in $langs; do printf '"test_%s_data_size":2,' $l; done
	echo '"task_type":"bert_classification","num_labels":3,"eval_data_size":30}'
} >>wanted
same got2 wanted 'XNLI: a test file for each language, with its labels'
is "$(sed -n '/^train/,/^{/p' got | sed -n 2p)" "0: $(ids 'a|b' pair) -> 0" \
	'contradictory is contradiction'
mv xnli d
task XNLI $train --xnli_language=fr
is "$(sed -n 2p got)" "0: $(ids 'c|d' pair) -> 2" '--xnli_language'

for l in de en es fr ja ko zh; do
	mkdir -p d/$l
	f=translated_train
	[ $l != en ] || f=train
	printf 'id\tsentence1\tsentence2\tlabel\n1\t%s\tb\t1\n' $l >d/$l/$f.tsv
	cp d/$l/$f.tsv d/$l/dev_2k.tsv
	cp d/$l/$f.tsv d/$l/test_2k.tsv
done
task PAWS-X $train $eval "--test_data_output_path=o/{}" --pawsx_language=all
is "$(grep -c ' -> 1$' got) $(tail -n 1 got)" \
	'21 {"processor_type":"XTREME-PAWS-X","train_data_size":7,"test_de_data_size":1,"test_en_data_size":1,"test_es_data_size":1,"test_fr_data_size":1,"test_ja_data_size":1,"test_ko_data_size":1,"test_zh_data_size":1,"task_type":"bert_classification","num_labels":2,"eval_data_size":7}' \
	'PAWS-X: all languages'

mkdir -p d t/translate-train t/translate-test
for l in de en es fr ja ko zh; do
	printf '%s\tb\t1\n' $l >d/train-$l.tsv
	cp d/train-$l.tsv d/dev-$l.tsv
	printf '%s\tb\n' $l >d/test-$l.tsv
	printf 'x\ty\t%s\tc\t1\n' $l >t/translate-train/en-$l-translated.tsv
	printf 'x\ty\t%s\tc\n' $l >t/translate-test/test-$l-en-translated.tsv
done
cp -r d xtreme
task XTREME-PAWS-X $train $eval "--test_data_output_path=o/{}"
is "$(sed -n '/^en/,/^es/p; /^eval/,/^fr/p; /^train/,/^{/p' got | head -n 9 | tr '\n' ' ')" \
	"en 0: $(ids 'en|b' pair) -> 0 es eval 0: $(ids 'en|b' pair) -> 1 fr train 0: $(ids 'en|b' pair) -> 1 zh " \
	'XTREME-PAWS-X: English'
mv xtreme d
task XTREME-PAWS-X $train $eval "--test_data_output_path=o/{}" \
	--translated_input_data_dir=t --noonly_use_en_dev
is "$(grep -c -- '-> 1$' got) $(grep -c -- '-> 0$' got) $(sed -n '/^fr-en/{n;p;}' got)" \
	"14 13 0: $(ids 'fr|c' pair) -> 0" 'and translations'

# SuperGLUE's
mkdir d
printf '{"premise": "the book", "hypothesis": "a", "label": "contradiction", "idx": 0}\n' >d/train.jsonl
printf '{"premise": "the book", "hypothesis": "a", "idx": 0}\n' >d/test.jsonl
cp d/train.jsonl d/val.jsonl
task CB $train $eval $test
i=$(ids 'the book|a' pair)
printf '%s\n' eval "0: $i -> 2" test "0: $i -> 0" train "0: $i -> 2" \
	"$(bert CB 1 3 1 1)" >wanted
same got wanted 'CB: JSON Lines, in the order of its labels'
mkdir d
printf '{"question": "the book", "passage": "a", "label": %s}\n' true false >d/train.jsonl
task BoolQ $train
printf '%s\n' train "0: $i -> 0" "1: $i -> 1" "$(bert BoolQ 2 2 '' '')" >wanted
same got wanted 'BoolQ: true and false'
mkdir d
printf '{"premise": "the book", "hypothesis": "a", "label": "not_entailment"}\n' >d/AX-g.jsonl
task AX-g $test
printf '%s\n' test "0: $i -> 1" "$(bert AXg 0 2 '' 1)" >wanted
same got wanted 'AX-g: test data with labels'
mkdir d
printf '{"premise": "the book", "hypothesis": "a", "label": "not_entailment"}\n' >d/train.jsonl
task SUPERGLUE-RTE $train
printf '%s\n' train "0: $i -> 1" "$(bert RTESuperGLUE 1 2 '' '')" >wanted
same got wanted 'SUPERGLUE-RTE'

# retrieval
mkdir d
for l in de fr ru zh; do
	for s in $l en; do
		for p in dev test; do
			printf '%s-000000017\tthe book\n' $s >d/$l-en.$p.$s
		done
	done
done
works 'BUCC' make --fine_tuning_task_type=retrieval --input_data_dir=d \
	--eval_data_output_path=r/dev --test_data_output_path=r/test/
is "$(ls r/dev | tr '\n' ' ')$(ls r/test | wc -l | tr -d ' ')" \
	'de-en-de.dev.tfrecords de-en-en.dev.tfrecords fr-en-en.dev.tfrecords fr-en-fr.dev.tfrecords ru-en-en.dev.tfrecords ru-en-ru.dev.tfrecords zh-en-en.dev.tfrecords zh-en-zh.dev.tfrecords 8' \
	'a file for each side of a pair'
is "$(records r/dev/fr-en-en.dev.tfrecords)" "17: $(ids 'the book')" \
	'the number of the id, and no label'
is "$(tr -d ' \n' <meta.json | cut -c -120)" \
	'{"processor_type":"BUCC","max_seq_length":12,"number_eval_data":{"de-en.de":1,"de-en.en":1,"fr-en.fr":1,"fr-en.en":1,"ru' \
	'and meta data of retrieval'
refuses "bert-create-finetuning-data: *'d/af-en.af': No such file or directory" \
	'Tatoeba, without its files' make --fine_tuning_task_type=retrieval \
	--retrieval_task_name=tatoeba --input_data_dir=d \
	--test_data_output_path=r2
for l in af ar bg bn de el es et eu fa fi fr he hi hu id it ja jv ka kk ko ml mr nl pt ru sw ta te th tl tr ur vi zh; do
	printf 'the book\na\n' | tee d/$l-en.$l >d/$l-en.en
done
works 'Tatoeba' make --fine_tuning_task_type=retrieval \
	--retrieval_task_name=tatoeba --input_data_dir=d \
	--test_data_output_path=r2
is "$(ls r2 | wc -l | tr -d ' ') $(records r2/zh-en-en.test.tfrecords | tr '\n' ' ')" \
	"72 0: $(ids 'the book') 1: $(ids a) " 'has lines counted from 0'

# What cannot be done is said before any work.
no() { # GLOB NAME FLAG...
	pattern=$1
	shift
	misuses "bert-create-finetuning-data: $pattern" "$@"
}
no '*--tfds_params=dataset=glue/mrpc: *not downloaded*csv2tfrecord*' \
	'TensorFlow Datasets' make --tfds_params=dataset=glue/mrpc $train
no '*--tokenization=SentencePiece: *bert-tokenize*' 'SentencePiece' \
	make --tokenization=SentencePiece --sp_model_file=m --input_data_dir=d $train
no '*--classification_task_name=WIC: *WNLI*' 'WIC' \
	make --classification_task_name=WIC --input_data_dir=d $train
no "*bad value 'mrpc'*expected AX|COLA*" 'lower case' \
	make --classification_task_name=mrpc --input_data_dir=d $train
no '*--input_data_dir is missing*' 'no data' make $train
no '*nothing is to be made*--train_data_output_path*' 'no output' \
	make --input_data_dir=d
no '*--train_data_output_path: AX-g has no such data*' 'AX-g to train on' \
	make --classification_task_name=AX-g --input_data_dir=d $train
no '*--test_data_output_path: IMDB has no such data*' 'IMDB to test on' \
	make --classification_task_name=IMDB --input_data_dir=d $test
no "*XNLI has test data for each language: put {} into 'o/test'*" \
	'one file for all languages' \
	make --classification_task_name=XNLI --input_data_dir=d $test
no "*'o/train' is to be two outputs at once*" 'two outputs in one' \
	make --classification_task_name=RTE --input_data_dir=d $train \
	--eval_data_output_path=o/train
no "*'o/train' is to be two outputs at once*" 'the meta data, too' \
	make --classification_task_name=RTE --input_data_dir=d $train \
	--meta_data_file_path=o/train
no "*STS-B alone is a regression, not RTE*" 'another regression' \
	make --fine_tuning_task_type=regression --classification_task_name=RTE \
	--input_data_dir=d $train
no "*a retrieval task has no training data*" 'training for retrieval' \
	make --fine_tuning_task_type=retrieval --input_data_dir=d $train
no "*tatoeba has test data alone*" 'evaluation of tatoeba' \
	make --fine_tuning_task_type=retrieval --retrieval_task_name=tatoeba \
	--input_data_dir=d --eval_data_output_path=e
no "*bad value '2' for --max_seq_length: expected a whole number from 3*" \
	'no room for a text' make --classification_task_name=RTE \
	--input_data_dir=d $train --max_seq_length=2

# What fails leaves nothing behind.
rm -rf o d meta.json
mkdir d
printf 'sentence\tlabel\na\t1\n' >d/train.tsv
printf 'sentence\tlabel\na\tx\n' >d/dev.tsv
refuses "*cannot read 'd/dev.tsv': record 1 (line 2): label 'x' is not one of sst-2: '0', '1'" \
	'a bad label' make --classification_task_name=SST-2 --input_data_dir=d \
	$train $eval
is "$(ls o)$(ls meta.json 2>/dev/null)" '' 'leaves nothing, not even what was complete'
refuses "*'d/test.tsv': No such file or directory" 'a file that is not there' \
	make --classification_task_name=SST-2 --input_data_dir=d $train $test
refuses "*'d/train.tsv' is not a file of rte*expected a header with*" \
	'files of another task' make --classification_task_name=RTE \
	--input_data_dir=d $train
refuses "*cannot create 'd/train.tsv/x'*" 'a directory that cannot be made' \
	make --classification_task_name=SST-2 --input_data_dir=d \
	--train_data_output_path=d/train.tsv/x/y
refuses "*cannot *'d'*" 'meta data that cannot be written' \
	make --classification_task_name=SST-2 --input_data_dir=d $train \
	--meta_data_file_path=d
refuses "*cannot read 'e/train.tsv': record 1 (line 2): the text is not valid utf-8 (byte FF at position 2)" \
	'a text that is none' sh -c 'mkdir e &&
		printf "sentence\tlabel\na\377\t1\n" >e/train.tsv &&
		bert-create-finetuning-data --vocab_file="$0" --input_data_dir=e \
		--classification_task_name=SST-2 --meta_data_file_path=meta.json \
		--train_data_output_path=o/train' "$V"
exits 2 'a bucket as output' make --classification_task_name=SST-2 \
	--input_data_dir=d --train_data_output_path=gs://bucket/train
is "$(ls -d gs* 2>/dev/null)" '' '... of which no directory is made'
refuses "*'nosuch'*No such file*" 'no vocabulary' \
	make --classification_task_name=SST-2 --input_data_dir=d $train \
	--vocab_file=nosuch
is "$(ls o)$(ls meta.json 2>/dev/null)" '' 'and nothing is left'
echo '{"processor_type": "X", "max_seq_length": 5}' >meta.json
works 'meta data of another run' make --classification_task_name=SST-2 \
	--input_data_dir=d $train
is "$(tr -d ' \n' <meta.json | cut -c -24)" '{"processor_type":"SST-2' \
	'are written over, as there'
finish
