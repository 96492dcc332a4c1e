/* What sends and receives large messages: large.c, large_receive.c. */
#ifndef HXB_LARGE_H
#define HXB_LARGE_H

#include "calls/calls.h"

#define FRAGMENT UINT32_C(0x80000000)

_Static_assert((uint32_t)HXB_LARGE_FRAGMENT == FRAGMENT, "the highest bit of a tag");
_Static_assert(HXB_LARGE_LENGTH == 2 * sizeof(uint64_t), "the fields of a start");

/* One message being sent. */
struct transfer {
    int64_t number;
    uint32_t wire_number;
    const hxb_region *region; /* NULL for memory of the application's */
    const uint8_t *data;
    uint64_t offset; /* of the message in the region */
    uint64_t length, sent;
    uint32_t tag;
    int in_flight, status;
    bool is_started, is_done;
    int node, context;
    struct destination *destination;
    struct transfer *next; /* of a queue, or of those that are free or done */
};

/* A context with transfers that wait for it; the first one is being sent. */
struct destination {
    int node, context;
    struct transfer *first, *last;
    struct destination *next;  /* with the same hash, or free */
    struct destination *after; /* in the queue of those that can go on, or that wait for buffers */
};

/* A message being received from one context. */
struct source {
    int node, context;
    uint32_t wire_number;
    uint64_t length, received;
    uint32_t tag;
    uint8_t *target;
    bool is_rejected;
    struct source *next;
};

struct hxb_large {
    struct service service; /* the first field: a pointer to it is one to this */
    hxb_context *context;
    hxb_large_handler handler;
    hxb_large_limits limits;
    uint32_t fragment_bytes, region_fragment_bytes;
    uint64_t begun;
    int unfinished;
    struct transfer *transfers, *free_transfers, *done_first, *done_last;
    struct transfer **slot_transfers;
    struct destination *destination_pool, *free_destinations, *ready_first, *ready_last;
    struct destination *held; /* for which there was no buffer, or no room, when they had their turn */
    struct destination **destinations;
    struct source **sources, *free_sources;
    uint32_t hash_mask;
    int source_count;
    int64_t rejected;
};

static inline uint32_t hash(const hxb_large *large, int node, int context) {
    return ((uint32_t)node * UINT32_C(0x9E3779B1) ^ (uint32_t)context * UINT32_C(0x85EBCA6B)) >> 7 & large->hash_mask;
}

/* Receiving (large_receive.c): takes a message of the context, which the caller releases. */
void large_on_message(hxb_large *large, const hxb_message *message);
/* Ends the messages of peers that are gone; returns the number of events. */
int large_poll_events(hxb_large *large);

#endif
