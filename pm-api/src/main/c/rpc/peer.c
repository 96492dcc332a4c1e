/* Peers, the messages that wait for them, and their requests that were begun: RpcPeer, RpcPeers, RpcDuplicateFilter. */
#include "rpc/rpc.h"

#include <stdlib.h>

#define SILENT_NS (3 * HXB_SECOND)
#define PING_NS HXB_SECOND
#define PING_AGAIN_NS (HXB_SECOND / 50)

/* ---- Lists of messages ---- */

void rpc_init_list(struct rpc_list *list) {
    list->first = NULL;
    list->last = &list->first;
    list->count = 0;
}

void rpc_append(struct rpc_list *list, struct rpc_message *message) {
    message->next = NULL;
    message->back = list->last;
    *list->last = message;
    list->last = &message->next;
    list->count++;
}

void rpc_remove(struct rpc_list *list, struct rpc_message *message) {
    *message->back = message->next;
    *(message->next == NULL ? &list->last : &message->next->back) = message->back;
    list->count--;
}

struct rpc_message *rpc_new_message(struct rpc_peer *peer, int kind, uint64_t to, uint64_t number, const void *data,
                                    size_t length) {
    struct rpc_message *message = malloc(sizeof *message + length);
    if (message == NULL) {
        return NULL;
    }
    memset(message, 0, sizeof *message);
    message->peer = peer;
    message->kind = kind;
    message->kept_until = kind == RPC_REPLY || kind == RPC_FAILURE ? now_ns() + RPC_ANSWER_NS : 0;
    message->to = to;
    message->number = number;
    message->length = length;
    if (length > 0) {
        memcpy(message->data, data, length);
    }
    return message;
}

bool rpc_post(struct rpc_peer *peer, int kind, uint64_t to, uint64_t number, const void *data, size_t length) {
    bool is_counted = kind == RPC_REPLY || kind == RPC_FAILURE || kind == RPC_PUBLISHED;
    if (!is_counted && peer->others.count >= HXB_RPC_WAITING) {
        return false;
    }
    struct rpc_message *message = rpc_new_message(peer, kind, to, number, data, length);
    if (message == NULL) {
        return false;
    }
    rpc_append(&peer->others, message);
    return true;
}

/* ---- Peers ---- */

static struct rpc_peer **bucket(const hxb_rpc *rpc, hxb_address address) {
    uint32_t hash = ((uint32_t)address.node * 31 + (uint32_t)address.context) * 2654435769U;
    return (struct rpc_peer **)&rpc->buckets[hash >> 22];
}

_Static_assert(RPC_BUCKETS == 1 << (32 - 22), "buckets");

struct rpc_peer *rpc_find(const hxb_rpc *rpc, hxb_address address) {
    struct rpc_peer *peer = *bucket(rpc, address);
    while (peer != NULL && (peer->address.node != address.node || peer->address.context != address.context)) {
        peer = peer->next;
    }
    return peer;
}

static bool is_idle(const struct rpc_peer *peer) {
    return !peer->is_watched && peer->calls == 0 && peer->in_flight == 0 && peer->others.count == 0
        && peer->history.running == 0;
}

static void forget(hxb_rpc *rpc, struct rpc_peer *peer) {
    struct rpc_peer **at = bucket(rpc, peer->address);
    while (*at != peer) {
        at = &(*at)->next;
    }
    *at = peer->next;
    *(peer->older == NULL ? &rpc->oldest : &peer->older->newer) = peer->newer;
    *(peer->newer == NULL ? &rpc->newest : &peer->newer->older) = peer->older;
    rpc->peers--;
    free(peer->history.run);
    free(peer);
}

static bool forget_one(hxb_rpc *rpc) {
    for (struct rpc_peer *peer = rpc->oldest; peer != NULL; peer = peer->newer) {
        if (is_idle(peer)) {
            /* The peer remembers the numbers that it has had. */
            rpc->first_number = peer->last_number >= rpc->first_number ? peer->last_number + 1 : rpc->first_number;
            rpc->has_forgotten = true;
            forget(rpc, peer);
            return true;
        }
    }
    return false;
}

