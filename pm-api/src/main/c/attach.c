/* The connection to a node: requests and their replies, as the class AttachMessage draws them. */
#define _GNU_SOURCE
#include "direct.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define REPLY_TIMEOUT_NS (5 * HXB_SECOND)
#define RETRY_PAUSE_NS 10000000
#define MAX_DESCRIPTORS 8
#define ARGUMENTS 8

struct message {
    _Alignas(8) uint8_t bytes[HXB_ATTACH_LENGTH_BYTES];
    int descriptors[MAX_DESCRIPTORS]; /* passed along, or received */
    int descriptor_count;
};

static void put_short(struct message *message, int offset, int value) {
    uint16_t bits = (uint16_t)value;
    memcpy(message->bytes + offset, &bits, sizeof bits);
}

static int get_short(const struct message *message, int offset) {
    uint16_t bits;
    memcpy(&bits, message->bytes + offset, sizeof bits);
    return bits;
}

static void put_argument(struct message *message, int index, int64_t value) {
    memcpy(message->bytes + HXB_ATTACH_ARGUMENTS + 8 * index, &value, sizeof value);
}

static int64_t argument(const struct message *message, int index) {
    int64_t value;
    memcpy(&value, message->bytes + HXB_ATTACH_ARGUMENTS + 8 * index, sizeof value);
    return value;
}

static void request(struct message *message, int type) {
    memset(message, 0, sizeof *message);
    put32(message->bytes, HXB_ATTACH_MAGIC);
    put_short(message, HXB_ATTACH_TYPE, type);
}

static void close_descriptors(struct message *message) {
    while (message->descriptor_count > 0) {
        close(message->descriptors[--message->descriptor_count]);
    }
}

/* Sends; 1 if sent, 0 if the node does not take it now, -1 if it is gone. */
static int send_message(hxb_device *device, struct message *message) {
    put_short(message, HXB_ATTACH_VERSION_OFFSET, device->version);
    put32(message->bytes + HXB_ATTACH_NUMBER, ++device->requests);
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
    message->descriptor_count = 0;
    ssize_t length = recvmsg(device->socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT | MSG_TRUNC);
    if (length < 0) {
        return errno == ECONNRESET || errno == EPIPE ? 0 : -1;
    }
    for (struct cmsghdr *part = CMSG_FIRSTHDR(&header); part != NULL; part = CMSG_NXTHDR(&header, part)) {
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS) {
            size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (size_t i = 0; i < count && message->descriptor_count < MAX_DESCRIPTORS; i++) {
                memcpy(&message->descriptors[message->descriptor_count++], CMSG_DATA(part) + i * sizeof(int),
                       sizeof(int));
            }
        }
    }
    if (length == 0) {
        /* A message without contents looks like the end, but may carry descriptors, too. */
        close_descriptors(message);
    }
    return length;
}

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
    device->version = version;
    return HXB_OK;
}

/* What is wrong with a reply to a request of this type; HXB_OK if nothing is. */
static int check_reply(hxb_device *device, const struct message *message, ssize_t length, int type) {
    if (length != HXB_ATTACH_LENGTH_BYTES) {
        return fail(HXB_E_PROTOCOL, "the node on %s sent a message of %zd bytes instead of %d", device->path, length,
                    HXB_ATTACH_LENGTH_BYTES);
    }
    if (get32(message->bytes) != HXB_ATTACH_MAGIC) {
        return fail(HXB_E_PROTOCOL, "the node on %s sent a message that is not HXB's", device->path);
    }
    int result = check_version(device, get_short(message, HXB_ATTACH_VERSION_OFFSET), type);
    if (result == HXB_OK && get_short(message, HXB_ATTACH_TYPE) != (type | HXB_ATTACH_REPLY)) {
        return fail(HXB_E_PROTOCOL, "the node on %s sent an unexpected reply", device->path);
    }
    return result;
}

/* True for the late reply to a request that was given up. */
static bool is_late(const hxb_device *device, const struct message *message, ssize_t length) {
    return length == HXB_ATTACH_LENGTH_BYTES && get32(message->bytes) == HXB_ATTACH_MAGIC
        && get32(message->bytes + HXB_ATTACH_NUMBER) != device->requests;
}

