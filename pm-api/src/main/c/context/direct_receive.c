/* Rings by which a context receives from others of its node. Each sender is a process of the same user; a header that
 * cannot be ends the use of its ring, and nothing else. The classes DirectReceives and DirectReceive explain the
 * rules. */
#define _GNU_SOURCE
#include "context/direct.h"

#include <stdlib.h>

#define MESSAGES_PER_TURN 64 /* in a row from one ring while there are some in others */
#define REPORTED_PARTS 8     /* of a ring: each one that is released is reported to the sender */

struct direct_receive {
    struct direct_memory memory;
    int peer_context;
    bool has_fences; /* the end that goes to sleep executes a fence for both */
    bool is_active, has_begun, is_sender_gone, is_given_up;
    int sleep; /* the value that this thread has written, see context->sleep */
    uint64_t id[2];
    uint64_t position;
    uint64_t header; /* of the next message if it has been seen, otherwise 0 */
    uint64_t reported;   /* the sender knows that the records up to here are released */
    int64_t *ends;   /* of each message held but the last, in order: where it ends; inverted once it is released */
    uint64_t first_held, next_held;
    bool is_last_released; /* of those held; it ends at `position`, after records without a message */
};

struct direct_receives {
    struct direct_receive *rings[DIRECT_MAX_RINGS]; /* by the index that handles have */
    int end;                                        /* indexes below this may be in use */
    int ready;                                      /* the ring that has a message, as the last look has found */
    int turn_left;
    uint32_t one_way, since_pause, pauses; /* messages received and none sent, since the last pause, and its length */
    int signals; /* that come for rings which are closed meanwhile */
    uint32_t max_held, max_length;
    int own_node;
};

int direct_open_receives(hxb_context *context, uint32_t max_held) {
    struct direct_receives *receives = calloc(1, sizeof *receives);
    if (receives == NULL) {
        return fail(HXB_E_MEMORY, "there is no memory for a context");
    }
    receives->turn_left = MESSAGES_PER_TURN;
    receives->max_held = max_held;
    receives->max_length = (uint32_t)context->device->facts.mtu;
    receives->own_node = context->device->facts.node_id;
    context->receives = receives;
    return HXB_OK;
}

/* ---- One ring ---- */

static void put_state(const struct direct_memory *memory, uint32_t state) {
    atomic_store_explicit((shared32 *)(memory->page + HXB_DIRECTPAGE_STATE), state, memory_order_release);
}

HOT void wake_sender(const struct direct_receive *ring) {
    direct_wake(&ring->memory, ring->memory.page + HXB_DIRECTPAGE_SENDER_SLEEPS);
}

/* Takes no more from the ring, and writes that for the sender. */
static void give_up(struct direct_receive *ring) {
    ring->is_given_up = true;
    ring->is_active = false;
    ring->header = 0;
    put_state(&ring->memory, HXB_DIRECTPAGE_GIVEN_UP);
    atomic_thread_fence(memory_order_seq_cst);
    wake_sender(ring);
}

static void free_ring(struct direct_receive *ring) {
    direct_unmap(&ring->memory);
    free(ring->ends);
    free(ring);
}

static uint64_t load_header(const struct direct_receive *ring) {
    return get64_acquire(ring->memory.records + (ring->position & (ring->memory.capacity - 1)));
}

static int64_t *end_of(const struct direct_receives *receives, const struct direct_receive *ring, uint64_t number) {
    return &ring->ends[number & (receives->max_held - 1)];
}

/* The exact position is in a cache line that a sender takes only when it has to. */
HOT void publish(struct direct_receive *ring, uint64_t position) {
    put64_release(ring->memory.page + HXB_DIRECTPAGE_RELEASED, position);
    if (position - ring->reported >= ring->memory.capacity / REPORTED_PARTS) {
        ring->reported = position;
        put64_release(ring->memory.page + HXB_DIRECTPAGE_RELEASED_HINT, position);
    }
    direct_fence(ring->has_fences);
    wake_sender(ring);
}

/* Passes a record without a message; it is released with the message before it. */
static void pass(const struct direct_receives *receives, struct direct_receive *ring, int32_t head) {
    bool is_leave = head == HXB_DIRECT_LEAVE;
    uint32_t bytes = is_leave ? HXB_DIRECT_HEADER_BYTES : 0U - (uint32_t)head;
    if (bytes < HXB_DIRECT_HEADER_BYTES || bytes > direct_record_bytes(receives->max_length)
        || bytes % HXB_DIRECT_HEADER_BYTES != 0) {
        give_up(ring);
        return;
    }
    ring->position += bytes;
    if (ring->first_held == ring->next_held) {
        publish(ring, ring->position);
    }
    if (is_leave) {
        ring->is_active = false;
    }
}

