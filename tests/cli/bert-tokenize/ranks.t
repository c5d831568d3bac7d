#!/bin/sh
# SPDX-License-Identifier: MIT
# Several processes divide the texts: what they write is equal to what one writes, byte
# for byte, and so is what they say of bad texts, whoever has them.
# Not under emulation: there is no libmpi of the emulated machine
# Not under thread: the libraries of MPI synchronize in ways that it does not know
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/ranks.sh"
M=$DATA/tok/uncased

if ! have_ranks 'several ranks'; then
	finish
	exit
fi
tokenize() { # NAME [OPTION ...]
	name=$1
	shift
	both "$name" bert-tokenize -m "$M" "$@"
}

# Three blocks of texts of all lengths; some are empty, the first in the second block.
awk 'BEGIN { for (i = 1; i <= 40000; i++) {
	text = i % 20013 ? "hello the book " i : ""
	for (k = 0; k < i % 7; k++) text = text " a world of b\303\240rs c d e f g h"
	print text } }' >lines
awk 'NR <= 3000 { printf "%d\t%s\tL%d\n", NR, $0, NR % 3 }' lines >rows.tsv
csv2tfrecord -q --no-header -i 1 -t 2 -l 3 -o text.rec rows.tsv
tokenize 'several blocks' --lines -o o lines
is "$(tfrecord-cat -q --count o.one)" 40000 '... of all texts'
like "$(cat one.err)" '*such as text 20013 (1 is empty)*' '... the first empty one is named'
tokenize 'ids, on standard output' --lines --format ids lines
tokenize 'JSON' --format json text.rec
tokenize 'explained' --explain text.rec
tokenize 'several files, compressed' --zstd -o o text.rec text.rec
tokenize 'windows' --max-length 16 --stride 4 -o o text.rec
tokenize 'truncated, with labels' --max-length 8 --labels L0,L1,L2 -o o text.rec
tokenize 'fewer texts than ranks' --lines --format ids "$TEST_TOP/LICENSE"
awk -F '\t' -v OFS='\t' 'BEGIN { print "q", "A", "B", "C", "a" }
	{ print $2, $3, "the book " NR, NR % 5 ? "a" : "", NR % 2 ? "A" : "B" }' rows.tsv |
	csv2tfrecord -q --delimiter '\t' -t q --choices A,B,C -l a -o choices.rec -
tokenize 'choices' -o o choices.rec
tokenize 'numbered through all blocks' --lines --max-length 8 --pad 8 --layout modelgarden -o o lines
echo '{}' >meta
for number in 0 2; do
	rm -f meta s
	set -- bert-tokenize -q -m "$M" --max-length 8 --pad 8 --labels L0,L1,L2 --part train --meta-data meta --summary s \
		-o o text.rec
	[ $number = 0 ] || set -- mpirun -n $number "$@"
	"$@" </dev/null
	sed 's/"\(seconds\|[a-z_]*per_second\|peak_memory\)": *[0-9.e+]*//g' s >s$number
	cp meta meta$number
done
same meta2 meta0 'meta data'
same s2 s0 'the summary'
bert-tokenize -q -m "$M" -o tokens.rec text.rec
tokenize 'back into text, by the first rank' --detokenize -o o tokens.rec
works 'the tokenizer alone' ranks 2 bert-tokenize -m "$M" --save saved
[ -s saved/tokenizer.json ] || [ -s saved/vocab.txt ]
result $? '... is saved'

# Bad texts: of two the first one counts, whoever has it; what came before it is there.
bad_line() { # NUMBER ...: these lines are not UTF-8
	awk -v at=" $* " 'index(at, " " NR " ") { printf "\377" } { print }' lines >bad
}
bad_line 16000 39000
tokenize 'a bad text in the part of another rank' --lines -o o bad
like "$(cat many.told)" "bert-tokenize: 'bad': line 16000: *" '... is named'
bad_line 33000 39000
tokenize 'of two in one block the first' --lines -o o bad
like "$(cat many.told)" "bert-tokenize: 'bad': line 33000: *" '... is named'
tokenize 'a label that is unknown' --labels L0,L1 -o o text.rec
size=$(wc -c <text.rec)
head -c $((size - 10)) text.rec >cut.rec
tokenize 'a file that is cut' -o o cut.rec
like "$(cat many.told)" "bert-tokenize: *'cut.rec'*record 3000*" '... is named'
rm -f s
exits 1 'an error' ranks 3 bert-tokenize -q -m "$M" --summary s -o o cut.rec
like "$(cat s)" '*"status":1,*"error":{*cut.rec*' '... is in the summary'
tokenize 'another number of records' --expect 7 -o o text.rec
tokenize 'a limit on the input' --max-bytes 100 -o o text.rec
tokenize 'a file that is not there' -o o none.rec
tokenize 'a directory that is not there' -o none/o text.rec
tokenize 'a full disk' -o /dev/full --lines lines
tokenize 'an option that is unknown' --bogus text.rec

told() { # PATTERN NAME: one message
	like "$(grep '^bert-' err)" "$1" "$2"
	is "$(grep -c '^bert-' err)" 1 '... in one message'
}
exits 2 'records on standard output' ranks 2 bert-tokenize -m "$M" text.rec
told 'bert-tokenize: the launcher makes standard output a terminal*: use -o FILE' 'are refused'
exits 2 'standard input' ranks 2 bert-tokenize -m "$M" -o o
told 'bert-tokenize: each of several processes reads all records, *: give files' 'is refused'
make_on_rank
mkdir elsewhere
exits 1 'a rank that does not find the file' ranks 3 ./on-rank 2 'cd elsewhere' bert-tokenize -q -m "$M" -o "$PWD/o" text.rec
told "bert-tokenize: rank 2: *'text.rec'*" 'names the rank'
tfrecord-cat -q --head 2999 -o elsewhere/text.rec text.rec
exits 1 'a rank that reads another file' ranks 3 ./on-rank 1 'cd elsewhere' bert-tokenize -q -m "$M" -o "$PWD/o" text.rec
told 'bert-tokenize: rank 1 reads other data than rank 0' 'names the rank'
for more in '--max-length 8' --version; do
	exits 2 "a rank with $more" timeout 60 mpirun -n 3 ./on-rank 2 "set -- \"\$@\" $more" \
		bert-tokenize -q -m "$M" -o "$PWD/o" text.rec </dev/null
	told "bert-tokenize: rank 2: its command line has '${more% *}' where that of rank 0 has 'text.rec'" 'is named'
done
[ ! -e o ]
result $? '... and nothing is written'
works 'ranks of other numbers of threads' timeout 60 mpirun -n 2 ./on-rank 1 'set -- "$@" -j 2' \
	bert-tokenize -q -m "$M" -o o text.rec </dev/null
finish
