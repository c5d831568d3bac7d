#!/bin/sh
# SPDX-License-Identifier: MIT
# The scripts in pipelines/, on small data.
# Not under thread: the threads are those of the tools' own tests
# Not under address: the scripts run tools whose own tests run there
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/ranks.sh"

# whose options go on to a tool, after the script's own
for script in "$TEST_TOP"/pipelines/*.sh "$TEST_TOP"/pipelines/slurm.sbatch; do
	grep -q '^#.* options go to .*bert-\(train\|predict\)\|^#.*Options go to' "$script" || continue
	grep -q -- '--override "\$@"' "$script"
	result $? "$(basename "$script"): options override its own"
done

exits 0 'demo.sh: over 90 % right on unseen questions' \
	env DEMO_DIR=demo "$TEST_TOP/pipelines/demo.sh"
like "$(tail -n 1 out)" 'right on 2[0-9][0-9] of 240 *' 'and says so'
exits 0 'the picture of the README' "$TEST_TOP/man/picture" demo
perl -0777 -ne 'exit(!((() = /<svg /g) == 3 && /<\/svg>\s*\z/ && !/[&](?!(?:amp|lt|gt|quot);)/))' out &&
	grep -q '>Loss</text>' out && grep -q '>T0034,[a-z_]*</text>' out
result $? '... has the curves and the submission'

# shown DIR: the page of the evaluation and the curves are there, whole
shown() {
	grep -q '^</html>$' "$1/report.html" && grep -q '<table' "$1/report.html" &&
		grep -q '^</svg>$' "$1/curves.svg" && grep -q '<path \|<polyline ' "$1/curves.svg"
	result $? "$1: a page and curves"
}

# A table of BANKING77's form, and the model that the demo trained.
awk 'BEGIN {
	print "text,category"
	for (i = 1; i <= 12; i++) {
		print "where is my card number " i % 7 ",card\r"
		print "\"the transfer, of " i % 5 " euro, failed\",transfer\r"
	}
}' >train.csv
exits 0 'banking77.sh: runs' "$TEST_TOP/pipelines/banking77.sh" demo/intent \
	train.csv train.csv b --batch-size 8 --epochs 9 --warmup 2 \
	--learning-rate 1e-3
like "$(cat out)" 'seed 42: accuracy *, weighted F1 *' \
	'banking77.sh: prints accuracy and F1'
like "$(cat err)" '*epoch 9: * weighted F1 *' 'banking77.sh: F1 after each epoch'
is "$(grep -c 'more than once' err)" 0 'banking77.sh: no warning of options that override its own'
is "$(wc -l <b/predictions.csv | tr -d ' ')" 25 'banking77.sh: predicts'
grep -q 'newly initialized: classifier.weight, classifier.bias' err
result $? 'banking77.sh: new labels get a new classifier'
sed '1s/.*/words,kind/' train.csv >named.csv
exits 0 'banking77.sh: columns of other names' env TEXT=words LABEL=kind \
	"$TEST_TOP/pipelines/banking77.sh" demo/intent named.csv named.csv named --batch-size 8 \
	--epochs 9 --warmup 2 --learning-rate 1e-3
same named/predictions.csv b/predictions.csv '... are the same table'
exits 2 'banking77.sh: says how it is used' "$TEST_TOP/pipelines/banking77.sh"
like "$(cat err)" '*usage: *banking77.sh small*' 'banking77.sh: whole'
exits 0 'banking77.sh: by itself, with two seeds' env SEEDS='1 2' \
	"$TEST_TOP/pipelines/banking77.sh" small b
like "$(cat out)" 'seed 1: *seed 2: *mean of 2: accuracy 0.[89]*, weighted F1 0.[89]*' \
	'banking77.sh: tells the mean, and has learnt'
shown b
echo 'text,category
"a' >bad.csv
exits 1 'banking77.sh: a bad table ends it' \
	"$TEST_TOP/pipelines/banking77.sh" demo/intent train.csv bad.csv bad
[ ! -e bad/model ]
result $? 'banking77.sh: before anything is trained'

exits 0 'recipes.sh: two techniques beside the plain recipe' env SEEDS=2 \
	ONLY='constant-rate label-smoothing' "$TEST_TOP/pipelines/recipes.sh" small r --epochs 1 --metric loss \
	--init-config "$DATA/one-layer.json"
like "$(cat out)" 'technique *mean *deviation *seconds *options
plain * *.???? *.???? *
constant-rate * *.???? *.???? *--schedule constant
label-smoothing * *.???? *.???? *--label-smoothing 0.1
ensemble * *.???? * - * - * the mean of the plain models' 'recipes.sh: a line each'
cp out first
rm -r r/label-smoothing r/label-smoothing.time
exits 0 'recipes.sh: once more' env SEEDS=2 \
	ONLY='constant-rate label-smoothing' "$TEST_TOP/pipelines/recipes.sh" small r --epochs 1 --metric loss \
	--init-config "$DATA/one-layer.json"
