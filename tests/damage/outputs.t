#!/bin/sh
# SPDX-License-Identifier: MIT
# Where outputs go and what becomes of them when writing fails.
# Not under thread: the threads are those of the tools' own tests
. "$TEST_TOP/tests/lib/lib.sh"

seq 1 20000 | sed 's/.*/row number &,label &/; 1i text,label' >big.csv
printf 'text,label\nhello,a\nworld,b\n' >a.csv
make() { csv2tfrecord -q -l label "$@"; }
works 'what is wanted' make -o a.rec a.csv
works 'something large' make -o big.rec big.csv
bert-tokenize -q -m "$DATA/tok/uncased" -o a.tok a.rec
mode() { stat -c %a "$1"; }

# nothing_left NAME [FILE...]: the folder d holds these files and nothing else
nothing_left() {
	name=$1
	shift
	is "$(ls -A d | tr '\n' ' ')" "$*${1:+ }" "$name: no other file is left"
}

# --- modes
mkdir d
umask 027
works 'a new file' make -o d/new a.csv
is "$(mode d/new)" 640 '... has the mode of the umask'
umask 022
for m in 600 664 755; do
	echo old >d/new
	chmod $m d/new
	works "in place of a file of mode $m" make -o d/new a.csv
	is "$(mode d/new)" $m '... which stays'
	same d/new a.rec '... with the new bytes'
done
chmod 4711 d/new
works 'in place of a set-uid program' make -o d/new a.csv
is "$(mode d/new)" 711 '... which the new file is not'
nothing_left modes new
rm d/new

# --- links
echo old >d/target
ln -s target d/link
works 'through a symbolic link' make -o d/link a.csv
[ -L d/link ]
result $? '... which stays one'
same d/target a.rec '... and its target is replaced'
rm d/target
works 'through a link that leads to no file' make -o d/link a.csv
[ -L d/link ]
result $? '... which stays one'
same d/target a.rec '... and its target appears'
rm d/target
mkdir d/sub
ln -s ../link d/sub/link
works 'a link to a link' make -o d/sub/link a.csv
same d/target a.rec '... is followed'
ln -s loop d/loop
refuses "*cannot create 'd/loop': *" 'a link to itself' make -o d/loop a.csv
ln -s nowhere/file d/lost
refuses "*cannot create 'd/lost': No such file*" 'a link into no folder' \
	make -o d/lost a.csv
rm -r d
mkdir d

# --- no files
mkfifo pipe
cat pipe >got &
works 'a named pipe' make -o pipe a.csv
wait
[ -p pipe ]
result $? '... which stays one'
same got a.rec '... gets the bytes'
works '/dev/null' make -o /dev/null a.csv
[ -c /dev/null ]
result $? '... stays what it is'
make -o /dev/stdout a.csv | cat >got
same got a.rec '/dev/stdout, a pipe'
make -o /dev/stdout a.csv >got
same got a.rec '... a file'
{
	cat a.rec
	make -o /dev/stdout a.csv
	make -o /dev/fd/1 a.csv
	make -o - a.csv
	make a.csv
} >got
cat a.rec a.rec a.rec a.rec a.rec >wanted
same got wanted '... a file that holds something already'
make -o /dev/fd/3 a.csv 3>got
same got a.rec '/dev/fd/3'
refuses "*cannot create '/dev/fd/9': Bad file descriptor" '/dev/fd/9' \
	make -o /dev/fd/9 a.csv
for path in . d d/ nosuch/ ''; do
	refuses "*cannot create '$path': *" "a name that is none: '$path'" \
		make -o "$path" a.csv
done
refuses "*cannot create 'nosuch/file': No such file or directory" \
	'in no folder' make -o nosuch/file a.csv
refuses "*cannot create 'a.csv/file': Not a directory" 'below a file' \
	make -o a.csv/file a.csv
long=$(printf '%0255d' 0)
works 'the longest name there is' make -o "d/$long" a.csv
same "d/$long" a.rec '... appears'
nothing_left 'long names' "$long"
rm "d/$long"
refuses '*: File name too long' 'a longer one' make -o "d/${long}0" a.csv

