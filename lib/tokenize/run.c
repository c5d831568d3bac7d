/* SPDX-License-Identifier: MIT */
/* A whole run: from files to a file. */
#include "base/pool.h"
#include "tokenize/detokenize.h"
#include "tokenize/job_int.h"

/* Opens the output that io names. */
static int open_output(const struct bt_tokenize_io *io, bool text, int threads,
                       struct bt_out **out, struct bt_error *err)
{
	enum bt_out_kind kind = !text           ? BT_OUT_RECORDS
	                        : io->zstd == 0 ? BT_OUT_TEXT
	                                        : BT_OUT_BINARY;
	int r = bt_out_open(io->output, kind, out, err);

	if (r == BT_OK && threads > 1)
		bt_out_behind(*out);
	if (r == BT_OK && io->zstd != 0)
		r = bt_out_zstd(*out, io->zstd, threads, err);
	return r;
}

int bt_tokenize_all(const struct bt_tok *tok,
                    const struct bt_tokenize_opts *opts,
                    const struct bt_tokenize_io *io,
                    struct bt_tokenize_stats *stats, struct bt_error *err)
{
	struct bt_tokenize *job = NULL;
	struct bt_pool *pool = NULL;
	bool first = bt_dist_is_first(opts->dist);
	struct bt_out *out = NULL;
	int r = bt_pool_new(io->threads, &pool, err);

	if (r == BT_OK)
		r = bt_tokenize_new(tok, pool, opts, &job, err);
	if (r == BT_OK && first)
		r = open_output(io, opts->format != BT_TOKENIZE_TFRECORD,
		                bt_pool_threads(pool), &out, err);
	r = bt_dist_agree(opts->dist, r, err);
	if (r == BT_OK) {
		r = bt_tokenize_files(job, io->paths, io->n, out, io->progress,
		                      err);
		if (io->progress != NULL)
			bt_progress_clear(io->progress);
	}
	if (r == BT_OK && first) {
		r = bt_out_commit(out, err);
		out = NULL;
	}
	if (r == BT_OK)
		*stats = bt_tokenize_stats(job);
	bt_out_abandon(out);
	bt_tokenize_free(job);
	bt_pool_free(pool);
	return r;
}

int bt_detokenize_all(const struct bt_tok *tok,
                      const struct bt_detokenize_opts *opts,
                      const struct bt_tokenize_io *io, uint64_t *texts,
                      struct bt_error *err)
{
	struct bt_out *out = NULL;
	int r =
	    open_output(io, true, io->threads > 0 ? io->threads : 1, &out, err);

	if (r == BT_OK)
		r = bt_detokenize_files(tok, opts, io->paths, io->n, out, texts,
		                        err);
	return bt_out_end(out, r, err);
}
