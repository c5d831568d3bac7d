/* SPDX-License-Identifier: MIT */
#include "table/datasets.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"

static const char *const binary[] = {"0", "1", NULL};
static const char *const two_way[] = {"entailment", "not_entailment", NULL};
static const char *const three_way[] = {"contradiction", "entailment",
                                        "neutral", NULL};
static const char *const sentiment[] = {"neg", "pos", NULL};
static const char *const news[] = {"1", "2", "3", "4", NULL};

/* By letter, whatever its case. */
static const char *const banking[] = {
    "activate_my_card",
    "age_limit",
    "apple_pay_or_google_pay",
    "atm_support",
    "automatic_top_up",
    "balance_not_updated_after_bank_transfer",
    "balance_not_updated_after_cheque_or_cash_deposit",
    "beneficiary_not_allowed",
    "cancel_transfer",
    "card_about_to_expire",
    "card_acceptance",
    "card_arrival",
    "card_delivery_estimate",
    "card_linking",
    "card_not_working",
    "card_payment_fee_charged",
    "card_payment_not_recognised",
    "card_payment_wrong_exchange_rate",
    "card_swallowed",
    "cash_withdrawal_charge",
    "cash_withdrawal_not_recognised",
    "change_pin",
    "compromised_card",
    "contactless_not_working",
    "country_support",
    "declined_card_payment",
    "declined_cash_withdrawal",
    "declined_transfer",
    "direct_debit_payment_not_recognised",
    "disposable_card_limits",
    "edit_personal_details",
    "exchange_charge",
    "exchange_rate",
    "exchange_via_app",
    "extra_charge_on_statement",
    "failed_transfer",
    "fiat_currency_support",
    "get_disposable_virtual_card",
    "get_physical_card",
    "getting_spare_card",
    "getting_virtual_card",
    "lost_or_stolen_card",
    "lost_or_stolen_phone",
    "order_physical_card",
    "passcode_forgotten",
    "pending_card_payment",
    "pending_cash_withdrawal",
    "pending_top_up",
    "pending_transfer",
    "pin_blocked",
    "receiving_money",
    "Refund_not_showing_up",
    "request_refund",
    "reverted_card_payment?",
    "supported_cards_and_currencies",
    "terminate_account",
    "top_up_by_bank_transfer_charge",
    "top_up_by_card_charge",
    "top_up_by_cash_or_cheque",
    "top_up_failed",
    "top_up_limits",
    "top_up_reverted",
    "topping_up_by_card",
    "transaction_charged_twice",
    "transfer_fee_charged",
    "transfer_into_account",
    "transfer_not_received_by_recipient",
    "transfer_timing",
    "unable_to_verify_identity",
    "verify_my_identity",
    "verify_source_of_funds",
    "verify_top_up",
    "virtual_card_not_working",
    "visa_or_mastercard",
    "why_verify_identity",
    "wrong_amount_of_cash_received",
    "wrong_exchange_rate_for_cash_withdrawal",
    NULL,
};

static const char *const translated[] = {"contradictory", "contradiction",
                                         NULL};
static const char *const spelt_out[] = {"negative", "neg", "positive", "pos",
                                        NULL};

#define HEAD(width, text, pair, label, id)                                     \
	{                                                                      \
		true, width, text, pair, label, id                             \
	}
#define BARE(width, text, pair, label)                                         \
	{                                                                      \
		false, width, text, pair, label, NULL                          \
	}
/* Sentences 1 and 2, a label in training and development. */
#define SENTENCES                                                              \
	{                                                                      \
		HEAD(4, "sentence1", "sentence2", "label", "index"),           \
		    HEAD(3, "sentence1", "sentence2", NULL, "index")           \
	}

