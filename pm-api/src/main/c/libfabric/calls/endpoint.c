/* Endpoints: a context of the node each. Opening, binding and closing. */
#include "libfabric/calls/calls.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/random.h>

#define LINGER_NS (5 * HXB_SECOND) /* for what was sent to arrive, before the context is closed */
#define LINGER_STEP_MS 1

static struct endpoint *endpoint_of(fid_t fid) {
    return OWNER(fid, struct endpoint, fid.fid);
}

/* ---- Binding ---- */

static int bind_cq(struct endpoint *endpoint, struct cq *cq, uint64_t flags) {
    if ((flags & (FI_TRANSMIT | FI_RECV)) == 0 || (flags & ~(FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION)) != 0
        || ((flags & FI_TRANSMIT) != 0 && endpoint->send_cq != NULL)
        || ((flags & FI_RECV) != 0 && endpoint->receive_cq != NULL)) {
        return -FI_EINVAL;
    }
    int error = cq->wait_fd < 0 ? 0 : watch_fd(cq->wait_fd, hxb_context_fd(endpoint->context));
    if (error != 0) {
        return error;
    }
    if ((flags & FI_TRANSMIT) != 0) {
        endpoint->send_cq = cq;
        endpoint->is_send_selective = (flags & FI_SELECTIVE_COMPLETION) != 0;
        cq->users++;
    }
    if ((flags & FI_RECV) != 0) {
        endpoint->receive_cq = cq;
        endpoint->is_receive_selective = (flags & FI_SELECTIVE_COMPLETION) != 0;
        cq->users++;
    }
    return 0;
}

/* Where the counters of an endpoint are, by the operations that they count. */
static struct cntr **place_of_cntr(struct endpoint *endpoint, int index, uint64_t *flag) {
    struct cntr **places[] = {&endpoint->send_cntr,  &endpoint->receive_cntr,     &endpoint->read_cntr,
                              &endpoint->write_cntr, &endpoint->remote_read_cntr, &endpoint->remote_write_cntr};
    const uint64_t flags[] = {FI_SEND, FI_RECV, FI_READ, FI_WRITE, FI_REMOTE_READ, FI_REMOTE_WRITE};
    *flag = flags[index];
    return places[index];
}

enum { CNTRS = 6 };

static int bind_cntr(struct endpoint *endpoint, struct cntr *cntr, uint64_t flags) {
    int result = -FI_EINVAL;
    for (int i = 0; i < CNTRS; i++) {
        uint64_t flag;
        struct cntr **at = place_of_cntr(endpoint, i, &flag);
        if ((flags & flag) != 0 && *at != NULL) {
            return -FI_EINVAL; /* it has one already */
        }
    }
    for (int i = 0; i < CNTRS; i++) {
        uint64_t flag;
        struct cntr **at = place_of_cntr(endpoint, i, &flag);
        if ((flags & flag) != 0) {
            *at = cntr;
            cntr->users++;
            result = 0;
        }
    }
    return result;
}

static struct domain *domain_of(const struct fid *other) {
    switch (other->fclass) {
    case FI_CLASS_CQ: return OWNER(other, struct cq, fid.fid)->domain;
    case FI_CLASS_CNTR: return OWNER(other, struct cntr, fid.fid)->domain;
    case FI_CLASS_AV: return OWNER(other, struct av, fid.fid)->domain;
    default: return NULL;
    }
}

static int bind(struct fid *fid, struct fid *other, uint64_t flags) {
    struct endpoint *endpoint = endpoint_of(fid);
    if (other->fclass == FI_CLASS_EQ) {
        if (endpoint->eq != NULL) {
            return -FI_EINVAL;
        }
        eq_bind(eq_of_fid(other), endpoint);
        return 0;
    }
    if (domain_of(other) != endpoint->domain || endpoint->is_enabled) {
        return -FI_EINVAL;
    }
    enter(endpoint);
    int result = 0;
    if (other->fclass == FI_CLASS_AV) {
        result = endpoint->av == NULL ? 0 : -FI_EINVAL;
        if (result == 0) {
            endpoint->av = OWNER(other, struct av, fid.fid);
            endpoint->av->users++;
        }
    } else if (other->fclass == FI_CLASS_CQ) {
        result = bind_cq(endpoint, OWNER(other, struct cq, fid.fid), flags);
    } else {
        result = bind_cntr(endpoint, OWNER(other, struct cntr, fid.fid), flags);
    }
    leave(endpoint);
    return result;
}

