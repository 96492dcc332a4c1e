/* Sets of addresses: the members of a group to be, in the order of their ranks, as fi_av_set(3) states them. */
#include "libfabric/calls/calls.h"

#include <stdlib.h>

#define SUPPORTED (FI_UNIVERSE | FI_BARRIER_SET | FI_BROADCAST_SET | FI_ALLREDUCE_SET)

static struct av_set *set_of(struct fid_av_set *fid) {
    return OWNER(fid, struct av_set, fid);
}

static const struct av_set *other_of(const struct fid_av_set *fid) {
    return OWNER(fid, const struct av_set, fid);
}

/* Where an address is; `count` if it is not a member. */
static size_t index_of(const struct av_set *set, fi_addr_t address) {
    size_t at = 0;
    while (at < set->count && set->members[at] != address) {
        at++;
    }
    return at;
}

static int add(struct av_set *set, fi_addr_t address) {
    if (set->count == set->capacity) {
        size_t capacity = set->capacity == 0 ? 16 : 2 * set->capacity;
        fi_addr_t *members = realloc(set->members, capacity * sizeof *members);
        if (members == NULL) {
            return -FI_ENOMEM;
        }
        set->members = members;
        set->capacity = capacity;
    }
    set->members[set->count++] = address;
    return 0;
}

static void remove_at(struct av_set *set, size_t index) {
    set->count--;
    memmove(&set->members[index], &set->members[index + 1], (set->count - index) * sizeof *set->members);
}

/* ---- Calls ---- */

static int set_union(struct fid_av_set *to, const struct fid_av_set *from) {
    struct av_set *set = set_of(to);
    const struct av_set *other = other_of(from);
    int result = set->av == other->av ? 0 : -FI_EINVAL;
    pthread_mutex_lock(&set->av->domain->lock);
    for (size_t i = 0; i < other->count && result == 0; i++) {
        if (index_of(set, other->members[i]) == set->count) {
            result = add(set, other->members[i]);
        }
    }
    pthread_mutex_unlock(&set->av->domain->lock);
    return result;
}

/* Keeps the members that another set has, or those that it has not. */
static int keep(struct av_set *set, const struct av_set *other, bool are_in_other) {
    if (set->av != other->av) {
        return -FI_EINVAL;
    }
    pthread_mutex_lock(&set->av->domain->lock);
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++) {
        fi_addr_t member = set->members[i];
        /* Of the set itself, all that follows is in its place still. */
        bool is_in_other = set == other || index_of(other, member) < other->count;
        if (is_in_other == are_in_other) {
            set->members[kept++] = member;
        }
    }
    set->count = kept;
    pthread_mutex_unlock(&set->av->domain->lock);
    return 0;
}

static int set_intersect(struct fid_av_set *to, const struct fid_av_set *from) {
    return keep(set_of(to), other_of(from), true);
}

static int set_diff(struct fid_av_set *to, const struct fid_av_set *from) {
    return keep(set_of(to), other_of(from), false);
}

static int set_insert(struct fid_av_set *fid, fi_addr_t address) {
    struct av_set *set = set_of(fid);
    pthread_mutex_lock(&set->av->domain->lock);
    bool may_be = av_find(set->av, address) != NULL && index_of(set, address) == set->count;
    int result = may_be ? add(set, address) : -FI_EINVAL;
    pthread_mutex_unlock(&set->av->domain->lock);
    return result;
}

static int set_remove(struct fid_av_set *fid, fi_addr_t address) {
    struct av_set *set = set_of(fid);
    pthread_mutex_lock(&set->av->domain->lock);
    size_t index = index_of(set, address);
    bool is_member = index < set->count;
    if (is_member) {
        remove_at(set, index);
    }
    pthread_mutex_unlock(&set->av->domain->lock);
    return is_member ? 0 : -FI_EINVAL;
}

static int set_addr(struct fid_av_set *fid, fi_addr_t *address) {
    *address = address_of_set(set_of(fid));
    return 0;
}

/* ---- Opening and closing ---- */

static int set_close(struct fid *fid) {
    struct av_set *set = OWNER(fid, struct av_set, fid.fid);
    pthread_mutex_lock(&set->av->domain->lock);
    set->av->users--;
    pthread_mutex_unlock(&set->av->domain->lock);
    free(set->members);
    free(set);
    return 0;
}

/* Adds the addresses of the vector from one on to another. */
static int add_range(struct av_set *set, fi_addr_t first, fi_addr_t last, uint64_t stride) {
    int result = 0;
    bool is_more = true;
    for (fi_addr_t address = first; is_more && address < set->av->count && result == 0; address += stride) {
        if (av_find(set->av, address) != NULL) {
            result = add(set, address);
        }
        is_more = last - address >= stride; /* the sum could wrap */
    }
    return result;
}

static int add_first(struct av_set *set, const struct fi_av_set_attr *attr) {
    if ((attr->flags & FI_UNIVERSE) != 0) {
        return add_range(set, 0, UINT64_MAX, 1);
    }
    if (attr->start_addr == FI_ADDR_NOTAVAIL && attr->end_addr == FI_ADDR_NOTAVAIL) {
        return attr->stride == 0 ? 0 : -FI_EINVAL;
    }
    if (attr->start_addr > attr->end_addr || attr->end_addr >= set->av->count || attr->stride == 0
        || (attr->count != 0 && (attr->end_addr - attr->start_addr) / attr->stride >= attr->count)) {
        return -FI_EINVAL;
    }
    return add_range(set, attr->start_addr, attr->end_addr, attr->stride);
}

int hxb_av_set_open(struct fid_av *av, struct fi_av_set_attr *attr, struct fid_av_set **result, void *context) {
    static struct fi_ops fid_ops = {.size = sizeof fid_ops, .close = set_close, .ops_open = no_ops_open};
    static struct fi_ops_av_set ops = {.size = sizeof ops,
                                       .set_union = set_union,
                                       .intersect = set_intersect,
                                       .diff = set_diff,
                                       .insert = set_insert,
                                       .remove = set_remove,
                                       .addr = set_addr};
    if (attr->comm_key_size != 0) {
        return -FI_ENOSYS; /* there is nobody else who could have made the group */
    }
    if ((attr->flags & ~SUPPORTED) != 0) {
        return -FI_EOPNOTSUPP;
    }
    struct av_set *set = calloc(1, sizeof *set);
    if (set == NULL) {
        return -FI_ENOMEM;
    }
    set->av = OWNER(av, struct av, fid);
    pthread_mutex_lock(&set->av->domain->lock);
    int error = add_first(set, attr);
    set->av->users += error == 0;
    pthread_mutex_unlock(&set->av->domain->lock);
    if (error != 0) {
        free(set->members);
        free(set);
        return error;
    }
    set->fid.fid = (struct fid){.fclass = FI_CLASS_AV_SET, .context = context, .ops = &fid_ops};
    set->fid.ops = &ops;
    *result = &set->fid;
    return 0;
}
