/* The objects that programs open, as data, and functions on them that send no message to another endpoint. */
#ifndef HXB_FI_OBJECTS_H
#define HXB_FI_OBJECTS_H

#include "libfabric/base/base.h"

/* ---- What is sent between endpoints ---- */

#define PROTOCOL 0x31494648u /* tag of all messages of libhxb: "HFI1" */

enum kind {
    EAGER = 1, /* a message with all its bytes */
    BEGIN,     /* of a longer message; PARTs with its first bytes follow */
    PART,      /* bytes of a message */
    GO,        /* the receiver wants `value` bytes of a message in all */
    PLACED,    /* a message that asked for it lies in its buffer */
    GONE,      /* the endpoint that was addressed, of incarnation `value`, is not there any more, but another one is */
    WRITE,     /* bytes for memory of the peer; PARTs with more of them may follow */
    READ,      /* asks for bytes of memory of the peer */
    DATA,      /* some of those */
    ATOMIC,    /* operands for memory of the peer, and what to do with them */
    RESULT,    /* what was there before */
    FAILED,    /* an operation on memory was not done, for the reason `value`, an FI_Exxx */
    PING,      /* asks for nothing: if it cannot be delivered, its sender learns that the peer is gone */
    FULL,      /* the receiver keeps enough: bytes stay with the sender until they are asked for */
    ROOM,      /* the end of that */
    LEFT,      /* the bytes of a message from `value` on stay with the sender until they are asked for */
    LOST       /* something between the two was lost: both start again, with this header's session */
};

enum { HAS_DATA = 1, IS_TAGGED = 2, WANTS_PLACED = 4, IS_LEFT = 8 /* of BEGIN: nothing more comes unasked */ };

/* Little-endian, as all of libhxb. After the first 24 bytes are only those extras that the kind has: of BEGIN the
 * length; of WRITE and READ key and length, of ATOMIC key and shape; and at last the data if HAS_DATA. */
struct header {
    uint8_t kind;
    uint8_t flags;
    uint16_t session;     /* how often something between the two was lost, as far as the sender knows */
    uint32_t destination; /* incarnation of the endpoint that it is for */
    uint32_t source;      /* incarnation of the sender */
    uint32_t id;          /* number of the sender's operation; in answers, and PARTs of answers, of the receiver's */
    uint64_t value;       /* tag; of PART and DATA the offset, of GO the bytes wanted, of WRITE to ATOMIC the address */
    uint64_t extras[3];
};

enum { SHORT_HEADER = 24, MAX_HEADER = 48 };

_Static_assert(sizeof(struct header) == MAX_HEADER, "the header has no gaps");

static inline int extras_of(enum kind kind) {
    return kind == BEGIN ? 1 : kind == WRITE || kind == READ || kind == ATOMIC ? 2 : 0;
}

/* ---- Objects ---- */

struct fabric {
    struct fid_fabric fid;
    uint32_t api_version; /* that the program has asked for */
    int users; /* domains and event queues; shared by threads without a lock, so with atomic operations only */
};

static inline void fabric_use(struct fabric *fabric, int change) {
    __atomic_add_fetch(&fabric->users, change, __ATOMIC_ACQ_REL);
}

/* The behaviour of a program that polls and finds no completion: the best one (see idle.c), or always the same. */
enum idle_kind { IDLE_AUTO, IDLE_SPIN, IDLE_YIELD, IDLE_SLEEP };

struct domain {
    struct fid_domain fid;
    struct fabric *fabric;
    pthread_mutex_t lock;
    hxb_device *device;
    struct link endpoints;
    struct link registrations[BUCKETS]; /* by key */
    int mr_mode;
    int users; /* what was opened in it and not closed */
    int idle_turns;        /* polls that found no completion, one soon after the other */
    int64_t idle_ns;       /* when the last of them ended */
    int64_t idle_since_ns; /* when the first of them was */
    int64_t late_ns;       /* of what was lost to late returns of the CPU, what has not leaked away */
    int64_t late_since_ns; /* when it last leaked */
    int64_t crowded_until_ns; /* until then waits sleep, as others compute on the CPU */
    int64_t pause_ns;      /* how long that is */
    int64_t shared_until_ns; /* until then waits sleep soon, as several threads use an endpoint */
    enum idle_kind idle_kind;
    int sleeping;          /* threads that sleep because polls found nothing */
    bool is_sleep_over;      /* they are woken */
    bool is_automatic; /* a thread makes progress, and nobody else */
    bool is_ending;
    pthread_t thread;
    int wait_fd; /* an epoll descriptor of all that the thread waits for */
    int wake_fd; /* in it: wakes the thread, or those that sleep */
};

