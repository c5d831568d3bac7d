#!/bin/sh
# SPDX-License-Identifier: MIT
# A vocabulary much larger than a batch: updates by rows give the bits of those of
# the whole table.
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
words=$(wc -l <vocab.txt)

# A model with so many rows more than the vocabulary has words, which no text has.
# An update has some 700 tokens: with no such row it is one of the whole table.
config() { # ROWS
	cat >config.json <<-EOF
	{"model_type": "bert", "vocab_size": $(($1 + words)), "hidden_size": 40,
	"num_hidden_layers": 1, "num_attention_heads": 4,
	"intermediate_size": 64, "max_position_embeddings": 64,
	"initializer_range": 0.1}
	EOF
}
steps=80 stop=37
[ -z "${TEST_KIND-}" ] || steps=25 stop=12
train() { # DIR [OPTION ...]
	dir=$1
	shift
	bert-train --force -q --init-config ./config.json --tokenizer vocab.txt \
		--batch-size 64 --steps $steps --learning-rate .01 --weight-decay .1 \
		-o "$dir" "$@" train.rec
}
# of what both tables have: the values
rows() { # DIR
	ckpt-inspect --dump bert.embeddings.word_embeddings.weight "$1/model.safetensors" |
		tr -s ' ,[]' '\n' | grep '[0-9]' | head -n $((words * 40))
}
alike() { # DIR DIR WHAT
	ckpt-inspect --diff --grep 'position|type|LayerNorm|encoder|pooler|classifier' \
		"$1/model.safetensors" "$2/model.safetensors" >why 2>&1
	result $? "$3: the same bits"
	rows "$1" >one
	rows "$2" >two
	same one two '... of words, too'
}

for o in '' '--optimizer adam --clip 0' '--eval dev.rec --eval-steps 7' \
	'--accumulate 2 --batch-size 32 --layer-decay .9' '--shards 2' \
	'--shards 7 --accumulate 2 --batch-size 32' '--optimizer adamw-google'; do
	config 0
	# shellcheck disable=SC2086
	works "a table $o" train table $o
	config 20000
	# shellcheck disable=SC2086
	works 'rows' train rows $o
	alike table rows "${o:-adamw}"
done

# Neither threads nor a stop change a bit; nor what is written on the way.
train whole -j 1
train rows -j 3 --save-steps $stop --keep 2
same whole/model.safetensors rows/model.safetensors 'one thread and three'
works 'resumed' train rest --resume-from rows/checkpoint-$stop.safetensors
same whole/model.safetensors rest/model.safetensors 'to the same bits'

# Gradients and moments take memory for words that texts have.
mb() { sed -n "s/^$1  *\([0-9.]*\) MB/\1/p" "$2"; }
train x --dry-run >need
awk -v p="$(mb parameters need)" -v g="$(mb gradients need)" -v m="$(mb 'optimizer moments' need)" \
	'BEGIN { print p, g, m; exit !(p > 3 && g < .2 * p && m < .5 * p) }' >why
result $? '--dry-run counts no other words'
train x --dry-run --optimizer lamb >need
is "$(mb gradients need)" "$(mb parameters need)" 'lamb has whole tables'
finish
