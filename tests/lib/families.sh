# SPDX-License-Identifier: MIT
# The model families, and a small configuration of each for --init-config. The
# first weights are larger than usual: from those of 0.02 a model of so few columns
# learns with some seeds and not with others.
# shellcheck shell=sh
families='albert bert camembert deberta-v2 distilbert electra eurobert gte modernbert mpnet neobert nomic_bert roberta xlm-roberta'
# those of which transformers has classes that answer questions, and choose an answer
answering='albert bert camembert deberta-v2 distilbert electra modernbert mpnet roberta xlm-roberta'

family_config() { # FAMILY
	set -- "$1" '"vocab_size": 2000, "max_position_embeddings": 64, "initializer_range": 0.1'
	case $1 in
	distilbert)
		set -- "$@" '"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 48' ;;
	*)
		set -- "$@" '"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48' ;;
	esac
	case $1 in
	albert | electra) set -- "$@" ', "embedding_size": 16' ;;
	camembert | gte | roberta | xlm-roberta)
		# the vocabulary's padding has the id 0
		set -- "$@" ', "type_vocab_size": 1, "pad_token_id": 0' ;;
	eurobert) set -- "$@" ', "num_key_value_heads": 1, "pad_token_id": 0' ;;
	# the dev texts are longer than a window
	modernbert) set -- "$@" ', "num_hidden_layers": 4, "local_attention": 8, "pad_token_id": 0' ;;
	deberta-v2)
		set -- "$@" ', "relative_attention": true, "pos_att_type": "p2c|c2p", "share_att_key": true,
			"position_buckets": 8, "norm_rel_ebd": "layer_norm", "position_biased_input": false' ;;
	*) set -- "$@" '' ;;
	esac
	echo "{\"model_type\": \"$1\", $2, $3$4}"
}
