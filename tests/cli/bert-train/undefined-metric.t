#!/bin/sh
# SPDX-License-Identifier: MIT
# A metric that chooses the best model and is undefined: always, or only of some
# models.
# Not under thread: the threads are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
grep -v '"' train.csv >plain.csv
numbers() { awk -F, -v OFS=, 'NR > 1 { $3 = length($2) / 50 } { print }' plain.csv; }
records() { csv2tfrecord -q -i id -t text -l intent --label-type float | bert-tokenize -q -m vocab.txt --max-length 48; }
numbers | records >all.rec
tfrecord-cat -q --head 40 -o dev.rec all.rec
tfrecord-cat -q --tail 60 -o train.rec all.rec
numbers | awk -F, -v OFS=, 'NR > 1 { $3 = 1 } NR < 12 { print }' | records >same.rec
for m in pearson spearman qwk; do
	refuses "*evaluation records: the metric '$m' is undefined: a number is the same in all" \
		"$m of equal numbers" small_train x -q --task regression --metric $m --eval same.rec
done
[ ! -e x/model.safetensors ]
result $? 'no model is written'
works 'r2 is defined' small_train x -q --task regression --metric r2 --eval same.rec
# pairs SCORE: of ten rows, with this score
pairs() {
	awk -F, -v OFS=, 'NR == 1 { print "a", "b", "s" } NR > 1 && NR < 12 { print $1, $2, '"$1"' }' plain.csv |
		csv2tfrecord -q -t a --pair b -l s | bert-tokenize -q -m vocab.txt --apart
}
pairs 1 >pairs.rec
pairs NR >differ.rec
refuses "*the metric 'spearman' is undefined*" 'nor are equal scores of pairs told apart' \
	bert-train --init-config tiny --tokenizer vocab.txt --task embedding --eval pairs.rec -o y differ.rec

# labels OTHER: of every second row the label a, of the others OTHER
labels() {
	awk -F, -v OFS=, -v other="$1" 'NR == 1 { print "text", "l" } NR > 1 && NR < 12 { print $2, NR % 2 ? "a" : other }' \
		plain.csv | csv2tfrecord -q -t text -l l --label-separator ' ' | bert-tokenize -q -m vocab.txt
}
labels 'a b' >some.rec
labels a >all-a.rec
refuses "*the metric 'roc_auc' is undefined: each label holds for all of the 10 examples or for none" 'labels of all' \
	bert-train --init-config tiny --tokenizer vocab.txt --task multilabel --metric roc_auc --eval all-a.rec -o y some.rec

# a model that first predicts the same number for all texts
small_train start -q --task regression --steps 1
perl -MJSON::PP -e 'local $/; open my $f, "+<:raw", $ARGV[0] or die; my $all = <$f>;
	my $n = unpack "Q<", $all; my $at = decode_json(substr $all, 8, $n)->{"classifier.weight"}{data_offsets};
	seek $f, 8 + $n + $at->[0], 0; print $f "\0" x ($at->[1] - $at->[0])' start/model.safetensors
grows() { # OUT [OPTION ...]
	bert-train --force -m start --task regression --dtype f32 --learning-rate 1e-3 --metric pearson \
		--eval dev.rec --eval-steps 1 --steps 4 --warmup 1 -o "$@" train.rec
}
grows m -q --save-steps 1 --keep 9
is "$(grep -c '"eval_pearson":null' m/history.jsonl)" 1 'has no correlation at first'
like "$(sed 1d m/history.jsonl)" '*"best":true*' 'one that has one is better'
works 'the run can be resumed from there' grows again -q --resume-from m/checkpoint-1.safetensors
same again/model.safetensors m/model.safetensors '... to the same bits'

# several runs, of which none has it
none() { # OPTION ...
	bert-train -m start --task regression --dtype f32 --metric pearson --eval dev.rec --warmup 1 "$@" train.rec
}
works 'seeds' none -q --steps 1 --seeds 2 --summary s.json -o seeds
is "$(tr -d ' \n' <seeds/seeds.json | cut -d, -f 1-6)" \
	'{"metric":"pearson","seeds":{"42":null,"43":null},"mean":null,"deviation":null,"best":null' 'none is the best'
is "$(grep -c best_seed s.json)" 0 '... nor in the summary'
works 'again' none --steps 1 --seeds 2 -o seeds
like "$(cat out)" '*mean  * nan
deviation  * nan' '... nor has a deviation'
is "$(cat err)" '' 'finished runs are not trained again'
works 'tuning' none -q --epochs 1 --batch-size 64 --tune-steps 2 --tune-over dropout=.1,.2 -o tuned
like "$(tail -n 1 tuned/tune.jsonl)" '{"best_trial":1,"best":null,*' 'as given is as good as others'
is "$(grep -c 'out of time' out)" 0 'which had the time'
finish
