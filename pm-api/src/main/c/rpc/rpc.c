/* Functions of an endpoint of requests and replies for programs. */
#define _GNU_SOURCE
#include "rpc/rpc.h"

#include <stdlib.h>
#include <sys/random.h>

#define MAX_TIMEOUT_NS (86400 * HXB_SECOND)

static struct rpc_peer *peer_of(hxb_rpc *rpc, hxb_address address) {
    struct rpc_peer *peer = rpc_peer(rpc, address);
    if (peer == NULL) {
        fail(HXB_E_MEMORY, "no memory for another peer, or %d have something to do", RPC_MAX_PEERS);
    }
    return peer;
}

static int begin_call(hxb_rpc *rpc, hxb_address to, const void *data, size_t length, int64_t deadline,
                      hxb_rpc_done done, void *user) {
    struct rpc_peer *peer = peer_of(rpc, to);
    if (peer == NULL) {
        return HXB_E_MEMORY;
    }
    if (peer->calls >= HXB_RPC_OUTSTANDING) {
        return HXB_NO_BUFFERS;
    }
    int result = rpc_new_call(rpc, peer, data, length, deadline, done, user);
    if (result == HXB_OK) {
        rpc_flush_outside(rpc);
    }
    return result;
}

static int check_call(const hxb_rpc *rpc, hxb_address to, const void *data, size_t length, int64_t timeout_ns) {
    int result = rpc_check_peer(rpc, to);
    result = result == HXB_OK ? rpc_check_data(rpc, data, length) : result;
    if (result == HXB_OK && (timeout_ns < 1 || timeout_ns > MAX_TIMEOUT_NS)) {
        return fail(HXB_E_ARGUMENT, "timeout_ns must be 1 to a day");
    }
    return result == HXB_OK && rpc->context_id < 0 ? HXB_CONTEXT_CLOSED : result;
}

int hxb_rpc_call(hxb_rpc *rpc, hxb_address to, const void *data, size_t length, int64_t timeout_ns, hxb_rpc_done done,
                 void *user) {
    int result = rpc_check(rpc);
    result = result == HXB_OK ? check_call(rpc, to, data, length, timeout_ns) : result;
    return result == HXB_OK ? begin_call(rpc, to, data, length, now_ns() + timeout_ns, done, user) : result;
}

int hxb_rpc_call_wait(hxb_rpc *rpc, hxb_address to, const void *data, size_t length, int64_t timeout_ns,
                      hxb_rpc_done done, void *user) {
    int result = rpc_check_outside(rpc);
    result = result == HXB_OK ? check_call(rpc, to, data, length, timeout_ns) : result;
    if (result != HXB_OK) {
        return result;
    }
    int64_t deadline = now_ns() + timeout_ns;
    result = begin_call(rpc, to, data, length, deadline, done, user);
    while (result == HXB_NO_BUFFERS) {
        int64_t left = deadline - now_ns();
        result = left > 0 ? rpc_serve(rpc, left) : HXB_TIMED_OUT;
        if (result > 0) {
            result = begin_call(rpc, to, data, length, deadline, done, user);
        }
    }
    return result;
}

int hxb_rpc_outstanding(const hxb_rpc *rpc, hxb_address to) {
    int result = rpc_check(rpc);
    const struct rpc_peer *peer = result == HXB_OK ? rpc_find(rpc, to) : NULL;
    return result != HXB_OK ? result : peer == NULL ? 0 : peer->calls;
}

int hxb_rpc_publish(hxb_rpc *rpc, const hxb_address *to, int count, const void *data, size_t length) {
    int result = rpc_check(rpc);
    if (result == HXB_OK && (count < 0 || (to == NULL && count > 0))) {
        return fail(HXB_E_ARGUMENT, "the peers are NULL, or their count is negative");
    }
    for (int i = 0; result == HXB_OK && i < count; i++) {
        result = rpc_check_peer(rpc, to[i]);
    }
    result = result == HXB_OK ? rpc_check_data(rpc, data, length) : result;
    int posted = 0;
    for (int i = 0; result == HXB_OK && i < count; i++) {
        struct rpc_peer *peer = rpc_peer(rpc, to[i]);
        if (peer != NULL && peer->published < HXB_RPC_WAITING
            && rpc_post(peer, RPC_PUBLISHED, peer->endpoint_id, 0, data, length)) {
            peer->published++;
            posted++;
        }
    }
    if (posted > 0) {
        rpc_flush_outside(rpc);
    }
    return result == HXB_OK ? posted : result;
}

int hxb_rpc_watch(hxb_rpc *rpc, hxb_address address) {
    int result = rpc_check(rpc);
    result = result == HXB_OK ? rpc_check_peer(rpc, address) : result;
    struct rpc_peer *peer = result == HXB_OK ? peer_of(rpc, address) : NULL;
    if (peer == NULL) {
        return result == HXB_OK ? HXB_E_MEMORY : result;
    }
    if (!peer->is_watched) {
        peer->is_watched = true;
        peer->is_there = false;
        peer->heard_ns = now_ns();
        peer->ping_ns = peer->heard_ns;
    }
    return HXB_OK;
}

