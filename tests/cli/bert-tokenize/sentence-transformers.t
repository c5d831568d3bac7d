#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-tokenize: the length and the prompts of sentence-transformers' directories.
# Not under thread: the threads are those of cli/bert-tokenize/records
. "$TEST_TOP/tests/lib/lib.sh"
T=$DATA/tok
mkdir -p st/1_Pooling
cp "$T/uncased/vocab.txt" st
echo '{"model_type": "bert", "vocab_size": 365, "max_position_embeddings": 9}' >st/config.json
ids() { printf '%s' "$1" | bert-tokenize -qm st --lines --format ids ${2+"$2"} ${3+"$3"} 2>&1; }
text='a b c d e f g h i j'
sentence() { echo "{$1}" >st/sentence_bert_config.json; }

# the length
sentence '"max_seq_length": 5, "do_lower_case": false'
is "$(ids "$text" | wc -w)" 9 'without a modules.json the file is not one'
echo '[]' >st/modules.json
is "$(ids "$text")" '2 61 62 63 3' 'max_seq_length limits'
echo "$text" | bert-tokenize -m st --lines --format ids >o 2>err
like "$(cat err)" "*truncated to 5 tokens, the model's max_seq_length (*" '... the log says so'
is "$(ids "$text" --max-length 7 | wc -w)" 7 '... unless --max-length is given'
echo "$text" | bert-tokenize -m st --lines --max-length 4 --format ids >o 2>err
like "$(cat err)" "*truncated to 4 tokens (*" '... the log says which'
echo "$text" | bert-tokenize -m st --lines --stride 1 --format ids >o 2>err
like "$(cat err)" "*windows of 5 tokens, the model's max_seq_length (*" 'windows, too'
echo '{"model_max_length": 4}' >st/tokenizer_config.json
is "$(ids "$text" | wc -w)" 5 '... before the length of the tokenizer'
printf 'text,label\na b,x\nc d,y\n' | csv2tfrecord -ql label | bert-tokenize -qm st -o two.rec
works 'a model of other outputs' bert-train -q --init-config tiny --tokenizer st -j 1 --steps 1 -o two two.rec
is "$(echo "$text" | bert-tokenize -qm two --lines --format ids | wc -w)" 5 '... keeps it as the length of its tokenizer'
rm st/tokenizer_config.json
sentence '"max_seq_length": 512'
is "$(ids "$text" | wc -w)" 9 'but not more than the positions'
echo "$text" | bert-tokenize -m st --lines --format ids >o 2>err
like "$(cat err)" "*truncated to 9 tokens (*" '... which are not its own'
sentence '"max_seq_length": null'
is "$(ids "$text" | wc -w)" 9 'none'
sentence '"max_seq_length": 0'
refuses "*'st/sentence_bert_config.json': 'max_seq_length' is*" 'nonsense' \
	bert-tokenize -m st --lines /dev/null
sentence '"do_lower_case": true'
works 'lower case, which the tokenizer does' bert-tokenize -m st --lines --format ids /dev/null
is "$(grep -c do_lower err)" 0 '... needs no word'
cp "$T/cased/vocab.txt" st
sed 's/365/467/' st/config.json >cased.json
mv st/config.json uncased.json
mv cased.json st/config.json
works '... or does not' bert-tokenize -m st --lines --format ids /dev/null
like "$(cat err)" "*warning: 'st/sentence_bert_config.json': 'do_lower_case' is ignored: texts keep their capitals, which sentence-transformers makes lower case*" \
	'... is warned of'
cp "$T/uncased/vocab.txt" st
mv uncased.json st/config.json
rm st/sentence_bert_config.json

# prompts
prompts() { echo "{\"prompts\": $1, \"default_prompt_name\": $2}" >st/config_sentence_transformers.json; }
is "$(ids 'c d' --prompt-text 'a b ')" "$(ids 'a b c d')" 'a text before each text'
is "$(ids 'c d' --prompt-text 'a b')" "$(ids 'a bc d')" '... joins it'
refuses "*'st/config_sentence_transformers.json': unknown prompt 'query': the model has none (--prompt-text takes the text of a prompt)" \
	'a prompt that is not there' bert-tokenize -m st --lines --prompt query /dev/null
