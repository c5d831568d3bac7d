#!/bin/sh
# SPDX-License-Identifier: MIT
# Several processes and a vocabulary that is large beside an update: they send each other
# the rows of its words, and the bits are those of one process; also where a stop
# or a kill comes between. Where most words are met, they send the whole table.
# Not under emulation: there is no libmpi of the emulated machine
# Not under thread: the libraries of MPI synchronize in ways that it does not know
# Not under isa: the libraries of MPI compute nothing, and one process is run there
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/ranks.sh"
. "$TEST_TOP/tests/lib/small.sh"

if ! have_ranks 'several ranks'; then
	finish
	exit
fi
small_data

# records VOCABULARY: of the texts, as its tokens, and a model for it
records() {
	bert-tokenize -q -m "$1" --max-length 48 -o train.rec train.text.rec
	bert-tokenize -q -m "$1" --max-length 48 -o dev.rec dev.text.rec
	cat >config.json <<-EOF
	{"model_type": "bert", "vocab_size": $(wc -l <"$1"), "hidden_size": 40,
	"num_hidden_layers": 1, "num_attention_heads": 4,
	"intermediate_size": 64, "max_position_embeddings": 64,
	"initializer_range": 0.1}
	EOF
	vocabulary=$1
}
train() { # OUT [OPTION ...]
	o=$1
	shift
	set -- bert-train --force --init-config ./config.json --tokenizer "$vocabulary" --learning-rate .01 \
		--weight-decay .1 --batch-size 24 --steps 12 --shards 12 -j 1 -o "$o" "$@" train.rec
	if [ -n "$number" ]; then
		ranks "$number" "$@"
	else
		"$@"
	fi
}
bytes() { # what the ranks sent, by the messages
	sed -n 's/.* ranks sent each other \([0-9]*\) bytes in [0-9]* updates/\1/p' err
}
# between LOW HIGH NAME: what they sent is
between() {
	echo "$(bytes) bytes, wanted $1 to $2" >why
	awk -v x="$(bytes)" -v lo="$1" -v hi="$2" 'BEGIN { exit !(x != "" && x >= lo && x <= hi) }'
	result $? "$3"
}

# Twenty words that no text has stand behind each, so that all ranks own some.
awk '{ print } NR > 5 { for (i = 0; i < 20; i++) print "filler" NR "x" i }' vocab.txt >large.txt
records large.txt
next=2
numbers='2 4' each='1 2 4'
# the plain build compares the bits of more
[ -z "${TEST_KIND-}" ] || numbers=3 each=2
for more in '--dtype f32' '--dtype bf16 --accumulate 2 --batch-size 12' '--optimizer adam --clip 0 --layer-decay .9' \
	'--eval dev.rec --eval-steps 5 --steps 15' '--optimizer adamw-google' \
	'--batch-size 8 --steps 70' '--freeze layer.0 --shards 5' '--max-minutes 1000 --eval dev.rec --patience 1'; do
	number=
	# shellcheck disable=SC2086 # options
	train one -q $more
	case $more in
	--dtype*) some=$numbers ;;
	*) some=$next ;;
	esac
	for number in $some; do
		# shellcheck disable=SC2086
		works "$number ranks $more" train many -v $more
		is "$(weights many)" "$(weights one)" '... give the bits of one process'
		rm -rf many
	done
	next=$((next % 3 + 2))
done

# Where each rank has one sum, it goes on its way while the last shard is computed.
for number in $numbers; do
	some=$number
	for k in $each; do
		for more in '' '--accumulate 2 --batch-size 12 --optimizer lamb'; do
			number=
			# shellcheck disable=SC2086
			train one -q --steps 5 --shards $((some * k)) $more
			number=$some
			# shellcheck disable=SC2086
			train many -q --steps 5 --shards $((some * k)) $more
			is "$(weights many)" "$(weights one)" "$number ranks of $k shards $more"
		done
	done
done

# What is sent for an update: rows of its words, and all else; at the end the table.
floats=$(ckpt-inspect one/model.safetensors | sed -n 's/.*[^0-9,]\([0-9,]*\) parameters.*/\1/p' | tr -d , | head -n 1)
table=$((40 * $(wc -l <large.txt)))
words=$(tfrecord-cat -q --json train.rec | grep -o '"input_ids": \[[^]]*' | tr -c '0-9\n' '\n' | sort -u | grep -c '[0-9]')
for number in $numbers; do
	train many -v --shards $number --steps 7 2>err
	low=$((4 * (number - 1) * (2 * 7 * (floats - table) + table)))
	between $low $((low + 4 * (number - 1) * 2 * 7 * 40 * words + 10000)) "$number ranks send at most rows of $words words"
done
number=2
train many --optimizer lamb -v --shards 2 --steps 2 2>err
between $((2 * 2 * 4 * floats)) $((2 * 2 * 4 * floats * 101 / 100)) 'lamb sends whole tables'
train many --profile 2>err
like "$(cat err)" '*MB sent to other processes in a step*' 'the profile tells how much'

# Stopped and killed.
number=
train one -q --steps 90
number=3
train cut -q --steps 90 --save-steps 37 --keep 9 --shards 12
is "$(weights cut)" "$(weights one)" 'checkpoints change nothing'
for number in '' 2 4; do
	works "${number:-one} of them goes on" train rest -q --steps 90 --resume-from cut/checkpoint-37.safetensors
	is "$(weights rest)" "$(weights one)" '... to the same bits'
done
rm -rf cut
mpirun -n 3 bert-train -q --force --init-config ./config.json --tokenizer large.txt --learning-rate .01 \
	--weight-decay .1 --batch-size 24 --steps 90 --shards 12 -j 1 --save-steps 3 -o cut train.rec >err 2>&1 </dev/null &
pid=$!
has_checkpoint() { [ -s cut/checkpoint.safetensors ] || gone $pid; }
wait_for has_checkpoint
kill -KILL "$(pgrep -P $pid -x bert-train | tail -n 1)"
wait_for gone $pid
result $? 'a rank is killed: all end'
wait $pid
number=2
train cut -q --steps 90
is "$(weights cut)" "$(weights one)" 'two ranks go on to the same bits'

# Letters, most of which are in the texts: the table is sent as it is.
{
	head -n 5 vocab.txt
	printf '%s\n' a b c d e f g h i j k l m n o p q r s t u v w x y z | sed 'p; s/^/##/'
	printf '?\n.\n,\n'
} >letters.txt
records letters.txt
number=
train one -q
for number in $numbers; do
	train many -v --shards 12 2>err
	is "$(weights many)" "$(weights one)" "letters, $number ranks: the bits of one process"
done
floats=$(ckpt-inspect one/model.safetensors | sed -n 's/.*[^0-9,]\([0-9,]*\) parameters.*/\1/p' | tr -d , | head -n 1)
number=2
train many -v --shards 2 2>err
between $((12 * 2 * 4 * floats)) $((12 * 2 * 4 * floats * 102 / 100)) '... and send whole tables'
finish
