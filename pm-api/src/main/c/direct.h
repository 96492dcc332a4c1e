/* Direct rings: contexts of one node send to each other through memory that the two share, and the node only introduces
 * them. The classes DirectRings, LocalSends, DirectSend, DirectReceive and those of io.hxb.pm.shm explain the rules;
 * here they are in C, with the same memory order. Not installed. */
#ifndef HXB_DIRECT_H
#define HXB_DIRECT_H

#include "internal.h"

#define DIRECT_MAX_RINGS 64 /* of a context to receive from, and to send by */
_Static_assert(DIRECT_MAX_RINGS + 2 <= FUTEX_MAX_WORDS, "a thread sleeps on all its rings, one to send by, and the node");

/* The memory of a ring as one of its ends has it mapped: the page, then the records twice. */
struct direct_memory {
    uint8_t *page;
    uint8_t *records;
    uint32_t capacity;
    int peer_signal; /* wakes the other end; -1 for none */
};

struct asked;

/* Offers a ring, whose two descriptors it takes, and leaves the node's answer in `asked`. */
int offer_direct(hxb_device *device, int id, int peer_context, const int *descriptors, struct asked *asked);
/* What the answer says: what wakes the other end, and the ring's number with the node; or an error. */
int offer_answer(hxb_device *device, struct asked *asked, int64_t *number);

/* What the node tells of the rings of a context. */
struct direct_change {
    int peer_context;
    int64_t number;              /* of the ring with the node */
    struct direct_memory memory; /* of a ring that is offered; `page` is NULL if it cannot be mapped */
};

int ask_direct_change(hxb_device *device, int id, struct asked *asked);
/* The kind of the change that the answer tells. */
int direct_change(hxb_device *device, struct asked *asked, struct direct_change *change);

/* ---- What both ends need (direct.c) ---- */

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

/* Between a store and a load of this thread; whoever goes to sleep executes the fence for both ends if it can. */
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

/* Says that this thread sleeps, as context->sleep has it. */
static inline void direct_sleep_on(hxb_context *context, uint8_t *word) {
    atomic_store_explicit((shared32 *)word, (uint32_t)context->sleep, memory_order_seq_cst);
    if (context->sleep == HXB_DIRECTPAGE_ON_WORD) {
        futex_add(&context->words, word, HXB_DIRECTPAGE_ON_WORD);
    }
}

/* Ends what direct_sleep_on began, with that value; returns the signals that have come for it or will. */
static inline int direct_awake_from(uint8_t *word, int sleep) {
    return atomic_exchange_explicit((shared32 *)word, 0, memory_order_seq_cst) == 0
        && sleep == HXB_DIRECTPAGE_AT_SOCKET;
}

/* ---- The sender's side (direct_send.c) ---- */

int direct_open_sends(hxb_context *context);
void direct_close_sends(hxb_context *context);
void direct_on_receiver_gone(hxb_context *context, int peer_context, int64_t number);
/* Takes the answers to offers that have come. */
void direct_take_answers(hxb_context *context);
bool direct_sends_sleep(hxb_context *context);
int direct_sends_awake(hxb_context *context);

/* ---- The receiver's side (direct_receive.c) ---- */

int direct_open_receives(hxb_context *context, uint32_t max_held);
void direct_close_receives(hxb_context *context);
void direct_take_offer(hxb_context *context, int peer_context, struct direct_memory *memory);
void direct_on_sender_gone(hxb_context *context, int peer_context);
bool direct_receives_sleep(hxb_context *context);
int direct_receives_awake(hxb_context *context);

#endif
