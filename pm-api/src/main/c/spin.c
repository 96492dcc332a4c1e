/* Whether a thread that waits spins or sleeps; the classes AdaptiveSpin and OwnCpu of io.hxb.pm.idle explain why. */
#include "internal.h"

#include <sched.h>

#define SHARED_SPIN_NS 10000      /* longest spin while others wait for the CPU */
#define MAX_SKIPPED_WAITS 1024    /* waits in a row that sleep at once */
#define UNASKED_SPIN_NS 50000     /* a spin makes no system call for this long */
#define LOOK_INTERVAL_NS 10000    /* between two looks whether others wait */
#define MIN_PAUSE_NS 1000000      /* for which a thread gives way at first */
#define MAX_PAUSE_NS 1024000000   /* and at most */
#define AGAIN_PAUSES 4            /* what is found within that many pauses is found again */

void spin_init(struct spin *spin, int64_t limit_ns) {
    memset(spin, 0, sizeof *spin);
    spin->limit_ns = limit_ns;
    spin->shared_limit_ns = limit_ns < SHARED_SPIN_NS ? limit_ns : SHARED_SPIN_NS;
}

/* Lets others run and checks whether one did, at most every 10 us. */
static void look(struct spin *spin, int64_t now) {
    if (!spin->has_thread || !pthread_equal(spin->thread, pthread_self())) {
        spin->has_thread = true;
        spin->thread = pthread_self();
        spin->switches = involuntary_switches();
    } else if (now - spin->looked_ns < LOOK_INTERVAL_NS) {
        return;
    }
    spin->looked_ns = now;
    sched_yield();
    int64_t count = involuntary_switches();
    spin->has_lost_cpu = count != spin->switches;
    spin->switches = count;
}

static void give_way(struct spin *spin, int64_t now) {
    spin->has_lost_cpu = false;
    bool is_again = spin->pause_ns > 0 && spin->looked_ns - spin->resumed_ns < AGAIN_PAUSES * spin->pause_ns;
    int64_t doubled = 2 * spin->pause_ns < MAX_PAUSE_NS ? 2 * spin->pause_ns : MAX_PAUSE_NS;
    spin->pause_ns = is_again ? doubled : MIN_PAUSE_NS;
    spin->resumed_ns = now + spin->pause_ns;
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
    spin->may_still_find = spin->waits_to_skip == 0;
    if (!spin->may_still_find) {
        spin->waits_to_skip--;
    }
}

static bool is_in_vain(struct spin *spin, int64_t now) {
    int64_t spun_ns = now - spin->start_ns;
    if (spun_ns >= (spin->has_given_way ? spin->shared_limit_ns : spin->limit_ns)) {
        return true;
    }
    if (spin->has_lost_cpu) {
        give_way(spin, now);
        return true;
    }
    if (spun_ns >= UNASKED_SPIN_NS) {
        look(spin, now);
    }
    return false;
}

bool spin_is_spinning(struct spin *spin, int64_t now) {
    bool was_waiting = spin->is_waiting;
    if (take_return(spin, now)) {
        spin->skipped_waits = 0;
        spin->waits_to_skip = 0;
        begin(spin, now);
    } else if (!was_waiting) {
        begin(spin, now);
    }
    spin->has_spun = was_waiting;
    if (spin->may_still_find && is_in_vain(spin, now)) {
        spin->may_still_find = false;
        int doubled = spin->skipped_waits * 2;
        spin->skipped_waits = doubled < 1 ? 1 : doubled > MAX_SKIPPED_WAITS ? MAX_SKIPPED_WAITS : doubled;
        spin->waits_to_skip = spin->skipped_waits;
    }
    return spin->may_still_find;
}

void spin_on_work(struct spin *spin) {
    if (spin->is_waiting) {
        spin->is_waiting = false;
        if (spin->may_still_find && spin->has_spun) {
            spin->skipped_waits /= 2;
        }
    }
}
