/* The connection to a node: requests and their answers, as the class AttachMessage draws them. The device's lock is held
 * while something is sent or taken, never while a thread waits: one of those that wait sleeps at the socket and gives
 * each answer to whom it belongs, and the others sleep until it has done so. */
#define _GNU_SOURCE
#include "connection.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define EAGER_LOOKS 256 /* for an answer, each of which makes a system call; then one of LOOKS does */
#define LOOKS 64
#define MAX_LATER 128 /* requests whose answers nobody waits for: all of them fit into a socket */

/* What could not be told yet. */
struct untold {
    struct untold *next;
    int type;
    int64_t value;
};

/* ---- Messages ---- */

static void put_short(struct message *message, int offset, int value) {
    uint16_t bits = (uint16_t)value;
    memcpy(message->bytes + offset, &bits, sizeof bits);
}

static int get_short(const struct message *message, int offset) {
    uint16_t bits;
    memcpy(&bits, message->bytes + offset, sizeof bits);
    return bits;
}

static uint32_t get_word(const struct message *message, int offset) {
    uint32_t bits;
    memcpy(&bits, message->bytes + offset, sizeof bits);
    return bits;
}

static void put_word(struct message *message, int offset, uint32_t value) {
    memcpy(message->bytes + offset, &value, sizeof value);
}

void put_argument(struct message *message, int index, int64_t value) {
    memcpy(message->bytes + HXB_ATTACH_ARGUMENTS + 8 * index, &value, sizeof value);
}

int64_t argument(const struct message *message, int index) {
    int64_t value;
    memcpy(&value, message->bytes + HXB_ATTACH_ARGUMENTS + 8 * index, sizeof value);
    return value;
}

void request(struct message *message, int type) {
    memset(message, 0, sizeof *message);
    put_word(message, 0, HXB_ATTACH_MAGIC);
    put_short(message, HXB_ATTACH_TYPE, type);
}

void close_descriptors(struct message *message) {
    while (message->descriptor_count > 0) {
        descriptor_close(message->descriptors[--message->descriptor_count]);
    }
}

