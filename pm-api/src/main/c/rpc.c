/* An end of requests and replies: RpcLoop, RpcSender and RpcServer of io.hxb.pm.rpc, without a thread of its own. */
#define _GNU_SOURCE
#include "rpc.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#define MESSAGES_PER_TURN 64
#define ATTACH_PAUSE_NS (HXB_SECOND / 20)
#define PEER_WAIT_NS (2 * HXB_SECOND)
#define MAX_TIMEOUT_NS (86400 * HXB_SECOND)
#define LONGEST_SLEEP_NS HXB_SECOND

static int check(const hxb_rpc *rpc) {
    if (rpc == NULL) {
        return fail(HXB_E_ARGUMENT, "the end is NULL");
    }
    if (is_forked(rpc->process)) {
        return fail(HXB_E_FORKED, "the end of context %d was opened before a fork", rpc->context_id);
    }
    if (atomic_load_explicit(&rpc->owner, memory_order_relaxed) != this_thread()) {
        return fail(HXB_E_THREAD, "the end of context %d belongs to another thread: hxb_rpc_own hands it over",
                    rpc->context_id);
    }
    return HXB_OK;
}

static int check_outside(const hxb_rpc *rpc) {
    int result = check(rpc);
    return result == HXB_OK && rpc->is_calling ? fail(HXB_E_STATE, "not within a function that the end has called")
                                               : result;
}

static int check_peer(const hxb_rpc *rpc, hxb_address peer) {
    bool is_valid = peer.node >= 0 && peer.node < rpc->nodes && peer.context >= 0 && peer.context < rpc->contexts;
    return is_valid ? HXB_OK : fail(HXB_E_ARGUMENT, "there is no context %d of node %d", peer.context, peer.node);
}

static int check_data(const hxb_rpc *rpc, const void *data, size_t length) {
    if (length > rpc->max_length) {
        return fail(HXB_E_ARGUMENT, "a request or reply has at most %zu bytes: %zu", rpc->max_length, length);
    }
    return data == NULL && length > 0 ? fail(HXB_E_ARGUMENT, "data is NULL") : HXB_OK;
}

static struct rpc_peer *peer_of(hxb_rpc *rpc, hxb_address address) {
    struct rpc_peer *peer = rpc_peer(rpc, address);
    if (peer == NULL) {
        fail(HXB_E_MEMORY, "no memory for another peer, or %d have something to do", RPC_MAX_PEERS);
    }
    return peer;
}

/* ---- Attaching ---- */

static int attach(hxb_rpc *rpc) {
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
    if (rpc->device == NULL && now - rpc->attach_ns >= 0 && attach(rpc) != HXB_OK) {
        rpc->attach_ns = now_ns() + ATTACH_PAUSE_NS;
    }
    return rpc->device != NULL;
}

/* ---- What becomes of messages ---- */

static void end_answer(hxb_rpc *rpc, struct rpc_message *answer) {
    struct rpc_history *history = &answer->peer->history;
    int place = history->end == answer->to ? rpc_find_run(history, answer->number) : -1;
    if (place >= 0) {
        rpc_end_run(history, place);
        rpc->running--;
    }
}

