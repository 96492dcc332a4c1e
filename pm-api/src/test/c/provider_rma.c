/* Remote memory: writes, reads, keys and access, and what is refused. */
#include "provider.h"

enum { REGION = 4 << 20, KEY = 4711 };

/* Memory of the other end, as a peer names it. */
struct region {
    struct fid_mr *mr;
    uint8_t *bytes;
    uint64_t key, base;
};

static bool has_addresses(void) {
    return (there.info->domain_attr->mr_mode & (MR_BASIC | FI_MR_VIRT_ADDR)) != 0;
}

static bool has_own_keys(void) {
    return (there.info->domain_attr->mr_mode & (MR_BASIC | FI_MR_PROV_KEY)) == 0;
}

static struct region share(size_t length, uint64_t access, uint64_t key) {
    struct region region = {.bytes = buffer_of(length)};
    EXPECT(0, fi_mr_reg(there.domain, region.bytes, length, access, 0, key, 0, &region.mr, NULL));
    region.key = fi_mr_key(region.mr);
    region.base = has_addresses() ? (uintptr_t)region.bytes : 0;
    CHECK(region.key != FI_KEY_NOTAVAIL && (!has_own_keys() || region.key == key));
    return region;
}

static void end_region(struct region *region) {
    EXPECT(0, fi_close(&region->mr->fid));
    free(region->bytes);
}

/* ---- What arrives ---- */

static void write_and_read(const struct region *region, size_t length) {
    const uint64_t at = 77, data = 0x1122334455667788;
    uint8_t *from = buffer_of(length), *to = buffer_of(length);
    struct iovec out[3] = {{from, length / 2}, {NULL, 0}, {from + length / 2, length - length / 2}};
    struct iovec in[3] = {{to, length / 3}, {NULL, 0}, {to + length / 3, length - length / 3}};
    for (uint64_t way = 0; way < 3; way++) {
        fill(from, length, way);
        if (way == 0) {
            EXPECT(0, fi_write(here.ep, from, length, NULL, here.peer, region->base + at, region->key, from));
        } else if (way == 1) {
            EXPECT(0, fi_writev(here.ep, out, NULL, 3, here.peer, region->base + at, region->key, from));
        } else {
            EXPECT(0, fi_writedata(here.ep, from, length, NULL, data, here.peer, region->base + at, region->key,
                                   from));
        }
        EXPECT(FI_RMA | FI_WRITE, take_of(here.tx, from).flags);
        EXPECT_BYTES(region->bytes + at, length, way);
        if (way == 2) {
            struct fi_cq_tagged_entry entry = take(there.rx);
            EXPECT(FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA, entry.flags);
            EXPECT(data, entry.data);
            EXPECT(length, entry.len);
        }
        memset(to, 0, length);
        if (way == 0) {
            EXPECT(0, fi_read(here.ep, to, length, NULL, here.peer, region->base + at, region->key, to));
        } else if (way == 1) {
            EXPECT(0, fi_readv(here.ep, in, NULL, 3, here.peer, region->base + at, region->key, to));
        } else {
            struct fi_rma_iov range = {region->base + at, length, region->key};
            struct fi_msg_rma msg = {.msg_iov = in, .iov_count = 3, .addr = here.peer, .rma_iov = &range,
                                     .rma_iov_count = 1, .context = to};
            EXPECT(0, fi_readmsg(here.ep, &msg, FI_COMPLETION));
        }
        EXPECT(FI_RMA | FI_READ, take_of(here.tx, to).flags);
        EXPECT_BYTES(to, length, way);
        check_margin(to, length, length);
        memset(region->bytes + at, 0xA5, length);
    }
    check_margin(region->bytes, 0, REGION);
    expect_nothing(there.rx);
    free(from);
    free(to);
}

static void write_by_copy(const struct region *region) {
    const size_t lengths[] = {0, 1, 100, here.inject};
    uint8_t *from = buffer_of(here.inject + 1);
    for (size_t i = 0; i < 4; i++) {
        uint64_t before = fi_cntr_read(here.cntrs[CNTR_WRITE]);
        uint64_t there_before = fi_cntr_read(there.cntrs[CNTR_REMOTE_WRITE]);
        struct iovec iov = {from, lengths[i]};
        struct fi_rma_iov range = {region->base, lengths[i], region->key};
        struct fi_msg_rma msg = {.msg_iov = &iov, .iov_count = 1, .addr = here.peer, .rma_iov = &range,
                                 .rma_iov_count = 1, .context = &iov, .data = 9};
        fill(from, lengths[i], i);
        EXPECT(0, fi_inject_write(here.ep, from, lengths[i], here.peer, region->base, region->key));
        range.addr += 1 << 20;
        EXPECT(0, fi_writemsg(here.ep, &msg, FI_INJECT | FI_REMOTE_CQ_DATA));
        EXPECT(0, fi_inject_writedata(here.ep, from, lengths[i], 10, here.peer, region->base + (2 << 20), region->key));
        memset(from, 0, lengths[i]);
        AWAIT(fi_cntr_read(here.cntrs[CNTR_WRITE]) == before + 3);
        EXPECT(there_before + 3, fi_cntr_read(there.cntrs[CNTR_REMOTE_WRITE]));
        for (size_t j = 0; j < 3; j++) {
            EXPECT_BYTES(region->bytes + (j << 20), lengths[i], i);
        }
        take_of(here.tx, &iov);
        EXPECT(9, take(there.rx).data);
        EXPECT(10, take(there.rx).data);
    }
    expect_nothing(here.tx);
    EXPECT(-FI_EMSGSIZE, fi_inject_write(here.ep, from, here.inject + 100, here.peer, region->base, region->key));
    free(from);
}

