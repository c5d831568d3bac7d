#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train --pool and --head: each head trains, is stopped and resumed to the
# same bits, computes again to the same bits, stays in the model directory,
# evaluates and predicts; what makes no sense is refused.
# Not under thread: the threads are those of unit/model/heads and cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/families.sh"
small_data
for f in train dev; do
	bert-tokenize -q -m vocab.txt --pad 40 --attend-pad -o $f.even.rec $f.text.rec
done
notebook='flatten,dense 48 relu,dropout .1,dense 40 relu,dropout .1,dense 4 softplus'
for f in train train.even; do
	tfrecord-cat -q --head 48 -o few$f.rec $f.rec
done
started() { # OUT [OPTION ...]: as small_train, from $data
	out=$1
	shift
	bert-train --force --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --batch-size 16 -o "$out" "$@" \
		"$data.rec"
}
brief() { data=few$data started "$@" -q --batch-size 8; }

number=0 epochs=12 least=.5
# the plain build shows that they learn
[ -z "${TEST_KIND-}" ] || epochs=1 least=0
while IFS='|' read -r option value kept; do
	number=$((number + 1)) data=train dev=dev
	case $value in *flatten*) data=train.even dev=dev.even ;; esac
	set -- "$option" "$value"
	works "$1 '$2' trains" started m$number -q --epochs $epochs --learning-rate 2e-3 "$@"
	exits 0 '... and learns' bert-eval -q -m m$number --min accuracy=$least $dev.rec
	like "$(tr -d '\n' <m$number/config.json)" \
		"*\"architectures\": \[*\"BertModel\"*\"bertutils\": {*\"${1#--}\": \"$kept\"*" \
		'... says what it is'

	rm -rf a b c
	brief a --steps 6 "$@"
	brief b --steps 6 --save-steps 3 --keep 9 -j 1 "$@"
	same b/model.safetensors a/model.safetensors '... the same bits with one thread'
	cp b/checkpoint.safetensors third
	rm b/model.safetensors
	works '... resumes' brief b --steps 6 --resume-from third "$@"
	same b/model.safetensors a/model.safetensors '... to the same bits'
	brief c --steps 6 --checkpoint-activations "$@"
	same c/model.safetensors a/model.safetensors '... and computed again'
	refuses '*head was *, is *' '... not resumed as another' brief b --steps 6 \
		--resume-from third --head 'dense 3, max, dense'
	refuses '*head was *, is absent*' '... nor as the usual one' brief b --steps 6 \
		--resume-from third

	rm -rf c
	works '... goes on' bert-train --force -m m$number -o c --steps 2 $data.rec
	is "$(grep -c 'newly initialized' err)" 0 '... with all it was'
	same c/config.json m$number/config.json '... as it was'
	works '... predicts' bert-predict -q -m m$number --proba --dtype f32 -o f32.csv $dev.rec
	awk -F, 'NR > 1 { s = 0; for (i = 3; i <= NF; i++) s += $i
		if (s < .9999 || s > 1.0001) exit 1 }' f32.csv
	result $? '... what adds up to 1'
	bert-predict -q -m m$number -m c --proba $dev.rec >two.csv
	is "$(wc -l <two.csv)" "$(wc -l <f32.csv)" '... with another'
	works '... predicts in int8' bert-predict -q -m m$number --dtype int8 -o i8.csv $dev.rec
	[ $least = 0 ] || # labels of what has not learned are near ties
		is "$(awk -F, 'NR == FNR { l[$1] = $2; next } FNR > 1 && l[$1] != $2' f32.csv i8.csv |
			wc -l | awk '{ print $1 <= 3 }')" 1 '... nearly the same'
	cp f32.csv m$number.csv
	pad=none
	[ $dev = dev ] || pad=40
	bert-tokenize -q -m vocab.txt --pad $pad --format ids -o m$number.ids dev.text.rec
