#!/bin/sh
# SPDX-License-Identifier: MIT
# The metrics of GLUE's tasks are those of scikit-learn and SciPy.
# Not under thread: compares numbers, with the threads of jobs/pipelines
# Not under address: compares numbers; cli/bert-run-glue runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
peer_or_end 'metrics of GLUE' sklearn scipy
GLUE_DIR=g "$TEST_TOP/pipelines/glue-submission.sh" >log 2>&1
ckpt-convert -q --to tf1 g/RTE/model/best_ckpt g/bert/bert_model.ckpt
# every fifth label of the development sets is that of the row before
for f in g/data/*/dev*.tsv; do
	awk -F '\t' -v OFS='\t' -v column="$(case $f in
	*CoLA*) echo 2 ;; *MRPC*) echo 1 ;; *) echo 0 ;; esac)" '{
		c = column > 0 ? column : NF
		now = $c
		if (NR % 5 == 4) $c = before
		before = now
		print
	}' "$f" >noisy && mv noisy "$f"
done
# its test sets are too small for the leaderboard, which it says at the end
"$TEST_TOP/pipelines/glue-submission.sh" g/bert g/data n --num_epoch=3 --learning_rate=1e-3 \
	--global_batch_size=16 >log 2>&1
mkdir n/dev
for name in CoLA SST-2 MRPC STS-B QQP MNLI-m MNLI-mm QNLI RTE WNLI; do
	records=n/${name%-m*}/eval${name#"${name%-mm}"}.tf_record
	bert-predict -q --dtype f32 -m "n/${name%-m*}/model/best_ckpt" -o "n/dev/$name.csv" "$records"
done
"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/glue-peer.py" g/data n >compared 2>err ||
	result 1 "$(tail -n 1 err)"
outcomes compared
is "$(wc -l <compared | tr -d ' ')" 22 'all were compared'
finish
