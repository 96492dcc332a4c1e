/* Remote memory: operations on regions that others share, which the nodes carry out. The classes PmRemoteMemory and
 * RemoteMemoryArea explain the rules and draw the memory. */
#define _GNU_SOURCE
#include "calls/calls.h"

#include <stdlib.h>

struct hxb_remote {
    struct service service; /* the first field: a pointer to it is one to this */
    hxb_context *context;
    uint8_t *area;
    uint8_t *operations;
    uint8_t *outcomes;
    uint8_t *notifications;
    uint32_t operation_mask, notification_mask;
    uint64_t submitted, ended, taken;
    int *free_operations;
    bool *is_under_way;
    bool *is_atomic; /* of each operation, whether its outcome has a value */
    int *share_of;   /* of each operation */
    struct shares shares;
    hxb_outcome *kept; /* a ring of outcomes that hxb_finish has left to hxb_poll_outcome */
    uint32_t kept_first, kept_count;
    int free_count;
    bool is_for_outcomes; /* notifications do not end a wait */
};

/* ---- Opening ---- */

static uint64_t outcomes_offset(const hxb_remote_options *sizes) {
    return HXB_AREA_RINGS + (uint64_t)sizes->operations * HXB_OPERATION_ENTRY_BYTES;
}

static uint64_t notifications_offset(const hxb_remote_options *sizes) {
    return ring_align(outcomes_offset(sizes) + (uint64_t)sizes->operations * HXB_OUTCOME_ENTRY_BYTES);
}

static uint64_t area_bytes(const hxb_remote_options *sizes, int mtu) {
    uint64_t longest = ((uint64_t)mtu + 63) & ~UINT64_C(63); /* several places hold it, see RemoteRequest.area */
    uint64_t fragment_bytes = longest < HXB_REQUEST_SHARED_BUFFER_BYTES ? longest : HXB_REQUEST_SHARED_BUFFER_BYTES;
    return ring_align(notifications_offset(sizes) + (uint64_t)sizes->notifications * HXB_NOTIFICATION_ENTRY_BYTES)
         + 2 * (uint64_t)sizes->fragments * fragment_bytes;
}

static const hxb_remote_options DEFAULTS = {
    .size = sizeof DEFAULTS, .operations = 256, .notifications = 1024, .fragments = 256};

void hxb_default_remote_options_sized(hxb_remote_options *options, size_t size) {
    give_struct(options, size, &DEFAULTS, sizeof DEFAULTS);
}

static bool is_power(int count, int max) {
    return count >= 16 && count <= max && (count & (count - 1)) == 0;
}

static int check_sizes(const hxb_remote_options *sizes) {
    if (!is_power(sizes->operations, 4096)) {
        return fail(HXB_E_ARGUMENT, "operations must be a power of two, 16..4096: %d", sizes->operations);
    }
    if (!is_power(sizes->notifications, 65536)) {
        return fail(HXB_E_ARGUMENT, "notifications must be a power of two, 16..65536: %d", sizes->notifications);
    }
    if (sizes->fragments < 8 || sizes->fragments > 4096) {
        return fail(HXB_E_ARGUMENT, "fragments must be 8..4096: %d", sizes->fragments);
    }
    return HXB_OK;
}

static void close(struct service *service) {
    hxb_remote *remote = (hxb_remote *)service;
    free(remote->free_operations);
    free(remote->is_under_way);
    free(remote->is_atomic);
    free(remote->share_of);
    shares_close(&remote->shares);
    free(remote->kept);
    free(remote);
}

