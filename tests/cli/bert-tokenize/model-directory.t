#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-tokenize: what model directories may hold.
# Not under thread: the threads are those of cli/bert-tokenize/records
. "$TEST_TOP/tests/lib/lib.sh"
T=$DATA/tok

# ids MODEL TEXT [OPTION ...]: the text's ids
ids() {
	model=$1 text=$2
	shift 2
	printf '%s' "$text" |
		bert-tokenize -qm "$model" --lines --format ids "$@" 2>&1
}

# dir NAME FILE...: a fresh model directory with copies of the files
dir() {
	rm -rf "$1"
	mkdir "$1"
	name=$1
	shift
	cp "$@" "$name"
}

# a vocabulary that is not the model's
size=$(wc -l <"$T/uncased/vocab.txt" | tr -d ' ')
dir m "$T/uncased/vocab.txt"
for rows in $size $((size * 10 / 9)) 30522; do
	printf '{"model_type": "bert", "vocab_size": %d}' "$rows" >m/config.json
	works "a model of $rows tokens" bert-tokenize -m m --lines --format ids /dev/null
	if [ "$rows" != 30522 ]; then
		is "$(grep -c warning err)" 0 '... and a vocabulary that fits'
	else
		like "$(sed -n 1p err)" \
			"bert-tokenize: warning: the vocabulary has $size tokens, 9? % fewer than the model's 30522: is it the one that the model was trained with[?]" \
			'... and a vocabulary of another'
	fi
done
is "$(ids m a)" '2 61 3' '-q silences that'
rm -rf m

# refused GLOB NAME MODEL [OPTION ...]
refused() {
	glob=$1 name=$2 model=$3
	shift 3
	refuses "$glob" "$name" \
		bert-tokenize -m "$model" --lines --format ids "$@" /dev/null
}

# Google's layout: a vocabulary and bert_config.json
dir g "$T/uncased/vocab.txt"
echo '{"max_position_embeddings": 6, "vocab_size": 365}' >g/bert_config.json
is "$(ids g 'Hello a b c d e')" '2 332 61 62 63 3' 'the positions limit length'
is "$(ids g 'Hello')" '2 332 3' 'no capitals in the vocabulary: lower case'
works '-v' bert-tokenize -vm g --lines --format ids /dev/null
like "$(cat err)" "*'g': 365 tokens; text is made lower case, since its*" \
	'... says so'
dir g2 "$T/cased/vocab.txt"
is "$(ids g2 'Hello É')" "$(ids "$T/cased" 'Hello É')" \
	'capitals in the vocabulary: left in case'
is "$(ids g2 'Hello É' --lower-case yes)" "$(ids g2 'hello e' --lower-case no)" \
	'--lower-case decides for a vocabulary that does not say'
echo '{"tokenizer_class": "DistilBertTokenizer"}' >g2/tokenizer_config.json
is "$(ids g2 'Hello É')" "$(ids g2 'hello e' --lower-case no)" \
	'a class that is named makes lower case unless it says otherwise'
is "$(ids g2 'Hello É' --lower-case no)" "$(ids "$T/cased" 'Hello É')" '... or --lower-case does'
printf '[PAD]\n[UNK]\n[CLS]\n[SEP]\n<S>\n<T>\n[unused1]\na\n' >v.txt
is "$(ids v.txt A)" '2 7 3' 'names in brackets are no capitals'
misuses "*the maximum length is 7 tokens, but the model 'g' takes at most 6*" 'more tokens than positions' \
	bert-tokenize -m g --max-length 7 --lines /dev/null
exits 2 'more padding than positions' \
	bert-tokenize -m g --pad 7 --max-length 6 --lines /dev/null
is "$(ids g 'a b c d e f' --max-length 5)" '2 61 62 63 3' 'fewer can be had'

echo '{"vocab_size": 364}' >g/bert_config.json
refused '*the vocabulary has 365 tokens and the model only 364*' \
	'a vocabulary larger than the model' g
echo '{"vocab_size": 368}' >g/bert_config.json
works 'a smaller one is usual' bert-tokenize -vm g --lines --format ids /dev/null
like "$(cat err)" '*the model has room for 368 tokens, the vocabulary has 365*' \
	'... said with -v'
