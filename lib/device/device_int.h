/* SPDX-License-Identifier: MIT */
#ifndef BT_DEVICE_DEVICE_INT_H
#define BT_DEVICE_DEVICE_INT_H

#include "device/device.h"
#include "device/learn.h"
#include "device/sizes.h"
#include "pjrt/pjrt.h"
#include "stablehlo/rows.h"

enum bt_device_kind {
	BT_DEVICE_FORWARD,
	BT_DEVICE_GRADIENTS, /* of a batch, */
	BT_DEVICE_ADDED,     /* added to earlier ones */
	BT_DEVICE_EMBED,     /* its logits, with dropout */
	BT_DEVICE_UPDATE,    /* of all parameters; of no size; */
	BT_DEVICE_MOVE       /* nor one of a parameter */
};

/* A program, for one size of batches. */
struct bt_device_program {
	enum bt_device_kind kind;
	struct bt_hlo_size size;
	struct bt_pjrt_program *program; /* NULL: not compiled yet */
	struct bt_hlo_program text;      /* of one that is, without the text
	                                  * itself */
	bool printed;                    /* what it costs */
	bool ran;                        /* to its end, once */
};

#define BT_DEVICE_RESULTS 2 /* of a forward pass, at most */

/* A number that a program gives, on the first device. */
struct bt_device_number {
	enum bt_hlo_kind kind;
	struct bt_pjrt_buffer *at;
};

/* What training adds to a device (learn.c): buffers of replica r are at
 * r * n_params. */
struct bt_device_learner {
	struct bt_device_learning o;
	struct bt_device_sizes sizes;
	size_t places;      /* of a program on a device, at most */
	double row_squares; /* with row_norm: of the gradients so far */
	struct bt_pjrt_buffer **grad, **moment1, **moment2;
	struct bt_pjrt_buffer **logits; /* [replicas] of a piece */
	struct bt_pjrt_buffer **moved;  /* [replicas] where the parameter
	                                 * that is moved was; else NULL */
	bool is_moved;
	struct bt_pjrt_buffer **in, **out; /* of a program */
	size_t in_cap, out_cap;
	struct bt_device_number *numbers; /* not read yet: of each update those
	                                   * of its batches, then the norm */
	size_t n_numbers, number_cap;
};

struct bt_device {
	struct bt_pjrt *pjrt;
	const struct bt_graph *g;
	bool bf16;
	struct bt_device_costs costs;
	bool told;                         /* the first line of them */
	int replicas;                      /* devices that train together */
	struct bt_pjrt_buffer **param;     /* [replicas][n_params] */
	struct bt_device_learner *learner; /* or NULL */
	struct bt_device_program *programs;
	size_t n_programs, program_cap;
	bool planning;  /* programs are noted and nothing is computed, */
	size_t planned; /* from that one on */
	struct bt_device_report report;

	/* of the last call */
	float *logits, *next;
	size_t logit_cap, next_cap;
};

struct bt_pjrt_shape bt_device_shape(const struct bt_hlo_shape *s);

/* The number of a program for rows of that length, of these many rows and
 * selected tokens, or in a forward pass at least so many of these, which is
 * compiled if there is none, or noted while the device plans; or an error. */
int bt_device_program(struct bt_device *d, enum bt_device_kind kind,
                      const struct bt_hlo_size *size,
                      struct bt_error *err) BT_MUST_USE;

/* Of a device that runs nothing: prints a program that was compiled, or, with
 * the reason, one that does not fit; and whether it fits beside what else is
 * there, BT_ENOMEM. */
void bt_device_cost_print(struct bt_device *d,
                          const struct bt_device_program *x, const char *why);
int bt_device_cost_check(const struct bt_device *d,
                         const struct bt_device_program *x,
                         struct bt_error *err) BT_MUST_USE;

/* What a program is called: "gradients 24 x 64". */
void bt_device_program_name(const struct bt_device_program *x,
                            struct bt_buf *name);

/* Copies an array as large as a parameter to each device, in place of what is
 * there: to [replicas][n_params]. */
int bt_device_put_param(struct bt_device *d, int param, const float *from,
                        struct bt_pjrt_buffer **to,
                        struct bt_error *err) BT_MUST_USE;

