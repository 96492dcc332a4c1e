/* Messages that are done, as the node and direct rings report it. */
#include "context/context.h"

static const uint8_t *completion(const hxb_context *context) {
    return context->completions + (context->completed & context->submission_mask) * HXB_COMPLETION_ENTRY_BYTES;
}

bool has_done_sends(const hxb_context *context) {
    return context->done_left > 0 || direct_has_done(context)
        || (uint32_t)get64_acquire(completion(context)) == context->completed + 1;
}

static bool next_completion(hxb_context *context) {
    const uint8_t *entry = completion(context);
    uint64_t first = get64_acquire(entry);
    if ((uint32_t)first != context->completed + 1) {
        return false;
    }
    uint64_t second = get64(entry + HXB_COMPLETION_SLOT);
    context->completed++;
    context->done_left = (int)(first >> 32);
    context->done_slot = (int)second;
    context->done_status = (int)(second >> 32);
    if (UNLIKELY(context->done_left < 1)) {
        context->done_left = 0;
        corrupt(context, "a completion of no message");
        return false;
    }
    if (UNLIKELY(context->done_status != HXB_OK && !is_status(context->done_status))) {
        context->done_left = 0;
        corrupt(context, "a completion with a status that does not exist");
        return false;
    }
    return true;
}

/* The slot is free when the application has taken this. */
static void add_completion(hxb_context *context, int slot, int status) {
    const struct slot *facts = &context->slots[slot];
    context->slots[slot].state = SLOT_DONE;
    context->unread_completions[context->unread_tail++ % (uint64_t)context->slot_count] = (hxb_completion){
        .cookie = facts->cookie, .status = status, .slot = slot, .to = {facts->node, facts->context}};
}

/* The message of a slot is done. */
static void end_slot(hxb_context *context, int slot, int status) {
    context->in_flight--;
    if (UNLIKELY(context->slots[slot].cookie != 0)) {
        add_completion(context, slot, status);
    } else {
        free_slot(context, slot);
    }
}

/* Ends the slot of a message that is done; true if that is reported to the application. */
static bool finish_slot(hxb_context *context, int slot) {
    struct slot facts = context->slots[slot];
    bool is_begin = direct_take_begin(context, slot);
    share_done(&context->shares, facts.share);
    end_slot(context, slot, context->done_status);
    if (UNLIKELY(context->done_status != HXB_OK)) {
        if (is_begin) {
            /* Messages in the ring after it are lost, too. */
            direct_on_begin_failed(context, facts.context);
        }
        add_failed(context, context->done_status, facts.node, facts.context, is_begin ? NONE : slot);
    }
    return !is_begin;
}

/* Large messages are the only service that waits for its own sends. */
static void call_back_done(const hxb_context *context, int slot, int status) {
    struct service *large = context->services[SERVICE_LARGE];
    if (large != NULL) {
        large->on_send_done(large, slot, status);
    }
}

static int take_done_directly(hxb_context *context) {
    if (!direct_has_done(context)) {
        return 0;
    }
    for (int slot = direct_take_done(context); slot != NONE; slot = direct_take_done(context)) {
        end_slot(context, slot, HXB_OK);
        call_back_done(context, slot, HXB_OK);
    }
    return 1;
}

int take_done_sends(hxb_context *context) {
    int taken = take_done_directly(context);
    while (context->broken == 0 && (context->done_left > 0 || next_completion(context))) {
        int slot = context->done_slot;
        if (UNLIKELY(slot < 0 || slot >= context->slot_count || context->slots[slot].state != SLOT_IN_FLIGHT)) {
            context->done_left = 0;
            corrupt(context, "a completion of a slot that is not in flight");
            break;
        }
        if (--context->done_left > 0) {
            context->done_slot = context->slots[slot].following;
        }
        if (!finish_slot(context, slot)) {
            continue;
        }
        taken++;
        call_back_done(context, slot, context->done_status);
    }
    return taken;
}

void take_done(hxb_context *context) {
    if (take_done_sends(context) > 0) {
        context->has_unreported_sends = true;
    }
}
