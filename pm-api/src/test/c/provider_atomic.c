/* Atomic operations, compared with the same in plain C. */
#include "provider.h"

#include <float.h>
#include <stddef.h>

enum { KEY = 99, PLACE = 16 /* of the numbers in the memory */, LONGEST = 70000 /* elements */ };

enum purpose { BASE, FETCH, COMPARE };

static struct {
    struct fid_mr *mr;
    uint8_t *bytes;
} shared;

/* ---- Plain C ---- */

#define COMMON(T)                                                   \
    case FI_LOR: *at = (T)(*at != 0 || by != 0); break;             \
    case FI_LAND: *at = (T)(*at != 0 && by != 0); break;            \
    case FI_LXOR: *at = (T)((*at != 0) ^ (by != 0)); break;         \
    case FI_ATOMIC_READ: break;                                     \
    case FI_ATOMIC_WRITE: *at = by; break;                          \
    case FI_CSWAP: if (with == *at) { *at = by; } break;            \
    case FI_CSWAP_NE: if (with != *at) { *at = by; } break;
#define ORDER                                                       \
    case FI_MIN: *at = *at < by ? *at : by; break;                  \
    case FI_MAX: *at = *at > by ? *at : by; break;                  \
    case FI_CSWAP_LE: if (with <= *at) { *at = by; } break;         \
    case FI_CSWAP_LT: if (with < *at) { *at = by; } break;          \
    case FI_CSWAP_GE: if (with >= *at) { *at = by; } break;         \
    case FI_CSWAP_GT: if (with > *at) { *at = by; } break;
#define NO_ORDER

#define MODEL(name, T, SUM, PROD, COMPARES, BITS)                                            \
    static void model_##name(enum fi_op op, void *to, const void *operand, const void *compare) { \
        T *at = to, by = *(const T *)operand, with = *(const T *)compare;                    \
        switch (op) {                                                                        \
            COMMON(T)                                                                        \
            COMPARES                                                                         \
            BITS(T)                                                                          \
        case FI_SUM: *at = SUM; break;                                                       \
        case FI_PROD: *at = PROD; break;                                                     \
        default: FAIL("no model of operation %d", op);                                       \
        }                                                                                    \
    }

#define BITS(T)                                                     \
    case FI_BOR: *at = (T)(*at | by); break;                        \
    case FI_BAND: *at = (T)(*at & by); break;                       \
    case FI_BXOR: *at = (T)(*at ^ by); break;                       \
    case FI_MSWAP: *at = (T)((by & with) | (*at & ~with)); break;
#define NO_BITS(T)
#define INTEGER(name, T) \
    MODEL(name, T, (T)((uint64_t)*at + (uint64_t)by), (T)((uint64_t)*at * (uint64_t)by), ORDER, BITS)

INTEGER(int8, int8_t)
INTEGER(uint8, uint8_t)
INTEGER(int16, int16_t)
INTEGER(uint16, uint16_t)
INTEGER(int32, int32_t)
INTEGER(uint32, uint32_t)
INTEGER(int64, int64_t)
INTEGER(uint64, uint64_t)
#define FLOATING(name, T, COMPARES) MODEL(name, T, *at + by, *at *by, COMPARES, NO_BITS)
FLOATING(float, float, ORDER)
FLOATING(double, double, ORDER)
FLOATING(long_double, long double, ORDER)
FLOATING(float_complex, float _Complex, NO_ORDER)
FLOATING(double_complex, double _Complex, NO_ORDER)
FLOATING(long_double_complex, long double _Complex, NO_ORDER)

static const struct {
    size_t size;
    void (*apply)(enum fi_op op, void *to, const void *operand, const void *compare);
} types[FI_DATATYPE_LAST] = {
    [FI_INT8] = {1, model_int8},     [FI_UINT8] = {1, model_uint8},   [FI_INT16] = {2, model_int16},
    [FI_UINT16] = {2, model_uint16}, [FI_INT32] = {4, model_int32},   [FI_UINT32] = {4, model_uint32},
    [FI_INT64] = {8, model_int64},   [FI_UINT64] = {8, model_uint64}, [FI_FLOAT] = {4, model_float},
    [FI_DOUBLE] = {8, model_double},
    [FI_LONG_DOUBLE] = {sizeof(long double), model_long_double},
    [FI_FLOAT_COMPLEX] = {8, model_float_complex},
    [FI_DOUBLE_COMPLEX] = {16, model_double_complex},
    [FI_LONG_DOUBLE_COMPLEX] = {2 * sizeof(long double), model_long_double_complex}};

