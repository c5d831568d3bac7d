# SPDX-License-Identifier: MIT
# Small training sets of each task that models are trained for.
# shellcheck shell=sh disable=SC2034 # tasks
tasks='classification regression multilabel tagging qa masked-lm multiple-choice embedding'

# task_records TASK FILE: about 60 token records, whose vocabulary is vocab.txt
task_records() {
	cp "$TEST_TOP"/pipelines/data/vocab.txt .
	awk 'NR == 1 || /^L[0-9]+,[^",]*,(parking|get_card|pay_fine|wifi_access)$/' \
		"$TEST_TOP/pipelines/data/library-train.csv" | head -n 62 >rows.csv
	case $1 in
	classification) csv2tfrecord -q -i id -t text -l intent rows.csv ;;
	regression)
		awk -F, -v OFS=, 'NR > 1 { $3 = length($2) / 50 } { print }' rows.csv |
			csv2tfrecord -q -i id -t text -l intent --label-type float
		;;
	multilabel)
		awk -F, -v OFS=, 'NR == 1 { print "id", "text", "a", "b", "c"; next }
			{ print $1, $2, $2 ~ /card/, $2 ~ /I/, $2 ~ /how/ }' rows.csv |
			csv2tfrecord -q -i id -t text -l a,b,c
		;;
	tagging)
		awk -F, 'NR > 1 { n = split($2, w, "[ ?.]")
			for (i = 1; i <= n; i++)
				if (w[i] != "") print w[i], (length(w[i]) > 5 ? "B-X" : length(w[i]) > 3 ? "B-Y" : "O")
			print "" }' rows.csv | conll2tfrecord -q
		;;
	qa)
		squad_questions 1 60 1 | squad2tfrecord -q
		;;
	masked-lm) csv2tfrecord -q -i id -t text rows.csv ;;
	embedding)
		awk -F, -v OFS=, 'BEGIN { print "a", "b" }
			NR > 1 { if (NR % 2) print last, $2; last = $2 }' rows.csv |
			csv2tfrecord -q -i row -t a --pair b
		;;
	multiple-choice)
		awk -F, -v OFS=, 'NR == 1 { print "id", "text", "A", "B", "C", "answer"; next }
			{ n = NR % 3; print $1, $2, n == 0 ? $3 : "a card", n == 1 ? $3 : "a book",
				n == 2 ? $3 : NR % 4 ? "a fine" : "", substr("ABC", n + 1, 1) }' rows.csv |
			csv2tfrecord -q -i id -t text --choices A,B,C -l answer
		;;
	esac >text.rec
	case $1 in
	qa) set -- "$@" --max-length 32 --stride 8 ;;
	embedding) set -- "$@" --apart ;;
	esac
	out=$2
	shift 2
	bert-tokenize -q -m vocab.txt -o "$out" "$@" text.rec
}
