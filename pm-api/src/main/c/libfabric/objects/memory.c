/* Memory that peers may use, by its keys. */
#include "libfabric/objects/objects.h"

struct link *memory_bucket(struct domain *domain, uint64_t key) {
    return &domain->registrations[key * UINT64_C(0x9E3779B97F4A7C15) >> 56];
}

struct mr *memory_of_key(struct domain *domain, uint64_t key) {
    struct link *bucket = memory_bucket(domain, key);
    for (struct link *at = bucket->next; at != bucket; at = at->next) {
        struct mr *mr = OWNER(at, struct mr, link);
        if (mr->fid.key == key) {
            return mr;
        }
    }
    return NULL;
}

int find_memory(struct domain *domain, uint64_t key, uint64_t address, uint64_t length, uint64_t access,
                struct mr **mr, uint8_t **bytes) {
    struct mr *found = memory_of_key(domain, key);
    *mr = NULL;
    *bytes = NULL;
    if (found == NULL) {
        return FI_ENOKEY;
    }
    uint64_t offset = (domain->mr_mode & FI_MR_VIRT_ADDR) != 0 ? address - (uintptr_t)found->base : address;
    if (offset > found->length || length > found->length - offset) {
        return FI_EINVAL;
    }
    if ((found->access & access) != access) {
        return FI_EACCES;
    }
    *mr = found;
    *bytes = found->base + offset;
    return 0;
}
