/* SPDX-License-Identifier: MIT */
#ifndef BT_IO_THREAD_INT_H
#define BT_IO_THREAD_INT_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* Starts a thread. Signals go to the other threads, which know what to do, but
 * for the signal mine, unless that is 0. */
static inline bool bt_io_thread(pthread_t *thread, void *(*run)(void *),
                                void *arg, int mine)
{
	sigset_t set, old;
	bool ok;

	sigfillset(&set);
	if (mine != 0)
		sigdelset(&set, mine);
	if (pthread_sigmask(SIG_SETMASK, &set, &old) != 0)
		return false;
	ok = pthread_create(thread, NULL, run, arg) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ok;
}

#endif
