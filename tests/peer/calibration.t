#!/bin/sh
# SPDX-License-Identifier: MIT
# Calibration finds the minimum that scipy finds.
# Not under thread: compares numbers; cli/bert-eval/calibrate runs the same code
# Not under address: compares numbers with those of scipy; cli/bert-eval/calibrate runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
peer_or_end "scipy's minimum" scipy
agrees() { # NAME MODEL RECORDS
	rm -f "$2/calibration.json"
	bert-predict -q -m "$2" --format npy -o z.npy "$3"
	tfrecord-cat -q --json "$3" >records.json
	for how in temperature vector; do
		bert-eval -q -m "$2" --calibrate $how "$3" >report
		"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/calibration.py" z.npy records.json \
			"$2/calibration.json" $how >compared 2>err || result 1 "$1, $how: $(tail -n 1 err)"
		outcomes compared "$1, $how: "
	done
}
small_data
small_train four -q --epochs 4 --learning-rate 3e-3
agrees 'four classes' four dev.rec
awk -F, -v OFS=, 'NR == 1 { print "id,text,card,wifi,book"; next }
	/^[^"]*$/ { $3 = (/card/ ? 1 : 0) OFS (/wifi/ ? 1 : 0) OFS (/book/ ? 1 : 0); print }' \
	"$TEST_TOP/pipelines/data/library-train.csv" >many.csv
csv2tfrecord -q -i id -t text -l card,wifi,book many.csv | bert-tokenize -q -m vocab.txt -o many.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task multilabel --steps 80 \
	--learning-rate 1e-3 -o many many.rec
agrees labels many many.rec
finish
