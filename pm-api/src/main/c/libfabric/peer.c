/* Peers: which endpoint has a context at present, and those of which a message was lost. */
#include "provider.h"

#include <stdlib.h>

#define NOTHING UINT64_MAX
#define FIRST_PING_NS (HXB_SECOND / 2)
#define PING_NS (8 * HXB_SECOND) /* seldom, since a busy program takes none of them for a long time */

/* ---- Maps: open addressing, at most half full, without removal ---- */

static struct pair *pair_of(const struct map *map, uint64_t key) {
    size_t at = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (map->size - 1);
    while (map->pairs[at].key != key && map->pairs[at].key != NOTHING) {
        at = (at + 1) & (map->size - 1);
    }
    return &map->pairs[at];
}

uint64_t map_get(const struct map *map, uint64_t key, uint64_t otherwise) {
    const struct pair *pair = map->count == 0 ? NULL : pair_of(map, key);
    return pair != NULL && pair->key == key ? pair->value : otherwise;
}

static bool map_grow(struct map *map) {
    struct map wider = {.size = map->size == 0 ? 64 : 2 * map->size, .count = map->count};
    wider.pairs = malloc(wider.size * sizeof *wider.pairs);
    if (wider.pairs == NULL) {
        return false;
    }
    for (size_t i = 0; i < wider.size; i++) {
        wider.pairs[i].key = NOTHING;
    }
    for (size_t i = 0; i < map->size; i++) {
        if (map->pairs[i].key != NOTHING) {
            *pair_of(&wider, map->pairs[i].key) = map->pairs[i];
        }
    }
    free(map->pairs);
    *map = wider;
    return true;
}

bool map_set(struct map *map, uint64_t key, uint64_t value) {
    if (2 * map->count >= map->size && !map_grow(map)) {
        return false;
    }
    struct pair *pair = pair_of(map, key);
    map->count += pair->key == NOTHING;
    *pair = (struct pair){key, value};
    return true;
}

void free_peers(struct endpoint *endpoint) {
    free(endpoint->states.pairs);
    free(endpoint->heard.pairs);
}

/* ---- What is known of peers ----
 *
 * When a message between an endpoint and a peer is lost, whatever is awaited may never come, and everything that is under
 * way between the two ends at the one that notices. It counts the losses; each message says the count, the session, of its
 * sender. Whoever gets a message of an earlier session than its own answers with LOST, and whoever gets one of a later
 * session ends all that is under way as well. From then on the two agree, and have begun anew. */

enum { SESSION_SHIFT = 16, ERROR_MASK = 0xFFFF };

/* Of a state; the lowest 16 bits are the error that calls end with, the next ones the session. */
#define IS_GONE (UINT64_C(1) << 32)          /* calls end with the error for ever, not once */
#define WANTS_NO_BYTES (UINT64_C(1) << 33)   /* that it has not asked for */
#define IS_TOLD_FULL (UINT64_C(1) << 34)     /* to keep its bytes until it is asked for them */
#define IS_TOLD_LOST (UINT64_C(1) << 35)     /* of the present session */

static uint64_t state_of(const struct endpoint *endpoint, uint64_t peer) {
    return map_get(&endpoint->states, peer, 0);
}

static void set_state(struct endpoint *endpoint, uint64_t peer, uint64_t state) {
    if (!map_set(&endpoint->states, peer, state)) {
        endpoint->failure = FI_ENOMEM;
    }
}

int error_of_peer(struct endpoint *endpoint, uint64_t peer) {
    uint64_t state = state_of(endpoint, peer);
    int error = (int)(state & ERROR_MASK);
    if (error != 0 && (state & IS_GONE) == 0) {
        set_state(endpoint, peer, state & ~(uint64_t)ERROR_MASK);
    }
    return error;
}

uint16_t session_of(const struct endpoint *endpoint, uint64_t peer) {
    return (uint16_t)(state_of(endpoint, peer) >> SESSION_SHIFT);
}

static void begin_session(struct endpoint *endpoint, uint64_t peer, uint16_t session, int error, uint64_t flags) {
    WARN("context %d of node %d is lost: %s\n", context_of(peer), node_of(peer), fi_strerror(error));
    endpoint->told_full -= (state_of(endpoint, peer) & IS_TOLD_FULL) != 0;
    set_state(endpoint, peer, (uint64_t)session << SESSION_SHIFT | flags);
    if (endpoint->last_heard == peer) {
        endpoint->last_heard = ANY;
    }
    int told = fail_sends(endpoint, peer, error);
    told += fail_receives(endpoint, peer, error);
    if (told == 0 || (flags & IS_GONE) != 0) {
        set_state(endpoint, peer, state_of(endpoint, peer) | (uint64_t)error);
    }
}