static const struct bt_published all[] = {
    {.name = "ag-news",
     .delimiter = ',',
     .quotes = true,
     .labels = news,
     .hub = HEAD(0, "text", NULL, "label", NULL),
     .forms = {HEAD(3, "Title,Description", NULL, "Class Index", NULL),
               BARE(3, "2,3", NULL, "1")}},
    {.name = "ax",
     .delimiter = '\t',
     .labels = three_way,
     .hub = HEAD(0, "premise", "hypothesis", "label", "idx"),
     .forms = {HEAD(3, "sentence1", "sentence2", NULL, "index"),
               HEAD(8, "Premise", "Hypothesis", "Label", NULL),
               HEAD(0, "sentence1", "sentence2", "gold_label", "index")}},
    {.name = "banking77",
     .delimiter = ',',
     .quotes = true,
     .labels = banking,
     .hub = HEAD(0, "text", NULL, "label", NULL),
     .forms = {HEAD(2, "text", NULL, "category", NULL)}},
    {.name = "cola",
     .delimiter = '\t',
     .labels = binary,
     .hub = HEAD(0, "sentence", NULL, "label", "idx"),
     .forms = {HEAD(2, "sentence", NULL, NULL, "index"),
               BARE(4, "4", NULL, "2")}},
    {.name = "imdb",
     .delimiter = ',',
     .quotes = true,
     .folder = true,
     .breaks = true,
     .same = spelt_out,
     .labels = sentiment,
     .hub = HEAD(0, "text", NULL, "label", NULL),
     .forms = {HEAD(2, "review", NULL, "sentiment", NULL)}},
    {.name = "mnli",
     .delimiter = '\t',
     .labels = three_way,
     .hub = HEAD(0, "premise", "hypothesis", "label", "idx"),
     .forms = {HEAD(0, "sentence1", "sentence2", "gold_label", "index"),
               HEAD(10, "sentence1", "sentence2", NULL, "index")}},
    {.name = "mrpc",
     .delimiter = '\t',
     .labels = binary,
     .hub = HEAD(0, "sentence1", "sentence2", "label", "idx"),
     .forms = {HEAD(5, "#1 String", "#2 String", "Quality", NULL),
               HEAD(5, "#1 String", "#2 String", NULL, "index")}},
    {.name = "paws-x",
     .delimiter = '\t',
     .labels = binary,
     .hub = HEAD(0, "sentence1", "sentence2", "label", "id"),
     .forms = {HEAD(4, "sentence1", "sentence2", "label", "id")}},
    {.name = "qnli",
     .delimiter = '\t',
     .labels = two_way,
     .hub = HEAD(0, "question", "sentence", "label", "idx"),
     .forms = {HEAD(4, "question", "sentence", "label", "index"),
               HEAD(3, "question", "sentence", NULL, "index")}},
    {.name = "qqp",
     .delimiter = '\t',
     .short_rows = true,
     .labels = binary,
     .hub = HEAD(0, "question1", "question2", "label", "idx"),
     .forms = {HEAD(6, "question1", "question2", "is_duplicate", "id"),
               HEAD(3, "question1", "question2", NULL, "id")}},
    {.name = "rte",
     .delimiter = '\t',
     .labels = two_way,
     .hub = HEAD(0, "sentence1", "sentence2", "label", "idx"),
     .forms = SENTENCES},
    {.name = "sst-2",
     .delimiter = '\t',
     .labels = binary,
     .hub = HEAD(0, "sentence", NULL, "label", "idx"),
     .forms = {HEAD(2, "sentence", NULL, "label", NULL),
               HEAD(2, "sentence", NULL, NULL, "index")}},
    {.name = "sts-b",
     .delimiter = '\t',
     .numbers = true,
     .hub = HEAD(0, "sentence1", "sentence2", "label", "idx"),
     .forms = {HEAD(10, "sentence1", "sentence2", "score", "index"),
               HEAD(9, "sentence1", "sentence2", NULL, "index")}},
    {.name = "wnli",
     .delimiter = '\t',
     .labels = binary,
     .hub = HEAD(0, "sentence1", "sentence2", "label", "idx"),
     .forms = SENTENCES},
    {.name = "xnli",
     .delimiter = '\t',
     .same = translated,
     .labels = three_way,
     .hub = HEAD(0, "premise", "hypothesis", "label", NULL),
     .forms = {HEAD(3, "premise", "hypo", "label", NULL),
               HEAD(0, "sentence1", "sentence2", "gold_label", "pairID")}},
};

