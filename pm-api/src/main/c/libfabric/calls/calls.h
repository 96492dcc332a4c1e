/* The functions for programs, which libfabric finds in the objects of the provider. */
#ifndef HXB_FI_CALLS_H
#define HXB_FI_CALLS_H

#include "libfabric/progress/progress.h"

extern struct fi_ops_msg hxb_msg_ops;
extern struct fi_ops_tagged hxb_tagged_ops;
extern struct fi_ops_mr hxb_mr_ops;
extern struct fi_ops_rma hxb_rma_ops;
extern struct fi_ops_atomic hxb_atomic_ops;
ssize_t hxb_cancel(fid_t fid, void *context);
int hxb_query_atomic(struct fid_domain *domain, enum fi_datatype type, enum fi_op op, struct fi_atomic_attr *attr,
                     uint64_t flags);
int hxb_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **eq, void *context);
int hxb_av_set_open(struct fid_av *av, struct fi_av_set_attr *attr, struct fid_av_set **set, void *context);
int hxb_av_open(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **av, void *context);
int hxb_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq, void *context);
int hxb_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr, struct fid_cntr **cntr, void *context);
/* 0 if the descriptor of the queue becomes readable with the next completion, -FI_EAGAIN if there may be one
 * already. */
int cq_try_wait(struct cq *cq);
int hxb_endpoint_open(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep, void *context);
int hxb_domain_open(struct fid_fabric *fabric, struct fi_info *info, struct fid_domain **domain, void *context);
int hxb_trywait(struct fid_fabric *fabric, struct fid **fids, int count);
/* Begins an operation on remote memory of which all but the destination is set. */
ssize_t post_remote(struct endpoint *endpoint, struct op *op, fi_addr_t to, uint64_t flags);

#endif