static int receive_reply(hxb_device *device, struct message *message, int type) {
    int64_t deadline = now_ns() + REPLY_TIMEOUT_NS;
    for (;;) {
        ssize_t length = receive_message(device, message);
        if (length == 0) {
            return fail(HXB_NODE_GONE, "the node on %s is gone", device->path);
        }
        if (length < 0 && errno != EAGAIN && errno != EINTR) {
            return fail_errno("talking with the node on %s", device->path);
        }
        if (length > 0 && !is_late(device, message, length)) {
            int result = check_reply(device, message, length, type);
            if (result != HXB_OK) {
                close_descriptors(message);
            }
            return result;
        }
        close_descriptors(message);
        int64_t left = deadline - now_ns();
        if (left <= 0) {
            return silent(device, "has not answered within 5 s");
        }
        if (length < 0) {
            struct pollfd poll_fd = {device->socket, POLLIN, 0};
            poll(&poll_fd, 1, (int)(left / 1000000) + 1);
        }
    }
}

static int refused(hxb_device *device, struct message *message) {
    close_descriptors(message);
    device->is_refused_for_now = get32(message->bytes + HXB_ATTACH_STATUS) == HXB_ATTACH_REFUSED_FOR_NOW;
    const size_t room = HXB_ATTACH_LENGTH_BYTES - HXB_ATTACH_TEXT;
    size_t length = get32(message->bytes + HXB_ATTACH_TEXT_LENGTH);
    length = length < room ? length : room;
    const char *text = (const char *)message->bytes + HXB_ATTACH_TEXT;
    bool is_version = memmem(text, length, "of the attach protocol", 22) != NULL;
    return fail(is_version ? HXB_E_VERSION : HXB_E_REFUSED, "the node on %s refuses: %.*s", device->path, (int)length,
                text);
}

/* Asks and waits for the answer; a granted one has exactly this number of descriptors. Takes those that are passed. */
static int exchange(hxb_device *device, struct message *message, int descriptors) {
    device->is_refused_for_now = false;
    device->is_unanswered = false;
    if (device->is_broken) {
        close_descriptors(message);
        return fail(HXB_E_STATE, "the node on %s has not taken earlier requests: detach and attach again",
                    device->path);
    }
    int type = get_short(message, HXB_ATTACH_TYPE);
    int sent = send_message(device, message);
    close_descriptors(message);
    if (sent == 0) {
        return silent(device, "does not take requests");
    }
    device->is_unanswered = true;
    /* A node that has closed the connection may have said why before. */
    int result = receive_reply(device, message, type);
    if (result != HXB_OK) {
        return result;
    }
    device->is_unanswered = false;
    if (get32(message->bytes + HXB_ATTACH_STATUS) != HXB_ATTACH_DONE) {
        return refused(device, message);
    }
    if (descriptors >= 0 && message->descriptor_count != descriptors) {
        int received = message->descriptor_count;
        close_descriptors(message);
        return fail(HXB_E_PROTOCOL, "the node on %s passed %d descriptors instead of %d: raise the limit of open"
                    " files (ulimit -n)", device->path, received, descriptors);
    }
    return HXB_OK;
}

/* Tells the node what needs no reply. If it is gone, so is what was open there; if it stands still until its socket is
 * full, what was not told comes back when the device is closed. */
static void tell(hxb_device *device, int type, int64_t value) {
    if (!device->is_broken) {
        struct message message;
        request(&message, type);
        put_argument(&message, 0, value);
        device->is_broken = send_message(device, &message) <= 0;
    }
}

int connect_node(const char *path, int *fd, int64_t limit_ms) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        return fail(HXB_E_ARGUMENT, "a socket path has at most 107 bytes: %s", path);
    }
    strcpy(address.sun_path, path);
    *fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
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
    close(*fd);
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

/* ---- Hello ---- */