/* Sends; 1 if sent, 0 if the node does not take it now, -1 if it is gone. */
static int send_message(hxb_device *device, struct message *message) {
    put_short(message, HXB_ATTACH_VERSION_OFFSET, device->version);
    put_word(message, HXB_ATTACH_NUMBER, ++device->requests);
    union {
        struct cmsghdr align;
        uint8_t bytes[CMSG_SPACE(sizeof(int) * MAX_DESCRIPTORS)];
    } control;
    memset(&control, 0, sizeof control);
    struct iovec vector = {message->bytes, sizeof message->bytes};
    struct msghdr header = {.msg_iov = &vector, .msg_iovlen = 1};
    if (message->descriptor_count > 0) {
        size_t length = sizeof(int) * (size_t)message->descriptor_count;
        header.msg_control = control.bytes;
        header.msg_controllen = CMSG_SPACE(length);
        struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(length);
        memcpy(CMSG_DATA(rights), message->descriptors, length);
    }
    ssize_t sent;
    do {
        sent = sendmsg(device->socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    return sent >= 0 ? 1 : errno == EAGAIN ? 0 : -1;
}

/* Receives one message with its descriptors: its length; 0 if the node is gone; -1 with errno. */
static ssize_t receive_message(hxb_device *device, struct message *message) {
    union {
        struct cmsghdr align;
        uint8_t bytes[CMSG_SPACE(sizeof(int) * MAX_DESCRIPTORS)];
    } control;
    struct iovec vector = {message->bytes, sizeof message->bytes};
    struct msghdr header = {.msg_iov = &vector,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    memset(message, 0, sizeof *message);
    descriptors_hold();
    ssize_t length = recvmsg(device->socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT | MSG_TRUNC);
    int code = errno;
    for (struct cmsghdr *part = length < 0 ? NULL : CMSG_FIRSTHDR(&header); part != NULL;
         part = CMSG_NXTHDR(&header, part)) {
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS) {
            size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (size_t i = 0; i < count && message->descriptor_count < MAX_DESCRIPTORS; i++) {
                int descriptor;
                memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
                descriptors_add(descriptor);
                message->descriptors[message->descriptor_count++] = descriptor;
            }
        }
    }
    descriptors_release();
    if (length == 0) {
        /* A message without contents looks like the end, but may carry descriptors, too. */
        close_descriptors(message);
    }
    errno = code;
    return length < 0 && (code == ECONNRESET || code == EPIPE) ? 0 : length;
}

/* ---- What went wrong ---- */

static int silent(const hxb_device *device, const char *what) {
    struct ucred peer = {0};
    socklen_t length = sizeof peer;
    getsockopt(device->socket, SOL_SOCKET, SO_PEERCRED, &peer, &length);
    return fail(HXB_E_SILENT, "the node on %s %s: process %d is stopped, hangs, or its machine is overloaded",
                device->path, what, (int)peer.pid);
}

/* The reply to HELLO chooses a version of those that were offered; every later one has it, too. */
static int check_version(hxb_device *device, int version, int type) {
    int oldest = type == HXB_ATTACH_HELLO ? HXB_ATTACH_OLDEST_VERSION : device->version;
    int newest = type == HXB_ATTACH_HELLO ? HXB_ATTACH_VERSION : device->version;
    if (version < oldest || version > newest) {
        return fail(HXB_E_VERSION,
                    "the node on %s speaks version %d of the attach protocol instead of %d, which this library speaks"
                    " (libhxb and the node have to be of one HXB release)",
                    device->path, version, newest);
    }
    if (type == HXB_ATTACH_HELLO) {
        device->version = version;
    }
    return HXB_OK;
}

/* What is wrong with a reply to a request of this type; HXB_OK if nothing is. */
static int check_reply(hxb_device *device, const struct message *message, ssize_t length, int type) {
    if (length != HXB_ATTACH_LENGTH_BYTES) {
        return fail(HXB_E_PROTOCOL, "the node on %s sent a message of %zd bytes instead of %d", device->path, length,
                    HXB_ATTACH_LENGTH_BYTES);
    }
    if (get_word(message, 0) != HXB_ATTACH_MAGIC) {
        return fail(HXB_E_PROTOCOL, "the node on %s sent a message that is not HXB's", device->path);
    }
    int result = check_version(device, get_short(message, HXB_ATTACH_VERSION_OFFSET), type);
    if (result == HXB_OK && get_short(message, HXB_ATTACH_TYPE) != (type | HXB_ATTACH_REPLY)) {
        return fail(HXB_E_PROTOCOL, "the node on %s sent an unexpected reply", device->path);
    }
    return result;
}

static int refused(const hxb_device *device, struct message *message) {
    message->is_refused_for_now = get_word(message, HXB_ATTACH_STATUS) == HXB_ATTACH_REFUSED_FOR_NOW;
    const size_t room = HXB_ATTACH_LENGTH_BYTES - HXB_ATTACH_TEXT;
    size_t length = get_word(message, HXB_ATTACH_TEXT_LENGTH);
    length = length < room ? length : room;
    const char *text = (const char *)message->bytes + HXB_ATTACH_TEXT;
    bool is_version = memmem(text, length, "of the attach protocol", 22) != NULL;
    return fail(is_version ? HXB_E_VERSION : HXB_E_REFUSED, "the node on %s refuses: %.*s", device->path, (int)length,
                text);
}

/* ---- Requests and answers; the lock is held ---- */

/* Sends what could not be told before; false if the node still does not take it. */
static bool tell_untold(hxb_device *device) {
    while (device->untold != NULL) {
        struct untold *first = device->untold;
        struct message message;
        request(&message, first->type);
        put_argument(&message, 0, first->value);
        if (send_message(device, &message) == 0) {
            return false;
        }
        device->untold = first->next;
        free(first);
    }
    return true;
}

static int send_request(hxb_device *device, struct message *message, struct asked *asked) {
    memset(asked, 0, sizeof *asked);
    asked->type = get_short(message, HXB_ATTACH_TYPE);
    int sent = device->is_ending ? -1 : tell_untold(device) ? send_message(device, message) : 0;
    close_descriptors(message);
    if (sent == 0) {
        return silent(device, "does not take requests");
    }
    /* A node that has closed the connection may have said why before. */
    asked->number = device->requests;
    struct asked **at = &device->asked;
    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = asked;
    return HXB_OK;
}

static void forget(hxb_device *device, const struct asked *asked) {
    struct asked **at = &device->asked;
    while (*at != NULL && *at != asked) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = asked->next;
    }
}

/* The answer to a request that was given up: a key that nobody got to know is of no use. */
static void drop(hxb_device *device, struct message *message) {
    close_descriptors(message);
    if (get_short(message, HXB_ATTACH_TYPE) == (HXB_ATTACH_SHARE | HXB_ATTACH_REPLY)
        && get_word(message, HXB_ATTACH_STATUS) == HXB_ATTACH_DONE) {
        struct message revoke;
        request(&revoke, HXB_ATTACH_REVOKE);
        put_argument(&revoke, 0, argument(message, 0));
        send_message(device, &revoke);
    }
}

static void answer(struct asked *asked, ssize_t length) {
    asked->length = length;
    atomic_store_explicit(&asked->is_answered, true, memory_order_release);
}

/* Takes all that has come; each request is answered with it, or with the end. */
static void take_answers(hxb_device *device) {
    for (;;) {
        struct message message;
        ssize_t length = receive_message(device, &message);
        if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        }
        if (length <= 0) {
            for (struct asked *asked = device->asked; asked != NULL; asked = asked->next) {
                answer(asked, 0);
            }
            device->asked = NULL;
            return;
        }
        bool is_ours = length == HXB_ATTACH_LENGTH_BYTES && get_word(&message, 0) == HXB_ATTACH_MAGIC;
        struct asked *asked = device->asked; /* to which what is no message of ours is an answer */
        while (is_ours && asked != NULL && asked->number != get_word(&message, HXB_ATTACH_NUMBER)) {
            asked = asked->next;
        }
        if (asked == NULL) {
            drop(device, &message);
        } else {
            asked->message = message;
            forget(device, asked);
            answer(asked, length);
        }
    }
}

