/* SPDX-License-Identifier: MIT */
/* Questions to train on (garden/squad_windows.h), and the meta data of them. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "garden/file_patterns.h"
#include "garden/finetuning_int.h"
#include "io/path.h"
#include "tokenize/squad_windows.h"

static void tell(const struct bt_finetuning *f,
                 const struct bt_finetuning_part *part,
                 struct bt_squad_windows_stats *s)
{
	if (s->lost > 0)
		bt_log_warn(
		    f->log, "questions-left-out", BT_HINT_NONE,
		    "%llu question%s left out, whose answer is not in the "
		    "words of the context where it should be (first: '%s')",
		    (unsigned long long)s->lost, bt_plural(s->lost),
		    bt_buf_str(&s->first));
	bt_log(f->log, BT_LOG_NOTE,
	       "train: %llu record%s of %lld tokens in '%s', from %llu "
	       "question%s",
	       (unsigned long long)s->records, bt_plural(s->records),
	       (long long)f->max_seq_length, part->output,
	       (unsigned long long)s->questions, bt_plural(s->questions));
}

int bt_finetuning_squad_make(const struct bt_finetuning *f,
                             struct bt_finetuning_part *part,
                             const struct bt_tok *tok, struct bt_error *err)
{
	const struct bt_squad_windows_opts o = {
	    .tok = tok,
	    .max_length = f->max_seq_length,
	    .max_question = f->max_query_length,
	    .stride = f->doc_stride,
	    .negatives = f->version_2_with_negative,
	    .limits = "--max_seq_length, --max_query_length"};
	struct bt_squad_windows_stats stats = {0};
	int r = bt_path_above(part->output, err);

	if (r == BT_OK)
		r = bt_out_open(part->output, BT_OUT_RECORDS, &part->out, err);
	if (r == BT_OK)
		r = bt_squad_windows_write(part->paths, (int)part->n_paths, &o,
		                           part->out, f->log, &stats, err);
	if (r == BT_OK)
		r = bt_out_settle(part->out, err);
	part->records = stats.records;
	if (r == BT_OK)
		tell(f, part, &stats);
	bt_squad_windows_stats_clear(&stats);
	return r;
}

int bt_finetuning_squad_metadata(const struct bt_finetuning *f,
                                 uint64_t records, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	int r;

	bt_buf_printf(&b,
	              "{\n"
	              "    \"task_type\": \"bert_squad\",\n"
	              "    \"train_data_size\": %llu,\n"
	              "    \"max_seq_length\": %lld,\n"
	              "    \"max_query_length\": %lld,\n"
	              "    \"doc_stride\": %lld,\n"
	              "    \"version_2_with_negative\": %s\n"
	              "}\n",
	              (unsigned long long)records, (long long)f->max_seq_length,
	              (long long)f->max_query_length, (long long)f->doc_stride,
	              f->version_2_with_negative ? "true" : "false");
	r = bt_out_whole(f->meta_data_file_path, b.data, b.len, err);
	bt_buf_clear(&b);
	return r;
}

/* The *.json of a folder. */
static int add_folder(struct bt_finetuning_part *p, const char *dir,
                      struct bt_error *err)
{
	struct bt_file_patterns files = {0};
	struct bt_buf b = BT_BUF_INIT;
	int i, r;

	bt_buf_printf(&b, "%s/*.json", dir);
	r = bt_file_patterns_find("translated_squad_data_folder",
	                          bt_buf_str(&b), &files, err);
	for (i = 0; r == BT_OK && i < files.n; i++)
		bt_finetuning_path(p, files.path[i]);
	bt_file_patterns_clear(&files);
	bt_buf_clear(&b);
	return r;
}

int bt_finetuning_squad(struct bt_finetuning_plan *plan, struct bt_error *err)
{
	const struct bt_finetuning *f = plan->f;
	struct bt_finetuning_part *p;

	if (!bt_finetuning_given(f->squad_data_file))
		return bt_error_set(err, BT_EARG,
		                    "--squad_data_file is missing: the JSON "
		                    "file with the questions");
	if (!bt_finetuning_given(f->train_data_output_path))
		return bt_error_set(err, BT_EARG,
		                    "--train_data_output_path is missing: the "
		                    "records to write");
	if (bt_finetuning_given(f->eval_data_output_path) ||
	    bt_finetuning_given(f->test_data_output_path))
		return bt_error_set(err, BT_EARG,
		                    "of questions training data alone are made "
		                    "here: --eval_data_output_path and "
		                    "--test_data_output_path must not be "
		                    "given");
	p = bt_finetuning_part(plan, f->train_data_output_path, NULL);
	strcpy(p->key, "train");
	bt_finetuning_path(p, f->squad_data_file);
	if (!bt_finetuning_given(f->translated_squad_data_folder))
		return BT_OK;
	return add_folder(p, f->translated_squad_data_folder, err);
}
