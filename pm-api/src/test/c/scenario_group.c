/* Scenarios of programs that are members of groups. */
#define _GNU_SOURCE
#include "scenario.h"

#include <pthread.h>
#include <string.h>

#define TIMEOUT (30 * HXB_SECOND)
#define MAX_RANKS 64
#define MAX_COUNT 512

static int nodes[MAX_RANKS], members;

/* Nodes by rank, such as "0,1,1". */
static void parse_nodes(const char *text) {
    while (*text != '\0' && members < MAX_RANKS) {
        char *rest;
        nodes[members++] = (int)strtol(text, &rest, 10);
        text = *rest == ',' ? rest + 1 : rest;
    }
}

static hxb_group *join(char **arguments) {
    hxb_group *group;
    open_both(arguments[0], number(arguments, 1, 1));
    parse_nodes(arguments[4]);
    EXPECT(HXB_OK, hxb_group_join(context, (uint64_t)number(arguments, 2, 0), nodes, members,
                                  number(arguments, 3, 0), TIMEOUT, &group));
    EXPECT(number(arguments, 3, 0), hxb_group_rank(group));
    EXPECT(members, hxb_group_members(group));
    return group;
}

static void check_sum(hxb_group *group, int round, int count) {
    int64_t data[MAX_COUNT] = {0};
    for (int i = 0; i < count; i++) {
        data[i] = (int64_t)(hxb_group_rank(group) + 1) * (i + round);
    }
    EXPECT(HXB_OK, hxb_group_allreduce(group, HXB_OP_SUM, HXB_TYPE_INT64, data, data, count, TIMEOUT));
    for (int i = 0; i < count; i++) {
        EXPECT((int64_t)members * (members + 1) / 2 * (i + round), data[i]);
    }
}

static void check_extremes(hxb_group *group, int round) {
    double data = hxb_group_rank(group) + round * 0.5, result = 0;
    EXPECT(HXB_OK, hxb_group_allreduce(group, HXB_OP_MIN, HXB_TYPE_DOUBLE, &data, &result, 1, TIMEOUT));
    CHECK(result == round * 0.5);
    EXPECT(HXB_OK, hxb_group_start_allreduce(group, HXB_OP_MAX, HXB_TYPE_DOUBLE, &data, &result, 1));
    int status = hxb_group_test(group);
    while (status == HXB_EMPTY) {
        status = hxb_group_test(group);
    }
    EXPECT(HXB_OK, status);
    CHECK(result == members - 1 + round * 0.5);
}

static void check_broadcast(hxb_group *group, int round) {
    char data[HXB_GROUP_BYTES];
    int root = round % members;
    size_t length = (size_t)(round * 257 % HXB_GROUP_BYTES);
    memset(data, hxb_group_rank(group) == root ? round + 1 : 0, sizeof data);
    EXPECT(HXB_OK, hxb_group_broadcast(group, root, data, length, TIMEOUT));
    for (size_t i = 0; i < length; i++) {
        CHECK(data[i] == (char)(round + 1));
    }
}

/* SOCKET CONTEXT ID RANK NODES ROUNDS: what GroupSystemTest does in Java. */
void group_use(char **arguments) {
    hxb_group *group = join(arguments);
    int rounds = number(arguments, 5, 20);
    for (int round = 0; round < rounds; round++) {
        check_sum(group, round, 1 + round * 37 % MAX_COUNT);
        EXPECT(HXB_OK, hxb_group_barrier(group, TIMEOUT));
        check_extremes(group, round);
        check_broadcast(group, round);
    }
    EXPECT(HXB_OK, hxb_group_leave(group));
    close_both();
}

/* The same arguments, and a further one if the node of this program ends: joins, prints that, and does barriers until
 * there is no group; prints why. */
void group_outlive(char **arguments) {
    hxb_group *group = join(arguments);
    EXPECT(HXB_OK, hxb_group_barrier(group, TIMEOUT));
    puts("ready");
    fflush(stdout);
    int status = HXB_OK;
    while (status == HXB_OK) {
        status = hxb_group_barrier(group, TIMEOUT);
    }
    puts(hxb_result_name(status));
    EXPECT(status, hxb_group_start_barrier(group));
    int left = hxb_group_leave(group);
    if (arguments[6] == NULL || (left != HXB_CONTEXT_CLOSED && left != HXB_NODE_GONE)) {
        EXPECT(HXB_OK, left);
    }
    close_both();
}

