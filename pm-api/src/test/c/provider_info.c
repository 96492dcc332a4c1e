/* Answers of fi_getinfo, and calls that the provider does not have. */
#include "provider.h"

#include <rdma/fi_collective.h>

#define API FI_VERSION(1, 17)
#define ORDER_STRICT UINT32_MAX /* FI_ORDER_STRICT, of which 2.x warns */

static struct fi_info *answer(struct fi_info *hints, int expected, const char *change) {
    struct fi_info *info = NULL;
    int error = fi_getinfo(API, NULL, NULL, 0, hints, &info);
    if (error != expected) {
        FAIL("with %s: %d (%s)", change, error, fi_strerror(-error));
    }
    fi_freeinfo(hints);
    return info;
}

#define ASK(expected, change)                                                       \
    __extension__({                                                                 \
        struct fi_info *hints = hints_of(&(struct options){0});                     \
        change;                                                                     \
        answer(hints, expected, #change);                                           \
    })
#define REFUSED(change) CHECK(ASK(-FI_ENODATA, change) == NULL)
#define FITS(change, condition)                      \
    do {                                             \
        struct fi_info *info = ASK(0, change);       \
        CHECK(condition);                            \
        fi_freeinfo(info);                           \
    } while (0)

static void refuse_hints(void) {
    const uint64_t missing[] = {FI_MULTICAST, FI_NAMED_RX_CTX, FI_RMA_EVENT, FI_TRIGGER,
                                VARIABLE_MSG, FI_HMEM, FI_FENCE, FI_SHARED_AV, FI_SOURCE_ERR, FI_RMA_PMEM};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        REFUSED(hints->caps = FI_MSG | missing[i]);
    }
    REFUSED(hints->ep_attr->type = FI_EP_MSG);
    REFUSED(hints->ep_attr->type = FI_EP_DGRAM);
    REFUSED(hints->ep_attr->protocol = FI_PROTO_RXM);
    REFUSED(hints->ep_attr->max_msg_size = SIZE_MAX);
    REFUSED(hints->ep_attr->tx_ctx_cnt = 2);
    REFUSED(hints->ep_attr->rx_ctx_cnt = 2);
    REFUSED(hints->tx_attr->inject_size = 1 << 20);
    REFUSED(hints->tx_attr->size = 1 << 20);
    REFUSED(hints->tx_attr->iov_limit = 64);
    REFUSED(hints->tx_attr->rma_iov_limit = 2);
    REFUSED(hints->tx_attr->msg_order = FI_ORDER_SAR);
    REFUSED(hints->tx_attr->msg_order = FI_ORDER_WAS);
    REFUSED(hints->tx_attr->comp_order = ORDER_STRICT);
    REFUSED(hints->tx_attr->caps = FI_MULTICAST);
    REFUSED(hints->rx_attr->size = 1 << 20);
    REFUSED(hints->rx_attr->iov_limit = 64);
    REFUSED(hints->rx_attr->msg_order = FI_ORDER_SAR);
    REFUSED(hints->domain_attr->cq_data_size = 16);
    REFUSED(hints->domain_attr->max_ep_tx_ctx = 2);
    REFUSED(hints->domain_attr->name = strdup("node 99"));
    REFUSED(hints->fabric_attr->name = strdup("another"));
    REFUSED(hints->addr_format = FI_SOCKADDR_IN);
    REFUSED(hints->domain_attr->mr_key_size = 16);
    REFUSED(hints->domain_attr->mr_iov_limit = 2);
    REFUSED(hints->domain_attr->max_ep_srx_ctx = 1);
    REFUSED(hints->domain_attr->ep_cnt = 1 << 20);
    REFUSED(hints->rx_attr->total_buffered_recv = 1);
    REFUSED(hints->ep_attr->max_order_raw_size = 1 << 30);
    REFUSED(hints->ep_attr->protocol_version = 99);
    REFUSED((hints->dest_addr = calloc(1, 16), hints->dest_addrlen = 16));
    REFUSED((hints->src_addr = calloc(1, 16), hints->src_addrlen = 16));
    REFUSED((hints->src_addr = calloc(1, 8), hints->src_addrlen = 8));
}

