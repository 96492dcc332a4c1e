/* A direct ring as its sender has it: the cases that are not common. */
#include "context/send_ring.h"

#define LOOKS 64        /* for room, without success, until the receiver's exact position is worth its cache line */

static void set_released(struct direct_send *ring, uint64_t position) {
    if (position - ring->released > ring->position - ring->released) {
        ring->is_broken = true;
    } else {
        bool is_held = ring->is_stranded && position > ring->stranded_position;
        ring->released = is_held ? ring->stranded_position : position;
    }
}

/* Looks at the position that seldom changes. The exact one changes with each message, and reading it takes its cache
 * line from the receiver. */
static bool has_reported_room(struct direct_send *ring, uint32_t length) {
    uint64_t reported = get64_acquire(ring->memory.page + HXB_DIRECTPAGE_RELEASED_HINT);
    if ((int64_t)(reported - ring->released) > 0) {
        set_released(ring, reported);
    }
    return send_ring_fits(ring, length);
}

bool send_ring_has_room_now(struct direct_send *ring, uint32_t length) {
    set_released(ring, send_ring_load_released(ring));
    return send_ring_fits(ring, length);
}

bool send_ring_may_find_room(struct direct_send *ring, uint32_t length) {
    return has_reported_room(ring, length)
        || ((ring->sleep != 0 || ++ring->looks % LOOKS == 0) && send_ring_has_room_now(ring, length));
}

void send_ring_leave(struct direct_send *ring) {
    ring->is_open = false;
    send_ring_publish(ring, HXB_DIRECT_HEADER_BYTES, HXB_DIRECT_LEAVE, 0);
    wake_receiver(ring);
}

void send_ring_strand(struct direct_send *ring, uint32_t length) {
    ring->is_stranded = true;
    ring->stranded_position = ring->position;
    ring->stranded_data = send_ring_next_payload(ring);
    send_ring_publish(ring, direct_record_bytes(length), -(int)direct_record_bytes(length), 0);
}
