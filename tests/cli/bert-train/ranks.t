#!/bin/sh
# SPDX-License-Identifier: MIT
# Several processes train one model: the same bits for any number of them, also when a
# run is stopped, killed and resumed; errors of one end all.
# Not under emulation: there is no libmpi of the emulated machine
# Not under thread: the libraries of MPI synchronize in ways that it does not know
# Not under isa: the libraries of MPI compute nothing, and one process is run there
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/ranks.sh"
. "$TEST_TOP/tests/lib/squad.sh"
. "$TEST_TOP/tests/lib/tasks.sh"

task_records classification train.rec
like "$(OMPI_COMM_WORLD_SIZE=2 bert-train --init-config tiny -o x train.rec 2>&1)" \
	'bert-train: started as 2 processes of one job, *' 'processes that cannot talk do not train'
refuses_ranks() { # VARIABLE NAME
	if [ -z "$2" ]; then
		is "$(env "$1=2" ckpt-inspect "$DATA/bert-next.safetensors" 2>&1)" "$(ckpt-inspect "$DATA/bert-next.safetensors")" "$1: not several"
	else
		declines 2 '*ckpt-inspect: started as 2 processes of one job, *' "$2" env "$1=2" ckpt-inspect "$DATA/bert-next.safetensors"
	fi
}
refuses_ranks OMPI_COMM_WORLD_SIZE 'a tool that shares no work does not run as two'
refuses_ranks PMI_SIZE 'nor as two of MPICH'
refuses_ranks SLURM_STEP_NUM_TASKS 'nor as two of srun'
refuses_ranks SLURM_NTASKS ''

if ! have_ranks 'several ranks'; then
	finish
	exit
fi

train() { # OUT [OPTION ...]
	o=$1
	shift
	set -- bert-train --force --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --learning-rate 1e-3 \
		--batch-size 12 --epochs 2 --shards 12 --task "$task" -j 1 -o "$o" "$@" "$task.rec"
	if [ -n "$number" ]; then
		ranks "$number" "$@"
	else
		"$@"
	fi
}
one_message() { # PATTERN NAME
	like "$(grep '^bert-train' err)" "bert-train: $1" "$2"
	is "$(grep -c '^bert-train' err)" 1 '... in one message'
}

# Each task, with dropout, in either type, and as many ranks as come next.
next=2
types='f32 bf16' numbers=4 all='3 4'
[ -z "${TEST_KIND-}" ] || types=bf16 numbers=2 all=2
for task in $tasks; do
	task_records $task $task.rec
	for dtype in $types; do
		number=
		train one -q --dtype $dtype --accumulate 2
		number=$next
		works "$task, $dtype: $number ranks" train many -q --dtype $dtype --accumulate 2
		is "$(weights many)" "$(weights one)" '... give the bits of one process'
		next=$((next % 3 + 2))
		rm -rf one many
	done
done

# With an evaluation, other optimizers, fewer shards, and batches too small for all.
task=classification
tfrecord-cat -q --head 20 -o dev.rec classification.rec
for more in '--eval dev.rec --patience 1' '--optimizer lamb' '--optimizer sgd --shards 5' \
	'--batch-tokens 150 --layer-decay .9'; do
	number=
	# shellcheck disable=SC2086 # options
	train one -q $more
	for number in $numbers; do
		# shellcheck disable=SC2086
		train many -q $more
		is "$(weights many)" "$(weights one)" "$number ranks, $more"
	done
done
train one -q --eval dev.rec
cut -d , -f 1-4 one/history.jsonl >one.history
number=
train many -q --eval dev.rec
cut -d , -f 1-4 many/history.jsonl >many.history
same one.history many.history 'the same history'
number=1
train many -q
number=
train one -q
is "$(weights many)" "$(weights one)" 'one rank is one process'