static void fit_hints(const char *domain, const char *fabric, size_t inject) {
    const uint64_t both = FI_SEND | FI_RECV;
    FITS(hints->caps = FI_TAGGED, (info->caps & (FI_TAGGED | both | FI_RMA | FI_MSG)) == (FI_TAGGED | both));
    FITS(hints->caps = FI_MSG | FI_SEND, (info->caps & (FI_MSG | both)) == (FI_MSG | FI_SEND));
    FITS(hints->caps = FI_RMA | FI_READ, (info->caps & (FI_RMA | FI_READ | FI_WRITE)) == (FI_RMA | FI_READ));
    FITS(hints->caps = FI_RMA, (info->caps & (FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE))
                                   == (FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE));
    FITS(hints->caps = FI_TAGGED | FI_MSG | FI_DIRECTED_RECV | FI_SOURCE | FI_MULTI_RECV | FI_ATOMIC,
         (info->caps & (FI_DIRECTED_RECV | FI_SOURCE | FI_MULTI_RECV)) != 0);
    FITS(hints->mode = FI_CONTEXT | FI_RX_CQ_DATA, info->mode == 0);
    FITS(hints->tx_attr->inject_size = inject, info->tx_attr->inject_size >= inject);
    FITS(hints->tx_attr->msg_order = FI_ORDER_SAS, (info->tx_attr->msg_order & FI_ORDER_SAS) != 0);
    FITS(hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE, info->tx_attr->op_flags == FI_DELIVERY_COMPLETE);
    FITS(hints->rx_attr->op_flags = FI_MULTI_RECV, info->rx_attr->op_flags == FI_MULTI_RECV);
    FITS(hints->domain_attr->cq_data_size = 4, info->domain_attr->cq_data_size >= 4);
    FITS(hints->domain_attr->name = strdup(domain), strcmp(info->domain_attr->name, domain) == 0);
    FITS(hints->fabric_attr->name = strdup(fabric), strcmp(info->fabric_attr->name, fabric) == 0);
    FITS(hints->domain_attr->threading = FI_THREAD_DOMAIN, info->domain_attr->threading == FI_THREAD_DOMAIN);
    FITS(hints->domain_attr->data_progress = FI_PROGRESS_AUTO,
         info->domain_attr->data_progress == FI_PROGRESS_AUTO);
    FITS(hints->domain_attr->control_progress = FI_PROGRESS_AUTO,
         info->domain_attr->control_progress == FI_PROGRESS_AUTO);
    FITS(hints->domain_attr->av_type = FI_AV_MAP, info->domain_attr->av_type == FI_AV_MAP);
    FITS(hints->domain_attr->av_type = FI_AV_TABLE, info->domain_attr->av_type == FI_AV_TABLE);
    FITS(hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_ENDPOINT | FI_MR_RAW, info->domain_attr->mr_mode == 0);
    FITS(hints->domain_attr->mr_mode = MR_BASIC, info->domain_attr->mr_mode == MR_BASIC);
}

static void check_defaults(const struct fi_info *info, const char *node) {
    char domain[32];
    snprintf(domain, sizeof domain, "node %s", node);
    CHECK(strcmp(info->fabric_attr->prov_name, "hxb") == 0);
    CHECK(strncmp(info->fabric_attr->name, "hxb ", 4) == 0);
    CHECK(strcmp(info->domain_attr->name, domain) == 0);
    CHECK((info->caps & (FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC)) == (FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC));
    EXPECT(FI_EP_RDM, info->ep_attr->type);
    EXPECT(0, info->mode);
    CHECK(info->tx_attr->inject_size >= 64 && info->tx_attr->size >= 64 && info->rx_attr->size >= 64);
    CHECK((info->tx_attr->msg_order & info->rx_attr->msg_order & FI_ORDER_SAS) != 0);
    EXPECT(0, (info->tx_attr->caps | info->rx_attr->caps) & (FI_LOCAL_COMM | FI_REMOTE_COMM));
    CHECK((info->tx_attr->caps & ~info->caps) == 0 && (info->rx_attr->caps & ~info->caps) == 0);
    EXPECT(0, info->tx_attr->caps & (FI_RECV | FI_REMOTE_READ | FI_REMOTE_WRITE));
    EXPECT(0, info->rx_attr->caps & (FI_SEND | FI_READ | FI_WRITE));
    CHECK(info->ep_attr->max_msg_size >= 1 << 30 && info->ep_attr->max_order_raw_size >= 8);
    EXPECT(8, info->domain_attr->cq_data_size);
    EXPECT(8, info->domain_attr->mr_key_size);
    EXPECT(0, info->domain_attr->mr_mode);
    EXPECT(FI_THREAD_SAFE, info->domain_attr->threading);
    EXPECT(FI_RM_ENABLED, info->domain_attr->resource_mgmt);
    CHECK(info->domain_attr->av_type == FI_AV_TABLE || info->domain_attr->av_type == FI_AV_MAP);
}