is "$(awk '{ print $1, $2, $3 }' out)" "$(awk '{ print $1, $2, $3 }' first)" \
	'recipes.sh: trains what is missing, with the same result'
exits 2 'recipes.sh: says how it is used' "$TEST_TOP/pipelines/recipes.sh"

ag=$TEST_TOP/pipelines/ag-news-roberta.sh
exits 0 'ag-news-roberta.sh: by itself' "$ag" small a
like "$(cat out)" 'accuracy 0.[89]*' 'ag-news-roberta.sh: has learnt'
like "$(cat err)" '*bert-train: * examples/s, * tokens/s,*bert-predict: * examples/s,*' \
	'ag-news-roberta.sh: examples a second'
like "$(head -n 2 a/submission.csv | tr '\n' ' ')" 'id,class 0,[WSB]* ' \
	'ag-news-roberta.sh: a submission with names of classes'
is "$(($(wc -l <a/submission.csv) - 1))" "$(grep -c . a/data/test.csv)" \
	'ag-news-roberta.sh: of all rows'
like "$(tr -d ' \n' <a/model/config.json)" \
	'*RobertaForSequenceClassification*"0":"World","1":"Sports","2":"Business","3":"Sci/Tech"*' \
	'ag-news-roberta.sh: a RoBERTa, its classes in the published order'
ls a/model/vocab.json a/model/merges.txt a/logs/events.out.* \
	a/logs/train/events.out.* a/logs/validation/events.out.* >why 2>&1
result $? 'ag-news-roberta.sh: its tokenizer, and event files'
exits 0 "ag-news-roberta.sh: a user's model and data" "$ag" a/model a/data c \
	--train-share .5 --epochs 1
like "$(cat err)" '*bert-train: * of 645 training examples*' \
	'ag-news-roberta.sh: a share of the data'
like "$(cat out)" 'accuracy 0.[89]*' 'ag-news-roberta.sh: measured'
exits 2 'ag-news-roberta.sh: says how it is used' "$ag" --help
is "$(sed -n '$p' err)" 'form from the demo data, a vocabulary, a RoBERTa with random weights.' \
	'ag-news-roberta.sh: and no more'
exits 1 'ag-news-roberta.sh: no such data' "$ag" a/model nosuch d

GLUE_DIR=glue exits 0 'glue-run-classifier.sh: runs' \
	"$TEST_TOP/pipelines/glue-run-classifier.sh"
like "$(tail -n 1 out)" '* - val_accuracy: 1.0000' 'glue-run-classifier.sh: learns'
is "$(awk -F'\t' 'NF == 2 && $1 + $2 > .9999' glue/model/test_results.tsv | wc -l |
	tr -d ' ')" 20 'glue-run-classifier.sh: predicts'
exits 0 'glue-run-classifier.sh: on files of a user' \
	"$TEST_TOP/pipelines/glue-run-classifier.sh" mrpc glue/bert glue/data glue2 \
	--num_train_epochs=1 --optimizer_type=lamb
like "$(tail -n 1 out)" '13/13 *' 'glue-run-classifier.sh: with flags of his'
exits 2 'glue-run-classifier.sh: says how it is used' \
	"$TEST_TOP/pipelines/glue-run-classifier.sh" mrpc

exits 0 'glue-submission.sh: by itself' env GLUE_DIR=all "$TEST_TOP/pipelines/glue-submission.sh"
is "$(sed 's/ [0-9.]*\(,\|$\)/\1/g' out | tr '\n' ';')" \
	'CoLA: Matthews correlation;SST-2: accuracy;MRPC: F1, accuracy;STS-B: Pearson correlation, Spearman correlation;QQP: F1, accuracy;MNLI-m: accuracy;QNLI: accuracy;RTE: accuracy;WNLI: accuracy;MNLI-mm: accuracy;' \
	'glue-submission.sh: the metrics of nine tasks'
is "$(grep -c '[^,] 0\.[0-7]' out)" 0 'glue-submission.sh: has learnt them'
like "$(tail -n 1 err)" "bert-run-glue: 11 files in 'all/submission.zip'" \
	'glue-submission.sh: the zip file'
is "$(cut -f2 all/predictions/AX.tsv | sort -u | tr '\n' ' ')" \
	'contradiction entailment neutral prediction ' 'glue-submission.sh: the classes of MNLI'
