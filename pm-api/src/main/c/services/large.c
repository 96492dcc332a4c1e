/* Messages of any size, sent as fragments; the classes LargeSender and LargeStart explain the rules. */
#include "services/large.h"

#include <stdlib.h>

#define INDEX_BITS 16
#define MESSAGES_PER_POLL 64
#define FRAGMENTS_PER_POLL 64

static void free_large(hxb_large *large) {
    for (uint32_t i = 0; large->sources != NULL && i <= large->hash_mask; i++) {
        while (large->sources[i] != NULL) {
            struct source *source = large->sources[i];
            large->sources[i] = source->next;
            free(source);
        }
    }
    while (large->free_sources != NULL) {
        struct source *source = large->free_sources;
        large->free_sources = source->next;
        free(source);
    }
    free(large->transfers);
    free(large->slot_transfers);
    free(large->destination_pool);
    free(large->destinations);
    free(large->sources);
    free(large);
}

static void close(struct service *service) {
    free_large((hxb_large *)service);
}

static hxb_large *make_large(hxb_context *context, const hxb_large_limits *limits) {
    hxb_large *large = calloc(1, sizeof *large);
    if (large == NULL) {
        return NULL;
    }
    uint32_t buckets = 16;
    while (buckets < (uint32_t)limits->max_transfers && buckets < 65536) {
        buckets *= 2;
    }
    size_t count = (size_t)limits->max_transfers;
    large->context = context;
    large->limits = *limits;
    large->hash_mask = buckets - 1;
    large->transfers = calloc(count, sizeof *large->transfers);
    large->slot_transfers = calloc((size_t)context->slot_count, sizeof *large->slot_transfers);
    large->destination_pool = calloc(count, sizeof *large->destination_pool);
    large->destinations = calloc(buckets, sizeof *large->destinations);
    large->sources = calloc(buckets, sizeof *large->sources);
    if (large->transfers == NULL || large->slot_transfers == NULL || large->destination_pool == NULL
        || large->destinations == NULL || large->sources == NULL) {
        free_large(large);
        return NULL;
    }
    for (size_t i = count; i-- > 0;) {
        large->transfers[i].number = NONE;
        large->transfers[i].next = large->free_transfers;
        large->free_transfers = &large->transfers[i];
        large->destination_pool[i].next = large->free_destinations;
        large->free_destinations = &large->destination_pool[i];
    }
    return large;
}

static bool is_all_sent(const struct transfer *transfer) {
    return transfer->is_started && transfer->sent == transfer->length;
}

static void finish_if_done(hxb_large *large, struct transfer *transfer) {
    if (is_all_sent(transfer) && transfer->in_flight == 0 && !transfer->is_done && transfer->destination == NULL) {
        transfer->is_done = true;
        large->unfinished--;
        transfer->next = NULL;
        if (large->done_first == NULL) {
            large->done_first = transfer;
        } else {
            large->done_last->next = transfer;
        }
        large->done_last = transfer;
    }
}

static void on_send_done(struct service *service, int slot, int status) {
    hxb_large *large = (hxb_large *)service;
    struct transfer *transfer = large->slot_transfers[slot];
    if (transfer != NULL) {
        large->slot_transfers[slot] = NULL;
        transfer->in_flight--;
        if (status != HXB_OK && transfer->status == HXB_OK) {
            transfer->status = status;
        }
        finish_if_done(large, transfer);
    }
}