/* Finds the header of the next message; 0 if there is none. */
static uint64_t next_message(const struct direct_receives *receives, struct direct_receive *ring) {
    uint64_t header = load_header(ring);
    while (header != 0 && (int32_t)header <= 0) {
        pass(receives, ring, (int32_t)header);
        header = ring->is_active ? load_header(ring) : 0;
    }
    if (header != 0 && (uint32_t)header - 1 > receives->max_length) {
        give_up(ring);
        header = 0;
    }
    return header;
}

/* True if there is a message; passes records that have none. */
static bool is_ready(const struct direct_receives *receives, struct direct_receive *ring) {
    if (ring->header == 0) {
        ring->header = ring->is_active ? next_message(receives, ring) : 0;
    }
    return ring->header != 0 && ring->next_held - ring->first_held < receives->max_held;
}

/* True if nothing comes any more and nothing is held. The begin may come after the news that its sender is gone. */
static bool is_over(const struct direct_receives *receives, struct direct_receive *ring) {
    return ring->first_held == ring->next_held
        && (ring->is_given_up || (ring->is_sender_gone && ring->has_begun && !is_ready(receives, ring)));
}

static int ring_awake(struct direct_receive *ring) {
    int sleep = ring->sleep;
    ring->sleep = 0;
    return sleep == 0 ? 0 : direct_awake_from(ring->memory.page + HXB_DIRECTPAGE_RECEIVER_SLEEPS, sleep);
}

/* ---- Offers ---- */

static struct direct_receive *make_ring(const hxb_context *context, int peer_context,
                                        const struct direct_memory *memory) {
    struct direct_receive *ring = calloc(1, sizeof *ring);
    int64_t *ends = calloc(context->receives->max_held, sizeof *ends);
    if (ring == NULL || ends == NULL) {
        free(ring);
        free(ends);
        return NULL;
    }
    ring->memory = *memory;
    ring->peer_context = peer_context;
    ring->ends = ends;
    ring->first_held = ring->next_held = new_number_base();
    uint8_t *page = memory->page;
    bool is_valid = get64_acquire(page) == HXB_DIRECTPAGE_MAGIC
        && get32(page + HXB_DIRECTPAGE_VERSION_OFFSET) == HXB_DIRECTPAGE_VERSION;
    ring->id[0] = get64(page + HXB_DIRECTPAGE_ID);
    ring->id[1] = get64(page + HXB_DIRECTPAGE_ID + sizeof ring->id[0]);
    if (is_valid) {
        put32(page + HXB_DIRECTPAGE_RECEIVER_FENCES, context->device->has_fences);
        put_state(memory, HXB_DIRECTPAGE_TAKEN);
        ring->has_fences = direct_has_fences(memory);
    } else {
        give_up(ring);
    }
    return ring;
}

void direct_take_offer(hxb_context *context, int peer_context, struct direct_memory *memory) {
    struct direct_receives *receives = context->receives;
    for (int i = 0; i < receives->end; i++) {
        struct direct_receive *old = receives->rings[i];
        /* Another context has the sender's number: a begin that has not come does not come. */
        if (old != NULL && old->peer_context == peer_context && old->is_sender_gone && !old->has_begun) {
            give_up(old);
        }
    }
    int index = 0;
    while (index < DIRECT_MAX_RINGS && receives->rings[index] != NULL) {
        index++;
    }
    struct direct_receive *ring = index < DIRECT_MAX_RINGS ? make_ring(context, peer_context, memory) : NULL;
    if (ring == NULL) {
        put_state(memory, HXB_DIRECTPAGE_GIVEN_UP);
        direct_unmap(memory);
        return;
    }
    receives->rings[index] = ring;
    if (index >= receives->end) {
        receives->end = index + 1;
    }
}

void direct_on_sender_gone(hxb_context *context, int peer_context) {
    struct direct_receives *receives = context->receives;
    for (int i = 0; i < receives->end; i++) {
        struct direct_receive *ring = receives->rings[i];
        if (ring != NULL && ring->peer_context == peer_context) {
            ring->is_sender_gone = true;
        }
    }
}

void direct_close_receives(hxb_context *context) {
    struct direct_receives *receives = context->receives;
    if (receives == NULL) {
        return;
    }
    for (int i = 0; i < receives->end; i++) {
        if (receives->rings[i] != NULL) {
            give_up(receives->rings[i]);
            free_ring(receives->rings[i]);
        }
    }
    free(receives);
    context->receives = NULL;
}

/* ---- Receiving ---- */

bool direct_is_empty(const hxb_context *context) {
    return context->receives->end == 0;
}

