/* The memory that two processes share: where the rings of a context lie in it (layout.c), the memory of direct rings
 * (direct_memory.c), and what each destination has of the entries of a ring (share.c). Not installed. */
#ifndef HXB_RINGS_H
#define HXB_RINGS_H

#include "base/base.h"

/* ---- Offsets of the rings in control memory (layout.c) ---- */

struct control_layout {
    uint64_t submissions, completions, shorts, deliveries, releases, events, length;
    uint32_t submission_entries, release_entries, short_bytes;
};

/* Rings of different writers share neither a cache line nor the adjacent one that is prefetched. */
static inline uint64_t ring_align(uint64_t offset) {
    return (offset + 127) & ~UINT64_C(127);
}

void control_layout(struct control_layout *layout, int send_buffers, int delivery_entries);

/* ---- Direct rings (direct_memory.c) ---- */

/* The memory of a ring as one of its ends has it mapped: the page, then the records twice. */
struct direct_memory {
    uint8_t *page;
    uint8_t *records;
    uint32_t capacity;
    int peer_signal; /* wakes the other end; -1 for none */
};

/* Registers this process for memory fences of others; false if the kernel has none. */
bool register_fences(void);
/* A full fence in all threads of all processes that have registered for it; a microsecond. */
void run_fence(void);
/* Makes the memory of a ring and its two descriptors, for the sender. */
int direct_make(struct direct_memory *memory, uint32_t capacity, int *descriptors);
/* Maps the memory of a ring; takes none of the descriptors. */
int direct_map(struct direct_memory *memory, uint32_t capacity, int records, int page, bool is_sender);
void direct_unmap(struct direct_memory *memory);

static inline uint32_t direct_record_bytes(uint32_t length) {
    return (HXB_DIRECT_HEADER_BYTES + length + 7) & ~UINT32_C(7);
}

/* True if both ends take part in each other's memory fences; once the ring is taken. */
static inline bool direct_has_fences(const struct direct_memory *memory) {
    return get32(memory->page + HXB_DIRECTPAGE_SENDER_FENCES) == 1
        && get32(memory->page + HXB_DIRECTPAGE_RECEIVER_FENCES) == 1;
}

/* Between a store and a load of this thread. The end that goes to sleep executes the fence for both ends if it can. */
static inline void direct_fence(bool has_fences) {
    if (LIKELY(has_fences)) {
        atomic_signal_fence(memory_order_seq_cst); /* the compiler keeps the order, too */
    } else {
        atomic_thread_fence(memory_order_seq_cst);
    }
}

/* Wakes the other end if it sleeps. */
static inline void direct_wake(const struct direct_memory *memory, uint8_t *word) {
    uint32_t sleep = get32(word);
    if (UNLIKELY(sleep != 0)
        && atomic_compare_exchange_strong_explicit((shared32 *)word, &sleep, 0, memory_order_seq_cst,
                                                   memory_order_relaxed)) {
        if (sleep == HXB_DIRECTPAGE_ON_WORD) {
            futex_wake(word);
        } else {
            signal_socket(memory->peer_signal);
        }
    }
}

/* Ends what direct_sleep_on began, with that value; returns the signals that have come for it or will. */
static inline int direct_awake_from(uint8_t *word, int sleep) {
    return atomic_exchange_explicit((shared32 *)word, 0, memory_order_seq_cst) == 0
        && sleep == HXB_DIRECTPAGE_AT_SOCKET;
}

/* ---- Shares of destinations (share.c) ---- */

/* The class Shares explains these numbers. */
#define SHARE_ALPHA 8
#define SHARE_MIN_MESSAGES 4
#define SHARE_PART 8

struct share {
    uint64_t key;
    int next; /* of those with the same hash */
    int messages, max_messages;
    int buffers; /* that the messages have */
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
    int64_t taken = share->buffers;
    int64_t free_for_all = shares->free - shares->buffers / SHARE_PART;
    bool is_late = shares->done - share->done_before > 2 * (uint64_t)shares->buffers;
    if (UNLIKELY(is_late)) {
        return taken * shares->busy < free_for_all && taken * SHARE_PART < shares->buffers;
    }
    return taken < SHARE_MIN_MESSAGES || taken * shares->busy < SHARE_ALPHA * free_for_all;
}

/* The number of a destination that may have another buffer; NONE if it may not. */
HOT int share_allowed(struct shares *shares, int node, int peer_context) {
    uint64_t key = share_key(node, peer_context);
    int number = LIKELY(key == shares->last_key) ? shares->last : share_add(shares, key);
    return UNLIKELY(number == NONE || !share_may_take(shares, number)) ? NONE : number;
}

/* A message of a destination has as many buffers from now on. */
HOT void share_on_taken(struct shares *shares, int number, int buffers) {
    shares->free -= buffers;
    shares->all[number].buffers += buffers;
    if (shares->all[number].messages++ == 0) {
        shares->busy++;
        shares->all[number].done_before = shares->done;
    }
}

/* A buffer of a destination's share is taken from now on: returns its number; NONE if it may have no other one. */
HOT int share_take(struct shares *shares, int node, int peer_context) {
    int number = share_allowed(shares, node, peer_context);
    if (LIKELY(number != NONE)) {
        share_on_taken(shares, number, 1);
    }
    return number;
}

/* A message of a destination is done, after a time that depends on it. */
HOT void share_done(struct shares *shares, int number) {
    shares->all[number].done_before = ++shares->done;
}

/* A message gives its buffers back, with what was in them. */
HOT void share_give_back(struct shares *shares, int number, int buffers, uint32_t bytes) {
    shares->free += buffers;
    shares->all[number].buffers -= buffers;
    shares->all[number].bytes -= bytes;
    shares->busy -= --shares->all[number].messages == 0;
}

#endif
