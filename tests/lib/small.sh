# SPDX-License-Identifier: MIT
# A small training set for tests: four intents of the library data as train.rec
# (about 180 records) and dev.rec, and a quick way to train on them. A run of tests
# makes the set once: who comes second to keep it there takes the first one's.
# shellcheck shell=sh
small_data() {
	if [ ! -d "$TEST_LOG/small" ]; then
		made=$(mktemp -d "$TEST_LOG/small.XXXXXX") || exit 1
		(
			set -e
			cd "$made"
			small_files
		)
		made_status=$? # behind && or || nothing would end it
		[ $made_status = 0 ] || {
			rm -r "$made"
			exit 1
		}
		mv -T "$made" "$TEST_LOG/small" 2>/dev/null || rm -r "$made"
	fi
	cp "$TEST_LOG"/small/* .
}

small_files() {
	cp "$TEST_TOP"/pipelines/data/vocab.txt .
	for f in train dev; do
		# rows that stand on one line, of four intents
		awk 'NR == 1 || /,(parking|get_card|pay_fine|wifi_access)$/ &&
			/^L[0-9]+,/' "$TEST_TOP/pipelines/data/library-$f.csv" >$f.csv
		csv2tfrecord -q -i id -t text -l intent -o $f.text.rec $f.csv
		bert-tokenize -q -m vocab.txt --max-length 48 -o $f.rec $f.text.rec
	done
}

# small_train OUT [OPTION ...]: one epoch from random weights, or as told; of the
# configuration small_config [one layer; two-layers.json has two]
small_train() {
	out=$1
	shift
	bert-train --force --init-config "${small_config-$DATA/one-layer.json}" --tokenizer vocab.txt --epochs 1 \
		--learning-rate 1e-3 --batch-size 16 -o "$out" "$@" train.rec
}
