/* SPDX-License-Identifier: MIT */
/* Two bytes of options and any bytes as texts for pre-training: refused with a
 * word, or records whose masks stand at tokens that are not special. */
#include "records.h"

#include "base/mem.h"
#include "pretrain/pretraining_data.h"
#include "record/record.h"

#define LENGTH 12
#define MOST 4
#define WORDS 11
#define CLS 2
#define SEP 3

static void check(const void *data, size_t len)
{
	struct bt_token_rec rec = {0};
	int64_t at[MOST], id[MOST];
	float weight[MOST];
	size_t n, i;

	FUZZ_CHECK(bt_token_rec_read(data, len, &rec, NULL) == BT_OK);
	FUZZ_CHECK(rec.n >= 5 && rec.n <= LENGTH);
	FUZZ_CHECK(rec.ids[0] == CLS && rec.ids[rec.n - 1] == SEP);
	FUZZ_CHECK(
	    !bt_feature_int64s(&rec.masked_positions, at, MOST, &n, NULL) &&
	    n == MOST);
	FUZZ_CHECK(!bt_feature_int64s(&rec.masked_ids, id, MOST, &n, NULL));
	FUZZ_CHECK(
	    !bt_feature_floats(&rec.masked_weights, weight, MOST, &n, NULL));
	for (i = 0; i < MOST && weight[i] > 0; i++) {
		FUZZ_CHECK(at[i] > (i > 0 ? at[i - 1] : 0));
		FUZZ_CHECK((size_t)at[i] < rec.n - 1);
		FUZZ_CHECK(id[i] >= 0 && id[i] < WORDS && id[i] != SEP);
		FUZZ_CHECK(rec.ids[at[i]] < WORDS);
	}
	bt_token_rec_clear(&rec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char vocab[] =
	    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\n##a\n##b\n.\n";
	char in[] = "fuzz-texts", *paths[] = {in};
	struct bt_pretraining f = {.input_file = paths,
	                           .n_input_files = 1,
	                           .output_file = "fuzz-masked",
	                           .vocab_file = "vocab.txt",
	                           .max_predictions_per_seq = MOST,
	                           .max_seq_length = LENGTH,
	                           .dupe_factor = 1};
	struct bt_error err = {0};
	unsigned how = fuzz_byte(&data, &size);

	f.do_lower_case = how & 1;
	f.do_whole_word_mask = how & 2;
	f.max_ngram_size = how & 2 ? how >> 2 & 3 : 0;
	f.short_seq_prob = how & 16 ? 0.5 : 0;
	f.masked_lm_prob = how & 32 ? 0.15 : 0.5;
	f.random_seed = fuzz_byte(&data, &size);
	fuzz_put("vocab.txt", vocab, sizeof(vocab) - 1);
	fuzz_put(in, data, size);
	if (fuzz_told(bt_pretraining_make(&f, &err), &err) == BT_OK)
		fuzz_records("fuzz-masked", check);
	return 0;
}
