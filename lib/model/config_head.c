/* SPDX-License-Identifier: MIT */
/* What bertutils adds to Hugging Face's keys of a configuration: the head, and
 * what texts were trained on. */
#include <string.h>

#include "base/str.h"
#include "format/json.h"
#include "model/family_int.h"

static const char *const texts_names[] = {
    [BT_TEXTS_SINGLE] = "single",
    [BT_TEXTS_PAIRS] = "pairs",
    [BT_TEXTS_BOTH] = "both",
};

int bt_config_read_own(const json_t *o, struct bt_config *c,
                       struct bt_error *err)
{
	const char *pool = NULL, *head = NULL, *texts = NULL;
	int r, length, i;

	o = json_object_get(o, BT_CONFIG_OWN);
	if (o == NULL)
		return BT_OK;
	if (!json_is_object(o))
		return bt_error_set(err, BT_EFORMAT,
		                    "'" BT_CONFIG_OWN "' is not an object");
	if ((r = bt_json_str(o, "pool", &pool, err)) ||
	    (r = bt_json_str(o, "head", &head, err)) ||
	    (r = bt_json_str(o, "texts", &texts, err)))
		return r;
	for (i = BT_TEXTS_SINGLE; texts != NULL && i <= BT_TEXTS_BOTH; i++)
		if (strcmp(texts, texts_names[i]) == 0) {
			c->texts = (enum bt_texts)i;
			break;
		}
	if (texts != NULL && i > BT_TEXTS_BOTH)
		return bt_error_set(err, BT_EFORMAT,
		                    "texts '%s' is not single, pairs or both",
		                    texts);
	if (pool != NULL && !bt_pooled_named(pool, &c->pool))
		return bt_error_set(
		    err, BT_EFORMAT,
		    "pooling '%s' is not one of " BT_POOLED_NAMES, pool);
	if (head == NULL)
		return BT_OK;
	r = bt_head_parse(head, &c->head, err);
	if (r == BT_EARG && err != NULL)
		err->code = r = BT_EFORMAT; /* of a file, not of an option */
	if (r != BT_OK)
		return r;
	length = bt_head_length(&c->head);
	if (length < 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "the head's flatten does not say how many "
		                    "tokens a text has");
	if (length > c->max_positions)
		return bt_error_set(err, BT_EFORMAT,
		                    "the head is for texts of %d tokens, the "
		                    "encoder for up to %d",
		                    length, c->max_positions);
	return BT_OK;
}

/* What the names of classes end in whose outputs are tokens'. From the last one
 * models of other tasks begin: a file does not say that it is to stay that. */
#define STAY 2
static const struct {
	const char *problem, *class;
} of_tokens[] = {{BT_PROBLEM_TOKENS, "ForTokenClassification"},
                 {BT_PROBLEM_SPANS, "ForQuestionAnswering"},
                 {BT_PROBLEM_MASKED, "ForMaskedLM"}};

/* Hugging Face's class that a file is of, or "". */
static const char *class_of(const json_t *o)
{
	const char *class = json_string_value(
	    json_array_get(json_object_get(o, "architectures"), 0));

	return class != NULL ? class : "";
}

const char *bt_config_token_problem(const json_t *o)
{
	size_t i;

	for (i = 0; i < STAY; i++)
		if (strstr(class_of(o), of_tokens[i].class) != NULL)
			return of_tokens[i].problem;
	return NULL;
}

#define CHOICE "ForMultipleChoice"

bool bt_config_is_choice(const json_t *o)
{
	return strstr(class_of(o), CHOICE) != NULL;
}

bool bt_config_chooses(const struct bt_config *c)
{
	return bt_str_is(c->problem_type, BT_PROBLEM_CHOICE);
}

bool bt_config_classifies(const struct bt_config *c)
{
	return strstr(class_of(c->json), "ForSequenceClassification") != NULL ||
	       strstr(class_of(c->json), of_tokens[0].class) != NULL;
}

bool bt_config_masked(const struct bt_config *c)
{
	return bt_str_is(c->problem_type, BT_PROBLEM_MASKED);
}

bool bt_config_was_masked(const struct bt_config *c)
{
	const char *own = c->family->masked.class;

	return strstr(class_of(c->json), of_tokens[STAY].class) != NULL ||
	       (own != NULL && strcmp(class_of(c->json), own) == 0) ||
	       bt_config_had_next(c);
}

#define BOTH "ForPreTraining" /* of a family that can_next */

bool bt_config_can_next(const struct bt_config *c)
{
	return c->family->masked.next != NULL;
}

bool bt_config_had_next(const struct bt_config *c)
{
	return bt_config_can_next(c) && strstr(class_of(c->json), BOTH) != NULL;
}

bool bt_config_embeds(const struct bt_config *c)
{
	return bt_str_is(c->problem_type, BT_PROBLEM_EMBEDDING);
}