ckpt-convert -q --to tf1 all/RTE/model/best_ckpt all/bert/bert_model.ckpt
exits 0 'glue-run-classifier.sh: a task of numbers' "$TEST_TOP/pipelines/glue-run-classifier.sh" \
	sts-b all/bert all/data/STS-B numbers
like "$(tail -n 1 out)" '* - val_mean_squared_error: *' 'glue-run-classifier.sh: has their error'
is "$(wc -l <numbers/model/test_results.tsv | tr -d ' ')" 20 'glue-run-classifier.sh: predicts numbers'
exits 0 'train-experiment.sh: a task of numbers' "$TEST_TOP/pipelines/train-experiment.sh" \
	sts-b all/bert all/data/STS-B numbers2
grep -q '"pearson_spearman_corr"' numbers2/model/best_ckpt/info.json
result $? 'train-experiment.sh: has their correlation'
exits 1 "glue-submission.sh: a user's model and data" "$TEST_TOP/pipelines/glue-submission.sh" \
	all/bert all/data all2 --num_epoch=1
like "$(tail -n 1 err)" '*: 11 of the 11 files are missing or wrong: CoLA.tsv*' \
	'glue-submission.sh: which have the sizes of the test sets'
rm all/data/diagnostic/diagnostic.tsv
exits 1 'glue-submission.sh: no diagnostic set' "$TEST_TOP/pipelines/glue-submission.sh" \
	all/bert all/data all3
like "$(tail -n 1 err)" "*'all/data' has no diagnostic set" 'glue-submission.sh says so'
[ ! -e all3/CoLA/model ]
result $? 'glue-submission.sh: before anything is trained'
exits 2 'glue-submission.sh: says how it is used' "$TEST_TOP/pipelines/glue-submission.sh" all/bert

exits 0 'toxic-comments.sh: by itself' env TOXIC_DIR=toxic \
	"$TEST_TOP/pipelines/toxic-comments.sh"
like "$(cat out)" '*toxic *micro avg*mean ROC AUC 0.9*' 'toxic-comments.sh: has learnt'
is "$(cut -d, -f1 toxic/submission.csv)$(head -n 1 toxic/submission.csv)" \
	"$(cut -d, -f1 toxic/data/sample_submission.csv)$(head -n 1 toxic/data/sample_submission.csv)" \
	'toxic-comments.sh: a submission in the form of the sample'
shown toxic
exits 0 "toxic-comments.sh: a user's model and data" "$TEST_TOP/pipelines/toxic-comments.sh" \
	toxic/model toxic/data toxic2 --steps 2
exits 2 'toxic-comments.sh: says how it is used' "$TEST_TOP/pipelines/toxic-comments.sh" --help

exits 0 'conll-tagging.sh: by itself' env TAGGING_DIR=tagging \
	"$TEST_TOP/pipelines/conll-tagging.sh"
like "$(cat out)" 'entity *micro avg *-DOCSTART- O O*' 'conll-tagging.sh: scores and writes tags'
exits 0 'conll-tagging.sh: has learnt' bert-eval -q -m tagging/model --min f1=.8 tagging/test.rec
shown tagging
exits 0 "conll-tagging.sh: a user's model and data" "$TEST_TOP/pipelines/conll-tagging.sh" \
	tagging/model tagging/data tagging2 --steps 2
exits 2 'conll-tagging.sh: says how it is used' "$TEST_TOP/pipelines/conll-tagging.sh" --help

exits 0 'embeddings.sh: by itself' "$TEST_TOP/pipelines/embeddings.sh" small e
like "$(cat out)" 'accuracy 0.* MRR 0.*(23 pairs)*id,rank,nearest,similarity*' 'embeddings.sh: evaluates, and searches'
exits 0 'embeddings.sh: has learnt' bert-eval -q -m e/model --min mrr=.25 e/test.rec
shown e
exits 0 "embeddings.sh: a user's model and data" "$TEST_TOP/pipelines/embeddings.sh" e/model e/dev.csv e/dev.csv e2
exits 2 'embeddings.sh: says how it is used' "$TEST_TOP/pipelines/embeddings.sh"
exits 0 'few-shot.sh: by itself' "$TEST_TOP/pipelines/few-shot.sh" small fs
like "$(cat out)" 'accuracy *id,label,suggested,*contribution*' 'few-shot.sh: evaluates, and explains'
is "$(wc -l <fs/few.jsonl | tr -d ' ')" 192 'few-shot.sh: eight texts of each class'
like "$(cat err)" '* of 907 labels look wrong: *' 'few-shot.sh: looks at the labels of the others'
exits 0 'few-shot.sh: has learnt' bert-eval -q -m fs/model --min accuracy=.25 fs/test.rec
shown fs
exits 0 "few-shot.sh: a user's model and data" env SHOTS=2 "$TEST_TOP/pipelines/few-shot.sh" \
	fs/model train.csv train.csv fs2 --epochs 1
