/* Groups: operations of many programs that the nodes carry out. The classes PmGroup and GroupProtocol explain the rules
 * and draw the messages. */
#include "calls/calls.h"

#include <stdlib.h>

_Static_assert(HXB_OP_SUM == HXB_GROUP_SUM && HXB_OP_MIN == HXB_GROUP_MIN && HXB_OP_MAX == HXB_GROUP_MAX, "functions");
_Static_assert(HXB_TYPE_INT32 == HXB_GROUP_INT32 && HXB_TYPE_INT64 == HXB_GROUP_INT64
                   && HXB_TYPE_DOUBLE == HXB_GROUP_DOUBLE,
               "types");
_Static_assert(HXB_GROUP_BYTES == HXB_GROUP_MAX_BYTES, "the longest data");

#define LEAVE_NS HXB_SECOND
#define JOIN_NS HXB_SECOND /* until there are buffers for the list */
#define IDLE_LOOKS_PER_EVENT 64

/* The kind of an operation, as in its messages. */
struct what {
    int kind, type, function, count, root;
};

struct hxb_group {
    struct service service; /* the first field: a pointer to it is one to this */
    hxb_group *next; /* on the same context */
    hxb_context *context;
    uint64_t id;
    int rank, members;
    bool is_joined; /* the operation under way is something else than joining */
    uint32_t instance, operation;
    int status; /* why nothing can be begun any more, or HXB_OK */
    bool is_under_way;
    struct what what;
    uint8_t *result;
    const uint8_t *data;
    int data_bytes, sent_bytes; /* -1: nothing has been sent, not even that there is nothing */
    int result_bytes, received_bytes;
};

/* The groups of a context, linked; the first of them is its service. */
static hxb_group *groups_of(const hxb_context *context) {
    return (hxb_group *)context->services[SERVICE_GROUPS];
}

static void close(struct service *service) {
    hxb_group *group = (hxb_group *)service;
    while (group != NULL) {
        hxb_group *next = group->next;
        free(group);
        group = next;
    }
}

/* ---- Messages ---- */

static int own_node(const hxb_group *group) {
    return group->context->device->facts.node_id;
}

/* The address to which its context sends. */
static hxb_address own(const hxb_group *group) {
    return (hxb_address){own_node(group), HXB_GROUP_CONTEXT};
}

static void put_header(const hxb_group *group, uint8_t *to, uint32_t operation) {
    memset(to, 0, HXB_GROUP_HEADER_BYTES);
    put64(to + HXB_GROUP_ID, group->id);
    put32(to + HXB_GROUP_INSTANCE, group->instance);
    put32(to + HXB_GROUP_OPERATION, operation);
}

static void end(hxb_group *group, int status) {
    group->is_under_way = false;
    group->status = status;
}

/* Ends with the status that the node has sent. */
static void end_as_reported(hxb_group *group, int status) {
    end(group, is_status(status) ? status : corrupt(group->context, "a group has a status that does not exist"));
}

/* Sends the rest of the part of this member, as far as there are buffers. */
static void contribute(hxb_group *group) {
    int most = (int)max_length(group->context) - HXB_GROUP_HEADER_BYTES;
    while (group->sent_bytes < group->data_bytes) {
        int offset = group->sent_bytes < 0 ? 0 : group->sent_bytes;
        int piece = group->data_bytes - offset < most ? group->data_bytes - offset : most;
        uint32_t length = (uint32_t)(HXB_GROUP_HEADER_BYTES + piece);
        void *buffer;
        int slot = claim_slot(group->context, own_node(group), HXB_GROUP_CONTEXT, length, &buffer);
        if (slot < 0) {
            if (slot != HXB_NO_BUFFERS) {
                end(group, slot);
            }
            return;
        }
        uint8_t *to = buffer;
        put_header(group, to, group->operation);
        to[HXB_GROUP_KIND] = (uint8_t)group->what.kind;
        to[HXB_GROUP_TYPE] = (uint8_t)group->what.type;
        to[HXB_GROUP_FUNCTION] = (uint8_t)group->what.function;
        put32(to + HXB_GROUP_COUNT, (uint32_t)group->what.count);
        put32(to + HXB_GROUP_ROOT, (uint32_t)group->what.root);
        put32(to + HXB_GROUP_TOTAL_BYTES, (uint32_t)group->data_bytes);
        put32(to + HXB_GROUP_PIECE_OFFSET, (uint32_t)offset);
        if (piece > 0) {
            memcpy(to + HXB_GROUP_HEADER_BYTES, group->data + offset, (size_t)piece);
        }
        int status = commit_slot(group->context, slot, length, HXB_GROUP_CONTRIBUTE, NULL, 0);
        if (status != HXB_OK) {
            end(group, status);
            return;
        }
        group->sent_bytes = offset + piece;
    }
}

