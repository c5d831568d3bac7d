/* SPDX-License-Identifier: MIT */
/* What can be asked for of a model, and what was done. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tokenize/job_int.h"

/* More than one in so many, 10 %, is worth a warning. */
#define WARN_SHARE 10

int bt_tokenize_check(const struct bt_tok *tok,
                      const struct bt_tokenize_opts *o, const char *model,
                      struct bt_error *err)
{
	size_t positions = bt_tok_max_positions(tok);
	size_t special = o->special ? bt_tok_specials(tok, false) : 0;
	size_t lengths[2] = {o->max_length, o->pad}, i;

	for (i = 0; i < 2 && positions != 0; i++)
		if (lengths[i] > positions)
			return bt_error_set(err, BT_EARG,
			                    "the %s length is %zu tokens, but "
			                    "the model '%s' takes at most %zu",
			                    i == 0 ? "maximum" : "padded",
			                    lengths[i], model, positions);
	if (o->max_length != 0 && o->max_length <= special)
		return bt_error_set(err, BT_EARG,
		                    "%zu tokens leave no room for a text: "
		                    "%zu are special",
		                    o->max_length, special);
	if (o->windows && o->max_length == 0)
		return bt_error_hint(
		    err, BT_HINT_GIVE_MAX_LENGTH,
		    bt_error_set(err, BT_EARG,
		                 "windows need a maximum length, and the model "
		                 "'%s' has none",
		                 model));
	if (o->windows && o->stride >= o->max_length - special)
		return bt_error_set(err, BT_EARG,
		                    "the stride (%zu) must be smaller than the "
		                    "window (%zu text tokens)",
		                    o->stride, o->max_length - special);
	return BT_OK;
}

void bt_tokenize_warn_size(const struct bt_tok *tok, const struct bt_log *log)
{
	size_t n = bt_tok_size(tok), model = bt_tok_model_size(tok);

	/* opening a vocabulary that is larger than the model's has failed */
	if (model <= n || (model - n) * WARN_SHARE <= model)
		return;
	bt_log_warn(
	    log, "vocabulary-smaller", BT_HINT_NONE,
	    "the vocabulary has %zu tokens, %.0f %% fewer than the model's "
	    "%zu: is it the one that the model was trained with?",
	    n, 100.0 * (double)(model - n) / (double)model, model);
}

/* Few words of a text should be unknown. */
static void warn_unknown(const struct bt_tok *tok,
                         const struct bt_tokenize_stats *s,
                         const struct bt_log *log)
{
	struct bt_span unk = bt_tok_token(tok, bt_tok_role(tok, BT_TOK_UNK));

	if (s->unknown * WARN_SHARE > s->tokens)
		bt_log_warn(
		    log, "unknown-tokens", BT_HINT_NONE,
		    "%llu of %llu tokens (%.0f %%) are %.*s: do the texts "
		    "and the vocabulary belong together?",
		    (unsigned long long)s->unknown,
		    (unsigned long long)s->tokens,
		    100.0 * (double)s->unknown / (double)s->tokens, (int)unk.n,
		    unk.p);
}

/* Those of a pair that are apart as two. */
static uint64_t all_texts(const struct bt_tokenize_stats *s)
{
	uint64_t n = 0;
	int k;

	for (k = 0; k < BT_TOKENIZE_LENGTHS; k++)
		n += s->length[k];
	return n;
}

/* Few texts should have no word that the vocabulary knows, however many words
 * the others have. */
static void warn_unknown_texts(const struct bt_tokenize_stats *s,
                               const struct bt_log *log)
{
	if (s->unknown_texts > 0)
		bt_log_warn(log, "unknown-texts", BT_HINT_NONE,
		            "%llu of %llu texts %s no token that the "
		            "vocabulary knows, such as text %llu: the model "
		            "cannot tell what they say",
		            (unsigned long long)s->unknown_texts,
		            (unsigned long long)all_texts(s),
		            s->unknown_texts == 1 ? "has" : "have",
		            (unsigned long long)s->unknown_first);
}

