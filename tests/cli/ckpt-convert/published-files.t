# SPDX-License-Identifier: MIT
# What published files are like beyond their format: buffers, tied weights, old
# names, bare encoders, labels numbered by text, empty tensors.
# Not under thread: the threads are those of cli/ckpt-inspect/safetensors
. "$TEST_TOP/tests/lib/lib.sh"
H=$DATA/ckpt-hdf5
printf 'text,label\ngood,a\nbad,b\nfine,a\n' >t.csv
csv2tfrecord -q -t text -l label t.csv | bert-tokenize -q -m "$H/vocab.txt" -o t.rec
bert-predict -q -m "$H" --proba --dtype f32 -o wanted t.rec

# blob FILE HEADER BYTES: a safetensors file whose data are ones; the header is
# as it is, not filled up
blob() {
	{
		# shellcheck disable=SC2059
		printf "$(printf '\\%03o\\%03o' $((${#2} % 256)) $((${#2} / 256)))"
		printf '\0\0\0\0\0\0%s' "$2"
		head -c "$3" /dev/zero | tr '\0' '\1'
	} >"$1"
}

# with NAME: a directory of the model in two files; $2 is in the second
with() {
	rm -rf m
	mkdir m
	cp "$H/config.json" "$H/vocab.txt" "$H/model.safetensors" m
	mv m/model.safetensors m/model-00001-of-00002.safetensors
	blob m/model-00002-of-00002.safetensors "$2" "$3"
	{
		printf '{"weight_map": {"%s": "model-00002-of-00002.safetensors"' "$1"
		ckpt-inspect "$H/model.safetensors" | awk '/F32/ && /\[/ {
			printf ", \"%s\": \"model-00001-of-00002.safetensors\"", $1 }'
		printf '}}\n'
	} >m/model.safetensors.index.json
}

# the unused tensors that training tells of
unused() {
	bert-train --force -m m --steps 1 --dtype f32 -o trained -v t.rec 2>err
	sed -n 's/.*unused: //p' err | head -n 1
}

with bert.embeddings.position_ids \
	'{"bert.embeddings.position_ids":{"dtype":"I64","shape":[1,2],"data_offsets":[0,16]}}' 16
works 'a buffer of positions' bert-predict -q -m m --proba --dtype f32 -o got t.rec
same got wanted 'changes nothing'
is "$(unused)" '' 'and is not worth a word'
with cls.predictions.decoder.weight \
	'{"cls.predictions.decoder.weight":{"dtype":"F32","shape":[9,1],"data_offsets":[0,36]}}' 36
works 'a tied decoder' bert-predict -q -m m --proba --dtype f32 -o got t.rec
same got wanted 'changes nothing'
is "$(unused)" cls.predictions.decoder.weight 'and is reported'
with empty '{"empty":{"dtype":"F32","shape":[0,8],"data_offsets":[0,0]}}' 0
works 'an empty tensor' ckpt-inspect --check m
works 'is no harm' bert-predict -q -m m --proba --dtype f32 -o got t.rec
same got wanted 'to predictions'

# --- names of other programs
for rule in 's/LayerNorm.weight$/LayerNorm.gamma/' 's/LayerNorm.bias$/LayerNorm.beta/' \
	's/^/module./' 's/^/_orig_mod.module./' 's/^bert\.//' 's/^/bert./' 's/^/module.base_model.model./' \
	's/^bert\./0.auto_model./' 's/^bert\./encoder./' 's/^bert\./nomic_bert./'; do
	rm -rf m
	mkdir m
	works "$rule" ckpt-convert -q --rename "$rule" "$H" m
	works 'is read' bert-predict -q -m m --proba --dtype f32 -o got t.rec
	same got wanted 'as the usual names'
done

