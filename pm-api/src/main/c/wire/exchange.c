/* Requests to a node and their answers, as the class AttachMessage draws them. The lock of the connection is held while
 * something is sent or taken, never while a thread waits. One of the waiting threads sleeps at the socket and hands out
 * the answers; the others sleep until it has done so. */
#define _GNU_SOURCE
#include "wire/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#define EAGER_LOOKS 256 /* for an answer, each of which makes a system call; then one of LOOKS does */
#define LOOKS 64
#define MAX_LATER 128 /* requests whose answers nobody waits for: all of them fit into a socket */

/* A message that the node has not taken yet. */
struct unsent {
    struct unsent *next;
    int type;
    int64_t value;
};

/* ---- Errors ---- */

static int silent(const struct connection *connection, const char *what) {
    struct ucred peer = {0};
    socklen_t length = sizeof peer;
    getsockopt(connection->socket, SOL_SOCKET, SO_PEERCRED, &peer, &length);
    return fail(HXB_E_SILENT, "the node on %s %s: process %d is stopped, hangs, or its machine is overloaded",
                connection->path, what, (int)peer.pid);
}

/* The reply to HELLO chooses a version of those that were offered; every later one has it, too. */
static int check_version(struct connection *connection, int version, int type) {
    int oldest = type == HXB_ATTACH_HELLO ? HXB_ATTACH_OLDEST_VERSION : connection->version;
    int newest = type == HXB_ATTACH_HELLO ? HXB_ATTACH_VERSION : connection->version;
    if (version < oldest || version > newest) {
        return fail(HXB_E_VERSION,
                    "the node on %s uses version %d of the attach protocol, and this library version %d"
                    " (libhxb and the node have to be of one HXB release)",
                    connection->path, version, newest);
    }
    if (type == HXB_ATTACH_HELLO) {
        connection->version = version;
    }
    return HXB_OK;
}

/* HXB_OK if a reply to a request of this type is valid; otherwise its fault. */
static int check_reply(struct connection *connection, const struct message *message, ssize_t length, int type) {
    if (length != HXB_ATTACH_LENGTH_BYTES) {
        return fail(HXB_E_PROTOCOL, "the node on %s sent a message of %zd bytes instead of %d", connection->path,
                    length, HXB_ATTACH_LENGTH_BYTES);
    }
    if (get_word(message, 0) != HXB_ATTACH_MAGIC) {
        return fail(HXB_E_PROTOCOL, "the node on %s sent a message that is not HXB's", connection->path);
    }
    int result = check_version(connection, get_short(message, HXB_ATTACH_VERSION_OFFSET), type);
    if (result == HXB_OK && get_short(message, HXB_ATTACH_TYPE) != (type | HXB_ATTACH_REPLY)) {
        return fail(HXB_E_PROTOCOL, "the node on %s sent an unexpected reply", connection->path);
    }
    return result;
}

static int refused(const struct connection *connection, struct message *message) {
    message->is_refused_for_now = get_word(message, HXB_ATTACH_STATUS) == HXB_ATTACH_REFUSED_FOR_NOW;
    const size_t room = HXB_ATTACH_LENGTH_BYTES - HXB_ATTACH_TEXT;
    size_t length = get_word(message, HXB_ATTACH_TEXT_LENGTH);
    length = length < room ? length : room;
    const char *text = (const char *)message->bytes + HXB_ATTACH_TEXT;
    bool is_version = memmem(text, length, "of the attach protocol", 22) != NULL;
    return fail(is_version ? HXB_E_VERSION : HXB_E_REFUSED, "the node on %s refuses: %.*s", connection->path,
                (int)length, text);
}

/* ---- Requests and answers; the lock is held ---- */

/* Sends the messages that the node has not taken; false if it still does not take them. */
static bool send_unsent(struct connection *connection) {
    while (connection->unsent != NULL) {
        struct unsent *first = connection->unsent;
        struct message message;
        request(&message, first->type);
        put_argument(&message, 0, first->value);
        if (send_message(connection, &message) == 0) {
            return false;
        }
        connection->unsent = first->next;
        free(first);
    }
    return true;
}

