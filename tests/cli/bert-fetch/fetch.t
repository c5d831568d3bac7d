#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-fetch takes what the tools read, checks it, and goes on where it stopped.
# Not under thread: no threads but that of a library which looks up names
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/hub.sh"

hub_or_end
www=hub/www/org/tiny/resolve/$COMMIT
mkdir -p "$www/1_Pooling" "$www/onnx"
echo '{"model_type":"bert"}' >"$www/config.json"
echo '{"version":"1.0"}' >"$www/tokenizer.json"
echo '[{"path":"","type":"sentence_transformers.models.Transformer"},
	{"path":"1_Pooling"}]' >"$www/modules.json"
echo '{"word_embedding_dimension":4}' >"$www/1_Pooling/config.json"
: >"$www/merges.txt"
head -c 300000 /dev/urandom >"$www/model.safetensors"
head -c 1000 /dev/urandom >"$www/pytorch_model.bin"
echo 'a card' >"$www/README.md"
echo graph >"$www/onnx/model.onnx"
hub_listing org/tiny main
snapshot=$PWD/hf/hub/models--org--tiny/snapshots/$COMMIT
# what has come of the model
partial=hf/hub/models--org--tiny/blobs/$(sha256sum "$www/model.safetensors" | cut -d ' ' -f 1).incomplete
has_bytes() { [ "$(wc -c <"$1" 2>/dev/null)" = "$2" ]; }
files='1_Pooling/config.json
config.json
merges.txt
model.safetensors
modules.json
tokenizer.json'

# --- what comes
works '--list' bert-fetch --list org/tiny
is "$(cut -f 2 out | sort)" "$files" 'names what the tools read'
like "$(cat out)" '*300000	model.safetensors*' 'with sizes'
like "$(cat err)" "*org/tiny' at commit $COMMIT: 6 files*" 'and the commit'
is "$(ls hf 2>/dev/null)" '' 'and fetches nothing'
misuses '*-o does not go with --list' 'a list in a directory' bert-fetch --list -o x org/tiny
works 'a model' bert-fetch org/tiny
is "$(cat out)" "$snapshot" 'prints its directory'
is "$(cd "$snapshot" && find . ! -type d | sed 's,^\./,,' | sort)" "$files" 'which has these files'
for f in $files; do
	cmp -s "$snapshot/$f" "$www/$f"
	result $? "$f is equal"
done
is "$(readlink "$snapshot/1_Pooling/config.json")" \
	"../../../blobs/$(git_hash "$www/1_Pooling/config.json")" 'a link to the blob of its hash'
is "$(readlink "$snapshot/model.safetensors")" \
	"../../blobs/$(sha256sum "$www/model.safetensors" | cut -d ' ' -f 1)" 'a large one, too'
is "$(cat hf/hub/models--org--tiny/refs/main)" "$COMMIT" 'main stands for the commit'
like "$(cat err)" "*'org/tiny' at commit $COMMIT: 6 files, 0.3 MB*0.3 MB fetched in *" 'it is summed up'
hub_rules
works 'once more' bert-fetch org/tiny
like "$(cat err)" '*all were here*' 'nothing is fetched'
is "$(grep -c 'resolve.*safetensors' hub/log)" 0 '... as the server saw'
works 'into a directory' bert-fetch -q -o plain org/tiny
is "$(cat out; cat err)" plain 'quietly'
is "$(cd plain && find . ! -type d | sed 's,^\./,,' | sort)" "$files" 'the same files, nothing beside them'
echo changed >plain/config.json
refuses "*'plain/config.json' is there and is not the hub's file (*--force)" 'a changed file' \
	bert-fetch -o plain org/tiny
is "$(cat plain/config.json)" changed '... which stays'
works '--force' bert-fetch -q --force -o plain org/tiny
same plain/config.json "$www/config.json" 'replaces it'

