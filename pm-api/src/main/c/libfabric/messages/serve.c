/* Operations of peers on memory of this process, and answers of peers to operations of this process. */
#include "libfabric/messages/messages.h"

static void end_write(struct endpoint *endpoint, const struct incoming *incoming) {
    if (incoming->lost != 0) {
        send_answer(endpoint, FAILED, incoming->peer, incoming->id, (uint64_t)incoming->lost);
        return;
    }
    send_answer(endpoint, PLACED, incoming->peer, incoming->id, 0);
    if (endpoint->remote_write_cntr != NULL) {
        cntr_count(endpoint->remote_write_cntr, false);
    }
    if ((incoming->flags & HAS_DATA) != 0 && endpoint->receive_cq != NULL) {
        cq_add(endpoint->receive_cq,
               &(struct completion){.flags = FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA, .length = incoming->length,
                                    .data = incoming->data,
                                    .source = (endpoint->caps & FI_SOURCE) != 0
                                                  ? av_reverse(endpoint->av, incoming->peer)
                                                  : FI_ADDR_NOTAVAIL});
    }
}

const char *on_write(struct endpoint *endpoint, const struct arrival *arrival) {
    struct mr *mr;
    uint8_t *bytes;
    int error = find_memory(endpoint->domain, arrival->own[0], arrival->header.value, arrival->length,
                            FI_REMOTE_WRITE, &mr, &bytes);
    if (error == 0) {
        memcpy(bytes, arrival->bytes, arrival->count);
    }
    if (arrival->count == arrival->length) {
        end_write(endpoint, &(struct incoming){.peer = arrival->peer,
                                               .id = arrival->header.id, .flags = arrival->header.flags,
                                               .data = arrival->data, .length = arrival->length, .lost = error});
        return NULL;
    }
    struct incoming *incoming = new_incoming(endpoint, arrival, 0);
    if (incoming == NULL) {
        return "more than there is memory for";
    }
    incoming->is_write = true;
    endpoint->arriving++;
    incoming->mr = mr;
    incoming->target = bytes;
    incoming->lost = error;
    return NULL;
}

void on_write_part(struct endpoint *endpoint, struct incoming *incoming, const struct arrival *arrival) {
    if (incoming->mr != NULL) {
        memcpy(incoming->target + incoming->arrived, arrival->bytes, arrival->count);
    }
    incoming->arrived += arrival->count;
    if (incoming->arrived == incoming->awaited) {
        end_write(endpoint, incoming);
        free_incoming(endpoint, incoming);
    }
}

const char *on_read(struct endpoint *endpoint, const struct arrival *arrival) {
    struct mr *mr;
    uint8_t *bytes;
    uint64_t length = arrival->own[1];
    int error = length > MAX_MESSAGE ? FI_EINVAL
                                     : find_memory(endpoint->domain, arrival->own[0], arrival->header.value, length,
                                                   FI_REMOTE_READ, &mr, &bytes);
    if (error != 0) {
        send_answer(endpoint, FAILED, arrival->peer, arrival->header.id, (uint64_t)error);
        return NULL;
    }
    struct op *op = op_new();
    if (op == NULL) {
        return "more than there is memory for";
    }
    op->kind = DATA;
    op->is_answer = true;
    op->peer = arrival->peer;
    op->answered = arrival->header.id;
    op->mr = mr;
    op->length = length;
    op->iov[0] = (struct iovec){bytes, length};
    send_later(endpoint, op);
    send_waiting(endpoint);
    if (endpoint->remote_read_cntr != NULL) {
        cntr_count(endpoint->remote_read_cntr, false);
    }
    return NULL;
}

const char *on_data(struct endpoint *endpoint, const struct arrival *arrival) {
    struct op *op = numbered(endpoint, arrival->peer, arrival->header.id);
    if (op == NULL || op->kind != READ) {
        return "bytes that nobody asked for";
    }
    if (arrival->header.value != op->done || arrival->count > op->length - op->done) {
        return "bytes that are not the next";
    }
    place(op, op->done, arrival->bytes, arrival->count);
    op->done += arrival->count;
    if (op->done == op->length) {
        finish_send(endpoint, op, 0, 0);
    }
    return NULL;
}

const char *on_failed(struct endpoint *endpoint, const struct arrival *arrival) {
    struct op *op = numbered(endpoint, arrival->peer, arrival->header.id);
    if (op == NULL || op->wanted != FI_DELIVERY_COMPLETE || (op->flags & (FI_READ | FI_WRITE)) == 0) {
        return "an answer to an operation that is not there";
    }
    int error = arrival->header.value >= 1 && arrival->header.value <= INT32_MAX ? (int)arrival->header.value : FI_EIO;
    finish_send(endpoint, op, error, error);
    return NULL;
}

void end_memory(struct endpoint *endpoint, const struct mr *mr) {
    for (int i = 0; i < BUCKETS; i++) {
        for (struct link *at = endpoint->streams[i].next; at != &endpoint->streams[i]; at = at->next) {
            struct incoming *incoming = OWNER(at, struct incoming, stream);
            if (incoming->mr == mr) {
                incoming->mr = NULL;
                incoming->lost = FI_ENOKEY;
            }
        }
    }
    struct link *lists[] = {&endpoint->queue, &endpoint->sending};
    for (int i = 0; i < 2; i++) {
        for (struct link *at = lists[i]->next, *next; at != lists[i]; at = next) {
            struct op *op = OWNER(at, struct op, link);
            next = at->next;
            if (op->mr == mr) {
                send_answer(endpoint, FAILED, op->peer, op->answered, FI_ENOKEY);
                endpoint->queued -= i == 0;
                finish_send(endpoint, op, FI_ECANCELED, 0);
            }
        }
    }
}
