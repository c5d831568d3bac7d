/* SPDX-License-Identifier: MIT */
#include "evaluate/mask_output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/softmax.h"
#include "format/csv.h"
#include "format/escape.h"
#include "predict/answer.h"

struct bt_mask_output {
	struct bt_mask_output_opts o;
	struct bt_out *out;
	struct bt_tok_decoder *decoder;
	size_t tokens; /* of the vocabulary, of which logits may have more */
	int32_t *best; /* [top] tokens, likeliest first */
	int32_t *ids;  /* of the text that is filled in */
	size_t ids_cap;
	struct bt_buf row, token;
	bool begun;
};

int bt_mask_output_new(const struct bt_mask_output_opts *o, struct bt_out *out,
                       struct bt_mask_output **mp, struct bt_error *err)
{
	struct bt_mask_output *m = bt_array0(1, sizeof(*m));
	*mp = m;
	m->o = *o;
	m->out = out;
	m->tokens = bt_tok_size(o->tok);
	if (m->o.top > m->tokens)
		m->o.top = m->tokens;
	m->best = bt_array(m->o.top, sizeof(*m->best));
	if (m->best == NULL)
		return bt_error_nomem(err, "telling masks");
	return bt_tok_decoder_new(o->tok, &m->decoder, err);
}

void bt_mask_output_free(struct bt_mask_output *m)
{
	if (m == NULL)
		return;
	bt_tok_decoder_free(m->decoder);
	free(m->best);
	free(m->ids);
	bt_buf_clear(&m->row);
	bt_buf_clear(&m->token);
	free(m);
}

/* Finds the best tokens, the first of equal ones before the others. */
static void choose(struct bt_mask_output *m, const float *logits)
{
	size_t n = 0, i, k;

	for (i = 0; i < m->tokens; i++) {
		if (n == m->o.top && logits[i] <= logits[m->best[n - 1]])
			continue;
		k = n < m->o.top ? n++ : n - 1;
		for (; k > 0 && logits[i] > logits[m->best[k - 1]]; k--)
			m->best[k] = m->best[k - 1];
		m->best[k] = (int32_t)i;
	}
}

/* The token as text, without the space that may be a part of it. */
static int decode(struct bt_mask_output *m, int32_t id, struct bt_span *s,
                  struct bt_error *err)
{
	int r;

	bt_buf_reset(&m->token);
	r = bt_tok_decode(m->o.tok, m->decoder, &id, 1, false, &m->token, err);
	*s = (struct bt_span){bt_buf_at(&m->token, 0), m->token.len};
	while (s->n > 1 && *s->p == ' ') {
		s->p++;
		s->n--;
	}
	return r;
}

static void put_probability(struct bt_buf *b, double logit, double sum)
{
	bt_answer_put_number(b, (double)(float)exp(logit - sum));
}

/* The tokens for mask number `mask` of the text of that id. */
static int put_mask(struct bt_mask_output *m, struct bt_span id, size_t mask,
                    const float *logits, struct bt_error *err)
{
	double sum = bt_log_sum_exp(logits, m->o.width, 1);
	struct bt_span token;
	size_t i;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < m->o.top; i++) {
		r = decode(m, m->best[i], &token, err);
		if (m->o.json) {
			bt_buf_puts(&m->row, i > 0      ? ", "
			                     : mask > 0 ? "], ["
			                                : "[");
			bt_buf_puts(&m->row, "{\"token\": ");
			bt_escape_json_text(&m->row, token);
			bt_buf_puts(&m->row, ", \"probability\": ");
		} else {
			bt_csv_put(&m->row, id, ',');
			bt_buf_printf(&m->row, ",%zu,", mask);
			bt_csv_put(&m->row, token, ',');
			bt_buf_putc(&m->row, ',');
		}
		put_probability(&m->row, (double)logits[m->best[i]], sum);
		bt_buf_putc(&m->row, m->o.json ? '}' : '\n');
	}
	return r;
}

/* The text with its masks filled in. */
static int put_text(struct bt_mask_output *m, size_t n, struct bt_error *err)
{
	int r;

	bt_buf_reset(&m->token);
	r = bt_tok_decode(m->o.tok, m->decoder, m->ids, n, true, &m->token,
	                  err);
	bt_buf_puts(&m->row, "]], \"text\": ");
	bt_escape_json_text(
	    &m->row, (struct bt_span){bt_buf_at(&m->token, 0), m->token.len});
	bt_buf_puts(&m->row, "}\n");
	return r;
}

static int no_mask(const struct bt_mask_output *m, uint64_t number,
                   struct bt_error *err)
{
	struct bt_span s =
	    bt_tok_token(m->o.tok, bt_tok_role(m->o.tok, BT_TOK_MASK));

	return bt_error_set(err, BT_EFORMAT,
	                    "record %llu holds no '%.*s' to be filled in",
	                    (unsigned long long)number, (int)s.n, s.p);
}

int bt_mask_output_add(struct bt_mask_output *m, uint64_t i,
                       const struct bt_dataset *d, size_t k,
                       const float *logits, struct bt_error *err)
{
	size_t n = bt_dataset_length(d, k), at, mask = 0;
	const int32_t *label = d->token_label + d->start[k];
	struct bt_span id = bt_dataset_id(d, k);
	char number[24];
	int r = BT_OK;

	if (bt_dataset_selected(d, k) == 0)
		return no_mask(m, d->before + k + 1, err);
	if (bt_grow(&m->ids, &m->ids_cap, n, sizeof(*m->ids)) != BT_OK)
		return bt_error_nomem(err, "telling masks");
	snprintf(number, sizeof(number), "%llu", (unsigned long long)i);
	if (id.p == NULL)
		id = bt_span(number);
	bt_buf_reset(&m->row);
	if (!m->begun && !m->o.json)
		bt_buf_puts(&m->row, "id,mask,token,probability\n");
	m->begun = true;
	if (m->o.json) {
		bt_buf_puts(&m->row, "{\"id\": ");
		bt_escape_json_text(&m->row, id);
		bt_buf_puts(&m->row, ", \"masks\": [");
	}
	for (at = 0; r == BT_OK && at < n; at++) {
		m->ids[at] = d->ids[d->start[k] + at];
		if (label[at] == BT_TOKEN_INSIDE)
			continue;
		choose(m, logits);
		m->ids[at] = m->best[0];
		r = put_mask(m, id, mask++, logits, err);
		logits += m->o.width;
	}
	if (r == BT_OK && m->o.json)
		r = put_text(m, n, err);
	return r == BT_OK ? bt_out_write(m->out, m->row.data, m->row.len, err)
	                  : r;
}