done <<EOF
--pool|first|first
--pool|mean|mean
--pool|max|max
--head|first,dense 24 tanh,dense|first, dense 24 tanh, dense
--head|pooler,dropout .1,dense softplus|pooler, dropout 0.1, dense softplus
--head|dropout .1, dense 32 gelu, mean, dense 4 softmax|dropout 0.1, dense 32 gelu, mean, dense 4 softmax
--head|$notebook|flatten 40, dense 48 relu, dropout 0.1, dense 40 relu, dropout 0.1, dense 4 softplus
EOF
is $number 7 'all heads were tried'
if compares 'PyTorch predicts the same'; then
	works 'PyTorch predicts the same' "$PEER_PYTHON" \
		"$TEST_TOP/tests/fixtures/head-peer.py" 2e-5 m1 m2 m3 m4 m5 m6 m7
fi

# The usual head is what it was, and says nothing.
started u -q --steps 2
started v -q --steps 2 --pool pooler
same v/model.safetensors u/model.safetensors '--pool pooler is the usual one'
same v/config.json u/config.json '... and is not told'
like "$(cat u/config.json)" '*BertForSequenceClassification*' 'a class of Hugging Face'

# A head that is not the model's is new, and the encoder is not.
works 'another head' bert-train --force -m m4 -o w --steps 1 --learning-rate 0 \
	--head 'first, dense 24 relu, dense' train.rec
like "$(cat err)" "*head is not that of 'm4': its classifier is replaced*" 'the message says so'
exits 1 '... and new' ckpt-inspect --diff m4 w
is "$(grep -c 'head\..*differs\|head\.[01].weight' out)" 2 '... all of it'
case $(cat out) in *bert.*) false ;; esac
result $? '... alone'
works 'the pooler again' bert-train --force -m m2 -o w --steps 1 --pool pooler train.rec
like "$(cat err)" '*newly initialized: bert.pooler.dense.weight*' 'has new layers'
case $(cat w/config.json) in *'"head"'* | *'"pool"'*) false ;; esac
result $? '... and says nothing of a head'
works 'the encoder embeds whatever the head' bert-predict -q -m m7 --embed mean dev.rec
sed 's/,parking$/,elsewhere/' train.csv >other.csv
csv2tfrecord -q -t text -l intent other.csv | bert-tokenize -q -m vocab.txt -o other.rec
works 'other labels' bert-train --force -m m4 -o w --steps 1 --learning-rate 0 other.rec
like "$(cat err)" "*'m4': 3 of 4 classes are the model's, newly initialized: 'elsewhere'*" 'are new in the last layer'
exits 1 '... that differs' ckpt-inspect --diff m4 w
case $(cat out) in *head.0*) false ;; *head.1*) true ;; esac
result $? '... alone'

# Texts of one length.
refuses "*'dev.rec': record 1: holds * tokens, but the model's head flattens texts of exactly 40 (*--pad*--attend-pad*" \
	'another length, predicting' bert-predict -m m7 dev.rec
refuses "*'dev.rec': record 1: holds *" '... evaluating' bert-eval -m m7 dev.rec
refuses "*'train.rec': record 2: holds *" '... training' bert-train --force -m "$PWD/u" -o w \
	--head flatten,dense train.rec
refuses "*'dev.rec': record 1: holds * flattens texts of exactly 40 *" '... holding out' \
	bert-train --force -m u -o w --head flatten,dense --eval dev.rec train.even.rec
refuses "*record 1: holds 40 tokens, but the model's head flattens texts of exactly 41*" \
	'a given length' bert-train --force -m u -o w --head 'flatten 41,dense' train.even.rec
misuses '*is for texts of 600 tokens, the encoder for up to 512*' 'more than positions' \
	bert-train --force -m u -o w --head 'flatten 600,dense' train.even.rec
bert-tokenize -q -m vocab.txt --pad 36 --max-length 36 --attend-pad -o 36.rec train.text.rec
bert-train --force -q -m u -o z --steps 1 --head "$notebook" 36.rec
refuses "*'z' is for texts of 36 tokens, the first model for texts of 40" \
	'models of two lengths' bert-predict -m m7 -m z dev.even.rec
sed 's/flatten 40/flatten/' m7/config.json >config
cp -r m7 y
cp config y/config.json
refuses "*'y/config.json': the head's flatten does not say*" 'a configuration without one' \
	bert-predict -m y dev.even.rec

