#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-create-pretraining-data: create_pretraining_data.py by its command line.
# tests/data/pretraining.jsonl is of the texts made here:
#   pretraining-data.py vocab.txt a.jsonl --max_seq_length=24 --dupe_factor=1 --random_seed=7 texts.txt
#   pretraining-data.py vocab.txt b.jsonl --max_seq_length=20 --dupe_factor=1 --do_whole_word_mask=true \
#       --masked_lm_prob=0.25 --short_seq_prob=0.5 texts.txt
# one behind the other.
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"
data=$TEST_TOP/pipelines/data
cp "$data/vocab.txt" .
cut -d, -f2 "$data/library-train.csv" | sed -n 2,25p | awk '{ print } NR % 6 == 0 { print " " }' >texts.txt
make() { # OUTPUT [FLAG ...]
	o=$1
	shift
	bert-create-pretraining-data --input_file=texts.txt --output_file="$o" --vocab_file=vocab.txt "$@"
}
json() { tfrecord-cat -q --json "$@" | tr -d ' '; }

works 'records of a published algorithm' make a.rec --max_seq_length=24 --dupe_factor=1 --random_seed=7
like "$(cat err)" '*4 documents, 24 sentences, * tokens (*% unknown)*records of 24 tokens in *a.rec*masked tokens each*' \
	'are told'
works '... of whole words' make b.rec --max_seq_length=20 --dupe_factor=1 --do_whole_word_mask \
	--masked_lm_prob=0.25 --short_seq_prob=0.5
tfrecord-cat -q -o got.rec a.rec b.rec
tfrecord-cat -q --from-json -o wanted.rec "$TEST_TOP/tests/data/pretraining.jsonl"
tfrecord-cat -q --json got.rec >got
tfrecord-cat -q --json wanted.rec >wanted
same got wanted 'are those that Python draws'
cmp got.rec wanted.rec >why 2>&1
result $? '... byte for byte'

works 'n-grams' make n.rec --max_seq_length=24 --do_whole_word_mask --max_ngram_size=3
make again.rec --max_seq_length=24 --do_whole_word_mask --max_ngram_size=3 2>err
same again.rec n.rec 'are the same each time'
make one.rec --max_seq_length=24 --do_whole_word_mask 2>err
! cmp -s one.rec n.rec
result $? '... and other than words'

# two segments and masks; what is masked stands in the list
json n.rec one.rec | perl -MJSON::PP -ne '
	my $r = decode_json($_);
	my ($id, $second, $at) = ($r->{input_ids}, $r->{segment_ids}, $r->{masked_lm_positions});
	my @ends = grep { $id->[$_] == 3 && $r->{input_mask}[$_] } 0 .. $#$id;
	my $told = { map { $at->[$_] => $r->{masked_lm_ids}[$_] } grep { $r->{masked_lm_weights}[$_] } 0 .. $#$at };
	@ends = grep { !exists $told->{$_} } @ends;
	$bad++ if @ends != 2 || $id->[0] != 2 || $second->[$ends[0]] != 0 || $second->[$ends[0] + 1] != 1;
	for (keys %$told) { $all++; $masks += $id->[$_] == 4; $same += $id->[$_] == $told->{$_};
		$bad++ if $told->{$_} >= 2 && $told->{$_} < 5 }
	$next[$r->{next_sentence_labels}]++;
	END { printf "%d %d %d %d\n", $bad, $masks / $all > .6 && $masks / $all < .95, $same > 0, $next[0] > 0 && $next[1] > 0 }' >got
is "$(cat got)" "0 1 1 1" 'segments, masks and both kinds of pairs'

make all.rec --dupe_factor=2 2>err
works 'several outputs' make one.rec,two.rec,dir/three.rec --dupe_factor=2
json all.rec | awk 'NR % 3 == 1' >wanted
json one.rec >got
same got wanted 'take records in turns'
is "$(tfrecord-cat --count one.rec two.rec dir/three.rec)" "$(tfrecord-cat --count all.rec)" '... all of them'
works 'standard output' make - --dupe_factor=2
same out all.rec 'has the same records'
split -l 10 texts.txt part-
works 'several inputs' bert-create-pretraining-data --input_file='part-a[ab],part-ac' --output_file=parts.rec \
	--vocab_file=vocab.txt --dupe_factor=2
same parts.rec all.rec 'are read one behind the other'
gzip -c texts.txt >texts.gz
bert-create-pretraining-data --input_file=texts.gz --output_file=packed.rec --vocab_file=vocab.txt --dupe_factor=2 2>err
same packed.rec all.rec 'compressed ones, too'
make seed.rec --dupe_factor=2 --seed 12345 2>err
same seed.rec all.rec '--seed is another name of --random_seed'
works 'other names of features' make v2.rec --use_v2_feature_names --dupe_factor=2
sorted() { json "$1" | sed 's/input_word_ids/input_ids/; s/input_type_ids/segment_ids/' |
	perl -MJSON::PP -ne 'print JSON::PP->new->canonical->encode(decode_json($_)), "\n"'; }
sorted v2.rec >got
sorted all.rec >wanted
same got wanted 'stand for the same values'
tr '\n' ' ' <texts.txt >line.txt
works 'one long line' bert-create-pretraining-data --input_file=line.txt --output_file=l.rec --vocab_file=vocab.txt
like "$(cat err)" '*warning: the texts are one document*' '... is one document'

printf 'good\nb\377d\n' >bad.txt
refuses "*'bad.txt': line 2: byte 2 is not UTF-8" 'what is not UTF-8' bert-create-pretraining-data --input_file=bad.txt \
	--output_file=x.rec --vocab_file=vocab.txt
printf '\n \n' >empty.txt
refuses "*'empty.txt' holds no text" 'no text' bert-create-pretraining-data --input_file=empty.txt --output_file=x.rec \
	--vocab_file=vocab.txt
sed 's/^\[MASK\]$/[MASQUE]/' vocab.txt >none.txt
refuses '*no token for a mask*' 'a vocabulary without a mask' bert-create-pretraining-data --input_file=texts.txt \
	--output_file=x.rec --vocab_file=none.txt
refuses "bert-create-pretraining-data: --input_file: the file 'nothing' does not exist" 'no such file' bert-create-pretraining-data --input_file=nothing --output_file=x.rec --vocab_file=vocab.txt
misuses '*both input and output*' 'the input as output' make ./texts.txt
misuses '*--max_ngram_size needs --do_whole_word_mask*' 'n-grams of tokens' make x.rec --max_ngram_size=2
misuses '*--gzip_compress*--output_file=-*' 'compression' make x.rec --gzip_compress
misuses '*either --random_seed or --seed*' 'two seeds' make x.rec --seed=1 --random_seed=2
misuses '*max_seq_length*' 'too few tokens' make x.rec --max_seq_length=4
misuses '*standard output is written twice*' 'two outputs that are one' bert-create-pretraining-data \
	--input_file=texts.txt --output_file=-,- --vocab_file=vocab.txt
misuses '*output_file*' 'no output' bert-create-pretraining-data --input_file=texts.txt --vocab_file=vocab.txt
misuses '*empty name*' 'an empty name' make x.rec,
[ ! -e x.rec ]
result $? 'nothing is left behind'
finish
