#!/bin/sh
# SPDX-License-Identifier: MIT
# Words with labels in Model Garden's records: trained on, evaluated, predicted.
# Not under thread: the threads are those of cli/bert-train/train
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/tags.sh"
vocab=$TEST_TOP/pipelines/data/vocab.txt

garden_tags
records() { # LENGTH NAME
	bert-create-finetuning-data --fine_tuning_task_type=tagging --input_data_dir=d \
		--vocab_file="$vocab" --max_seq_length="$1" --train_data_output_path="$2.train" \
		--eval_data_output_path="$2.dev" --meta_data_file_path="$2.meta" --verbosity=-2
}
records 12 short && records 64 long
train() { # OUT [OPTION ...]
	dir=$1
	shift
	bert-train --force --init-config tiny --tokenizer "$vocab" --learning-rate 2e-3 \
		--batch-size 16 --dropout 0 -o "$dir" "$@"
}
works 'learns tags' train m --task tagging --labels short.meta --epochs 4 --eval short.dev short.train
like "$(cat err)" '*200 training examples in * windows, 40 for evaluation, 7 tags of * words,*epoch 1: loss *, F1 *' \
	'a divided sentence is one example'
like "$(tr -d ' \n' <m/config.json)" \
	'*"id2label":{"0":"O","1":"B-PER","2":"I-PER","3":"B-LOC","4":"I-LOC","5":"B-ORG","6":"I-ORG"}*' \
	'the labels are those of the meta data'
works 'is evaluated' bert-eval -m m --min f1=.8 --min accuracy=.8 short.dev
like "$(cat out)" 'entity *PER *LOC *ORG *micro avg *' 'by entities'

# the same sentences by conll2tfrecord, in records that hold them whole
conll2tfrecord -q d/dev-en.tsv | bert-tokenize -q -m m -o words.rec
bert-eval -q --json --dtype f32 -m m words.rec >wanted
works 'evaluates whole sentences' bert-eval -q --json --dtype f32 -m m long.dev
same out wanted 'as those of bert-tokenize, to the digit'
bert-predict -q --dtype f32 -m m words.rec | cut -f 3 >wanted
works 'predicts tags' bert-predict -q --dtype f32 -m m -o tags.conll long.dev
same tags.conll wanted 'a line each, as there'
works 'of divided sentences' bert-predict -m m -o tags.conll short.dev
is "$(tr -c '\n' x <tags.conll | sed 's/x.*/x/')" "$(tr -c '\n' x <d/dev-en.tsv | sed 's/x.*/x/')" \
	'joined, an empty line behind each'
like "$(cat err)" "*40 sentences, $(grep -c . d/dev-en.tsv) words: predicted O *" 'which is reported'
words=$(sed -n '/^$/q; p' d/dev-en.tsv | wc -l | tr -d ' ')
works 'as CSV' bert-predict -q -m m --format csv --proba short.dev
is "$(sed -n 's/^0,\([0-9]*\),,[OBI][-A-Z]*,[01][.0-9]*$/\1/p' out | tail -n 1)" $((words - 1)) \
	'numbers of sentences and words, no words'
works 'as JSON Lines' bert-predict -q -m m --format jsonl long.dev
like "$(cat out)" '{"id": "0", "tokens": *, "tags": ?"O", "O", *"entities": *{"type": "*", "words": *]}*' \
	'entities by the numbers of words'
like "$(sed -n 2p out)" '{"id": "1", *' 'a line each'
works 'with tags that follow a scheme' bert-predict -q -m m --scheme iob2 long.dev

# without names
works 'labels without names' train n --task tagging --epochs 1 short.train
like "$(tr -d ' \n' <n/config.json)" '*"id2label":{"0":"0","1":"1","2":"2","3":"3"}*' 'are numbers'
refuses '*record 1: holds words with tags, but the model learns to *--task tagging*' \
	'not for another task' train x short.train

# record LABEL_IDS [MORE]: one record
record() {
	echo "{\"input_ids\": [2, 77, 78, 3, 0, 0], \"input_mask\": [1, 1, 1, 1, 0, 0],
		\"segment_ids\": [0, 0, 0, 0, 0, 0], \"label_ids\": [$1]${2-}}" | tr -d '\n\t' |
		tfrecord-cat -q --from-json -o one.rec
}
record '-1, 0, -1, -1, -1, -1' ', "sentence_id": 5, "sub_sentence_id": 0'
works 'a record' bert-predict -q -m m --format csv one.rec
like "$(tail -n 1 out)" '5,0,,*' 'of one word'
record '-1, 0, -100, -1'
works 'a list without padding' bert-predict -q -m m --format csv one.rec
record '-1, 0, -1'
refuses "*'one.rec': record 1: label_ids holds 3 numbers for 4 tokens*" 'too few numbers' \
	bert-eval -m m one.rec
record '-1, 0, -1, -1, 2, -1'
refuses '*record 1: label_ids holds 2 at position 4, behind the last token*' 'a label of padding' \
	bert-eval -m m one.rec
record '-1, 7, -1, -1, -1, -1'
refuses '*record 1: label number 7, but there are 7 labels*' 'a label that the model does not know' \
	bert-eval -m m one.rec
works 'which prediction does not mind' bert-predict -q -m m one.rec
record '-1, 1, -1, -1, -1, -1' ', "sub_sentence_id": [1, 2]'
refuses '*record 1: sub_sentence_id holds 2 numbers, expected one*' 'two numbers of parts' \
	bert-eval -m m one.rec
record '-1, -1, -1, -1, -1, -1'
refuses '*no training record has tags*' 'no word to learn from' train x --task tagging one.rec
finish
