/* The slots of a context, and which of their messages have failed. */
#include "context/context.h"

#include <stdlib.h>

/* As ContextRequest.groupSlots. */
static int group_slots(const hxb_context *context) {
    int needed = (int)((context->max_length + context->send_buffer_bytes - 1) / context->send_buffer_bytes);
    int slots = 1;
    while (slots < needed) {
        slots *= 2;
    }
    return slots;
}

static bool make_free_slots(hxb_context *context, int count) {
    struct free_slots *slots = &context->free_slots;
    slots->group_slots = group_slots(context);
    while (1 << slots->group_shift < slots->group_slots) {
        slots->group_shift++;
    }
    slots->groups = count / slots->group_slots;
    slots->last_group = slots->groups - 1;
    slots->split = slots->group_slots == 1 ? count : slots->groups / 2 * slots->group_slots;
    slots->low = calloc((size_t)count, sizeof *slots->low);
    slots->high = calloc((size_t)count, sizeof *slots->high);
    slots->place = calloc((size_t)count, sizeof *slots->place);
    slots->of_group = calloc((size_t)count, sizeof *slots->of_group);
    return slots->low != NULL && slots->high != NULL && slots->place != NULL && slots->of_group != NULL;
}

static void remove_free_slot(struct free_slots *slots, int slot) {
    bool is_low = slot < slots->split;
    int *stack = is_low ? slots->low : slots->high;
    int moved = stack[is_low ? --slots->low_count : --slots->high_count];
    stack[slots->place[slot]] = moved;
    slots->place[moved] = slots->place[slot];
}

/* The group that was given back last, whose memory is in the cache, or the last one that is free. */
static int find_group(const struct free_slots *slots) {
    int group = slots->last_group;
    if (group >= 0 && slots->of_group[group] == slots->group_slots) {
        return group;
    }
    group = slots->groups - 1;
    while (group >= 0 && slots->of_group[group] != slots->group_slots) {
        group--;
    }
    return group;
}

int take_slot_group(hxb_context *context) {
    struct free_slots *slots = &context->free_slots;
    int group = context->free_count < slots->group_slots ? NONE : find_group(slots);
    if (group < 0) {
        return NONE;
    }
    int first = group << slots->group_shift;
    for (int slot = first; slot < first + slots->group_slots; slot++) {
        remove_free_slot(slots, slot);
    }
    slots->of_group[group] = 0;
    context->free_count -= slots->group_slots;
    return first;
}

void put_slot_group(hxb_context *context, int first) {
    for (int slot = first + context->free_slots.group_slots - 1; slot >= first; slot--) {
        put_free_slot(context, slot);
    }
    context->free_slots.last_group = first >> context->free_slots.group_shift;
}

bool make_slots(hxb_context *context, int count) {
    size_t slots = (size_t)count;
    context->slot_count = count;
    context->slots = calloc(slots, sizeof *context->slots);
    context->failed = calloc(slots, sizeof *context->failed);
    context->unread_completions = calloc(slots, sizeof *context->unread_completions);
    bool has_shares = shares_open(&context->shares, count);
    bool has_free = make_free_slots(context, count);
    if (context->slots == NULL || !has_free || context->failed == NULL || context->unread_completions == NULL
        || !has_shares) {
        return false;
    }
    for (int slot = count - 1; slot >= 0; slot--) {
        put_free_slot(context, slot);
    }
    return true;
}

void free_slots(hxb_context *context) {
    shares_close(&context->shares);
    free(context->slots);
    free(context->free_slots.low);
    free(context->free_slots.high);
    free(context->free_slots.place);
    free(context->free_slots.of_group);
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
