#!/bin/sh
# SPDX-License-Identifier: MIT
# The scores of answers are those of SQuAD's scripts: of random and degenerate ones, and
# of published predictions.
# Not under thread: starts no threads beyond those of cli/bert-eval/questions
# Not under address: compares numbers; cli/bert-eval/questions runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
published=$SHARED/squad/bert_tiny_v1.1_predictions/predictions.json
if [ -f "$published" ]; then
	squad2tfrecord -q -o xquad.rec "$SHARED/xquad/xquad.en.json"
	works 'published predictions' bert-eval -q --json --predictions "$published" xquad.rec
	is "$(sed -n 's/.*"\(f1\|exact_match\)": /\1 /p' out | tr -d '\n')" 'f1 0.464338915,exact_match 0.339495798,' \
		'... have the scores of evaluate-v1.1.py'
else
	skip 'published predictions' "no $SHARED/squad"
fi
peer_or_end 'scores by a second implementation'
"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/squad-scores.py" >compared 2>err || result 1 "$(tail -n 1 err)"
is "$(grep -c '^ok \|^not ok ' compared)" 5 'all kinds of answers are compared'
outcomes compared
finish