const struct bt_published *bt_published_find(const char *name)
{
	int i = BT_STR_ROW_BY(name, all, name);

	return i >= 0 ? &all[i] : NULL;
}

/* Goes through a list of columns with commas between: the next one, or false
 * at its end. */
static bool next_column(const char **list, struct bt_span *column)
{
	if (*list == NULL)
		return false;
	*column = (struct bt_span){*list, strcspn(*list, ",")};
	*list = (*list)[column->n] == ',' ? *list + column->n + 1 : NULL;
	return true;
}

static bool in_row(const struct bt_span *row, size_t width, struct bt_span name)
{
	size_t i;

	for (i = 0; i < width; i++)
		if (bt_span_equal(row[i], name))
			return true;
	return false;
}

static bool names_fit(const struct bt_published_form *f,
                      const struct bt_span *row, size_t width)
{
	const char *lists[] = {f->id, f->text, f->pair, f->label};
	struct bt_span column;
	size_t i;

	for (i = 0; i < 4; i++)
		while (next_column(&lists[i], &column))
			if (!in_row(row, width, column))
				return false;
	return true;
}

static bool fits(const struct bt_published *p,
                 const struct bt_published_form *f, const struct bt_span *row,
                 size_t width)
{
	struct bt_span column;
	size_t i;

	if (f->text == NULL || (f->width != 0 && f->width != width))
		return false;
	if (!f->header) { /* a first row that is data is known by its label */
		column = row[strtoul(f->label, NULL, 10) - 1];
		for (i = 0; p->labels[i] != NULL; i++)
			if (bt_span_equal(column, bt_span(p->labels[i])))
				return true;
		return false;
	}
	return names_fit(f, row, width);
}

/* "a header with 'index', 'sentence' (2 columns)". */
static void put_form(struct bt_buf *b, const struct bt_published_form *f)
{
	const char *lists[] = {f->id, f->text, f->pair, f->label};
	struct bt_span column;
	size_t i, n = 0;

	if (!f->header) {
		bt_buf_printf(b, "%zu columns without a header, label in %s",
		              f->width, f->label);
		return;
	}
	bt_buf_puts(b, "a header with ");
	for (i = 0; i < 4; i++)
		while (next_column(&lists[i], &column))
			bt_buf_printf(b, "%s'%.*s'", n++ > 0 ? ", " : "",
			              (int)column.n, column.p);
	if (f->width != 0 && f->width != n)
		bt_buf_printf(b, " among %zu columns", f->width);
}

int bt_published_form(const struct bt_published *p, const char *file,
                      const struct bt_span *first, size_t width,
                      const struct bt_published_form **form,
                      struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t i;

	for (i = 0; i < BT_PUBLISHED_FORMS; i++)
		if (fits(p, &p->forms[i], first, width)) {
			*form = &p->forms[i];
			return BT_OK;
		}
	for (i = 0; i < BT_PUBLISHED_FORMS && p->forms[i].text != NULL; i++) {
		bt_buf_puts(&b, i > 0 ? ", or " : "");
		put_form(&b, &p->forms[i]);
	}
	bt_error_set(err, BT_EFORMAT,
	             "%s is not a file of %s: its first row has %zu field%s, "
	             "beginning with '%.*s'; expected %s",
	             file, p->name, width, bt_plural(width),
	             (int)(first[0].n < 40 ? first[0].n : 40), first[0].p,
	             bt_buf_str(&b));
	bt_buf_clear(&b);
	return BT_EFORMAT;
}

int bt_published_columns(const struct bt_published *p, const char *file,
                         const struct bt_span *names, size_t n,
                         const struct bt_published_form **form,
                         struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t i;

	*form = &p->hub;
	for (i = 0; i < BT_PUBLISHED_FORMS && !names_fit(*form, names, n); i++)
		*form = &p->forms[i];
	if ((*form)->text != NULL && (*form)->header &&
	    names_fit(*form, names, n))
		return BT_OK;
	put_form(&b, &p->hub);
	bt_error_set(err, BT_EFORMAT,
	             "%s is not a file of %s: expected %s, as on the hub", file,
	             p->name, bt_buf_str(&b));
	bt_buf_clear(&b);
	return BT_EFORMAT;
}
