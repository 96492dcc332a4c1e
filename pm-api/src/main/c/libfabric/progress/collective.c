/* Collective operations, as fi_collective(3) states them, carried out by the nodes: groups of libhxb on a context of
 * the endpoint's own, which is opened when it joins the first one. Members find the same number for a group without a
 * message: from their addresses, and how often these have been joined. */
#include "libfabric/progress/progress.h"

#include "hxb_layout.h"

#include <stdlib.h>
#include <sys/epoll.h>

#define OP_FLAGS (FI_COMPLETION | FI_MORE | FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE)

enum { COLLECTIVE_BUFFERS = 64 };

/* One operation of a group. */
struct collective {
    struct link link; /* in its group, which does one after the other */
    enum fi_collective_op coll;
    void *context;
    bool is_reported;
    const void *data;
    void *result;
    size_t count; /* of a broadcast, bytes */
    int root;     /* rank */
    int function, type; /* of libhxb */
};

struct group {
    struct fid_mc fid;
    struct link link; /* in its endpoint */
    struct endpoint *endpoint;
    hxb_group *group; /* NULL once joining has failed */
    fi_addr_t *members;
    int count;
    bool is_joining;
    bool is_running; /* the first operation */
    struct link ops;
    size_t queued;
    struct event joined;
};

/* ---- What can be done ---- */

/* 0 if nodes know no such type. Sums of unsigned integers have the same bits as those of signed ones. */
static int type_of(enum fi_datatype type, int function) {
    switch (type) {
    case FI_INT32: return HXB_TYPE_INT32;
    case FI_INT64: return HXB_TYPE_INT64;
    case FI_UINT32: return function == HXB_OP_SUM ? HXB_TYPE_INT32 : 0;
    case FI_UINT64: return function == HXB_OP_SUM ? HXB_TYPE_INT64 : 0;
    case FI_DOUBLE: return HXB_TYPE_DOUBLE;
    default: return 0;
    }
}

static int function_of(enum fi_op op) {
    return op == FI_SUM ? HXB_OP_SUM : op == FI_MIN ? HXB_OP_MIN : op == FI_MAX ? HXB_OP_MAX : 0;
}

static bool is_possible(enum fi_collective_op coll, enum fi_op op, enum fi_datatype type) {
    switch (coll) {
    case FI_BARRIER: return op == FI_NOOP && type == FI_VOID;
    case FI_BROADCAST:
        return (op == FI_NOOP || op == FI_ATOMIC_READ || op == FI_ATOMIC_WRITE) && datatype_size(type) > 0;
    case FI_ALLREDUCE: return function_of(op) != 0 && type_of(type, function_of(op)) != 0;
    default: return false;
    }
}

int hxb_query_collective(struct fid_domain *domain, enum fi_collective_op coll, struct fi_collective_attr *attr,
                         uint64_t flags) {
    (void)domain;
    if (attr == NULL) {
        return -FI_EINVAL;
    }
    if (flags != 0 || !is_possible(coll, attr->op, attr->datatype)) {
        return -FI_EOPNOTSUPP;
    }
    size_t size = datatype_size(attr->datatype);
    attr->datatype_attr.size = size;
    attr->datatype_attr.count = size == 0 ? 0 : HXB_GROUP_BYTES / size;
    attr->max_members = HXB_GROUP_MAX_MEMBERS;
    attr->mode = 0;
    return 0;
}

/* ---- Progress ---- */

static void finish(struct group *group, struct collective *op, int status) {
    const struct endpoint *endpoint = group->endpoint;
    struct cntr *cntr = endpoint->write_cntr;
    list_remove(&op->link);
    group->queued--;
    group->is_running = false;
    if (cntr != NULL) {
        cntr_count(cntr, status != HXB_OK);
    }
    if (endpoint->send_cq != NULL && status != HXB_OK) {
        cq_add_error(endpoint->send_cq, &(struct fi_cq_err_entry){.op_context = op->context,
                                                                  .flags = FI_COLLECTIVE,
                                                                  .err = error_of(status),
                                                                  .prov_errno = status});
    } else if (endpoint->send_cq != NULL && op->is_reported) {
        cq_add(endpoint->send_cq,
               &(struct completion){.context = op->context, .flags = FI_COLLECTIVE, .source = FI_ADDR_NOTAVAIL});
    }
    free(op);
}

