/* SPDX-License-Identifier: MIT */
/*
 * The classes of Model Garden's configuration: their keys, what each takes and
 * what it is by default; and the experiments, trees of these classes with
 * values of their own.
 */
#ifndef BT_GARDEN_CONFIG_SCHEMA_INT_H
#define BT_GARDEN_CONFIG_SCHEMA_INT_H

#include <stdbool.h>

/* What a key takes. A capital takes null, too. */
enum bt_garden_type {
	BT_GARDEN_END = 0,
	BT_GARDEN_INT = 'i',
	BT_GARDEN_REAL = 'r',
	BT_GARDEN_BOOL = 'b',
	BT_GARDEN_STR = 's',
	BT_GARDEN_LIST = 'l', /* a list or null */
	BT_GARDEN_ANY = '*',
	BT_GARDEN_CLASS = 'c', /* a mapping with keys of a class */
	BT_GARDEN_DATA = 'd'   /* of the experiment's class of data */
};

struct bt_garden_field {
	const char *key;
	char type;         /* enum bt_garden_type, or its capital */
	const char *value; /* by default, as YAML; of a class: NULL, its own
	                    * defaults, or "null" */
	const struct bt_garden_class *of;
};

struct bt_garden_class {
	const char *name;
	const struct bt_garden_field *fields;
	/* One of its mappings counts, that which `type` names. Further ones
	 * that Model Garden has stand in unbuilt, "a|b". */
	bool one_of;
	const char *unbuilt;
};

enum bt_garden_task {
	BT_GARDEN_SENTENCE,
	BT_GARDEN_SENTENCE_TEXT,
	BT_GARDEN_SQUAD,
	BT_GARDEN_TAGGING
};

struct bt_garden_experiment {
	const char *name;
	enum bt_garden_task task;
	const struct bt_garden_class *root, *data;
	const char *values; /* over the classes' own, as YAML */
};

/* NULL if there is none of that name. */
const struct bt_garden_experiment *bt_garden_experiment(const char *name);

/* The class of a field, in an experiment; NULL if it has none. */
const struct bt_garden_class *
bt_garden_class_of(const struct bt_garden_experiment *e,
                   const struct bt_garden_field *f);

/* NULL if the class has no such key. */
const struct bt_garden_field *bt_garden_field(const struct bt_garden_class *c,
                                              const char *key);

/* The key of the class that is written most like this one; NULL if none is. */
const char *bt_garden_nearest(const struct bt_garden_class *c, const char *key);

extern const struct bt_garden_class bt_garden_runtime, bt_garden_trainer;

/* Rows of a class, and classes of rows. */
#define END                                                                    \
	{                                                                      \
		NULL, BT_GARDEN_END, NULL, NULL                                \
	}
#define PLAIN(key, type, value)                                                \
	{                                                                      \
		key, type, value, NULL                                         \
	}
#define NEST(key, class)                                                       \
	{                                                                      \
		key, BT_GARDEN_CLASS, NULL, &(class)                           \
	}
#define MAYBE(key, class)                                                      \
	{                                                                      \
		key, BT_GARDEN_CLASS, "null", &(class)                         \
	}
#define CLASS(id, title)                                                       \
	static const struct bt_garden_class id = {title, id##_fields, false,   \
	                                          NULL}
#define ONE_OF(id, title, more)                                                \
	static const struct bt_garden_class id = {title, id##_fields, true,    \
	                                          more}

/* Names of the experiments, "a, b, c", those that are built. */
#define BT_GARDEN_EXPERIMENTS                                                  \
	"bert/sentence_prediction, bert/sentence_prediction_text, "            \
	"bert/squad, bert/tagging"

#endif
