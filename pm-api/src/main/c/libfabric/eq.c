/* Event queues. Endpoints have no connections and nothing here is done later, so that they stay empty. */
#include "provider.h"

#include <stdlib.h>
#include <time.h>

struct eq {
    struct fid_eq fid;
    struct fabric *fabric;
};

static ssize_t eq_read(struct fid_eq *eq, uint32_t *event, void *to, size_t length, uint64_t flags) {
    (void)eq, (void)event, (void)to, (void)length, (void)flags;
    return -FI_EAGAIN;
}

static ssize_t eq_readerr(struct fid_eq *eq, struct fi_eq_err_entry *to, uint64_t flags) {
    (void)eq, (void)to, (void)flags;
    return -FI_EAGAIN;
}

static ssize_t eq_write(struct fid_eq *eq, uint32_t event, const void *from, size_t length, uint64_t flags) {
    (void)eq, (void)event, (void)from, (void)length, (void)flags;
    return -FI_ENOSYS;
}

static ssize_t eq_sread(struct fid_eq *eq, uint32_t *event, void *to, size_t length, int timeout_ms, uint64_t flags) {
    (void)eq, (void)event, (void)to, (void)length, (void)flags;
    struct timespec time = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    while (timeout_ms < 0) {
        nanosleep(&(struct timespec){3600, 0}, NULL);
    }
    nanosleep(&time, NULL);
    return -FI_EAGAIN;
}

static const char *eq_strerror(struct fid_eq *eq, int detail, const void *data, char *to, size_t length) {
    (void)eq, (void)data, (void)to, (void)length;
    return fi_strerror(detail);
}

static int eq_close(struct fid *fid) {
    struct eq *eq = OWNER(fid, struct eq, fid.fid);
    fabric_use(eq->fabric, -1);
    free(eq);
    return 0;
}

int hxb_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **result, void *context) {
    static struct fi_ops fid_ops = {.size = sizeof fid_ops, .close = eq_close, .ops_open = no_ops_open};
    static struct fi_ops_eq ops = {.size = sizeof ops,
                                   .read = eq_read,
                                   .readerr = eq_readerr,
                                   .write = eq_write,
                                   .sread = eq_sread,
                                   .strerror = eq_strerror};
    if (attr != NULL && attr->wait_obj != FI_WAIT_NONE && attr->wait_obj != FI_WAIT_UNSPEC) {
        return -FI_ENOSYS;
    }
    struct eq *eq = calloc(1, sizeof *eq);
    if (eq == NULL) {
        return -FI_ENOMEM;
    }
    eq->fabric = OWNER(fabric, struct fabric, fid);
    fabric_use(eq->fabric, 1);
    eq->fid.fid = (struct fid){.fclass = FI_CLASS_EQ, .context = context, .ops = &fid_ops};
    eq->fid.ops = &ops;
    *result = &eq->fid;
    return 0;
}
