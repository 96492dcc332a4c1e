/* Requests of the program, from its call to their end: RpcCaller explains their fates. */
#include "rpc/rpc.h"

#include <stdlib.h>

/* ---- The heap of deadlines ---- */

static bool is_earlier(const struct rpc_call *one, const struct rpc_call *other) {
    return one->deadline - other->deadline < 0;
}

static void put(hxb_rpc *rpc, size_t place, struct rpc_call *call) {
    rpc->heap[place] = call;
    call->place = place;
}

static void settle(hxb_rpc *rpc, struct rpc_call *call) {
    size_t place = call->place;
    while (place > 0 && is_earlier(call, rpc->heap[(place - 1) / 2])) {
        put(rpc, place, rpc->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    for (;;) {
        size_t child = 2 * place + 1;
        if (child + 1 < rpc->heap_count && is_earlier(rpc->heap[child + 1], rpc->heap[child])) {
            child++;
        }
        if (child >= rpc->heap_count || !is_earlier(rpc->heap[child], call)) {
            break;
        }
        put(rpc, place, rpc->heap[child]);
        place = child;
    }
    put(rpc, place, call);
}

static bool heap_add(hxb_rpc *rpc, struct rpc_call *call) {
    if (rpc->heap_count == rpc->heap_room) {
        size_t room = rpc->heap_room == 0 ? 64 : 2 * rpc->heap_room;
        struct rpc_call **grown = realloc(rpc->heap, room * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        rpc->heap = grown;
        rpc->heap_room = room;
    }
    put(rpc, rpc->heap_count++, call);
    settle(rpc, call);
    return true;
}

static void heap_remove(hxb_rpc *rpc, struct rpc_call *call) {
    struct rpc_call *last = rpc->heap[--rpc->heap_count];
    if (last != call) {
        put(rpc, call->place, last);
        settle(rpc, last);
    }
}

/* ---- Calls ---- */

int rpc_new_call(hxb_rpc *rpc, struct rpc_peer *peer, const void *data, size_t length, int64_t deadline,
                 hxb_rpc_done done, void *user) {
    struct rpc_call *call = malloc(sizeof *call + length);
    if (call == NULL) {
        return fail(HXB_E_MEMORY, "no memory for a request of %zu bytes", length);
    }
    memset(call, 0, sizeof *call);
    call->peer = peer;
    call->deadline = deadline;
    call->done = done;
    call->user = user;
    call->length = length;
    if (length > 0) {
        memcpy(call->data, data, length);
    }
    if (!heap_add(rpc, call)) {
        free(call);
        return fail(HXB_E_MEMORY, "no memory for another request");
    }
    call->before = peer->last;
    *(peer->last == NULL ? &peer->first : &peer->last->next) = call;
    peer->last = call;
    if (peer->fresh == NULL) {
        peer->fresh = call;
    }
    peer->calls++;
    return HXB_OK;
}

static void leave_peer(struct rpc_call *call) {
    struct rpc_peer *peer = call->peer;
    if (peer->fresh == call) {
        peer->fresh = call->next;
    }
    *(call->before == NULL ? &peer->first : &call->before->next) = call->next;
    *(call->next == NULL ? &peer->last : &call->next->before) = call->before;
    peer->calls--;
    peer->under_way -= call->number != 0;
    peer->doubts -= call->is_in_doubt;
    if (call->in_flight != NULL) {
        call->in_flight->call = NULL;
    }
}

void rpc_end_call(hxb_rpc *rpc, struct rpc_call *call, int status, bool may_be_done, const void *data, size_t length) {
    hxb_rpc_result result = {.peer = call->peer->address, .status = status, .may_be_done = may_be_done,
                             .data = data, .length = length};
    heap_remove(rpc, call);
    leave_peer(call);
    rpc->called++;
    if (call->done != NULL) {
        bool was_calling = rpc->is_calling;
        rpc->is_calling = true;
        call->done(call->user, &result);
        rpc->is_calling = was_calling;
    }
    free(call);
}

void rpc_fail_call(hxb_rpc *rpc, struct rpc_call *call, int status) {
    rpc_end_call(rpc, call, status, call->number != 0, NULL, 0);
}

void rpc_end_late(hxb_rpc *rpc, int64_t now) {
    while (rpc->heap_count > 0 && rpc->heap[0]->deadline - now <= 0) {
        const struct rpc_peer *peer = rpc->heap[0]->peer;
        bool has_reason = !peer->is_sure && peer->last_status != HXB_OK;
        rpc_fail_call(rpc, rpc->heap[0], has_reason ? peer->last_status : HXB_TIMED_OUT);
    }
}

void rpc_end_all(hxb_rpc *rpc, int status) {
    while (rpc->heap_count > 0) {
        rpc_fail_call(rpc, rpc->heap[0], status);
    }
}

/* Not those that the program begins meanwhile. */
void rpc_end_calls_of(hxb_rpc *rpc, struct rpc_peer *peer, int status) {
    for (int left = peer->calls; left > 0 && peer->first != NULL; left--) {
        rpc_fail_call(rpc, peer->first, status);
    }
}

void rpc_doubt(struct rpc_call *call) {
    if (!call->is_in_doubt) {
        call->is_in_doubt = true;
        call->peer->doubts++;
    }
}

void rpc_doubt_all(struct rpc_peer *peer) {
    for (struct rpc_call *call = peer->first; call != peer->fresh; call = call->next) {
        if (call->in_flight == NULL) {
            rpc_doubt(call);
        }
    }
}

/* Those that were sent are HXB_RPC_UNDER_WAY at most. */
struct rpc_call *rpc_find_call(const struct rpc_peer *peer, uint64_t number) {
    for (struct rpc_call *call = peer->first; call != peer->fresh; call = call->next) {
        if (call->number == number) {
            return call;
        }
    }
    return NULL;
}

struct rpc_call *rpc_next_call(const struct rpc_peer *peer) {
    for (struct rpc_call *call = peer->first; peer->doubts > 0 && call != peer->fresh; call = call->next) {
        if (call->is_in_doubt) {
            return call;
        }
    }
    return peer->under_way < HXB_RPC_UNDER_WAY ? peer->fresh : NULL;
}

void rpc_on_sent(struct rpc_call *call, struct rpc_message *message) {
    struct rpc_peer *peer = call->peer;
    if (call->number == 0) {
        call->number = message->number;
        call->sent_to = message->to;
        peer->last_number = message->number;
        peer->under_way++;
        peer->fresh = call->next;
    }
    peer->doubts -= call->is_in_doubt;
    call->is_in_doubt = false;
    call->in_flight = message;
}
