#!/bin/sh
# SPDX-License-Identifier: MIT
# --task embedding: pairs of texts that belong together, or have a score.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
cp "$TEST_TOP"/pipelines/data/vocab.txt .
awk -F, -v OFS=, 'BEGIN { print "a", "b", "score" }
	/^L[0-9]+,[^",]*,[a-z_]+$/ {
		if ($3 in last) { print last[$3], $2, 1 + k++ % 3; delete last[$3] }
		else last[$3] = $2
	}' "$TEST_TOP/pipelines/data/library-train.csv" | head -n 101 >pairs.csv
csv2tfrecord -q -i row -t a --pair b pairs.csv | bert-tokenize -q -m vocab.txt --apart -o all.rec
sed 2,81d pairs.csv | csv2tfrecord -q -i row -t a --pair b | bert-tokenize -q -m vocab.txt --apart -o dev.rec
csv2tfrecord -q -i row -t a --pair b -l score pairs.csv | bert-tokenize -q -m vocab.txt --apart -o scored.rec
tfrecord-cat -q --head 160 -o train.rec all.rec
train() { # OUT [OPTION ...] RECORDS
	bert-train --force --init-config tiny --tokenizer vocab.txt --task embedding \
		--learning-rate 1e-3 --batch-size 16 --epochs 2 --dtype f32 -o "$@"
}

works 'pairs' train m --eval dev.rec train.rec
like "$(cat err)" '*80 training examples, 20 for evaluation, 80 pairs of texts, *' 'are examples'
like "$(cat err)" '*epoch 2: loss *, evaluation loss *, accuracy *, MRR *' 'the nearest text is counted'
like "$(cat err)" '*bert-train: 160 examples in *' 'pairs of two epochs'
like "$(cat err)" '*model of epoch * (mrr *' 'and chooses the model'
for f in modules.json sentence_bert_config.json config_sentence_transformers.json 1_Pooling/config.json; do
	[ -f "m/$f" ]
	result $? "writes $f"
done
like "$(tr -d ' \n' <m/config.json)" '*"architectures":\["BertModel"\]*' 'the class is the encoder'
grep -q 'id2label\|problem_type' m/config.json
is $? 1 'without labels'
train threads -q --eval dev.rec -j 3 train.rec
is "$(weights threads)" "$(weights m)" 'threads do not matter'
works 'it predicts embeddings' bert-predict -m m --embed -o m.npy dev.rec
like "$(cat err)" "*'m' embeds texts by mean, as its modules.json says*40 embeddings*" 'as it learnt to'
refuses "*'m' does not hold a trained classifier*(--embed writes its embeddings)*" 'but no labels' \
	bert-predict -q -m m dev.rec
cp -r m named
sed 's/^{/{"id2label": {"0": "a", "1": "b", "2": "c"}, /' m/config.json >named/config.json
refuses "*'named' has no tensor '*', which the model needs (--embed writes its embeddings)*" \
	'nor a head if labels have names' bert-predict -q -m named dev.rec
works 'it is evaluated' bert-eval -m m --dtype f32 --min mrr=.2 dev.rec
like "$(cat out)" 'accuracy 0.* MRR 0.* NDCG@10 0.* loss * (20 pairs)' 'by pairs'
is "$(sed 's/.*MRR \(0.[0-9]*\).*/\1/' out)" \
	"$(sed -n 's/.*mrr":\([0-9.]*\).*/\1/p' m/history.jsonl | sort -n | tail -n 1 | xargs printf %.4f)" 'as in training'
misuses '*embeddings of pairs are evaluated without --by*' 'other reports' bert-eval -q -m m --by length dev.rec
works 'it learns further, as it pools' bert-train --force -q -m m --task embedding --steps 1 -o more train.rec
works 'a part held out' train share -q --eval-share .2 all.rec
works 'the first token, all tokens: --pool first' train first -q --pool first train.rec
like "$(cat first/1_Pooling/config.json)" '*"pooling_mode_cls_token": true*' '... is remembered'
works 'batches by tokens' train tokens -q --batch-size 8 --batch-tokens 200 train.rec

