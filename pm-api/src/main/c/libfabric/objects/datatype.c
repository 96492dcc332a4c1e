/* Types of elements, and which atomic operations there are of them. */
#include "libfabric/objects/objects.h"

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

size_t datatype_alignment(enum fi_datatype type) {
    return is_complex(type) ? datatype_size(type) / 2 : datatype_size(type);
}

static bool is_compare(enum fi_op op) {
    return op >= FI_CSWAP && op <= FI_MSWAP;
}

bool atomic_is_possible(enum fi_datatype type, enum fi_op op, enum purpose purpose) {
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
size_t atomic_max_count(size_t payload, enum fi_datatype type, enum purpose purpose) {
    return (payload - MAX_HEADER) / datatype_size(type) / (purpose == COMPARE ? 2 : 1);
}
