#!/bin/sh
# SPDX-License-Identifier: MIT
# BT_MESSAGES=json: every message is a line of JSON with what bertutils-json(5) lists.
# Not under thread: the threads are those of other tests
. "$TEST_TOP/tests/lib/lib.sh"
M=$DATA/tok/uncased
export BT_MESSAGES=json

printf 'text,label\na,1.5\nb,2\nc,much\n' >x.csv
printf 'text,label\na,x \nb,y\n' >blank.csv
printf 'text,label\nhello,a\nworld,b\nhello world,a\n' >a.csv
csv2tfrecord -q -l label -o a.rec a.csv
bert-tokenize -q -m "$M" -o a.tok a.rec

# says STATUS WANTED COMMAND...: standard error is that
says() {
	wanted=$1 text=$2
	shift 2
	"$@" >/dev/null 2>err
	is "$? $(cat err)" "$wanted $text" "$*"
}

says 1 '{"tool":"tfrecord-cat","level":"error","code":"io","message":"cannot open '"'no'"': No such file or directory","file":"no"}' \
	tfrecord-cat no
says 1 '{"tool":"csv2tfrecord","level":"error","code":"format","message":"cannot read '"'x.csv'"': record 3 (line 4): label '"'much'"' is not a number","file":"x.csv","record":3,"line":4}' \
	csv2tfrecord -l label --label-type float -o x.rec x.csv
says 0 '{"tool":"csv2tfrecord","level":"warning","code":"odd-labels","message":"the label '"'x '"' starts or ends with a blank, which is part of it","hint":"--strip removes it"}
{"tool":"csv2tfrecord","level":"note","message":"2 records from 1 file, 2 labels"}' \
	csv2tfrecord -l label -o x.rec blank.csv
says 2 '{"tool":"bert-tokenize","level":"error","code":"usage","message":"no model given: use -m DIR"}' \
	bert-tokenize
says 2 '{"tool":"bert-tokenize","level":"error","code":"usage","message":"unknown option '"'--nosuch'"'"}' \
	bert-tokenize --nosuch
says 0 '{"tool":"tfrecord-cat","level":"warning","code":"option-twice","message":"--head is given more than once: '"'2' counts, '1'"' does not"}
{"tool":"tfrecord-cat","level":"note","message":"2 records"}' \
	tfrecord-cat --head 1 --head 2 a.rec
says 0 '{"tool":"tfrecord-cat","level":"note","message":"2 records"}' \
	tfrecord-cat --head 1 --override --head 2 a.rec
head -c 60 a.tok >cut.tok
says 1 '{"tool":"tfrecord-cat","level":"error","code":"truncated","message":"cannot read '"'cut.tok'"': record 1: ends inside a record that starts at byte 0","file":"cut.tok","record":1}' \
	tfrecord-cat -q cut.tok
bert-train -q --init-config tiny --tokenizer "$M" --steps 1 -o m a.tok 2>/dev/null
says 1 '{"tool":"bert-eval","level":"error","code":"minimum","message":"accuracy is 0.6667, less than 1"}' \
	bert-eval -q -m m --min accuracy=1 a.tok
like "$(ckpt-inspect x.csv 2>&1)" '*"message":"'"'x.csv'"' is text and not a checkpoint","file":"x.csv"}' \
	'a message that begins with the file'
name=$(printf "it's \"a\" \303\251\033[1m \377.rec")
cp cut.tok "$name"
tfrecord-cat -q "$name" >/dev/null 2>err
perl -MJSON::PP -0777 -ne 'my $o = decode_json($_); binmode STDOUT, ":utf8";
	print $o->{file}' err >file
is "$(cat file)" "$(printf "it's \"a\" \303\251?[1m \357\277\275.rec")" \
	'a name with quotes and what is not text'
if [ -e /dev/full ]; then
	tfrecord-cat --count a.rec >/dev/full 2>err
	is "$? $(cat err)" '1 {"tool":"tfrecord-cat","level":"error","code":"io","message":"cannot write standard output: No space left on device"}' \
		'standard output that is full'
fi

# every line of a longer run
bert-train -v --init-config tiny --tokenizer "$M" --steps 3 --eval a.tok -o n a.tok 2>err
perl -MJSON::PP -ne 'my $o = decode_json($_);
	print unless $o->{tool} eq "bert-train" && $o->{level} =~ /^(note|detail|warning)$/
		&& defined $o->{message} && ($o->{level} eq "warning") == defined $o->{code}' err >why
[ ! -s why ] && [ "$(wc -l <err)" -gt 5 ]
result $? 'all that training says'

export BT_MESSAGES=text
says 1 "tfrecord-cat: cannot open 'no': No such file or directory" tfrecord-cat no
export BT_MESSAGES=yaml
declines 2 "*bad value 'yaml' of BT_MESSAGES: expected json or text*" 'another value' \
	tfrecord-cat a.rec
finish