# a run goes on to the same bits
train kept -q --save-steps 3 --keep 9 train.rec
train again -q --resume-from kept/checkpoint-3.safetensors train.rec
is "$(weights again)" "$(weights kept)" 'a run that is resumed ends with the same weights'

# a classifier in the place of such a model
awk -F, -v OFS=, 'NR == 1 { print "a", "label"; next } { print $1, NR % 2 }' pairs.csv >labels.csv
csv2tfrecord -q -t a -l label labels.csv | bert-tokenize -q -m vocab.txt -o labels.rec
refuses '*record 1: the model embeds texts and has no classifier, and the record is not one text of a pair (train a classifier with bert-train *)' \
	'an encoder judges no classes' bert-eval -m m labels.rec
train replaced -q --steps 1 train.rec
works 'a classifier' bert-train --force --init-config tiny --tokenizer vocab.txt --steps 1 -o replaced labels.rec
like "$(cat err)" "*'replaced': modules.json of the model that stood there is removed*" '... in its place'
is "$(find replaced -name '*.json' | sort | tr '\n' ' ')" 'replaced/config.json replaced/tokenizer_config.json ' \
	'... does not say that it embeds'
works 'texts of one example' bert-predict -m m --embed auto -o m.csv dev.rec
is "$(grep -c 'of an earlier one' err)" 0 '... may have one id'
works 'others' bert-predict -m m --embed auto -o m.csv dev.rec dev.rec
is "$(grep -c '20 records have the id of an earlier one' err)" 1 '... may not'

# an update of several batches compares all its texts
train large -q --batch-size 8 --accumulate 3 --save-steps 3 --keep 9 -j 1 train.rec
train again -q --batch-size 8 --accumulate 3 -j 3 --resume-from large/checkpoint-3.safetensors train.rec
is "$(weights again)" "$(weights large)" '--accumulate: the same weights with more threads, and after a stop'
works 'before that, a dry run' train x --batch-size 8 --accumulate 3 --dry-run train.rec
like "$(grep '^largest' out)" 'largest batch * 16 texts, * tokens*largest update * 48 texts, * tokens' 'names both sizes'
works 'of several updates' train x --batch-size 8 --dry-run train.rec
is "$(grep -c '^largest' out)" 1 'or one'
works 'values are checked in either pass' train x2 -q --batch-size 8 --accumulate 3 --detect-anomaly --steps 1 train.rec

# pairs with scores
works 'scores' train s --eval scored.rec scored.rec
like "$(cat err)" '*100 pairs of texts with a score*epoch 2: loss *, spearman *(spearman *' 'count by their order'
bert-eval -q -m s --min spearman=.9 scored.rec >out 2>err
is $? 1 'are compared with cosines'
like "$(cat out err)" 'spearman * pearson * loss * (100 pairs)*spearman is * less than 0.9*' '... in the report'
# the first values of embeddings, as bert-predict keeps them
bert-predict -q -m s --dtype f32 --embed auto --truncate-dim 16 scored.rec | sed 1d >rows
csv2tfrecord -q -i row -t a --pair b -l score pairs.csv | tfrecord-cat -q --json | sed 's/.*"label[^0-9]*\([0-9.]*\).*/\1/' >scores
awk -F, 'NR == FNR { y[NR] = $1; next } { for (i = 2; i <= NF; i++) v[i] = $i
	if (FNR % 2) for (i in v) a[i] = v[i]
	else { d = p = q = 0; for (i in v) { d += a[i] * v[i]; p += a[i] ^ 2; q += v[i] ^ 2 } x[++n] = d / sqrt(p * q) } }
	END { for (k = 1; k <= n; k++) { mx += x[k] / n; my += y[k] / n }
	for (k = 1; k <= n; k++) { xy += (x[k] - mx) * (y[k] - my); xx += (x[k] - mx) ^ 2; yy += (y[k] - my) ^ 2 }
	printf "%.4f\n", xy / sqrt(xx * yy) }' scores rows >want
