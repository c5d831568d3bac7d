#!/bin/sh
# SPDX-License-Identifier: MIT
# --summary: bertutils-json(5) lists each member that a summary has, with its type,
# and each code of a warning; nothing that it lists is missing from all summaries.
# Not under thread: the threads are those of other tests
. "$TEST_TOP/tests/lib/lib.sh"
PAGE=$TEST_TOP/man/bertutils-json.5
M=$DATA/tok/uncased

# members FILE: "name type" for each member, nested ones as a.b
members() {
	perl -MJSON::PP -0777 -ne '
		sub type {
			my ($v) = @_;
			return "null" if !defined $v;
			return ref $v eq "HASH" ? "object" : ref $v eq "ARRAY" ? "list"
				: JSON::PP->new->allow_nonref->encode($v) =~ /^"/ ? "text"
				: $v =~ /^-?\d+$/ ? "integer" : "number";
		}
		sub walk {
			my ($o, $at) = @_;
			for my $k (sort keys %$o) {
				my $name = $at =~ /(^|\.)metrics\.$/ ? "NAME"
					: $at eq "settings." ? "OPTION"
					: $at eq "predicted." ? "LABEL"
					: $k =~ /^fold-\d+$/ ? "fold-K"
					: $k =~ /^seed-\d+$/ ? "seed-N" : $k;
				print "$at$name ", type($o->{$k}), "\n";
				walk($o->{$k}, $name =~ /^(fold|seed|trial)-/ ? "" : "$at$name.")
					if ref $o->{$k} eq "HASH";
				if ($name eq "warnings") {
					walk($_, "") for @{$o->{$k}};
				}
			}
		}
		my $o = decode_json($_);
		my $e = delete $o->{error};
		walk($o, "");
		if ($e) { print "error object\n"; walk($e, ""); }' "$1" | sort -u
}

# documented TOOL: the same from the page; of no tool those that all have
documented() {
	perl -ne '
		BEGIN { $tool = shift @ARGV; $in = 0 }
		$in = $tool eq "" && $1 eq "SUMMARIES" if /^\.Sh (.*)/;
		$in = $1 eq $tool if /^\.Ss (.*)/;
		print "$1 $2\n" if $in && /^\.It Li (\S+) Ta (\w+) Ta /;
	' "$1" "$PAGE" | sort -u
}

# covers TOOL FILE ...: every member is listed, and of the tool's own each was seen
covers() {
	tool=$1
	shift
	documented "$tool" >listed
	documented '' >common
	sort -u listed common >all
	for f; do
		members "$f"
	done | sort -u >seen
	# a number may happen to be whole
	sed -n 's/ number$/ integer/p' all >whole
	sed -n 's/ number$/ null/p' all | sort -u - whole all >accepted
	comm -23 seen accepted >why
	[ ! -s why ] && [ -s seen ]
	result $? "$tool: all members are in the page"
	sed 's/ .*//' listed | sort -u >names
	{
		sed 's/ .*//' seen
		printf '%s\n' ${elsewhere-}
	} | sort -u | comm -23 names - >why
	[ ! -s why ] && [ -s names ]
	result $? "$tool: what the page lists is there"
	for f; do
		[ "$(wc -l <"$f")" = 1 ] || echo "$f: not one line"
		grep -o '"[A-Za-z0-9_-]*":' "$f" | wc -l
		perl -MJSON::PP -0777 -ne 'sub n { my $v = shift;
			ref $v eq "HASH" ? keys(%$v) + sum(map { n($_) } values %$v)
			: ref $v eq "ARRAY" ? sum(map { n($_) } @$v) : 0 }
			sub sum { my $s = 0; $s += $_ for @_; $s }
			print n(decode_json($_)), "\n"' "$f"
	done | uniq -c | awk '$1 % 2 || NF > 2' >why
	[ ! -s why ]
	result $? "$tool: one line, each key once"
}

