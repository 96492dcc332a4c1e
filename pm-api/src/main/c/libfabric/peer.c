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
    free(endpoint->lost.pairs);
    free(endpoint->heard.pairs);
}

/* ---- Lost peers ---- */

int error_of_peer(const struct endpoint *endpoint, uint64_t peer) {
    return (int)map_get(&endpoint->lost, peer, 0);
}

/* The order of messages is broken, so that whatever is awaited from that peer may never come. */
void lose_peer(struct endpoint *endpoint, uint64_t peer, int error) {
    if (error_of_peer(endpoint, peer) != 0) {
        return;
    }
    WARN("context %d of node %d is lost: %s\n", context_of(peer), node_of(peer), fi_strerror(error));
    if (!map_set(&endpoint->lost, peer, (uint64_t)error)) {
        endpoint->failure = FI_ENOMEM;
        return;
    }
    if (endpoint->last_heard == peer) {
        endpoint->last_heard = ANY;
    }
    fail_sends(endpoint, peer, error);
    fail_receives(endpoint, peer, error);
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
            lose_peer(endpoint, place | before, FI_ECONNRESET);
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
