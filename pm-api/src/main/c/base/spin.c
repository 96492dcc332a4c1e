/* Whether a thread that waits spins or sleeps; the classes AdaptiveSpin and OwnCpu of io.hxb.pm.idle explain why. */
#include "base/base.h"

#include <sched.h>

#define SHARED_SPIN_NS 50000      /* longest spin while others wait for the CPU */
#define MAX_REST_SPINS 100        /* longest time for which waits sleep at once, in spins in vain */
#define UNYIELDING_SPIN_NS 5000   /* a thread that seems to be alone on its CPU spins so long before it yields */
#define ALONE_YIELD_NS 1200       /* a yield that takes longer has let another thread run */
#define SHARED_YIELD_NS 50000     /* a yield that takes longer has let a thread run that computes */
#define MIN_PAUSE_NS 1000000      /* for which a thread gives way at first */
#define MAX_PAUSE_NS 1024000000   /* and at most */
#define AGAIN_PAUSES 4            /* what is found within that many pauses is found again */

void spin_init(struct spin *spin, int64_t limit_ns) {
    memset(spin, 0, sizeof *spin);
    spin->limit_ns = limit_ns;
    spin->shared_limit_ns = limit_ns < SHARED_SPIN_NS ? limit_ns : SHARED_SPIN_NS;
}

/* Time that a thread that computes took when this one last let others run. */
static int64_t lost_ns(const struct spin *spin) {
    return spin->yield_ns > SHARED_YIELD_NS ? spin->yield_ns : 0;
}

/* Lets another thread run that waits for the same CPU, if there is one; false if that took so long that this one had
 * better slept. */
static bool let_others_run(struct spin *spin) {
    int64_t start = now_ns();
    sched_yield();
    spin->yield_ns = now_ns() - start;
    return lost_ns(spin) == 0;
}

static void give_way(struct spin *spin, int64_t before) {
    bool is_again = spin->pause_ns > 0 && before - spin->resumed_ns < AGAIN_PAUSES * spin->pause_ns;
    int64_t doubled = 2 * spin->pause_ns < MAX_PAUSE_NS ? 2 * spin->pause_ns : MAX_PAUSE_NS;
    spin->pause_ns = is_again ? doubled : MIN_PAUSE_NS;
    spin->resumed_ns = before + spin->yield_ns + spin->pause_ns;
    spin->has_given_way = true;
}

static bool take_return(struct spin *spin, int64_t now) {
    if (!spin->has_given_way || now - spin->resumed_ns < 0) {
        return false;
    }
    spin->has_given_way = false;
    spin->resumed_ns = now;
    return true;
}

static void begin(struct spin *spin, int64_t now) {
    spin->is_waiting = true;
    spin->start_ns = now;
    spin->may_still_find = spin->rest_ns == 0 || now - spin->rested_ns >= 0;
}

static bool is_in_vain(struct spin *spin, int64_t now) {
    int64_t spun_ns = now - spin->start_ns;
    if (spun_ns >= (spin->has_given_way ? spin->shared_limit_ns : spin->limit_ns)) {
        return true;
    }
    if (spun_ns < (spin->yield_ns > ALONE_YIELD_NS ? 0 : UNYIELDING_SPIN_NS) || let_others_run(spin)) {
        return false;
    }
    if (spin->shared_limit_ns < spin->limit_ns) {
        give_way(spin, now);
    }
    return true;
}

static void rest(struct spin *spin, int64_t now) {
    int64_t spun_ns = now - spin->start_ns, lost = lost_ns(spin);
    int64_t vain_ns = (spun_ns < spin->limit_ns ? spun_ns : spin->limit_ns) + lost;
    int64_t longest = MAX_REST_SPINS * vain_ns, doubled = 2 * spin->rest_ns;
    spin->rest_ns = doubled < vain_ns ? vain_ns : doubled > longest ? longest : doubled;
    spin->rested_ns = now + lost + spin->rest_ns;
}

bool spin_is_spinning(struct spin *spin, int64_t now) {
    bool was_waiting = spin->is_waiting;
    if (take_return(spin, now)) {
        spin->rest_ns = 0;
        begin(spin, now);
    } else if (!was_waiting) {
        begin(spin, now);
    }
    spin->has_spun = was_waiting;
    if (spin->may_still_find && is_in_vain(spin, now)) {
        spin->may_still_find = false;
        rest(spin, now);
    }
    return spin->may_still_find;
}

void spin_on_work(struct spin *spin) {
    if (spin->is_waiting) {
        spin->is_waiting = false;
        if (spin->may_still_find && spin->has_spun) {
            spin->rest_ns /= 2;
            spin->rested_ns = spin->start_ns;
        }
    }
}