int hxb_open_large(hxb_context *context, const hxb_large_handler *handler, const hxb_large_limits *wanted,
                   hxb_large **large) {
    hxb_large_limits sizes = {
        .size = sizeof sizes, .max_transfers = 256, .max_sources = 4096, .max_length = UINT64_C(1) << 30};
    hxb_large_handler functions = {.size = sizeof functions};
    int result = check_context(context);
    if (result == HXB_OK && wanted != NULL) {
        result = take_struct(&sizes, sizeof sizes, wanted, "the limits of large messages");
    }
    if (result == HXB_OK && handler != NULL) {
        result = take_struct(&functions, sizeof functions, handler, "the handler of large messages");
    }
    if (result != HXB_OK) {
        return result;
    }
    const hxb_large_limits *limits = &sizes;
    if (functions.on_start == NULL || functions.on_end == NULL || large == NULL) {
        return fail(HXB_E_ARGUMENT, "large messages need a handler with on_start and on_end, and a place for them");
    }
    if (limits->max_transfers < 1 || limits->max_transfers > 1 << INDEX_BITS || limits->max_sources < 1
        || limits->max_length < 1 || limits->max_length > UINT64_C(1) << 40) {
        return fail(HXB_E_ARGUMENT, "limits must be 1..65536 transfers, 1 source or more, 1..2^40 bytes");
    }
    if (context->services[SERVICE_LARGE] != NULL) {
        return fail(HXB_E_STATE, "context %d has large messages already", context->id);
    }
    uint32_t fragment_bytes = (uint32_t)hxb_max_length(context);
    if (fragment_bytes < HXB_LARGE_LENGTH) {
        return fail(HXB_E_ARGUMENT, "send buffers are too small for large messages: %u", fragment_bytes);
    }
    hxb_large *made = make_large(context, limits);
    if (made == NULL) {
        return fail(HXB_E_MEMORY, "there is no memory for large messages");
    }
    made->handler = functions;
    made->fragment_bytes = fragment_bytes;
    made->region_fragment_bytes = (uint32_t)context->device->facts.mtu;
    made->service = (struct service){.on_send_done = on_send_done, .close = close};
    context->services[SERVICE_LARGE] = &made->service;
    *large = made;
    return HXB_OK;
}

/* ---- Sending ---- */

static void append_ready(hxb_large *large, struct destination *destination) {
    destination->after = NULL;
    if (large->ready_first == NULL) {
        large->ready_first = destination;
    } else {
        large->ready_last->after = destination;
    }
    large->ready_last = destination;
}

/* The one with transfers that wait, or a new one. There are as many as transfers, so there is one. */
static struct destination *find_destination(hxb_large *large, int node, int context) {
    struct destination **bucket = &large->destinations[hash(large, node, context)];
    for (struct destination *at = *bucket; at != NULL; at = at->next) {
        if (at->node == node && at->context == context) {
            return at;
        }
    }
    struct destination *made = large->free_destinations;
    large->free_destinations = made->next;
    *made = (struct destination){.node = node, .context = context, .next = *bucket};
    *bucket = made;
    return made;
}

static void forget_destination(hxb_large *large, struct destination *destination) {
    struct destination **at = &large->destinations[hash(large, destination->node, destination->context)];
    while (*at != destination) {
        at = &(*at)->next;
    }
    *at = destination->next;
    destination->next = large->free_destinations;
    large->free_destinations = destination;
}

static int64_t begin(hxb_large *large, int node, int context, const hxb_region *region, uint64_t offset,
                     const void *data, uint64_t length, uint32_t tag) {
    struct transfer *transfer = large->free_transfers;
    if (transfer == NULL) {
        return HXB_NO_BUFFERS;
    }
    large->free_transfers = transfer->next;
    struct destination *destination = find_destination(large, node, context);
    uint64_t index = (uint64_t)(transfer - large->transfers);
    *transfer = (struct transfer){.number = (int64_t)((large->begun << INDEX_BITS | index) & INT64_MAX),
                                  .wire_number = (uint32_t)(large->begun & INT32_MAX),
                                  .region = region,
                                  .data = region != NULL ? region->lent.data + offset : data,
                                  .offset = offset,
                                  .length = length,
                                  .tag = tag,
                                  .node = node,
                                  .context = context,
                                  .destination = destination};
    large->begun++;
    large->unfinished++;
    if (destination->first == NULL) {
        destination->first = transfer;
        append_ready(large, destination);
    } else {
        destination->last->next = transfer;
    }
    destination->last = transfer;
    return transfer->number;
}

static int check_large(const hxb_large *large) {
    return UNLIKELY(large == NULL) ? fail(HXB_E_ARGUMENT, "the large messages are NULL")
                                   : check_context(large->context);
}

