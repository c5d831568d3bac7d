/* SPDX-License-Identifier: MIT */
#include "dist/dist.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/library.h"
#include "base/mem.h"
#include "base/span.h"
#include "base/sys.h"

/* Open MPI's since version 1.10. No header is needed to build with it: below is
 * what its mpi.h declares, whose handles are pointers. */
#define LIBRARY "libmpi.so.40"
#define IN_PLACE ((void *)1)
#define MOST 80    /* requests of a rank to and from each other one */
#define FUNNELED 1 /* one thread of the process calls */

struct api {
	int (*init_thread)(int *argc, char ***argv, int wanted, int *given);
	int (*finalize)(void);
	int (*abort)(void *comm, int status);
	int (*comm_rank)(void *comm, int *rank);
	int (*comm_size)(void *comm, int *size);
	int (*comm_dup)(void *comm, void **copy);
	int (*barrier)(void *comm);
	int (*ibarrier)(void *comm, void **request);
	int (*test)(void **request, int *done, void *status);
	int (*bcast)(void *p, int n, void *type, int from, void *comm);
	int (*allgather)(const void *p, int n, void *type, void *to, int to_n,
	                 void *to_type, void *comm);
	int (*allgatherv)(const void *p, int n, void *type, void *to,
	                  const int *to_n, const int *at, void *to_type,
	                  void *comm);
	int (*gatherv)(const void *p, int n, void *type, void *to,
	               const int *to_n, const int *at, void *to_type, int root,
	               void *comm);
	int (*send)(const void *p, int n, void *type, int to, int tag,
	            void *comm);
	int (*recv)(void *p, int n, void *type, int from, int tag, void *comm,
	            void *status);
	int (*isend)(const void *p, int n, void *type, int to, int tag,
	             void *comm, void **request);
	int (*irecv)(void *p, int n, void *type, int from, int tag, void *comm,
	             void **request);
	int (*testall)(int n, void **requests, int *done, void *statuses);
	int (*waitall)(int n, void **requests, void *statuses);
	void *world; /* a communicator */
	void *byte, *real, *real8;
};

static const struct bt_symbol symbols[] = {
    {"MPI_Init_thread", offsetof(struct api, init_thread)},
    {"MPI_Finalize", offsetof(struct api, finalize)},
    {"MPI_Abort", offsetof(struct api, abort)},
    {"MPI_Comm_rank", offsetof(struct api, comm_rank)},
    {"MPI_Comm_size", offsetof(struct api, comm_size)},
    {"MPI_Comm_dup", offsetof(struct api, comm_dup)},
    {"MPI_Barrier", offsetof(struct api, barrier)},
    {"MPI_Ibarrier", offsetof(struct api, ibarrier)},
    {"MPI_Test", offsetof(struct api, test)},
    {"MPI_Bcast", offsetof(struct api, bcast)},
    {"MPI_Allgather", offsetof(struct api, allgather)},
    {"MPI_Allgatherv", offsetof(struct api, allgatherv)},
    {"MPI_Gatherv", offsetof(struct api, gatherv)},
    {"MPI_Send", offsetof(struct api, send)},
    {"MPI_Recv", offsetof(struct api, recv)},
    {"MPI_Isend", offsetof(struct api, isend)},
    {"MPI_Irecv", offsetof(struct api, irecv)},
    {"MPI_Testall", offsetof(struct api, testall)},
    {"MPI_Waitall", offsetof(struct api, waitall)},
    {"ompi_mpi_comm_world", offsetof(struct api, world)},
    {"ompi_mpi_byte", offsetof(struct api, byte)},
    {"ompi_mpi_float", offsetof(struct api, real)},
    {"ompi_mpi_double", offsetof(struct api, real8)},
};

struct bt_dist {
	struct api mpi;
	void *apart; /* communicator for bt_dist_end, whatever else is under
	              * way */
	int rank, size;
	uint64_t sent;
	struct bt_dist_times times;
	int *count, *from; /* [size], of elements */
	struct bt_buf in;  /* what another rank delivers */
	void **request;    /* [MOST * size], n_requests of parts on their way */
	size_t n_requests;
};

