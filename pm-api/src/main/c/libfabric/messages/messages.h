/* Messages between endpoints: sending and receiving them, which peers are there, and what peers ask for. */
#ifndef HXB_FI_MESSAGES_H
#define HXB_FI_MESSAGES_H

#include "libfabric/objects/objects.h"

/* A message as it lies in its frame. */
struct arrival {
    struct header header;
    uint64_t peer;
    uint64_t length;   /* of the whole message */
    uint64_t own[2];   /* extras of its kind */
    uint64_t data;
    const uint8_t *bytes;
    size_t count; /* of the bytes */
};

/* ---- From calls to slots of libhxb (send.c) ---- */

/* Ends a send: error 0 or FI_Exxx, and the result of libhxb. */
void finish_send(struct endpoint *endpoint, struct op *op, int error, int detail);
/* Sends an eager message at once; false if that has to wait. */
bool send_now(struct endpoint *endpoint, uint64_t peer, uint8_t flags, uint64_t tag, uint64_t data,
              const struct iovec *iov, size_t count, size_t length);
void send_later(struct endpoint *endpoint, struct op *op);
/* A message without bytes, of the provider itself; false if there is no memory. */
bool send_answer(struct endpoint *endpoint, enum kind kind, uint64_t peer, uint32_t id, uint64_t value);
/* Sends what can be sent now; false if there was nothing. */
bool send_waiting(struct endpoint *endpoint);
void on_go(struct endpoint *endpoint, uint64_t peer, uint32_t id, uint64_t wanted);
void on_placed(struct endpoint *endpoint, uint64_t peer, uint32_t id);
/* A slot is free again, or its message has failed. */
void on_slot(struct endpoint *endpoint, int slot, int error, int detail);
/* The number of operations that were reported. */
int fail_sends(struct endpoint *endpoint, uint64_t peer, int error);
/* The peer has enough for now: what was begun goes on when it asks. */
void on_full(struct endpoint *endpoint, uint64_t peer);
/* A message of this many bytes would stay here. */
bool stays_here(const struct endpoint *endpoint, uint64_t peer, size_t length);
/* Programs that wait for a few short sends go on. */
bool copy_left(struct endpoint *endpoint);

/* ---- Who wants no bytes (room.c) ---- */

/* Asks peers to keep their bytes if too much is here, and not to if there is room again. */
void send_full(struct endpoint *endpoint, uint64_t peer);
void send_room(struct endpoint *endpoint);

/* ---- From messages to buffers (incoming.c) ---- */

/* The message of a peer with this number; NULL if there is none. */
struct incoming *find_stream(struct endpoint *endpoint, uint64_t peer, uint32_t id);
/* Keeps a message of which parts will come; NULL if there is no memory. */
struct incoming *new_incoming(struct endpoint *endpoint, const struct arrival *arrival, size_t held);
/* Hands a message of which these bytes have arrived to the receive that wants it. */
void hand_over(struct endpoint *endpoint, struct incoming *incoming, struct op *op, const uint8_t *bytes);
/* Asks for as much of a message as there is room for, if not all of it is sent unasked, and awaits that. */
void ask_for_bytes(struct endpoint *endpoint, struct incoming *incoming, size_t room);
/* All that is awaited of the message may have arrived. */
void end_if_here(struct endpoint *endpoint, struct incoming *incoming);
/* Hands a message that has arrived, or begun to, to the receive that wants it. */
void assign(struct endpoint *endpoint, struct incoming *incoming, struct op *op);
void discard(struct endpoint *endpoint, struct incoming *incoming);
void finish_receive(struct endpoint *endpoint, struct op *op, const struct incoming *incoming, int error, int detail);
void report_receive_error(struct endpoint *endpoint, void *context, uint64_t flags, uint64_t tag, int error,
                          int detail);
/* The number of operations that were reported. */
int fail_receives(struct endpoint *endpoint, uint64_t peer, int error);
void free_incoming(struct endpoint *endpoint, struct incoming *incoming);

/* ---- Which peers are there (peer.c) ---- */

/* Ends all that is under way between the peer and the endpoint, which start again. */
void lose_peer(struct endpoint *endpoint, uint64_t peer, int error);
/* The same for a peer that is not there any more. */
void peer_is_gone(struct endpoint *endpoint, uint64_t peer, int error);
/* True if a message belongs to the present session. If not, the peer gets LOST, or all earlier operations have
 * ended. */
bool is_in_session(struct endpoint *endpoint, uint64_t peer, const struct header *header);
/* A message has come from this peer, so that earlier users of its context are gone. */
void hear(struct endpoint *endpoint, uint64_t peer);
/* Now and then pings the peers of which something is awaited; false if it was not the time. */
bool ping_peers(struct endpoint *endpoint);
/* When a peer of the domain's endpoints has to be looked for; 0 if none is awaited. */
int64_t next_ping_ns(const struct domain *domain);
/* Takes the events of messages that were lost; false if there were none. */
bool take_events(struct endpoint *endpoint);

/* ---- What peers ask of memory, and their answers; NULL, or what is wrong with the message (serve.c, serve_atomic.c)
 * ---- */

const char *on_write(struct endpoint *endpoint, const struct arrival *arrival);
void on_write_part(struct endpoint *endpoint, struct incoming *incoming, const struct arrival *arrival);
const char *on_read(struct endpoint *endpoint, const struct arrival *arrival);
const char *on_data(struct endpoint *endpoint, const struct arrival *arrival);
const char *on_failed(struct endpoint *endpoint, const struct arrival *arrival);
/* Nothing is written to or read from this memory any more. */
void end_memory(struct endpoint *endpoint, const struct mr *mr);
const char *on_atomic(struct endpoint *endpoint, const struct arrival *arrival);
const char *on_result(struct endpoint *endpoint, const struct arrival *arrival);

/* ---- Receiving (receive.c) ---- */

/* Takes messages of the context; false if there was none. */
bool receive_some(struct endpoint *endpoint);

#endif
