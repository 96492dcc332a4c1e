/* From messages of libhxb to the buffers of receives. A message that nobody has asked for is kept with as many of its
 * bytes as its sender sends unasked. When too much is kept, no more messages are taken from the context, so that their
 * senders wait; but as long as a receive waits for a message, the rest of one or an answer, it may be behind those. */
#include "provider.h"

#include <stdlib.h>

enum {
    ANSWER_LIMIT = 64 * QUEUE_LIMIT /* answers that wait for slots, and sends of programs */
};

static void copy_to(const struct iovec *iov, size_t offset, const uint8_t *from, size_t length) {
    for (size_t i = 0; i < IOV_LIMIT && length > 0; i++) {
        if (offset >= iov[i].iov_len) {
            offset -= iov[i].iov_len;
            continue;
        }
        size_t part = iov[i].iov_len - offset < length ? iov[i].iov_len - offset : length;
        memcpy((uint8_t *)iov[i].iov_base + offset, from, part);
        from += part;
        length -= part;
        offset = 0;
    }
}

void place(const struct op *op, size_t offset, const uint8_t *bytes, size_t length) {
    if (offset < op->length) {
        copy_to(op->iov, offset, bytes, length < op->length - offset ? length : op->length - offset);
    }
}

/* ---- Messages that are arriving ---- */

static struct link *stream_bucket(struct endpoint *endpoint, uint64_t peer, uint32_t id) {
    uint64_t hash = (peer * UINT64_C(0xC2B2AE3D27D4EB4F) ^ id) * UINT64_C(0x9E3779B97F4A7C15);
    return &endpoint->streams[hash >> 56];
}

static struct incoming *find_stream(struct endpoint *endpoint, uint64_t peer, uint32_t id) {
    struct link *bucket = stream_bucket(endpoint, peer, id);
    for (struct link *at = bucket->next; at != bucket; at = at->next) {
        struct incoming *incoming = OWNER(at, struct incoming, stream);
        if (incoming->peer == peer && incoming->id == id) {
            return incoming;
        }
    }
    return NULL;
}

/* Somebody wants its bytes, or nobody will. */
static void end_ahead(struct endpoint *endpoint, struct incoming *incoming) {
    if (incoming->ahead != NULL) {
        endpoint->ahead[incoming->is_behind]--;
        endpoint->ahead_bytes[incoming->is_behind] -= incoming->length;
        free(incoming->ahead);
        incoming->ahead = NULL;
    }
}

void free_incoming(struct endpoint *endpoint, struct incoming *incoming) {
    match_forget(incoming);
    end_ahead(endpoint, incoming);
    list_remove(&incoming->stream);
    endpoint->arriving -= incoming->op != NULL || incoming->is_write;
    endpoint->unexpected_bytes -= sizeof *incoming + incoming->held;
    free(incoming);
    say_room(endpoint);
}

/* ---- Ends ---- */

static void add_error(struct endpoint *endpoint, const struct fi_cq_err_entry *error) {
    if (endpoint->receive_cntr != NULL) {
        cntr_count(endpoint->receive_cntr, true);
    }
    if (endpoint->receive_cq != NULL) {
        cq_add_error(endpoint->receive_cq, error);
    }
}

void report_receive_error(struct endpoint *endpoint, void *context, uint64_t flags, uint64_t tag, int error,
                          int detail) {
    add_error(endpoint, &(struct fi_cq_err_entry){.op_context = context, .flags = flags, .tag = tag, .err = error,
                                                  .prov_errno = detail});
}

/* The buffer of a receive for many messages is given back with the last of them, when too little of it is left. */
static uint64_t end_part(const struct op *op) {
    struct op *parent = op->parent;
    if (parent == NULL || --parent->children > 0 || parent->is_posted) {
        return 0;
    }
    op_free(parent);
    return FI_MULTI_RECV;
}

