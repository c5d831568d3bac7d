/* SPDX-License-Identifier: MIT */
/*
 * Names of classes. Hugging Face's data sets library stores labels as numbers
 * and writes their names into the metadata: {"info": {"features": {"label":
 * {"names": [...], "_type": "ClassLabel"}}}}. A list is {"feature": F,
 * "_type": "Sequence"}, or "List", or [F]; a struct is an object of features.
 */
#include "format/json.h"
#include "parquet/schema.h"

/* The feature of an element, where this is one of a list. */
static const json_t *element(const json_t *feature)
{
	const json_t *inner;

	if (json_is_array(feature))
		return json_array_get(feature, 0);
	inner = json_object_get(feature, "feature");
	return inner != NULL && json_object_get(feature, "_type") != NULL
	           ? inner
	           : feature;
}

/* The feature of a leaf, whose name is a path. */
static const json_t *find(const json_t *features, struct bt_span path)
{
	const json_t *feature = features;
	size_t n;
	int depth;

	while (feature != NULL) {
		for (n = 0; n < path.n && path.p[n] != '.'; n++)
			;
		feature = json_object_getn(feature, path.p, n);
		for (depth = 0; depth < BT_PARQUET_DEPTH_MAX; depth++)
			feature = element(feature);
		if (n == path.n)
			return feature;
		path.p += n + 1;
		path.n -= n + 1;
	}
	return NULL;
}

/* The set of names, or NULL where one occurs twice or is empty. */
static struct bt_string_set *names_of(const json_t *feature)
{
	const json_t *type = json_object_get(feature, "_type"), *v;
	const json_t *list = json_object_get(feature, "names");
	struct bt_string_set *set;
	struct bt_span name;
	size_t i, k, n = json_array_size(list);

	if (n == 0 || !json_is_string(type) ||
	    !bt_span_equal(bt_json_text(type), bt_span("ClassLabel")))
		return NULL;
	set = bt_string_set_new();
	for (i = 0; i < n; i++) {
		v = json_array_get(list, i);
		name = bt_json_text(v);
		if (name.p == NULL || name.n == 0 || bt_span_has_nul(name) ||
		    bt_string_set_add(set, name, &k) != BT_OK || k != i) {
			bt_string_set_free(set);
			return NULL;
		}
	}
	return set;
}

void bt_parquet_classes_find(struct bt_parquet_schema *s, struct bt_span json)
{
	struct bt_parquet_leaf *leaf;
	const json_t *features;
	json_t *o = NULL;
	size_t i;

	if (bt_json_parse("", json.p, json.n, false, &o, NULL) != BT_OK)
		return;
	features = json_object_get(json_object_get(o, "info"), "features");
	for (i = 0; features != NULL && i < s->n_leaves; i++) {
		leaf = &s->leaves[i];
		if (s->nodes[leaf->node].kind == BT_PARQUET_IS_INT &&
		    leaf->classes == NULL)
			leaf->classes = names_of(find(features, leaf->name));
	}
	json_decref(o);
}
