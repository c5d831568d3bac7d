/* SPDX-License-Identifier: MIT */
/*
 * A library to be preloaded that lets one call of the system fail, for tests.
 * INJECT is "CALL:N:HOW": of all calls named CALL in the process the Nth, or
 * every one where N is 0, has the error HOW (EIO, ENOSPC, EINTR, EOPNOTSUPP),
 * or handles one byte where HOW is "short", or is where the process is killed,
 * a write when half of it is done, where HOW is "kill". The file that
 * INJECT_LOG names says what was done.
 *
 * CALL is read, pread, write, fsync, close (of a file open for writing),
 * rename, linkat, open, tmpfile (open with O_TMPFILE), readdir, mmap or
 * statvfs, which finds a full disk then. Calls that the C library makes for
 * itself, as printf does, are not seen, and random numbers that other libraries
 * get from a device are left alone.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const struct {
	const char *name;
	int number;
} errors[] = {{"EIO", EIO},     {"ENOSPC", ENOSPC},
              {"EINTR", EINTR}, {"EOPNOTSUPP", EOPNOTSUPP},
              {"short", 0},     {"kill", -2}};

static void die(void)
{
	(void)raise(SIGKILL);
	abort();
}

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static void tell(const char *call)
{
	int (*real_open)(const char *, int, ...);
	ssize_t (*real_write)(int, const void *, size_t);
	int (*real_close)(int);
	const char *log = getenv("INJECT_LOG");
	int fd;

	*(void **)&real_open = next("open");
	*(void **)&real_write = next("write");
	*(void **)&real_close = next("close");
	fd = log == NULL ? -1 : real_open(log, O_WRONLY | O_CREAT, 0666);
	if (fd < 0)
		abort();
	if (real_write(fd, call, strlen(call)) < 0)
		abort();
	real_close(fd);
}

/* -1: let it pass; 0: make it short; -2: do half of it and die, which is done
 * here where it has no halves; else the error. */
static int inject(const char *call)
{
	static atomic_long count;
	const char *s = getenv("INJECT");
	size_t n = strlen(call), i;
	char *end;
	long at;

	if (s == NULL || strncmp(s, call, n) != 0 || s[n] != ':')
		return -1;
	at = strtol(s + n + 1, &end, 10);
	if (*end != ':')
		abort();
	if (at != 0 && atomic_fetch_add(&count, 1) + 1 != at)
		return -1;
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (strcmp(end + 1, errors[i].name) == 0) {
			tell(call);
			if (errors[i].number == -2 && strcmp(call, "write"))
				die();
			return errors[i].number;
		}
	abort();
}

static bool fails(const char *call)
{
	int e = inject(call);

	if (e > 0)
		errno = e;
	return e > 0;
}

ssize_t read(int fd, void *p, size_t n)
{
	ssize_t (*real)(int, void *, size_t);
	struct stat st;
	int e =
	    fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) ? -1 : inject("read");

	*(void **)&real = next("read");
	if (e > 0) {
		errno = e;
		return -1;
	}
	return real(fd, p, e == 0 && n > 1 ? 1 : n);
}

ssize_t pread(int fd, void *p, size_t n, off_t at)
{
	ssize_t (*real)(int, void *, size_t, off_t);
	int e = inject("pread");

	*(void **)&real = next("pread");
	if (e > 0) {
		errno = e;
		return -1;
	}
	return real(fd, p, e == 0 && n > 1 ? 1 : n, at);
}

ssize_t write(int fd, const void *p, size_t n)
{
	ssize_t (*real)(int, const void *, size_t);
	int e = inject("write");

	*(void **)&real = next("write");
	if (e == -2) {
		(void)!real(fd, p, n / 2);
		die();
	}
	if (e > 0) {
		errno = e;
		return -1;
	}
	return real(fd, p, e == 0 && n > 1 ? 1 : n);
}

int fsync(int fd)
{
	int (*real)(int);

	*(void **)&real = next("fsync");
	return fails("fsync") ? -1 : real(fd);
}

int close(int fd)
{
	int (*real)(int), flags = fcntl(fd, F_GETFL), r;
	bool bad =
	    flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fails("close");
	int e = errno;

	*(void **)&real = next("close");
	r = real(fd);
	if (bad)
		errno = e;
	return bad ? -1 : r;
}

int rename(const char *from, const char *to)
{
	int (*real)(const char *, const char *);

	*(void **)&real = next("rename");
	return fails("rename") ? -1 : real(from, to);
}

int linkat(int d, const char *from, int d2, const char *to, int flags)
{
	int (*real)(int, const char *, int, const char *, int);

	*(void **)&real = next("linkat");
	return fails("linkat") ? -1 : real(d, from, d2, to, flags);
}

int open(const char *path, int flags, ...)
{
	int (*real)(const char *, int, ...);
	bool tmp = (flags & O_TMPFILE) == O_TMPFILE;
	mode_t mode = 0;
	va_list ap;

	if ((flags & O_CREAT) || tmp) {
		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		va_end(ap);
	}
	*(void **)&real = next("open");
	if ((tmp && fails("tmpfile")) ||
	    (strncmp(path, "/dev/", 5) != 0 && fails("open")))
		return -1;
	return real(path, flags, mode);
}

struct dirent *readdir(DIR *dir)
{
	struct dirent *(*real)(DIR *);

	*(void **)&real = next("readdir");
	return fails("readdir") ? NULL : real(dir);
}

int statvfs(const char *path, struct statvfs *s)
{
	int (*real)(const char *, struct statvfs *), r;

	*(void **)&real = next("statvfs");
	r = real(path, s);
	if (r == 0 && fails("statvfs"))
		s->f_bavail = 0;
	return r;
}

void *mmap(void *p, size_t n, int prot, int flags, int fd, off_t at)
{
	void *(*real)(void *, size_t, int, int, int, off_t);

	*(void **)&real = next("mmap");
	if (fd >= 0 && fails("mmap"))
		return MAP_FAILED;
	return real(p, n, prot, flags, fd, at);
}