struct rpc_peer *rpc_peer(hxb_rpc *rpc, hxb_address address) {
    struct rpc_peer *peer = rpc_find(rpc, address);
    if (peer != NULL || (rpc->peers >= RPC_MAX_PEERS && !forget_one(rpc))) {
        return peer;
    }
    peer = calloc(1, sizeof *peer);
    if (peer == NULL) {
        return NULL;
    }
    peer->address = address;
    peer->last_number = rpc->first_number - 1;
    peer->heard_ns = now_ns();
    peer->ping_ns = peer->heard_ns;
    rpc_init_list(&peer->others);
    peer->next = *bucket(rpc, address);
    *bucket(rpc, address) = peer;
    peer->older = rpc->newest;
    *(rpc->newest == NULL ? &rpc->oldest : &rpc->newest->newer) = peer;
    rpc->newest = peer;
    rpc->peers++;
    return peer;
}

void rpc_free_peers(hxb_rpc *rpc) {
    while (rpc->oldest != NULL) {
        struct rpc_peer *peer = rpc->oldest;
        while (peer->others.first != NULL) {
            struct rpc_message *message = peer->others.first;
            rpc_remove(&peer->others, message);
            free(message);
        }
        forget(rpc, peer);
    }
}

static void report(hxb_rpc *rpc, struct rpc_peer *peer, bool is_there) {
    if (peer->is_watched && peer->is_there != is_there) {
        peer->is_there = is_there;
        if (rpc->on_peer != NULL) {
            bool was_calling = rpc->is_calling;
            rpc->is_calling = true;
            rpc->called++;
            rpc->on_peer(rpc->user, rpc, peer->address, is_there);
            rpc->is_calling = was_calling;
        }
    }
}

void rpc_on_heard(hxb_rpc *rpc, struct rpc_peer *peer, uint64_t endpoint_id) {
    peer->endpoint_id = endpoint_id;
    peer->heard_ns = now_ns();
    peer->last_status = HXB_OK;
    report(rpc, peer, true);
}

void rpc_on_doubt(hxb_rpc *rpc, struct rpc_peer *peer, int status) {
    int64_t soon = now_ns() + PING_AGAIN_NS;
    peer->last_status = status;
    peer->is_sure = false;
    peer->rested_ns = soon;
    if (peer->ping_ns - soon > 0) {
        peer->ping_ns = soon;
    }
    report(rpc, peer, false);
}

bool rpc_is_to_be_pinged(hxb_rpc *rpc, struct rpc_peer *peer, int64_t now) {
    if (peer->is_watched && now - peer->heard_ns > SILENT_NS) {
        report(rpc, peer, false);
    }
    bool is_wanted = peer->is_watched || peer->under_way > 0 || (!peer->is_sure && peer->fresh != NULL);
    if (!is_wanted || peer->is_ping_in_flight || peer->ping_ns - now > 0) {
        return false;
    }
    peer->ping_ns = now + PING_NS;
    return true;
}

/* ---- Requests of a peer ---- */

static uint64_t bit(uint64_t number) {
    return UINT64_C(1) << number % 64;
}

static uint64_t *word(const struct rpc_history *history, uint64_t number) {
    return (uint64_t *)&history->begun[number / 64 % (RPC_WINDOW / 64)];
}

bool rpc_has_begun(const struct rpc_history *history, uint64_t number) {
    if (number > history->highest) {
        return false;
    }
    return history->highest - number >= RPC_WINDOW || (*word(history, number) & bit(number)) != 0;
}

void rpc_begin_run(struct rpc_history *history, uint64_t number) {
    if (number > history->highest && number - history->highest >= RPC_WINDOW) {
        memset(history->begun, 0, sizeof history->begun);
        history->highest = number;
    }
    while (history->highest < number) {
        history->highest++;
        *word(history, history->highest) &= ~bit(history->highest);
    }
    *word(history, number) |= bit(number);
    history->run[history->running].number = number;
    history->run[history->running++].is_answered = false;
}

int rpc_find_run(const struct rpc_history *history, uint64_t number) {
    for (int place = 0; place < history->running; place++) {
        if (history->run[place].number == number) {
            return place;
        }
    }
    return -1;
}

void rpc_end_run(struct rpc_history *history, int place) {
    history->run[place] = history->run[--history->running];
}