static void take_result(hxb_group *group, const uint8_t *data, uint32_t length) {
    int status = (int)get32(data + HXB_GROUP_STATUS);
    uint32_t total = get32(data + HXB_GROUP_TOTAL_BYTES), offset = get32(data + HXB_GROUP_PIECE_OFFSET);
    uint32_t piece = length - HXB_GROUP_HEADER_BYTES;
    if (status != HXB_OK) {
        end_as_reported(group, status);
    } else if (total != (uint32_t)group->result_bytes || offset != (uint32_t)group->received_bytes
               || piece > total - offset) {
        end(group, HXB_DISAGREEMENT);
    } else {
        if (piece > 0) {
            memcpy(group->result + offset, data + HXB_GROUP_HEADER_BYTES, piece);
        }
        group->received_bytes += (int)piece;
        if (group->received_bytes == group->result_bytes) {
            end(group, HXB_OK);
        }
    }
}

static void take(const hxb_context *context, const hxb_message *message) {
    const uint8_t *data = message->data;
    if (message->from.node != context->device->facts.node_id || message->from.context != HXB_GROUP_CONTEXT
        || message->length < HXB_GROUP_HEADER_BYTES) {
        return;
    }
    uint64_t id = get64(data + HXB_GROUP_ID);
    uint32_t operation = get32(data + HXB_GROUP_OPERATION);
    for (hxb_group *group = groups_of(context); group != NULL; group = group->next) {
        if (group->id != id) {
            continue;
        }
        if (message->tag == HXB_GROUP_JOINED && !group->is_joined && group->is_under_way) {
            group->instance = get32(data + HXB_GROUP_INSTANCE);
            group->is_joined = true;
            end_as_reported(group, (int)get32(data + HXB_GROUP_STATUS));
        } else if (message->tag == HXB_GROUP_RESULT && group->is_under_way && operation == group->operation) {
            take_result(group, data, message->length);
        }
        return;
    }
}

/* Takes all that has come for the groups of a context; returns why nothing will come any more, or HXB_OK. */
static int poll_groups(hxb_context *context) {
    hxb_message message;
    int status = receive_next(context, &message);
    while (status == HXB_OK) {
        take(context, &message);
        release_buffer(context, &message);
        status = receive_next(context, &message);
    }
    return status == HXB_EMPTY ? HXB_OK : status;
}

/* Only the own node is sent to: a message that failed ends all groups of the context. */
static void take_events(hxb_context *context) {
    hxb_event event;
    while (take_event(context, &event) == HXB_OK) {
        for (hxb_group *group = groups_of(context); group != NULL; group = group->next) {
            end(group, event.status);
        }
    }
}

/* ---- Joining ---- */

static int ascending(const void *one, const void *other) {
    int first = *(const int *)one, second = *(const int *)other;
    return (first > second) - (first < second);
}

static int check_members(const hxb_context *context, const int *nodes, int members, int rank) {
    if (nodes == NULL || members < 1 || members > HXB_GROUP_MAX_MEMBERS) {
        return fail(HXB_E_ARGUMENT, "members must be 1..%d, and nodes not NULL: %d", HXB_GROUP_MAX_MEMBERS, members);
    }
    if (rank < 0 || rank >= members || nodes[rank] != context->device->facts.node_id) {
        return fail(HXB_E_ARGUMENT, "rank must be 0..%d, and on node %d: %d", members - 1,
                    context->device->facts.node_id, rank);
    }
    for (int i = 0; i < members; i++) {
        if (nodes[i] < 0 || nodes[i] >= context->device->facts.node_count) {
            return fail(HXB_E_ARGUMENT, "nodes must be 0..%d: %d", context->device->facts.node_count - 1, nodes[i]);
        }
    }
    return HXB_OK;
}

