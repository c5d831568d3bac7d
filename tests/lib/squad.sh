# SPDX-License-Identifier: MIT
# Questions for tests, as SQuAD has them: "The" and the word behind it are the answer; with
# LACKING 1 every sixth question has none. Every fourth text has several windows of 16 tokens.
# shellcheck shell=sh
squad_vocabulary() {
	printf '%s\n' '[PAD]' '[UNK]' '[CLS]' '[SEP]' '[MASK]' '?' the what .
	for i in 1 2 3 4 5 6 7 8 9; do echo "w$i"; done
}
squad_questions() { # SEED NUMBER LACKING(0|1)
	awk -v seed="$1" -v count="$2" -v lacking="$3" '
	function words_of(words, at,   k, text) {
		for (k = 0; k < words; k++) {
			if (k == at)
				start = length(text) - breaks
			text = text (k == at ? "The" : "W" 1 + int(rand() * 9))
			if (k == at + 1 && at >= 0)
				answer = substr(text, start + breaks_before + 1)
			if (k == words - 1)
				return text "."
			# a line end is two characters here, and one of the text
			if (rand() < .2 && k != at) {
				text = text "\\n"
				breaks++
			} else {
				text = text " "
			}
			if (k + 1 == at)
				breaks_before = breaks
		}
	}
	BEGIN {
		srand(seed)
		printf "{\"version\": \"1\", \"data\": [{\"title\": \"\", \"paragraphs\": ["
		for (i = 1; i <= count; i++) {
			words = (i % 4 == 0 ? 16 : 8) + int(rand() * 4)
			at = lacking && i % 6 == 0 ? -1 : int(rand() * (words - 1))
			breaks = breaks_before = 0
			text = words_of(words, at)
			printf "%s{\"context\": \"%s\", \"qas\": [{\"id\": \"q%d\", \"question\": \"what?\", ",
				(i > 1 ? ", " : ""), text, i
			if (lacking)
				printf "\"is_impossible\": %s, ", at < 0 ? "true" : "false"
			printf "\"answers\": ["
			if (at >= 0)
				printf "{\"text\": \"%s\", \"answer_start\": %d}", answer, start
			printf "]}]}"
		}
		print "]}]}"
	}'
}
# The records that create_finetuning_data makes of FILE.json, windows of 16 tokens of which
# the next begins 6 tokens on: FILE.rec, FILE.meta.
squad_records() { # FILE FLAG ...
	file=$1
	shift
	bert-create-finetuning-data --fine_tuning_task_type=squad --squad_data_file="$file.json" \
		--vocab_file=vocab.txt --max_seq_length=16 --doc_stride=6 \
		--train_data_output_path="$file.rec" --meta_data_file_path="$file.meta" --verbosity=-1 "$@"
}

# squad_both: a vocabulary, questions that have an answer and, with a 2 in their names,
# some that have none, and the records of those to learn from
squad_both() {
	squad_vocabulary >vocab.txt
	squad_questions 1 400 0 >train.json
	squad_questions 2 60 0 >dev.json
	squad_questions 3 400 1 >train2.json
	squad_questions 4 60 1 >dev2.json
	squad_records train
	squad_records train2 --version_2_with_negative
}
