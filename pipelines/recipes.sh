#!/bin/sh
# SPDX-License-Identifier: MIT
# What each technique gives on a data set: fine-tunes a model with each of them and
# several seeds, evaluates on the test set, and prints the mean of the metric, its
# standard deviation, and the seconds of a run, evaluation included.
# usage: pipelines/recipes.sh MODEL_DIR TRAIN.csv TEST.csv [OUT_DIR [OPTION ...]]
#        pipelines/recipes.sh small [OUT_DIR [OPTION ...]]
# The tables have the columns text and category; TABLE="--task mrpc" or other options of
# csv2tfrecord say what else they have. Options go to every bert-train, as --train-share .2
# for a fifth of the texts, and --metric. The test set chooses nothing: a model is evaluated
# when its training ends. SEEDS=N trains with N seeds (3), EPOCHS=N as many epochs (5; the
# techniques "long" twice as many), ONLY="fgm lora" runs these techniques beside the plain
# recipe. A run that was stopped goes on where it was. small uses the demo data and a small
# BERT with random weights.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
if [ "${1-}" = small ]; then
	data=$(dirname "$0")/data
	model=$data/vocab.txt # a vocabulary is enough to tokenize
	train=$data/library-train.csv test=$data/library-dev.csv TABLE='-t text -l intent'
	start='--init-config tiny --tokenizer' batch=16 rate=1e-3 EPOCHS=6
	shift
elif [ $# -ge 3 ]; then
	model=$1 train=$2 test=$3
	start=-m batch=32 rate=3e-4
	shift 3
else
	sed -n '3,/^set/s/^# //p' "$0" >&2
	exit 2
fi
out=${1:-recipes}
[ $# = 0 ] || shift
mkdir -p "$out"
: "${EPOCHS:=5}" "${SEEDS:=3}"
long=$((2 * EPOCHS))

# A name and the options that are added to the plain recipe; a later one wins.
techniques() {
	cat <<-EOF
		plain
		long --epochs $long
		large-batch --batch-size 64
		mean-pool --pool mean
		mean-pool-long --pool mean --epochs $long
		no-decay --weight-decay 0
		constant-rate --schedule constant
		label-smoothing --label-smoothing 0.1
		r-drop --r-drop 1
		fgm --fgm 0.3
		class-weight --class-weight balanced
		dropout-.2 --dropout 0.2
		layer-decay --layer-decay 0.9
		head-rate --head-learning-rate 3e-3
		freeze-embeddings --freeze embeddings
		freeze-2-layers --freeze embeddings,2
	EOF
	[ "$start" = -m ] || return 0 # these need a trained model
	echo reinit --reinit 1
	echo lora --lora 8 --learning-rate 3e-3
}

for part in train test; do
	[ $part = train ] || train=$test
	# shellcheck disable=SC2086 # several words
	csv2tfrecord -q ${TABLE:--t text -l category} -o "$out/$part.text" "$train"
	bert-tokenize -q -m "$model" -o "$out/$part.rec" "$out/$part.text"
done

# value NAME FILE: a number of a JSON object
value() {
	printf '%.4f' "$(sed -n "s/^ *\"$1\": \([^,]*\),*$/\1/p" "$2" | head -n 1)"
}

row='%-18s %10s %10s %8s  %s\n'
# shellcheck disable=SC2059 # a format of ours
tell() { printf "$row" "$@" | sed 's/ *$//' | tee -a "$out/recipes.txt"; }
: >"$out/recipes.txt"
tell technique mean deviation seconds options
techniques >"$out/techniques"
while read -r name options; do
	case " plain ${ONLY-$name} " in *" $name "*) ;; *) continue ;; esac
	# shellcheck disable=SC2086 # several words
	if [ ! -e "$out/$name.time" ]; then
		begun=$(date +%s)
		bert-train -q --seeds "$SEEDS" $start "$model" --batch-size $batch --epochs "$EPOCHS" \
			--learning-rate $rate --override $options --eval "$out/test.rec" --eval-steps 1000000 \
			-o "$out/$name" --override "$@" "$out/train.rec" >"$out/$name.txt"
		echo $((($(date +%s) - begun) / SEEDS)) >"$out/$name.time"
	fi
	tell "$name" "$(value mean "$out/$name/seeds.json")" \
		"$(value deviation "$out/$name/seeds.json")" "$(cat "$out/$name.time")" "$options"
done <"$out/techniques"
set --
for seed in "$out"/plain/seed-*; do set -- "$@" -m "$seed"; done
bert-eval -q --json "$@" -o "$out/ensemble.json" "$out/test.rec"
metric=$(sed -n 's/^ *"metric": "\(.*\)",$/\1/p' "$out/plain/seeds.json")
tell ensemble "$(value "$metric" "$out/ensemble.json")" - - 'the mean of the plain models'
