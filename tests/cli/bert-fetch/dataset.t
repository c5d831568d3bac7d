#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-fetch fetches the tables of a data set, and says their paths.
# Not under thread: no threads but that of a library which looks up names
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/hub.sh"

hub_or_end
www=hub/www/datasets/org/mail/resolve/$COMMIT
mkdir -p "$www/data"
printf 'text,label\nBuy now,spam\nSee you at six,ham\n' >"$www/data/train-0.csv"
printf 'text,label\nThe minutes,ham\nYou have won,spam\n' >"$www/data/train-1.csv"
printf '{"text":"Lunch?","label":"ham"}\n' >"$www/test.jsonl"
cp "$TEST_TOP/tests/data/parquet-hub/ag_news.parquet" "$www/old.parquet"
gzip -c "$www/data/train-0.csv" >"$www/again.csv.gz"
for f in README.md mail.py dataset_infos.json notes.txt test.csv.zip; do
	echo "$f" >"$www/$f"
done
hub_listing datasets/org/mail main
snapshot=$PWD/hf/hub/datasets--org--mail/snapshots/$COMMIT

works '--list' bert-fetch --dataset --list org/mail
is "$(cut -f 2 out | tr '\n' ' ')" 'again.csv.gz data/train-0.csv data/train-1.csv old.parquet test.csv.zip test.jsonl ' \
	'the tables by the endings of their names'
is "$(ls hf 2>/dev/null)" '' 'and nothing is fetched'
works 'some' bert-fetch -q --dataset --include 'data/train*' --include '*.jsonl' org/mail
is "$(cat out)" "$snapshot/data/train-0.csv
$snapshot/data/train-1.csv
$snapshot/test.jsonl" 'their paths'
is "$(cat hf/hub/datasets--org--mail/refs/main)" "$COMMIT" 'in the cache of data sets'
works 'from the hub to records' eval "csv2tfrecord -q -t text -l label -o train.rec \
	\$(bert-fetch -q --dataset --include '*train*' org/mail)"
is "$(tfrecord-cat -q --count train.rec)" 4 'of both files'
works 'Parquet' eval "csv2tfrecord -q -t text -l label -o news.rec \
	\$(bert-fetch -q --dataset --include '*.parquet' org/mail)"
like "$(tfrecord-cat --json news.rec)" '*"Sci/Tech"*' 'whose labels have names'
works 'two patterns of one file' bert-fetch --dataset --list --include '*.txt' --include 'n*' --include '*.py' org/mail
is "$(cut -f 2 out | tr '\n' ' ')" 'mail.py notes.txt ' 'list it once, in the order of the hub'
works 'a file of any kind' bert-fetch -q --dataset --include notes.txt -o plain org/mail
is "$(cat out)" plain/notes.txt 'if it is named'
same plain/notes.txt "$www/notes.txt" 'as it is'
works 'all tables' bert-fetch --dataset org/mail
is "$(wc -l <out | tr -d ' ')" 6 'their paths, a line each'
like "$(cat err)" "*'org/mail' at commit $COMMIT: 6 files*" 'are summed up'

# --- what is not there
refuses "*'org/mail': none of its 10 files has a name like '*.arrow'" 'a pattern of no file' \
	bert-fetch --dataset --include '*train*' --include '*.arrow' org/mail
refuses "*'mail': the hub does not have it: status 404*" 'no such data set' bert-fetch --dataset mail
hub_rules '/api/models/* 0 status 401'
refuses "*'org/mail': the hub does not give it*(*--dataset fetches a data set)" 'the name of a data set alone' \
	bert-fetch org/mail
hub_rules
script=hub/www/datasets/script/resolve/$COMMIT
mkdir -p "$script"
echo code >"$script/script.py"
echo '{}' >"$script/dataset_infos.json"
hub_listing datasets/script main
refuses "*'script': none of its 2 files is a table that can be read here (*--revision refs/convert/parquet)" \
	'a data set that is a program' bert-fetch --dataset script
misuses '*not the name of a data set*' 'no name' bert-fetch --dataset ../x
misuses '*-o: expected a directory, not the standard output*' 'the standard output' bert-fetch --dataset -o - org/mail
misuses '*--include goes with --dataset' '--include alone' bert-fetch --include '*.bin' org/mail
misuses '*--base does not go with --dataset' '--base' bert-fetch --dataset --base org/mail
finish
