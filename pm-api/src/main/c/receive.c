/* Receiving: messages lie in the node's buffers until they are released; events tell of what is no message. */
#define _GNU_SOURCE
#include "internal.h"

#include <stdlib.h>

#define MESSAGES_PER_TURN 64 /* in a row of one kind while there are some of the other */

/* ---- Messages held ---- */

uint64_t new_number_base(void) {
    static _Atomic uint64_t bases;
    uint64_t number = atomic_fetch_add_explicit(&bases, 1, memory_order_relaxed) + 1;
    return number * UINT64_C(0x9E3779B97F4A7C15) & POSITION_MASK;
}

bool make_places(hxb_context *context, uint32_t count) {
    context->held = calloc(count, sizeof *context->held);
    context->free_places = calloc(count, sizeof *context->free_places);
    if (context->held == NULL || context->free_places == NULL) {
        return false;
    }
    context->place_count = count;
    context->number_base = new_number_base();
    for (uint32_t place = count; place-- > 0;) {
        context->held[place].number = NOT_HELD;
        context->free_places[context->free_place_count++] = place;
    }
    return true;
}

/* Notes the message at the position delivered and sets its handle. False if more are held than the node delivers. */
static bool hold(hxb_context *context, hxb_message *message, uint32_t buffer) {
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
static struct held *held_at(const hxb_context *context, int64_t handle) {
    uint32_t place = (uint32_t)handle & PLACE_MASK;
    if (handle < 0 || place >= context->place_count
        || context->held[place].number != (uint64_t)handle >> PLACE_BITS) {
        return NULL;
    }
    return &context->held[place];
}

/* ---- Receiving ---- */

static const uint8_t *delivery(const hxb_context *context) {
    return context->deliveries + (context->delivered & context->delivery_mask) * HXB_DELIVERY_ENTRY_BYTES;
}

static bool has_delivery(const hxb_context *context) {
    return get64_acquire(delivery(context)) == context->delivered + 1;
}

static void give_back(hxb_context *context, uint32_t buffer);

/* The message that the node has delivered, without a handle, and its buffer; false if it lies outside of those. */
static bool read_delivery(const hxb_context *context, hxb_message *message, uint32_t *in) {
    const uint8_t *entry = delivery(context);
    uint32_t buffer = get32(entry + HXB_DELIVERY_BUFFER);
    uint32_t offset = get32(entry + HXB_DELIVERY_OFFSET);
    uint32_t length = get32(entry + HXB_DELIVERY_LENGTH);
    if (UNLIKELY(buffer >= (uint32_t)context->receive_buffers || offset > context->receive_buffer_bytes
                 || length > context->receive_buffer_bytes - offset)) {
        return false;
    }
    message->data = context->receive_pool + (uint64_t)buffer * context->receive_buffer_bytes + offset;
    message->length = length;
    message->tag = get32(entry + HXB_DELIVERY_TAG);
    message->from.node = (int)get32(entry + HXB_DELIVERY_SOURCE_NODE);
    message->from.context = (int)get32(entry + HXB_DELIVERY_SOURCE_CONTEXT);
    *in = buffer;
    return true;
}

/* Takes messages that begin a ring. Then returns what direct_order says of the next one that the node has delivered;
 * without one DIRECT_RING_FULL, as if it had to wait. */
static int next_from_node(hxb_context *context) {
    while (has_delivery(context)) {
        hxb_message message;
        uint32_t buffer;
        if (direct_is_empty(context) || !read_delivery(context, &message, &buffer)) {
            return DIRECT_NODE_FIRST;
        }
        if (!direct_take_begin_of(context, message.from.node, message.from.context, message.data, message.length)) {
            return direct_order(context, message.from.node, message.from.context);
        }
        context->delivered++;
        give_back(context, buffer);
    }
    return DIRECT_RING_FULL;
}

bool has_message(hxb_context *context) {
    if (context->receives == NULL) {
        return has_delivery(context);
    }
    direct_poll(context);
    if (next_from_node(context) != DIRECT_RING_FULL || direct_is_ready(context)) {
        return true;
    }
    direct_on_idle(context);
    return false;
}

/* True if the next message is in a ring: the two kinds take turns if both have some. */
static bool is_in_ring(hxb_context *context) {
    if (context->receives == NULL || direct_is_empty(context)) {
        return false;
    }
    int order = next_from_node(context);
    if (order != DIRECT_NODE_FIRST) {
        return order == DIRECT_RING_FIRST || direct_is_ready(context);
    }
    if (context->kind_turn_left == 0) {
        context->kind_turn_left = MESSAGES_PER_TURN;
        context->is_turn_of_rings = !context->is_turn_of_rings;
    }
    context->kind_turn_left--;
    return context->is_turn_of_rings && direct_is_ready(context);
}

static int receive_any(hxb_context *context, hxb_message *message) {
    if (!has_message(context) || !is_open_at_node(context) || UNLIKELY(context->broken != 0)) {
        return context_idle(context, HXB_EMPTY);
    }
    if (is_in_ring(context)) {
        direct_receive(context, message);
        context->held_count++;
        return HXB_OK;
    }
    if (context->receives != NULL && !has_delivery(context)) {
        return context_idle(context, HXB_EMPTY);
    }
    uint32_t buffer;
    if (UNLIKELY(!read_delivery(context, message, &buffer))) {
        return corrupt(context, "a message outside of its buffers");
    }
    if (UNLIKELY(!hold(context, message, buffer))) {
        return corrupt(context, "more messages than its entries");
    }
    context->held_count++;
    context->delivered++;
    return HXB_OK;
}

/* The same, where nothing has come through the node: then nothing in a ring has to wait for it. */
int receive_next(hxb_context *context, hxb_message *message) {
    if (LIKELY(context->receives != NULL && !has_delivery(context))) {
        direct_poll(context);
        if (LIKELY(is_open_at_node(context) && context->broken == 0 && direct_receive_next(context, message))) {
            context->held_count++;
            return HXB_OK;
        }
    }
    return receive_any(context, message);
}

static void put_release(hxb_context *context, uint32_t buffer) {
    uint8_t *entry = context->releases + (context->released & context->release_mask) * HXB_RELEASE_ENTRY_BYTES;
    context->released++;
    put64_release(entry, context->released << 32 | buffer);
}

static void give_back(hxb_context *context, uint32_t buffer) {
    put_release(context, buffer);
    /* Either the node sees the release, or this thread sees that the node waits for one. */
    atomic_thread_fence(memory_order_seq_cst);
    if (get32(context->control + HXB_CONTROL_RELEASE_AWAITED) != 0) {
        wake_node(context);
    }
}

bool release_buffer(hxb_context *context, hxb_message *message) {
    int64_t handle = message->handle;
    if (direct_is_handle(context, handle)) {
        if (UNLIKELY(!direct_release(context, handle))) {
            return false;
        }
    } else {
        struct held *held = held_at(context, handle);
        if (UNLIKELY(held == NULL)) {
            return false;
        }
        held->number = NOT_HELD;
        context->free_places[context->free_place_count++] = (uint32_t)(held - context->held);
        give_back(context, held->buffer);
    }
    message->handle = -1;
    context->held_count--;
    return true;
}

HOT int check_message(const hxb_context *context, const hxb_message *message) {
    int result = check_context(context);
    return LIKELY(result != HXB_OK || message != NULL) ? result : fail(HXB_E_ARGUMENT, "the message is NULL");
}

int hxb_receive(hxb_context *context, hxb_message *message) {
    int result = check_message(context, message);
    return result == HXB_OK ? receive_next(context, message) : result;
}

int hxb_receive_many(hxb_context *context, hxb_message *messages, int count) {
    int result = check_message(context, messages);
    if (result == HXB_OK && count < 1) {
        result = fail(HXB_E_ARGUMENT, "the count must be 1 or more: %d", count);
    }
    int received = 0;
    while (result == HXB_OK && received < count) {
        result = receive_next(context, &messages[received]);
        received += result == HXB_OK;
    }
    return received > 0 ? received : result;
}

int hxb_receive_wait(hxb_context *context, hxb_message *message, int64_t timeout_ns) {
    int result = check_message(context, message);
    if (result == HXB_OK) {
        result = check_timeout(timeout_ns);
    }
    if (result == HXB_OK) {
        result = receive_next(context, message);
    }
    if (result == HXB_EMPTY) {
        wait_enter(context);
        result = wait_for(context, HXB_WAIT_MESSAGES, timeout_ns);
        if (result == HXB_OK) {
            result = receive_next(context, message);
        }
        result = wait_leave(context, result);
    }
    return result;
}

int hxb_release(hxb_context *context, hxb_message *message) {
    int result = check_message(context, message);
    if (result != HXB_OK) {
        return result;
    }
    return LIKELY(release_buffer(context, message)) ? HXB_OK : fail(HXB_E_STATE, "no such message is held");
}

/* ---- Events ---- */

static const uint8_t *event_entry(const hxb_context *context) {
    return context->events + (context->events_taken & (HXB_CONTROL_EVENT_ENTRIES - 1)) * HXB_EVENTS_ENTRY_BYTES;
}

bool has_event(const hxb_context *context) {
    return get64_acquire(event_entry(context)) == context->events_taken + 1;
}

int take_event(hxb_context *context, hxb_event *event) {
    take_link_events(context->device);
    if (context->receives != NULL) {
        direct_poll(context);
    }
    if (take_done_sends(context) > 0) {
        context->has_untold_sends = true;
    }
    if (context->failed_head != context->failed_tail) {
        *event = context->failed[context->failed_head++ % (uint64_t)context->slot_count];
        return HXB_OK;
    }
    if (context->broken != 0 || !has_event(context)) {
        return HXB_EMPTY;
    }
    const uint8_t *entry = event_entry(context);
    event->status = (int)get32(entry + HXB_EVENTS_STATUS);
    event->peer.node = (int)get32(entry + HXB_EVENTS_NODE);
    event->peer.context = (int)get32(entry + HXB_EVENTS_CONTEXT);
    event->slot = NONE;
    event->cookie = 0;
    memset(event->reserved, 0, sizeof event->reserved);
    if (UNLIKELY(!is_status(event->status))) {
        return corrupt(context, "an event with a status that does not exist");
    }
    context->events_taken++;
    put_release(context, (uint32_t)HXB_RELEASE_EVENT);
    return HXB_OK;
}

int hxb_poll_event(hxb_context *context, hxb_event *event) {
    int result = check_context(context);
    if (result == HXB_OK && event == NULL) {
        result = fail(HXB_E_ARGUMENT, "the event is NULL");
    }
    return result == HXB_OK ? take_event(context, event) : result;
}
