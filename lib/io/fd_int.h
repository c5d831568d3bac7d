/* SPDX-License-Identifier: MIT */
/* read(2) and write(2) that go on after a signal, and wait where a descriptor
 * that somebody else made non-blocking is not ready. */
#ifndef BT_IO_FD_INT_H
#define BT_IO_FD_INT_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <unistd.h>

/* True if a call that has just failed is to be tried again. */
static inline bool bt_fd_again(int fd, short events)
{
	struct pollfd p = {fd, events, 0};

	if (errno == EINTR)
		return true;
	if (errno != EAGAIN && errno != EWOULDBLOCK)
		return false;
	return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

static inline ssize_t bt_fd_read(int fd, void *p, size_t n)
{
	ssize_t r;

	do
		r = read(fd, p, n);
	while (r < 0 && bt_fd_again(fd, POLLIN));
	return r;
}

static inline ssize_t bt_fd_write(int fd, const void *p, size_t n)
{
	ssize_t r;

	do
		r = write(fd, p, n);
	while (r < 0 && bt_fd_again(fd, POLLOUT));
	return r;
}

#endif
