# SPDX-License-Identifier: MIT
# The cases of tests/bench with several processes, on this machine: what a second one
# gains, and ranks that are killed.
# shellcheck shell=sh disable=SC2154

# mpirun, with what this machine's two processes need
many() { # N COMMAND ...
	number=$1
	shift
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
		exec mpirun --bind-to none -n "$number" "$@" </dev/null
}

# ranks_case: BERT-base in bf16 with one thread and with two processes of one thread, in
# turn; then what each sends in an update, as a share of 2 (n - 1) / n of the gradients
ranks_case() {
	wanted ranks-base || return 0
	if ! command -v mpirun >/dev/null; then
		echo 'SKIP: ranks-base: mpirun is not installed'
		return 0
	fi
	csv2tfrecord -qt "$text" -l "$label" "$train" |
		bert-tokenize -qm "$vocab" --max-length 16 -o "$out/ranks.rec"
	set -- bert-train -v --init-config "$out/base.json" --tokenizer "$vocab" --force -j 1 --dtype bf16 \
		--shards 2 --batch-size 256 --steps "${BENCH_STEPS:-8}" -o "$out/ranks" "$out/ranks.rec"
	: >"$out/speeds"
	n=$runs
	while [ "$n" -gt 0 ]; do
		n=$((n - 1))
		for number in 1 2; do
			(many $number "$@") 2>"$out/err" || {
				cat "$out/err" >&2
				exit 1
			}
			speed=$(sed -n 's/.* \([0-9]*\) tokens\/s.*/\1/p' "$out/err" | sort -n | tail -n 1)
			echo "$number $speed" >>"$out/speeds"
		done
	done
	floats=$(ckpt-inspect "$out/ranks/model.safetensors" |
		sed -n 's/.*[^0-9,]\([0-9,]*\) parameters.*/\1/p' | tr -d , | head -n 1)
	sent=$(sed -n 's/.* ranks sent each other \([0-9]*\) bytes in [0-9]* updates/\1/p' "$out/err")
	sort -n "$out/speeds" | awk -v sent="$sent" -v floats="$floats" -v steps="${BENCH_STEPS:-8}" -v log_file="$log" '
	{ speed[$1, ++n[$1]] = $2 }
	END {
		for (k = 1; k <= 2; k++) s[k] = speed[k, int((n[k] + 1) / 2)]
		share = sent / steps / 2 / (4 * floats)
		for (k = 1; k <= 2; k++) speeds = speeds sprintf(" %d", s[k])
		printf "%-22s%s tokens/s of one and two processes (%.2fx); each sends %.0f MB an update, " \
			"%.2f of 2(n-1)/n of the gradients\n", "ranks-base", speeds, s[2] / s[1],
			sent / steps / 2 / 1e6, share
		printf "{\"case\": \"ranks-base\", \"tokens_per_s\": %d, \"gain\": %.3f, \"sent_share\": %.3f}\n",
			s[2], s[2] / s[1], share >>log_file
	}'
	rm -rf "$out/ranks" "$out/ranks.rec"
}

# gone_in PID TENTHS: whether it ends in that time
gone_in() {
	t=0
	while kill -0 "$1" 2>/dev/null; do
		[ $t -lt "$2" ] || return 1
		t=$((t + 1))
		sleep .1
	done
}

# ranks_of PID: those that live; an mpirun that hangs leaves the others as zombies
ranks_of() {
	pgrep -r D,R,S,T -P "$1" -x bert-train
}

# kill_one COMMAND ...: of two to four ranks one is killed at a random moment; the others end within
# ten seconds, and any number of processes goes on to the bits of a run that nothing stopped.
# A word of what became of it to $out/kills
kill_one() {
	number=$(perl -e 'print 2 + int rand 3')
	rm -rf "$out/cut"
	(many "$number" "$@" -o "$out/cut") >"$out/err" 2>&1 &
	pid=$!
	sleep "$(perl -e "print rand(1.2 * $took / 1000)")"
	victim=$(ranks_of $pid | shuf -n 1)
	[ -z "$victim" ] || kill -KILL "$victim" 2>/dev/null || victim=
	start=$(date +%s%N)
	word=killed
	if [ -z "$victim" ]; then
		word=missed # it had not begun, or was over
		gone_in $pid 600 || word=launcher
	elif gone_in $pid 100; then
		ms=$((($(date +%s%N) - start) / 1000000))
	elif ranks_of $pid >/dev/null; then
		word=late
	else
		word=launcher # mpirun alone is left (CLUSTERS in bertutils(7))
	fi
	kill -KILL $pid 2>/dev/null || :
	wait $pid 2>/dev/null || :
	(many "$(perl -e 'print 1 + int rand 4')" "$@" -o "$out/cut") >"$out/err" 2>&1 &
	wait $! || word=unresumed
	cmp -s "$out/cut/model.safetensors" "$out/whole/model.safetensors" || word=differs
	echo "$word ${ms:-0}" >>"$out/kills"
}

# kills_case: only by its name, since it takes minutes. BENCH_KILLS says how many [50]
kills_case() {
	case " $patterns " in *' kills '*) ;; *) return 0 ;; esac
	csv2tfrecord -ql intent pipelines/data/library-train.csv |
		bert-tokenize -qm pipelines/data/vocab.txt --max-length 16 -o "$out/kills.rec"
	set -- bert-train --force --init-config tiny --tokenizer pipelines/data/vocab.txt -q -j 1 --batch-size 48 \
		--epochs 2 --shards 12 --save-steps 3 "$out/kills.rec"
	rm -rf "$out/whole"
	start=$(date +%s%N)
	(many 3 "$@" -o "$out/whole")
	took=$((($(date +%s%N) - start) / 1000000))
	: >"$out/kills"
	n=${BENCH_KILLS:-50}
	while [ "$n" -gt 0 ]; do
		n=$((n - 1))
		ms=
		kill_one "$@"
	done
	sort "$out/kills" | awk -v log_file="$log" '
	{ n[$1]++; if ($2 > most) most = $2 }
	END {
		printf "%-22s %d killed, all ended within %.1f s; %d not hit", "kills", n["killed"], most / 1000, n["missed"]
		printf "; %d where mpirun alone stayed; %d late, %d not resumed, %d with other bits\n",
			n["launcher"], n["late"], n["unresumed"], n["differs"]
		printf "{\"case\": \"kills\", \"killed\": %d, \"ms\": %d, \"missed\": %d, \"launcher\": %d, \"bad\": %d}\n",
			n["killed"], most, n["missed"], n["launcher"], n["late"] + n["unresumed"] + n["differs"] >>log_file
		exit n["late"] + n["unresumed"] + n["differs"] > 0
	}'
	rm -rf "$out/whole" "$out/cut" "$out/kills.rec"
}
