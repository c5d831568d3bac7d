/* SPDX-License-Identifier: MIT */
#include "tokenizer/regex.h"

#include "base/utf8.h"

#ifdef BT_HAVE_PCRE2

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Steps of a match: a text of white space alone may take one for each
 * character, an expression that tries all there is more than any number. */
#define STEPS_MAX 10000000
#define HEAP_MAX_KB 262144 /* without a compiler of its own */

struct bt_regex {
	pcre2_code *code;
	pcre2_match_context *limits;
};

void bt_regex_free(struct bt_regex *re)
{
	if (re == NULL)
		return;
	pcre2_code_free(re->code);
	pcre2_match_context_free(re->limits);
	free(re);
}

static int compile(struct bt_regex *re, struct bt_span pattern,
                   const struct bt_buf *text, struct bt_error *err)
{
	uint32_t how =
	    PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
	pcre2_compile_context *c = pcre2_compile_context_create(NULL);
	PCRE2_SIZE at;
	char why[200] = "";
	int code;

	re->limits = pcre2_match_context_create(NULL);
	if (c == NULL || re->limits == NULL) {
		pcre2_compile_context_free(c);
		return bt_error_nomem(err, "reading a regular expression");
	}
	pcre2_set_match_limit(re->limits, STEPS_MAX);
	pcre2_set_heap_limit(re->limits, HEAP_MAX_KB);
	pcre2_set_newline(c, PCRE2_NEWLINE_LF);
	pcre2_set_bsr(c, PCRE2_BSR_UNICODE);
	re->code = pcre2_compile((PCRE2_SPTR)bt_buf_at(text, 0), text->len, how,
	                         &code, &at, c);
	pcre2_compile_context_free(c);
	if (re->code == NULL) {
		pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof(why));
		return bt_error_set(err, BT_EFORMAT,
		                    "the regular expression '%.*s' is not "
		                    "supported: %s",
		                    (int)(pattern.n < 200 ? pattern.n : 200),
		                    pattern.p, why);
	}
	/* slower where there is no such compiler, but the same */
	pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE);
	return BT_OK;
}

int bt_regex_new(struct bt_span pattern, struct bt_regex **out,
                 struct bt_error *err)
{
	struct bt_regex *re = bt_array0(1, sizeof(*re));
	struct bt_buf text = BT_BUF_INIT;
	int r;

	if (re == NULL)
		return bt_error_nomem(err, "reading a regular expression");
	r = bt_regex_read(pattern, &text, err);
	if (r == BT_OK)
		r = compile(re, pattern, &text, err);
	bt_buf_clear(&text);
	if (r != BT_OK) {
		bt_regex_free(re);
		return r;
	}
	*out = re;
	return BT_OK;
}

bool bt_regex_is_empty(const struct bt_regex *re)
{
	uint32_t empty = 0;

	pcre2_pattern_info(re->code, PCRE2_INFO_MATCHEMPTY, &empty);
	return empty != 0;
}

int bt_regex_begin(struct bt_regex_iter *it, const struct bt_regex *re,
                   const uint8_t *text, size_t n)
{
	*it = (struct bt_regex_iter){
	    re, pcre2_match_data_create(1, NULL), text, n, 0, 0, true};
	return it->data != NULL ? BT_OK : BT_ENOMEM;
}

void bt_regex_end(struct bt_regex_iter *it)
{
	pcre2_match_data_free(it->data);
}

static int find(struct bt_regex_iter *it)
{
	const struct bt_regex *re = it->re;
	int r = pcre2_match(re->code, it->text, it->n, it->at,
	                    PCRE2_NO_UTF_CHECK, it->data, re->limits);

	if (r == PCRE2_ERROR_JIT_STACKLIMIT) /* the other way needs none */
		r = pcre2_match(re->code, it->text, it->n, it->at,
		                PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, it->data,
		                re->limits);
	if (r >= 0)
		return 1;
	if (r == PCRE2_ERROR_NOMATCH)
		return 0;
	return r == PCRE2_ERROR_NOMEMORY ? BT_ENOMEM : BT_ELIMIT;
}

int bt_regex_next(struct bt_regex_iter *it, size_t *start, size_t *end)
{
	const PCRE2_SIZE *where;
	int r;

	while (it->at <= it->n) {
		r = find(it);
		if (r != 1)
			return r;
		where = pcre2_get_ovector_pointer(it->data);
		if (where[0] > where[1] || where[1] < it->at)
			return BT_ELIMIT; /* none that this can cut by */
		if (where[0] == where[1] && !it->first &&
		    where[1] == it->last) {
			it->at +=
			    it->at < it->n ? bt_utf8_len(it->text[it->at]) : 1;
			continue;
		}
		it->first = false;
		it->at = it->last = *end = where[1];
		*start = where[0];
		return 1;
	}
	return 0;
}

#else

int bt_regex_new(struct bt_span pattern, struct bt_regex **re,
                 struct bt_error *err)
{
	(void)re;
	return bt_error_set(err, BT_EFORMAT,
	                    "the regular expression '%.*s' needs the library "
	                    "PCRE2, which was not there when this was built "
	                    "(libpcre2-dev)",
	                    (int)(pattern.n < 200 ? pattern.n : 200),
	                    pattern.p);
}

void bt_regex_free(struct bt_regex *re)
{
	(void)re;
}

bool bt_regex_is_empty(const struct bt_regex *re)
{
	(void)re;
	return false;
}

int bt_regex_begin(struct bt_regex_iter *it, const struct bt_regex *re,
                   const uint8_t *text, size_t n)
{
	*it = (struct bt_regex_iter){re, NULL, text, n, 0, 0, true};
	return BT_ELIMIT;
}

int bt_regex_next(struct bt_regex_iter *it, size_t *start, size_t *end)
{
	(void)it;
	(void)start;
	(void)end;
	return BT_ELIMIT;
}

void bt_regex_end(struct bt_regex_iter *it)
{
	(void)it;
}

#endif
