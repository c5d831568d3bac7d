/* SPDX-License-Identifier: MIT */
/*
 * What this machine is and how it is doing: clock, cores, memory, instruction
 * sets; and how this process was started.
 */
#ifndef BT_BASE_SYS_H
#define BT_BASE_SYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Seconds of a clock that only goes forward. */
double bt_seconds(void);

/* Cores this process may run on; at least 1. */
int bt_cores(void);

/* The threads that -j asks for: one for each core if that is 0. */
int bt_threads(int64_t asked);

/* Appends the lines of /proc/cpuinfo that begin with one of these names, of the
 * first processor; nothing where the kernel has none. */
void bt_processor_lines(const char *const *names, size_t n, struct bt_buf *out);

/* Appends what this machine's processor is called, "AMD EPYC 9554"; on arm64,
 * where the kernel has no name, the machine's kind. */
void bt_processor_name(struct bt_buf *out);

/* Processes that mpirun or srun started as one job, of which this is one; 1 if
 * neither did. */
int bt_launched(void);

/* The number of this process among them, from 0 on; -1 where the launcher did
 * not say. */
int bt_launched_rank(void);

/* Memory that this process holds and the most it ever held, bytes. */
size_t bt_held_memory(void);
size_t bt_peak_memory(void);

/* Memory that this process could still take: what the machine has left or, if
 * that is less, what the process' control groups and its limit of addresses
 * leave it. UINT64_MAX where nothing is known. root stands before the paths of
 * the system's files: "" but in tests. */
uint64_t bt_available_memory(const char *root);

/* Bytes that can still be written in the file system of a path; UINT64_MAX
 * where the system does not say. */
uint64_t bt_free_space(const char *path);

/*
 * Instruction sets, each including those before it in its own family, except
 * that processors with AVX-512 may lack AVX-VNNI. Values are ordered: a larger
 * one is preferred.
 */
enum bt_isa {
	BT_ISA_REF = 0,         /* plain C */
	BT_ISA_NEON = 10,       /* arm64 */
	BT_ISA_NEONDOT = 11,    /* and its int8 dot product */
	BT_ISA_AVX2 = 20,       /* AVX2, FMA, F16C */
	BT_ISA_AVX2VNNI = 21,   /* and its int8 dot product, AVX-VNNI */
	BT_ISA_AVX512 = 22,     /* AVX-512 F, BW, DQ, VL */
	BT_ISA_AVX512VNNI = 23, /* and its int8 dot product */
	BT_ISA_AVX512BF16 = 24, /* and its bf16 dot product */
	BT_ISA_AMX = 25         /* and AMX tiles of bf16 and int8 */
};

/*
 * The best instruction set that this CPU and its system offer, or the one named
 * in the environment variable BT_ISA (ref, neon, neondot, avx2, avx2vnni,
 * avx512, avx512vnni, avx512bf16, amx). Returns 0, or BT_EARG where BT_ISA
 * names one that is unknown or not there. Thread-safe; looks only once.
 */
int bt_isa(enum bt_isa *isa, struct bt_error *err) BT_MUST_USE;

/* "avx512" and so on. */
const char *bt_isa_name(enum bt_isa isa);

#endif
