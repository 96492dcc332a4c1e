/* The loop of an endpoint: RpcLoop and RpcServer of io.hxb.pm.rpc, without a thread of its own. */
#define _GNU_SOURCE
#include "rpc/rpc.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define MESSAGES_PER_TURN 64
#define ATTACH_PAUSE_NS (HXB_SECOND / 20)
#define PEER_WAIT_NS (2 * HXB_SECOND)
#define LONGEST_SLEEP_NS HXB_SECOND

/* ---- Attaching ---- */

int rpc_attach(hxb_rpc *rpc) {
    hxb_context_options options;
    hxb_default_options(&options);
    options.spin_ns = 0;
    options.peer_wait_ns = PEER_WAIT_NS;
    hxb_device *device;
    int result = hxb_attach(rpc->socket, &device);
    if (result != HXB_OK) {
        return result;
    }
    result = hxb_open_context(device, rpc->context_id, &options, &rpc->context);
    if (result != HXB_OK) {
        hxb_detach(device);
        return result;
    }
    rpc->device = device;
    rpc->is_node_gone = false;
    rpc->attachments++;
    return HXB_OK;
}

static bool is_attached(hxb_rpc *rpc, int64_t now) {
    if (rpc->device == NULL && now - rpc->attach_ns >= 0 && rpc_attach(rpc) != HXB_OK) {
        rpc->attach_ns = now_ns() + ATTACH_PAUSE_NS;
    }
    return rpc->device != NULL;
}

/* ---- Receiving ---- */

static void on_request(hxb_rpc *rpc, struct rpc_peer *peer, const hxb_rpc_request *request, bool is_again,
                       bool is_for_us) {
    struct rpc_history *history = &peer->history;
    bool is_known = history->endpoint_id == request->endpoint_id;
    if (!is_known) {
        rpc->running -= history->running;
        free(history->run);
        *history = (struct rpc_history){.endpoint_id = request->endpoint_id};
    }
    if (history->run == NULL) {
        history->run = calloc(RPC_RUNNING, sizeof *history->run);
    }
    if (rpc_find_run(history, request->number) >= 0) {
        return; /* its answer is still to come */
    }
    /* Another process than that which the peer has asked before, or one that has forgotten, cannot know. */
    bool is_unknowing = !is_for_us || (rpc->has_forgotten && !is_known);
    if (rpc_has_begun(history, request->number) || (is_again && is_unknowing)) {
        rpc_post(peer, RPC_LOST, request->endpoint_id, request->number, NULL, 0);
    } else if (history->run == NULL || history->running == RPC_RUNNING || rpc->running >= RPC_MAX_RUNNING) {
        rpc_post(peer, RPC_BUSY, request->endpoint_id, request->number, NULL, 0);
    } else {
        rpc_begin_run(history, request->number);
        rpc->running++;
        if (rpc->on_request == NULL) {
            hxb_rpc_refuse(rpc, request, "nobody answers requests here");
            return;
        }
        rpc->called++;
        rpc->is_calling = true;
        rpc->on_request(rpc->user, rpc, request);
        rpc->is_calling = false;
    }
}

static void on_published(hxb_rpc *rpc, const hxb_rpc_request *request) {
    if (rpc->on_request != NULL) {
        rpc->called++;
        rpc->is_calling = true;
        rpc->on_request(rpc->user, rpc, request);
        rpc->is_calling = false;
    }
}

static void on_pong(struct rpc_peer *peer, uint64_t old_endpoint_id, uint64_t attachment) {
    bool is_other = old_endpoint_id != peer->endpoint_id || attachment != peer->attachment;
    peer->attachment = attachment;
    peer->is_sure = true;
    if (is_other) {
        rpc_doubt_all(peer);
    }
}

