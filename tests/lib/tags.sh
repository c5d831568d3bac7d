# SPDX-License-Identifier: MIT
# Tagged words in the files that bert-create-finetuning-data takes for tagging.
# shellcheck shell=sh

# Names are tagged by what stands before them.
garden_sentences() { # ROWS SEED
	awk -v n="$1" -v seed="$2" 'BEGIN {
		srand(seed)
		split("card book library room", name, " ")
		for (i = 1; i <= n; i++) {
			print "i\tO\nhave\tO"
			for (k = rand() * 5; k > 0; k--) {
				if (rand() < .5) print "the\tO\n" name[1 + int(rand() * 4)] "\tB-PER\nunopenable\tI-PER"
				else print "my\tO\n" name[1 + int(rand() * 4)] "\tB-LOC"
			}
			print ".\tO\n"
		}
	}'
}

# garden_tags: the directory d of 200 sentences to learn from and 40 others
garden_tags() {
	mkdir d
	garden_sentences 200 1 >d/train-en.tsv
	garden_sentences 40 2 >d/dev-en.tsv
}