# What is sent, without rows of words: of each gradient and each parameter one part to each
# other rank.
floats=$(ckpt-inspect one/model.safetensors | sed -n 's/.*[^0-9,]\([0-9,]*\) parameters.*/\1/p' | tr -d , | head -n 1)
for number in $all; do
	rm -rf many
	train many -v --optimizer sgd --shards $number --steps 3 2>err
	sent=$(sed -n 's/.* ranks sent each other \([0-9]*\) bytes in 3 updates/\1/p' err)
	awk -v sent="$sent" -v n=$number -v floats="$floats" 'BEGIN {
		wanted = 3 * n * 2 * (n - 1) / n * 4 * floats
		print sent, "wanted", wanted
		exit !(sent >= wanted && sent < 1.01 * wanted) }' >why
	result $? "$number ranks send 2(n-1)/n of the parameters each, an update"
done
is "$(grep -c 'products' err)" 1 'one rank writes messages'
number=2
train many --profile 2>err
is "$(grep -c ': exchange with other ranks \|: waiting for other ranks ' err)" 2 'the profile has the time of exchanges'
exits 2 'fewer shards than ranks' ranks 4 bert-train -q --init-config tiny --tokenizer vocab.txt --shards 3 -o x \
	classification.rec
one_message '4 processes of one job have only 3 shards*' 'are refused'
exits 2 '... by a dry run' ranks 4 bert-train -q --init-config tiny --tokenizer vocab.txt --shards 3 --dry-run \
	classification.rec
one_message '4 processes of one job have only 3 shards*' '... too'
for more in '--kfold 2 --dry-run' '--device cpu --compile-only'; do
	# shellcheck disable=SC2086 # options
	exits 2 "$more" ranks 2 bert-train -q --init-config tiny --tokenizer vocab.txt $more classification.rec
	one_message "*one process, not in 2 of mpirun" 'is for one process'
done

# Stopped by a signal to any rank: a checkpoint, from which any number goes on.
number=
train one -q --epochs 12 --dtype f32
has_checkpoint() { [ -s cut/checkpoint.safetensors ] || gone $pid; }
start() { # starts training into "cut" and sets $pid, and $child, that of a rank
	rm -rf cut
	# shellcheck disable=SC2086
	mpirun -n 3 bert-train --force --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --learning-rate 1e-3 \
		--batch-size 12 --epochs 12 --shards 12 --task $task -j 1 --dtype f32 --save-steps 2 -o cut "$@" \
		classification.rec >err 2>&1 </dev/null &
	pid=$!
	wait_for has_checkpoint
	child=$(pgrep -P $pid -x bert-train | tail -n 1)
}
ends() { # NAME: mpirun does
	wait_for gone $pid
	result $? "$1"
	kill -9 $pid 2>/dev/null
	wait $pid
}
goes_on() { # NAME
	train cut -q --epochs 12 --dtype f32
	is "$(weights cut)" "$(weights one)" "$1"
}
for signal in TERM USR1 mpirun; do
	# seconds that mpirun waits before it kills, which is one
	[ $signal != mpirun ] || export OMPI_MCA_odls_base_sigkill_timeout=5 PRTE_MCA_odls_base_sigkill_timeout=5
	start --save-minutes 0
	case $signal in
	TERM) kill -TERM "$child" ;;
	USR1) kill -USR1 $pid ;; # mpirun hands it on
	mpirun) kill -TERM $pid ;;
	esac
	ends "stopped: $signal"
	if grep -q 'bert-train: warning: stopped after step' err; then
		is "$(grep -c 'stopped after step' err)" 1 'all stop'
		[ -s cut/checkpoint.safetensors ]
		result $? '... with a checkpoint'
	else
		[ -e cut/model.safetensors ]
		result $? 'the run was over'
	fi
	number=2
	goes_on 'two ranks go on to the same bits'
done

unset OMPI_MCA_odls_base_sigkill_timeout PRTE_MCA_odls_base_sigkill_timeout

start
kill -KILL "$child"
ends 'a rank is killed: all end'
like "$(cat err)" '*rank [0-9] *signal 9*' '... and it is named'
number=
goes_on 'one process goes on to the same bits'

start
kill -KILL "$(pgrep -P $pid -x bert-train | head -n 1)"
ends 'the first rank is killed'
number=4
goes_on 'four ranks go on to the same bits'

