/* Domains that are in use, and threads that wait for one. */
#include "libfabric/objects/objects.h"

#include <errno.h>
#include <unistd.h>

enum { SHARED_NS = 100000000 /* for which waits sleep soon after another thread has used the endpoint */ };

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

void wake_thread(struct domain *domain) {
    uint64_t one = 1;
    if (write(domain->wake_fd, &one, sizeof one) != sizeof one) {
        WARN("a thread could not be woken: %s\n", strerror(errno));
    }
}

/* Other threads post meanwhile, and may find what this one waits for. */
void end_naps(struct domain *domain) {
    if (domain->sleeping > 0 && !domain->is_sleep_over) {
        domain->is_sleep_over = true;
        wake_thread(domain);
    }
}

void share(struct domain *domain) {
    domain->shared_until_ns = now_ns() + SHARED_NS;
}

void drain_events(int fd) {
    uint64_t count;
    if (read(fd, &count, sizeof count) < 0 && errno != EAGAIN) {
        WARN("eventfd: %s\n", strerror(errno));
    }
}