static int read_shape(const hxb_device *device, struct facts *facts) {
    uint32_t length = get32(device->page + HXB_PAGE_SHAPE_LENGTH);
    length = length < HXB_PAGE_MAX_SHAPE_BYTES ? length : HXB_PAGE_MAX_SHAPE_BYTES;
    memcpy(facts->shape, device->page + HXB_PAGE_SHAPE, length);
    facts->shape[length] = '\0';
    int64_t nodes = 1;
    const char *at = facts->shape;
    do {
        char *end;
        long extent = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : 0;
        if (extent < 1 || extent > 1 << 24 || facts->dimensions == 8 || (*end != 'x' && *end != '\0')) {
            return -1;
        }
        facts->extents[facts->dimensions++] = (int)extent;
        nodes *= extent;
        at = end + (*end == 'x');
        if (*end == 'x' && *at == '\0') {
            return -1;
        }
    } while (*at != '\0' && nodes <= 1 << 24);
    return nodes == facts->node_count ? 0 : -1;
}

static int read_page(hxb_device *device) {
    struct facts *facts = &device->facts;
    const uint8_t *page = device->page;
    if (get64(page) != HXB_PAGE_MAGIC || get32(page + HXB_PAGE_VERSION_OFFSET) != HXB_PAGE_VERSION) {
        return fail(HXB_E_VERSION, "the page of the node on %s has version %u, this library needs %d", device->path,
                    get32(page + HXB_PAGE_VERSION_OFFSET), HXB_PAGE_VERSION);
    }
    facts->node_id = (int)get32(page + HXB_PAGE_NODE_ID);
    facts->node_count = (int)get32(page + HXB_PAGE_NODE_COUNT);
    facts->mtu = (int)get32(page + HXB_PAGE_MTU);
    facts->contexts = (int)get32(page + HXB_PAGE_CONTEXTS);
    facts->receive_buffers = (int)get32(page + HXB_PAGE_RECEIVE_BUFFERS);
    facts->receive_buffer_bytes = (int)get32(page + HXB_PAGE_RECEIVE_BUFFER_BYTES);
    facts->loops = (int)get32(page + HXB_PAGE_LOOPS);
    if (read_shape(device, facts) < 0 || facts->node_id < 0 || facts->node_id >= facts->node_count || facts->mtu < 1
        || facts->mtu > 1 << 20 || facts->contexts < 1 || facts->receive_buffers < 1
        || facts->receive_buffers > 1 << 24 || facts->receive_buffer_bytes < 1
        || facts->receive_buffer_bytes > 1 << 24 || facts->loops < 1 || facts->loops > HXB_PAGE_MAX_LOOPS) {
        return fail(HXB_E_PROTOCOL, "the page of the node on %s has impossible contents", device->path);
    }
    return HXB_OK;
}

static bool is_ring_size(const hxb_device *device, int64_t bytes) {
    return bytes >= 4096 && bytes <= 1 << 30 && (bytes & (bytes - 1)) == 0
        && bytes >= 2 * (int64_t)direct_record_bytes((uint32_t)device->facts.mtu);
}

int say_hello(hxb_device *device) {
    struct message message;
    device->version = HXB_ATTACH_OLDEST_VERSION;
    request(&message, HXB_ATTACH_HELLO);
    put_argument(&message, 0, HXB_ATTACH_VERSION);
    int result = exchange(device, &message, -1);
    if (result != HXB_OK) {
        return result;
    }
    int64_t pool_bytes = argument(&message, 0);
    int64_t min_entries = argument(&message, 1);
    int64_t own_buffers = argument(&message, 2);
    int64_t direct_bytes = device->version >= HXB_ATTACH_DIRECT_VERSION ? argument(&message, 3) : 0;
    int expected = own_buffers == 0 ? 2 : 1;
    if (message.descriptor_count != expected || pool_bytes < 0 || min_entries < 0 || min_entries > 1 << 20
        || own_buffers < 0 || own_buffers > 1 << 24) {
        int received = message.descriptor_count;
        close_descriptors(&message);
        return fail(HXB_E_PROTOCOL, "the node on %s answered with impossible sizes, or %d descriptors instead of %d",
                    device->path, received, expected);
    }
    device->min_delivery_entries = (int)min_entries;
    device->own_buffers = (int)own_buffers;
    result = map_node_memory(message.descriptors[0], HXB_PAGE_LENGTH_BYTES, "the node's page", &device->page);
    if (expected == 2) {
        if (result == HXB_OK) {
            result = map_node_memory(message.descriptors[1], (uint64_t)pool_bytes, "the node's receive pool",
                                     &device->pool);
        } else {
            close(message.descriptors[1]);
        }
        device->pool_bytes = (uint64_t)pool_bytes;
    }
    if (result == HXB_OK) {
        result = read_page(device);
    }
    const struct facts *facts = &device->facts;
    if (result == HXB_OK && own_buffers == 0
        && (uint64_t)facts->receive_buffers * (uint64_t)facts->receive_buffer_bytes > (uint64_t)pool_bytes) {
        return fail(HXB_E_PROTOCOL, "the receive pool of the node on %s is shorter than its buffers", device->path);
    }
    if (result == HXB_OK && is_ring_size(device, direct_bytes)) {
        device->direct_bytes = (uint32_t)direct_bytes;
        device->has_fences = register_fences();
    }
    device->has_words = device->version >= HXB_ATTACH_WORDS_VERSION && futex_is_there();
    return result;
}

