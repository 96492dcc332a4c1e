/* The capabilities of the provider, as fi_getinfo(3) states them, and fabrics. */
#include "libfabric/calls/calls.h"

#include <stdio.h>
#include <stdlib.h>

#define ORDER (FI_ORDER_SAS | FI_ORDER_RAW | FI_ORDER_WAW | FI_ORDER_RMA_RAW | FI_ORDER_RMA_WAW | FI_ORDER_ATOMIC_RAR \
               | FI_ORDER_ATOMIC_RAW | FI_ORDER_ATOMIC_WAR | FI_ORDER_ATOMIC_WAW)
#define SEND_OP_FLAGS (FI_COMPLETION | FI_INJECT | FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE)
#define RECEIVE_OP_FLAGS (FI_COMPLETION | FI_MULTI_RECV)
#define ALL_MODES UINT64_MAX

/* Capabilities that one direction alone has, and those of domains. */
#define SEND_CAPS (FI_SEND | FI_READ | FI_WRITE)
#define RECEIVE_CAPS (FI_RECV | FI_DIRECTED_RECV | FI_SOURCE | FI_MULTI_RECV | FI_REMOTE_READ | FI_REMOTE_WRITE)
#define DOMAIN_CAPS (FI_LOCAL_COMM | FI_REMOTE_COMM)

enum { QUEUE_SIZE = 1024, OBJECTS = 256, REGISTRATIONS = 65536, PROTOCOL_VERSION = 2 };

/* ---- Capabilities ---- */

static bool has_all(uint64_t wanted, uint64_t present) {
    return (wanted & ~present) == 0;
}

static bool supports_tx(const struct fi_tx_attr *wanted, size_t inject) {
    return wanted == NULL
           || (has_all(wanted->caps, ALL_CAPS) && has_all(wanted->op_flags, SEND_OP_FLAGS)
               && has_all(wanted->msg_order, ORDER) && has_all(wanted->comp_order, ORDER_NONE)
               && wanted->inject_size <= inject && wanted->size <= QUEUE_SIZE && wanted->iov_limit <= IOV_LIMIT
               && wanted->rma_iov_limit <= 1);
}

static bool supports_rx(const struct fi_rx_attr *wanted) {
    return wanted == NULL
           || (has_all(wanted->caps, ALL_CAPS) && has_all(wanted->op_flags, RECEIVE_OP_FLAGS)
               && has_all(wanted->msg_order, ORDER) && has_all(wanted->comp_order, ORDER_NONE)
               && wanted->total_buffered_recv == 0 && wanted->size <= QUEUE_SIZE && wanted->iov_limit <= IOV_LIMIT);
}

static bool supports_endpoint(const struct fi_ep_attr *wanted, size_t inject) {
    return wanted == NULL
           || ((wanted->type == FI_EP_UNSPEC || wanted->type == FI_EP_RDM) && wanted->max_msg_size <= MAX_MESSAGE
               && (wanted->protocol == FI_PROTO_UNSPEC || wanted->protocol == ADDRESS_FORMAT)
               && wanted->protocol_version <= PROTOCOL_VERSION && wanted->max_order_raw_size <= inject
               && wanted->max_order_war_size <= inject && wanted->max_order_waw_size <= inject
               && wanted->tx_ctx_cnt <= 1 && wanted->rx_ctx_cnt <= 1 && wanted->auth_key_size == 0);
}

static bool supports_domain(const struct fi_domain_attr *wanted, const char *name) {
    return wanted == NULL
           || ((wanted->name == NULL || strcmp(wanted->name, name) == 0) && wanted->cq_data_size <= 8
               && has_all(wanted->caps, DOMAIN_CAPS) && wanted->max_ep_tx_ctx <= 1
               && wanted->max_ep_rx_ctx <= 1 && wanted->max_ep_stx_ctx == 0 && wanted->max_ep_srx_ctx == 0
               && wanted->auth_key_size == 0 && wanted->mr_key_size <= 8 && wanted->mr_iov_limit <= 1
               && wanted->max_err_data == 0 && wanted->cq_cnt <= OBJECTS && wanted->ep_cnt <= OBJECTS
               && wanted->tx_ctx_cnt <= OBJECTS && wanted->rx_ctx_cnt <= OBJECTS && wanted->cntr_cnt <= OBJECTS
               && wanted->mr_cnt <= REGISTRATIONS);
}

