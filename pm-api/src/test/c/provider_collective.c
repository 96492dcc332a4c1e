/* Groups of endpoints and their operations, as fi_collective(3), fi_av_set(3) and fi_eq(3) state them. Three members,
 * of which two are on the first node. */
#include "provider.h"

#include <rdma/fi_collective.h>

enum { MEMBERS = 3, BYTES = 4096, QUEUED = 20 };

struct member {
    struct side *side;
    struct fid_eq *eq;
    fi_addr_t ranks[MEMBERS]; /* addresses of all */
    struct fid_av_set *set;
    struct fid_mc *group;
};

static struct side third;
static struct member members[MEMBERS] = {{.side = &here}, {.side = &there}, {.side = &third}};

#define EACH(member) (struct member *member = members; member < members + MEMBERS; member++)

/* ---- Opening and closing ---- */

static struct fid_av_set *empty_set(const struct member *member) {
    struct fi_av_set_attr attr = {.start_addr = FI_ADDR_NOTAVAIL, .end_addr = FI_ADDR_NOTAVAIL};
    struct fid_av_set *set = NULL;
    EXPECT(0, fi_av_set(member->side->av, &attr, &set, NULL));
    return set;
}

static void open_members(const struct options *options) {
    open_side(&here, sockets[0], options);
    open_side(&there, sockets[1], options);
    open_side(&third, sockets[0], options);
    for EACH (member) {
        struct fi_eq_attr attr = {.wait_obj = FI_WAIT_UNSPEC};
        EXPECT(0, fi_eq_open(member->side->fabric, &attr, &member->eq, NULL));
        EXPECT(0, fi_ep_bind(member->side->ep, &member->eq->fid, 0));
        for (int rank = 0; rank < MEMBERS; rank++) {
            member->ranks[rank] = insert(member->side, members[rank].side);
        }
        member->set = empty_set(member);
        for (int rank = 0; rank < MEMBERS; rank++) {
            EXPECT(0, fi_av_set_insert(member->set, member->ranks[rank]));
        }
    }
}

static void close_members(void) {
    for EACH (member) {
        EXPECT(0, fi_close(&member->set->fid));
        close_endpoint(member->side);
        EXPECT(0, fi_close(&member->eq->fid));
        close_domain(member->side);
    }
}

static fi_addr_t address_of(struct fid_av_set *set) {
    fi_addr_t address = FI_ADDR_UNSPEC;
    EXPECT(0, fi_av_set_addr(set, &address));
    return address;
}

static struct fid_mc *start_join(struct member *member, struct fid_av_set *set) {
    struct fid_mc *group = NULL;
    EXPECT(0, fi_join_collective(member->side->ep, address_of(set), set, 0, &group, member));
    CHECK(group != NULL);
    return group;
}

static void await_join(const struct member *member, const struct fid_mc *group) {
    struct fi_eq_entry entry = {0};
    uint32_t event = 0;
    ssize_t read = -FI_EAGAIN;
    AWAIT((read = fi_eq_read(member->eq, &event, &entry, sizeof entry, 0)) != -FI_EAGAIN);
    EXPECT(sizeof entry, read);
    EXPECT(FI_JOIN_COMPLETE, event);
    CHECK(entry.fid == &group->fid && entry.context == member);
}

static void join_all(void) {
    for EACH (member) {
        member->group = start_join(member, member->set);
    }
    for EACH (member) {
        await_join(member, member->group);
    }
}

static void leave_all(void) {
    for EACH (member) {
        EXPECT(0, fi_close(&member->group->fid));
    }
}

static void take_all(const void *context) {
    for EACH (member) {
        struct fi_cq_tagged_entry entry = take_of(member->side->tx, context);
        EXPECT(FI_COLLECTIVE, entry.flags);
    }
}

#define OF(member) (member)->side->ep
#define GROUP(member) fi_mc_addr((member)->group)

/* ---- Sets and joining ---- */

static void expect_members(struct fid_av_set *set, size_t count, const char *what) {
    /* Members of a set cannot be inserted again. */
    struct member *member = &members[0];
    size_t found = 0;
    for (int rank = 0; rank < MEMBERS; rank++) {
        if (fi_av_set_insert(set, member->ranks[rank]) == 0) {
            EXPECT(0, fi_av_set_remove(set, member->ranks[rank]));
        } else {
            found++;
        }
    }
    if (found != count) {
        FAIL("%s has %zu members instead of %zu", what, found, count);
    }
}

