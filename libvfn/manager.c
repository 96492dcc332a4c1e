/* See manager.h. */
#define _GNU_SOURCE
#include "manager.h"

#include "vfn_codes.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Requests without an answer: few enough for the socket buffers of both sides. */
#define WINDOW 128
#define SECOND_NS INT64_C(1000000000)
#define DEFAULT_LIMIT_MS 5000
#define MAX_PLAN_VIDS 4094
/* Of 262,144 that a manager keeps for all its sessions. */
#define MAX_DEMANDS 131072

/* The request of a list by its index. */
typedef void (*request_fn)(void *context, int index, struct vfn_message *request);
/* Its reply; a code other than VFN_SUCCESS is that of the whole list. */
typedef int (*reply_fn)(void *context, int index, const struct vfn_message *reply);

int64_t vfn_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

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

static void name_host(struct vfn_message *m, int host) {
    vfn_message_put(m, VFN_F_KIND, VFN_PEER_HOST);
    vfn_message_put(m, VFN_F_PEER, (uint64_t)host);
}

const char *vfn_text(int code) {
    switch (code) {
    case VFN_SUCCESS: return "done";
    case VFN_ERR_NOT_INIT: return "VFN_InitMPI has not been called, or VFN_FinalizeMPI has";
    case VFN_ERR_ALREADY: return "VFN_InitMPI has been called already";
    case VFN_ERR_MPI: return "MPI is not initialised, or finalised already, or one of its calls failed";
    case VFN_ERR_COMM: return "this is no communicator whose processes can be counted from 0: intercommunicators must be"
                              " merged first";
    case VFN_ERR_NO_MANAGER: return "no network manager answers on this host: start one with hxb manager";
    case VFN_ERR_PLAN: return "the network managers of two ranks have different plans";
    case VFN_ERR_OTHER_RANK: return "it failed on another rank";
    case VFN_ERR_RANK: return "there is no such rank, or the two are the same";
    case VFN_ERR_VID: return "the VID is not one of the plan";
    case VFN_ERR_NOT_HERE: return "neither of the two ranks is on this host";
    case VFN_ERR_NOT_ALLOWED: return "this user may read paths but not change them (hxb manager --allow)";
    case VFN_ERR_LIMIT: return "a limit of the network manager has been reached";
    case VFN_ERR_TIMEOUT: return "the network manager has not answered in time";
    case VFN_ERR_PROTOCOL: return "the network manager speaks another version of the protocol: update the older side";
    case VFN_ERR_ARGUMENT: return "an argument is a null pointer, or a negative count";
    case VFN_ERR_OPTIMISER: return "the network manager computes no paths: it was started without a plan of switches";
    case VFN_ERR_MEMORY: return "there is not enough memory";
    default: return "unknown code of VFN";
    }
}

static int fail(struct vfn_manager *m, int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m->why, sizeof m->why, format, arguments);
    va_end(arguments);
    return code;
}

static int refused(struct vfn_manager *m, int status) {
    switch (status) {
    case VFN_ST_NO_SUCH_VID: return fail(m, VFN_ERR_VID, "%s", vfn_text(VFN_ERR_VID));
    case VFN_ST_NOT_ALLOWED: return fail(m, VFN_ERR_NOT_ALLOWED, "%s", vfn_text(VFN_ERR_NOT_ALLOWED));
    case VFN_ST_LIMIT: return fail(m, VFN_ERR_LIMIT, "%s", vfn_text(VFN_ERR_LIMIT));
    case VFN_ST_NO_PLAN: return fail(m, VFN_ERR_OPTIMISER, "%s", vfn_text(VFN_ERR_OPTIMISER));
    case VFN_ST_VERSION: return fail(m, VFN_ERR_PROTOCOL, "%s", vfn_text(VFN_ERR_PROTOCOL));
    default: return fail(m, VFN_ERR_PROTOCOL, "the network manager at %s answered with status %d", m->path, status);
    }
}

/* ---- the socket ---- */

static void disconnect(struct vfn_manager *m) {
    if (m->fd >= 0) close(m->fd);
    m->fd = -1;
}

static int lost(struct vfn_manager *m, const char *what) {
    int code = fail(m, VFN_ERR_NO_MANAGER, "the network manager at %s: %s; it may have ended", m->path, what);
    disconnect(m);
    return code;
}

