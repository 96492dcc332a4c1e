/* Messages to other contexts of the node that go directly, through a ring to each. A message is written where the
 * receiver reads it, unless another one is being written there: then it is copied when it is sent. It is done as soon
 * as it is in the ring. The classes LocalSends, DirectSends and DirectSend explain the rules. */
#define _GNU_SOURCE
#include "context/send_ring.h"

#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#define MESSAGES_BEFORE_OFFER 32 /* that go through the node before a ring is offered for the first time */
#define OFFER_BACKOFF_FACTOR 8    /* by which the messages before the next offer grow */
#define MAX_MESSAGES_BEFORE_OFFER (1 << 28)
/* Rings whose receivers are asked to wake this thread: with the others as many words as a sleep may have. */
#define MAX_SLEEPERS (FUTEX_MAX_WORDS - DIRECT_MAX_RINGS - 1)

struct peer {
    struct direct_send *ring;
    int sent, before_offer; /* messages through the node, and how many before the next offer; 0 for the first one */
};

struct direct_sends {
    struct peer *peers; /* by context */
    int contexts, count;
    int offers; /* without an answer */

    struct direct_send *full[DIRECT_MAX_RINGS]; /* had no room; the one that was found so last at the end */
    int full_count;
    int signals; /* that come for rings which are full no more, or removed meanwhile */

    int *done; /* slots whose messages are done, for large messages; a place for each slot */
    int done_first, done_count;
    bool has_unreported;

    bool *is_begin; /* of a slot: it has the message that begins a ring */
    int written_slot;
    struct direct_send *written_ring;
    bool is_written_ring_removed;
};

/* ---- Opening and closing ---- */

static void free_sends(struct direct_sends *sends) {
    free(sends->peers);
    free(sends->done);
    free(sends->is_begin);
    free(sends);
}

int direct_open_sends(hxb_context *context) {
    int contexts = context->device->facts.contexts;
    struct direct_sends *sends = calloc(1, sizeof *sends);
    if (sends == NULL) {
        return fail(HXB_E_MEMORY, "there is no memory for a context");
    }
    sends->contexts = contexts;
    sends->written_slot = NONE;
    sends->peers = calloc((size_t)contexts, sizeof *sends->peers);
    sends->done = calloc((size_t)context->slot_count, sizeof *sends->done);
    sends->is_begin = calloc((size_t)context->slot_count, sizeof *sends->is_begin);
    if (sends->peers == NULL || sends->done == NULL || sends->is_begin == NULL) {
        free_sends(sends);
        return fail(HXB_E_MEMORY, "there is no memory for a context");
    }
    context->sends = sends;
    return HXB_OK;
}

static void free_ring(struct direct_send *ring) {
    direct_unmap(&ring->memory);
    free(ring);
}

static void forget_offer(hxb_context *context, struct direct_send *ring) {
    if (ring->offer != NULL) {
        ask_forget(&context->device->connection, ring->offer);
        free(ring->offer);
        ring->offer = NULL;
        context->sends->offers--;
        context->direct_requests--;
    }
}

void direct_close_sends(hxb_context *context) {
    struct direct_sends *sends = context->sends;
    if (sends == NULL) {
        return;
    }
    for (int i = 0; i < sends->contexts && sends->count > 0; i++) {
        if (sends->peers[i].ring != NULL) {
            forget_offer(context, sends->peers[i].ring);
            free_ring(sends->peers[i].ring);
            sends->count--;
        }
    }
    if (sends->is_written_ring_removed) {
        free_ring(sends->written_ring);
    }
    free_sends(sends);
    context->sends = NULL;
}

/* ---- Offers ---- */

static void make_offer(hxb_context *context, int peer_context) {
    struct direct_sends *sends = context->sends;
    uint64_t id[2];
    int descriptors[2];
    if (getrandom(id, sizeof id, GRND_NONBLOCK) != (ssize_t)sizeof id) {
        return;
    }
    struct direct_send *ring = calloc(1, sizeof *ring);
    /* Without a ring messages go through the node. */
    if (ring == NULL || direct_make(&ring->memory, context->device->direct_bytes, descriptors) != HXB_OK) {
        free(ring);
        return;
    }
    uint8_t *page = ring->memory.page;
    put32(page + HXB_DIRECTPAGE_VERSION_OFFSET, HXB_DIRECTPAGE_VERSION);
    put32(page + HXB_DIRECTPAGE_SENDER_FENCES, context->device->has_fences);
    put64(page + HXB_DIRECTPAGE_ID, id[0]);
    put64(page + HXB_DIRECTPAGE_ID + sizeof id[0], id[1]);
    put64_release(page, HXB_DIRECTPAGE_MAGIC);
    ring->offer = malloc(sizeof *ring->offer);
    if (ring->offer == NULL) {
        descriptor_close(descriptors[0]);
        descriptor_close(descriptors[1]);
        free_ring(ring);
        return;
    }
    if (offer_direct(context->device, context->id, peer_context, descriptors, ring->offer) != HXB_OK) {
        free(ring->offer);
        free_ring(ring);
        return;
    }
    sends->peers[peer_context].ring = ring;
    sends->count++;
    sends->offers++;
    context->direct_requests++;
}

