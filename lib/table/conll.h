/* SPDX-License-Identifier: MIT */
/*
 * Sentences of words and their tags into text records: columns as CoNLL's
 * shared tasks have them, a word a line and an empty line behind each sentence,
 * or JSON objects or Parquet with a list of words and one of tags, or any table
 * (table/table.h) with a word in a row; or these, or CSV, with a text, and
 * perhaps the spans in it that have labels. Features of a
 * record: id, words, tags (bytes lists), lines (the input's lines, where there
 * are), text (that the words come from, likewise), doc (the line -DOCSTART-, of
 * the first sentence behind it), and before and after (the words of the
 * sentences around it); or a record has all sentences of a document.
 */
#ifndef BT_TABLE_CONLL_H
#define BT_TABLE_CONLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "io/out.h"
#include "table/table.h"

struct bt_conll_opts {
	/* column, from 1 on, or of JSON Lines and Parquet its name; NULL: the
	 * first, and of the tags the last; "tokens" and "tags" or "ner_tags" */
	const char *word, *tag;
	/* column or key of a text, which is cut into words, and of the spans in
	 * it, which become tags. NULL: "text", if there are spans; none. Both
	 * NULL: words and tags are lists, or columns */
	const char *text, *spans;
	bool lines;     /* each line is a text; of JSON, too */
	const char *id; /* of the text; NULL: "id", if there is one */
	bool no_tags;   /* there are none */
	size_t context; /* sentences of the same document on either side */
	/* a record has all sentences of a document, and its lines an empty one
	 * between two sentences; its id is that of the first */
	bool documents;
	/* FROM or FROM:TO: tags follow FROM and are written as TO has them
	 * (table/tag_scheme.h); NULL: any tags */
	const char *scheme;
	bool repair_tags; /* those that do not follow FROM */
	/* lines that begin with it are comments; NULL: those with '#' and
	 * without a tab, in a file whose columns are divided by tabs */
	const char *comment;
	/* how tables are read, of which csv, charset and utf16 count where a
	 * row has a text; NULL: none is */
	const struct bt_table_opts *table;
	/* a row is a word, and its texts, labels and ids are words, tags and
	 * the names of sentences, of which one begins where a row has another
	 * one that is not empty */
	bool word_rows;
};

struct bt_conll_stats {
	uint64_t records, sentences, words;
	uint64_t documents; /* lines that begin one */
	uint64_t comments;  /* lines left out */
	uint64_t headers;   /* first lines that name the columns, likewise */
	uint64_t no_words;  /* of CoNLL-U: 1-2 and 1.1, left out as well */
	uint64_t empty;     /* lines that are texts, without a word, likewise */
	bool tagged;
	uint64_t repaired; /* tags */
};

/* Reads the files (none: standard input) and writes their records. What is
 * wrong is BT_EFORMAT with file and line. */
int bt_conll_convert(char *const *paths, int n,
                     const struct bt_conll_opts *opts, struct bt_out *out,
                     struct bt_conll_stats *stats,
                     struct bt_error *err) BT_MUST_USE;

#endif