/* ---- Memory that is lent ---- */

static int announce(hxb_device *device, int id, uint64_t length, int use) {
    /* What the same user's processes had may be on its way back: that takes a moment. */
    int64_t deadline = now_ns() + REPLY_TIMEOUT_NS;
    for (;;) {
        struct message message;
        request(&message, HXB_ATTACH_LEND);
        put_argument(&message, 0, id);
        put_argument(&message, 1, (int64_t)length);
        put_argument(&message, 2, use);
        int result = exchange(device, &message, 0);
        if (result == HXB_OK || !device->is_refused_for_now || now_ns() > deadline) {
            return result;
        }
        struct timespec pause = {0, RETRY_PAUSE_NS};
        nanosleep(&pause, NULL);
    }
}

int lend(hxb_device *device, struct lent *lent, const char *name, uint64_t length, int use) {
    memset(lent, 0, sizeof *lent);
    int id = 1;
    while (id < HXB_ATTACH_MEMORY_IDS && device->has_id[id]) {
        id++;
    }
    if (id == HXB_ATTACH_MEMORY_IDS) {
        return fail(HXB_E_MEMORY, "an attachment has at most %d regions and parts of contexts: use fewer and larger"
                    " regions", HXB_ATTACH_MEMORY_IDS - 1);
    }
    int result = announce(device, id, length, use);
    if (result != HXB_OK) {
        return result;
    }
    lent->id = id;
    device->has_id[id] = true;
    result = lent_reserve(lent, length);
    while (result == HXB_OK && lent->filled < lent->length) {
        struct message message;
        request(&message, HXB_ATTACH_ADD_PIECES);
        int count = lent_fill(lent, name, message.descriptors, MAX_DESCRIPTORS);
        if (count < 0) {
            result = count;
        } else {
            message.descriptor_count = count;
            put_argument(&message, 0, id);
            put_argument(&message, 1, count);
            result = exchange(device, &message, 0);
        }
    }
    if (result != HXB_OK) {
        take_back(device, lent);
    }
    return result;
}

void take_back(hxb_device *device, struct lent *lent) {
    if (lent->id > 0) {
        lent_close(lent);
        device->has_id[lent->id] = false;
        tell(device, HXB_ATTACH_TAKE_BACK, lent->id);
        lent->id = 0;
    }
}

/* ---- Contexts ---- */

static bool is_event_descriptor(int fd) {
    char link[40];
    char target[40];
    struct stat status;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, target, sizeof target);
    if (length >= 0) {
        return length == 20 && memcmp(target, "anon_inode:[eventfd]", 20) == 0;
    }
    /* Without /proc: at least nothing to which a write could block or raise a signal. */
    return fstat(fd, &status) == 0 && !S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode)
        && !S_ISCHR(status.st_mode);
}