echo '{"vocab_size": "368"}' >g/bert_config.json
refused "*'g/bert_config.json': 'vocab_size' is not a whole number*" \
	'nonsense in the configuration' g
echo '{"vocab_size": 400, "max_position_embeddings": 4}' >g/config.json
is "$(ids g 'a b c')" '2 61 62 3' 'config.json goes before bert_config.json'

# tokenizer_config.json
dir h "$T/uncased/vocab.txt"
conf() { echo "{$1}" >h/tokenizer_config.json; }
conf '"model_max_length": 1000000000000000019884624838656, "do_lower_case": true'
is "$(ids h 'Hello')" '2 332 3' 'no limit is written as a number beyond all'
conf '"model_max_length": 4, "do_lower_case": true'
is "$(ids h 'a b c')" '2 61 62 3' 'model_max_length limits'
is "$(ids h 'a b c' --max-length 5)" '2 61 62 63 3' '... unless --max-length is given'
conf '"do_lower_case": false'
is "$(ids h 'Hello hello')" '2 1 332 3' 'do_lower_case false'
misuses "*'h' says that text is not made lower case, which cannot be changed" \
	'--lower-case against the files' \
	bert-tokenize -m h --lines --lower-case yes /dev/null
conf '"do_lower_case": true, "strip_accents": false'
is "$(ids h 'HÉ')" "$(ids h 'hé')" 'strip_accents false keeps accents'
like "$(ids h 'he')" '2 68 * 3' '... and lower case works'
conf '"tokenize_chinese_chars": false'
is "$(ids h '中文')" '2 195 296 3' 'tokenize_chinese_chars false'
conf '"truncation_side": "left"'
is "$(ids h 'a b c' --max-length 4)" '2 62 63 3' 'truncation_side left'
conf '"truncation_side": "middle"'
refused "*'h/tokenizer_config.json': truncation_side 'middle' is not*" \
	'... middle' h
conf '"tokenizer_class": "XLNetTokenizer"'
refused "*tokenizer_class 'XLNetTokenizer' is not supported*" \
	'a class of another kind' h
conf '"tokenizer_class": "DistilBertTokenizerFast"'
is "$(ids h 'Hello')" '2 332 3' 'a class that is the same'
conf '"dialect": "google"'
is "$(ids h '[MASK]')" "$(ids h '[MASK]' --dialect google)" \
	'the dialect can stand in the directory'
is "$(ids h '[MASK]' --dialect hf)" '2 4 3' '... and be overruled'
conf '"dialect": "x"'
refused "*dialect 'x' is unknown*" '... if it is known' h
conf '"cls_token": {"content": "the", "lstrip": true}, "sep_token": "book"'
is "$(ids h 'a the b')" '323 61 323 62 339' 'special tokens as objects'
conf '"cls_token": "<s>"'
refused "*the vocabulary of 'h' lacks the token '<s>'" \
	'a special token that is not there' h
conf '"cls_token": 7'
refused "*'cls_token': a token is neither a string nor an object*" \
	'... that is none' h
conf '"do_lower_case": "yes"'
refused "*'do_lower_case' is neither true nor false*" 'a wrong type' h
echo '{' >h/tokenizer_config.json
refused "*'h/tokenizer_config.json' is not valid JSON*" 'no JSON' h
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 123\n' >h/tokenizer_config.json
refused "*'h/tokenizer_config.json' only says where Git LFS keeps the file: git lfs pull fetches it" \
	'a pointer of Git LFS' h
mkdir pointer
cp h/tokenizer_config.json pointer/vocab.txt
refused "*'pointer/vocab.txt' only says where Git LFS keeps the file: git lfs pull fetches it" '... as a vocabulary' pointer
echo '<!DOCTYPE html>' >h/tokenizer_config.json
refused "*'h/tokenizer_config.json' is not valid JSON: it begins as a page of HTML*" 'a page' h

# tokens beyond the vocabulary
conf '"added_tokens_decoder": {"366": {"content": "[B]"}, "365": {"content": "[A]", "normalized": true}}'
is "$(ids h '[A] [a] [B] [b]')" '2 365 365 366 27 62 29 3' 'added_tokens_decoder'
conf '"added_tokens_decoder": {"366": {"content": "[B]"}}'
refused "*the added token '?B?' has the id 366, expected 365*" \
	'... with a gap' h
