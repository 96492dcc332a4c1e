/* Whether a thread that waits spins or sleeps; the classes IdlePolicy and CpuSharing of io.hxb.pm.idle explain why. */
#include "base/base.h"

#include <sched.h>

void idle_init(struct idle_policy *idle, int64_t limit_ns) {
    memset(idle, 0, sizeof *idle);
    idle->limit_ns = limit_ns;
    idle->shared_limit_ns = limit_ns < HXB_IDLE_SPIN_NS ? limit_ns : HXB_IDLE_SPIN_NS;
}

/* Time that a thread that computes took when this one last let others run. */
static int64_t lost_ns(const struct idle_policy *idle) {
    return idle->yield_ns > HXB_IDLE_SHARED_YIELD_NS ? idle->yield_ns : 0;
}

/* Lets another thread run that waits for the same CPU, if there is one; false if that took so long that this one had
 * better slept. */
static bool let_others_run(struct idle_policy *idle) {
    int64_t start = now_ns();
    sched_yield();
    idle->yield_ns = now_ns() - start;
    return lost_ns(idle) == 0;
}

static void give_way(struct idle_policy *idle, int64_t before) {
    bool is_again = idle->pause_ns > 0 && before - idle->resumed_ns < HXB_IDLE_AGAIN_FACTOR * idle->pause_ns;
    int64_t doubled = 2 * idle->pause_ns < HXB_IDLE_MAX_GIVE_WAY_NS ? 2 * idle->pause_ns : HXB_IDLE_MAX_GIVE_WAY_NS;
    idle->pause_ns = is_again ? doubled : HXB_IDLE_MIN_GIVE_WAY_NS;
    idle->resumed_ns = before + idle->yield_ns + idle->pause_ns;
    idle->has_given_way = true;
}

static bool take_return(struct idle_policy *idle, int64_t now) {
    if (!idle->has_given_way || now - idle->resumed_ns < 0) {
        return false;
    }
    idle->has_given_way = false;
    idle->resumed_ns = now;
    return true;
}

static void begin(struct idle_policy *idle, int64_t now) {
    idle->is_waiting = true;
    idle->start_ns = now;
    idle->may_still_find = idle->rest_ns == 0 || now - idle->rested_ns >= 0;
}

static bool is_in_vain(struct idle_policy *idle, int64_t now) {
    int64_t spun_ns = now - idle->start_ns;
    if (spun_ns >= (idle->has_given_way ? idle->shared_limit_ns : idle->limit_ns)) {
        return true;
    }
    if (spun_ns < (idle->yield_ns > HXB_IDLE_ALONE_YIELD_NS ? 0 : HXB_IDLE_UNYIELDING_SPIN_NS) || let_others_run(idle)) {
        return false;
    }
    if (idle->shared_limit_ns < idle->limit_ns) {
        give_way(idle, now);
    }
    return true;
}

static void rest(struct idle_policy *idle, int64_t now) {
    int64_t spun_ns = now - idle->start_ns, lost = lost_ns(idle);
    int64_t vain_ns = (spun_ns < idle->limit_ns ? spun_ns : idle->limit_ns) + lost;
    int64_t longest = HXB_IDLE_MAX_REST_SPINS * vain_ns, doubled = 2 * idle->rest_ns;
    idle->rest_ns = doubled < vain_ns ? vain_ns : doubled > longest ? longest : doubled;
    idle->rested_ns = now + lost + idle->rest_ns;
}

bool idle_is_spinning(struct idle_policy *idle, int64_t now) {
    bool was_waiting = idle->is_waiting;
    if (take_return(idle, now)) {
        idle->rest_ns = 0;
        begin(idle, now);
    } else if (!was_waiting) {
        begin(idle, now);
    }
    idle->has_spun = was_waiting;
    if (idle->may_still_find && is_in_vain(idle, now)) {
        idle->may_still_find = false;
        rest(idle, now);
    }
    return idle->may_still_find;
}

void idle_on_work(struct idle_policy *idle) {
    if (idle->is_waiting) {
        idle->is_waiting = false;
        if (idle->may_still_find && idle->has_spun) {
            idle->rest_ns /= 2;
            idle->rested_ns = idle->start_ns;
        }
    }
}
