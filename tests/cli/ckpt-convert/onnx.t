# SPDX-License-Identifier: MIT
# Models as ONNX, and what is copied with a model.
# Not under thread: the threads are those of cli/bert-train/families
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/families.sh"
H=$DATA/ckpt-hdf5

# --- a file
works 'a classifier' ckpt-convert "$H" small.onnx
like "$(cat err)" "*written to 'small.onnx' (onnx, a classifier)" 'the message says so'
is "$(head -c 16 small.onnx | od -An -tx1 | tr -d ' \n')" \
	08081209626572747574696c73420210 'begins as a model of ONNX, version 8'
for word in logits input_ids attention_mask token_type_ids sequence \
	LayerNormalization classifier.weight bert.encoder.layer.1.output.dense.weight; do
	[ "$(grep -ac "$word" small.onnx)" != 0 ]
	result $? "holds $word"
done
works 'again, as --to says' ckpt-convert -q --to onnx "$H/" again
same again small.onnx 'the same bytes'
mkdir encoder
cp "$H/config.json" encoder
ckpt-convert -q --drop '^classifier' "$H" encoder/model.safetensors
works 'an encoder' ckpt-convert encoder encoder.onnx
like "$(cat err)" '*an encoder)' 'the message says so'
[ "$(grep -ac last_hidden_state encoder.onnx)" != 0 ]
result $? 'gives its last layer'

# --- weights beside
cp "$H/vocab.txt" encoder
misuses "*'encoder/vocab.txt' is both input and output, and would be lost*" 'onto its vocabulary' \
	ckpt-convert --to onnx encoder encoder/vocab.txt
works 'in a file of their own' ckpt-convert --external-data "$H" beside.onnx
like "$(cat err)" "*written to 'beside.onnx' and 'beside.onnx.data' (onnx, *" 'the message says so'
[ "$(wc -c <beside.onnx)" -lt "$(wc -c <small.onnx)" ]
result $? 'the model is smaller'
[ "$(grep -ac beside.onnx.data beside.onnx)" != 0 ]
result $? 'and names the other'
mkdir taken.onnx.data
exits 1 'nowhere to put them' ckpt-convert -q --external-data "$H" taken.onnx
[ ! -e taken.onnx ]
result $? 'nothing is written'
misuses '*standard output*' 'a stream holds one file' \
	ckpt-convert -q --to onnx --external-data "$H" -
exits 2 'elsewhere there is no such thing' ckpt-convert --external-data "$H" x.npz

# --- misuse
exits 2 'no types' ckpt-convert --dtype bf16 "$H" x.onnx
exits 2 'no rules' ckpt-convert --to onnx --drop x "$H" x
mkdir empty
refuses "*holds neither config.json nor bert_config.json nor*" 'no model' \
	ckpt-convert empty x.onnx
mkdir odd
cp "$H/config.json" "$H/model.safetensors" odd
sed 's/"hidden_size": 8/"hidden_size": 4/' "$H/config.json" >odd/config.json
refuses "*has shape*the configuration asks for*" 'weights that do not fit' \
	ckpt-convert odd x.onnx
[ ! -e x.onnx ]
result $? 'nothing is written'

# --- directories
works 'into a directory' ckpt-convert "$H" full/ --to onnx
like "$(cat err)" '*2 files of configuration and tokenizer copied' 'with what loads it'
same full/vocab.txt "$H/vocab.txt" 'the vocabulary'
same full/model.onnx small.onnx 'the model'
printf 'text,label\ngood,a\nbad,b\nfine,a\n' >t.csv
csv2tfrecord -q -t text -l label t.csv | bert-tokenize -q -m "$H/vocab.txt" -o t.rec
bert-predict -q -m "$H" --proba --dtype f32 -o wanted t.rec
for to in safetensors tf1 tf2; do
	works "$to into a directory" ckpt-convert -q --to $to "$H" $to/
	works 'loads at once' bert-predict -q -m $to --proba --dtype f32 -o got t.rec
	same got wanted 'and predicts the same'
