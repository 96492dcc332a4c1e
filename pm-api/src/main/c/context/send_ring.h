/* A direct ring as its sender has it: the records that are in it, and the room for more. Not installed. */
#ifndef HXB_SEND_RING_H
#define HXB_SEND_RING_H

#include "context/direct.h"

/* The ring to one other context. Messages go through the node until the receiver has the ring. One more message through
 * the node, the begin, is followed by messages in the ring. */
struct direct_send {
    struct direct_memory memory;
    uint64_t position, released;
    int64_t number;      /* with the node */
    struct asked *offer; /* until the node has answered it */
    uint64_t messages_end; /* the end of the last message; LEAVE and skipped records are none */
    bool is_open, is_broken, is_receiver_gone;
    int sleep;        /* the value that this thread has written, see context->sleep */
    bool has_fences;  /* the end that goes to sleep executes a fence for both */
    uint32_t looks;   /* for room that was not found */
    uint32_t refused; /* length of a message for which there was none */
    bool is_stranded; /* the message that is written in place follows a record that skips it */
    uint64_t stranded_position;
    uint8_t *stranded_data;
};

static inline uint32_t send_ring_load_state(const struct direct_send *ring) {
    return get32_acquire(ring->memory.page + HXB_DIRECTPAGE_STATE);
}

static inline uint64_t send_ring_load_released(const struct direct_send *ring) {
    return get64_acquire(ring->memory.page + HXB_DIRECTPAGE_RELEASED);
}

static inline uint8_t *send_ring_record_at(const struct direct_send *ring, uint64_t position) {
    return ring->memory.records + (position & (ring->memory.capacity - 1));
}

static inline uint8_t *send_ring_next_payload(const struct direct_send *ring) {
    return send_ring_record_at(ring, ring->position) + HXB_DIRECT_HEADER_BYTES;
}

/* True if the receiver has given the ring up, or has written an impossible position. */
HOT bool send_ring_is_broken(const struct direct_send *ring) {
    return ring->is_broken || send_ring_load_state(ring) == HXB_DIRECTPAGE_GIVEN_UP;
}

HOT bool send_ring_fits(const struct direct_send *ring, uint32_t length) {
    uint64_t end = ring->position + direct_record_bytes(length) + HXB_DIRECT_RESERVED_BYTES;
    return end - ring->released <= ring->memory.capacity;
}

/* Looks for room at the receiver's exact position. */
bool send_ring_has_room_now(struct direct_send *ring, uint32_t length);
bool send_ring_may_find_room(struct direct_send *ring, uint32_t length);

/* May find room that the receiver has just made at the LOOKSth time only, unless this thread goes to sleep. */
HOT bool send_ring_has_room(struct direct_send *ring, uint32_t length) {
    return LIKELY(send_ring_fits(ring, length)) || send_ring_may_find_room(ring, length);
}

/* Clears the header after a record before it publishes the record, so that the receiver never takes the bytes of an
 * earlier message for a header. */
HOT void send_ring_publish(struct direct_send *ring, uint32_t record_bytes, int head, uint32_t tag) {
    uint64_t next = ring->position + record_bytes;
    put64(send_ring_record_at(ring, next), 0);
    fetch_for_writing(send_ring_record_at(ring, next) + FETCH_AHEAD_BYTES);
    put64_release(send_ring_record_at(ring, ring->position), (uint64_t)tag << 32 | (uint32_t)head);
    ring->position = next;
}

/* After a full fence here, or the one that the receiver executes, either the receiver sees the record, or this thread
 * sees that it sleeps. */
HOT void wake_receiver(struct direct_send *ring) {
    direct_fence(ring->has_fences);
    direct_wake(&ring->memory, ring->memory.page + HXB_DIRECTPAGE_RECEIVER_SLEEPS);
}

HOT void send_ring_append(struct direct_send *ring, uint32_t length, uint32_t tag) {
    send_ring_publish(ring, direct_record_bytes(length), (int)length + 1, tag);
    ring->messages_end = ring->position;
    wake_receiver(ring);
}

/* Messages go through the node from now on, until the next begin. */
void send_ring_leave(struct direct_send *ring);
/* Sends others before the message of this length that is being written in its place. */
void send_ring_strand(struct direct_send *ring, uint32_t length);

#endif
