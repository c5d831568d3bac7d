/* SPDX-License-Identifier: MIT */
/* Unfinished files that have a name, to be removed if the process has to end.
 */
#ifndef BT_BASE_CLEANUP_H
#define BT_BASE_CLEANUP_H

/* Notes a path; it is borrowed until bt_cleanup_forget. More than there is room
 * for are not noted. For all threads. */
void bt_cleanup_note(const char *path);
void bt_cleanup_forget(const char *path);

/* Removes all files that are noted. Asks for no memory. */
void bt_cleanup_run(void);

#endif
