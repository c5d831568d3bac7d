#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-fetch and huggingface_hub share a cache, of models and of data sets: each reads what
# the other fetched from the same hub.
# Not under thread: no threads but those of cli/bert-train and of a library which looks up names
# Not under address: cli/bert-fetch is run there
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/hub.sh"

peer_or_end 'huggingface_hub' huggingface_hub
hub_or_end
small_data
small_train model -q
export HF_HUB_DISABLE_TELEMETRY=1 HF_HUB_DISABLE_PROGRESS_BARS=1
www=hub/www/org/intent/resolve/$COMMIT
mkdir -p "$www"
cp model/*.json model/*.safetensors "$www"
cp vocab.txt "$www"
hub_listing org/intent main
# what its program wants to know of a file comes in headers
for f in "$www"/*; do
	case $f in
	*.safetensors) hash=$(sha256sum "$f" | cut -d ' ' -f 1) ;;
	*) hash=$(git_hash "$f") ;;
	esac
	printf 'ETag: "%s"\r\nX-Repo-Commit: %s\r\n' "$hash" "$COMMIT" >"$f.headers"
done
# and their list has other words
"$PEER_PYTHON" -c 'import json, os, sys
m = json.load(open("hub/www/api/models/org/intent/revision/main"))
files = []
for s in m["siblings"]:
    f = {"type": "file", "oid": s["blobId"], "size": s["size"], "path": s["rfilename"]}
    if "lfs" in s:
        f["lfs"] = {"oid": s["lfs"]["sha256"], "size": s["size"], "pointerSize": 130}
    files.append(f)
os.makedirs("hub/www/api/models/org/intent/tree")
json.dump(files, open("hub/www/api/models/org/intent/tree/" + m["sha"], "w"))'
snapshot=hub/models--org--intent/snapshots/$COMMIT

# theirs CODE: what it prints in Python
theirs() {
	"$PEER_PYTHON" -c "$1" 2>why.python
}
bert-fetch -q org/intent >dir
is "$(theirs 'from huggingface_hub import snapshot_download
print(snapshot_download("org/intent", local_files_only=True))')" "$PWD/hf/$snapshot" \
	'huggingface_hub finds what bert-fetch fetched'
is "$(theirs 'from huggingface_hub import hf_hub_download
print(hf_hub_download("org/intent", "config.json", local_files_only=True))')" \
	"$PWD/hf/$snapshot/config.json" '... and each file'
is "$(theirs 'from huggingface_hub import scan_cache_dir
r, = scan_cache_dir().repos
print(r.repo_id, r.nb_files, [sorted(v.refs) for v in r.revisions])')" \
	"org/intent $(find "hf/$snapshot" -type l | wc -l) [['main']]" '... and counts them'
if theirs 'import transformers' >/dev/null; then
	is "$(HF_HUB_OFFLINE=1 theirs 'from transformers import AutoModelForSequenceClassification as M
print(type(M.from_pretrained("org/intent")).__name__)')" BertForSequenceClassification 'transformers loads it'
else
	skip 'transformers loads it' 'it is not installed'
fi
hub_rules
is "$(theirs 'from huggingface_hub import snapshot_download
print(snapshot_download("org/intent"))')" "$PWD/hf/$snapshot" 'huggingface_hub asks the hub'
is "$(grep -c 'GET.*resolve' hub/log)" 0 '... and fetches nothing again'

rm -rf hf
is "$(theirs 'from huggingface_hub import snapshot_download
print(snapshot_download("org/intent"))')" "$PWD/hf/$snapshot" 'huggingface_hub fetches'
bert-predict -q -m model dev.rec >wanted
works 'bert-predict finds what it fetched' bert-predict -q -m org/intent dev.rec
same out wanted '... with the same answers'
hub_rules
works 'bert-fetch, too' bert-fetch org/intent
like "$(cat err)" '*all were here*' '... and fetches nothing again'
is "$(grep -c 'GET.*resolve' hub/log)" 0 '... as the hub saw'
works 'both as one cache' theirs 'from huggingface_hub import scan_cache_dir
r, = scan_cache_dir().repos
assert not scan_cache_dir().warnings, scan_cache_dir().warnings'

# names of models, by its rules
for name in a a/b a.b/c_d-e a/b/c a//b /a a/ .a a. -a a- a/-b a--b a..b a/b.git a.git 'a b' 'a@b' é \
	"$(printf '%096d' 1)" "$(printf '%097d' 1)" "x/$(printf '%094d' 1)" "x/$(printf '%095d' 1)"; do
	"$PEER_PYTHON" -c 'import sys
from huggingface_hub.utils import validate_repo_id
validate_repo_id(sys.argv[1])' "$name" 2>/dev/null
	wanted=$?
	bert-fetch --list --retries 0 "$name" >out 2>err
	got=$?
	[ $wanted = 0 ] || wanted=2
	[ $got != 1 ] || got=0 # a name that the hub does not have
	is $got $wanted "the name '$name'"
done

# what one did not finish, the other does
rm -rf hf
hub_rules '*/model.safetensors 0 cut 10000'
bert-fetch -q --retries 0 org/intent >dir 2>err
hub_rules
is "$(theirs 'from huggingface_hub import snapshot_download
print(snapshot_download("org/intent"))')" "$PWD/hf/$snapshot" 'huggingface_hub follows a run that was cut'
same "hf/$snapshot/model.safetensors" "$www/model.safetensors" '... to the same file'

# data sets
www=hub/www/datasets/org/library/resolve/$COMMIT
mkdir -p "$www/data"
cp "$TEST_TOP/tests/data/parquet-hub/library-test.parquet" "$www/data/test.parquet"
cp "$TEST_TOP/pipelines/data/library-train.csv" "$www/train.csv"
hub_listing datasets/org/library main
rm -rf hf
works 'a data set' bert-fetch -q --dataset org/library
is "$(theirs 'from huggingface_hub import snapshot_download
print(snapshot_download("org/library", repo_type="dataset", local_files_only=True))')" \
	"$PWD/hf/hub/datasets--org--library/snapshots/$COMMIT" 'huggingface_hub finds it'
is "$(theirs 'from huggingface_hub import hf_hub_download
for f in "data/test.parquet", "train.csv":
    print(hf_hub_download("org/library", f, repo_type="dataset", local_files_only=True))')" \
	"$(cat out)" '... and its files'
is "$(theirs 'from huggingface_hub import scan_cache_dir
assert not scan_cache_dir().warnings, scan_cache_dir().warnings
r, = scan_cache_dir().repos
print(r.repo_type, r.repo_id, r.nb_files)')" 'dataset org/library 2' '... and counts them'
finish