rm -rf cut
number=2
exits 1 'a limit of time' train cut --epochs 12 --dtype f32 --max-minutes 1e-5
like "$(cat err)" '*time limit reached: stopped after step*' 'is that of all ranks'
number=3
goes_on 'and three ranks go on'
train kept -q --steps 3 --save-steps 2 --keep 1
refuses '*shards was 12, is 6*' 'other shards are another run' train x -q --steps 3 --shards 6 \
	--resume-from kept/checkpoint.safetensors

# Errors: one message, exit status 1.
head -c 3000 classification.rec >bad.rec
exits 1 'bad input' ranks 3 bert-train -q --init-config tiny --tokenizer vocab.txt -o x bad.rec
one_message "*'bad.rec'*record*" 'names file and record'
mkfifo pipe
for inputs in pipe '--eval pipe classification.rec'; do
	# shellcheck disable=SC2086 # an option and its value
	exits 2 "$inputs" timeout 60 mpirun -n 2 bert-train -q --init-config tiny --tokenizer vocab.txt -o x $inputs </dev/null
	one_message "*'pipe' gives them to one: give files" 'is refused'
done
exits 1 'no such model' ranks 2 bert-train -q -m none -o x classification.rec
one_message "*'none'*" 'is named'
make_on_rank
rm -rf cut
# the model is smaller, the checkpoint larger than that
exits 1 'a file system without room' ranks 2 ./on-rank 0 'ulimit -f 12000' bert-train -q --init-config tiny \
	--tokenizer vocab.txt --shards 12 --dtype f32 -j 1 --save-steps 2 -o cut classification.rec
one_message "*no checkpoint of step 2: *'cut/checkpoint.safetensors*': File too large" 'is reported'
mkdir elsewhere
exits 1 'a rank that does not find the data' ranks 3 ./on-rank 1 'cd elsewhere' bert-train -q --init-config tiny \
	--tokenizer "$PWD/vocab.txt" --shards 12 --dtype f32 -j 1 -o "$PWD/x" classification.rec
one_message "rank 1: *'classification.rec'*" 'is reported, and which'
# Copies that are not the same would be trained on in silence.
tfrecord-cat -q --shuffle -o elsewhere/classification.rec classification.rec
exits 1 'a rank with other data' ranks 3 ./on-rank 1 'cd elsewhere' bert-train -q --init-config tiny \
	--tokenizer "$PWD/vocab.txt" --shards 12 --dtype f32 -j 1 -o "$PWD/x" classification.rec
one_message 'rank 1: this is not the run of rank 0: other training data' 'is reported'
for o in m elsewhere/m; do
	bert-train -q --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --steps 1 -o $o --seed ${#o} classification.rec
done
exits 1 'a rank with another starting model' ranks 2 ./on-rank 1 'cd elsewhere' bert-train -q -m m -o "$PWD/x" -j 1 \
	"$PWD/classification.rec"
one_message 'rank 1: this is not the run of rank 0: other starting weights' 'is reported'
# Ranks that are asked for different things would wait for each other.
for more in '--save-steps 3' '--dry-run' '--help' '--bogus'; do
	exits 2 "a rank with $more" timeout 60 mpirun -n 2 ./on-rank 1 "set -- \"\$@\" $more" \
		bert-train -q --init-config tiny --tokenizer vocab.txt --steps 4 -j 1 -o x classification.rec </dev/null
	one_message "rank 1: its command line has '${more% *}' where that of rank 0 has 'classification.rec'" 'is reported'
done
exits 2 'a rank without records' timeout 60 mpirun -n 2 ./on-rank 0 'set -- "$@" more.rec' \
	bert-train -q --init-config tiny --tokenizer vocab.txt --steps 4 -j 1 -o x classification.rec </dev/null
one_message "rank 1: its command line lacks 'more.rec', unlike that of rank 0" 'is reported'
exits 2 'another tool' timeout 60 mpirun -n 1 bert-train -q -m m -o x classification.rec : -n 1 bert-predict -m m -o x classification.rec </dev/null
one_message "rank 1: its command line has 'bert-predict' where that of rank 0 has 'bert-train'" 'is reported'
exits 2 'a mistake of all' timeout 60 mpirun -n 3 bert-train -q --kfold 3 --steps 4 -m m -o x classification.rec --bogus </dev/null
one_message "*'--bogus'*" 'is reported'
[ ! -e x ]
result $? '... and nothing is left'
finish