/* Sends one piece of the list, which is sorted; moves *at to its end. */
static int send_list(const hxb_group *group, const int *sorted, int *at, int first, int here, int nodes,
                     int64_t timeout_ns) {
    size_t length = (size_t)(HXB_GROUP_JOIN_HEADER_BYTES + here * HXB_GROUP_JOIN_NODE_BYTES);
    void *buffer;
    int slot = hxb_claim_wait(group->context, own(group), length, &buffer, timeout_ns);
    if (slot < 0) {
        return slot;
    }
    uint8_t *to = buffer;
    memset(to, 0, HXB_GROUP_JOIN_HEADER_BYTES);
    put64(to + HXB_GROUP_ID, group->id);
    put32(to + HXB_GROUP_JOIN_RANK, (uint32_t)group->rank);
    put32(to + HXB_GROUP_JOIN_MEMBERS, (uint32_t)group->members);
    put32(to + HXB_GROUP_JOIN_NODES, (uint32_t)nodes);
    put32(to + HXB_GROUP_JOIN_FIRST, (uint32_t)first);
    put32(to + HXB_GROUP_JOIN_HERE, (uint32_t)here);
    for (int i = 0; i < here; i++) {
        uint8_t *entry = to + HXB_GROUP_JOIN_HEADER_BYTES + i * HXB_GROUP_JOIN_NODE_BYTES;
        int count = 1, node = sorted[*at];
        while (*at + count < group->members && sorted[*at + count] == node) {
            count++;
        }
        *at += count;
        put32(entry, (uint32_t)node);
        put32(entry + 4, (uint32_t)count);
    }
    return hxb_commit(group->context, slot, length, HXB_GROUP_JOIN);
}

static int send_join(const hxb_group *group, const int *nodes, int64_t timeout_ns) {
    int *sorted = malloc((size_t)group->members * sizeof *sorted);
    if (sorted == NULL) {
        return fail(HXB_E_MEMORY, "there is no memory for a group");
    }
    memcpy(sorted, nodes, (size_t)group->members * sizeof *sorted);
    qsort(sorted, (size_t)group->members, sizeof *sorted, ascending);
    int count = 1;
    for (int i = 1; i < group->members; i++) {
        count += sorted[i] != sorted[i - 1];
    }
    int most = ((int)max_length(group->context) - HXB_GROUP_JOIN_HEADER_BYTES) / HXB_GROUP_JOIN_NODE_BYTES;
    int at = 0, result = HXB_OK;
    for (int first = 0; first < count && result == HXB_OK; first += most) {
        int here = count - first < most ? count - first : most;
        result = send_list(group, sorted, &at, first, here, count, timeout_ns);
    }
    free(sorted);
    return result;
}

static void forget(hxb_group *group) {
    hxb_context *context = group->context;
    if (groups_of(context) == group) {
        context->services[SERVICE_GROUPS] = group->next == NULL ? NULL : &group->next->service;
    } else {
        hxb_group *before = groups_of(context);
        while (before->next != group) {
            before = before->next;
        }
        before->next = group->next;
    }
    free(group);
}

static int send_leave(const hxb_group *group) {
    _Alignas(uint64_t) uint8_t header[HXB_GROUP_HEADER_BYTES];
    put_header(group, header, 0);
    return hxb_send(group->context, own(group), header, sizeof header, HXB_GROUP_LEAVE,
                    LEAVE_NS);
}

static int check_join(hxb_context *context, uint64_t id, const int *nodes, int members, int rank,
                      hxb_group *const *group) {
    int result = check_context(context);
    if (result == HXB_OK) {
        result = group == NULL ? fail(HXB_E_ARGUMENT, "the pointer for the group is NULL")
                               : check_members(context, nodes, members, rank);
    }
    if (result != HXB_OK) {
        return result;
    }
    if (context->services[SERVICE_LARGE] != NULL) {
        return fail(HXB_E_STATE, "context %d is used for large messages", context->id);
    }
    for (const hxb_group *other = groups_of(context); other != NULL; other = other->next) {
        if (other->id == id) {
            return fail(HXB_E_STATE, "context %d is a member of that group already", context->id);
        }
    }
    return HXB_OK;
}

