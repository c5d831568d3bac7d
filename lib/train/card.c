/* SPDX-License-Identifier: MIT */
#include "train/card.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/file_use.h"
#include "base/num.h"
#include "base/opt.h"
#include "base/str.h"
#include "base/sys.h"
#include "device/device.h"
#include "dist/dist.h"
#include "format/escape.h"
#include "format/hub_cache.h"
#include "format/json.h"
#include "io/in.h"
#include "io/out.h"
#include "io/path.h"
#include "train/job_int.h"

#define FILE_NAME "README.md"
#define MARK "<!-- bertutils "
#define MARK_SIZE (sizeof(MARK) - 1 + 8 + 5) /* with the checksum, " -->\n" */
#define MAX_CARD ((size_t)16 << 20)
#define MAX_LABELS 200 /* in the table */

/* A text as a string of YAML, which those of JSON are. */
static void put_yaml(struct bt_buf *b, const char *text)
{
	struct bt_buf line = BT_BUF_INIT;

	bt_escape_line(&line, bt_span(text), 0);
	bt_escape_quoted(b, (struct bt_span){line.data, line.len}, true);
	bt_buf_clear(&line);
}

/* A text in Markdown, where no character of it is markup. */
static void put_text(struct bt_buf *b, const char *text)
{
	struct bt_buf line = BT_BUF_INIT;
	const char *p;

	bt_escape_line(&line, bt_span(text), 0);
	for (p = bt_buf_str(&line); p != NULL && *p != '\0'; p++) {
		if (strchr("\\`*_[]<>|~&$#", *p) != NULL)
			bt_buf_putc(b, '\\');
		bt_buf_putc(b, *p);
	}
	bt_buf_clear(&line);
}

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static const char *model_name(const struct bt_job *j)
{
	return last_name(j->o.card_name != NULL ? j->o.card_name
	                                        : j->o.train.out);
}

/* What the model was evaluated on, in words. */
static void name_evaluation(const struct bt_job *j, struct bt_buf *b)
{
	const struct bt_job_opts *o = &j->o;

	if (o->eval_share > 0)
		bt_buf_printf(b, "a share of %g of the training data",
		              o->eval_share);
	else
		bt_buf_puts(b, o->eval != NULL && strcmp(o->eval, "-") != 0
		                   ? last_name(o->eval)
		                   : "records");
}

/* Name and value of a metric of that line that says something of the model, or
 * false. YAML takes 1e-05 for a text, 1.0e-05 for a number. */
static bool is_metric(const struct bt_job *j, const char *key, const json_t *v,
                      char value[40])
{
	char *e;

	if (!bt_str_starts(key, "eval_") || !json_is_number(v) ||
	    !isfinite(json_number_value(v)) ||
	    (strcmp(key, "eval_quadratic_weighted_kappa") == 0 &&
	     !bt_labels_are_numbers(&j->model.labels)))
		return false;
	bt_format_f64(value, 32, json_number_value(v));
	e = strchr(value, 'e');
	if (e != NULL && strchr(value, '.') == NULL) {
		memmove(e + 2, e, strlen(e) + 1);
		memcpy(e, ".0", 2);
	}
	return true;
}

/* Those metrics that the log has of each epoch. */
static void put_metrics(const struct bt_job *j, const json_t *results,
                        struct bt_buf *b)
{
	const struct bt_metrics_kind *kind = j->model.task->metrics;
	char key[64], value[40];
	bool first = true;
	size_t i;

	for (i = 0; i < 4 && kind->shown[i].name != NULL; i++) {
		snprintf(key, sizeof(key), "eval_%s", kind->shown[i].name);
		if (!is_metric(j, key, json_object_get(results, key), value))
			continue;
		bt_buf_printf(b, "%s- %s\n", first ? "metrics:\n" : "",
		              kind->shown[i].name);
		first = false;
	}
}

static void put_index(const struct bt_job *j, const json_t *results,
                      struct bt_buf *b)
{
	struct bt_buf name = BT_BUF_INIT;
	char value[40];
	const char *key;
	json_t *v;