static bool supports(const struct fi_info *wanted, const char *fabric, const char *domain, size_t inject) {
    return wanted == NULL
           || (has_all(wanted->caps, ALL_CAPS) && wanted->handle == NULL
               && (wanted->addr_format == FI_FORMAT_UNSPEC || wanted->addr_format == ADDRESS_FORMAT)
               && (wanted->fabric_attr == NULL || wanted->fabric_attr->name == NULL
                   || strcmp(wanted->fabric_attr->name, fabric) == 0)
               && supports_endpoint(wanted->ep_attr, inject) && supports_domain(wanted->domain_attr, domain)
               && supports_tx(wanted->tx_attr, inject) && supports_rx(wanted->rx_attr));
}

/* Capabilities that were asked for, and all if none were. A program that names neither direction gets both. */
static uint64_t caps_for(const struct fi_info *wanted) {
    uint64_t caps = wanted == NULL || wanted->caps == 0 ? ALL_CAPS : wanted->caps;
    if ((caps & (FI_MSG | FI_TAGGED)) != 0 && (caps & (FI_SEND | FI_RECV)) == 0) {
        caps |= FI_SEND | FI_RECV;
    }
    if ((caps & (FI_RMA | FI_ATOMIC)) != 0 && (caps & (FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE)) == 0) {
        caps |= FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
    }
    return caps | DOMAIN_CAPS;
}

/* Programs choose whether peers give addresses, and who chooses keys; nothing else matters to them. The two modes of
 * before libfabric 1.5 are answered as such. */
static int mr_mode_for(const struct fi_domain_attr *wanted, uint32_t version) {
    int mode = wanted == NULL ? MR_UNSPEC : wanted->mr_mode;
    if ((mode & MR_BASIC) != 0) {
        return MR_BASIC;
    }
    if ((mode & MR_SCALABLE) != 0 || FI_VERSION_LT(version, FI_VERSION(1, 5))) {
        return MR_SCALABLE;
    }
    return mode & (FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | FI_MR_ALLOCATED);
}

static void describe(struct fi_info *info, const struct fi_info *wanted, size_t inject, uint32_t version) {
    info->caps = caps_for(wanted);
    info->addr_format = ADDRESS_FORMAT;
    *info->tx_attr = (struct fi_tx_attr){.caps = info->caps & ~(RECEIVE_CAPS | DOMAIN_CAPS),
                                         .op_flags = wanted != NULL && wanted->tx_attr != NULL
                                                         ? wanted->tx_attr->op_flags
                                                         : FI_INJECT_COMPLETE,
                                         .msg_order = ORDER,
                                         .comp_order = ORDER_NONE,
                                         .inject_size = inject,
                                         .size = QUEUE_SIZE,
                                         .iov_limit = IOV_LIMIT,
                                         .rma_iov_limit = 1};
    *info->rx_attr = (struct fi_rx_attr){.caps = info->caps & ~(SEND_CAPS | DOMAIN_CAPS),
                                         .op_flags = wanted != NULL && wanted->rx_attr != NULL
                                                         ? wanted->rx_attr->op_flags
                                                         : 0,
                                         .msg_order = ORDER,
                                         .comp_order = ORDER_NONE,
                                         .total_buffered_recv = 0,
                                         .size = QUEUE_SIZE,
                                         .iov_limit = IOV_LIMIT};
    *info->ep_attr = (struct fi_ep_attr){.type = FI_EP_RDM,
                                         .protocol = ADDRESS_FORMAT,
                                         .protocol_version = PROTOCOL_VERSION,
                                         .max_msg_size = MAX_MESSAGE,
                                         .max_order_raw_size = inject,
                                         .max_order_war_size = inject,
                                         .max_order_waw_size = inject,
                                         .mem_tag_format = UINT64_MAX >> 1,
                                         .tx_ctx_cnt = 1,
                                         .rx_ctx_cnt = 1};
    const struct fi_domain_attr *domain = wanted == NULL ? NULL : wanted->domain_attr;
    char *name = info->domain_attr->name;
    *info->domain_attr = (struct fi_domain_attr){
        .name = name,
        .threading = domain == NULL || domain->threading == FI_THREAD_UNSPEC ? FI_THREAD_SAFE : domain->threading,
        .control_progress = domain == NULL || domain->control_progress == FI_PROGRESS_UNSPEC
                                ? FI_PROGRESS_MANUAL
                                : domain->control_progress,
        .data_progress = domain == NULL || domain->data_progress == FI_PROGRESS_UNSPEC ? FI_PROGRESS_MANUAL
                                                                                        : domain->data_progress,
        .resource_mgmt = FI_RM_ENABLED,
        .av_type = domain == NULL || domain->av_type == FI_AV_UNSPEC ? FI_AV_TABLE : domain->av_type,
        .mr_mode = mr_mode_for(domain, version),
        .mr_key_size = 8,
        .cq_data_size = 8,
        .cq_cnt = OBJECTS,
        .ep_cnt = OBJECTS,
        .tx_ctx_cnt = OBJECTS,
        .rx_ctx_cnt = OBJECTS,
        .max_ep_tx_ctx = 1,
        .max_ep_rx_ctx = 1,
        .cntr_cnt = OBJECTS,
        .mr_iov_limit = 1,
        .mr_cnt = REGISTRATIONS,
        .caps = DOMAIN_CAPS};
}

