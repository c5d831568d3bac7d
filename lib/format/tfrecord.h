/* SPDX-License-Identifier: MIT */
/*
 * TFRecord: per record a little-endian u64 length, the masked CRC-32C of those
 * eight bytes, the payload, the masked CRC-32C of the payload. There is no
 * header and no end mark: a cut between two records cannot be seen, so writers
 * report their count and readers can be told it.
 *
 * A reader goes through several inputs as if they were one.
 */
#ifndef BT_FORMAT_TFRECORD_H
#define BT_FORMAT_TFRECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "io/in.h"
#include "io/out.h"

/* Longer records are refused: a length that large is damage or an attack. */
#define BT_TFRECORD_MAX ((uint64_t)1 << 30)

/* Bytes that a payload takes more in a file. */
#define BT_TFRECORD_FRAME 16

struct bt_tfrecord;

/* paths[0..n-1] are borrowed; n = 0 is standard input. Only the first is
 * opened at once. */
int bt_tfrecord_open(char *const *paths, int n, struct bt_tfrecord **r,
                     struct bt_error *err) BT_MUST_USE;
void bt_tfrecord_close(struct bt_tfrecord *r); /* takes NULL */

/* Bounds what is read of all inputs together (io/in.h); limit is borrowed. Call
 * it before the first record. */
void bt_tfrecord_limit(struct bt_tfrecord *r, struct bt_in_limit *limit);

/* Lets each input be read ahead, as bt_in_ahead. */
void bt_tfrecord_ahead(struct bt_tfrecord *r);

/* fn is called where an input makes the reader wait, from the next record on,
 * as bt_in_idle. */
void bt_tfrecord_idle(struct bt_tfrecord *r, bt_in_idle_fn *fn, void *ctx);

/* Makes another number of records than n in all inputs together an error, told
 * where the end is reached; 0: any number will do. */
void bt_tfrecord_expect(struct bt_tfrecord *r, uint64_t n);

/* What was read, to tell data sets apart: equal for the same records from
 * files, compressed or not, and from a pipe. */
struct bt_tfrecord_sum {
	uint64_t records;
	uint32_t crc; /* CRC-32C of their bytes, frames and all: that of a file
	               * of them */
};

/* Adds all records that are read from now on to *sum, borrowed. */
void bt_tfrecord_add_to(struct bt_tfrecord *r, struct bt_tfrecord_sum *sum);

/*
 * From now on goes past damage: on, byte by byte, to the next place where both
 * checksums of a record hold. Tells the log, borrowed, or NULL, what was passed
 * over; how many records that were cannot be known. Records are then numbered
 * among the whole ones. BT_ECORRUPT where a file that is not empty has not one.
 */
void bt_tfrecord_recover(struct bt_tfrecord *r, const struct bt_log *log);

/* True of the first n bytes of a TFRecord stream, which are 12 at least. */
bool bt_tfrecord_begins(const void *p, size_t n);

/* True if n bytes begin a Parquet file, which is read elsewhere. */
bool bt_tfrecord_is_parquet(const void *p, size_t n);

/* 1: *data is the next record, borrowed until the next call; 0: no more; else
 * an error that names the file, the record and the byte. */
int bt_tfrecord_next(struct bt_tfrecord *r, const uint8_t **data, size_t *len,
                     struct bt_error *err) BT_MUST_USE;

/* Where the last record came from: its file's name for messages and its number
 * in that file, from 1. */
const char *bt_tfrecord_file(const struct bt_tfrecord *r);
uint64_t bt_tfrecord_record(const struct bt_tfrecord *r);

/* Records read from all files so far. */
uint64_t bt_tfrecord_total(const struct bt_tfrecord *r);

/* Puts "'file': record n" before the text in err; returns err's code. */
int bt_tfrecord_blame(const struct bt_tfrecord *r, struct bt_error *err);

/* The error of inputs that hold no record: BT_EFORMAT, with the last file. */
int bt_tfrecord_none(const struct bt_tfrecord *r, struct bt_error *err);

/* Appends one record to out. */
int bt_tfrecord_write(struct bt_out *out, const void *data, size_t len,
                      struct bt_error *err) BT_MUST_USE;

#endif
