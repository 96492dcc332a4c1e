/* Remote memory, as fi_rma(3) states it: calls of programs, and what peers ask for. A write is complete when its bytes
 * lie in the memory of the peer, whose program has to make progress for that; a refused one has an error. */
#include "libfabric/calls/calls.h"

#include <stdlib.h>

#define WRITE_FLAGS (FI_COMPLETION | FI_INJECT | FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE \
                     | FI_REMOTE_CQ_DATA | FI_MORE | FI_PRIORITY)

static struct endpoint *endpoint_of(struct fid_ep *ep) {
    return OWNER(ep, struct endpoint, fid);
}

/* ---- Calls of programs ---- */

static int check_call(struct endpoint *endpoint, const struct address *to, uint64_t flags) {
    if (endpoint->failure != 0) {
        return endpoint->failure;
    }
    if (!endpoint->is_enabled) {
        return FI_EOPBADSTATE;
    }
    return to == NULL || (flags & ~WRITE_FLAGS) != 0 ? FI_EINVAL
                                                     : error_of_peer(endpoint, peer_of_address(to));
}

/* Needs the lock; frees the operation if it does not begin. */
static int start(struct endpoint *endpoint, struct op *op, fi_addr_t to, uint64_t flags) {
    const struct address *address = av_find(endpoint->av, to);
    int error = check_call(endpoint, address, flags);
    if (error == 0 && endpoint->queued >= QUEUE_LIMIT) {
        progress(endpoint);
        error = endpoint->queued >= QUEUE_LIMIT ? FI_EAGAIN : endpoint->failure;
    }
    if (error != 0) {
        return error;
    }
    op->peer = peer_of_address(address);
    op->wanted = FI_DELIVERY_COMPLETE;
    op->is_reported = !op->is_injected && (!endpoint->is_send_selective || (flags & FI_COMPLETION) != 0);
    if (!number_op(endpoint, op)) {
        return FI_ENOMEM;
    }
    send_later(endpoint, op);
    send_waiting(endpoint);
    return 0;
}

ssize_t post_remote(struct endpoint *endpoint, struct op *op, fi_addr_t to, uint64_t flags) {
    enter(endpoint);
    int error = start(endpoint, op, to, flags);
    leave(endpoint);
    if (error != 0) {
        op_free(op);
    }
    return -error;
}

struct rma_call {
    enum kind kind;
    const struct iovec *iov;
    size_t count;
    fi_addr_t peer;
    uint64_t address, key;
    bool has_data, is_injected;
    uint64_t data;
    void *context;
    uint64_t flags;
};

static ssize_t call(struct fid_ep *ep, const struct rma_call *call) {
    struct endpoint *endpoint = endpoint_of(ep);
    bool is_copied = call->kind == WRITE && (call->is_injected || (call->flags & FI_INJECT) != 0);
    size_t length = 0;
    if (call->count > IOV_LIMIT) {
        return -FI_EINVAL;
    }
    for (size_t i = 0; i < call->count; i++) {
        length += call->iov[i].iov_len;
    }
    if (length > MAX_MESSAGE || (is_copied && length > endpoint->max_payload - MAX_HEADER)) {
        return -FI_EMSGSIZE;
    }
    struct op *op = op_new();
    uint8_t *copy = is_copied && op != NULL ? malloc(length + 1) : NULL;
    if (op == NULL || (is_copied && copy == NULL)) {
        free(op);
        return -FI_ENOMEM;
    }
    op->kind = call->kind;
    op->flags = FI_RMA | (call->kind == READ ? FI_READ : FI_WRITE);
    op->context = call->context;
    op->is_injected = call->is_injected;
    op->wire_flags = call->has_data ? HAS_DATA : 0;
    op->data = call->data;
    op->tag = call->address;
    op->key = call->key;
    op->length = length;
    if (is_copied) {
        copy_from(call->iov, call->count, 0, length, copy);
        op->iov[0] = (struct iovec){copy, length};
        op->copy = copy;
    } else {
        set_parts(op->iov, call->iov, call->count);
    }
    return post_remote(endpoint, op, call->peer, call->flags);
}

static struct iovec part_of(const void *buffer, size_t length) {
    return (struct iovec){(void *)(uintptr_t)buffer, length};
}

