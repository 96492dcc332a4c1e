/* From messages of libhxb to the buffers of receives. A message that nobody has asked for is kept with as many of its
 * bytes as its sender sends unasked. When too much is kept, no more messages are taken from the context, so that their
 * senders wait; but as long as a receive waits for a message, the rest of one or an answer, it may come after those. */
#include "libfabric/messages/messages.h"

enum {
    ANSWER_LIMIT = 64 * QUEUE_LIMIT /* answers that wait for slots, and sends of programs */
};

/* ---- Messages of libhxb ---- */

static void keep(struct endpoint *endpoint, struct matcher *matcher, const struct arrival *arrival, struct op *op) {
    bool is_left = (arrival->header.flags & IS_LEFT) != 0;
    size_t unasked = is_left                                                            ? arrival->count
                     : arrival->header.kind == BEGIN && arrival->length > EAGER_WINDOW ? EAGER_WINDOW
                                                                                         : arrival->length;
    struct incoming *incoming = new_incoming(endpoint, arrival, op == NULL ? unasked : 0);
    if (incoming == NULL) {
        if (op != NULL && !op->is_multi) {
            finish_receive(endpoint, op, NULL, FI_ENOMEM, 0);
        }
        lose_peer(endpoint, arrival->peer, FI_ENOMEM);
        return;
    }
    incoming->awaited = unasked;
    if (op == NULL) {
        memcpy(incoming->bytes, arrival->bytes, arrival->count);
        match_keep(matcher, incoming);
        send_full(endpoint, arrival->peer);
    } else {
        hand_over(endpoint, incoming, op, arrival->bytes);
    }
}

static void on_message(struct endpoint *endpoint, const struct arrival *arrival) {
    bool is_tagged = (arrival->header.flags & IS_TAGGED) != 0;
    struct matcher *matcher = is_tagged ? &endpoint->tagged : &endpoint->plain;
    struct op *op = match_take(matcher, arrival->peer, arrival->header.value);
    if (op != NULL && !op->is_multi && arrival->header.kind == EAGER) {
        /* As nearly all are: nothing has to be kept. */
        struct incoming incoming = {.peer = arrival->peer, .tag = arrival->header.value, .data = arrival->data,
                                    .length = arrival->length,
                                    .id = arrival->header.id, .flags = arrival->header.flags};
        place(op, 0, arrival->bytes, arrival->count);
        finish_receive(endpoint, op, &incoming, 0, 0);
    } else {
        keep(endpoint, matcher, arrival, op);
    }
}

static const char *on_part(struct endpoint *endpoint, const struct arrival *arrival) {
    struct incoming *incoming = find_stream(endpoint, arrival->peer, arrival->header.id);
    if (incoming == NULL) {
        return "a part of no message";
    }
    size_t offset = arrival->header.value;
    if (offset != incoming->arrived || arrival->count > incoming->awaited - offset) {
        return "a part that is not the next";
    }
    if (incoming->is_write) {
        on_write_part(endpoint, incoming, arrival);
        return NULL;
    }
    if (incoming->op != NULL) {
        place(incoming->op, offset, arrival->bytes, arrival->count);
    } else if (!incoming->is_discarded) {
        uint8_t *bytes = incoming->ahead != NULL ? incoming->ahead : incoming->bytes;
        memcpy(bytes + offset, arrival->bytes, arrival->count);
    }
    incoming->arrived += arrival->count;
    end_if_here(endpoint, incoming);
    return NULL;
}

static const char *on_left(struct endpoint *endpoint, const struct arrival *arrival) {
    struct incoming *incoming = find_stream(endpoint, arrival->peer, arrival->header.id);
    if (incoming == NULL || incoming->is_asked || incoming->is_write) {
        return NULL; /* the answer to what was asked is under way */
    }
    if (arrival->header.value != incoming->arrived) {
        return "left with other bytes than the next";
    }
    incoming->is_left = true;
    incoming->awaited = incoming->arrived;
    if (incoming->op != NULL || incoming->is_discarded) {
        ask_for_bytes(endpoint, incoming, incoming->op != NULL ? incoming->op->length : 0);
        end_if_here(endpoint, incoming);
    }
    return NULL;
}

/* NULL, or what is wrong with the message. */
static const char *read_arrival(const struct endpoint *endpoint, const hxb_message *message,
                                struct arrival *arrival) {
    const uint8_t *at = message->data;
    memset(arrival, 0, sizeof *arrival);
    arrival->peer = peer_at(endpoint, message->from.node, message->from.context);
    if (message->tag != PROTOCOL || message->length < SHORT_HEADER) {
        return "not of this protocol";
    }
    memcpy(&arrival->header, at, SHORT_HEADER);
    arrival->peer = peer_of(message->from.node, message->from.context, arrival->header.source);
    size_t head = SHORT_HEADER;
    int own = extras_of(arrival->header.kind);
    bool has_data = (arrival->header.flags & HAS_DATA) != 0;
    if (message->length < head + 8 * ((size_t)own + has_data)) {
        return "cut";
    }
    memcpy(arrival->own, at + head, 8 * (size_t)own);
    head += 8 * (size_t)own;
    if (has_data) {
        memcpy(&arrival->data, at + head, 8);
        head += 8;
    }
    arrival->bytes = at + head;
    arrival->count = message->length - head;
    switch (arrival->header.kind) {
    case BEGIN: arrival->length = arrival->own[0]; break;
    case WRITE: arrival->length = arrival->own[1]; break;
    default: arrival->length = arrival->count; break;
    }
    bool is_too_much = arrival->header.kind == BEGIN && arrival->count > EAGER_WINDOW;
    return arrival->length > MAX_MESSAGE || arrival->length < arrival->count || is_too_much ? "of a wrong length"
                                                                                             : NULL;
}