static void offer(hxb_context *context, int peer_context) {
    if (peer_context != context->id && context->sends->count < DIRECT_MAX_RINGS) {
        int state = call_begin();
        make_offer(context, peer_context);
        call_end(state);
    }
}

/* A message is about to go through the node to a context that has no ring. */
static void count_message(hxb_context *context, int peer_context) {
    struct peer *peer = &context->sends->peers[peer_context];
    int before_offer = peer->before_offer == 0 ? MESSAGES_BEFORE_OFFER : peer->before_offer;
    if (++peer->sent == before_offer) {
        peer->sent = 0;
        peer->before_offer = before_offer < MAX_MESSAGES_BEFORE_OFFER / OFFER_BACKOFF_FACTOR ? before_offer * OFFER_BACKOFF_FACTOR : MAX_MESSAGES_BEFORE_OFFER;
        offer(context, peer_context);
    }
}

static int ring_awake(struct direct_send *ring) {
    int sleep = ring->sleep;
    ring->sleep = 0;
    return sleep == 0 ? 0 : direct_awake_from(ring->memory.page + HXB_DIRECTPAGE_SENDER_SLEEPS, sleep);
}

static void forget_full(struct direct_sends *sends, const struct direct_send *ring) {
    int left = 0;
    for (int i = 0; i < sends->full_count; i++) {
        if (sends->full[i] != ring) {
            sends->full[left++] = sends->full[i];
        }
    }
    sends->full_count = left;
}

/* Ends the use of the ring to a context; what is being written there can still be. */
static void remove_ring(hxb_context *context, int peer_context) {
    struct direct_sends *sends = context->sends;
    struct direct_send *ring = sends->peers[peer_context].ring;
    if (ring == NULL) {
        return;
    }
    /* A ring that its receiver has given up is replaced, each time after OFFER_BACKOFF_FACTOR times as many messages. */
    int before_offer = ring->is_receiver_gone ? 0 : sends->peers[peer_context].before_offer;
    forget_offer(context, ring);
    sends->peers[peer_context] = (struct peer){.before_offer = before_offer};
    sends->count--;
    sends->signals += ring_awake(ring);
    forget_full(sends, ring);
    if (sends->written_slot != NONE && ring == sends->written_ring) {
        sends->is_written_ring_removed = true;
    } else {
        free_ring(ring);
    }
}

void direct_on_receiver_gone(hxb_context *context, int peer_context, int64_t number) {
    struct direct_sends *sends = context->sends;
    if (peer_context >= sends->contexts) {
        return;
    }
    struct peer *peer = &sends->peers[peer_context];
    if (peer->ring == NULL) {
        *peer = (struct peer){0}; /* it was given up before it was closed */
    } else if (peer->ring->offer == NULL && peer->ring->number == number) {
        /* Otherwise another ring to a new context of that number has replaced it. */
        peer->ring->is_receiver_gone = true;
        peer->ring->is_broken = true;
        if ((int64_t)(peer->ring->messages_end - send_ring_load_released(peer->ring)) > 0) {
            /* Messages that are done, but the receiver had not released all of them. */
            add_failed(context, HXB_NO_SUCH_CONTEXT, context->device->facts.node_id, peer_context, NONE);
        }
    }
}

/* The node has answered the offer of a ring. */
static void take_answer(hxb_context *context, int peer_context, struct direct_send *ring) {
    ring->memory.peer_signal = offer_answer(context->device, ring->offer, &ring->number);
    forget_offer(context, ring);
    if (ring->memory.peer_signal < 0) {
        /* Without a ring messages go through the node. */
        remove_ring(context, peer_context);
    }
}

void direct_take_answers(hxb_context *context) {
    struct direct_sends *sends = context->sends;
    for (int i = 0; sends->offers > 0 && i < sends->contexts; i++) {
        struct direct_send *ring = sends->peers[i].ring;
        if (ring != NULL && ring->offer != NULL && ask_is_over(&context->device->connection, ring->offer)) {
            take_answer(context, i, ring);
        }
    }
}

/* Something is sent before the message that is being written in the ring, if one is. */
static void pass_written(const hxb_context *context, struct direct_send *ring) {
    const struct direct_sends *sends = context->sends;
    if (sends->written_slot != NONE && ring == sends->written_ring && !ring->is_stranded) {
        send_ring_strand(ring, context->slots[sends->written_slot].length);
    }
}

/* ---- The common case ---- */