/* Copies an argument of a batch, or of an update, to a replica's device. */
int bt_device_put_arg(struct bt_device *d, int replica,
                      const struct bt_hlo_arg *arg, const void *from,
                      struct bt_pjrt_buffer **to,
                      struct bt_error *err) BT_MUST_USE;

/* Frees buffers of parameters, [replicas][n_params] or NULL. */
void bt_device_drop_all(struct bt_device *d, struct bt_pjrt_buffer **b);

/* Keeps a number of an update for who asks for its outcome: takes the buffer;
 * and drops those that were not asked for, but for the first n (outcome.c). */
int bt_device_keep_number(struct bt_device_learner *l, enum bt_hlo_kind kind,
                          struct bt_pjrt_buffer *at,
                          struct bt_error *err) BT_MUST_USE;
void bt_device_forget(struct bt_device_learner *l, size_t n);

/* The least length of rows, a power of 2, for texts of so many tokens. */
int bt_device_row_length(size_t longest);

/* The room for so many selected tokens: few numbers, for few programs. */
int bt_device_room(const struct bt_device *d, int selected);

bool bt_device_is_gpu(const struct bt_device *d);

/* Texts first .. end - 1 of a batch, which run together: as many of them as
 * there are devices have so many rows of that length, at most. */
struct bt_device_piece {
	size_t first, end;
	int length;
	size_t rows;
};

/* The text with which a part begins, of about equal ones of first .. end - 1;
 * part = parts: end. */
size_t bt_device_cut(const struct bt_device_division *v, size_t first,
                     size_t end, int part, int parts);

/* Behind the smallest piece that begins with a text: a group on each device. */
size_t bt_device_least(const struct bt_device_division *v, size_t first,
                       size_t end);

/* The piece that begins with a text: as few equal ones of first .. end - 1 as
 * have at most so many places on each device, or the smallest. */
int bt_device_piece(const struct bt_device_division *v, size_t first,
                    size_t end, struct bt_hlo_place *place,
                    struct bt_device_piece *p,
                    struct bt_error *err) BT_MUST_USE;

/* The rows and length of the program for a piece, of these sizes if one holds
 * it, and where its texts are there. */
int bt_device_fit(const struct bt_device_sizes *s,
                  const struct bt_device_division *v,
                  const struct bt_device_piece *p, struct bt_hlo_place *place,
                  struct bt_hlo_size *z, struct bt_error *err) BT_MUST_USE;

/* The elements of a replica's arguments that are neither parameters nor of
 * their size. */
typedef const void *bt_device_source_fn(const void *ctx, int replica,
                                        enum bt_hlo_source source);

/* Runs a program that learns, whose results take the places of what they are
 * of. */
int bt_device_run(struct bt_device *d, int program, bt_device_source_fn *from,
                  const void *ctx, struct bt_error *err) BT_MUST_USE;

/* A piece of a batch, as the devices take it. */
struct bt_device_part {
	const struct bt_device_batch *b;
	bool embeds;   /* its logits are all that is wanted, */
	float *logits; /* there */
	struct bt_device_division v;
	struct bt_hlo_place *place; /* [b->texts.n] */
	struct bt_device_piece piece;
	struct bt_hlo_batch *x; /* [replicas] */
};

/* The first text of a replica. */
static inline size_t bt_device_first(const struct bt_device_part *p,
                                     int replica)
{
	return bt_device_cut(&p->v, p->piece.first, p->piece.end, replica,
	                     p->v.replicas);
}

/* Sets what texts of groups are to be learned from in the batches of all
 * replicas, which have the texts (groups.c). */
int bt_device_fill_groups(const struct bt_device_part *p,
                          struct bt_error *err) BT_MUST_USE;

/* Texts of all devices that the loss compares, of so many on each. */
static inline int bt_device_compared(const struct bt_device *d, int texts)
{
	bool compares = d->g->loss >= 0 &&
	                d->g->nodes[d->g->loss].op == BT_OP_EMBEDDING_LOSS;

	return compares ? d->replicas * texts : 0;
}

#endif