static ssize_t readv_from(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count, fi_addr_t from,
                          uint64_t address, uint64_t key, void *context) {
    (void)desc;
    return call(ep, &(struct rma_call){.kind = READ, .iov = iov, .count = count, .peer = from, .address = address,
                                       .key = key, .context = context, .flags = endpoint_of(ep)->send_flags});
}

static ssize_t read_from(struct fid_ep *ep, void *buffer, size_t length, void *desc, fi_addr_t from,
                         uint64_t address, uint64_t key, void *context) {
    (void)desc;
    struct iovec iov = {buffer, length};
    return readv_from(ep, &iov, NULL, 1, from, address, key, context);
}

static bool is_one_range(const struct fi_msg_rma *msg) {
    return msg->rma_iov_count == 1;
}

static ssize_t readmsg(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags) {
    return !is_one_range(msg) ? -FI_EINVAL
                              : call(ep, &(struct rma_call){.kind = READ, .iov = msg->msg_iov, .count = msg->iov_count,
                                                            .peer = msg->addr, .address = msg->rma_iov[0].addr,
                                                            .key = msg->rma_iov[0].key, .context = msg->context,
                                                            .flags = flags});
}

static ssize_t writev_to(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count, fi_addr_t to,
                         uint64_t address, uint64_t key, void *context) {
    (void)desc;
    return call(ep, &(struct rma_call){.kind = WRITE, .iov = iov, .count = count, .peer = to, .address = address,
                                       .key = key, .context = context, .flags = endpoint_of(ep)->send_flags});
}

static ssize_t write_to(struct fid_ep *ep, const void *buffer, size_t length, void *desc, fi_addr_t to,
                        uint64_t address, uint64_t key, void *context) {
    (void)desc;
    struct iovec iov = part_of(buffer, length);
    return writev_to(ep, &iov, NULL, 1, to, address, key, context);
}

static ssize_t writemsg(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags) {
    return !is_one_range(msg)
               ? -FI_EINVAL
               : call(ep, &(struct rma_call){.kind = WRITE, .iov = msg->msg_iov, .count = msg->iov_count,
                                             .peer = msg->addr, .address = msg->rma_iov[0].addr,
                                             .key = msg->rma_iov[0].key, .context = msg->context,
                                             .has_data = (flags & FI_REMOTE_CQ_DATA) != 0, .data = msg->data,
                                             .flags = flags});
}

static ssize_t inject_write(struct fid_ep *ep, const void *buffer, size_t length, fi_addr_t to, uint64_t address,
                            uint64_t key) {
    struct iovec iov = part_of(buffer, length);
    return call(ep, &(struct rma_call){.kind = WRITE, .iov = &iov, .count = 1, .peer = to, .address = address,
                                       .key = key, .is_injected = true});
}

static ssize_t writedata(struct fid_ep *ep, const void *buffer, size_t length, void *desc, uint64_t data,
                         fi_addr_t to, uint64_t address, uint64_t key, void *context) {
    (void)desc;
    struct iovec iov = part_of(buffer, length);
    return call(ep, &(struct rma_call){.kind = WRITE, .iov = &iov, .count = 1, .peer = to, .address = address,
                                       .key = key, .has_data = true, .data = data, .context = context,
                                       .flags = endpoint_of(ep)->send_flags});
}

static ssize_t inject_writedata(struct fid_ep *ep, const void *buffer, size_t length, uint64_t data, fi_addr_t to,
                                uint64_t address, uint64_t key) {
    struct iovec iov = part_of(buffer, length);
    return call(ep, &(struct rma_call){.kind = WRITE, .iov = &iov, .count = 1, .peer = to, .address = address,
                                       .key = key, .has_data = true, .data = data, .is_injected = true});
}

struct fi_ops_rma hxb_rma_ops = {.size = sizeof hxb_rma_ops,
                                 .read = read_from,
                                 .readv = readv_from,
                                 .readmsg = readmsg,
                                 .write = write_to,
                                 .writev = writev_to,
                                 .writemsg = writemsg,
                                 .inject = inject_write,
                                 .writedata = writedata,
                                 .injectdata = inject_writedata};