int direct_claim(hxb_context *context, int peer_context, uint32_t length, void **data) {
    struct direct_sends *sends = context->sends;
    struct direct_send *ring = sends->peers[peer_context].ring;
    bool has_changes = get32_acquire(context->control + HXB_CONTROL_DIRECT_CHANGES) != context->direct_changes_taken;
    if (UNLIKELY(has_changes || ring == NULL || sends->written_slot != NONE || context->free_count == 0)) {
        return NONE;
    }
    if (UNLIKELY(!ring->is_open || send_ring_is_broken(ring) || !send_ring_fits(ring, length))) {
        return NONE;
    }
    int slot = take_free_slot(context, context->device->facts.node_id, peer_context, length);
    if (UNLIKELY(slot == NONE)) {
        return NONE;
    }
    sends->written_slot = slot;
    sends->written_ring = ring;
    *data = send_ring_next_payload(ring);
    return slot;
}

bool direct_commit(hxb_context *context, int slot, uint32_t length, uint32_t tag) {
    struct direct_sends *sends = context->sends;
    struct direct_send *ring = sends->written_ring;
    if (UNLIKELY(slot != sends->written_slot || sends->is_written_ring_removed
                 || context->services[SERVICE_LARGE] != NULL || context->slots[slot].cookie != 0)) {
        return false;
    }
    if (UNLIKELY(direct_is_in_doubt(context) || !ring->is_open || ring->is_stranded || send_ring_is_broken(ring))) {
        return false; /* the receiver may be another one by now */
    }
    sends->written_slot = NONE;
    sends->has_unreported = true;
    set_free(context, slot);
    direct_on_send(context);
    send_ring_append(ring, length, tag);
    return true;
}

/* ---- Claims ---- */

bool direct_is_open(hxb_context *context, int peer_context) {
    struct direct_sends *sends = context->sends;
    struct direct_send *ring = sends->peers[peer_context].ring;
    if (ring == NULL) {
        return false;
    }
    if (UNLIKELY(send_ring_is_broken(ring))) {
        remove_ring(context, peer_context);
        return false;
    }
    if (UNLIKELY(ring->is_open && direct_is_in_doubt(context))) {
        pass_written(context, ring);
        send_ring_leave(ring);
    }
    return ring->is_open;
}

void direct_on_through_node(hxb_context *context, int peer_context) {
    if (context->sends->peers[peer_context].ring == NULL) {
        count_message(context, peer_context);
    }
}

/* A begin may be sent if the receiver has the ring, and has read all of it. */
bool direct_may_begin(const hxb_context *context, int peer_context) {
    const struct direct_send *ring = context->sends->peers[peer_context].ring;
    return ring != NULL && ring->offer == NULL && !direct_is_in_doubt(context)
        && send_ring_load_state(ring) == HXB_DIRECTPAGE_TAKEN && !ring->is_stranded
        && send_ring_load_released(ring) == ring->position;
}

void direct_begin(hxb_context *context, int peer_context, int slot, uint8_t *payload) {
    struct direct_send *ring = context->sends->peers[peer_context].ring;
    for (int i = 0; i < HXB_DIRECTPAGE_BEGIN_BYTES; i += 8) {
        uint64_t half = get64(ring->memory.page + HXB_DIRECTPAGE_ID + i);
        memcpy(payload + i, &half, sizeof half);
    }
    context->sends->is_begin[slot] = true;
    ring->is_open = true;
    ring->has_fences = direct_has_fences(&ring->memory);
}

bool direct_take_begin(hxb_context *context, int slot) {
    bool is_begin = context->sends != NULL && context->sends->is_begin[slot];
    if (is_begin) {
        context->sends->is_begin[slot] = false;
    }
    return is_begin;
}

void direct_on_begin_failed(hxb_context *context, int peer_context) {
    remove_ring(context, peer_context);
}

bool direct_has_room(hxb_context *context, int peer_context, uint32_t length) {
    struct direct_sends *sends = context->sends;
    struct direct_send *ring = sends->peers[peer_context].ring;
    if (LIKELY(send_ring_has_room(ring, length))) {
        return true;
    }
    ring->refused = length;
    if (sends->full_count == 0 || sends->full[sends->full_count - 1] != ring) {
        forget_full(sends, ring);
        sends->full[sends->full_count++] = ring;
    }
    return false;
}

void direct_on_claimed(hxb_context *context, int peer_context, int slot) {
    struct direct_sends *sends = context->sends;
    if (sends->written_slot == NONE) {
        sends->written_slot = slot;
        sends->written_ring = sends->peers[peer_context].ring;
    }
}

uint8_t *direct_buffer(const hxb_context *context, int slot) {
    const struct direct_sends *sends = context->sends;
    if (sends == NULL || slot != sends->written_slot) {
        return NULL;
    }
    const struct direct_send *ring = sends->written_ring;
    return ring->is_stranded ? ring->stranded_data : send_ring_next_payload(ring);
}

