/* SPDX-License-Identifier: MIT */
/*
 * Where a run's time goes: lines of a name, the seconds spent there, and the
 * floating-point operations or bytes moved, which make a rate.
 */
#ifndef BT_BASE_PROFILE_H
#define BT_BASE_PROFILE_H

#include <stdint.h>

#include "base/buf.h"

struct bt_profile_line {
	char name[56];
	uint64_t calls;
	double seconds;
	double flop;  /* of matrix products; 0: none */
	double bytes; /* read and written, each array counted once */
};

struct bt_profile {
	struct bt_profile_line *line;
	int n;
	size_t cap;
	uint64_t steps, tokens; /* that the lines are of */
	double sent;            /* bytes, to other processes; 0: none */
	double flop_limit; /* operations a second of this machine; 0: unknown */
	double byte_limit; /* bytes a second, read and written */
};

/* Zero is empty. */
void bt_profile_clear(struct bt_profile *p);

/* The number of the line of that name, made if it is new; -1 without memory.
 */
int bt_profile_line(struct bt_profile *p, const char *fmt, ...) BT_PRINTF(2, 3);

/* Adds one call; line may be -1. */
void bt_profile_add(struct bt_profile *p, int line, double seconds, double flop,
                    double bytes);

/* Forgets what was added, so that it begins after a warm-up; the lines stay. */
void bt_profile_restart(struct bt_profile *p);

/* Appends the table, the longest first: milliseconds of a step, share of the
 * time, rate and its share of the machine's limit. */
void bt_profile_print(const struct bt_profile *p, struct bt_buf *out);

#endif