/* Memory that peers may use. */
struct mr {
    struct fid_mr fid;
    struct link link;
    struct domain *domain;
    uint8_t *base;
    size_t length;
    uint64_t access;
};

struct av {
    struct fid_av fid;
    struct domain *domain;
    struct address *entries; /* by fi_addr_t; magic 0 where one was removed, and then `node` is the next such one */
    size_t count, capacity;
    int32_t removed; /* the last entry that was removed; -1 for none */
    uint32_t *index; /* hash of peers to entries + 1 */
    size_t index_size, index_used;
    int users; /* endpoints bound to it, and sets of its addresses */
};

struct av_set {
    struct fid_av_set fid;
    struct av *av;
    fi_addr_t *members; /* in the order of their ranks */
    size_t count, capacity;
};

static inline fi_addr_t address_of_set(const struct av_set *set) {
    return (fi_addr_t)(uintptr_t)set;
}

struct completion {
    void *context;
    uint64_t flags;
    size_t length;
    void *buffer;
    uint64_t data, tag;
    fi_addr_t source;
};

struct cq {
    struct fid_cq fid;
    struct domain *domain;
    enum fi_cq_format format;
    enum fi_wait_obj wait;
    struct completion *entries; /* a ring */
    size_t capacity, head, count;
    struct fi_cq_err_entry *errors; /* a ring */
    size_t error_capacity, error_head, error_count;
    int wait_fd;      /* an epoll descriptor of what endpoints wait for; -1 without a wait object */
    int signal_fd;    /* in it: ends a wait */
    int timer_fd;     /* in it, too: ends a wait when an awaited peer has to be looked for */
    bool has_timer;   /* that is set */
    bool is_awaited;  /* somebody sleeps until there is an entry */
    bool is_signalled; /* by fi_cq_signal */
    bool is_overrun;   /* there was no memory for a completion */
    int users;        /* endpoints bound to it */
};

struct cntr {
    struct fid_cntr fid;
    struct domain *domain;
    uint64_t value, errors;
    int users;
};

/* An operation that a program has called for: a send or a receive. */
struct op {
    struct link link;   /* in the list of what its state waits for */
    uint64_t order;     /* of receives: in which they were posted */
    void *context;      /* of the caller */
    uint64_t flags;     /* of its completion */
    uint64_t wanted;    /* of a send: FI_TRANSMIT_COMPLETE or FI_DELIVERY_COMPLETE, or 0 */
    bool is_reported;       /* by a completion, not by a counter alone */
    bool is_injected;   /* of a send: its caller gave no context */
    bool is_answer;     /* of a send: the provider's own */
    bool is_posted;     /* of a receive: no message has been found for it */
    bool is_classed;    /* of a receive: among those of its kind */
    bool is_multi;      /* of a receive: many messages, one after the other */
    bool is_granted;    /* of a send: the receiver has sent how much it wants */
    bool is_left;       /* of a send: its bytes stay here until they are asked for, and its program waits for that */
    bool is_ended;      /* of a send: its end was reported to the program, since `copy` has the bytes */
    enum kind kind;     /* of a send: how it begins */
    uint8_t wire_flags;
    uint32_t id;          /* of a send that answers can name; 0 for none */
    uint32_t answered;    /* of an answer: the number that it names */
    int slot;             /* of a send: the last that its bytes are in */
    uint64_t peer;
    uint64_t tag, ignore, data;
    uint64_t key, shape;  /* of remote memory; and of ATOMIC */
    struct mr *mr;        /* of DATA: where the buffer is */
    size_t length;  /* of the buffer */
    size_t done;    /* of a send, bytes in slots; of READ, bytes here; of a receive for many, bytes used */
    size_t granted; /* of a send, bytes that may be sent */
    struct op *parent;    /* of a receive: the one for many messages that it is a part of */
    int children;         /* parts that are not complete */
    uint8_t *copy;        /* memory of the operation's own, which its buffer is */
    struct iovec iov[IOV_LIMIT];
    struct iovec result[IOV_LIMIT]; /* of ATOMIC: for what was there before */
};

