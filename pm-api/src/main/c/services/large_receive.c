/* Receiving large messages; the class LargeReceiver explains the rules. */
#include "services/large.h"

#include <stdlib.h>

static struct source **find_source(hxb_large *large, int node, int context) {
    struct source **at = &large->sources[hash(large, node, context)];
    while (*at != NULL && ((*at)->node != node || (*at)->context != context)) {
        at = &(*at)->next;
    }
    return at;
}

static void end_source(hxb_large *large, struct source **at, int status) {
    struct source source = **at;
    struct source *unused = *at;
    *at = unused->next;
    unused->next = large->free_sources;
    large->free_sources = unused;
    large->source_count--;
    if (!source.is_rejected) {
        hxb_address from = {source.node, source.context};
        large->handler.on_end(large->handler.user, from, source.length, source.tag, source.target, status);
    }
}

static void take(hxb_large *large, struct source *source, const uint8_t *data, uint32_t length) {
    uint64_t offset = source->received;
    source->received += length;
    if (source->is_rejected) {
        return;
    }
    if (source->target != NULL) {
        memcpy(source->target + offset, data, length);
    } else if (large->handler.on_fragment != NULL) {
        hxb_address from = {source->node, source->context};
        large->handler.on_fragment(large->handler.user, from, offset, data, length);
    }
}

static void end_if_complete(hxb_large *large, struct source *source) {
    if (source->received == source->length) {
        end_source(large, find_source(large, source->node, source->context), HXB_OK);
    }
}

int large_poll_events(hxb_large *large) {
    int count = 0;
    hxb_event event;
    while (take_event(large->context, &event) == HXB_OK) {
        count++;
        struct source **at = find_source(large, event.peer.node, event.peer.context);
        /* A message to the peer that failed means the same, unless only this node is short of flows. */
        if (event.status != HXB_FLOW_LIMIT && *at != NULL) {
            end_source(large, at, event.status);
        }
    }
    return count;
}

/* Notifies the sender of a message that follows as fragments, so that it sends no more of it. Without a send buffer it
 * does not: the fragments are dropped in any case. */
static void refuse(hxb_large *large, const hxb_message *start) {
    uint64_t fields[2] = {HXB_LARGE_REFUSED, 0};
    void *buffer = NULL;
    int slot = claim_slot(large->context, start->from.node, start->from.context, HXB_LARGE_LENGTH, &buffer);
    if (slot >= 0) {
        memcpy(buffer, fields, sizeof fields);
        commit_slot(large->context, slot, HXB_LARGE_LENGTH, start->tag, NULL, 0);
    }
}

/* A context does not want the rest of a message. */
static void on_refused(hxb_large *large, const hxb_message *message) {
    for (int i = 0; i < large->limits.max_transfers; i++) {
        struct transfer *transfer = &large->transfers[i];
        if (transfer->number != NONE && transfer->is_started && !transfer->is_done
            && transfer->wire_number == message->tag && transfer->node == message->from.node
            && transfer->context == message->from.context && transfer->status == HXB_OK) {
            transfer->status = HXB_TOO_LONG;
        }
    }
}

static void on_start(hxb_large *large, const hxb_message *message) {
    const uint8_t *data = message->data;
    uint64_t length;
    uint32_t inline_bytes = message->length - HXB_LARGE_LENGTH;
    if (message->length < HXB_LARGE_LENGTH) {
        large->rejected++;
        return;
    }
    memcpy(&length, data, sizeof length);
    if (length == HXB_LARGE_REFUSED) {
        on_refused(large, message);
        return;
    }
    if (length > large->limits.max_length || (length != inline_bytes && inline_bytes != 0)
        || large->source_count >= large->limits.max_sources) {
        large->rejected++;
        if (inline_bytes == 0 && length > 0 && length <= INT64_MAX) {
            refuse(large, message);
        }
        return;
    }
    struct source *source = large->free_sources;
    if (source != NULL) {
        large->free_sources = source->next;
    } else if ((source = malloc(sizeof *source)) == NULL) {
        large->rejected++;
        return;
    }
    *source = (struct source){
        .node = message->from.node, .context = message->from.context, .wire_number = message->tag, .length = length};
    memcpy(&source->tag, data + HXB_LARGE_TAG, sizeof source->tag);
    void *target = large->handler.on_start(large->handler.user, message->from, length, source->tag);
    source->is_rejected = target == HXB_REJECT;
    source->target = source->is_rejected ? NULL : target;
    if (source->is_rejected && length != inline_bytes) {
        refuse(large, message);
    }
    struct source **bucket = &large->sources[hash(large, source->node, source->context)];
    source->next = *bucket;
    *bucket = source;
    large->source_count++;
    if (inline_bytes > 0) {
        take(large, source, data + HXB_LARGE_LENGTH, inline_bytes);
    }
    end_if_complete(large, source);
}

static void on_fragment(hxb_large *large, struct source **at, const hxb_message *message) {
    struct source *source = *at;
    if (source == NULL || source->wire_number != (message->tag & ~FRAGMENT)) {
        large->rejected++;
        return;
    }
    if (message->length == 0 || message->length > source->length - source->received) {
        large->rejected++;
        end_source(large, at, HXB_TOO_LONG);
        return;
    }
    take(large, source, message->data, message->length);
    end_if_complete(large, source);
}

void large_on_message(hxb_large *large, const hxb_message *message) {
    if ((message->tag & FRAGMENT) != 0) {
        on_fragment(large, find_source(large, message->from.node, message->from.context), message);
        return;
    }
    /* The event that ended an earlier message of this source came before this message. */
    large_poll_events(large);
    struct source **unfinished = find_source(large, message->from.node, message->from.context);
    if (*unfinished != NULL) {
        end_source(large, unfinished, HXB_PEER_RESTARTED);
    }
    on_start(large, message);
}