# --- closed standard streams: nothing else takes their place
make a.csv >&- 2>err
is "$?$(cat err)" \
	'1csv2tfrecord: cannot write standard output: Bad file descriptor' \
	'standard output is closed'
csv2tfrecord -l label -o got a.csv 2>&-
same got a.rec 'standard error is closed: messages do not land in the output'
make -o got <&- 2>err
like "$?$(cat err)" '1*cannot read standard input: Bad file descriptor' \
	'standard input is closed'
make -o got a.csv <&- >&- 2>&-
same got a.rec 'all three'

# --- a reader that went away
{
	make big.csv 2>err
	echo $? >status
} | head -c 9 >/dev/null
is "$(cat status)$(cat err)" 141 'a closed pipe ends a tool quietly'

# --- errors of writing
# full GLOB NAME COMMAND...: writing to a full device fails
full() {
	"$@" >/dev/full 2>err
	like "$?$(grep -v expected err)" \
		"1$1: cannot write standard output: No space left on device" \
		"$1: a full disk"
}
full csv2tfrecord -q -l label a.csv
full csv2tfrecord -q -l label --zstd a.csv
full csv2tfrecord -q -l label big.csv
full bert-tokenize -q -m "$DATA/tok/uncased" a.rec
full tfrecord-cat -q a.rec
full tfrecord-cat -q --json a.rec
full tfrecord-cat -q --count a.rec
full ckpt-inspect "$DATA/ckpt-values.safetensors"
full csv2tfrecord --help
refuses "*cannot write '/dev/full': No space left on device" '-o /dev/full' \
	make -o /dev/full a.csv

echo old >d/old
for o in new old; do
	(
		ulimit -f 8
		make -o d/$o big.csv
	) >out 2>err
	is "$?$(cat err)" "1csv2tfrecord: cannot write 'd/$o': File too large" \
		"a limit on the size of files: $o"
done
is "$(cat d/old)" old 'the old file is as it was'
nothing_left 'the limit' old
refuses '*a NUL byte*' 'bad input' make -o d/old "$DATA/ckpt-values.safetensors"
printf 'text,label\na,b\nc\n' >bad.csv
refuses '*bad.csv*' 'a bad row' make -o d/old bad.csv
is "$(cat d/old)" old '... leaves the old file as it was'
nothing_left 'bad input' old

mkdir m
if mount -t tmpfs -o size=64k none m 2>/dev/null; then
	echo old >m/old
	for o in new old; do
		refuses "*cannot write 'm/$o': No space left on device" \
			"a small disk: $o" make -o m/$o big.csv
	done
	is "$(cat m/old)$(ls -A m)" oldold 'the old file is as it was'
	refuses '*: No space left on device' 'several files: none appears' \
		tfrecord-cat -q --shard 2 -o m/part big.rec
	is "$(ls -A m)" old '... not one'
	umount m
else
	skip 'a small disk' 'no file system can be mounted'
fi

# --- rights
if [ "$(id -u)" = 0 ]; then
	chmod 711 .
	cp a.csv d
	cp "$(command -v csv2tfrecord)" d/tool
	as="setpriv --reuid 65534 --regid 65534 --clear-groups"
else
	cp "$(command -v csv2tfrecord)" d/tool
	as=env
fi
chmod 755 d/tool
tool=$PWD/d/tool
if $as "$tool" --version >/dev/null 2>err; then
	mkdir d/locked
	echo old >d/locked/old
	chmod 666 d/locked/old
	chmod 555 d/locked
	refuses "*cannot create 'd/locked/new': Permission denied" \
		'a folder that cannot be written' \
		$as "$tool" -q -o d/locked/new a.csv
	refuses "*cannot create 'd/locked/old': Permission denied" \
		'... not even a file in it that could be' \
		$as "$tool" -q -o d/locked/old a.csv
	mkdir -m 777 d/free
	echo old >d/free/old
	chmod 444 d/free/old
	refuses "*cannot create 'd/free/old': Permission denied" \
		'a file that cannot be written, in a folder that can' \
		$as "$tool" -q -o d/free/old a.csv
	chmod 755 d/locked
else
	skip 'rights' "no other user can run the tools: $(head -n 1 err)"
fi
finish