conf '"additional_special_tokens": ["[E]", "hello"]'
is "$(ids h '[E] helloa')" '2 365 332 61 3' 'additional_special_tokens'
conf ''
echo '{"[N]": 365, "new": 333}' >h/added_tokens.json
refused "*'h/added_tokens.json': the added token 'new' has the id 333,*" \
	'added_tokens.json with a wrong id' h
echo '{"[N]": 365}' >h/added_tokens.json
is "$(ids h '[n]')" '2 365 3' 'added_tokens.json'
conf '"additional_special_tokens": ["[N]"]'
is "$(ids h '[N] [n]')" '2 365 27 74 29 3' '... of a token that is special'
conf '"added_tokens_decoder": {"4": {"content": "[MASK]"}}'
is "$(ids h '[N]')" '2 27 74 29 3' \
	'... beside added_tokens_decoder, which has them all'
conf ''
rm h/added_tokens.json
echo '{"mask_token": "book"}' >h/special_tokens_map.json
is "$(ids h 'abooka [MASK]')" '2 61 339 61 27 73 97 115 107 29 3' \
	'special_tokens_map.json names the mask'
conf '"mask_token": "hello"'
is "$(ids h 'abooka [MASK]')" '2 61 339 61 27 73 97 115 107 29 3' \
	'... whatever tokenizer_config.json says'
conf '"added_tokens_decoder": {"4": {"content": "[MASK]"}}'
is "$(ids h 'abooka [MASK]')" "$(ids "$T/uncased" 'abooka [MASK]')" \
	'... but for a later one'
conf ''

# tokenizer.json
dir j "$T/uncased/vocab.txt"
cp "$T/added.json" j/tokenizer.json
is "$(ids j '[E1] a')" '2 366 61 3' 'tokenizer.json goes before vocab.txt'
cp "$T/cased.json" j/tokenizer.json
is "$(ids j 'Hello É')" "$(ids "$T/cased" 'Hello É')" '... in all'
echo '{"do_lower_case": true}' >j/tokenizer_config.json
is "$(ids j 'Hello')" "$(ids "$T/cased" 'hello')" \
	'what tokenizer_config.json says goes before it'
echo '{"do_lower_case": true, "tokenizer_class": "PreTrainedTokenizerFast"}' \
	>j/tokenizer_config.json
is "$(ids j 'Hello')" "$(ids "$T/cased" 'Hello')" \
	'... unless the class takes the file as it is'
echo '{"do_lower_case": true, "tokenizer_class": "MPNetTokenizer"}' >j/tokenizer_config.json
is "$(ids j 'Hello')" "$(ids "$T/cased" 'hello')" '... which that of MPNet does not'
sed 's/"BertPreTokenizer"/"Nosuch"/' "$T/cased.json" >j/tokenizer.json
refused "*'j/tokenizer.json': pre_tokenizer of type Nosuch is not supported*" \
	'another pre-tokenizer' j