static bool has_message_in_ring(struct direct_receives *receives) {
    for (int i = 0; i < receives->end; i++) {
        int index = receives->ready + i < receives->end ? receives->ready + i : receives->ready + i - receives->end;
        struct direct_receive *ring = receives->rings[index];
        if (ring != NULL && is_ready(receives, ring)) {
            receives->ready = index;
            return true;
        }
    }
    return false;
}

/* Lets some messages come while they come fast and in one direction; the classes ReceivePace and AdaptivePause explain
 * the rule. */
static void let_some_come(struct direct_receives *receives) {
    uint32_t worth = receives->since_pause * HXB_IDLE_RING_PAUSES_PER_MESSAGE;
    receives->since_pause = 0;
    if (receives->pauses == 0) {
        receives->pauses = HXB_IDLE_MIN_RING_PAUSES;
    } else if (2 * worth < receives->pauses) {
        receives->pauses = 0;
    } else if (worth >= receives->pauses && receives->pauses < HXB_IDLE_MAX_RING_PAUSES) {
        receives->pauses *= 2;
    }
    for (uint32_t i = 0; i < receives->pauses; i++) {
        pause_cpu();
    }
}

bool direct_is_ready(hxb_context *context) {
    struct direct_receives *receives = context->receives;
    if (has_message_in_ring(receives)) {
        return true;
    }
    if (receives->one_way < HXB_IDLE_ONE_WAY_MESSAGES || receives->since_pause == 0) {
        return false;
    }
    let_some_come(receives);
    return has_message_in_ring(receives);
}

/* An answer through a ring is quick: to look at everything that may end a wait takes as long. Where messages come in
 * one direction, looking takes the cache line from the sender. */
bool direct_comes_soon(hxb_context *context) {
    struct direct_receives *receives = context->receives;
    struct direct_receive *ring = receives == NULL ? NULL : receives->rings[receives->ready];
    if (ring == NULL || receives->one_way >= HXB_IDLE_ONE_WAY_MESSAGES) {
        return false;
    }
    for (int i = 0; i < HXB_IDLE_CLOSE_LOOKS; i++) {
        pause_cpu();
        if (is_ready(receives, ring)) {
            return true;
        }
    }
    return false;
}

void direct_on_send(hxb_context *context) {
    if (context->receives != NULL) {
        context->receives->one_way = 0;
    }
}

/* Receives the message with this header, which was checked. */
HOT void take(struct direct_receives *receives, struct direct_receive *ring, uint64_t header, hxb_message *message) {
    uint32_t index = PLACE_MASK - (uint32_t)receives->ready;
    uint32_t length = (uint32_t)header - 1;
    uint64_t offset = ring->position & (ring->memory.capacity - 1);
    message->data = ring->memory.records + offset + HXB_DIRECT_HEADER_BYTES;
    message->length = length;
    message->tag = (uint32_t)(header >> 32);
    message->from.node = receives->own_node;
    message->from.context = ring->peer_context;
    message->handle = (int64_t)((ring->next_held << PLACE_BITS | index) & INT64_MAX);
    ring->header = 0;
    if (ring->first_held != ring->next_held) {
        int64_t end = (int64_t)ring->position;
        *end_of(receives, ring, ring->next_held - 1) = ring->is_last_released ? ~end : end;
        ring->is_last_released = false;
    }
    ring->position += direct_record_bytes(length);
    ring->next_held++;
    receives->one_way += receives->one_way < HXB_IDLE_ONE_WAY_MESSAGES;
    receives->since_pause += receives->since_pause < HXB_IDLE_MAX_RING_PAUSES;
    if (--receives->turn_left <= 0) {
        receives->turn_left = MESSAGES_PER_TURN;
        receives->ready = receives->ready + 1 < receives->end ? receives->ready + 1 : 0;
    }
}

bool direct_receive_next(hxb_context *context, hxb_message *message) {
    struct direct_receives *receives = context->receives;
    struct direct_receive *ring = receives->rings[receives->ready];
    if (UNLIKELY(ring == NULL || ring->next_held - ring->first_held >= receives->max_held)) {
        return false;
    }
    uint64_t header = ring->header;
    if (header == 0) {
        header = ring->is_active ? load_header(ring) : 0;
        if ((uint32_t)header - 1 > receives->max_length) {
            return false; /* none, no message, or one that cannot be */
        }
    }
    take(receives, ring, header, message);
    return true;
}

/* Receives the message that direct_is_ready or direct_order has found. */
void direct_receive(hxb_context *context, hxb_message *message) {
    struct direct_receives *receives = context->receives;
    struct direct_receive *ring = receives->rings[receives->ready];
    take(receives, ring, ring->header, message);
}