/* Small numbers, so that some are equal, and large ones; of floats only what is finite. */
static void draw(enum fi_datatype type, void *to, size_t count, uint64_t *state) {
    for (size_t i = 0; i < count; i++) {
        uint64_t random = next_random(state);
        uint64_t value = random % 3 == 0 ? random >> 8 : random >> 8 & 3;
        uint64_t other = next_random(state) >> 8 & 3; /* imaginary part */
        double real = (double)(int32_t)value / 8;
        uint8_t *at = (uint8_t *)to + i * types[type].size;
        switch (type) {
        case FI_FLOAT: memcpy(at, &(float){(float)real}, sizeof(float)); break;
        case FI_DOUBLE: memcpy(at, &real, sizeof real); break;
        case FI_LONG_DOUBLE: memcpy(at, &(long double){real}, sizeof(long double)); break;
        case FI_FLOAT_COMPLEX: memcpy(at, (float[]){(float)real, (float)other}, 2 * sizeof(float)); break;
        case FI_DOUBLE_COMPLEX: memcpy(at, (double[]){real, (double)other}, 2 * sizeof(double)); break;
        case FI_LONG_DOUBLE_COMPLEX:
            memcpy(at, (long double[]){real, (long double)other}, 2 * sizeof(long double));
            break;
        default: memcpy(at, &value, types[type].size);
        }
    }
}

/* A long double of this machine has bytes without a meaning, which an assignment need not copy. */
static bool is_same(enum fi_datatype type, const uint8_t *found, const void *wanted, size_t bytes) {
    bool is_long = type == FI_LONG_DOUBLE || type == FI_LONG_DOUBLE_COMPLEX;
    const uint8_t *expected_bytes = wanted;
    for (size_t i = 0; i < bytes; i++) {
        bool is_padding = is_long && sizeof(long double) == 16 && LDBL_MANT_DIG == 64 && i % 16 >= 10;
        if (!is_padding && found[i] != expected_bytes[i]) {
            return false;
        }
    }
    return true;
}

/* ---- Operations ---- */

static _Alignas(max_align_t) uint64_t operands[LONGEST], compares[LONGEST], results[LONGEST], expected[LONGEST],
    before[LONGEST];

