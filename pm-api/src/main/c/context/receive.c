/* Receiving: messages lie in buffers of the node until they are released; events report everything else. */
#include "context/context.h"

#define MESSAGES_PER_TURN 64 /* in a row of one kind while there are some of the other */

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

/* Takes messages that begin a ring. Then returns direct_order for the next message that the node has delivered; without
 * one DIRECT_RING_FULL, as if it had to wait. */
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
        context->has_unreported_sends = true;
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