# --- connections that fail
fresh() { rm -rf hf; hub_rules "$@"; }
fresh '*/model.safetensors 2 cut 100000'
works 'a connection cut twice' bert-fetch -q org/tiny
same "$snapshot/model.safetensors" "$www/model.safetensors" 'is continued'
is "$(grep -o 'tiny.*safetensors range=.* ' hub/log | sed 's/.*range=//; s/ .*//' | tr '\n' ' ')" \
	' bytes=100000- bytes=200000- ' 'where it stopped'
fresh '*/model.safetensors 0 cut 100000'
refuses "*'model.safetensors': *" 'a run that is cut' bert-fetch -q --retries 0 org/tiny
is "$(ls "$snapshot" hf/hub/models--org--tiny/refs 2>/dev/null)" '' 'and nothing appears'
hub_rules
works 'the next run' bert-fetch -q org/tiny
is "$(sed -n 's/.*model.safetensors range=\([^ ]*\).*/\1/p' hub/log)" 'bytes=100000-' 'continues'
fresh '*/model.safetensors 1 cut 100000' '*/model.safetensors 0 norange'
works 'a server without ranges' bert-fetch -q org/tiny
same "$snapshot/model.safetensors" "$www/model.safetensors" 'sends it again'
fresh '*/model.safetensors 0 cut 100000'
exits 1 'a cut again' bert-fetch -q --retries 0 org/tiny
printf X | dd of="$partial" conv=notrunc 2>dd
hub_rules
works 'what is left was damaged' bert-fetch -q org/tiny
same "$snapshot/model.safetensors" "$www/model.safetensors" '... and is fetched again'
fresh '*/config.json 1 status 429 Retry-After: 1' '*/tokenizer.json 2 status 503' \
	'/api/* 1 status 500'
works 'servers that are busy' bert-fetch -v org/tiny
like "$(cat err)" "*config.json': the server answers with status 429; trying again in 1.0 s*" 'are asked again'
fresh '*/config.json 0 status 429 Retry-After: 4000'
refuses "*'*config.json': the server answers with status 429; the server asks to wait 4000 s" 'not after an hour' bert-fetch org/tiny
fresh '*/config.json 0 status 503'
refuses "*config.json': the server answers with status 503, also when tried again" 'not for ever' \
	bert-fetch --retries 1 org/tiny
fresh '*/model.safetensors 1 stall 1000'
works 'a silent connection' bert-fetch -q --timeout 1 org/tiny
same "$snapshot/model.safetensors" "$www/model.safetensors" 'is given up and continued'

# --- files that are not what was announced
fresh '*/model.safetensors 0 corrupt'
refuses "*'model.safetensors': its hash is *, and the hub lists *" 'a wrong byte' bert-fetch org/tiny
is "$(ls "$partial" "${partial%.incomplete}" hf/hub/*/refs 2>/dev/null)" '' 'leaves nothing'
fresh '*/config.json 0 corrupt'
refuses "*config.json': its hash is *" 'in a small file' bert-fetch org/tiny
fresh '*/model.safetensors 0 short 10'
refuses "*'model.safetensors': 299990 bytes come, and the hub lists 300000" 'a shorter file' bert-fetch org/tiny
fresh '*/model.safetensors 0 grow 10'
refuses "*'model.safetensors': more comes than the 300000 bytes that the hub lists" 'a longer file' bert-fetch org/tiny

# --- redirections, and who gets the token
mkdir hub/www/cdn
cp "$www/model.safetensors" hub/www/cdn
fresh '*/resolve/*/model.safetensors 0 redirect /cdn/model.safetensors'
HF_TOKEN=hf_secret works 'a redirection' bert-fetch -q org/tiny
is "$(grep -c 'cdn.*Bearer hf_secret' hub/log)" 1 'within the hub, with the token'
fresh '*/resolve/*/model.safetensors 0 redirect http://localhost:%P/cdn/model.safetensors'
HF_TOKEN=hf_secret works 'to another host' bert-fetch -q org/tiny
is "$(sed -n 's/.*cdn.*token=//p' hub/log)" '' 'without the token'
same "$snapshot/model.safetensors" "$www/model.safetensors" 'it comes'
for to in http://192.0.2.1/x ftp://127.0.0.1/x file://localhost/etc/hostname; do
	fresh "*/model.safetensors 0 redirect $to"
	refuses "*'model.safetensors': the address of it is *https*" \
		"not to $to" bert-fetch org/tiny