/* A message that is arriving, or has arrived before somebody asked for it. */
struct incoming {
    struct link link;   /* in the list of what nobody has asked for */
    struct link stream; /* in the table of those of which parts are awaited */
    struct link hashed[INDEXES]; /* in the tables of what nobody has asked for */
    struct matcher *matcher; /* whose list that is */
    uint64_t peer, tag, data;
    size_t length;
    uint32_t id;
    uint8_t flags;
    bool is_long;           /* it began with BEGIN */
    bool is_left;           /* the sender keeps what has not arrived until it is asked for */
    bool is_asked;          /* the sender was asked for the rest */
    bool is_discarded;      /* its bytes are not wanted */
    int lost;               /* FI_Exxx: why the rest of a claimed one will not come, or why a write is refused */
    size_t arrived, awaited; /* bytes */
    struct op *op;          /* the receive that it is for; NULL if nobody has asked */
    void *claimer;          /* the context that has claimed it by FI_CLAIM */
    bool is_write;          /* for memory, not for a receive */
    struct mr *mr;          /* of a write: where it goes; NULL if it is refused */
    uint8_t *target;
    bool is_behind;         /* it is ahead because one before it was taken */
    uint8_t *ahead;         /* its bytes that stayed with the sender and were asked for before a receive; or NULL */
    size_t held;            /* bytes that are kept below */
    uint8_t bytes[];
};

/* Receives that ignore the same bits of the tag, by the other bits and the peer. */
struct mask_class {
    uint64_t ignore;
    bool is_directed;
    size_t count;
    struct link buckets[BUCKETS];
};

/* Messages that nobody has asked for, for receives that ignore the same bits of the tag. */
struct tag_index {
    uint64_t ignore;
    bool is_directed;
    size_t size; /* of the table, a power of two */
    struct link *buckets;
};

struct matcher {
    struct mask_class *classes[MASKS];
    int class_count;
    struct link others; /* receives that ignore yet other bits */
    size_t posted;
    struct link unexpected, claimed;
    size_t unexpected_count;
    struct tag_index indexes[INDEXES];
    int index_count, oldest_index;
};

struct eq {
    struct fid_eq fid;
    struct fabric *fabric;
    pthread_mutex_t lock; /* recursive: progress that a reader makes may add to the queue that he reads */
    struct link endpoints;
    struct link events;
};

/* An event for an event queue; belongs to the object that it is about. */
struct event {
    struct link link; /* in the queue */
    uint32_t type;
    fid_t fid;
    void *context;
    int error; /* 0, or FI_Exxx */
    int detail;
};

struct endpoint {
    struct fid_ep fid;
    struct link link; /* in its domain */
    struct domain *domain;
    struct av *av;
    struct cq *send_cq, *receive_cq;
    struct cntr *send_cntr, *receive_cntr, *read_cntr, *write_cntr, *remote_read_cntr, *remote_write_cntr;
    bool is_send_selective, is_receive_selective;
    uint64_t caps, send_flags, receive_flags;
    bool is_enabled, is_armed;
    bool has_ended; /* the failure was reported for all operations */
    int failure; /* 0, or FI_Exxx: why nothing works any more */
    hxb_context *context;
    pthread_t owner;
    struct address address;
    size_t max_payload;   /* of a message of libhxb, with its header */
    struct link queue;    /* operations that wait for a slot, in order */
    size_t queued;
    struct link sending;  /* those of which parts are to be sent */
    struct link waiting;  /* those that wait for an answer, or until their slot is acknowledged */
    struct op *slots[SEND_BUFFERS]; /* which operation is complete when this slot is */
    int slots_awaited; /* of those */
    uint64_t slot_peers[SEND_BUFFERS]; /* the peer of the last message of this slot; 0 if there was none */
    uint16_t slot_sessions[SEND_BUFFERS];
    struct op **ids;      /* operations that answers can name, by id - 1 */
    uint32_t id_capacity, id_hint;
    struct matcher tagged, plain;
    struct link streams[BUCKETS];
    uint64_t order;
    size_t unexpected_bytes, unexpected_limit;
    size_t full_peers; /* peers that were asked to keep their bytes */
    bool is_peeked;   /* the program looks for a message that has not arrived */
    size_t unheard;   /* bytes sent since messages were last received */
    size_t left;      /* short sends whose bytes stay here and whose programs wait for that */
    size_t left_bytes; /* of copies whose programs do not */
    size_t ahead[2], ahead_bytes[2]; /* messages whose bytes were asked for before a receive; is_behind or not */
    size_t arriving; /* messages that somebody has asked for, and of which parts are awaited */
    size_t min_multi_recv;
    struct map states;   /* of peers: see peer.c */
    struct map heard;    /* by node and context: the incarnation of which the last message came */
    int64_t ping_ns, ping_interval_ns; /* when peers are looked for next; 0 while nothing is awaited */
    uint64_t last_heard; /* to find that at once; ANY if nobody was */
    struct eq *eq;
    struct link eq_link; /* in that */
    struct link groups;  /* that it has joined */
    hxb_context *group_context; /* for their operations; NULL before the first is joined */
    struct map joins;    /* by the hash of their members: how many groups were joined */
};

