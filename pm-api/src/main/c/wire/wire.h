/* The connection to a node: requests, each with a number, and their answers. Any thread takes the answers that have
 * come; the owner of a request looks at its answer when it likes. Not installed. */
#ifndef HXB_WIRE_H
#define HXB_WIRE_H

#include "base/base.h"

#define MAX_DESCRIPTORS 8
#define ARGUMENTS 8
#define REPLY_TIMEOUT_NS (5 * HXB_SECOND)

/* The connection to a node, and the requests that have no answer yet. */
struct connection {
    pthread_mutex_t lock; /* of all below; never held while a thread waits */
    int socket;
    char path[108];
    uint32_t requests;
    int version;
    struct asked *asked;   /* requests without an answer, the oldest first */
    struct unsent *unsent; /* messages that the node has not taken yet */
    bool is_reading;       /* a thread sleeps at the socket, and reads for all */
    bool is_ending;
    int calls;               /* of threads that ask the node for something */
    pthread_cond_t answered; /* when that thread has read */
};

/* A request or its answer, as the class AttachMessage draws it. */
struct message {
    _Alignas(8) uint8_t bytes[HXB_ATTACH_LENGTH_BYTES];
    int descriptors[MAX_DESCRIPTORS]; /* passed along, or received */
    int descriptor_count;
    bool is_unanswered;      /* the node has the request, and may carry it out later */
    bool is_refused_for_now; /* asking again soon may help */
};

/* A request that was sent, until its answer has been taken. */
struct asked {
    struct asked *next; /* of the connection's, the oldest first */
    uint32_t number;
    int type;
    _Atomic bool is_answered; /* by the node, or by the end of the connection: `length` is 0 then */
    ssize_t length;
    int looks;
    struct message message;
};

/* ---- The socket of a node (socket.c) ---- */

/* Connects to the socket at a path within a limit; HXB_OK and the descriptor, or an error. */
int connect_node(const char *path, int *fd, int64_t limit_ms);
/* True if the node has closed the connection. */
bool is_hung_up(const struct connection *connection);
void put_short(struct message *message, int offset, int value);
int get_short(const struct message *message, int offset);
void put_word(struct message *message, int offset, uint32_t value);
uint32_t get_word(const struct message *message, int offset);
/* Sends; 1 if sent, 0 if the node does not take it now, -1 if it is gone. */
int send_message(struct connection *connection, struct message *message);
/* Receives one message with its descriptors: its length; 0 if the node is gone; -1 with errno. */
ssize_t receive_message(const struct connection *connection, struct message *message);
void request(struct message *message, int type);
void put_argument(struct message *message, int index, int64_t value);
int64_t argument(const struct message *message, int index);
void close_descriptors(struct message *message);

/* ---- Requests and answers (exchange.c) ---- */

void connection_init(struct connection *connection);
/* Closes the socket; no other thread uses the connection. */
void connection_close(struct connection *connection);

/* Asks, and waits for the answer for at most 5 seconds; a granted one has exactly this number of descriptors, unless
 * that is negative. Closes the descriptors that are passed. The connection's lock must not be held. */
int ask(struct connection *connection, struct message *message, int descriptors);

/* Asks, and leaves the answer in `asked`, which is used until ask_is_over returns true or ask_forget is called. Closes
 * the descriptors that are passed. Never waits. */
int ask_later(struct connection *connection, struct message *message, struct asked *asked);

/* True if the answer has come, or none will: then ask_result returns it. Never waits. */
bool ask_is_over(struct connection *connection, struct asked *asked);
int ask_result(struct connection *connection, struct asked *asked, int descriptors);

/* Nobody wants the answer any more. */
void ask_forget(struct connection *connection, struct asked *asked);

/* Sends a message that needs no answer, in the order of requests. A node that is gone needs no message. If the node
 * stands still until its socket is full, the message is sent later, before the next request. Never waits. */
void notify(struct connection *connection, int type, int64_t value);

/* Around calls that ask the node: another thread that ends the connection waits until they have ended. The second takes
 * what the first has returned. */
int connection_enter(struct connection *connection);
void connection_leave(struct connection *connection, int state);

/* Ends the connection, and with it what other threads ask for; returns when none is left between connection_enter and
 * connection_leave. */
void end_calls(struct connection *connection);

/* ---- Which socket (find.c) ---- */

/* The path of the socket of this machine's node. */
int find_node(char *path, size_t capacity);

#endif