/* An answer can be used as hints; addresses are answered as they were given. */
static void ask_again(struct fi_info *info) {
    struct fi_info *again = NULL, *third = NULL;
    EXPECT(0, fi_getinfo(API, NULL, NULL, 0, info, &again));
    CHECK(again->src_addrlen == 16 && again->dest_addr == NULL);
    CHECK(memcmp(again->src_addr, info->src_addr, 16) == 0);
    fi_freeinfo(again);
    EXPECT(0, fi_getinfo(API, "hxb://0/5/17", NULL, FI_SOURCE, info, &again));
    CHECK(memcmp(again->src_addr, info->src_addr, 8) == 0); /* all but the context */
    CHECK(again->src_addr != NULL && again->src_addrlen == 16 && again->dest_addr == NULL);
    EXPECT(0, fi_getinfo(API, "hxb://1/6/18", NULL, 0, again, &third));
    CHECK(third->src_addrlen == 16 && memcmp(third->src_addr, again->src_addr, 16) == 0 && third->dest_addrlen == 16);
    fi_freeinfo(third);
    fi_freeinfo(again);
    EXPECT(-FI_ENODATA, fi_getinfo(API, "hxb://1/5/17", NULL, FI_SOURCE, info, &again)); /* of another node */
    EXPECT(-FI_ENODATA, fi_getinfo(API, "hxb://0/99999/17", NULL, 0, info, &again));
}

void info_hints(char **arguments) {
    (void)arguments;
    struct fi_info *info = NULL;
    for (int i = 0; i < 2; i++) {
        fi_freeinfo(info);
        CHECK(setenv("HXB_SOCKET", sockets[i], 1) == 0);
        EXPECT(0, fi_getinfo(API, NULL, NULL, 0, NULL, &info));
        check_defaults(info, i == 0 ? "0" : "1");
        if (i == 0) {
            ask_again(info);
        }
    }
    refuse_hints();
    fit_hints(info->domain_attr->name, info->fabric_attr->name, info->tx_attr->inject_size);
    fi_freeinfo(info);
    /* Hints of programs before libfabric 1.5. */
    struct fi_info *hints = hints_of(&(struct options){0});
    const int modes[] = {MR_UNSPEC, MR_SCALABLE, MR_BASIC};
    for (int i = 0; i < 3; i++) {
        hints->domain_attr->mr_mode = modes[i];
        EXPECT(0, fi_getinfo(FI_VERSION(1, 4), NULL, NULL, 0, hints, &info));
        EXPECT(modes[i] == MR_BASIC ? MR_BASIC : MR_SCALABLE, info->domain_attr->mr_mode);
        fi_freeinfo(info);
    }
    hints->domain_attr->mr_mode = 0;
    CHECK(setenv("HXB_SOCKET", "/nowhere/at/all", 1) == 0);
    EXPECT(-FI_ENODATA, fi_getinfo(API, NULL, NULL, 0, hints, &info));
    fi_freeinfo(hints);
}

/* ---- Calls ---- */

#define NONE(call) EXPECT(-FI_ENOSYS, call)

