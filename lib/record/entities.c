/* SPDX-License-Identifier: MIT */
#include "record/entities.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static const char parts[] = "BIESLU", means[] = "BIESES";

int bt_entity_tag(struct bt_span name, struct bt_labels *types,
                  struct bt_entity_tag *tag, struct bt_error *err)
{
	const char *part = name.n > 1 && name.p[1] == '-'
	                       ? memchr(parts, name.p[0], sizeof(parts) - 1)
	                       : NULL;

	*tag = bt_entity_outside;
	if (bt_span_equal(name, bt_span("O")))
		return BT_OK;
	tag->part = 'S';
	if (part != NULL) {
		tag->part = means[part - parts];
		name = (struct bt_span){name.p + 2, name.n - 2};
	}
	tag->type = bt_labels_add(types, name, err);
	return tag->type < 0 ? tag->type : BT_OK;
}

bool bt_entity_has_part(struct bt_span name)
{
	return bt_span_equal(name, bt_span("O")) ||
	       (name.n > 2 && name.p[1] == '-' &&
	        memchr(parts, name.p[0], sizeof(parts) - 1) != NULL);
}

int bt_entity_tags(const struct bt_labels *l, struct bt_labels *types,
                   struct bt_entity_tag **tags, struct bt_error *err)
{
	int i, r = BT_OK;

	*tags = bt_array0((size_t)l->n, sizeof(**tags));
	if (*tags == NULL)
		return bt_error_nomem(err, "reading tags");
	for (i = 0; i < l->n && r == BT_OK; i++)
		r = bt_entity_tag(bt_span(l->name[i]), types, &(*tags)[i], err);
	return r;
}

bool bt_entity_begins(struct bt_entity_tag before, struct bt_entity_tag now)
{
	return now.part == 'B' || now.part == 'S' ||
	       (now.part != 'O' &&
	        (before.part == 'E' || before.part == 'S' ||
	         before.part == 'O' || before.type != now.type));
}

bool bt_entity_ends(struct bt_entity_tag before, struct bt_entity_tag now)
{
	return before.part != 'O' &&
	       (before.part == 'E' || before.part == 'S' || now.part == 'B' ||
	        now.part == 'S' || now.part == 'O' || before.type != now.type);
}

/* Letters of tags, and patterns of two tags and their types: "BI=" is B before
 * I of the same type; ! is another type, * any, ? any letter. L and U stand as
 * E and S. And what is written for an entity's only word, its first, one
 * inside, its last; where that depends on the neighbour: `apart` for the first
 * word behind an entity of the same type (B), or the last before one (E). */
struct bt_entity_scheme {
	const char *name, *letters, *start, *inside, *end, *write;
	char apart;
};

static const struct bt_entity_scheme schemes[] = {
    {"iob1", "IB",
     "OI* II! BI* IB= BB=", "BI= II=", "II! IO* IB* BO* BI! BB=", "IIII", 'B'},
    {"iob2", "IB", "?B*", "BI= II=", "IO* II! IB* BO* BI! BB*", "BBII", 0},
    {"ioe1", "IE", "OI* II! EI* EE=", "II= IE=", "II! IO* IE! EI= EE=", "IIII",
     'E'},
    {"ioe2", "IE", "OI* OE* EI* EE* II! IE!", "IE= II=", "E?*", "EIIE", 0},
    {"iobes", "IBES", "?B* ?S*", "BI= BE= II= IE=", "S?* E?*", "SBIE", 0},
    {"bilou", "BILU", "?B* ?S*", "BI= BE= II= IE=", "S?* E?*", "UBIL", 0},
};

const struct bt_entity_scheme *bt_entity_scheme(const char *name,
                                                struct bt_error *err)
{
	int i = BT_STR_ROW_BY(name, schemes, name);

	if (i >= 0)
		return &schemes[i];
	bt_error_set(err, BT_EARG,
	             "unknown scheme '%s' (choose from: " BT_ENTITY_SCHEMES
	             "; BIO is iob2, BIOES is iobes)",
	             name);
	return NULL;
}

const char *bt_entity_scheme_name(const struct bt_entity_scheme *s)
{
	return s->name;
}

int bt_entity_scheme_check(const struct bt_entity_scheme *s,
                           const struct bt_labels *l, struct bt_error *err)
{
	const char *name;
	int i;

	for (i = 0; i < l->n; i++) {
		name = l->name[i];
		if (strcmp(name, "O") != 0 &&
		    (name[0] == '\0' || strchr(s->letters, name[0]) == NULL ||
		     name[1] != '-' || name[2] == '\0'))
			return bt_error_set(err, BT_EARG,
			                    "the model's tag '%s' is not of "
			                    "the scheme %s",
			                    name, s->name);
	}
	return BT_OK;
}

static bool matches(const char *patterns, struct bt_entity_tag last,
                    struct bt_entity_tag now)
{
	bool same = last.type == now.type;
	const char *p;

	for (p = patterns;; p += 4) {
		if ((p[0] == '?' || p[0] == last.part) &&
		    (p[1] == '?' || p[1] == now.part) &&
		    (p[2] == '*' || same == (p[2] == '=')))
			return true;
		if (p[3] == '\0')
			return false;
	}
}

struct bt_entity_step bt_entity_next(struct bt_entity_reader *r,
                                     const struct bt_entity_scheme *scheme,
                                     struct bt_entity_tag now)
{
	struct bt_entity_step step = {false, true, false};

	if (scheme == NULL) {
		step.ends = bt_entity_ends(r->last, now);
		step.begins = bt_entity_begins(r->last, now);
	} else {
		step.ends = r->open && !matches(scheme->inside, r->last, now);
		step.whole = matches(scheme->end, r->last, now);
		step.begins = (!r->open || step.ends) &&
		              matches(scheme->start, r->last, now);
	}
	r->open = step.begins || (r->open && !step.ends);
	r->last = now;
	return step;
}

/* The letter of word i, in an entity of words a .. b-1. */
static char letter(const struct bt_entity_scheme *s,
                   const struct bt_entity_tag *tag, size_t n, size_t i,
                   size_t a, size_t b)
{
	bool first = i == a, last = i + 1 == b;

	if (s->apart == 'B' && first && a > 0 && tag[a - 1].type == tag[a].type)
		return 'B';
	if (s->apart == 'E' && last && b < n && tag[b].type == tag[a].type)
		return 'E';
	return s->write[first ? (last ? 0 : 1) : (last ? 3 : 2)];
}

void bt_entity_write(const struct bt_entity_scheme *s,
                     const struct bt_entity_tag *tag, size_t n, char *out)
{
	size_t i, a, b;

	for (a = 0; a < n; a = b) {
		for (b = a + 1; b < n && tag[b].part != 'O' &&
		                !bt_entity_begins(tag[b - 1], tag[b]);
		     b++)
			;
		for (i = a; i < b; i++)
			out[i] = tag[a].part == 'O'
			             ? 'O'
			             : letter(s, tag, n, i, a, b);
	}
}
