/* Atomic operations that peers ask for, and their answers: on integers of 8 to 64 bits and all floating and complex
 * types. They are atomic towards each other; a program that changes the same memory itself has to keep out of their
 * way. */
#include "libfabric/messages/messages.h"

#include <stdlib.h>

/* ---- Arithmetic ---- */

/* Operations on numbers with an order. */
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
    if (purpose > COMPARE || !atomic_is_possible(type, op, purpose) || count == 0
        || count > atomic_max_count(endpoint->max_payload, type, purpose)
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
    if (error == 0 && (uintptr_t)at % datatype_alignment(type) != 0) {
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
