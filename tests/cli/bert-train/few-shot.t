#!/bin/sh
# SPDX-License-Identifier: MIT
# --few-shot: pairs of texts of one class, then the classes.
# Not under thread: the threads are those of cli/bert-train/embedding and cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
awk -F, 'NR == 1 || ++n[$NF] <= 8' train.csv >few.csv
csv2tfrecord -q -i id -t text -l intent few.csv | bert-tokenize -q -m vocab.txt --max-length 48 -o few.rec
few() { # OUT [OPTION ...] RECORDS
	bert-train --force --init-config tiny --tokenizer vocab.txt --few-shot \
		--learning-rate 1e-3 --batch-size 16 --epochs 6 --dtype f32 -o "$@"
}

works 'few examples' few m --eval dev.rec few.rec
like "$(cat err)" '*32 training examples, 32 for evaluation, 4 labels, *' 'are texts with labels'
like "$(cat err)" '*epoch 1: loss *evaluation loss *, accuracy 0.*, weighted F1 0.*' 'it is evaluated'
like "$(cat err)" "*192 examples in *model written to 'm'*" '... on pairs, one of each text in an epoch'
acc=$(sed -n 's/.*evaluation loss.*accuracy \([0-9.]*\),.*/\1/p' err)
like "$(cat m/README.md)" "*After update 12, the evaluation with the fitted classes:*| accuracy | $acc |*" 'the card says what it reaches'
works 'one epoch' few short --override --epochs 1 few.rec
is "$(grep -c 'learned nothing' err)" 0 'the loss of pairs is not compared with that of guessing labels'
works 'it predicts labels' bert-predict -q -m m -o got.csv dev.rec
is "$(cut -d, -f2 got.csv | sort -u | tr '\n' ' ')" 'get_card label parking pay_fine wifi_access ' 'of the data'
works 'better than most' bert-eval -q -m m --min accuracy=.4 dev.rec
works 'it embeds texts, too' bert-predict -q -m m --embed -o m.npy dev.rec
few threads -q -j 3 few.rec
few again -q few.rec
is "$(weights threads)" "$(weights again)" 'threads do not matter'
few seed -q --seed 7 few.rec
! cmp -s seed/model.safetensors again/model.safetensors
result $? 'the seed does'
works 'a model goes on' bert-train --force -q -m m --few-shot --epochs 1 -o m2 few.rec
works 'or learns all of it' bert-train --force -q -m m --epochs 1 -o m3 few.rec
works 'the first token' few first -q --pool first few.rec
bert-eval -q -m first dev.rec >out
like "$(cat out)" '*accuracy*' '... predicts'
awk -F, 'NR == 1 || !n[$NF]++' few.csv >one.csv
csv2tfrecord -q -t text -l intent one.csv | bert-tokenize -q -m vocab.txt -o one.rec
works 'one text of each class' few one -q one.rec

# a run that is stopped goes on to the same bits
few kept -q --save-steps 3 --keep 9 few.rec
few resumed -q --resume-from kept/checkpoint-3.safetensors few.rec
is "$(weights resumed)" "$(weights kept)" 'a run that is resumed ends with the same weights'

works 'several seeds' few seeds -q --seeds 2 --eval dev.rec few.rec
for i in 42 43; do bert-eval -q --dtype f32 -m seeds/seed-$i dev.rec | tail -n 1 | cut -d ' ' -f 2; done >want
sed -n 2,3p out | awk '{ print $2 }' >got
same got want 'are compared by what their classifiers reach'

# embeddings beyond 4 MB go to a file, which is tried before hours of training
awk 'BEGIN { print "text,label"; for (i = 0; i < 9000; i++) print "card " i ",c" i % 4 }' >many.csv
csv2tfrecord -q -t text -l label many.csv | bert-tokenize -q -m vocab.txt -o many.rec
works 'few need no place for them' env TMPDIR=/nowhere bert-train --init-config tiny --tokenizer vocab.txt --few-shot \
	--dry-run few.rec
refuses "bert-train: cannot create a file in '/nowhere': No such file or directory" '... many do' \
	env TMPDIR=/nowhere bert-train -q --init-config tiny --tokenizer vocab.txt --few-shot -o x many.rec

case $BUILD in
*-address* | *-thread*) skip 'the memory of many texts' 'sanitizers hold memory of their own' ;;
*)
	# their embeddings alone, of 128 numbers, are 15 MB
	awk 'BEGIN {
		split("card park fine pay", word, " ")
		print "text,label"
		for (i = 0; i < 30000; i++) print word[i % 4 + 1] " " i ",c" i % 4
	}' >many.csv
	head -n 401 many.csv >some.csv
	for f in some many; do
		csv2tfrecord -q -t text -l label $f.csv | bert-tokenize -q -m vocab.txt -o $f.rec
		bert-train --force --init-config tiny --tokenizer vocab.txt --few-shot --batch-size 32 --epochs 3 \
			--steps 3 --dtype f32 -o m $f.rec 2>err || cat err
		sed -n 's/.*peak memory \([0-9]*\) MB/\1/p' err
	done | tr '\n' ' ' >took
	awk '{ exit !(NF == 2 && $2 < $1 + 15) }' took
	result $? "30,000 texts take little more than 400: $(cat took)MB"
	;;
esac

sed 's/,[a-z_]*$/,1.5/; 1s/.*/id,text,score/' few.csv | csv2tfrecord -q -t text -l score | bert-tokenize -q -m vocab.txt -o n.rec
misuses '*few examples are for a model that chooses one class, and this one learns to predict numbers*' 'numbers' \
	few x -q --task regression n.rec
misuses '*--few-shot does not go with --head*' 'a head' few x -q --head 'mean, dense' few.rec
misuses '*by first, mean or max*' 'a pooler' few x -q --pool pooler few.rec
misuses '*an update has one pair, *' 'one text at a time' few x -q --override --batch-size 1 few.rec
[ ! -e x ]
result $? 'nothing is left of these'
finish
