/* Calls of programs: send, receive, peek and cancel, as fi_msg(3), fi_tagged(3) and fi_endpoint(3) state them. */
#include "libfabric/calls/calls.h"

#include <stdlib.h>

#define SEND_FLAGS (FI_COMPLETION | FI_INJECT | FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE \
                    | FI_MATCH_COMPLETE | FI_REMOTE_CQ_DATA | FI_MORE | FI_PRIORITY)
#define RECEIVE_FLAGS (FI_COMPLETION | FI_MULTI_RECV | FI_MORE | FI_PEEK | FI_CLAIM | FI_DISCARD)

enum { UNHEARD_BYTES = 1 << 18, UNHEARD_CALLS = 64 };

static struct endpoint *endpoint_of(struct fid_ep *ep) {
    return OWNER(ep, struct endpoint, fid);
}

/* ---- Sending ---- */

struct send_call {
    const struct iovec *iov;
    size_t count;
    fi_addr_t to;
    uint8_t wire_flags;
    uint64_t tag, data;
    void *context;
    uint64_t flags;
    bool is_injected; /* by one of the inject calls: no completion */
};

static size_t total(const struct iovec *iov, size_t count) {
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        length += iov[i].iov_len;
    }
    return length;
}

static uint64_t completion_level(uint64_t flags) {
    if ((flags & (FI_DELIVERY_COMPLETE | FI_MATCH_COMPLETE)) != 0) {
        return FI_DELIVERY_COMPLETE;
    }
    return (flags & FI_TRANSMIT_COMPLETE) != 0 ? FI_TRANSMIT_COMPLETE : 0;
}

static void complete_at_once(struct endpoint *endpoint, const struct send_call *call, uint64_t flags,
                             bool is_reported) {
    if (endpoint->send_cntr != NULL) {
        cntr_count(endpoint->send_cntr, false);
    }
    if (is_reported && endpoint->send_cq != NULL) {
        cq_add(endpoint->send_cq, &(struct completion){.context = call->context, .flags = flags,
                                                       .source = FI_ADDR_NOTAVAIL});
    }
}

static struct op *make_send(struct endpoint *endpoint, const struct send_call *call, const struct address *to,
                            size_t length) {
    struct op *op = op_new();
    if (op == NULL) {
        return NULL;
    }
    size_t head = SHORT_HEADER + ((call->wire_flags & HAS_DATA) != 0 ? 8 : 0);
    op->kind = head + length <= endpoint->max_payload ? EAGER : BEGIN;
    op->context = call->context;
    op->wire_flags = call->wire_flags;
    op->wanted = completion_level(call->flags);
    op->peer = peer_of_address(to);
    op->tag = call->tag;
    op->data = call->data;
    op->length = length;
    if (op->wanted == FI_DELIVERY_COMPLETE) {
        op->wire_flags |= WANTS_PLACED;
    }
    bool is_copied = call->is_injected || (call->flags & FI_INJECT) != 0;
    if (is_copied && length > 0) {
        op->copy = malloc(length);
        if (op->copy == NULL) {
            op_free(op);
            return NULL;
        }
        copy_from(call->iov, call->count, 0, length, op->copy);
        op->iov[0] = (struct iovec){op->copy, length};
    } else if (!is_copied) {
        set_parts(op->iov, call->iov, call->count);
    }
    if ((op->kind == BEGIN || op->wanted == FI_DELIVERY_COMPLETE) && !number_op(endpoint, op)) {
        op_free(op);
        return NULL;
    }
    return op;
}

static int check_send(struct endpoint *endpoint, const struct send_call *call, const struct address *to,
                      size_t length) {
    if (endpoint->failure != 0) {
        return endpoint->failure;
    }
    if (!endpoint->is_enabled) {
        return FI_EOPBADSTATE;
    }
    if (to == NULL || call->count > IOV_LIMIT || (call->flags & ~SEND_FLAGS) != 0) {
        return FI_EINVAL;
    }
    bool is_copied = call->is_injected || (call->flags & FI_INJECT) != 0;
    if (length > MAX_MESSAGE || (is_copied && length > endpoint->max_payload - MAX_HEADER)) {
        return FI_EMSGSIZE;
    }
    return error_of_peer(endpoint, peer_of_address(to));
}