bool direct_take_begin_of(hxb_context *context, int node, int peer_context, const uint8_t *payload, uint32_t length) {
    struct direct_receives *receives = context->receives;
    if (LIKELY(node != receives->own_node || length != HXB_DIRECTPAGE_BEGIN_BYTES)) {
        return false;
    }
    uint64_t id[2];
    memcpy(id, payload, sizeof id);
    for (int i = 0; i < receives->end; i++) {
        struct direct_receive *ring = receives->rings[i];
        if (ring != NULL && ring->peer_context == peer_context && !ring->is_active
            && ring->id[0] == id[0] && ring->id[1] == id[1]) {
            ring->has_begun = true;
            ring->is_active = !ring->is_given_up;
            return true;
        }
    }
    return false;
}

int direct_order(hxb_context *context, int node, int peer_context) {
    struct direct_receives *receives = context->receives;
    for (int i = 0; i < receives->end && node == receives->own_node; i++) {
        struct direct_receive *ring = receives->rings[i];
        if (ring == NULL || ring->peer_context != peer_context || !ring->is_active) {
            continue;
        }
        if (is_ready(receives, ring)) {
            receives->ready = i;
            return DIRECT_RING_FIRST;
        }
        if (ring->header != 0) {
            return DIRECT_RING_FULL;
        }
        if (ring->is_active) {
            /* This message was sent after those in the ring, and a sender leaves the ring before it sends through the
             * node. */
            give_up(ring);
        }
    }
    return DIRECT_NODE_FIRST;
}

void direct_on_idle(hxb_context *context) {
    struct direct_receives *receives = context->receives;
    for (int i = 0; i < receives->end; i++) {
        struct direct_receive *ring = receives->rings[i];
        if (ring != NULL && is_over(receives, ring)) {
            receives->signals += ring_awake(ring);
            free_ring(ring);
            receives->rings[i] = NULL;
        }
    }
    while (receives->end > 0 && receives->rings[receives->end - 1] == NULL) {
        receives->end--;
        receives->ready = 0;
    }
}

/* ---- Releasing ---- */

HOT struct direct_receive *ring_of(const hxb_context *context, int64_t handle) {
    return context->receives->rings[PLACE_MASK - ((uint32_t)handle & PLACE_MASK)];
}

/* How far the number of a handle is after that of the first message held. */
HOT uint64_t distance(const struct direct_receive *ring, int64_t handle) {
    return (((uint64_t)handle >> PLACE_BITS) - ring->first_held) & POSITION_MASK;
}

bool direct_is_handle(const hxb_context *context, int64_t handle) {
    return context->receives != NULL && handle >= 0
        && PLACE_MASK - ((uint32_t)handle & PLACE_MASK) < DIRECT_MAX_RINGS;
}

/* Releases one of several messages held. */
static bool release_one(const struct direct_receives *receives, struct direct_receive *ring, uint64_t number) {
    uint64_t last = ring->next_held - 1;
    if (number == last) {
        bool was_held = !ring->is_last_released;
        ring->is_last_released = true;
        return was_held;
    }
    int64_t *end = end_of(receives, ring, number);
    if (*end < 0) {
        return false;
    }
    if (number != ring->first_held) {
        *end = ~*end;
        return true;
    }
    int64_t released = ~*end;
    for (ring->first_held++; ring->first_held != last; ring->first_held++) {
        int64_t next = *end_of(receives, ring, ring->first_held);
        if (next >= 0) {
            break;
        }
        released = next;
    }
    if (ring->first_held == last && ring->is_last_released) {
        ring->is_last_released = false;
        ring->first_held++;
        released = ~(int64_t)ring->position;
    }
    publish(ring, (uint64_t)~released);
    return true;
}

bool direct_release(hxb_context *context, int64_t handle) {
    struct direct_receive *ring = ring_of(context, handle);
    if (ring == NULL) {
        return false;
    }
    uint64_t offset = distance(ring, handle);
    uint64_t count = ring->next_held - ring->first_held;
    if (offset >= count) {
        return false;
    }
    if (LIKELY(count == 1)) {
        ring->first_held = ring->next_held;
        publish(ring, ring->position);
        return true;
    }
    return release_one(context->receives, ring, ring->first_held + offset);
}

/* ---- Sleeping ---- */

bool direct_receives_sleep(hxb_context *context) {
    struct direct_receives *receives = context->receives;
    for (int i = 0; i < receives->end; i++) {
        struct direct_receive *ring = receives->rings[i];
        if (ring != NULL) {
            ring->sleep = context->sleep;
            direct_sleep_on(context, ring->memory.page + HXB_DIRECTPAGE_RECEIVER_SLEEPS);
        }
    }
    return receives->end > 0;
}

int direct_receives_awake(hxb_context *context) {
    struct direct_receives *receives = context->receives;
    int count = receives->signals;
    receives->signals = 0;
    for (int i = 0; i < receives->end; i++) {
        count += receives->rings[i] == NULL ? 0 : ring_awake(receives->rings[i]);
    }
    return count;
}
