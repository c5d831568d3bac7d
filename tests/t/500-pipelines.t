#!/bin/sh
# SPDX-License-Identifier: MIT
# The scripts in pipelines/, on small data.
. "$TEST_TOP/tests/lib.sh"

exits 0 'demo.sh: over 90 % right on unseen questions' \
	env DEMO_DIR=demo "$TEST_TOP/pipelines/demo.sh"
like "$(tail -n 1 out)" 'right on 2[0-9][0-9] of 240 *' 'and says so'

# A table of BANKING77's form, and the model that the demo trained.
awk 'BEGIN { print "text,category" }
	{ print "where is my card number " NR % 7 ",card\r"
	print "\"the transfer, of " NR % 5 " euro, failed\",transfer\r" }' \
	/dev/stdin >train.csv <<EOF
1
2
3
4
5
6
7
8
9
10
11
12
EOF
exits 0 'banking77.sh: runs' "$TEST_TOP/pipelines/banking77.sh" demo/intent \
	train.csv train.csv out.d --epochs 12 --learning-rate 1e-3
like "$(cat out)" 'accuracy *' 'banking77.sh: prints the accuracy'
is "$(wc -l <out.d/predictions.csv | tr -d ' ')" 25 'banking77.sh: predicts'
grep -q 'fresh: classifier.weight, classifier.bias' err
result $? 'banking77.sh: new labels get a new classifier'
exits 2 'banking77.sh: says how it is used' "$TEST_TOP/pipelines/banking77.sh"

for script in "$TEST_TOP"/pipelines/*.sh; do
	grep -q "$(basename "$script")" "$TEST_TOP/tests/t/500-pipelines.t" \
		"$TEST_TOP/tests/t/510-real.t"
	result $? "$(basename "$script") has a test"
done
finish
