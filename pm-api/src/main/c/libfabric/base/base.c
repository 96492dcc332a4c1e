/* The provider as libfabric knows it, and its errors. */
#include "libfabric/base/base.h"

/* calls/provider.c fills in its functions. */
struct fi_provider hxb_provider = {.version = VERSION, .fi_version = HEADER_VERSION, .name = "hxb"};

int error_of(int result) {
    switch (result) {
    case HXB_NO_BUFFERS: return FI_EAGAIN;
    case HXB_PEER_UNREACHABLE: return FI_EHOSTUNREACH;
    case HXB_PEER_RESTARTED: return FI_ECONNRESET;
    case HXB_NO_SUCH_CONTEXT: return FI_ECONNREFUSED;
    case HXB_CONTEXT_CLOSED: return FI_ESHUTDOWN;
    case HXB_NODE_GONE: return FI_ENETDOWN;
    case HXB_PEER_FULL:
    case HXB_FLOW_LIMIT:
    case HXB_GROUP_LIMIT: return FI_ENOSPC;
    case HXB_DISAGREEMENT: return FI_EINVAL;
    case HXB_GROUP_NODES: return FI_EOPNOTSUPP;
    case HXB_NOT_ALLOWED:
    case HXB_E_DENIED: return FI_EACCES;
    case HXB_E_NO_NODE: return FI_ENODATA;
    case HXB_E_REFUSED: return FI_EBUSY;
    case HXB_E_MEMORY: return FI_ENOMEM;
    case HXB_E_ARGUMENT: return FI_EINVAL;
    default: return FI_EIO;
    }
}

int no_ops_open(struct fid *fid, const char *name, uint64_t flags, void **ops, void *context) {
    (void)fid, (void)name, (void)flags, (void)ops, (void)context;
    return -FI_ENOSYS;
}
