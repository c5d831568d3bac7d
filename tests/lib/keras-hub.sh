# SPDX-License-Identifier: MIT
# Files of KerasHub, made of ours.
# shellcheck shell=sh

# hub TO [OPTION ...]: a classifier of v.ckpt, which has Model Garden's names, in
# a file of the whole; its backbone's tensors are below $T
T=layers/bert_backbone/layers
hub() { # TO [OPTION ...]
	to=$1
	shift
	ckpt-convert -q --to h5 --names keep --drop save_counter \
		--rename 's,/.ATTRIBUTES/VARIABLE_VALUE,,' \
		--rename "s,^encoder/,$T/," --rename 's,^model/.*/,layers/dense/,' \
		--rename 's,(layer_with_weights-0|_embedding_layer)/embeddings,reversible_embedding/vars/0,' \
		--rename 's,layer_with_weights-1/embeddings,position_embedding/vars/0,' \
		--rename 's,layer_with_weights-2/embeddings,embedding/vars/0,' \
		--rename 's,layer_with_weights-3,layer_normalization,' \
		--rename 's,layer_with_weights-4,transformer_encoder,' \
		--rename 's,layer_with_weights-5,transformer_encoder_1,' \
		--rename 's,layer_with_weights-6,dense,' \
		--rename 's,_attention_layer/_,_self_attention_layer/,' \
		--rename 's,/_attention_layer_norm,/_self_attention_layer_norm,' \
		--rename 's,_intermediate_dense,_feedforward_intermediate_dense,' \
		--rename 's,/_output_(dense|layer_norm),/_feedforward_output_\1,' \
		--rename 's,_feedforward_output_layer_norm,_feedforward_layer_norm,' \
		--rename 's,(kernel|gamma)$,vars/0,' --rename 's,(bias|beta)$,vars/1,' "$@" v.ckpt "$to"
}

# keras_preset DIR: what stands beside the weights of that classifier
keras_preset() {
	mkdir -p "$1/assets/tokenizer"
	cp "$DATA/ckpt-hdf5/vocab.txt" "$1/assets/tokenizer/vocabulary.txt"
	backbone='"vocabulary_size": 9, "num_layers": 2, "num_heads": 2, "hidden_dim": 8, "intermediate_dim": 16,
		"dropout": 0.1, "max_sequence_length": 12, "num_segments": 2'
	policy='"trainable": true, "dtype": {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "float32"}}'
	cat >"$1/config.json" <<-END
		{"module": "keras_hub.src.models.bert.bert_backbone", "class_name": "BertBackbone",
		 "config": {"name": "bert_backbone", $policy, $backbone}, "registered_name": "keras_hub>BertBackbone"}
	END
	cat >"$1/tokenizer.json" <<-END
		{"module": "keras_hub.src.models.bert.bert_tokenizer", "class_name": "BertTokenizer",
		 "config": {"name": "bert_tokenizer", $policy, "vocabulary": null, "sequence_length": null,
		 "lowercase": true, "strip_accents": false, "split": true, "suffix_indicator": "##",
		 "oov_token": "[UNK]", "special_tokens": null, "special_tokens_in_strings": false}}
	END
	cat >"$1/task.json" <<-END
		{"module": "keras_hub.src.models.bert.bert_text_classifier", "class_name": "BertTextClassifier",
		 "config": {"backbone": {"class_name": "BertBackbone", "config": {$backbone}}, "preprocessor": null,
		 "name": "bert_text_classifier", "num_classes": 2, "activation": "linear", "dropout": 0.2}}
	END
}
