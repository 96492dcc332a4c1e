/* Domains: an attachment to a node with its lock, and who makes progress: the calls of programs, or a thread. */
#include "libfabric/calls/calls.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { MAX_SLEEP_MS = 100 };

static int read_idle(enum idle_kind *kind) {
    static const char *const names[] = {"auto", "spin", "yield", "sleep"};
    char *value = NULL;
    *kind = IDLE_AUTO;
    if (fi_param_get_str(&hxb_provider, "idle", &value) != 0 || value == NULL) {
        return 0;
    }
    for (int i = 0; i < 4; i++) {
        if (strcmp(value, names[i]) == 0) {
            *kind = (enum idle_kind)i;
            return 0;
        }
    }
    WARN("FI_HXB_IDLE is auto, spin, yield or sleep, not %s\n", value);
    return FI_EINVAL;
}

static void *run(void *argument) {
    struct domain *domain = argument;
    pthread_mutex_lock(&domain->lock);
    while (!domain->is_ending) {
        bool may_sleep = !progress_endpoints(domain) && arm_endpoints(domain);
        pthread_mutex_unlock(&domain->lock);
        if (may_sleep) {
            struct epoll_event events[8];
            epoll_wait(domain->wait_fd, events, 8, MAX_SLEEP_MS);
            drain_events(domain->wake_fd);
        }
        pthread_mutex_lock(&domain->lock);
    }
    pthread_mutex_unlock(&domain->lock);
    return NULL;
}

static int start_thread(struct domain *domain) {
    struct epoll_event event = {.events = EPOLLIN};
    domain->wait_fd = epoll_create1(EPOLL_CLOEXEC);
    if (domain->wait_fd < 0
        || epoll_ctl(domain->wait_fd, EPOLL_CTL_ADD, domain->wake_fd, &event) != 0) {
        return FI_EMFILE;
    }
    domain->is_automatic = true;
    int error = pthread_create(&domain->thread, NULL, run, domain);
    domain->is_automatic = error == 0;
    return error;
}

int hxb_trywait(struct fid_fabric *fabric, struct fid **fids, int count) {
    (void)fabric;
    for (int i = 0; i < count; i++) {
        if (fids[i]->fclass != FI_CLASS_CQ) {
            return -FI_ENOSYS;
        }
        int result = cq_try_wait(OWNER(fids[i], struct cq, fid.fid));
        if (result != 0) {
            return result;
        }
    }
    return 0;
}

/* ---- Opening and closing ---- */

static void free_domain(struct domain *domain) {
    if (domain->is_automatic) {
        pthread_mutex_lock(&domain->lock);
        domain->is_ending = true;
        pthread_mutex_unlock(&domain->lock);
        wake_thread(domain);
        pthread_join(domain->thread, NULL);
    }
    if (domain->wait_fd >= 0) {
        close(domain->wait_fd);
    }
    if (domain->wake_fd >= 0) {
        close(domain->wake_fd);
    }
    hxb_detach(domain->device);
    pthread_mutex_destroy(&domain->lock);
    free(domain);
}

static int domain_close(struct fid *fid) {
    struct domain *domain = OWNER(fid, struct domain, fid.fid);
    pthread_mutex_lock(&domain->lock);
    bool is_used = domain->users > 0;
    pthread_mutex_unlock(&domain->lock);
    if (is_used) {
        return -FI_EBUSY;
    }
    struct fabric *fabric = domain->fabric;
    free_domain(domain);
    fabric_use(fabric, -1);
    return 0;
}

static int no_bind(struct fid *fid, struct fid *other, uint64_t flags) {
    (void)fid, (void)other, (void)flags;
    return -FI_ENOSYS;
}

static int no_scalable_ep(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep, void *context) {
    (void)domain, (void)info, (void)ep, (void)context;
    return -FI_ENOSYS;
}

static int no_poll(struct fid_domain *domain, struct fi_poll_attr *attr, struct fid_poll **set) {
    (void)domain, (void)attr, (void)set;
    return -FI_ENOSYS;
}

static int no_stx(struct fid_domain *domain, struct fi_tx_attr *attr, struct fid_stx **stx, void *context) {
    (void)domain, (void)attr, (void)stx, (void)context;
    return -FI_ENOSYS;
}

static int no_srx(struct fid_domain *domain, struct fi_rx_attr *attr, struct fid_ep **ep, void *context) {
    (void)domain, (void)attr, (void)ep, (void)context;
    return -FI_ENOSYS;
}

int hxb_domain_open(struct fid_fabric *fabric, struct fi_info *info, struct fid_domain **result, void *context) {
    static struct fi_ops fid_ops = {.size = sizeof fid_ops, .close = domain_close, .ops_open = no_ops_open,
                                    .bind = no_bind};
    static struct fi_ops_domain ops = {.size = sizeof ops,
                                       .av_open = hxb_av_open,
                                       .cq_open = hxb_cq_open,
                                       .endpoint = hxb_endpoint_open,
                                       .scalable_ep = no_scalable_ep,
                                       .cntr_open = hxb_cntr_open,
                                       .poll_open = no_poll,
                                       .stx_ctx = no_stx,
                                       .srx_ctx = no_srx,
                                       .query_atomic = hxb_query_atomic,
                                       .query_collective = hxb_query_collective};
    struct domain *domain = calloc(1, sizeof *domain);
    if (domain == NULL) {
        return -FI_ENOMEM;
    }
    int attached = hxb_attach(NULL, &domain->device);
    if (attached != HXB_OK) {
        WARN("%s: %s\n", hxb_strerror(attached), hxb_last_error());
        free(domain);
        return -error_of(attached);
    }
    pthread_mutex_init(&domain->lock, NULL);
    list_init(&domain->endpoints);
    for (int i = 0; i < BUCKETS; i++) {
        list_init(&domain->registrations[i]);
    }
    domain->mr_mode = info->domain_attr != NULL ? info->domain_attr->mr_mode : 0;
    if ((domain->mr_mode & MR_BASIC) != 0) {
        domain->mr_mode |= FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | FI_MR_ALLOCATED;
    }
    domain->wait_fd = -1;
    domain->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int error = domain->wake_fd < 0 ? FI_EMFILE : read_idle(&domain->idle_kind);
    error = error != 0 ? error
            : info->domain_attr != NULL && info->domain_attr->data_progress == FI_PROGRESS_AUTO
                    ? start_thread(domain)
                    : 0;
    if (error != 0) {
        free_domain(domain);
        return -error;
    }
    domain->fid.fid = (struct fid){.fclass = FI_CLASS_DOMAIN, .context = context, .ops = &fid_ops};
    domain->fid.ops = &ops;
    domain->fid.mr = &hxb_mr_ops;
    domain->fabric = OWNER(fabric, struct fabric, fid);
    fabric_use(domain->fabric, 1);
    *result = &domain->fid;
    return 0;
}
