/* From a call to slots of libhxb. A message that fits goes as one (EAGER). A longer one begins with BEGIN and PARTs, up
 * to EAGER_WINDOW bytes at once, and continues when the receiver has a buffer for it and sends GO. An operation that
 * finds no slot waits in a queue; operations for one peer do not hold up those for others. */
#include "libfabric/messages/messages.h"

#include <stdlib.h>

enum {
    QUEUE_SCAN = 64,
    BLOCKED_PEERS = 8,
    PARTS_TURN = 8,
    SHORT_BYTES = 256, /* messages that are sent whole even to a peer that has enough: little more than a header */
    FEW_LEFT = 16      /* sends that a program which waits for each of them has under way at most, by its threads */
};

/* ---- Ends ---- */

static void report_send(struct endpoint *endpoint, const struct op *op, int error, int detail) {
    struct cq *cq = endpoint->send_cq;
    struct cntr *cntr = (op->flags & FI_READ) != 0    ? endpoint->read_cntr
                        : (op->flags & FI_WRITE) != 0 ? endpoint->write_cntr
                                                      : endpoint->send_cntr;
    if (cntr != NULL) {
        cntr_count(cntr, error != 0);
    }
    if (cq != NULL && error != 0 && !op->is_injected) {
        cq_add_error(cq, &(struct fi_cq_err_entry){.op_context = op->context, .flags = op->flags, .tag = op->tag,
                                                   .err = error, .prov_errno = detail});
    } else if (cq != NULL && error == 0 && op->is_reported) {
        cq_add(cq, &(struct completion){.context = op->context, .flags = op->flags, .source = FI_ADDR_NOTAVAIL});
    }
}

void finish_send(struct endpoint *endpoint, struct op *op, int error, int detail) {
    list_remove(&op->link);
    if (op->id != 0) {
        endpoint->ids[op->id - 1] = NULL;
    }
    if (op->slot >= 0 && endpoint->slots[op->slot] == op) {
        endpoint->slots[op->slot] = NULL;
        endpoint->slots_awaited--;
    }
    endpoint->left -= op->is_left;
    endpoint->left_bytes -= op->is_ended ? op->length : 0;
    if (!op->is_answer && !op->is_ended) {
        report_send(endpoint, op, error, detail);
    }
    op_free(op);
}

int fail_sends(struct endpoint *endpoint, uint64_t peer, int error) {
    struct link *lists[] = {&endpoint->queue, &endpoint->sending, &endpoint->waiting};
    int reported = 0;
    for (int i = 0; i < 3; i++) {
        for (struct link *at = lists[i]->next, *next; at != lists[i]; at = next) {
            struct op *op = OWNER(at, struct op, link);
            next = at->next;
            if (peer == ANY || op->peer == peer) {
                endpoint->queued -= i == 0;
                reported += !op->is_answer && !op->is_ended && !op->is_injected;
                finish_send(endpoint, op, error, error);
            }
        }
    }
    return reported;
}

void on_slot(struct endpoint *endpoint, int slot, int error, int detail) {
    struct op *op = slot >= 0 && slot < SEND_BUFFERS ? endpoint->slots[slot] : NULL;
    if (op != NULL) {
        finish_send(endpoint, op, error, detail);
    }
}

static void move(struct op *op, struct link *list) {
    list_remove(&op->link);
    list_add(list, &op->link);
}

/* ---- Bytes that stay here ---- */

bool stays_here(const struct endpoint *endpoint, uint64_t peer, size_t length) {
    return length > SHORT_BYTES && wants_no_bytes(endpoint, peer);
}

/* The program goes on, as the bytes are here as well. */
static void end_early(struct endpoint *endpoint, struct op *op) {
    endpoint->left -= op->is_left;
    endpoint->left_bytes += op->length;
    op->is_left = false;
    op->is_ended = true;
    report_send(endpoint, op, 0, 0);
}

/* Of an operation that has begun, or begins without its bytes. */
static void leave_bytes(struct endpoint *endpoint, struct op *op) {
    op->granted = op->done;
    if (op->wanted != 0 || op->is_ended) {
        return;
    }
    if (op->copy != NULL) {
        end_early(endpoint, op);
    } else if (op->length <= EAGER_WINDOW) {
        op->is_left = true;
        endpoint->left++;
    }
}

/* A program that has many sends under way does not wait for each, and its buffers are kept. Another one may wait for
 * one before it does what makes its peer ask for the bytes. */
bool copy_left(struct endpoint *endpoint) {
    if (endpoint->left == 0 || endpoint->left > FEW_LEFT
        || endpoint->left_bytes > AWAITED_FACTOR * endpoint->unexpected_limit) {
        return false;
    }
    for (struct link *at = endpoint->waiting.previous; at != &endpoint->waiting && endpoint->left > 0;
         at = at->previous) { /* the last ones, after all that have ended */
        struct op *op = OWNER(at, struct op, link);
        if (!op->is_left) {
            continue;
        }
        op->copy = malloc(op->length);
        if (op->copy == NULL) {
            return false;
        }
        copy_from(op->iov, IOV_LIMIT, 0, op->length, op->copy);
        memset(op->iov, 0, sizeof op->iov);
        op->iov[0] = (struct iovec){op->copy, op->length};
        end_early(endpoint, op);
    }
    return true;
}

