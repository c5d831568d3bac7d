#!/bin/sh
# SPDX-License-Identifier: MIT
# --task masked-lm on records that also say whether their second segment follows the first.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/families.sh"
data=$TEST_TOP/pipelines/data
cp "$data/vocab.txt" .
cut -d, -f2 "$data/library-train.csv" | sed -n 2,121p | awk '{ print } NR % 7 == 0 { print "" }' >texts.txt
bert-create-pretraining-data --input_file=texts.txt --output_file=all.rec --vocab_file=vocab.txt \
	--max_seq_length=48 --dupe_factor=2 --verbosity=-1
tfrecord-cat -q --head 100 -o train.rec all.rec
tfrecord-cat -q --tail 30 -o dev.rec all.rec
bert-tokenize -q -m vocab.txt --lines -o lines.rec texts.txt
family_config bert >bert.json
train() { # OUT [OPTION ...] RECORDS
	bert-train --force --init-config bert.json --tokenizer vocab.txt --task masked-lm \
		--learning-rate 1e-3 --batch-size 16 --epochs 2 --dtype f32 -o "$@"
}

works 'next sentences are told' train m --eval dev.rec train.rec
like "$(cat err)" '*epoch 2: loss *, perplexity *, next accuracy *' 'and counted'
like "$(tr -d ' \n' <m/config.json)" '*"architectures":\["BertForPreTraining"\]*' 'the class of the model'
ckpt-inspect m >out
like "$(cat out)" '*bert.pooler.dense.weight*cls.predictions.bias*cls.seq_relationship.bias*cls.seq_relationship.weight*' \
	'has both heads'
bert-eval -m m --dtype f32 dev.rec >out 2>err
like "$(cat out)" 'perplexity * accuracy * next accuracy * loss *(* tokens, 30 pairs)' 'evaluation tells both'
is "$(sed 's/.*loss \([0-9.]*\).*/\1/' out)" \
	"$(sed -n 's/.*eval_loss":\([0-9.]*\).*/\1/p' m/history.jsonl | sort -n | head -n 1 | xargs printf %.4f)" \
	'as training does'
is "$(awk '{ print $2 < exp($9) }' out)" 1 'the loss is the sum of both, and perplexity is of tokens'
exits 1 'a limit on it' bert-eval -q -m m --min next_accuracy=1 dev.rec
train best -q --metric next_accuracy --eval dev.rec train.rec
like "$(tail -n 1 best/history.jsonl)" '*"eval_next_accuracy":0.*' 'it can choose the model'
bert-eval -q -m m lines.rec >out
like "$(cat out)" 'perplexity * accuracy * loss * tokens)' 'records that do not say it have masks alone'
# with each token masked by itself, the masks of the records are not there
tfrecord-cat -q --json --head 5 dev.rec | perl -MJSON::PP -ne '$r = decode_json($_); $w = $r->{masked_lm_weights};
	for (0 .. $#$w) { $r->{input_ids}[$r->{masked_lm_positions}[$_]] = $r->{masked_lm_ids}[$_] if $w->[$_] }
	delete @$r{grep { /^masked/ } keys %$r}; print encode_json($r), "\n"' | tfrecord-cat -q --from-json -o whole.rec
tfrecord-cat -q --head 5 -o masked.rec dev.rec
bert-eval -q -m m --dtype f32 --pseudo-perplexity whole.rec >want
bert-eval -q -m m --dtype f32 --pseudo-perplexity masked.rec >out
same out want 'each token by itself: the tokens that masks stand for'
bert-predict -q -m m --fill-mask -o filled.csv dev.rec
result $? 'masks are filled in without that head'

# how the work is done does not matter
train kept -q --save-steps 3 --keep 9 train.rec
train other -q -j 3 train.rec
is "$(weights other)" "$(weights kept)" 'threads do not matter'
train other -q --checkpoint-activations --detect-anomaly train.rec
is "$(weights other)" "$(weights kept)" 'nor does what is computed again'
train other -q --resume-from kept/checkpoint-3.safetensors train.rec
is "$(weights other)" "$(weights kept)" 'a run that is resumed ends with the same weights'
refuses '*next sentences*' '... and tells them as before' \
	train other -q --next-sentence no --resume-from kept/checkpoint-3.safetensors train.rec
train large -q --dropout 0 --steps 3 --log-steps 1 --batch-size 32 train.rec
train small -q --dropout 0 --steps 3 --log-steps 1 --batch-size 8 --accumulate 4 train.rec
losses() { sed -n 's/.*"loss":\([0-9.]*\).*/\1/p' "$1/history.jsonl" | xargs printf '%.3f '; }
is "$(losses small)" "$(losses large)" 'an update of four batches is that of one'

# what is known is trained on
works 'it learns further, with both heads' bert-train --force -m m --task masked-lm --steps 1 -o more train.rec
case $(cat err) in *'newly initialized'* | *'unused'* | *'replaced'*) false ;; esac
result $? 'all of them'
csv2tfrecord -q -i id -t text -l intent "$data/library-dev.csv" | bert-tokenize -q -m vocab.txt -o classes.rec
works 'a classifier begins from it' bert-train --force -m m --steps 1 -o c classes.rec
like "$(cat err)" '*newly initialized: classifier.weight, classifier.bias*' 'with its pooler'
works 'masks alone' train alone --next-sentence no train.rec
like "$(tr -d ' \n' <alone/config.json)" '*"BertForMaskedLM"*' '... is the other class'
works 'the head is new where there was none' bert-train --force -m alone --task masked-lm --steps 1 -o both train.rec
like "$(cat err)" '*newly initialized: bert.pooler.dense.weight, *cls.seq_relationship.*' 'and said to be'