static int start(const struct group *group, const struct collective *op) {
    switch (op->coll) {
    case FI_BROADCAST: return hxb_group_start_broadcast(group->group, op->root, op->result, op->count);
    case FI_ALLREDUCE:
        return hxb_group_start_allreduce(group->group, op->function, op->type, op->data, op->result, (int)op->count);
    default: return hxb_group_start_barrier(group->group);
    }
}

/* Starts what waits; what cannot be started ends. */
static void start_next(struct group *group) {
    while (!group->is_running && !list_is_empty(&group->ops)) {
        struct collective *op = OWNER(group->ops.next, struct collective, link);
        int status = start(group, op);
        if (status == HXB_OK) {
            group->is_running = true;
        } else {
            finish(group, op, status);
        }
    }
}

static void on_joined(struct group *group, int status) {
    group->is_joining = false;
    group->joined.error = status == HXB_OK ? 0 : error_of(status);
    group->joined.detail = status;
    if (status != HXB_OK) {
        WARN("a group cannot be joined: %s\n", hxb_strerror(status));
        hxb_group_leave(group->group);
        group->group = NULL;
    }
    eq_add(group->endpoint->eq, &group->joined);
}

static bool progress_group(struct group *group) {
    if (group->is_joining) {
        int status = hxb_group_test(group->group);
        if (status != HXB_EMPTY) {
            on_joined(group, status);
        }
        return status != HXB_EMPTY;
    }
    bool did = false;
    start_next(group);
    while (group->is_running) {
        int status = hxb_group_test(group->group);
        if (status == HXB_EMPTY) {
            break;
        }
        finish(group, OWNER(group->ops.next, struct collective, link), status);
        start_next(group);
        did = true;
    }
    return did;
}

bool progress_groups(struct endpoint *endpoint) {
    bool did = false;
    for (struct link *at = endpoint->groups.next; at != &endpoint->groups; at = at->next) {
        did |= progress_group(OWNER(at, struct group, link));
    }
    return did;
}

bool arm_groups(struct endpoint *endpoint) {
    bool is_sending = false;
    for (struct link *at = endpoint->groups.next; at != &endpoint->groups; at = at->next) {
        const struct group *group = OWNER(at, struct group, link);
        is_sending |= group->is_joining || group->is_running;
    }
    return hxb_arm(endpoint->group_context, is_sending ? HXB_WAIT_MESSAGES | HXB_WAIT_SENDS : HXB_WAIT_MESSAGES) == 1;
}

/* ---- Operations ---- */

static struct group *find_group(struct endpoint *endpoint, fi_addr_t address) {
    for (struct link *at = endpoint->groups.next; at != &endpoint->groups; at = at->next) {
        struct group *group = OWNER(at, struct group, link);
        if (group->fid.fi_addr == address) {
            return group;
        }
    }
    return NULL;
}

/* The rank of a member; -1 if it is none. */
static int rank_of(const struct group *group, fi_addr_t address) {
    for (int i = 0; i < group->count; i++) {
        if (group->members[i] == address) {
            return i;
        }
    }
    return -1;
}

static ssize_t post_locked(struct endpoint *endpoint, fi_addr_t address, fi_addr_t root, uint64_t flags,
                           const struct collective *wanted) {
    struct group *group = find_group(endpoint, address);
    if (group == NULL || (flags & ~OP_FLAGS) != 0) {
        return -FI_EINVAL;
    }
    if (group->is_joining || group->group == NULL) {
        return -FI_EOPBADSTATE;
    }
    int rank = wanted->coll == FI_BROADCAST ? rank_of(group, root) : 0;
    if (rank < 0) {
        return -FI_EINVAL;
    }
    if (group->queued >= QUEUE_LIMIT) {
        return -FI_EAGAIN;
    }
    struct collective *op = malloc(sizeof *op);
    if (op == NULL) {
        return -FI_ENOMEM;
    }
    *op = *wanted;
    op->root = rank;
    op->is_reported = !endpoint->is_send_selective || (flags & FI_COMPLETION) != 0;
    list_add(&group->ops, &op->link);
    group->queued++;
    start_next(group);
    return 0;
}