static void make_sets(void) {
    struct member *member = &members[0];
    struct fid_av *av = member->side->av;
    struct fi_av_set_attr attr = {.flags = FI_UNIVERSE, .start_addr = FI_ADDR_NOTAVAIL, .end_addr = FI_ADDR_NOTAVAIL};
    struct fid_av_set *all, *some, *other;
    EXPECT(0, fi_av_set(av, &attr, &all, NULL));
    expect_members(all, 3, "all");
    attr = (struct fi_av_set_attr){.start_addr = 0, .end_addr = 2, .stride = 2, .count = 2};
    EXPECT(0, fi_av_set(av, &attr, &some, NULL));
    expect_members(some, 2, "every second");
    EXPECT(-FI_EINVAL, fi_av_set_insert(some, member->ranks[0]));
    EXPECT(-FI_EINVAL, fi_av_set_insert(some, 99));
    EXPECT(-FI_EINVAL, fi_av_set_remove(some, member->ranks[1]));
    EXPECT(0, fi_av_set_diff(all, some));
    expect_members(all, 1, "what is left");
    EXPECT(0, fi_av_set_union(all, some));
    EXPECT(0, fi_av_set_union(all, some));
    expect_members(all, 3, "the union");
    EXPECT(0, fi_av_set_intersect(all, some));
    expect_members(all, 2, "the intersection");
    EXPECT(0, fi_av_set_diff(all, all));
    expect_members(all, 0, "none");
    EXPECT(-FI_EBUSY, fi_close(&av->fid));
    EXPECT(0, fi_close(&all->fid));
    EXPECT(0, fi_close(&some->fid));
    attr = (struct fi_av_set_attr){.start_addr = 2, .end_addr = 2, .stride = SIZE_MAX};
    EXPECT(0, fi_av_set(av, &attr, &other, NULL));
    expect_members(other, 1, "one, with a stride that wraps");
    EXPECT(0, fi_close(&other->fid));
    attr = (struct fi_av_set_attr){.start_addr = 0, .end_addr = 3, .stride = 1};
    EXPECT(-FI_EINVAL, fi_av_set(av, &attr, &other, NULL));
    attr = (struct fi_av_set_attr){.start_addr = 0, .end_addr = 2, .stride = 1, .count = 2};
    EXPECT(-FI_EINVAL, fi_av_set(av, &attr, &other, NULL));
    attr = (struct fi_av_set_attr){.start_addr = 0, .end_addr = 2};
    EXPECT(-FI_EINVAL, fi_av_set(av, &attr, &other, NULL));
    attr = (struct fi_av_set_attr){.flags = FI_ALLTOALL_SET};
    EXPECT(-FI_EOPNOTSUPP, fi_av_set(av, &attr, &other, NULL));
    uint8_t key = 1;
    attr = (struct fi_av_set_attr){.comm_key = &key, .comm_key_size = 1};
    EXPECT(-FI_ENOSYS, fi_av_set(av, &attr, &other, NULL));
}

static void refuse_joins(void) {
    struct member *member = &members[0];
    struct fid_mc *group;
    struct fid_ep *lone;
    struct fid_av_set *others = empty_set(member);
    EXPECT(0, fi_av_set_insert(others, member->ranks[1]));
    EXPECT(-FI_EINVAL, fi_join_collective(OF(member), address_of(others), others, 0, &group, NULL));
    EXPECT(-FI_EINVAL, fi_join_collective(OF(member), 4711, member->set, 0, &group, NULL));
    EXPECT(-FI_EINVAL, fi_join_collective(OF(member), FI_ADDR_NOTAVAIL, member->set, FI_PEEK, &group, NULL));
    EXPECT(-FI_EINVAL, fi_join_collective(OF(member), FI_ADDR_NOTAVAIL, members[1].set, 0, &group, NULL));
    EXPECT(0, fi_endpoint(here.domain, here.info, &lone, NULL));
    EXPECT(-FI_EOPBADSTATE, fi_join_collective(lone, FI_ADDR_NOTAVAIL, member->set, 0, &group, NULL));
    EXPECT(0, fi_ep_bind(lone, &here.av->fid, 0));
    EXPECT(0, fi_ep_bind(lone, &here.tx->fid, FI_TRANSMIT | FI_RECV));
    EXPECT(0, fi_enable(lone));
    EXPECT(-FI_ENOEQ, fi_join_collective(lone, FI_ADDR_NOTAVAIL, member->set, 0, &group, NULL));
    EXPECT(0, fi_close(&lone->fid));
    EXPECT(0, fi_close(&others->fid));
}

