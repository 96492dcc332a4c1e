/* Events of event queues, and endpoints that are bound to one. */
#include "libfabric/objects/objects.h"

struct eq *eq_of_fid(struct fid *fid) {
    return OWNER(fid, struct eq, fid.fid);
}

void eq_bind(struct eq *eq, struct endpoint *endpoint) {
    pthread_mutex_lock(&eq->lock);
    endpoint->eq = eq;
    list_add(&eq->endpoints, &endpoint->eq_link);
    pthread_mutex_unlock(&eq->lock);
}

void eq_unbind(struct endpoint *endpoint) {
    struct eq *eq = endpoint->eq;
    if (eq != NULL) {
        pthread_mutex_lock(&eq->lock);
        list_remove(&endpoint->eq_link);
        endpoint->eq = NULL;
        pthread_mutex_unlock(&eq->lock);
    }
}

void eq_add(struct eq *eq, struct event *event) {
    pthread_mutex_lock(&eq->lock);
    list_add(&eq->events, &event->link);
    pthread_mutex_unlock(&eq->lock);
}

void eq_remove(struct eq *eq, struct event *event) {
    pthread_mutex_lock(&eq->lock);
    list_remove(&event->link);
    pthread_mutex_unlock(&eq->lock);
}