static ssize_t post(struct fid_ep *ep, fi_addr_t address, fi_addr_t root, uint64_t flags,
                    const struct collective *wanted) {
    struct endpoint *endpoint = OWNER(ep, struct endpoint, fid);
    enter(endpoint);
    ssize_t result = post_locked(endpoint, address, root, flags, wanted);
    leave(endpoint);
    return result;
}

static ssize_t barrier2(struct fid_ep *ep, fi_addr_t address, uint64_t flags, void *context) {
    return post(ep, address, FI_ADDR_UNSPEC, flags, &(struct collective){.coll = FI_BARRIER, .context = context});
}

static ssize_t barrier(struct fid_ep *ep, fi_addr_t address, void *context) {
    return barrier2(ep, address, OWNER(ep, struct endpoint, fid)->send_flags & OP_FLAGS, context);
}

static ssize_t broadcast(struct fid_ep *ep, void *buffer, size_t count, void *desc, fi_addr_t address, fi_addr_t root,
                         enum fi_datatype type, uint64_t flags, void *context) {
    (void)desc;
    size_t size = datatype_size(type);
    if (size == 0) {
        return -FI_EOPNOTSUPP;
    }
    if (count > HXB_GROUP_BYTES / size) {
        return -FI_EMSGSIZE;
    }
    return post(ep, address, root, flags,
                &(struct collective){
                    .coll = FI_BROADCAST, .context = context, .result = buffer, .count = count * size});
}

static ssize_t allreduce(struct fid_ep *ep, const void *buffer, size_t count, void *desc, void *result,
                         void *result_desc, fi_addr_t address, enum fi_datatype type, enum fi_op op, uint64_t flags,
                         void *context) {
    (void)desc, (void)result_desc;
    if (!is_possible(FI_ALLREDUCE, op, type)) {
        return -FI_EOPNOTSUPP;
    }
    if (count > HXB_GROUP_BYTES / datatype_size(type)) {
        return -FI_EMSGSIZE;
    }
    return post(ep, address, FI_ADDR_UNSPEC, flags,
                &(struct collective){.coll = FI_ALLREDUCE,
                                     .context = context,
                                     .data = buffer,
                                     .result = result,
                                     .count = count,
                                     .function = function_of(op),
                                     .type = type_of(type, function_of(op))});
}

static ssize_t no_exchange(struct fid_ep *ep, const void *buffer, size_t count, void *desc, void *result,
                           void *result_desc, fi_addr_t address, enum fi_datatype type, uint64_t flags,
                           void *context) {
    (void)ep, (void)buffer, (void)count, (void)desc, (void)result, (void)result_desc, (void)address, (void)type;
    (void)flags, (void)context;
    return -FI_EOPNOTSUPP;
}

static ssize_t no_reduce_scatter(struct fid_ep *ep, const void *buffer, size_t count, void *desc, void *result,
                                 void *result_desc, fi_addr_t address, enum fi_datatype type, enum fi_op op,
                                 uint64_t flags, void *context) {
    (void)op;
    return no_exchange(ep, buffer, count, desc, result, result_desc, address, type, flags, context);
}

static ssize_t no_reduce(struct fid_ep *ep, const void *buffer, size_t count, void *desc, void *result,
                         void *result_desc, fi_addr_t address, fi_addr_t root, enum fi_datatype type, enum fi_op op,
                         uint64_t flags, void *context) {
    (void)root, (void)op;
    return no_exchange(ep, buffer, count, desc, result, result_desc, address, type, flags, context);
}

