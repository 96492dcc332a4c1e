/* Atomic operations, as fi_atomic(3) states them: on integers of 8 to 64 bits and all floating and complex types. They
 * are atomic towards each other; a program that changes the same memory itself has to keep out of their way. */
#include "provider.h"

#include <stdlib.h>

static struct endpoint *endpoint_of(struct fid_ep *ep) {
    return OWNER(ep, struct endpoint, fid);
}

enum purpose { BASE, FETCH, COMPARE };

/* ---- What can be done ---- */

size_t datatype_size(enum fi_datatype type) {
    switch (type) {
    case FI_INT8:
    case FI_UINT8: return 1;
    case FI_INT16:
    case FI_UINT16: return 2;
    case FI_INT32:
    case FI_UINT32:
    case FI_FLOAT: return 4;
    case FI_INT64:
    case FI_UINT64:
    case FI_DOUBLE:
    case FI_FLOAT_COMPLEX: return 8;
    case FI_LONG_DOUBLE: return sizeof(long double);
    case FI_DOUBLE_COMPLEX: return 16;
    case FI_LONG_DOUBLE_COMPLEX: return 2 * sizeof(long double);
    default: return 0;
    }
}

static bool is_complex(enum fi_datatype type) {
    return type == FI_FLOAT_COMPLEX || type == FI_DOUBLE_COMPLEX || type == FI_LONG_DOUBLE_COMPLEX;
}

static size_t alignment_of(enum fi_datatype type) {
    return is_complex(type) ? datatype_size(type) / 2 : datatype_size(type);
}

static bool is_compare(enum fi_op op) {
    return op >= FI_CSWAP && op <= FI_MSWAP;
}

static bool is_possible(enum fi_datatype type, enum fi_op op, enum purpose purpose) {
    bool is_float = type == FI_FLOAT || type == FI_DOUBLE || type == FI_LONG_DOUBLE || is_complex(type);
    bool is_bits = (op >= FI_BOR && op <= FI_BAND) || op == FI_BXOR || op == FI_MSWAP;
    bool is_order = op == FI_MIN || op == FI_MAX || (op >= FI_CSWAP_LE && op <= FI_CSWAP_GT);
    if (datatype_size(type) == 0 || op > FI_MSWAP || (is_float && is_bits) || (is_complex(type) && is_order)) {
        return false;
    }
    switch (purpose) {
    case BASE: return op <= FI_ATOMIC_WRITE && op != FI_ATOMIC_READ;
    case FETCH: return op <= FI_ATOMIC_WRITE;
    default: return is_compare(op);
    }
}

/* Elements that fit into a message with all that it needs. */
static size_t max_count(size_t payload, enum fi_datatype type, enum purpose purpose) {
    return (payload - MAX_HEADER) / datatype_size(type) / (purpose == COMPARE ? 2 : 1);
}

/* ---- Arithmetic ---- */

/* What there is of numbers with an order. */
#define ORDER                                                               \
    case FI_CSWAP_LE: now = with <= was ? by : was; break;                  \
    case FI_CSWAP_LT: now = with < was ? by : was; break;                   \
    case FI_CSWAP_GE: now = with >= was ? by : was; break;                  \
    case FI_CSWAP_GT: now = with > was ? by : was; break;                   \
    case FI_MIN: now = by < was ? by : was; break;                          \
    case FI_MAX: now = by > was ? by : was; break;
#define NO_ORDER

