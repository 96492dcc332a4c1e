/* The states of peers. */
#include "libfabric/objects/objects.h"

#include <stdlib.h>

uint64_t peer_state(const struct endpoint *endpoint, uint64_t peer) {
    return map_get(&endpoint->states, peer, 0);
}

void set_peer_state(struct endpoint *endpoint, uint64_t peer, uint64_t state) {
    if (!map_set(&endpoint->states, peer, state)) {
        endpoint->failure = FI_ENOMEM;
    }
}

int error_of_peer(struct endpoint *endpoint, uint64_t peer) {
    uint64_t state = peer_state(endpoint, peer);
    int error = (int)(state & ERROR_MASK);
    if (error != 0 && (state & IS_GONE) == 0) {
        set_peer_state(endpoint, peer, state & ~(uint64_t)ERROR_MASK);
    }
    return error;
}

uint16_t session_of(const struct endpoint *endpoint, uint64_t peer) {
    return (uint16_t)(peer_state(endpoint, peer) >> SESSION_SHIFT);
}

bool is_gone(const struct endpoint *endpoint, uint64_t peer) {
    return (peer_state(endpoint, peer) & IS_GONE) != 0;
}

void set_wants_no_bytes(struct endpoint *endpoint, uint64_t peer, bool is_full) {
    uint64_t others = peer_state(endpoint, peer) & ~WANTS_NO_BYTES;
    set_peer_state(endpoint, peer, others | (is_full ? WANTS_NO_BYTES : 0));
}

bool wants_no_bytes(const struct endpoint *endpoint, uint64_t peer) {
    return (peer_state(endpoint, peer) & WANTS_NO_BYTES) != 0;
}

uint64_t peer_at(const struct endpoint *endpoint, int node, int context) {
    uint64_t peer = peer_of(node, context, 0);
    uint64_t incarnation = map_get(&endpoint->heard, peer, NO_KEY);
    if (incarnation != NO_KEY) {
        return peer | incarnation;
    }
    for (int slot = 0; slot < SEND_BUFFERS; slot++) {
        uint64_t sent_to = endpoint->slot_peers[slot];
        if (sent_to != 0 && peer_of(node_of(sent_to), context_of(sent_to), 0) == peer) {
            return sent_to;
        }
    }
    return ANY;
}

void free_peers(struct endpoint *endpoint) {
    free(endpoint->states.pairs);
    free(endpoint->heard.pairs);
}