done
fresh '*/model.safetensors 0 redirect /org/tiny/resolve/again/model.safetensors'
refuses "*'model.safetensors': it is redirected more than 8 times" 'a circle' bert-fetch org/tiny

# --- refusals
fresh '/api/* 0 status 401 X-Error-Message: Invalid username or password.'
refuses "*'org/tiny': the hub does not give it to everybody*status 401: Invalid*(*HF_TOKEN*)" '401' bert-fetch org/tiny
HF_TOKEN=hf_secret refuses "*'org/tiny': the hub does not give it to the token's owner: status 401*" '... with a token' \
	bert-fetch org/tiny
grep -q hf_secret err
is $? 1 '... which is not shown'
hub_rules
refuses "*'org/none': the hub does not have it: status 404*" '404' bert-fetch org/none
refuses '*status 404*' 'a revision that is not there' bert-fetch --revision v2 org/tiny
cp hub/www/api/models/org/tiny/revision/main 'hub/www/api/models/org/tiny/revision/refs%2Fpr%2F1'
works 'another revision' bert-fetch -q --revision refs/pr/1 org/tiny
is "$(cat hf/hub/models--org--tiny/refs/refs/pr/1)" "$COMMIT" 'has its name'
HF_TOKEN='a
b' misuses '*the token has a character*' 'a token of two lines' bert-fetch org/tiny
for name in ../x /etc a//b a/b/c .x 'a b' x--y x.git "$(printf 'a\033b')"; do
	misuses "*is not the name of a model*" "no model: $name" bert-fetch "$name"
done
misuses '*not the name of a revision' 'no revision' bert-fetch --revision ../x org/tiny
HF_HUB_OFFLINE=1 misuses '*HF_HUB_OFFLINE*' 'offline' bert-fetch org/tiny
HF_ENDPOINT=http://192.0.2.1 misuses '*only https is spoken*' 'plain http' bert-fetch org/tiny
HF_ENDPOINT=nothing:// misuses '*is not an address*' 'no address' bert-fetch org/tiny
HF_ENDPOINT=https://127.0.0.1:$(cat hub/port) refuses "*'org/tiny': *" 'a server that does not speak TLS' \
	bert-fetch --retries 0 --timeout 2 org/tiny

# --- a certificate that nobody signed
if command -v openssl >/dev/null; then
	openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out certificate -days 1 \
		-subj /CN=localhost 2>/dev/null
	openssl s_server -accept 127.0.0.1:0 -key key -cert certificate -www >tls 2>&1 &
	tls=$!
	trap 'kill $hub_process $tls 2>/dev/null' EXIT
	wait_for grep -q '^ACCEPT' tls
	tls_port=$(sed -n 's/^ACCEPT .*://p' tls)
	HF_ENDPOINT=https://localhost:$tls_port HF_TOKEN=hf_secret refuses "*'org/tiny': *certificate*" \
		'a certificate that nobody signed' bert-fetch --retries 0 org/tiny
	fresh "*/model.safetensors 0 redirect https://127.0.0.1:$tls_port/x"
	refuses "*'model.safetensors': *certificate*" '... behind a redirection' \
		bert-fetch --retries 0 org/tiny
	kill $tls
else
	skip 'a certificate that nobody signed' 'there is no openssl'
fi

# --- what the hub says is not trusted
listing=hub/www/api/models/org/tiny/revision/main
cp "$listing" good
for name in ../climbs a/../../b /etc/passwd a//b . 'a\\\\b' 'a\\nb' 'a\\u001bb' ''; do
	sed "s,merges.txt,$name," good >"$listing"
	refuses "*'org/tiny': what the hub tells: *is not the name of a file below*" "the name '$name'" bert-fetch org/tiny
