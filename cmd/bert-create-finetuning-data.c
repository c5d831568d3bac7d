/* SPDX-License-Identifier: MIT */
/* Replaces Model Garden's create_finetuning_data.py. */
#include "garden/finetuning_data.h"
#include "garden/flags.h"

struct values {
	struct bt_flags_common flags;
	struct bt_finetuning f;
	const char *text; /* of flags without effect */
	bool on;
};

#define STR(name, arg, help, ...)                                              \
	BT_FLAG_ROW(BT_FLAG_STR, #name, arg, help, values, f.name, __VA_ARGS__)
#define ENUM(name, arg, help, ...)                                             \
	BT_FLAG_ROW(BT_FLAG_ENUM, #name, arg, help, values, f.name, __VA_ARGS__)
#define BOOL(name, help)                                                       \
	BT_FLAG_ROW(BT_FLAG_BOOL, #name, NULL, help, values, f.name,           \
	            .idle = false)
/* Flags that only matter to tasks that are refused. */
#define OTHER(type, name, arg, help)                                           \
	BT_FLAG_ROW(type, name, arg, help, values, text, .idle = true)

static const struct bt_flag flags[] = {
    ENUM(fine_tuning_task_type,
         "classification|regression|retrieval|squad|tagging",
         "[classification]", .idle = false),
    STR(input_data_dir, "DIR", "directory with the files of the data set"),
    ENUM(classification_task_name, BT_FINETUNING_TASKS "|WIC",
         "data set [MNLI]", .refuse = "WIC",
         .why = "the published program reads WNLI under that name: use "
                "WNLI, or make records with csv2tfrecord and bert-tokenize"),
    ENUM(mnli_type, "matched|mismatched", "which files of MNLI [matched]",
         .idle = false),
    STR(xnli_language, "LANG|all", "language of the training data [en]"),
    STR(pawsx_language, "LANG|all", "language of the training data [en]"),
    STR(translated_input_data_dir, "DIR",
        "directory with XTREME's translations"),
    BOOL(only_use_en_dev, "XTREME, tagging: evaluate only in English [true]"),
    ENUM(retrieval_task_name, "bucc|tatoeba", "[bucc]", .idle = false),
    ENUM(tagging_task_name, "panx|udpos", "[panx]", .idle = false),
    BOOL(tagging_only_use_en_train, "tagging: train only on English [true]"),
    STR(squad_data_file, "FILE", "squad: questions, contexts and answers"),
    STR(translated_squad_data_folder, "DIR",
        "squad: the *.json in it are questions, too"),
    BT_FLAG_NUMBER(BT_FLAG_INT, "doc_stride",
                   "squad: tokens from one window to the next [128]", values,
                   f.doc_stride, 1, 1 << 20),
    BT_FLAG_NUMBER(BT_FLAG_INT, "max_query_length",
                   "squad: tokens of a question [64]", values,
                   f.max_query_length, 0, 1 << 20),
    BOOL(version_2_with_negative,
         "squad: questions may have no answer [false]"),
    BT_FLAG_ROW(BT_FLAG_BOOL, "xlnet_format", NULL, "context first [false]",
                values, on, .refuse = "true",
                .why = "the models here read the question first"),
    STR(vocab_file, "FILE", "vocab.txt of the model", .required = true),
    BOOL(do_lower_case, "the model is uncased [true]"),
    BT_FLAG_NUMBER(BT_FLAG_INT, "max_seq_length", "tokens per record [128]",
                   values, f.max_seq_length, 3, 1 << 20),
    STR(train_data_output_path, "FILE", "training records to write"),
    STR(eval_data_output_path, "FILE",
        "evaluation records (retrieval: directory)"),
    STR(test_data_output_path, "FILE",
        "test records; {} stands for the language"),
    STR(meta_data_file_path, "FILE", "JSON description to write",
        .required = true),
    BT_FLAG_ROW(BT_FLAG_ENUM, "tokenization", "WordPiece|SentencePiece",
                "[WordPiece]", values, text, .refuse = "SentencePiece",
                .why = "its handling of numbers is not implemented; "
                       "bert-tokenize -m DIR gives Hugging Face's tokens of "
                       "such a model"),
    OTHER(BT_FLAG_STR, "sp_model_file", "FILE", "for SentencePiece"),
    BT_FLAG_ROW(BT_FLAG_STR, "tfds_params", "LIST", "TensorFlow Datasets",
                values, text, .refuse = "*",
                .why = "data sets are not downloaded: give their files with "
                       "--input_data_dir, or make records with csv2tfrecord "
                       "and bert-tokenize --layout modelgarden"),
    BT_FLAGS_COMMON(values),
    BT_FLAG_LAST,
};

static const struct bt_flags program = {
    {"bert-create-finetuning-data",
     "--input_data_dir=DIR --vocab_file=FILE --meta_data_file_path=FILE ...",
     "Creates training data with the flags of Model Garden's "
     "create_finetuning_data.py.",
     "bert-create-finetuning-data --input_data_dir=glue/MRPC "
     "--classification_task_name=MRPC --vocab_file=vocab.txt "
     "--train_data_output_path=train.tf_record "
     "--meta_data_file_path=meta_data",
     NULL},
    flags,
};

int main(int argc, char **argv)
{
	struct values v = {.flags = BT_FLAGS_COMMON_INIT,
	                   .f = {.fine_tuning_task_type = "classification",
	                         .classification_task_name = "MNLI",
	                         .retrieval_task_name = "bucc",
	                         .tagging_task_name = "panx",
	                         .tagging_only_use_en_train = true,
	                         .mnli_type = "matched",
	                         .xnli_language = "en",
	                         .pawsx_language = "en",
	                         .only_use_en_dev = true,
	                         .doc_stride = 128,
	                         .max_query_length = 64,
	                         .do_lower_case = true,
	                         .max_seq_length = 128}};
	struct bt_progress progress;
	struct bt_error err = {0};
	struct bt_log log;
	int status, r;

	if (!bt_flags_options(&program, argc, argv, &v, &status))
		return status;
	log = bt_flags_log(&program, &v);
	bt_flags_note(&program, &v, &log);
	bt_progress_init(&progress, stderr, v.flags.common.quiet);
	v.f.threads = (int)v.flags.common.threads;
	v.f.log = &log;
	v.f.progress = &progress;
	r = bt_finetuning_make(&v.f, &err);
	status = r == BT_OK ? BT_EXIT_DONE : bt_tool_fail(&program.tool, &err);
	return bt_tool_end(&program.tool, status);
}
