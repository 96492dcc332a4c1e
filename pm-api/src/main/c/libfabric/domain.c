/* Domains: an attachment to a node with its lock, and who makes progress: the calls of programs, or a thread. */
#include "provider.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
    IDLE_TURNS = 4,      /* looks in vain before each gives way */
    NAP_TURNS = 16,      /* the same before a sleep, where CPUs come back late */
    SOON_NS = 10000,     /* from one look to the next of a program that does nothing but wait */
    LONG_NS = 1000000,   /* a wait that goes on asleep */
    LATE_NS = 100000,    /* a CPU that was given away comes back so late if many want it, or one computes on it */
    LATE_SHARE = 4,      /* one part in so many of a program's time may be lost like that */
    CROWDED_NS = 1000000, /* and so much beyond it, before waits go on asleep */
    MIN_PAUSE_NS = 20000000,   /* for which waits sleep after that at first */
    MAX_PAUSE_NS = 1000000000, /* and at most, if it is so again and again */
    SHARED_NS = 100000000, /* for which waits sleep soon after another thread has used the endpoint */
    AGAIN_PAUSES = 4,    /* what is found within that many pauses is found again */
    NAP_MS = 1,
    MAX_NAPPING = 8,
    MAX_SLEEP_MS = 100
};

int64_t clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * HXB_SECOND + now.tv_nsec;
}

void domain_hold(struct domain *domain) {
    pthread_mutex_lock(&domain->lock);
    domain->users++;
    pthread_mutex_unlock(&domain->lock);
}

void domain_release(struct domain *domain) {
    pthread_mutex_lock(&domain->lock);
    domain->users--;
    pthread_mutex_unlock(&domain->lock);
}

/* ---- Progress ---- */

static bool progress_endpoints(struct domain *domain) {
    bool did = false;
    for (struct link *at = domain->endpoints.next; at != &domain->endpoints; at = at->next) {
        struct endpoint *endpoint = OWNER(at, struct endpoint, link);
        own(endpoint);
        did |= progress(endpoint);
    }
    return did;
}

bool progress_all(struct domain *domain) {
    return !domain->is_automatic && progress_endpoints(domain);
}

static bool arm_endpoints(struct domain *domain) {
    for (struct link *at = domain->endpoints.next; at != &domain->endpoints; at = at->next) {
        struct endpoint *endpoint = OWNER(at, struct endpoint, link);
        own(endpoint);
        if (!arm(endpoint)) {
            return false; /* the next progress disarms the others */
        }
    }
    return true;
}

bool arm_all(struct domain *domain) {
    return domain->is_automatic || arm_endpoints(domain);
}

static void drain(int fd) {
    uint64_t count;
    while (read(fd, &count, sizeof count) > 0) {
    }
}

/* Other threads post meanwhile, and may find what this one waits for. */
void end_naps(struct domain *domain) {
    if (domain->napping > 0 && !domain->is_nap_over) {
        domain->is_nap_over = true;
        wake_thread(domain);
    }
}

/* Until there is work or a moment has passed. Somebody who sleeps is woken before those that have a CPU are asked to leave
 * it, while somebody who has given his CPU away gets it back when all others have had it. */
static void nap(struct domain *domain) {
    struct pollfd fds[MAX_NAPPING + 1];
    nfds_t count = 0;
    for (struct link *at = domain->endpoints.next; at != &domain->endpoints && count < MAX_NAPPING; at = at->next) {
        struct endpoint *endpoint = OWNER(at, struct endpoint, link);
        hxb_context *contexts[] = {endpoint->context, endpoint->group_context};
        for (int i = 0; i < 2 && count < MAX_NAPPING; i++) {
            if (contexts[i] != NULL) {
                fds[count++] = (struct pollfd){.fd = hxb_context_fd(contexts[i]), .events = POLLIN};
            }
        }
    }
    fds[count++] = (struct pollfd){.fd = domain->wake_fd, .events = POLLIN};
    domain->napping++;
    pthread_mutex_unlock(&domain->lock);
    poll(fds, count, NAP_MS);
    pthread_mutex_lock(&domain->lock);
    domain->napping--;
    if (domain->napping == 0 && domain->is_nap_over) {
        domain->is_nap_over = false;
        drain(domain->wake_fd);
    }
}

