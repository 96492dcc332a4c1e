/* Sending requests and answers, and what becomes of them: RpcSender. */
#include "rpc/rpc.h"

#include <stdlib.h>

/* ---- What becomes of messages ---- */

static void end_answer(hxb_rpc *rpc, struct rpc_message *answer) {
    struct rpc_history *history = &answer->peer->history;
    int place = history->endpoint_id == answer->to ? rpc_find_run(history, answer->number) : -1;
    if (place >= 0) {
        rpc_end_run(history, place);
        rpc->running--;
    }
}

/* The message is not in flight any more. */
void rpc_on_done(hxb_rpc *rpc, struct rpc_message *message, int status) {
    struct rpc_peer *peer = message->peer;
    struct rpc_call *call = message->call;
    rpc_remove(&rpc->in_flight, message);
    peer->in_flight--;
    if (status != HXB_OK) {
        rpc_on_doubt(rpc, peer, status);
        call = message->call; /* that may have ended it */
    }
    if (call != NULL) {
        call->in_flight = NULL;
        if (status != HXB_OK) {
            rpc_doubt(call);
        }
    }
    peer->is_ping_in_flight &= message->kind != RPC_PING;
    bool is_answer = message->kind == RPC_REPLY || message->kind == RPC_FAILURE;
    if (is_answer && status != HXB_OK && message->kept_until - now_ns() > 0) {
        rpc_append(&peer->others, message);
        return;
    }
    if (is_answer) {
        end_answer(rpc, message);
    }
    free(message);
    if (status == HXB_NOT_ALLOWED) {
        rpc_end_calls_of(rpc, peer, status);
    }
}

/* ---- Sending ---- */

/* False if there is no room now. */
static bool send_now(hxb_rpc *rpc, struct rpc_message *message, const uint8_t *data, size_t length) {
    struct rpc_peer *peer = message->peer;
    if (peer->in_flight >= RPC_IN_FLIGHT || rpc->is_node_gone) {
        return false;
    }
    void *buffer;
    int slot = hxb_claim(rpc->context, peer->address, HXB_RPC_HEADER_BYTES + length, &buffer);
    if (slot < 0) {
        rpc->is_node_gone = slot != HXB_NO_BUFFERS;
        return false;
    }
    uint8_t *to = buffer;
    put64(to + RPC_FROM, rpc->endpoint_id);
    put64(to + RPC_TO, message->to);
    put64(to + RPC_NUMBER, message->number);
    if (length > 0) {
        memcpy(to + HXB_RPC_HEADER_BYTES, data, length);
    }
    hxb_set_cookie(rpc->context, slot, (uint64_t)(uintptr_t)message);
    rpc_append(&rpc->in_flight, message);
    peer->in_flight++;
    uint32_t tag = RPC_TAG + (uint32_t)message->kind;
    rpc->is_node_gone = hxb_commit(rpc->context, slot, HXB_RPC_HEADER_BYTES + length, tag) != HXB_OK;
    return true;
}

/* True if all is sent. */
static bool send_others(hxb_rpc *rpc, struct rpc_peer *peer) {
    while (peer->others.first != NULL) {
        struct rpc_message *message = peer->others.first;
        bool is_answer = message->kind == RPC_REPLY || message->kind == RPC_FAILURE;
        bool is_for_nobody = is_answer && message->to != peer->history.endpoint_id;
        rpc_remove(&peer->others, message);
        if (is_for_nobody) {
            free(message);
        } else if (!send_now(rpc, message, message->data, message->length)) {
            /* Back to where it was. */
            message->next = peer->others.first;
            message->back = &peer->others.first;
            *(message->next == NULL ? &peer->others.last : &message->next->back) = &message->next;
            peer->others.first = message;
            peer->others.count++;
            return false;
        } else {
            peer->published -= message->kind == RPC_PUBLISHED;
        }
    }
    return true;
}

static void send_calls(hxb_rpc *rpc, struct rpc_peer *peer) {
    struct rpc_call *call;
    while (peer->is_sure && (call = rpc_next_call(peer)) != NULL) {
        bool is_first = call->number == 0;
        struct rpc_message *message =
            rpc_new_message(peer, is_first ? RPC_REQUEST : RPC_AGAIN, is_first ? peer->endpoint_id : call->sent_to,
                            is_first ? peer->last_number + 1 : call->number, NULL, 0);
        if (message == NULL) {
            return; /* later */
        }
        if (!send_now(rpc, message, call->data, call->length)) {
            free(message);
            return;
        }
        message->call = call;
        rpc_on_sent(call, message);
    }
}

void rpc_flush(hxb_rpc *rpc, int64_t now) {
    for (struct rpc_peer *peer = rpc->oldest; peer != NULL && !rpc->is_node_gone; peer = peer->newer) {
        if (rpc_is_to_be_pinged(rpc, peer, now)) {
            peer->is_ping_in_flight =
                rpc_post(peer, RPC_PING, peer->endpoint_id, (uint64_t)rpc->attachments, NULL, 0);
        }
        bool is_resting = peer->last_status != HXB_OK && peer->rested_ns - now > 0;
        if (!is_resting && send_others(rpc, peer)) {
            send_calls(rpc, peer);
        }
    }
}

void rpc_flush_outside(hxb_rpc *rpc) {
    if (!rpc->is_calling && rpc->device != NULL) {
        rpc_flush(rpc, now_ns());
    }
}
