/* Who wants no bytes that it has not asked for. */
#include "libfabric/messages/messages.h"

enum { FULL_PERCENT = 75, ROOM_PERCENT = 50 /* of the limit */ };

void send_full(struct endpoint *endpoint, uint64_t peer) {
    if (endpoint->unexpected_bytes / FULL_PERCENT < endpoint->unexpected_limit / 100
        || (peer_state(endpoint, peer) & HAS_FULL) != 0 || !send_answer(endpoint, FULL, peer, 0, 0)) {
        return;
    }
    set_peer_state(endpoint, peer, peer_state(endpoint, peer) | HAS_FULL);
    endpoint->full_peers++;
}

void send_room(struct endpoint *endpoint) {
    if (endpoint->full_peers == 0
        || endpoint->unexpected_bytes / ROOM_PERCENT > endpoint->unexpected_limit / 100) {
        return;
    }
    for (size_t i = 0; i < endpoint->states.size; i++) {
        struct pair *pair = &endpoint->states.pairs[i];
        if (pair->key != NO_KEY && (pair->value & HAS_FULL) != 0
            && send_answer(endpoint, ROOM, pair->key, 0, 0)) {
            pair->value &= ~HAS_FULL;
            endpoint->full_peers--;
        }
    }
}
