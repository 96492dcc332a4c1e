/* Counters, as fi_cntr(3) states them. */
#include "libfabric/calls/calls.h"

#include <stdlib.h>

static struct cntr *cntr_of(struct fid_cntr *fid) {
    return OWNER(fid, struct cntr, fid);
}

static uint64_t cntr_get(struct cntr *cntr, const uint64_t *field) {
    pthread_mutex_lock(&cntr->domain->lock);
    progress_all(cntr->domain);
    uint64_t value = *field;
    pthread_mutex_unlock(&cntr->domain->lock);
    return value;
}

static int cntr_change(struct cntr *cntr, uint64_t *field, uint64_t value, bool is_sum) {
    pthread_mutex_lock(&cntr->domain->lock);
    *field = is_sum ? *field + value : value;
    pthread_mutex_unlock(&cntr->domain->lock);
    return 0;
}

static uint64_t cntr_read(struct fid_cntr *fid) {
    return cntr_get(cntr_of(fid), &cntr_of(fid)->value);
}

static uint64_t cntr_readerr(struct fid_cntr *fid) {
    return cntr_get(cntr_of(fid), &cntr_of(fid)->errors);
}

static int cntr_add(struct fid_cntr *fid, uint64_t value) {
    return cntr_change(cntr_of(fid), &cntr_of(fid)->value, value, true);
}

static int cntr_set(struct fid_cntr *fid, uint64_t value) {
    return cntr_change(cntr_of(fid), &cntr_of(fid)->value, value, false);
}

static int cntr_adderr(struct fid_cntr *fid, uint64_t value) {
    return cntr_change(cntr_of(fid), &cntr_of(fid)->errors, value, true);
}

static int cntr_seterr(struct fid_cntr *fid, uint64_t value) {
    return cntr_change(cntr_of(fid), &cntr_of(fid)->errors, value, false);
}

static int cntr_wait(struct fid_cntr *fid, uint64_t threshold, int timeout_ms) {
    struct cntr *cntr = cntr_of(fid);
    int64_t end = timeout_ms < 0 ? INT64_MAX : now_ns() + timeout_ms * INT64_C(1000000);
    pthread_mutex_lock(&cntr->domain->lock);
    uint64_t errors = cntr->errors; /* before any progress, which may find one */
    pthread_mutex_unlock(&cntr->domain->lock);
    while (cntr_read(fid) < threshold) {
        if (cntr_readerr(fid) != errors) {
            return -FI_EAVAIL;
        }
        if (now_ns() >= end) {
            return -FI_ETIMEDOUT;
        }
        pthread_mutex_lock(&cntr->domain->lock);
        idle(cntr->domain, false);
        pthread_mutex_unlock(&cntr->domain->lock);
    }
    return 0;
}

static int cntr_close(struct fid *fid) {
    struct cntr *cntr = OWNER(fid, struct cntr, fid.fid);
    if (cntr->users > 0) {
        return -FI_EBUSY;
    }
    domain_release(cntr->domain);
    free(cntr);
    return 0;
}

int hxb_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr, struct fid_cntr **result, void *context) {
    static struct fi_ops fid_ops = {.size = sizeof fid_ops, .close = cntr_close, .ops_open = no_ops_open};
    static struct fi_ops_cntr ops = {.size = sizeof ops,
                                     .read = cntr_read,
                                     .readerr = cntr_readerr,
                                     .add = cntr_add,
                                     .set = cntr_set,
                                     .wait = cntr_wait,
                                     .adderr = cntr_adderr,
                                     .seterr = cntr_seterr};
    if (attr != NULL && (attr->events != FI_CNTR_EVENTS_COMP || attr->wait_obj > FI_WAIT_UNSPEC)) {
        return -FI_ENOSYS;
    }
    struct cntr *cntr = calloc(1, sizeof *cntr);
    if (cntr == NULL) {
        return -FI_ENOMEM;
    }
    cntr->domain = OWNER(domain, struct domain, fid);
    cntr->fid.fid = (struct fid){.fclass = FI_CLASS_CNTR, .context = context, .ops = &fid_ops};
    cntr->fid.ops = &ops;
    domain_hold(cntr->domain);
    *result = &cntr->fid;
    return 0;
}
