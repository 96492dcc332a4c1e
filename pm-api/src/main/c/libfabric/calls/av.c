/* Address vectors: a table of the addresses of peers, and which of them a context of a node is. */
#include "libfabric/calls/calls.h"

#include <stdio.h>
#include <stdlib.h>

static struct av *av_of(struct fid_av *fid) {
    return OWNER(fid, struct av, fid);
}

static void index_add(struct av *av, size_t entry) {
    const struct address *address = &av->entries[entry];
    size_t at = av_hash(peer_of_address(address)) & (av->index_size - 1);
    while (av->index[at] != 0) {
        at = (at + 1) & (av->index_size - 1);
    }
    av->index[at] = (uint32_t)entry + 1;
    av->index_used++;
}

static void fill_index(struct av *av) {
    memset(av->index, 0, av->index_size * sizeof *av->index);
    av->index_used = 0;
    for (size_t i = 0; i < av->count; i++) {
        if (av->entries[i].magic == ADDRESS_MAGIC) {
            index_add(av, i);
        }
    }
}

static int grow(struct av *av) {
    size_t capacity = av->capacity == 0 ? 64 : 2 * av->capacity;
    struct address *entries = realloc(av->entries, capacity * sizeof *entries);
    if (entries == NULL) {
        return -FI_ENOMEM;
    }
    av->entries = entries;
    uint32_t *index = malloc(4 * capacity * sizeof *index);
    if (index == NULL) {
        return -FI_ENOMEM;
    }
    free(av->index);
    av->index = index;
    av->index_size = 4 * capacity;
    av->capacity = capacity;
    fill_index(av);
    return 0;
}

/* An entry for one more address; negative if there is no memory. Entries that were removed are used again, and their
 * places in the index when it is half full. */
static int64_t new_entry(struct av *av) {
    if (av->removed >= 0) {
        int64_t entry = av->removed;
        av->removed = av->entries[entry].node;
        return entry;
    }
    int error = av->count == av->capacity ? grow(av) : 0;
    return error == 0 ? (int64_t)av->count++ : error;
}

static int insert(struct fid_av *fid, const void *addresses, size_t count, fi_addr_t *result, uint64_t flags,
                  void *context) {
    struct av *av = av_of(fid);
    int *errors = (flags & FI_SYNC_ERR) != 0 ? context : NULL;
    int inserted = 0;
    pthread_mutex_lock(&av->domain->lock);
    for (size_t i = 0; i < count; i++) {
        struct address address;
        memcpy(&address, (const char *)addresses + i * sizeof address, sizeof address);
        int error = address.magic != ADDRESS_MAGIC || address.node < 0
                            || address.node >= hxb_node_count(av->domain->device) || address.context < 0
                            || address.context >= hxb_context_count(av->domain->device)
                        ? -FI_EINVAL
                        : 0;
        int64_t entry = error == 0 ? new_entry(av) : error;
        if (entry >= 0) {
            av->entries[entry] = address;
            if (2 * av->index_used >= av->index_size) {
                fill_index(av);
            } else {
                index_add(av, (size_t)entry);
            }
            inserted++;
        } else {
            error = (int)entry;
        }
        if (result != NULL) {
            result[i] = error == 0 ? (fi_addr_t)entry : FI_ADDR_NOTAVAIL;
        }
        if (errors != NULL) {
            errors[i] = -error;
        }
    }
    pthread_mutex_unlock(&av->domain->lock);
    return inserted;
}

static int remove_addresses(struct fid_av *fid, fi_addr_t *addresses, size_t count, uint64_t flags) {
    struct av *av = av_of(fid);
    (void)flags;
    int result = 0;
    pthread_mutex_lock(&av->domain->lock);
    for (size_t i = 0; i < count; i++) {
        if (av_find(av, addresses[i]) == NULL) {
            result = -FI_EINVAL;
        } else {
            av->entries[addresses[i]] = (struct address){.node = av->removed};
            av->removed = (int32_t)addresses[i];
        }
    }
    pthread_mutex_unlock(&av->domain->lock);
    return result;
}

static int lookup(struct fid_av *fid, fi_addr_t index, void *address, size_t *length) {
    struct av *av = av_of(fid);
    pthread_mutex_lock(&av->domain->lock);
    const struct address *found = av_find(av, index);
    if (found != NULL) {
        memcpy(address, found, *length < sizeof *found ? *length : sizeof *found);
        *length = sizeof *found;
    }
    pthread_mutex_unlock(&av->domain->lock);
    return found != NULL ? 0 : -FI_EINVAL;
}

static const char *straddr(struct fid_av *fid, const void *bytes, char *text, size_t *length) {
    (void)fid;
    struct address address;
    memcpy(&address, bytes, sizeof address);
    int written = snprintf(text, *length, "hxb://%d/%d/%08x", address.node, address.context, address.incarnation);
    *length = (size_t)written + 1;
    return text;
}

static int insertsvc(struct fid_av *fid, const char *node, const char *service, fi_addr_t *result, uint64_t flags,
                     void *context) {
    (void)fid, (void)node, (void)service, (void)result, (void)flags, (void)context;
    return -FI_ENOSYS;
}

static int insertsym(struct fid_av *fid, const char *node, size_t nodes, const char *service, size_t services,
                     fi_addr_t *result, uint64_t flags, void *context) {
    (void)fid, (void)node, (void)nodes, (void)service, (void)services, (void)result, (void)flags, (void)context;
    return -FI_ENOSYS;
}

static int av_close(struct fid *fid) {
    struct av *av = OWNER(fid, struct av, fid.fid);
    if (av->users > 0) {
        return -FI_EBUSY;
    }
    domain_release(av->domain);
    free(av->entries);
    free(av->index);
    free(av);
    return 0;
}

static int av_bind(struct fid *fid, struct fid *other, uint64_t flags) {
    (void)fid, (void)other, (void)flags;
    return -FI_ENOSYS;
}

int hxb_av_open(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **result, void *context) {
    static struct fi_ops fid_ops = {.size = sizeof fid_ops, .close = av_close, .ops_open = no_ops_open,
                                    .bind = av_bind};
    static struct fi_ops_av ops = {.size = sizeof ops,
                                   .insert = insert,
                                   .insertsvc = insertsvc,
                                   .insertsym = insertsym,
                                   .remove = remove_addresses,
                                   .lookup = lookup,
                                   .straddr = straddr,
                                   .av_set = hxb_av_set_open};
    if (attr != NULL && (attr->name != NULL || (attr->flags & FI_EVENT) != 0)) {
        return -FI_ENOSYS;
    }
    struct av *av = calloc(1, sizeof *av);
    if (av == NULL) {
        return -FI_ENOMEM;
    }
    av->removed = -1;
    av->domain = OWNER(domain, struct domain, fid);
    domain_hold(av->domain);
    av->fid.fid.fclass = FI_CLASS_AV;
    av->fid.fid.context = context;
    av->fid.fid.ops = &fid_ops;
    av->fid.ops = &ops;
    if (attr != NULL && attr->type == FI_AV_UNSPEC) {
        attr->type = FI_AV_TABLE;
    }
    *result = &av->fid;
    return 0;
}