static ssize_t no_rooted(struct fid_ep *ep, const void *buffer, size_t count, void *desc, void *result,
                         void *result_desc, fi_addr_t address, fi_addr_t root, enum fi_datatype type, uint64_t flags,
                         void *context) {
    (void)root;
    return no_exchange(ep, buffer, count, desc, result, result_desc, address, type, flags, context);
}

/* The same by a structure. */
static ssize_t collective_msg(struct fid_ep *ep, const struct fi_msg_collective *msg, struct fi_ioc *result,
                              void **result_desc, size_t result_count, uint64_t flags) {
    (void)result_desc;
    if (msg->coll == FI_BARRIER) {
        return barrier2(ep, msg->coll_addr, flags, msg->context);
    }
    if (msg->coll != FI_BROADCAST && msg->coll != FI_ALLREDUCE) {
        return -FI_EOPNOTSUPP;
    }
    if (msg->iov_count != 1 || (msg->coll == FI_ALLREDUCE && result_count != 1)) {
        return -FI_EINVAL;
    }
    return msg->coll == FI_BROADCAST
               ? broadcast(ep, msg->msg_iov->addr, msg->msg_iov->count, NULL, msg->coll_addr, msg->root_addr,
                           msg->datatype, flags, msg->context)
               : allreduce(ep, msg->msg_iov->addr, msg->msg_iov->count, NULL, result->addr, NULL, msg->coll_addr,
                           msg->datatype, msg->op, flags, msg->context);
}

struct fi_ops_collective hxb_collective_ops = {.size = sizeof hxb_collective_ops,
                                               .barrier = barrier,
                                               .broadcast = broadcast,
                                               .alltoall = no_exchange,
                                               .allreduce = allreduce,
                                               .allgather = no_exchange,
                                               .reduce_scatter = no_reduce_scatter,
                                               .reduce = no_reduce,
                                               .scatter = no_rooted,
                                               .gather = no_rooted,
                                               .msg = collective_msg,
                                               .barrier2 = barrier2};

/* ---- Joining ---- */