done
sed "s,merges.txt,a\\\\u0000b," good >"$listing"
refuses '*what the hub tells: *' 'a name with NUL' bert-fetch org/tiny
sed "s/$COMMIT/..\/..\/x/" good >"$listing"
refuses '*names no commit*' 'a commit that climbs' bert-fetch org/tiny
head -c 300 good >"$listing"
refuses '*is not valid JSON*' 'half a listing' bert-fetch org/tiny
sed 's/"sha256":"/&..\//' good >"$listing"
refuses '*neither SHA-256 nor SHA-1' 'a hash that climbs' bert-fetch org/tiny
is "$(find . -name 'climbs*' -o -name passwd)" '' 'nothing was written elsewhere'

# --- a hub that tells hashes in headers only
sed 's/,"size":[0-9]*,"blobId":[^}]*}*}/}/' good >"$listing"
for f in $files; do
	printf 'ETag: "%s"\r\n' "$(git_hash "$www/$f")" >"$www/$f.headers"
done
printf 'ETag: "other"\r\nX-Linked-Etag: "%s"\r\nX-Linked-Size: 300000\r\n' \
	"$(sha256sum "$www/model.safetensors" | cut -d ' ' -f 1)" >"$www/model.safetensors.headers"
fresh
works 'hashes in headers' bert-fetch -q org/tiny
same "$snapshot/model.safetensors" "$www/model.safetensors" 'are taken'
rm "$www/config.json.headers"
fresh
refuses "*'config.json': the hub tells no size or no hash of it" 'no hash at all' bert-fetch org/tiny
cp good "$listing"

# --- a run that is stopped or killed
for signal in TERM KILL; do
	fresh '*/model.safetensors 1 stall 1000'
	bert-fetch -q org/tiny >first 2>first.err &
	other=$!
	wait_for has_bytes "$partial" 1000
	kill -$signal $other
	wait $other 2>/dev/null
	got=$?
	if [ $signal = TERM ]; then
		is "$got $(cat first.err)" '1 bert-fetch: stopped' 'SIGTERM stops it'
	else
		is $got 137 'SIGKILL ends it'
	fi
	is "$(cat hf/hub/*/refs/main 2>/dev/null)" '' '... and no model appears'
	hub_rules
	works '... the next run' bert-fetch -q org/tiny
	is "$(sed -n 's/.*model.safetensors range=\([^ ]*\).*/\1/p' hub/log)" bytes=1000- '... goes on'
	same "$snapshot/model.safetensors" "$www/model.safetensors" '... to the whole file'
done

# --- two runs at once
# together FILE [OPTION ...]: the second begins while FILE has 1000 bytes of the first, and
# that goes on when the second waits
together() {
	file=$1
	shift
	bert-fetch "$@" org/tiny >first 2>first.err &
	other=$!
	wait_for has_bytes "$file" 1000
	bert-fetch "$@" org/tiny >second 2>second.err &
	second=$!
	wait_for grep -q "another process is fetching '.*': waiting" second.err
	result $? 'a second run waits'
	: >hub/go
	wait $other
	is $? 0 'the first ends well'
	wait $second
	is $? 0 'and so does the second'
}
fresh '*/model.safetensors 1 hold 1000' '*/tokenizer.json 1 hold 0'
together "$partial"
is "$(grep -c 'GET.*tokenizer.json' hub/log)" 1 'a file comes once'
same "$snapshot/model.safetensors" "$www/model.safetensors" 'and is whole'
rm -rf plain
hub_rules '*/model.safetensors 1 hold 1000'
together plain/.model.safetensors."$(sha256sum "$www/model.safetensors" | cut -c 1-12)".incomplete -o plain
same plain/model.safetensors "$www/model.safetensors" 'with the model'
is "$(find plain -name '.*' -type f)" '' 'and nothing else'
finish
