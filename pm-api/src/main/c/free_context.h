/* Opening any context of a node, for libraries that are built on hxb.h. Not installed. */
#ifndef HXB_FREE_CONTEXT_H
#define HXB_FREE_CONTEXT_H

#include "hxb.h"

/* Opens the last context of a node that is free, down to this one: programs that name theirs find the first ones free. A
 * negative result, with `*id` undefined, if there is none. */
static inline int open_free_context(hxb_device *device, int lowest, const hxb_context_options *options,
                                    hxb_context **context, int *id) {
    int result = HXB_E_REFUSED;
    for (*id = hxb_context_count(device); *id > lowest && result == HXB_E_REFUSED;) {
        result = hxb_open_context(device, --*id, options, context);
    }
    return result;
}

#endif
