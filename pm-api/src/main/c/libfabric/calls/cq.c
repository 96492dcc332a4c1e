/* Completion queues and counters, as fi_cq(3) and fi_cntr(3) state them. A queue grows with what is outstanding, so
 * that no completion is ever lost. */
#include "libfabric/calls/calls.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { SPINS = 200 /* turns without success before a wait sleeps */, MAX_SLEEP_MS = 100 };

static struct cq *cq_of(struct fid_cq *fid) {
    return OWNER(fid, struct cq, fid);
}

/* ---- Entries ---- */

static size_t entry_size(enum fi_cq_format format) {
    switch (format) {
    case FI_CQ_FORMAT_MSG: return sizeof(struct fi_cq_msg_entry);
    case FI_CQ_FORMAT_DATA: return sizeof(struct fi_cq_data_entry);
    case FI_CQ_FORMAT_TAGGED: return sizeof(struct fi_cq_tagged_entry);
    default: return sizeof(struct fi_cq_entry);
    }
}

/* The formats are prefixes of the longest one. */
static ssize_t take_entries(struct cq *cq, void *to, size_t count, fi_addr_t *sources) {
    size_t size = entry_size(cq->format);
    size_t taken = count < cq->count ? count : cq->count;
    for (size_t i = 0; i < taken; i++) {
        const struct completion *from = &cq->entries[cq->head];
        struct fi_cq_tagged_entry entry = {from->context, from->flags, from->length, from->buffer, from->data,
                                           from->tag};
        memcpy((char *)to + i * size, &entry, size);
        if (sources != NULL) {
            sources[i] = from->source;
        }
        cq->head = (cq->head + 1) & (cq->capacity - 1);
        cq->count--;
    }
    return (ssize_t)taken;
}

/* ---- Reading ---- */

static ssize_t read_locked(struct cq *cq, void *to, size_t count, fi_addr_t *sources) {
    if (cq->is_overrun) {
        return -FI_EOVERRUN;
    }
    if (cq->count == 0 || count == 0) {
        bool did = progress_all(cq->domain);
        if (cq->count == 0 && cq->error_count == 0) {
            idle(cq->domain, did);
            return -FI_EAGAIN;
        }
    }
    cq->domain->idle_turns = 0;
    if (cq->error_count > 0 && cq->count == 0) {
        return -FI_EAVAIL;
    }
    return take_entries(cq, to, count, sources);
}

static ssize_t readfrom(struct fid_cq *fid, void *to, size_t count, fi_addr_t *sources) {
    struct cq *cq = cq_of(fid);
    pthread_mutex_lock(&cq->domain->lock);
    ssize_t result = read_locked(cq, to, count, sources);
    pthread_mutex_unlock(&cq->domain->lock);
    return result;
}

static ssize_t read_entries(struct fid_cq *fid, void *to, size_t count) {
    return readfrom(fid, to, count, NULL);
}

static ssize_t readerr(struct fid_cq *fid, struct fi_cq_err_entry *to, uint64_t flags) {
    struct cq *cq = cq_of(fid);
    ssize_t result = -FI_EAGAIN;
    (void)flags;
    pthread_mutex_lock(&cq->domain->lock);
    if (cq->error_count > 0) {
        uint32_t version = cq->domain->fabric->api_version;
        struct fi_cq_err_entry entry = cq->errors[cq->error_head];
        if (FI_VERSION_GE(version, FI_VERSION(1, 5)) && to->err_data_size > 0) {
            entry.err_data = to->err_data; /* the program's own, for details, which the provider does not have */
        }
        set_error_source(&entry, FI_ADDR_NOTAVAIL);
        memcpy(to, &entry, error_entry_size(version));
        cq->error_head = (cq->error_head + 1) & (cq->error_capacity - 1);
        cq->error_count--;
        result = 1;
    }
    pthread_mutex_unlock(&cq->domain->lock);
    return result;
}

static const char *cq_strerror(struct fid_cq *fid, int detail, const void *data, char *to, size_t length) {
    (void)fid, (void)data;
    return error_text(detail, to, length);
}

/* ---- Waiting ---- */

