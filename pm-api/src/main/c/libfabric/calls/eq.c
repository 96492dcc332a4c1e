/* Event queues, as fi_eq(3) states them. All that is done later is joining a group of peers (collective.c). A queue has
 * a lock of its own, which is taken after those of domains; a thread that reads only tries theirs. */
#include "libfabric/calls/calls.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#define LOOK_NS 200000 /* between looks of a wait */

static struct eq *eq_of(struct fid_eq *fid) {
    return OWNER(fid, struct eq, fid);
}

/* ---- Reading ---- */

static bool progress_bound(struct eq *eq) {
    bool did = false;
    for (struct link *at = eq->endpoints.next; at != &eq->endpoints; at = at->next) {
        struct domain *domain = OWNER(at, struct endpoint, eq_link)->domain;
        if (pthread_mutex_trylock(&domain->lock) == 0) {
            did |= progress_all(domain);
            pthread_mutex_unlock(&domain->lock);
        }
    }
    return did;
}

static ssize_t take_event(struct eq *eq, uint32_t *type, void *to, size_t length, uint64_t flags) {
    if (list_is_empty(&eq->events)) {
        return -FI_EAGAIN;
    }
    struct event *event = OWNER(eq->events.next, struct event, link);
    if (event->error != 0) {
        return -FI_EAVAIL;
    }
    struct fi_eq_entry entry = {.fid = event->fid, .context = event->context};
    if (length < sizeof entry) {
        return -FI_ETOOSMALL;
    }
    *type = event->type;
    memcpy(to, &entry, sizeof entry);
    if ((flags & FI_PEEK) == 0) {
        list_remove(&event->link);
    }
    return sizeof entry;
}

static ssize_t eq_read(struct fid_eq *fid, uint32_t *type, void *to, size_t length, uint64_t flags) {
    struct eq *eq = eq_of(fid);
    pthread_mutex_lock(&eq->lock);
    bool did = progress_bound(eq);
    ssize_t result = take_event(eq, type, to, length, flags);
    pthread_mutex_unlock(&eq->lock);
    if (result == -FI_EAGAIN && !did) {
        sched_yield(); /* a program that reads again and again waits for others */
    }
    return result;
}

static ssize_t eq_readerr(struct fid_eq *fid, struct fi_eq_err_entry *to, uint64_t flags) {
    struct eq *eq = eq_of(fid);
    ssize_t result = -FI_EAGAIN;
    pthread_mutex_lock(&eq->lock);
    if (!list_is_empty(&eq->events)) {
        struct event *event = OWNER(eq->events.next, struct event, link);
        if (event->error != 0) {
            *to = (struct fi_eq_err_entry){.fid = event->fid,
                                           .context = event->context,
                                           .err = event->error,
                                           .prov_errno = event->detail};
            if ((flags & FI_PEEK) == 0) {
                list_remove(&event->link);
            }
            result = sizeof *to;
        }
    }
    pthread_mutex_unlock(&eq->lock);
    return result;
}

static ssize_t eq_write(struct fid_eq *eq, uint32_t event, const void *from, size_t length, uint64_t flags) {
    (void)eq, (void)event, (void)from, (void)length, (void)flags;
    return -FI_ENOSYS;
}

static ssize_t eq_sread(struct fid_eq *fid, uint32_t *type, void *to, size_t length, int timeout_ms, uint64_t flags) {
    int64_t end = timeout_ms < 0 ? INT64_MAX : now_ns() + timeout_ms * INT64_C(1000000);
    ssize_t result = eq_read(fid, type, to, length, flags);
    while (result == -FI_EAGAIN && now_ns() < end) {
        nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
        result = eq_read(fid, type, to, length, flags);
    }
    return result;
}

static const char *eq_strerror(struct fid_eq *eq, int detail, const void *data, char *to, size_t length) {
    (void)eq, (void)data;
    return error_text(detail, to, length);
}

/* ---- Opening and closing ---- */

static int eq_close(struct fid *fid) {
    struct eq *eq = eq_of_fid(fid);
    pthread_mutex_lock(&eq->lock);
    bool is_used = !list_is_empty(&eq->endpoints);
    pthread_mutex_unlock(&eq->lock);
    if (is_used) {
        return -FI_EBUSY;
    }
    pthread_mutex_destroy(&eq->lock);
    fabric_use(eq->fabric, -1);
    free(eq);
    return 0;
}

int hxb_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **result, void *context) {
    static struct fi_ops fid_ops = {.size = sizeof fid_ops, .close = eq_close, .ops_open = no_ops_open};
    static struct fi_ops_eq ops = {.size = sizeof ops,
                                   .read = eq_read,
                                   .readerr = eq_readerr,
                                   .write = eq_write,
                                   .sread = eq_sread,
                                   .strerror = eq_strerror};
    if (attr != NULL && attr->wait_obj != FI_WAIT_NONE && attr->wait_obj != FI_WAIT_UNSPEC) {
        return -FI_ENOSYS;
    }
    struct eq *eq = calloc(1, sizeof *eq);
    if (eq == NULL) {
        return -FI_ENOMEM;
    }
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&eq->lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    list_init(&eq->endpoints);
    list_init(&eq->events);
    eq->fabric = OWNER(fabric, struct fabric, fid);
    fabric_use(eq->fabric, 1);
    eq->fid.fid = (struct fid){.fclass = FI_CLASS_EQ, .context = context, .ops = &fid_ops};
    eq->fid.ops = &ops;
    *result = &eq->fid;
    return 0;
}
