/* Contexts: slots by which messages are handed to the node or put into direct rings, and what has been received and is
 * not released. Nothing here waits, and nothing checks arguments of programs: calls/ does. Not installed.
 *
 *   state.c       whether the context can still be used      completion.c      which slots are done
 *   held.c        messages that are not released             send.c            claims and commits
 *   slots.c       slots that are free or have failed         receive.c         messages and events
 *   direct_send.c, direct_receive.c, direct.c: direct rings, with direct.h of their own
 *
 * A ring has one writer and one reader. The writer fills an entry with relaxed stores and then stores its stamp with
 * release; the reader loads the stamp with acquire and then reads the rest. So what it reads is what was written
 * before that stamp. Nobody waits for the other side's index: there is none. The classes SendEnd, SendSlots, ReceiveEnd
 * and those of io.hxb.pm.shm explain the rules; here they are in C, with the same memory order. */
#ifndef HXB_CONTEXT_H
#define HXB_CONTEXT_H

#include "device/device.h"

enum { SLOT_FREE, SLOT_CLAIMED, SLOT_IN_FLIGHT, SLOT_DONE /* in a ring; not reported yet */ };

struct slot {
    uint64_t cookie; /* 0 for none: then the end of its message is not reported */
    int node, context;
    uint32_t length; /* that was claimed, or handed over */
    int share;
    int buffers;   /* its own, or those of a group that begins with it */
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

/* A service that is built on a context, which calls it back. */
struct service {
    /* A message of this slot is done; NULL if that is of no interest. */
    void (*on_send_done)(struct service *service, int slot, int status);
    /* True if what HXB_WAIT_REMOTE stands for has come; NULL for a service that it does not stand for. */
    bool (*is_ready)(const struct service *service);
    /* The context is closed: frees the service. */
    void (*close)(struct service *service);
};

enum { SERVICE_LARGE, SERVICE_REMOTE, SERVICE_GROUPS, SERVICES };

/* Slots that are free: single ones, the one that was released last first, and whole groups of adjacent ones for
 * messages that are longer than a buffer. Single ones are taken below `split` as long as there are any. See the class
 * FreeSlots of io.hxb.pm.share. */
struct free_slots {
    int *low, *high;
    int *place;    /* of a free slot in low or high */
    int *of_group; /* free slots by group */
    int low_count, high_count, split, groups, group_slots, group_shift, last_group;
};

struct hxb_context {
    /* Every call reads these. */
    hxb_device *device;
    _Atomic int64_t process;
    _Atomic uintptr_t owner; /* a number of this_thread */
    uint8_t *control;
    int broken; /* 0, or HXB_E_CORRUPT */
    bool is_gone;

    /* Sending. */
    struct slot *slots;
    struct free_slots free_slots;
    int slot_count, free_count, in_flight;
    struct shares shares;
    uint32_t send_buffer_bytes;
    uint32_t max_length; /* of a message that is written in send buffers */
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
    hxb_completion *unread_completions; /* a ring of those with a cookie, whose slots are not free yet */
    uint64_t unread_head, unread_tail;

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
    struct idle_policy idle;
    bool has_unreported_sends;
    int sleep; /* HXB_DIRECTPAGE_AT_SOCKET or ON_WORD while others are asked to wake this thread, otherwise 0 */
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
    struct service *services[SERVICES]; /* NULL for one that is not used */
    bool is_remote_doubtful; /* the node has not answered whether it may be used, and may use its memory */
};

static inline bool is_unusable(const hxb_context *context) {
    return is_forked(atomic_load_explicit(&context->process, memory_order_relaxed));
}

static inline bool is_owner(const hxb_context *context) {
    return LIKELY(atomic_load_explicit(&context->owner, memory_order_relaxed) == this_thread());
}

/* Returns why a context cannot be used: it is of a parent process, or closed. */
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
    return context->max_length;
}

/* Call it after a full fence. Either the node sees the new entry, or this thread sees that the node sleeps: the node
 * writes that it sleeps and then looks at the rings, with a full fence between the two. */
static inline void wake_node(hxb_context *context) {
    const uint8_t *word = context->device->page + HXB_PAGE_SLEEP + HXB_PAGE_SLEEP_STRIDE * context->loop;
    uint32_t sleep = atomic_load_explicit((const shared32 *)word, memory_order_seq_cst);
    if (UNLIKELY(sleep != 0 && sleep != context->signalled_sleep)) {
        context->signalled_sleep = sleep;
        signal_event(context->memory.wake_node);
    }
}