json_t *bt_config_class(const struct bt_config *c)
{
	const char *class = c->family->architecture;
	const char *end = strstr(class, "ForSequenceClassification");
	struct bt_buf b = BT_BUF_INIT;
	const char *name = class;
	json_t *a;
	int i = 0;

	if (bt_config_masked(c) && c->family->masked.class != NULL) {
		name = c->family->masked.class;
	} else if (end != NULL && c->per_token) {
		while (strcmp(c->problem_type, of_tokens[i].problem) != 0)
			i++;
		bt_buf_printf(&b, "%.*s%s", (int)(end - class), class,
		              c->next_sentence ? BOTH : of_tokens[i].class);
		name = bt_buf_str(&b);
	} else if (end != NULL && bt_config_chooses(c)) {
		bt_buf_printf(&b, "%.*s" CHOICE, (int)(end - class), class);
		name = bt_buf_str(&b);
	} else if (end != NULL &&
	           (c->head.n > 0 || c->pool != BT_POOLED_POOLER ||
	            bt_config_embeds(c))) {
		bt_buf_printf(&b, "%.*sModel", (int)(end - class), class);
		name = c->family->encoders != NULL ? c->family->encoders
		                                   : bt_buf_str(&b);
	}
	a = json_pack("[s]", name);
	bt_buf_clear(&b);
	return a;
}

void bt_config_write_own(json_t *o, const struct bt_config *c)
{
	struct bt_buf b = BT_BUF_INIT;
	json_t *own = json_object();

	if (bt_config_embeds(c)) {
		/* modules.json says how it pools */
	} else if (c->head.n > 0) {
		bt_head_print(&c->head, &b);
		json_object_set_new(own, "head", json_string(bt_buf_str(&b)));
		bt_buf_clear(&b);
	} else if (c->pool != BT_POOLED_POOLER) {
		json_object_set_new(own, "pool",
		                    json_string(bt_pooled_name(c->pool)));
	}
	if (c->texts != BT_TEXTS_UNKNOWN)
		json_object_set_new(own, "texts",
		                    json_string(texts_names[c->texts]));
	if (json_object_size(own) > 0) {
		json_object_set_new(o, BT_CONFIG_OWN, own);
	} else {
		json_object_del(o, BT_CONFIG_OWN);
		json_decref(own);
	}
}

int bt_config_set_head(struct bt_config *c, const char *pool, const char *head,
                       bool *changed, struct bt_error *err)
{
	enum bt_pooled p = BT_POOLED_POOLER;
	struct bt_head h = {0};
	int r = BT_OK, length, had = bt_head_length(&c->head);

	*changed = false;
	if (pool == NULL && head == NULL)
		return BT_OK;
	if (head != NULL)
		r = bt_head_parse(head, &h, err);
	else if (!bt_pooled_named(pool, &p))
		r = bt_error_set(err, BT_EARG, "unknown pool '%s'", pool);
	if (r != BT_OK)
		return r;
	length = bt_head_length(&h);
	if (length > c->max_positions)
		return bt_error_set(err, BT_EARG,
		                    "the head is for texts of %d tokens, the "
		                    "encoder for up to %d",
		                    length, c->max_positions);
	/* other than what the model has: its length too, where both say one */
	*changed = p != c->pool || !bt_head_equal(&h, &c->head) ||
	           (had > 0 && length > 0 && had != length);
	if (!*changed && length < 0)
		bt_head_fix(&h, had);
	c->pool = p;
	c->head = h;
	return BT_OK;
}

/* sentence-transformers names activations by their modules in PyTorch. */
#define SENTENCE "sentence_transformers"
#define ACTIVATION "activation_fn"
#define ACTIVATION_OLD "sbert_ce_default_activation_function" /* before 4.0 */
#define SIGMOID "torch.nn.modules.activation.Sigmoid"

bool bt_config_takes_sigmoids(const json_t *o)
{
	const json_t *own = json_object_get(o, SENTENCE);
	const json_t *name = json_object_get(own, ACTIVATION);

	if (name == NULL)
		name = json_object_get(o, ACTIVATION);
	if (name == NULL)
		name = json_object_get(o, ACTIVATION_OLD);
	return bt_str_is(json_string_value(name), SIGMOID);
}

bool bt_config_ranks(const struct bt_config *c)
{
	return bt_str_is(c->problem_type, BT_PROBLEM_RANKING);
}

void bt_config_write_sigmoids(json_t *o, bool takes)
{
	if (!takes && !bt_config_takes_sigmoids(o))
		return;
	json_object_del(o, ACTIVATION_OLD);
	json_object_del(o, SENTENCE);
	if (takes)
		json_object_set_new(o, SENTENCE,
		                    json_pack("{s:s}", ACTIVATION, SIGMOID));
}