/* Sums and products of integers wrap, so they are made of unsigned ones. */
#define APPLY(name, type, wide, COMPARES, BITS)                                                                   \
    static void apply_##name(enum fi_op op, uint8_t *at, const uint8_t *operand, const uint8_t *compare,          \
                             uint8_t *before) {                                                                   \
        type was, by, with = 0, now;                                                                              \
        memcpy(&was, at, sizeof was);                                                                             \
        memcpy(&by, operand, sizeof by);                                                                          \
        if (compare != NULL) {                                                                                    \
            memcpy(&with, compare, sizeof with);                                                                  \
        }                                                                                                         \
        now = was;                                                                                                \
        switch (op) {                                                                                             \
        case FI_ATOMIC_READ: break;                                                                               \
        case FI_ATOMIC_WRITE: now = by; break;                                                                    \
        case FI_CSWAP: now = with == was ? by : was; break;                                                       \
        case FI_CSWAP_NE: now = with != was ? by : was; break;                                                    \
        case FI_LOR: now = was != 0 || by != 0; break;                                                            \
        case FI_LAND: now = was != 0 && by != 0; break;                                                           \
        case FI_LXOR: now = (was != 0) != (by != 0); break;                                                       \
            COMPARES                                                                                              \
        case FI_SUM: now = (type)((wide)was + (wide)by); break;                                                   \
        case FI_PROD: now = (type)((wide)was * (wide)by); break;                                                  \
            BITS(type)                                                                                            \
        default: break;                                                                                           \
        }                                                                                                         \
        memcpy(at, &now, sizeof now);                                                                             \
        memcpy(before, &was, sizeof was);                                                                         \
    }

#define INTEGER(type)                                                       \
    case FI_BOR: now = (type)(was | by); break;                             \
    case FI_BAND: now = (type)(was & by); break;                            \
    case FI_BXOR: now = (type)(was ^ by); break;                            \
    case FI_MSWAP: now = (type)((by & with) | (was & ~with)); break;
#define FLOATING(type)

APPLY(int8, int8_t, uint64_t, ORDER, INTEGER)
APPLY(uint8, uint8_t, uint64_t, ORDER, INTEGER)
APPLY(int16, int16_t, uint64_t, ORDER, INTEGER)
APPLY(uint16, uint16_t, uint64_t, ORDER, INTEGER)
APPLY(int32, int32_t, uint64_t, ORDER, INTEGER)
APPLY(uint32, uint32_t, uint64_t, ORDER, INTEGER)
APPLY(int64, int64_t, uint64_t, ORDER, INTEGER)
APPLY(uint64, uint64_t, uint64_t, ORDER, INTEGER)
APPLY(float, float, float, ORDER, FLOATING)
APPLY(double, double, double, ORDER, FLOATING)
APPLY(long_double, long double, long double, ORDER, FLOATING)
APPLY(float_complex, float _Complex, float _Complex, NO_ORDER, FLOATING)
APPLY(double_complex, double _Complex, double _Complex, NO_ORDER, FLOATING)
APPLY(long_double_complex, long double _Complex, long double _Complex, NO_ORDER, FLOATING)

typedef void (*apply_function)(enum fi_op op, uint8_t *at, const uint8_t *operand, const uint8_t *compare,
                               uint8_t *before);

static apply_function function_of(enum fi_datatype type) {
    switch (type) {
    case FI_INT8: return apply_int8;
    case FI_UINT8: return apply_uint8;
    case FI_INT16: return apply_int16;
    case FI_UINT16: return apply_uint16;
    case FI_INT32: return apply_int32;
    case FI_UINT32: return apply_uint32;
    case FI_INT64: return apply_int64;
    case FI_UINT64: return apply_uint64;
    case FI_FLOAT: return apply_float;
    case FI_DOUBLE: return apply_double;
    case FI_LONG_DOUBLE: return apply_long_double;
    case FI_FLOAT_COMPLEX: return apply_float_complex;
    case FI_DOUBLE_COMPLEX: return apply_double_complex;
    default: return apply_long_double_complex;
    }
}

/* ---- Calls of programs ---- */