prompts '{"query": "a: ", "document": "", "none": null}' null
refuses "*unknown prompt 'x': the model has 'query', 'document' (*" \
	'... of those that are' bert-tokenize -m st --lines --prompt x /dev/null
is "$(ids 'c d' --prompt query)" "$(ids 'a: c d')" 'a prompt by its name'
is "$(ids 'c d' --prompt document)" "$(ids 'c d')" 'an empty one'
works 'no default' bert-tokenize -m st --lines --format ids /dev/null
is "$(grep -c prompt err)" 0 '... no warning'
prompts '{"query": "a: ", "document": ""}' '"query"'
works 'a default' bert-tokenize -m st --lines --format ids /dev/null
like "$(cat err)" "bert-tokenize: warning: texts are tokenized without the prompt 'query', which sentence-transformers puts before each by default (--prompt NAME *--prompt-text '' *
*" '... is missed'
for opt in '--prompt query' '--prompt document' --prompt-text=; do
	# shellcheck disable=SC2086
	works "$opt" bert-tokenize -m st --lines --format ids $opt /dev/null
	is "$(grep -c warning err)" 0 '... is enough'
done
prompts '{"query": "a: ", "document": ""}' '"document"'
works 'a default without a text' bert-tokenize -m st --lines --format ids /dev/null
is "$(grep -c warning err)" 0 '... is not missed'
prompts '{"query": 3}' '"query"'
refuses "*'st/config_sentence_transformers.json': 'query' is not a string*" 'no text' \
	bert-tokenize -m st --lines /dev/null
prompts '{"query": "a: "}' null
printf 'text,pair\nc d,e\n' >pairs.csv
csv2tfrecord -q -t text --pair pair pairs.csv | bert-tokenize -qm st --prompt query --keep-text -o o.rec
printf 'text,pair\na: c d,e\n' >prompted.csv
csv2tfrecord -q -t text --pair pair prompted.csv | bert-tokenize -qm st -o wanted.rec
tfrecord-cat -q --json o.rec | sed 's/ "text_[ab]": "[^"]*",//g' >got
tfrecord-cat -q --json wanted.rec >wanted
same got wanted 'of a pair before the first text'
like "$(tfrecord-cat -q --json o.rec)" '*"text_a": "c d"*"text_b": "e"*' 'the text is kept without it'
printf 'c\377' | bert-tokenize -qm st --lines --prompt query --replace-invalid --format ids >got
printf 'a: c\357\277\275' | bert-tokenize -qm st --lines --format ids >wanted
same got wanted 'before a text that was not UTF-8'
is "$(printf 'c d\n' | bert-tokenize -qm st --lines --prompt query --format json | sed 's/.*"bytes": //; s/, "chars.*//')" \
	'[[0, 0], [0, 1], [1, 2], [3, 4], [5, 6], [0, 0]]' 'bytes count from its start'
misuses '*give either --prompt or --prompt-text' 'two prompts' \
	bert-tokenize -m st --prompt query --prompt-text x /dev/null
misuses '*a prompt does not go with --detokenize' 'of ids' \
	bert-tokenize -m st --detokenize --prompt query /dev/null

# a pooling that leaves the prompt out
cat >st/modules.json <<'X'
[{"path": "", "type": "sentence_transformers.models.Transformer"},
 {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]
X
echo '{"pooling_mode": "mean", "include_prompt": false}' >st/1_Pooling/config.json
refuses "*the model 'st' leaves the prompt out of its pooling ('include_prompt' is false), which is not supported" \
	'a prompt that is not pooled' bert-tokenize -m st --lines --prompt query /dev/null
works 'none' bert-tokenize -m st --lines --prompt-text '' --format ids /dev/null
finish
