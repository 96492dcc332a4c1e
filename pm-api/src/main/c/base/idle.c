/* Whether a thread that waits spins or sleeps; the class IdlePolicy of io.hxb.pm.idle explains why. */
#include "base/base.h"

#include <sched.h>

void idle_init(struct idle_policy *idle, int64_t limit_ns) {
    memset(idle, 0, sizeof *idle);
    idle->limit_ns = limit_ns;
}

/* Time that a thread that computes took when this one last yielded. */
static int64_t lost_ns(const struct idle_policy *idle) {
    return idle->yield_ns > HXB_IDLE_SHARED_YIELD_NS ? idle->yield_ns : 0;
}

static void begin(struct idle_policy *idle, int64_t now) {
    idle->is_waiting = true;
    idle->start_ns = now;
    idle->may_still_find = idle->rest_ns == 0 || now - idle->rested_ns >= 0;
}

static bool is_in_vain(struct idle_policy *idle, int64_t now) {
    int64_t spun_ns = now - idle->start_ns;
    if (spun_ns >= idle->limit_ns) {
        return true;
    }
    bool is_alone = idle->yield_ns <= HXB_IDLE_ALONE_YIELD_NS;
    if (is_alone && spun_ns < HXB_IDLE_UNYIELDING_SPIN_NS) {
        return false;
    }
    int64_t start = now_ns();
    sched_yield();
    idle->yield_ns = now_ns() - start;
    return lost_ns(idle) > 0;
}

static void rest(struct idle_policy *idle, int64_t now) {
    int64_t lost = lost_ns(idle), vain_ns = lost > 0 ? lost : idle->limit_ns;
    int64_t longest = HXB_IDLE_MAX_REST_SPINS * vain_ns, doubled = 2 * idle->rest_ns;
    idle->rest_ns = doubled < vain_ns ? vain_ns : doubled > longest ? longest : doubled;
    idle->rested_ns = now + lost + idle->rest_ns;
}

bool idle_is_spinning(struct idle_policy *idle, int64_t now) {
    idle->has_spun = idle->is_waiting;
    if (!idle->is_waiting || (idle->limit_ns == INT64_MAX && !idle->may_still_find)) {
        begin(idle, now);
    }
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