cosines() { bert-eval -q -m s --dtype f32 "$@" scored.rec | sed 's/.*pearson \([^ ]*\).*/\1/'; }
is "$(cosines --truncate-dim 16)" "$(cat want)" '--truncate-dim'
is "$(cosines --truncate-dim 128)" "$(cosines)" '... of all'
misuses "*the model's embeddings have 128 values, so 129 of them cannot be kept*" '... of more' \
	bert-eval -q -m s --truncate-dim 129 scored.rec
echo '{"q": "b"}' >answers.json
echo '{"data": [{"paragraphs": [{"context": "a b", "qas": [{"id": "q", "question": "?", "answers": [{"text": "b", "answer_start": 2}]}]}]}]}' |
	squad2tfrecord -q -o q.rec
misuses '*the model does not embed texts, which --truncate-dim is for*' '... of none' \
	bert-eval -q --predictions answers.json --truncate-dim 16 q.rec
misuses '*the model does not tell masked tokens, which --pseudo-perplexity is for*' '... nor are answers masked' \
	bert-eval -q --predictions answers.json --pseudo-perplexity q.rec
bert-eval -q -m s --min mrr=.1 scored.rec >out 2>err
is $? 1 'of which none is nearest'
like "$(cat err)" "*metric 'mrr' needs pairs without a score*" '... as is said'
sed 's/,[123]$/,2/' pairs.csv | csv2tfrecord -q -i row -t a --pair b -l score |
	bert-tokenize -q -m vocab.txt --apart -o equal.rec
refuses '*all pairs have the score 2: there is nothing to tell apart' 'equal scores' train x -q equal.rec
for pairs in train scored; do
	misuses '*an update has one pair, which is compared with no other: nothing would be learned*' \
		"$pairs: one pair at a time" train x -q --override --batch-size 1 $pairs.rec
done
works '... of which an update has several' train x -q --override --batch-size 1 --accumulate 2 --steps 1 train.rec
rm -r x
works 'a loss for scores' train s2 -q --embedding-loss cosine --steps 1 --pool max \
	"$(sed 's/,[123]$/,.5/' pairs.csv | csv2tfrecord -q -i row -t a --pair b -l score |
		bert-tokenize -q -m vocab.txt --apart -o half.rec; echo half.rec)"

misuses '*a learning rate of the head, and the model trains none*' 'a rate of the head' \
	train x -q --head-learning-rate 1e-2 train.rec
# embeddings that can be cut: a loss for each number of values
first_loss() { # OPTION ...
	rm -rf cut
	train cut -q --steps 1 --log-steps 1 --dropout 0 --dtype f32 "$@" >out 2>err || cat err >&2
	sed -n '1s/.*"loss": *\([0-9.e-]*\).*/\1/p' cut/history.jsonl
}
whole=$(first_loss train.rec)
one=$(first_loss --matryoshka-dims 16 train.rec)
two=$(first_loss --matryoshka-dims 16,16 train.rec)
is "$(echo "$whole $one $two" | awk '{ d = $3 - $2 - ($2 - $1); print ($2 - $1 > .1 && d * d < 1e-8) }')" 1 \
	'each adds its own loss'
train long -q --matryoshka-dims 64,16 --batch-size 8 --save-steps 3 --keep 9 -j 1 train.rec
train again -q --matryoshka-dims 64,16 --batch-size 8 -j 3 --resume-from long/checkpoint-3.safetensors train.rec
is "$(weights again)" "$(weights long)" 'the same weights with more threads, and after a stop'
refuses '*dimensions*' 'but not with others' \
	train other -q --matryoshka-dims 64 --batch-size 8 --resume-from long/checkpoint-3.safetensors train.rec
for list in 128 0 16,x 16,,8 ''; do
	misuses "*is not a number of values from 1 to 127, less than a whole embedding has*" "dimensions '$list'" \
		train x -q --matryoshka-dims "$list" train.rec
done
misuses '*more than 16 dimensions*' 'many' train x -q --matryoshka-dims 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17 train.rec
misuses '*this model learns to *(--embedding-loss and --matryoshka-dims are for --task embedding)*' 'dimensions of another task' \
	bert-train --init-config tiny --tokenizer vocab.txt -o x --matryoshka-dims 16 train.rec