static int load(struct api *a, struct bt_error *err)
{
	/* its plugins look for its symbols */
	int r = bt_library_load(LIBRARY, true, symbols,
	                        sizeof(symbols) / sizeof(symbols[0]), a, err);

	return r == BT_OK ? r
	                  : bt_error_prefix(err,
	                                    "started as %d processes of one "
	                                    "job, which need Open MPI to "
	                                    "talk, and it does not load",
	                                    bt_launched());
}

/* Those that have met and not parted, or NULL. */
static struct bt_dist *met;

/* Parts from the other ranks, when all are at this point. */
static void leave(struct bt_dist *d)
{
	if (d == NULL)
		return;
	if (d == met)
		met = NULL;
	d->mpi.barrier(d->mpi.world);
	d->mpi.finalize();
	free(d->count);
	bt_buf_clear(&d->in);
	free(d->request);
	free(d);
}

int bt_dist_open(struct bt_dist **out, struct bt_error *err)
{
	int launched = bt_launched(), level, r;
	size_t n;
	struct bt_dist *d;

	*out = met;
	if (launched <= 1 || met != NULL)
		return BT_OK;
	d = bt_array0(1, sizeof(*d));
	r = load(&d->mpi, err);
	if (r != BT_OK) {
		free(d);
		return r;
	}
	d->mpi.init_thread(NULL, NULL, FUNNELED, &level);
	d->mpi.comm_rank(d->mpi.world, &d->rank);
	d->mpi.comm_size(d->mpi.world, &d->size);
	n = (size_t)d->size;
	d->count = bt_array0(2 * n, sizeof(*d->count));
	d->from = d->count + n;
	d->request = bt_array(MOST * n, sizeof(*d->request));
	d->mpi.comm_dup(d->mpi.world, &d->apart);
	if (d->size == launched) {
		*out = d;
		return BT_OK;
	}
	r = bt_error_set(err, BT_EARG,
	                 "started as %d processes of one job, of which MPI "
	                 "sees %d: the launcher and '%s' do not fit",
	                 launched, d->size, LIBRARY);
	leave(d);
	return r;
}

#define MOMENT 5.0 /* seconds; a busy machine needs a few */

/* Whether all ranks come here within a moment. */
static bool gather(struct bt_dist *d)
{
	const struct timespec pause = {0, 1000000};
	double until = bt_seconds() + MOMENT;
	void *request;
	int done = 0;

	if (d == NULL)
		return true;
	d->mpi.ibarrier(d->apart, &request);
	while (d->mpi.test(&request, &done, NULL) == 0 && !done &&
	       bt_seconds() < until)
		nanosleep(&pause, NULL);
	return done != 0;
}

/* Ends all ranks. */
static void abort_all(struct bt_dist *d, int status)
{
	met = NULL;
	d->mpi.abort(d->mpi.world, status);
}

int bt_dist_end(struct bt_dist *d, const struct bt_tool *tool, int status,
                struct bt_error *err)
{
	bool together = err->code == BT_OK || gather(d);
	bool first = bt_dist_is_first(d);

	if (!together)
		bt_error_prefix(err, "rank %d", d->rank);
	if (err->code != BT_OK && (first || !together))
		status = bt_tool_fail(tool, err);
	if (!together)
		abort_all(d, status);
	leave(d);
	return first ? status : BT_EXIT_DONE;
}

int bt_dist_rank(const struct bt_dist *d)
{
	return d == NULL ? 0 : d->rank;
}

int bt_dist_size(const struct bt_dist *d)
{
	return d == NULL ? 1 : d->size;
}

/* The first rank whose r is not BT_OK, or the number of ranks. */
static int first_error(struct bt_dist *d, int r)
{
	double start = bt_seconds();
	int i;

	d->mpi.allgather(&r, sizeof(r), d->mpi.byte, d->count, sizeof(r),
	                 d->mpi.byte, d->mpi.world);
	d->times.waiting += bt_seconds() - start;
	for (i = 0; i < d->size && d->count[i] == BT_OK;)
		i++;
	return i;
}

