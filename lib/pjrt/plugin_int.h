/* SPDX-License-Identifier: MIT */
/* A plugin that is loaded, and calls into it. */
#ifndef BT_PJRT_PLUGIN_INT_H
#define BT_PJRT_PLUGIN_INT_H

#include "base/err.h"
#include "pjrt/pjrt_api_int.h"

struct bt_pjrt_lib {
	char *name, *path;
	const char *kind; /* bt_pjrt_kind */
	const struct bt_pjrt_api *api;
	/* Sizes of arguments that the plugin asked for; 0: as we know them. */
	unsigned short sizes[BT_PJRT_FNS];
	unsigned short execute_options;
};

/* Loads the plugin that has that name or path, sets what its library wants in
 * the environment, checks its version and initializes it. beside: it is for
 * devices that need not be here, and other processes may use it at the same
 * time. */
int bt_pjrt_lib_load(struct bt_pjrt_lib *lib, const char *plugin, bool beside,
                     struct bt_error *err) BT_MUST_USE;

/* Frees what is ours; the library itself is never unloaded. */
void bt_pjrt_lib_clear(struct bt_pjrt_lib *lib);

/* Calls a function of the table. args has BT_PJRT_ROOM bytes and is size long
 * in the newest version that we know. An error's text has the plugin's name and
 * the first line of what it says. */
int bt_pjrt_call(struct bt_pjrt_lib *lib, enum bt_pjrt_fn fn, void *args,
                 size_t size, struct bt_error *err) BT_MUST_USE;

/* Execute, of which the options have a size of their own: they, too, have
 * BT_PJRT_ROOM bytes. */
int bt_pjrt_call_execute(struct bt_pjrt_lib *lib,
                         struct bt_pjrt_execute_args *args,
                         struct bt_error *err) BT_MUST_USE;

/* A function that is asked about an object. */
int bt_pjrt_ask_pointer(struct bt_pjrt_lib *lib, enum bt_pjrt_fn fn,
                        void *object, void **value,
                        struct bt_error *err) BT_MUST_USE;
int bt_pjrt_ask_int(struct bt_pjrt_lib *lib, enum bt_pjrt_fn fn, void *object,
                    int *value, struct bt_error *err) BT_MUST_USE;
int bt_pjrt_ask_list(struct bt_pjrt_lib *lib, enum bt_pjrt_fn fn, void *object,
                     const void **values, size_t *n,
                     struct bt_error *err) BT_MUST_USE;

/* The first line of a text; to be freed. */
int bt_pjrt_ask_text(struct bt_pjrt_lib *lib, enum bt_pjrt_fn fn, void *object,
                     char **text, struct bt_error *err) BT_MUST_USE;

/* Gets the value of that name, and of the kind that *value has, among those
 * that an object has; whether there is one. Texts and lists stay the plugin's.
 */
bool bt_pjrt_ask_value(struct bt_pjrt_lib *lib, enum bt_pjrt_fn fn,
                       void *object, const char *name,
                       struct bt_pjrt_value *value);

/* Ends an object; takes NULL. What the plugin says of that is not told. */
void bt_pjrt_end(struct bt_pjrt_lib *lib, enum bt_pjrt_fn fn, void *object);

/* Waits for an event and destroys it; takes NULL. */
int bt_pjrt_await(struct bt_pjrt_lib *lib, struct bt_pjrt_event *event,
                  struct bt_error *err) BT_MUST_USE;

/* An option of a plugin's own, of a kind BT_PJRT_VALUE_... and size 1, whose
 * value is yet to be set. */
struct bt_pjrt_value bt_pjrt_option(const char *name, int kind);

#endif
