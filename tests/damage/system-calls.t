#!/bin/sh
# SPDX-License-Identifier: MIT
# Every system call of a small pipeline fails once. A tool then ends with status
# 1 and a message that says what and why, and leaves no output, or the old one;
# short and interrupted calls change nothing.
# Not under thread: the threads are those of the tools' own tests
. "$TEST_TOP/tests/lib/lib.sh"

so=$BUILD/preload/inject.so
inject() { # CALL:N:HOW COMMAND...
	spec=$1
	shift
	rm -f log
	LD_PRELOAD=$so INJECT=$spec INJECT_LOG=$PWD/log "$@"
}

printf 'text,label\nhello,a\nworld,b\nhello world,a\n' >a.csv
inject read:1:EIO csv2tfrecord -o x a.csv >out 2>err
if [ $? != 1 ] || [ ! -e log ]; then
	skip 'injected errors' "a library cannot be preloaded: $(head -n 1 err)"
	finish
fi

gzip -nc a.csv >a.csv.gz
csv2tfrecord -q -l label -o a.rec a.csv
csv2tfrecord -q -l label --zstd -o a.rec.zst a.csv
# large enough to be read ahead
awk 'BEGIN {
	srand(1)
	print "text,label"
	for (i = 0; i < 120000; i++) print rand() * 1e9 "," i % 7
}' >big.csv
csv2tfrecord -q -l label -o big.rec big.csv
gzip -1c big.rec >big.rec.gz
cat >config.json <<X
{"model_type": "bert", "vocab_size": 365, "hidden_size": 8,
 "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8,
 "max_position_embeddings": 16, "type_vocab_size": 2}
X
V=$DATA/tok/uncased
bert-tokenize -q -m "$V" -o a.tok a.rec
works 'a model' bert-train -q -j 1 --init-config config.json --tokenizer "$V" \
	--steps 1 -o model a.tok

# attempt SPEC COMMAND...: one run; something is wrong if it prints
attempt() {
	rm -rf o
	mkdir o
	[ "$old" = no ] || echo old >o/out
	inject "$@" >out 2>err
	status=$?
	how=${1##*:}
	case $how in # the words of the system
	EIO) reason='Input/output error' ;;
	ENOSPC) reason='No space left on device' ;;
	esac
	if [ ! -e log ] || [ "$how" = short ] || [ "$how" = EINTR ] ||
		[ "$how" = EOPNOTSUPP ]; then
		[ $status = 0 ] || echo "status $status: $(head -n 1 err)"
		# where it says how long things took
		diff -r -x history.jsonl -x README.md o wanted 2>&1
		[ ! -e wanted/model ] || sed '$d' o/model/README.md |
			diff wanted.card - 2>&1
		return
	fi
	[ $status = 1 ] || echo "status $status"
	read_message
	case $message in
	*"'"*"'"*": $reason"*) ;;
	*"standard "*": $reason"*) ;;
	*) echo "says: $message" ;;
	esac
	[ $message_lines = 1 ] || echo "says more than one line: $message"
	left=$(find o -name '.*.*')
	[ -z "$left" ] || echo "leaves $left"
	# a directory holds what was complete before
	for f in o/*; do
		[ -f "$f" ] || continue
		if [ "$f" = o/out ]; then
			[ "$old" != no ] && [ "$(cat o/out)" = old ] ||
				echo "leaves $f"
		else
			cmp "$f" "wanted/${f#o/}" 2>&1
		fi
	done
}

all='read:EIO read:short read:EINTR write:ENOSPC write:EIO write:short
write:EINTR fsync:EIO close:EIO close:ENOSPC rename:EIO linkat:ENOSPC open:EIO
mmap:EIO tmpfile:EOPNOTSUPP'
kinds=$all

# every NAME COMMAND...: each call once, in each way, COMMAND writing into o/
every() {
	name=$1
	shift
	rm -rf o wanted
	mkdir o
	"$@" >out 2>err || head -n 1 err
	mv o wanted
	[ ! -e wanted/model ] || sed '$d' wanted/model/README.md >wanted.card
	for kind in $kinds; do
		for old in no yes; do
			: >why
			k=1
			while :; do
				attempt ${kind%:*}:$k:${kind#*:} "$@" >why1
				[ -e log ] || break
				sed "s|^|call $k, earlier output: $old: |" why1 >>why
				k=$((k + 1))
				[ $k -lt 400 ] || break
			done
			[ -s why1 ] && cat why1 >>why
			case $k$kind$name in
			1read:*ckpt-inspect) ;; # which maps its file
			1read* | 1pread* | 1write* | 1fsync* | 1close* | 1rename*)
				echo 'no such call was seen' >>why
				;;
			esac
			[ ! -s why ]
			result $? "$name: $kind ($((k - 1)) calls)"
			# what succeeds need not be tried twice
			[ $k -gt 1 ] || break
			[ -e wanted/out ] || break
			case $kind in
			*:short | *:EINTR | *:EOPNOTSUPP) break ;;
			esac
		done
	done
}

every csv2tfrecord csv2tfrecord -q -l label -o o/out a.csv
every 'csv2tfrecord, gzip to zstd' \
	csv2tfrecord -q -l label --zstd -o o/out a.csv.gz
kinds='pread:EIO pread:short pread:EINTR'
every 'csv2tfrecord of Parquet' csv2tfrecord -q -l yes -t text --na drop -o o/out "$DATA/parquet/dictionary-v2-zstd.parquet"
mkdir texts texts/bad texts/good
echo no >texts/bad/a.txt
echo yes >texts/good/a.txt
kinds=readdir:EIO
every 'csv2tfrecord of a folder' csv2tfrecord -q -o o/out texts
kinds=$all
case $BUILD in
*-address* | *-thread*)
	skip 'the other jobs' 'a thousand more programs take long under sanitizers'
	finish
	;;
esac
every bert-tokenize bert-tokenize -q -j 1 -m "$V" -o o/out a.rec
every 'tfrecord-cat, zstd' tfrecord-cat -q -o o/out a.rec.zst a.rec
kinds='read:EIO read:short read:EINTR'
every 'tfrecord-cat, read ahead' tfrecord-cat -q -j 2 -o o/out big.rec.gz
kinds=$all
every 'tfrecord-cat --json' tfrecord-cat -q --json -o o/out a.rec
every 'tfrecord-cat --shard' tfrecord-cat -q --shard 3 -o o/part a.rec
every bert-predict bert-predict -q -j 1 -m model -o o/out a.tok
every ckpt-inspect \
	ckpt-inspect --stats -o o/out model/model.safetensors
every bert-train bert-train -q -j 1 --init-config config.json --tokenizer "$V" \
	--steps 1 -o o/model a.tok

# the best model of a search is moved to where it belongs, or stays
search() {
	"$@" bert-train -q -j 1 --init-config config.json --tokenizer "$V" --steps 2 --eval a.tok \
		--tune-steps 4 --tune-over learning-rate=1e-4..1e-3 -o search a.tok
}
exits 1 'a folder that cannot be read' search inject readdir:0:EIO
like "$(cat err)" "*bert-train: cannot read 'search/trial-[12]': Input/output error" 'is an error'
works 'the same again' search env
[ -e search/model.safetensors ] && [ ! -e search/trial-1 ] && [ ! -e search/trial-2 ]
result $? 'has the model'
finish
