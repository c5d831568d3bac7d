#!/bin/sh
# SPDX-License-Identifier: MIT
# --windows: the windows of a text become one prediction; a long text with
# more windows than are predicted together among them.
# Not under thread: the threads are those of cli/bert-predict/output
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
small_train m -q
small_train m2 -q --seed 3
n=0
{
	sed -n 1,60p train.csv
	awk 'BEGIN { printf "long,"; for (i = 0; i < 9000; i++) printf "the %s ",
		i % 7 ? "wifi" : "parking"; print ",parking" }'
	sed -n 61,81p train.csv
} >long.csv
csv2tfrecord -q -i id -t text -l intent -o long.text.rec long.csv
bert-tokenize -q -m m --max-length 8 --stride 2 -o w.rec long.text.rec
windows=$(tfrecord-cat --count w.rec)
exits 0 'the long text is in two blocks' test "$windows" -gt 4200

# joined HOW: what awk makes of the rows of each.csv
joined() {
	awk -F, -v how="$1" 'function put() {
			if (n > 0) { printf "%s", id
			for (i = 2; i <= m; i++) printf ",%.5f", how == "mean" ? s[i] / n : s[i]
			print "" } }
		NR > 1 { if ($1 != id) { put(); n = 0; id = $1; m = NF }
			for (i = 2; i <= NF; i++)
				if (n == 0) s[i] = $i + 0
				else if (how == "mean") s[i] += $i
				else if (how == "max" && $i > s[i]) s[i] = $i + 0
			n++ }
		END { put() }' each.csv
}
# differ A B: rows of other ids, or of numbers that differ by more than 3e-5
differ() {
	paste -d, "$1" "$2" | awk -F, '{ h = NF / 2; if ($1 != $(h + 1)) print
		for (i = 2; i <= h; i++) { d = $i - $(h + i); if (d > 3e-5 || d < -3e-5) print } }' | head -n 3
}
for what in '-m m' '-m m -m m2' '-m m --embed mean'; do
	# shellcheck disable=SC2086
	bert-predict -q $what --windows each --format tensor w.rec | tensor-cat -q --csv - >each.csv
	is "$(wc -l <each.csv)" $((windows + 1)) "$what: --windows each gives a row to each"
	for how in mean max first; do
		# shellcheck disable=SC2086
		works "--windows $how" bert-predict -q $what --windows $how --format tensor -o $how.ts w.rec
		tensor-cat -q --csv $how.ts | sed 1d >got
		joined $how >want
		is "$(wc -l <got)" 81 '... gives one to each text'
		is "$(differ got want)" '' '... with the numbers that follow from the windows'"'"
	done
	# shellcheck disable=SC2086
	bert-predict -q -j 3 $what --format tensor w.rec >o.ts
	same o.ts mean.ts 'the mean is the default, whatever the number of threads'
done
bert-predict -q -m m --embed mean --normalize w.rec >norm.csv
is "$(awk -F, 'NR > 1 { s = 0; for (i = 2; i <= NF; i++) s += $i * $i
	if (s < .99999 || s > 1.00001) print $1, s }' norm.csv)" '' 'joined embeddings are normalized'

works 'probabilities' bert-predict -m m --proba --with label,text_a -o out.csv --header id,predicted \
	--windows mean "$(bert-tokenize -q -m m --keep-text --max-length 8 --stride 2 -o k.rec long.text.rec; echo k.rec)"
like "$(cat err)" "bert-predict: 81 texts of $windows windows: a text has the mean of its windows' logits (choose with --windows)*" \
	'say what was joined'
like "$(cat err)" '*bert-predict: 81 predictions in *' '... and how many were made'
bert-predict -q -m m --proba w.rec >plain.csv
csv2tfrecord -q -i id -t text_a -l predicted out.csv | tfrecord-cat --json |
	sed 's/.*"label": "\([^"]*\)".*/\1/' >got
sed '1d; s/^[^,]*,\([^,]*\),.*/\1/' plain.csv >want
same got want '... with other fields of the text beside them'
{ echo id,intent; sed '1d; s/,.*/,x/' plain.csv | sort; } >sample.csv
works 'a submission' bert-predict -q -m m --sample sample.csv w.rec
is "$(sed 1d out | sort)" "$(sed '1d; s/^\([^,]*,[^,]*\),.*/\1/' plain.csv | sort)" '... has each text once'

# records of one window, and records without
bert-tokenize -q -m m --max-length 200 --stride 2 -o one.rec dev.text.rec
bert-tokenize -q -m m --max-length 200 -o none.rec dev.text.rec
bert-predict -m m one.rec >one.csv 2>err
bert-predict -q -m m none.rec >none.csv
same one.csv none.csv 'one window is the text'
is "$(grep -c windows err)" 0 '... and nothing is said of it'
tfrecord-cat -q --head 1 none.rec >mixed.rec
tfrecord-cat -q --head 30 w.rec >>mixed.rec
tfrecord-cat -q --head 1 none.rec >>mixed.rec
works 'mixed with records without windows' bert-predict -q -m m mixed.rec
is "$(sed -n '2p;$p' out | cut -d, -f1 | uniq | wc -l)" 1 '... each its own example'

# out of order
tfrecord-cat -q --shuffle --seed 4 w.rec >s.rec
refuses "*cannot read 's.rec': record *: is window * of the text 'long' and does not follow the window before it: *(--windows each takes each window by itself)" \
	'a shuffled file' bert-predict -m m s.rec
exits 0 '... is taken by --windows each' bert-predict -q -m m --windows each s.rec
tfrecord-cat -q --head 30 s.rec >t.rec
refuses "*record *: is window *" 'also of the first window' bert-predict -m m --windows first t.rec
misuses "*--windows*" 'no such way' bert-predict -m m --windows median w.rec
finish
