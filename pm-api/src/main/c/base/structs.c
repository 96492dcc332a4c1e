/* Structs whose first field is their size, so that a program may be compiled with an older or newer header. */
#include "base/base.h"

#define MAX_STRUCT_BYTES 4096

void give_struct(void *to, size_t size, const void *from, size_t known) {
    if (to != NULL && size >= sizeof size) {
        memset(to, 0, size);
        memcpy(to, from, size < known ? size : known);
        memcpy(to, &size, sizeof size);
    }
}

int take_struct(void *to, size_t known, const void *from, const char *name) {
    size_t size;
    memcpy(&size, from, sizeof size);
    if (size < 2 * sizeof size || size > MAX_STRUCT_BYTES) {
        return fail(HXB_E_ARGUMENT, "the size of %s is not set: %zu", name, size);
    }
    const uint8_t *bytes = from;
    for (size_t i = known; i < size; i++) {
        if (bytes[i] != 0) {
            return fail(HXB_E_VERSION, "%s has a field that this library, of version %s, does not know", name,
                        HXB_VERSION_STRING);
        }
    }
    memcpy(to, from, size < known ? size : known);
    return HXB_OK;
}