static int enable(struct endpoint *endpoint) {
    if (endpoint->av == NULL) {
        return -FI_ENOAV;
    }
    if (endpoint->send_cq == NULL && endpoint->send_cntr == NULL && (endpoint->caps & FI_SEND) != 0) {
        return -FI_ENOCQ;
    }
    if (endpoint->receive_cq == NULL && endpoint->receive_cntr == NULL && (endpoint->caps & FI_RECV) != 0) {
        return -FI_ENOCQ;
    }
    endpoint->is_enabled = true;
    return 0;
}

static int control(struct fid *fid, int command, void *argument) {
    struct endpoint *endpoint = endpoint_of(fid);
    int result = 0;
    enter(endpoint);
    if (command == FI_ENABLE) {
        result = enable(endpoint);
    } else if (command == FI_GETOPSFLAG || command == FI_SETOPSFLAG) {
        uint64_t *flags = argument;
        bool is_send = (*flags & FI_TRANSMIT) != 0;
        if (is_send == ((*flags & FI_RECV) != 0)) {
            result = -FI_EINVAL;
        } else if (command == FI_GETOPSFLAG) {
            *flags = is_send ? endpoint->send_flags : endpoint->receive_flags;
        } else {
            *(is_send ? &endpoint->send_flags : &endpoint->receive_flags) = *flags & ~(FI_TRANSMIT | FI_RECV);
        }
    } else {
        result = -FI_ENOSYS;
    }
    leave(endpoint);
    return result;
}

static int getopt_ep(fid_t fid, int level, int name, void *value, size_t *length) {
    if (level != FI_OPT_ENDPOINT || name != FI_OPT_MIN_MULTI_RECV) {
        return -FI_ENOPROTOOPT;
    }
    if (*length < sizeof(size_t)) {
        return -FI_ETOOSMALL;
    }
    *(size_t *)value = endpoint_of(fid)->min_multi_recv;
    *length = sizeof(size_t);
    return 0;
}

static int setopt_ep(fid_t fid, int level, int name, const void *value, size_t length) {
    if (level != FI_OPT_ENDPOINT || name != FI_OPT_MIN_MULTI_RECV) {
        return -FI_ENOPROTOOPT;
    }
    if (length != sizeof(size_t)) {
        return -FI_EINVAL;
    }
    endpoint_of(fid)->min_multi_recv = *(const size_t *)value;
    return 0;
}

static int getname(fid_t fid, void *address, size_t *length) {
    const struct address *own_address = &endpoint_of(fid)->address;
    size_t room = *length;
    *length = sizeof *own_address;
    memcpy(address, own_address, room < sizeof *own_address ? room : sizeof *own_address);
    return room < sizeof *own_address ? -FI_ETOOSMALL : 0;
}

static int no_setname(fid_t fid, void *address, size_t length) {
    (void)fid, (void)address, (void)length;
    return -FI_ENOSYS; /* the node decides which contexts are free */
}

static int no_peer(struct fid_ep *ep, void *address, size_t *length) {
    (void)ep, (void)address, (void)length;
    return -FI_ENOSYS; /* there are no connections */
}

static int no_connect(struct fid_ep *ep, const void *address, const void *data, size_t length) {
    (void)ep, (void)address, (void)data, (void)length;
    return -FI_ENOSYS;
}

static int no_accept(struct fid_ep *ep, const void *data, size_t length) {
    (void)ep, (void)data, (void)length;
    return -FI_ENOSYS;
}

static int no_shutdown(struct fid_ep *ep, uint64_t flags) {
    (void)ep, (void)flags;
    return -FI_ENOSYS;
}

static int no_tx_context(struct fid_ep *ep, int index, struct fi_tx_attr *attr, struct fid_ep **tx, void *context) {
    (void)ep, (void)index, (void)attr, (void)tx, (void)context;
    return -FI_ENOSYS;
}

static int no_rx_context(struct fid_ep *ep, int index, struct fi_rx_attr *attr, struct fid_ep **rx, void *context) {
    (void)ep, (void)index, (void)attr, (void)rx, (void)context;
    return -FI_ENOSYS;
}

static ssize_t receives_left(struct fid_ep *ep) {
    (void)ep;
    return QUEUE_LIMIT;
}

static ssize_t sends_left(struct fid_ep *ep) {
    const struct endpoint *endpoint = OWNER(ep, struct endpoint, fid);
    return endpoint->queued < QUEUE_LIMIT ? (ssize_t)(QUEUE_LIMIT - endpoint->queued) : 0;
}