/* Nobody has joined before all have. */
static void join_late(void) {
    struct fi_eq_entry entry;
    uint32_t event;
    for (int i = 0; i < MEMBERS - 1; i++) {
        members[i].group = start_join(&members[i], members[i].set);
    }
    settle();
    EXPECT(-FI_EAGAIN, fi_eq_read(members[0].eq, &event, &entry, sizeof entry, 0));
    EXPECT(-FI_EOPBADSTATE, fi_barrier(OF(members), GROUP(members), NULL));
    EXPECT(-FI_EBUSY, fi_close(&OF(members)->fid));
    members[2].group = start_join(&members[2], members[2].set);
    AWAIT(fi_eq_read(members[0].eq, &event, &entry, sizeof entry, FI_PEEK) == sizeof entry);
    EXPECT(-FI_ETOOSMALL, fi_eq_read(members[0].eq, &event, &entry, 8, 0));
    for EACH (member) {
        await_join(member, member->group);
    }
    EXPECT(-FI_EAGAIN, fi_eq_sread(members[0].eq, &event, &entry, sizeof entry, 1, 0));
}

/* ---- Operations ---- */

static void query(void) {
    struct fid_domain *domain = here.domain;
    struct fi_collective_attr attr = {.op = FI_NOOP, .datatype = FI_VOID};
    EXPECT(0, fi_query_collective(domain, FI_BARRIER, &attr, 0));
    CHECK(attr.max_members >= MEMBERS);
    attr = (struct fi_collective_attr){.op = FI_NOOP, .datatype = FI_LONG_DOUBLE};
    EXPECT(0, fi_query_collective(domain, FI_BROADCAST, &attr, 0));
    EXPECT(sizeof(long double), attr.datatype_attr.size);
    EXPECT(BYTES / sizeof(long double), attr.datatype_attr.count);
    const enum fi_datatype types[] = {FI_INT32, FI_INT64, FI_DOUBLE, FI_UINT32, FI_UINT64, FI_FLOAT, FI_INT8};
    const enum fi_op ops[] = {FI_SUM, FI_MIN, FI_MAX, FI_PROD, FI_BOR};
    for (int type = 0; type < 7; type++) {
        for (int op = 0; op < 5; op++) {
            attr = (struct fi_collective_attr){.op = ops[op], .datatype = types[type]};
            bool is_there = op < 3 && (type < 3 || (type < 5 && op == 0));
            EXPECT(is_there ? 0 : -FI_EOPNOTSUPP, fi_query_collective(domain, FI_ALLREDUCE, &attr, 0));
        }
    }
    attr = (struct fi_collective_attr){.op = FI_NOOP, .datatype = FI_INT32};
    EXPECT(-FI_EOPNOTSUPP, fi_query_collective(domain, FI_ALLTOALL, &attr, 0));
    EXPECT(-FI_EOPNOTSUPP, fi_query_collective(domain, FI_BARRIER, &attr, 0));
    EXPECT(-FI_EINVAL, fi_query_collective(domain, FI_BARRIER, NULL, 0));
}

static void barriers(void) {
    EXPECT(0, fi_barrier(OF(&members[0]), GROUP(&members[0]), &third));
    EXPECT(0, fi_barrier2(OF(&members[2]), GROUP(&members[2]), FI_COMPLETION, &third));
    expect_nothing(here.tx);
    expect_nothing(third.tx);
    EXPECT(0, fi_barrier(OF(&members[1]), GROUP(&members[1]), &third));
    take_all(&third);
}

