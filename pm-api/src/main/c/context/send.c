/* Sending: slots are claimed, filled and handed to the node, which reports when they are done. */
#include "context/context.h"

static uint32_t record_bytes(uint32_t length) {
    return (HXB_SHORT_HEADER_BYTES + length + 7) & ~UINT32_C(7);
}

static uint8_t *record_at(const hxb_context *context, uint64_t position) {
    return context->shorts + HXB_SHORT_DATA + (position & (context->short_bytes - 1));
}

/* Finds where a record would begin in the ring of short messages; false if the node still needs that memory. */
static bool short_room(hxb_context *context, uint32_t length) {
    uint32_t bytes = record_bytes(length);
    uint64_t position = context->short_position;
    uint32_t left = context->short_bytes - (uint32_t)(position & (context->short_bytes - 1));
    uint64_t begin = bytes <= left ? position : position + left;
    if (begin + bytes - context->short_taken > context->short_bytes) {
        uint64_t taken = get64_acquire(context->shorts + HXB_SHORT_TAKEN);
        if (taken > position) {
            corrupt(context, "it has taken short messages that were never sent");
            return false;
        }
        context->short_taken = taken;
        if (begin + bytes - taken > context->short_bytes) {
            return false;
        }
    }
    context->written_begin = begin;
    return true;
}

static bool is_next_short(const hxb_context *context, int node, int peer_context, uint32_t length) {
    return length <= HXB_SHORT_MAX_LENGTH && node == context->last_node && peer_context == context->last_context;
}

static uint8_t *slot_buffer(const hxb_context *context, int slot) {
    return context->send_pool + (uint64_t)slot * context->send_buffer_bytes;
}

static uint8_t *message_buffer(const hxb_context *context, int slot) {
    if (slot == context->written_slot) {
        return record_at(context, context->written_begin) + HXB_SHORT_HEADER_BYTES;
    }
    uint8_t *direct = direct_buffer(context, slot);
    return direct != NULL ? direct : slot_buffer(context, slot);
}

static void put_submission(hxb_context *context, int slot, uint32_t length, int node, int peer_context, uint32_t tag,
                           int region, uint64_t offset, uint64_t shorts_before) {
    uint8_t *entry =
        context->submissions + (context->submitted & context->submission_mask) * HXB_SUBMISSION_ENTRY_BYTES;
    put32(entry + HXB_SUBMISSION_SLOT, (uint32_t)slot);
    put32(entry + HXB_SUBMISSION_LENGTH, length);
    put32(entry + HXB_SUBMISSION_NODE, (uint32_t)node);
    put32(entry + HXB_SUBMISSION_CONTEXT, (uint32_t)peer_context);
    put32(entry + HXB_SUBMISSION_TAG, tag);
    put32(entry + HXB_SUBMISSION_REGION, (uint32_t)region);
    put64(entry + HXB_SUBMISSION_REGION_OFFSET, offset);
    put64(entry + HXB_SUBMISSION_SHORTS_BEFORE, shorts_before);
    put64_release(entry, ++context->submitted);
}

/* True if the message lies in the ring of short messages; it is copied there if it suits. */
static bool is_in_ring(hxb_context *context, int slot, int node, int peer_context, uint32_t length) {
    if (slot == context->written_slot) {
        return true;
    }
    if (context->written_slot != NONE || !is_next_short(context, node, peer_context, length)
        || !short_room(context, length)) {
        return false;
    }
    memcpy(record_at(context, context->written_begin) + HXB_SHORT_HEADER_BYTES, slot_buffer(context, slot), length);
    return true;
}

/* Appends the message that lies in the ring to those of its run, or begins one with it. */
static void append_short(hxb_context *context, int slot, int node, int peer_context, uint32_t length, uint32_t tag) {
    uint64_t begin = context->written_begin;
    uint64_t end = context->short_position;
    bool is_same = node == context->last_node && peer_context == context->last_context;
    bool is_next = begin == end && (begin & (context->short_bytes - 1)) != 0;
    if (is_same && context->run_slot != NONE && is_next) {
        context->slots[context->run_slot].following = slot;
    } else {
        /* Before the message itself, so that the node never sees one without the other. */
        put_submission(context, 0, 0, node, peer_context, 0, HXB_SUBMISSION_RUN, begin, end);
    }
    context->run_slot = slot;
    fetch_for_writing(record_at(context, begin + FETCH_AHEAD_BYTES));
    put64(record_at(context, begin), (uint64_t)tag << 32 | (uint32_t)slot << 16 | length);
    context->short_position = begin + record_bytes(length);
    put64_release(context->shorts, context->short_position);
}

static void start_slot(hxb_context *context, int slot, uint32_t length) {
    struct slot *facts = &context->slots[slot];
    facts->state = SLOT_IN_FLIGHT;
    facts->length = length;
    context->shares.all[facts->share].bytes += length;
    context->in_flight++;
    direct_on_send(context);
}