/* In the order of the calls, up to the size that the attributes promise. */
static void keep_order(const struct region *region) {
    const struct fi_ep_attr *attr = here.info->ep_attr;
    CHECK((here.info->tx_attr->msg_order & (FI_ORDER_WAW | FI_ORDER_RAW)) == (FI_ORDER_WAW | FI_ORDER_RAW));
    size_t length = attr->max_order_waw_size < attr->max_order_raw_size ? attr->max_order_waw_size
                                                                        : attr->max_order_raw_size;
    CHECK(length >= 8);
    uint8_t *from[20], *to[20];
    for (uint64_t i = 0; i < 20; i++) {
        from[i] = buffer_of(length);
        to[i] = buffer_of(length);
        fill(from[i], length, i);
        POST(fi_write(here.ep, from[i], length, NULL, here.peer, region->base, region->key, from[i]));
        POST(fi_read(here.ep, to[i], length, NULL, here.peer, region->base, region->key, to[i]));
    }
    for (int i = 0; i < 40; i++) {
        take(here.tx);
    }
    for (uint64_t i = 0; i < 20; i++) {
        EXPECT_BYTES(to[i], length, i);
        free(from[i]);
        free(to[i]);
    }
    EXPECT_BYTES(region->bytes, length, 19);
}

/* Many at once, between both ends of the region, so that none is in the way of another. */
static void overlap(const struct region *region) {
    enum { COUNT = 40, SHARE = REGION / COUNT };
    static uint8_t from[COUNT][SHARE], to[COUNT][SHARE];
    uint64_t state = 5;
    size_t length[COUNT];
    for (uint64_t round = 0; round < 3; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            length[i] = next_random(&state) % SHARE;
            fill(from[i], length[i], round + i);
            POST(fi_write(here.ep, from[i], length[i], NULL, here.peer, region->base + i * SHARE, region->key,
                          from[i]));
        }
        for (int i = 0; i < COUNT; i++) {
            take(here.tx);
        }
        for (size_t i = 0; i < COUNT; i++) {
            POST(fi_read(here.ep, to[i], length[i], NULL, here.peer, region->base + i * SHARE, region->key, to[i]));
        }
        for (int i = 0; i < COUNT; i++) {
            take(here.tx);
        }
        for (size_t i = 0; i < COUNT; i++) {
            EXPECT_BYTES(to[i], length[i], round + i);
        }
    }
}

/* ---- What is refused ---- */

static int error_of_write(uint64_t address, uint64_t key, size_t length) {
    uint8_t *from = calloc(1, length + 1);
    EXPECT(0, fi_write(here.ep, from, length, NULL, here.peer, address, key, from));
    struct fi_cq_err_entry error = take_error(here.tx);
    CHECK(error.op_context == from);
    EXPECT(FI_RMA | FI_WRITE, error.flags);
    free(from);
    return error.err;
}

static int error_of_read(uint64_t address, uint64_t key, size_t length) {
    uint8_t *to = buffer_of(length);
    EXPECT(0, fi_read(here.ep, to, length, NULL, here.peer, address, key, to));
    struct fi_cq_err_entry error = take_error(here.tx);
    CHECK(error.op_context == to);
    EXPECT(FI_RMA | FI_READ, error.flags);
    check_margin(to, 0, length);
    free(to);
    return error.err;
}

