/* The two sides of direct rings: contexts of one node send to each other through memory that the two share, and the
 * node only introduces them. The classes DirectRings, LocalSends, DirectSend, DirectReceive and those of io.hxb.pm.shm
 * explain the rules; here they are in C, with the same memory order. Not installed. */
#ifndef HXB_DIRECT_H
#define HXB_DIRECT_H

#include "context/context.h"

#define DIRECT_MAX_RINGS 64 /* of a context to receive from, and to send by */
_Static_assert(DIRECT_MAX_RINGS + 2 <= FUTEX_MAX_WORDS, "a thread sleeps on all its rings, a full one, and the node");

/* Writes that this thread sleeps, with the value of context->sleep. */
static inline void direct_sleep_on(hxb_context *context, uint8_t *word) {
    atomic_store_explicit((shared32 *)word, (uint32_t)context->sleep, memory_order_seq_cst);
    if (context->sleep == HXB_DIRECTPAGE_ON_WORD) {
        futex_add(&context->words, word, HXB_DIRECTPAGE_ON_WORD);
    }
}

/* ---- The sender's side (direct_send.c) ---- */

int direct_open_sends(hxb_context *context);
void direct_close_sends(hxb_context *context);
void direct_on_receiver_gone(hxb_context *context, int peer_context, int64_t number);
/* Takes the answers to offers that have come. */
void direct_take_answers(hxb_context *context);
bool direct_sends_sleep(hxb_context *context);
int direct_sends_awake(hxb_context *context);

/* ---- The receiver's side (direct_receive.c) ---- */

int direct_open_receives(hxb_context *context, uint32_t max_held);
void direct_close_receives(hxb_context *context);
void direct_take_offer(hxb_context *context, int peer_context, struct direct_memory *memory);
void direct_on_sender_gone(hxb_context *context, int peer_context);
bool direct_receives_sleep(hxb_context *context);
int direct_receives_awake(hxb_context *context);

#endif
