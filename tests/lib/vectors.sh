# SPDX-License-Identifier: MIT
# Streams of vectors, for tests that search or cluster them.
# shellcheck shell=sh

# vectors FILE WIDTH IDS VALUE...: a stream of one frame with rows of so many
# values and the ids, separated by |, or none
vectors() {
	perl -e 'my ($w, $ids, @v) = @ARGV;
		my ($n, $b, @id) = (@v / $w, 4 * @v, split /[|]/, $ids);
		my $h = qq("embeddings":{"dtype":"F32","shape":[$n,$w],"data_offsets":[0,$b]});
		my $d = pack "f<*", @v;
		if (@id) {
			my $t = join "", @id;
			my ($at, @o) = (0, 0);
			push @o, $at += length for @id;
			my ($c, $e) = ($b + 8 * @o, $b + 8 * @o + length $t);
			$h .= sprintf qq(,"id_offsets":{"dtype":"I64","shape":[%d],"data_offsets":[$b,$c]},) .
				qq("id":{"dtype":"U8","shape":[%d],"data_offsets":[$c,$e]}), scalar @o, length $t;
			$d .= pack("q<*", @o) . $t;
		}
		$h = "{$h}";
		$h .= " " while length($h) % 8;
		print pack("Q<", length $h), $h, $d' "$2" "$3" $4 >st
	tensor-cat -q --from-safetensors -o "$1" st
}
