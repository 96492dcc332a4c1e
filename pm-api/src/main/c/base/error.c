/* Texts of results, and the details of the last error of each thread. */
#define _POSIX_C_SOURCE 200809L
#include "base/base.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define SAME(name) _Static_assert(HXB_##name == HXB_STATUS_##name, "a status of PmStatus has another number")
SAME(OK);
SAME(NO_BUFFERS);
SAME(EMPTY);
SAME(TIMED_OUT);
SAME(PEER_UNREACHABLE);
SAME(PEER_RESTARTED);
SAME(NO_SUCH_CONTEXT);
SAME(CONTEXT_CLOSED);
SAME(NODE_GONE);
SAME(TOO_LONG);
SAME(NODE_SILENT);
SAME(PEER_FULL);
SAME(NOT_ALLOWED);
SAME(FLOW_LIMIT);
SAME(DROPPED);
SAME(INTERRUPTED);
SAME(DISAGREEMENT);
SAME(GROUP_LIMIT);
SAME(GROUP_NODES);
SAME(BAD_KEY);
SAME(BAD_RANGE);
SAME(NO_ACCESS);

struct meaning {
    int result;
    const char *name;
    const char *text;
};

#define MEANING(name, text) {HXB_##name, "HXB_" #name, text}

static const struct meaning MEANINGS[] = {
    MEANING(OK, "done"),
    MEANING(NO_BUFFERS, "all send buffers that the destination may have are in use"),
    MEANING(EMPTY, "nothing is waiting"),
    MEANING(TIMED_OUT, "the time has passed"),
    MEANING(PEER_UNREACHABLE, "no path leads to the peer's node, or it has been silent for too long"),
    MEANING(PEER_RESTARTED, "the peer has been started again: what it had not received is lost"),
    MEANING(NO_SUCH_CONTEXT, "nobody has opened the peer's context, or it has been closed"),
    MEANING(CONTEXT_CLOSED, "this context has been closed, by the node or by another thread"),
    MEANING(NODE_GONE, "the node is gone"),
    MEANING(TOO_LONG, "the message is longer than was announced"),
    MEANING(NODE_SILENT, "the node has stood still for seconds; it may continue"),
    MEANING(PEER_FULL, "the peer's node or user has as many flows as it may have"),
    MEANING(STATUS_EVENT, "an event waits to be taken"),
    MEANING(NOT_ALLOWED, "this context's tenant may not send to the peer's: see tenants in the cluster file"),
    MEANING(FLOW_LIMIT, "this node or user has as many flows as flow.maxFlows or limits.flows allows"),
    MEANING(DROPPED, "the message was dropped, as the options of its destination require, and not sent"),
    MEANING(INTERRUPTED, "another thread has ended the wait"),
    MEANING(BAD_KEY, "the key is not one of the destination's, or has been revoked"),
    MEANING(BAD_RANGE, "not all bytes are within the destination's region, or a number is not at a multiple of 8"),
    MEANING(NO_ACCESS, "the key does not allow this operation"),
    MEANING(DISAGREEMENT, "members of the group do not agree on the operation, or on who is a member"),
    MEANING(GROUP_LIMIT, "the node has as many groups, or as much memory for them, as it may"),
    MEANING(GROUP_NODES, "the nodes of the group are too many, or not a box of coordinates and more than 64"),
    MEANING(E_ARGUMENT, "an argument is not valid"),
    MEANING(E_STATE, "the call is not valid now"),
    MEANING(E_THREAD, "the context belongs to another thread"),
    MEANING(E_FORKED, "it was opened before a fork, by the parent process"),
    MEANING(E_NO_NODE, "no node listens there"),
    MEANING(E_DENIED, "this user may not attach to the node"),
    MEANING(E_REFUSED, "the node refuses"),
    MEANING(E_SILENT, "the node does not answer"),
    MEANING(E_VERSION, "the node and this library have no version in common"),
    MEANING(E_PROTOCOL, "the node sent something that is not valid"),
    MEANING(E_MEMORY, "there is not enough memory, or too many files are open"),
    MEANING(E_SYSTEM, "a system call failed"),
    MEANING(E_CORRUPT, "the shared memory of the context has impossible contents"),
};

/* Used in rare cases only, so that it may cost a call; initial-exec would limit how the library can be loaded. */
static _Thread_local char last_error[TEXT_BYTES];

static const struct meaning *meaning(int result) {
    for (size_t i = 0; i < sizeof MEANINGS / sizeof MEANINGS[0]; i++) {
        if (MEANINGS[i].result == result) {
            return &MEANINGS[i];
        }
    }
    return NULL;
}

bool is_status(int status) {
    return status == HXB_OK || (status < 0 && status > HXB_E_ARGUMENT && meaning(status) != NULL);
}

const char *hxb_strerror(int result) {
    const struct meaning *found = meaning(result > 0 ? HXB_OK : result);
    return found != NULL ? found->text : "a number that is no result of this library";
}

const char *hxb_result_name(int result) {
    const struct meaning *found = meaning(result > 0 ? HXB_OK : result);
    return found != NULL ? found->name : "HXB_UNKNOWN";
}

const char *hxb_last_error(void) {
    return last_error;
}

const char *hxb_version(void) {
    return HXB_VERSION_STRING;
}

int fail(int result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return result;
}

int fail_errno(const char *format, ...) {
    int code = errno;
    char what[TEXT_BYTES / 2];
    char reason[128] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (strerror_r(code, reason, sizeof reason) != 0) {
        snprintf(reason, sizeof reason, "errno %d", code);
    }
    bool is_memory = code == ENOMEM || code == EMFILE || code == ENFILE || code == ENOSPC;
    return fail(is_memory ? HXB_E_MEMORY : HXB_E_SYSTEM, "%s: %s%s", what, reason,
                is_memory ? " (see memory.max of the cgroup and the limit of open files, ulimit -n)" : "");
}