static void *from_another_thread(void *group) {
    EXPECT(HXB_E_THREAD, hxb_group_start_barrier(group));
    EXPECT(HXB_E_THREAD, hxb_group_test(group));
    EXPECT(HXB_E_THREAD, hxb_group_leave(group));
    return NULL;
}

/* SOCKET of node 0: everything that a program must not do. */
void group_misuse(char **arguments) {
    hxb_group *group, *other;
    int own = 0, far = 1000000;
    double data[MAX_COUNT + 1] = {1};
    open_both(arguments[0], 1);
    own = hxb_node_id(device);
    EXPECT(HXB_E_ARGUMENT, hxb_group_join(NULL, 1, &own, 1, 0, TIMEOUT, &group));
    EXPECT(HXB_E_ARGUMENT, hxb_group_join(context, 1, NULL, 1, 0, TIMEOUT, &group));
    EXPECT(HXB_E_ARGUMENT, hxb_group_join(context, 1, &own, 0, 0, TIMEOUT, &group));
    EXPECT(HXB_E_ARGUMENT, hxb_group_join(context, 1, &own, 1, 1, TIMEOUT, &group));
    EXPECT(HXB_E_ARGUMENT, hxb_group_join(context, 1, &far, 1, 0, TIMEOUT, &group));
    EXPECT(HXB_E_ARGUMENT, hxb_group_join(context, 1, &own, 1, 0, -1, &group));
    EXPECT(HXB_E_ARGUMENT, hxb_group_join(context, 1, &own, 1, 0, TIMEOUT, NULL));
    int two[] = {own, own};
    EXPECT(HXB_TIMED_OUT, hxb_group_join(context, 1, two, 2, 0, HXB_SECOND / 20, &group));
    EXPECT(HXB_OK, hxb_group_join(context, 1, &own, 1, 0, TIMEOUT, &group));
    EXPECT(HXB_E_STATE, hxb_group_join(context, 1, &own, 1, 0, TIMEOUT, &other));
    EXPECT(HXB_OK, hxb_group_join(context, 2, &own, 1, 0, TIMEOUT, &other));
    EXPECT(HXB_E_ARGUMENT, hxb_group_start_broadcast(group, 1, data, 8));
    EXPECT(HXB_E_ARGUMENT, hxb_group_start_broadcast(group, 0, data, HXB_GROUP_BYTES + 1));
    EXPECT(HXB_E_ARGUMENT, hxb_group_start_broadcast(group, 0, NULL, 8));
    EXPECT(HXB_E_ARGUMENT, hxb_group_start_allreduce(group, 4, HXB_TYPE_DOUBLE, data, data, 1));
    EXPECT(HXB_E_ARGUMENT, hxb_group_start_allreduce(group, HXB_OP_SUM, 1, data, data, 1));
    EXPECT(HXB_E_ARGUMENT, hxb_group_start_allreduce(group, HXB_OP_SUM, HXB_TYPE_DOUBLE, data, data, MAX_COUNT + 1));
    EXPECT(HXB_E_ARGUMENT, hxb_group_start_allreduce(group, HXB_OP_SUM, HXB_TYPE_DOUBLE, data, data, -1));
    EXPECT(HXB_E_ARGUMENT, hxb_group_start_allreduce(group, HXB_OP_SUM, HXB_TYPE_DOUBLE, data, NULL, 1));
    EXPECT(HXB_E_ARGUMENT, hxb_group_start_barrier(NULL));
    EXPECT(HXB_OK, hxb_group_start_barrier(group));
    EXPECT(HXB_E_STATE, hxb_group_start_barrier(group));
    EXPECT(HXB_OK, hxb_group_barrier(other, TIMEOUT));
    EXPECT(HXB_OK, hxb_group_wait(group, TIMEOUT));
    EXPECT(HXB_OK, hxb_group_allreduce(group, HXB_OP_SUM, HXB_TYPE_DOUBLE, data, data, MAX_COUNT, TIMEOUT));
    CHECK(data[0] == 1);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, from_another_thread, group) == 0 && pthread_join(thread, NULL) == 0);
    EXPECT(HXB_OK, hxb_group_leave(NULL));
    EXPECT(HXB_OK, hxb_group_leave(group));
    /* The other one is left by the context. */
    close_both();
}