int hxb_rpc_node_id(const hxb_rpc *rpc) {
    return rpc == NULL ? fail(HXB_E_ARGUMENT, "the endpoint is NULL") : rpc->node;
}

size_t hxb_rpc_max_length(const hxb_rpc *rpc) {
    return rpc == NULL ? 0 : rpc->max_length;
}

int64_t hxb_rpc_attachments(const hxb_rpc *rpc) {
    return rpc == NULL ? fail(HXB_E_ARGUMENT, "the endpoint is NULL") : rpc->attachments;
}

/* ---- Serving ---- */

int hxb_rpc_serve(hxb_rpc *rpc, int64_t timeout_ns) {
    int result = rpc_check_outside(rpc);
    result = result == HXB_OK ? check_timeout(timeout_ns) : result;
    return result == HXB_OK ? rpc_serve(rpc, timeout_ns) : result;
}

int hxb_rpc_wake(hxb_rpc *rpc) {
    if (rpc == NULL) {
        return HXB_E_ARGUMENT; /* no text: it may be a handler of a signal */
    }
    signal_event(rpc->wake_fd);
    return HXB_OK;
}

/* ---- Opening and closing ---- */

static void release(hxb_rpc *rpc) {
    hxb_detach(rpc->device);
    while (rpc->in_flight.first != NULL) {
        struct rpc_message *message = rpc->in_flight.first;
        rpc_remove(&rpc->in_flight, message);
        free(message);
    }
    rpc_free_peers(rpc);
    descriptor_close(rpc->wake_fd);
    free(rpc->heap);
    free(rpc->socket);
    free(rpc);
}

static int begin(hxb_rpc *rpc, const hxb_rpc_options *options) {
    rpc->socket = options->socket == NULL ? NULL : strdup(options->socket);
    if (options->socket != NULL && rpc->socket == NULL) {
        return fail(HXB_E_MEMORY, "no memory for an endpoint");
    }
    rpc->wake_fd = event_open();
    if (rpc->wake_fd < 0) {
        return fail_errno("cannot make an event descriptor");
    }
    if (getrandom(&rpc->endpoint_id, sizeof rpc->endpoint_id, 0) != (ssize_t)sizeof rpc->endpoint_id) {
        return fail_errno("cannot get a random number");
    }
    rpc->endpoint_id |= 1; /* never 0 */
    int result = rpc_attach(rpc);
    if (result == HXB_OK) {
        rpc->node = hxb_node_id(rpc->device);
        rpc->nodes = hxb_node_count(rpc->device);
        rpc->contexts = hxb_context_count(rpc->device);
        rpc->max_length = (size_t)hxb_max_length(rpc->context) - HXB_RPC_HEADER_BYTES;
    }
    return result;
}

int hxb_rpc_open(const hxb_rpc_options *options, hxb_rpc **rpc) {
    if (options == NULL || rpc == NULL) {
        return fail(HXB_E_ARGUMENT, "the options, or where the endpoint is put, are NULL");
    }
    hxb_rpc_options taken = {.size = sizeof taken};
    int result = take_struct(&taken, sizeof taken, options, "hxb_rpc_options");
    if (result != HXB_OK) {
        return result;
    }
    hxb_rpc *opened = calloc(1, sizeof *opened);
    if (opened == NULL) {
        return fail(HXB_E_MEMORY, "no memory for an endpoint");
    }
    opened->wake_fd = -1;
    opened->context_id = taken.context_id;
    opened->user = taken.user;
    opened->on_request = taken.on_request;
    opened->on_peer = taken.on_peer;
    opened->first_number = 1;
    opened->process = process_number();
    atomic_init(&opened->owner, this_thread());
    rpc_init_list(&opened->in_flight);
    result = begin(opened, &taken);
    if (result != HXB_OK) {
        release(opened);
        return result;
    }
    *rpc = opened;
    return HXB_OK;
}

int hxb_rpc_own(hxb_rpc *rpc) {
    if (rpc == NULL) {
        return fail(HXB_E_ARGUMENT, "the endpoint is NULL");
    }
    if (is_forked(rpc->process)) {
        return fail(HXB_E_FORKED, "the endpoint of context %d was opened before a fork", rpc->context_id);
    }
    atomic_store_explicit(&rpc->owner, this_thread(), memory_order_relaxed);
    return rpc->context == NULL ? HXB_OK : hxb_own_context(rpc->context);
}

int hxb_rpc_close(hxb_rpc *rpc) {
    int result = rpc == NULL ? HXB_OK : rpc_check_outside(rpc);
    if (rpc != NULL && result == HXB_OK) {
        rpc->context_id = -1; /* nothing is begun any more */
        rpc_end_all(rpc, HXB_CONTEXT_CLOSED);
        release(rpc);
    }
    return result;
}
