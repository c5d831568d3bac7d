#!/bin/sh
# SPDX-License-Identifier: MIT
# --task masked-lm: tokens are masked, and told.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/families.sh"
data=$TEST_TOP/pipelines/data
cp "$data/vocab.txt" .
csv2tfrecord -q -i id -t text -l intent "$data/library-train.csv" | bert-tokenize -q -m vocab.txt -o all.rec
tfrecord-cat -q --head 64 -o train.rec all.rec
tfrecord-cat -q --tail 40 -o dev.rec all.rec
train() { # OUT [OPTION ...] RECORDS
	bert-train --force --init-config tiny --tokenizer vocab.txt --task masked-lm \
		--learning-rate 1e-3 --batch-size 16 --epochs 2 --dtype f32 -o "$@"
}

works 'tokens are masked' train m --eval dev.rec train.rec
like "$(cat err)" '*64 training examples, 40 for evaluation, * tokens, *' 'are examples'
like "$(cat err)" '*epoch 2: loss *, evaluation loss *, accuracy *, perplexity *' 'those told are counted'
like "$(cat err)" '*model of epoch 2 (loss *' 'and choose the model'
like "$(tr -d ' \n' <m/config.json)" '*"architectures":\["BertForMaskedLM"\]*' 'the class of the model'
grep -q 'id2label\|problem_type' m/config.json
is $? 1 'which has no labels'
ckpt-inspect m >out
like "$(cat out)" '*cls.predictions.bias*cls.predictions.transform.dense.weight*' 'the head is written'
grep -q decoder out
is $? 1 'without the table of words, which it shares'
works 'it is evaluated' bert-eval -m m --dtype f32 --min perplexity=2000 dev.rec
like "$(cat out)" 'perplexity * accuracy * loss * tokens)' 'by tokens'
is "$(sed 's/.*loss \([0-9.]*\).*/\1/' out)" \
	"$(sed -n 's/.*eval_loss":\([0-9.]*\).*/\1/p' m/history.jsonl | sort -n | head -n 1 | xargs printf %.4f)" \
	'as in training'
bert-eval -q -m m --seed 1 dev.rec >other
[ "$(cat other)" != "$(cat out)" ]
result $? 'another seed masks others'
works 'each token by itself' bert-eval -m m --dtype f32 --pseudo-perplexity dev.rec
is "$(sed 's/.*(\([0-9]*\) tokens)/\1/' out)" "$(tfrecord-cat -q --json dev.rec | awk '
	{ sub(/.*input_ids": \[/, ""); sub(/\].*/, ""); n += split($0, a, ",") - 2 } END { print n }')" 'counts all that are not special'
like "$(cat err)" '*40 examples *' 'of as many texts'

train threads -q --eval dev.rec -j 3 train.rec
is "$(weights threads)" "$(weights m)" 'threads do not matter'
train kept -q --save-steps 3 --keep 9 train.rec
train again -q --resume-from kept/checkpoint-3.safetensors train.rec
is "$(weights again)" "$(weights kept)" 'a run that is resumed ends with the same weights'
refuses '*masked share was 0.15, is 0.3*' '... by the same share' \
	train again -q --mask-prob .3 --resume-from kept/checkpoint-3.safetensors train.rec
works 'whole words, a larger share' train words --whole-word --mask-prob .3 train.rec
[ "$(weights words)" != "$(weights kept)" ]
result $? '... train differently'
works 'a part held out' train share -q --eval-share .2 all.rec
works 'batches by tokens, recomputed' train tokens -q --batch-size 8 --batch-tokens 200 --checkpoint-activations train.rec
works 'the plan says what is needed' train plan -q --dry-run train.rec

works 'it learns further, with its head' bert-train --force -m m --task masked-lm --dtype f32 --steps 1 --learning-rate 1e-9 \
	--eval dev.rec -o more train.rec
case $(cat err) in *'newly initialized'* | *'unused'* | *'replaced'*) false ;; esac
result $? 'all of it'
is "$(sed -n 's/.*eval_loss":\([0-9.]*\).*/\1/p' more/history.jsonl | xargs printf %.3f)" \
	"$(sed -n 's/.*eval_loss":\([0-9.]*\).*/\1/p' m/history.jsonl | sort -n | head -n 1 | xargs printf %.3f)" 'and tells as well'
works 'a classifier begins from it' bert-train --force -q -m m --epochs 1 -o intent train.rec
like "$(tr -d ' \n' <intent/config.json)" '*"BertForSequenceClassification"*' '... as one'
like "$(bert-predict -q -m intent dev.rec | sed -n 2p)" 'L*,*' '... that predicts labels'
refuses "*'m' does not hold a trained classifier*--fill-mask tells its masks*" 'it has no labels itself' \
	bert-predict -q -m m dev.rec

# every family has a head
for family in $families; do
	[ "${TEST_KIND-}" != thread ] || [ $family = bert ] || continue # their threads are the same
	family_config $family >config.json
	works "$family" bert-train --force -q --init-config config.json --tokenizer vocab.txt --task masked-lm \
		--steps 2 -o $family train.rec
	bert-eval -q -m $family --dtype f32 dev.rec >$family.txt
	like "$(cat $family.txt)" 'perplexity *' "... $family is read again"
done

# a head without a bias is kept as it is
family_config modernbert | sed 's/}$/, "decoder_bias": false}/' >config.json
train bare -q --init-config config.json train.rec
works 'a head without a bias' bert-train --force -m bare --task masked-lm --steps 1 -o barer train.rec
case $(cat err) in *'newly initialized'* | *'unused'* | *'replaced'*) false ;; esac
result $? '... is trained on'

