/* Where the rings of a context lie in its control memory. */
#include "rings/rings.h"

static uint32_t power_of_two(uint32_t count) {
    uint32_t power = 16;
    while (power < count) {
        power *= 2;
    }
    return power;
}

void control_layout(struct control_layout *layout, int send_buffers, int delivery_entries) {
    uint32_t entries = power_of_two((uint32_t)send_buffers);
    uint32_t short_bytes = entries * HXB_SHORT_BYTES_PER_SLOT;
    layout->submission_entries = entries;
    layout->release_entries = power_of_two((uint32_t)delivery_entries + HXB_CONTROL_EVENT_ENTRIES);
    layout->short_bytes = short_bytes < HXB_SHORT_MAX_BYTES ? short_bytes : HXB_SHORT_MAX_BYTES;
    layout->submissions = HXB_CONTROL_RINGS;
    layout->completions = layout->submissions + (uint64_t)entries * HXB_SUBMISSION_ENTRY_BYTES;
    layout->shorts = ring_align(layout->completions + (uint64_t)entries * HXB_COMPLETION_ENTRY_BYTES);
    layout->deliveries = ring_align(layout->shorts + HXB_SHORT_DATA + layout->short_bytes);
    layout->releases = ring_align(layout->deliveries + (uint64_t)delivery_entries * HXB_DELIVERY_ENTRY_BYTES);
    layout->events = ring_align(layout->releases + (uint64_t)layout->release_entries * HXB_RELEASE_ENTRY_BYTES);
    layout->length = layout->events + HXB_CONTROL_EVENT_ENTRIES * HXB_EVENTS_ENTRY_BYTES;
}