static bool has_answer(const struct asked *asked) {
    return atomic_load_explicit(&asked->is_answered, memory_order_acquire);
}

/* Lets another thread go on that waits for an answer: this one no longer reads for it. */
static void read_once(hxb_device *device, int64_t left_ns) {
    device->is_reading = true;
    pthread_mutex_unlock(&device->lock);
    struct pollfd poll_fd = {device->socket, POLLIN, 0};
    poll(&poll_fd, 1, (int)(left_ns / 1000000) + 1);
    pthread_mutex_lock(&device->lock);
    device->is_reading = false;
    take_answers(device);
    pthread_cond_broadcast(&device->answered);
}

static int await_answer(hxb_device *device, struct asked *asked) {
    int64_t deadline = now_ns() + REPLY_TIMEOUT_NS;
    if (!device->is_reading) {
        take_answers(device);
    }
    while (!has_answer(asked)) {
        int64_t left = deadline - now_ns();
        if (left <= 0) {
            forget(device, asked);
            return silent(device, "has not answered within 5 s");
        }
        if (device->is_reading) {
            struct timespec end = {deadline / HXB_SECOND, deadline % HXB_SECOND};
            pthread_cond_timedwait(&device->answered, &device->lock, &end);
        } else {
            read_once(device, left);
        }
    }
    return HXB_OK;
}

/* ---- The same for whoever does not hold it ---- */

static int lock(hxb_device *device) {
    int state = call_begin();
    pthread_mutex_lock(&device->lock);
    return state;
}

static void unlock(hxb_device *device, int state) {
    pthread_mutex_unlock(&device->lock);
    call_end(state);
}

int ask_result(hxb_device *device, struct asked *asked, int descriptors) {
    struct message *message = &asked->message;
    if (asked->length <= 0) {
        return fail(HXB_NODE_GONE, "the node on %s is gone", device->path);
    }
    int result = check_reply(device, message, asked->length, asked->type);
    if (result == HXB_OK && get_word(message, HXB_ATTACH_STATUS) != HXB_ATTACH_DONE) {
        result = refused(device, message);
    }
    if (result == HXB_OK && descriptors >= 0 && message->descriptor_count != descriptors) {
        result = fail(HXB_E_PROTOCOL, "the node on %s passed %d descriptors instead of %d: raise the limit of open"
                      " files (ulimit -n)", device->path, message->descriptor_count, descriptors);
    }
    if (result != HXB_OK) {
        close_descriptors(message);
    }
    return result;
}

int ask(hxb_device *device, struct message *message, int descriptors) {
    struct asked asked;
    int state = lock(device);
    int result = send_request(device, message, &asked);
    if (result == HXB_OK) {
        result = await_answer(device, &asked);
        message->is_unanswered = result != HXB_OK;
        if (result == HXB_OK) {
            result = ask_result(device, &asked, descriptors);
            *message = asked.message;
        }
    }
    unlock(device, state);
    return result;
}

