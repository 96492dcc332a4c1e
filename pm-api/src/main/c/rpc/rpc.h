/* Requests and replies, built on the API of hxb.h: rpc.c (what programs call), serve.c (the loop of an endpoint), reply.c
 * (answers), send.c, call.c (requests of the program), peer.c (peers and what waits for them), check.c. They are as
 * io.hxb.pm.rpc is, whose classes explain the rules. */
#ifndef HXB_RPC_INTERNAL_H
#define HXB_RPC_INTERNAL_H

#include "base/base.h"
#include "hxb_rpc.h"

#define RPC_TAG 0x52504320U /* "RPC" and version 2: RpcWire draws the messages */
enum rpc_kind {
    RPC_REQUEST, RPC_REPLY, RPC_FAILURE, RPC_BUSY, RPC_PUBLISHED, RPC_PING, RPC_PONG, RPC_AGAIN, RPC_LOST, RPC_KINDS
};

#define RPC_FROM 0
#define RPC_TO 8
#define RPC_NUMBER 16

#define RPC_WINDOW 1024 /* numbers that are remembered one by one */
#define RPC_RUNNING 128 /* requests of a peer that are carried out */
#define RPC_MAX_RUNNING 8192
#define RPC_MAX_PEERS 16384
#define RPC_IN_FLIGHT 32
#define RPC_ANSWER_NS (60 * HXB_SECOND) /* for which answers are kept */
#define RPC_BUCKETS 1024

/* A message that is in flight, or waits for that. */
struct rpc_message {
    struct rpc_message *next, **back; /* in a list */
    struct rpc_peer *peer;
    struct rpc_call *call; /* that it is the request of; NULL for others, and when the call has ended */
    int kind;
    int64_t kept_until; /* an answer is sent again if it is lost */
    uint64_t to, number;
    size_t length;
    uint8_t data[];
};

struct rpc_list {
    struct rpc_message *first, **last;
    int count;
};

/* A request of the program that has not ended. */
struct rpc_call {
    struct rpc_call *next, *before; /* of the peer's, in the order in which they were asked for */
    struct rpc_peer *peer;
    struct rpc_message *in_flight;
    uint64_t number; /* 0 until it is sent for the first time */
    uint64_t sent_to;
    bool is_in_doubt; /* it has to be sent again */
    int64_t deadline;
    size_t place; /* in the heap of deadlines */
    hxb_rpc_done done;
    void *user;
    size_t length;
    uint8_t data[];
};

/* The requests of one endpoint that have been begun here. */
struct rpc_history {
    uint64_t endpoint_id, highest;
    uint64_t begun[RPC_WINDOW / 64];
    int running;
    struct {
        uint64_t number;
        bool is_answered;
    } *run; /* RPC_RUNNING of them, or NULL */
};

struct rpc_peer {
    struct rpc_peer *next;          /* in its bucket */
    struct rpc_peer *newer, *older; /* of all */
    hxb_address address;
    struct rpc_call *first, *last; /* requests to it */
    struct rpc_call *fresh;        /* the first that was not sent */
    int calls, under_way, doubts;
    struct rpc_list others;
    int published;
    struct rpc_history history;
    int last_status, in_flight;
    uint64_t last_number, endpoint_id, attachment;
    bool is_sure, is_ping_in_flight, is_watched, is_there;
    int64_t heard_ns, ping_ns, rested_ns;
};

struct hxb_rpc {
    char *socket;
    int context_id;
    void *user;
    void (*on_request)(void *user, hxb_rpc *rpc, const hxb_rpc_request *request);
    void (*on_peer)(void *user, hxb_rpc *rpc, hxb_address peer, bool is_there);
    _Atomic uintptr_t owner;
    int64_t process;
    int wake_fd;
    bool is_calling; /* functions of the program */
    int called;
    hxb_device *device; /* NULL while there is no node */
    hxb_context *context;
    bool is_node_gone;
    int64_t attach_ns;
    int node, nodes, contexts;
    size_t max_length;
    uint64_t endpoint_id, first_number;
    int64_t attachments;
    bool has_forgotten;
    int running;
    struct rpc_list in_flight;
    struct rpc_peer *buckets[RPC_BUCKETS];
    struct rpc_peer *oldest, *newest;
    int peers;
    struct rpc_call **heap; /* of calls, the one with the earliest deadline first */
    size_t heap_count, heap_room;
};