is "$(wc -l <fs2/few.jsonl | tr -d ' ')" 4 'few-shot.sh: fewer texts'
exits 2 'few-shot.sh: says how it is used' "$TEST_TOP/pipelines/few-shot.sh"

exits 0 'rerank.sh: by itself' "$TEST_TOP/pipelines/rerank.sh" small rr
like "$(cat out)" '*60 queries
MRR@10 [01].* NDCG@10 [01].*' 'rerank.sh: ranks'
exits 0 'rerank.sh: has learnt' bert-eval -q -m rr/model --min average_precision=.9 rr/test.rec
shown rr
awk 'BEGIN {
	printf "{\"version\": \"1.1\", \"data\": [{\"title\": \"t\", \"paragraphs\": ["
	for (i = 0; i < 24; i++)
		printf "%s{\"context\": \"room \\\"%d\\\" is open\", \"qas\": [{\"id\": \"q%d\", \"question\": \"which room %d?\", \"answers\": [{\"text\": \"room\", \"answer_start\": 0}]}]}", \
			(i ? ", " : ""), i, i, i
	print "]}]}"
}' >rooms.json
exits 0 "rerank.sh: a user's model and data" "$TEST_TOP/pipelines/rerank.sh" rr/model rooms.json rr2 --epochs 1
is "$(cat rr2/train.jsonl rr2/test.jsonl | wc -l | tr -d ' '), $(grep -c '"fits": 1' rr2/test.jsonl)" '144, 6' \
	'rerank.sh: passages of the same part'
is "$(sed 's/.*"passage"/p/; s/, "fits.*//' rr2/test.jsonl rr2/train.jsonl | sort -u | wc -l | tr -d ' ')" 24 \
	'rerank.sh: as JSON has them'
exits 2 'rerank.sh: says how it is used' "$TEST_TOP/pipelines/rerank.sh"

exits 0 'long-documents.sh: by itself' "$TEST_TOP/pipelines/long-documents.sh" small long
like "$(cat out)" 'mean of all windows: accuracy 0.[5-9]*max of all windows: accuracy 0.[5-9]*first windows: accuracy 0.[01]*' \
	'long-documents.sh: what stands behind the first window counts'
is "$(wc -l <long/predictions.csv)" "$(wc -l <long/dev.csv)" 'long-documents.sh: a prediction for each text'
shown long
exits 0 "long-documents.sh: a user's model and data" env LENGTH=8 "$TEST_TOP/pipelines/long-documents.sh" \
	long/mean train.csv train.csv long2 --epochs 1
exits 2 'long-documents.sh: says how it is used' "$TEST_TOP/pipelines/long-documents.sh"

exits 0 'multiple-choice.sh: by itself' "$TEST_TOP/pipelines/multiple-choice.sh" small mc
like "$(cat out)" 'accuracy [01].* MAP@3 *(50 questions)' 'multiple-choice.sh: evaluates'
exits 0 'multiple-choice.sh: has learnt' bert-eval -q -m mc/model --min map_at_3=.9 mc/test.rec
is "$(awk '/^[0-9]+,[A-E] [A-E] [A-E]$/' mc/submission.csv | wc -l | tr -d ' ')" 50 \
	'multiple-choice.sh: the best three of each question'
awk -F, 'NR == 1 || $8 ~ /[ABC]/' mc/test.csv >mc/three.csv
exits 0 "multiple-choice.sh: a user's model and data" env CHOICES=C,B,A \
	"$TEST_TOP/pipelines/multiple-choice.sh" mc/model mc/three.csv mc/three.csv mc2 --epochs 1
cut -d , -f 1-7 mc/test.csv >mc/kaggle.csv
exits 0 'multiple-choice.sh: a test without answers, as Kaggle has it' \
	"$TEST_TOP/pipelines/multiple-choice.sh" mc/model mc/train.csv mc/kaggle.csv mc3 --steps 1