/* ---- Closing ---- */

static bool is_all_sent(struct endpoint *endpoint) {
    return endpoint->failure != 0
           || (list_is_empty(&endpoint->queue) && list_is_empty(&endpoint->sending) && endpoint->left_bytes == 0
               && hxb_unfinished_sends(endpoint->context) <= 0);
}

/* Messages that were reported as sent have to arrive although the program ends now. Others use the domain meanwhile. */
static void linger(struct endpoint *endpoint) {
    struct domain *domain = endpoint->domain;
    int64_t end = now_ns() + LINGER_NS;
    while (!is_all_sent(endpoint) && now_ns() < end) {
        if (!progress(endpoint) && arm(endpoint)) {
            struct pollfd fd = {hxb_context_fd(endpoint->context), POLLIN, 0};
            pthread_mutex_unlock(&domain->lock);
            poll(&fd, 1, LINGER_STEP_MS);
            pthread_mutex_lock(&domain->lock);
            own(endpoint);
        }
    }
    disarm(endpoint);
    if (!is_all_sent(endpoint)) {
        WARN("messages to peers that do not take them are given up\n");
    }
}

static void free_all(struct endpoint *endpoint) {
    endpoint->send_cq = endpoint->receive_cq = NULL;
    fail_sends(endpoint, ANY, FI_ECANCELED);
    fail_receives(endpoint, ANY, FI_ECANCELED);
    struct matcher *matchers[] = {&endpoint->tagged, &endpoint->plain};
    for (int i = 0; i < 2; i++) {
        struct link *lists[] = {&matchers[i]->unexpected, &matchers[i]->claimed};
        for (int k = 0; k < 2; k++) {
            while (!list_is_empty(lists[k])) {
                free_incoming(endpoint, OWNER(lists[k]->next, struct incoming, link));
            }
        }
        match_free(matchers[i]);
    }
    free(endpoint->ids);
    free_peers(endpoint);
}

static int endpoint_close(struct fid *fid) {
    struct endpoint *endpoint = endpoint_of(fid);
    struct domain *domain = endpoint->domain;
    pthread_mutex_lock(&domain->lock);
    if (!list_is_empty(&endpoint->groups)) {
        pthread_mutex_unlock(&domain->lock);
        return -FI_EBUSY;
    }
    own(endpoint);
    linger(endpoint);
    eq_unbind(endpoint);
    list_remove(&endpoint->link);
    close_group_context(endpoint);
    unwatch_context(endpoint, endpoint->context);
    struct cq *cqs[] = {endpoint->send_cq, endpoint->receive_cq};
    for (int i = 0; i < 2; i++) {
        if (cqs[i] != NULL) {
            cqs[i]->users--;
        }
    }
    for (int i = 0; i < CNTRS; i++) {
        uint64_t flag;
        struct cntr **at = place_of_cntr(endpoint, i, &flag);
        if (*at != NULL) {
            (*at)->users--;
            *at = NULL;
        }
    }
    if (endpoint->av != NULL) {
        endpoint->av->users--;
    }
    free_all(endpoint);
    hxb_close_context(endpoint->context);
    domain->users--;
    pthread_mutex_unlock(&domain->lock);
    free(endpoint);
    return 0;
}

/* ---- Opening ---- */

/* The context that a source address names, or any. */
static int open_source(struct endpoint *endpoint, const struct fi_info *info, const hxb_context_options *options) {
    hxb_device *device = endpoint->domain->device;
    struct address *own_address = &endpoint->address;
    if (info->src_addr == NULL) {
        return open_any_context(device, options, &endpoint->context, &own_address->context);
    }
    if (info->src_addrlen != sizeof *own_address) {
        return HXB_E_ARGUMENT;
    }
    memcpy(own_address, info->src_addr, sizeof *own_address);
    if (own_address->magic != ADDRESS_MAGIC || own_address->node != hxb_node_id(device)) {
        return HXB_E_ARGUMENT;
    }
    own_address->incarnation = 0;
    return own_address->context == ANY_CONTEXT
               ? open_any_context(device, options, &endpoint->context, &own_address->context)
               : hxb_open_context(device, own_address->context, options, &endpoint->context);
}