static void on_answer(hxb_rpc *rpc, struct rpc_peer *peer, int kind, uint64_t number, const uint8_t *data,
                      size_t length) {
    struct rpc_call *call = rpc_find_call(peer, number);
    if (call == NULL) {
        return; /* it has ended before */
    }
    switch (kind) {
    case RPC_REPLY:
        rpc_end_call(rpc, call, HXB_OK, false, data, length);
        break;
    case RPC_FAILURE:
        rpc_end_call(rpc, call, HXB_E_REFUSED, true, data, length);
        break;
    case RPC_BUSY:
        rpc_end_call(rpc, call, HXB_NO_BUFFERS, false, NULL, 0);
        break;
    default:
        rpc_fail_call(rpc, call, HXB_PEER_RESTARTED);
    }
}

static void on_message(hxb_rpc *rpc, const hxb_message *message) {
    uint32_t kind = message->tag - RPC_TAG;
    const uint8_t *header = message->data;
    if (kind >= RPC_KINDS || message->length < HXB_RPC_HEADER_BYTES) {
        return;
    }
    uint64_t from = get64(header + RPC_FROM), to = get64(header + RPC_TO), number = get64(header + RPC_NUMBER);
    struct rpc_peer *peer = rpc_peer(rpc, message->from);
    if (peer == NULL || from == 0 || number > INT64_MAX) {
        return;
    }
    hxb_rpc_request request = {.from = message->from, .data = header + HXB_RPC_HEADER_BYTES,
                               .length = message->length - HXB_RPC_HEADER_BYTES,
                               .is_published = kind == RPC_PUBLISHED, .endpoint_id = from, .number = number};
    uint64_t old_endpoint_id = peer->endpoint_id;
    rpc_on_heard(rpc, peer, from);
    switch (kind) {
    case RPC_REQUEST:
    case RPC_AGAIN:
        on_request(rpc, peer, &request, kind == RPC_AGAIN, to == rpc->endpoint_id);
        break;
    case RPC_PUBLISHED:
        on_published(rpc, &request);
        break;
    case RPC_PING:
        rpc_post(peer, RPC_PONG, from, (uint64_t)rpc->attachments, NULL, 0);
        break;
    case RPC_PONG:
        on_pong(peer, old_endpoint_id, number);
        break;
    default:
        if (to == rpc->endpoint_id) {
            on_answer(rpc, peer, (int)kind, number, request.data, request.length);
        }
    }
}

static int receive_all(hxb_rpc *rpc, int limit) {
    int received = 0;
    int status = HXB_OK;
    while (received < limit && status == HXB_OK) {
        hxb_message message;
        status = hxb_receive(rpc->context, &message);
        if (status == HXB_OK) {
            received++;
            on_message(rpc, &message);
            hxb_release(rpc->context, &message);
        }
    }
    rpc->is_node_gone |= status != HXB_OK && status != HXB_EMPTY;
    return received;
}

static void take_news(hxb_rpc *rpc) {
    hxb_completion completion;
    while (hxb_poll_completion(rpc->context, &completion) == HXB_OK) {
        rpc_on_done(rpc, (struct rpc_message *)(uintptr_t)completion.cookie, completion.status);
    }
    hxb_event event;
    while (hxb_poll_event(rpc->context, &event) == HXB_OK) {
        struct rpc_peer *peer = event.slot < 0 ? rpc_find(rpc, event.peer) : NULL;
        if (peer != NULL) { /* what has arrived there may be lost */
            rpc_on_doubt(rpc, peer, event.status);
            rpc_doubt_all(peer);
        }
    }
}

static void detach(hxb_rpc *rpc) {
    receive_all(rpc, INT32_MAX); /* what the node has delivered is there even if it is gone */
    hxb_detach(rpc->device);
    rpc->device = NULL;
    rpc->context = NULL;
    rpc->attach_ns = now_ns();
    while (rpc->in_flight.first != NULL) {
        rpc_on_done(rpc, rpc->in_flight.first, HXB_NODE_GONE);
    }
    for (struct rpc_peer *peer = rpc->oldest; peer != NULL; peer = peer->newer) {
        peer->is_ping_in_flight = false;
        rpc_on_doubt(rpc, peer, HXB_NODE_GONE);
        rpc_doubt_all(peer);
    }
}

