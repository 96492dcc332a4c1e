/* The slots of a context, and which of their messages have failed. */
#include "context/context.h"

#include <stdlib.h>

bool make_slots(hxb_context *context, int count) {
    size_t slots = (size_t)count;
    context->slot_count = count;
    context->slots = calloc(slots, sizeof *context->slots);
    context->free_slots = calloc(slots, sizeof *context->free_slots);
    context->failed = calloc(slots, sizeof *context->failed);
    context->unread_completions = calloc(slots, sizeof *context->unread_completions);
    bool has_shares = shares_open(&context->shares, count);
    if (context->slots == NULL || context->free_slots == NULL || context->failed == NULL
        || context->unread_completions == NULL || !has_shares) {
        return false;
    }
    for (int slot = count - 1; slot >= 0; slot--) {
        context->free_slots[context->free_count++] = slot;
    }
    return true;
}

void free_slots(hxb_context *context) {
    shares_close(&context->shares);
    free(context->slots);
    free(context->free_slots);
    free(context->failed);
    free(context->unread_completions);
}

void add_failed(hxb_context *context, int status, int node, int peer_context, int slot) {
    if (context->failed_tail - context->failed_head == (uint64_t)context->slot_count) {
        context->failed_head++;
    }
    context->failed[context->failed_tail++ % (uint64_t)context->slot_count] =
        (hxb_event){.status = status,
                    .peer = {node, peer_context},
                    .slot = slot,
                    .cookie = slot == NONE ? 0 : context->slots[slot].cookie};
}