static bool is_signal_socket(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

static int request_context(hxb_device *device, int id, const hxb_context_options *sizes,
                           struct context_memory *memory) {
    struct message message;
    request(&message, HXB_ATTACH_OPEN_CONTEXT);
    const int64_t arguments[ARGUMENTS] = {id, sizes->send_buffers, sizes->send_buffer_bytes, sizes->delivery_entries,
                                          sizes->peer_wait_ns, memory->control.id, memory->send.id, memory->own.id};
    for (int i = 0; i < ARGUMENTS; i++) {
        put_argument(&message, i, arguments[i]);
    }
    int result = exchange(device, &message, 2);
    if (result != HXB_OK) {
        if (device->is_unanswered) {
            tell(device, HXB_ATTACH_CLOSE_CONTEXT, id); /* the node may open it later */
        }
        return result;
    }
    int64_t loop = argument(&message, 0);
    if (loop < 0 || loop >= device->facts.loops || !is_signal_socket(message.descriptors[0])
        || !is_event_descriptor(message.descriptors[1])) {
        close_descriptors(&message);
        tell(device, HXB_ATTACH_CLOSE_CONTEXT, id);
        return fail(HXB_E_PROTOCOL, "the node on %s passed descriptors of the wrong kind, or an impossible loop",
                    device->path);
    }
    memory->loop = (int)loop;
    memory->wake_application = message.descriptors[0];
    memory->wake_node = message.descriptors[1];
    return HXB_OK;
}

int attach_context(hxb_device *device, int id, const hxb_context_options *sizes, struct context_memory *memory) {
    struct control_layout layout;
    control_layout(&layout, sizes->send_buffers, sizes->delivery_entries);
    memset(memory, 0, sizeof *memory);
    int result = lend(device, &memory->control, "hxb-control", layout.length, HXB_ATTACH_CONTEXT_MEMORY);
    if (result == HXB_OK) {
        uint64_t bytes = (uint64_t)sizes->send_buffers * (uint64_t)sizes->send_buffer_bytes;
        result = lend(device, &memory->send, "hxb-send", bytes, HXB_ATTACH_CONTEXT_MEMORY);
    }
    if (result == HXB_OK && device->own_buffers > 0) {
        uint64_t bytes = (uint64_t)device->own_buffers * (uint64_t)device->facts.receive_buffer_bytes;
        result = lend(device, &memory->own, "hxb-own-receive", bytes, HXB_ATTACH_CONTEXT_MEMORY);
    }
    if (result == HXB_OK) {
        result = request_context(device, id, sizes, memory);
    }
    if (result != HXB_OK) {
        take_back(device, &memory->control);
        take_back(device, &memory->send);
        take_back(device, &memory->own);
    }
    return result;
}

void detach_context(hxb_device *device, int id, struct context_memory *memory) {
    struct lent *parts[] = {&memory->control, &memory->send, &memory->own, &memory->remote};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        lent_close(parts[i]);
        device->has_id[parts[i]->id] = false;
    }
    close(memory->wake_application);
    close(memory->wake_node);
    tell(device, HXB_ATTACH_CLOSE_CONTEXT, id);
}

static int exchange_locked(hxb_device *device, struct message *message, int descriptors) {
    int state = call_begin();
    pthread_mutex_lock(&device->lock);
    int result = exchange(device, message, descriptors);
    pthread_mutex_unlock(&device->lock);
    call_end(state);
    return result;
}

/* ---- Direct rings ---- */

int offer_direct(hxb_device *device, int id, int peer_context, const int *descriptors) {
    struct message message;
    request(&message, HXB_ATTACH_OFFER_DIRECT);
    put_argument(&message, 0, id);
    put_argument(&message, 1, peer_context);
    message.descriptors[0] = descriptors[0];
    message.descriptors[1] = descriptors[1];
    message.descriptor_count = 2;
    int result = exchange_locked(device, &message, 1);
    if (result != HXB_OK) {
        return result;
    }
    if (!is_signal_socket(message.descriptors[0])) {
        close_descriptors(&message);
        return HXB_E_PROTOCOL;
    }
    return message.descriptors[0];
}

