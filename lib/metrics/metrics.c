/* SPDX-License-Identifier: MIT */
#include "metrics/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/json.h"

static int init(struct bt_metrics *m, const struct bt_metrics_kind *kind,
                int outputs, bool matrix, struct bt_error *err)
{
	size_t k = (size_t)outputs, sums, cells = 0;

	memset(m, 0, sizeof(*m));
	m->kind = kind;
	if (kind->has_rows) {
		m->width = k;
		return BT_OK;
	}
	if (bt_size_mul(k, 3, &sums))
		m->hits = bt_array0(sums, sizeof(*m->hits));
	m->p = bt_array0(k, sizeof(*m->p));
	if (matrix && bt_size_mul(k, k, &cells))
		m->count = bt_array0(cells, sizeof(*m->count));
	if (m->hits == NULL || m->p == NULL || (matrix && m->count == NULL)) {
		bt_metrics_clear(m);
		return bt_error_nomem(err, "counting predictions");
	}
	m->support = m->hits + k;
	m->predicted = m->support + k;
	m->classes = outputs;
	return BT_OK;
}

int bt_metrics_init(struct bt_metrics *m, const struct bt_metrics_kind *kind,
                    int outputs, struct bt_error *err)
{
	return init(m, kind, outputs, true, err);
}

int bt_metrics_init_like(struct bt_metrics *m, const struct bt_metrics *like,
                         struct bt_error *err)
{
	int outputs = like->kind->has_rows ? (int)like->width : like->classes;
	int r = init(m, like->kind, outputs, false, err);

	m->bound = like->bound;
	m->scores = like->scores;
	m->whole = like;
	m->output = like->output;
	return r;
}

void bt_metrics_clear(struct bt_metrics *m)
{
	free(m->count);
	free(m->hits);
	free(m->truth);
	free(m->guess);
	free(m->p);
	free(m->is);
	free(m->kept);
	free(m->texts);
	if (m->kind != NULL && m->kind->clear != NULL)
		m->kind->clear(m);
	memset(m, 0, sizeof(*m));
}

void bt_metrics_reset(struct bt_metrics *m)
{
	size_t k = (size_t)m->classes;

	if (m->count != NULL)
		memset(m->count, 0, k * k * sizeof(*m->count));
	if (m->hits != NULL)
		memset(m->hits, 0, 3 * k * sizeof(*m->hits));
	memset(&m->sums, 0, sizeof(m->sums));
	m->n = 0;
	m->loss_sum = 0;
	if (m->kind->reset != NULL)
		m->kind->reset(m);
}

int bt_metrics_name_outputs(struct bt_metrics *m, const struct bt_labels *l,
                            struct bt_error *err)
{
	return m->kind->name_outputs != NULL ? m->kind->name_outputs(m, l, err)
	                                     : BT_OK;
}

size_t bt_metrics_outputs(const struct bt_metrics *m)
{
	return m->kind->has_rows ? m->width : (size_t)m->classes;
}

int bt_metrics_add(struct bt_metrics *m, int truth, const float *targets,
                   const float *output, struct bt_error *err)
{
	return m->kind->add(m, truth, targets, output, err);
}

void bt_metrics_summary(const struct bt_metrics *m,
                        struct bt_metrics_summary *s)
{
	memset(s, 0, sizeof(*s));
	s->kind = m->kind;
	s->classes = m->classes;
	m->kind->summary(m, s);
}

void bt_metrics_report(const struct bt_metrics *m, const struct bt_labels *l,
                       int confusions, struct bt_buf *out)
{
	struct bt_metrics_summary s;

	if (m->kind->report != NULL) {
		m->kind->report(m, l, confusions, out);
		return;
	}
	bt_metrics_summary(m, &s);
	m->kind->report_all(m, &s, out);
}

void bt_metrics_json_summary(const struct bt_metrics *m, json_t *o)
{
	struct bt_metrics_summary s;
	const char *name;
	double v;
	size_t i;

	json_object_set_new(o, "examples", json_integer((json_int_t)m->n));
	bt_metrics_summary(m, &s);
	for (i = 0; (name = bt_metrics_name(i, &s, &v)) != NULL; i++)
		json_object_set_new(o, name, bt_json_finite(v));
}

json_t *bt_metrics_json(const struct bt_metrics *m, const struct bt_labels *l)
{
	json_t *o = json_object();

	bt_metrics_json_summary(m, o);
	if (m->kind->json == NULL || m->kind->json(m, l, o) == BT_OK)
		return o;
	json_decref(o);
	return NULL;
}