# csv2tfrecord: each fault, numbers
printf 'text,label\na b,x\nc,\nd,y,z\na b,x\ne,"x"y\nf,\303\n,x\n' >bad.csv
csv2tfrecord -q -l label --skip-bad --drop-duplicates --na drop --summary c1 -o r1 bad.csv
printf 'text,label\na,1.5\nb,2\nc,much\n' >numbers.csv
csv2tfrecord -q -l label --label-type float --skip-bad --summary c2 -o r2 numbers.csv
printf '{"t":"a","l":"x"}\n{"t":["a"],"l":"x"}\n{"l":"x"}\n{\n{"t":null,"l":"x"}\n' >bad.jsonl
csv2tfrecord -q -t t -l l --skip-bad --summary c3 -o r3 bad.jsonl
csv2tfrecord -q -l label --label-type float --summary c0 -o r0 numbers.csv 2>/dev/null
csv2tfrecord -q -t nosuch --summary c4 -o r4 numbers.csv 2>/dev/null
printf 'text,a,b\nx,0,1\ny,2,0\n' >several.csv
csv2tfrecord -q -l a,b --skip-bad --summary c5 -o r5 several.csv
printf 'text,a,b\nx,0,1\ny,1,1\n' >votes.csv
csv2tfrecord -q -l a,b --label-type one-hot --skip-bad --summary cB -o rB votes.csv
printf 'text,a,b\nx,0.5,1\ny,2,much\n' >targets.csv
csv2tfrecord -q -l a,b --label-type float --skip-bad --summary c9 -o r9 targets.csv
printf 'text,label,w\na,x,1\nb,z,1\nc,x,no\n\0,x,1\ntext,label,w\n' >more.csv
csv2tfrecord -q -l label --weight w --skip-bad --map-label x=good --only-mapped \
	--summary c6 -o r6 more.csv
printf 'text,label\na,x \nb,\n' >empty.csv
csv2tfrecord -q -l label --skip-bad --summary c7 -o r7 empty.csv
printf 'text,a,b\nx,no,yes\ny,no,\n' >choices.csv
csv2tfrecord -q --choices a,b --skip-bad --summary cA -o rA choices.csv
printf 'b,v\nyes,1\n' >yes.csv
csv2tfrecord -q --join b=yes.csv -t b.v --skip-bad --summary cC -o rC choices.csv
printf "text\tlabel\n['a', 'b']\tx\nplain\ty\n" >turns.tsv
csv2tfrecord -q -l label --text-list --skip-bad --summary cD -o rD turns.tsv
# what no small file shows: beyond a limit
echo '{"faults":{"limit":1}}' >c8
is "$(members c4 | grep -c '^code\|^message\|^error')" 3 'an error is in the summary'
covers csv2tfrecord c?

printf 'Ann B-PER\nruns O\n\nI I-PER\n\n' >words.txt
conll2tfrecord -q --scheme iob2 --repair-tags --summary l1 -o words.rec words.txt
covers conll2tfrecord l1

cat >q.json <<'EOF'
{"data":[{"paragraphs":[{"context":"Ann reads a long book in the garden","qas":[
{"id":"1","question":"who","answers":[{"text":"Ann","answer_start":0}]}]}]}]}
EOF
squad2tfrecord -q --summary s1 -o q.rec q.json
covers squad2tfrecord s1

printf 'text,label\nhello,a\nworld,b\nhello world,a\nhello,a\n' >a.csv
csv2tfrecord -q -l label -o a.rec a.csv
tfrecord-cat -q --dedupe text_a --summary t1 -o dd.rec a.rec
tfrecord-cat -q --leak a.rec --summary t2 a.rec >/dev/null
is "$(grep -o '"status":.' t2)" '"status":1' 'the exit status'
covers tfrecord-cat t1 t2

bert-tokenize -q -m "$M" --max-length 3 --summary k1 -o a.tok a.rec
bert-tokenize -q -m "$M" --max-length 16 --max-question 3 --stride 0 --summary k2 -o q.tok q.rec
bert-tokenize -q -m "$M" --detokenize --summary k3 a.tok >/dev/null
covers bert-tokenize k1 k2 k3

train() {
	bert-train -q --init-config tiny --tokenizer "$M" "$@" a.tok >/dev/null
}
train --steps 2 --eval a.tok --summary b1 -o m
train --steps 1 --kfold 2 --summary b2 -o folds
train --steps 1 --seeds 2 --eval a.tok --summary b3 -o seeds
train --steps 5 --learning-rate 0 --dropout 0 --metric loss --eval a.tok --tune-steps 20 --tune-over learning-rate=1e-4..1e-3 --summary b4 -o tuned
printf 'id,text\n1,hello\n2,good world\n' >more.csv
csv2tfrecord -q -i id -t text -o more.text more.csv
bert-tokenize -q -m "$M" -o more.tok more.text
bert-predict -q -m m --proba -o more.pred more.tok
bert-train -q --init-config tiny --tokenizer "$M" --steps 1 --pseudo-label more.pred --pseudo-threshold 0 \
	--summary b5 -o pseudo a.tok more.tok