# texts without a word
printf '\n\n' | bert-tokenize -q -m vocab.txt --lines -o empty.rec
refuses '*no training record has a token to mask*' 'nothing to learn from' train x -q empty.rec
refuses '*no evaluation record has a token to mask*' 'nothing to evaluate on' train x -q --eval empty.rec train.rec
refuses '*no record has a token to mask*' 'nothing to be judged by' bert-eval -q -m m empty.rec
cat empty.rec train.rec >some.rec
works 'some of them' train some -q --eval some.rec some.rec

# masks that stand in the records
cat >masks.jsonl <<'.'
{"input_ids": [2, 4, 9, 3, 0], "input_mask": [1, 1, 1, 1, 0], "segment_ids": [0, 0, 0, 0, 0], "masked_lm_positions": [1, 0], "masked_lm_ids": [12, 0], "masked_lm_weights": [1.0, 0.0], "next_sentence_labels": [1]}
{"input_ids": [2, 8, 4, 3, 0], "input_mask": [1, 1, 1, 1, 0], "segment_ids": [0, 0, 0, 0, 0], "masked_lm_positions": [1, 2], "masked_lm_ids": [7, 11], "masked_lm_weights": [1.0, 1.0], "next_sentence_labels": [0]}
.
make() { sed "$1" masks.jsonl | tfrecord-cat -q --from-json -o masks.rec; }
make ''
works 'masks of the records' bert-eval -m m masks.rec
like "$(cat out)" '*(3 tokens)' 'count, but those of weight 0'
works '... train' train given -q --eval masks.rec masks.rec
make '2s/"masked_lm_positions": \[1, 2\]/"masked_lm_positions": [1, 4]/'
refuses '*masks.rec*: record 2: masked_lm_positions holds 4, and there are 4 tokens*' 'a mask behind the end' \
	bert-eval -q -m m masks.rec
make '1s/"masked_lm_ids": \[12/"masked_lm_ids": [99999/'
refuses '*record 1: masked_lm_ids holds 99999, the model*' 'a token that is none' bert-eval -q -m m masks.rec
make '1s/"masked_lm_ids": \[12, 0\]/"masked_lm_ids": [12]/'
refuses '*record 1: has 2 masked_lm_positions, 1 masked_lm_ids and 2 masked_lm_weights*' 'lists of other lengths' \
	bert-eval -q -m m masks.rec
make '1s/\[1.0, 0.0\]/[1.0, 0.5]/'
refuses '*record 1: masked_lm_weights holds 0.5, which is neither 0 nor 1*' 'half a mask' bert-eval -q -m m masks.rec
make '1s/, "masked_lm_ids": \[12, 0\]//'
refuses '*record 1: has masked_lm_positions, but not both*' 'positions alone' bert-eval -q -m m masks.rec

# what does not go with it
misuses '*--mask-prob, --whole-word and --next-sentence are for --task masked-lm*' 'another task' \
	bert-train -q --init-config tiny --tokenizer vocab.txt --mask-prob .2 -o x train.rec
misuses '*the tokenizer*' 'no tokenizer' bert-train -q --init-config tiny --task masked-lm -o x train.rec
misuses '*outputs are tokens*no head of its own*' 'a head' train x -q --head 'mean, dense' train.rec
misuses '*learns to tell masked tokens*' 'labels' train x -q --labels a,b train.rec
misuses '*masked tokens are evaluated without --by*' 'reports of labels' bert-eval -q -m m --by length dev.rec
misuses '*--pseudo-perplexity is for*' 'a classifier' bert-eval -q -m intent --pseudo-perplexity dev.rec
sed 's/^\[MASK\]$/[MASQUE]/' vocab.txt >none.txt
bert-tokenize -q -m none.txt --lines -o none.rec "$data/vocab.txt" 2>err
refuses '*the tokenizer has no token for a mask*' 'a vocabulary without a mask' bert-train -q --init-config tiny \
	--tokenizer none.txt --task masked-lm -o x none.rec
[ ! -e x ]
result $? 'nothing is left behind'
finish