static hxb_remote *make_remote(hxb_context *context, const hxb_remote_options *sizes) {
    hxb_remote *remote = calloc(1, sizeof *remote);
    if (remote == NULL) {
        return NULL;
    }
    size_t count = (size_t)sizes->operations;
    remote->context = context;
    remote->operation_mask = (uint32_t)sizes->operations - 1;
    remote->notification_mask = (uint32_t)sizes->notifications - 1;
    remote->free_operations = calloc(count, sizeof *remote->free_operations);
    remote->is_under_way = calloc(count, sizeof *remote->is_under_way);
    remote->is_atomic = calloc(count, sizeof *remote->is_atomic);
    remote->share_of = calloc(count, sizeof *remote->share_of);
    remote->kept = calloc(count, sizeof *remote->kept);
    bool has_shares = shares_open(&remote->shares, sizes->operations);
    if (remote->free_operations == NULL || remote->is_under_way == NULL || remote->is_atomic == NULL
        || remote->share_of == NULL || remote->kept == NULL || !has_shares) {
        close(&remote->service);
        return NULL;
    }
    for (int operation = sizes->operations - 1; operation >= 0; operation--) {
        remote->free_operations[remote->free_count++] = operation;
    }
    return remote;
}

static const uint8_t *next_outcome(const hxb_remote *remote) {
    const uint8_t *entry = remote->outcomes + (remote->ended & remote->operation_mask) * HXB_OUTCOME_ENTRY_BYTES;
    return get64_acquire(entry) == remote->ended + 1 ? entry : NULL;
}

static const uint8_t *next_notification(const hxb_remote *remote) {
    const uint8_t *entry =
        remote->notifications + (remote->taken & remote->notification_mask) * HXB_NOTIFICATION_ENTRY_BYTES;
    return get64_acquire(entry) == remote->taken + 1 ? entry : NULL;
}

/* True if there is an outcome, or, unless only these are waited for, a notification to take. */
static bool is_ready(const struct service *service) {
    const hxb_remote *remote = (const hxb_remote *)service;
    return next_outcome(remote) != NULL
        || (!remote->is_for_outcomes && (remote->kept_count > 0 || next_notification(remote) != NULL));
}

int hxb_open_remote(hxb_context *context, const hxb_remote_options *options, hxb_remote **remote) {
    int result = check_context(context);
    hxb_remote_options sizes = DEFAULTS;
    if (result == HXB_OK && options != NULL) {
        result = take_struct(&sizes, sizeof sizes, options, "the options of remote memory");
    }
    if (result == HXB_OK) {
        result = check_sizes(&sizes);
    }
    if (result != HXB_OK) {
        return result;
    }
    if (remote == NULL) {
        return fail(HXB_E_ARGUMENT, "the pointer for the remote memory is NULL");
    }
    *remote = NULL;
    if (context->services[SERVICE_REMOTE] != NULL) {
        return fail(HXB_E_STATE, "context %d uses remote memory already", context->id);
    }
    if (context->is_remote_doubtful) {
        return fail(HXB_E_STATE, "the node has not answered whether context %d uses remote memory: open it again",
                    context->id);
    }
    hxb_remote *made = make_remote(context, &sizes);
    if (made == NULL) {
        return fail(HXB_E_MEMORY, "there is no memory for operations");
    }
    struct lent *lent = &context->memory.remote;
    uint64_t length = area_bytes(&sizes, context->device->facts.mtu);
    int state = connection_enter(&context->device->connection);
    result = attach_remote(context->device, context->id, &sizes, length, lent, &context->is_remote_doubtful);
    connection_leave(&context->device->connection, state);
    if (result != HXB_OK) {
        close(&made->service);
        return result;
    }
    made->area = lent->data;
    made->operations = made->area + HXB_AREA_RINGS;
    made->outcomes = made->area + outcomes_offset(&sizes);
    made->notifications = made->area + notifications_offset(&sizes);
    made->service = (struct service){.is_ready = is_ready, .close = close};
    context->services[SERVICE_REMOTE] = &made->service;
    *remote = made;
    return HXB_OK;
}

/* ---- Sharing ---- */

int hxb_share_region(const hxb_region *region, int rights, uint64_t *key) {
    if (region == NULL || key == NULL) {
        return fail(HXB_E_ARGUMENT, "the region, or the place for the key, is NULL");
    }
    int result = check_device(region->device);
    if (result != HXB_OK) {
        return result;
    }
    if (rights < 1 || rights > HXB_ACCESS_ALL) {
        return fail(HXB_E_ARGUMENT, "the rights must be one or more of HXB_ACCESS_READ, HXB_ACCESS_WRITE and"
                    " HXB_ACCESS_ATOMIC: %d", rights);
    }
    if (rights != HXB_ACCESS_READ && !region->is_writable) {
        return fail(HXB_E_ARGUMENT, "others may only read the region: make it by hxb_open_writable_region");
    }
    int state = connection_enter(&region->device->connection);
    result = share_memory(region->device, region->lent.id, rights, key);
    connection_leave(&region->device->connection, state);
    return result;
}