# those of a device need one: cli/bert-train/device and cli/bert-predict/device
# look for them
elsewhere='device replicas compile_seconds rows_filled' covers bert-train b1 b2 b3 b4 b5
bert-predict -q -m m --min-proba .99 --summary p1 -o p.csv a.tok
csv2tfrecord -q -l a,b several.csv --skip-bad | bert-tokenize -q -m "$M" -o several.tok
bert-train -q --init-config tiny --tokenizer "$M" --task multilabel --steps 1 -o several several.tok
bert-predict -q -m several --threshold 1 --summary p2 -o p.csv a.tok
csv2tfrecord -q -l label --label-type float --skip-bad numbers.csv | bert-tokenize -q -m "$M" -o numbers.tok
bert-train -q --init-config tiny --tokenizer "$M" --task regression --steps 1 -o number numbers.tok
bert-predict -q -m number --summary p3 -o p.csv numbers.tok
bert-tokenize -q -m "$M" -o words.tok words.rec
bert-train -q --init-config tiny --tokenizer "$M" --task tagging --steps 1 -o words words.tok
bert-predict -q -m words --summary p4 -o p.conll words.tok
elsewhere='device compile_seconds rows_filled' covers bert-predict p1 p2 p3 p4
like "$(cat p1)" '*"predicted":{"a":0,"b":0},"rejected":4*' 'rejected texts have no label'
like "$(cat p2)" '*"predicted":{"a":0,"b":0},"without_label":4*' 'nor have those below the threshold'
is "$(perl -MJSON::PP -0777 -ne '$s += $_ for values %{decode_json($_)->{predicted}}; print $s' p4)" 3 \
	'tags are counted by words'
printf 'text,label\nhello,say "x"\nworld,b\n' | csv2tfrecord -q -l label | bert-tokenize -q -m "$M" -o quoted.tok
bert-train -q --init-config tiny --tokenizer "$M" --steps 1 -o quoted quoted.tok
bert-predict -q -m quoted --summary p5 -o p.csv quoted.tok
is "$(perl -MJSON::PP -0777 -ne 'print join "|", sort keys %{decode_json($_)->{predicted}}' p5)" 'b|say "x"' \
	'a label with quotes'

for f in [a-z][0-9]; do
	members "$f"
done | sort -u >seen
documented '' | comm -23 - seen >why
sed -i '/^seconds number$/d' why # which happens to be whole
[ ! -s why ]
result $? 'all tools: what the page lists is there'

# every warning has a code that the page explains
perl -0777 -ne 'print "$1\n" while
	/bt_(?:log_warn|tool_say)\(\s*[^";]*(?:"warning")?,\s*"([a-z0-9-]+)"/g' \
	"$TEST_TOP"/lib/*/*.c "$TEST_TOP"/cmd/*.c | grep -vx 'error\|warning' | sort -u >codes
perl -ne 'print "$1\n" if /^and warnings/ .. /^\.El/ and /^\.It Li (\S+) Ta/' "$PAGE" \
	>explained
same explained codes 'the codes of warnings are those of the page, in order'
perl -0777 -ne 'print "$ARGV\n" if /bt_log(_hint)?\([^";]*,\s*BT_LOG_WARN/' \
	"$TEST_TOP"/lib/*/*.c "$TEST_TOP"/cmd/*.c >why
[ ! -s why ]
result $? 'no warning is without one'

# where it goes
bert-tokenize -q -m "$M" --summary - -o b.tok a.rec >out
like "$(cat out)" '{"tool":"bert-tokenize",*}' 'on standard output'
bert-tokenize -q -m "$M" --summary /dev/fd/3 -o b.tok a.rec 3>third
like "$(cat third)" '{"tool":"bert-tokenize",*}' 'to a descriptor'
declines 2 '*the summary cannot go where the output goes*' 'not among the output' \
	bert-tokenize -m "$M" --summary - a.rec
declines 2 "*'a.rec' is both input and output*" 'not in place of an input' \
	bert-tokenize -m "$M" --summary a.rec -o b.tok a.rec
declines 2 "*b.tok' is the same file as another output*" 'nor of an output' \
	bert-tokenize -m "$M" --summary ./b.tok -o b.tok a.rec
declines 2 "*'a.tok' is both input and output*" 'nor of the evaluation set' \
	bert-train --init-config tiny --tokenizer "$M" --eval a.tok --summary a.tok -o n q.tok
exits 1 'in no such directory' bert-tokenize -m "$M" --summary no/s -o never a.rec
[ ! -e never ]
result $? '... the work is not begun'
exits 2 'a mistake in the command line' bert-tokenize --summary mistake -o never a.rec
[ ! -e mistake ] && [ ! -e never ]
result $? '... leaves none'
if [ -e /dev/full ]; then
	refuses '*cannot write*' 'a full disk' bert-tokenize -q -m "$M" --summary /dev/full -o b.tok a.rec
fi
finish
