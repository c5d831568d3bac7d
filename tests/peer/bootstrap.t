#!/bin/sh
# SPDX-License-Identifier: MIT
# Confidence intervals are those that NumPy and scikit-learn have of the same samples.
# Not under thread: compares numbers; cli/bert-eval/ci runs the same code
# Not under address: compares numbers with those of scikit-learn; cli/bert-eval/ci runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
peer_or_end "NumPy's intervals" scipy sklearn
agrees() { # NAME KIND MODEL RECORDS
	bert-predict -q -m "$3" --format npy -o z.npy "$4"
	tfrecord-cat -q --json "$4" >records.json
	bert-eval -q -m "$3" --ci --ci-samples 200 --seed 77 --json -o report.json "$4"
	"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/bootstrap.py" "$2" z.npy records.json report.json 77 \
		>compared 2>err || result 1 "$1: $(tail -n 1 err)"
	outcomes compared "$1: "
}
small_data
small_train four -q --epochs 3 --learning-rate 2e-3
agrees 'four classes' classes four train.rec
for f in train dev; do
	awk -F, 'NR == 1 || /,(parking|wifi_access)$/' $f.csv |
		csv2tfrecord -q -i id -t text -l intent | bert-tokenize -q -m vocab.txt -o $f.rec
done
small_train two -q --learning-rate 2e-4
agrees 'two classes' classes two train.rec
awk -F, -v OFS=, 'NR == 1 { print "id,text,card,wifi,book"; next }
	/^[^"]*$/ { $3 = (/card/ ? 1 : 0) OFS (/wifi/ ? 1 : 0) OFS (/book/ ? 1 : 0); print }' \
	"$TEST_TOP/pipelines/data/library-train.csv" >many.csv
csv2tfrecord -q -i id -t text -l card,wifi,book many.csv | bert-tokenize -q -m vocab.txt -o many.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task multilabel --steps 80 \
	--learning-rate 1e-3 -o many many.rec
agrees labels labels many many.rec
awk -F, -v OFS=, 'NR == 1 { print "id,text,number"; next } /^[^"]*$/ { $3 = length($2) / 50; print }' \
	"$TEST_TOP/pipelines/data/library-dev.csv" |
	csv2tfrecord -q -i id -t text -l number --label-type float | bert-tokenize -q -m vocab.txt -o num.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task regression --steps 40 --learning-rate 1e-3 -o num num.rec
agrees numbers numbers num num.rec
finish
