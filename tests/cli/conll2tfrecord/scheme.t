#!/bin/sh
# SPDX-License-Identifier: MIT
# conll2tfrecord --scheme: tags are checked by a scheme and written in another.
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"
tags() { # OPTION ... reads columns
	conll2tfrecord -q "$@" | tfrecord-cat -q --json | sed 's/.*"tags": //; s/, "words".*//; s/[]["]//g'
}
column() { awk -v c="$1" 'NF == 0 { print line; line = ""; next } { line = line (line == "" ? "" : ", ") $c }' "$DATA/tag-schemes.txt"; }

# the fixture has the same entities in six schemes
from=1
for a in iob1 iob2 ioe1 ioe2 iobes bilou; do
	from=$((from + 1)) to=1
	for b in iob1 iob2 ioe1 ioe2 iobes bilou; do
		to=$((to + 1))
		is "$(tags --tag $from --scheme $a:$b "$DATA/tag-schemes.txt" | cksum)" "$(column $to | cksum)" "from $a to $b"
	done
	is "$(tags --tag $from --scheme $a "$DATA/tag-schemes.txt" | cksum)" "$(column $from | cksum)" "$a as it is"
done

printf '%s\n' 'EU I-ORG' 'Anna I-PER' 'Ben B-PER' 'reads O' '' 'Zoe I-PER' >iob1.txt
works 'says what it did' conll2tfrecord --scheme iob1:iobes -o a.rec iob1.txt
is "$(cat err)" 'conll2tfrecord: 2 sentences, 5 words' 'nothing was changed'
is "$(tfrecord-cat -q --json a.rec | head -n 1)" \
	'{"id": "0", "lines": ["EU I-ORG", "Anna I-PER", "Ben B-PER", "reads O"], "tags": ["S-ORG", "S-PER", "S-PER", "O"], "words": ["EU", "Anna", "Ben", "reads"]}' \
	'lines stay as they are'
is "$(tags --context 1 --scheme iob1:bilou iob1.txt | tr '\n' ' ')" 'U-ORG, U-PER, U-PER, O U-PER ' 'with context'
printf '{"tokens": ["a", "b"], "tags": ["I-X", "I-X"]}\n' >a.jsonl
is "$(tags --scheme iob1:iob2 a.jsonl)" 'B-X, I-X' 'JSON Lines'

# tags that do not follow the scheme
no() { # LINE TEXT FROM TAG NEEDED
	printf "$2" >bad.txt
	refuses "conll2tfrecord: 'bad.txt': line $1: the tag '$4' does not follow the scheme $3, which has '$5' here" \
		"$3: $4 for $5" conll2tfrecord -o bad.rec --scheme "$3" bad.txt
}
no 2 'a O\nb I-X\n' iob2 I-X B-X
no 6 'a O\nb B-X\n\n\nc O\nd I-X\ne I-X\n\nf O\n' iob2 I-X B-X
no 3 'a B-X\nb I-X\nc I-Y\n\n' iob2 I-Y B-Y
no 1 'a B-X\n' iob1 B-X I-X
no 3 'a I-X\nb O\nc B-X\nd O\n' iob1 B-X I-X
no 2 'a S-X\nb B-X\nc O\n' iobes B-X S-X
no 2 'a B-X\nb I-X\n\nc O\n' iobes I-X E-X
no 1 'a S-X\n' bilou S-X U-X
no 1 'a I-X\nb O\n' ioe2 I-X E-X
[ ! -e bad.rec ]
result $? 'nothing is written then'
printf '{"tokens": ["a", "b"], "tags": ["O", "I-X"]}\n' >bad.jsonl
refuses "*'bad.jsonl': line 1: word 2: the tag 'I-X' does not follow the scheme iob2, which has 'B-X' here" 'in JSON Lines' \
	conll2tfrecord -o bad.rec --scheme iob2 bad.jsonl
works 'repairs them' conll2tfrecord --scheme iob2 --repair-tags -o fixed.rec iob1.txt
like "$(cat err)" '*: 3 tags did not follow the scheme and were changed' '... and says so'
is "$(tfrecord-cat -q --json fixed.rec | tail -n 1 | grep -o '"tags": [^,]*')" '"tags": "B-PER"' '... to those of the entities'
is "$(printf 'a B-X\nb O\nc I-X\nd S-Y\n' | tags --scheme iobes:iob2 --repair-tags)" 'B-X, O, B-X, B-Y' 'repairs, and writes in another'
for tag in PER B- b-PER 'X-PER' O-PER 1; do
	printf 'a O\nb %s\n' "$tag" >form.txt
	refuses "*'form.txt': line 2: the tag '$tag' is neither O nor a letter of B, I, E, S, L, U and a type, like B-PER" "a tag $tag" \
		conll2tfrecord -o bad.rec --scheme iob2 --repair-tags form.txt
done
printf 'a\nb\n' >bare.txt
refuses "*'bare.txt': line 1: has no tag, and tags are to follow a scheme" 'words without tags' conll2tfrecord -o bad.rec --scheme iob2 bare.txt
misuses "*unknown scheme 'x' (choose from: iob1|iob2|*" 'no such scheme' conll2tfrecord --scheme iob1:x iob1.txt
misuses "*unknown scheme 'bio' (choose from: iob1|iob2|*; BIO is iob2, BIOES is iobes)" '... to read' conll2tfrecord --scheme bio:iob2 iob1.txt
misuses "*unknown scheme '' (choose from: *" '... to write' conll2tfrecord --scheme iob1: iob1.txt
misuses '*--repair-tags needs --scheme*' 'nothing to repair by' conll2tfrecord --repair-tags iob1.txt
misuses '*give either --scheme or --no-tags*' 'a scheme of no tags' conll2tfrecord --scheme iob2 --no-tags iob1.txt
finish
