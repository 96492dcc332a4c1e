/* Memory that peers may use, as fi_mr(3) states it. Keys are the program's own, or random with FI_MR_PROV_KEY; peers
 * give offsets, or addresses with FI_MR_VIRT_ADDR. */
#include "libfabric/calls/calls.h"

#include <stdlib.h>
#include <sys/random.h>

#define ACCESS (FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE)

static int mr_close(struct fid *fid) {
    struct mr *mr = OWNER(fid, struct mr, fid.fid);
    struct domain *domain = mr->domain;
    pthread_mutex_lock(&domain->lock);
    for (struct link *at = domain->endpoints.next; at != &domain->endpoints; at = at->next) {
        struct endpoint *endpoint = OWNER(at, struct endpoint, link);
        own(endpoint);
        end_memory(endpoint, mr);
    }
    list_remove(&mr->link);
    domain->users--;
    pthread_mutex_unlock(&domain->lock);
    free(mr);
    return 0;
}

static int mr_bind(struct fid *fid, struct fid *other, uint64_t flags) {
    (void)fid, (void)other, (void)flags;
    return -FI_ENOSYS;
}

static int mr_control(struct fid *fid, int command, void *argument) {
    (void)fid, (void)argument;
    return command == FI_ENABLE ? 0 : -FI_ENOSYS;
}

static int add(struct domain *domain, struct mr *mr) {
    pthread_mutex_lock(&domain->lock);
    bool is_ours = (domain->mr_mode & FI_MR_PROV_KEY) != 0;
    bool has_key = !is_ours;
    while (is_ours && getrandom(&mr->fid.key, sizeof mr->fid.key, 0) == sizeof mr->fid.key) {
        has_key = mr->fid.key != FI_KEY_NOTAVAIL && memory_of_key(domain, mr->fid.key) == NULL;
        if (has_key) {
            break;
        }
    }
    int error = !has_key ? FI_EIO : !is_ours && memory_of_key(domain, mr->fid.key) != NULL ? FI_ENOKEY : 0;
    if (error == 0) {
        list_add(memory_bucket(domain, mr->fid.key), &mr->link);
        domain->users++;
    }
    pthread_mutex_unlock(&domain->lock);
    return error;
}

static int regattr(struct fid *fid, const struct fi_mr_attr *attr, uint64_t flags, struct fid_mr **result) {
    static struct fi_ops fid_ops = {.size = sizeof fid_ops, .close = mr_close, .ops_open = no_ops_open, .bind = mr_bind,
                                    .control = mr_control};
    if (fid->fclass != FI_CLASS_DOMAIN || attr->iov_count != 1 || (attr->access & ~ACCESS) != 0 || flags != 0
        || attr->offset != 0) {
        return -FI_EINVAL;
    }
    struct mr *mr = calloc(1, sizeof *mr);
    if (mr == NULL) {
        return -FI_ENOMEM;
    }
    mr->domain = OWNER(fid, struct domain, fid.fid);
    mr->base = attr->mr_iov[0].iov_base;
    mr->length = attr->mr_iov[0].iov_len;
    mr->access = attr->access;
    mr->fid.fid = (struct fid){.fclass = FI_CLASS_MR, .context = attr->context, .ops = &fid_ops};
    mr->fid.key = attr->requested_key;
    int error = add(mr->domain, mr);
    if (error != 0) {
        free(mr);
        return -error;
    }
    *result = &mr->fid;
    return 0;
}

static int regv(struct fid *fid, const struct iovec *iov, size_t count, uint64_t access, uint64_t offset,
                uint64_t key, uint64_t flags, struct fid_mr **result, void *context) {
    struct fi_mr_attr attr = {.mr_iov = iov, .iov_count = count, .access = access, .offset = offset,
                              .requested_key = key, .context = context};
    return regattr(fid, &attr, flags, result);
}

static int reg(struct fid *fid, const void *buffer, size_t length, uint64_t access, uint64_t offset, uint64_t key,
               uint64_t flags, struct fid_mr **result, void *context) {
    struct iovec iov = {(void *)(uintptr_t)buffer, length};
    return regv(fid, &iov, 1, access, offset, key, flags, result, context);
}

struct fi_ops_mr hxb_mr_ops = {.size = sizeof hxb_mr_ops, .reg = reg, .regv = regv, .regattr = regattr};
