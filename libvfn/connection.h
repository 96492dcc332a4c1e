/*
 * Messages to the network manager of this host and back, over its Unix socket. Used by manager.c alone. Functions
 * return a code of vfn.h, and put the reason of a failure into why.
 */
#ifndef VFN_CONNECTION_H
#define VFN_CONNECTION_H

#include "manager.h"

/* Requests without an answer: few enough for the socket buffers of both sides. */
#define WINDOW 128

/* The request of a list by its index. */
typedef void (*vfn_request_fn)(void *context, int index, struct vfn_message *request);
/* Its reply; a code other than VFN_SUCCESS is that of the whole list. */
typedef int (*vfn_reply_fn)(void *context, int index, const struct vfn_message *reply);

/* Connects to the manager whose socket VFN_MANAGER names, or otherwise to the one in a folder where hxb looks. */
int vfn_connect(struct vfn_manager *m);
int vfn_connect_to(struct vfn_manager *m, const char *path);
void vfn_disconnect(struct vfn_manager *m);

/* Sends a request and overwrites it with the reply; the status is for the caller. */
int vfn_exchange(struct vfn_manager *m, struct vfn_message *message);

/* Sends a list of requests, several at once, and hands over their replies. */
int vfn_exchange_list(struct vfn_manager *m, int count, vfn_request_fn request, vfn_reply_fn reply, void *context);

/* The request is about a host. */
void vfn_name_host(struct vfn_message *m, int host);

/* Notes the reason, and returns the code. */
int vfn_fail(struct vfn_manager *m, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The manager has answered with a status other than OK. */
int vfn_refused(struct vfn_manager *m, int status);

#endif