static bool is_queue_full(const struct endpoint *endpoint, bool is_left) {
    return endpoint->queued >= QUEUE_LIMIT
           || (is_left && endpoint->left_bytes > AWAITED_FACTOR * endpoint->unexpected_limit);
}

/* A program that only sends hears nevertheless that its peer has enough. */
static void hear_now_and_then(struct endpoint *endpoint, size_t length) {
    endpoint->unheard += length + UNHEARD_BYTES / UNHEARD_CALLS;
    if (endpoint->unheard > UNHEARD_BYTES && !endpoint->domain->is_automatic) {
        endpoint->unheard = 0;
        progress(endpoint);
    }
}

static ssize_t post_send(struct fid_ep *ep, const struct send_call *call) {
    struct endpoint *endpoint = endpoint_of(ep);
    size_t length = total(call->iov, call->count);
    enter(endpoint);
    hear_now_and_then(endpoint, length);
    const struct address *to = av_find(endpoint->av, call->to);
    int error = check_send(endpoint, call, to, length);
    if (error != 0) {
        leave(endpoint);
        return -error;
    }
    uint64_t flags = FI_SEND | ((call->wire_flags & IS_TAGGED) != 0 ? FI_TAGGED : FI_MSG);
    bool is_reported = !call->is_injected && (!endpoint->is_send_selective || (call->flags & FI_COMPLETION) != 0);
    bool is_short = length + SHORT_HEADER + 8 <= endpoint->max_payload;
    bool is_left = stays_here(endpoint, peer_of_address(to), length);
    if (is_short && !is_left && completion_level(call->flags) == 0
        && send_now(endpoint, peer_of_address(to), call->wire_flags, call->tag, call->data, call->iov, call->count,
                    length)) {
        complete_at_once(endpoint, call, flags, is_reported);
        leave(endpoint);
        return 0;
    }
    if (is_queue_full(endpoint, is_left)) {
        progress(endpoint);
        error = is_queue_full(endpoint, is_left) ? FI_EAGAIN : endpoint->failure;
    }
    struct op *op = error == 0 ? make_send(endpoint, call, to, length) : NULL;
    if (op == NULL) {
        leave(endpoint);
        return error == 0 ? -FI_ENOMEM : -error;
    }
    op->flags = flags;
    op->is_reported = is_reported;
    op->is_injected = call->is_injected;
    send_later(endpoint, op);
    send_waiting(endpoint);
    leave(endpoint);
    return 0;
}

/* ---- Receiving ---- */

struct receive_call {
    const struct iovec *iov;
    size_t count;
    fi_addr_t from;
    bool is_tagged;
    uint64_t tag, ignore;
    void *context;
    uint64_t flags;
};

static uint64_t receive_flags(const struct receive_call *call) {
    return FI_RECV | (call->is_tagged ? FI_TAGGED : FI_MSG);
}

/* Reports a message that is there without receiving it. */
static void report_found(struct endpoint *endpoint, const struct receive_call *call,
                         const struct incoming *incoming) {
    bool has_data = (incoming->flags & HAS_DATA) != 0;
    cq_add(endpoint->receive_cq, &(struct completion){
        .context = call->context,
        .flags = receive_flags(call) | (has_data ? FI_REMOTE_CQ_DATA : 0) | (call->flags & (FI_PEEK | FI_CLAIM)),
        .length = incoming->length, .data = incoming->data, .tag = incoming->tag,
        .source = (endpoint->caps & FI_SOURCE) != 0 ? av_reverse(endpoint->av, incoming->peer) : FI_ADDR_NOTAVAIL});
}

static void peek(struct endpoint *endpoint, struct matcher *matcher, uint64_t peer, const struct receive_call *call) {
    struct incoming *found = match_unexpected(matcher, peer, call->tag, call->ignore);
    if (found == NULL) {
        progress(endpoint);
        found = match_unexpected(matcher, peer, call->tag, call->ignore);
    }
    endpoint->is_peeked = found == NULL; /* it may come after others */
    if (found == NULL) {
        report_receive_error(endpoint, call->context, receive_flags(call) | FI_PEEK, call->tag, FI_ENOMSG, 0);
        return;
    }
    report_found(endpoint, call, found);
    if ((call->flags & FI_DISCARD) != 0) {
        discard(endpoint, found);
    } else if ((call->flags & FI_CLAIM) != 0) {
        match_claim(matcher, found, call->context);
    }
}

