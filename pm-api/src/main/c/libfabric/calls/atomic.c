/* Atomic operations, as fi_atomic(3) states them: on integers of 8 to 64 bits and all floating and complex types. They
 * are atomic towards each other; a program that changes the same memory itself has to keep out of their way. */
#include "libfabric/calls/calls.h"

#include <stdlib.h>

static struct endpoint *endpoint_of(struct fid_ep *ep) {
    return OWNER(ep, struct endpoint, fid);
}

/* ---- Calls of programs ---- */

/* The operation of a call, as it is sent: type, operation, purpose, and the number of elements. */
static uint64_t shape_of(enum fi_datatype type, enum fi_op op, enum purpose purpose, size_t count) {
    return (uint64_t)type | (uint64_t)op << 8 | (uint64_t)purpose << 16 | (uint64_t)count << 32;
}

struct atomic_call {
    enum purpose purpose;
    const struct fi_ioc *iov, *compare, *result;
    size_t parts, compare_parts, result_parts;
    fi_addr_t peer;
    uint64_t address, key;
    enum fi_datatype type;
    enum fi_op op;
    void *context;
    uint64_t flags;
    bool is_injected;
};

static size_t elements_in(const struct fi_ioc *iov, size_t parts) {
    size_t count = 0;
    for (size_t i = 0; i < parts; i++) {
        count += iov[i].count;
    }
    return count;
}

static uint8_t *gather(uint8_t *to, const struct fi_ioc *iov, size_t parts, size_t size) {
    for (size_t i = 0; i < parts; i++) {
        memcpy(to, iov[i].addr, iov[i].count * size);
        to += iov[i].count * size;
    }
    return to;
}

static ssize_t call(struct fid_ep *ep, const struct atomic_call *call) {
    struct endpoint *endpoint = endpoint_of(ep);
    bool is_read = call->op == FI_ATOMIC_READ;
    if (!atomic_is_possible(call->type, call->op, call->purpose)) {
        return -FI_EOPNOTSUPP;
    }
    if (call->parts > IOV_LIMIT || call->compare_parts > IOV_LIMIT || call->result_parts > IOV_LIMIT) {
        return -FI_EINVAL;
    }
    size_t size = datatype_size(call->type);
    size_t count = is_read ? elements_in(call->result, call->result_parts) : elements_in(call->iov, call->parts);
    if (count == 0 || count > atomic_max_count(endpoint->max_payload, call->type, call->purpose)
        || (call->purpose == COMPARE && elements_in(call->compare, call->compare_parts) != count)
        || (call->purpose != BASE && elements_in(call->result, call->result_parts) != count)) {
        return -FI_EINVAL;
    }
    struct op *op = op_new();
    if (op == NULL || (op->copy = calloc(2 * count, size)) == NULL) {
        free(op);
        return -FI_ENOMEM;
    }
    uint8_t *end = is_read ? op->copy + count * size : gather(op->copy, call->iov, call->parts, size);
    if (call->purpose == COMPARE) {
        end = gather(end, call->compare, call->compare_parts, size);
    }
    op->kind = ATOMIC;
    op->flags = FI_ATOMIC | (call->purpose == BASE ? FI_WRITE : FI_READ);
    op->context = call->context;
    op->is_injected = call->is_injected;
    op->tag = call->address;
    op->key = call->key;
    op->shape = shape_of(call->type, call->op, call->purpose, count);
    op->length = (size_t)(end - op->copy);
    op->iov[0] = (struct iovec){op->copy, op->length};
    for (size_t i = 0; call->purpose != BASE && i < call->result_parts; i++) {
        op->result[i] = (struct iovec){call->result[i].addr, call->result[i].count * size};
    }
    return post_remote(endpoint, op, call->peer, call->flags & ~(FI_INJECT));
}

static struct fi_ioc part_of(const void *buffer, size_t count) {
    return (struct fi_ioc){(void *)(uintptr_t)buffer, count};
}

