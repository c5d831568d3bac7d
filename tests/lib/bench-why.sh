# SPDX-License-Identifier: MIT
# The case why of tests/bench: the same work by bertutils, transformers, fastText
# and Model Garden, as the README compares them.
# shellcheck shell=sh disable=SC2154,SC2016
# why NAME COMMAND...: the accuracy that it leaves in $out/accuracy, the seconds of
# processor time that it takes, and those to the answer for one line by $line
why() {
	name=$1
	shift
	s=$(cpu_ms timeout "${BENCH_LIMIT:-1800}" "$@" 2>"$out/why-err") || {
		printf '%-22s %s\n' "$name" "failed: $(tail -n 1 "$out/why-err")"
		return 0
	}
	ms=$(least sh -c "$line")
	printf '%-22s %7s %9s %9s\n' "$name" "$(cat "$out/accuracy")" \
		"$(echo "$s" | awk '{ printf "%.1f", $1 / 1000 }')" $((ms / 1000))
	echo "{\"case\": \"$name\", \"accuracy\": $(cat "$out/accuracy"), \"cpu_ms\": $s, \"line_ms\": $((ms / 1000))}" >>"$log"
}

# why_case: from the CSV files to a trained classifier and its accuracy on the test
# set, each program as a whole; then from a line to its label, the start included
why_case() {
	wanted why || return 0
	echo 'from tables to accuracy: accuracy, s of processor time, ms to answer a line'
	export out train test text label threads
	export epochs="${BENCH_EPOCHS:-5}" rate="${BENCH_RATE:-3e-4}"
	line='echo "where is my card" | bert-tokenize -qm "$out/why" --lines |
		bert-predict -qm "$out/why"' why why-bertutils sh -ec '
		for part in train test; do
			eval "table=\$$part"
			csv2tfrecord -qt "$text" -l "$label" "$table" |
				bert-tokenize -qm "$MINILM" --max-length 128 -o "$out/why-$part.rec"
		done
		bert-train -qj "$threads" --force -m "$MINILM" -o "$out/why" --batch-size 32 \
			--epochs "$epochs" --learning-rate "$rate" --warmup .1 "$out/why-train.rec"
		bert-eval -qj "$threads" -m "$out/why" "$out/why-test.rec" |
			sed -n "s/^accuracy \([0-9.]*\) .*/\1/p" >"$out/accuracy"'
	if [ -n "${PEER_PYTHON-}" ]; then
		theirs='"$PEER_PYTHON" tests/fixtures/why-peer.py'
		data='--train "$train" --test "$test" --text "$text" --label "$label" --threads "$threads"'
		line="$theirs torch '$out/why-torch' --line 'where is my card'" \
			why why-transformers sh -c "$theirs torch '$out/why-torch' $data \
			--model \"\$MINILM\" --epochs $epochs --rate $rate >'$out/accuracy'"
		line="$theirs fasttext '$out/why-fasttext' --line 'where is my card'"
		for how in '' --recipe "--tune ${BENCH_TUNE:-60}"; do
			why "why-fasttext${how:+ $how}" sh -c "$theirs fasttext '$out/why-fasttext' $data \
				$how >'$out/accuracy'"
		done
	fi
	garden_case
	rm -rf "$out"/why*
}

# experiment STEPS COMMAND...: processor time of so many updates of Model Garden's
# train.py, or of the program that takes its command line
experiment() {
	rm -rf "$out/why-model"
	n=$1
	shift
	TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES='' \
		cpu_ms "$@" --experiment=bert/sentence_prediction --mode=train \
		--model_dir="$out/why-model" --config_file="$out/why.yaml" \
		--params_override="trainer.train_steps=$n,runtime.distribution_strategy=one_device" \
		2>"$out/why-err" | tail -n 1
}

# garden_case: twenty updates of 32 texts; what a run of 30 takes more than one of 10
garden_case() {
	if ! "${PEER_TENSORFLOW:-false}" -c 'import official.nlp' 2>/dev/null; then
		echo 'SKIP: Model Garden: PEER_TENSORFLOW names no Python that has it'
		return 0
	fi
	csv2tfrecord -q --task banking77 "$train" | bert-tokenize -q -m "$MINILM" \
		--dialect modelgarden --layout modelgarden --pad 128 --max-length 128 \
		-o "$out/why.tfrecord"
	ckpt-convert -q --to tf2 "$MINILM" "$out/why.ckpt"
	cat >"$out/why.yaml" <<-END
	task:
	  init_checkpoint: $out/why.ckpt
	  model: {num_classes: 77, encoder: {type: bert, bert: {vocab_size: 30522, hidden_size: 384,
	    intermediate_size: 1536, num_attention_heads: 12, num_layers: 6, type_vocab_size: 2}}}
	  train_data: {global_batch_size: 32, input_path: $out/why.tfrecord, is_training: true, seq_length: 128}
	trainer: {steps_per_loop: 10, summary_interval: 10, checkpoint_interval: 1000,
	  optimizer_config: {optimizer: {type: adamw}, learning_rate: {polynomial: {decay_steps: 30,
	    initial_learning_rate: 3.0e-4}}, warmup: {polynomial: {power: 1, warmup_steps: 3}}}}
	END
	for program in "bert-run-experiment --tokenizer=$MINILM" \
		"$PEER_TENSORFLOW tests/fixtures/model-garden-train.py"; do
		# shellcheck disable=SC2086
		few=$(experiment 10 $program) many=$(experiment 30 $program)
		case $few,$many in
		*[0-9],[0-9]*)
			echo "${few##* } ${many##* }" | awk -v name="${program%% *}" '{
				printf "why-updates: %.1f s of processor time: %s\n", ($2 - $1) / 1000, name }'
			;;
		*) echo "why-updates: failed: $(tail -n 1 "$out/why-err")" ;;
		esac
	done
}
