/* Peers: which endpoint has a context at present, and those of which a message was lost. */
#include "libfabric/messages/messages.h"

#include <stdlib.h>

#define FIRST_PING_NS (HXB_SECOND / 2)
#define PING_NS (8 * HXB_SECOND) /* seldom, since a busy program takes none of them for a long time */

static void begin_session(struct endpoint *endpoint, uint64_t peer, uint16_t session, int error, uint64_t flags) {
    WARN("context %d of node %d is lost: %s\n", context_of(peer), node_of(peer), fi_strerror(error));
    endpoint->full_peers -= (peer_state(endpoint, peer) & HAS_FULL) != 0;
    set_peer_state(endpoint, peer, (uint64_t)session << SESSION_SHIFT | flags);
    if (endpoint->last_heard == peer) {
        endpoint->last_heard = ANY;
    }
    int reported = fail_sends(endpoint, peer, error);
    reported += fail_receives(endpoint, peer, error);
    if (reported == 0 || (flags & IS_GONE) != 0) {
        set_peer_state(endpoint, peer, peer_state(endpoint, peer) | (uint64_t)error);
    }
}

void lose_peer(struct endpoint *endpoint, uint64_t peer, int error) {
    if ((peer_state(endpoint, peer) & IS_GONE) == 0) {
        begin_session(endpoint, peer, (uint16_t)(session_of(endpoint, peer) + 1), error, 0);
    }
}

void peer_is_gone(struct endpoint *endpoint, uint64_t peer, int error) {
    if ((peer_state(endpoint, peer) & IS_GONE) == 0) {
        begin_session(endpoint, peer, (uint16_t)(session_of(endpoint, peer) + 1), error, IS_GONE);
    }
}

/* A peer that gets LOST and sends again is not gone after all. */
bool is_in_session(struct endpoint *endpoint, uint64_t peer, const struct header *header) {
    if (endpoint->states.count == 0 && header->session == 0) {
        return true;
    }
    uint64_t state = peer_state(endpoint, peer);
    int16_t ahead = (int16_t)(header->session - session_of(endpoint, peer));
    if (ahead < 0) {
        if ((state & HAS_LOST) == 0 && send_answer(endpoint, LOST, peer, 0, 0)) {
            set_peer_state(endpoint, peer, state | HAS_LOST);
        }
        return false;
    }
    if (ahead > 0) {
        begin_session(endpoint, peer, header->session, FI_ECONNRESET, 0);
    } else if ((state & IS_GONE) != 0) {
        set_peer_state(endpoint, peer, state & ~(IS_GONE | ERROR_MASK));
    }
    return true;
}

/* ---- Who is there ---- */

bool take_events(struct endpoint *endpoint) {
    bool did = false;
    hxb_event event;
    while (hxb_poll_event(endpoint->context, &event) == HXB_OK) {
        int error = error_of(event.status);
        bool has_slot = event.slot >= 0 && event.slot < SEND_BUFFERS;
        uint64_t peer = has_slot ? endpoint->slot_peers[event.slot]
                                 : peer_at(endpoint, event.peer.node, event.peer.context);
        bool is_old = has_slot && endpoint->slot_sessions[event.slot] != session_of(endpoint, peer);
        on_slot(endpoint, event.slot, error, event.status);
        /* An endpoint is one incarnation of its context; events of one incarnation come before messages of the next. */
        if (peer != ANY && (event.status == HXB_NO_SUCH_CONTEXT || event.status == HXB_PEER_RESTARTED)) {
            peer_is_gone(endpoint, peer, error);
        } else if (peer != ANY && !is_old) {
            lose_peer(endpoint, peer, error);
        }
        did = true;
    }
    return did;
}

void hear(struct endpoint *endpoint, uint64_t peer) {
    if (endpoint->last_heard == peer) {
        return;
    }
    uint64_t place = peer & ~UINT64_C(0xFFFFFFFF);
    uint64_t before = map_get(&endpoint->heard, place, NO_KEY);
    if (before != incarnation_of(peer)) {
        if (before != NO_KEY) {
            take_events(endpoint); /* of the earlier endpoint, which the node has reported before this message */
            peer_is_gone(endpoint, place | before, FI_ECONNRESET);
        }
        if (!map_set(&endpoint->heard, place, incarnation_of(peer))) {
            endpoint->failure = FI_ENOMEM;
        }
    }
    endpoint->last_heard = peer;
}

/* ---- Whether they are still there ---- */

/* The node takes messages for a program that ends before it reads them, and then no answer comes although nothing was
 * lost. So an endpoint that waits for one sends another message, which is refused when the peer is gone. */
bool ping_peers(struct endpoint *endpoint) {
    if (list_is_empty(&endpoint->waiting) && endpoint->arriving == 0) {
        endpoint->ping_ns = 0;
        return false;
    }
    int64_t now = now_ns();
    if (endpoint->ping_ns == 0) {
        endpoint->ping_interval_ns = FIRST_PING_NS;
        endpoint->ping_ns = now + FIRST_PING_NS;
    }
    if (endpoint->ping_ns - now > 0) {
        return false;
    }
    endpoint->ping_interval_ns = 2 * endpoint->ping_interval_ns < PING_NS ? 2 * endpoint->ping_interval_ns : PING_NS;
    endpoint->ping_ns = now + endpoint->ping_interval_ns;
    struct map peers = {0};
    for (struct link *at = endpoint->waiting.next; at != &endpoint->waiting; at = at->next) {
        map_set(&peers, OWNER(at, struct op, link)->peer, 1);
    }
    for (int i = 0; i < BUCKETS; i++) {
        for (struct link *at = endpoint->streams[i].next; at != &endpoint->streams[i]; at = at->next) {
            map_set(&peers, OWNER(at, struct incoming, stream)->peer, 1);
        }
    }
    for (size_t i = 0; i < peers.size; i++) {
        if (peers.pairs[i].key != NO_KEY) {
            send_answer(endpoint, PING, peers.pairs[i].key, 0, 0);
        }
    }
    free(peers.pairs);
    return true;
}

int64_t next_ping_ns(const struct domain *domain) {
    int64_t next = 0;
    for (const struct link *at = domain->endpoints.next; at != &domain->endpoints; at = at->next) {
        int64_t due = OWNER(at, const struct endpoint, link)->ping_ns;
        next = due != 0 && (next == 0 || due < next) ? due : next;
    }
    return next;
}
