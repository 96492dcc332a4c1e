/* The socket of a node: connecting to it, and messages with descriptors. */
#define _GNU_SOURCE
#include "wire/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- Messages ---- */

void put_short(struct message *message, int offset, int value) {
    uint16_t bits = (uint16_t)value;
    memcpy(message->bytes + offset, &bits, sizeof bits);
}

int get_short(const struct message *message, int offset) {
    uint16_t bits;
    memcpy(&bits, message->bytes + offset, sizeof bits);
    return bits;
}

uint32_t get_word(const struct message *message, int offset) {
    uint32_t bits;
    memcpy(&bits, message->bytes + offset, sizeof bits);
    return bits;
}

void put_word(struct message *message, int offset, uint32_t value) {
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
int send_message(struct connection *connection, struct message *message) {
    put_short(message, HXB_ATTACH_VERSION_OFFSET, connection->version);
    put_word(message, HXB_ATTACH_NUMBER, ++connection->requests);
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
        sent = sendmsg(connection->socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    return sent >= 0 ? 1 : errno == EAGAIN ? 0 : -1;
}

/* Receives one message with its descriptors: its length; 0 if the node is gone; -1 with errno. */
ssize_t receive_message(const struct connection *connection, struct message *message) {
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
    ssize_t length = recvmsg(connection->socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT | MSG_TRUNC);
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

bool is_hung_up(const struct connection *connection) {
    struct pollfd poll_fd = {connection->socket, POLLIN | POLLRDHUP, 0};
    int state = call_begin();
    bool is_gone = poll(&poll_fd, 1, 0) > 0 && (poll_fd.revents & (POLLERR | POLLHUP | POLLNVAL | POLLRDHUP)) != 0;
    call_end(state);
    return is_gone;
}