/* All get the error of rank i, with its number if that is to be told. Returns
 * it. */
static int spread_error(struct bt_dist *d, int i, bool of_data,
                        struct bt_error *err)
{
	struct bt_error first = *err;
	bool numbered;

	d->mpi.bcast(&first, sizeof(first), d->mpi.byte, i, d->mpi.world);
	*err = first;
	numbered = i > 0 && (!of_data || first.code == BT_EIO ||
	                     first.code == BT_ENOMEM);
	return numbered ? bt_error_prefix(err, "rank %d", i) : first.code;
}

int bt_dist_agree(struct bt_dist *d, int r, struct bt_error *err)
{
	int i;

	if (d == NULL)
		return r;
	i = first_error(d, r);
	return i < d->size ? spread_error(d, i, false, err) : BT_OK;
}

int bt_dist_agree_on(struct bt_dist *d, int r, uint32_t checksum,
                     struct bt_error *err)
{
	int i;

	if (d == NULL)
		return r;
	i = first_error(d, r);
	return i < d->size ? spread_error(d, i, true, err)
	                   : bt_dist_same(d, checksum, "reads other data", err);
}

int bt_dist_same(struct bt_dist *d, uint32_t checksum, const char *what,
                 struct bt_error *err)
{
	int sum = (int)checksum, i;

	if (d == NULL)
		return BT_OK;
	d->mpi.allgather(&sum, sizeof(sum), d->mpi.byte, d->count, sizeof(sum),
	                 d->mpi.byte, d->mpi.world);
	for (i = 1; i < d->size; i++)
		if (d->count[i] != d->count[0])
			return bt_error_set(err, BT_ECORRUPT,
			                    "rank %d %s than rank 0", i, what);
	return BT_OK;
}

int bt_dist_most(struct bt_dist *d, int value)
{
	int i, most = value;

	if (d == NULL)
		return value;
	d->mpi.allgather(&value, sizeof(value), d->mpi.byte, d->count,
	                 sizeof(value), d->mpi.byte, d->mpi.world);
	for (i = 0; i < d->size; i++)
		most = d->count[i] > most ? d->count[i] : most;
	return most;
}

void bt_dist_tell(struct bt_dist *d, void *p, size_t n)
{
	if (d != NULL)
		d->mpi.bcast(p, (int)n, d->mpi.byte, 0, d->mpi.world);
}

/* Elements as numbers of `size` bytes, where there are such: their number
 * goes further than that of bytes. Returns how many make one element. */
static int type_of(const struct bt_dist *d, size_t size, void **type)
{
	*type = size % sizeof(double) == 0  ? d->mpi.real8
	        : size % sizeof(float) == 0 ? d->mpi.real
	                                    : d->mpi.byte;
	return (int)(size % sizeof(double) == 0  ? size / sizeof(double)
	             : size % sizeof(float) == 0 ? size / sizeof(float)
	                                         : size);
}

/* Sets d->count and d->from to what each rank has, of so many numbers for an
 * element. */
static void divide(struct bt_dist *d, const size_t *at, int each)
{
	int i;

	for (i = 0; i < d->size; i++) {
		d->from[i] = (int)at[i] * each;
		d->count[i] = (int)(at[i + 1] - at[i]) * each;
	}
}

static void add_sent(struct bt_dist *d, const size_t *at, size_t size,
                     int receivers)
{
	d->sent += (uint64_t)(at[d->rank + 1] - at[d->rank]) * size *
	           (uint64_t)receivers;
}

void bt_dist_share(struct bt_dist *d, void *all, size_t size, const size_t *at)
{
	double start = bt_seconds();
	void *type;

	if (d == NULL)
		return;
	divide(d, at, type_of(d, size, &type));
	d->mpi.allgatherv(IN_PLACE, 0, type, all, d->count, d->from, type,
	                  d->mpi.world);
	add_sent(d, at, size, d->size - 1);
	d->times.exchanging += bt_seconds() - start;
}

