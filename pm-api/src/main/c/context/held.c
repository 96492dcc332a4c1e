/* Messages that are received and not released: each has a place, which is a part of its handle. */
#include "context/context.h"

#include <stdlib.h>

uint64_t new_number_base(void) {
    static _Atomic uint64_t bases;
    uint64_t number = atomic_fetch_add_explicit(&bases, 1, memory_order_relaxed) + 1;
    return number * UINT64_C(0x9E3779B97F4A7C15) & POSITION_MASK;
}

bool make_places(hxb_context *context, uint32_t count) {
    context->held = calloc(count, sizeof *context->held);
    context->free_places = calloc(count, sizeof *context->free_places);
    if (context->held == NULL || context->free_places == NULL) {
        return false;
    }
    context->place_count = count;
    context->number_base = new_number_base();
    for (uint32_t place = count; place-- > 0;) {
        context->held[place].number = NOT_HELD;
        context->free_places[context->free_place_count++] = place;
    }
    return true;
}

void free_held(hxb_context *context) {
    free(context->held);
    free(context->free_places);
}