/* All bytes that may be sent are in slots. */
static void on_sent(struct endpoint *endpoint, struct op *op) {
    if (op->kind == BEGIN && op->granted < op->length && !op->is_granted) {
        move(op, &endpoint->waiting); /* for GO */
    } else if (op->wanted == FI_DELIVERY_COMPLETE) {
        move(op, &endpoint->waiting); /* for PLACED, or what answers an operation on memory */
    } else if (op->wanted == FI_TRANSMIT_COMPLETE) {
        endpoint->slots[op->slot] = op;
        endpoint->slots_awaited++;
        move(op, &endpoint->waiting);
    } else {
        finish_send(endpoint, op, 0, 0);
    }
}

/* ---- Slots ---- */

/* The slot, or a negative result. */
static int claim(struct endpoint *endpoint, uint64_t peer, size_t length, void **data) {
    int slot = hxb_claim(endpoint->context, (hxb_address){node_of(peer), context_of(peer)}, length, data);
    if (slot >= 0) {
        on_slot(endpoint, slot, 0, 0); /* it is free, so its last message has arrived */
        endpoint->slot_peers[slot] = peer;
        endpoint->slot_sessions[slot] = session_of(endpoint, peer);
    } else if (slot != HXB_NO_BUFFERS) {
        fail_endpoint(endpoint, slot);
    }
    return slot;
}

static void commit(struct endpoint *endpoint, int slot, size_t length) {
    int result = hxb_commit(endpoint->context, slot, length, PROTOCOL);
    if (result != HXB_OK) {
        fail_endpoint(endpoint, result);
    }
}

static size_t header_size(enum kind kind, uint8_t flags) {
    return SHORT_HEADER + 8 * ((size_t)extras_of(kind) + ((flags & HAS_DATA) != 0));
}

/* The header of an operation's message of this kind. */
static void write_header(struct endpoint *endpoint, const struct op *op, enum kind kind, uint64_t value, void *to) {
    struct header header = {.kind = (uint8_t)kind,
                            .flags = kind == PART ? 0 : op->wire_flags,
                            .session = session_of(endpoint, op->peer),
                            .destination = incarnation_of(op->peer),
                            .source = endpoint->address.incarnation,
                            .id = op->answered != 0 ? op->answered : op->id,
                            .value = value};
    int count = extras_of(kind);
    if (kind == BEGIN) {
        header.extras[0] = op->length;
    } else if (count > 0) {
        header.extras[0] = op->key;
        header.extras[1] = kind == ATOMIC ? op->shape : op->length;
    }
    if ((header.flags & HAS_DATA) != 0) {
        header.extras[count++] = op->data;
    }
    memcpy(to, &header, SHORT_HEADER + 8 * (size_t)count);
}

bool send_now(struct endpoint *endpoint, uint64_t peer, uint8_t flags, uint64_t tag, uint64_t data,
              const struct iovec *iov, size_t count, size_t length) {
    size_t head = header_size(EAGER, flags);
    void *buffer;
    if (!list_is_empty(&endpoint->queue)) {
        return false;
    }
    int slot = claim(endpoint, peer, head + length, &buffer);
    if (slot < 0) {
        return false;
    }
    write_header(endpoint, &(struct op){.wire_flags = flags, .peer = peer, .data = data}, EAGER, tag,
                 buffer);
    copy_from(iov, count, 0, length, (uint8_t *)buffer + head);
    commit(endpoint, slot, head + length);
    return true;
}

/* Sends the message with which an operation begins, or is all; false if there is no slot for it. */
static bool begin(struct endpoint *endpoint, struct op *op) {
    if ((op->kind == EAGER || op->kind == BEGIN) && (op->wire_flags & IS_LEFT) == 0
        && stays_here(endpoint, op->peer, op->length) && (op->id != 0 || number_op(endpoint, op))) {
        op->kind = BEGIN;
        op->wire_flags |= IS_LEFT;
        leave_bytes(endpoint, op);
    }
    size_t head = header_size(op->kind, op->wire_flags);
    size_t room = endpoint->max_payload - head;
    size_t bytes = op->granted < room ? op->granted : room;
    void *buffer;
    int slot = claim(endpoint, op->peer, head + bytes, &buffer);
    if (slot < 0) {
        return false;
    }
    write_header(endpoint, op, op->kind, op->tag, buffer);
    copy_from(op->iov, IOV_LIMIT, 0, bytes, (uint8_t *)buffer + head);
    commit(endpoint, slot, head + bytes);
    op->done = bytes;
    op->slot = slot;
    return true;
}

