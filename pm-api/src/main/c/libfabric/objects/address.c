/* From addresses of a vector to peers, and back. */
#include "libfabric/objects/objects.h"

const struct address *av_find(const struct av *av, fi_addr_t address) {
    return av != NULL && address < av->count && av->entries[address].magic == ADDRESS_MAGIC ? &av->entries[address]
                                                                                            : NULL;
}

size_t av_hash(uint64_t peer) {
    peer *= UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(peer ^ peer >> 29);
}

fi_addr_t av_reverse(const struct av *av, uint64_t peer) {
    if (av == NULL || av->index_size == 0) {
        return FI_ADDR_NOTAVAIL;
    }
    for (size_t at = av_hash(peer) & (av->index_size - 1);; at = (at + 1) & (av->index_size - 1)) {
        if (av->index[at] == 0) {
            return FI_ADDR_NOTAVAIL;
        }
        const struct address *address = &av->entries[av->index[at] - 1];
        if (address->magic == ADDRESS_MAGIC && peer_of_address(address) == peer) {
            return av->index[at] - 1;
        }
    }
}