	name_evaluation(j, &name);
	bt_buf_puts(b, "model-index:\n- name: ");
	put_yaml(b, model_name(j));
	bt_buf_printf(b,
	              "\n  results:\n  - task:\n      type: %s\n    dataset:\n"
	              "      type: ",
	              j->model.task->pipeline);
	put_yaml(b, bt_buf_str(&name));
	bt_buf_puts(b, "\n      name: ");
	put_yaml(b, bt_buf_str(&name));
	bt_buf_puts(b, "\n    metrics:\n");
	json_object_foreach((json_t *)(uintptr_t)results, key, v)
	{
		if (is_metric(j, key, v, value))
			bt_buf_printf(b,
			              "    - type: %s\n      value: %s\n"
			              "      name: %s\n",
			              key + 5, value, key + 5);
	}
	bt_buf_clear(&name);
}

/* What programs read. */
static void put_front(const struct bt_job *j, const char *base,
                      const json_t *results, struct bt_buf *b)
{
	const struct bt_config *c = &j->model.config;

	bt_buf_printf(b, "---\nlibrary_name: %s\npipeline_tag: %s\n",
	              j->model.lora.rank > 0 ? "peft"
	              : bt_config_embeds(c)  ? "sentence-transformers"
	              : c->head.n > 0        ? "bertutils"
	              : bt_config_ranks(c)   ? "sentence-transformers"
	                                     : "transformers",
	              j->model.task->pipeline);
	if (base != NULL)
		bt_buf_printf(b, "base_model: %s\n", base);
	bt_buf_printf(b, "tags:\n- bertutils\n- %s\n%s", bt_config_type(c),
	              j->model.lora.rank > 0 ? "- lora\n" : "");
	if (results != NULL) {
		put_metrics(j, results, b);
		put_index(j, results, b);
	}
	bt_buf_puts(b, "---\n\n");
}

static void put_about(const struct bt_job *j, const char *base,
                      struct bt_buf *b)
{
	const struct bt_task *task = j->model.task;

	bt_buf_puts(b, "# ");
	put_text(b, model_name(j));
	bt_buf_printf(b, "\n\nThis %s model predicts %s. It was fine-tuned ",
	              bt_config_type(&j->model.config), task->predicts);
	if (base != NULL)
		bt_buf_printf(b, "from [%s](%s/%s) ", base,
		              "https://huggingface.co", base);
	else if (j->o.model == NULL)
		bt_buf_puts(b, "from random weights ");
	bt_buf_puts(b, "by bertutils " BT_VERSION ".\n");
	if (j->model.lora.rank == 0)
		return;
	bt_buf_puts(b, "\nThis is an adapter (LoRA), which changes the model ");
	put_text(b, base != NULL ? base : last_name(j->o.model));
	bt_buf_puts(b, " and needs it: adapter\\_config.json names it.\n");
}

static void put_labels(const struct bt_job *j, const struct bt_dataset *d,
                       struct bt_buf *b)
{
	const struct bt_labels *l = &j->model.labels;
	bool counts = j->model.task->one_label;
	uint64_t *count;
	size_t i;
	int k;

	if (l->n == 0 || !j->model.task->names_outputs)
		return;
	count = bt_array0((size_t)l->n, sizeof(*count));
	for (i = 0; counts && i < d->n && count != NULL; i++)
		if (d->label[i] >= 0 && d->label[i] < l->n)
			count[d->label[i]]++;
	bt_buf_puts(b, "\n## Labels\n\n| id | label |");
	bt_buf_puts(b, counts ? " training examples |\n|---|---|---|\n"
	                      : "\n|---|---|\n");
	for (k = 0; k < l->n && k < MAX_LABELS && count != NULL; k++) {
		bt_buf_printf(b, "| %d | ", k);
		put_text(b, l->name[k]);
		if (counts)
			bt_buf_printf(b, " | %llu",
			              (unsigned long long)count[k]);
		bt_buf_puts(b, " |\n");
	}
	if (l->n > MAX_LABELS)
		bt_buf_printf(b, "\nand %d more, which config.json lists\n",
		              l->n - MAX_LABELS);
	free(count);
}