int hxb_revoke(hxb_device *device, uint64_t key) {
    int result = check_device(device);
    if (result == HXB_OK) {
        int state = connection_enter(&device->connection);
        result = revoke_key(device, key);
        connection_leave(&device->connection, state);
    }
    return result;
}

/* ---- Operations ---- */

static int check_remote(const hxb_remote *remote) {
    return LIKELY(remote != NULL) ? check_context(remote->context)
                                  : fail(HXB_E_ARGUMENT, "the remote memory is NULL");
}

/* The number of an operation, which is under way from now on, or why there is none. */
static int claim(hxb_remote *remote, int node, int peer_context) {
    int status = context_status(remote->context);
    if (status != HXB_OK) {
        return status;
    }
    int share = remote->free_count == 0 ? NONE : share_take(&remote->shares, node, peer_context);
    if (share == NONE) {
        return context_idle(remote->context, HXB_NO_BUFFERS);
    }
    int operation = remote->free_operations[--remote->free_count];
    remote->is_under_way[operation] = true;
    remote->share_of[operation] = share;
    return operation;
}

struct operation {
    int kind, node, context, region;
    uint64_t region_offset, key, offset, length, first, second;
};

static int submit(hxb_remote *remote, const struct operation *wanted) {
    int number = claim(remote, wanted->node, wanted->context);
    if (number < 0) {
        return number;
    }
    remote->is_atomic[number] = wanted->kind == HXB_OPERATION_ADD || wanted->kind == HXB_OPERATION_SWAP;
    uint8_t *entry = remote->operations + (remote->submitted & remote->operation_mask) * HXB_OPERATION_ENTRY_BYTES;
    put32(entry + HXB_OPERATION_SLOT, (uint32_t)number);
    put32(entry + HXB_OPERATION_KIND, (uint32_t)wanted->kind);
    put32(entry + HXB_OPERATION_NODE, (uint32_t)wanted->node);
    put32(entry + HXB_OPERATION_CONTEXT, (uint32_t)wanted->context);
    put32(entry + HXB_OPERATION_REGION, (uint32_t)wanted->region);
    put64(entry + HXB_OPERATION_REGION_OFFSET, wanted->region_offset);
    put64(entry + HXB_OPERATION_KEY, wanted->key);
    put64(entry + HXB_OPERATION_OFFSET, wanted->offset);
    put64(entry + HXB_OPERATION_LENGTH, wanted->length);
    put64(entry + HXB_OPERATION_FIRST, wanted->first);
    put64(entry + HXB_OPERATION_SECOND, wanted->second);
    put64_release(entry, ++remote->submitted);
    atomic_thread_fence(memory_order_seq_cst);
    wake_node(remote->context);
    return number;
}

static int transfer(hxb_remote *remote, struct operation *wanted, const hxb_region *local,
                    const hxb_remote_region *peer) {
    int result = check_remote(remote);
    if (result == HXB_OK && peer == NULL) {
        result = fail(HXB_E_ARGUMENT, "the remote region is NULL");
    }
    if (result == HXB_OK && wanted->length > HXB_OPERATION_MAX_LENGTH) {
        result = fail(HXB_E_ARGUMENT, "the length must be 0..2^30: %llu", (unsigned long long)wanted->length);
    }
    if (result == HXB_OK) {
        result = check_destination(remote->context->device, peer->at.node, peer->at.context);
    }
    if (result == HXB_OK) {
        result = check_range(remote->context->device, local, wanted->region_offset, wanted->length);
    }
    if (result == HXB_OK && wanted->kind == HXB_OPERATION_GET && !local->is_writable) {
        result = fail(HXB_E_ARGUMENT, "the node cannot write to the region: make it by hxb_open_writable_region");
    }
    if (result != HXB_OK) {
        return result;
    }
    wanted->node = peer->at.node;
    wanted->context = peer->at.context;
    wanted->region = local->lent.id;
    wanted->key = peer->key;
    return submit(remote, wanted);
}