static bool send_part(struct endpoint *endpoint, struct op *op) {
    size_t room = endpoint->max_payload - SHORT_HEADER;
    size_t left = op->granted - op->done;
    size_t bytes = left < room ? left : room;
    void *buffer;
    int slot = claim(endpoint, op->peer, SHORT_HEADER + bytes, &buffer);
    if (slot < 0) {
        return false;
    }
    write_header(endpoint, op, op->kind == DATA ? DATA : PART, op->done, buffer);
    copy_from(op->iov, IOV_LIMIT, op->done, bytes, (uint8_t *)buffer + SHORT_HEADER);
    commit(endpoint, slot, SHORT_HEADER + bytes);
    op->done += bytes;
    op->slot = slot;
    return true;
}

static bool send_queue(struct endpoint *endpoint) {
    uint64_t blocked[BLOCKED_PEERS];
    int blocked_count = 0, scanned = 0;
    bool did = false;
    struct link *next;
    for (struct link *at = endpoint->queue.next;
         at != &endpoint->queue && scanned < QUEUE_SCAN && blocked_count < BLOCKED_PEERS; at = next, scanned++) {
        struct op *op = OWNER(at, struct op, link);
        next = at->next;
        bool is_blocked = false;
        for (int i = 0; i < blocked_count; i++) {
            is_blocked |= blocked[i] == op->peer;
        }
        if (is_blocked) {
            continue;
        }
        if (!begin(endpoint, op)) {
            if (endpoint->failure != 0) {
                return did;
            }
            blocked[blocked_count++] = op->peer;
            continue;
        }
        endpoint->queued--;
        did = true;
        if (op->done < op->granted) {
            move(op, &endpoint->sending);
        } else {
            on_sent(endpoint, op);
        }
    }
    return did;
}

/* A few parts of each message in turn; others keep some slots for what is short. */
static bool send_parts(struct endpoint *endpoint) {
    bool did = false;
    struct link *last = endpoint->sending.previous;
    while (!list_is_empty(&endpoint->sending)) {
        struct op *op = OWNER(endpoint->sending.next, struct op, link);
        bool is_last = &op->link == last;
        for (int i = 0; i < PARTS_TURN && op->done < op->granted; i++) {
            if (hxb_unfinished_sends(endpoint->context) >= SEND_BUFFERS - RESERVED_SLOTS || !send_part(endpoint, op)) {
                break;
            }
            did = true;
        }
        if (endpoint->failure != 0) {
            return did;
        }
        if (op->done == op->granted) {
            on_sent(endpoint, op);
        } else {
            move(op, &endpoint->sending);
        }
        if (is_last) {
            break;
        }
    }
    return did;
}

bool send_waiting(struct endpoint *endpoint) {
    bool did = !list_is_empty(&endpoint->queue) && endpoint->failure == 0 && send_queue(endpoint);
    if (!list_is_empty(&endpoint->sending) && endpoint->failure == 0) {
        did |= send_parts(endpoint);
    }
    return did;
}

void send_later(struct endpoint *endpoint, struct op *op) {
    op->granted = op->kind == READ                                   ? 0
                  : op->kind == BEGIN && op->length > EAGER_WINDOW ? EAGER_WINDOW
                                                                   : op->length;
    endpoint->queued++;
    list_add(&endpoint->queue, &op->link);
}

/* ---- Answers ---- */

bool send_answer(struct endpoint *endpoint, enum kind kind, uint64_t peer, uint32_t id, uint64_t value) {
    struct op *op = op_new();
    if (op == NULL) {
        return false;
    }
    op->kind = kind;
    op->is_answer = true;
    op->peer = peer;
    op->answered = id;
    op->tag = value;
    send_later(endpoint, op);
    return true;
}

void on_go(struct endpoint *endpoint, uint64_t peer, uint32_t id, uint64_t wanted) {
    struct op *op = numbered(endpoint, peer, id);
    bool is_asking = op != NULL && op->kind == BEGIN && (op->length > EAGER_WINDOW || op->granted < op->length);
    if (!is_asking || op->is_granted) {
        WARN("an answer to a message that waits for none\n");
        return;
    }
    op->is_granted = true;
    endpoint->left -= op->is_left;
    op->is_left = false;
    if (wanted > op->granted) {
        op->granted = wanted < op->length ? wanted : op->length;
    }
    if (op->done == op->granted) {
        on_sent(endpoint, op);
    } else {
        move(op, &endpoint->sending);
    }
}

void on_full(struct endpoint *endpoint, uint64_t peer) {
    set_wants_no_bytes(endpoint, peer, true);
    for (struct link *at = endpoint->sending.next, *next; at != &endpoint->sending; at = next) {
        struct op *op = OWNER(at, struct op, link);
        next = at->next;
        if (op->peer == peer && op->kind == BEGIN && !op->is_granted
            && send_answer(endpoint, LEFT, peer, op->id, op->done)) {
            leave_bytes(endpoint, op);
            on_sent(endpoint, op);
        }
    }
}

void on_placed(struct endpoint *endpoint, uint64_t peer, uint32_t id) {
    struct op *op = numbered(endpoint, peer, id);
    if (op == NULL || op->wanted != FI_DELIVERY_COMPLETE || op->kind == READ || op->done < op->granted) {
        WARN("a message was reported as placed that was not sent\n");
        return;
    }
    finish_send(endpoint, op, 0, 0);
}
