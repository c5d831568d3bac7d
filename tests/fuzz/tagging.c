/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* A byte of options, and a file of words and labels that becomes records, which
 * a model of tags can be trained on. */
#include <sys/stat.h>

#include "fuzz.h"

#include "finetune/dataset.h"
#include "garden/finetuning_data.h"
#include "task/task.h"

static const char vocab[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\nab\n##a\n##b\n,";

/* The records are what bt_dataset_read takes. */
static void read_back(size_t length)
{
	struct bt_fit fit = {.task = &bt_task_tagging,
	                     .per_token = true,
	                     .vocab_size = 10,
	                     .type_vocab_size = 2,
	                     .max_positions = (int)length};
	char path[] = "records", *paths[] = {path};
	struct bt_labels labels = {0};
	struct bt_dataset d = {0};
	struct bt_error err = {0};

	FUZZ_CHECK(
	    fuzz_told(bt_dataset_read(paths, 1, 0, &fit, BT_LABELS_COLLECT,
	                              &labels, &d, &err),
	              &err) == BT_OK);
	FUZZ_CHECK(labels.n > 0 && d.longest <= length);
	bt_dataset_clear(&d);
	bt_labels_clear(&labels);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned how = fuzz_byte(&data, &size);
	struct bt_finetuning f = {.fine_tuning_task_type = "tagging",
	                          .tagging_task_name =
	                              (how & 1) != 0 ? "udpos" : "panx",
	                          .tagging_only_use_en_train = true,
	                          .only_use_en_dev = true,
	                          .do_lower_case = (how & 2) != 0,
	                          .max_seq_length = 3 + how / 4 % 16,
	                          .input_data_dir = "d",
	                          .vocab_file = "vocab.txt",
	                          .train_data_output_path = "records",
	                          .meta_data_file_path = "meta",
	                          .threads = 1};
	struct bt_error err = {0};

	(void)mkdir("d", 0777);
	fuzz_put("vocab.txt", vocab, sizeof(vocab) - 1);
	fuzz_put("d/train-en.tsv", data, size);
	if (fuzz_told(bt_finetuning_make(&f, &err), &err) == BT_OK)
		read_back((size_t)f.max_seq_length);
	return 0;
}