int64_t hxb_large_send(hxb_large *large, hxb_address to, const void *data, uint64_t length, uint32_t tag) {
    int result = check_large(large);
    if (result == HXB_OK) {
        result = check_destination(large->context->device, to.node, to.context);
    }
    if (result == HXB_OK && (length > UINT64_C(1) << 40 || (data == NULL && length > 0))) {
        result = fail(HXB_E_ARGUMENT, "the length must be 0..2^40, and the data not NULL");
    }
    return result == HXB_OK ? begin(large, to.node, to.context, NULL, 0, data, length, tag) : result;
}

int64_t hxb_large_send_from(hxb_large *large, hxb_address to, const hxb_region *region, uint64_t offset,
                            uint64_t length, uint32_t tag) {
    int result = check_large(large);
    if (result == HXB_OK) {
        result = check_destination(large->context->device, to.node, to.context);
    }
    if (result == HXB_OK) {
        result = check_range(large->context->device, region, offset, length);
    }
    return result == HXB_OK ? begin(large, to.node, to.context, region, offset, NULL, length, tag) : result;
}

/* Payload that goes with the start. */
static uint32_t inline_bytes(const hxb_large *large, const struct transfer *transfer) {
    return transfer->length <= large->fragment_bytes - HXB_LARGE_LENGTH ? (uint32_t)transfer->length : 0;
}

static int send_start(hxb_large *large, int slot, struct transfer *transfer, uint8_t *buffer) {
    uint32_t length = inline_bytes(large, transfer);
    uint32_t reserved = 0;
    memcpy(buffer, &transfer->length, sizeof transfer->length);
    memcpy(buffer + HXB_LARGE_TAG, &transfer->tag, sizeof transfer->tag);
    memcpy(buffer + HXB_LARGE_RESERVED, &reserved, sizeof reserved);
    transfer->is_started = true;
    if (length > 0) {
        memcpy(buffer + HXB_LARGE_LENGTH, transfer->data, length);
    }
    transfer->sent = length;
    return commit_slot(large->context, slot, HXB_LARGE_LENGTH + length, transfer->wire_number, NULL, 0);
}

static int send_fragment(hxb_large *large, int slot, struct transfer *transfer, uint8_t *buffer) {
    uint32_t limit = transfer->region != NULL ? large->region_fragment_bytes : large->fragment_bytes;
    uint64_t left = transfer->length - transfer->sent;
    uint32_t length = left < limit ? (uint32_t)left : limit;
    uint64_t begin = transfer->sent;
    uint32_t tag = transfer->wire_number | FRAGMENT;
    transfer->sent += length;
    if (transfer->region != NULL) {
        return commit_slot(large->context, slot, length, tag, transfer->region, transfer->offset + begin);
    }
    memcpy(buffer, transfer->data + begin, length);
    return commit_slot(large->context, slot, length, tag, NULL, 0);
}

/* Room that the next message of a transfer needs in send buffers: none for what the node reads in a region, so that as
 * many fragments can be under way as there are slots. Where there may be a direct ring it is copied, and has to find
 * room there. */
static uint32_t claim_bytes(const hxb_large *large, const struct destination *destination,
                            const struct transfer *transfer) {
    if (!transfer->is_started) {
        return HXB_LARGE_LENGTH + inline_bytes(large, transfer);
    }
    if (transfer->region != NULL && destination->node != large->context->device->facts.node_id) {
        return 0;
    }
    uint64_t left = transfer->length - transfer->sent;
    return left < large->fragment_bytes ? (uint32_t)left : large->fragment_bytes;
}

/* False if there is no send buffer for it. A failure is left in the transfer's status. */
static bool send_next(hxb_large *large, const struct destination *destination, struct transfer *transfer) {
    void *buffer = NULL;
    int slot = claim_slot(large->context, destination->node, destination->context,
                          claim_bytes(large, destination, transfer), &buffer);
    if (slot == HXB_NO_BUFFERS) {
        return false;
    }
    if (slot < 0) {
        transfer->status = slot;
        return true;
    }
    if (transfer->status != HXB_OK) {
        hxb_abort(large->context, slot);
        return true;
    }
    int result = transfer->is_started ? send_fragment(large, slot, transfer, buffer)
                                      : send_start(large, slot, transfer, buffer);
    if (result == HXB_OK) {
        large->slot_transfers[slot] = transfer;
        transfer->in_flight++;
    } else {
        transfer->status = result;
    }
    return true;
}