void bt_dist_collect(struct bt_dist *d, void *all, size_t size,
                     const size_t *at)
{
	void *type;

	if (d == NULL)
		return;
	divide(d, at, type_of(d, size, &type));
	if (d->rank == 0)
		d->mpi.gatherv(IN_PLACE, 0, type, all, d->count, d->from, type,
		               0, d->mpi.world);
	else
		d->mpi.gatherv((char *)all + at[d->rank] * size,
		               d->count[d->rank], type, NULL, NULL, NULL, type,
		               0, d->mpi.world);
	add_sent(d, at, size, d->rank > 0);
}

/* What of from .. to - 1 that rank owns. */
static size_t owned(const size_t *at, int rank, size_t from, size_t to,
                    size_t *first)
{
	size_t end = at[rank + 1] < to ? at[rank + 1] : to;

	*first = at[rank] > from ? at[rank] : from;
	return end > *first ? end - *first : 0;
}

void bt_dist_begin_hand_over(struct bt_dist *d, const float *array, int k,
                             const int *n, const size_t *at, size_t from,
                             size_t to, float *parts)
{
	size_t own = at[d->rank + 1] - at[d->rank], mine, first, theirs, x;
	double start = bt_seconds();
	bool sends = k < n[d->rank];
	float *part;
	int i;

	mine = owned(at, d->rank, from, to, &first);
	if (d->n_requests + 2 * (size_t)d->size > MOST * (size_t)d->size)
		bt_dist_end_hand_over(d); /* of earlier ones */
	for (i = 0; i < d->size; i++) {
		if (i == d->rank)
			continue;
		part = parts + (size_t)k * own + (first - at[d->rank]);
		parts += (size_t)n[i] * own;
		if (k < n[i] && mine > 0)
			d->mpi.irecv(part, (int)mine, d->mpi.real, i, 1,
			             d->mpi.world,
			             &d->request[d->n_requests++]);
		theirs = owned(at, i, from, to, &x);
		if (!sends || theirs == 0)
			continue;
		d->mpi.isend(array + x, (int)theirs, d->mpi.real, i, 1,
		             d->mpi.world, &d->request[d->n_requests++]);
		d->sent += (uint64_t)theirs * sizeof(*array);
	}
	d->times.exchanging += bt_seconds() - start;
}

void bt_dist_move_on(struct bt_dist *d)
{
	double start = bt_seconds();
	int done;

	d->mpi.testall((int)d->n_requests, d->request, &done, NULL);
	if (done)
		d->n_requests = 0;
	d->times.exchanging += bt_seconds() - start;
}

void bt_dist_end_hand_over(struct bt_dist *d)
{
	double start = bt_seconds();

	d->mpi.waitall((int)d->n_requests, d->request, NULL);
	d->n_requests = 0;
	d->times.exchanging += bt_seconds() - start;
}

#define PART (BT_SMALL / 2) /* bytes of a message */

static void deliver(struct bt_dist *d, const char *bytes, size_t n)
{
	uint64_t all = n;
	size_t part;

	d->mpi.send(&all, sizeof(all), d->mpi.byte, 0, 0, d->mpi.world);
	for (; n > 0; n -= part, bytes += part) {
		part = n < PART ? n : PART;
		d->mpi.send(bytes, (int)part, d->mpi.byte, 0, 0, d->mpi.world);
	}
}

/* Into d->in; without memory for that, all is received nevertheless. */
static int receive(struct bt_dist *d, int from, void *part,
                   struct bt_error *err)
{
	uint64_t n, some;

	bt_buf_reset(&d->in);
	d->mpi.recv(&n, sizeof(n), d->mpi.byte, from, 0, d->mpi.world, NULL);
	for (; n > 0; n -= some) {
		some = n < PART ? n : PART;
		d->mpi.recv(part, (int)some, d->mpi.byte, from, 0, d->mpi.world,
		            NULL);
		bt_buf_put(&d->in, part, some);
	}
	return d->in.oom ? bt_error_nomem(err, "collecting results") : BT_OK;
}

