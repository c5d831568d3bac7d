/* SPDX-License-Identifier: MIT */
/* NVIDIA's cards as XLA's compiler for GPUs wants those described that are not
 * here: its GpuTargetConfigProto (xla/stream_executor/device_description.proto)
 * in the text form. The numbers are NVIDIA's. */
#include <stdlib.h>
#include <string.h>

#include "pjrt/client_int.h"

/* What cards of a generation have in common. */
struct generation {
	int major, minor;
	bool accelerated;   /* has instructions of its own: sm_90a */
	int lanes, threads; /* of each of its multiprocessors */
	int shared; /* bytes of each, that a block of threads may share */
};

static const struct generation turing = {7, 5, false, 64, 1024, 65536};
static const struct generation ampere = {8, 0, false, 64, 2048, 166912};
static const struct generation ampere_small = {8, 6, false, 128, 1536, 101376};
static const struct generation ada = {8, 9, false, 128, 1536, 101376};
static const struct generation hopper = {9, 0, true, 128, 2048, 232448};
static const struct generation blackwell = {10, 0, true, 128, 2048, 232448};
static const struct generation blackwell_small = {12,  0,    true,
                                                  128, 1536, 101376};

static const struct card {
	const char *name; /* in small letters */
	const char *title;
	const struct generation *g;
	int cores;            /* multiprocessors */
	int memory, cache;    /* MB */
	int bandwidth, clock; /* GB/s, MHz */
} cards[] = {
    {"t4", "NVIDIA T4", &turing, 40, 15800, 4, 320, 1590},
    {"a10", "NVIDIA A10", &ampere_small, 72, 23600, 6, 600, 1695},
    {"a100", "NVIDIA A100 80GB", &ampere, 108, 85000, 40, 2039, 1410},
    {"a100-40gb", "NVIDIA A100 40GB", &ampere, 108, 42200, 40, 1555, 1410},
    {"l4", "NVIDIA L4", &ada, 58, 23600, 48, 300, 2040},
    {"l40s", "NVIDIA L40S", &ada, 142, 47700, 96, 864, 2520},
    {"rtx3090", "NVIDIA RTX 3090", &ampere_small, 82, 25300, 6, 936, 1695},
    {"rtx4090", "NVIDIA RTX 4090", &ada, 128, 25200, 72, 1008, 2520},
    {"rtx5090", "NVIDIA RTX 5090", &blackwell_small, 170, 33600, 96, 1792,
     2407},
    {"h100", "NVIDIA H100 80GB", &hopper, 132, 85000, 50, 3350, 1980},
    {"h200", "NVIDIA H200", &hopper, 132, 151000, 50, 4800, 1980},
    {"b200", "NVIDIA B200", &blackwell, 148, 191000, 126, 8000, 1965},
};

#define CARDS (sizeof(cards) / sizeof(*cards))

static void describe(const struct card *c, struct bt_buf *b)
{
	const struct generation *g = c->g;

	bt_buf_puts(b, "gpu_device_info {\n"
	               "threads_per_block_limit: 1024\n"
	               "threads_per_warp: 32\n"
	               "shared_memory_per_block: 49152\n"
	               "block_dim_limit_x: 2147483647\n"
	               "block_dim_limit_y: 65535\n"
	               "block_dim_limit_z: 65535\n"
	               "thread_dim_limit_x: 1024\n"
	               "thread_dim_limit_y: 1024\n"
	               "thread_dim_limit_z: 64\n"
	               "registers_per_core_limit: 65536\n"
	               "registers_per_block_limit: 65536\n"
	               "device_vendor: \"NVIDIA Corporation\"\n"
	               "device_address_bits: 64\n");
	bt_buf_printf(b, "shared_memory_per_block_optin: %d\n", g->shared);
	bt_buf_printf(b, "shared_memory_per_core: %d\n", g->shared + 1024);
	bt_buf_printf(b, "threads_per_core_limit: %d\n", g->threads);
	bt_buf_printf(b, "fpus_per_core: %d\n", g->lanes);
	bt_buf_printf(b, "core_count: %d\n", c->cores);
	bt_buf_printf(b, "memory_bandwidth: %d000000000\n", c->bandwidth);
	bt_buf_printf(b, "l2_cache_size: %d\n", c->cache << 20);
	bt_buf_printf(b, "clock_rate_ghz: %.3f\n", c->clock / 1e3);
	bt_buf_printf(b, "device_memory_size: %d000000\n", c->memory);
	bt_buf_printf(
	    b, "cuda_compute_capability { major: %d minor: %d%s }\n", g->major,
	    g->minor,
	    g->accelerated ? " feature_extension: ACCELERATED_FEATURES" : "");
	bt_buf_printf(b, "name: \"%s\"\n}\n", c->title);
	bt_buf_puts(b, "platform_name: \"CUDA\"\n");
	bt_buf_printf(b, "device_description_str: \"%s\"\n", c->title);
}

/* How many cards "h100:8" names; 0: not a number of them. */
static long number(const char *name)
{
	const char *colon = strchr(name, ':');
	char *end;
	long n = 1;

	if (colon == NULL)
		return 1;
	n = strtol(colon + 1, &end, 10);
	return colon[1] >= '1' && colon[1] <= '9' && *end == '\0' && n <= 64
	           ? n
	           : 0;
}

static const struct card *find(const char *name)
{
	size_t len = strcspn(name, ":"), i;

	for (i = 0; i < CARDS; i++)
		if (strlen(cards[i].name) == len &&
		    memcmp(cards[i].name, name, len) == 0)
			return &cards[i];
	return NULL;
}

int bt_pjrt_card(const char *name, struct bt_buf *target, struct bt_buf *shape,
                 struct bt_error *err)
{
	const struct card *c = find(name);
	struct bt_buf known = BT_BUF_INIT;
	long n = number(name);
	size_t i;

	if (c == NULL) {
		for (i = 0; i < CARDS; i++)
			bt_buf_printf(&known, "%s%s", i > 0 ? ", " : "",
			              cards[i].name);
		bt_error_set(err, BT_EARG, "expected one of NVIDIA's cards: %s",
		             bt_buf_str(&known));
		bt_buf_clear(&known);
		return BT_EARG;
	}
	if (n == 0)
		return bt_error_set(err, BT_EARG,
		                    "expected 1 to 64 cards, as %s:8", c->name);
	describe(c, target);
	bt_buf_printf(shape, "1x1x%ld", n);
	return target->oom || shape->oom
	           ? bt_error_nomem(err, "describing a card")
	           : BT_OK;
}