is "$(sed 's/,.*//' mc3/submission.csv)" "$(sed 's/,.*//' mc/kaggle.csv)" 'multiple-choice.sh: has a submission'
[ ! -e mc3/report.txt ]
result $? 'multiple-choice.sh: and no report'
exits 2 'multiple-choice.sh: says how it is used' "$TEST_TOP/pipelines/multiple-choice.sh"
exits 0 'distill.sh: by itself' "$TEST_TOP/pipelines/distill.sh" small d --epochs 8
like "$(cat out)" 'teacher: accuracy *student: accuracy *' 'distill.sh: compares both'
exits 0 'distill.sh: the student has learnt' bert-eval -q -m d/student --min accuracy=.8 d/test.rec
is "$(ckpt-inspect --family d/student | sed -n '/^layers/p')" 'layers       1' 'distill.sh: with one layer of two'
exits 0 "distill.sh: a user's model and data" env LAYERS=1 TEXT=words LABEL=kind \
	"$TEST_TOP/pipelines/distill.sh" d/teacher named.csv named.csv d2 --epochs 1
sed 1d train.csv | bert-vocab -q --lines --type bpe --size 400 -o other
csv2tfrecord -q -t text -l category train.csv | bert-tokenize -q -m other -o other.rec
bert-train -q --init-config "$TEST_TOP/pipelines/data/small.json" --tokenizer other --steps 1 -o small other.rec
rm -r d2/student # of the other tokenizer
exits 0 'distill.sh: a smaller model with another tokenizer' env STUDENT=small \
	"$TEST_TOP/pipelines/distill.sh" d/teacher train.csv train.csv d2 --epochs 1
like "$(cat out)" 'teacher: accuracy *student: accuracy *' 'distill.sh: compares these'
same d2/student/vocab.json small/vocab.json 'distill.sh: the student keeps its own'
bert-tokenize -q -m d/teacher -o want.rec d2/train.text
same d2/train.rec want.rec 'distill.sh: and the teacher, in the directory of another student'
exits 2 'distill.sh: says how it is used' "$TEST_TOP/pipelines/distill.sh"

exits 0 'domain-pretraining.sh: by itself' "$TEST_TOP/pipelines/domain-pretraining.sh" small dom
like "$(cat out)" 'without pre-training: accuracy *with pre-training: accuracy *' 'domain-pretraining.sh: compares both'
exits 0 'domain-pretraining.sh: the model has learnt words' bert-eval -q -m dom/pretrained --min perplexity=400 dom/texts.rec
exits 0 "domain-pretraining.sh: a user's model and data" "$TEST_TOP/pipelines/domain-pretraining.sh" \
	dom/base train.csv train.csv train.csv dom2 --epochs 1
exits 2 'domain-pretraining.sh: says how it is used' "$TEST_TOP/pipelines/domain-pretraining.sh"

exits 0 'squad.sh: by itself' env SQUAD_DIR=squad "$TEST_TOP/pipelines/squad.sh"
like "$(cat out)" '*has answer  *no answer *all  *' 'squad.sh: scores its answers'
exits 0 'squad.sh: has learnt' bert-eval -q --predictions squad/predictions.json \
	--null-odds squad/null_odds.json --min exact_match=.8 --min f1=.8 squad/dev.rec
is "$(grep -c '^    "[A-Z]*[0-9]*": ' squad/predictions.json)" 240 'squad.sh: an answer to each question'
shown squad
exits 0 "squad.sh: a user's model and data" "$TEST_TOP/pipelines/squad.sh" \
	squad/model squad/train.json squad/dev.json squad2 --steps 2
exits 2 'squad.sh: says how it is used' "$TEST_TOP/pipelines/squad.sh" --help

EXPERIMENT_DIR=experiment exits 0 'train-experiment.sh: killed and recovered' \
	"$TEST_TOP/pipelines/train-experiment.sh"
like "$(tail -n 1 out)" '*the same model, bit for bit' 'train-experiment.sh: to the same bits'
exits 0 'train-experiment.sh: on files of a user' \
	"$TEST_TOP/pipelines/train-experiment.sh" sst-2 experiment/bert experiment/data \
	experiment2 --threads=1
like "$(tail -n 1 out)" 'accuracy *(80 examples)' 'train-experiment.sh: with flags of his'
exits 2 'train-experiment.sh: says how it is used' \
	"$TEST_TOP/pipelines/train-experiment.sh" sst-2

exits 0 'arabizi-notebook.sh: runs on a table of its own' env OUT_DIR=arabizi \
	"$TEST_TOP/pipelines/arabizi-notebook.sh"
like "$(cat out)" '*history:*"epoch":16,*accuracy *predicted:*' \
	'... tells its history, and what was predicted'
like "$(cat err)" "*3 duplicates dropped*1 of the 4 labels has no training example: '0'*" \
	'... of the notebook'\''s classes'
is "$(sed -n '/^predicted:/,$p' out | awk 'NR > 1 { n += $1 } END { print n }')" \
	"$(tail -n +2 arabizi/Test.csv | wc -l | tr -d ' ')" '... for each text'