/* "hxb://NODE/CONTEXT/INCARNATION", as fi_av_straddr writes it. */
static bool read_address(const char *text, struct address *address) {
    *address = (struct address){.magic = ADDRESS_MAGIC};
    char rest;
    return sscanf(text, "hxb://%d/%d/%x%c", &address->node, &address->context, &address->incarnation, &rest) == 3;
}

static bool is_address(const hxb_device *device, const struct address *address) {
    return address->magic == ADDRESS_MAGIC && address->node >= 0 && address->node < hxb_node_count(device)
           && address->context >= 0 && address->context < hxb_context_count(device);
}

/* The address that a text names, or otherwise the one of the hints. */
static bool find_address(const char *text, const void *hint, size_t hint_length, struct address *address) {
    if (text != NULL) {
        return read_address(text, address);
    }
    if (hint_length != sizeof *address) {
        return false;
    }
    memcpy(address, hint, sizeof *address);
    return true;
}

static int add_address(const struct address *address, void **to, size_t *to_length) {
    *to = malloc(sizeof *address);
    if (*to == NULL) {
        return -FI_ENOMEM;
    }
    memcpy(*to, address, sizeof *address);
    *to_length = sizeof *address;
    return 0;
}

static int add_destination(struct fi_info *info, const struct fi_info *wanted, const hxb_device *device,
                           const char *node) {
    struct address address;
    const void *hint = wanted == NULL ? NULL : wanted->dest_addr;
    if (node == NULL && hint == NULL) {
        return 0;
    }
    return find_address(node, hint, hint == NULL ? 0 : wanted->dest_addrlen, &address) && is_address(device, &address)
               ? add_address(&address, &info->dest_addr, &info->dest_addrlen)
               : -FI_ENODATA;
}

/* The context that an endpoint opens: any of this node, if none was asked for. */
static int add_source(struct fi_info *info, const struct fi_info *wanted, const hxb_device *device, const char *node) {
    struct address address = {.magic = ADDRESS_MAGIC, .node = hxb_node_id(device), .context = ANY_CONTEXT};
    const struct address any = address;
    const void *hint = wanted == NULL ? NULL : wanted->src_addr;
    if (node != NULL || hint != NULL) {
        if (!find_address(node, hint, hint == NULL ? 0 : wanted->src_addrlen, &address) || address.node != any.node
            || (!is_address(device, &address) && memcmp(&address, &any, sizeof any) != 0)) {
            return -FI_ENODATA;
        }
    }
    return add_address(&address, &info->src_addr, &info->src_addrlen);
}

