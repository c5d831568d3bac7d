# SPDX-License-Identifier: MIT
# A hub of the test's own, on an address of this machine (tests/serve/hub.c).
# shellcheck shell=sh
COMMIT=0123456789abcdef0123456789abcdef01234567

hub_start() {
	unset HF_HUB_OFFLINE HF_TOKEN HF_HUB_CACHE HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME
	mkdir -p hub/www
	"$BUILD/serve/hub" hub &
	hub_process=$!
	trap 'kill $hub_process 2>/dev/null' EXIT
	wait_for [ -s hub/port ]
	HF_ENDPOINT=http://127.0.0.1:$(cat hub/port)
	HF_HOME=$PWD/hf
	export HF_ENDPOINT HF_HOME
}

# hub_or_end: the same, but where bert-fetch was built without libcurl the test ends
hub_or_end() {
	if bert-fetch x 2>&1 | grep -q 'built without'; then
		skip 'bert-fetch' 'libcurl is not installed'
		finish
	fi
	hub_start
}

# hub_rules LINE ...: how it misbehaves from now on; the log begins anew
hub_rules() {
	rm -f hub/uses.* hub/log hub/rules hub/go
	[ $# = 0 ] || printf '%s\n' "$@" >hub/rules
}

# git_hash FILE: as git names its content
git_hash() {
	{ printf 'blob %d\0' "$(wc -c <"$1")"; cat "$1"; } | sha1sum | cut -d ' ' -f 1
}

# hub_listing NAME REVISION: says what the model has, or the data set datasets/NAME:
# .safetensors, .bin and .parquet files as large ones, by their SHA-256
hub_listing() {
	dir=hub/www/$1/resolve/$COMMIT
	case $1 in datasets/*) of= ;; *) of=models/ ;; esac
	revision=hub/www/api/$of$1/revision
	mkdir -p "$revision"
	(
		cd "$dir" && find . -type f ! -name '*.headers' | sed 's,^\./,,' | sort |
			while read -r f; do
				case $f in
				*.safetensors | *.bin | *.h5 | *.parquet) more=",\"lfs\":{\"pointerSize\":130,\"sha256\":\"$(
					sha256sum "$f" | cut -d ' ' -f 1
				)\",\"size\":$(wc -c <"$f")}" ;;
				*) more= ;;
				esac
				printf '{"rfilename":"%s","size":%d,"blobId":"%s"%s},\n' "$f" \
					"$(wc -c <"$f")" "$(git_hash "$f")" "$more"
			done
	) | sed '$s/,$//' | {
		printf '{"id":"%s","sha":"%s","siblings":[\n' "$1" "$COMMIT"
		cat
		echo ']}'
	} >"$revision/$2"
}