static ssize_t writev_to(struct fid_ep *ep, const struct fi_ioc *iov, void **desc, size_t parts, fi_addr_t to,
                         uint64_t address, uint64_t key, enum fi_datatype type, enum fi_op op, void *context) {
    (void)desc;
    return call(ep, &(struct atomic_call){.purpose = BASE, .iov = iov, .parts = parts, .peer = to, .address = address,
                                          .key = key, .type = type, .op = op, .context = context,
                                          .flags = endpoint_of(ep)->send_flags});
}

static ssize_t write_to(struct fid_ep *ep, const void *buffer, size_t count, void *desc, fi_addr_t to,
                        uint64_t address, uint64_t key, enum fi_datatype type, enum fi_op op, void *context) {
    (void)desc;
    struct fi_ioc iov = part_of(buffer, count);
    return writev_to(ep, &iov, NULL, 1, to, address, key, type, op, context);
}

static ssize_t writemsg(struct fid_ep *ep, const struct fi_msg_atomic *msg, uint64_t flags) {
    return msg->rma_iov_count != 1
               ? -FI_EINVAL
               : call(ep, &(struct atomic_call){.purpose = BASE, .iov = msg->msg_iov, .parts = msg->iov_count,
                                                .peer = msg->addr, .address = msg->rma_iov[0].addr,
                                                .key = msg->rma_iov[0].key, .type = msg->datatype, .op = msg->op,
                                                .context = msg->context, .flags = flags});
}

static ssize_t inject(struct fid_ep *ep, const void *buffer, size_t count, fi_addr_t to, uint64_t address,
                      uint64_t key, enum fi_datatype type, enum fi_op op) {
    struct fi_ioc iov = part_of(buffer, count);
    return call(ep, &(struct atomic_call){.purpose = BASE, .iov = &iov, .parts = 1, .peer = to, .address = address,
                                          .key = key, .type = type, .op = op, .is_injected = true});
}

static ssize_t readwritev(struct fid_ep *ep, const struct fi_ioc *iov, void **desc, size_t parts,
                          struct fi_ioc *result, void **result_desc, size_t result_parts, fi_addr_t to,
                          uint64_t address, uint64_t key, enum fi_datatype type, enum fi_op op, void *context) {
    (void)desc, (void)result_desc;
    return call(ep, &(struct atomic_call){.purpose = FETCH, .iov = iov, .parts = parts, .result = result,
                                          .result_parts = result_parts, .peer = to, .address = address, .key = key,
                                          .type = type, .op = op, .context = context,
                                          .flags = endpoint_of(ep)->send_flags});
}

static ssize_t readwrite(struct fid_ep *ep, const void *buffer, size_t count, void *desc, void *result,
                         void *result_desc, fi_addr_t to, uint64_t address, uint64_t key, enum fi_datatype type,
                         enum fi_op op, void *context) {
    (void)desc, (void)result_desc;
    struct fi_ioc iov = part_of(buffer, count), into = part_of(result, count);
    return readwritev(ep, &iov, NULL, 1, &into, NULL, 1, to, address, key, type, op, context);
}

static ssize_t readwritemsg(struct fid_ep *ep, const struct fi_msg_atomic *msg, struct fi_ioc *result,
                            void **result_desc, size_t result_parts, uint64_t flags) {
    (void)result_desc;
    return msg->rma_iov_count != 1
               ? -FI_EINVAL
               : call(ep, &(struct atomic_call){.purpose = FETCH, .iov = msg->msg_iov, .parts = msg->iov_count,
                                                .result = result, .result_parts = result_parts, .peer = msg->addr,
                                                .address = msg->rma_iov[0].addr, .key = msg->rma_iov[0].key,
                                                .type = msg->datatype, .op = msg->op, .context = msg->context,
                                                .flags = flags});
}

static ssize_t compwritev(struct fid_ep *ep, const struct fi_ioc *iov, void **desc, size_t parts,
                          const struct fi_ioc *compare, void **compare_desc, size_t compare_parts,
                          struct fi_ioc *result, void **result_desc, size_t result_parts, fi_addr_t to,
                          uint64_t address, uint64_t key, enum fi_datatype type, enum fi_op op, void *context) {
    (void)desc, (void)compare_desc, (void)result_desc;
    return call(ep, &(struct atomic_call){.purpose = COMPARE, .iov = iov, .parts = parts, .compare = compare,
                                          .compare_parts = compare_parts, .result = result,
                                          .result_parts = result_parts, .peer = to, .address = address, .key = key,
                                          .type = type, .op = op, .context = context,
                                          .flags = endpoint_of(ep)->send_flags});
}