static int fill(struct fi_info *info, const struct fi_info *wanted, const hxb_device *device, const char *node,
                uint64_t flags, uint32_t version) {
    char fabric[64], domain[32];
    size_t inject = (size_t)hxb_mtu(device) - MAX_HEADER;
    snprintf(fabric, sizeof fabric, "hxb %s", hxb_shape(device));
    snprintf(domain, sizeof domain, "node %d", hxb_node_id(device));
    if (!supports(wanted, fabric, domain, inject)) {
        return -FI_ENODATA;
    }
    info->fabric_attr->name = strdup(fabric);
    info->domain_attr->name = strdup(domain);
    /* libfabric adds the provider's name to one that is there already. */
    if (info->fabric_attr->name == NULL || info->domain_attr->name == NULL) {
        return -FI_ENOMEM;
    }
    info->fabric_attr->prov_version = VERSION;
    describe(info, wanted, inject, version);
    bool is_source = (flags & FI_SOURCE) != 0;
    int error = add_destination(info, wanted, device, is_source ? NULL : node);
    return error != 0 ? error : add_source(info, wanted, device, is_source ? node : NULL);
}

/* Returns nothing where no node can be attached to: otherwise programs would choose what they cannot open. */
static int getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
                   const struct fi_info *wanted, struct fi_info **result) {
    (void)service;
    hxb_device *device;
    int attached = hxb_attach(NULL, &device);
    if (attached != HXB_OK) {
        FI_INFO(&hxb_provider, FI_LOG_CORE, "no node here: %s: %s\n", hxb_strerror(attached), hxb_last_error());
        return -FI_ENODATA;
    }
    struct fi_info *info = fi_allocinfo();
    int error = info == NULL ? -FI_ENOMEM : fill(info, wanted, device, node, flags, version);
    hxb_detach(device);
    if (error != 0) {
        fi_freeinfo(info);
        return error;
    }
    *result = info;
    return 0;
}

/* ---- Fabrics ---- */

static int fabric_close(struct fid *fid) {
    struct fabric *fabric = OWNER(fid, struct fabric, fid.fid);
    if (__atomic_load_n(&fabric->users, __ATOMIC_ACQUIRE) > 0) {
        return -FI_EBUSY;
    }
    free(fabric);
    return 0;
}

static int no_passive_ep(struct fid_fabric *fabric, struct fi_info *info, struct fid_pep **ep, void *context) {
    (void)fabric, (void)info, (void)ep, (void)context;
    return -FI_ENOSYS;
}

static int no_wait(struct fid_fabric *fabric, struct fi_wait_attr *attr, struct fid_wait **set) {
    (void)fabric, (void)attr, (void)set;
    return -FI_ENOSYS;
}

static int open_fabric(struct fi_fabric_attr *attr, struct fid_fabric **result, void *context) {
    static struct fi_ops fid_ops = {.size = sizeof fid_ops, .close = fabric_close, .ops_open = no_ops_open};
    static struct fi_ops_fabric ops = {.size = sizeof ops,
                                       .domain = hxb_domain_open,
                                       .passive_ep = no_passive_ep,
                                       .eq_open = hxb_eq_open,
                                       .wait_open = no_wait,
                                       .trywait = hxb_trywait};
    struct fabric *fabric = calloc(1, sizeof *fabric);
    if (fabric == NULL) {
        return -FI_ENOMEM;
    }
    fabric->fid.fid = (struct fid){.fclass = FI_CLASS_FABRIC, .context = context, .ops = &fid_ops};
    fabric->fid.ops = &ops;
    fabric->api_version = attr->api_version;
    *result = &fabric->fid;
    return 0;
}

static void cleanup(void) {}

__attribute__((visibility("default"))) struct fi_provider *fi_prov_ini(void) {
    if (FI_VERSION_LT(fi_version(), HEADER_VERSION)) {
        WARN("compiled for a later libfabric: compile it again\n");
        return NULL;
    }
    hxb_provider.getinfo = getinfo;
    hxb_provider.fabric = open_fabric;
    hxb_provider.cleanup = cleanup;
    fi_param_define(&hxb_provider, "unexpected_limit", FI_PARAM_SIZE_T,
                    "bytes of unexpected messages that an endpoint keeps; 64 times as many while a receive waits "
                    "(default: 64 MiB)");
    fi_param_define(&hxb_provider, "idle", FI_PARAM_STRING,
                    "behaviour of a program that polls and finds no completion: spin, yield its CPU, sleep for up to "
                    "a millisecond, or auto, which chooses one of these (default: auto)");
    return &hxb_provider;
}
