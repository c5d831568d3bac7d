#!/bin/sh
# SPDX-License-Identifier: MIT
# Options by the names that they have in Hugging Face's Trainer, Model Garden and Keras:
# every tool answers with its own.
# Not under thread: starts no threads
# Not under address: the table is read in the plain build; unit/base/base parses options
. "$TEST_TOP/tests/lib/lib.sh"

while read -r tool theirs ours; do
	under=$theirs
	while [ "$under" != "${under#*-}" ]; do under=${under%%-*}_${under#*-}; done
	for name in "$theirs" "$under"; do
		"$tool" "--$name" 2 >out 2>err
		status=$?
		IFS= read -r first <err
		is "$status $first" "2 $tool: unknown option '--$name'; did you mean '--$ours'?" "$tool --$name"
	done
done <<'END'
bert-train num-train-epochs epochs
bert-train max-steps steps
bert-train num-train-steps steps
bert-train per-device-train-batch-size batch-size
bert-train gradient-accumulation-steps accumulate
bert-train accumulate-grad-batches accumulate
bert-train LR learning-rate
bert-train head-lr head-learning-rate
bert-train body-learning-rate learning-rate
bert-train evaluation-steps eval-steps
bert-train evaluate-during-training eval
bert-train use-early-stopping patience
bert-train best-model-dir output
bert-train metrics metric
csv2tfrecord on-bad-lines skip-bad
csv2tfrecord dropna na drop
csv2tfrecord dedup drop-duplicates
tfrecord-cat take head
tfrecord-cat num-shards shard
tfrecord-cat filter where
tfrecord-cat test-size split
tfrecord-cat deduplicate dedupe
bert-train vocab-file tokenizer
bert-tokenize vocab-file model
bert-predict pooling-mode embed
bert-train min-lr end-learning-rate
bert-train warmup-ratio warmup
bert-train num-warmup-steps warmup
bert-train lr-scheduler-type schedule
bert-train optimizer-type optimizer
bert-train weight-decay-rate weight-decay
bert-train llrd layer-decay
bert-train max-grad-norm clip
bert-train clipnorm clip
bert-train clipvalue clip-value
bert-train adam-epsilon epsilon
bert-train smoothing label-smoothing
bert-train class-weights class-weight
bert-train hidden-dropout-prob dropout
bert-train freeze-encoder freeze
bert-train awp fgm
bert-train adversarial-training fgm
ckpt-convert swa average
tensor-cat average mean
bert-train peft lora
bert-train target-modules lora-targets
bert-fetch repo-type dataset
bert-fetch dataset-name dataset
bert-fetch model-revision revision
bert-fetch allow-patterns include
bert-train pooling pool
bert-train mlm-probability mask-prob
bert-train wwm whole-word
bert-train mlm task masked-lm
bert-train is-regression task regression
bert-train multi-label task multilabel
bert-train problem-type task
bert-train ner task tagging
bert-train text-classification task classification
bert-train question-answering task qa
bert-train n-splits kfold
tfrecord-cat n-splits kfold
bert-train n-trials tune
bert-train seed-everything seed
bert-train validation-data eval
bert-train validation-split eval-share
bert-train validation-split-percentage eval-share
bert-train eval-strategy eval-steps
bert-train eval-every eval-steps
bert-train monitor metric
bert-train early-stopping patience
bert-train early-stopping-patience patience
bert-train logging-steps log-steps
bert-train logging-strategy log-steps
bert-train report-to tensorboard
bert-train save-strategy save-steps
bert-train save-total-limit keep
bert-train resume-from-checkpoint resume-from
bert-train no-model-card no-card
bert-train overwrite-output-dir force
bert-train model-name-or-path model
bert-predict model-name-or-path model
bert-train bert-config-file init-config
bert-train json summary
bert-predict json summary
csv2tfrecord json summary
bert-eval summary json
bert-train tokenizer-name tokenizer
bert-train output-dir output
bert-predict output-file output
bert-fetch local-dir output
csv2tfrecord sep delimiter
csv2tfrecord index-col id
csv2tfrecord sentence text
csv2tfrecord target label
bert-train label-list labels
bert-tokenize max-seq-length max-length
bert-tokenize maxlen max-length
bert-tokenize padding pad
bert-tokenize doc-stride stride
bert-tokenize label-all-tokens label-all
bert-predict n-best-size n-best
bert-predict max-answer-length max-answer
bert-predict dimensions truncate-dim
bert-predict null-score-diff-threshold null-threshold
bert-eval version-2-with-negative null-odds
bert-tokenize do-lower-case lower-case
bert-predict probabilities proba
bert-predict return-all-scores proba
bert-predict top-k top
bert-predict embeddings embed
bert-train fp16 dtype bf16
bert-train bf16 dtype bf16
bert-train mixed-precision dtype bf16
bert-eval fp32 dtype f32
bert-predict int8 dtype int8
ckpt-convert outtype dtype
bert-train gradient-checkpointing checkpoint-activations
bert-train cuda device
bert-train n-gpu replicas
csv2tfrecord n-jobs threads
bert-train dataloader-num-workers threads
bert-train terminate-on-nan detect-anomaly
tensor-cat knn nearest
bert-train disable-tqdm quiet
csv2tfrecord text-column-name text
csv2tfrecord label-column-name label
csv2tfrecord candidate-labels candidates
csv2tfrecord left-join join
csv2tfrecord corpus join
csv2tfrecord hypothesis_template template
END

# values by the names that they have there, or mistyped
while read -r tool option theirs ours; do
	"$tool" "--$option" "$theirs" >out 2>err
	like "$? $(head -n 1 err)" "2 $tool: bad value '$theirs' for --$option: expected *; did you mean '$ours'?" \
		"$tool --$option $theirs"
done <<'END'
bert-train task multi_label_classification multilabel
bert-train task token-classification tagging
bert-train task MLM masked-lm
bert-train task regresion regression
bert-train task cross-encoder ranking
bert-train task choice multiple-choice
bert-train task sts-b regression
bert-train pool avg mean
bert-train pool CLS first
bert-train dtype fp16 bf16
bert-train optimizer adamw_torch adamw
bert-predict dtype float32 f32
bert-eval task multi-label multilabel
END
bert-train --task zebra 2>err
like "$(cat err)" "*bad value 'zebra' for --task: expected classification|*|tagging
*" 'what is like none is only refused'

# where the tool has no such option, what is done instead
while read -r tool theirs hint; do
	misuses "$tool: unknown option '--$theirs' ($hint)" "$tool --$theirs" "$tool" "--$theirs" 2
done <<'END'
bert-train max-seq-length bert-tokenize --max-length truncates texts
bert-predict max_length bert-tokenize --max-length truncates texts
bert-train group_by_length batches need no padding; bert-tokenize --pad writes it for others
bert-train text_column_name csv2tfrecord reads tables and JSON Lines, conll2tfrecord words and tags, squad2tfrecord questions, bert-tokenize --lines lines of text
csv2tfrecord nrows tfrecord-cat --head N takes the first N records
csv2tfrecord test_size tfrecord-cat --split divides records, bert-train --eval-share holds some back
bert-eval metric bert-eval prints all metrics of a task; its --min sets limits
bert-train label_column name the column with csv2tfrecord -l COLUMN
bert-train padding batches need no padding; bert-tokenize --pad writes it for others
bert-train per_device_eval_batch_size batches that are only evaluated or predicted need no size
bert-predict batch-size batches that are only evaluated or predicted need no size
bert-train focal left out of bert-train, as it helped on none of the data sets in bertutils-recipes(7)
bert-train focal_loss left out of bert-train, as it helped on none of the data sets in bertutils-recipes(7)
bert-train gamma left out of bert-train, as it helped on none of the data sets in bertutils-recipes(7)
bert-train contrastive left out of bert-train, as it helped on none of the data sets in bertutils-recipes(7)
bert-train supcon_loss left out of bert-train, as it helped on none of the data sets in bertutils-recipes(7)
bert-train ema left out of bert-train, as it helped on none of the data sets in bertutils-recipes(7)
bert-train use_ema left out of bert-train, as it helped on none of the data sets in bertutils-recipes(7)
bert-train average left out of bert-train, as it helped on none of the data sets in bertutils-recipes(7)
bert-train swa left out of bert-train, as it helped on none of the data sets in bertutils-recipes(7)
bert-train load_best_model_at_end with --eval, the best model is the one that is kept
bert-train do_train each job is a tool: bert-train, bert-eval, bert-predict
bert-train doc_stride bert-tokenize --stride cuts long texts into windows
bert-train label_all_tokens bert-tokenize --label-all labels all tokens of a word
bert-train version_2_with_negative bert-predict has --nbest, --n-best, --null-odds, --null-threshold and --max-answer
bert-train max_train_samples tfrecord-cat --head N takes the first N records
bert-train dataset_name bert-fetch --dataset NAME fetches a data set
bert-train model_revision bert-fetch --revision fetches it
bert-train hub_token the environment variable HF_TOKEN takes a token
bert-train push_to_hub models stay on this machine: 'hf upload NAME DIR' of huggingface_hub sends a model directory
bert-train ignore_mismatched_sizes leave it out: it is so without an option
bert-predict candidate_labels csv2tfrecord --candidates and --template make records of them
bert-train train-file files to read are named without an option
bert-tokenize input files to read are named without an option
bert-predict text csv2tfrecord reads tables and JSON Lines, conll2tfrecord words and tags, squad2tfrecord questions, bert-tokenize --lines lines of text
END
devices='without --device, CPUs compute; BT_PJRT_PATH names the directories of plugins; see DEVICES in bertutils(7)'
misuses "bert-train: unknown option '--no_cuda' ($devices)" 'CPUs compute without an option' bert-train --no_cuda
misuses "bert-predict: unknown option '--cpu' ($devices)" 'in each program with devices' bert-predict --cpu
misuses "tfrecord-cat: unknown option '--cpu'" 'but in none without' tfrecord-cat --cpu
misuses "bert-eval: unknown option '--average'" 'what bert-train leaves out means something else elsewhere' \
	bert-eval --average macro
misuses "tfrecord-cat: unknown option '--gamma'" 'or nothing' tfrecord-cat --gamma
misuses "bert-tokenize: unknown option '--num-train-epochs'" 'another program has it, nothing is guessed' \
	bert-tokenize --num-train-epochs 3
# an empty variable where a value should be
misuses "bert-train: option '-m' needs a value: '-o' is an option" 'an option as a value' \
	bert-train -m -o out a.rec
misuses "bert-train: option '-m' needs a value: '-o' is an option" 'behind a flag' \
	bert-train -qm -o out a.rec
misuses "bert-train: option '--eval' needs a value: '--steps=3' is an option" 'a long one' \
	bert-train --eval --steps=3 a.rec
like "$(bert-train --model=-o --lora-targets=-o --steps 3 2>&1)" '*give -o DIR*' 'behind = it is a value'
like "$(bert-predict -m m --null-threshold -1 x.rec 2>&1)" "*no model directory 'm'*" 'a negative number is one, too'
printf 'text\nhello\n' >-dash.csv
misuses "csv2tfrecord: unknown option '-d' ('./' before the name of a file that begins with '-')" \
	'a file that begins with a dash' csv2tfrecord -dash.csv
printf 'text\nhello\n' >--dash.csv
misuses "csv2tfrecord: unknown option '--dash.csv' ('./' before the name of a file that begins with '-')" \
	'or with two' csv2tfrecord --dash.csv
is "$(csv2tfrecord -q ./--dash.csv | tfrecord-cat -q --count)" 1 'which reads it'
# flags that have a value there
misuses "bert-train: option '--resume' takes no value: leave out 'True'" 'a value for a flag' bert-train --resume True a.rec
misuses "bert-train: option '--few-shot' takes no value: leave it out for 'false'" 'no flag' bert-train --few-shot false
: >true
works 'unless it is a file' tfrecord-cat --json true
BT_MESSAGES=json bert-predict --batch-size 8 2>err
like "$(cat err)" '*"hint":"batches that are only*' 'for programs, too'
finish