void lose_peer(struct endpoint *endpoint, uint64_t peer, int error) {
    if ((state_of(endpoint, peer) & IS_GONE) == 0) {
        begin_session(endpoint, peer, (uint16_t)(session_of(endpoint, peer) + 1), error, 0);
    }
}

void peer_is_gone(struct endpoint *endpoint, uint64_t peer, int error) {
    if ((state_of(endpoint, peer) & IS_GONE) == 0) {
        begin_session(endpoint, peer, (uint16_t)(session_of(endpoint, peer) + 1), error, IS_GONE);
    }
}

bool is_gone(const struct endpoint *endpoint, uint64_t peer) {
    return (state_of(endpoint, peer) & IS_GONE) != 0;
}

/* A peer that is told of the loss, and speaks again, is not gone after all. */
bool is_in_session(struct endpoint *endpoint, uint64_t peer, const struct header *header) {
    if (endpoint->states.count == 0 && header->session == 0) {
        return true;
    }
    uint64_t state = state_of(endpoint, peer);
    int16_t ahead = (int16_t)(header->session - session_of(endpoint, peer));
    if (ahead < 0) {
        if ((state & IS_TOLD_LOST) == 0 && send_answer(endpoint, LOST, peer, 0, 0)) {
            set_state(endpoint, peer, state | IS_TOLD_LOST);
        }
        return false;
    }
    if (ahead > 0) {
        begin_session(endpoint, peer, header->session, FI_ECONNRESET, 0);
    } else if ((state & IS_GONE) != 0) {
        set_state(endpoint, peer, state & ~(IS_GONE | ERROR_MASK));
    }
    return true;
}

/* ---- Who wants no bytes that it has not asked for ---- */

enum { FULL_PERCENT = 75, ROOM_PERCENT = 50 /* of the limit */ };

void set_wants_no_bytes(struct endpoint *endpoint, uint64_t peer, bool is_full) {
    uint64_t others = state_of(endpoint, peer) & ~WANTS_NO_BYTES;
    set_state(endpoint, peer, others | (is_full ? WANTS_NO_BYTES : 0));
}

bool wants_no_bytes(const struct endpoint *endpoint, uint64_t peer) {
    return (state_of(endpoint, peer) & WANTS_NO_BYTES) != 0;
}

void say_full(struct endpoint *endpoint, uint64_t peer) {
    if (endpoint->unexpected_bytes / FULL_PERCENT < endpoint->unexpected_limit / 100
        || (state_of(endpoint, peer) & IS_TOLD_FULL) != 0 || !send_answer(endpoint, FULL, peer, 0, 0)) {
        return;
    }
    set_state(endpoint, peer, state_of(endpoint, peer) | IS_TOLD_FULL);
    endpoint->told_full++;
}

void say_room(struct endpoint *endpoint) {
    if (endpoint->told_full == 0
        || endpoint->unexpected_bytes / ROOM_PERCENT > endpoint->unexpected_limit / 100) {
        return;
    }
    for (size_t i = 0; i < endpoint->states.size; i++) {
        struct pair *pair = &endpoint->states.pairs[i];
        if (pair->key != NOTHING && (pair->value & IS_TOLD_FULL) != 0
            && send_answer(endpoint, ROOM, pair->key, 0, 0)) {
            pair->value &= ~IS_TOLD_FULL;
            endpoint->told_full--;
        }
    }
}

/* ---- Who is there ---- */

uint64_t peer_at(const struct endpoint *endpoint, int node, int context) {
    uint64_t peer = peer_of(node, context, 0);
    uint64_t incarnation = map_get(&endpoint->heard, peer, NOTHING);
    if (incarnation != NOTHING) {
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

void hear(struct endpoint *endpoint, uint64_t peer) {
    if (endpoint->last_heard == peer) {
        return;
    }
    uint64_t place = peer & ~UINT64_C(0xFFFFFFFF);
    uint64_t before = map_get(&endpoint->heard, place, NOTHING);
    if (before != incarnation_of(peer)) {
        if (before != NOTHING) {
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
 * lost. So whoever waits for one sends another message, which is refused when the peer is gone. */
bool ping_peers(struct endpoint *endpoint) {
    if (list_is_empty(&endpoint->waiting) && endpoint->arriving == 0) {
        endpoint->ping_ns = 0;
        return false;
    }
    int64_t now = clock_ns();
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
        if (peers.pairs[i].key != NOTHING) {
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