# What memory it takes is known before.
started n --dry-run --head "$notebook" -q >need
started n --head "$notebook" --steps 8 2>err
awk '/^peak memory/ { need = $3 } /peak memory [0-9]+ MB/ { got = $(NF - 1) }
	END { print need, got; exit !(need > got * .85 && need < got * 1.15) }' need err >why
status=$?
case $BUILD in
*-address* | *-thread*) skip '--dry-run knows the memory' 'sanitizers hold memory of their own' ;;
*) result $status '--dry-run knows the memory' ;;
esac

# A sum too long for int8.
bert-tokenize -q -m vocab.txt --pad 512 --attend-pad -o long.rec dev.text.rec
echo '{"model_type": "bert", "vocab_size": 2000, "hidden_size": 132, "num_hidden_layers": 1,
	"num_attention_heads": 2, "intermediate_size": 32}' >wide.json
bert-train --force -q --init-config wide.json --tokenizer vocab.txt -o wide --steps 1 \
	--head 'flatten, dense' long.rec
refuses '*a layer of the model has 67584 inputs (int8 products allow at most 65536)*' \
	'int8 refuses a longer sum' bert-predict -m wide --dtype int8 long.rec
works '... which others take' bert-predict -q -m wide long.rec

# Other families, whose own head may have names like ours; numbers.
for f in distilbert modernbert roberta; do
	family_config $f >$f.json
	for head in 'pooler, dense 8 relu, dense' 'mean, dense 8 softplus, dense softplus'; do
		works "$f with $head" bert-train --force -q --init-config $f.json --tokenizer vocab.txt \
			--steps 2 -o f --head "$head" train.rec
		works '... predicts' bert-predict -q -m f dev.rec
	done
	works '... with its own layers' bert-train --force -q --init-config $f.json \
		--tokenizer vocab.txt --steps 2 -o f train.rec
	bert-train --force -m f --steps 1 --learning-rate 0 -o g --head 'pooler, dense' train.rec 2>err
	like "$(cat err)" '*newly initialized: head.0.weight, head.0.bias*unused: classifier.*' \
		'... keeps these under another'
	ckpt-inspect --diff f g >out
	like "$(cat out)" '* equal, 0 different, 2 only in the first, 2 only in the second*' \
		'... to the bit'
done
printf 'text,y\nred car,0.1\ngreen card,2\nblue car,2\nred card,0.2\n' >num.csv
csv2tfrecord -q -t text -l y num.csv | bert-tokenize -q -m vocab.txt --label-type float -o num.rec
for head in 'mean, dense 16 relu, dense' 'max, dense 1'; do
	works "numbers by $head" bert-train --force -q --task regression --init-config tiny \
		--tokenizer vocab.txt --steps 60 --learning-rate 2e-3 -o r --head "$head" num.rec
	exits 0 '... are learnt' bert-eval -q -m r --min pearson=.9 num.rec
done

# Command lines.
misused() { # GLOB NAME HEAD
	exits 2 "$2" bert-train --force -m u -o w --head "$3" train.rec
	like "$(cat err)" "$1" '... and says why'
}
misused "*--head: layer 2 of the head, 'dens 4': no such layer*" 'no such layer' 'mean,dens 4'
misused "*layer 3 of the head, 'dropout .1': the last layer must be dense*" 'no classes' \
	'mean,dense 4,dropout .1'
exits 2 'a head and a pool' bert-train --force -m u -o w --head mean,dense --pool mean train.rec
exits 2 'no such pool' bert-train --force -m u -o w --pool median train.rec
misuses "*layer 2 of the head, 'dense 7 softplus', has 7 outputs, and 4 are wanted*" \
	'another number of labels' bert-train --force -m u -o w --head 'mean,dense 7 softplus' train.rec
for own in '"x"' '{"pool": "median"}' '{"head": "mean"}' '{"head": 4}' \
	'{"head": "flatten 1000, dense"}'; do
	tr -d '\n' <u/config.json |
		sed "s/\"bertutils\": {[^}]*}/\"bertutils\": $own/" >y/config.json
	refuses "*'y/config.json': *" "refuses a configuration with $own" bert-predict -m y dev.rec
done
finish
