/* SPDX-License-Identifier: MIT */
/*
 * Training data as Model Garden's create_finetuning_data.py makes it: the files
 * of a published data set become TFRecord files of its features, and a JSON
 * file that says how many records there are. Which files a data set has, in
 * which columns its texts are and which label a test record gets is as there,
 * for the data as files (before they came out of TensorFlow Datasets, which
 * numbers some labels otherwise).
 *
 * Reading is table/table.h's, tokenizing tokenize/job.h's; records go from one
 * to the other in memory.
 */
#ifndef BT_GARDEN_FINETUNING_DATA_H
#define BT_GARDEN_FINETUNING_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"

/* What the flags say, under their names. Texts are NULL or empty where nothing
 * is asked for. */
struct bt_finetuning {
	const char *fine_tuning_task_type; /* classification, regression,
	                                    * retrieval, squad, tagging */
	const char *input_data_dir, *translated_input_data_dir;
	const char *classification_task_name, *retrieval_task_name;
	const char *tagging_task_name;
	const char *mnli_type, *xnli_language, *pawsx_language;
	bool only_use_en_dev, tagging_only_use_en_train;
	const char *squad_data_file, *translated_squad_data_folder;
	int64_t doc_stride, max_query_length;
	bool version_2_with_negative;
	const char *vocab_file;
	bool do_lower_case;
	int64_t max_seq_length;
	const char *train_data_output_path, *eval_data_output_path;
	const char *test_data_output_path; /* with "{}" where there is a file
	                                    * for each language */
	const char *meta_data_file_path;

	int threads;
	struct bt_progress *progress; /* or NULL */
	const struct bt_log *log;
};

#define BT_FINETUNING_TASKS                                                    \
	"AX|COLA|IMDB|MNLI|MRPC|PAWS-X|QNLI|QQP|RTE|SST-2|STS-B|WNLI|XNLI|"    \
	"XTREME-XNLI|XTREME-PAWS-X|AX-g|SUPERGLUE-RTE|CB|BoolQ"

/* All of it. Makes the directories of the outputs; these appear when all are
 * complete. BT_EARG where f makes no sense, before anything is read. */
int bt_finetuning_make(const struct bt_finetuning *f,
                       struct bt_error *err) BT_MUST_USE;

#endif
