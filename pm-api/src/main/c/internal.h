/* What the files of libhxb share. Not installed. */
#ifndef HXB_INTERNAL_H
#define HXB_INTERNAL_H

#include "hxb.h"
#include "hxb_layout.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "shared memory is little-endian");
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LONG_LOCK_FREE == 2, "atomics of two processes need no lock");

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* On the way of each message, and small enough to have no call there. */
#define HOT static inline __attribute__((always_inline))

/* ---- Shared memory ----
 * Every access is atomic, relaxed where Java's is plain: another process may write at any time, and the compiler must
 * read a word exactly once, so that what was checked is what is used. On x86-64 these are the same instructions.
 * Acquire, release and sequentially consistent stand for getAcquire, setRelease and getVolatile of Java's VarHandle. */

typedef _Atomic uint32_t shared32 __attribute__((may_alias)); /* the same bytes are also written as others */
typedef _Atomic uint64_t shared64 __attribute__((may_alias));

static inline uint32_t get32(const uint8_t *at) {
    return atomic_load_explicit((const shared32 *)at, memory_order_relaxed);
}

static inline uint64_t get64(const uint8_t *at) {
    return atomic_load_explicit((const shared64 *)at, memory_order_relaxed);
}

static inline uint64_t get64_acquire(const uint8_t *at) {
    return atomic_load_explicit((const shared64 *)at, memory_order_acquire);
}

static inline uint32_t get32_acquire(const uint8_t *at) {
    return atomic_load_explicit((const shared32 *)at, memory_order_acquire);
}

static inline void put32(uint8_t *at, uint32_t value) {
    atomic_store_explicit((shared32 *)at, value, memory_order_relaxed);
}

static inline void put64(uint8_t *at, uint64_t value) {
    atomic_store_explicit((shared64 *)at, value, memory_order_relaxed);
}

static inline void put64_release(uint8_t *at, uint64_t value) {
    atomic_store_explicit((shared64 *)at, value, memory_order_release);
}

#define FETCH_AHEAD_BYTES 512 /* of the next record of a ring: then its line is there when it is written */

/* So that the line is there, and the receiver's no more, when it is written; a hint, which changes nothing. */
static inline void fetch_for_writing(const uint8_t *at) {
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*at)); /* gcc has it for some processors only; others ignore it */
#else
    __builtin_prefetch(at, 1, 3);
#endif
}