/* The message is not in flight any more. */
static void on_done(hxb_rpc *rpc, struct rpc_message *message, int status) {
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

static int receive_all(hxb_rpc *rpc, int limit);

static void detach(hxb_rpc *rpc) {
    receive_all(rpc, INT32_MAX); /* what the node has delivered is there even if it is gone */
    hxb_detach(rpc->device);
    rpc->device = NULL;
    rpc->context = NULL;
    rpc->attach_ns = now_ns();
    while (rpc->in_flight.first != NULL) {
        on_done(rpc, rpc->in_flight.first, HXB_NODE_GONE);
    }
    for (struct rpc_peer *peer = rpc->oldest; peer != NULL; peer = peer->newer) {
        peer->is_ping_in_flight = false;
        rpc_on_doubt(rpc, peer, HXB_NODE_GONE);
        rpc_doubt_all(peer);
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
    put64(to + RPC_FROM, rpc->end);
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
        bool is_for_nobody = is_answer && message->to != peer->history.end;
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
            rpc_new_message(peer, is_first ? RPC_REQUEST : RPC_AGAIN, is_first ? peer->end : call->sent_to,
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

static void flush(hxb_rpc *rpc, int64_t now) {
    for (struct rpc_peer *peer = rpc->oldest; peer != NULL && !rpc->is_node_gone; peer = peer->newer) {
        if (rpc_is_to_be_pinged(rpc, peer, now)) {
            peer->is_ping_in_flight =
                rpc_post(peer, RPC_PING, peer->end, (uint64_t)rpc->attachments, NULL, 0);
        }
        bool is_resting = peer->last_status != HXB_OK && peer->rested_ns - now > 0;
        if (!is_resting && send_others(rpc, peer)) {
            send_calls(rpc, peer);
        }
    }
}

/* ---- Receiving ---- */

static void on_request(hxb_rpc *rpc, struct rpc_peer *peer, const hxb_rpc_request *request, bool is_again, bool is_for_us) {
    struct rpc_history *history = &peer->history;
    bool is_known = history->end == request->end;
    if (!is_known) {
        rpc->running -= history->running;
        free(history->run);
        *history = (struct rpc_history){.end = request->end};
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
        rpc_post(peer, RPC_LOST, request->end, request->number, NULL, 0);
    } else if (history->run == NULL || history->running == RPC_RUNNING || rpc->running >= RPC_MAX_RUNNING) {
        rpc_post(peer, RPC_BUSY, request->end, request->number, NULL, 0);
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

static void on_pong(struct rpc_peer *peer, uint64_t old_end, uint64_t attachment) {
    bool is_other = old_end != peer->end || attachment != peer->attachment;
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
                               .is_published = kind == RPC_PUBLISHED, .end = from, .number = number};
    uint64_t old_end = peer->end;
    rpc_on_heard(rpc, peer, from);
    switch (kind) {
    case RPC_REQUEST:
    case RPC_AGAIN:
        on_request(rpc, peer, &request, kind == RPC_AGAIN, to == rpc->end);
        break;
    case RPC_PUBLISHED:
        on_published(rpc, &request);
        break;
    case RPC_PING:
        rpc_post(peer, RPC_PONG, from, (uint64_t)rpc->attachments, NULL, 0);
        break;
    case RPC_PONG:
        on_pong(peer, old_end, number);
        break;
    default:
        if (to == rpc->end) {
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
        on_done(rpc, (struct rpc_message *)(uintptr_t)completion.cookie, completion.status);
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
        flush(rpc, now);
        if (rpc->is_node_gone) {
            detach(rpc);
        }
    }
    rpc_end_late(rpc, now);
    return received > 0;
}

static int serve(hxb_rpc *rpc, int64_t timeout_ns) {
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

int hxb_rpc_serve(hxb_rpc *rpc, int64_t timeout_ns) {
    int result = check_outside(rpc);
    result = result == HXB_OK ? check_timeout(timeout_ns) : result;
    return result == HXB_OK ? serve(rpc, timeout_ns) : result;
}

int hxb_rpc_wake(hxb_rpc *rpc) {
    if (rpc == NULL) {
        return HXB_E_ARGUMENT; /* no text: it may be a handler of a signal */
    }
    signal_event(rpc->wake_fd);
    return HXB_OK;
}

/* What was asked for outside of hxb_rpc_serve is sent at once. */
static void flush_outside(hxb_rpc *rpc) {
    if (!rpc->is_calling && rpc->device != NULL) {
        flush(rpc, now_ns());
    }
}

/* ---- What the program asks for ---- */

static int begin_call(hxb_rpc *rpc, hxb_address to, const void *data, size_t length, int64_t deadline,
                      hxb_rpc_done done, void *user) {
    struct rpc_peer *peer = peer_of(rpc, to);
    if (peer == NULL) {
        return HXB_E_MEMORY;
    }
    if (peer->calls >= HXB_RPC_OUTSTANDING) {
        return HXB_NO_BUFFERS;
    }
    int result = rpc_new_call(rpc, peer, data, length, deadline, done, user);
    if (result == HXB_OK) {
        flush_outside(rpc);
    }
    return result;
}

static int check_call(const hxb_rpc *rpc, hxb_address to, const void *data, size_t length, int64_t timeout_ns) {
    int result = check_peer(rpc, to);
    result = result == HXB_OK ? check_data(rpc, data, length) : result;
    if (result == HXB_OK && (timeout_ns < 1 || timeout_ns > MAX_TIMEOUT_NS)) {
        return fail(HXB_E_ARGUMENT, "timeout_ns must be 1 to a day");
    }
    return result == HXB_OK && rpc->context_id < 0 ? HXB_CONTEXT_CLOSED : result;
}

int hxb_rpc_call(hxb_rpc *rpc, hxb_address to, const void *data, size_t length, int64_t timeout_ns, hxb_rpc_done done,
                 void *user) {
    int result = check(rpc);
    result = result == HXB_OK ? check_call(rpc, to, data, length, timeout_ns) : result;
    return result == HXB_OK ? begin_call(rpc, to, data, length, now_ns() + timeout_ns, done, user) : result;
}

int hxb_rpc_call_wait(hxb_rpc *rpc, hxb_address to, const void *data, size_t length, int64_t timeout_ns,
                      hxb_rpc_done done, void *user) {
    int result = check_outside(rpc);
    result = result == HXB_OK ? check_call(rpc, to, data, length, timeout_ns) : result;
    if (result != HXB_OK) {
        return result;
    }
    int64_t deadline = now_ns() + timeout_ns;
    result = begin_call(rpc, to, data, length, deadline, done, user);
    while (result == HXB_NO_BUFFERS) {
        int64_t left = deadline - now_ns();
        result = left > 0 ? serve(rpc, left) : HXB_TIMED_OUT;
        if (result > 0) {
            result = begin_call(rpc, to, data, length, deadline, done, user);
        }
    }
    return result;
}

int hxb_rpc_outstanding(const hxb_rpc *rpc, hxb_address to) {
    int result = check(rpc);
    const struct rpc_peer *peer = result == HXB_OK ? rpc_find(rpc, to) : NULL;
    return result != HXB_OK ? result : peer == NULL ? 0 : peer->calls;
}

static int answer(hxb_rpc *rpc, const hxb_rpc_request *request, int kind, const void *data, size_t length) {
    int result = check(rpc);
    if (result == HXB_OK && request == NULL) {
        return fail(HXB_E_ARGUMENT, "the request is NULL");
    }
    result = result == HXB_OK ? check_data(rpc, data, length) : result;
    if (result != HXB_OK) {
        return result;
    }
    struct rpc_peer *peer = rpc_find(rpc, request->from);
    if (peer == NULL || peer->history.end != request->end) {
        return HXB_PEER_RESTARTED;
    }
    int place = request->is_published ? -1 : rpc_find_run(&peer->history, request->number);
    if (place < 0 || peer->history.run[place].is_answered) {
        return fail(HXB_E_STATE, "the request has a reply, or wants none");
    }
    if (!rpc_post(peer, kind, request->end, request->number, data, length)) {
        return fail(HXB_E_MEMORY, "no memory for a reply of %zu bytes", length);
    }
    peer->history.run[place].is_answered = true;
    flush_outside(rpc);
    return HXB_OK;
}

int hxb_rpc_reply(hxb_rpc *rpc, const hxb_rpc_request *request, const void *data, size_t length) {
    return answer(rpc, request, RPC_REPLY, data, length);
}

int hxb_rpc_refuse(hxb_rpc *rpc, const hxb_rpc_request *request, const char *why) {
    return answer(rpc, request, RPC_FAILURE, why, why == NULL ? 0 : strlen(why));
}

int hxb_rpc_publish(hxb_rpc *rpc, const hxb_address *to, int count, const void *data, size_t length) {
    int result = check(rpc);
    if (result == HXB_OK && (count < 0 || (to == NULL && count > 0))) {
        return fail(HXB_E_ARGUMENT, "the peers are NULL, or fewer than none");
    }
    for (int i = 0; result == HXB_OK && i < count; i++) {
        result = check_peer(rpc, to[i]);
    }
    result = result == HXB_OK ? check_data(rpc, data, length) : result;
    int posted = 0;
    for (int i = 0; result == HXB_OK && i < count; i++) {
        struct rpc_peer *peer = rpc_peer(rpc, to[i]);
        if (peer != NULL && peer->published < HXB_RPC_WAITING && rpc_post(peer, RPC_PUBLISHED, peer->end, 0, data, length)) {
            peer->published++;
            posted++;
        }
    }
    if (posted > 0) {
        flush_outside(rpc);
    }
    return result == HXB_OK ? posted : result;
}

int hxb_rpc_watch(hxb_rpc *rpc, hxb_address address) {
    int result = check(rpc);
    result = result == HXB_OK ? check_peer(rpc, address) : result;
    struct rpc_peer *peer = result == HXB_OK ? peer_of(rpc, address) : NULL;
    if (peer == NULL) {
        return result == HXB_OK ? HXB_E_MEMORY : result;
    }
    if (!peer->is_watched) {
        peer->is_watched = true;
        peer->is_there = false;
        peer->heard_ns = now_ns();
        peer->ping_ns = peer->heard_ns;
    }
    return HXB_OK;
}

int hxb_rpc_node_id(const hxb_rpc *rpc) {
    return rpc == NULL ? fail(HXB_E_ARGUMENT, "the end is NULL") : rpc->node;
}

size_t hxb_rpc_max_length(const hxb_rpc *rpc) {
    return rpc == NULL ? 0 : rpc->max_length;
}

int64_t hxb_rpc_attachments(const hxb_rpc *rpc) {
    return rpc == NULL ? fail(HXB_E_ARGUMENT, "the end is NULL") : rpc->attachments;
}

/* ---- Opening and closing ---- */

static void release(hxb_rpc *rpc) {
    hxb_detach(rpc->device);
    while (rpc->in_flight.first != NULL) {
        struct rpc_message *message = rpc->in_flight.first;
        rpc_remove(&rpc->in_flight, message);
        free(message);
    }
    rpc_free_peers(rpc);
    descriptor_close(rpc->wake_fd);
    free(rpc->heap);
    free(rpc->socket);
    free(rpc);
}

static int make_wake_fd(void) {
    descriptors_hold();
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    descriptors_add(fd);
    descriptors_release();
    return fd;
}

static int begin(hxb_rpc *rpc, const hxb_rpc_options *options) {
    rpc->socket = options->socket == NULL ? NULL : strdup(options->socket);
    if (options->socket != NULL && rpc->socket == NULL) {
        return fail(HXB_E_MEMORY, "no memory for an end");
    }
    rpc->wake_fd = make_wake_fd();
    if (rpc->wake_fd < 0) {
        return fail_errno("cannot make an event descriptor");
    }
    if (getrandom(&rpc->end, sizeof rpc->end, 0) != (ssize_t)sizeof rpc->end) {
        return fail_errno("cannot get a random number");
    }
    rpc->end |= 1; /* never 0 */
    int result = attach(rpc);
    if (result == HXB_OK) {
        rpc->node = hxb_node_id(rpc->device);
        rpc->nodes = hxb_node_count(rpc->device);
        rpc->contexts = hxb_context_count(rpc->device);
        rpc->max_length = (size_t)hxb_max_length(rpc->context) - HXB_RPC_HEADER_BYTES;
    }
    return result;
}

int hxb_rpc_open(const hxb_rpc_options *options, hxb_rpc **rpc) {
    if (options == NULL || rpc == NULL) {
        return fail(HXB_E_ARGUMENT, "the options, or where the end is put, are NULL");
    }
    hxb_rpc_options taken = {.size = sizeof taken};
    int result = take_struct(&taken, sizeof taken, options, "hxb_rpc_options");
    if (result != HXB_OK) {
        return result;
    }
    hxb_rpc *opened = calloc(1, sizeof *opened);
    if (opened == NULL) {
        return fail(HXB_E_MEMORY, "no memory for an end");
    }
    opened->wake_fd = -1;
    opened->context_id = taken.context_id;
    opened->user = taken.user;
    opened->on_request = taken.on_request;
    opened->on_peer = taken.on_peer;
    opened->first_number = 1;
    opened->process = process_number();
    atomic_init(&opened->owner, this_thread());
    rpc_init_list(&opened->in_flight);
    result = begin(opened, &taken);
    if (result != HXB_OK) {
        release(opened);
        return result;
    }
    *rpc = opened;
    return HXB_OK;
}

int hxb_rpc_own(hxb_rpc *rpc) {
    if (rpc == NULL) {
        return fail(HXB_E_ARGUMENT, "the end is NULL");
    }
    if (is_forked(rpc->process)) {
        return fail(HXB_E_FORKED, "the end of context %d was opened before a fork", rpc->context_id);
    }
    atomic_store_explicit(&rpc->owner, this_thread(), memory_order_relaxed);
    return rpc->context == NULL ? HXB_OK : hxb_own_context(rpc->context);
}

int hxb_rpc_close(hxb_rpc *rpc) {
    int result = rpc == NULL ? HXB_OK : check_outside(rpc);
    if (rpc != NULL && result == HXB_OK) {
        rpc->context_id = -1; /* nothing is begun any more */
        rpc_end_all(rpc, HXB_CONTEXT_CLOSED);
        release(rpc);
    }
    return result;
}
