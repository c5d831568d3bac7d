#!/bin/sh
# SPDX-License-Identifier: MIT
# Candidates for the label of a text, by a model of entailment: the probabilities of
# transformers' zero-shot classification.
# Not under thread: compares numbers, with the threads of cli/bert-predict/zero-shot
# Not under address: compares numbers with those of PyTorch; cli/bert-predict/zero-shot runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/families.sh"
peer=$TEST_TOP/tests/fixtures/zero-shot-peer.py

peer_or_end 'transformers chooses alike'
tr -d '\r' <"$TEST_TOP/pipelines/data/library-test.csv" | awk -F, '!/"/ && NR > 1 && length($2) < 120 { print $2 }' |
	head -n 40 >texts
(echo text && cat texts) >texts.tsv
names='parking,lost cards,the wifi,books'

# alike HOW EVEN NAME [OPTION ...]: the probabilities are theirs, and some are not EVEN
alike() {
	how=$1 even=$2 name=$3
	shift 3
	"$PEER_PYTHON" "$peer" "$how" texts "$family" "$names" >theirs 2>err || result 1 "$family: $(tail -n 1 err)"
	bert-predict -q -m "$family" --dtype f32 --proba "$@" -o ours texts.rec
	sed 1d ours | cut -d , -f 3- | paste -d : - theirs | awk -v even="$even" '
		{ split($0, half, ":"); n = split(half[1], a, ","); if (split(half[2], b, ",") != n || n != 4) bad = 1
			for (i = 1; i <= n; i++) { d = a[i] - b[i]; if (d * d > 1e-10) bad = 1
				d = a[i] - even; if (d * d > 1e-4) apart++ } }
		END { exit !(!bad && NR >= 30 && apart > 10) }'
	result $? "$name"
}
for family in bert deberta-v2 electra modernbert; do
	family_config $family >$family.json
	works "transformers saves $family" "$PEER_PYTHON" "$peer" make $family.json $family
	cp "$TEST_TOP/pipelines/data/vocab.txt" $family
	csv2tfrecord -q --candidates "$names" --no-quote texts.tsv | bert-tokenize -q -m $family -o texts.rec
	alike predict .25 "$family: the same probabilities"
	alike each .5 "$family: the same of each label by itself" --threshold .5 --label-separator '|'
done
finish