int bt_dist_deliver(struct bt_dist *d, const void *bytes, size_t n,
                    bt_dist_take_fn *take, void *ctx, struct bt_error *err)
{
	int i, e, r = BT_OK;
	void *part;

	if (d == NULL)
		return BT_OK;
	if (d->rank > 0) {
		deliver(d, bytes, n);
		return BT_OK;
	}
	part = bt_array(1, PART);
	for (i = 1; i < d->size; i++) {
		e = receive(d, i, part, r == BT_OK ? err : NULL);
		if (r == BT_OK)
			r = e == BT_OK ? take(ctx, d->in.data, d->in.len, err)
			               : e;
	}
	free(part);
	return r;
}

struct bt_dist_times bt_dist_times(const struct bt_dist *d)
{
	const struct bt_dist_times none = {0};

	return d == NULL ? none : d->times;
}

uint64_t bt_dist_sent(const struct bt_dist *d)
{
	return d == NULL ? 0 : d->sent;
}

/* The first word in which a command line differs from that of rank 0; both are
 * words with a NUL behind each. */
static int compare(struct bt_span own, struct bt_span first,
                   struct bt_error *err)
{
	const char *a = own.p, *b = first.p, *a_end = a + own.n,
	           *b_end = b + first.n;

	for (; a < a_end && b < b_end && strcmp(a, b) == 0; b += strlen(b) + 1)
		a += strlen(a) + 1;
	if (a < a_end && b < b_end)
		return bt_error_set(err, BT_EARG,
		                    "its command line has '%.200s' where that "
		                    "of rank 0 has '%.200s'",
		                    a, b);
	if (a < a_end || b < b_end)
		return bt_error_set(err, BT_EARG,
		                    "its command line %s '%.200s', unlike that "
		                    "of rank 0",
		                    a < a_end ? "has" : "lacks",
		                    a < a_end ? a : b);
	return BT_OK;
}

static int compare_words(struct bt_dist *d, int n, const char *const *word,
                         struct bt_error *err)
{
	struct bt_buf own = BT_BUF_INIT;
	uint64_t size;
	char *first;
	int i, r;

	for (i = 0; i < n; i++)
		bt_buf_put(&own, word[i], strlen(word[i]) + 1);
	size = own.len;
	bt_dist_tell(d, &size, sizeof(size));
	first = bt_array0(size, 1);
	r = own.oom || first == NULL
	        ? bt_error_nomem(err, "comparing command lines")
	        : BT_OK;
	r = bt_dist_agree(d, r, err);
	if (r == BT_OK && d->rank == 0)
		memcpy(first, own.data, own.len);
	if (r == BT_OK) {
		bt_dist_tell(d, first, size);
		r = compare((struct bt_span){own.data, own.len},
		            (struct bt_span){first, size}, err);
		r = bt_dist_agree(d, r, err);
	}
	free(first);
	bt_buf_clear(&own);
	return r;
}

/* Of whoever exits without bt_dist_end. */
static void at_exit(void)
{
	if (met != NULL && !gather(met))
		abort_all(met, BT_EXIT_FAILED);
	leave(met);
}

static int meet(int n, const char *const *word, struct bt_error *err)
{
	struct bt_error ignored = {0};

	/* what else starts processes may not let Open MPI's library talk, which
	 * then ends them; an error comes again where it is needed */
	if (getenv("OMPI_COMM_WORLD_RANK") == NULL &&
	    getenv("PMIX_RANK") == NULL)
		return BT_OK;
	if (bt_dist_open(&met, &ignored) != BT_OK) {
		bt_error_clear(&ignored);
		return BT_OK;
	}
	if (met != NULL)
		atexit(at_exit);
	return met != NULL ? compare_words(met, n, word, err) : BT_OK;
}

static int together(void)
{
	return met != NULL ? gather(met) : -1;
}

static void part(void)
{
	leave(met);
}

const struct bt_tool_ranks bt_dist_ranks = {meet, together, part};
