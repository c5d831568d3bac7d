#!/bin/sh
# SPDX-License-Identifier: MIT
# Several processes divide the records of bert-predict and bert-eval, and of the evaluation
# in bert-train: what they write is equal to what one writes, byte for byte.
# Not under emulation: there is no libmpi of the emulated machine
# Not under thread: the libraries of MPI synchronize in ways that it does not know
# Not under isa: the libraries of MPI compute nothing, and one process is run there
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/ranks.sh"
. "$TEST_TOP/tests/lib/squad.sh"
. "$TEST_TOP/tests/lib/tasks.sh"

if ! have_ranks 'several ranks'; then
	finish
	exit
fi
# ahead TASK: a model, and records of several batches and blocks
ahead() {
	task_records "$1" few.rec
	copies=
	for i in 1 2 3 4 5 6 7 8; do copies="$copies few.rec"; done
	# shellcheck disable=SC2086
	cat $copies $copies >some.rec
	[ "$1" != classification ] || for i in 1 2 3 4 5 6; do cat some.rec; done >many.rec
	bert-train -q --force --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --task "$1" --steps 3 --dtype f32 -o m few.rec
}
for task in $tasks; do
	ahead $task
	case $task in
	masked-lm)
		awk 'BEGIN { for (i = 0; i < 400; i++) print "the [MASK] is at", i, "[MASK] of the library" }' >masks
		bert-tokenize -q -m vocab.txt --lines -o masks.rec masks
		both "$task: fills" bert-predict -m m --fill-mask masks.rec
		is "$(wc -l <one)" 802 '... two in each text'
		both "$task: nothing to fill" bert-predict -m m --fill-mask some.rec
		;;
	*) both "$task: predicts" bert-predict -m m some.rec ;;
	esac
	both "$task: evaluates" bert-eval -m m some.rec
	[ $task = classification ] || continue
	tfrecord-cat -q --count many.rec >why
	both 'several blocks' bert-predict -m m --format jsonl many.rec
	both 'probabilities' bert-predict -m m --proba --dtype bf16 some.rec
	both 'records' bert-predict -m m --format tfrecord -o o some.rec
	both 'an array' bert-predict -m m --format npy -o o some.rec
	both 'a page' bert-eval -m m --html o some.rec
	both 'embeddings' bert-predict -m m --embed mean some.rec
	bert-train -q --force --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --seed 3 --steps 3 -o m2 few.rec
	both 'two models' bert-predict -m m -m m2 some.rec
	both 'explained' bert-predict -m m --explain few.rec
	both 'reports' bert-eval -m m --errors 5 --by length --json some.rec
	both 'a requirement that is not met' bert-eval -m m --min accuracy=.999 few.rec
	bert-predict -q -m m --proba -o p.csv few.rec
	works 'evaluates predictions' ranks 2 bert-eval -q --predictions p.csv -o many few.rec
	bert-eval -q --predictions p.csv -o one few.rec
	same many one '... as one process does'
	ranks 3 bert-predict -q -m m -o many.ts some.rec
	bert-predict -q -m m -o one.ts some.rec
	cmp one.ts many.ts >why 2>&1
	result $? 'a file'
	ranks 2 bert-train -q --force -m m --eval some.rec --shards 4 --dtype f32 -j 1 --steps 4 --eval-steps 2 -o t2 few.rec
	bert-train -q --force -m m --eval some.rec --shards 4 --dtype f32 -j 1 --steps 4 --eval-steps 2 -o t1 few.rec
	for f in 1 2; do sed 's/"[a-z_]*seconds":[0-9.]*//; s/"[a-z_]*per_second":[0-9.]*//' t$f/history.jsonl >h$f; done
	same h2 h1 'evaluation in training'
	mv m classifier
done

told() { # PATTERN NAME: one message
	like "$(grep '^bert-' err)" "$1" "$2"
	is "$(grep -c '^bert-' err)" 1 '... in one message'
}

# a classifier of entailment chooses among candidates
awk -F, -v OFS=, 'NR == 1 { print "text", "b", "label" } NR > 1 { print $2, "a card", NR % 2 ? "entailment" : "neutral" }' rows.csv |
	csv2tfrecord -q --pair b -l label | bert-tokenize -q -m vocab.txt |
	bert-train -q --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --steps 3 --dtype f32 -o nli -
for i in 1 2 3 4; do sed 1d rows.csv; done | (head -n 1 rows.csv && cat) |
	csv2tfrecord -q -t text -l intent --candidates parking,get_card,pay_fine,wifi_access | bert-tokenize -q -m nli -o any.rec
both 'candidates: predicts' bert-predict -m nli --proba any.rec
both 'candidates: evaluates' bert-eval -m nli any.rec
exits 2 'candidates from standard input' ranks 2 bert-predict -q -m nli -o x.csv
told 'bert-predict: each of several processes reads all records, *: give files' 'are refused'

head -c 9000 some.rec >bad.rec
exits 1 'a damaged record' ranks 3 bert-predict -q -m classifier -o x.csv bad.rec
told "bert-predict: *'bad.rec'*record *" 'is reported'
[ ! -e x.csv ]
result $? '... and nothing is written'
exits 1 'a full disk' ranks 2 bert-predict -q -m classifier -o /dev/full some.rec
told "bert-predict: *'/dev/full'*No space left*" 'is reported'
exits 2 'standard input' ranks 2 bert-predict -q -m classifier -o x.csv
told 'bert-predict: each of several processes reads all records, *: give files' 'is refused'
exits 2 'the same in training' ranks 2 bert-train -q --init-config tiny -o x
told 'bert-train: each of several processes reads all records, *: give files' 'is refused'
mkfifo pipe
exits 2 'a pipe' timeout 60 mpirun -n 2 bert-predict -q -m classifier -o x.csv some.rec pipe </dev/null
told "bert-predict: each of several processes reads all records, and 'pipe' gives them to one: give files" 'is refused'
exits 2 'a requirement, and bad data' ranks 2 bert-eval -q -m classifier --min accuracy=.5 bad.rec
told "bert-eval: *'bad.rec'*" 'is trouble'
# Copies that are not the same would be predicted from in silence.
make_on_rank
csv2tfrecord -q -t text -l intent rows.csv | bert-tokenize -q -m classifier -o own.rec
mkdir elsewhere
cp -r classifier elsewhere
tfrecord-cat -q --shuffle -o elsewhere/own.rec own.rec
for tool in predict eval; do
	exits 1 "bert-$tool: a rank with other records" ranks 3 ./on-rank 2 'cd elsewhere' bert-$tool -q -m classifier \
		-o "$PWD/x.csv" own.rec
	told "bert-$tool: rank 2 reads other data than rank 0" 'is reported'
done
bert-train -q --force -m classifier --steps 3 -o elsewhere/classifier own.rec
for tool in predict eval; do
	exits 1 "bert-$tool: a rank with another model" ranks 2 ./on-rank 1 'cd elsewhere' bert-$tool -q -m classifier \
		-o "$PWD/x.csv" "$PWD/own.rec"
	told "bert-$tool: rank 1 has another model than rank 0" 'is reported'
done
for tool in predict eval; do
	exits 2 "bert-$tool: a rank with other options" timeout 60 mpirun -n 2 ./on-rank 1 'set -- "$@" --dtype f32' \
		bert-$tool -q -m classifier -o "$PWD/x.csv" own.rec </dev/null
	told "bert-$tool: rank 1: its command line has '--dtype' where that of rank 0 has 'own.rec'" 'is reported'
done
[ ! -e x.csv ]
result $? '... and nothing is written'
finish
