/* Sending: slots are claimed, filled and handed to the node, which says what has become of them. */
#define _GNU_SOURCE
#include "internal.h"

#define MAX_PARTS 1024

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

void take_done(hxb_context *context) {
    if (take_done_sends(context) > 0) {
        context->has_untold_sends = true;
    }
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

void free_slot(hxb_context *context, int slot) {
    if (slot == context->written_slot) {
        context->written_slot = NONE;
    }
    set_free(context, slot);
}

/* Through the ring to its context, if that is open. */
static bool submit_directly(hxb_context *context, int slot, uint32_t length, uint32_t tag, const hxb_region *region,
                            uint64_t offset) {
    const uint8_t *data = region != NULL ? region->lent.data + offset
        : slot == context->written_slot  ? message_buffer(context, slot)
                                         : NULL;
    if (!direct_submit(context, slot, length, tag, data, slot_buffer(context, slot))) {
        return false;
    }
    if (slot == context->written_slot) {
        context->written_slot = NONE;
    }
    return true;
}

static void abandon_slot(hxb_context *context, int slot) {
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

HOT int check_claim(const hxb_context *context, int node, int peer_context, size_t length, const void *data) {
    int result = check_context(context);
    if (result == HXB_OK) {
        result = check_destination(context->device, node, peer_context);
    }
    if (UNLIKELY(result == HXB_OK && (length > max_length(context) || data == NULL))) {
        return fail(HXB_E_ARGUMENT, "the length must be 0..%u, and the pointer not NULL: %zu", max_length(context),
                    length);
    }
    return result;
}

HOT int check_slot(const hxb_context *context, int slot) {
    int result = check_context(context);
    if (UNLIKELY(result == HXB_OK && (slot < 0 || slot >= context->slot_count))) {
        return fail(HXB_E_ARGUMENT, "slot must be 0..%d: %d", context->slot_count - 1, slot);
    }
    return result;
}

HOT int check_claimed(const hxb_context *context, int slot) {
    int result = check_slot(context, slot);
    if (UNLIKELY(result == HXB_OK && context->slots[slot].state != SLOT_CLAIMED)) {
        return fail(HXB_E_STATE, "slot is not claimed: %d", slot);
    }
    return result;
}

/* What a claim returns that has not found a buffer in time: HXB_DROPPED if the options of the destination say so. */
static int refused(hxb_context *context, int node, int peer_context, int status) {
    int number = share_find(&context->shares, share_key(node, peer_context));
    if (number == NONE || !context->shares.all[number].is_dropping) {
        return status;
    }
    context->shares.all[number].dropped++;
    return HXB_DROPPED;
}

int hxb_claim(hxb_context *context, hxb_address to, size_t length, void **data) {
    int result = check_claim(context, to.node, to.context, length, data);
    if (result == HXB_OK) {
        result = claim_slot(context, to.node, to.context, (uint32_t)length, data);
        if (UNLIKELY(result == HXB_NO_BUFFERS)) {
            result = refused(context, to.node, to.context, result);
        }
    }
    return result;
}

static int claim_waiting(hxb_context *context, int node, int peer_context, uint32_t length, void **data,
                         int64_t timeout_ns) {
    int number = share_find(&context->shares, share_key(node, peer_context));
    int64_t max_wait_ns = number == NONE ? HXB_FOREVER : context->shares.all[number].max_wait_ns;
    if (max_wait_ns == 0) {
        return refused(context, node, peer_context, HXB_NO_BUFFERS);
    }
    timeout_ns = timeout_ns < max_wait_ns ? timeout_ns : max_wait_ns;
    int slot = HXB_NO_BUFFERS;
    int64_t start = now_ns();
    while (slot == HXB_NO_BUFFERS) {
        int64_t left = timeout_ns - (now_ns() - start);
        int status = wait_for(context, HXB_WAIT_SENDS, left > 0 ? left : 0);
        if (status != HXB_OK) {
            return status == HXB_TIMED_OUT ? refused(context, node, peer_context, status) : status;
        }
        slot = claim_slot(context, node, peer_context, length, data);
    }
    return slot;
}

int hxb_claim_wait(hxb_context *context, hxb_address to, size_t length, void **data, int64_t timeout_ns) {
    int result = check_claim(context, to.node, to.context, length, data);
    if (result == HXB_OK) {
        result = check_timeout(timeout_ns);
    }
    if (result != HXB_OK) {
        return result;
    }
    int slot = claim_slot(context, to.node, to.context, (uint32_t)length, data);
    if (UNLIKELY(slot == HXB_NO_BUFFERS)) {
        wait_enter(context);
        slot = claim_waiting(context, to.node, to.context, (uint32_t)length, data, timeout_ns);
        slot = wait_leave(context, slot);
    }
    return slot;
}

/* A message and what names it. */
struct outgoing {
    const struct iovec *parts;
    int count;
    size_t length;
    uint32_t tag;
    uint64_t cookie;
};

static int send_claimed(hxb_context *context, int slot, void *buffer, const struct outgoing *message) {
    uint8_t *at = buffer;
    for (int i = 0; i < message->count; i++) {
        if (message->parts[i].iov_len > 0) {
            memcpy(at, message->parts[i].iov_base, message->parts[i].iov_len);
            at += message->parts[i].iov_len;
        }
    }
    context->slots[slot].cookie = message->cookie;
    return commit_slot(context, slot, (uint32_t)message->length, message->tag, NULL, 0);
}

static int send_waiting(hxb_context *context, hxb_address to, const struct outgoing *message, int64_t timeout_ns) {
    void *buffer;
    wait_enter(context);
    int result = claim_waiting(context, to.node, to.context, (uint32_t)message->length, &buffer, timeout_ns);
    if (result >= 0) {
        result = send_claimed(context, result, buffer, message);
    }
    return wait_leave(context, result);
}

int hxb_send(hxb_context *context, hxb_address to, const void *data, size_t length, uint32_t tag, int64_t timeout_ns) {
    int result = check_claim(context, to.node, to.context, length, length == 0 ? "" : data);
    if (result == HXB_OK) {
        result = check_timeout(timeout_ns);
    }
    if (result != HXB_OK) {
        return result;
    }
    void *buffer;
    int slot = claim_slot(context, to.node, to.context, (uint32_t)length, &buffer);
    if (UNLIKELY(slot == HXB_NO_BUFFERS)) {
        const struct iovec part = {(void *)(uintptr_t)data, length};
        const struct outgoing message = {&part, 1, length, tag, 0};
        return send_waiting(context, to, &message, timeout_ns);
    }
    if (slot >= 0 && length > 0) {
        memcpy(buffer, data, length);
    }
    return slot < 0 ? slot : commit_slot(context, slot, (uint32_t)length, tag, NULL, 0);
}

static int check_parts(const struct iovec *parts, int count, size_t *length) {
    *length = 0;
    if (count < 0 || count > MAX_PARTS || (parts == NULL && count > 0)) {
        return fail(HXB_E_ARGUMENT, "parts must be 0..%d, and the pointer not NULL: %d", MAX_PARTS, count);
    }
    for (int i = 0; i < count; i++) {
        if ((parts[i].iov_base == NULL && parts[i].iov_len > 0) || parts[i].iov_len > UINT32_MAX) {
            return fail(HXB_E_ARGUMENT, "part %d is NULL, or longer than any message", i);
        }
        *length += parts[i].iov_len;
    }
    return HXB_OK;
}

int hxb_sendv(hxb_context *context, hxb_address to, const struct iovec *parts, int count, uint32_t tag,
              uint64_t cookie, int64_t timeout_ns) {
    struct outgoing message = {parts, count, 0, tag, cookie};
    int result = check_context(context);
    if (result == HXB_OK) {
        result = check_parts(parts, count, &message.length);
    }
    if (result == HXB_OK) {
        result = check_claim(context, to.node, to.context, message.length, "");
    }
    if (result == HXB_OK) {
        result = check_timeout(timeout_ns);
    }
    if (result != HXB_OK) {
        return result;
    }
    void *buffer;
    int slot = claim_slot(context, to.node, to.context, (uint32_t)message.length, &buffer);
    if (UNLIKELY(slot == HXB_NO_BUFFERS)) {
        return send_waiting(context, to, &message, timeout_ns);
    }
    return slot < 0 ? slot : send_claimed(context, slot, buffer, &message);
}

int hxb_commit(hxb_context *context, int slot, size_t length, uint32_t tag) {
    int result = check_claimed(context, slot);
    if (UNLIKELY(result == HXB_OK && length > context->slots[slot].length)) {
        result = fail(HXB_E_ARGUMENT, "the length must be 0..%u: %zu", context->slots[slot].length, length);
    }
    return result == HXB_OK ? commit_slot(context, slot, (uint32_t)length, tag, NULL, 0) : result;
}

int check_range(const hxb_context *context, const hxb_region *region, uint64_t offset, uint64_t length) {
    if (region == NULL || region->device != context->device) {
        return fail(HXB_E_ARGUMENT, "the region is NULL, or of another device");
    }
    if (offset > region->length || length > region->length - offset) {
        return fail(HXB_E_ARGUMENT, "bytes outside of a region of %llu bytes: %llu+%llu",
                    (unsigned long long)region->length, (unsigned long long)offset, (unsigned long long)length);
    }
    return HXB_OK;
}

int hxb_commit_from(hxb_context *context, int slot, const hxb_region *region, uint64_t offset, size_t length,
                    uint32_t tag) {
    int result = check_claimed(context, slot);
    if (result == HXB_OK) {
        result = check_range(context, region, offset, length);
    }
    if (result == HXB_OK && length > (size_t)context->device->facts.mtu) {
        result = fail(HXB_E_ARGUMENT, "the length must be 0..%d: %zu", context->device->facts.mtu, length);
    }
    return result == HXB_OK ? commit_slot(context, slot, (uint32_t)length, tag, region, offset) : result;
}

int hxb_set_cookie(hxb_context *context, int slot, uint64_t cookie) {
    int result = check_claimed(context, slot);
    if (result == HXB_OK && cookie == 0) {
        result = fail(HXB_E_ARGUMENT, "a cookie is not 0");
    }
    if (result == HXB_OK && context->large != NULL) {
        result = fail(HXB_E_STATE, "context %d is used for large messages", context->id);
    }
    if (result == HXB_OK) {
        context->slots[slot].cookie = cookie;
    }
    return result;
}

int hxb_abort(hxb_context *context, int slot) {
    int result = check_claimed(context, slot);
    if (result == HXB_OK) {
        abandon_slot(context, slot);
    }
    return result;
}

/* ---- Sends that are done ---- */

static const uint8_t *completion(const hxb_context *context) {
    return context->completions + (context->completed & context->submission_mask) * HXB_COMPLETION_ENTRY_BYTES;
}

bool has_done_sends(const hxb_context *context) {
    return context->done_left > 0 || direct_has_done(context)
        || (uint32_t)get64_acquire(completion(context)) == context->completed + 1;
}

static bool next_completion(hxb_context *context) {
    const uint8_t *entry = completion(context);
    uint64_t first = get64_acquire(entry);
    if ((uint32_t)first != context->completed + 1) {
        return false;
    }
    uint64_t second = get64(entry + HXB_COMPLETION_SLOT);
    context->completed++;
    context->done_left = (int)(first >> 32);
    context->done_slot = (int)second;
    context->done_status = (int)(second >> 32);
    if (UNLIKELY(context->done_left < 1)) {
        context->done_left = 0;
        corrupt(context, "a completion of no message");
        return false;
    }
    if (UNLIKELY(context->done_status != HXB_OK && !is_status(context->done_status))) {
        context->done_left = 0;
        corrupt(context, "a completion with a status that does not exist");
        return false;
    }
    return true;
}

/* `slot` is NONE if it is no message of the application's. */
void add_failed(hxb_context *context, int status, int node, int peer_context, int slot) {
    if (context->failed_tail - context->failed_head == (uint64_t)context->slot_count) {
        context->failed_head++;
    }
    context->failed[context->failed_tail++ % (uint64_t)context->slot_count] =
        (hxb_event){.status = status,
                    .peer = {node, peer_context},
                    .slot = slot,
                    .cookie = slot == NONE ? 0 : context->slots[slot].cookie};
}

/* The slot is free when the application has taken this. */
static void add_completion(hxb_context *context, int slot, int status) {
    const struct slot *facts = &context->slots[slot];
    context->slots[slot].state = SLOT_DONE;
    context->completions_told[context->told_tail++ % (uint64_t)context->slot_count] = (hxb_completion){
        .cookie = facts->cookie, .status = status, .slot = slot, .to = {facts->node, facts->context}};
}

/* The message of a slot is done. */
static void end_slot(hxb_context *context, int slot, int status) {
    context->in_flight--;
    if (UNLIKELY(context->slots[slot].cookie != 0)) {
        add_completion(context, slot, status);
    } else {
        free_slot(context, slot);
    }
}

int hxb_poll_completion(hxb_context *context, hxb_completion *completion) {
    int result = check_context(context);
    if (result != HXB_OK || completion == NULL) {
        return result != HXB_OK ? result : fail(HXB_E_ARGUMENT, "there is no place for the completion: NULL");
    }
    if (take_done_sends(context) > 0) {
        context->has_untold_sends = true;
    }
    if (context->told_head == context->told_tail) {
        return context_idle(context, HXB_EMPTY);
    }
    *completion = context->completions_told[context->told_head++ % (uint64_t)context->slot_count];
    free_slot(context, completion->slot);
    return HXB_OK;
}

/* A slot whose message is done, and whether the application is told of it. */
static bool finish_slot(hxb_context *context, int slot) {
    struct slot facts = context->slots[slot];
    bool is_begin = direct_take_begin(context, slot);
    share_done(&context->shares, facts.share);
    end_slot(context, slot, context->done_status);
    if (UNLIKELY(context->done_status != HXB_OK)) {
        if (is_begin) {
            /* What was put behind it is lost, too. */
            direct_on_begin_failed(context, facts.context);
        }
        add_failed(context, context->done_status, facts.node, facts.context, is_begin ? NONE : slot);
    }
    return !is_begin;
}

static int take_done_directly(hxb_context *context) {
    if (!direct_has_done(context)) {
        return 0;
    }
    for (int slot = direct_take_done(context); slot != NONE; slot = direct_take_done(context)) {
        end_slot(context, slot, HXB_OK);
        if (context->large != NULL) {
            large_on_send_done(context->large, slot, HXB_OK);
        }
    }
    return 1;
}

int take_done_sends(hxb_context *context) {
    int taken = take_done_directly(context);
    while (context->broken == 0 && (context->done_left > 0 || next_completion(context))) {
        int slot = context->done_slot;
        if (UNLIKELY(slot < 0 || slot >= context->slot_count || context->slots[slot].state != SLOT_IN_FLIGHT)) {
            context->done_left = 0;
            corrupt(context, "a completion of a slot that is not in flight");
            break;
        }
        if (--context->done_left > 0) {
            context->done_slot = context->slots[slot].following;
        }
        if (!finish_slot(context, slot)) {
            continue;
        }
        taken++;
        if (context->large != NULL) {
            large_on_send_done(context->large, slot, context->done_status);
        }
    }
    return taken;
}

int hxb_is_send_done(hxb_context *context, int slot) {
    int result = check_slot(context, slot);
    if (result != HXB_OK) {
        return result;
    }
    if (context->slots[slot].state == SLOT_IN_FLIGHT) {
        take_done_sends(context);
    }
    return context->slots[slot].state != SLOT_IN_FLIGHT;
}

int hxb_unfinished_sends(hxb_context *context) {
    int result = check_context(context);
    if (result == HXB_OK) {
        take_done_sends(context);
        result = context->in_flight;
    }
    return result;
}

static int wait_all_sends(hxb_context *context, int64_t timeout_ns) {
    int status = HXB_OK;
    int64_t start = now_ns();
    while (status == HXB_OK && hxb_unfinished_sends(context) > 0) {
        int64_t left = timeout_ns - (now_ns() - start);
        status = wait_for(context, HXB_WAIT_SENDS, left > 0 ? left : 0);
    }
    return status == HXB_OK && context->failed_head != context->failed_tail ? HXB_STATUS_EVENT : status;
}

int hxb_wait_all_sends(hxb_context *context, int64_t timeout_ns) {
    int status = check_context(context);
    if (status == HXB_OK) {
        status = check_timeout(timeout_ns);
    }
    if (status != HXB_OK) {
        return status;
    }
    wait_enter(context);
    return wait_leave(context, wait_all_sends(context, timeout_ns));
}