static int start_join(hxb_context *context, uint64_t id, const int *nodes, int members, int rank, int64_t timeout_ns,
                      hxb_group **group) {
    int result = check_join(context, id, nodes, members, rank, group);
    if (result != HXB_OK) {
        return result;
    }
    *group = NULL;
    hxb_group *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return fail(HXB_E_MEMORY, "there is no memory for a group");
    }
    *made = (hxb_group){
        .service = {.close = close}, .next = groups_of(context), .context = context, .id = id, .rank = rank,
        .members = members, .is_under_way = true};
    context->services[SERVICE_GROUPS] = &made->service;
    result = send_join(made, nodes, timeout_ns);
    if (result != HXB_OK) {
        send_leave(made);
        forget(made);
        return result;
    }
    *group = made;
    return HXB_OK;
}

int hxb_group_start_join(hxb_context *context, uint64_t id, const int *nodes, int members, int rank,
                         hxb_group **group) {
    return start_join(context, id, nodes, members, rank, JOIN_NS, group);
}

static int join(hxb_context *context, uint64_t id, const int *nodes, int members, int rank, int64_t timeout_ns,
                hxb_group **group) {
    int result = start_join(context, id, nodes, members, rank, timeout_ns, group);
    if (result == HXB_OK) {
        result = hxb_group_wait(*group, timeout_ns);
        if (result != HXB_OK) {
            send_leave(*group);
            forget(*group);
            *group = NULL;
        }
    }
    return result;
}

int hxb_group_join(hxb_context *context, uint64_t id, const int *nodes, int members, int rank, int64_t timeout_ns,
                   hxb_group **group) {
    int result = check_join(context, id, nodes, members, rank, group);
    if (result == HXB_OK) {
        result = check_timeout(timeout_ns);
    }
    if (result != HXB_OK) {
        return result;
    }
    wait_enter(context);
    return wait_leave(context, join(context, id, nodes, members, rank, timeout_ns, group));
}

int hxb_group_leave(hxb_group *group) {
    if (group == NULL) {
        return HXB_OK;
    }
    hxb_context *context = group->context;
    int result = check_context(context);
    if (result != HXB_OK) {
        return result;
    }
    wait_enter(context);
    send_leave(group);
    forget(group);
    result = hxb_wait_all_sends(context, LEAVE_NS);
    return wait_leave(context, result == HXB_STATUS_EVENT ? HXB_OK : result);
}

int hxb_group_rank(const hxb_group *group) {
    return group == NULL ? fail(HXB_E_ARGUMENT, "the group is NULL") : group->rank;
}

int hxb_group_members(const hxb_group *group) {
    return group == NULL ? fail(HXB_E_ARGUMENT, "the group is NULL") : group->members;
}

/* ---- Operations ---- */

static int check_group(const hxb_group *group) {
    return LIKELY(group != NULL) ? check_context(group->context) : fail(HXB_E_ARGUMENT, "the group is NULL");
}

static int start(hxb_group *group, const struct what *what, const void *data, int data_bytes, void *result,
                 int result_bytes) {
    if (group->is_under_way) {
        return fail(HXB_E_STATE, "the last operation of the group has not ended: test it or wait for it first");
    }
    if (result_bytes > 0 && (result == NULL || (data_bytes > 0 && data == NULL))) {
        return fail(HXB_E_ARGUMENT, "there is no data, or no place for the result: NULL");
    }
    if (group->status != HXB_OK) {
        return group->status;
    }
    group->what = *what;
    group->data = data;
    group->data_bytes = data_bytes;
    group->sent_bytes = -1;
    group->result = result;
    group->result_bytes = result_bytes;
    group->received_bytes = 0;
    group->operation++;
    group->is_under_way = true;
    contribute(group);
    return HXB_OK;
}

int hxb_group_start_barrier(hxb_group *group) {
    int result = check_group(group);
    const struct what what = {.kind = HXB_GROUP_BARRIER};
    return result == HXB_OK ? start(group, &what, NULL, 0, NULL, 0) : result;
}

int hxb_group_start_broadcast(hxb_group *group, int root, void *data, size_t length) {
    int result = check_group(group);
    if (result != HXB_OK) {
        return result;
    }
    if (root < 0 || root >= group->members || length > HXB_GROUP_BYTES) {
        return fail(HXB_E_ARGUMENT, "the root must be 0..%d, and the length 0..%d: %d, %zu", group->members - 1,
                    HXB_GROUP_BYTES, root, length);
    }
    const struct what what = {
        .kind = HXB_GROUP_BROADCAST, .type = HXB_GROUP_BYTE, .count = (int)length, .root = root};
    return start(group, &what, data, root == group->rank ? (int)length : 0, data, (int)length);
}