static ssize_t compwrite(struct fid_ep *ep, const void *buffer, size_t count, void *desc, const void *compare,
                         void *compare_desc, void *result, void *result_desc, fi_addr_t to, uint64_t address,
                         uint64_t key, enum fi_datatype type, enum fi_op op, void *context) {
    (void)desc, (void)compare_desc, (void)result_desc;
    struct fi_ioc iov = part_of(buffer, count), with = part_of(compare, count), into = part_of(result, count);
    return compwritev(ep, &iov, NULL, 1, &with, NULL, 1, &into, NULL, 1, to, address, key, type, op, context);
}

static ssize_t compwritemsg(struct fid_ep *ep, const struct fi_msg_atomic *msg, const struct fi_ioc *compare,
                            void **compare_desc, size_t compare_parts, struct fi_ioc *result, void **result_desc,
                            size_t result_parts, uint64_t flags) {
    (void)compare_desc, (void)result_desc;
    return msg->rma_iov_count != 1
               ? -FI_EINVAL
               : call(ep, &(struct atomic_call){.purpose = COMPARE, .iov = msg->msg_iov, .parts = msg->iov_count,
                                                .compare = compare, .compare_parts = compare_parts,
                                                .result = result, .result_parts = result_parts, .peer = msg->addr,
                                                .address = msg->rma_iov[0].addr, .key = msg->rma_iov[0].key,
                                                .type = msg->datatype, .op = msg->op, .context = msg->context,
                                                .flags = flags});
}

static int valid(struct fid_ep *ep, enum fi_datatype type, enum fi_op op, enum purpose purpose, size_t *count) {
    if (!atomic_is_possible(type, op, purpose)) {
        return -FI_EOPNOTSUPP;
    }
    if (count != NULL) {
        *count = atomic_max_count(endpoint_of(ep)->max_payload, type, purpose);
    }
    return 0;
}

static int writevalid(struct fid_ep *ep, enum fi_datatype type, enum fi_op op, size_t *count) {
    return valid(ep, type, op, BASE, count);
}

static int readwritevalid(struct fid_ep *ep, enum fi_datatype type, enum fi_op op, size_t *count) {
    return valid(ep, type, op, FETCH, count);
}

static int compwritevalid(struct fid_ep *ep, enum fi_datatype type, enum fi_op op, size_t *count) {
    return valid(ep, type, op, COMPARE, count);
}

int hxb_query_atomic(struct fid_domain *domain, enum fi_datatype type, enum fi_op op, struct fi_atomic_attr *attr,
                     uint64_t flags) {
    enum purpose purpose = (flags & FI_FETCH_ATOMIC) != 0 ? FETCH : (flags & FI_COMPARE_ATOMIC) != 0 ? COMPARE : BASE;
    if (!atomic_is_possible(type, op, purpose)) {
        return -FI_EOPNOTSUPP;
    }
    attr->size = datatype_size(type);
    attr->count = atomic_max_count((size_t)hxb_mtu(OWNER(domain, struct domain, fid)->device), type, purpose);
    return 0;
}

struct fi_ops_atomic hxb_atomic_ops = {.size = sizeof hxb_atomic_ops,
                                       .write = write_to,
                                       .writev = writev_to,
                                       .writemsg = writemsg,
                                       .inject = inject,
                                       .readwrite = readwrite,
                                       .readwritev = readwritev,
                                       .readwritemsg = readwritemsg,
                                       .compwrite = compwrite,
                                       .compwritev = compwritev,
                                       .compwritemsg = compwritemsg,
                                       .writevalid = writevalid,
                                       .readwritevalid = readwritevalid,
                                       .compwritevalid = compwritevalid};
