/* SPDX-License-Identifier: MIT */
#include "base/suggest.h"

#include <ctype.h>
#include <string.h>

static const struct bt_suggest_known table[] = {
    /* training */
    {"epochs", "epoch num-epochs n-epochs max-epochs num-train-epochs",
     BT_HINT_NONE},
    {"steps",
     "max-steps train-steps num-train-steps total-steps num-training-steps",
     BT_HINT_NONE},
    {"batch-size",
     "batch-size batch bs train-batch-size per-device-train-batch-size "
     "per-gpu-train-batch-size",
     BT_HINT_BATCHES},
    {NULL,
     "eval-batch-size per-device-eval-batch-size per-gpu-eval-batch-size "
     "predict-batch-size test-batch-size validation-batch-size "
     "eval-accumulation-steps",
     BT_HINT_BATCHES},
    {"accumulate",
     "gradient-accumulation-steps gradient-accumulation grad-accum "
     "grad-accumulation grad-accumulation-steps accumulate-grad-batches "
     "accumulation-steps",
     BT_HINT_NONE},
    {"learning-rate",
     "lr base-lr max-lr init-lr initial-learning-rate body-learning-rate",
     BT_HINT_NONE},
    {"head-learning-rate", "head-lr classifier-lr", BT_HINT_NONE},
    {"end-learning-rate", "end-lr min-lr lr-end", BT_HINT_NONE},
    {"warmup",
     "warmup-ratio warmup-steps warmup-proportion warmup-epochs "
     "num-warmup-steps",
     BT_HINT_NONE},
    {"schedule",
     "lr-scheduler lr-scheduler-type lr-schedule lr-decay scheduler-type "
     "decay-method",
     BT_HINT_NONE},
    {"optimizer", "optim optimizer-type", BT_HINT_NONE},
    {"optimizer adamw",
     "adamw-torch adamw-torch-fused adamw-hf adamw-apex-fused fusedadamw",
     BT_HINT_NONE},
    {"weight-decay", "wd weight-decay-rate", BT_HINT_NONE},
    {"layer-decay", "llrd layerwise-lr-decay layer-lr-decay", BT_HINT_NONE},
    {"clip",
     "max-grad-norm max-norm clipnorm clip-norm global-clipnorm grad-clip "
     "clip-grad-norm gradient-clip gradient-clip-val gradient-clip-norm",
     BT_HINT_NONE},
    {"clip-value", "clipvalue", BT_HINT_NONE},
    {"epsilon", "adam-eps eps", BT_HINT_NONE},
    {"label-smoothing", "label-smoothing-factor smoothing", BT_HINT_NONE},
    {"mean", "average", BT_HINT_NONE},
    {"average", "swa", BT_HINT_NONE},
    {NULL,
     "focal focal-loss focal-gamma focal-loss-gamma gamma contrastive "
     "contrastive-loss contrastive-weight contrastive-temperature supcon "
     "supcon-loss supcon-weight supervised-contrastive ema ema-decay "
     "ema-momentum use-ema model-ema model-ema-decay average-decay "
     "average swa swa-lr swa-start",
     BT_HINT_LEFT_OUT},
    {"class-weight", "class-weights balanced weighted weighted-loss",
     BT_HINT_NONE},
    {"dropout",
     "hidden-dropout-prob hidden-dropout classifier-dropout dropout-rate",
     BT_HINT_NONE},
    {"freeze", "freeze-encoder freeze-layers freeze-embeddings", BT_HINT_NONE},
    {"fgm", "awp adversarial adversarial-training", BT_HINT_NONE},
    {"lora", "lora-r lora-rank peft use-lora use-peft", BT_HINT_NONE},
    {"lora-targets", "lora-target-modules target-modules", BT_HINT_NONE},
    {"pool", "pooling pooling-mode", BT_HINT_NONE},
    {"embed", "pooling pooling-mode", BT_HINT_NONE},
    {"pool mean", "avg mean-pooling", BT_HINT_NONE},
    {"pool first", "cls cls-token", BT_HINT_NONE},
    {"mask-prob", "mlm-probability masked-lm-prob mlm-prob", BT_HINT_NONE},
    {"whole-word", "wwm whole-word-masking do-whole-word-mask", BT_HINT_NONE},
    {"task masked-lm", "mlm fill-mask masked-language-modeling", BT_HINT_NONE},
    {"task multilabel", "multi-label multilabel multi-label-classification",
     BT_HINT_NONE},
    {"task regression", "regression is-regression sts sts-b", BT_HINT_NONE},
    {"task classification",
     "single-label-classification text-classification sequence-classification "
     "binary multiclass",
     BT_HINT_NONE},
    {"task tagging", "ner pos token-classification", BT_HINT_NONE},
    {"task qa", "question-answering squad", BT_HINT_NONE},
    {"task ranking",
     "rerank reranking reranker cross-encoder text-ranking pairwise",
     BT_HINT_NONE},
    {"task multiple-choice", "choice choices multi-choice swag race",
     BT_HINT_NONE},
    {"task embedding", "sentence-similarity feature-extraction embeddings",
     BT_HINT_NONE},
    {"task", "problem-type task-type task-name", BT_HINT_NONE},
    {"kfold", "k-folds folds num-folds n-folds n-splits cv cross-validation",
     BT_HINT_NONE},
    {"tune", "n-trials hyperparameter-search hpo search", BT_HINT_NONE},
    {"seed", "random-seed random-state seed-everything data-seed",
     BT_HINT_NONE},

    /* evaluation, logs, checkpoints */
    {"eval",
     "eval-file eval-data eval-data-path eval-dataset dev dev-file "
     "validation validation-data validation-file val valid val-data "
     "val-file do-eval evaluate-during-training",
     BT_HINT_NONE},
    {"eval-share",
     "validation-split validation-split-percentage val-split eval-split "
     "test-size val-size",
     BT_HINT_NONE},
    {"eval-steps",
     "eval-every eval-strategy evaluation-strategy eval-interval "
     "evaluation-steps evaluate-during-training-steps "
     "evaluate-every val-check-interval validation-freq validation-interval",
     BT_HINT_NONE},
    {"metric",
     "metric-for-best-model monitor metric-type metrics metric-name "
     "best-checkpoint-eval-metric",
     BT_HINT_NONE},
    {NULL, "metric metrics metric-name compute-metrics", BT_HINT_ALL_METRICS},
    {NULL, "do-train do-predict do-test", BT_HINT_TOOL_FOR_EACH},
    {NULL, "max-samples max-train-samples max-eval-samples max-predict-samples",
     BT_HINT_FIRST_RECORDS},
    {NULL,
     "bf16-full-eval fp16-full-eval full-determinism greater-is-better "
     "ignore-mismatched-sizes logging-nan-inf-filter overwrite-cache "
     "remove-unused-columns reprocess-input-data return-entity-level-metrics "
     "save-safetensors skip-memory-metrics use-fast-tokenizer",
     BT_HINT_NOT_NEEDED},
    {NULL,
     "push-to-hub hub-model-id hub-strategy hub-private-repo "
     "hub-always-push",
     BT_HINT_UPLOAD},
    {NULL, "load-best-model-at-end restore-best-weights save-best-only",
     BT_HINT_BEST_KEPT},
    {"patience",
     "early-stopping early-stopping-patience early-stop use-early-stopping",
     BT_HINT_NONE},
    {"log-steps",
     "logging-steps logging-strategy log-every log-interval "
     "log-every-n-steps",
     BT_HINT_NONE},
    {"tensorboard", "logging-dir log-dir report-to tensorboard-dir",
     BT_HINT_NONE},
    {"save-steps", "save-strategy save-every save-checkpoints-steps",
     BT_HINT_NONE},
    {"keep", "save-total-limit keep-checkpoint-max max-to-keep", BT_HINT_NONE},
    {"resume-from", "resume-from-checkpoint ckpt-path", BT_HINT_NONE},
    {"no-card", "no-model-card", BT_HINT_NONE},
    {"force", "overwrite overwrite-output-dir overwrite-output", BT_HINT_NONE},

    /* files */
    {"model",
     "model-name model-name-or-path model-path pretrained init-checkpoint "
     "pretrained-model adapter adapter-name adapter-path",
     BT_HINT_NONE},
    {"init-config", "bert-config-file config-name config-file", BT_HINT_NONE},
    {"summary", "json json-summary", BT_HINT_NONE},
    {"json", "summary", BT_HINT_NONE},
    {"tokenizer", "tokenizer-name tokenizer-name-or-path vocab vocab-file",
     BT_HINT_NONE},
    {"model", "vocab vocab-file", BT_HINT_NONE},
    {"dataset", "repo-type dataset-name", BT_HINT_FETCH_DATASET},
    {"revision", "model-revision", BT_HINT_FETCH_REVISION},
    {NULL, "hub-token use-auth-token", BT_HINT_HUB_TOKEN},
    {"include", "allow-patterns allow-pattern pattern", BT_HINT_NONE},
    {"output",
     "output-dir output-file out out-dir local-dir save-dir best-model-dir",
     BT_HINT_NONE},
    {NULL,
     "train train-file train-data train-data-path train-dataset "
     "training-data data data-path data-dir dataset input input-file file "
     "predict-file test-file",
     BT_HINT_OPERANDS},
    {"delimiter", "sep separator field-delimiter", BT_HINT_NONE},
    {"truncate-dim", "dimensions dimension dim matryoshka-dim output-dimension",
     BT_HINT_NONE},
    {"join", "merge lookup joins left-join corpus queries", BT_HINT_NONE},
    {"label-separator", "label-delimiter labels-separator", BT_HINT_NONE},
    {"id", "id-column id-col index-col key", BT_HINT_NONE},
    {"text", "text-column text-column-name text-col text-field sentence",
     BT_HINT_NONE},
    {NULL, "text texts text-column text-column-name text-col text-field",
     BT_HINT_READ_TEXT},
    {"label",
     "label-column label-column-name label-col label-field target "
     "target-column",
     BT_HINT_NONE},
    {NULL,
     "label label-column label-column-name label-col label-field target "
     "target-column",
     BT_HINT_LABEL_COLUMN},
    {"skip-bad", "on-bad-lines error-bad-lines", BT_HINT_NONE},
    {"na drop", "dropna drop-na", BT_HINT_NONE},
    {"head", "take nrows n-rows", BT_HINT_NONE},
    {NULL, "take nrows n-rows", BT_HINT_FIRST_RECORDS},
    {"shard", "num-shards", BT_HINT_NONE},
    {"where", "filter query", BT_HINT_NONE},
    {"split", "test-size", BT_HINT_NONE},
    {NULL, "test-size val-size train-size train-test-split",
     BT_HINT_SPLIT_RECORDS},
    {"dedupe", "deduplicate dedup", BT_HINT_NONE},
    {"drop-duplicates", "deduplicate dedup", BT_HINT_NONE},
    {"candidates", "candidate-labels", BT_HINT_CANDIDATES},
    {"template", "hypothesis-template", BT_HINT_CANDIDATES},
    {"labels", "label-list label-names class-names classes num-labels",
     BT_HINT_NONE},

    /* texts, predictions */
    {"max-length",
     "max-length max-len maxlen max-seq-length max-seq-len seq-length "
     "sequence-length seq-len max-tokens truncate max-position",
     BT_HINT_TOKENIZE_LENGTH},
    {"pad", "padding pad-to-max-length pad-to", BT_HINT_TOKENIZE_PAD},
    {NULL, "group-by-length length-grouped", BT_HINT_TOKENIZE_PAD},
    {"stride", "doc-stride overlap sliding-window", BT_HINT_TOKENIZE_STRIDE},
    {"label-all", "label-all-tokens", BT_HINT_TOKENIZE_LABEL_ALL},
    {"n-best", "n-best-size", BT_HINT_PREDICT_ANSWERS},
    {"max-answer", "max-answer-length", BT_HINT_PREDICT_ANSWERS},
    {"null-threshold", "null-score-diff-threshold", BT_HINT_PREDICT_ANSWERS},
    {"null-odds", "version-2-with-negative", BT_HINT_PREDICT_ANSWERS},
    {"lower-case", "do-lower-case lowercase uncased", BT_HINT_NONE},
    {"proba", "probs probabilities predict-proba return-all-scores with-proba",
     BT_HINT_NONE},
    {"top", "top-k topk", BT_HINT_NONE},
    {"embed", "embeddings embedding", BT_HINT_NONE},

    /* the machine */
    {"dtype bf16",
     "bf16 fp16 half amp mixed-precision use-amp bfloat16 float16",
     BT_HINT_NONE},
    {"dtype f32", "fp32 float32 no-fp16", BT_HINT_NONE},
    {"dtype int8", "int8 quantize load-in-8bit 8bit", BT_HINT_NONE},
    {"dtype", "precision torch-dtype compute-dtype outtype", BT_HINT_NONE},
    {"checkpoint-activations",
     "gradient-checkpointing activation-checkpointing grad-checkpointing "
     "recompute remat",
     BT_HINT_NONE},
    {"device", "gpu cuda use-cuda use-gpu tpu use-tpu accelerator",
     BT_HINT_NONE},
    {NULL, "cpu no-cuda use-cpu", BT_HINT_DEVICES},
    {"replicas", "n-gpu num-gpus gpus num-tpu-cores", BT_HINT_NONE},
    {"nearest", "knn neighbors neighbours nearest-neighbors k-nearest",
     BT_HINT_NONE},
    {"threads",
     "num-threads nthreads n-threads n-jobs num-workers workers "
     "dataloader-num-workers preprocessing-num-workers nproc num-proc cpus",
     BT_HINT_NONE},
    {"quiet", "disable-tqdm no-progress silent", BT_HINT_NONE},
    {"detect-anomaly", "check-nan debug-nans terminate-on-nan", BT_HINT_NONE},
};

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t bt_suggest_distance(const char *a, const char *b)
{
	size_t rows[3][BT_SUGGEST_LONGEST + 1], n = strlen(b), i, j;
	size_t *before = rows[0], *above = rows[1], *row = rows[2], *free;

	for (j = 0; j <= n; j++)
		row[j] = j;
	for (i = 1; a[i - 1] != '\0'; i++) {
		free = before;
		before = above;
		above = row;
		row = free;
		row[0] = i;
		for (j = 1; j <= n; j++) {
			row[j] = least(least(above[j], row[j - 1]) + 1,
			               above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return row[n];
}

/* The next word of *s, of *n bytes; false at the end. */
static bool next_word(const char **s, const char **word, size_t *n)
{
	*s += strspn(*s, "-_");
	*word = *s;
	*n = strcspn(*s, "-_");
	*s += *n;
	return *n > 0;
}

static bool has_word(const char *name, const char *word, size_t n)
{
	const char *w;
	size_t k;

	while (next_word(&name, &w, &k))
		if (k == n && memcmp(w, word, n) == 0)
			return true;
	return false;
}

bool bt_suggest_words(const char *ours, const char *theirs)
{
	bool among = true, letters = true;
	const char *w, *letter = theirs;
	size_t n, words = 0;

	while (next_word(&ours, &w, &n)) {
		among = among && has_word(theirs, w, n);
		letters = letters && *letter == *w;
		letter += *letter != '\0';
		words++;
	}
	return words > 0 &&
	       (among || (letters && words > 1 && *letter == '\0'));
}

/* As the table has them. */
static int letter(char c)
{
	return c == '_' ? '-' : tolower((unsigned char)c);
}

static bool lists(const char *names, const char *name)
{
	const char *p;

	while (*names != '\0') {
		for (p = name; *p != '\0' && letter(*p) == *names; p++)
			names++;
		if (*p == '\0' && (*names == '\0' || *names == ' '))
			return true;
		names += strcspn(names, " ");
		names += *names == ' ';
	}
	return false;
}

const struct bt_suggest_known *
bt_suggest_known_next(const struct bt_suggest_known *behind, const char *theirs)
{
	const struct bt_suggest_known *k = behind != NULL ? behind + 1 : table;

	for (; k < table + sizeof(table) / sizeof(*table); k++)
		if (lists(k->theirs, theirs))
			return k;
	return NULL;
}
