/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* sched_getaffinity, syscall */
#include "base/sys.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"

double bt_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int bt_cores(void)
{
	cpu_set_t set;
	int n = 0;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		n = CPU_COUNT(&set);
	return n > 0 ? n : 1;
}

int bt_threads(int64_t asked)
{
	return asked > 0 ? (int)asked : bt_cores();
}

void bt_processor_lines(const char *const *names, size_t n, struct bt_buf *out)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	char *line = NULL;
	size_t room = 0, i;

	/* an empty line ends what is said of a processor */
	while (f != NULL && getline(&line, &room, f) > 1)
		for (i = 0; i < n; i++)
			if (bt_str_starts(line, names[i]))
				bt_buf_puts(out, line);
	free(line);
	if (f != NULL)
		fclose(f);
}

void bt_processor_name(struct bt_buf *out)
{
	static const char *const names[] = {"model name"};
	struct bt_buf line = BT_BUF_INIT;
	struct utsname machine;
	const char *name = NULL;

	bt_processor_lines(names, 1, &line);
	if (line.len > 0 && bt_buf_str(&line) != NULL)
		name = strchr(bt_buf_str(&line), ':');
	if (name != NULL) {
		name += 1 + strspn(name + 1, " \t");
		bt_buf_put(out, name, strcspn(name, "\n"));
	} else {
		bt_buf_puts(out,
		            uname(&machine) == 0 ? machine.machine : "CPU");
	}
	bt_buf_clear(&line);
}

/* A batch script of Slurm has SLURM_NTASKS, too, and is one process; what srun
 * starts has the number of its step. */
static const struct {
	const char *size, *rank;
} launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                 {"PMI_SIZE", "PMI_RANK"},
                 {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

/* The number in an environment variable, or -1. */
static int number_of(const char *variable)
{
	const char *text = getenv(variable);
	char *end;
	long n = text != NULL ? strtol(text, &end, 10) : -1;

	return n < 0 || end == text ? -1 : n < INT_MAX ? (int)n : INT_MAX;
}

/* Which launcher started this process; their number if none did. */
static size_t launcher(void)
{
	size_t i = 0;

	while (i < sizeof(launchers) / sizeof(launchers[0]) &&
	       number_of(launchers[i].size) < 1)
		i++;
	return i;
}

int bt_launched(void)
{
	size_t i = launcher();

	return i < sizeof(launchers) / sizeof(launchers[0])
	           ? number_of(launchers[i].size)
	           : 1;
}

int bt_launched_rank(void)
{
	size_t i = launcher();

	return i < sizeof(launchers) / sizeof(launchers[0])
	           ? number_of(launchers[i].rank)
	           : 0;
}

uint64_t bt_free_space(const char *path)
{
	struct statvfs s;

	if (statvfs(path, &s) != 0 || s.f_blocks == 0)
		return UINT64_MAX;
	return (uint64_t)s.f_bavail * s.f_frsize;
}

size_t bt_peak_memory(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (size_t)u.ru_maxrss * 1024;
}

size_t bt_held_memory(void)
{
	long size = sysconf(_SC_PAGESIZE);
	FILE *f = fopen("/proc/self/statm", "r");
	size_t pages = 0;

	/* the first number is of the address space, the second of memory */
	if (f != NULL && fscanf(f, "%*s %zu", &pages) != 1)
		pages = 0;
	if (f != NULL)
		fclose(f);
	return size > 0 ? pages * (size_t)size : 0;
}

static bool has_avx_vnni; /* set by detect() */

#if defined(__x86_64__)
#include <cpuid.h>

#define ARCH_REQ_XCOMP_PERM 0x1023
#define XFEATURE_XTILEDATA 18

static uint64_t enabled_state(void)
{
	uint32_t lo, hi;

	__asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
	return (uint64_t)hi << 32 | lo;
}

/* Bit numbers: Intel SDM volume 2, CPUID leaves 1 and 7. */
static enum bt_isa detect(void)
{
	unsigned a, b, c, d, b7, c7, d7, a71 = 0;
	uint64_t xcr0;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 27))
		return BT_ISA_REF; /* no OSXSAVE: xgetbv would fault */
	xcr0 = enabled_state();
	if ((xcr0 & 0x6) != 0x6 || !(c & 1u << 28) || !(c & 1u << 12) ||
	    !(c & 1u << 29))
		return BT_ISA_REF; /* AVX, FMA, F16C */
	if (!__get_cpuid_count(7, 0, &a, &b7, &c7, &d7) || !(b7 & 1u << 5))
		return BT_ISA_REF;
	if (a >= 1 && !__get_cpuid_count(7, 1, &a71, &b, &c, &d))
		a71 = 0;
	has_avx_vnni = a71 & 1u << 4;
	if ((xcr0 & 0xe6) != 0xe6 || !(b7 & 1u << 16) || !(b7 & 1u << 17) ||
	    !(b7 & 1u << 30) || !(b7 & 1u << 31))
		return has_avx_vnni ? BT_ISA_AVX2VNNI : BT_ISA_AVX2;
	if (!(c7 & 1u << 11))
		return BT_ISA_AVX512;
	if (!(a71 & 1u << 5))
		return BT_ISA_AVX512VNNI;
	/* tile state enabled, AMX-BF16, AMX-TILE, AMX-INT8, and Linux's
	 * permission */
	if ((xcr0 & 0x60000) != 0x60000 || !(d7 & 1u << 22) ||
	    !(d7 & 1u << 24) || !(d7 & 1u << 25) ||
	    syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA))
		return BT_ISA_AVX512BF16;
	return BT_ISA_AMX;
}
#elif defined(__aarch64__)
#include <sys/auxv.h>