static void put_set(struct bt_buf *b, const char *what, const char *name,
                    const struct bt_dataset *d)
{
	bt_buf_printf(b, "| %s | ", what);
	put_text(b, name);
	bt_buf_printf(b, " | %zu | %llu | %08x | %08x |\n", d->n,
	              (unsigned long long)d->start[d->n], (unsigned)d->crc,
	              (unsigned)d->sum.crc);
}

static void put_data(const struct bt_job *j, const struct bt_dataset *train,
                     struct bt_buf *b)
{
	struct bt_buf name = BT_BUF_INIT;
	int i;

	bt_buf_puts(b, "\n## Data\n\n"
	               "| | records | examples | tokens | CRC-32C "
	               "| CRC-32C of the records |\n"
	               "|---|---|---|---|---|---|\n");
	for (i = 0; i < j->o.n_records; i++)
		bt_buf_printf(&name, "%s%s", i > 0 ? ", " : "",
		              strcmp(j->o.records[i], "-") == 0
		                  ? "standard input"
		                  : last_name(j->o.records[i]));
	if (j->o.n_records == 0)
		bt_buf_puts(&name, "standard input");
	put_set(b, "training", bt_buf_str(&name), train);
	bt_buf_reset(&name);
	name_evaluation(j, &name);
	if (j->has_eval)
		put_set(b, "evaluation", bt_buf_str(&name), &j->eval);
	bt_buf_clear(&name);
	bt_buf_puts(
	    b, "\nThe first checksum is that of tokens, labels and weights, "
	       "the other that of all records as they were read, which "
	       "the page of an evaluation has, too");
	if (j->tok != NULL)
		bt_buf_printf(b, "; the tokenizer's fingerprint is %s",
		              bt_tok_fingerprint(j->tok));
	bt_buf_puts(b, ".\n");
}

static void put_recipe(const struct bt_job *j,
                       const struct bt_train_result *res, struct bt_buf *b)
{
	const struct bt_train_opts *t = &j->o.train;
	const struct bt_optim_opts o = bt_optim_complete(&t->optim);

	bt_buf_printf(b,
	              "\n## Recipe\n\n| setting | value |\n|---|---|\n"
	              "| updates | %lld of %lld |\n",
	              (long long)res->steps, (long long)res->total);
	if (t->batching.size > 0)
		bt_buf_printf(b, "| examples of a batch | %zu |\n",
		              t->batching.size);
	if (t->batching.tokens > 0)
		bt_buf_printf(b, "| tokens of a batch, at most | %zu |\n",
		              t->batching.tokens);
	bt_buf_printf(b,
	              "| batches of an update | %d |\n"
	              "| learning rate | %g |\n| schedule | %s |\n"
	              "| warm-up | %g |\n| optimizer | %s |\n"
	              "| weight decay | %g |\n| largest gradient norm | ",
	              t->batching.accumulate, t->schedule.lr,
	              bt_schedule_name(t->schedule.kind), t->schedule.warmup,
	              bt_optim_name(o.kind), o.weight_decay);
	if (o.clip > 0)
		bt_buf_printf(b, "%g |\n", o.clip);
	else
		bt_buf_puts(b, "any |\n");
	bt_buf_printf(b, "| dropout | %g |\n| label smoothing | %g |\n",
	              (double)j->model.config.hidden_dropout, t->smoothing);
	if (t->lora.rank > 0)
		bt_buf_printf(b,
		              "| rank of adapters | %d |\n"
		              "| their alpha | %g |\n| their dropout | %g |\n",
		              t->lora.rank, t->lora.alpha, t->lora.dropout);
	if (t->r_drop > 0)
		bt_buf_printf(b, "| R-Drop | %g |\n", t->r_drop);
	if (t->fgm > 0)
		bt_buf_printf(b, "| adversarial step of words | %g |\n",
		              t->fgm);
	bt_buf_printf(b, "| matrix products | %s |\n| seed | %llu |\n",
	              bt_engine_is_bf16(j->model.engine) ? "bf16" : "f32",
	              (unsigned long long)t->batching.seed);
}

