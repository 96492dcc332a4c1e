/* Messages that are arriving, and their way to the buffers of receives. */
#include "libfabric/messages/messages.h"

#include <stdlib.h>

static struct link *stream_bucket(struct endpoint *endpoint, uint64_t peer, uint32_t id) {
    uint64_t hash = (peer * UINT64_C(0xC2B2AE3D27D4EB4F) ^ id) * UINT64_C(0x9E3779B97F4A7C15);
    return &endpoint->streams[hash >> 56];
}

struct incoming *find_stream(struct endpoint *endpoint, uint64_t peer, uint32_t id) {
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
    send_room(endpoint);
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
        if (endpoint->receive_cq != NULL && (op->is_reported || (flags & FI_MULTI_RECV) != 0)) {
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
    int reported = 0;
    for (int i = 0; i < BUCKETS; i++) {
        for (struct link *at = endpoint->streams[i].next, *next; at != &endpoint->streams[i]; at = next) {
            struct incoming *incoming = OWNER(at, struct incoming, stream);
            next = at->next;
            if (peer != ANY && incoming->peer != peer) {
                continue;
            }
            if (incoming->op != NULL) {
                finish_receive(endpoint, incoming->op, incoming, error, error);
                reported++;
            } else if (incoming->claimer != NULL) {
                incoming->lost = error; /* reported when the program that has claimed it takes it */
                list_remove(&incoming->stream);
                reported++;
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
            reported++;
        }
    }
    return reported;
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
    part->is_reported = op->is_reported;
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

void end_if_here(struct endpoint *endpoint, struct incoming *incoming) {
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

void ask_for_bytes(struct endpoint *endpoint, struct incoming *incoming, size_t room) {
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
    ask_for_bytes(endpoint, incoming, incoming->length);
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

/* A program that takes one message of which the bytes stayed with the sender takes those beside it next, in one order
 * or the other: so their bytes are on the way when it does. */
static void ask_beside(struct endpoint *endpoint, const struct incoming *incoming) {
    for (int side = 0; side < 2; side++) {
        if (endpoint->ahead[side] <= AHEAD_MESSAGES / 2) {
            ask_on_side(endpoint, incoming, side == 1);
        }
    }
}

/* `bytes` are those that have arrived. */
void hand_over(struct endpoint *endpoint, struct incoming *incoming, struct op *op, const uint8_t *bytes) {
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
        ask_for_bytes(endpoint, incoming, incoming->op->length);
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
    ask_for_bytes(endpoint, incoming, 0);
    end_if_here(endpoint, incoming);
}

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
