/* SPDX-License-Identifier: MIT */
#include "base/hint.h"

static const char *const words[BT_HINTS] = {
    [BT_HINT_NONE] = "",
    [BT_HINT_CKPT_CONVERT_NO_BF16] = "convert with --dtype f32",
    [BT_HINT_CKPT_DROP_MODEL] =
        "ckpt-convert --drop '^BEGINNING' leaves one out",
    [BT_HINT_CKPT_DROP_TENSOR] = "leave it out with --drop",
    [BT_HINT_CKPT_DROP_TENSOR_OR_H5] =
        "leave it out with --drop, or use --to h5",
    [BT_HINT_CKPT_HEADS] = "give their number with --heads",
    [BT_HINT_CKPT_KEEP_NAMES] = "use --names keep",
    [BT_HINT_CKPT_TO_KERAS] = "use --to keras",
    [BT_HINT_READ_WITH_TENSOR_CAT] = "tensor-cat reads streams of tensors",
    [BT_HINT_READ_WITH_TFRECORD_CAT] = "tfrecord-cat reads records",
    [BT_HINT_ARRAYS_TO_STREAM] =
        "tensor-cat -o NAME.ts makes a stream of a .npy or .npz file",
    [BT_HINT_SAFETENSORS_TO_STREAM] =
        "tensor-cat --from-safetensors -o NAME.ts makes a stream of it",
    [BT_HINT_WRITE_TENSORS] =
        "bert-predict -o NAME.ts, or --format tensor into a pipe, writes "
        "logits and embeddings as tensors",
    [BT_HINT_TENSOR_SELECT] = "choose one with --select",
    [BT_HINT_TOKENIZE_FIRST] = "run bert-tokenize first",
    [BT_HINT_TOKENIZE_LENGTH] = "bert-tokenize --max-length truncates texts",
    [BT_HINT_TOKENIZE_PAD] =
        "batches need no padding; bert-tokenize --pad writes it for others",
    [BT_HINT_TOKENIZE_STRIDE] =
        "bert-tokenize --stride cuts long texts into windows",
    [BT_HINT_TOKENIZE_LABEL_ALL] =
        "bert-tokenize --label-all labels all tokens of a word",
    [BT_HINT_PREDICT_ANSWERS] =
        "bert-predict has --nbest, --n-best, --null-odds, --null-threshold "
        "and --max-answer",
    [BT_HINT_FIRST_RECORDS] = "tfrecord-cat --head N takes the first N records",
    [BT_HINT_FETCH_DATASET] = "bert-fetch --dataset NAME fetches a data set",
    [BT_HINT_FETCH_REVISION] = "bert-fetch --revision fetches it",
    [BT_HINT_UPLOAD] = "models stay on this machine: 'hf upload NAME DIR' of "
                       "huggingface_hub sends a model directory",
    [BT_HINT_NOT_NEEDED] = "leave it out: it is so without an option",
    [BT_HINT_DASH] = "'./' before the name of a file that begins with '-'",
    [BT_HINT_BATCHES] =
        "batches that are only evaluated or predicted need no size",
    [BT_HINT_BEST_KEPT] = "with --eval, the best model is the one that is kept",
    [BT_HINT_LEFT_OUT] =
        "left out of bert-train, as it helped on none of the data sets in "
        "bertutils-recipes(7)",
    [BT_HINT_OPERANDS] = "files to read are named without an option",
    [BT_HINT_TOOL_FOR_EACH] =
        "each job is a tool: bert-train, bert-eval, bert-predict",
    [BT_HINT_QUOTE_FIELDS] =
        "a field that has the delimiter in it must be in double quotes",
    [BT_HINT_CLASS_WEIGHT_ONE_LABEL] =
        "--class-weight applies only to classification",
    [BT_HINT_PSEUDO_LABEL_ONE_LABEL] =
        "--pseudo-label applies only to classification",
    [BT_HINT_R_DROP_ONE_LABEL] = "--r-drop applies only to classification",
    [BT_HINT_DTYPE] = "choose another --dtype",
    [BT_HINT_LABELS_NAMED] =
        "--labels applies to classification, multilabel and tagging",
    [BT_HINT_LABEL_COLUMN] = "name the column with csv2tfrecord -l COLUMN",
    [BT_HINT_LABEL_AND_ID] = "-l COLUMN reads a label, -i COLUMN an id",
    [BT_HINT_LABEL_FORM] =
        "csv2tfrecord --strip, --fold-case or --map-label makes them one",
    [BT_HINT_LABEL_SMOOTHING_ONE_LABEL] =
        "--label-smoothing applies only to classification",
    [BT_HINT_POS_WEIGHT_MULTILABEL] =
        "--pos-weight applies only to --task multilabel, --class-weight to "
        "classification",
    [BT_HINT_TEACHER_TEXTS] =
        "--teacher applies to classification, multilabel, regression and "
        "tagging",
    [BT_HINT_WORD_ROWS] = "--sentence COL reads a table with a word in a row",
    [BT_HINT_WORDS_TENSOR] = "bert-predict --format tensor writes them",
    [BT_HINT_TEACHER_TEMPERATURE] =
        "--teacher-temperature does not apply to regression",
    [BT_HINT_WINDOWS_TEXTS] = "--windows applies to classification, "
                              "multilabel, ranking and regression",
    [BT_HINT_NUMBER_ROWS] = "csv2tfrecord -i row numbers the rows",
    [BT_HINT_PREDICT_CLASSES_ONLY] =
        "--proba, --top and --map-label do not apply to regression",
    [BT_HINT_PREDICT_MULTILABEL_ONLY] =
        "--label-separator applies only to multi-label models",
    [BT_HINT_PREDICT_SETS] =
        "--sets and --min-proba apply only to classification",
    [BT_HINT_FIND_SETS] = "find them with bert-eval --coverage",
    [BT_HINT_PREDICT_NO_TOP] = "do not combine --threshold with --top",
    [BT_HINT_PREDICT_THRESHOLD] =
        "--threshold applies to models of two classes, multi-label models and "
        "regression",
    [BT_HINT_TASK_CLASSIFICATION] = "train with --task classification",
    [BT_HINT_TASK_CLASSIFICATION_OR_COLUMNS] =
        "train with --task classification, or make multi-label records with "
        "csv2tfrecord -l COL,COL,...",
    [BT_HINT_TASK_MULTI_LABEL] = "train with --task multilabel",
    [BT_HINT_TASK_MULTI_LABEL_OR_ONE_HOT] =
        "train with --task multilabel or, where each text has just one, make "
        "classes with csv2tfrecord --label-type one-hot",
    [BT_HINT_GIVE_MULTI_LABEL] = "give --task multilabel",
    [BT_HINT_TASK_RANKING] =
        "train with --task regression, or see how well degrees of relevance "
        "are ranked with bert-eval --rank-by",
    [BT_HINT_TASK_REGRESSION] = "train with --task regression",
    [BT_HINT_TASK_QA] = "train with --task qa",
    [BT_HINT_TASK_QUESTIONS] = "make records of questions with squad2tfrecord",
    [BT_HINT_TASK_TAGGING] = "train with --task tagging",
    [BT_HINT_TASK_WORDS] =
        "make records of words with conll2tfrecord, with --lines of plain text",
    [BT_HINT_START_OVER] =
        "start over with bert-train --no-resume or another output directory",
    [BT_HINT_FORCE] = "give another output directory, or --force",
    [BT_HINT_GO_ON_FROM_MODEL] =
        "train its model further with bert-train -m DIR -o NEW, or start over "
        "with bert-train --no-resume or another output directory",
    [BT_HINT_TOKENIZER] = "give one with --tokenizer",
    [BT_HINT_TOKENIZER_PATH] =
        "give a model directory, its vocab.txt or its tokenizer.json",
    [BT_HINT_RESUME_FROM] = "make room and resume with --resume-from that file",
    [BT_HINT_CHECKPOINT_MODEL] =
        "ckpt-convert --drop '^moment' --rename 's/^param[.]//' FILE NEW/ "
        "makes one of a checkpoint",
    [BT_HINT_MODEL_DIR] = "give another --model_dir",
    [BT_HINT_MODEL_DIR_CHECKPOINT] =
        "make room, and move that file to checkpoint.safetensors in --model_dir",
    [BT_HINT_MODEL_DIR_ROOM] = "make room, or give another --model_dir",
    [BT_HINT_MODEL_DIR_BATCH] = "use a smaller batch",
    [BT_HINT_SAVE_FEWER] =
        "make room, write elsewhere, or write no checkpoints with "
        "--save-minutes 0",
    [BT_HINT_ALLOW_UNUSED] =
        "leave it out with ckpt-convert --drop, or keep it unused with bert-train --allow-unused",
    [BT_HINT_ALLOW_UNUSED_OR_UNTIE] =
        "write \"tie_word_embeddings\": false into config.json, leave it out "
        "with ckpt-convert --drop, or keep it unused with bert-train "
        "--allow-unused",
    [BT_HINT_AGREEMENT] =
        "measure it with bert-eval --dtype int8 --min-agreement",
    [BT_HINT_CALIBRATE] = "fit it again with bert-eval --calibrate",
    [BT_HINT_BATCH_SMALLER] =
        "use a smaller --batch-size or --batch-tokens with --accumulate",
    [BT_HINT_BATCH_SMALLER_OR_CHECKPOINT] =
        "use a smaller --batch-size or --batch-tokens with --accumulate, or "
        "--checkpoint-activations",
    [BT_HINT_CLASSES_TRAIN] = "train one with bert-train -m DIR -o MODEL",
    [BT_HINT_CLASSES_TRAIN_OR_APART] =
        "train a classifier with bert-train -m DIR -o MODEL, or evaluate the "
        "embeddings of pairs, which bert-tokenize --apart makes records of",
    [BT_HINT_CSV_ONLY] = "--header and --delimiter are for --format csv",
    [BT_HINT_OUTPUT_FILE] = "-o FILE writes to a file",
    [BT_HINT_EMBED_AUTO] = "--embed writes its embeddings",
    [BT_HINT_EXPLAIN_CLASS] = "--explain-class explains one that does not",
    [BT_HINT_EXPLAIN_STEPS] = "more --explain-steps help",
    [BT_HINT_FILL_MASK] = "train one with bert-train -m DIR -o MODEL; "
                          "--fill-mask tells its masks",
    [BT_HINT_EMBED] = "choose it with --embed cls, mean or max",
    [BT_HINT_GEMM_INT8] = "leave out --gemm",
    [BT_HINT_FIELD_NAMES] = "--header gives CSV other column names",
    [BT_HINT_KEEP_FIELDS] =
        "csv2tfrecord --keep keeps columns, bert-tokenize --keep-text texts",
    [BT_HINT_KEEP_TEXT] = "bert-tokenize -m MODEL --keep-text keeps it",
    [BT_HINT_LABEL_SEPARATOR] = "choose another --label-separator",
    [BT_HINT_MAP_LABEL] = "--map-label renames labels",
    [BT_HINT_PREDICTION_FORMS] =
        "--predictions reads answers to questions as one JSON object, other "
        "predictions as CSV or a tensor stream, neither as JSON Lines",
    [BT_HINT_MAP_FROM_ONE] =
        "if they count from 1, --map-label 1=A,2=B renames them",
    [BT_HINT_NAME_LABELS] =
        "csv2tfrecord --map-label 0=NAME,1=NAME gives numbers names",
    [BT_HINT_MASKED_MODEL] =
        "it is not a masked language model, which bert-train --task masked-lm "
        "makes",
    [BT_HINT_MAX_LENGTH] = "tokenize with bert-tokenize --max-length",
    [BT_HINT_PAD] = "tokenize with bert-tokenize --pad LENGTH --attend-pad",
    [BT_HINT_PAIR] = "csv2tfrecord --pair makes pairs",
    [BT_HINT_PROBA] = "--proba writes probabilities",
    [BT_HINT_SAMPLE_COLUMNS] =
        "do not combine --sample with --format, --header, --delimiter, --top, "
        "--min-proba, --sets or --with",
    [BT_HINT_SAMPLE_ID] = "--sample-id names the column of ids",
    [BT_HINT_SAMPLE_BY_ID] = "leave out --sample-order to match by ids",
    [BT_HINT_SAMPLE_INCOMPLETE] =
        "--sample-missing VALUE fills rows without a prediction, "
        "--sample-extra ignore leaves out predictions without a row",
    [BT_HINT_SAMPLE_IDS] =
        "csv2tfrecord -i COLUMN reads ids, or --sample-order fills the rows in "
        "the order of the records",
    [BT_HINT_SAMPLE_ORDER] = "--sample-order fills the rows in order",
    [BT_HINT_TENSOR_MEAN] =
        "predict with each into a tensor stream, -o NAME.ts, and average these "
        "with bert-predict --predictions",
    [BT_HINT_TOKENIZED] = "bert-tokenize wrote it; use the records before that",
    [BT_HINT_TOKENIZE_AGAIN] =
        "tokenize the text again with bert-tokenize -m MODEL",
    [BT_HINT_TSV_TOP] = "do not combine --format tsv with --top",
    [BT_HINT_WINDOWS] = "choose with --windows",
    [BT_HINT_TEXTS_ORDER] = "shuffle and divide before bert-tokenize",
    [BT_HINT_TASK_CHOICE] = "train with --task multiple-choice",
    [BT_HINT_MODEL_CHOICE] =
        "train with --task multiple-choice, or take a classifier that has a "
        "class whose name begins with 'entail'",
    [BT_HINT_CANDIDATES] =
        "csv2tfrecord --candidates and --template make records of them",
    [BT_HINT_CHOICE_NAMES] = "--choice-names reads them from a column",
    [BT_HINT_JSON_ROWS] =
        "these are columns: to_json(orient='records') of pandas writes rows",
    [BT_HINT_JSON_LIST] =
        "jq -c '.KEY[]' FILE writes the rows of its list KEY, one a line",
    [BT_HINT_JSON_LISTS] =
        "jq -r '.KEY[] | @csv' FILE writes the rows of its list KEY as CSV "
        "without a header",
    [BT_HINT_JSON_SPLIT] =
        "jq -c '.columns as $c | .data[] | [$c, .] | transpose | "
        "map({(.[0]): .[1]}) | add' FILE writes its rows, one a line",
    [BT_HINT_JSON_BY_ROW] = "jq -c '.[]' FILE writes its rows, one a line",
    [BT_HINT_MEMBER] = "KEY.NAME is the value of NAME in the object of KEY",
    [BT_HINT_CHOICES] = "csv2tfrecord --choices names their columns, -l the "
                        "label's",
    [BT_HINT_TASK_EMBEDDING] = "train with --task embedding",
    [BT_HINT_MASKS_TASK] =
        "--mask-prob, --whole-word and --next-sentence are for --task "
        "masked-lm",
    [BT_HINT_EMBEDDING_LOSS] =
        "--embedding-loss and --matryoshka-dims are for --task embedding",
    [BT_HINT_TOKENIZE_APART] = "bert-tokenize --apart makes them of pairs",
    [BT_HINT_POOL_WITHOUT_DENSE] =
        "--pool first, mean or max trains the encoder without it",
    [BT_HINT_WINDOWS_ORDER] = "--windows each takes each window by itself",
    [BT_HINT_DETOKENIZE_JSON] = "use --format json",
    [BT_HINT_DUMMY_LABEL] = "--dummy-label gives them one",
    [BT_HINT_GIVE_LABELS] = "give them with --labels",
    [BT_HINT_GIVE_MAX_LENGTH] = "give it with --max-length",
    [BT_HINT_LABEL_TYPE_CLASS] = "use --label-type class",
    [BT_HINT_LABEL_TYPE_FLOAT] = "use --label-type float",
    [BT_HINT_NO_LINES] = "drop --lines",
    [BT_HINT_PROMPT] =
        "--prompt NAME puts it before each text; --prompt-text '' says that no "
        "prompt is wanted",
    [BT_HINT_PROMPT_TEXT] = "--prompt-text takes the text of a prompt",
    [BT_HINT_READ_RECORDS] =
        "bert-tokenize reads text records, bert-train token records",
    [BT_HINT_READ_TENSORS] =
        "tensor-cat reads streams of tensors, ckpt-inspect checkpoints",
    [BT_HINT_READ_PARQUET] =
        "csv2tfrecord reads it, conll2tfrecord and squad2tfrecord where it "
        "holds words or questions",
    [BT_HINT_PIPE] = "see what the program before it in the pipe says",
    [BT_HINT_PIPE_FAILED] =
        "the program before it in the pipe probably failed: see what it says",
    [BT_HINT_READ_QUESTIONS] =
        "squad2tfrecord reads questions and the texts that answer them",
    [BT_HINT_READ_WORDS] = "conll2tfrecord reads words and their tags",
    [BT_HINT_READ_SPANS] =
        "conll2tfrecord --spans reads spans with labels in a text",
    [BT_HINT_TEXTS_OR_SPANS] =
        "--text COL reads texts, --spans COL the spans in them that have "
        "labels, too",
    [BT_HINT_TEXT_OF_SPANS] = "--text names the key of the text",
    [BT_HINT_READ_TEXT] =
        "csv2tfrecord reads tables and JSON Lines, conll2tfrecord words and tags, "
        "squad2tfrecord questions, bert-tokenize --lines lines of text",
    [BT_HINT_NO_ANSWERS] =
        "if its answers are not known, leave them out with --no-answers",
    [BT_HINT_ONE_ANSWER] =
        "--version_2_with_negative takes those with is_impossible",
    [BT_HINT_TENSOR_SIGMOID] = "--sigmoid makes probabilities of them",
    [BT_HINT_TENSOR_SOFTMAX] = "--softmax makes probabilities of them",
    [BT_HINT_EVALUATE_MODEL] = "-m DIR evaluates a model",
    [BT_HINT_PSEUDO_THRESHOLD] = "--pseudo-threshold sets what is wanted",
    [BT_HINT_COMMENT] = "--comment '#' leaves out lines that begin with #",
    [BT_HINT_REALIGN] = "--realign takes the nearest place of the text",
    [BT_HINT_TABLE_COMMA] = "use --delimiter comma",
    [BT_HINT_TABLE_PIPE] = "use --delimiter pipe",
    [BT_HINT_TABLE_SEP] = "leave out Excel's line sep= with tail -n +2, and "
                          "give its character to --delimiter",
    [BT_HINT_TABLE_SEMICOLON] = "use --delimiter semicolon",
    [BT_HINT_TABLE_TAB] = "use --delimiter tab",
    [BT_HINT_TABLE_WINDOWS1252] = "use --encoding windows-1252",
    [BT_HINT_UNZIP] =
        "unzip -p ARCHIVE FILE writes a file of it into a pipe, and a "
        "spreadsheet program can save CSV",
    [BT_HINT_DECOMPRESS] =
        "bzip2 -dc FILE or xz -dc FILE writes its text into a pipe",
    [BT_HINT_ARROW] = "the to_parquet() of pandas or datasets writes Parquet, "
                      "which is read",
    [BT_HINT_TABLE_ENCODING] =
        "use --encoding windows-1252, latin1 or another for text that is not "
        "UTF-8",
    [BT_HINT_TEXT_ENCODING] =
        "iconv -f windows-1252 -t utf-8 converts text that Windows or Latin-1 "
        "programs wrote",
    [BT_HINT_TEXT_ENCODING_OR_MEND] =
        "iconv -f windows-1252 -t utf-8 converts text that Windows or Latin-1 "
        "programs wrote; --replace-invalid puts U+FFFD there",
    [BT_HINT_TABLE_HEADER] = "if that row is a header, drop --no-header",
    [BT_HINT_TABLE_LABEL] = "check which column --label names",
    [BT_HINT_TABLE_MAP_LABEL] =
        "--fold-case, --strip or --map-label makes them one",
    [BT_HINT_TABLE_STRIP] = "--strip removes it",
    [BT_HINT_TABLE_NA] = "--na drop leaves out rows whose label is missing",
    [BT_HINT_TABLE_NO_HEADER] = "if that row is data, use --no-header",
    [BT_HINT_TABLE_NO_QUOTE] =
        "use --no-quote where quotes are ordinary characters",
    [BT_HINT_TABLE_REJECTS] = "--rejects lists all such rows",
    [BT_HINT_TABLE_DECIMAL] =
        "--label-type float with --decimal-comma reads 3,5 as 3.5",
    [BT_HINT_TABLE_ONE_HOT] =
        "if they exclude each other, --label-type one-hot makes classes of them",
    [BT_HINT_TABLE_NUMBERS] = "--label-type float reads numbers to predict",
    [BT_HINT_TABLE_LABEL_LIST] =
        "--label-list reads several labels from such a list",
    [BT_HINT_TABLE_TEXT_LIST] = "--text-list joins the texts of each",
    [BT_HINT_TABLE_HTML] = "--strip-html makes plain text of them",
    [BT_HINT_TABLE_SKIP_BAD] = "--skip-bad drops the row",
    [BT_HINT_TABLE_UTF16] = "use --encoding utf-16",
    [BT_HINT_TEXT_COLUMN] = "name the text's column with -t COLUMN",
    [BT_HINT_TEXT_NUMBER] = "give it with -t N",
    [BT_HINT_TOPOLOGY] =
        "for devices that are not here name them with --topology: of TPUs "
        "v2:4x4, v3:2x2, v4:2x2x1, v5e:1x1, v5e:2x2, v5e:4x4, v5p:2x2x1, "
        "v6e:1x1, v6e:2x2, tpu7x:2x2x1, of NVIDIA's GPUs h100, h100:8, t4 and "
        "others",
    [BT_HINT_TRAIN_MORE] =
        "try more --epochs or a higher --learning-rate, or let --tune 10 find "
        "both in ten minutes",
    [BT_HINT_DEVICES] =
        "without --device, CPUs compute; BT_PJRT_PATH names the directories of plugins; see "
        "DEVICES in bertutils(7)",
    [BT_HINT_GPU_PLUGIN] =
        "pip install 'jax-cuda13-plugin[with-cuda]' brings one for NVIDIA's, and "
        "BT_PJRT_PATH names the directory of packages; see DEVICES in "
        "bertutils(7)",
    [BT_HINT_TPU_PLUGIN] =
        "pip install libtpu brings it, and BT_PJRT_PATH names the directory of "
        "packages; see DEVICES in bertutils(7)",
    [BT_HINT_HOSTS] = "bert-train trains on the CPUs of several machines in an "
                      "MPI job, and with --replicas on several devices of one",
    [BT_HINT_ADAPTER_BASE] = "name the model: -m BASE --adapter DIR; "
                             "bert-fetch fetches one",
    [BT_HINT_CKPT_BY_PATH] = "ckpt-inspect and ckpt-convert read it by its "
                             "path, and the latter makes a model.safetensors "
                             "of it",
    [BT_HINT_MERGE_ADAPTER] = "ckpt-convert writes both merged into one model",
    [BT_HINT_FETCH_BASE] = "bert-fetch --base fetches both",
    [BT_HINT_FETCH] = "bert-fetch NAME fetches a model by its name",
    [BT_HINT_HUB_BUILD] = "install libcurl4-openssl-dev and libssl-dev, and "
                          "build again",
    [BT_HINT_HUB_TOKEN] = "the environment variable HF_TOKEN takes a token",
    [BT_HINT_HUB_TOKEN_OR_DATASET] =
        "the environment variable HF_TOKEN takes a token; --dataset fetches a "
        "data set",
    [BT_HINT_HUB_PARQUET] =
        "--list shows all with --include '*'; the hub has most data sets as "
        "Parquet, too: --revision refs/convert/parquet",
    [BT_HINT_PREDICTIONS_TASK] =
        "--task says it, and streams of bert-predict -o NAME.ts do",
    [BT_HINT_ALL_METRICS] =
        "bert-eval prints all metrics of a task; its --min sets limits",
    [BT_HINT_SPLIT_RECORDS] =
        "tfrecord-cat --split divides records, bert-train --eval-share holds some back",
};

const char *bt_hint_words(enum bt_hint hint)
{
	return words[hint];
}