static enum bt_isa detect(void)
{
	return getauxval(AT_HWCAP) & HWCAP_ASIMDDP ? BT_ISA_NEONDOT
	                                           : BT_ISA_NEON;
}
#else
static enum bt_isa detect(void)
{
	return BT_ISA_REF;
}
#endif

static const struct {
	enum bt_isa isa;
	const char *name;
} names[] = {
    {BT_ISA_REF, "ref"},
    {BT_ISA_NEON, "neon"},
    {BT_ISA_NEONDOT, "neondot"},
    {BT_ISA_AVX2, "avx2"},
    {BT_ISA_AVX2VNNI, "avx2vnni"},
    {BT_ISA_AVX512, "avx512"},
    {BT_ISA_AVX512VNNI, "avx512vnni"},
    {BT_ISA_AVX512BF16, "avx512bf16"},
    {BT_ISA_AMX, "amx"},
};

#define N_NAMES (sizeof(names) / sizeof(names[0]))

static pthread_once_t once = PTHREAD_ONCE_INIT;
static enum bt_isa best; /* of this machine */

static void look(void)
{
	best = detect();
}

static bool is_present(enum bt_isa isa)
{
	pthread_once(&once, look);
	if (isa == BT_ISA_REF)
		return true;
	if (isa == BT_ISA_AVX2VNNI && !has_avx_vnni)
		return false;
	return isa <= best && isa / 10 == best / 10;
}

const char *bt_isa_name(enum bt_isa isa)
{
	size_t i;

	for (i = 0; i < N_NAMES; i++)
		if (names[i].isa == isa)
			return names[i].name;
	return "?";
}

int bt_isa(enum bt_isa *isa, struct bt_error *err)
{
	const char *wish = getenv("BT_ISA");
	int i;

	pthread_once(&once, look);
	if (wish == NULL || *wish == '\0') {
		*isa = best;
		return BT_OK;
	}
	i = BT_STR_ROW_BY(wish, names, name);
	if (i < 0)
		return bt_error_set(err, BT_EARG,
		                    "BT_ISA names the unknown instruction set "
		                    "'%s'",
		                    wish);
	if (!is_present(names[i].isa))
		return bt_error_set(err, BT_EARG,
		                    "BT_ISA asks for %s, which this CPU does "
		                    "not have",
		                    wish);
	*isa = names[i].isa;
	return BT_OK;
}
