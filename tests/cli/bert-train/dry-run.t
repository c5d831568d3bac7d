#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train --dry-run: what a run will take, told before it takes it.
# Not under isa: the trainings are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=tiny
small_data

works 'a dry run' bert-train --force --init-config tiny --tokenizer vocab.txt \
	--eval dev.rec --epochs 2 --dry-run train.rec
cp out need
is "$(sed -n '/steps/s/ \+/ /p' need)" 'steps 12' 'tells the steps'
like "$(grep '^largest batch' need)" '* 32 texts, * tokens' 'the largest batch'
is "$(sed -n '/MB/s/ \{2,\}.*//p' need | tr '\n' ,)" \
	'parameters,gradients,optimizer moments,packed weights,activations,scratch,data set,other,peak memory,available,' \
	'memory by kind'
is "$(awk '/available/ { next } /peak memory/ { d = s - $(NF - 1); print d * d < 1 } /MB/ { s += $(NF - 1) }' need)" \
	1 'and their sum'
works 'with an output' small_train x --dry-run
[ -e x ]
is $? 1 'it is not made'
works 'for a device that is not here' small_train x --dry-run --device ./none.so
is "$(grep -c '^gradients *0.0 MB' out) $(awk '/^on each device/ { d = $4 } /^parameters/ { p = $2 }
	END { print (d / p > 3.9 && d / p < 4.1) }' out)" '1 1' 'tells what will be there'

# The prediction against what a run then takes: within 15 %, or 8 MB where the
# program itself is the most of it. Sanitizers hold
# memory of their own.
for c in '1 128 512 90000' '2 128 512 2000' '5 320 1280 2000'; do
	set -- $c
	cat >config.json <<-EOF
	{"model_type": "bert", "vocab_size": $4, "hidden_size": $2,
	"num_hidden_layers": $1, "num_attention_heads": 4,
	"intermediate_size": $3, "max_position_embeddings": 512}
	EOF
	for o in '' '--dtype f32' '--eval dev.rec' '--batch-size 150'; do
		case $BUILD in
		*-address* | *-thread*)
			skip "prediction $c $o" 'sanitizers hold memory of their own'
			continue
			;;
		esac
		# shellcheck disable=SC2086
		bert-train --force -q --init-config ./config.json --tokenizer vocab.txt \
			--steps 2 $o --dry-run train.rec >out 2>err
		# shellcheck disable=SC2086
		bert-train --force --init-config ./config.json --tokenizer vocab.txt \
			--steps 2 $o -o m train.rec 2>>err
		sed -n 's/.*peak memory \([0-9]*\) MB/\1/p' err |
			cat out - >why
		[ "$(awk '/^peak/ { p = $(NF - 1) } NF == 1 {
			d = p > $1 ? p - $1 : $1 - p
			print (d < .15 * $1 || d < 8) }' why)" = 1 ]
		result $? "prediction $c $o"
	done
done

# Less than a run takes, by ulimit.
case $BUILD in
*-address* | *-thread*) skip 'a limit of addresses' 'sanitizers need more of them' ;;
*)
	refuses '*training needs * of memory and only * are available; *' \
		'a limit of addresses is reported before' sh -c 'ulimit -v 500000
		bert-train --force --init-config ./config.json --tokenizer vocab.txt \
			--batch-tokens 100000 --epochs 100 --steps 2 -j 1 -o limit $(
			for i in 1 2 3 4 5 6 7 8; do echo train.rec; done)'
	[ ! -e limit ]
	result $? '... and nothing is left behind'
	;;
esac

# More than any machine has: refused before it is taken.
for c in '12 65536 4 4096' '60 8192 32768 64'; do
	set -- $c
	cat >config.json <<-EOF
	{"model_type": "bert", "vocab_size": 30000, "hidden_size": $2,
	"num_hidden_layers": $1, "num_attention_heads": $4,
	"intermediate_size": $3, "max_position_embeddings": 512}
	EOF
	refuses '*training needs * of memory and only * are available*smaller model*' \
		"a model too large: $c" bert-train --force --init-config ./config.json \
		--tokenizer vocab.txt -o huge train.rec
	works 'a dry run of it' bert-train --force --init-config ./config.json \
		--tokenizer vocab.txt --dry-run train.rec
	like "$(cat err)" '*warning: training needs*' 'warns'
done
[ -e huge ]
is $? 1 'and nothing is written'

# So is all else that the run would refuse.
refuses "*nothing to resume: cannot open 'none/checkpoint.safetensors'*" 'no checkpoint' small_train none --resume --dry-run
refuses "*nothing to resume: cannot open 'nothing'*" 'not that checkpoint' small_train none --resume-from nothing --dry-run
misuses "*--tune-over: cannot tune 'seed'*" 'what is not tuned' small_train none --eval dev.rec --tune 1 \
	--tune-over seed=1,2 --dry-run
misuses "*bad value '100' for --learning-rate*" 'a value to tune' small_train none --eval dev.rec --tune 1 \
	--tune-over learning-rate=1,100 --dry-run
small_train kept -q --steps 4 --save-steps 2 --keep 1
works 'a run that goes on' bert-train -q --init-config tiny --tokenizer vocab.txt --epochs 1 --learning-rate 1e-3 \
	--batch-size 16 --steps 4 -o kept --dry-run train.rec

# A model to start from is opened.
small_train start -q
works 'a dry run from a model' bert-train --force -m start --dry-run train.rec
like "$(cat err)" '*tensors loaded*' 'sees its weights'
sed 's/"hidden_size": 128/"hidden_size": 64/' start/config.json >c
mv c start/config.json
refuses '*has shape*' 'and that they fit' bert-train --force -m start --dry-run train.rec
finish