static int element_bytes(int type) {
    return type == HXB_TYPE_INT32 ? 4 : type == HXB_TYPE_INT64 || type == HXB_TYPE_DOUBLE ? 8 : 0;
}

int hxb_group_start_allreduce(hxb_group *group, int function, int type, const void *data, void *result_data,
                              int count) {
    int result = check_group(group);
    if (result != HXB_OK) {
        return result;
    }
    int bytes = element_bytes(type);
    if (bytes == 0 || function < HXB_OP_SUM || function > HXB_OP_MAX) {
        return fail(HXB_E_ARGUMENT, "there is no such function or type: %d, %d", function, type);
    }
    if (count < 0 || count > HXB_GROUP_BYTES / bytes) {
        return fail(HXB_E_ARGUMENT, "the count must be 0..%d: %d", HXB_GROUP_BYTES / bytes, count);
    }
    const struct what what = {.kind = HXB_GROUP_ALLREDUCE, .type = type, .function = function, .count = count};
    return start(group, &what, data, count * bytes, result_data, count * bytes);
}

/* Members that do not agree may do so the next time; all else remains. */
static int take_status(hxb_group *group) {
    int status = group->status;
    if (status == HXB_DISAGREEMENT) {
        group->status = HXB_OK;
    }
    return status;
}

static int test(hxb_group *group) {
    if (group->is_under_way) {
        if (UNLIKELY(group->sent_bytes < group->data_bytes)) {
            contribute(group);
        }
        int status = poll_groups(group->context);
        if (UNLIKELY(status != HXB_OK)) {
            end(group, status);
        }
    }
    return group->is_under_way ? HXB_EMPTY : take_status(group);
}

int hxb_group_test(hxb_group *group) {
    int result = check_group(group);
    if (result != HXB_OK) {
        return result;
    }
    result = test(group);
    if (result == HXB_EMPTY && group->context->idle_calls % IDLE_LOOKS_PER_EVENT == 0) {
        take_events(group->context);
        result = group->is_under_way ? HXB_EMPTY : take_status(group);
    }
    return result;
}

/* A wait that ends without the operation, which goes on. */
static bool is_still_under_way(int status) {
    return status == HXB_TIMED_OUT || status == HXB_NODE_SILENT || status == HXB_INTERRUPTED;
}

static int wait(hxb_group *group, int64_t timeout_ns) {
    int64_t begin = now_ns();
    int result = test(group);
    while (result == HXB_EMPTY) {
        int64_t left = timeout_ns - (now_ns() - begin);
        int interest = HXB_WAIT_MESSAGES | (group->sent_bytes < group->data_bytes ? HXB_WAIT_SENDS : 0);
        int status = wait_for(group->context, interest, left > 0 ? left : 0);
        if (is_still_under_way(status)) {
            return status;
        }
        if (status == HXB_STATUS_EVENT) {
            take_events(group->context);
        } else if (status != HXB_OK) {
            end(group, status);
        }
        result = test(group);
    }
    return result;
}

int hxb_group_wait(hxb_group *group, int64_t timeout_ns) {
    int result = check_group(group);
    if (result == HXB_OK) {
        result = check_timeout(timeout_ns);
    }
    if (result != HXB_OK) {
        return result;
    }
    wait_enter(group->context);
    return wait_leave(group->context, wait(group, timeout_ns));
}

int hxb_group_barrier(hxb_group *group, int64_t timeout_ns) {
    int result = hxb_group_start_barrier(group);
    return result == HXB_OK ? hxb_group_wait(group, timeout_ns) : result;
}

int hxb_group_broadcast(hxb_group *group, int root, void *data, size_t length, int64_t timeout_ns) {
    int result = hxb_group_start_broadcast(group, root, data, length);
    return result == HXB_OK ? hxb_group_wait(group, timeout_ns) : result;
}

int hxb_group_allreduce(hxb_group *group, int function, int type, const void *data, void *result_data, int count,
                        int64_t timeout_ns) {
    int result = hxb_group_start_allreduce(group, function, type, data, result_data, count);
    return result == HXB_OK ? hxb_group_wait(group, timeout_ns) : result;
}