# who has none
family_config distilbert >distilbert.json
works 'a family without that head' train d --init-config distilbert.json train.rec
like "$(cat err)" '*next sentences are left out: models of the family distilbert have no head for them*' 'says so'
refuses '*next sentences cannot be told: models of the family distilbert have no head*' '... and refuses it' \
	train x -q --init-config distilbert.json --next-sentence yes train.rec
cat train.rec lines.rec >some.rec
works 'records of which some say it' train s some.rec
like "$(cat err)" '*next sentences are left out: * of * training records have no next_sentence_labels*' 'are told of'
refuses '*next sentences cannot be told: * of * training records have no next_sentence_labels*' 'records that do not' \
	train x -q --next-sentence yes lines.rec
misuses "*metric 'next_accuracy' needs next sentences*" 'its metric without it' \
	train x -q --metric next_accuracy --eval lines.rec lines.rec
misuses '*expected auto|yes|no*' 'another word' train x -q --next-sentence maybe train.rec
tfrecord-cat -q --json train.rec | sed '1s/"next_sentence_labels": [01]/"next_sentence_labels": 2/' |
	tfrecord-cat -q --from-json -o bad.rec
refuses '*record 1: next_sentence_labels holds 2, which is neither 0 nor 1*' 'another label' train x -q bad.rec
tfrecord-cat -q --json train.rec | sed '1s/"next_sentence_labels": [01]/"next_sentence_labels": [1, 0]/' |
	tfrecord-cat -q --from-json -o bad.rec
refuses '*record 1: has 2 next_sentence_labels, not one*' 'two labels' train x -q bad.rec

# the features under their later names
bert-create-pretraining-data --input_file=texts.txt --output_file=v2.rec --vocab_file=vocab.txt \
	--max_seq_length=48 --dupe_factor=2 --verbosity=-1 --use_v2_feature_names
tfrecord-cat -q --head 100 -o v2-train.rec v2.rec
train v2 -q v2-train.rec
is "$(weights v2)" "$(weights kept)" 'records of other names of features train alike'
[ ! -e x ]
result $? 'nothing is left behind'
finish