/* Between two looks at memory that another CPU writes. */
static inline void pause_cpu(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* ---- Errors (error.c) ---- */

#define TEXT_BYTES 1024

/* Notes the details of an error for hxb_last_error; returns `result`. */
int fail(int result, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* The same with the text of errno; ENOMEM, EMFILE and ENFILE become HXB_E_MEMORY. */
int fail_errno(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/* ---- Structs whose first field is their size (context.c) ---- */

#define MAX_STRUCT_BYTES 4096

/* Copies what a program has filled in, as far as it has it, over the defaults; `name` is for errors. */
int take_struct(void *to, size_t known, const void *from, const char *name);
/* The reverse: fills in as much as the program knows, and the size. */
void give_struct(void *to, size_t size, const void *from, size_t known);

/* True for an outcome that a node may tell. */
bool is_status(int status);

/* ---- Calls (process.c) ---- */

/* Disables cancellation of the thread until call_end, which takes what it returned. */
int call_begin(void);
void call_end(int state);

/* Number of this process in a line of forks, 1 or more; -1 if there is no memory for it. */
int64_t process_number(void);

/* Descriptors that a child of fork does not keep. Between hold and release no fork happens: what is made there and added
 * is in no child. */
void descriptors_hold(void);
void descriptors_release(void);
void descriptors_add(int fd); /* while held; -1 is ignored */
/* Closes one that was added; -1 is ignored. */
void descriptor_close(int fd);

/* 0 in a child that has not attached itself, else process_number. */
extern const _Atomic int64_t *process_word;

static inline bool is_forked(int64_t number) {
    return UNLIKELY(atomic_load_explicit(process_word, memory_order_relaxed) != number);
}

static inline int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * HXB_SECOND + now.tv_nsec;
}

/* Makes the descriptor of a node's loop readable; a system call that is no cancellation point. */
void signal_event(int fd);

/* Wakes another context of this node; a system call that is no cancellation point. */
void signal_socket(int fd);

/* Takes the signals that have arrived; returns how many. */
int drain_signals(int fd);

/* ---- Words to sleep on (futex.c) ---- */

/* As struct futex_waitv of <linux/futex.h>, which older headers do not have. */
struct futex_word {
    uint64_t value, address;
    uint32_t flags, reserved;
};

#define FUTEX_MAX_WORDS 128 /* FUTEX_WAITV_MAX */

/* What a thread sleeps on: words, each with the value that it has until then. */
struct futex_words {
    unsigned count;
    struct futex_word at[FUTEX_MAX_WORDS];
};

/* True if a thread may sleep on several words at once here. */
bool futex_is_there(void);
void futex_add(struct futex_words *words, const uint8_t *word, uint32_t value);
/* Sleeps until one of them has changed or is woken; false when it ended for another reason: the time has passed, or a
 * signal came. No cancellation point. */
bool futex_sleep(const struct futex_words *words, int64_t timeout_ns);
/* Wakes one thread that sleeps on the word. */
void futex_wake(uint8_t *word);

/* ---- Memory (memory.c) ---- */

/* Memory of this process that it lends its node: files in memory, mapped one behind the other. */
struct lent {
    int id;
    uint8_t *data;
    uint64_t length; /* of the mapping, whole pages */
    uint64_t filled;
};

int lent_reserve(struct lent *lent, uint64_t length);
/* Makes and maps the next pieces; returns how many, whose descriptors the caller closes. */
int lent_fill(struct lent *lent, const char *name, int *pieces, int max);
void lent_close(struct lent *lent);

/* A file of zeroed pages, all of which are taken now and whose size is sealed; -1 with errno. */
int make_file(const char *name, uint64_t length);

/* What is wrong with a file in memory that was passed and is to have this length at least; NULL if nothing is. */
const char *file_problem(int fd, uint64_t length);

/* Maps memory of the node read-only, after checking that the descriptor is what it should be; takes the descriptor. */
int map_node_memory(int fd, uint64_t length, const char *what, const uint8_t **data);

/* ---- Attaching (attach.c, find.c) ---- */

struct facts {
    int node_id;
    int node_count;
    int mtu;
    int contexts;
    int receive_buffers;
    int receive_buffer_bytes;
    int loops;
    int dimensions;
    int extents[8];
    char shape[HXB_PAGE_MAX_SHAPE_BYTES + 1];
};

struct hxb_region {
    hxb_device *device;
    hxb_region *next;
    struct lent lent;
    uint64_t length;
    bool is_writable;
};

struct hxb_device {
    int64_t process;
    pthread_mutex_t lock; /* of the connection and the lists; never held while a thread waits */
    int socket;
    int gone; /* readable as soon as the node has closed the connection, whatever else it has sent */
    char path[108];
    const uint8_t *page;
    const uint8_t *pool;
    uint64_t pool_bytes;
    struct facts facts;
    int min_delivery_entries;
    int own_buffers;
    uint32_t direct_bytes; /* of a direct ring; 0 for none */
    bool has_fences;       /* this process takes part in memory fences of others */
    bool has_words;        /* threads may sleep on words of shared memory: the node wakes them there, too */
    bool has_id[HXB_ATTACH_MEMORY_IDS];
    uint32_t requests;
    int version;
    struct asked *asked;   /* requests without an answer, the oldest first */
    struct untold *untold; /* what the node could not be told yet */
    bool is_reading;       /* a thread sleeps at the socket, and reads for all */
    bool is_ending;
    int calls;               /* of threads that ask the node for something */
    pthread_cond_t answered; /* when that thread has read */
    hxb_context *contexts;
    hxb_region *regions;

    pthread_mutex_t link_lock;
    hxb_link_listener link_listener;
    void *link_user;
    _Atomic bool has_listener;
    _Atomic uint64_t links_taken;
};

/* What a context consists of: made by attach_context, given back by detach_context. */
struct context_memory {
    struct lent control;
    struct lent send;
    struct lent own;
    struct lent remote; /* none until it is used */
    int loop;
    int wake_application;
    int wake_node;
};

int find_node(char *path, size_t capacity);
int connect_node(const char *path, int *fd, int64_t limit_ms);
int attach_context(hxb_device *device, int id, const hxb_context_options *sizes, struct context_memory *memory);
void detach_context(hxb_device *device, int id, struct context_memory *memory);
int lend(hxb_device *device, struct lent *lent, const char *name, uint64_t length, int use);
/* Memory that the node may write to; only if the node knows remote memory. */
int lend_writable(hxb_device *device, struct lent *lent, uint64_t length);
void take_back(hxb_device *device, struct lent *lent);
/* Lends the memory for operations of a context on remote memory; without an answer the node may use it later. */
int attach_remote(hxb_device *device, int id, const hxb_remote_options *sizes, uint64_t length, struct lent *lent,
                  bool *is_unanswered);
int share_memory(hxb_device *device, int id, int rights, uint64_t *key);
int revoke_key(hxb_device *device, uint64_t key);
/* Around calls that ask the node: another thread that closes the device waits until they have ended. The second takes
 * what the first has returned. */
int device_enter(hxb_device *device);
void device_leave(hxb_device *device, int state);
int say_hello(hxb_device *device);
bool is_node_alive(const hxb_device *device);

static inline int check_device(const hxb_device *device) {
    if (UNLIKELY(device == NULL)) {
        return fail(HXB_E_ARGUMENT, "the device is NULL");
    }
    if (is_forked(device->process)) {
        return fail(HXB_E_FORKED, "the device on %s was attached before a fork: attach in the child", device->path);
    }
    return HXB_OK;
}

int fail_destination(const hxb_device *device, int node, int peer_context) __attribute__((cold));

static inline int check_destination(const hxb_device *device, int node, int peer_context) {
    bool is_valid = (uint32_t)node < (uint32_t)device->facts.node_count
        && (uint32_t)peer_context < (uint32_t)device->facts.contexts;
    return LIKELY(is_valid) ? HXB_OK : fail_destination(device, node, peer_context);
}

static inline bool has_link_events(hxb_device *device) {
    return atomic_load_explicit(&device->has_listener, memory_order_acquire)
        && get64_acquire(device->page + HXB_PAGE_LINK_EVENTS_OFFSET)
               != atomic_load_explicit(&device->links_taken, memory_order_relaxed);
}

int take_link_events(hxb_device *device);

/* ---- Offsets of the rings in control memory (context.c) ---- */

struct control_layout {
    uint64_t submissions, completions, shorts, deliveries, releases, events, length;
    uint32_t submission_entries, release_entries, short_bytes;
};

void control_layout(struct control_layout *layout, int send_buffers, int delivery_entries);

/* ---- Spinning (spin.c) ---- */

/* Whether a thread that waits spins or sleeps: the rules of io.hxb.pm.idle.AdaptiveSpin and OwnCpu. */
struct spin {
    int64_t limit_ns, shared_limit_ns;
    bool is_waiting, may_still_find, has_spun;
    int64_t start_ns;
    int64_t rest_ns, rested_ns, yield_ns, resumed_ns, pause_ns;
    bool has_given_way;
};

void spin_init(struct spin *spin, int64_t limit_ns);
bool spin_is_spinning(struct spin *spin, int64_t now);
void spin_on_work(struct spin *spin);

/* ---- Shares of destinations (share.c) ---- */

#define NONE (-1) /* no slot, node, context or share */
/* As the class Shares explains. */
#define SHARE_ALPHA 8
#define SHARE_MIN_MESSAGES 4
#define SHARE_PART 8

struct share {
    uint64_t key;
    int next; /* of those with the same hash */
    int messages, max_messages;
    bool is_dropping, is_kept;
    int64_t max_wait_ns;
    int64_t bytes, dropped;
    uint64_t done_before; /* messages of all destinations, when the last one of this was */
};

struct shares {
    struct share *all;
    int *first; /* by hash, twice as many as there may be */
    int capacity, count, busy, kept, hand, buffers, free;
    uint64_t done;
    uint64_t last_key;
    int last;
};

bool shares_open(struct shares *shares, int buffers);
void shares_close(struct shares *shares);
/* The number of a destination, or NONE. */
int share_find(const struct shares *shares, uint64_t key);
/* The same, makes one; NONE if there is no memory for it. It keeps the number while it has a buffer or options. */
int share_add(struct shares *shares, uint64_t key);

static inline uint64_t share_key(int node, int peer_context) {
    return (uint64_t)(uint32_t)node << 32 | (uint32_t)peer_context;
}

HOT bool share_may_take(const struct shares *shares, int number) {
    const struct share *share = &shares->all[number];
    int64_t messages = share->messages;
    if (messages == 0) {
        return true;
    }
    if (messages >= share->max_messages) {
        return false;
    }
    int64_t free_for_all = shares->free - shares->buffers / SHARE_PART;
    bool is_late = shares->done - share->done_before > 2 * (uint64_t)shares->buffers;
    if (UNLIKELY(is_late)) {
        return messages * shares->busy < free_for_all && messages * SHARE_PART < shares->buffers;
    }
    return messages < SHARE_MIN_MESSAGES || messages * shares->busy < SHARE_ALPHA * free_for_all;
}

/* A buffer of a destination's share is taken from now on: returns its number; NONE if it may have no other one. */
HOT int share_take(struct shares *shares, int node, int peer_context) {
    uint64_t key = share_key(node, peer_context);
    int number = LIKELY(key == shares->last_key) ? shares->last : share_add(shares, key);
    if (UNLIKELY(number == NONE || !share_may_take(shares, number))) {
        return NONE;
    }
    shares->free--;
    if (shares->all[number].messages++ == 0) {
        shares->busy++;
        shares->all[number].done_before = shares->done;
    }
    return number;
}

/* A message of a destination is done, after a time that depends on it. */
HOT void share_done(struct shares *shares, int number) {
    shares->all[number].done_before = ++shares->done;
}

HOT void share_give_back(struct shares *shares, int number, uint32_t bytes) {
    shares->free++;
    shares->all[number].bytes -= bytes;
    shares->busy -= --shares->all[number].messages == 0;
}

/* ---- Contexts (context.c, send.c, receive.c, wait.c) ---- */

enum { SLOT_FREE, SLOT_CLAIMED, SLOT_IN_FLIGHT, SLOT_DONE /* in a ring; nobody was told */ };

struct slot {
    uint64_t cookie; /* 0 for none: then nobody is told when its message is done */
    int node, context;
    uint32_t length; /* that was claimed, or handed over */
    int share;
    int following; /* the next of its run, while both are in flight */
    uint8_t state;
};

#define CLOSED_PROCESS (-2) /* a context that another thread has closed while its own waited */

/* Whether the thread of a context is in a call that may wait. */
enum { INSIDE_NONE, INSIDE_WAIT, INSIDE_CLOSING /* another thread waits until it has left */, INSIDE_LEFT };

/* A message received that lies in a buffer of the node and is not released; `number` is that of its handle. */
struct held {
    uint64_t number; /* NOT_HELD for a free place */
    uint32_t buffer;
};

struct hxb_context {
    /* What every call reads. */
    hxb_device *device;
    _Atomic int64_t process;
    _Atomic uintptr_t owner; /* as this_thread says */
    uint8_t *control;
    int broken; /* 0, or HXB_E_CORRUPT */
    bool is_gone;

    /* Sending. */
    struct slot *slots;
    int *free_slots;
    int slot_count, free_count, in_flight;
    struct shares shares;
    uint32_t send_buffer_bytes;
    uint8_t *send_pool;
    uint8_t *submissions;
    uint64_t submitted;
    uint32_t submission_mask;
    uint8_t *shorts;
    uint32_t short_bytes;
    uint64_t short_position, short_taken;
    int last_node, last_context, run_slot, written_slot;
    uint64_t written_begin;
    int loop;
    uint32_t signalled_sleep;
    uint8_t *completions;
    uint32_t completed;
    int done_slot, done_left, done_status;
    hxb_event *failed; /* a ring of the newest ones, as many as there are slots */
    uint64_t failed_head, failed_tail;
    hxb_completion *completions_told; /* a ring of those with a cookie, whose slots are not free yet */
    uint64_t told_head, told_tail;

    /* Receiving. */
    uint8_t *deliveries;
    uint32_t delivery_mask;
    uint64_t delivered;
    uint8_t *releases;
    uint32_t release_mask;
    uint64_t released;
    const uint8_t *receive_pool;
    int receive_buffers;
    uint32_t receive_buffer_bytes;
    struct held *held; /* a place for each entry of the delivery ring, by the index that handles have */
    uint32_t *free_places;
    uint32_t place_count, free_place_count;
    uint64_t number_base; /* of the first message in handles */
    int held_count;
    uint8_t *events;
    uint64_t events_taken;

    /* Waiting. */
    _Atomic uint32_t inside; /* INSIDE_NONE and others: a thread that closes the context sleeps on it */
    int depth;               /* of calls that may wait */
    bool is_ended;           /* its device is being closed */
    _Atomic bool is_woken;   /* by hxb_wake */
    int wake_event;          /* by which it is woken where it does not sleep on words; -1 for none */
    struct spin spin;
    bool has_untold_sends;
    int sleep; /* HXB_DIRECTPAGE_AT_SOCKET or ON_WORD while others are asked to wake this thread; 0 else */
    struct futex_words words;
    int expected_signals, idle_calls;
    int64_t checked_ns, last_beat_ns;
    uint64_t last_beat;

    /* Direct rings; both NULL if the node has none. */
    struct direct_sends *sends;
    struct direct_receives *receives;
    uint32_t direct_changes;
    uint32_t direct_changes_taken; /* up to which all have been */
    int direct_requests;          /* without an answer */
    struct asked *change_request; /* of them, that for the next change; NULL for none */
    int kind_turn_left; /* messages until the other kind has its turn */
    bool is_turn_of_rings;

    int id;
    hxb_context *next;
    struct context_memory memory;
    struct hxb_large *large;
    struct hxb_remote *remote;
    bool is_remote_doubtful; /* the node has not answered whether it may be used, and may use its memory */
    struct hxb_group *groups;
};

/* A number that no other thread has at the same time: what pthread_self returns, without the call where the ABI says
 * where it is. */
HOT uintptr_t this_thread(void) {
#if defined(__x86_64__) && defined(__LP64__)
    uintptr_t self;
    __asm__("mov %%fs:0, %0" : "=r"(self));
    return self;
#else
    return (uintptr_t)pthread_self();
#endif
}

static inline bool is_unusable(const hxb_context *context) {
    return is_forked(atomic_load_explicit(&context->process, memory_order_relaxed));
}

static inline bool is_owner(const hxb_context *context) {
    return LIKELY(atomic_load_explicit(&context->owner, memory_order_relaxed) == this_thread());
}

/* Why a context is of no use: it is of a parent process, or closed. */
int fail_unusable(const hxb_context *context) __attribute__((cold));

HOT int check_context(const hxb_context *context) {
    if (UNLIKELY(context == NULL)) {
        return fail(HXB_E_ARGUMENT, "the context is NULL");
    }
    if (is_unusable(context)) {
        return fail_unusable(context);
    }
    if (UNLIKELY(!is_owner(context))) {
        return fail(HXB_E_THREAD, "context %d belongs to another thread: hxb_own_context hands it over", context->id);
    }
    return HXB_OK;
}

static inline bool is_open_at_node(const hxb_context *context) {
    return get32_acquire(context->control + HXB_CONTROL_STATE) == HXB_CONTROL_OPEN;
}

static inline uint32_t max_length(const hxb_context *context) {
    uint32_t mtu = (uint32_t)context->device->facts.mtu;
    return mtu < context->send_buffer_bytes ? mtu : context->send_buffer_bytes;
}

/* Behind a full fence, either the node sees what was put, or this thread sees that the node sleeps: the node writes its
 * sleep and then looks at the rings, with a full fence between the two. */
static inline void wake_node(hxb_context *context) {
    const uint8_t *word = context->device->page + HXB_PAGE_SLEEP + HXB_PAGE_SLEEP_STRIDE * context->loop;
    uint32_t sleep = atomic_load_explicit((const shared32 *)word, memory_order_seq_cst);
    if (UNLIKELY(sleep != 0 && sleep != context->signalled_sleep)) {
        context->signalled_sleep = sleep;
        signal_event(context->memory.wake_node);
    }
}

static inline void set_free(hxb_context *context, int slot) {
    struct slot *facts = &context->slots[slot];
    share_give_back(&context->shares, facts->share, facts->state == SLOT_CLAIMED ? 0 : facts->length);
    facts->state = SLOT_FREE;
    context->free_slots[context->free_count++] = slot;
}

/* NONE if none is free, or the destination has its share. */
static inline int take_free_slot(hxb_context *context, int node, int peer_context, uint32_t length) {
    int share = UNLIKELY(context->free_count == 0) ? NONE : share_take(&context->shares, node, peer_context);
    if (UNLIKELY(share == NONE)) {
        return NONE;
    }
    int slot = context->free_slots[--context->free_count];
    struct slot *facts = &context->slots[slot];
    facts->share = share;
    facts->state = SLOT_CLAIMED;
    facts->cookie = 0;
    facts->node = node;
    facts->context = peer_context;
    facts->length = length;
    return slot;
}

static inline int check_timeout(int64_t timeout_ns) {
    return LIKELY(timeout_ns >= 0) ? HXB_OK : fail(HXB_E_ARGUMENT, "timeout_ns must be 0 or more");
}

int corrupt(hxb_context *context, const char *what);
int context_status(const hxb_context *context);
int context_idle(hxb_context *context, int status);
bool has_message(hxb_context *context);
bool has_event(const hxb_context *context);
bool has_done_sends(const hxb_context *context);
int take_done_sends(hxb_context *context);
/* The same; the next wait for sends ends if there were any. */
void take_done(hxb_context *context);
/* An event of a message, or of a flow if `slot` is NONE. */
void add_failed(hxb_context *context, int status, int node, int peer_context, int slot);
int wait_for(hxb_context *context, int interest, int64_t timeout_ns);
/* Around what may wait, in the context's own thread. The second returns `result`, or HXB_CONTEXT_CLOSED: another thread
 * has closed the context, and nothing of it may be touched any more. */
void wait_enter(hxb_context *context);
int wait_leave(hxb_context *context, int result);
/* Ends the wait of another thread's context for good; false if it does not wait. */
bool wait_end(hxb_context *context);
/* Ends the use of all contexts of a device by other threads. */
void end_contexts(hxb_device *device);
void close_context(hxb_context *context);
int claim_slot(hxb_context *context, int node, int peer_context, uint32_t length, void **data);
int commit_slot(hxb_context *context, int slot, uint32_t length, uint32_t tag, const hxb_region *region,
                uint64_t offset);
void free_slot(hxb_context *context, int slot);
int take_event(hxb_context *context, hxb_event *event);
int receive_next(hxb_context *context, hxb_message *message);
/* False if no such message is held. */
bool release_buffer(hxb_context *context, hxb_message *message);
int check_range(const hxb_context *context, const hxb_region *region, uint64_t offset, uint64_t length);

/* ---- Handles of messages (receive.c) ---- */

#define PLACE_BITS 24 /* of a handle; the rest is a number that grows with each message */
#define PLACE_MASK ((1U << PLACE_BITS) - 1)
#define POSITION_MASK ((uint64_t)INT64_MAX >> PLACE_BITS)
#define NOT_HELD UINT64_MAX

/* A number for the first message of a context or ring: far from those of others, so that a handle of one is not that of
 * a message of another. */
uint64_t new_number_base(void);

/* Makes the places, all free; false if there is no memory. */
bool make_places(hxb_context *context, uint32_t count);

/* ---- Direct rings (direct.c, direct_send.c, direct_receive.c) ---- */

/* Registers this process for memory fences of others; false if the kernel has none. */
bool register_fences(void);
int direct_open(hxb_context *context, int delivery_entries);
void direct_close(hxb_context *context);
/* Takes note of what the node has told since the last call; almost always nothing. */
void direct_take_changes(hxb_context *context);

static inline void direct_poll(hxb_context *context) {
    if (UNLIKELY(get32_acquire(context->control + HXB_CONTROL_DIRECT_CHANGES) != context->direct_changes
                 || context->direct_requests != 0)) {
        direct_take_changes(context);
    }
}

/* True if a receiver is gone and the node has not said which: what is put in its ring would be lost. */
static inline bool direct_is_in_doubt(const hxb_context *context) {
    uint32_t changes = get32_acquire(context->control + HXB_CONTROL_DIRECT_CHANGES);
    return (changes ^ context->direct_changes_taken) >= HXB_CONTROL_RECEIVER_GONE;
}

/* Asks the other ends to wake this thread for what it waits for, where context->sleep says, and ends that: returns the
 * signals that have come for it or will. */
void direct_sleep(hxb_context *context, int interest);
int direct_awake(hxb_context *context);

/* The common case of a claim and of a commit: nothing else is being written, and the ring is open and has room. If it is
 * not that case, they do nothing and return NONE and false. */
int direct_claim(hxb_context *context, int peer_context, uint32_t length, void **data);
bool direct_commit(hxb_context *context, int slot, uint32_t length, uint32_t tag);
/* Sending; the first two only if there are rings. True if messages to a context go through a ring. */
bool direct_is_open(hxb_context *context, int peer_context);
/* True if the ring can be used from now on, which begins with a message through the node. */
bool direct_may_begin(const hxb_context *context, int peer_context);
void direct_begin(hxb_context *context, int peer_context, int slot, uint8_t *payload);
/* True, once, if a slot whose message is done had a begin. */
bool direct_take_begin(hxb_context *context, int slot);
void direct_on_begin_failed(hxb_context *context, int peer_context);
bool direct_has_room(hxb_context *context, int peer_context, uint32_t length);
void direct_on_claimed(hxb_context *context, int peer_context, int slot);
/* Where the message of a slot is written if that is in a ring, else NULL. */
uint8_t *direct_buffer(const hxb_context *context, int slot);
void direct_abandon(hxb_context *context, int slot);
/* Sends a message that lies at `data`, or if that is NULL, where it was written: in a ring or else in `own_buffer`. If
 * it has to go through the node, returns false, and it lies at `data` or in `own_buffer`. */
bool direct_submit(hxb_context *context, int slot, uint32_t length, uint32_t tag, const uint8_t *data,
                   uint8_t *own_buffer);
bool direct_has_done(const hxb_context *context);
/* The slot of the next message that is done and has to be told of, or NONE; only if there are rings. */
int direct_take_done(hxb_context *context);
/* A message to a context is about to go through the node. */
void direct_on_through_node(hxb_context *context, int peer_context);
/* True, once for each ring, if a message that found no room in one would find it now. */
bool direct_take_room_again(hxb_context *context);

/* Receiving; only if there are rings. */
enum { DIRECT_NODE_FIRST, DIRECT_RING_FIRST, DIRECT_RING_FULL };
/* The common case: the ring that had the last message has another one. Else does nothing and returns false. Nothing may
 * have come through the node. */
bool direct_receive_next(hxb_context *context, hxb_message *message);
bool direct_is_empty(const hxb_context *context);
bool direct_is_ready(hxb_context *context);
/* True if a message comes in the ring of the last one within a microsecond, while the context talks with others in turns. */
bool direct_comes_soon(hxb_context *context);
void direct_receive(hxb_context *context, hxb_message *message);
void direct_on_send(hxb_context *context); /* it may wait for an answer */
/* True if a message that came through the node is the begin of a ring, of which this takes notice. */
bool direct_take_begin_of(hxb_context *context, int node, int peer_context, const uint8_t *payload, uint32_t length);
/* Whether messages in a ring have to be received before one that came through the node: none; those that direct_receive
 * has; those that cannot be before something is released. */
int direct_order(hxb_context *context, int node, int peer_context);
/* There is nothing to receive: forgets rings that are over. */
void direct_on_idle(hxb_context *context);
bool direct_is_handle(const hxb_context *context, int64_t handle);
/* False if no message with this handle is held. */
bool direct_release(hxb_context *context, int64_t handle);

/* ---- Large messages (large.c) ---- */

void large_on_send_done(hxb_large *large, int slot, int status);
void large_close(hxb_large *large);

/* ---- Remote memory (remote.c) ---- */

/* True if there is an outcome, or, unless only these are waited for, a notification to take. */
bool remote_is_ready(const hxb_remote *remote);
void remote_close(hxb_remote *remote);

/* ---- Groups (group.c) ---- */

void groups_close(hxb_group *groups);

#endif
