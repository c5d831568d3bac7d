#!/bin/sh
# SPDX-License-Identifier: MIT
# Parameters that are not trained: they do not move, and take neither moments nor time.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=$DATA/two-layers.json
small_data
small_train start -q

train() { # DIR [OPTION ...]
	dir=$1
	shift
	bert-train --force -q -m start --epochs 1 --batch-size 16 -o "$dir" "$@" train.rec
}
# same_tensors DIR PATTERN TEXT, and differ
same_tensors() {
	ckpt-inspect --diff --grep "$2" start/model.safetensors "$1/model.safetensors" >why 2>&1
	result $? "$3"
}
differ() {
	ckpt-inspect --diff --grep "$2" start/model.safetensors "$1/model.safetensors" >/dev/null 2>&1
	is $? 1 "$3"
}

for o in adamw lamb sgd; do
	works "the lower layer frozen, by $o" train "low-$o" --freeze 1 --optimizer $o --learning-rate .01 --keep 1 --save-steps 5
	same_tensors "low-$o" 'embeddings|layer\.0' 'what is frozen does not move a bit'
	differ "low-$o" 'layer\.1\..*weight' 'the rest moves'
done
ckpt-inspect low-adamw/checkpoint.safetensors | grep -o '[a-z0-9]*\.bert\.[a-z.0-9A-Z_]*' >names
is "$(grep -c '^moment' names)" "$(($(grep -c '^moment1' names) * 2))" 'both moments'
grep '^moment.*\(embeddings\|layer\.0\)' names >why
is $? 1 'none of what is frozen'
grep -c '^param.*layer\.0' names >why
result $? 'whose values are there'

works 'embeddings alone' train words --freeze embeddings
same_tensors words embeddings 'they stay'
differ words 'layer\.0' 'layers move'
works 'patterns' train biases --freeze 'weight$,embeddings'
same_tensors biases 'weight' 'no weight moves'
differ biases 'bias' 'biases do'
works 'all but the head' train head --freeze '^bert[.]'
same_tensors head '^bert' 'the encoder stays'
differ head classifier 'the head does not'
works 'what is frozen, told' bert-train --force -m start --steps 1 --freeze 2 -o told train.rec
like "$(cat err)" '*of * parameters are frozen*' 'in the log'

# The same with recomputation, threads and shards; and a run that is stopped.
train again --freeze 1 --learning-rate .01 -j 1 --checkpoint-activations --keep 1
same low-adamw/model.safetensors again/model.safetensors 'no matter how it is computed'
works 'shards' train shards --freeze 1 --shards 3
same_tensors shards 'embeddings|layer\.0' 'shards leave it, too'
train whole --freeze 1,classifier.bias --steps 12
bert-train --force -q -m start --epochs 1 --batch-size 16 --freeze 1,classifier.bias --steps 12 \
	--save-steps 5 --keep 2 -o part train.rec
bert-train --force -q -m start --epochs 1 --batch-size 16 --freeze 1,classifier.bias --steps 12 \
	--resume-from part/checkpoint-5.safetensors -o rest train.rec
same whole/model.safetensors rest/model.safetensors 'resumed to the same bits'
refuses '*frozen was "1,classifier.bias", is "1"*' 'another list is another run' bert-train --force -q \
	-m start --epochs 1 --batch-size 16 --freeze 1 --steps 12 --resume-from part/checkpoint-5.safetensors -o x train.rec

# The memory that --dry-run says is what a run takes. LAMB has gradients of all words.
row() { # TEXT FILE
	awk -v t="$1" 'index($0, t) == 1 { print $(NF - 1) * 1e3 }' "$2"
}
cat >config.json <<-EOF
{"model_type": "bert", "vocab_size": 60000, "hidden_size": 256,
"num_hidden_layers": 4, "num_attention_heads": 4,
"intermediate_size": 1024, "max_position_embeddings": 128}
EOF
for f in embeddings 2; do
	bert-train --force -q --init-config ./config.json --tokenizer vocab.txt --dtype f32 --optimizer lamb --steps 2 --dry-run train.rec >all 2>err
	bert-train --force -q --init-config ./config.json --tokenizer vocab.txt --dtype f32 --optimizer lamb --steps 2 --freeze $f --dry-run train.rec >less 2>err
	frozen=$(awk '/^frozen/ { print $2 }' less)
	for r in gradients 'optimizer moments'; do
		each=1
		[ "$r" = gradients ] || each=2
		is "$(awk -v a="$(row "$r" all)" -v b="$(row "$r" less)" -v f="$frozen" -v each=$each \
			'BEGIN { d = (a - b) / 1e3 - each * f * 4 / 1048576; print d * d < .1 }')" 1 "$r of $f are saved"
	done
	case $BUILD in
	*-address* | *-thread*) skip "prediction $f" 'sanitizers hold memory of their own' ;;
	*)
		bert-train --force --init-config ./config.json --tokenizer vocab.txt --dtype f32 --optimizer lamb --steps 2 --freeze $f -o m train.rec 2>err
		sed -n 's/.*peak memory \([0-9]*\) MB/\1/p' err >took
		awk -v p="$(row 'peak memory' less)" '{ d = p / 1e3 - $1; print d, $1; exit !(d < .15 * $1 && -d < .15 * $1) }' took >why
		result $? "the peak with $f is as predicted"
		;;
	esac
done

misuses '*bad pattern*' 'a bad pattern' train x --freeze '('
misuses '*2 layers with parameters of their own, so 3 of them cannot be frozen' 'more layers than there are' \
	train x --freeze 3
misuses "*no parameter to freeze is called 'querry'*" 'a name of nothing' train x --freeze querry
misuses '*all parameters are frozen*' 'all of them' train x --freeze .
exits 1 'what is refused writes no model' test -e x/config.json
finish
