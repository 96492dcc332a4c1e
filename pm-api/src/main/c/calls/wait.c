/* Waiting: spins, sleeps and returns why a wait has ended; the classes ContextWaiter and ContextSleep explain the
 * rules. */
#define _GNU_SOURCE
#include "calls/calls.h"

#include <poll.h>
#include <unistd.h>

#define ALIVE_CHECK_NS (HXB_SECOND / 10)
#define SILENT_NS (15 * (int64_t)HXB_PAGE_BEAT_INTERVAL_NS)

_Static_assert(HXB_WAIT_MESSAGES == HXB_CONTROL_MESSAGES && HXB_WAIT_SENDS == HXB_CONTROL_SENDS
                   && HXB_WAIT_REMOTE == HXB_CONTROL_REMOTE, "bits of shared memory");

static int ready(hxb_context *context, int interest) {
    if ((interest & HXB_WAIT_SENDS) != 0 && direct_is_any_full(context)) {
        direct_poll(context);
        if (direct_take_room_again(context)) {
            context->has_unreported_sends = true; /* reported once, as sends that are done */
        }
    }
    const struct service *remote = context->services[SERVICE_REMOTE];
    bool is_for_messages = (interest & HXB_WAIT_MESSAGES) != 0;
    if (((interest & HXB_WAIT_REMOTE) != 0 && remote->is_ready(remote))
        || (is_for_messages && has_message(context))
        || ((interest & HXB_WAIT_SENDS) != 0 && (context->has_unreported_sends || has_done_sends(context)))) {
        return HXB_OK;
    }
    bool has_any = context->failed_head != context->failed_tail || (is_for_messages && has_event(context));
    return has_any ? HXB_STATUS_EVENT : HXB_EMPTY;
}

/* A send that failed is an event, so a wait for messages alone has to look for it. */
static int look(hxb_context *context, int interest) {
    int status = ready(context, interest);
    if (status == HXB_EMPTY && (interest & HXB_WAIT_SENDS) == 0 && has_done_sends(context)) {
        if (take_done_sends(context) > 0) {
            context->has_unreported_sends = true;
        }
        return ready(context, interest);
    }
    return status;
}

/* Asks the node and others to wake this thread. Sequentially consistent: later reads come after this store, and the
 * node reads this word after its new entries and a full fence. */
static void sleep_start(hxb_context *context, int interest, int sleep) {
    bool is_on_word = sleep == HXB_DIRECTPAGE_ON_WORD;
    uint32_t waiting = (uint32_t)interest | HXB_CONTROL_LINKS | (is_on_word ? HXB_CONTROL_ON_WORD : 0);
    context->sleep = sleep;
    context->words.count = 0;
    direct_sleep(context, interest);
    atomic_store_explicit((shared32 *)(context->control + HXB_CONTROL_WAITING), waiting, memory_order_seq_cst);
    if (is_on_word) {
        futex_add(&context->words, context->control + HXB_CONTROL_WAITING, waiting);
    }
}

/* The exchange shows whether the node is waking this thread: then its signal has arrived or will, and only then is
 * there something to read. */
static void sleep_end(hxb_context *context) {
    if (context->sleep != 0) {
        bool is_at_socket = context->sleep == HXB_DIRECTPAGE_AT_SOCKET;
        context->sleep = 0;
        shared32 *word = (shared32 *)(context->control + HXB_CONTROL_WAITING);
        context->expected_signals += atomic_exchange_explicit(word, 0, memory_order_seq_cst) == 0 && is_at_socket;
        context->expected_signals += direct_awake(context);
    }
    if (context->expected_signals > 0) {
        context->expected_signals -= drain_signals(context->memory.wake_application);
    }
}

/* True if the node may have died. */
static bool sleep_at_socket(hxb_context *context, int64_t timeout_ns) {
    struct pollfd fds[3] = {{context->memory.wake_application, POLLIN | POLLRDHUP, 0},
                            {context->device->gone, POLLIN, 0},
                            {context->wake_event, POLLIN, 0}};
    struct timespec timeout = {timeout_ns / HXB_SECOND, timeout_ns % HXB_SECOND};
    int state = call_begin();
    int count = ppoll(fds, 3, &timeout, NULL);
    call_end(state);
    return count > 0 && fds[1].revents != 0;
}