# classes of SentencePiece's tokenizers, whose flags go before the file, too
mkdir s
cat >s/tokenizer.json <<'END'
{"normalizer": {"type": "Sequence", "normalizers": [{"type": "Lowercase"}]},
 "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
  {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}]},
 "added_tokens": [{"id": 0, "content": "<pad>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
  {"id": 1, "content": "<unk>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
  {"id": 2, "content": "[CLS]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
  {"id": 3, "content": "[SEP]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
 "model": {"type": "Unigram", "unk_id": 1, "vocab": [["<pad>", 0], ["<unk>", 0], ["[CLS]", 0], ["[SEP]", 0],
  ["▁", -2], ["a", -3], ["A", -3]]}}
END
flags() { echo "{\"tokenizer_class\": \"$1\", \"pad_token\": \"<pad>\"${2-}}" >s/tokenizer_config.json; }
flags AlbertTokenizer
is "$(ids s Aa --no-special)" '4 5 5' "ALBERT's as the file has it"
flags AlbertTokenizer ', "do_lower_case": false'
is "$(ids s Aa --no-special)" '4 6 5' '... do_lower_case false'
flags AlbertTokenizerFast ', "add_prefix_space": false'
is "$(ids s Aa --no-special)" '5 5' '... add_prefix_space false'
flags XLMRobertaTokenizer ', "add_prefix_space": false, "do_lower_case": false'
is "$(ids s Aa --no-special)" '5 5' "of which XLM-R's has the second"
flags PreTrainedTokenizerFast ', "add_prefix_space": false, "do_lower_case": false'
is "$(ids s Aa --no-special)" '4 5 5' '... and others neither'
sed -i.old 's/{"type": "Lowercase"}/{"type": "NFKC"}/; s/"always"/"never"/' s/tokenizer.json
flags AlbertTokenizer ', "do_lower_case": true, "add_prefix_space": true'
is "$(ids s Aa --no-special)" '4 5 5' 'both true'

# other kinds of tokenizers
mkdir r
refused "*'r' holds no tokenizer.json, no vocab.txt, and not both vocab.json*" \
	'an empty directory' r
: >r/merges.txt
refused "*'r' holds no tokenizer.json, no vocab.txt, and not both vocab.json*" \
	'merges alone' r
dir s "$T/uncased/vocab.txt"
chmod 0 s/vocab.txt
if [ -r s/vocab.txt ]; then
	skip 'an unreadable vocabulary' 'root reads everything'
else
	refused "*cannot open 's/vocab.txt'*" 'an unreadable vocabulary' s
fi
rm -f s/vocab.txt
mkdir s/vocab.txt
refused "*'s/vocab.txt': Is a directory" 'a directory in its place' s

# tokens with a NUL, of the vocabulary and added alone: ids as the package's
rm -rf nul
mkdir nul
flags='"single_word": false, "lstrip": false, "rstrip": false'
flags="$flags, \"normalized\": false, \"special\": true"
more="{\"id\": 365, \"content\": \"d\\\\u0000\", $flags}"
more="$more, {\"id\": 366, \"content\": \"a\\\\u0000b\", $flags}"
sed "s/\"##é\": 364/&, \"d\\\\u0000\": 365/
	s/\"added_tokens\": \\[/&$more, /" "$T/uncased.json" >nul/tokenizer.json
is "$(printf 'hello a\0b d\0 a b\n' |
	bert-tokenize -qm nul --lines --format ids)" \
	"2 332 366 365 61 62 3" 'tokens with a NUL'
works '... are saved' bert-tokenize -m nul --save nul2
is "$(printf 'hello a\0b d\0 a b\n' |
	bert-tokenize -qm nul2 --lines --format ids)" \
	"2 332 366 365 61 62 3" '... and read again'

# a vocabulary or tokenizer.json cut at any place is refused, or complete
cut_at() { # FILE NAME STEP
	n_all=$(wc -c <"$1")
	i=0
	: >why
	while [ $i -lt "$n_all" ]; do
		head -c $i "$1" >"$2"
		bert-tokenize -qm "$2" --lines --format ids /dev/null \
			>out 2>err
		case $? in
		0) [ "$4" = open ] || echo "opened at $i" >>why ;;
		1) [ -s err ] || echo "no word at $i" >>why ;;
		*) echo "status at $i: $(cat err)" >>why ;;
		esac
		i=$((i + $3))
	done
	[ ! -s why ]
}
cut_at "$T/uncased.json" cut.json 97 never
result $? 'tokenizer.json cut anywhere is refused'
cut_at "$T/uncased/vocab.txt" cut.txt 29 open
result $? 'vocab.txt cut anywhere does no harm'


# lists that are none
sed 's/"added_tokens":\[[^]]*\]/"added_tokens":{}/' "$DATA/bpe/digits.json" >odd.json
refused "*'added_tokens' of the file is not a list*" 'added tokens in no list' odd.json
for part in normalizers pretokenizers; do
	sed "s/\"$part\":\[[^]]*\]/\"$part\":{}/" "$DATA/bpe/digits.json" >odd.json
	refused "*'$part' of the *izer is not a list*" "... $part" odd.json
done
sed 's/"processors":\[/"processors":{},"sep":[/' "$DATA/bpe/llama.json" >odd.json
refused "*'processors' of the post_processor is not a list*" '... processors' odd.json
sed 's/"decoders":\[/"decoders":{},"start":[/' "$DATA/kinds/mmbert.json" >odd.json
refuses "*'decoders' of the decoder is not a list*" '... decoders' sh -c 'echo 5 | bert-tokenize -m odd.json --lines --detokenize'
finish
