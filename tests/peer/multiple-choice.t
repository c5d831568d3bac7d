#!/bin/sh
# SPDX-License-Identifier: MIT
# Models that choose an answer, of transformers and ours: the same probabilities.
# Not under thread: compares numbers, with the threads of cli/bert-train/multiple-choice
# Not under address: compares numbers with those of PyTorch; cli/bert-train/multiple-choice runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/families.sh"
peer=$TEST_TOP/tests/fixtures/multiple-choice-peer.py

peer_or_end 'transformers chooses alike'
# two to four texts about what another says
tr -d '\r' <"$TEST_TOP/pipelines/data/library-test.csv" | awk -F, -v OFS=, '
	BEGIN { print "prompt", "A", "B", "C", "D", "answer" }
	!/"/ && NR > 1 { t[n++] = $2 }
	END { for (i = 0; i + 4 < n && i < 200; i += 5)
		print t[i], t[i + 1], t[i + 2], i % 3 ? t[i + 3] : "", i % 3 == 1 ? t[i + 4] : "", i % 2 ? "B" : "A" }' >quiz.csv
csv2tfrecord -q -t prompt --choices A,B,C,D -l answer -o quiz.text quiz.csv

# alike DIR
alike() {
	cp "$TEST_TOP/pipelines/data/vocab.txt" "$1"
	"$PEER_PYTHON" "$peer" predict quiz.csv "$1" >theirs 2>err || result 1 "$1: $(tail -n 1 err)"
	bert-tokenize -q -m "$1" --max-length 24 quiz.text |
		bert-predict -q -m "$1" --dtype f32 --format jsonl --proba -o ours -
	sed 's/.*"probabilities": {//; s/"[A-D]": //g; s/}//g' ours | tr -d ' ' | paste -d : - theirs | awk '
		{ split($0, half, ":"); n = split(half[1], a, ","); if (split(half[2], b, ",") != n) bad = 1
			for (i = 1; i <= n; i++) { d = a[i] - b[i]; if (d * d > 1e-10) bad = 1
				d = a[i] - 1 / n; if (d * d > 1e-7) apart++ } }
		END { exit !(!bad && NR >= 15 && apart > 10) }'
	result $? "$1: the same probabilities"
}
for family in bert electra; do
	family_config $family >$family.json
	works "transformers saves $family" "$PEER_PYTHON" "$peer" make $family.json $family
	alike $family
	bert-tokenize -q -m $family --max-length 24 -o quiz.rec quiz.text
	works "ours, of theirs" bert-train -q -m $family -o $family.more --steps 3 --batch-size 8 --learning-rate 1e-3 quiz.rec
	alike $family.more
	works "ours alone" bert-train -q --init-config $family.json --tokenizer $family --task multiple-choice \
		-o $family.own --steps 3 --batch-size 8 --learning-rate 1e-2 quiz.rec
	alike $family.own
done
finish
