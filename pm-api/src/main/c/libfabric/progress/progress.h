/* Progress: of endpoints, of groups, of a whole domain, and how threads wait for it. */
#ifndef HXB_FI_PROGRESS_H
#define HXB_FI_PROGRESS_H

#include "libfabric/messages/messages.h"

/* ---- Groups (collective.c) ---- */

extern struct fi_ops_collective hxb_collective_ops;
int hxb_query_collective(struct fid_domain *domain, enum fi_collective_op coll, struct fi_collective_attr *attr,
                         uint64_t flags);
int hxb_join(struct fid_ep *ep, const void *address, uint64_t flags, struct fid_mc **mc, void *context);
/* False if there was nothing to do. */
bool progress_groups(struct endpoint *endpoint);
/* Of an endpoint with a context for groups: true if its descriptor becomes readable with new work, false if there is
 * some. */
bool arm_groups(struct endpoint *endpoint);
/* Of an endpoint that has left all groups. */
void close_group_context(struct endpoint *endpoint);

/* ---- One endpoint (endpoint.c) ---- */

bool progress(struct endpoint *endpoint);
/* True if the descriptor of the context becomes readable with new work; false if there is some already. */
bool arm(struct endpoint *endpoint);

/* ---- A domain (idle.c); all of these need its lock ---- */

/* Receives, sends and completes a bounded amount; false if there was nothing to do. */
bool progress_all(struct domain *domain);
/* True if descriptors of all endpoints become readable with new work; false if there is some already. */
bool arm_all(struct domain *domain);
/* After a poll that found no completion: others may need the CPU. May sleep for a millisecond. */
void idle(struct domain *domain, bool did_something);
/* Programs that wait for a few sends whose bytes stay here go on; false if there are none. */
bool copy_all_left(struct domain *domain);
/* The same as progress_all and arm_all where a thread makes progress. */
bool progress_endpoints(struct domain *domain);
bool arm_endpoints(struct domain *domain);

#endif
