/* SPDX-License-Identifier: MIT */
#include "tokenizer_file/sentencepiece_proto.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/charset.h"
#include "format/protobuf_wire.h"
#include "io/in.h"
#include "tokenizer/vocab.h"

#define MAX_FILE ((size_t)256 << 20)

/* Numbers of fields. */
enum { MODEL_PIECE = 1, MODEL_TRAINER = 2, MODEL_NORMALIZER = 3 };
enum { PIECE_TEXT = 1, PIECE_SCORE = 2, PIECE_TYPE = 3 };

struct piece {
	struct bt_span text;
	float score;
	uint64_t type;
};

static const struct bt_pb_member piece_members[] = {
    {PIECE_TEXT, BT_PB_LEN, offsetof(struct piece, text), 0},
    {PIECE_SCORE, BT_PB_I32, offsetof(struct piece, score), 0},
    {PIECE_TYPE, BT_PB_VARINT, offsetof(struct piece, type), 0},
    {0}};

static const struct bt_pb_member trainer_members[] = {
    {3, BT_PB_VARINT, offsetof(struct bt_spm_proto, kind), 0},
    {24, BT_PB_BOOL, offsetof(struct bt_spm_proto, suffix), 0},
    {35, BT_PB_BOOL, offsetof(struct bt_spm_proto, byte_fallback), 0},
    {0}};

static const struct bt_pb_member normalizer_members[] = {
    {2, BT_PB_LEN, offsetof(struct bt_spm_proto, charsmap), 0},
    {3, BT_PB_BOOL, offsetof(struct bt_spm_proto, prefix), 0},
    {4, BT_PB_BOOL, offsetof(struct bt_spm_proto, squeeze), 0},
    {5, BT_PB_BOOL, offsetof(struct bt_spm_proto, escape), 0},
    {0}};

static int corrupt(struct bt_error *err, const char *what)
{
	return bt_error_set(err, BT_ECORRUPT,
	                    "not the file of a SentencePiece model: the "
	                    "message of %s is damaged",
	                    what);
}

/* Reads a piece as nearly all are written: a text below 128 bytes, a score, and
 * a type or none. */
static bool read_usual(struct bt_pb in, struct piece *p)
{
	size_t n = (size_t)(in.end - in.p), len = n > 1 ? in.p[1] : 0;

	if (n < 7 || in.p[0] != (PIECE_TEXT << 3 | BT_PB_LEN) || len >= 128 ||
	    n < len + 7 || in.p[len + 2] != (PIECE_SCORE << 3 | BT_PB_I32))
		return false;
	if (n == len + 9 && in.p[len + 7] == PIECE_TYPE << 3 &&
	    in.p[len + 8] <= BT_SPM_BYTE)
		p->type = in.p[len + 8];
	else if (n != len + 7)
		return false;
	p->text.p = (const char *)in.p + 2;
	p->text.n = len;
	memcpy(&p->score, in.p + len + 3, 4);
	return true;
}

/* Appends the piece whose message this is. */
static int read_piece(struct bt_spm_proto *m, struct bt_pb in,
                      struct bt_error *err)
{
	struct piece p = {.type = BT_SPM_NORMAL};

	if (!read_usual(in, &p) && !bt_pb_read(in, piece_members, &p))
		return corrupt(err, "a piece");
	if (p.type == 0 || p.type > BT_SPM_BYTE || p.text.n == 0 ||
	    bt_charset_check(BT_CHARSET_UTF8, p.text.p, p.text.n) != p.text.n)
		return bt_error_set(err, BT_EFORMAT,
		                    "piece %zu has an unknown type, or a text "
		                    "that is empty or not UTF-8",
		                    m->n);
	if (m->n == BT_VOCAB_MAX)
		return bt_error_set(err, BT_ELIMIT, "more than %zu pieces",
		                    m->n);
	if (bt_grow(&m->piece, &m->cap, m->n + 1, sizeof(*m->piece)) != BT_OK)
		return bt_error_nomem(err, "reading a vocabulary");
	m->piece[m->n++] =
	    (struct bt_spm_piece){p.text, p.score, (uint8_t)p.type};
	return BT_OK;
}

static int read_model(struct bt_spm_proto *m, struct bt_pb in,
                      struct bt_error *err)
{
	struct bt_pb rest = in, part;
	int got, r;

	while ((got = bt_pb_next(&rest, MODEL_PIECE, &part)) > 0) {
		r = read_piece(m, part, err);
		if (r != BT_OK)
			return r;
	}
	if (got < 0)
		return corrupt(err, "the model");
	for (rest = in; bt_pb_next(&rest, MODEL_TRAINER, &part) > 0;)
		if (!bt_pb_read(part, trainer_members, m))
			return corrupt(err, "its training");
	for (rest = in; bt_pb_next(&rest, MODEL_NORMALIZER, &part) > 0;)
		if (!bt_pb_read(part, normalizer_members, m))
			return corrupt(err, "its normalizer");
	return BT_OK;
}

/* SentencePiece takes the piece of that type for the unknown one, and wants it
 * once. */
static int find_unknown(struct bt_spm_proto *m, struct bt_error *err)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		if (m->piece[i].type != BT_SPM_UNKNOWN)
			continue;
		if (m->unk_id >= 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "two pieces are the unknown one");
		m->unk_id = (int)i;
	}
	if (m->unk_id < 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "no piece is the unknown one");
	return BT_OK;
}

int bt_spm_proto_parse(struct bt_spm_proto *m, char *data, size_t n,
                       struct bt_error *err)
{
	struct bt_pb in = {(const uint8_t *)data, (const uint8_t *)data + n};
	int r;

	memset(m, 0, sizeof(*m));
	m->data = data;
	m->kind = BT_SPM_UNIGRAM;
	m->unk_id = -1;
	m->prefix = m->squeeze = m->escape = true;
	r = read_model(m, in, err);
	if (r == BT_OK && (m->kind == 0 || m->kind > BT_SPM_CHAR))
		r = bt_error_set(err, BT_EFORMAT, "a model of unknown kind");
	if (r == BT_OK)
		r = find_unknown(m, err);
	if (r != BT_OK)
		bt_spm_proto_clear(m);
	return r;
}

int bt_spm_proto_read(struct bt_spm_proto *m, const char *path,
                      struct bt_error *err)
{
	char *data;
	size_t n;
	int r = bt_in_whole(path, MAX_FILE, &data, &n, err);

	if (r != BT_OK)
		return r;
	r = bt_spm_proto_parse(m, data, n, err);
	return r == BT_OK ? BT_OK : bt_error_prefix(err, "'%s'", path);
}

void bt_spm_proto_clear(struct bt_spm_proto *m)
{
	free(m->data);
	free(m->piece);
	memset(m, 0, sizeof(*m));
}
