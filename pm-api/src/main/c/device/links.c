/* Changes of the links of the node: its page has a ring of them. */
#include "device/device.h"

/* Copies the next change, unless the node has overwritten it meanwhile; a bounded number of times. */
static bool next_link_event(hxb_device *device, hxb_link_event *event) {
    const uint8_t *ring = device->page + HXB_PAGE_LINK_EVENTS_OFFSET;
    for (int i = 0; i < 2 * HXB_LINKS_ENTRIES; i++) {
        uint64_t count = get64_acquire(ring);
        uint64_t taken = atomic_load_explicit(&device->links_taken, memory_order_relaxed);
        if (count == taken) {
            return false;
        }
        if (count - taken > HXB_LINKS_ENTRIES) {
            taken = count - HXB_LINKS_ENTRIES;
        }
        uint64_t wanted = taken + 1;
        atomic_store_explicit(&device->links_taken, wanted, memory_order_relaxed);
        const uint8_t *entry = ring + HXB_LINKS_FIRST + (wanted - 1) % HXB_LINKS_ENTRIES * HXB_LINKS_ENTRY_BYTES;
        if (get64_acquire(entry) != wanted) {
            continue;
        }
        event->time_ms = (int64_t)get64(entry + HXB_LINKS_TIME);
        event->neighbour = (int)get32(entry + HXB_LINKS_NODE);
        uint32_t bytes = get32(entry + HXB_LINKS_DIMENSION); /* four fields of a byte, read as one word */
        event->dimension = (int)(bytes & 7);
        event->number = (int)(bytes >> 8 & 0xFF);
        event->is_good = (bytes >> 16 & 0xFF) != 0;
        event->is_last = (bytes >> 24 & 0xFF) != 0;
        uint32_t length = get32(entry + HXB_LINKS_TEXT_LENGTH);
        length = length < HXB_LINKS_MAX_TEXT_BYTES ? length : HXB_LINKS_MAX_TEXT_BYTES;
        memcpy(event->reason, entry + HXB_LINKS_TEXT, length);
        event->reason[length] = '\0';
        /* As in a sequence lock: the copy counts only if the stamp is still the same after it. */
        atomic_thread_fence(memory_order_acquire);
        if (get64(entry) == wanted) {
            return true;
        }
    }
    return false;
}

_Static_assert(HXB_LINKS_NUMBER == HXB_LINKS_DIMENSION + 1 && HXB_LINKS_GOOD == HXB_LINKS_DIMENSION + 2
                   && HXB_LINKS_LAST == HXB_LINKS_DIMENSION + 3 && HXB_LINKS_DIMENSION % 4 == 0,
               "four fields of a byte that are read as one word");

int take_link_events(hxb_device *device) {
    int count = 0;
    bool has_event = has_link_events(device);
    while (has_event) {
        hxb_link_event event;
        pthread_mutex_lock(&device->link_lock);
        hxb_link_listener listener = device->link_listener;
        void *user = device->link_user;
        has_event = listener != NULL && next_link_event(device, &event);
        pthread_mutex_unlock(&device->link_lock);
        if (has_event) {
            listener(user, &event);
            count++;
        }
    }
    return count;
}

int hxb_on_link_event(hxb_device *device, hxb_link_listener listener, void *user) {
    int result = check_device(device);
    if (result == HXB_OK) {
        pthread_mutex_lock(&device->link_lock);
        device->link_listener = listener;
        device->link_user = user;
        atomic_store_explicit(&device->has_listener, listener != NULL, memory_order_release);
        pthread_mutex_unlock(&device->link_lock);
    }
    return result;
}

int hxb_poll_link_events(hxb_device *device) {
    int result = check_device(device);
    return result == HXB_OK ? take_link_events(device) : result;
}

int64_t hxb_link_event_count(const hxb_device *device) {
    int result = check_device(device);
    return result == HXB_OK ? (int64_t)get64_acquire(device->page + HXB_PAGE_LINK_EVENTS_OFFSET) : result;
}
