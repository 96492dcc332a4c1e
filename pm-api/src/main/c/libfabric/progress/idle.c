/* Who makes progress, the calls of programs or a thread, and what a program does that waits for completions. */
#include "libfabric/progress/progress.h"

#include <poll.h>
#include <sched.h>
#include <unistd.h>

enum {
    IDLE_TURNS = 4,      /* polls without success before each yields */
    NAP_TURNS = 16,      /* the same before a sleep, where CPUs come back late */
    SOON_NS = 10000,     /* from one look to the next of a program that does nothing but wait */
    LONG_NS = 1000000,   /* a wait that goes on asleep */
    LATE_NS = 100000,    /* a CPU that was given away comes back so late if many want it, or one computes on it */
    LATE_SHARE = 4,      /* one part in so many of a program's time may be lost like that */
    CROWDED_NS = 1000000, /* and so much beyond it, before waits go on asleep */
    MIN_PAUSE_NS = 20000000,   /* for which waits sleep after that at first */
    MAX_PAUSE_NS = 1000000000, /* and at most, if it is so again and again */
    AGAIN_PAUSES = 4,    /* what is found within that many pauses is found again */
    SLEEP_MS = 1,
    MAX_SLEEP_FDS = 8
};

bool progress_endpoints(struct domain *domain) {
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

bool arm_endpoints(struct domain *domain) {
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

/* Until there is work or a moment has passed. Somebody who sleeps is woken before those that have a CPU are asked to
 * leave it, while somebody who has given his CPU away gets it back when all others have had it. */
static void sleep_briefly(struct domain *domain) {
    struct pollfd fds[MAX_SLEEP_FDS + 1];
    nfds_t count = 0;
    for (struct link *at = domain->endpoints.next; at != &domain->endpoints && count < MAX_SLEEP_FDS; at = at->next) {
        struct endpoint *endpoint = OWNER(at, struct endpoint, link);
        hxb_context *contexts[] = {endpoint->context, endpoint->group_context};
        for (int i = 0; i < 2 && count < MAX_SLEEP_FDS; i++) {
            if (contexts[i] != NULL) {
                fds[count++] = (struct pollfd){.fd = hxb_context_fd(contexts[i]), .events = POLLIN};
            }
        }
    }
    fds[count++] = (struct pollfd){.fd = domain->wake_fd, .events = POLLIN};
    domain->sleeping++;
    pthread_mutex_unlock(&domain->lock);
    poll(fds, count, SLEEP_MS);
    pthread_mutex_lock(&domain->lock);
    domain->sleeping--;
    if (domain->sleeping == 0 && domain->is_sleep_over) {
        domain->is_sleep_over = false;
        drain_events(domain->wake_fd);
    }
}

/* Two ranks and two nodes on two CPUs have a late return now and then, and are faster awake. A leaky bucket
 * distinguishes them from programs that are late all the time. */
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

static void yield_cpu(struct domain *domain, int64_t now) {
    pthread_mutex_unlock(&domain->lock);
    sched_yield();
    pthread_mutex_lock(&domain->lock);
    int64_t after = now_ns();
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

/* As FI_HXB_IDLE requires, whatever the machine does. */
static void idle_always(struct domain *domain, bool did_something) {
    if (did_something || copy_all_left(domain) || domain->idle_kind == IDLE_SPIN) {
        return;
    }
    if (domain->idle_kind == IDLE_SLEEP && !domain->is_automatic) {
        if (arm_all(domain)) {
            sleep_briefly(domain);
        }
        return;
    }
    pthread_mutex_unlock(&domain->lock);
    sched_yield();
    pthread_mutex_lock(&domain->lock);
}

void idle(struct domain *domain, bool did_something) {
    int64_t now = now_ns();
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
        bool may_sleep = is_shared    ? true
                       : is_crowded ? domain->idle_turns > NAP_TURNS
                                    : now - domain->idle_since_ns > LONG_NS;
        if (may_sleep && !domain->is_automatic && arm_all(domain)) {
            sleep_briefly(domain);
        } else if (!is_crowded || domain->is_automatic) {
            yield_cpu(domain, now);
        }
        now = now_ns();
    }
    domain->idle_ns = now;
}