static int open_context(struct endpoint *endpoint, const struct fi_info *info) {
    hxb_device *device = endpoint->domain->device;
    hxb_context_options options;
    hxb_default_options(&options);
    options.send_buffers = SEND_BUFFERS;
    options.peer_wait_ns = HXB_SECOND; /* an address is known only after its context was opened */
    int result = open_source(endpoint, info, &options);
    if (result != HXB_OK) {
        return -error_of(result);
    }
    endpoint->owner = pthread_self();
    endpoint->address.magic = ADDRESS_MAGIC;
    endpoint->address.node = hxb_node_id(device);
    endpoint->max_payload = (size_t)hxb_max_length(endpoint->context);
    uint32_t *incarnation = &endpoint->address.incarnation;
    do {
        if (getrandom(incarnation, sizeof *incarnation, 0) != sizeof *incarnation) {
            hxb_close_context(endpoint->context);
            endpoint->context = NULL;
            return -errno;
        }
    } while (*incarnation == 0 || *incarnation == UINT32_MAX); /* so that no peer is 0 or ANY */
    return 0;
}

static size_t unexpected_limit(void) {
    size_t limit = 0;
    if (fi_param_get_size_t(&hxb_provider, "unexpected_limit", &limit) != 0 || limit == 0) {
        limit = (size_t)64 << 20;
    }
    return limit;
}

int hxb_endpoint_open(struct fid_domain *domain_fid, struct fi_info *info, struct fid_ep **result, void *context) {
    static struct fi_ops fid_ops = {.size = sizeof fid_ops, .close = endpoint_close, .ops_open = no_ops_open,
                                    .bind = bind,
                                    .control = control};
    static struct fi_ops_ep ops = {.size = sizeof ops,
                                   .cancel = hxb_cancel,
                                   .getopt = getopt_ep,
                                   .setopt = setopt_ep,
                                   .tx_ctx = no_tx_context,
                                   .rx_ctx = no_rx_context,
                                   .rx_size_left = receives_left,
                                   .tx_size_left = sends_left};
    static struct fi_ops_cm cm = {.size = sizeof cm, .setname = no_setname, .getname = getname, .getpeer = no_peer,
                                  .connect = no_connect, .accept = no_accept, .shutdown = no_shutdown,
                                  .join = hxb_join};
    if (info->ep_attr != NULL && info->ep_attr->type != FI_EP_RDM && info->ep_attr->type != FI_EP_UNSPEC) {
        return -FI_EINVAL;
    }
    struct endpoint *endpoint = calloc(1, sizeof *endpoint);
    if (endpoint == NULL) {
        return -FI_ENOMEM;
    }
    struct domain *domain = OWNER(domain_fid, struct domain, fid);
    endpoint->domain = domain;
    endpoint->caps = info->caps;
    endpoint->send_flags = info->tx_attr != NULL ? info->tx_attr->op_flags : 0;
    endpoint->receive_flags = info->rx_attr != NULL ? info->rx_attr->op_flags : 0;
    endpoint->unexpected_limit = unexpected_limit();
    endpoint->min_multi_recv = 64;
    endpoint->owner = pthread_self();
    endpoint->last_heard = ANY;
    list_init(&endpoint->queue);
    list_init(&endpoint->sending);
    list_init(&endpoint->waiting);
    list_init(&endpoint->groups);
    list_init(&endpoint->eq_link);
    for (int i = 0; i < BUCKETS; i++) {
        list_init(&endpoint->streams[i]);
    }
    match_init(&endpoint->tagged);
    match_init(&endpoint->plain);
    pthread_mutex_lock(&domain->lock);
    int error = open_context(endpoint, info);
    if (error == 0 && domain->is_automatic) {
        error = watch_fd(domain->wait_fd, hxb_context_fd(endpoint->context));
    }
    if (error == 0) {
        list_add(&domain->endpoints, &endpoint->link);
        domain->users++;
    } else if (endpoint->context != NULL) {
        hxb_close_context(endpoint->context);
    }
    pthread_mutex_unlock(&domain->lock);
    if (error != 0) {
        free(endpoint);
        return error;
    }
    endpoint->fid.fid = (struct fid){.fclass = FI_CLASS_EP, .context = context, .ops = &fid_ops};
    endpoint->fid.ops = &ops;
    endpoint->fid.cm = &cm;
    endpoint->fid.msg = &hxb_msg_ops;
    endpoint->fid.tagged = &hxb_tagged_ops;
    endpoint->fid.rma = &hxb_rma_ops;
    endpoint->fid.atomic = &hxb_atomic_ops;
    endpoint->fid.collective = &hxb_collective_ops;
    *result = &endpoint->fid;
    return 0;
}