/* Waits until the socket is ready. */
static int await(struct vfn_manager *m, short events, int64_t deadline) {
    for (;;) {
        int64_t left = deadline - vfn_now_ns();
        if (left <= 0) {
            int code = fail(m, VFN_ERR_TIMEOUT, "the network manager at %s has not answered within %lld ms", m->path,
                            (long long)(m->limit_ns / 1000000));
            /* An answer that comes later would be taken for that of another request. */
            disconnect(m);
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
        int spins = m->spin_ns > 0 && vfn_now_ns() - spin_until < 0;
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
        int code = fail(m, VFN_ERR_PROTOCOL, "%s did not answer as a network manager does", m->path);
        disconnect(m);
        return code;
    }
    return VFN_SUCCESS;
}

/* Sends a request and overwrites it with the reply; the status is for the caller. */
static int exchange(struct vfn_manager *m, struct vfn_message *message) {
    struct vfn_message reply;
    vfn_message_put(message, VFN_F_TAG, ++m->tag);
    int64_t start = vfn_now_ns();
    int code = send_all(m, message->bytes, sizeof message->bytes, start + m->limit_ns);
    if (code == VFN_SUCCESS) code = receive_all(m, reply.bytes, sizeof reply.bytes, start);
    if (code == VFN_SUCCESS) code = check_reply(m, message, &reply);
    if (code == VFN_SUCCESS) *message = reply;
    return code;
}

/* Sends a list of requests, several at once, and hands over their replies. */
static int exchange_list(struct vfn_manager *m, int count, request_fn request, reply_fn reply, void *context) {
    struct vfn_message requests[WINDOW], replies[WINDOW];
    int result = VFN_SUCCESS;
    for (int first = 0; first < count; first += WINDOW) {
        int part = count - first < WINDOW ? count - first : WINDOW;
        int64_t start = vfn_now_ns();
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

/* ---- the beginning ---- */

static int connect_to(struct vfn_manager *m, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        return fail(m, VFN_ERR_NO_MANAGER, "the path of the manager's socket is longer than %zu bytes: %s",
                    sizeof address.sun_path - 1, path);
    }
    snprintf(m->path, sizeof m->path, "%s", path);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    m->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (m->fd < 0 || connect(m->fd, (struct sockaddr *)&address, sizeof address) != 0) {
        int code = fail(m, VFN_ERR_NO_MANAGER, "no network manager answers at %s (%s): start one with hxb manager", path,
                        strerror(errno));
        disconnect(m);
        return code;
    }
    struct timeval limit = {.tv_sec = m->limit_ns / SECOND_NS, .tv_usec = m->limit_ns % SECOND_NS / 1000};
    setsockopt(m->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return VFN_SUCCESS;
}

/* True for a folder that nobody else could have made or written. */
static int is_private(const char *folder) {
    struct stat status;
    return lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 077) == 0;
}

/* The folders of io.hxb.pm.attach.RunFolders, in its order. */
static int find_and_connect(struct vfn_manager *m) {
    const char *named = getenv("VFN_MANAGER");
    if (named && *named) return connect_to(m, named);
    char folders[4][256] = {"", "/run/hxb", "", ""};
    const char *run = getenv("HXB_RUN");
    if (run && *run) snprintf(folders[0], sizeof folders[0], "%s", run);
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    if (runtime && *runtime) snprintf(folders[2], sizeof folders[2], "%s/hxb", runtime);
    const struct passwd *user = getpwuid(geteuid());
    if (user) snprintf(folders[3], sizeof folders[3], "/tmp/hxb-%s", user->pw_name);
    char own[sizeof m->why] = "";
    for (int i = 0; i < 4; i++) {
        if (!folders[i][0] || (i > 1 && !is_private(folders[i]))) continue;
        char path[300];
        if (snprintf(path, sizeof path, "%s/manager.sock", folders[i]) >= (int)sizeof path) continue;
        if (access(path, F_OK) != 0 && i != (run && *run ? 0 : 1)) continue;
        if (connect_to(m, path) == VFN_SUCCESS) return VFN_SUCCESS;
        if (!own[0]) snprintf(own, sizeof own, "%s", m->why);
    }
    return fail(m, VFN_ERR_NO_MANAGER, "%s", own);
}

static int hello(struct vfn_manager *m) {
    struct vfn_message message;
    vfn_message_clear(&message, VFN_OP_HELLO);
    int code = exchange(m, &message);
    if (code != VFN_SUCCESS) return code;
    int status = (int)vfn_message_get(&message, VFN_F_STATUS);
    if (status != VFN_ST_OK) return refused(m, status);
    uint64_t hosts = vfn_message_get(&message, VFN_F_VALUE1), vids = vfn_message_get(&message, VFN_F_VALUE2);
    m->plan = vfn_message_get(&message, VFN_F_PLAN);
    m->host = (int)vfn_message_get(&message, VFN_F_INDEX);
    if (hosts == 0 || hosts > VFN_MAX_HOSTS || vids > MAX_PLAN_VIDS || m->host < 0 || (uint64_t)m->host >= hosts) {
        return fail(m, VFN_ERR_PROTOCOL, "the network manager at %s has a plan of %llu hosts and %llu VIDs", m->path,
                    (unsigned long long)hosts, (unsigned long long)vids);
    }
    m->hosts = (int)hosts;
    m->vid_count = (int)vids;
    return VFN_SUCCESS;
}

static void ask_vid(void *context, int index, struct vfn_message *request) {
    (void)context;
    vfn_message_clear(request, VFN_OP_VID_TRAFFIC);
    vfn_message_put(request, VFN_F_INDEX, (uint64_t)index);
}

static int take_vid(void *context, int index, const struct vfn_message *reply) {
    struct vfn_manager *m = context;
    m->vids[index] = (uint16_t)vfn_message_get(reply, VFN_F_VID);
    int status = (int)vfn_message_get(reply, VFN_F_STATUS);
    return status == VFN_ST_OK ? VFN_SUCCESS : refused(m, status);
}

static int64_t environment(const char *name, int64_t otherwise, int64_t max) {
    const char *text = getenv(name);
    if (!text || !*text) return otherwise;
    char *end;
    long long value = strtoll(text, &end, 10);
    return *end || value < 0 || value > max ? otherwise : value;
}

static void forget(struct vfn_manager *m) {
    free(m->vids);
    free(m->claims);
    free(m->sent);
    m->vids = m->claims = NULL;
    m->sent = NULL;
}

int vfn_open(struct vfn_manager *m) {
    memset(m, 0, sizeof *m);
    m->fd = -1;
    m->spin_ns = environment("VFN_SPIN_US", 0, 1000000) * 1000;
    m->limit_ns = environment("VFN_TIMEOUT_MS", DEFAULT_LIMIT_MS, 3600000) * 1000000;
    if (m->limit_ns == 0) m->limit_ns = 1000000;
    int code = find_and_connect(m);
    if (code == VFN_SUCCESS) code = hello(m);
    if (code == VFN_SUCCESS) {
        m->vids = calloc((size_t)m->vid_count + 1, sizeof *m->vids);
        m->claims = calloc((size_t)m->hosts, sizeof *m->claims);
        m->sent = calloc((size_t)m->hosts, sizeof *m->sent);
        if (!m->vids || !m->claims || !m->sent) code = fail(m, VFN_ERR_MEMORY, "%s", vfn_text(VFN_ERR_MEMORY));
    }
    if (code == VFN_SUCCESS) code = exchange_list(m, m->vid_count, ask_vid, take_vid, m);
    if (code != VFN_SUCCESS) vfn_abandon(m);
    return code;
}

void vfn_abandon(struct vfn_manager *m) {
    disconnect(m);
    forget(m);
}

int vfn_close(struct vfn_manager *m) {
    int code = m->fd >= 0 && m->claim_count > 0 ? vfn_reset_all(m) : VFN_SUCCESS;
    /* Without a connection the manager, or the kernel in its place, has undone everything already. */
    if (m->fd < 0) code = VFN_SUCCESS;
    vfn_abandon(m);
    return code;
}

int vfn_is_planned(const struct vfn_manager *m, int vid) {
    for (int i = 0; i < m->vid_count; i++) {
        if (m->vids[i] == vid) return 1;
    }
    return 0;
}

/* ---- changes ---- */

static void claim(struct vfn_manager *m, int host, int vid) {
    m->claim_count += (vid != 0) - (m->claims[host] != 0);
    m->claims[host] = (uint16_t)vid;
}

static void change(struct vfn_message *request, int host, int vid) {
    vfn_message_clear(request, vid ? VFN_OP_SET : VFN_OP_RESET);
    vfn_message_put(request, VFN_F_VID, (uint64_t)vid);
    name_host(request, host);
}

struct batch {
    struct vfn_manager *manager;
    int count;
    const int32_t *hosts;
    const int32_t *vids;
};

static void ask_batch(void *context, int index, struct vfn_message *request) {
    struct batch *batch = context;
    if (index == 0) vfn_message_clear(request, VFN_OP_BEGIN);
    else if (index == batch->count + 1) vfn_message_clear(request, VFN_OP_END);
    else change(request, batch->hosts[index - 1], batch->vids[index - 1]);
}

static int take_batch(void *context, int index, const struct vfn_message *reply) {
    struct batch *batch = context;
    (void)index;
    int status = (int)vfn_message_get(reply, VFN_F_STATUS);
    /* The change that failed has said why. */
    if (status == VFN_ST_BATCH_FAILED) return VFN_ERR_PROTOCOL;
    return status == VFN_ST_OK ? VFN_SUCCESS : refused(batch->manager, status);
}

static int send_batch(struct vfn_manager *m, int count, const int32_t *hosts, const int32_t *vids) {
    struct batch batch = {.manager = m, .count = count, .hosts = hosts, .vids = vids};
    return exchange_list(m, count + 2, ask_batch, take_batch, &batch);
}

/* What this session had set is set again with the manager that has come in place of the one that ended. */
static int restore(struct vfn_manager *m) {
    int32_t *hosts = malloc(2 * (size_t)(m->claim_count + 1) * sizeof *hosts);
    if (!hosts) return fail(m, VFN_ERR_MEMORY, "%s", vfn_text(VFN_ERR_MEMORY));
    int32_t *vids = hosts + m->claim_count + 1;
    int count = 0;
    for (int host = 0; host < m->hosts; host++) {
        if (m->claims[host]) {
            hosts[count] = host;
            vids[count++] = m->claims[host];
        }
    }
    int code = count > 0 ? send_batch(m, count, hosts, vids) : VFN_SUCCESS;
    free(hosts);
    return code;
}

/* A manager that was started again begins without the changes of this session; one of another plan is of no use. */
static int reconnect(struct vfn_manager *m) {
    int host = m->host, hosts = m->hosts, vids = m->vid_count;
    uint64_t plan = m->plan;
    char path[sizeof m->path];
    memcpy(path, m->path, sizeof path);
    int code = connect_to(m, path);
    if (code == VFN_SUCCESS) code = hello(m);
    int is_same = m->host == host && m->hosts == hosts && m->plan == plan && m->vid_count == vids;
    m->host = host;
    m->hosts = hosts;
    m->plan = plan;
    m->vid_count = vids;
    if (code == VFN_SUCCESS && !is_same) {
        code = fail(m, VFN_ERR_PLAN, "the network manager at %s was started again with another plan", path);
    }
    if (code == VFN_SUCCESS) {
        /* It counts from 0 again. */
        memset(m->sent, 0, (size_t)hosts * sizeof *m->sent);
        code = restore(m);
    }
    if (code != VFN_SUCCESS) disconnect(m);
    return code;
}

static int is_lost(const struct vfn_manager *m, int code) { return code != VFN_SUCCESS && m->fd < 0; }

static int ensure(struct vfn_manager *m) { return m->fd >= 0 ? VFN_SUCCESS : reconnect(m); }

static int try_set(struct vfn_manager *m, int host, int vid) {
    struct vfn_message message;
    int code = ensure(m);
    if (code != VFN_SUCCESS) return code;
    change(&message, host, vid);
    code = exchange(m, &message);
    if (code != VFN_SUCCESS) return code;
    int status = (int)vfn_message_get(&message, VFN_F_STATUS);
    return status == VFN_ST_OK ? VFN_SUCCESS : refused(m, status);
}

int vfn_set(struct vfn_manager *m, int host, int vid) {
    int code = try_set(m, host, vid);
    if (is_lost(m, code) && code == VFN_ERR_NO_MANAGER) code = try_set(m, host, vid);
    if (code == VFN_SUCCESS) claim(m, host, vid);
    return code;
}

int vfn_set_all(struct vfn_manager *m, int count, const int32_t *hosts, const int32_t *vids) {
    int code = ensure(m);
    if (code == VFN_SUCCESS) code = send_batch(m, count, hosts, vids);
    if (is_lost(m, code) && code == VFN_ERR_NO_MANAGER && (code = ensure(m)) == VFN_SUCCESS) {
        code = send_batch(m, count, hosts, vids);
    }
    for (int i = 0; code == VFN_SUCCESS && i < count; i++) claim(m, hosts[i], vids[i]);
    return code;
}

int vfn_reset_all(struct vfn_manager *m) {
    struct vfn_message message;
    memset(m->claims, 0, (size_t)m->hosts * sizeof *m->claims);
    m->claim_count = 0;
    if (m->fd < 0) return VFN_SUCCESS;
    vfn_message_clear(&message, VFN_OP_RESET_ALL);
    int code = exchange(m, &message);
    if (code != VFN_SUCCESS) return is_lost(m, code) ? VFN_SUCCESS : code;
    int status = (int)vfn_message_get(&message, VFN_F_STATUS);
    return status == VFN_ST_OK ? VFN_SUCCESS : refused(m, status);
}

int vfn_get(struct vfn_manager *m, int host, int *vid) {
    struct vfn_message message;
    int code = VFN_SUCCESS;
    for (int tries = 0; tries < 2; tries++) {
        code = ensure(m);
        if (code != VFN_SUCCESS) return code;
        vfn_message_clear(&message, VFN_OP_GET);
        name_host(&message, host);
        code = exchange(m, &message);
        if (!is_lost(m, code) || code != VFN_ERR_NO_MANAGER) break;
    }
    if (code != VFN_SUCCESS) return code;
    int status = (int)vfn_message_get(&message, VFN_F_STATUS);
    if (status != VFN_ST_OK) return refused(m, status);
    *vid = (int)vfn_message_get(&message, VFN_F_VID);
    return VFN_SUCCESS;
}

/* ---- traffic and its best paths ---- */

struct reading {
    struct vfn_manager *manager;
    const int32_t *hosts;
    uint64_t *bytes;
};

static void ask_traffic(void *context, int index, struct vfn_message *request) {
    struct reading *reading = context;
    vfn_message_clear(request, VFN_OP_TRAFFIC);
    vfn_message_put(request, VFN_F_INDEX, (uint64_t)reading->hosts[index]);
}

static int take_traffic(void *context, int index, const struct vfn_message *reply) {
    struct reading *reading = context;
    int host = reading->hosts[index], status = (int)vfn_message_get(reply, VFN_F_STATUS);
    if (status != VFN_ST_OK && status != VFN_ST_END_OF_LIST) return refused(reading->manager, status);
    /* The manager answers with the next host to which anything was sent. */
    int has = status == VFN_ST_OK && (int)vfn_message_get(reply, VFN_F_INDEX) == host;
    uint64_t now = has ? vfn_message_get(reply, VFN_F_VALUE0) : 0, *sent = &reading->manager->sent[host];
    if (reading->bytes) reading->bytes[index] = now < *sent ? now : now - *sent;
    *sent = now;
    return VFN_SUCCESS;
}

int vfn_traffic(struct vfn_manager *m, int count, const int32_t *hosts, uint64_t *bytes) {
    struct reading reading = {.manager = m, .hosts = hosts, .bytes = bytes};
    int code = ensure(m);
    if (code == VFN_SUCCESS) code = exchange_list(m, count, ask_traffic, take_traffic, &reading);
    if (is_lost(m, code) && code == VFN_ERR_NO_MANAGER && (code = ensure(m)) == VFN_SUCCESS) {
        code = exchange_list(m, count, ask_traffic, take_traffic, &reading);
    }
    return code;
}

struct demand {
    int32_t from;
    int32_t to;
    uint64_t bytes;
};

struct demands {
    struct vfn_manager *manager;
    const struct demand *list;
};

static void ask_demand(void *context, int index, struct vfn_message *request) {
    const struct demand *demand = &((struct demands *)context)->list[index];
    vfn_message_clear(request, VFN_OP_DEMAND);
    vfn_message_put(request, VFN_F_INDEX, (uint64_t)demand->from);
    name_host(request, demand->to);
    vfn_message_put(request, VFN_F_VALUE0, demand->bytes);
}

static int take_demand(void *context, int index, const struct vfn_message *reply) {
    (void)index;
    int status = (int)vfn_message_get(reply, VFN_F_STATUS);
    return status == VFN_ST_OK ? VFN_SUCCESS : refused(((struct demands *)context)->manager, status);
}

/* The amounts above a threshold, few enough for the manager; those that are left out load no link. */
static size_t list_demands(int count, const int32_t *hosts, const uint64_t *bytes, uint64_t above, struct demand *list) {
    size_t size = 0;
    for (int from = 0; from < count; from++) {
        for (int to = 0; to < count; to++) {
            uint64_t amount = bytes[(size_t)from * (size_t)count + (size_t)to];
            if (amount <= above || from == to) continue;
            if (list) list[size] = (struct demand){.from = hosts[from], .to = hosts[to], .bytes = amount};
            size++;
        }
    }
    return size;
}

int vfn_optimise(struct vfn_manager *m, int count, const int32_t *hosts, const uint64_t *bytes) {
    uint64_t above = 0;
    size_t size = list_demands(count, hosts, bytes, above, NULL);
    while (size > MAX_DEMANDS) {
        above = 2 * above + 1;
        size = list_demands(count, hosts, bytes, above, NULL);
    }
    struct demand *list = malloc((size + 1) * sizeof *list);
    if (!list) return fail(m, VFN_ERR_MEMORY, "%s", vfn_text(VFN_ERR_MEMORY));
    list_demands(count, hosts, bytes, above, list);
    struct demands demands = {.manager = m, .list = list};
    int code = ensure(m);
    if (code == VFN_SUCCESS) code = exchange_list(m, (int)size, ask_demand, take_demand, &demands);
    free(list);
    if (m->fd < 0) return code;
    /* Also if a demand was refused: the manager forgets the others with it. */
    struct vfn_message message;
    vfn_message_clear(&message, VFN_OP_OPTIMISE);
    int begun = exchange(m, &message);
    if (code != VFN_SUCCESS || begun != VFN_SUCCESS) return code != VFN_SUCCESS ? code : begun;
    int status = (int)vfn_message_get(&message, VFN_F_STATUS);
    return status == VFN_ST_OK ? VFN_SUCCESS : refused(m, status);
}

struct answers {
    struct vfn_manager *manager;
    struct vfn_choice *list;
    int first;
    int length; /* -1 while it is not known */
};

static void ask_choice(void *context, int index, struct vfn_message *request) {
    vfn_message_clear(request, VFN_OP_CHOICE);
    vfn_message_put(request, VFN_F_INDEX, (uint64_t)(((struct answers *)context)->first + index));
}

static int take_choice(void *context, int index, const struct vfn_message *reply) {
    struct answers *answers = context;
    struct vfn_manager *m = answers->manager;
    int status = (int)vfn_message_get(reply, VFN_F_STATUS), at = answers->first + index;
    if (status == VFN_ST_END_OF_LIST) {
        if (answers->length < 0) answers->length = at;
        return VFN_SUCCESS;
    }
    if (status != VFN_ST_OK) return refused(m, status);
    struct vfn_choice choice = {.low = (int32_t)vfn_message_get(reply, VFN_F_INDEX),
                                .high = (int32_t)vfn_message_get(reply, VFN_F_PEER),
                                .vid = (int32_t)vfn_message_get(reply, VFN_F_VID)};
    if (choice.low < 0 || choice.low >= m->hosts || choice.high < 0 || choice.high >= m->hosts ||
        choice.low == choice.high || !vfn_is_planned(m, choice.vid)) {
        return fail(m, VFN_ERR_PROTOCOL, "the network manager at %s has computed a path that cannot be", m->path);
    }
    answers->list[at] = choice;
    return VFN_SUCCESS;
}

int vfn_choices(struct vfn_manager *m, int *done, int *count, struct vfn_choice **choices, struct vfn_loads *loads) {
    struct vfn_message message;
    *done = 0;
    *count = 0;
    *choices = NULL;
    vfn_message_clear(&message, VFN_OP_CHOICE);
    if (m->fd < 0) return fail(m, VFN_ERR_NO_MANAGER, "the network manager at %s has ended meanwhile", m->path);
    int code = exchange(m, &message);
    if (code != VFN_SUCCESS) return code;
    int status = (int)vfn_message_get(&message, VFN_F_STATUS);
    if (status == VFN_ST_RUNNING) return VFN_SUCCESS;
    if (status != VFN_ST_OK && status != VFN_ST_END_OF_LIST) return refused(m, status);
    *done = 1;
    loads->planned = (double)vfn_message_get(&message, VFN_F_VALUE0);
    loads->chosen = (double)vfn_message_get(&message, VFN_F_VALUE1);
    struct answers answers = {.manager = m, .length = status == VFN_ST_OK ? -1 : 0};
    while (answers.length < 0 && code == VFN_SUCCESS) {
        size_t room = (size_t)answers.first + WINDOW;
        struct vfn_choice *more = realloc(answers.list, room * sizeof *more);
        if (!more) {
            code = fail(m, VFN_ERR_MEMORY, "%s", vfn_text(VFN_ERR_MEMORY));
            break;
        }
        answers.list = more;
        code = exchange_list(m, WINDOW, ask_choice, take_choice, &answers);
        answers.first += WINDOW;
    }
    if (code != VFN_SUCCESS) {
        free(answers.list);
        return code;
    }
    *count = answers.length;
    *choices = answers.list;
    return VFN_SUCCESS;
}