void finish_receive(struct endpoint *endpoint, struct op *op, const struct incoming *incoming, int error,
                    int detail) {
    size_t length = incoming == NULL ? 0 : incoming->length < op->length ? incoming->length : op->length;
    size_t excess = incoming == NULL ? 0 : incoming->length - length;
    uint64_t flags = op->flags;
    uint64_t data = 0;
    list_remove(&op->link);
    if (incoming != NULL && (incoming->flags & HAS_DATA) != 0) {
        flags |= FI_REMOTE_CQ_DATA;
        data = incoming->data;
    }
    void *buffer = op->is_multi || op->parent != NULL ? op->iov[0].iov_base : NULL;
    uint64_t tag = incoming == NULL ? op->tag : incoming->tag;
    flags |= end_part(op);
    if (error == 0 && excess > 0) {
        error = FI_ETRUNC;
    }
    if (incoming != NULL && (incoming->flags & WANTS_PLACED) != 0 && (error == 0 || error == FI_ETRUNC)) {
        send_answer(endpoint, PLACED, incoming->peer, incoming->id, 0);
    }
    if (error != 0) {
        add_error(endpoint, &(struct fi_cq_err_entry){.op_context = op->context, .flags = flags, .len = length,
                                                      .buf = buffer, .data = data, .tag = tag, .olen = excess,
                                                      .err = error, .prov_errno = detail});
    } else {
        if (endpoint->receive_cntr != NULL) {
            cntr_count(endpoint->receive_cntr, false);
        }
        if (endpoint->receive_cq != NULL && (op->is_told || (flags & FI_MULTI_RECV) != 0)) {
            cq_add(endpoint->receive_cq,
                   &(struct completion){.context = op->context, .flags = flags, .length = length, .buffer = buffer,
                                        .data = data, .tag = tag,
                                        .source = (endpoint->caps & FI_SOURCE) != 0 && incoming != NULL
                                                      ? av_reverse(endpoint->av, incoming->peer)
                                                      : FI_ADDR_NOTAVAIL});
        }
    }
    op_free(op);
}

int fail_receives(struct endpoint *endpoint, uint64_t peer, int error) {
    int told = 0;
    for (int i = 0; i < BUCKETS; i++) {
        for (struct link *at = endpoint->streams[i].next, *next; at != &endpoint->streams[i]; at = next) {
            struct incoming *incoming = OWNER(at, struct incoming, stream);
            next = at->next;
            if (peer != ANY && incoming->peer != peer) {
                continue;
            }
            if (incoming->op != NULL) {
                finish_receive(endpoint, incoming->op, incoming, error, error);
                told++;
            } else if (incoming->claimer != NULL) {
                incoming->lost = error; /* whoever has claimed it is told when it is taken */
                list_remove(&incoming->stream);
                told++;
                continue;
            }
            free_incoming(endpoint, incoming);
        }
    }
    struct matcher *matchers[] = {&endpoint->tagged, &endpoint->plain};
    for (int i = 0; i < 2; i++) {
        struct op *op;
        while ((op = peer == ANY ? match_any(matchers[i]) : match_of_peer(matchers[i], peer)) != NULL) {
            if (op->children > 0) {
                continue; /* its last part gives it back */
            }
            report_receive_error(endpoint, op->context, op->flags, op->tag, error, error);
            op_free(op);
            told++;
        }
    }
    return told;
}

/* ---- Handing messages to receives ---- */

/* The receive itself, or a part of one for many messages; NULL if there is no memory. */
static struct op *receiver_of(struct endpoint *endpoint, struct op *op, size_t length) {
    if (!op->is_multi) {
        return op;
    }
    struct op *part = op_new();
    if (part == NULL) {
        return NULL;
    }
    size_t left = op->length - op->done;
    size_t used = length < left ? length : left;
    part->context = op->context;
    part->flags = op->flags;
    part->is_told = op->is_told;
    part->parent = op;
    part->length = used;
    part->iov[0] = (struct iovec){(uint8_t *)op->iov[0].iov_base + op->done, used};
    op->done += used;
    op->children++;
    if (op->length - op->done < endpoint->min_multi_recv || op->length == op->done) {
        match_remove(&endpoint->plain, op);
    }
    return part;
}

