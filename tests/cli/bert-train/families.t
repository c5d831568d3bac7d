#!/bin/sh
# SPDX-License-Identifier: MIT
# The model families: each trains from its configuration, is saved under the
# names of its Hugging Face class, goes on, predicts and embeds; what a family
# cannot be is refused.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/families.sh"
small_data

class_of() { # FAMILY
	case $1 in
	albert) echo Albert ;;
	bert) echo Bert ;;
	camembert) echo Camembert ;;
	deberta-v2) echo DebertaV2 ;;
	distilbert) echo DistilBert ;;
	electra) echo Electra ;;
	eurobert) echo EuroBert ;;
	gte) echo Gte ;;
	modernbert) echo ModernBert ;;
	mpnet) echo MPNet ;;
	neobert) echo NeoBERT ;;
	nomic_bert) echo NomicBert ;;
	roberta) echo Roberta ;;
	xlm-roberta) echo XLMRoberta ;;
	esac
}
# the head's parameters of a fresh model, as bert-train lists them
head_of() {
	case $1 in
	albert) echo 'albert.pooler.weight, albert.pooler.bias, classifier.weight, classifier.bias' ;;
	bert) echo 'bert.pooler.dense.weight, bert.pooler.dense.bias, classifier.weight, classifier.bias' ;;
	distilbert) echo 'pre_classifier.weight, pre_classifier.bias, classifier.weight, classifier.bias' ;;
	deberta-v2) echo 'pooler.dense.weight, pooler.dense.bias, classifier.weight, classifier.bias' ;;
	eurobert | neobert) echo 'dense.weight, dense.bias, classifier.weight, classifier.bias' ;;
	gte | nomic_bert)
		echo "$1.pooler.dense.weight, $1.pooler.dense.bias, classifier.weight, classifier.bias" ;;
	modernbert) echo 'head.dense.weight, head.norm.weight, classifier.weight, classifier.bias' ;;
	*) echo 'classifier.dense.weight, classifier.dense.bias, classifier.out_proj.weight, classifier.out_proj.bias' ;;
	esac
}