int hxb_put(hxb_remote *remote, const hxb_region *from, uint64_t from_offset, const hxb_remote_region *to,
            uint64_t to_offset, uint64_t length) {
    struct operation put = {
        .kind = HXB_OPERATION_PUT, .region_offset = from_offset, .offset = to_offset, .length = length};
    return transfer(remote, &put, from, to);
}

int hxb_put_notify(hxb_remote *remote, const hxb_region *from, uint64_t from_offset, const hxb_remote_region *to,
                   uint64_t to_offset, uint64_t length, uint64_t tag) {
    struct operation put = {.kind = HXB_OPERATION_PUT_NOTIFY,
                            .region_offset = from_offset,
                            .offset = to_offset,
                            .length = length,
                            .first = tag};
    return transfer(remote, &put, from, to);
}

int hxb_get(hxb_remote *remote, const hxb_remote_region *from, uint64_t from_offset, hxb_region *to,
            uint64_t to_offset, uint64_t length) {
    struct operation get = {
        .kind = HXB_OPERATION_GET, .region_offset = to_offset, .offset = from_offset, .length = length};
    return transfer(remote, &get, to, from);
}

static int change(hxb_remote *remote, int kind, const hxb_remote_region *peer, uint64_t offset, uint64_t first,
                  uint64_t second) {
    int result = check_remote(remote);
    if (result == HXB_OK && peer == NULL) {
        result = fail(HXB_E_ARGUMENT, "the remote region is NULL");
    }
    if (result == HXB_OK) {
        result = check_destination(remote->context->device, peer->at.node, peer->at.context);
    }
    if (result != HXB_OK) {
        return result;
    }
    const struct operation wanted = {.kind = kind,
                                     .node = peer->at.node,
                                     .context = peer->at.context,
                                     .key = peer->key,
                                     .offset = offset,
                                     .first = first,
                                     .second = second};
    return submit(remote, &wanted);
}

int hxb_fetch_add(hxb_remote *remote, const hxb_remote_region *to, uint64_t offset, uint64_t addend) {
    return change(remote, HXB_OPERATION_ADD, to, offset, addend, 0);
}

int hxb_compare_swap(hxb_remote *remote, const hxb_remote_region *to, uint64_t offset, uint64_t expected,
                     uint64_t desired) {
    return change(remote, HXB_OPERATION_SWAP, to, offset, expected, desired);
}

int hxb_fence(hxb_remote *remote, hxb_address to) {
    const hxb_remote_region peer = {to, 0};
    return change(remote, HXB_OPERATION_FENCE, &peer, 0, 0, 0);
}

/* ---- Outcomes and notifications ---- */

/* Takes an outcome from the node; the operation's number is not free yet. */
static int take_outcome(hxb_remote *remote, hxb_outcome *outcome) {
    int status = context_status(remote->context);
    const uint8_t *entry = status == HXB_OK ? next_outcome(remote) : NULL;
    if (entry == NULL) {
        return status != HXB_OK ? status : context_idle(remote->context, HXB_EMPTY);
    }
    uint32_t operation = get32(entry + HXB_OUTCOME_SLOT);
    if (UNLIKELY(operation > remote->operation_mask || !remote->is_under_way[operation])) {
        return corrupt(remote->context, "the outcome of an operation that is not under way");
    }
    outcome->operation = (int)operation;
    outcome->status = (int)get32(entry + HXB_OUTCOME_STATUS);
    if (UNLIKELY(!is_status(outcome->status))) {
        return corrupt(remote->context, "an outcome with a status that does not exist");
    }
    outcome->value = get64(entry + HXB_OUTCOME_VALUE);
    remote->ended++;
    remote->is_under_way[operation] = false;
    share_done(&remote->shares, remote->share_of[operation]);
    return HXB_OK;
}

static void free_operation(hxb_remote *remote, int operation) {
    share_give_back(&remote->shares, remote->share_of[operation], 1, 0);
    remote->free_operations[remote->free_count++] = operation;
}

