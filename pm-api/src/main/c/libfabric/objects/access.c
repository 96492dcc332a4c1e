/* Contexts of endpoints: which thread owns them, who waits for them, and when they have failed. */
#include "free_context.h"
#include "libfabric/objects/objects.h"

#include <errno.h>
#include <sys/epoll.h>

void own(struct endpoint *endpoint) {
    pthread_t self = pthread_self();
    if (!pthread_equal(endpoint->owner, self)) {
        hxb_own_context(endpoint->context);
        if (endpoint->group_context != NULL) {
            hxb_own_context(endpoint->group_context);
        }
        endpoint->owner = self;
        share(endpoint->domain);
    }
}

void enter(struct endpoint *endpoint) {
    pthread_mutex_lock(&endpoint->domain->lock);
    endpoint->domain->idle_turns = 0; /* who posts does not only wait */
    own(endpoint);
}

void leave(struct endpoint *endpoint) {
    struct domain *domain = endpoint->domain;
    if (!(list_is_empty(&endpoint->queue) && list_is_empty(&endpoint->sending))) {
        if (domain->is_automatic) {
            wake_thread(domain);
        }
        end_naps(domain); /* a thread that sleeps is not woken when there are slots again */
    }
    pthread_mutex_unlock(&domain->lock);
}

void fail_endpoint(struct endpoint *endpoint, int result) {
    if (endpoint->failure == 0) {
        const char *reason = result == HXB_CONTEXT_CLOSED ? hxb_close_reason(endpoint->context) : hxb_last_error();
        WARN("the endpoint ends: %s %s\n", hxb_strerror(result), reason != NULL ? reason : "");
        endpoint->failure = error_of(result);
    }
}

/* A thread that sleeps while another one calls this arms it again. */
static void wake_sleepers(struct endpoint *endpoint) {
    struct cq *cqs[] = {endpoint->send_cq, endpoint->receive_cq};
    for (int i = 0; i < 2; i++) {
        if (cqs[i] != NULL) {
            cq_wake(cqs[i]);
        }
    }
    end_naps(endpoint->domain);
}

void disarm(struct endpoint *endpoint) {
    if (endpoint->is_armed) {
        wake_sleepers(endpoint);
        hxb_disarm(endpoint->context);
        if (endpoint->group_context != NULL) {
            hxb_disarm(endpoint->group_context);
        }
        endpoint->is_armed = false;
    }
}

int watch_fd(int wait_fd, int fd) {
    struct epoll_event event = {.events = EPOLLIN};
    return epoll_ctl(wait_fd, EPOLL_CTL_ADD, fd, &event) == 0 || errno == EEXIST ? 0 : -errno;
}

int watch_context(struct endpoint *endpoint, const hxb_context *context) {
    const struct domain *domain = endpoint->domain;
    const struct cq *cqs[] = {endpoint->send_cq, endpoint->receive_cq};
    int error = domain->is_automatic ? watch_fd(domain->wait_fd, hxb_context_fd(context)) : 0;
    for (int i = 0; i < 2 && error == 0; i++) {
        error = cqs[i] != NULL && cqs[i]->wait_fd >= 0 ? watch_fd(cqs[i]->wait_fd, hxb_context_fd(context)) : 0;
    }
    return -error;
}

void unwatch_context(struct endpoint *endpoint, const hxb_context *context) {
    const struct cq *cqs[] = {endpoint->send_cq, endpoint->receive_cq};
    for (int i = 0; i < 2; i++) {
        if (cqs[i] != NULL && cqs[i]->wait_fd >= 0) {
            epoll_ctl(cqs[i]->wait_fd, EPOLL_CTL_DEL, hxb_context_fd(context), NULL);
        }
    }
}

int open_any_context(hxb_device *device, const hxb_context_options *options, hxb_context **context, int *id) {
    int result = open_free_context(device, 0, options, context, id);
    if (result != HXB_OK) {
        WARN("no context of the node can be opened: %s: %s\n", hxb_strerror(result), hxb_last_error());
    }
    return result;
}
