/* Regions: memory of this process that the node reads or writes. */
#include "device/device.h"

#include <stdlib.h>

static int open_region(hxb_device *device, uint64_t length, bool is_writable, hxb_region **region) {
    int result = check_device(device);
    if (result != HXB_OK) {
        return result;
    }
    if (region == NULL || length < 1 || length > UINT64_C(1) << 40) {
        return fail(HXB_E_ARGUMENT, "the length must be 1..2^40, and the place for the region not NULL");
    }
    *region = NULL;
    int state = connection_enter(&device->connection);
    hxb_region *made = calloc(1, sizeof *made);
    if (made == NULL) {
        result = fail(HXB_E_MEMORY, "there is no memory for a region");
    } else {
        made->device = device;
        made->length = length;
        made->is_writable = is_writable;
        result = is_writable ? lend_writable(device, &made->lent, length)
                             : lend(device, &made->lent, "hxb-region", length, HXB_ATTACH_READ_REGION);
        if (result == HXB_OK) {
            pthread_mutex_lock(&device->lock);
            made->next = device->regions;
            device->regions = made;
            pthread_mutex_unlock(&device->lock);
            *region = made;
        } else {
            free(made);
        }
    }
    connection_leave(&device->connection, state);
    return result;
}

int hxb_open_region(hxb_device *device, uint64_t length, hxb_region **region) {
    return open_region(device, length, false, region);
}

int hxb_open_writable_region(hxb_device *device, uint64_t length, hxb_region **region) {
    return open_region(device, length, true, region);
}

void *hxb_region_data(const hxb_region *region) {
    return region == NULL ? NULL : region->lent.data;
}

uint64_t hxb_region_length(const hxb_region *region) {
    return region == NULL ? 0 : region->length;
}

int hxb_close_region(hxb_region *region) {
    if (region == NULL) {
        return HXB_OK;
    }
    hxb_device *device = region->device;
    int result = check_device(device);
    if (result != HXB_OK) {
        return result;
    }
    int state = call_begin();
    pthread_mutex_lock(&device->lock);
    for (hxb_region **at = &device->regions; *at != NULL; at = &(*at)->next) {
        if (*at == region) {
            *at = region->next;
            break;
        }
    }
    pthread_mutex_unlock(&device->lock);
    take_back(device, &region->lent);
    free(region);
    call_end(state);
    return HXB_OK;
}

int check_range(const hxb_device *device, const hxb_region *region, uint64_t offset, uint64_t length) {
    if (region == NULL || region->device != device) {
        return fail(HXB_E_ARGUMENT, "the region is NULL, or of another device");
    }
    if (offset > region->length || length > region->length - offset) {
        return fail(HXB_E_ARGUMENT, "bytes outside of a region of %llu bytes: %llu+%llu",
                    (unsigned long long)region->length, (unsigned long long)offset, (unsigned long long)length);
    }
    return HXB_OK;
}