/* A thread on words does not see at once that the node has died: it looks when nothing has woken it. */
static bool sleep_now(hxb_context *context, int64_t timeout_ns) {
    bool is_on_word = context->sleep == HXB_DIRECTPAGE_ON_WORD;
    return !(is_on_word && futex_sleep(&context->words, timeout_ns))
        && sleep_at_socket(context, is_on_word ? 0 : timeout_ns);
}

static void sleep_until(hxb_context *context, int interest, int64_t timeout_ns) {
    sleep_end(context); /* of hxb_arm */
    sleep_start(context, interest, context->device->has_words ? HXB_DIRECTPAGE_ON_WORD : HXB_DIRECTPAGE_AT_SOCKET);
    if (look(context, interest) == HXB_EMPTY && !has_link_events(context->device)
        && get32_acquire(context->control + HXB_CONTROL_STATE) == HXB_CONTROL_OPEN
        && !atomic_load_explicit(&context->is_woken, memory_order_seq_cst) && sleep_now(context, timeout_ns)) {
        context->is_gone = !is_node_alive(context->device);
    }
    sleep_end(context);
}

/* Beats are counted, not timed, so that the clocks of two processes need not agree. */
static bool is_silent(hxb_context *context, int64_t now) {
    uint64_t beat = get64_acquire(context->device->page + HXB_PAGE_BEAT);
    if (beat != context->last_beat || beat == 0) {
        context->last_beat = beat;
        context->last_beat_ns = now;
        return false;
    }
    return now - context->last_beat_ns > SILENT_NS;
}

static int64_t smaller(int64_t one, int64_t other) {
    return one < other ? one : other;
}

/* True, once, if hxb_wake has been called. */
static bool take_wake(hxb_context *context) {
    if (LIKELY(!atomic_load_explicit(&context->is_woken, memory_order_acquire))) {
        return false;
    }
    atomic_store_explicit(&context->is_woken, false, memory_order_relaxed);
    if (context->wake_event >= 0) {
        uint64_t count;
        ssize_t taken = read(context->wake_event, &count, sizeof count);
        (void)taken;
    }
    return true;
}

static int wait_until_ready(hxb_context *context, int interest, int64_t timeout_ns) {
    int64_t start = now_ns();
    int64_t now = start;
    for (;;) {
        take_link_events(context->device);
        int64_t left = timeout_ns - (now - start);
        bool is_spinning = idle_is_spinning(&context->idle, now);
        if (is_spinning || left <= 0) {
            pause_cpu();
        } else {
            sleep_until(context, interest, smaller(left, ALIVE_CHECK_NS));
        }
        int status = look(context, interest);
        if (status == HXB_EMPTY && take_wake(context)) {
            status = HXB_INTERRUPTED;
        }
        if (status != HXB_EMPTY) {
            return status;
        }
        bool has_stopped = (!is_spinning || left <= 0) && is_silent(context, now);
        if (left <= 0) {
            return context_idle(context, has_stopped ? HXB_NODE_SILENT : HXB_TIMED_OUT);
        }
        int closed = context_status(context);
        if (closed != HXB_OK) {
            return closed;
        }
        if (has_stopped) {
            return HXB_NODE_SILENT;
        }
        now = now_ns();
    }
}

int wait_for(hxb_context *context, int interest, int64_t timeout_ns) {
    int status = look(context, interest);
    if (status == HXB_EMPTY && (interest & HXB_WAIT_MESSAGES) != 0 && context->idle.limit_ns > 0
        && direct_comes_soon(context)) {
        status = HXB_OK;
    }
    if (status == HXB_EMPTY) {
        status = wait_until_ready(context, interest, timeout_ns);
    }
    if ((interest & HXB_WAIT_SENDS) != 0) {
        context->has_unreported_sends = false;
    }
    if (status == HXB_OK || status == HXB_STATUS_EVENT) {
        idle_on_work(&context->idle);
    }
    return UNLIKELY(context->broken != 0) ? context->broken : status;
}