int ask_later(hxb_device *device, struct message *message, struct asked *asked) {
    int state = lock(device);
    int count = 0;
    for (const struct asked *other = device->asked; other != NULL; other = other->next) {
        count++;
    }
    int result = HXB_E_SILENT;
    if (count < MAX_LATER) {
        result = send_request(device, message, asked);
    } else {
        close_descriptors(message);
    }
    unlock(device, state);
    return result;
}

bool ask_is_over(hxb_device *device, struct asked *asked) {
    asked->looks += asked->looks < EAGER_LOOKS + LOOKS ? 1 : 1 - LOOKS;
    if (!has_answer(asked) && (asked->looks < EAGER_LOOKS || asked->looks == EAGER_LOOKS + LOOKS)) {
        int state = lock(device);
        if (!device->is_reading) {
            take_answers(device);
        }
        unlock(device, state);
    }
    return has_answer(asked);
}

void ask_forget(hxb_device *device, struct asked *asked) {
    int state = lock(device);
    forget(device, asked);
    unlock(device, state);
    if (has_answer(asked)) {
        close_descriptors(&asked->message);
    }
}

void tell(hxb_device *device, int type, int64_t value) {
    struct message message;
    request(&message, type);
    put_argument(&message, 0, value);
    int state = lock(device);
    if (!tell_untold(device) || send_message(device, &message) == 0) {
        struct untold **at = &device->untold;
        while (*at != NULL) {
            at = &(*at)->next;
        }
        *at = malloc(sizeof **at); /* without it, the node takes back what it is when the device is closed */
        if (*at != NULL) {
            **at = (struct untold){NULL, type, value};
        }
    }
    unlock(device, state);
}

int device_enter(hxb_device *device) {
    int state = lock(device);
    device->calls++;
    pthread_mutex_unlock(&device->lock);
    return state;
}

void device_leave(hxb_device *device, int state) {
    pthread_mutex_lock(&device->lock);
    if (--device->calls == 0 && device->is_ending) {
        pthread_cond_broadcast(&device->answered);
    }
    unlock(device, state);
}

void end_calls(hxb_device *device) {
    int state = lock(device);
    device->is_ending = true;
    shutdown(device->socket, SHUT_RDWR);
    while (device->calls > 0) {
        pthread_cond_wait(&device->answered, &device->lock);
    }
    unlock(device, state);
}

void forget_untold(hxb_device *device) {
    while (device->untold != NULL) {
        struct untold *first = device->untold;
        device->untold = first->next;
        free(first);
    }
}

/* ---- Connecting ---- */

int connect_node(const char *path, int *fd, int64_t limit_ms) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        return fail(HXB_E_ARGUMENT, "a socket path has at most 107 bytes: %s", path);
    }
    strcpy(address.sun_path, path);
    descriptors_hold();
    *fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    descriptors_add(*fd);
    descriptors_release();
    if (*fd < 0) {
        return fail_errno("cannot make a socket");
    }
    struct timeval limit = {limit_ms / 1000, limit_ms % 1000 * 1000};
    setsockopt(*fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    int64_t deadline = now_ns() + limit_ms * 1000000;
    int result;
    do {
        result = connect(*fd, (struct sockaddr *)&address, sizeof address);
    } while (result < 0 && errno == EINTR && now_ns() < deadline);
    if (result == 0) {
        return HXB_OK;
    }
    int code = errno;
    descriptor_close(*fd);
    *fd = -1;
    errno = code;
    switch (code) {
    case ENOENT:
    case ECONNREFUSED:
        return fail(HXB_E_NO_NODE, "no node listens on %s: start one with hxb node", path);
    case EACCES:
        return fail(HXB_E_DENIED, "this user (uid %d) may not open %s: run as the user whose node it is or as root,"
                    " join the socket's group, or add this user to attach.allowedUids in the cluster file",
                    (int)geteuid(), path);
    case EAGAIN:
        return fail(HXB_E_SILENT, "the node on %s accepts no connections, for %" PRId64 " ms: it is stopped or"
                    " overloaded", path, limit_ms);
    default:
        return fail_errno("cannot connect to %s", path);
    }
}

bool is_node_alive(const hxb_device *device) {
    struct pollfd poll_fd = {device->socket, POLLIN | POLLRDHUP, 0};
    int state = call_begin();
    bool is_gone = poll(&poll_fd, 1, 0) > 0 && (poll_fd.revents & (POLLERR | POLLHUP | POLLNVAL | POLLRDHUP)) != 0;
    call_end(state);
    return get32_acquire(device->page + HXB_PAGE_STATE) == HXB_PAGE_ALIVE && !is_gone;
}
