/* The connection to a node: requests, each with a number, and their answers, which any thread takes when they are there
 * and whose owner looks at when it likes. Not installed. */
#ifndef HXB_CONNECTION_H
#define HXB_CONNECTION_H

#include "internal.h"

#define MAX_DESCRIPTORS 8
#define ARGUMENTS 8
#define REPLY_TIMEOUT_NS (5 * HXB_SECOND)

/* A request or its answer, as the class AttachMessage draws it. */
struct message {
    _Alignas(8) uint8_t bytes[HXB_ATTACH_LENGTH_BYTES];
    int descriptors[MAX_DESCRIPTORS]; /* passed along, or received */
    int descriptor_count;
    bool is_unanswered;      /* the node has the request, and may do later what it was asked for */
    bool is_refused_for_now; /* asking again soon may help */
};

/* A request that was sent, until its answer has been taken. */
struct asked {
    struct asked *next; /* of the device's, the oldest first */
    uint32_t number;
    int type;
    _Atomic bool is_answered; /* by the node, or by the end of the connection: `length` is 0 then */
    ssize_t length;
    int looks;
    struct message message;
};

void request(struct message *message, int type);
void put_argument(struct message *message, int index, int64_t value);
int64_t argument(const struct message *message, int index);
void close_descriptors(struct message *message);

/* Asks, and waits for the answer for at most 5 seconds; a granted one has exactly this number of descriptors, unless
 * that is negative. Closes the descriptors that are passed. The device's lock must not be held. */
int ask(hxb_device *device, struct message *message, int descriptors);

/* Asks, and leaves the answer in `asked` for whoever calls ask_is_over, until then or until ask_forget. Closes the
 * descriptors that are passed. Never waits. */
int ask_later(hxb_device *device, struct message *message, struct asked *asked);

/* True if the answer has come, or none will: then ask_result tells it. Never waits. */
bool ask_is_over(hxb_device *device, struct asked *asked);
int ask_result(hxb_device *device, struct asked *asked, int descriptors);

/* Nobody wants the answer any more. */
void ask_forget(hxb_device *device, struct asked *asked);

/* Tells the node what needs no answer, in the order of requests. If it is gone, so is what was open there; if it stands
 * still until its socket is full, it is told later, before anything else is asked. Never waits. */
void tell(hxb_device *device, int type, int64_t value);

/* Ends the connection, and with it what other threads ask for; returns when none is left between device_enter and
 * device_leave. */
void end_calls(hxb_device *device);
void forget_untold(hxb_device *device);

#endif