epochs=16 least=.8
[ -z "${TEST_KIND-}" ] || epochs=1 least=0 # the plain build shows that they learn
for f in $families; do
	family_config $f >$f.json
	works "$f trains" bert-train --init-config $f.json --tokenizer vocab.txt --dropout .05 \
		--seed 6 --epochs $epochs --learning-rate 4e-3 --batch-size 16 \
		-o $f train.rec
	exits 0 "... and learns" bert-eval -q -m $f --min accuracy=$least train.rec
	like "$(tr -d ' \n' <$f/config.json)" \
		"{\"model_type\":\"$f\",*\"architectures\":\[\"$(class_of $f)ForSequenceClassification\"\]*" \
		'... says what it is'
	works '... goes on' bert-train -m $f -o $f.2 --steps 2 train.rec
	is "$(grep -c 'newly initialized\|unused' err)" 0 '... with all it was'
	bert-predict -q -m $f --embed mean --dtype f32 dev.rec >whole.csv
	mkdir $f.bare
	cp $f/*.txt $f/*.json $f.bare
	"$TEST_TOP/tests/lib/encoder" $f/model.safetensors >$f.bare/model.safetensors
	works '... the encoder alone embeds' \
		bert-predict -q -m $f.bare --embed mean --dtype f32 dev.rec
	same out whole.csv '... the same'
	works '... and trains' bert-train -m $f.bare -o $f.3 --steps 1 train.rec
	like "$(cat err)" "*newly initialized: $(head_of $f)*" '... with a new head'
	works '... and computes again' bert-train -q -m $f -j 1 -o $f.4 --steps 2 \
		--checkpoint-activations train.rec
	same $f.4/model.safetensors $f.2/model.safetensors '... the same bits'
	works '... predicts in int8' bert-predict -q -m $f --dtype int8 dev.rec
	# the weights are beside it: what is left is the same from every compiler
	ckpt-convert -q --external-data $f $f.onnx
	is "$f $(cksum <$f.onnx | cut -d ' ' -f 1)" \
		"$(grep "^$f " "$TEST_TOP/tests/data/onnx-graphs")" '... is known to ONNX'
	rm -rf $f.?
done

# A resumed run, one part of which computes activations again.
for f in deberta-v2 modernbert; do
	bert-train -q -m $f -o $f.5 --steps 3 --save-steps 1 --keep 2 --checkpoint-activations train.rec
	works "$f is resumed" bert-train -q -m $f -o $f.6 --steps 3 --save-steps 1 \
		--resume-from $f.5/checkpoint-1.safetensors train.rec
	same $f.5/model.safetensors $f.6/model.safetensors '... and ends in the same bits'
	rm -rf $f.5 $f.6
done
sed 's/"max_position_embeddings": 64/"max_position_embeddings": 8192/' modernbert.json >long.json
bert-train --init-config long.json --tokenizer vocab.txt --dry-run -j 1 -o no train.rec >need
awk '$1 == "scratch" { exit $2 > 2 }' need
result $? 'memory is for the texts that there are, not for those that there could be'

# The names that transformers has for one activation.
for act in gelu_new gelu_accurate gelu_python_tanh; do
	sed "s/}/, \"hidden_act\": \"$act\"}/" bert.json >act.json
	bert-train -q --init-config act.json --tokenizer vocab.txt --seed 6 --steps 2 -o $act train.rec
	same $act/model.safetensors gelu_new/model.safetensors "$act is known"
done

# The configuration that Nomic's own code reads.
cat >nomic.json <<'END'
{"model_type": "nomic_bert", "activation_function": "swiglu", "n_embd": 32, "n_layer": 2, "n_head": 2,
 "n_inner": 48, "n_positions": 64, "layer_norm_epsilon": 1e-12, "rotary_emb_base": 1000, "vocab_size": 2000,
 "rotary_emb_fraction": 1.0, "rotary_scaling_factor": null, "prenorm": false, "qkv_proj_bias": false,
 "resid_pdrop": 0, "attn_pdrop": 0, "type_vocab_size": 2, "initializer_range": 0.1, "auto_map": {}}
END
bert-train -q --init-config nomic.json --tokenizer vocab.txt --seed 6 --steps 2 -o n1 train.rec
bert-train -q --init-config nomic_bert.json --tokenizer vocab.txt --seed 6 --steps 2 -o n2 train.rec
same n1/model.safetensors n2/model.safetensors "Nomic's own configuration means the same"
is "$(grep -c 'n_embd\|auto_map\|rotary_emb_base' n1/config.json)" 0 'and becomes that of transformers'
for part in 'qkv_proj_bias": false,qkv_proj_bias": true' 'fraction": 1.0,fraction": 0.5' 'swiglu,gelu'; do
	sed "s/${part%,*}/${part#*,}/" nomic.json >bad.json
	refuses "*bad.json': *is not supported*" "refuses $part" \
		bert-train --init-config bad.json --tokenizer vocab.txt -o bad train.rec
done

# The configuration that GTE's own code reads, and rotations that reach farther.
cat >new.json <<'END'
{"model_type": "new", "architectures": ["NewModel"], "vocab_size": 2000, "hidden_size": 32, "num_hidden_layers": 2,
 "num_attention_heads": 2, "intermediate_size": 48, "max_position_embeddings": 64, "initializer_range": 0.1,
 "type_vocab_size": 1, "pad_token_id": 0, "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "layer_norm_eps": 1e-12,
 "layer_norm_type": "layer_norm", "pack_qkv": true, "position_embedding_type": "rope", "rope_theta": 1000,
 "rope_scaling": {"type": "ntk", "factor": 2.0, "mixed_b": null}, "logn_attention_scale": false, "auto_map": {}}
END
rope='"rope_type": "linear", "rope_theta": 2000, "factor": 1.0905077326652577' # 2^(2/16)
sed "s/}/, \"rope_parameters\": {$rope}}/" gte.json >ntk.json
bert-train -q --init-config new.json --tokenizer vocab.txt --seed 6 --steps 2 -o g1 train.rec
bert-train -q --init-config ntk.json --tokenizer vocab.txt --seed 6 --steps 2 -o g2 train.rec
same g1/model.safetensors g2/model.safetensors "GTE's own configuration means the same"
is "$(grep -c '"new"\|auto_map\|rope_scaling\|position_embedding_type' g1/config.json)" 0 \
	'and becomes that of transformers'
sed 's/"new"/"gte"/' new.json >copy.json
bert-train -q --init-config copy.json --tokenizer vocab.txt --seed 6 --steps 2 -o g4 train.rec
same g1/model.safetensors g4/model.safetensors '... as does that of copies of its code, of the type gte'
bert-train -q --init-config gte.json --tokenizer vocab.txt --seed 6 --steps 2 -o g3 train.rec
exits 1 'a rotation that reaches farther' ckpt-inspect --diff g1 g3
bert-predict -q -m g1 --dtype f32 dev.rec >whole.csv
cp g1/*.txt g1/*.json g2
ckpt-convert -q --rename 's/^gte\./new./' --force g1/model.safetensors g2/model.safetensors
works 'names that begin with new.' bert-predict -q -m g2 --dtype f32 dev.rec
same out whole.csv '... are known'
for part in 's/: 2\.0/: 0/' 's/null}/0.5}/' 's/scale": false/scale": true/' 's/layer_norm"/rms_norm"/' \
	's/qkv": true/qkv": false/' 's/"rope"/"absolute"/'; do
	sed "$part" new.json >bad.json
	refuses "*bad.json': *is not supported*" "refuses $part" \
		bert-train --init-config bad.json --tokenizer vocab.txt -o bad train.rec
done

# The configuration that NeoBERT's own code reads.
cat >own.json <<'END'
{"model_type": "neobert", "architectures": ["NeoBERTLMHead"], "vocab_size": 2000, "hidden_size": 32, "dim_head": 16,
 "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48, "max_length": 48, "norm_eps": 1e-06,
 "classifier_init_range": 0.1, "decoder_init_range": 0.02, "embedding_init_range": 0.02, "pad_token_id": 0,
 "kwargs": {"trust_remote_code": true}, "auto_map": {"AutoConfig": "model.NeoBERTConfig"}, "trust_remote_code": true}
END
bert-train -q --force --init-config own.json --tokenizer vocab.txt --seed 6 --steps 2 -o n1 train.rec
bert-train -q --force --init-config neobert.json --tokenizer vocab.txt --seed 6 --steps 2 -o n2 train.rec
same n1/model.safetensors n2/model.safetensors "NeoBERT's own configuration means the same"
like "$(tr -d ' \n' <n1/config.json)" '*"max_length":48*"AutoConfig":"model.NeoBERTConfig"*' 'and stays its own'
yes car | head -n 60 | tr '\n' ' ' >long
is "$(bert-tokenize -q -m n1 --lines --format ids long 2>err | wc -w | tr -d ' ')" 48 'max_length limits texts'
sed 's/true}$/true, "max_position_embeddings": 64}/' own.json >n1/config.json
is "$(bert-tokenize -q -m n1 --lines --format ids long 2>err | wc -w | tr -d ' ')" 48 '... alone'

# What the configurations of Ettin, mmBERT and granite-embedding-r2 say beside.
{
	sed "s/}\$/,/" modernbert.json
	cat <<'END'
"position_embedding_type": "sans_pos", "layer_norm_eps": 1e-05, "norm_eps": 1e-05,
"global_rope_theta": 160000, "local_rope_theta": 160000, "global_attn_every_n_layers": 3, "classifier_pooling": "cls",
"bos_token_id": 2, "cls_token_id": 1, "eos_token_id": 1, "sep_token_id": 1, "mask_token_id": 4, "causal_mask": false,
"deterministic_flash_attn": false, "reference_compile": null, "repad_logits_with_grad": false,
"sparse_pred_ignore_index": -100, "sparse_prediction": false, "tie_word_embeddings": true, "decoder_bias": true}
END
} >ettin.json
sed 's/}/, "rope_parameters": {"sliding_attention": {"rope_type": "default", "rope_theta": 160000}}}/' \
	modernbert.json >plain.json
bert-train -q --init-config ettin.json --tokenizer vocab.txt --seed 6 --steps 2 -o e1 train.rec
bert-train -q --init-config plain.json --tokenizer vocab.txt --seed 6 --steps 2 -o e2 train.rec
same e1/model.safetensors e2/model.safetensors 'configurations of ModernBERTs mean the same'
# what rope_scaling says takes the place of a rotation's own; and where the length of texts
# before they became longer stands does not matter
rope='{"rope_type": "linear", "factor": 3.0}'
scaling='"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}'
sed "s/}/, $scaling, \"rope_parameters\": {\"full_attention\": $rope, \"sliding_attention\": $rope}}/" \
	modernbert.json >both.json
bert-train -q --init-config both.json --tokenizer vocab.txt --seed 6 --steps 2 -o e5 train.rec
rope='"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings"'
sed "s/}/, \"rope_parameters\": {$rope: 16}}/" gte.json >inside.json
sed "s/}/, \"original_max_position_embeddings\": 16, \"rope_parameters\": {$rope: 32}}/" gte.json >beside.json
for i in inside beside; do
	bert-train -q --init-config $i.json --tokenizer vocab.txt --seed 6 --steps 2 -o e.$i train.rec
done
same e.inside/model.safetensors e.beside/model.safetensors 'the original length may stand beside the rotation'
sed 's/}/, "sliding_window": 4}/; s/"local_attention": 8/"local_attention": 2/' modernbert.json >half.json
bert-train -q --init-config half.json --tokenizer vocab.txt --seed 6 --steps 2 -o e3 train.rec
bert-train -q --init-config modernbert.json --tokenizer vocab.txt --seed 6 --steps 2 -o e4 train.rec
for type in type rope_type; do
	rope="\"full_attention\": {\"rope_type\": \"default\"}"
	scaling="\"$type\": \"yarn\", \"factor\": 4, \"original_max_position_embeddings\": 16"
	sed "s/}/, \"rope_parameters\": {$rope}, \"rope_scaling\": {$scaling}}/" modernbert.json >$type.json
	bert-train -q --init-config $type.json --tokenizer vocab.txt --seed 6 --steps 2 -o e.$type train.rec
done
same e.type/model.safetensors e.rope_type/model.safetensors '... also with the older name of its type'
exits 1 '... and reaches farther' ckpt-inspect --diff e.type e4
same e5/model.safetensors e4/model.safetensors 'rope_scaling takes the place of a rotation of its own'
same e3/model.safetensors e4/model.safetensors 'sliding_window is half of what local_attention would be'

# Other labels: rows of the layer that has one for each class are new, the rest is not.
sed 's/,parking$/,elsewhere/' train.csv >other.csv
csv2tfrecord -q -t text -l intent other.csv | bert-tokenize -q -m vocab.txt -o other.rec
works 'other labels' bert-train -m roberta -o r --steps 1 --learning-rate 0 other.rec
like "$(cat err)" "*'roberta': 3 of 4 classes are the model's, newly initialized: 'elsewhere'*" 'get new rows'
exits 1 '... of classes' ckpt-inspect --diff roberta r
like "$(cat out)" '*classifier.out_proj.weight*' '... that differs'
case $(cat out) in *classifier.dense*) false ;; esac
result $? '... alone'

# Layers that share parameters, in two groups.
sed 's/}/, "num_hidden_layers": 5, "num_hidden_groups": 2}/; s/"num_hidden_layers": 2, //' \
	albert.json >groups.json
works 'ALBERT in groups' bert-train -q --init-config groups.json --tokenizer vocab.txt \
	--steps 3 -o g train.rec
is "$(ckpt-inspect g | grep -c 'albert_layer_groups.[01].albert_layers.0.ffn.weight')" 2 \
	'has the layers of each'

# Segments and lengths.
printf 'a,b,y\nred,car,0\ngreen,card,1\n' >pairs.csv
csv2tfrecord -q -t a --pair b -l y pairs.csv | bert-tokenize -q -m vocab.txt -o pairs.rec
works 'DistilBERT does not look at segments' bert-train -q --init-config distilbert.json \
	--tokenizer vocab.txt --steps 1 -o p pairs.rec
refuses '*segment id 1*' 'RoBERTa has one' bert-train --init-config roberta.json \
	--tokenizer vocab.txt --steps 1 -o q pairs.rec
yes car | head -n 100 | tr '\n' ' ' >long
bert-tokenize -q -m vocab.txt --lines --max-length 64 -o 64.rec long
bert-tokenize -q -m vocab.txt --lines --max-length 63 -o 63.rec long
works 'BERT takes as many tokens as positions' bert-predict -q -m bert 64.rec
refuses '*64 tokens, but the model takes at most 63*' 'RoBERTa fewer' bert-predict -q -m roberta 64.rec
works '... by one' bert-predict -q -m roberta 63.rec
bert-tokenize -q -m roberta --lines --format ids long 2>err | wc -w >n
is "$(tr -d ' ' <n)" 63 '... which bert-tokenize knows'

# A model with byte-level BPE keeps it.
mkdir bpe
cp "$DATA/bpe/roberta/vocab.json" "$DATA/bpe/roberta/merges.txt" bpe
sed 's/"pad_token_id": 0/"pad_token_id": 1/' roberta.json >bpe/config.json
csv2tfrecord -q -i id -t text -l intent dev.csv | bert-tokenize -q -m bpe -o bpe.rec
works 'RoBERTa with its own tokenizer' \
	bert-train -q --init-config bpe/config.json --steps 3 -o rbpe bpe.rec
csv2tfrecord -q -i id -t text dev.csv | bert-tokenize -q -m rbpe -o bpe2.rec
works '... which is written with it' bert-predict -q -m rbpe bpe2.rec

says() { # FAMILY KEYS GLOB
	sed "s/}\$/, $2}/" $1.json >bad.json
	refuses "*bad.json': $3*" "refuses $1 with $2" \
		bert-train --init-config bad.json --tokenizer vocab.txt -o bad train.rec
}
says bert '"model_type": "gpt2"' "model_type 'gpt2' is not supported (these are: albert, bert, *"
says bert '"position_embedding_type": "relative_key"' "position_embedding_type 'relative_key'"
says bert '"position_embedding_type": "sans_pos"' "position_embedding_type 'sans_pos'"
says electra '"is_decoder": true' 'is_decoder true'
says bert '"is_causal": true' 'is_causal true'
says bert '"pad_token_id": 2000' "'pad_token_id'"
says roberta '"pad_token_id": null' 'pad_token_id null'
says roberta '"pad_token_id": 63' 'max_position_embeddings 64 leaves no position'
says camembert '"hidden_act": "mish"' "hidden_act 'mish'"
says distilbert '"activation": "mish"' "activation 'mish'"
says distilbert '"sinusoidal_pos_embds": true' 'sinusoidal_pos_embds true'
says distilbert '"n_heads": 5' 'hidden_size 32 is not a multiple'
says mpnet '"relative_attention_num_buckets": 64' 'relative_attention_num_buckets 64'
says albert '"inner_group_num": 2' 'inner_group_num 2'
says albert '"num_hidden_groups": 3' 'num_hidden_groups 3 is more than'
says electra '"embedding_size": 0' "'embedding_size'"
says deberta-v2 '"conv_kernel_size": 3' 'conv_kernel_size 3'
says deberta-v2 '"pos_att_type": "p2c|p2p"' "pos_att_type 'p2p'"
says deberta-v2 '"pos_att_type": 3' "'pos_att_type' is neither"
says deberta-v2 '"pos_att_type": ["c2p", 3]' "pos_att_type ''"
says deberta-v2 '"pos_att_type": []' 'relative_attention true without'
says deberta-v2 '"relative_attention": false' 'relative_attention false with a'
says deberta-v2 '"norm_rel_ebd": "batch_norm"' "norm_rel_ebd 'batch_norm'"
says deberta-v2 '"embedding_size": 16' 'embedding_size 16'
says deberta-v2 '"attention_head_size": 64' 'attention_head_size 64'
says deberta-v2 '"position_buckets": 200' 'position_buckets 200 do not go'
says gte '"rope_scaling": {"type": "ntk", "factor": 8}' "rope_type 'ntk' is not supported (only 'default', 'linear', *"
says gte '"rope_parameters": {"rope_type": "linear"}' "rope_type 'linear' without a 'factor'"
says gte '"rope_parameters": {"rope_type": "linear", "factor": 0}' "'factor'"
says gte '"rope_parameters": {"rope_type": "linear", "factor": 2, "partial_rotary_factor": 0.5}' 'partial_rotary_factor 0.5'
says gte '"rope_scaling": 3' "'rope_scaling' is not"
says gte '"rope_parameters": 3' "'rope_parameters' is not"
says gte '"rope_parameters": {"full_attention": {"rope_type": "default"}}' "an object 'full_attention' in what"
says gte '"position_embedding_type": "rope", "logn_attention_scale": true' "model_type 'gte' with logn_attention_scale"
says gte '"num_attention_heads": 32' 'heads of 1 columns'
says nomic_bert '"head_dim": 8' 'head_dim 8'
says eurobert '"attention_bias": true' 'attention_bias true'
says eurobert '"mlp_bias": true' 'mlp_bias true'
says eurobert '"classifier_pooling": "max"' "classifier_pooling 'max'"
says eurobert '"num_key_value_heads": 3' "'num_key_value_heads'"
says eurobert '"hidden_size": 48, "num_attention_heads": 3, "num_key_value_heads": 2' 'num_attention_heads 3 is not'
says eurobert '"pad_token_id": null, "num_attention_heads": 32' 'heads of 1 columns'
says eurobert '"head_dim": 8' 'head_dim 8'
says neobert '"hidden_act": "gelu"' "hidden_act 'gelu'"
says neobert '"rms_norm": false' 'rms_norm false'
says neobert '"rope": false' 'rope false'
says neobert '"ngpt": true' 'ngpt true'
says neobert '"dim_head": 8' 'dim_head 8'
says neobert '"rope_theta": 500' 'rope_theta 500 is'
says neobert '"rope_scaling": {"type": "yarn", "factor": 4}' 'rope_scaling is'
says neobert '"max_length": 0' "'max_length'"
says neobert '"num_attention_heads": 32' 'heads of 1 columns'
says modernbert '"norm_bias": true' 'norm_bias true'
says modernbert '"classifier_pooling": "max"' "classifier_pooling 'max'"
says modernbert '"pad_token_id": 2000' "'pad_token_id'"
says modernbert '"pad_token_id": null, "num_attention_heads": 32' 'heads of 1 columns'
says modernbert '"local_attention": -1' "'local_attention'"
says modernbert '"rope_scaling": {"rope_type": "longrope"}' "rope_type 'longrope'"
says modernbert '"rope_scaling": "linear"' "'rope_scaling' is not an object"
says modernbert '"rope_parameters": {"full_attention": {"rope_type": "yarn", "rope_theta": 1}}' "rope_type 'yarn' with"
says modernbert '"rope_parameters": {"full_attention": 3}' "'rope_parameters' is not"
says modernbert '"rope_parameters": {"rope_type": "yarn", "factor": 4}' "'rope_parameters' has 'rope_type', not only"
says modernbert '"rope_scaling": {"full_attention": {"rope_type": "yarn", "factor": 4}}' "an object 'full_attention' in what"
says modernbert '"layer_types": ["full_attention"]' "'layer_types' is not a list of 4"
says modernbert '"layer_types": ["full_attention", "full_attention", "sliding_attention", "full_attention"]' \
	'layer_types that are not'
says xlm-roberta '"classifier_dropout": 1' "'classifier_dropout'"
[ ! -e bad ]
result $? 'nothing is written'
finish