is "$(tail -n +2 arabizi/submission.csv | cut -d, -f2 | sort -u | grep -cvxE -- '-1|0|1')" 0 \
	'... under the names of the table'
is "$(head -n 2 arabizi/submission.csv | cut -d, -f1 | tr '\n' ' ')" 'ID T2 ' \
	'... and the ids of the sample'
is "$(bert-eval --json -m arabizi/model arabizi/dev.rec 2>err |
	perl -MJSON::PP -0777 -ne 'print decode_json($_)->{accuracy} > .45 ? 1 : 0')" 1 \
	'... and learns'
shown arabizi
sed 's/,0$/,5/' arabizi/Train.csv >Train.csv
exits 1 'arabizi-notebook.sh: a label it does not know' "$TEST_TOP/pipelines/arabizi-notebook.sh" \
	demo/intent Train.csv arabizi/Test.csv arabizi/SampleSubmission.csv a.out
like "$(cat err)" "*Train.csv*label '5'*" '... is reported'
exits 0 'arabizi-notebook.sh: a model of yours' env LENGTH=24 \
	"$TEST_TOP/pipelines/arabizi-notebook.sh" demo/intent arabizi/Train.csv \
	arabizi/Test.csv arabizi/SampleSubmission.csv a.out --epochs 1
like "$(cat a.out/model/config.json)" '*"flatten 24, dense 512 relu, *' '... and a length'
exits 2 'arabizi-notebook.sh: says how it is used' \
	"$TEST_TOP/pipelines/arabizi-notebook.sh" x

# a table that says nothing of itself; the second has no id and numbers to predict
fit=$TEST_TOP/pipelines/fit.sh predict=$TEST_TOP/pipelines/predict.sh
data=$TEST_TOP/pipelines/data
exits 0 'fit.sh: trains' "$fit" "$data/library-train.csv" demo/intent fitted --epochs 2
like "$(cat err)" "*delimiter: comma*column 'text'*column 'intent'*column 'id'*task: classification*" \
	'... and says what it guesses'
grep -q '^</svg>$' fitted/curves.svg
result $? '... draws its curves'
exits 0 'predict.sh: predicts' "$predict" fitted "$data/library-test.csv" \
	"$data/SampleSubmission.csv" filled.csv
cut -d, -f1 filled.csv >got
cut -d, -f1 "$data/SampleSubmission.csv" | tr -d '\r' | cmp -s - got
result $? '... for the ids of the sample'
hub=$DATA/parquet-hub
exits 0 'fit.sh: Parquet' "$fit" "$hub/library-train.parquet" demo/intent parquet --epochs 2
like "$(cat err)" "*delimiter: none, it is Parquet*column 'text'*column 'intent'*column 'id'*task: classification*" \
	'... is guessed as well'
same parquet/model.safetensors fitted/model.safetensors '... and is the same table'
exits 0 'predict.sh: Parquet' "$predict" parquet "$hub/library-test.parquet" \
	"$data/SampleSubmission.csv" parquet.csv
same parquet.csv filled.csv '... with the same submission'
exits 0 'predict.sh: CSV for a model of Parquet' "$predict" parquet "$data/library-test.csv" \
	"$data/SampleSubmission.csv" parquet.csv
same parquet.csv filled.csv '... too'
exits 2 'from-the-hub.sh: says how it is used' "$TEST_TOP/pipelines/from-the-hub.sh" x
exits 0 'from-the-hub.sh: with a directory' env LABEL=intent "$TEST_TOP/pipelines/from-the-hub.sh" \
	demo/intent "$hub/library-train.parquet" "$data/library-dev.csv" shown --epochs 1
like "$(cat out)" '*csv2tfrecord *bert-eval * --html *accuracy*' '... Parquet and CSV; jobs/package has a hub'
awk 'BEGIN {
	print "points\tSatz"
	for (i = 1; i <= 60; i++) print i / 8 "\tthe card number " i % 20 " of a reader"
}' >numbers.tsv
exits 0 'fit.sh: a table without ids' "$fit" numbers.tsv demo/intent numbers --epochs 1
like "$(cat err)" "*delimiter: tab*column 'Satz'*column 'points'*id: none*task: regression*" \
	'... is guessed, too'