static uint64_t address_of(size_t offset) {
    return (here.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0 ? (uintptr_t)shared.bytes + offset : offset;
}

static ssize_t post(enum purpose purpose, enum fi_datatype type, enum fi_op op, size_t count, int way) {
    uint64_t at = address_of(PLACE), key = fi_mr_key(shared.mr);
    bool is_read = op == FI_ATOMIC_READ;
    size_t half = count / 2, size = (int)type < (int)FI_DATATYPE_LAST ? types[type].size : 1;
    struct fi_ioc from[2] = {{operands, half}, {(uint8_t *)operands + half * size, count - half}};
    struct fi_ioc with[2] = {{compares, half}, {(uint8_t *)compares + half * size, count - half}};
    struct fi_ioc to[2] = {{results, half}, {(uint8_t *)results + half * size, count - half}};
    struct fi_rma_ioc range = {at, count, key};
    struct fi_msg_atomic msg = {.msg_iov = from, .iov_count = is_read ? 0 : 2, .addr = here.peer, .rma_iov = &range,
                                .rma_iov_count = 1, .datatype = type, .op = op, .context = results};
    switch (purpose) {
    case BASE:
        return way == 0   ? fi_atomic(here.ep, operands, count, NULL, here.peer, at, key, type, op, results)
               : way == 1 ? fi_atomicv(here.ep, from, NULL, 2, here.peer, at, key, type, op, results)
                          : fi_atomicmsg(here.ep, &msg, FI_INJECT);
    case FETCH:
        return way == 0   ? fi_fetch_atomic(here.ep, is_read ? NULL : operands, count, NULL, results, NULL, here.peer,
                                            at, key, type, op, results)
               : way == 1 ? fi_fetch_atomicv(here.ep, is_read ? NULL : from, NULL, is_read ? 0 : 2, to, NULL, 2,
                                             here.peer, at, key, type, op, results)
                          : fi_fetch_atomicmsg(here.ep, &msg, to, NULL, 2, 0);
    default:
        return way == 0   ? fi_compare_atomic(here.ep, operands, count, NULL, compares, NULL, results, NULL, here.peer,
                                              at, key, type, op, results)
               : way == 1 ? fi_compare_atomicv(here.ep, from, NULL, 2, with, NULL, 2, to, NULL, 2, here.peer, at, key,
                                               type, op, results)
                          : fi_compare_atomicmsg(here.ep, &msg, with, NULL, 2, to, NULL, 2, 0);
    }
}

static void apply(enum purpose purpose, enum fi_datatype type, enum fi_op op, size_t count, int way) {
    static uint64_t state = 4711;
    size_t size = types[type].size;
    draw(type, operands, count, &state);
    draw(type, compares, count, &state);
    draw(type, before, count, &state);
    memset(shared.bytes, 0xA5, 2 * PLACE + count * size);
    memcpy(shared.bytes + PLACE, before, count * size);
    memcpy(expected, before, count * size);
    for (size_t i = 0; i < count; i++) {
        types[type].apply(op, (uint8_t *)expected + i * size, (uint8_t *)operands + i * size,
                          (uint8_t *)compares + i * size);
    }
    memset(results, 0, count * size);
    EXPECT(0, post(purpose, type, op, count, way));
    EXPECT(FI_ATOMIC | (purpose == BASE ? FI_WRITE : FI_READ), take_of(here.tx, results).flags);
    if (!is_same(type, shared.bytes + PLACE, expected, count * size)) {
        FAIL("purpose %d, type %d, operation %d, count %zu: the memory is wrong", purpose, type, op, count);
    }
    if (purpose != BASE && !is_same(type, (uint8_t *)results, before, count * size)) {
        FAIL("purpose %d, type %d, operation %d, count %zu: the result is wrong", purpose, type, op, count);
    }
    for (size_t i = 0; i < PLACE; i++) {
        CHECK(shared.bytes[i] == 0xA5 && shared.bytes[PLACE + count * size + i] == 0xA5);
    }
}

static int valid(enum purpose purpose, enum fi_datatype type, enum fi_op op, size_t *count) {
    return purpose == BASE    ? fi_atomicvalid(here.ep, type, op, count)
           : purpose == FETCH ? fi_fetch_atomicvalid(here.ep, type, op, count)
                              : fi_compare_atomicvalid(here.ep, type, op, count);
}

/* All that is offered works; all else is refused. */
static int apply_all(enum purpose purpose) {
    const uint64_t flags[] = {0, FI_FETCH_ATOMIC, FI_COMPARE_ATOMIC};
    int offered = 0;
    for (int type = 0; type <= FI_DATATYPE_LAST; type++) {
        for (int op = 0; op <= FI_ATOMIC_OP_LAST; op++) {
            struct fi_atomic_attr attr = {0};
            size_t count = 0;
            int answer = fi_query_atomic(here.domain, (enum fi_datatype)type, (enum fi_op)op, &attr, flags[purpose]);
            EXPECT(answer, valid(purpose, (enum fi_datatype)type, (enum fi_op)op, &count));
            if (answer != 0) {
                EXPECT(-FI_EOPNOTSUPP, answer);
                EXPECT(-FI_EOPNOTSUPP, post(purpose, (enum fi_datatype)type, (enum fi_op)op, 1, 0));
                continue;
            }
            offered++;
            CHECK(type < FI_DATATYPE_LAST && types[type].size > 0);
            EXPECT(types[type].size, attr.size);
            EXPECT(attr.count, count);
            CHECK(count >= 16 && count <= LONGEST);
            for (int way = 0; way < 3; way++) {
                apply(purpose, (enum fi_datatype)type, (enum fi_op)op, way == 0 ? 1 : 7, way);
            }
            apply(purpose, (enum fi_datatype)type, (enum fi_op)op, count, 0);
            CHECK(post(purpose, (enum fi_datatype)type, (enum fi_op)op, 0, 0) < 0);
            CHECK(post(purpose, (enum fi_datatype)type, (enum fi_op)op, count + 1, 0) < 0);
        }
    }
    return offered;
}

static int error_of_add(uint64_t address, uint64_t key, bool is_fetch) {
    EXPECT(0, is_fetch ? fi_fetch_atomic(here.ep, operands, 1, NULL, results, NULL, here.peer, address, key,
                                         FI_UINT64, FI_SUM, results)
                       : fi_atomic(here.ep, operands, 1, NULL, here.peer, address, key, FI_UINT64, FI_SUM, results));
    struct fi_cq_err_entry error = take_error(here.tx);
    CHECK(error.op_context == results);
    return error.err;
}

static void refuse(void) {
    uint64_t memory[2] = {1, 2};
    struct fid_mr *source, *target;
    EXPECT(0, fi_mr_reg(there.domain, memory, sizeof memory, FI_REMOTE_READ, 0, KEY + 1, 0, &source, NULL));
    EXPECT(0, fi_mr_reg(there.domain, memory, sizeof memory, FI_REMOTE_WRITE, 0, KEY + 2, 0, &target, NULL));
    for (int is_fetch = 0; is_fetch <= 1; is_fetch++) {
        EXPECT(FI_ENOKEY, error_of_add(0, KEY + 3, is_fetch));
        EXPECT(FI_EINVAL, error_of_add(16, KEY + 2, is_fetch));
        EXPECT(FI_EINVAL, error_of_add(12, KEY + 2, is_fetch));
        EXPECT(FI_EACCES, error_of_add(0, KEY + 1, is_fetch));
        EXPECT(FI_EINVAL, error_of_add((uint64_t)-8, KEY + 2, is_fetch));
    }
    EXPECT(FI_EACCES, error_of_add(0, KEY + 2, true));
    EXPECT(FI_EINVAL, error_of_add(4, KEY + 2, false)); /* not at a multiple of the size */
    CHECK(memory[0] == 1 && memory[1] == 2);
    operands[0] = 5;
    EXPECT(0, fi_atomic(here.ep, operands, 1, NULL, here.peer, 8, KEY + 2, FI_UINT64, FI_SUM, results));
    take_of(here.tx, results);
    EXPECT(7, memory[1]);
    EXPECT(0, fi_close(&source->fid));
    EXPECT(0, fi_close(&target->fid));
}

/* Two endpoints change the same number many times, each with calls that have no completion as well. */
static void add_together(void) {
    struct side third;
    open_side(&third, sockets[0], &(struct options){.has_cntrs = true});
    third.peer = insert(&third, &there);
    uint64_t one = 1, key = fi_mr_key(shared.mr);
    memset(shared.bytes, 0, 16);
    struct side *sides[] = {&here, &third};
    uint64_t done[2];
    for (int i = 0; i < 2; i++) {
        done[i] = fi_cntr_read(sides[i]->cntrs[CNTR_WRITE]);
    }
    for (int i = 0; i < 600; i++) {
        struct side *side = sides[i % 2];
        POST(i % 3 == 0 ? fi_atomic(side->ep, &one, 1, NULL, side->peer, 8, key, FI_UINT64, FI_SUM, NULL)
                        : fi_inject_atomic(side->ep, &one, 1, side->peer, 8, key, FI_UINT64, FI_SUM));
    }
    for (int i = 0; i < 2; i++) {
        AWAIT(fi_cntr_read(sides[i]->cntrs[CNTR_WRITE]) == done[i] + 300);
        for (int j = 0; j < 100; j++) {
            take(sides[i]->tx);
        }
        expect_nothing(sides[i]->tx);
    }
    uint64_t sum;
    memcpy(&sum, shared.bytes + 8, sizeof sum);
    EXPECT(600, sum);
    close_side(&third);
}

void atomic(char **arguments) {
    (void)arguments;
    open_pair(&(struct options){.has_cntrs = true});
    shared.bytes = calloc(1, 8 * LONGEST + 2 * PLACE);
    EXPECT(0, fi_mr_reg(there.domain, shared.bytes, 8 * LONGEST + 2 * PLACE, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, KEY, 0,
                        &shared.mr, NULL));
    CHECK(apply_all(BASE) > 60);
    CHECK(apply_all(FETCH) > 60);
    CHECK(apply_all(COMPARE) > 60);
    add_together();
    refuse();
    EXPECT(0, fi_close(&shared.mr->fid));
    free(shared.bytes);
    close_pair();
}