static void put_results(const struct bt_job *j,
                        const struct bt_train_result *res,
                        const json_t *results, struct bt_buf *b)
{
	char value[40];
	const char *key;
	json_t *v;

	bt_buf_puts(b, "\n## Results\n\n");
	if (results == NULL) {
		bt_buf_puts(b, "The model was not evaluated.\n");
		return;
	}
	bt_buf_printf(
	    b, "After update %lld, the evaluation with the ",
	    (long long)json_integer_value(json_object_get(results, "step")));
	bt_buf_puts(b, j->o.few_shot ? "fitted classes" : "best ");
	if (!j->o.few_shot)
		put_text(b, res->metric != NULL ? res->metric : "loss");
	bt_buf_puts(b, ":\n\n| metric | value |\n|---|---|\n");
	json_object_foreach((json_t *)(uintptr_t)results, key, v)
	{
		if (!is_metric(j, key, v, value))
			continue;
		bt_buf_puts(b, "| ");
		put_text(b, key + 5);
		bt_buf_printf(b, " | %.4f |\n", json_number_value(v));
	}
}

static void put_command(const struct bt_job *j, struct bt_buf *b)
{
	bt_buf_puts(b, "\n## Command\n\n    ");
	bt_escape_command(b, j->o.n_card_command, j->o.card_command);
	bt_buf_puts(b, "\n\n");
}

/* The commands that predict new texts. Records do not know what made them:
 * names of columns and files are examples. */
static void put_use(const struct bt_job *j, const struct bt_dataset *train,
                    struct bt_buf *b)
{
	const struct bt_task *task = j->model.task;
	bool chooses = task == &bt_task_multiple_choice;
	bool pairs =
	    !task->per_token && task != &bt_task_qa &&
	    bt_model_pairs(&j->model.config, j->tok, train) > train->n / 2;
	char flag[] = "-m", *argv[] = {flag, (char *)(uintptr_t)model_name(j)};
	struct bt_buf name = BT_BUF_INIT;

	if (j->tok == NULL || task->masks)
		return;
	bt_escape_command(&name, 2, argv);
	bt_buf_puts(b, "\n## Use\n\n");
	if (task == &bt_task_qa)
		bt_buf_puts(b, "Questions of a file in SQuAD's format are "
		               "answered by\n\n    squad2tfrecord new.json");
	else if (task->per_token)
		bt_buf_puts(b, "A file with one word a line, and an empty line "
		               "behind each text, is tagged by\n\n    "
		               "conll2tfrecord new.txt");
	else
		bt_buf_printf(
		    b,
		    "Texts of a CSV file, here with the columns id%s, "
		    "go through the model by\n\n    csv2tfrecord -i id "
		    "-t text%s new.csv",
		    chooses ? ", text, A, B and C"
		    : pairs ? ", text and text\\_b"
		            : " and text",
		    chooses ? " --choices A,B,C"
		    : pairs ? " --pair text_b"
		            : "");
	bt_buf_printf(b, " | bert-tokenize %s |", bt_buf_str(&name));
	bt_buf_printf(b, " bert-predict %s -o %s\n\n", bt_buf_str(&name),
	              task == &bt_task_qa          ? "predictions.json"
	              : task->per_token            ? "predictions.txt"
	              : task == &bt_task_embedding ? "embeddings.ts"
	                                           : "predictions.csv");
	bt_buf_printf(b, "The longest training example had %zu tokens.\n",
	              train->longest);
	bt_buf_clear(&name);
}