static void broadcasts(void) {
    const struct {
        enum fi_datatype type;
        size_t size, count;
    } shapes[] = {{FI_UINT8, 1, BYTES}, {FI_INT64, 8, 1}, {FI_INT16, 2, 0}, {FI_LONG_DOUBLE, sizeof(long double), 7}};
    for (int i = 0; i < 4; i++) {
        size_t length = shapes[i].size * shapes[i].count;
        for (int root = 0; root < MEMBERS; root++) {
            uint8_t *data[MEMBERS];
            for (int rank = 0; rank < MEMBERS; rank++) {
                struct member *member = &members[rank];
                data[rank] = buffer_of(length);
                if (rank == root) {
                    fill(data[rank], length, (uint64_t)root);
                }
                EXPECT(0, fi_broadcast(OF(member), data[rank], shapes[i].count, NULL, GROUP(member),
                                       member->ranks[root], shapes[i].type, 0, data));
            }
            take_all(data);
            for (int rank = 0; rank < MEMBERS; rank++) {
                EXPECT_BYTES(data[rank], length, (uint64_t)root);
                check_margin(data[rank], length, length);
                free(data[rank]);
            }
        }
    }
}

#define REDUCE(type, code, op, count, value, expected)                                                           \
    do {                                                                                                         \
        static type data_[MEMBERS][BYTES / sizeof(type)], result_[MEMBERS][BYTES / sizeof(type)];                \
        for (int rank = 0; rank < MEMBERS; rank++) {                                                             \
            for (size_t i = 0; i < (count); i++) {                                                               \
                data_[rank][i] = (value);                                                                        \
            }                                                                                                    \
            EXPECT(0, fi_allreduce(OF(&members[rank]), data_[rank], count, NULL, result_[rank], NULL,            \
                                   GROUP(&members[rank]), code, op, 0, data_));                                  \
        }                                                                                                        \
        take_all(data_);                                                                                         \
        for (int rank = 0; rank < MEMBERS; rank++) {                                                             \
            for (size_t i = 0; i < (count); i++) {                                                               \
                CHECK(result_[rank][i] == (expected));                                                           \
            }                                                                                                    \
        }                                                                                                        \
    } while (0)

static void reductions(void) {
    REDUCE(int32_t, FI_INT32, FI_SUM, 1024, (rank + 1) * (int32_t)i, 6 * (int32_t)i);
    REDUCE(uint32_t, FI_UINT32, FI_SUM, 3, UINT32_MAX / 2 + (uint32_t)i, 3 * (UINT32_MAX / 2 + (uint32_t)i));
    REDUCE(int64_t, FI_INT64, FI_MIN, 512, rank - (int64_t)i, -(int64_t)i);
    REDUCE(uint64_t, FI_UINT64, FI_SUM, 1, UINT64_MAX / 2, 3 * (UINT64_MAX / 2));
    REDUCE(double, FI_DOUBLE, FI_MAX, 512, rank + 0.25 * (double)i, MEMBERS - 1 + 0.25 * (double)i);
    REDUCE(double, FI_DOUBLE, FI_SUM, 9, 0.5 * rank, 1.5);
}

/* Operations wait for their turn, and a result may take the place of the data. */
static void queued(void) {
    static int64_t data[MEMBERS][QUEUED];
    for (int i = 0; i < QUEUED; i++) {
        for (int rank = 0; rank < MEMBERS; rank++) {
            struct member *member = &members[rank];
            data[rank][i] = rank + i;
            EXPECT(0, fi_allreduce(OF(member), &data[rank][i], 1, NULL, &data[rank][i], NULL, GROUP(member), FI_INT64,
                                   FI_SUM, 0, number_context((uintptr_t)i + 1)));
        }
    }
    for (int i = 0; i < QUEUED; i++) {
        take_all(number_context((uintptr_t)i + 1));
        for (int rank = 0; rank < MEMBERS; rank++) {
            EXPECT(3 + 3 * i, data[rank][i]);
        }
    }
}

static void by_message(void) {
    static int64_t data[MEMBERS], result[MEMBERS];
    for (int rank = 0; rank < MEMBERS; rank++) {
        struct member *member = &members[rank];
        struct fi_ioc from = {&data[rank], 1}, to = {&result[rank], 1};
        struct fi_msg_collective msg = {.coll = FI_BARRIER, .coll_addr = GROUP(member), .context = data};
        data[rank] = rank;
        EXPECT(0, OF(member)->collective->msg(OF(member), &msg, NULL, NULL, 0, 0));
        msg = (struct fi_msg_collective){.msg_iov = &from, .iov_count = 1, .coll_addr = GROUP(member),
                                         .coll = FI_ALLREDUCE, .datatype = FI_INT64, .op = FI_MAX, .context = data};
        EXPECT(0, OF(member)->collective->msg(OF(member), &msg, &to, NULL, 1, 0));
        EXPECT(-FI_EINVAL, OF(member)->collective->msg(OF(member), &msg, NULL, NULL, 0, 0));
        msg.coll = FI_GATHER;
        EXPECT(-FI_EOPNOTSUPP, OF(member)->collective->msg(OF(member), &msg, &to, NULL, 1, 0));
    }
    take_all(data);
    take_all(data);
    EXPECT(MEMBERS - 1, result[0]);
}