/* ---- Serving ---- */

/* Until when nothing has to be done unless something comes. */
static int64_t next_ns(const hxb_rpc *rpc, int64_t now) {
    int64_t next = now + LONGEST_SLEEP_NS;
    if (rpc->heap_count > 0 && rpc->heap[0]->deadline - next < 0) {
        next = rpc->heap[0]->deadline;
    }
    if (rpc->device == NULL && rpc->attach_ns - next < 0) {
        next = rpc->attach_ns;
    }
    for (const struct rpc_peer *peer = rpc->oldest; rpc->device != NULL && peer != NULL; peer = peer->newer) {
        if (peer->others.count > 0 && peer->rested_ns - now > 0 && peer->rested_ns - next < 0) {
            next = peer->rested_ns;
        }
        bool is_asked = peer->is_watched || peer->calls > 0;
        if (is_asked && !peer->is_ping_in_flight && peer->ping_ns - next < 0) {
            next = peer->ping_ns;
        }
    }
    return next;
}

static void sleep_until(hxb_rpc *rpc, int64_t until) {
    int64_t left = until - now_ns();
    struct timespec timeout = {left > 0 ? left / HXB_SECOND : 0, left > 0 ? left % HXB_SECOND : 0};
    struct pollfd files[3] = {{.fd = rpc->wake_fd, .events = POLLIN}};
    int count = 1;
    if (rpc->device != NULL) {
        files[count++] = (struct pollfd){.fd = hxb_context_fd(rpc->context), .events = POLLIN};
        files[count++] = (struct pollfd){.fd = hxb_device_fd(rpc->device), .events = POLLIN};
    }
    int state = call_begin();
    ppoll(files, (nfds_t)count, &timeout, NULL); /* a signal only wakes it early */
    call_end(state);
    rpc->is_node_gone |= rpc->device != NULL && files[2].revents != 0 && hxb_is_node_alive(rpc->device) != 1;
}

static bool take_wake(const hxb_rpc *rpc) {
    uint64_t count;
    int saved = errno;
    int state = call_begin();
    bool is_woken = read(rpc->wake_fd, &count, sizeof count) == (ssize_t)sizeof count;
    call_end(state);
    errno = saved;
    return is_woken;
}

/* Returns whether there was anything to receive. */
static bool turn(hxb_rpc *rpc, int64_t now) {
    int received = 0;
    if (is_attached(rpc, now)) {
        received = receive_all(rpc, MESSAGES_PER_TURN);
        take_news(rpc);
        rpc_flush(rpc, now);
        if (rpc->is_node_gone) {
            detach(rpc);
        }
    }
    rpc_end_late(rpc, now);
    return received > 0;
}

int rpc_serve(hxb_rpc *rpc, int64_t timeout_ns) {
    int64_t start = now_ns();
    int64_t end = timeout_ns < INT64_MAX - start ? start + timeout_ns : INT64_MAX;
    rpc->called = 0;
    for (;;) {
        int64_t now = now_ns();
        bool had_work = turn(rpc, now);
        if (rpc->called > 0) {
            return rpc->called;
        }
        if (take_wake(rpc)) {
            return HXB_INTERRUPTED;
        }
        if (now >= end) {
            return HXB_TIMED_OUT;
        }
        if (had_work) {
            continue;
        }
        bool is_armed = rpc->device != NULL && hxb_arm(rpc->context, HXB_WAIT_MESSAGES | HXB_WAIT_SENDS) == 1;
        if (is_armed || rpc->device == NULL) {
            int64_t next = next_ns(rpc, now);
            sleep_until(rpc, next < end ? next : end);
        }
        if (is_armed) {
            hxb_disarm(rpc->context);
        }
    }
}