static void refuse_of_endpoint(void) {
    void *ops;
    size_t length = 0;
    struct fid_ep *other;
    struct fid_mc *group;
    NONE(fi_open_ops(&here.ep->fid, "some", 0, &ops, NULL));
    NONE(fi_set_ops(&here.ep->fid, "some", 0, NULL, NULL));
    NONE(fi_setname(&here.ep->fid, here.name, here.name_length));
    NONE(fi_getpeer(here.ep, NULL, &length));
    NONE(fi_connect(here.ep, there.name, NULL, 0));
    NONE(fi_accept(here.ep, NULL, 0));
    NONE(fi_shutdown(here.ep, 0));
    NONE(fi_join(here.ep, there.name, 0, &group, NULL));
    NONE(fi_tx_context(here.ep, 0, NULL, &other, NULL));
    NONE(fi_rx_context(here.ep, 0, NULL, &other, NULL));
    CHECK(fi_ep_alias(here.ep, &other, 0) < 0);
    /* Flags of all later calls. */
    uint64_t flags = FI_TRANSMIT;
    EXPECT(0, fi_control(&here.ep->fid, FI_GETOPSFLAG, &flags));
    EXPECT(here.info->tx_attr->op_flags, flags);
    flags = FI_TRANSMIT | FI_DELIVERY_COMPLETE;
    EXPECT(0, fi_control(&here.ep->fid, FI_SETOPSFLAG, &flags));
    EXPECT(0, fi_send(here.ep, &flags, sizeof flags, NULL, here.peer, &flags));
    expect_nothing(here.tx);
    EXPECT(0, fi_recv(there.ep, &length, sizeof length, NULL, there.peer, &length));
    take_of(here.tx, &flags);
    flags = FI_TRANSMIT | FI_RECV;
    CHECK(fi_control(&here.ep->fid, FI_GETOPSFLAG, &flags) < 0);
    /* A flag that is not done is not passed over. */
    struct fi_msg msg = {.addr = here.peer};
    EXPECT(-FI_EINVAL, fi_sendmsg(here.ep, &msg, FI_FENCE));
    EXPECT(-FI_EINVAL, fi_sendmsg(here.ep, &msg, FI_MULTICAST));
    EXPECT(-FI_EINVAL, fi_recvmsg(here.ep, &msg, FI_TRIGGER));
}

static void refuse_of_domain(void) {
    void *ops;
    struct fid_ep *ep;
    struct fid_stx *stx;
    struct fid_poll *set;
    struct fid_wait *wait;
    struct fid_pep *passive;
    struct fid_cq *cq;
    struct fid_cntr *cntr;
    struct fid_av *av;
    NONE(fi_open_ops(&here.domain->fid, "some", 0, &ops, NULL));
    NONE(fi_open_ops(&here.fabric->fid, "some", 0, &ops, NULL));
    NONE(fi_open_ops(&here.tx->fid, "some", 0, &ops, NULL));
    NONE(fi_open_ops(&here.av->fid, "some", 0, &ops, NULL));
    NONE(fi_scalable_ep(here.domain, here.info, &ep, NULL));
    NONE(fi_stx_context(here.domain, NULL, &stx, NULL));
    NONE(fi_srx_context(here.domain, NULL, &ep, NULL));
    NONE(fi_poll_open(here.domain, NULL, &set));
    NONE(fi_wait_open(here.fabric, NULL, &wait));
    NONE(fi_passive_ep(here.fabric, here.info, &passive, NULL));
    struct fi_cq_attr cq_attr = {.wait_obj = FI_WAIT_MUTEX_COND};
    NONE(fi_cq_open(here.domain, &cq_attr, &cq, NULL));
    cq_attr = (struct fi_cq_attr){.format = (enum fi_cq_format)99};
    EXPECT(-FI_EINVAL, fi_cq_open(here.domain, &cq_attr, &cq, NULL));
    struct fi_cntr_attr cntr_attr = {.wait_obj = FI_WAIT_FD};
    NONE(fi_cntr_open(here.domain, &cntr_attr, &cntr, NULL));
    struct fi_av_attr av_attr = {.name = "shared"};
    NONE(fi_av_open(here.domain, &av_attr, &av, NULL));
    struct fi_ep_attr ep_attr = *here.info->ep_attr;
    struct fi_info info = *here.info;
    ep_attr.type = FI_EP_MSG;
    info.ep_attr = &ep_attr;
    EXPECT(-FI_EINVAL, fi_endpoint(here.domain, &info, &ep, NULL));
}