static void end_if_here(struct endpoint *endpoint, struct incoming *incoming) {
    if (incoming->arrived < incoming->awaited) {
        return;
    }
    if (incoming->op != NULL) {
        finish_receive(endpoint, incoming->op, incoming, 0, 0);
        free_incoming(endpoint, incoming);
    } else if (incoming->is_discarded) {
        free_incoming(endpoint, incoming);
    } else if (incoming->arrived == incoming->length) {
        list_remove(&incoming->stream); /* nothing more will come; of others, the rest when it is asked for */
    }
}

/* Says how much of a message is wanted of which not all is sent unasked, and awaits that. */
static void ask(struct endpoint *endpoint, struct incoming *incoming, size_t room) {
    if (incoming->is_long && !incoming->is_asked && (incoming->is_left || incoming->length > EAGER_WINDOW)) {
        size_t wanted = incoming->length < room ? incoming->length : room;
        size_t unasked = incoming->is_left ? incoming->arrived : EAGER_WINDOW;
        incoming->awaited = wanted > unasked ? wanted : unasked;
        incoming->is_asked = true;
        send_answer(endpoint, GO, incoming->peer, incoming->id, incoming->awaited);
    }
}

/* True if the bytes of a message stay with its sender, and are few enough that a round trip for them costs more. */
static bool is_left_behind(const struct incoming *incoming) {
    return incoming->is_long && incoming->is_left && !incoming->is_asked && incoming->length <= EAGER_WINDOW;
}

/* Asks for the bytes of a message that nobody wants yet; false if there is no memory. */
static bool ask_ahead(struct endpoint *endpoint, struct incoming *incoming, bool is_behind) {
    uint8_t *bytes = malloc(incoming->length);
    if (bytes == NULL) {
        return false;
    }
    memcpy(bytes, incoming->bytes, incoming->arrived);
    ask(endpoint, incoming, incoming->length);
    incoming->ahead = bytes;
    incoming->is_behind = is_behind;
    endpoint->ahead[is_behind]++;
    endpoint->ahead_bytes[is_behind] += incoming->length;
    return true;
}

static void ask_on_side(struct endpoint *endpoint, const struct incoming *incoming, bool is_behind) {
    struct incoming *at = match_neighbour(incoming, is_behind);
    for (int seen = 0; seen < 2 * AHEAD_MESSAGES && at != NULL && endpoint->ahead[is_behind] < AHEAD_MESSAGES; seen++) {
        bool has_room = endpoint->ahead_bytes[is_behind] + at->length <= AHEAD_BYTES;
        if (is_left_behind(at) && (!has_room || !ask_ahead(endpoint, at, is_behind))) {
            return;
        }
        at = match_neighbour(at, is_behind);
    }
}

/* A program that takes one message that was left behind takes those beside it next, in one order or the other: so their
 * bytes are on the way when it does. */
static void ask_beside(struct endpoint *endpoint, const struct incoming *incoming) {
    for (int side = 0; side < 2; side++) {
        if (endpoint->ahead[side] <= AHEAD_MESSAGES / 2) {
            ask_on_side(endpoint, incoming, side == 1);
        }
    }
}

/* `bytes` are those that have arrived. */
static void hand_over(struct endpoint *endpoint, struct incoming *incoming, struct op *op, const uint8_t *bytes) {
    if (incoming->is_left && incoming->lost == 0) {
        ask_beside(endpoint, incoming);
    }
    match_forget(incoming);
    incoming->op = receiver_of(endpoint, op, incoming->length);
    endpoint->arriving += incoming->op != NULL;
    if (incoming->op == NULL) {
        report_receive_error(endpoint, op->context, op->flags, incoming->tag, FI_ENOMEM, 0);
        discard(endpoint, incoming);
    } else if (incoming->lost != 0) {
        finish_receive(endpoint, incoming->op, incoming, incoming->lost, incoming->lost);
        free_incoming(endpoint, incoming);
    } else {
        place(incoming->op, 0, bytes, incoming->arrived);
        end_ahead(endpoint, incoming);
        ask(endpoint, incoming, incoming->op->length);
        end_if_here(endpoint, incoming);
    }
}

