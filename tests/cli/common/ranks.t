#!/bin/sh
# SPDX-License-Identifier: MIT
# Tools that make or copy records, started as several processes: the first one does the
# work, and the others say and write nothing.
# Not under emulation: there is no libmpi of the emulated machine
# Not under thread: one process works
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/ranks.sh"

if ! have_ranks 'several ranks'; then
	finish
	exit
fi
TABLE=$TEST_TOP/pipelines/data/library-train.csv
both 'csv2tfrecord' csv2tfrecord -i id -t text -l intent -o o "$TABLE"
both 'csv2tfrecord: compressed' csv2tfrecord -i id -t text -l intent --zstd -o o "$TABLE"
both 'csv2tfrecord: rejected rows' csv2tfrecord -i id -t text -l intent -o x --rejects o "$TABLE"
both 'csv2tfrecord: columns' csv2tfrecord --list-columns "$TABLE"
printf 'q,A,B,C,a\na card,no,yes,new,B\na book,the,a,,0\n' >choices.csv
both 'csv2tfrecord: choices' csv2tfrecord -t q --choices A,B,C -l a -o o choices.csv
csv2tfrecord -q -i id -t text -l intent -o text.rec "$TABLE"
both 'tfrecord-cat' tfrecord-cat -o o text.rec text.rec
both 'tfrecord-cat: JSON' tfrecord-cat --json text.rec
both 'tfrecord-cat: a number' tfrecord-cat --count text.rec
both 'tfrecord-cat: statistics' tfrecord-cat --stats text.rec
both 'tfrecord-cat: in another order' tfrecord-cat --shuffle --seed 3 -o o text.rec
both 'tfrecord-cat: without doubles' tfrecord-cat --dedupe text_a --near=.5 -o o text.rec
tfrecord-cat -q --split a=.7,b=.3 -o 1 text.rec
works 'tfrecord-cat: several outputs' ranks 3 tfrecord-cat -q --split a=.7,b=.3 -o 3 text.rec
cmp 1-a 3-a >why 2>&1 && cmp 1-b 3-b >why 2>&1
result $? '... the same'
printf 'The O\nbooks B-X\n\nA O\nb O\n' >words
both 'conll2tfrecord' conll2tfrecord -o o words
echo '{"id": "1", "question": "a b", "context": "c d e"}' >questions
both 'squad2tfrecord' squad2tfrecord -o o questions

# Processes that may be asked for different things.
make_on_rank
works 'another program starts them' ranks 3 ./on-rank 1 'set -- "$@" --count' tfrecord-cat text.rec -o o
is "$(grep -c '^tfrecord-cat: warning: of 3 processes of one job only the first one does its work' err)" 1 '... one says it'
exits 2 'several command lines' timeout 60 mpirun -n 1 tfrecord-cat -o o text.rec : -n 1 tfrecord-cat -o o2 text.rec </dev/null
like "$(cat err)" '*tfrecord-cat: started beside other command lines in one job: give each a launcher of its own*' '... are refused'

# Standard input is the first one's. A pipe: mpirun of Open MPI 4.1 itself crashes now
# and then where its standard input is a file.
# shellcheck disable=SC2002
cat "$TABLE" | mpirun -n 2 csv2tfrecord -q -i id -t text -l intent -o many
cmp text.rec many >why 2>&1
result $? 'standard input'
tfrecord-cat -q text.rec | mpirun -n 3 tfrecord-cat -q --count >many
is "$(cat many)" "$(tfrecord-cat -q --count text.rec)" '... of records'

# Help, version and devices are printed once.
for ask in 'bert-eval --help' 'bert-predict --version' 'tfrecord-cat --help' 'bert-predict --device list' \
	'bert-train --device list' 'bert-eval --device list'; do
	# shellcheck disable=SC2086 # options
	both "$ask" $ask
done

# Errors are those of one process.
printf 'text\na\nb,c\n' >bad.csv
both 'a bad row' csv2tfrecord -t text -o o bad.csv
like "$(cat one.told)" "csv2tfrecord: *record 2*" '... is named'
head -c 1000 text.rec >cut.rec
both 'a record that is cut' tfrecord-cat -o o cut.rec
both 'a column that is not there' csv2tfrecord -t none -o o "$TABLE"
both 'an option that is unknown' tfrecord-cat --bogus text.rec
both 'options that exclude each other' tfrecord-cat --count --json text.rec
both 'an option given twice' tfrecord-cat --head 3 --head 4 --count text.rec
both 'a full disk' tfrecord-cat -o /dev/full text.rec
declines 2 'tfrecord-cat: started as 2 processes of one job, *' 'processes without numbers do not work' \
	env OMPI_COMM_WORLD_SIZE=2 tfrecord-cat --count text.rec
is "$(PMI_SIZE=2 PMI_RANK=1 tfrecord-cat --count text.rec 2>&1)" '' 'the second one of MPICH does nothing'
is "$(SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 tfrecord-cat -q --count text.rec)" "$(tfrecord-cat -q --count text.rec)" \
	'the first one of srun works'
finish