static void submit_to_node(hxb_context *context, int slot, uint32_t length, uint32_t tag, const hxb_region *region,
                           uint64_t offset) {
    const struct slot *facts = &context->slots[slot];
    int region_id = region == NULL ? 0 : region->lent.id;
    int node = facts->node;
    int peer_context = facts->context;
    if (region == NULL && is_in_ring(context, slot, node, peer_context, length)) {
        append_short(context, slot, node, peer_context, length, tag);
    } else {
        put_submission(context, slot, length, node, peer_context, tag, region_id, offset, context->short_position);
        context->run_slot = NONE;
    }
    context->last_node = node;
    context->last_context = peer_context;
    if (slot == context->written_slot) {
        context->written_slot = NONE;
    }
    atomic_thread_fence(memory_order_seq_cst); /* the full fence of wake_node */
    wake_node(context);
}

/* True if messages to a context of this node go through a ring, which may begin with this. */
static bool is_to_ring(hxb_context *context, int node, int peer_context) {
    if (context->sends == NULL || node != context->device->facts.node_id) {
        return false;
    }
    direct_poll(context);
    if (direct_is_open(context, peer_context)) {
        return true;
    }
    int slot = direct_may_begin(context, peer_context) ? take_free_slot(context, node, peer_context, 0) : NONE;
    if (slot == NONE) {
        return false;
    }
    direct_begin(context, peer_context, slot, slot_buffer(context, slot));
    start_slot(context, slot, HXB_DIRECTPAGE_BEGIN_BYTES);
    submit_to_node(context, slot, HXB_DIRECTPAGE_BEGIN_BYTES, HXB_DIRECTPAGE_BEGIN_TAG, NULL, 0);
    return true;
}

static int try_claim(hxb_context *context, int node, int peer_context, uint32_t length, void **data) {
    bool is_direct = is_to_ring(context, node, peer_context);
    if (is_direct && !direct_has_room(context, peer_context, length)) {
        return NONE;
    }
    int slot = take_free_slot(context, node, peer_context, length);
    if (UNLIKELY(slot == NONE)) {
        return NONE;
    }
    if (!is_direct && context->sends != NULL && node == context->device->facts.node_id) {
        direct_on_through_node(context, peer_context);
    }
    if (is_direct) {
        direct_on_claimed(context, peer_context, slot);
    } else if (context->written_slot == NONE && is_next_short(context, node, peer_context, length)
        && short_room(context, length)) {
        context->written_slot = slot;
    }
    *data = message_buffer(context, slot);
    return slot;
}

static int claim_any(hxb_context *context, int node, int peer_context, uint32_t length, void **data) {
    if (context->free_count == 0) {
        take_done(context);
    }
    int slot = try_claim(context, node, peer_context, length, data);
    if (UNLIKELY(slot == NONE)) {
        /* Slots wait to be taken back while others are free: a destination has its share, or a ring is full. */
        take_done(context);
        slot = try_claim(context, node, peer_context, length, data);
    }
    return LIKELY(slot != NONE) ? slot : context_idle(context, HXB_NO_BUFFERS);
}

int claim_slot(hxb_context *context, int node, int peer_context, uint32_t length, void **data) {
    if (context->sends != NULL && node == context->device->facts.node_id) {
        int slot = direct_claim(context, peer_context, length, data);
        if (LIKELY(slot != NONE)) {
            return slot;
        }
    }
    return claim_any(context, node, peer_context, length, data);
}

/* Through the ring to its context, if that is open. */
static bool submit_directly(hxb_context *context, int slot, uint32_t length, uint32_t tag, const hxb_region *region,
                            uint64_t offset) {
    const uint8_t *data = region != NULL ? region->lent.data + offset
        : slot == context->written_slot  ? message_buffer(context, slot)
                                         : NULL;
    direct_poll(context);
    if (!direct_submit(context, slot, length, tag, data, slot_buffer(context, slot))) {
        return false;
    }
    if (slot == context->written_slot) {
        context->written_slot = NONE;
    }
    return true;
}

void abandon_slot(hxb_context *context, int slot) {
    direct_abandon(context, slot);
    free_slot(context, slot);
}

int commit_slot(hxb_context *context, int slot, uint32_t length, uint32_t tag, const hxb_region *region,
                uint64_t offset) {
    int closed = context_status(context);
    if (UNLIKELY(closed != HXB_OK)) {
        abandon_slot(context, slot);
        return closed;
    }
    if (region == NULL && context->sends != NULL && LIKELY(direct_commit(context, slot, length, tag))) {
        return HXB_OK;
    }
    start_slot(context, slot, length);
    if (context->sends != NULL && context->slots[slot].node == context->device->facts.node_id
        && submit_directly(context, slot, length, tag, region, offset)) {
        return HXB_OK;
    }
    submit_to_node(context, slot, length, tag, region, offset);
    return HXB_OK;
}