static struct op *make_receive(struct endpoint *endpoint, const struct receive_call *call, uint64_t peer) {
    struct op *op = op_new();
    if (op != NULL) {
        op->order = endpoint->order++;
        op->context = call->context;
        op->flags = receive_flags(call);
        op->is_reported = !endpoint->is_receive_selective || (call->flags & FI_COMPLETION) != 0;
        op->is_multi = (call->flags & FI_MULTI_RECV) != 0;
        op->peer = peer;
        op->tag = call->tag;
        op->ignore = call->ignore;
        op->length = total(call->iov, call->count);
        set_parts(op->iov, call->iov, call->count);
    }
    return op;
}

/* A receive for many messages takes all that fit while there is room. */
static void start_receive(struct endpoint *endpoint, struct matcher *matcher, struct op *op) {
    struct incoming *found = match_unexpected(matcher, op->peer, op->tag, op->ignore);
    if (!op->is_multi) {
        if (found != NULL) {
            assign(endpoint, found, op);
        } else {
            match_post(matcher, op);
        }
        return;
    }
    uint64_t peer = op->peer;
    match_post(matcher, op);
    for (bool is_open = true; is_open && found != NULL; found = match_unexpected(matcher, peer, 0, UINT64_MAX)) {
        size_t left = op->length - op->done;
        left = found->length < left ? left - found->length : 0;
        is_open = left > 0 && left >= endpoint->min_multi_recv;
        assign(endpoint, found, op);
    }
}

/* Also determines whom to receive from: ANY, unless the call names a peer. */
static int check_receive(struct endpoint *endpoint, const struct receive_call *call, uint64_t *peer) {
    *peer = ANY;
    if (endpoint->failure != 0) {
        return endpoint->failure;
    }
    if (!endpoint->is_enabled || ((call->flags & (FI_PEEK | FI_DISCARD)) != 0 && endpoint->receive_cq == NULL)) {
        return FI_EOPBADSTATE;
    }
    bool is_multi = (call->flags & FI_MULTI_RECV) != 0;
    if (call->count > IOV_LIMIT || (call->flags & ~RECEIVE_FLAGS) != 0
        || (is_multi && (call->is_tagged || call->count != 1))) {
        return FI_EINVAL;
    }
    if (call->from != FI_ADDR_UNSPEC && (endpoint->caps & FI_DIRECTED_RECV) != 0) {
        const struct address *from = av_find(endpoint->av, call->from);
        if (from == NULL) {
            return FI_EINVAL;
        }
        *peer = peer_of_address(from);
        return error_of_peer(endpoint, *peer);
    }
    return 0;
}

static ssize_t post_receive(struct fid_ep *ep, const struct receive_call *call) {
    struct endpoint *endpoint = endpoint_of(ep);
    uint64_t peer;
    enter(endpoint);
    int error = check_receive(endpoint, call, &peer);
    struct matcher *matcher = call->is_tagged ? &endpoint->tagged : &endpoint->plain;
    if (error == 0 && (call->flags & FI_PEEK) != 0) {
        peek(endpoint, matcher, peer, call);
        leave(endpoint);
        return 0;
    }
    struct incoming *claimed = NULL;
    if (error == 0 && (call->flags & FI_CLAIM) != 0) {
        claimed = call->context == NULL ? NULL : match_claimed(matcher, call->context);
        error = claimed == NULL ? FI_EINVAL : 0;
    }
    if (error == 0 && claimed != NULL && (call->flags & FI_DISCARD) != 0) {
        report_found(endpoint, call, claimed);
        discard(endpoint, claimed);
        leave(endpoint);
        return 0;
    }
    struct op *op = error == 0 ? make_receive(endpoint, call, peer) : NULL;
    if (op != NULL && claimed != NULL) {
        assign(endpoint, claimed, op);
    } else if (op != NULL) {
        start_receive(endpoint, matcher, op);
    } else if (error == 0) {
        error = FI_ENOMEM;
    }
    leave(endpoint);
    return -error;
}