HOT void put_free_slot(hxb_context *context, int slot) {
    struct free_slots *slots = &context->free_slots;
    if (slot < slots->split) {
        slots->place[slot] = slots->low_count;
        slots->low[slots->low_count++] = slot;
    } else {
        slots->place[slot] = slots->high_count;
        slots->high[slots->high_count++] = slot;
    }
    slots->of_group[slot >> slots->group_shift]++;
    context->free_count++;
}

/* There is one. */
HOT int take_single_slot(hxb_context *context) {
    struct free_slots *slots = &context->free_slots;
    int slot = LIKELY(slots->low_count > 0) ? slots->low[--slots->low_count] : slots->high[--slots->high_count];
    slots->of_group[slot >> slots->group_shift]--;
    context->free_count--;
    return slot;
}

/* Slots of a message that is longer than a buffer (slots.c): the first of a group, or NONE if no whole group is
 * free. */
int take_slot_group(hxb_context *context);
void put_slot_group(hxb_context *context, int first);

static inline void set_free(hxb_context *context, int slot) {
    struct slot *facts = &context->slots[slot];
    uint32_t bytes = facts->state == SLOT_CLAIMED ? 0 : facts->length;
    share_give_back(&context->shares, facts->share, facts->buffers, bytes);
    facts->state = SLOT_FREE;
    if (LIKELY(facts->buffers == 1)) {
        put_free_slot(context, slot);
    } else {
        put_slot_group(context, slot);
    }
}

/* NONE if none is free, or the destination has its share. */
static inline int take_free_slot(hxb_context *context, int node, int peer_context, uint32_t length) {
    int share = UNLIKELY(context->free_count == 0) ? NONE : share_allowed(&context->shares, node, peer_context);
    if (UNLIKELY(share == NONE)) {
        return NONE;
    }
    bool is_long = length > context->send_buffer_bytes;
    int slot = UNLIKELY(is_long) ? take_slot_group(context) : take_single_slot(context);
    if (UNLIKELY(slot == NONE)) {
        return NONE;
    }
    struct slot *facts = &context->slots[slot];
    facts->buffers = is_long ? context->free_slots.group_slots : 1;
    share_on_taken(&context->shares, share, facts->buffers);
    facts->share = share;
    facts->state = SLOT_CLAIMED;
    facts->cookie = 0;
    facts->node = node;
    facts->context = peer_context;
    facts->length = length;
    return slot;
}

/* ---- State (state.c) ---- */

/* The node has written what cannot be: nothing of the context is used any more. Returns HXB_E_CORRUPT. */
int corrupt(hxb_context *context, const char *what);
/* HXB_OK, or why the context cannot be used any more. */
int context_status(const hxb_context *context);
/* Called when there was nothing to do; checks from time to time whether the node is still alive. */
int context_idle(hxb_context *context, int status);

/* ---- Handles of messages (held.c) ---- */

#define PLACE_BITS 24 /* of a handle; the rest is a number that grows with each message */
#define PLACE_MASK ((1U << PLACE_BITS) - 1)
#define POSITION_MASK ((uint64_t)INT64_MAX >> PLACE_BITS)
#define NOT_HELD UINT64_MAX

/* A number for the first message of a context or ring: far from those of others, so that a handle of one is not that of
 * a message of another. */
uint64_t new_number_base(void);

/* Makes the places, all free; false if there is no memory. */
bool make_places(hxb_context *context, uint32_t count);
void free_held(hxb_context *context);

/* Notes the message at the position delivered and sets its handle. False if more are held than the node delivers. */
static inline bool hold(hxb_context *context, hxb_message *message, uint32_t buffer) {
    if (UNLIKELY(context->free_place_count == 0)) {
        return false;
    }
    uint32_t place = context->free_places[--context->free_place_count];
    uint64_t number = (context->number_base + context->delivered) & POSITION_MASK;
    context->held[place] = (struct held){.number = number, .buffer = buffer};
    message->handle = (int64_t)(number << PLACE_BITS | place);
    return true;
}

/* The place of a message held, or NULL. */
static inline struct held *held_at(const hxb_context *context, int64_t handle) {
    uint32_t place = (uint32_t)handle & PLACE_MASK;
    if (handle < 0 || place >= context->place_count
        || context->held[place].number != (uint64_t)handle >> PLACE_BITS) {
        return NULL;
    }
    return &context->held[place];
}

/* ---- Slots and sends that are done (slots.c, completion.c) ---- */

/* Makes the slots, all free; false if there is no memory. */
bool make_slots(hxb_context *context, int count);
void free_slots(hxb_context *context);

static inline void free_slot(hxb_context *context, int slot) {
    if (slot == context->written_slot) {
        context->written_slot = NONE;
    }
    set_free(context, slot);
}