static void use_event_queue(void) {
    struct fi_eq_attr attr = {.wait_obj = FI_WAIT_UNSPEC};
    struct fid_eq *eq;
    struct fi_eq_err_entry error = {0};
    uint8_t bytes[64];
    uint32_t event;
    struct fid_ep *ep;
    EXPECT(0, fi_eq_open(here.fabric, &attr, &eq, NULL));
    EXPECT(0, fi_endpoint(here.domain, here.info, &ep, NULL));
    EXPECT(0, fi_ep_bind(ep, &eq->fid, 0));
    EXPECT(-FI_EINVAL, fi_ep_bind(ep, &eq->fid, 0));
    EXPECT(-FI_EAGAIN, fi_eq_read(eq, &event, bytes, sizeof bytes, 0));
    EXPECT(-FI_EAGAIN, fi_eq_readerr(eq, &error, 0));
    int64_t start = now_ns();
    EXPECT(-FI_EAGAIN, fi_eq_sread(eq, &event, bytes, sizeof bytes, 20, 0));
    CHECK(now_ns() - start >= 20 * INT64_C(1000000));
    CHECK(fi_eq_strerror(eq, FI_EIO, NULL, NULL, 0) != NULL);
    EXPECT(-FI_ENOSYS, fi_eq_write(eq, FI_NOTIFY, bytes, sizeof bytes, 0));
    EXPECT(-FI_EBUSY, fi_close(&eq->fid));
    EXPECT(0, fi_close(&ep->fid));
    EXPECT(0, fi_close(&eq->fid));
}

/* An endpoint of a source address has the context that this names, until it is closed. */
static void open_at_source(void) {
    uint8_t name[64];
    size_t length = sizeof name;
    struct fid_ep *ep, *other;
    struct fi_info *hints = hints_of(&(struct options){0}), *info;
    CHECK(setenv("HXB_SOCKET", sockets[0], 1) == 0);
    EXPECT(0, fi_getinfo(API, "hxb://0/3/0", NULL, FI_SOURCE, hints, &info));
    EXPECT(0, fi_endpoint(here.domain, info, &ep, NULL));
    EXPECT(0, fi_getname(&ep->fid, name, &length));
    CHECK(memcmp(name, info->src_addr, 12) == 0); /* all but the incarnation */
    EXPECT(-FI_EBUSY, fi_endpoint(here.domain, info, &other, NULL));
    EXPECT(0, fi_close(&ep->fid));
    fi_freeinfo(info);
    fi_freeinfo(hints);
}

static void bind_twice(void) {
    struct fid_ep *ep;
    struct fid_cntr *cntrs[2];
    EXPECT(0, fi_endpoint(here.domain, here.info, &ep, NULL));
    for (int i = 0; i < 2; i++) {
        EXPECT(0, fi_cntr_open(here.domain, NULL, &cntrs[i], NULL));
    }
    EXPECT(0, fi_ep_bind(ep, &cntrs[0]->fid, FI_SEND | FI_WRITE));
    EXPECT(-FI_EINVAL, fi_ep_bind(ep, &cntrs[1]->fid, FI_WRITE | FI_READ));
    EXPECT(0, fi_ep_bind(ep, &cntrs[1]->fid, FI_READ));
    EXPECT(-FI_EINVAL, fi_ep_bind(ep, &cntrs[1]->fid, 0));
    EXPECT(-FI_EINVAL, fi_ep_bind(ep, &here.domain->fid, 0));
    EXPECT(0, fi_close(&ep->fid));
    EXPECT(0, fi_close(&cntrs[0]->fid));
    EXPECT(0, fi_close(&cntrs[1]->fid));
}

void calls(char **arguments) {
    (void)arguments;
    open_pair(&(struct options){0});
    refuse_of_endpoint();
    refuse_of_domain();
    use_event_queue();
    bind_twice();
    open_at_source();
    close_pair();
}