ssize_t hxb_cancel(fid_t fid, void *context) {
    struct endpoint *endpoint = OWNER(fid, struct endpoint, fid.fid);
    enter(endpoint);
    struct op *op = match_cancel(&endpoint->tagged, context);
    if (op == NULL) {
        op = match_cancel(&endpoint->plain, context);
    }
    if (op != NULL && op->children == 0) {
        report_receive_error(endpoint, op->context, op->flags, op->tag, FI_ECANCELED, 0);
        op_free(op);
    }
    leave(endpoint);
    return op != NULL ? 0 : -FI_ENOENT;
}

/* ---- The calls: messages ---- */

static struct iovec part_of(const void *buffer, size_t length) {
    return (struct iovec){(void *)(uintptr_t)buffer, length};
}

static ssize_t recv(struct fid_ep *ep, void *buffer, size_t length, void *desc, fi_addr_t from, void *context) {
    (void)desc;
    struct iovec iov = {buffer, length};
    return post_receive(ep, &(struct receive_call){.iov = &iov, .count = 1, .from = from, .ignore = UINT64_MAX,
                                                   .context = context, .flags = endpoint_of(ep)->receive_flags});
}

static ssize_t recvv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count, fi_addr_t from,
                     void *context) {
    (void)desc;
    return post_receive(ep, &(struct receive_call){.iov = iov, .count = count, .from = from, .ignore = UINT64_MAX,
                                                   .context = context, .flags = endpoint_of(ep)->receive_flags});
}

static ssize_t recvmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags) {
    return post_receive(ep, &(struct receive_call){.iov = msg->msg_iov, .count = msg->iov_count, .from = msg->addr,
                                                   .ignore = UINT64_MAX, .context = msg->context, .flags = flags});
}

static ssize_t send(struct fid_ep *ep, const void *buffer, size_t length, void *desc, fi_addr_t to, void *context) {
    (void)desc;
    struct iovec iov = part_of(buffer, length);
    return post_send(ep, &(struct send_call){.iov = &iov, .count = 1, .to = to, .context = context,
                                             .flags = endpoint_of(ep)->send_flags});
}

static ssize_t sendv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count, fi_addr_t to,
                     void *context) {
    (void)desc;
    return post_send(ep, &(struct send_call){.iov = iov, .count = count, .to = to, .context = context,
                                             .flags = endpoint_of(ep)->send_flags});
}

static ssize_t sendmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags) {
    return post_send(ep, &(struct send_call){.iov = msg->msg_iov, .count = msg->iov_count, .to = msg->addr,
                                             .wire_flags = (flags & FI_REMOTE_CQ_DATA) != 0 ? HAS_DATA : 0,
                                             .data = msg->data, .context = msg->context, .flags = flags});
}

static ssize_t inject(struct fid_ep *ep, const void *buffer, size_t length, fi_addr_t to) {
    struct iovec iov = part_of(buffer, length);
    return post_send(ep, &(struct send_call){.iov = &iov, .count = 1, .to = to, .is_injected = true});
}

static ssize_t senddata(struct fid_ep *ep, const void *buffer, size_t length, void *desc, uint64_t data, fi_addr_t to,
                        void *context) {
    (void)desc;
    struct iovec iov = part_of(buffer, length);
    return post_send(ep, &(struct send_call){.iov = &iov, .count = 1, .to = to, .wire_flags = HAS_DATA, .data = data,
                                             .context = context, .flags = endpoint_of(ep)->send_flags});
}

static ssize_t injectdata(struct fid_ep *ep, const void *buffer, size_t length, uint64_t data, fi_addr_t to) {
    struct iovec iov = part_of(buffer, length);
    return post_send(ep, &(struct send_call){.iov = &iov, .count = 1, .to = to, .wire_flags = HAS_DATA, .data = data,
                                             .is_injected = true});
}

struct fi_ops_msg hxb_msg_ops = {.size = sizeof hxb_msg_ops,
                                 .recv = recv,
                                 .recvv = recvv,
                                 .recvmsg = recvmsg,
                                 .send = send,
                                 .sendv = sendv,
                                 .sendmsg = sendmsg,
                                 .inject = inject,
                                 .senddata = senddata,
                                 .injectdata = injectdata};

/* ---- The calls: messages with tags ---- */