/* What computed it, in words. */
static void put_machine(const struct bt_job *j, struct bt_buf *b)
{
	const struct bt_device *d = j->o.train.device;
	int replicas = d != NULL ? bt_device_replicas(d) : 1;
	int ranks = bt_dist_size(j->o.train.dist);
	struct bt_buf name = BT_BUF_INIT;

	if (replicas > 1)
		bt_buf_printf(b, "%d of ", replicas);
	if (d != NULL)
		bt_buf_puts(&name, bt_device_name(d));
	else
		bt_processor_name(&name);
	put_text(b, bt_buf_str(&name) != NULL ? bt_buf_str(&name) : "");
	bt_buf_puts(b, ": ");
	if (d != NULL)
		bt_buf_printf(b, "products %s by %s",
		              bt_job_low(j) ? "bf16" : "f32",
		              bt_device_platform(d));
	else
		bt_engine_describe(j->model.engine, b);
	if (ranks > 1)
		bt_buf_printf(b, ", each of %d processes", ranks);
	bt_buf_clear(&name);
}

/* In one line, the card's last, as equal runs differ in it. Checkpoints know
 * how long a run took, but no speed: that is this process's. */
static void put_speed(const struct bt_job *j, const struct bt_train_result *res,
                      struct bt_buf *b)
{
	double seconds = res->seconds > 0 ? res->seconds : 1e-9;

	bt_buf_printf(b,
	              "## Speed\n\nTraining took %.1f s%s, evaluation and "
	              "saving included. ",
	              res->run_seconds,
	              res->begun > 0 ? " in several parts" : "");
	if (res->examples > 0) {
		bt_buf_puts(b, "Speed of the updates");
		if (res->begun > 0)
			bt_buf_printf(b, " from %lld on, the last part",
			              (long long)res->begun + 1);
		bt_buf_printf(b, ": %.1f examples/s, %.0f tokens/s. ",
		              (double)res->examples / seconds,
		              (double)res->tokens / seconds);
	}
	bt_buf_puts(b, "Computed on ");
	put_machine(j, b);
	bt_buf_puts(b, ". ");
}

/* Its last line ends with the checksum of all before. */
bool bt_card_is_own(const char *path)
{
	char *text = NULL, mark[MARK_SIZE + 1];
	size_t n = 0;
	bool same = false;

	bt_file_use_own(true); /* the card may replace it */
	if (bt_in_whole(path, MAX_CARD, &text, &n, NULL) == BT_OK &&
	    n > MARK_SIZE) {
		n -= MARK_SIZE;
		snprintf(mark, sizeof(mark), MARK "%08x -->\n",
		         (unsigned)bt_crc32c(0, text, n));
		same = memcmp(text + n, mark, MARK_SIZE) == 0;
	}
	bt_file_use_own(false);
	free(text);
	return same;
}

void bt_card_warn_kept(const struct bt_log *log, const char *path)
{
	bt_log_warn(log, "card-kept", BT_HINT_NONE,
	            "'%s' stays as it was: it was not written here, or "
	            "changed",
	            path);
}

int bt_card_write(const struct bt_job *j, const struct bt_train_result *res,
                  struct bt_error *err)
{
	const struct bt_dataset *train = &j->train;
	char *path = bt_path_join(j->o.train.out, FILE_NAME), *base = NULL;
	struct bt_buf b = BT_BUF_INIT;
	json_t *results = NULL;
	int r = BT_OK;

	if (bt_path_there(path) && !bt_card_is_own(path)) {
		bt_card_warn_kept(bt_job_log(j), path);
		free(path);
		return BT_OK;
	}
	if (j->o.model != NULL)
		base = bt_hub_cache_name(j->o.model);
	r = bt_history_best(j, res, &results, err);
	if (r == BT_OK) {
		put_front(j, base, results, &b);
		put_about(j, base, &b);
		put_use(j, train, &b);
		put_labels(j, train, &b);
		put_data(j, train, &b);
		put_recipe(j, res, &b);
		put_results(j, res, results, &b);
		put_command(j, &b);
		put_speed(j, res, &b);
		bt_buf_printf(&b, MARK "%08x -->\n",
		              (unsigned)bt_crc32c(0, bt_buf_at(&b, 0), b.len));
		r = b.oom ? bt_error_nomem(err, "writing the model card")
		          : bt_out_whole(path, b.data, b.len, err);
	}
	json_decref(results);
	bt_buf_clear(&b);
	free(base);
	free(path);
	return r;
}