done
works 'shards' ckpt-convert -q --shard-size 4K "$H" shards
works 'load at once' bert-predict -q -m shards --proba --dtype f32 -o got t.rec
same got wanted 'and predict the same'
mkdir own
echo '{"mine": true}' >own/config.json
works 'a file that is there' ckpt-convert -q "$H" own
is "$(cat own/config.json)" '{"mine": true}' 'stays'
mkdir -p st/1_Pooling
cp "$H/model.safetensors" "$H/config.json" st
echo '[]' >st/modules.json
echo '{}' >st/1_Pooling/config.json
works 'what sentence-transformers needs' ckpt-convert -q st st2/
same st2/1_Pooling/config.json st/1_Pooling/config.json 'is copied too'
works 'the round trip' ckpt-convert -q tf1 r1/ --to safetensors
works 'by TF2' ckpt-convert -q --to tf2 r1 r2/
works 'and back' ckpt-convert -q --to safetensors r2 r3/
same r3/model.safetensors "$H/model.safetensors" 'ends where it began'

# --- ONNX Runtime
compares 'ONNX Runtime agrees' || finish
peer_or_end 'ONNX Runtime agrees' onnx onnxruntime torch transformers
small_data
pairs="$H=small.onnx $H=beside.onnx encoder=encoder.onnx new=new.onnx"
tfrecord-cat -q -o h.text.rec --head 20 train.text.rec
for f in $families; do
	family_config "$f" >$f.json
	works "a model of $f" bert-train -q --init-config ./$f.json --tokenizer vocab.txt \
		--steps 3 --learning-rate 1e-3 -o $f train.rec
	works 'as ONNX' ckpt-convert -q $f $f.onnx
	pairs="$pairs $f=$f.onnx"
done
sed 's/"mpnet"/"bert"/; s/}$/, "hidden_act": "gelu_new"}/' mpnet.json >new.json
bert-train -q --init-config ./new.json --tokenizer vocab.txt --steps 1 -o new train.rec
works 'another activation' ckpt-convert -q new new.onnx
for f in eurobert modernbert; do
	rope='"rope_type": "yarn", "rope_theta": 100, "factor": 4, "original_max_position_embeddings": 2000'
	[ $f = eurobert ] || rope="\"full_attention\": {$rope}, \"sliding_attention\": {\"rope_theta\": 10}"
	sed "s/}\$/, \"initializer_range\": 0.3, \"rope_parameters\": {$rope}}/" $f.json >yarn.json
	bert-train -q --init-config ./yarn.json --tokenizer vocab.txt --steps 1 -o $f.yarn train.rec
	works 'rotations that reach farther' ckpt-convert -q $f.yarn $f.yarn.onnx
	pairs="$pairs $f.yarn=$f.yarn.onnx"
done
# large weights, so that distances tell
for kind in 'p2c|c2p true 8' 'c2p false -1' 'p2c false 7'; do
	# shellcheck disable=SC2086
	set -- $kind
	d=places$3
	sed "s/p2c|c2p/$1/; s/\"share_att_key\": true/\"share_att_key\": $2/
		s/\"position_buckets\": 8/\"position_buckets\": $3/
		s/{/{\"initializer_range\": 0.3, /" deberta-v2.json >$d.json
	bert-train -q --init-config ./$d.json --tokenizer vocab.txt --steps 1 -o $d train.rec
	works "places of $1" ckpt-convert -q $d $d.onnx
	pairs="$pairs $d=$d.onnx"
done
for head in 'mean, dense' 'max, dense' 'first, dense 8 tanh, dense' \
	'flatten 10, dense 16 relu, dense softplus'; do
	case $head in
	flatten*) set -- --pad 10 --attend-pad && attend=all ;;
	*) set -- && attend= ;;
	esac
	bert-tokenize -q -m vocab.txt --max-length 10 -o h.rec "$@" h.text.rec
	bert-tokenize -q -m vocab.txt --max-length 10 --format ids -o h.ids h.text.rec
	rm -rf head
	works "a head: $head" bert-train -q --init-config ./bert.json --tokenizer vocab.txt \
		--head "$head" --steps 2 -o head h.rec
	works 'as ONNX' ckpt-convert -q head head.onnx
	bert-predict -q -m head --dtype f32 --proba -o head.csv h.rec
	works 'predicts the same' "$PEER_PYTHON" "$TEST_TOP/tests/fixtures/onnx-peer.py" \
		ours head.onnx h.ids head.csv $attend
done
# shellcheck disable=SC2086
works 'ONNX Runtime gives what transformers gives' \
	"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/onnx-peer.py" $pairs
# shellcheck disable=SC2086
set -- $pairs
is "$(grep -c 'largest difference' out)" $# 'for all models'
finish