static void refuse(void) {
    struct region region = share(100000, FI_REMOTE_READ | FI_REMOTE_WRITE, KEY + 1);
    struct region source = share(100000, FI_REMOTE_READ, KEY + 2), target = share(100000, FI_REMOTE_WRITE, KEY + 3);
    const size_t lengths[] = {1, 8, 5000, 99999};
    for (size_t i = 0; i < 4; i++) {
        size_t length = lengths[i];
        EXPECT(FI_ENOKEY, error_of_write(region.base, region.key ^ 0x5555, length));
        EXPECT(FI_ENOKEY, error_of_read(region.base, region.key ^ 0x5555, length));
        EXPECT(FI_EINVAL, error_of_write(region.base + 100001 - length, region.key, length));
        EXPECT(FI_EINVAL, error_of_read(region.base + 100001 - length, region.key, length));
        EXPECT(FI_EINVAL, error_of_write(region.base - 1, region.key, length));
        EXPECT(FI_EINVAL, error_of_read(region.base - 1, region.key, length));
        EXPECT(FI_EACCES, error_of_write(source.base, source.key, length));
        EXPECT(FI_EACCES, error_of_read(target.base, target.key, length));
    }
    check_margin(region.bytes, 0, 100000);
    check_margin(source.bytes, 0, 100000);
    check_margin(target.bytes, 0, 100000);
    /* It goes on working. */
    uint8_t one = 1;
    EXPECT(0, fi_write(here.ep, &one, 1, NULL, here.peer, region.base + 99999, region.key, &one));
    take_of(here.tx, &one);
    EXPECT(1, region.bytes[99999]);
    if (has_own_keys()) {
        struct fid_mr *mr;
        EXPECT(-FI_ENOKEY, fi_mr_reg(there.domain, &one, 1, FI_REMOTE_READ, 0, KEY + 1, 0, &mr, NULL));
    }
    struct fid_mr *mr;
    CHECK(fi_mr_reg(there.domain, &one, 1, UINT64_C(1) << 63, 0, KEY + 9, 0, &mr, NULL) < 0);
    EXPECT(-FI_EINVAL, fi_write(here.ep, &one, 1, NULL, 4711, region.base, region.key, &one));
    uint64_t key = region.key, base = region.base;
    end_region(&region);
    EXPECT(FI_ENOKEY, error_of_write(base, key, 8));
    end_region(&source);
    end_region(&target);
}

/* Memory is given up while peers use it: nothing touches it afterwards, and they get an error. */
static void close_amid(bool is_read) {
    struct region region = share(REGION, FI_REMOTE_READ | FI_REMOTE_WRITE, KEY + 5);
    uint8_t *local = calloc(1, REGION);
    int failed = 0;
    for (int i = 0; i < 6; i++) {
        EXPECT(0, is_read ? fi_read(here.ep, local, REGION, NULL, here.peer, region.base, region.key, local)
                          : fi_write(here.ep, local, REGION, NULL, here.peer, region.base, region.key, local));
    }
    AWAIT(is_read ? local[0] != 0 : region.bytes[0] == 0);
    end_region(&region);
    for (int ended = 0; ended < 6; ended++) {
        struct fi_cq_tagged_entry entry;
        ssize_t read;
        AWAIT((read = fi_cq_read(here.tx, &entry, 1)) != -FI_EAGAIN);
        if (read == -FI_EAVAIL) {
            EXPECT(FI_ENOKEY, take_error(here.tx).err);
            failed++;
        }
    }
    CHECK(failed > 0);
    expect_nothing(here.tx);
    free(local);
}

/* Of the endpoint's own memory, and that of another endpoint of its node. */
static void use_own(void) {
    uint8_t *bytes = buffer_of(100000), *to = buffer_of(100000);
    struct fid_mr *mr;
    EXPECT(0, fi_mr_reg(here.domain, bytes, 100000, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, KEY, 0, &mr, NULL));
    fi_addr_t self = insert(&here, &here);
    fill(bytes, 100000, 3);
    uint64_t base = has_addresses() ? (uintptr_t)bytes : 0;
    EXPECT(0, fi_read(here.ep, to, 100000, NULL, self, base, fi_mr_key(mr), to));
    take_of(here.tx, to);
    EXPECT_BYTES(to, 100000, 3);
    EXPECT(0, fi_close(&mr->fid));
    free(bytes);
    free(to);
}

void remote(char **arguments) {
    (void)arguments;
    const int modes[] = {0, MR_SCALABLE, MR_BASIC, FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY,
                         FI_MR_VIRT_ADDR, FI_MR_PROV_KEY};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        open_pair(&(struct options){.mr_mode = modes[i], .has_cntrs = true});
        EXPECT(modes[i], here.info->domain_attr->mr_mode);
        struct region region = share(REGION, FI_REMOTE_READ | FI_REMOTE_WRITE, KEY);
        const size_t lengths[] = {0,           1,           here.inject - 1, here.inject, here.inject + 1,
                                  here.inject * 2, (1 << 16) + 1, (3 << 20) + 5};
        for (size_t j = 0; j < 8; j++) {
            write_and_read(&region, lengths[j]);
        }
        EXPECT(24, fi_cntr_read(here.cntrs[CNTR_READ]));
        EXPECT(24, fi_cntr_read(here.cntrs[CNTR_WRITE]));
        EXPECT(24, fi_cntr_read(there.cntrs[CNTR_REMOTE_READ]));
        EXPECT(24, fi_cntr_read(there.cntrs[CNTR_REMOTE_WRITE]));
        EXPECT(0, fi_cntr_read(there.cntrs[CNTR_RECV]));
        write_by_copy(&region);
        keep_order(&region);
        overlap(&region);
        end_region(&region);
        refuse();
        close_amid(true);
        close_amid(false);
        use_own();
        close_pair();
    }
}