misuses '*--few-shot does not go with *--matryoshka-dims*' 'nor with few examples' \
	bert-train --few-shot -m m -o x --matryoshka-dims 16 train.rec

misuses '*this model learns to *(--embedding-loss and --matryoshka-dims are for --task embedding)*' 'a loss of another task' \
	bert-train --init-config tiny --tokenizer vocab.txt -o x --embedding-loss ranking train.rec
misuses '*the loss cosent is for pairs with a score, and these have none*' 'scores that are not there' \
	train x -q --embedding-loss cosent train.rec
misuses '*the loss ranking is for pairs without a score, and these have scores*' 'and those that are' \
	train x -q --embedding-loss ranking scored.rec
refuses '*a pair has the score 2, and cosines are between -1 and 1*' 'scores that no cosine has' \
	train x -q --embedding-loss cosine scored.rec
misuses "*metric 'mrr' needs pairs without a score*" 'other pairs to evaluate on' \
	train x -q --eval scored.rec train.rec
misuses "*metric 'spearman' is for pairs with a score*" 'a metric of scores' \
	train x -q --eval-share .2 --metric spearman train.rec
# texts that the first is not to be near
awk -F, -v OFS=, 'NR == 1 { print "a", "b", "c"; next } { print $1, $2, last; last = $1 }' pairs.csv | sed 2d >triples.csv
csv2tfrecord -q -i row -t a --pair b --keep c triples.csv | bert-tokenize -q -m vocab.txt --apart --negative c -o triples.rec
works 'triplets' train t --eval triples.rec --metric triplet_accuracy --save-steps 3 --keep 9 triples.rec
like "$(cat err)" '*99 training examples, 99 for evaluation, 99 pairs of texts, 1 other text each, *(triplet_accuracy *' \
	'have a third text'
works 'an example with more texts than a batch is to have tokens' \
	train x -q --batch-tokens 2 --steps 2 triples.rec
rm -r x
works 'are evaluated' bert-eval -q -m t --min triplet_accuracy=.5 triples.rec
like "$(cat out)" 'accuracy * MRR * triplet accuracy 0.* loss * (99 pairs)' '... in the report'
train t2 -q --eval triples.rec --metric triplet_accuracy --resume-from t/checkpoint-3.safetensors triples.rec
is "$(weights t2)" "$(weights t)" 'resumed to the same bits'
refuses '*text 1 of an example is not followed by text 2, which others have*' 'some triplets' \
	train x -q triples.rec train.rec
csv2tfrecord -q -i row -t a --pair b -l score --keep a pairs.csv | bert-tokenize -q -m vocab.txt --apart --negative a -o wrong.rec
refuses '*an example with a score has 3 texts, and a score is of two*' 'a score of three texts' train x -q wrong.rec
refuses '*some pairs have a score as label, and some have none*' 'some scores' train x -q all.rec scored.rec
tfrecord-cat -q --shuffle -o shuffled.rec train.rec
refuses '*is text 1 of an example and does not follow the text before it (shuffle and divide before bert-tokenize)*' \
	'shuffled texts' train x -q shuffled.rec
tfrecord-cat -q --head 3 -o odd.rec train.rec
refuses '*text 0 of an example is not followed by text 1, which others have*' 'a text without its other' train x -q odd.rec
csv2tfrecord -q -t a pairs.csv | bert-tokenize -q -m vocab.txt -o single.rec
refuses '*the record is not one text of a pair (bert-tokenize --apart makes them of pairs)*' 'single texts' \
	train x -q single.rec
refuses '*holds one text of a pair, but the model learns to choose one class (train with --task embedding)*' 'another task' \
	bert-train -q --init-config tiny --tokenizer vocab.txt -o x train.rec
misuses '*this model learns to embed texts*' 'options of labels' train x -q --class-weight balanced train.rec
misuses '*a model that embeds texts has no head*' 'a head' train x -q --head 'mean, dense' train.rec
misuses '*by first, mean or max*' 'a pooler' train x -q --pool pooler train.rec
[ ! -e x ]
result $? 'nothing is left of these'
finish