int hxb_poll_outcome(hxb_remote *remote, hxb_outcome *outcome) {
    int result = check_remote(remote);
    if (result != HXB_OK || outcome == NULL) {
        return result != HXB_OK ? result : fail(HXB_E_ARGUMENT, "the pointer for the outcome is NULL");
    }
    if (remote->kept_count > 0) {
        *outcome = remote->kept[remote->kept_first++ & remote->operation_mask];
        remote->kept_count--;
    } else {
        result = take_outcome(remote, outcome);
    }
    if (result == HXB_OK) {
        free_operation(remote, outcome->operation);
    }
    return result;
}

int hxb_poll_notification(hxb_remote *remote, hxb_notification *notification) {
    int result = check_remote(remote);
    if (result != HXB_OK || notification == NULL) {
        return result != HXB_OK ? result : fail(HXB_E_ARGUMENT, "the pointer for the notification is NULL");
    }
    int status = context_status(remote->context);
    const uint8_t *entry = status == HXB_OK ? next_notification(remote) : NULL;
    if (entry == NULL) {
        return status != HXB_OK ? status : context_idle(remote->context, HXB_EMPTY);
    }
    notification->from.node = (int)get32(entry + HXB_NOTIFICATION_NODE);
    notification->from.context = (int)get32(entry + HXB_NOTIFICATION_CONTEXT);
    memset(notification->reserved, 0, sizeof notification->reserved);
    notification->key = get64(entry + HXB_NOTIFICATION_KEY);
    notification->offset = get64(entry + HXB_NOTIFICATION_OFFSET);
    notification->length = get64(entry + HXB_NOTIFICATION_LENGTH);
    notification->tag = get64(entry + HXB_NOTIFICATION_TAG);
    put64_release(remote->area + HXB_AREA_TAKEN, ++remote->taken);
    atomic_thread_fence(memory_order_seq_cst);
    if (UNLIKELY(get32(remote->area + HXB_AREA_TAKE_AWAITED) != 0)) {
        wake_node(remote->context);
    }
    return HXB_OK;
}

int hxb_unfinished_operations(const hxb_remote *remote) {
    int result = check_remote(remote);
    return result == HXB_OK ? (int)remote->operation_mask + 1 - remote->free_count : result;
}

int hxb_unfinished_operations_to(const hxb_remote *remote, hxb_address to) {
    int result = check_remote(remote);
    if (result == HXB_OK) {
        result = check_destination(remote->context->device, to.node, to.context);
    }
    int share = result == HXB_OK ? share_find(&remote->shares, share_key(to.node, to.context)) : NONE;
    return share == NONE ? result : remote->shares.all[share].messages;
}

static int finish(hxb_remote *remote, int64_t timeout_ns) {
    int64_t start = now_ns();
    int worst = HXB_OK;
    while (remote->free_count + (int)remote->kept_count <= (int)remote->operation_mask) {
        hxb_outcome outcome;
        int status = take_outcome(remote, &outcome);
        if (status == HXB_OK) {
            worst = worst == HXB_OK ? outcome.status : worst;
            if (remote->is_atomic[outcome.operation]) {
                remote->kept[(remote->kept_first + remote->kept_count++) & remote->operation_mask] = outcome;
            } else {
                free_operation(remote, outcome.operation);
            }
            continue;
        }
        if (status == HXB_EMPTY) {
            int64_t left = timeout_ns - (now_ns() - start);
            remote->is_for_outcomes = true;
            status = wait_for(remote->context, HXB_WAIT_REMOTE, left > 0 ? left : 0);
            remote->is_for_outcomes = false;
        }
        if (status != HXB_OK) {
            return status;
        }
    }
    return worst;
}

int hxb_finish(hxb_remote *remote, int64_t timeout_ns) {
    int result = check_remote(remote);
    if (result == HXB_OK) {
        result = check_timeout(timeout_ns);
    }
    if (result != HXB_OK) {
        return result;
    }
    wait_enter(remote->context);
    return wait_leave(remote->context, finish(remote, timeout_ns));
}
