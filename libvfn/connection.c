/* See connection.h. */
#define _GNU_SOURCE
#include "connection.h"

#include "base/clock.h"
#include "base/folders.h"
#include "vfn_codes.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SECOND_NS INT64_C(1000000000)

void vfn_message_put(struct vfn_message *m, size_t offset, size_t length, uint64_t value) {
    for (size_t i = 0; i < length; i++) m->bytes[offset + i] = (uint8_t)(value >> (8 * i));
}

uint64_t vfn_message_get(const struct vfn_message *m, size_t offset, size_t length) {
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) value |= (uint64_t)m->bytes[offset + i] << (8 * i);
    return value;
}

void vfn_message_clear(struct vfn_message *m, int operation) {
    memset(m, 0, sizeof *m);
    vfn_message_put(m, VFN_F_VERSION, VFN_PROTOCOL);
    vfn_message_put(m, VFN_F_OPERATION, (uint64_t)operation);
}

void vfn_name_host(struct vfn_message *m, int host) {
    vfn_message_put(m, VFN_F_KIND, VFN_PEER_HOST);
    vfn_message_put(m, VFN_F_PEER, (uint64_t)host);
}

const char *vfn_text(int code) {
    switch (code) {
    case VFN_SUCCESS: return "done";
    case VFN_ERR_NOT_INIT: return "VFN_InitMPI has not been called, or VFN_FinalizeMPI has";
    case VFN_ERR_ALREADY: return "VFN_InitMPI has been called already";
    case VFN_ERR_MPI: return "MPI is not initialised, or finalised already, or one of its calls failed";
    case VFN_ERR_COMM: return "an intercommunicator cannot be used, since its processes have no common ranks: merge it"
                              " by MPI_Intercomm_merge first";
    case VFN_ERR_NO_MANAGER: return "no network manager answers on this host: start one with hxb manager";
    case VFN_ERR_PLAN: return "the network managers of two ranks have different plans";
    case VFN_ERR_OTHER_RANK: return "it failed on another rank";
    case VFN_ERR_RANK: return "there is no such rank, or the two are the same";
    case VFN_ERR_VID: return "the VID is not one of the plan";
    case VFN_ERR_NOT_HERE: return "neither of the two ranks is on this host";
    case VFN_ERR_NOT_ALLOWED: return "this user may read paths but not change them (hxb manager --allow)";
    case VFN_ERR_LIMIT: return "a limit of the network manager has been reached";
    case VFN_ERR_TIMEOUT: return "the network manager has not answered in time";
    case VFN_ERR_PROTOCOL: return "the network manager uses another version of the protocol: update the older side";
    case VFN_ERR_ARGUMENT: return "an argument is a null pointer, or a negative count";
    case VFN_ERR_OPTIMISER: return "the network manager computes no paths: it was started without a plan of switches";
    case VFN_ERR_MEMORY: return "there is not enough memory";
    default: return "unknown code of VFN";
    }
}

int vfn_fail(struct vfn_manager *m, int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m->why, sizeof m->why, format, arguments);
    va_end(arguments);
    return code;
}

int vfn_refused(struct vfn_manager *m, int status) {
    switch (status) {
    case VFN_ST_NO_SUCH_VID: return vfn_fail(m, VFN_ERR_VID, "%s", vfn_text(VFN_ERR_VID));
    case VFN_ST_NOT_ALLOWED: return vfn_fail(m, VFN_ERR_NOT_ALLOWED, "%s", vfn_text(VFN_ERR_NOT_ALLOWED));
    case VFN_ST_LIMIT: return vfn_fail(m, VFN_ERR_LIMIT, "%s", vfn_text(VFN_ERR_LIMIT));
    case VFN_ST_NO_PLAN: return vfn_fail(m, VFN_ERR_OPTIMISER, "%s", vfn_text(VFN_ERR_OPTIMISER));
    case VFN_ST_VERSION: return vfn_fail(m, VFN_ERR_PROTOCOL, "%s", vfn_text(VFN_ERR_PROTOCOL));
    default: return vfn_fail(m, VFN_ERR_PROTOCOL, "the network manager at %s answered with status %d", m->path, status);
    }
}

/* ---- the socket ---- */

void vfn_disconnect(struct vfn_manager *m) {
    if (m->fd >= 0) close(m->fd);
    m->fd = -1;
}

static int lost(struct vfn_manager *m, const char *what) {
    int code = vfn_fail(m, VFN_ERR_NO_MANAGER, "the network manager at %s: %s; it may have ended", m->path, what);
    vfn_disconnect(m);
    return code;
}

/* Waits until the socket is ready. */
static int await(struct vfn_manager *m, short events, int64_t deadline) {
    for (;;) {
        int64_t left = deadline - now_ns();
        if (left <= 0) {
            int code = vfn_fail(m, VFN_ERR_TIMEOUT, "the network manager at %s has not answered within %lld ms", m->path,
                            (long long)(m->limit_ns / 1000000));
            /* An answer that comes later would be taken for that of another request. */
            vfn_disconnect(m);
            return code;
        }
        struct pollfd ready = {.fd = m->fd, .events = events};
        int count = poll(&ready, 1, (int)(left / 1000000 + 1));
        if (count > 0) return VFN_SUCCESS;
        if (count < 0 && errno != EINTR) return lost(m, strerror(errno));
    }
}