static int check_interest(const hxb_context *context, int interest) {
    int result = check_context(context);
    const int all = HXB_WAIT_MESSAGES | HXB_WAIT_SENDS | HXB_WAIT_REMOTE;
    if (UNLIKELY(result == HXB_OK && (interest == 0 || (interest & ~all) != 0))) {
        return fail(HXB_E_ARGUMENT, "the interest must be one or more of HXB_WAIT_MESSAGES, HXB_WAIT_SENDS and"
                    " HXB_WAIT_REMOTE: %d", interest);
    }
    if (UNLIKELY(result == HXB_OK && (interest & HXB_WAIT_REMOTE) != 0 && context->services[SERVICE_REMOTE] == NULL)) {
        return fail(HXB_E_STATE, "context %d does not use remote memory: call hxb_open_remote", context->id);
    }
    return result;
}

/* True if hxb_poll_completion has one. */
static bool has_completion(const hxb_context *context, int interest) {
    return (interest & HXB_WAIT_SENDS) != 0 && context->unread_head != context->unread_tail;
}

int hxb_wait(hxb_context *context, int interest, int64_t timeout_ns) {
    int result = check_interest(context, interest);
    if (result == HXB_OK && timeout_ns < 0) {
        result = fail(HXB_E_ARGUMENT, "timeout_ns must be 0 or more");
    }
    if (result != HXB_OK) {
        return result;
    }
    if (has_completion(context, interest)) {
        return HXB_OK;
    }
    wait_enter(context);
    return wait_leave(context, wait_for(context, interest, timeout_ns));
}

/* ---- Waits that other threads end ---- */

void wait_enter(hxb_context *context) {
    if (context->depth++ == 0) {
        uint32_t none = INSIDE_NONE;
        atomic_compare_exchange_strong(&context->inside, &none, INSIDE_WAIT);
    }
}

int wait_leave(hxb_context *context, int result) {
    uint32_t inside = INSIDE_WAIT;
    if (--context->depth > 0 || atomic_compare_exchange_strong(&context->inside, &inside, INSIDE_NONE)) {
        return result;
    }
    /* From now on the other thread closes it. */
    atomic_store(&context->process, CLOSED_PROCESS);
    atomic_store(&context->inside, INSIDE_LEFT);
    futex_wake((uint8_t *)&context->inside);
    return HXB_CONTEXT_CLOSED;
}

static void wake(hxb_context *context) {
    atomic_store_explicit(&context->is_woken, true, memory_order_seq_cst);
    shared32 *word = (shared32 *)(context->control + HXB_CONTROL_WAITING);
    uint32_t waiting = atomic_load_explicit(word, memory_order_seq_cst);
    /* As the node does. */
    if ((waiting & HXB_CONTROL_ON_WORD) != 0
        && atomic_compare_exchange_strong_explicit(word, &waiting, 0, memory_order_seq_cst, memory_order_relaxed)) {
        futex_wake((uint8_t *)word);
    }
    if (context->wake_event >= 0) {
        signal_event(context->wake_event);
    }
}

bool wait_end(hxb_context *context) {
    uint32_t inside = INSIDE_WAIT;
    if (!atomic_compare_exchange_strong(&context->inside, &inside, INSIDE_CLOSING)) {
        return false;
    }
    struct futex_words words = {.count = 0};
    futex_add(&words, (const uint8_t *)&context->inside, INSIDE_CLOSING);
    while (atomic_load(&context->inside) == INSIDE_CLOSING) {
        wake(context);
        futex_sleep(&words, HXB_SECOND / 10);
    }
    return true;
}

int hxb_wake(hxb_context *context) {
    if (context == NULL || is_unusable(context)) {
        return fail_unusable(context);
    }
    wake(context);
    return HXB_OK;
}

int hxb_arm(hxb_context *context, int interest) {
    int result = check_interest(context, interest);
    if (result != HXB_OK) {
        return result;
    }
    sleep_end(context); /* of an earlier call */
    sleep_start(context, interest, HXB_DIRECTPAGE_AT_SOCKET);
    take_link_events(context->device);
    if (ready(context, interest) != HXB_EMPTY || has_completion(context, interest)
        || context_status(context) != HXB_OK) {
        if ((interest & HXB_WAIT_SENDS) != 0) {
            context->has_unreported_sends = false;
        }
        sleep_end(context);
        return 0;
    }
    return 1;
}

int hxb_disarm(hxb_context *context) {
    int result = check_context(context);
    if (result == HXB_OK) {
        sleep_end(context);
    }
    return result;
}