/* An event of a message, or of a flow if `slot` is NONE. */
void add_failed(hxb_context *context, int status, int node, int peer_context, int slot);
bool has_done_sends(const hxb_context *context);
int take_done_sends(hxb_context *context);
/* The same; the next wait for sends ends if there were any. */
void take_done(hxb_context *context);

/* ---- Sending (send.c) ---- */

/* The slot of a message that can be written at `data`, or a negative result. */
int claim_slot(hxb_context *context, int node, int peer_context, uint32_t length, void **data);
int commit_slot(hxb_context *context, int slot, uint32_t length, uint32_t tag, const hxb_region *region,
                uint64_t offset);
void abandon_slot(hxb_context *context, int slot);

/* ---- Receiving (receive.c) ---- */

bool has_message(hxb_context *context);
bool has_event(const hxb_context *context);
int take_event(hxb_context *context, hxb_event *event);
int receive_next(hxb_context *context, hxb_message *message);
/* False if no such message is held. */
bool release_buffer(hxb_context *context, hxb_message *message);

/* ---- Direct rings (direct.c, direct_send.c, direct_receive.c) ---- */

int direct_open(hxb_context *context, int delivery_entries);
void direct_close(hxb_context *context);
/* Takes the changes that the node has reported since the last call; almost always none. */
void direct_take_changes(hxb_context *context);

static inline void direct_poll(hxb_context *context) {
    if (UNLIKELY(get32_acquire(context->control + HXB_CONTROL_DIRECT_CHANGES) != context->direct_changes
                 || context->direct_requests != 0)) {
        direct_take_changes(context);
    }
}

/* True if a receiver is gone and the node has not reported which: messages in its ring would be lost. */
static inline bool direct_is_in_doubt(const hxb_context *context) {
    uint32_t changes = get32_acquire(context->control + HXB_CONTROL_DIRECT_CHANGES);
    return (changes ^ context->direct_changes_taken) >= HXB_CONTROL_RECEIVER_GONE;
}

/* Asks the other ends to wake this thread, in the way of context->sleep; and ends that: returns the number of signals
 * that have come for it or will. */
void direct_sleep(hxb_context *context, int interest);
int direct_awake(hxb_context *context);

/* The common case of a claim and of a commit: nothing else is being written, and the ring is open and has room. If it
 * is not that case, they do nothing and return NONE and false. */
int direct_claim(hxb_context *context, int peer_context, uint32_t length, void **data);
bool direct_commit(hxb_context *context, int slot, uint32_t length, uint32_t tag);
/* Sending; call the first two only if there are rings, and after direct_poll. True if messages to a context go through
 * a ring. */
bool direct_is_open(hxb_context *context, int peer_context);
/* True if the ring can be used from now on, which begins with a message through the node. */
bool direct_may_begin(const hxb_context *context, int peer_context);
void direct_begin(hxb_context *context, int peer_context, int slot, uint8_t *payload);
/* True, once, if a slot whose message is done had a begin. */
bool direct_take_begin(hxb_context *context, int slot);
void direct_on_begin_failed(hxb_context *context, int peer_context);
bool direct_has_room(hxb_context *context, int peer_context, uint32_t length);
void direct_on_claimed(hxb_context *context, int peer_context, int slot);
/* The place of the message of a slot if that is in a ring, otherwise NULL. */
uint8_t *direct_buffer(const hxb_context *context, int slot);
void direct_abandon(hxb_context *context, int slot);
/* Call it after direct_poll. Sends a message that lies at `data`, or if that is NULL, in a ring or in `own_buffer`.
 * Returns false if it has to go through the node: then it lies at `data` or in `own_buffer`. */
bool direct_submit(hxb_context *context, int slot, uint32_t length, uint32_t tag, const uint8_t *data,
                   uint8_t *own_buffer);
bool direct_has_done(const hxb_context *context);
/* The slot of the next message that is done and has to be reported, or NONE; only if there are rings. */
int direct_take_done(hxb_context *context);
/* A message to a context is about to go through the node. */
void direct_on_through_node(hxb_context *context, int peer_context);
/* True if messages have found no room in a ring. After direct_poll: true, once for each ring, if there is room now. */
bool direct_is_any_full(const hxb_context *context);
bool direct_take_room_again(hxb_context *context);

/* Receiving; only if there are rings. */
enum { DIRECT_NODE_FIRST, DIRECT_RING_FIRST, DIRECT_RING_FULL };
/* The common case: the ring that had the last message has another one. Otherwise does nothing and returns false. Call
 * it only if nothing has come through the node. */
bool direct_receive_next(hxb_context *context, hxb_message *message);
bool direct_is_empty(const hxb_context *context);
bool direct_is_ready(hxb_context *context);
/* True if a message comes in the ring of the last one within a microsecond, while the context talks with others in
 * turns. */
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

#endif