static int send_all(struct vfn_manager *m, const uint8_t *bytes, size_t length, int64_t deadline) {
    while (length > 0) {
        ssize_t sent = send(m->fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            bytes += sent;
            length -= (size_t)sent;
        } else if (errno == EAGAIN) {
            int code = await(m, POLLOUT, deadline);
            if (code != VFN_SUCCESS) return code;
        } else if (errno != EINTR) {
            return lost(m, strerror(errno));
        }
    }
    return VFN_SUCCESS;
}

static int receive_all(struct vfn_manager *m, uint8_t *bytes, size_t length, int64_t start) {
    int64_t spin_until = start + m->spin_ns;
    while (length > 0) {
        /* At first without waiting only if it spins: a look that finds nothing costs as much as one that waits. */
        int spins = m->spin_ns > 0 && now_ns() - spin_until < 0;
        ssize_t got = recv(m->fd, bytes, length, spins ? MSG_DONTWAIT : 0);
        if (got > 0) {
            bytes += got;
            length -= (size_t)got;
        } else if (got == 0) {
            return lost(m, "the connection has ended");
        } else if (errno == EAGAIN && !spins) {
            return await(m, POLLIN, start);
        } else if (errno != EAGAIN && errno != EINTR) {
            return lost(m, strerror(errno));
        }
    }
    return VFN_SUCCESS;
}

static int check_reply(struct vfn_manager *m, const struct vfn_message *request, const struct vfn_message *reply) {
    if (vfn_message_get(reply, VFN_F_VERSION) != VFN_PROTOCOL ||
        vfn_message_get(reply, VFN_F_OPERATION) != (vfn_message_get(request, VFN_F_OPERATION) | VFN_REPLY) ||
        vfn_message_get(reply, VFN_F_TAG) != vfn_message_get(request, VFN_F_TAG)) {
        int code = vfn_fail(m, VFN_ERR_PROTOCOL, "%s did not answer as a network manager does", m->path);
        vfn_disconnect(m);
        return code;
    }
    return VFN_SUCCESS;
}

/* Sends a request and overwrites it with the reply; the status is for the caller. */
int vfn_exchange(struct vfn_manager *m, struct vfn_message *message) {
    struct vfn_message reply;
    vfn_message_put(message, VFN_F_TAG, ++m->tag);
    int64_t start = now_ns();
    int code = send_all(m, message->bytes, sizeof message->bytes, start + m->limit_ns);
    if (code == VFN_SUCCESS) code = receive_all(m, reply.bytes, sizeof reply.bytes, start);
    if (code == VFN_SUCCESS) code = check_reply(m, message, &reply);
    if (code == VFN_SUCCESS) *message = reply;
    return code;
}

/* Sends a list of requests, several at once, and hands over their replies. */
int vfn_exchange_list(struct vfn_manager *m, int count, vfn_request_fn request, vfn_reply_fn reply, void *context) {
    struct vfn_message requests[WINDOW], replies[WINDOW];
    int result = VFN_SUCCESS;
    for (int first = 0; first < count; first += WINDOW) {
        int part = count - first < WINDOW ? count - first : WINDOW;
        int64_t start = now_ns();
        for (int i = 0; i < part; i++) {
            request(context, first + i, &requests[i]);
            vfn_message_put(&requests[i], VFN_F_TAG, ++m->tag);
        }
        size_t length = (size_t)part * VFN_MESSAGE_BYTES;
        int code = send_all(m, requests[0].bytes, length, start + m->limit_ns);
        if (code == VFN_SUCCESS) code = receive_all(m, replies[0].bytes, length, start);
        if (code != VFN_SUCCESS) return code;
        for (int i = 0; i < part; i++) {
            code = check_reply(m, &requests[i], &replies[i]);
            if (code != VFN_SUCCESS) return code;
            code = reply(context, first + i, &replies[i]);
            if (result == VFN_SUCCESS) result = code;
        }
    }
    return result;
}

/* ---- where it is ---- */

int vfn_connect_to(struct vfn_manager *m, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        return vfn_fail(m, VFN_ERR_NO_MANAGER, "the path of the manager's socket is longer than %zu bytes: %s",
                    sizeof address.sun_path - 1, path);
    }
    snprintf(m->path, sizeof m->path, "%s", path);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    m->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (m->fd < 0 || connect(m->fd, (struct sockaddr *)&address, sizeof address) != 0) {
        int code = vfn_fail(m, VFN_ERR_NO_MANAGER, "no network manager answers at %s (%s): start one with hxb manager", path,
                        strerror(errno));
        vfn_disconnect(m);
        return code;
    }
    struct timeval limit = {.tv_sec = m->limit_ns / SECOND_NS, .tv_usec = m->limit_ns % SECOND_NS / 1000};
    setsockopt(m->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return VFN_SUCCESS;
}

/* The manager of the first of these folders that has one; the error is that of the first folder, where one
 * should be. */
int vfn_connect(struct vfn_manager *m) {
    const char *named = getenv("VFN_MANAGER");
    if (named && *named) return vfn_connect_to(m, named);
    struct run_folders folders;
    find_run_folders(&folders);
    char own[sizeof m->why] = "";
    for (int i = 0; i < folders.count; i++) {
        if (!may_look_into(&folders, i)) continue;
        char path[sizeof m->path];
        if (snprintf(path, sizeof path, "%s/manager.sock", folders.at[i]) >= (int)sizeof path) continue;
        if (access(path, F_OK) != 0 && i > 0) continue;
        if (vfn_connect_to(m, path) == VFN_SUCCESS) return VFN_SUCCESS;
        if (!own[0]) snprintf(own, sizeof own, "%s", m->why);
    }
    return vfn_fail(m, VFN_ERR_NO_MANAGER, "%s", own);
}
