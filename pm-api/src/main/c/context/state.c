/* The state of a context: whether it, its node and its memory can still be used. */
#include "context/context.h"

int fail_unusable(const hxb_context *context) {
    if (context == NULL) {
        return fail(HXB_E_ARGUMENT, "the context is NULL");
    }
    if (context->process == CLOSED_PROCESS) {
        return fail(HXB_E_STATE, "context %d was closed by another thread", context->id);
    }
    return fail(HXB_E_FORKED, "context %d was opened before a fork: attach in the child", context->id);
}

int corrupt(hxb_context *context, const char *what) {
    context->broken = HXB_E_CORRUPT;
    return fail(HXB_E_CORRUPT, "the node of context %d has written invalid data: %s", context->id, what);
}

int context_status(const hxb_context *context) {
    if (UNLIKELY(context->broken != 0)) {
        return context->broken;
    }
    if (context->is_gone || get32_acquire(context->device->page + HXB_PAGE_STATE) != HXB_PAGE_ALIVE) {
        return HXB_NODE_GONE;
    }
    return is_open_at_node(context) ? HXB_OK : HXB_CONTEXT_CLOSED;
}

/* Called when there was nothing to do; checks from time to time whether the node is still alive. */
int context_idle(hxb_context *context, int status) {
    int closed = context_status(context);
    if (closed != HXB_OK) {
        return closed;
    }
    if (++context->idle_calls >= 256) {
        context->idle_calls = 0;
        int64_t now = now_ns();
        if (now - context->checked_ns > HXB_SECOND / 10) {
            context->checked_ns = now;
            context->is_gone = !is_node_alive(context->device);
        }
    }
    return status;
}
