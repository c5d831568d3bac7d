#!/bin/sh
# SPDX-License-Identifier: MIT
# A pipe in which little comes at a time: each text is answered while the next one is still
# awaited, and all that is written is what files give.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
small_train m -q

has_lines() { [ "$(wc -l <"$2")" = "$1" ]; }

# answered N NAME: that many lines come without a further text
answered() {
	wait_for has_lines "$1" answers
	is "$(wc -l <answers)" "$1" "$2"
}

mkfifo texts
bert-tokenize -q -m m --lines texts | bert-predict -q -m m >answers &
exec 3>texts
echo 'where can I park' >&3
answered 2 'a line is answered before the next one'
{
	echo 'I lost my card'
	printf 'how do I'
} >&3
answered 3 '... and so is the one before half a line'
echo ' pay a fine?' >&3
answered 4 '... which is answered when it is whole'
exec 3>&-
wait $!
printf '%s\n' 'where can I park' 'I lost my card' 'how do I pay a fine?' >lines
bert-tokenize -q -m m --lines -o lines.rec lines
bert-predict -q -m m -o wanted lines.rec
same answers wanted 'all of them are as from a file'

# a script that asks, and reads each answer, as bertutils(7) has it
mkfifo ask answer
bert-tokenize -q -m m --lines --replace-invalid ask | bert-predict -q -m m --format jsonl >answer &
exec 3>ask 4<answer
for text in 'where can I park' 'caf\351' ''; do
	printf "$text\n" >&3
	read -r line <&4
	echo "$line"
done >answers
exec 3>&- 4<&-
wait $!
is "$(cut -d '"' -f 4 answers | paste -sd ' ' -)" '0 1 2' 'each question is answered, one in Latin-1 and an empty one, too'

# rows NAME ROW...: through all three tools; the first row is a header if it is CSV
rows() {
	name=$1
	shift
	# shellcheck disable=SC2094 # the pipe is opened for writing below
	csv2tfrecord -q -i id -t text texts | bert-tokenize -q -m m | bert-predict -q -m m >answers &
	exec 3>texts
	k=1
	: >all
	for row; do
		printf "$row" | tee -a all >&3
		case $row in
		*id,text*) ;;
		*) k=$((k + 1)) && answered $k "$name: row $((k - 1)) is answered" ;;
		esac
	done
	exec 3>&-
	wait $!
	csv2tfrecord -q -i id -t text all | bert-tokenize -q -m m -o all.rec
	bert-predict -q -m m -o wanted all.rec
	same answers wanted '... as from a file'
}
rows CSV 'id,text\n' '1,a fine\n' '2,"lost, and\nfound"\n' '3,park\n'
rows 'CSV with CR LF' 'id,text\r\n' '1,a\r\n' '2,"b"\r\n'
rows 'JSON Lines' '{"id":1,"text":"a"}\n' '{"id":2,"text":"b c"}\n'

# each NAME TOOL PIECE...: every piece, of what the tool makes records of, is a record of its
# own, which tfrecord-cat prints
each() {
	name=$1 tool=$2
	shift 2
	# shellcheck disable=SC2086,SC2094 # several words
	$tool -q texts | bert-tokenize -q -m m | tfrecord-cat -q --json >answers &
	exec 3>texts
	k=0
	: >all
	for piece; do
		printf "$piece" | tee -a all >&3
		k=$((k + 1)) && answered $k "$name: record $k is handed on"
	done
	exec 3>&-
	wait $!
	# shellcheck disable=SC2086
	$tool -q -o all.text all
	bert-tokenize -q -m m -o all.rec all.text
	tfrecord-cat -q --json -o wanted all.rec
	same answers wanted '... as from a file'
}
each 'a sentence' conll2tfrecord 'a O\nfine B-X\n\n' 'park O\n\n' 'lost O\n \n'
each 'a sentence of #' conll2tfrecord '#x O\n# B-X\n\n' 'park O\n\n'
each 'a question' squad2tfrecord \
	'{"id":"a","question":"who","context":"I lost","answers":[{"text":"I","answer_start":0}]}\n' \
	'{"id":"b","question":"what","context":"a card","answers":[]}\n'
each 'a row of one letter' 'csv2tfrecord --no-header -t 1' 'a\n' 'b\n'
each 'a line of JSON' 'tfrecord-cat --from-json' '{"text_a":"a fine"}\n' '{"text_a":"park"}\n'

for o in '' --lines; do
	format=$([ -z "$o" ] && echo tfrecord || echo ids)
	bert-tokenize -q -m m --lines --format $format texts | bert-tokenize -q -m m --detokenize $o >answers &
	exec 3>texts
	echo 'a fine' >&3
	answered 1 "tokens become text at once $o"
	echo 'I park' >&3
	answered 2 '... the next ones, too'
	exec 3>&-
	wait $!
	is "$(cat answers)" '[CLS] a fine [SEP]
[CLS] i park [SEP]' '... as they were'
done

# --- what only ends with the next text, or with the input
bert-tokenize -q -m m --lines --max-length 6 --stride 2 texts | bert-predict -q -m m >answers &
exec 3>texts
echo 'I lost my card and where can I park' >&3
sleep 0.3
{
	echo 'I lost my card and where can I pay'
	echo 'a fine'
} >&3
exec 3>&-
wait $!
printf '%s\n' 'I lost my card and where can I park' 'I lost my card and where can I pay' 'a fine' >lines
bert-tokenize -q -m m --lines --max-length 6 --stride 2 -o windows.rec lines
bert-predict -q -m m -o wanted windows.rec
same answers wanted 'windows of a text are joined, however they come'

bert-tokenize -q -m m --lines --max-length 6 --stride 2 texts |
	bert-predict -q -m m --windows first >answers &
exec 3>texts
head -n 1 lines >&3
answered 2 'where the first window stands for a text, it need not wait'
tail -n 2 lines >&3
answered 4 '... nor do the next ones'
exec 3>&-
wait $!
bert-predict -q -m m --windows first -o wanted windows.rec
same answers wanted '... as from a file'

{
	head -n 2 lines
	sleep 0.3
	tail -n 1 lines
} | bert-tokenize -q -m m --lines --zstd >slow.zst
bert-tokenize -q -m m --lines --zstd -o wanted lines
same slow.zst wanted 'compressed records do not depend on when texts come'

# --- an output that is closed
mkfifo answered
(
	bert-tokenize -q -m m --lines texts 2>err
	echo $? >status
) >answered &
exec 4<answered 3>texts
exec 4<&-
# shellcheck disable=SC2016
(
	trap '' PIPE
	while echo 'where can I park' && sleep 0.1; do :; done
) >&3 2>writing &
exec 3>&-
wait_for test -s status
is "$(cat status)$(cat err)" 141 'the tool ends where nobody reads any more'
wait
finish