/* What a call does, as it is sent: type, operation, purpose, and the number of elements. */
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
    if (!is_possible(call->type, call->op, call->purpose)) {
        return -FI_EOPNOTSUPP;
    }
    if (call->parts > IOV_LIMIT || call->compare_parts > IOV_LIMIT || call->result_parts > IOV_LIMIT) {
        return -FI_EINVAL;
    }
    size_t size = datatype_size(call->type);
    size_t count = is_read ? elements_in(call->result, call->result_parts) : elements_in(call->iov, call->parts);
    if (count == 0 || count > max_count(endpoint->max_payload, call->type, call->purpose)
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
    if (!is_possible(type, op, purpose)) {
        return -FI_EOPNOTSUPP;
    }
    if (count != NULL) {
        *count = max_count(endpoint_of(ep)->max_payload, type, purpose);
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
    if (!is_possible(type, op, purpose)) {
        return -FI_EOPNOTSUPP;
    }
    attr->size = datatype_size(type);
    attr->count = max_count((size_t)hxb_mtu(OWNER(domain, struct domain, fid)->device), type, purpose);
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

/* ---- What peers ask for ---- */

/* The answer with what was there before; NULL if there is no memory. */
static struct op *answer_of(const struct arrival *arrival, size_t bytes) {
    struct op *op = op_new();
    if (op == NULL || (op->copy = malloc(bytes)) == NULL) {
        free(op);
        return NULL;
    }
    op->kind = RESULT;
    op->is_answer = true;
    op->peer = arrival->peer;
    op->answered = arrival->header.id;
    op->length = bytes;
    op->iov[0] = (struct iovec){op->copy, bytes};
    return op;
}

const char *on_atomic(struct endpoint *endpoint, const struct arrival *arrival) {
    uint64_t shape = arrival->own[1];
    enum fi_datatype type = (enum fi_datatype)(shape & 0xff);
    enum fi_op op = (enum fi_op)(shape >> 8 & 0xff);
    enum purpose purpose = (enum purpose)(shape >> 16 & 0xff);
    size_t count = shape >> 32;
    if (purpose > COMPARE || !is_possible(type, op, purpose) || count == 0
        || count > max_count(endpoint->max_payload, type, purpose)
        || arrival->count != count * datatype_size(type) * (purpose == COMPARE ? 2 : 1)) {
        return "an atomic operation that there is not";
    }
    size_t size = datatype_size(type);
    uint64_t access = purpose == BASE           ? FI_REMOTE_WRITE
                      : op == FI_ATOMIC_READ ? FI_REMOTE_READ
                                             : FI_REMOTE_READ | FI_REMOTE_WRITE;
    struct mr *mr;
    uint8_t *at;
    int error = find_memory(endpoint->domain, arrival->own[0], arrival->header.value, count * size, access, &mr, &at);
    if (error == 0 && (uintptr_t)at % alignment_of(type) != 0) {
        error = FI_EINVAL;
    }
    if (error != 0) {
        send_answer(endpoint, FAILED, arrival->peer, arrival->header.id, (uint64_t)error);
        return NULL;
    }
    struct op *answer = answer_of(arrival, count * size);
    if (answer == NULL) {
        return "more than there is memory for";
    }
    apply_function apply = function_of(type);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *operand = arrival->bytes + i * size;
        apply(op, at + i * size, operand, purpose == COMPARE ? operand + count * size : NULL, answer->copy + i * size);
    }
    struct cntr *cntr = purpose == BASE ? endpoint->remote_write_cntr : endpoint->remote_read_cntr;
    if (cntr != NULL) {
        cntr_count(cntr, false);
    }
    if (purpose == BASE) {
        op_free(answer);
        send_answer(endpoint, PLACED, arrival->peer, arrival->header.id, 0);
    } else {
        send_later(endpoint, answer);
    }
    return NULL;
}

const char *on_result(struct endpoint *endpoint, const struct arrival *arrival) {
    struct op *op = numbered(endpoint, arrival->peer, arrival->header.id);
    if (op == NULL || op->kind != ATOMIC || (op->flags & FI_READ) == 0) {
        return "a result that nobody asked for";
    }
    const uint8_t *from = arrival->bytes;
    size_t left = arrival->count;
    for (int i = 0; i < IOV_LIMIT; i++) {
        size_t part = op->result[i].iov_len < left ? op->result[i].iov_len : left;
        if (part > 0) {
            memcpy(op->result[i].iov_base, from, part);
        }
        from += part;
        left -= part;
    }
    finish_send(endpoint, op, 0, 0);
    return NULL;
}