/* ---- Domains that are in use, and who waits (wake.c) ---- */

void domain_hold(struct domain *domain);
void domain_release(struct domain *domain);
/* Several threads use an endpoint: they are woken by one another, and need the CPU that one of them waits on. */
void share(struct domain *domain);
/* Work for the thread that makes progress. */
void wake_thread(struct domain *domain);
/* Wakes threads that sleep: there is a completion, or something else to look for. */
void end_naps(struct domain *domain);

/* Takes all that an event descriptor has counted. */
void drain_events(int fd);

/* ---- Completions and counters (completion.c) ---- */

void cq_add(struct cq *cq, const struct completion *completion);
void cq_add_error(struct cq *cq, const struct fi_cq_err_entry *error);
/* Somebody who sleeps until there is an entry looks again. */
void cq_wake(struct cq *cq);
/* Threads that wait for the queue, asleep or in turns, look again. */
void cq_signal(struct cq *cq);
/* Adds to the value or the errors of a counter. */
void cntr_count(struct cntr *cntr, bool is_error);
/* The text of an error of libfabric or libhxb; copied to a place if there is one. */
const char *error_text(int detail, char *to, size_t length);

/* ---- Events (event.c) ---- */

struct eq *eq_of_fid(struct fid *fid);
/* Reading the queue makes progress of the endpoint. */
void eq_bind(struct eq *eq, struct endpoint *endpoint);
void eq_unbind(struct endpoint *endpoint);
void eq_add(struct eq *eq, struct event *event);
/* Of an event that nobody has read, or that was read, or that has not happened. */
void eq_remove(struct eq *eq, struct event *event);

/* ---- Addresses (address.c) ---- */

/* NULL if there is none. */
const struct address *av_find(const struct av *av, fi_addr_t address);
/* FI_ADDR_NOTAVAIL if there is none. */
fi_addr_t av_reverse(const struct av *av, uint64_t peer);
size_t av_hash(uint64_t peer);

/* ---- Memory that peers may use (memory.c) ---- */

/* Where the registrations with this key are listed. */
struct link *memory_bucket(struct domain *domain, uint64_t key);
/* NULL if there is none. */
struct mr *memory_of_key(struct domain *domain, uint64_t key);
/* 0 and where the bytes lie, or FI_Exxx. */
int find_memory(struct domain *domain, uint64_t key, uint64_t address, uint64_t length, uint64_t access,
                struct mr **mr, uint8_t **bytes);

/* ---- Operations (op.c) ---- */

struct op *op_new(void);
void op_free(struct op *op);
/* The parts of a buffer, of which there may be none. */
static inline void set_parts(struct iovec *to, const struct iovec *from, size_t count) {
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i];
    }
}
/* Copies bytes from their parts into one piece. Parts without bytes may have no address. */
void copy_from(const struct iovec *iov, size_t count, size_t offset, size_t length, uint8_t *to);
/* Bytes beyond the buffer are left out. */
void place(const struct op *op, size_t offset, const uint8_t *bytes, size_t length);
/* Gives an operation a number that answers can name; false if there is no memory. */
bool number_op(struct endpoint *endpoint, struct op *op);
/* The operation that an answer names; NULL if there is none. */
struct op *numbered(const struct endpoint *endpoint, uint64_t peer, uint32_t id);

/* ---- Which receive a message is for (match.c) ---- */

