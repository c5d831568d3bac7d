#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-create-finetuning-data: words with labels.
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"
V=$DATA/tok/uncased/vocab.txt
rec=$TEST_TOP/tests/fixtures/tok-records.pl

make() {
	bert-create-finetuning-data --fine_tuning_task_type=tagging --input_data_dir=d \
		--vocab_file="$V" --max_seq_length=8 --meta_data_file_path=meta.json \
		--verbosity=-1 "$@"
}
train=--train_data_output_path=records
value() { $rec -d <"${2-records}" | tr '\t' '\n' |
	sed -n "s/18446744073709551615/-1/g; s/^$1=//p" | tr '\n' '|'; }
ids() { for w in "$@"; do
	printf '%s ' $(($(grep -nxF -e "$w" "$V" | head -1 | cut -d: -f1) - 1))
	done; }
# sentence WORD/LABEL ...: its lines
sentence() {
	for w; do
		printf '%s\t%s\n' "${w%/*}" "${w##*/}"
	done
	echo
}

mkdir d
# to the byte what a transcription of the published steps makes
cp "$DATA/garden/tagging/train-en.tsv" d
works 'odd words' make $train --max_seq_length=14
cmp records "$DATA/garden/tagging/records" >why 2>&1
result $? 'the same bytes'

{
	sentence the/O book/B-PER 'new york/I-PER'
	echo
	sentence '(york).../B-LOC' a/O b/I-ORG c/O
} >d/train-en.tsv
works 'makes records' make $train
is "$(value input_ids)" "$(ids '[CLS]' the book new york '[SEP]')0 0|$(
	ids '[CLS]' '(' york ')' . . . '[SEP]' | sed 's/ $//')|$(ids '[CLS]' a b c '[SEP]')0 0 0|" \
	'sentences, one of them in two records'
is "$(value label_ids)" '-1 0 1 2 -1 -1 -1 -1|-1 3 -1 -1 -1 -1 -1 -1|-1 0 6 0 -1 -1 -1 -1|' \
	'the label of a word is that of its first token'
is "$(value sentence_id) $(value sub_sentence_id)" '0|1|1| 0|0|1|' 'their numbers'
is "$(value input_mask | cut -c -16) $(value segment_ids | cut -c -16)" \
	'1 1 1 1 1 1 0 0| 0 0 0 0 0 0 0 0|' 'mask and segments'
cat >wanted <<'X'
{
    "train_data_size": 3,
    "max_seq_length": 8,
    "num_labels": 7,
    "task_type": "tagging",
    "label_type": "int",
    "label_shape": [
        8
    ],
    "label_list": [
        "O",
        "B-PER",
        "I-PER",
        "B-LOC",
        "I-LOC",
        "B-ORG",
        "I-ORG"
    ],
    "processor_type": "panx"
}
X
same meta.json wanted 'meta data are those of Model Garden'
works 'says what it made' make $train --verbosity=0
like "$(cat err)" "*train: 3 records of 8 tokens in 'records', from 2 sentences (1 divided)" '... in numbers'

# words that are one unknown token
sentence '......../O' "$(printf '\302\255')/O" 'b/B-LOC' >d/train-en.tsv
works 'words without tokens, or with too many' make $train --verbosity=0
is "$(value input_ids)$(value label_ids)" \
	"$(ids '[CLS]' '[UNK]' '[UNK]' b '[SEP]')0 0 0|-1 0 0 3 -1 -1 -1 -1|" 'are unknown ones'
like "$(cat err)" '*train: 2 of 3 words are one unknown token*' '... which is reported'

# languages
for l in af ar bg de el en es et eu fa fi fr he hi hu id it ja kk ko mr nl pt ru ta te th tl tr ur vi yo zh; do
	sentence $l/X >d/train-$l.tsv
	cp d/train-$l.tsv d/dev-$l.tsv
	printf 'a\nb\n\nthe\n' >d/test-$l.tsv
done
en="$(ids '[CLS]' e '##n' '[SEP]')0 0 0 0"
udpos() { make --tagging_task_name=udpos $train "$@"; }
works 'udpos' udpos --eval_data_output_path=dev "--test_data_output_path=t/{}.rec"
is "$(value input_ids) $(value input_ids dev)" \
	"$en| $en|" 'English alone'
is "$(value label_ids)" '-1 16 -1 -1 -1 -1 -1 -1|' 'its labels'
is "$(ls t | wc -l | tr -d ' ') $(value label_ids t/vi.rec)" \
	'33 -1 0 0 -1 -1 -1 -1 -1|-1 0 -1 -1 -1 -1 -1 -1|' 'test files of words have the first label'
is "$(sed -n '/eval/,/ar/p; /"zh"/,/label_list/p; $!d' meta.json | tr -d ' \n')" \
	'"eval_data_size":1,"test_data_size":{"af":2,"ar":2,"zh":2},"label_list":[' 'sizes in the meta data'
is "$(sed -n '/processor/p' meta.json)" '    "processor_type": "udpos"' 'its name'
works 'all languages' udpos --notagging_only_use_en_train --noonly_use_en_dev \
	--eval_data_output_path=dev
is "$(value sentence_id | tr -cd '|' | wc -c | tr -d ' ') $(value input_ids dev | cut -d '|' -f 1,2,33)" \
	"33 $en|$(ids '[CLS]' a '##f' '[SEP]')0 0 0 0|$(ids '[CLS]' z '##h' '[SEP]')0 0 0 0" \
	'English first'
cp d/test-en.tsv d/train-en.tsv
works 'training data without labels' udpos
like "$(cat err)" "*warning: train: words without labels have the first one, 'ADJ'" '... warn'

# what is wrong: BYTES MESSAGE
bad() {
	rm -f records meta.json
	printf "$1" >d/train-en.tsv
	refuses "*'d/train-en.tsv'$2" "refused: $2" make $train
	[ ! -e records ] && [ ! -e meta.json ]
	result $? '... and nothing is written'
}
bad 'a\tO\nb\tB-DOG\n' ": line 2: label 'B-DOG' is not one of panx: 'O' ... 'I-ORG'"
bad 'a\tO\n\nb\tX\tO\n' ': line 3: has 3 columns, expected a word, a tab and its label'
bad 'a\tO\n\nb\n' ': line 3: has 1 column, the lines before have 2'
bad 'a\nb\tO\n' ': line 2: has 2 columns, the lines before have 1'
bad 'a\tO\n\tO\n' ': line 2: has an empty word'
bad 'a\tO\n \n' ': line 2: has 1 column, *'
bad 'a\tO\nb\t\n' ": line 2: label '' is not one of panx*"
bad 'a\tO\nb\377\tO\n' ': line 2: is not valid UTF-8 (iconv *)'
bad '\n\n' ' holds no sentence'
printf 'a\tO \r\n\r\nb\tI-PER' >d/train-en.tsv
works 'ends of lines as on Windows, and none at the end' make $train
is "$(value label_ids)" '-1 0 -1 -1 -1 -1 -1 -1|-1 2 -1 -1 -1 -1 -1 -1|' '... make no difference'
rm d/dev-en.tsv
refuses "*'d/dev-en.tsv': No such file or directory" 'a file that is not there' \
	make $train --eval_data_output_path=dev
misuses "*panx has test data for each language: put {} into 't'*" 'one file of all languages' \
	make --test_data_output_path=t
misuses '*nothing is to be made*' 'no output' make
misuses '*--input_data_dir is missing*' 'no folder' make $train --input_data_dir=
misuses "*bad value 'ner' for --tagging_task_name: expected panx|udpos*" 'another data set' \
	make $train --tagging_task_name=ner
finish