awk 'BEGIN { print "points"; for (i = 1; i <= 60; i++) print 0 }' >sample.csv
awk 'BEGIN {
	print "Sorte;Satz;Datum"
	for (i = 1; i <= 60; i++) print "s" i % 3 ";the card number " i % 20 " of a reader;1." i % 30 ".26"
}' >dates.csv
exits 0 'fit.sh: a label of no usual name' "$fit" dates.csv demo/intent dates --epochs 1
like "$(cat err)" "*label: column 'Sorte'*" '... is not the date'
awk 'BEGIN {
	print "qid,comment_text,rude,threat,late"
	for (i = 1; i <= 60; i++) print "q" i ",the card number " i % 20 " of a reader," i % 2 ",0," (i % 3 == 0)
}' >rude.csv
exits 0 'fit.sh: several columns of 0 and 1' "$fit" rude.csv demo/intent rude --epochs 1
like "$(cat err)" "*label: column 'rude,threat,late'*id: column 'qid'*task: multilabel*" \
	'... are labels, also the one that no text has'
cut -d, -f1,3-5 rude.csv >sample.rude
exits 0 'predict.sh: several labels' "$predict" rude rude.csv sample.rude filled.csv
is "$(sed -n 's/^\(q60\)\(,[0-9.e-]*\)\{3\}$/\1/p;1p' filled.csv | tr '\n' ' ')" 'qid,rude,threat,late q60 ' \
	'... fill in their columns'
awk 'BEGIN {
	print "pair_ID,sentence1,sentence2,score"
	for (i = 1; i <= 60; i++) print i ",the card number " i % 20 ",a reader of " i % 7 "," i % 9 / 2
}' >pairs.csv
exits 0 'fit.sh: pairs' "$fit" pairs.csv demo/intent pairs --epochs 1
like "$(cat err)" "*text: column 'sentence1'*second text: column 'sentence2'*label: column 'score'*task: regression*" \
	'... are known by their names'
cut -d, -f1,4 pairs.csv >sample.pairs
exits 0 'predict.sh: pairs' "$predict" pairs pairs.csv sample.pairs filled.csv
is "$(grep -c 'single texts' err) $(wc -l <filled.csv)" '0 61' '... are pairs there, too'
head -n 3 pairs/columns.txt >columns && mv columns pairs/columns.txt
exits 0 'predict.sh: columns without a pair' "$predict" pairs pairs.csv sample.pairs filled.csv
like "$(cat err)" '*60 of 60 records are single texts*' '... as earlier versions wrote them'
exits 0 'fit.sh: PAIR=' env PAIR= "$fit" pairs.csv demo/intent single --epochs 1
like "$(cat err)" "*text: column 'sentence*label: column 'score'*" '... are texts if that is asked for'
is "$(grep -c 'second text' err)" 0 '... of one column'
iconv -f UTF-8 -t UTF-16 numbers.tsv >excel.txt
exits 0 'fit.sh: UTF-16' "$fit" excel.txt demo/intent excel --epochs 1
same excel/model.safetensors numbers/model.safetensors '... is the same table'
awk 'BEGIN {
	print "\"Satz, kurz, ganz\";points"
	for (i = 1; i <= 60; i++) print "\"caf\351, number " i % 20 ", of a reader\";" i "e-1"
}' | gzip >quoted.csv.gz
exits 1 'fit.sh: Latin-1' "$fit" quoted.csv.gz demo/intent quoted --epochs 1
like "$(cat err)" '*not valid utf-8*--encoding*needs a column*' '... fails, and it says why'
exits 0 'fit.sh: its ENCODING' env ENCODING=latin1 "$fit" quoted.csv.gz demo/intent quoted --epochs 1
like "$(cat err)" "*delimiter: semicolon*column 'Satz, kurz, ganz'*column 'points'*task: regression*" \
	'... commas in quotes divide nothing, and 1e-1 is a number'
exits 0 'predict.sh: its ENCODING' env ENCODING=latin1 "$predict" quoted quoted.csv.gz sample.csv filled.csv
is "$(wc -l <filled.csv | tr -d ' ')" 61 '... too'
exits 1 'fit.sh: a folder' "$fit" demo demo/intent folder
like "$(cat err)" "fit.sh: cannot read 'demo', or it is not a file" '... is refused'
exits 0 'predict.sh: in its order' "$predict" numbers numbers.tsv sample.csv filled.csv
is "$(wc -l <filled.csv | tr -d ' ')" 61 '... a line each'
like "$(cat err)" '*id: none, so the rows of the sample are those of the table, in order*' '... which it says'
awk 'BEGIN { OFS = "\t" } { print (NR == 1 ? "nr" : "n" NR), $0 }' numbers.tsv >ids.tsv
awk -F '\t' 'NR == 1 { print "points;nr"; next } { row[NR] = "0;" $1 } END { while (NR > 1) print row[NR--] }' \
	ids.tsv >reversed.csv