/* Ends a wait when an awaited peer has to be looked for: by progress, which nobody makes during it. */
static void set_timer(struct cq *cq) {
    int64_t due = cq->domain->is_automatic ? 0 : next_ping_ns(cq->domain);
    if (due != 0 || cq->has_timer) {
        struct itimerspec at = {.it_value = {.tv_sec = due / HXB_SECOND, .tv_nsec = due % HXB_SECOND}};
        timerfd_settime(cq->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
        cq->has_timer = due != 0;
    }
}

/* A thread that waits sleeps on descriptors that are armed; the lock is free meanwhile. */
int cq_try_wait(struct cq *cq) {
    if (cq->wait_fd < 0) {
        return -FI_EINVAL;
    }
    pthread_mutex_lock(&cq->domain->lock);
    drain_events(cq->signal_fd); /* of what the program has seen by now */
    progress_all(cq->domain);
    copy_all_left(cq->domain);
    bool is_waiting = cq->count == 0 && cq->error_count == 0 && arm_all(cq->domain);
    cq->is_awaited = is_waiting;
    if (is_waiting) {
        set_timer(cq);
    }
    pthread_mutex_unlock(&cq->domain->lock);
    return is_waiting ? 0 : -FI_EAGAIN;
}

/* Takes a signal of fi_cq_signal. */
static bool take_signal(struct cq *cq) {
    pthread_mutex_lock(&cq->domain->lock);
    bool is_signalled = cq->is_signalled;
    cq->is_signalled = false;
    pthread_mutex_unlock(&cq->domain->lock);
    return is_signalled;
}

static ssize_t sreadfrom(struct fid_cq *fid, void *to, size_t count, fi_addr_t *sources, const void *condition,
                         int timeout_ms) {
    struct cq *cq = cq_of(fid);
    int64_t end = timeout_ms < 0 ? INT64_MAX : now_ns() + timeout_ms * INT64_C(1000000);
    (void)condition; /* of FI_CQ_COND_THRESHOLD: a hint */
    if (cq->wait_fd < 0) {
        return -FI_ENOSYS;
    }
    for (int spins = 0;; spins++) {
        ssize_t result = readfrom(fid, to, count, sources);
        int64_t left = end - now_ns();
        if (result != -FI_EAGAIN || left <= 0) {
            return result;
        }
        if (take_signal(cq)) {
            return -FI_ECANCELED;
        }
        if (spins < SPINS) {
            sched_yield();
        } else if (cq_try_wait(cq) == 0) {
            /* Changes that libhxb does not signal, such as the death of the node, are found by looking again. */
            int64_t ms = (left + 999999) / 1000000;
            struct pollfd fd = {cq->wait_fd, POLLIN, 0};
            int ready = poll(&fd, 1, ms < MAX_SLEEP_MS ? (int)ms : MAX_SLEEP_MS);
            if (ready < 0 && errno == EINTR) {
                return -FI_EINTR;
            }
        }
    }
}

static ssize_t sread(struct fid_cq *fid, void *to, size_t count, const void *condition, int timeout_ms) {
    return sreadfrom(fid, to, count, NULL, condition, timeout_ms);
}

static int signal_cq(struct fid_cq *fid) {
    struct cq *cq = cq_of(fid);
    if (cq->wait_fd < 0) {
        return -FI_ENOSYS;
    }
    pthread_mutex_lock(&cq->domain->lock);
    cq->is_signalled = true;
    cq->is_awaited = true;
    cq_signal(cq);
    pthread_mutex_unlock(&cq->domain->lock);
    return 0;
}

static int control(struct fid *fid, int command, void *argument) {
    struct cq *cq = OWNER(fid, struct cq, fid.fid);
    switch (command) {
    case FI_GETWAIT:
        if (cq->wait != FI_WAIT_FD) {
            return -FI_ENODATA;
        }
        *(int *)argument = cq->wait_fd;
        return 0;
    case FI_GETWAITOBJ: *(enum fi_wait_obj *)argument = cq->wait; return 0;
    default: return -FI_ENOSYS;
    }
}

/* ---- Opening and closing ---- */

static void close_wait(const struct cq *cq) {
    const int fds[] = {cq->wait_fd, cq->signal_fd, cq->timer_fd};
    for (int i = 0; i < 3; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}

static int cq_close(struct fid *fid) {
    struct cq *cq = OWNER(fid, struct cq, fid.fid);
    struct domain *domain = cq->domain;
    pthread_mutex_lock(&domain->lock);
    bool is_used = cq->users > 0;
    pthread_mutex_unlock(&domain->lock);
    if (is_used) {
        return -FI_EBUSY;
    }
    if (cq->wait_fd >= 0) {
        close_wait(cq);
    }
    domain_release(domain);
    free(cq->entries);
    free(cq->errors);
    free(cq);
    return 0;
}

static bool open_wait(struct cq *cq) {
    cq->wait_fd = epoll_create1(EPOLL_CLOEXEC);
    cq->signal_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    cq->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN};
    if (cq->wait_fd >= 0 && cq->signal_fd >= 0 && cq->timer_fd >= 0
        && epoll_ctl(cq->wait_fd, EPOLL_CTL_ADD, cq->signal_fd, &event) == 0
        && epoll_ctl(cq->wait_fd, EPOLL_CTL_ADD, cq->timer_fd, &event) == 0) {
        return true;
    }
    close_wait(cq);
    return false;
}

int hxb_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **result, void *context) {
    static struct fi_ops fid_ops = {.size = sizeof fid_ops, .close = cq_close, .ops_open = no_ops_open,
                                    .control = control};
    static struct fi_ops_cq ops = {.size = sizeof ops,
                                   .read = read_entries,
                                   .readfrom = readfrom,
                                   .readerr = readerr,
                                   .sread = sread,
                                   .sreadfrom = sreadfrom,
                                   .signal = signal_cq,
                                   .strerror = cq_strerror};
    if (attr->wait_obj != FI_WAIT_NONE && attr->wait_obj != FI_WAIT_UNSPEC && attr->wait_obj != FI_WAIT_FD) {
        return -FI_ENOSYS;
    }
    if (attr->format > FI_CQ_FORMAT_TAGGED) {
        return -FI_EINVAL;
    }
    struct cq *cq = calloc(1, sizeof *cq);
    if (cq == NULL) {
        return -FI_ENOMEM;
    }
    cq->domain = OWNER(domain, struct domain, fid);
    cq->wait = attr->wait_obj;
    cq->format = attr->format == FI_CQ_FORMAT_UNSPEC ? FI_CQ_FORMAT_TAGGED : attr->format;
    cq->wait_fd = cq->signal_fd = cq->timer_fd = -1;
    if (cq->wait != FI_WAIT_NONE && !open_wait(cq)) {
        free(cq);
        return -FI_EMFILE;
    }
    attr->format = cq->format;
    cq->fid.fid = (struct fid){.fclass = FI_CLASS_CQ, .context = context, .ops = &fid_ops};
    cq->fid.ops = &ops;
    domain_hold(cq->domain);
    *result = &cq->fid;
    return 0;
}