/* The ring whose descriptors have come: its records, its page, and what wakes its sender. */
static void map_direct(const hxb_device *device, struct message *message, struct direct_memory *memory) {
    int64_t capacity = argument(message, 2);
    const int *descriptors = message->descriptors;
    if (message->descriptor_count == 3 && is_ring_size(device, capacity) && capacity <= device->direct_bytes
        && file_problem(descriptors[0], (uint64_t)capacity) == NULL
        && file_problem(descriptors[1], HXB_DIRECTPAGE_LENGTH_BYTES) == NULL && is_signal_socket(descriptors[2])
        && direct_map(memory, (uint32_t)capacity, descriptors[0], descriptors[1], false) == HXB_OK) {
        memory->peer_signal = message->descriptors[--message->descriptor_count];
    }
}

int next_direct_change(hxb_device *device, int id, int *peer_context, struct direct_memory *memory) {
    struct message message;
    request(&message, HXB_ATTACH_DIRECT_CHANGE);
    put_argument(&message, 0, id);
    if (exchange_locked(device, &message, -1) != HXB_OK) {
        return HXB_DIRECTCHANGE_NONE;
    }
    int64_t kind = argument(&message, 0);
    int64_t peer = argument(&message, 1);
    bool is_known = peer >= 0 && peer < device->facts.contexts && kind >= HXB_DIRECTCHANGE_OFFERED
        && kind <= HXB_DIRECTCHANGE_SENDER_GONE;
    if (is_known && kind == HXB_DIRECTCHANGE_OFFERED) {
        map_direct(device, &message, memory);
    }
    close_descriptors(&message);
    *peer_context = (int)peer;
    return is_known ? (int)kind : HXB_DIRECTCHANGE_NONE;
}

/* ---- Remote memory ---- */

static int check_remote_version(const hxb_device *device) {
    return device->version >= HXB_ATTACH_REMOTE_MEMORY_VERSION
             ? HXB_OK
             : fail(HXB_E_VERSION, "the node on %s is of an HXB without remote memory", device->path);
}

int lend_writable(hxb_device *device, struct lent *lent, uint64_t length) {
    int result = check_remote_version(device);
    return result == HXB_OK ? lend(device, lent, "hxb-region", length, HXB_ATTACH_WRITTEN_REGION) : result;
}

int attach_remote(hxb_device *device, int id, const hxb_remote_options *sizes, uint64_t length, struct lent *lent) {
    int result = check_remote_version(device);
    if (result != HXB_OK) {
        return result;
    }
    int state = call_begin();
    pthread_mutex_lock(&device->lock);
    result = lend(device, lent, "hxb-remote", length, HXB_ATTACH_CONTEXT_MEMORY);
    if (result == HXB_OK) {
        struct message message;
        request(&message, HXB_ATTACH_OPEN_REMOTE);
        const int64_t arguments[] = {id, sizes->operations, sizes->notifications, sizes->fragments, lent->id};
        for (int i = 0; i < 5; i++) {
            put_argument(&message, i, arguments[i]);
        }
        result = exchange(device, &message, 0);
        if (result != HXB_OK) {
            take_back(device, lent);
        }
    }
    pthread_mutex_unlock(&device->lock);
    call_end(state);
    return result;
}

int share_memory(hxb_device *device, int id, int rights, uint64_t *key) {
    int result = check_remote_version(device);
    if (result == HXB_OK) {
        struct message message;
        request(&message, HXB_ATTACH_SHARE);
        put_argument(&message, 0, id);
        put_argument(&message, 1, rights);
        result = exchange_locked(device, &message, 0);
        *key = result == HXB_OK ? (uint64_t)argument(&message, 0) : 0;
    }
    return result;
}

int revoke_key(hxb_device *device, uint64_t key) {
    int result = check_remote_version(device);
    if (result == HXB_OK) {
        struct message message;
        request(&message, HXB_ATTACH_REVOKE);
        put_argument(&message, 0, (int64_t)key);
        result = exchange_locked(device, &message, 0);
    }
    return result;
}

bool is_node_alive(const hxb_device *device) {
    struct pollfd poll_fd = {device->socket, POLLIN | POLLRDHUP, 0};
    int state = call_begin();
    bool is_gone = poll(&poll_fd, 1, 0) > 0 && (poll_fd.revents & (POLLERR | POLLHUP | POLLNVAL | POLLRDHUP)) != 0;
    call_end(state);
    return get32_acquire(device->page + HXB_PAGE_STATE) == HXB_PAGE_ALIVE && !is_gone;
}
