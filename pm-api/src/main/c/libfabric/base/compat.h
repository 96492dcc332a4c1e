/* Differences between the headers of libfabric 1.17 to 2.x. The provider is compiled for the libfabric of its machine
 * and declares that version of the API. It serves programs of older versions, too, and works with later libraries,
 * which keep the structures of earlier ones. */
#ifndef HXB_COMPAT_H
#define HXB_COMPAT_H

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <stddef.h>

#define HEADER_VERSION FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION)

#if FI_MAJOR_VERSION < 1 || (FI_MAJOR_VERSION == 1 && FI_MINOR_VERSION < 17)
#error "libfabric 1.17 or later is needed"
#endif

/* Bits that 1.22 has left out of its headers, and programs compiled with earlier ones may set. */
#ifndef FI_PRIORITY
#define FI_PRIORITY (1ULL << 22)
#endif
#ifndef FI_PROV_SPECIFIC
#define FI_PROV_SPECIFIC (1U << 31)
#endif

/* A capability that 2.0 has left out: it is 0 in its header. */
#define VARIABLE_MSG (1ULL << 48)

/* Names that 2.0 warns of. */
#define MR_UNSPEC 0
#define MR_BASIC (1 << 0)
#define MR_SCALABLE (1 << 1)
#define ORDER_NONE 0

/* An error entry ended with err_data before version 1.5 of the API, and with err_data_size before 1.20. */
static inline size_t error_entry_size(uint32_t api_version) {
    if (FI_VERSION_LT(api_version, FI_VERSION(1, 5))) {
        return offsetof(struct fi_cq_err_entry, err_data_size);
    }
    size_t before_source = offsetof(struct fi_cq_err_entry, err_data_size) + sizeof(size_t);
    return FI_VERSION_LT(api_version, FI_VERSION(1, 20)) ? before_source : sizeof(struct fi_cq_err_entry);
}

static inline void set_error_source(struct fi_cq_err_entry *entry, fi_addr_t source) {
#if FI_MAJOR_VERSION > 1 || FI_MINOR_VERSION >= 20
    entry->src_addr = source;
#else
    (void)entry, (void)source;
#endif
}

#endif