/* Two ranks and two nodes on two CPUs have a late return now and then, and are faster awake; a bucket that leaks tells them
 * from those that are late all the time. */
static bool is_late_again(struct domain *domain, int64_t before, int64_t after) {
    int64_t leaked = (after - domain->late_since_ns) / LATE_SHARE;
    domain->late_ns = domain->late_ns > leaked ? domain->late_ns - leaked : 0;
    domain->late_since_ns = after;
    if (after - before > LATE_NS) {
        domain->late_ns += after - before;
    }
    if (domain->late_ns <= CROWDED_NS) {
        return false;
    }
    domain->late_ns = 0;
    return true;
}

void share(struct domain *domain) {
    domain->shared_until_ns = clock_ns() + SHARED_NS;
}

static void give_way(struct domain *domain, int64_t now) {
    pthread_mutex_unlock(&domain->lock);
    sched_yield();
    pthread_mutex_lock(&domain->lock);
    int64_t after = clock_ns();
    if (is_late_again(domain, now, after)) {
        bool is_again = after - domain->crowded_until_ns < AGAIN_PAUSES * domain->pause_ns;
        int64_t doubled = 2 * domain->pause_ns < MAX_PAUSE_NS ? 2 * domain->pause_ns : MAX_PAUSE_NS;
        domain->pause_ns = is_again ? doubled : MIN_PAUSE_NS;
        domain->crowded_until_ns = after + domain->pause_ns;
    }
}

bool copy_all_left(struct domain *domain) {
    bool did = false;
    for (struct link *at = domain->endpoints.next; at != &domain->endpoints; at = at->next) {
        did |= copy_left(OWNER(at, struct endpoint, link));
    }
    return did;
}

/* As FI_HXB_IDLE says, whatever the machine does. */
static void idle_always(struct domain *domain, bool did_something) {
    if (did_something || copy_all_left(domain) || domain->idle_kind == IDLE_SPIN) {
        return;
    }
    if (domain->idle_kind == IDLE_NAP && !domain->is_automatic) {
        if (arm_all(domain)) {
            nap(domain);
        }
        return;
    }
    pthread_mutex_unlock(&domain->lock);
    sched_yield();
    pthread_mutex_lock(&domain->lock);
}

static int read_idle(enum idle_kind *kind) {
    static const char *const names[] = {"auto", "spin", "yield", "nap"};
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
    WARN("FI_HXB_IDLE is auto, spin, yield or nap, not %s\n", value);
    return FI_EINVAL;
}

void idle(struct domain *domain, bool did_something) {
    int64_t now = clock_ns();
    if (domain->idle_kind != IDLE_AUTO) {
        idle_always(domain, did_something);
        return;
    }
    if (did_something || now - domain->idle_ns > SOON_NS) {
        domain->idle_turns = 0;
    }
    if (++domain->idle_turns == 1) {
        domain->idle_since_ns = now;
    } else if (copy_all_left(domain)) {
        domain->idle_turns = 0;
    } else if (domain->idle_turns > IDLE_TURNS) {
        bool is_crowded = now < domain->crowded_until_ns;
        bool is_shared = now < domain->shared_until_ns;
        bool may_nap = is_shared    ? true
                       : is_crowded ? domain->idle_turns > NAP_TURNS
                                    : now - domain->idle_since_ns > LONG_NS;
        if (may_nap && !domain->is_automatic && arm_all(domain)) {
            nap(domain);
        } else if (!is_crowded || domain->is_automatic) {
            give_way(domain, now);
        }
        now = clock_ns();
    }
    domain->idle_ns = now;
}

void wake_thread(struct domain *domain) {
    uint64_t one = 1;
    if (write(domain->wake_fd, &one, sizeof one) != sizeof one) {
        WARN("a thread could not be woken: %s\n", strerror(errno));
    }
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
            drain(domain->wake_fd);
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