static void refuse_operations(void) {
    struct member *member = &members[0];
    struct fid_ep *ep = OF(member);
    fi_addr_t group = GROUP(member), root = member->ranks[0];
    static int64_t data[BYTES];
    EXPECT(-FI_EINVAL, fi_barrier(ep, 4711, NULL));
    EXPECT(-FI_EINVAL, fi_barrier2(ep, group, FI_FENCE, NULL));
    EXPECT(-FI_EINVAL, fi_broadcast(ep, data, 1, NULL, group, 99, FI_INT64, 0, NULL));
    EXPECT(-FI_EINVAL, fi_broadcast(ep, data, 1, NULL, group, root, FI_INT64, FI_INJECT, NULL));
    EXPECT(-FI_EMSGSIZE, fi_broadcast(ep, data, BYTES / 8 + 1, NULL, group, root, FI_INT64, 0, NULL));
    EXPECT(-FI_EOPNOTSUPP, fi_broadcast(ep, data, 1, NULL, group, root, FI_VOID, 0, NULL));
    EXPECT(-FI_EMSGSIZE, fi_allreduce(ep, data, SIZE_MAX, NULL, data, NULL, group, FI_INT64, FI_SUM, 0, NULL));
    EXPECT(-FI_EOPNOTSUPP, fi_allreduce(ep, data, 1, NULL, data, NULL, group, FI_INT64, FI_PROD, 0, NULL));
    EXPECT(-FI_EOPNOTSUPP, fi_alltoall(ep, data, 1, NULL, data, NULL, group, FI_INT64, 0, NULL));
    EXPECT(-FI_EOPNOTSUPP, fi_allgather(ep, data, 1, NULL, data, NULL, group, FI_INT64, 0, NULL));
    EXPECT(-FI_EOPNOTSUPP, fi_reduce_scatter(ep, data, 1, NULL, data, NULL, group, FI_INT64, FI_SUM, 0, NULL));
    EXPECT(-FI_EOPNOTSUPP, fi_reduce(ep, data, 1, NULL, data, NULL, group, root, FI_INT64, FI_SUM, 0, NULL));
    EXPECT(-FI_EOPNOTSUPP, fi_scatter(ep, data, 1, NULL, data, NULL, group, root, FI_INT64, 0, NULL));
    EXPECT(-FI_EOPNOTSUPP, fi_gather(ep, data, 1, NULL, data, NULL, group, root, FI_INT64, 0, NULL));
    expect_nothing(here.tx);
}

/* Members that want different things all get an error, and can go on. */
static void disagree(void) {
    static int64_t data[MEMBERS];
    for (int rank = 0; rank < MEMBERS; rank++) {
        EXPECT(0, fi_allreduce(OF(&members[rank]), &data[rank], 1, NULL, &data[rank], NULL, GROUP(&members[rank]),
                               FI_INT64, rank == 1 ? FI_MIN : FI_MAX, 0, data));
    }
    for EACH (member) {
        struct fi_cq_err_entry error = take_error(member->side->tx);
        EXPECT(FI_EINVAL, error.err);
        CHECK(error.op_context == data && error.flags == FI_COLLECTIVE);
        CHECK(strlen(fi_cq_strerror(member->side->tx, error.prov_errno, NULL, NULL, 0)) > 0);
    }
    barriers();
}