static int send_request(struct connection *connection, struct message *message, struct asked *asked) {
    memset(asked, 0, sizeof *asked);
    asked->type = get_short(message, HXB_ATTACH_TYPE);
    int sent = connection->is_ending ? -1 : send_unsent(connection) ? send_message(connection, message) : 0;
    close_descriptors(message);
    if (sent == 0) {
        return silent(connection, "does not take requests");
    }
    /* A node that has closed the connection may have sent the reason before. */
    asked->number = connection->requests;
    struct asked **at = &connection->asked;
    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = asked;
    return HXB_OK;
}

static void forget(struct connection *connection, const struct asked *asked) {
    struct asked **at = &connection->asked;
    while (*at != NULL && *at != asked) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = asked->next;
    }
}

/* Handles the answer to a request that was given up: revokes a key that nobody knows. */
static void drop(struct connection *connection, struct message *message) {
    close_descriptors(message);
    if (get_short(message, HXB_ATTACH_TYPE) == (HXB_ATTACH_SHARE | HXB_ATTACH_REPLY)
        && get_word(message, HXB_ATTACH_STATUS) == HXB_ATTACH_DONE) {
        struct message revoke;
        request(&revoke, HXB_ATTACH_REVOKE);
        put_argument(&revoke, 0, argument(message, 0));
        send_message(connection, &revoke);
    }
}

static void answer(struct asked *asked, ssize_t length) {
    asked->length = length;
    atomic_store_explicit(&asked->is_answered, true, memory_order_release);
}

/* Takes all that has come; each request is answered with it, or with the end. */
static void take_answers(struct connection *connection) {
    for (;;) {
        struct message message;
        ssize_t length = receive_message(connection, &message);
        if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        }
        if (length <= 0) {
            for (struct asked *asked = connection->asked; asked != NULL; asked = asked->next) {
                answer(asked, 0);
            }
            connection->asked = NULL;
            return;
        }
        bool is_ours = length == HXB_ATTACH_LENGTH_BYTES && get_word(&message, 0) == HXB_ATTACH_MAGIC;
        struct asked *asked = connection->asked; /* the first one also gets what is not a message of HXB */
        while (is_ours && asked != NULL && asked->number != get_word(&message, HXB_ATTACH_NUMBER)) {
            asked = asked->next;
        }
        if (asked == NULL) {
            drop(connection, &message);
        } else {
            asked->message = message;
            forget(connection, asked);
            answer(asked, length);
        }
    }
}

static bool has_answer(const struct asked *asked) {
    return atomic_load_explicit(&asked->is_answered, memory_order_acquire);
}

/* Lets another thread go on that waits for an answer: this one no longer reads for it. */
static void read_once(struct connection *connection, int64_t left_ns) {
    connection->is_reading = true;
    pthread_mutex_unlock(&connection->lock);
    struct pollfd poll_fd = {connection->socket, POLLIN, 0};
    poll(&poll_fd, 1, (int)(left_ns / 1000000) + 1);
    pthread_mutex_lock(&connection->lock);
    connection->is_reading = false;
    take_answers(connection);
    pthread_cond_broadcast(&connection->answered);
}

static int await_answer(struct connection *connection, struct asked *asked) {
    int64_t deadline = now_ns() + REPLY_TIMEOUT_NS;
    if (!connection->is_reading) {
        take_answers(connection);
    }
    while (!has_answer(asked)) {
        int64_t left = deadline - now_ns();
        if (left <= 0) {
            forget(connection, asked);
            return silent(connection, "has not answered within 5 s");
        }
        if (connection->is_reading) {
            struct timespec end = {deadline / HXB_SECOND, deadline % HXB_SECOND};
            pthread_cond_timedwait(&connection->answered, &connection->lock, &end);
        } else {
            read_once(connection, left);
        }
    }
    return HXB_OK;
}

/* ---- The same without the lock ---- */

static int lock(struct connection *connection) {
    int state = call_begin();
    pthread_mutex_lock(&connection->lock);
    return state;
}

static void unlock(struct connection *connection, int state) {
    pthread_mutex_unlock(&connection->lock);
    call_end(state);
}

