/* Operations: their buffers, and numbers that answers name. */
#include "libfabric/objects/objects.h"

#include <stdlib.h>

struct op *op_new(void) {
    struct op *op = calloc(1, sizeof *op);
    if (op != NULL) {
        list_init(&op->link);
        op->slot = -1;
    }
    return op;
}

void op_free(struct op *op) {
    free(op->copy);
    free(op);
}

void copy_from(const struct iovec *iov, size_t count, size_t offset, size_t length, uint8_t *to) {
    for (size_t i = 0; i < count && length > 0; i++) {
        if (offset >= iov[i].iov_len) {
            offset -= iov[i].iov_len;
            continue;
        }
        size_t part = iov[i].iov_len - offset < length ? iov[i].iov_len - offset : length;
        memcpy(to, (const uint8_t *)iov[i].iov_base + offset, part);
        to += part;
        length -= part;
        offset = 0;
    }
}

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

bool number_op(struct endpoint *endpoint, struct op *op) {
    for (uint32_t i = 0; i < endpoint->id_capacity; i++) {
        uint32_t at = (endpoint->id_hint + i) % endpoint->id_capacity;
        if (endpoint->ids[at] == NULL) {
            endpoint->ids[at] = op;
            endpoint->id_hint = at + 1;
            op->id = at + 1;
            return true;
        }
    }
    uint32_t capacity = endpoint->id_capacity == 0 ? 64 : 2 * endpoint->id_capacity;
    struct op **ids = realloc(endpoint->ids, capacity * sizeof *ids);
    if (ids == NULL) {
        return false;
    }
    memset(ids + endpoint->id_capacity, 0, (capacity - endpoint->id_capacity) * sizeof *ids);
    endpoint->ids = ids;
    endpoint->id_hint = endpoint->id_capacity;
    endpoint->id_capacity = capacity;
    return number_op(endpoint, op);
}

struct op *numbered(const struct endpoint *endpoint, uint64_t peer, uint32_t id) {
    struct op *op = id >= 1 && id <= endpoint->id_capacity ? endpoint->ids[id - 1] : NULL;
    return op != NULL && op->peer == peer ? op : NULL;
}