void assign(struct endpoint *endpoint, struct incoming *incoming, struct op *op) {
    hand_over(endpoint, incoming, op, incoming->ahead != NULL ? incoming->ahead : incoming->bytes);
}

void discard(struct endpoint *endpoint, struct incoming *incoming) {
    match_forget(incoming);
    end_ahead(endpoint, incoming);
    incoming->is_discarded = true;
    incoming->claimer = NULL;
    if ((incoming->flags & WANTS_PLACED) != 0 && incoming->lost == 0) {
        send_answer(endpoint, PLACED, incoming->peer, incoming->id, 0);
    }
    if (incoming->lost != 0) {
        free_incoming(endpoint, incoming);
        return;
    }
    ask(endpoint, incoming, 0);
    end_if_here(endpoint, incoming);
}

/* ---- Messages of libhxb ---- */

struct incoming *new_incoming(struct endpoint *endpoint, const struct arrival *arrival, size_t held) {
    struct incoming *incoming = malloc(sizeof *incoming + held);
    if (incoming == NULL) {
        WARN("no memory for a message of %zu bytes\n", (size_t)arrival->length);
        return NULL;
    }
    bool is_long = arrival->header.kind != EAGER;
    *incoming = (struct incoming){.peer = arrival->peer,
                                  .tag = arrival->header.value,
                                  .data = arrival->data,
                                  .length = arrival->length,
                                  .id = arrival->header.id,
                                  .flags = arrival->header.flags,
                                  .is_long = is_long,
                                  .is_left = (arrival->header.flags & IS_LEFT) != 0,
                                  .arrived = arrival->count,
                                  .awaited = arrival->length,
                                  .held = held};
    list_init(&incoming->link);
    list_init(&incoming->stream);
    endpoint->unexpected_bytes += sizeof *incoming + held;
    if (is_long) {
        list_add(stream_bucket(endpoint, incoming->peer, incoming->id), &incoming->stream);
    }
    return incoming;
}

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
        say_full(endpoint, arrival->peer);
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
        ask(endpoint, incoming, incoming->op != NULL ? incoming->op->length : 0);
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
    return arrival->length > MAX_MESSAGE || arrival->length < arrival->count || is_too_much ? "of a wrong length" : NULL;
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

/* Whatever breaks the rules ends all that passes between its sender and this endpoint: what is missing would otherwise
 * be awaited for ever. */
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

/* The rest of a message is never behind more than its sender has begun, so that it is waited for without a limit. */
static bool is_full(const struct endpoint *endpoint) {
    size_t limit = endpoint->unexpected_limit;
    bool is_awaiting = endpoint->tagged.posted > 0 || endpoint->plain.posted > 0 || endpoint->is_peeked
                       || !list_is_empty(&endpoint->waiting);
    bool is_too_much = endpoint->unexpected_bytes > (is_awaiting ? PATIENCE * limit : limit);
    return (is_too_much && endpoint->arriving == 0) || endpoint->queued > ANSWER_LIMIT;
}

bool take_events(struct endpoint *endpoint) {
    bool did = false;
    hxb_event event;
    while (hxb_poll_event(endpoint->context, &event) == HXB_OK) {
        int error = error_of(event.status);
        bool has_slot = event.slot >= 0 && event.slot < SEND_BUFFERS;
        uint64_t peer = has_slot ? endpoint->slot_peers[event.slot]
                                 : peer_at(endpoint, event.peer.node, event.peer.context);
        bool is_old = has_slot && endpoint->slot_sessions[event.slot] != session_of(endpoint, peer);
        on_slot(endpoint, event.slot, error, event.status);
        /* An endpoint is one incarnation of its context; events of the earlier one come before what the next one says. */
        if (peer != ANY && (event.status == HXB_NO_SUCH_CONTEXT || event.status == HXB_PEER_RESTARTED)) {
            peer_is_gone(endpoint, peer, error);
        } else if (peer != ANY && !is_old) {
            lose_peer(endpoint, peer, error);
        }
        did = true;
    }
    return did;
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
