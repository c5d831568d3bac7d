#!/bin/sh
# SPDX-License-Identifier: MIT
# A checkpoint in bf16, whose words are read row by row where they stand.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
small_train low -q
ckpt-convert -q --dtype bf16 low/model.safetensors low.safetensors
cp -r low wide
ckpt-convert -q --dtype f32 low.safetensors wide/model.safetensors
mv low.safetensors low/model.safetensors
ckpt-inspect low/model.safetensors | grep -iE 'BF16.*word_embeddings|word_embeddings.*BF16' >why 2>&1
result $? 'the words are in bf16'

# f32 has all numbers of bf16, so the predictions are the same.
for o in '' '--embed mean' '--proba --dtype f32' '--dtype int8' '-j 1' '--explain'; do
	# shellcheck disable=SC2086
	bert-predict -q -m wide $o dev.rec >want 2>err
	# shellcheck disable=SC2086
	works "predictions $o" bert-predict -q -m low $o dev.rec
	same out want '... are those of f32'
done
bert-eval -q -m wide dev.rec >want
works 'evaluated' bert-eval -q -m low dev.rec
same out want 'as f32'
# what knows a model by its weights
bert-eval -q --calibrate temperature -m wide dev.rec >want 2>&1
works 'calibrated' bert-eval -q --calibrate temperature -m low dev.rec
bert-predict -q --proba -m wide dev.rec >want
works 'predictions' bert-predict -q --proba -m low dev.rec
same out want '... are those of f32'

# Of a large vocabulary that is half the memory: here 13 MB less.
if [ -z "${TEST_KIND-}" ]; then
	echo '{"model_type": "bert", "vocab_size": 100000, "hidden_size": 64, "num_hidden_layers": 1,
		"num_attention_heads": 4, "intermediate_size": 64, "max_position_embeddings": 64}' >large.json
	bert-train -q --init-config ./large.json --tokenizer vocab.txt --steps 1 -o large train.rec
	works 'a whole model in bf16' ckpt-convert -q --dtype bf16 large large16/
	peak() { # DIR
		bert-predict -q -m "$1" --dtype int8 -j 1 --summary s.json -o /dev/null dev.rec
		sed -n 's/.*"peak_memory": *\([0-9]*\).*/\1/p' s.json
	}
	less=$(($(peak large) - $(peak large16)))
	echo "the peak is $less bytes lower" >why
	[ "$less" -gt 10000000 ]
	result $? 'words in bf16 take half the memory'
fi

# A value that is no number is found before texts are read.
at=$(perl -e 'open F, "<:raw", $ARGV[0]; read F, $n, 8; $n = unpack "Q<", $n; read F, $h, $n;
	$h =~ /word_embeddings.weight"[^}]*"data_offsets":\[(\d+),/ or die; print 8 + $n + $1' low/model.safetensors)
cp -r low bad
printf '\300\177' | dd of=bad/model.safetensors bs=1 seek=$((at + 2 * 1000)) conv=notrunc 2>/dev/null
refuses "*tensor '*word_embeddings.weight' holds a NaN or an infinity (element 1000)*" \
	'a NaN among the words' bert-predict -m bad dev.rec
finish