static const char *on_arrival(struct endpoint *endpoint, const struct arrival *arrival) {
    const struct header *header = &arrival->header;
    if (header->destination != endpoint->address.incarnation) {
        if (header->kind == EAGER || header->kind == PING || extras_of(header->kind) > 0) {
            send_answer(endpoint, GONE, arrival->peer, 0, header->destination);
        }
        return NULL;
    }
    switch (header->kind) {
    case BEGIN:
        if (find_stream(endpoint, arrival->peer, header->id) != NULL) {
            return "a second message with the number of one that is under way";
        }
        on_message(endpoint, arrival);
        return NULL;
    case WRITE:
        if (find_stream(endpoint, arrival->peer, header->id) != NULL) {
            return "a second message with the number of one that is under way";
        }
        return on_write(endpoint, arrival);
    case READ: return on_read(endpoint, arrival);
    case DATA: return on_data(endpoint, arrival);
    case ATOMIC: return on_atomic(endpoint, arrival);
    case RESULT: return on_result(endpoint, arrival);
    case FAILED: return on_failed(endpoint, arrival);
    case EAGER: on_message(endpoint, arrival); return NULL;
    case PART: return on_part(endpoint, arrival);
    case GO: on_go(endpoint, arrival->peer, header->id, header->value); return NULL;
    case PLACED: on_placed(endpoint, arrival->peer, header->id); return NULL;
    case GONE:
        peer_is_gone(endpoint, peer_of(node_of(arrival->peer), context_of(arrival->peer), (uint32_t)header->value),
                     FI_ECONNRESET);
        return NULL;
    case FULL: on_full(endpoint, arrival->peer); return NULL;
    case ROOM: set_wants_no_bytes(endpoint, arrival->peer, false); return NULL;
    case LEFT: return on_left(endpoint, arrival);
    case PING:
    case LOST: return NULL;
    default: return "of an unknown kind";
    }
}

/* A message that breaks the rules ends all operations between its sender and this endpoint: otherwise they would wait
 * forever for bytes that do not come. */
static void take(struct endpoint *endpoint, const hxb_message *message) {
    struct arrival arrival;
    const char *wrong = read_arrival(endpoint, message, &arrival);
    if (arrival.peer == ANY) {
        WARN("a message of context %d of node %d is %s\n", message->from.context, message->from.node, wrong);
        return; /* of a program that is no endpoint */
    }
    bool is_ours = arrival.header.destination == endpoint->address.incarnation;
    if (wrong == NULL
        && !(is_ours ? is_in_session(endpoint, arrival.peer, &arrival.header) : !is_gone(endpoint, arrival.peer))) {
        return;
    }
    if (wrong == NULL) {
        hear(endpoint, arrival.peer);
        wrong = on_arrival(endpoint, &arrival);
    }
    if (wrong != NULL) {
        WARN("a message of context %d of node %d is %s\n", message->from.context, message->from.node, wrong);
        lose_peer(endpoint, arrival.peer, FI_EIO);
    }
}

/* The rest of a message comes after a bounded number of others, so that it is awaited without a limit. */
static bool is_full(const struct endpoint *endpoint) {
    size_t limit = endpoint->unexpected_limit;
    bool is_awaiting = endpoint->tagged.posted > 0 || endpoint->plain.posted > 0 || endpoint->is_peeked
                       || !list_is_empty(&endpoint->waiting);
    bool is_too_much = endpoint->unexpected_bytes > (is_awaiting ? AWAITED_FACTOR * limit : limit);
    return (is_too_much && endpoint->arriving == 0) || endpoint->queued > ANSWER_LIMIT;
}

/* Sends that wait until their slot is acknowledged. One that has failed is done as well, and then there is an event. */
static bool end_acknowledged(struct endpoint *endpoint) {
    if (endpoint->slots_awaited == 0) {
        return false;
    }
    bool is_done[SEND_BUFFERS];
    bool did = false;
    for (int slot = 0; slot < SEND_BUFFERS; slot++) {
        is_done[slot] = endpoint->slots[slot] != NULL && hxb_is_send_done(endpoint->context, slot) == 1;
        did |= is_done[slot];
    }
    take_events(endpoint);
    for (int slot = 0; slot < SEND_BUFFERS && did; slot++) {
        if (is_done[slot]) {
            on_slot(endpoint, slot, 0, 0);
        }
    }
    return did;
}

bool receive_some(struct endpoint *endpoint) {
    bool did = false;
    for (int i = 0; i < RECEIVE_TURN && !is_full(endpoint); i++) {
        hxb_message message;
        int result = hxb_receive(endpoint->context, &message);
        if (result == HXB_EMPTY) {
            break;
        }
        if (result != HXB_OK) {
            fail_endpoint(endpoint, result);
            return did;
        }
        take(endpoint, &message);
        hxb_release(endpoint->context, &message);
        did = true;
    }
    did |= take_events(endpoint);
    return end_acknowledged(endpoint) || did;
}