exits 0 'predict.sh: ids that only the test has' "$predict" numbers ids.tsv reversed.csv by-id.csv
like "$(cat err)" "*id: column 'nr', which the sample has, too*" '... are found'
is "$(sed '1d;s/;.*//' by-id.csv | sort)" "$(sed 1d filled.csv | sort)" '... with the same predictions'
is "$(sed -n '2s/;.*//p' by-id.csv)" "$(tail -n 1 filled.csv)" '... each in the row of its id'
exits 0 'fit.sh: other columns' env TEXT=points LABEL=Satz TASK=classification "$fit" \
	numbers.tsv demo/intent odd --epochs 1
like "$(cat err)" "*text: column 'points'*label: column 'Satz'*" '... as told'
sed 's/\t.*//' numbers.tsv >alone.csv
exits 1 'fit.sh: one column' "$fit" alone.csv demo/intent alone
like "$(cat err)" "*'alone.csv' needs a column of texts and one of labels*" '... is too few'
exits 1 'fit.sh: two tables' "$fit" numbers.tsv alone.csv demo/intent alone
like "$(cat err)" "fit.sh: 'alone.csv' is a file: expected one table, *" '... are one too many'
exits 1 'fit.sh: no model' "$fit" alone.csv nowhere alone
like "$(cat err)" "*'nowhere'*" '... is reported first'
exits 2 'fit.sh: says how it is used' "$fit"
exits 2 'predict.sh: says how it is used' "$predict" x
exits 1 'predict.sh: a model that fit.sh did not make' "$predict" demo/intent a b
like "$(cat err)" "*has no columns.txt*" '... is refused'

for script in "$TEST_TOP"/pipelines/*.sh; do
	grep -q "$(basename "$script")" "$TEST_TOP/tests/jobs/pipelines.t" \
		"$TEST_TOP/tests/jobs/banking77.t"
	result $? "$(basename "$script") has a test"
done

# a model whose path a shell takes apart
cp -R demo/intent 'my model'
exits 0 'demo.sh: a path with a blank' env DEMO_DIR='my demo' "$TEST_TOP/pipelines/demo.sh" 'my model'
exits 0 'cluster.sh: a path with a blank' env MPIRUN=env "$TEST_TOP/pipelines/cluster.sh" \
	'my model' train.csv train.csv 'my cluster' --epochs 1
if have_ranks 'cluster.sh, slurm.sbatch'; then
	exits 0 'cluster.sh: two processes' env MPIRUN='mpirun -n 2' "$TEST_TOP/pipelines/cluster.sh" small c2
	like "$(cat out)" 'accuracy 0.[89]*' 'cluster.sh: has learnt'
	like "$(cat err)" '*bert-train: 2 ranks sent each other * bytes in * updates*' 'cluster.sh: both'
	is "$(wc -l <c2/predictions.csv)" $(($(tfrecord-cat -q --json c2/test.rec | wc -l) + 1)) 'cluster.sh: predicts'
	exits 0 'cluster.sh: three processes' env MPIRUN='mpirun -n 3' "$TEST_TOP/pipelines/cluster.sh" small c3
	cmp c2/model/model.safetensors c3/model/model.safetensors >why 2>&1
	result $? 'cluster.sh: the same bits'
	exits 2 'cluster.sh: says how it is used' "$TEST_TOP/pipelines/cluster.sh"

	# in the place of Slurm
	mkdir slurm
	cat >slurm/srun <<-'END'
		#!/bin/sh
		while [ "${1#-}" != "$1" ]; do shift; done
		exec mpirun -n 2 "$@"
	END
	printf '#!/bin/sh\necho "$@" >requeued\n' >slurm/scontrol
	chmod +x slurm/srun slurm/scontrol
	batch() { # OUT [OPTION ...]
		o=$1
		shift
		env PATH="$PWD/slurm:$PATH" SLURM_JOB_ID=7 sh "$TEST_TOP/pipelines/slurm.sbatch" c2/model "$o" c2/train.rec \
			--dtype f32 --epochs 1 "$@"
	}
	exits 0 'slurm.sbatch: trains' batch s1
	exits 1 'slurm.sbatch: its time is over' batch s2 --max-minutes 1e-5
	is "$(cat requeued)" 'requeue 7' 'slurm.sbatch: goes into the queue again'
	rm requeued
	exits 2 'slurm.sbatch: fails at once' batch s2 --warmup nonsense
	[ -e s2/checkpoint.safetensors ] && [ ! -e requeued ]
	result $? 'slurm.sbatch: without a new checkpoint it stays out of the queue'
	exits 0 'slurm.sbatch: goes on' batch s2
	cmp s1/model.safetensors s2/model.safetensors >why 2>&1
	result $? 'slurm.sbatch: to the same bits'
	exits 2 'slurm.sbatch: says how it is used' sh "$TEST_TOP/pipelines/slurm.sbatch"
fi
finish