static uint64_t mix(uint64_t value) {
    value = (value ^ value >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    return value ^ value >> 29;
}

/* All members find the same, as they join groups of the same members in the same order. */
static bool number_group(struct endpoint *endpoint, const struct av_set *set, uint64_t *id) {
    uint64_t hash = set->count;
    for (size_t i = 0; i < set->count; i++) {
        hash = mix(hash ^ peer_of_address(av_find(set->av, set->members[i])));
    }
    uint64_t times = map_get(&endpoint->joins, hash, 0) + 1;
    *id = mix(hash + times);
    return map_set(&endpoint->joins, hash, times);
}

/* The rank of this endpoint in a set of addresses that are there; -1 if it is none of them, or some are not. */
static int own_rank(const struct endpoint *endpoint, const struct av_set *set) {
    int rank = -1;
    for (size_t i = 0; i < set->count; i++) {
        const struct address *address = av_find(set->av, set->members[i]);
        if (address == NULL) {
            return -1;
        }
        if (peer_of_address(address) == peer_of_address(&endpoint->address)) {
            rank = (int)i;
        }
    }
    return rank;
}

static int open_group_context(struct endpoint *endpoint) {
    hxb_context_options options;
    hxb_default_options(&options);
    options.send_buffers = COLLECTIVE_BUFFERS;
    int id, result = open_any_context(endpoint->domain->device, &options, &endpoint->group_context, &id);
    if (result != HXB_OK) {
        endpoint->group_context = NULL;
        return error_of(result);
    }
    int error = watch_context(endpoint, endpoint->group_context);
    if (error != 0) {
        close_group_context(endpoint);
    }
    return error;
}

void close_group_context(struct endpoint *endpoint) {
    if (endpoint->group_context != NULL) {
        unwatch_context(endpoint, endpoint->group_context);
        hxb_close_context(endpoint->group_context);
        endpoint->group_context = NULL;
    }
    free(endpoint->joins.pairs);
    endpoint->joins = (struct map){0};
}

static void free_group(struct group *group) {
    list_remove(&group->link);
    free(group->members);
    free(group);
}

static int group_close(struct fid *fid) {
    struct group *group = OWNER(fid, struct group, fid.fid);
    struct endpoint *endpoint = group->endpoint;
    enter(endpoint);
    disarm(endpoint);
    while (!list_is_empty(&group->ops)) {
        finish(group, OWNER(group->ops.next, struct collective, link), HXB_CONTEXT_CLOSED);
    }
    hxb_group_leave(group->group);
    eq_remove(endpoint->eq, &group->joined);
    free_group(group);
    if (endpoint->domain->is_automatic) {
        wake_thread(endpoint->domain);
    }
    leave(endpoint);
    return 0;
}

static int start_join(struct group *group, const struct av_set *set, int rank) {
    struct endpoint *endpoint = group->endpoint;
    uint64_t id;
    int *nodes = malloc(set->count * sizeof *nodes);
    group->members = malloc(set->count * sizeof *group->members);
    if (nodes == NULL || group->members == NULL || !number_group(endpoint, set, &id)) {
        free(nodes);
        return FI_ENOMEM;
    }
    for (size_t i = 0; i < set->count; i++) {
        group->members[i] = set->members[i];
        nodes[i] = av_find(set->av, set->members[i])->node;
    }
    group->count = (int)set->count;
    disarm(endpoint); /* an operation may have to wait for buffers */
    int result =
        hxb_group_start_join(endpoint->group_context, id, nodes, group->count, rank, &group->group);
    free(nodes);
    return result == HXB_OK ? 0 : error_of(result);
}

static int join_locked(struct endpoint *endpoint, const struct fi_collective_addr *address, struct group *group) {
    const struct av_set *set = OWNER(address->set, const struct av_set, fid);
    if ((endpoint->caps & FI_COLLECTIVE) == 0) {
        return FI_EOPNOTSUPP;
    }
    if (!endpoint->is_enabled) {
        return FI_EOPBADSTATE;
    }
    if (endpoint->eq == NULL) {
        return FI_ENOEQ;
    }
    int rank = set->av == endpoint->av ? own_rank(endpoint, set) : -1;
    bool is_known = address->coll_addr == FI_ADDR_NOTAVAIL || address->coll_addr == address_of_set(set)
                    || find_group(endpoint, address->coll_addr) != NULL;
    if (rank < 0 || !is_known) {
        return FI_EINVAL;
    }
    int error = endpoint->group_context == NULL ? open_group_context(endpoint) : 0;
    if (error == 0) {
        error = start_join(group, set, rank);
    }
    if (endpoint->domain->is_automatic) {
        wake_thread(endpoint->domain);
    }
    return error;
}

int hxb_join(struct fid_ep *ep, const void *address, uint64_t flags, struct fid_mc **result, void *context) {
    static struct fi_ops fid_ops = {.size = sizeof fid_ops, .close = group_close, .ops_open = no_ops_open};
    if ((flags & FI_COLLECTIVE) == 0) {
        return -FI_ENOSYS; /* there is no other way to speak to many at once */
    }
    if ((flags & ~(FI_COLLECTIVE | FI_SEND | FI_RECV)) != 0) {
        return -FI_EINVAL;
    }
    struct group *group = calloc(1, sizeof *group);
    if (group == NULL) {
        return -FI_ENOMEM;
    }
    struct endpoint *endpoint = OWNER(ep, struct endpoint, fid);
    list_init(&group->link);
    list_init(&group->ops);
    list_init(&group->joined.link);
    group->endpoint = endpoint;
    group->is_joining = true;
    group->fid.fid = (struct fid){.fclass = FI_CLASS_MC, .context = context, .ops = &fid_ops};
    group->fid.fi_addr = (fi_addr_t)(uintptr_t)group;
    group->joined.type = FI_JOIN_COMPLETE;
    group->joined.fid = &group->fid.fid;
    group->joined.context = context;
    enter(endpoint);
    int error = join_locked(endpoint, address, group);
    if (error == 0) {
        list_add(&endpoint->groups, &group->link);
        *result = &group->fid;
    } else {
        free_group(group);
    }
    leave(endpoint);
    return -error;
}