void match_init(struct matcher *matcher);
void match_free(struct matcher *matcher);
void match_post(struct matcher *matcher, struct op *op);
/* The receive that a message is for, NULL if there is none; taken out, unless it is for many messages. */
struct op *match_take(struct matcher *matcher, uint64_t peer, uint64_t tag);
void match_remove(struct matcher *matcher, struct op *op);
/* Takes a receive out by the context of its caller. */
struct op *match_cancel(struct matcher *matcher, const void *context);
/* Takes a receive out that waits for this peer alone. */
struct op *match_of_peer(struct matcher *matcher, uint64_t peer);
/* Takes any receive out. */
struct op *match_any(struct matcher *matcher);
/* Messages that nobody has asked for. */
void match_keep(struct matcher *matcher, struct incoming *incoming);
void match_forget(struct incoming *incoming);
void match_claim(struct matcher *matcher, struct incoming *incoming, void *claimer);
struct incoming *match_unexpected(struct matcher *matcher, uint64_t peer, uint64_t tag, uint64_t ignore);
struct incoming *match_claimed(struct matcher *matcher, const void *claimer);
/* The neighbour of a message that nobody has asked for, in the order in which they came; NULL if there is none. */
struct incoming *match_neighbour(const struct incoming *incoming, bool is_next);

/* ---- Types and atomic operations (datatype.c) ---- */

enum purpose { BASE, FETCH, COMPARE };

/* Bytes of an element; 0 if there is no such type. */
size_t datatype_size(enum fi_datatype type);
size_t datatype_alignment(enum fi_datatype type);
bool atomic_is_possible(enum fi_datatype type, enum fi_op op, enum purpose purpose);
/* Elements that fit into a message with all that it needs. */
size_t atomic_max_count(size_t payload, enum fi_datatype type, enum purpose purpose);

/* ---- Contexts of endpoints (access.c) ---- */

/* Takes the lock, and the context over for this thread. */
void enter(struct endpoint *endpoint);
void leave(struct endpoint *endpoint);
/* Makes the calling thread the owner of the context. */
void own(struct endpoint *endpoint);
/* Its descriptors do not become readable until it is armed again. */
void disarm(struct endpoint *endpoint);
/* Opens a context of the node that is free; a negative result of libhxb, of which it warns, if there is none. */
int open_any_context(hxb_device *device, const hxb_context_options *options, hxb_context **context, int *id);
/* Threads that wait for the endpoint wait for a context, too; 0 or FI_Exxx. */
int watch_context(struct endpoint *endpoint, const hxb_context *context);
void unwatch_context(struct endpoint *endpoint, const hxb_context *context);
/* A result of libhxb shows that the context cannot be used any more: the next progress ends all operations. */
void fail_endpoint(struct endpoint *endpoint, int result);
/* 0 or a negative FI_Exxx. */
int watch_fd(int wait_fd, int fd);

/* ---- States of peers (session.c) ----
 *
 * When a message between an endpoint and a peer is lost, its successors may never come. So the endpoint that notices
 * the loss ends all operations between the two. It counts the losses; each message has the count of its sender, the
 * session. An endpoint answers a message of an earlier session than its own with LOST. An endpoint that gets a message
 * of a later session ends all operations, too. From then on the two agree, and have begun again. */

enum { SESSION_SHIFT = 16, ERROR_MASK = 0xFFFF };

/* Of a state; the lowest 16 bits are the error that calls end with, the next ones the session. */
#define IS_GONE (UINT64_C(1) << 32)          /* calls end with the error forever, not once */
#define WANTS_NO_BYTES (UINT64_C(1) << 33)   /* that it has not asked for */
#define HAS_FULL (UINT64_C(1) << 34)     /* to keep its bytes until it is asked for them */
#define HAS_LOST (UINT64_C(1) << 35)     /* of the present session */

uint64_t peer_state(const struct endpoint *endpoint, uint64_t peer);
void set_peer_state(struct endpoint *endpoint, uint64_t peer, uint64_t state);
/* 0, or FI_Exxx for a call of a program that names this peer: always if the peer is gone, and once for a loss that was
 * not reported otherwise. */
int error_of_peer(struct endpoint *endpoint, uint64_t peer);
bool is_gone(const struct endpoint *endpoint, uint64_t peer);
uint16_t session_of(const struct endpoint *endpoint, uint64_t peer);
/* The peer wants no bytes that it has not asked for, or does again. */
void set_wants_no_bytes(struct endpoint *endpoint, uint64_t peer, bool is_full);
bool wants_no_bytes(const struct endpoint *endpoint, uint64_t peer);
/* The peer that last used a context, as far as is known; ANY if there was none. */
uint64_t peer_at(const struct endpoint *endpoint, int node, int context);
void free_peers(struct endpoint *endpoint);

#endif
