#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-create-finetuning-data: SQuAD's questions as windows.
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"
V=$DATA/tok/uncased/vocab.txt
rec=$TEST_TOP/tests/fixtures/tok-records.pl

make() {
	bert-create-finetuning-data --fine_tuning_task_type=squad \
		--vocab_file="$V" --max_seq_length=12 --squad_data_file=in.json \
		--train_data_output_path=records --meta_data_file_path=meta.json \
		--verbosity=-1 "$@"
}
# question CONTEXT QUESTION MEMBERS: in.json with one question
question() {
	printf '{"data": [{"paragraphs": [{"context": "%s", "qas": [{"id": "q1", "question": "%s", %s}]}]}]}\n' \
		"$1" "$2" "$3" >in.json
}
answer() { echo "\"answers\": [{\"text\": \"$1\", \"answer_start\": $2}]"; }
value() { $rec -d <records | tr '\t' '\n' | sed -n "s/^$1=//p" | tr '\n' '|'; }
ids() { for w in "$@"; do
	printf '%s ' $(($(grep -nxF -e "$w" "$V" | head -1 | cut -d: -f1) - 1))
	done; }

cat >expected <<'X'
{
    "task_type": "bert_squad",
    "train_data_size": 1,
    "max_seq_length": 12,
    "max_query_length": 64,
    "doc_stride": 128,
    "version_2_with_negative": false
}
X
question 'the library is very  new' 'is it' "$(answer 'very new' 15)"
works 'makes records' make
same expected meta.json 'meta data are those of Model Garden'
is "$(value input_ids)" "$(ids '[CLS]' is it '[SEP]' the library is very new '[SEP]')0 0|" \
	'the question, then the context'
is "$(value input_mask)" '1 1 1 1 1 1 1 1 1 1 0 0|' 'mask'
is "$(value segment_ids)" '0 0 0 0 1 1 1 1 1 1 0 0|' 'segments'
is "$(value paragraph_mask)" '1 0 0 0 1 1 1 1 1 0 0 0|' 'paragraph and class token'
is "$(value class_index)$(value unique_ids)" '0|1000000000|' 'class token, number'
is "$(value start_positions)$(value end_positions)$(value is_impossible)" \
	'7|8|0|' 'two blanks between words of the answer are one'

# (york) is one word of three tokens: the answer is the one between
question 'the book (york).' 'is it' "$(answer york 10)"
works 'makes records of a word in brackets' make
is "$(value start_positions)$(value end_positions)" '7|7|' \
	'the answer shrinks to its own tokens'
question 'the book (york).' 'is it' "$(answer york 9)"
works 'takes an answer that stands one character on' make
is "$(value start_positions)$(value end_positions)" '7|7|' '... at the same tokens'

# windows: 12 - 2 - 3 tokens of the context, from 3 to 3
question 'one hundred new york library books' 'a b c' "$(answer books 29)"
works 'divides a context' make --max_query_length=2 --doc_stride=3
is "$(value unique_ids | tr '|' '\n' | wc -l | tr -d ' ')" \
	"$(sed -n 's/.*train_data_size": \(.*\),/\1/p' meta.json)" \
	'the size is the number of windows'
is "$(value start_positions | sed 's/[^|]*|$//' | tr -d '0|')" '' \
	'windows without the answer have position 0'
is "$(value is_impossible | sed 's/.|$//' | tr -d '1|')" '' '... and are impossible'
like "$(value is_impossible)" '1|*|0|' 'the last has it'

question 'the book' 'is it' '"is_impossible": true, "answers": []'
refuses "*in.json': data 1: paragraph 1: question 'q1': it has 0 answers*exactly one (*" \
	'a question without an answer is refused' make
works '... unless it may lack one' make --version_2_with_negative
is "$(value start_positions)$(value is_impossible)" '0|1|' 'its position is 0'
question 'the book' 'is it' "$(answer book 5)"
refuses "*question 'q1': the answer ends at character 9, behind the context, which has 8" \
	'an answer behind the context is refused' make
question 'the book' 'is it' "$(answer lost 4)"
works 'leaves out a question whose answer is not there' make
like "$(cat err)" "*1 question left out*(first: 'q1')" '... with a warning'
is "$(wc -c <records | tr -d ' ')" 0 '... and no record'
question 'the book' 'one two three one two three one two three' "$(answer book 4)"
refuses '*its 15 tokens and 3 special ones leave no room for the context in 12*' \
	'a question without room for the context is refused' make

mkdir more
question 'the book' 'is it' "$(answer book 4)"
cp in.json more/b.json
works 'reads a folder, too' make --translated_squad_data_folder=more
is "$(value unique_ids)" '1000000000|1000000001|' '... after the file'

misuses '*--xlnet_format=true: *' 'the other order is refused' \
	make --xlnet_format
misuses '*training data alone*' 'evaluation data are refused' \
	make --eval_data_output_path=e
misuses '*--squad_data_file is missing*' 'a file is needed' \
	make --squad_data_file=
finish
