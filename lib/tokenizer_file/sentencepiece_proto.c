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
enum {
	TRAINER_KIND = 3,
	TRAINER_SUFFIX = 24,
	TRAINER_BYTES = 35,
};
enum {
	NORMALIZER_MAP = 2,
	NORMALIZER_PREFIX = 3,
	NORMALIZER_SQUEEZE = 4,
	NORMALIZER_ESCAPE = 5
};

/* A field of a message, as it was read. */
struct field {
	uint32_t number;
	int type;
	uint64_t v;         /* of a VARINT */
	struct bt_pb bytes; /* of a LEN */
	float f;            /* of an I32 */
};

/* Reads the next field; 0: there is none, -1: the bytes are no message. */
static int next(struct bt_pb *in, struct field *f)
{
	if (in->p == in->end)
		return 0;
	if (!bt_pb_tag(in, &f->number, &f->type))
		return -1;
	switch (f->type) {
	case BT_PB_VARINT:
		return bt_pb_varint(in, &f->v) ? 1 : -1;
	case BT_PB_LEN:
		return bt_pb_bytes(in, &f->bytes) ? 1 : -1;
	case BT_PB_I32:
		if (in->end - in->p < 4)
			return -1;
		memcpy(&f->f, in->p, 4);
		in->p += 4;
		return 1;
	default:
		return bt_pb_skip(in, f->type) ? 1 : -1;
	}
}

static int corrupt(struct bt_error *err, const char *what)
{
	return bt_error_set(err, BT_ECORRUPT,
	                    "not the file of a SentencePiece model: the "
	                    "message of %s is damaged",
	                    what);
}

static struct bt_span span_of(struct bt_pb b)
{
	struct bt_span s = {(const char *)b.p, (size_t)(b.end - b.p)};

	return s;
}

/* Reads a piece as nearly all are written: a text below 128 bytes, a score, and
 * a type or none. */
static bool read_usual(struct bt_pb in, struct bt_spm_piece *p)
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
	struct bt_spm_piece p = {{"", 0}, 0, BT_SPM_NORMAL};
	struct field f;
	int r;

	if (read_usual(in, &p))
		in.p = in.end;
	while ((r = next(&in, &f)) > 0) {
		if (f.number == PIECE_TEXT && f.type == BT_PB_LEN)
			p.text = span_of(f.bytes);
		else if (f.number == PIECE_SCORE && f.type == BT_PB_I32)
			p.score = f.f;
		else if (f.number == PIECE_TYPE && f.type == BT_PB_VARINT)
			p.type = f.v <= BT_SPM_BYTE ? (uint8_t)f.v : 0;
	}
	if (r < 0)
		return corrupt(err, "a piece");
	if (p.type == 0 || p.text.n == 0 ||
	    bt_charset_check(BT_CHARSET_UTF8, p.text.p, p.text.n) != p.text.n)
		return bt_error_set(err, BT_EFORMAT,
		                    "piece %zu has an unknown type, or a text "
		                    "that is empty or not UTF-8",
		                    m->n);
	if (m->n == BT_VOCAB_MAX)
		return bt_error_set(err, BT_ELIMIT, "more than %zu pieces",
		                    m->n);
	if (bt_grow(&m->piece, &m->cap, m->n + 1, sizeof(p)) != BT_OK)
		return bt_error_nomem(err, "reading a vocabulary");
	m->piece[m->n++] = p;
	return BT_OK;
}

static int read_trainer(struct bt_spm_proto *m, struct bt_pb in,
                        struct bt_error *err)
{
	struct field f;
	int r;

	while ((r = next(&in, &f)) > 0) {
		if (f.type != BT_PB_VARINT)
			continue;
		if (f.number == TRAINER_KIND)
			m->kind = f.v <= BT_SPM_CHAR ? (int)f.v : 0;
		else if (f.number == TRAINER_SUFFIX)
			m->suffix = f.v != 0;
		else if (f.number == TRAINER_BYTES)
			m->byte_fallback = f.v != 0;
	}
	return r < 0 ? corrupt(err, "its training") : BT_OK;
}

static int read_normalizer(struct bt_spm_proto *m, struct bt_pb in,
                           struct bt_error *err)
{
	struct field f;
	int r;

	while ((r = next(&in, &f)) > 0) {
		if (f.number == NORMALIZER_MAP && f.type == BT_PB_LEN)
			m->charsmap = span_of(f.bytes);
		if (f.type != BT_PB_VARINT)
			continue;
		if (f.number == NORMALIZER_PREFIX)
			m->prefix = f.v != 0;
		else if (f.number == NORMALIZER_SQUEEZE)
			m->squeeze = f.v != 0;
		else if (f.number == NORMALIZER_ESCAPE)
			m->escape = f.v != 0;
	}
	return r < 0 ? corrupt(err, "its normalizer") : BT_OK;
}

static int read_model(struct bt_spm_proto *m, struct bt_pb in,
                      struct bt_error *err)
{
	struct field f;
	int got, r = BT_OK;

	while (r == BT_OK && (got = next(&in, &f)) != 0) {
		if (got < 0)
			return corrupt(err, "the model");
		if (f.type != BT_PB_LEN)
			continue;
		if (f.number == MODEL_PIECE)
			r = read_piece(m, f.bytes, err);
		else if (f.number == MODEL_TRAINER)
			r = read_trainer(m, f.bytes, err);
		else if (f.number == MODEL_NORMALIZER)
			r = read_normalizer(m, f.bytes, err);
	}
	return r;
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
	if (r == BT_OK && m->kind == 0)
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