void bt_tokenize_warn_bare(const struct bt_tokenize_stats *s,
                           const struct bt_log *log)
{
	char empty[64] = "";

	warn_unknown_texts(s, log);
	if (s->bare_texts == 0)
		return;
	if (s->empty_texts > 0)
		snprintf(empty, sizeof(empty), " (%llu %s empty)",
		         (unsigned long long)s->empty_texts,
		         s->empty_texts == 1 ? "is" : "are");
	bt_log_warn(
	    log, "texts-without-tokens", BT_HINT_NONE,
	    "%llu of %llu texts %s no tokens but special ones, such as text "
	    "%llu%s: the model cannot tell them apart",
	    (unsigned long long)s->bare_texts, (unsigned long long)all_texts(s),
	    s->bare_texts == 1 ? "has" : "have",
	    (unsigned long long)s->bare_first, empty);
}

/* TensorFlow's readers fail on a record that lacks what others have. */
static void tell_gaps(const struct bt_tokenize_opts *o,
                      const struct bt_tokenize_stats *s,
                      const struct bt_log *log)
{
	unsigned long long n = s->records;

	if (o->layout == BT_LAYOUT_FULL)
		return;
	if (o->label_type != BT_LABEL_NONE && s->labelled < s->records)
		bt_log_warn(log, "records-without-label", BT_HINT_DUMMY_LABEL,
		            "%llu of %llu records have no label_ids, which "
		            "TensorFlow's readers require",
		            n - (unsigned long long)s->labelled, n);
	if (o->layout == BT_LAYOUT_GARDEN && s->weighted > 0 &&
	    s->weighted < s->records)
		bt_log_warn(log, "records-without-weight", BT_HINT_NONE,
		            "%llu of %llu records have no weight, which "
		            "TensorFlow's readers require of all or none",
		            n - (unsigned long long)s->weighted, n);
}

/* What became of questions and their contexts. */
static void tell_questions(const struct bt_tokenize_opts *o,
                           const struct bt_tokenize_stats *s, struct bt_buf *b)
{
	if (s->contexts_cut > 0)
		bt_buf_printf(b,
		              "; %llu context%s cut into windows of %zu tokens "
		              "(%llu records in all)",
		              (unsigned long long)s->contexts_cut,
		              bt_plural(s->contexts_cut), o->question_length,
		              (unsigned long long)s->records);
	if (s->questions_cut > 0)
		bt_buf_printf(b,
		              "; %llu question%s truncated to %zu tokens (%llu "
		              "token%s lost)",
		              (unsigned long long)s->questions_cut,
		              bt_plural(s->questions_cut), o->max_question,
		              (unsigned long long)s->question_tokens_cut,
		              bt_plural(s->question_tokens_cut));
	if (s->answers_lost > 0)
		bt_buf_printf(b, "; %llu answer%s whole in no window",
		              (unsigned long long)s->answers_lost,
		              s->answers_lost == 1 ? " is" : "s are");
}

/* What became of texts that were too long, or not UTF-8. */
static void tell_changes(const struct bt_tok *tok,
                         const struct bt_tokenize_opts *o,
                         const struct bt_tokenize_stats *s, struct bt_buf *b)
{
	const char *whose = o->max_length == bt_tok_seq_length(tok)
	                        ? ", the model's max_seq_length"
	                        : "";

	if (s->mended > 0)
		bt_buf_printf(b,
		              "; %llu text%s with invalid UTF-8 (%llu "
		              "U+FFFD put in)",
		              (unsigned long long)s->mended_texts,
		              bt_plural(s->mended_texts),
		              (unsigned long long)s->mended);
	tell_questions(o, s, b);
	if (s->windowed_texts > 0)
		bt_buf_printf(b,
		              "; %llu text%s cut into windows of %zu tokens%s "
		              "(%llu records in all)",
		              (unsigned long long)s->windowed_texts,
		              bt_plural(s->windowed_texts), o->max_length,
		              whose, (unsigned long long)s->records);
	if (s->cut_texts > 0)
		bt_buf_printf(b,
		              "; %llu text%s truncated to %zu tokens%s (%llu "
		              "token%s lost)",
		              (unsigned long long)s->cut_texts,
		              bt_plural(s->cut_texts), o->max_length, whose,
		              (unsigned long long)s->cut_tokens,
		              bt_plural(s->cut_tokens));
}