static void end_writing(struct direct_sends *sends) {
    sends->written_slot = NONE;
    sends->written_ring->is_stranded = false;
    if (sends->is_written_ring_removed) {
        sends->is_written_ring_removed = false;
        free_ring(sends->written_ring);
    }
}

void direct_abandon(hxb_context *context, int slot) {
    if (context->sends != NULL && slot == context->sends->written_slot) {
        end_writing(context->sends);
    }
}

/* ---- Sending ---- */

static void on_done(hxb_context *context, int slot) {
    struct direct_sends *sends = context->sends;
    if (context->services[SERVICE_LARGE] == NULL && context->slots[slot].cookie == 0) {
        sends->has_unreported = true;
        context->in_flight--;
        free_slot(context, slot);
    } else {
        /* The node must not report a completion for this slot. */
        context->slots[slot].state = SLOT_DONE;
        sends->done[(sends->done_first + sends->done_count++) % context->slot_count] = slot;
    }
}

static bool copy(struct direct_send *ring, const uint8_t *source, uint32_t length, uint32_t tag) {
    if (!send_ring_fits(ring, length) && !send_ring_has_room_now(ring, length)) {
        send_ring_leave(ring);
        return false;
    }
    memcpy(send_ring_next_payload(ring), source, length);
    send_ring_append(ring, length, tag);
    return true;
}

bool direct_submit(hxb_context *context, int slot, uint32_t length, uint32_t tag, const uint8_t *data,
                   uint8_t *own_buffer) {
    struct direct_sends *sends = context->sends;
    struct direct_send *ring = sends->peers[context->slots[slot].context].ring;
    bool is_open = ring != NULL && ring->is_open && !ring->is_receiver_gone && !direct_is_in_doubt(context);
    bool is_written = slot == sends->written_slot;
    const uint8_t *in_place = direct_buffer(context, slot);
    if (is_open && data == NULL && is_written && ring == sends->written_ring && !ring->is_stranded) {
        sends->written_slot = NONE;
        send_ring_append(ring, length, tag);
        on_done(context, slot);
        return true;
    }
    const uint8_t *source = data != NULL ? data : is_written ? in_place : own_buffer;
    if (is_open && !is_written) {
        pass_written(context, ring);
    }
    bool is_sent = is_open && copy(ring, source, length, tag);
    if (!is_sent && is_written && data == NULL) {
        memcpy(own_buffer, source, length);
    }
    if (is_written) {
        end_writing(sends);
    }
    if (is_sent) {
        on_done(context, slot);
    } else if (ring != NULL && ring->is_open && !send_ring_is_broken(ring)) {
        /* The receiver may be another one by now: this one is notified that the next messages come through the node. */
        pass_written(context, ring);
        send_ring_leave(ring);
    }
    return is_sent;
}

bool direct_has_done(const hxb_context *context) {
    return context->sends != NULL && (context->sends->has_unreported || context->sends->done_count > 0);
}

int direct_take_done(hxb_context *context) {
    struct direct_sends *sends = context->sends;
    sends->has_unreported = false;
    if (sends->done_count == 0) {
        return NONE;
    }
    int slot = sends->done[sends->done_first];
    sends->done_first = (sends->done_first + 1) % context->slot_count;
    sends->done_count--;
    return slot;
}

/* ---- Waiting for room ---- */

bool direct_is_any_full(const hxb_context *context) {
    return context->sends != NULL && context->sends->full_count > 0;
}

bool direct_take_room_again(hxb_context *context) {
    struct direct_sends *sends = context->sends;
    int left = 0;
    int count = sends->full_count;
    for (int i = 0; i < count; i++) {
        struct direct_send *ring = sends->full[i];
        if (send_ring_has_room(ring, ring->refused) || send_ring_is_broken(ring)) {
            sends->signals += ring_awake(ring);
        } else {
            sends->full[left++] = ring;
        }
    }
    sends->full_count = left;
    return left < count;
}

bool direct_sends_sleep(hxb_context *context) {
    struct direct_sends *sends = context->sends;
    int first = sends->full_count - MAX_SLEEPERS;
    for (int i = first > 0 ? first : 0; i < sends->full_count; i++) {
        sends->full[i]->sleep = context->sleep;
        direct_sleep_on(context, sends->full[i]->memory.page + HXB_DIRECTPAGE_SENDER_SLEEPS);
    }
    return sends->full_count > 0;
}

int direct_sends_awake(hxb_context *context) {
    struct direct_sends *sends = context->sends;
    int count = sends->signals;
    sends->signals = 0;
    for (int i = 0; i < sends->full_count; i++) {
        count += ring_awake(sends->full[i]);
    }
    return count;
}
