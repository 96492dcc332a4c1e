/* Functions of devices and contexts for programs: argument checks and waits. Services and requests use these waits,
 * too. Not installed. */
#ifndef HXB_CALLS_H
#define HXB_CALLS_H

#include "context/context.h"

/* Waits until there is what the interest names: HXB_OK, HXB_STATUS_EVENT, or why the wait has ended. */
int wait_for(hxb_context *context, int interest, int64_t timeout_ns);
/* Around what may wait, in the context's own thread. The second returns `result`, or HXB_CONTEXT_CLOSED: another thread
 * has closed the context, and nothing of it may be touched any more. */
void wait_enter(hxb_context *context);
int wait_leave(hxb_context *context, int result);
/* Ends the wait of another thread's context permanently; false if it does not wait. */
bool wait_end(hxb_context *context);

#endif