# the names of a whole encoder within another model, and then those of the head
ckpt-convert -q --rename 's/^/net.model./' --rename 's/^net.model.bert\./net.body./' "$H" wrapped.safetensors
works 'their usual names' ckpt-convert -q --names hf wrapped.safetensors plain.safetensors
is "$(ckpt-inspect plain.safetensors | grep -c -E '^ *bert\.')" "$(ckpt-inspect "$H/model.safetensors" | grep -c -E '^ *bert\.')" \
	'can be written'

# a student and its teacher
rm -rf m
mkdir m
cp "$H/config.json" "$H/vocab.txt" m
both() { # RULE RULE [RULE]: the second's may be two
	rm -f m/model-?.safetensors
	ckpt-convert -q --rename "$1" "$H" m/model-1.safetensors
	ckpt-convert -q --rename "$2" ${3:+--rename "$3"} "$H" m/model-2.safetensors
	for n in 1 2; do
		ckpt-inspect --json m/model-$n.safetensors | grep -o '"name": *"[^"]*"' |
			sed "s/\"name\": *//; s/\$/: \"model-$n.safetensors\",/"
	done | sed '1s/^/{"weight_map": {/; $s/,$/}}/' >m/model.safetensors.index.json
}
both 's/^/student./' 's/^/teacher./'
refuses "*'m' holds several models, whose names begin with 'student.bert.' and 'teacher.bert.' (ckpt-convert --drop*" \
	'two models' bert-predict -q -m m t.rec
refuses "ckpt-convert: 'm' holds several models*" 'nor have they usual names' ckpt-convert -q --names hf m names.safetensors
[ ! -e names.safetensors ]
result $? 'and nothing is written'
works 'but those of their own' ckpt-convert -q m names.safetensors
works 'one of them' ckpt-convert -q --names hf --drop '^teacher' m names.safetensors
is "$(ckpt-inspect names.safetensors | grep -c -E '^ *bert\.')" "$(ckpt-inspect "$H/model.safetensors" | grep -c -E '^ *bert\.')" \
	'has the usual names'
works 'one of them' ckpt-convert -q --drop '^teacher' m one/
works 'is read' bert-predict -q -m one --proba --dtype f32 -o got t.rec
same got wanted 'as itself'
both 's/^/teacher./' 's/bert/bert/'
works 'the model itself and another one' bert-predict -q -m m --proba --dtype f32 -o got t.rec
same got wanted 'is read as itself'
for first in model. module.; do
	for second in teacher. model.teacher.; do
		both "s/^/$first/" "s/^/$second/"
		works "$first and $second" bert-predict -q -m m --proba --dtype f32 -o got t.rec
		same got wanted 'so is one with the usual words before it'
	done
done

# two encoders by themselves: the one of the configuration's family
for own in '' bert.; do
	for other in albert. electra. roberta.; do
		both "s/^bert\\./$own/" "s/^bert\\./$other/" s/^classifier/old/
		works "'$own' and $other" bert-predict -q -m m --proba --dtype f32 -o got t.rec
		same got wanted 'the other one is left alone'
	done
done
both 's/^bert\.pooler/old/' 's/^bert\./albert./' s/^classifier/older/
refuses "*'m' has no tensor 'bert.pooler.dense.weight'*" 'and not mixed' bert-predict -q -m m t.rec
both 's/^/_orig_mod./' 's/^/module./'
refuses "*'m' holds '_orig_mod.bert.embeddings.LayerNorm.bias' twice, also as 'module.bert.embeddings.LayerNorm.bias'*" \
	'one model twice' bert-predict -q -m m t.rec

# --- labels
like "$(cat "$H/config.json")" '*"label2id": {"a": "0", "b": "1"}*' 'numbers that are texts'
is "$(head -n 1 wanted)" id,label,a,b 'are read as numbers'

# --- not filled up
header='{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
blob odd.safetensors "$header" 8
[ $((${#header} % 8)) != 0 ]
result $? 'a header of an odd length'
works 'is read' ckpt-inspect --dump x odd.safetensors
is "$(cat out)" '2.3694278e-38 2.3694278e-38' 'with what stands behind it'
finish