int ask_result(struct connection *connection, struct asked *asked, int descriptors) {
    struct message *message = &asked->message;
    if (asked->length <= 0) {
        return fail(HXB_NODE_GONE, "the node on %s is gone", connection->path);
    }
    int result = check_reply(connection, message, asked->length, asked->type);
    if (result == HXB_OK && get_word(message, HXB_ATTACH_STATUS) != HXB_ATTACH_DONE) {
        result = refused(connection, message);
    }
    if (result == HXB_OK && descriptors >= 0 && message->descriptor_count != descriptors) {
        result = fail(HXB_E_PROTOCOL, "the node on %s passed %d descriptors instead of %d: raise the limit of open"
                      " files (ulimit -n)", connection->path, message->descriptor_count, descriptors);
    }
    if (result != HXB_OK) {
        close_descriptors(message);
    }
    return result;
}

int ask(struct connection *connection, struct message *message, int descriptors) {
    struct asked asked;
    int state = lock(connection);
    int result = send_request(connection, message, &asked);
    if (result == HXB_OK) {
        result = await_answer(connection, &asked);
        message->is_unanswered = result != HXB_OK;
        if (result == HXB_OK) {
            result = ask_result(connection, &asked, descriptors);
            *message = asked.message;
        }
    }
    unlock(connection, state);
    return result;
}

int ask_later(struct connection *connection, struct message *message, struct asked *asked) {
    int state = lock(connection);
    int count = 0;
    for (const struct asked *other = connection->asked; other != NULL; other = other->next) {
        count++;
    }
    int result = HXB_E_SILENT;
    if (count < MAX_LATER) {
        result = send_request(connection, message, asked);
    } else {
        close_descriptors(message);
    }
    unlock(connection, state);
    return result;
}

bool ask_is_over(struct connection *connection, struct asked *asked) {
    asked->looks += asked->looks < EAGER_LOOKS + LOOKS ? 1 : 1 - LOOKS;
    if (!has_answer(asked) && (asked->looks < EAGER_LOOKS || asked->looks == EAGER_LOOKS + LOOKS)) {
        int state = lock(connection);
        if (!connection->is_reading) {
            take_answers(connection);
        }
        unlock(connection, state);
    }
    return has_answer(asked);
}

void ask_forget(struct connection *connection, struct asked *asked) {
    int state = lock(connection);
    forget(connection, asked);
    unlock(connection, state);
    if (has_answer(asked)) {
        close_descriptors(&asked->message);
    }
}

void notify(struct connection *connection, int type, int64_t value) {
    struct message message;
    request(&message, type);
    put_argument(&message, 0, value);
    int state = lock(connection);
    if (!send_unsent(connection) || send_message(connection, &message) == 0) {
        struct unsent **at = &connection->unsent;
        while (*at != NULL) {
            at = &(*at)->next;
        }
        *at = malloc(sizeof **at); /* without it, the node takes back what it is when the device is closed */
        if (*at != NULL) {
            **at = (struct unsent){NULL, type, value};
        }
    }
    unlock(connection, state);
}

int connection_enter(struct connection *connection) {
    int state = lock(connection);
    connection->calls++;
    pthread_mutex_unlock(&connection->lock);
    return state;
}

void connection_leave(struct connection *connection, int state) {
    pthread_mutex_lock(&connection->lock);
    if (--connection->calls == 0 && connection->is_ending) {
        pthread_cond_broadcast(&connection->answered);
    }
    unlock(connection, state);
}

void end_calls(struct connection *connection) {
    int state = lock(connection);
    connection->is_ending = true;
    shutdown(connection->socket, SHUT_RDWR);
    while (connection->calls > 0) {
        pthread_cond_wait(&connection->answered, &connection->lock);
    }
    unlock(connection, state);
}

void connection_init(struct connection *connection) {
    connection->socket = -1;
    pthread_mutex_init(&connection->lock, NULL);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&connection->answered, &clock);
    pthread_condattr_destroy(&clock);
}

void connection_close(struct connection *connection) {
    while (connection->unsent != NULL) {
        struct unsent *first = connection->unsent;
        connection->unsent = first->next;
        free(first);
    }
    descriptor_close(connection->socket);
    pthread_mutex_destroy(&connection->lock);
    pthread_cond_destroy(&connection->answered);
}