/* ---- Checks of what programs pass (check.c) ---- */

int rpc_check(const hxb_rpc *rpc);
/* The same for calls that a function of the program must not make while the endpoint calls it. */
int rpc_check_outside(const hxb_rpc *rpc);
int rpc_check_peer(const hxb_rpc *rpc, hxb_address peer);
int rpc_check_data(const hxb_rpc *rpc, const void *data, size_t length);

/* ---- Peers (peer.c) ---- */

struct rpc_peer *rpc_find(const hxb_rpc *rpc, hxb_address address);
/* NULL if there is no memory, or too many have something to do. */
struct rpc_peer *rpc_peer(hxb_rpc *rpc, hxb_address address);
void rpc_free_peers(hxb_rpc *rpc);
/* Appends a message to those that wait for a peer; false if there is no memory, or it has too many. */
bool rpc_post(struct rpc_peer *peer, int kind, uint64_t to, uint64_t number, const void *data, size_t length);
struct rpc_message *rpc_new_message(struct rpc_peer *peer, int kind, uint64_t to, uint64_t number, const void *data,
                                    size_t length);
void rpc_append(struct rpc_list *list, struct rpc_message *message);
void rpc_remove(struct rpc_list *list, struct rpc_message *message);
void rpc_init_list(struct rpc_list *list);
/* The peer has answered, or messages to it may be lost. */
void rpc_on_heard(hxb_rpc *rpc, struct rpc_peer *peer, uint64_t endpoint_id);
void rpc_on_doubt(hxb_rpc *rpc, struct rpc_peer *peer, int status);
bool rpc_is_to_be_pinged(hxb_rpc *rpc, struct rpc_peer *peer, int64_t now);

/* Requests of the peer. */
bool rpc_has_begun(const struct rpc_history *history, uint64_t number);
void rpc_begin_run(struct rpc_history *history, uint64_t number);
/* Its place among those that run, or -1. */
int rpc_find_run(const struct rpc_history *history, uint64_t number);
void rpc_end_run(struct rpc_history *history, int place);

/* ---- Requests of the program (call.c) ---- */

int rpc_new_call(hxb_rpc *rpc, struct rpc_peer *peer, const void *data, size_t length, int64_t deadline,
                 hxb_rpc_done done, void *user);
void rpc_end_call(hxb_rpc *rpc, struct rpc_call *call, int status, bool may_be_done, const void *data, size_t length);
void rpc_fail_call(hxb_rpc *rpc, struct rpc_call *call, int status);
void rpc_end_late(hxb_rpc *rpc, int64_t now);
void rpc_end_all(hxb_rpc *rpc, int status);
void rpc_end_calls_of(hxb_rpc *rpc, struct rpc_peer *peer, int status);
void rpc_doubt(struct rpc_call *call);
void rpc_doubt_all(struct rpc_peer *peer);
struct rpc_call *rpc_find_call(const struct rpc_peer *peer, uint64_t number);
/* The next request that has to be sent, or NULL. */
struct rpc_call *rpc_next_call(const struct rpc_peer *peer);
/* It is sent. */
void rpc_on_sent(struct rpc_call *call, struct rpc_message *message);

/* ---- Sending (send.c) ---- */

/* Sends what can be sent now. */
void rpc_flush(hxb_rpc *rpc, int64_t now);
/* The same for what was asked for outside of hxb_rpc_serve. */
void rpc_flush_outside(hxb_rpc *rpc);
/* The message is not in flight any more. */
void rpc_on_done(hxb_rpc *rpc, struct rpc_message *message, int status);

/* ---- The loop (serve.c) ---- */

int rpc_attach(hxb_rpc *rpc);
/* The number of functions of the program that were called, or why there was none. */
int rpc_serve(hxb_rpc *rpc, int64_t timeout_ns);

#endif
