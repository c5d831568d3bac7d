#!/bin/sh
# SPDX-License-Identifier: MIT
# What earlier versions wrote is read as it was then (tests/fixtures/version.sh).
# Not under thread: the threads are those of the tools' own tests
. "$TEST_TOP/tests/lib/lib.sh"

# near A B: equal, but for numbers, which differ by .00002 at most
near() {
	paste -d , "$1" "$2" | awk -F , '{
		for (i = 1; i <= NF / 2; i++) {
			d = $i - $(i + NF / 2)
			if ($i != $(i + NF / 2) && (d == 0 || d * d > 4e-10)) { print; bad = 1 }
		}
	} END { exit bad || NR < 2 }' >why
	result $? "$3"
}

losses() { sed 's/.*"step":\([0-9]*\),.*"eval_loss":\([0-9.]*\),.*/\1,\2/' "$1" | tail -n 2; }

for old in "$DATA"/versions/*; do
	version=${old##*/}
	works "$version: text records" tfrecord-cat -q --json "$old/texts.rec"
	same out "$old/texts.jsonl" '... are the same'
	works "$version: compressed token records" tfrecord-cat -q --json "$old/tokens.rec"
	same out "$old/tokens.jsonl" '... are the same'
	works "$version: tables" csv2tfrecord -q -i id -t text -l label -o texts.rec "$old/texts.csv"
	same texts.rec "$old/texts.rec" '... become the same records'
	works "$version: texts" bert-tokenize -q -m "$old/vocab.txt" -o tokens.rec "$old/texts.rec"
	tfrecord-cat -q --json tokens.rec >tokens.jsonl
	same tokens.jsonl "$old/tokens.jsonl" '... become the same tokens'
	works "$version: tensor streams" tensor-cat --csv "$old/logits.ts"
	same out "$old/logits.csv" '... are the same'
	works "$version: a model, and its calibration" bert-predict -q --dtype f32 -m "$old/model" \
		--proba -o p.csv "$old/tokens.rec"
	near p.csv "$old/predictions.csv" '... predict the same'
	works "$version: an adapter" bert-predict -q --dtype f32 -m "$old/model" \
		--adapter "$old/adapter" --format tensor -o adapter.ts "$old/tokens.rec"
	works "$version: tags" bert-predict -q --dtype f32 -m "$old/tagging" --format tensor \
		-o tagging.ts "$old/tagging.rec"
	works "$version: embeddings" bert-predict -q --dtype f32 -m "$old/embedding" --embed auto \
		-o embedding.ts "$old/embedding.rec"
	works "$version: answers" bert-predict -q --dtype f32 -m "$old/qa" --null-odds odds \
		-o answers.json "$old/qa.rec"
	sed -n 's/^ *"\(.*\)": \([^,]*\),*$/\1,\2/p' odds >qa.csv
	for what in adapter tagging embedding qa; do
		[ $what = qa ] || tensor-cat --csv $what.ts >$what.csv
		near $what.csv "$old/$what.csv" "... $what: the same"
	done
	works "$version: predictions" bert-eval -q --predictions "$old/predictions.csv" "$old/tokens.rec"
	works "$version: a history" bert-plot --terminal -o h "$old/model"
	works "$version: a run is resumed" bert-train -q -j 1 --dtype f32 --init-config "$old/start.json" \
		--tokenizer "$old/vocab.txt" --no-card --epochs 4 --batch-size 4 --learning-rate 1e-2 \
		--save-steps 8 --keep 3 --eval "$old/tokens.rec" \
		--resume-from "$old/model/checkpoint-8.safetensors" -o model "$old/tokens.rec"
	losses "$old/model/history.jsonl" >a.csv
	losses model/history.jsonl >b.csv
	near a.csv b.csv '... and ends with the same loss'
done
finish