static ssize_t trecv(struct fid_ep *ep, void *buffer, size_t length, void *desc, fi_addr_t from, uint64_t tag,
                     uint64_t ignore, void *context) {
    (void)desc;
    struct iovec iov = {buffer, length};
    return post_receive(ep, &(struct receive_call){.iov = &iov, .count = 1, .from = from, .is_tagged = true,
                                                   .tag = tag, .ignore = ignore, .context = context,
                                                   .flags = endpoint_of(ep)->receive_flags & ~FI_MULTI_RECV});
}

static ssize_t trecvv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count, fi_addr_t from,
                      uint64_t tag, uint64_t ignore, void *context) {
    (void)desc;
    return post_receive(ep, &(struct receive_call){.iov = iov, .count = count, .from = from, .is_tagged = true,
                                                   .tag = tag, .ignore = ignore, .context = context,
                                                   .flags = endpoint_of(ep)->receive_flags & ~FI_MULTI_RECV});
}

static ssize_t trecvmsg(struct fid_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags) {
    return post_receive(ep, &(struct receive_call){.iov = msg->msg_iov, .count = msg->iov_count, .from = msg->addr,
                                                   .is_tagged = true, .tag = msg->tag, .ignore = msg->ignore,
                                                   .context = msg->context, .flags = flags});
}

static ssize_t tsend(struct fid_ep *ep, const void *buffer, size_t length, void *desc, fi_addr_t to, uint64_t tag,
                     void *context) {
    (void)desc;
    struct iovec iov = part_of(buffer, length);
    return post_send(ep, &(struct send_call){.iov = &iov, .count = 1, .to = to, .wire_flags = IS_TAGGED, .tag = tag,
                                             .context = context, .flags = endpoint_of(ep)->send_flags});
}

static ssize_t tsendv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count, fi_addr_t to,
                      uint64_t tag, void *context) {
    (void)desc;
    return post_send(ep, &(struct send_call){.iov = iov, .count = count, .to = to, .wire_flags = IS_TAGGED,
                                             .tag = tag, .context = context,
                                             .flags = endpoint_of(ep)->send_flags});
}

static ssize_t tsendmsg(struct fid_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags) {
    uint8_t wire_flags = (flags & FI_REMOTE_CQ_DATA) != 0 ? IS_TAGGED | HAS_DATA : IS_TAGGED;
    return post_send(ep, &(struct send_call){.iov = msg->msg_iov, .count = msg->iov_count, .to = msg->addr,
                                             .wire_flags = wire_flags, .tag = msg->tag, .data = msg->data,
                                             .context = msg->context, .flags = flags});
}

static ssize_t tinject(struct fid_ep *ep, const void *buffer, size_t length, fi_addr_t to, uint64_t tag) {
    struct iovec iov = part_of(buffer, length);
    return post_send(ep, &(struct send_call){.iov = &iov, .count = 1, .to = to, .wire_flags = IS_TAGGED, .tag = tag,
                                             .is_injected = true});
}

static ssize_t tsenddata(struct fid_ep *ep, const void *buffer, size_t length, void *desc, uint64_t data,
                         fi_addr_t to, uint64_t tag, void *context) {
    (void)desc;
    struct iovec iov = part_of(buffer, length);
    return post_send(ep, &(struct send_call){.iov = &iov, .count = 1, .to = to, .wire_flags = IS_TAGGED | HAS_DATA,
                                             .tag = tag, .data = data, .context = context,
                                             .flags = endpoint_of(ep)->send_flags});
}

static ssize_t tinjectdata(struct fid_ep *ep, const void *buffer, size_t length, uint64_t data, fi_addr_t to,
                           uint64_t tag) {
    struct iovec iov = part_of(buffer, length);
    return post_send(ep, &(struct send_call){.iov = &iov, .count = 1, .to = to, .wire_flags = IS_TAGGED | HAS_DATA,
                                             .tag = tag, .data = data, .is_injected = true});
}

struct fi_ops_tagged hxb_tagged_ops = {.size = sizeof hxb_tagged_ops,
                                       .recv = trecv,
                                       .recvv = trecvv,
                                       .recvmsg = trecvmsg,
                                       .send = tsend,
                                       .sendv = tsendv,
                                       .sendmsg = tsendmsg,
                                       .inject = tinject,
                                       .senddata = tsenddata,
                                       .injectdata = tinjectdata};