/* How many texts have how many tokens. */
static void tell_lengths(const struct bt_tokenize_stats *s,
                         const struct bt_log *log)
{
	uint64_t sum = 0;
	int k;

	if (s->texts == 0)
		return;
	bt_log(log, BT_LOG_MORE,
	       "tokens of a text, before truncation: texts, share, share up to "
	       "there");
	for (k = 0; k < BT_TOKENIZE_LENGTHS; k++) {
		if (s->length[k] == 0)
			continue;
		sum += s->length[k];
		bt_log(log, BT_LOG_MORE,
		       "%10llu to %-10llu %10llu %6.2f %% %6.2f %%",
		       k == 0 ? 0 : 1ULL << k, (2ULL << k) - 1,
		       (unsigned long long)s->length[k],
		       100.0 * (double)s->length[k] / (double)s->texts,
		       100.0 * (double)sum / (double)s->texts);
	}
}

static void tell_facts(const struct bt_tokenize_opts *o,
                       const struct bt_tokenize_stats *st, struct bt_summary *s)
{
	bt_summary_count(s, "texts", st->texts);
	bt_summary_count(s, "records", st->records);
	bt_summary_count(s, "tokens", st->tokens);
	bt_summary_count(s, "unknown_tokens", st->unknown);
	bt_summary_count(s, "max_length", o->max_length);
	bt_summary_count(s, "texts_in_windows", st->windowed_texts);
	bt_summary_count(s, "texts_truncated", st->cut_texts);
	bt_summary_count(s, "tokens_lost", st->cut_tokens);
	bt_summary_count(s, "texts_without_tokens", st->bare_texts);
	bt_summary_count(s, "texts_unknown", st->unknown_texts);
	bt_summary_count(s, "texts_mended", st->mended_texts);
	if (st->questions > 0) {
		bt_summary_count(s, "questions", st->questions);
		bt_summary_count(s, "contexts_in_windows", st->contexts_cut);
		bt_summary_count(s, "questions_truncated", st->questions_cut);
		bt_summary_count(s, "question_tokens_lost",
		                 st->question_tokens_cut);
		bt_summary_count(s, "answers_lost", st->answers_lost);
	}
	bt_summary_count(s, "bytes_read", st->bytes);
}

void bt_tokenize_report(const struct bt_tok *tok,
                        const struct bt_tokenize_opts *o,
                        const struct bt_tokenize_stats *s, double seconds,
                        const struct bt_log *log)
{
	char unknown[64] = "no [UNK]";
	struct bt_buf b = BT_BUF_INIT;

	warn_unknown(tok, s, log);
	bt_tokenize_warn_bare(s, log);
	tell_gaps(o, s, log);
	tell_changes(tok, o, s, &b);
	if (s->unknown > 0)
		snprintf(unknown, sizeof(unknown), "%llu [UNK] (%.2g %%)",
		         (unsigned long long)s->unknown,
		         100.0 * (double)s->unknown / (double)s->tokens);
	bt_log(log, BT_LOG_NOTE, "%llu text%s, %llu token%s%s; %s",
	       (unsigned long long)s->texts, bt_plural(s->texts),
	       (unsigned long long)s->tokens, bt_plural(s->tokens),
	       bt_buf_str(&b), unknown);
	bt_buf_clear(&b);
	tell_facts(o, s, bt_log_summary(log));
	tell_lengths(s, log);
	bt_log(log, BT_LOG_MORE, "%.1f MB in %.3f s (%.1f MB/s)",
	       (double)s->bytes * 1e-6, seconds,
	       (double)s->bytes * 1e-6 / seconds);
}