/* Sends up to `limit` fragments, one for each destination in turn; returns how many. */
static int send_fragments(hxb_large *large, int limit) {
    take_done_sends(large->context);
    int sent = 0;
    while (large->held != NULL) {
        struct destination *destination = large->held;
        large->held = destination->after;
        append_ready(large, destination);
    }
    while (sent < limit && large->ready_first != NULL) {
        struct destination *destination = large->ready_first;
        struct transfer *transfer = destination->first;
        large->ready_first = destination->after;
        if (transfer->status == HXB_OK && !send_next(large, destination, transfer)) {
            destination->after = large->held;
            large->held = destination;
            continue;
        }
        sent++;
        if (is_all_sent(transfer) || transfer->status != HXB_OK) {
            destination->first = transfer->next;
            transfer->destination = NULL;
            transfer->is_started = true;
            transfer->sent = transfer->length;
            finish_if_done(large, transfer);
        }
        if (destination->first != NULL) {
            append_ready(large, destination);
        } else {
            forget_destination(large, destination);
        }
    }
    return sent;
}

static int report_sent(hxb_large *large) {
    int reported = 0;
    while (large->done_first != NULL) {
        struct transfer *transfer = large->done_first;
        large->done_first = transfer->next;
        transfer->next = large->free_transfers;
        large->free_transfers = transfer;
        reported++;
        if (large->handler.on_sent != NULL) {
            large->handler.on_sent(large->handler.user, transfer->number, transfer->status);
        }
    }
    return reported;
}

/* ---- Both ---- */

int hxb_large_is_sent(hxb_large *large, int64_t transfer) {
    int result = check_large(large);
    if (result != HXB_OK) {
        return result;
    }
    int64_t index = transfer & ((1 << INDEX_BITS) - 1);
    if (transfer < 0 || index >= large->limits.max_transfers) {
        return fail(HXB_E_ARGUMENT, "there was no such transfer: %lld", (long long)transfer);
    }
    take_done_sends(large->context);
    return large->transfers[index].number != transfer || large->transfers[index].is_done;
}

int hxb_large_unfinished(hxb_large *large) {
    int result = check_large(large);
    if (result == HXB_OK) {
        take_done_sends(large->context);
        result = large->unfinished;
    }
    return result;
}

int hxb_large_poll(hxb_large *large) {
    int result = check_large(large);
    if (result != HXB_OK) {
        return result;
    }
    int work = 0;
    hxb_message message;
    while (work < MESSAGES_PER_POLL) {
        int status = receive_next(large->context, &message);
        if (status != HXB_OK && status != HXB_EMPTY) {
            return status;
        }
        if (status == HXB_EMPTY) {
            break;
        }
        work++;
        large_on_message(large, &message);
        release_buffer(large->context, &message);
    }
    work += large_poll_events(large);
    work += send_fragments(large, FRAGMENTS_PER_POLL);
    return work + report_sent(large);
}

int hxb_large_wait(hxb_large *large, int64_t timeout_ns) {
    int status = check_large(large);
    if (status == HXB_OK && timeout_ns < 0) {
        status = fail(HXB_E_ARGUMENT, "timeout_ns must be 0 or more");
    }
    if (status == HXB_OK
        && large->done_first == NULL
        && (large->ready_first == NULL || large->context->free_count == 0)) {
        wait_enter(large->context);
        status = wait_leave(large->context, wait_for(large->context, HXB_WAIT_MESSAGES | HXB_WAIT_SENDS, timeout_ns));
    }
    return status == HXB_STATUS_EVENT ? HXB_OK : status;
}

int64_t hxb_large_rejected(const hxb_large *large) {
    int result = check_large(large);
    return result == HXB_OK ? large->rejected : result;
}
