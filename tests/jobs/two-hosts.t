#!/bin/sh
# SPDX-License-Identifier: MIT
# Two hosts train one model over TCP: network namespaces of this machine with a cable
# between them, and ip instead of ssh. The same bits as one process, what goes over the
# cable, and a host whose process is killed.
# Not under emulation: there is no libmpi of the emulated machine
# Not under thread: the libraries of MPI synchronize in ways that it does not know
# Not under address: the processes do what those of one host do
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/ranks.sh"
. "$TEST_TOP/tests/lib/tasks.sh"

a=bt$$a b=bt$$b
away() { # removes the hosts and what still runs there
	for host in $a $b; do
		for p in $(ip netns pids $host 2>/dev/null); do kill -9 "$p"; done
		ip netns del $host 2>/dev/null
	done
}
trap away EXIT
trap 'exit 1' INT TERM
hosts() { # makes them, where this machine lets us
	ip netns add $a && ip netns add $b && ip link add $a netns $a type veth peer name $b netns $b &&
		ip netns exec $a ip addr add 10.99.0.1/24 dev $a &&
		ip netns exec $b ip addr add 10.99.0.2/24 dev $b &&
		for host in $a $b; do
			ip netns exec $host ip link set $host up &&
				ip netns exec $host ip link set lo up &&
				ip netns exec $host unshare --uts hostname $host || return 1
		done
}
if ! have_ranks 'two hosts' || ! hosts 2>/dev/null; then
	[ "$n" -gt 0 ] || skip 'two hosts' 'network namespaces need root and ip (iproute2)'
	finish
	exit
fi
cat >on-host <<END
#!/bin/sh
# on-host ADDRESS COMMAND ...: as ssh runs it
[ "\$1" = 10.99.0.1 ] && host=$a || host=$b
shift
exec ip netns exec \$host unshare --uts sh -c "hostname \$host; \$*"
END
chmod +x on-host
export OMPI_MCA_plm_rsh_agent="$PWD/on-host" PRTE_MCA_plm_ssh_agent="$PWD/on-host" \
	OMPI_MCA_btl=self,tcp \
	OMPI_MCA_btl_tcp_if_include=10.99.0.0/24 OMPI_MCA_oob_tcp_if_include=10.99.0.0/24

two_hosts() {
	"$PWD/on-host" 10.99.0.1 mpirun -n 2 --host 10.99.0.1:1,10.99.0.2:1 "$@" </dev/null
}
train() { # OUT [OPTION ...]
	o=$1
	shift
	set -- bert-train --force --init-config tiny --tokenizer vocab.txt --learning-rate 1e-3 \
		--batch-size 12 --epochs 12 --dtype f32 --shards 4 -j 1 -o "$o" "$@" train.rec
	if [ $where = two ]; then two_hosts "$@"; else "$@"; fi
}
received() { # bytes that came to the second host
	"$PWD/on-host" 10.99.0.2 cat /proc/net/dev | sed -n "s/^ *$b: *\([0-9]*\) .*/\1/p"
}

task_records classification train.rec
where=one
train one -q
where=two
like "$(two_hosts hostname | sort | tr '\n' ' ')" "$a $b " 'each host has a process'
before=$(received)
works 'two hosts train' train many -v
after=$(received)
is "$(weights many)" "$(weights one)" '... and give the bits of one process'
sent=$(sed -n 's/.* ranks sent each other \([0-9]*\) bytes .*/\1/p' err)
# half of it comes to each; TCP adds less than a tenth
awk -v cable=$((after - before)) -v sent="$sent" 'BEGIN {
	print "over the cable", cable, "of", sent
	exit !(sent > 0 && cable > sent / 2 && cable < sent / 2 * 1.1 + 100000) }' >why
result $? '... what the ranks send goes over the cable'
works 'two hosts predict' two_hosts bert-predict -q --dtype f32 -j 1 -m many -o two.csv train.rec
works 'one does' bert-predict -q --dtype f32 -j 1 -m one -o one.csv train.rec
same two.csv one.csv '... the same'

# A process of the other host is killed.
where=one
train one -q --epochs 60
where=two
train cut --epochs 60 --save-steps 2 >out 2>&1 &
pid=$!
has_checkpoint() { [ -s cut/checkpoint.safetensors ] || gone $pid; }
wait_for has_checkpoint
for p in $(ip netns pids $b); do
	[ "$(cat "/proc/$p/comm")" != bert-train ] || kill -9 "$p"
done
wait_for gone $pid
result $? 'a process that is killed ends both hosts'
wait $pid
[ $? -ne 0 ]
result $? '... with an error'
where=one
works '... from whose checkpoint one host goes on' train cut --resume --epochs 60
is "$(weights cut)" "$(weights one)" '... to the bits of a run that nothing stopped'
finish