/* Of the same members and of some of them, each by itself. */
static void several_groups(void) {
    struct fid_mc *first[MEMBERS], *pair[MEMBERS] = {NULL};
    for (int rank = 0; rank < MEMBERS; rank++) {
        first[rank] = members[rank].group;
    }
    join_all();
    for (int rank = 0; rank < MEMBERS; rank += 2) {
        struct fid_av_set *set = empty_set(&members[rank]);
        EXPECT(0, fi_av_set_insert(set, members[rank].ranks[2]));
        EXPECT(0, fi_av_set_insert(set, members[rank].ranks[0]));
        EXPECT(0, fi_join_collective(OF(&members[rank]), fi_mc_addr(first[rank]), set, 0, &pair[rank],
                                     &members[rank]));
        EXPECT(0, fi_close(&set->fid));
    }
    await_join(&members[0], pair[0]);
    await_join(&members[2], pair[2]);
    EXPECT(0, fi_barrier(OF(&members[0]), fi_mc_addr(first[0]), first));
    EXPECT(0, fi_barrier(OF(&members[0]), fi_mc_addr(pair[0]), pair));
    EXPECT(0, fi_barrier(OF(&members[2]), fi_mc_addr(pair[2]), pair));
    take_of(here.tx, pair);
    take_of(third.tx, pair);
    barriers();
    EXPECT(0, fi_barrier(OF(&members[1]), fi_mc_addr(first[1]), first));
    EXPECT(0, fi_barrier(OF(&members[2]), fi_mc_addr(first[2]), first));
    take_all(first);
    for (int rank = 0; rank < MEMBERS; rank++) {
        fi_addr_t address = fi_mc_addr(first[rank]);
        EXPECT(0, fi_close(&first[rank]->fid));
        EXPECT(-FI_EINVAL, fi_barrier(OF(&members[rank]), address, NULL));
        EXPECT(0, pair[rank] == NULL ? 0 : fi_close(&pair[rank]->fid));
    }
    barriers();
}

/* A member that leaves ends what the others wait for, and what they begin later. */
static void leave_early(void) {
    EXPECT(0, fi_barrier(OF(&members[0]), GROUP(&members[0]), &here));
    EXPECT(0, fi_barrier(OF(&members[1]), GROUP(&members[1]), &here));
    settle();
    EXPECT(0, fi_close(&members[1].group->fid));
    EXPECT(FI_ESHUTDOWN, take_error(there.tx).err);
    EXPECT(0, fi_close(&members[2].group->fid));
    CHECK(take_error(here.tx).err > 0);
    EXPECT(0, fi_barrier(OF(&members[0]), GROUP(&members[0]), &there));
    CHECK(take_error(here.tx).op_context == &there);
    EXPECT(0, fi_close(&members[0].group->fid));
}

static void count(void) {
    open_members(&(struct options){.has_cntrs = true, .cq_flags = FI_SELECTIVE_COMPLETION});
    join_all();
    for EACH (member) {
        EXPECT(0, fi_barrier(OF(member), GROUP(member), NULL));
        EXPECT(0, fi_barrier2(OF(member), GROUP(member), FI_COMPLETION, &here));
    }
    take_all(&here);
    for EACH (member) {
        EXPECT(2, fi_cntr_read(member->side->cntrs[CNTR_WRITE]));
        EXPECT(0, fi_cntr_read(member->side->cntrs[CNTR_SEND]));
    }
    expect_nothing(here.tx);
    leave_all();
    close_members();
}

/* Threads of the provider make progress; a thread that waits for a completion sleeps. */
static void wait_asleep(enum fi_progress progress) {
    open_members(&(struct options){.wait = FI_WAIT_FD, .progress = progress});
    join_all();
    for (int round = 0; round < 20; round++) {
        int64_t data[MEMBERS];
        for (int rank = MEMBERS - 1; rank >= 0; rank--) {
            data[rank] = rank + round;
            EXPECT(0, fi_allreduce(OF(&members[rank]), &data[rank], 1, NULL, &data[rank], NULL, GROUP(&members[rank]),
                                   FI_INT64, FI_SUM, 0, data));
        }
        for EACH (member) {
            struct fi_cq_tagged_entry entry;
            EXPECT(1, fi_cq_sread(member->side->tx, &entry, 1, NULL, 10000));
            CHECK(entry.op_context == data);
        }
        EXPECT(3 + 3 * round, data[1]);
    }
    leave_all();
    close_members();
}

void collective(char **arguments) {
    (void)arguments;
    open_members(&(struct options){0});
    query();
    make_sets();
    refuse_joins();
    join_late();
    barriers();
    broadcasts();
    reductions();
    queued();
    by_message();
    refuse_operations();
    disagree();
    several_groups();
    leave_early();
    join_all();
    barriers();
    leave_all();
    close_members();
    count();
    wait_asleep(FI_PROGRESS_MANUAL);
    wait_asleep(FI_PROGRESS_AUTO);
}
