/* Calls that send, wait for buffers, and ask what is done. */
#include "calls/calls.h"

#define MAX_PARTS 1024

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

/* The result of a claim that has not found a buffer in time: HXB_DROPPED if the options of the destination
 * require it. */
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

int hxb_commit_from(hxb_context *context, int slot, const hxb_region *region, uint64_t offset, size_t length,
                    uint32_t tag) {
    int result = check_claimed(context, slot);
    if (result == HXB_OK) {
        result = check_range(context->device, region, offset, length);
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
    if (result == HXB_OK && context->services[SERVICE_LARGE] != NULL) {
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

int hxb_poll_completion(hxb_context *context, hxb_completion *completion) {
    int result = check_context(context);
    if (result != HXB_OK || completion == NULL) {
        return result != HXB_OK ? result : fail(HXB_E_ARGUMENT, "the pointer for the completion is NULL");
    }
    if (take_done_sends(context) > 0) {
        context->has_unreported_sends = true;
    }
    if (context->unread_head == context->unread_tail) {
        return context_idle(context, HXB_EMPTY);
    }
    *completion = context->unread_completions[context->unread_head++ % (uint64_t)context->slot_count];
    free_slot(context, completion->slot);
    return HXB_OK;
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
