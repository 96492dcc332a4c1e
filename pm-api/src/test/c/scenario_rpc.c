/* Scenarios of requests and replies. */
#define _GNU_SOURCE
#include "scenario.h"

#include "hxb_rpc.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT (20 * HXB_SECOND)
#define HELD 2000

static hxb_rpc *server, *client;
static hxb_rpc_request held[HELD];
static int held_count, published, changes, done_count;
static bool is_there, is_holding;
static hxb_rpc_result last;
static char last_data[9000];

static void on_request(void *user, hxb_rpc *rpc, const hxb_rpc_request *request) {
    CHECK(user == &held);
    EXPECT(HXB_E_STATE, hxb_rpc_serve(rpc, 0));
    EXPECT(HXB_E_STATE, hxb_rpc_close(rpc));
    if (request->is_published) {
        published++;
        EXPECT(HXB_E_STATE, hxb_rpc_reply(rpc, request, "", 0));
    } else if (is_holding) {
        held[held_count++] = *request;
    } else if (request->length == 0) {
        EXPECT(HXB_OK, hxb_rpc_refuse(rpc, request, "nothing asked"));
    } else {
        EXPECT(HXB_OK, hxb_rpc_reply(rpc, request, request->data, request->length));
        EXPECT(HXB_E_STATE, hxb_rpc_reply(rpc, request, request->data, request->length));
    }
}

static void on_peer(void *user, hxb_rpc *rpc, hxb_address peer, bool is) {
    CHECK(user != NULL && rpc != NULL && peer.context > 0);
    changes++;
    is_there = is;
}

static void on_done(void *user, const hxb_rpc_result *result) {
    CHECK(user == &last);
    done_count++;
    last = *result;
    CHECK(result->length <= sizeof last_data);
    if (result->length > 0) {
        memcpy(last_data, result->data, result->length);
    }
}

static hxb_rpc *open_end(const char *socket, int id) {
    hxb_rpc *rpc;
    hxb_rpc_options options = {.size = sizeof options, .socket = socket, .context_id = id, .user = &held,
                               .on_request = on_request, .on_peer = on_peer};
    EXPECT(HXB_OK, hxb_rpc_open(&options, &rpc));
    EXPECT(1, hxb_rpc_attachments(rpc));
    return rpc;
}

static void serve_until_done(int count) {
    for (int i = 0; done_count < count; i++) {
        CHECK(i < 1000000);
        int result = server == NULL ? 0 : hxb_rpc_serve(server, 0);
        CHECK(result >= 0 || result == HXB_TIMED_OUT);
        result = hxb_rpc_serve(client, HXB_SECOND / 1000);
        CHECK(result >= 0 || result == HXB_TIMED_OUT);
    }
}

static void call(int length, int64_t timeout_ns) {
    static char data[9000];
    memset(data, length, sizeof data);
    hxb_address to = {hxb_rpc_node_id(client), 11};
    EXPECT(HXB_OK, hxb_rpc_call(client, to, data, (size_t)length, timeout_ns, on_done, &last));
}

static void check_answers(void) {
    for (int i = 1; i <= 300; i++) {
        call(i, LIMIT);
        if (i % 100 == 0) {
            serve_until_done(i);
        }
        EXPECT(HXB_OK, last.status);
    }
    CHECK(last.length == 300 && last_data[299] == (char)300 && !last.may_be_done);
    call((int)hxb_rpc_max_length(client), LIMIT);
    serve_until_done(301);
    CHECK(last.length == hxb_rpc_max_length(client));
    call(0, LIMIT);
    serve_until_done(302);
    EXPECT(HXB_E_REFUSED, last.status);
    CHECK(last.length == 13 && memcmp(last_data, "nothing asked", 13) == 0);
}

static void check_bounds(void) {
    hxb_address to = {hxb_rpc_node_id(client), 11};
    is_holding = true;
    done_count = 0;
    for (int i = 0; i < HXB_RPC_OUTSTANDING; i++) {
        EXPECT(HXB_OK, hxb_rpc_call(client, to, "x", 1, LIMIT, on_done, &last));
    }
    EXPECT(HXB_NO_BUFFERS, hxb_rpc_call(client, to, "x", 1, LIMIT, on_done, &last));
    EXPECT(HXB_TIMED_OUT, hxb_rpc_call_wait(client, to, "x", 1, HXB_SECOND / 100, on_done, &last));
    EXPECT(HXB_RPC_OUTSTANDING, hxb_rpc_outstanding(client, to));
    /* One to which nobody listens ends at its deadline, with the reason. */
    hxb_address nobody = {to.node, 9};
    EXPECT(HXB_OK, hxb_rpc_call(client, nobody, "x", 1, 3 * HXB_SECOND, on_done, &last));
    serve_until_done(1);
    EXPECT(HXB_NO_SUCH_CONTEXT, last.status);
    CHECK(!last.may_be_done && last.peer.context == 9);
    EXPECT(HXB_RPC_UNDER_WAY, held_count);
    is_holding = false;
    for (int i = 0; i < held_count; i++) {
        EXPECT(HXB_OK, hxb_rpc_reply(server, &held[i], "y", 1));
    }
    serve_until_done(1 + HXB_RPC_OUTSTANDING);
    EXPECT(HXB_OK, last.status);
    EXPECT(0, hxb_rpc_outstanding(client, to));
}

static void check_notice(void) {
    hxb_address to[] = {{hxb_rpc_node_id(client), 11}, {hxb_rpc_node_id(client), 9}};
    EXPECT(2, hxb_rpc_publish(client, to, 2, "all", 3));
    EXPECT(HXB_OK, hxb_rpc_watch(client, to[0]));
    for (int i = 0; i < 10000 && (published == 0 || !is_there); i++) {
        hxb_rpc_serve(server, HXB_SECOND / 1000);
        hxb_rpc_serve(client, HXB_SECOND / 1000);
    }
    CHECK(published == 1 && is_there && changes == 1);
    is_holding = true;
    held_count = 0;
    done_count = 0;
    call(1, LIMIT);
    for (int i = 0; i < 10000 && held_count == 0; i++) {
        hxb_rpc_serve(server, HXB_SECOND / 1000);
        hxb_rpc_serve(client, HXB_SECOND / 1000);
    }
    /* Its requests end when another process takes its place, which cannot know them; before that it is reported as
     * gone. */
    EXPECT(HXB_OK, hxb_rpc_close(server));
    server = NULL;
    for (int i = 0; i < 10000 && is_there; i++) {
        hxb_rpc_serve(client, HXB_SECOND / 1000);
    }
    CHECK(!is_there && changes == 2);
}

static void *other_thread(void *unused) {
    (void)unused;
    EXPECT(HXB_E_THREAD, hxb_rpc_serve(client, 0));
    EXPECT(HXB_E_THREAD, hxb_rpc_call(client, (hxb_address){0, 11}, "x", 1, LIMIT, on_done, &last));
    EXPECT(HXB_OK, hxb_rpc_wake(client));
    return NULL;
}

static void check_misuse(const char *socket) {
    hxb_rpc *rpc;
    hxb_rpc_options options = {.socket = socket, .context_id = 12};
    EXPECT(HXB_E_ARGUMENT, hxb_rpc_open(&options, &rpc));
    options.size = sizeof options;
    EXPECT(HXB_E_ARGUMENT, hxb_rpc_open(&options, NULL));
    options.socket = "/nowhere";
    EXPECT(HXB_E_NO_NODE, hxb_rpc_open(&options, &rpc));
    EXPECT(HXB_E_ARGUMENT, hxb_rpc_serve(NULL, 0));
    EXPECT(HXB_E_ARGUMENT, hxb_rpc_serve(client, -1));
    EXPECT(HXB_E_ARGUMENT, hxb_rpc_wake(NULL));
    EXPECT(HXB_OK, hxb_rpc_close(NULL));
    EXPECT(HXB_E_ARGUMENT, hxb_rpc_call(client, (hxb_address){99, 11}, "x", 1, LIMIT, on_done, &last));
    EXPECT(HXB_E_ARGUMENT, hxb_rpc_call(client, (hxb_address){0, 11}, "x", 1, 0, on_done, &last));
    EXPECT(HXB_E_ARGUMENT, hxb_rpc_call(client, (hxb_address){0, 11}, NULL, 1, LIMIT, on_done, &last));
    EXPECT(HXB_E_ARGUMENT, hxb_rpc_call(client, (hxb_address){0, 11}, last_data, hxb_rpc_max_length(client) + 1,
                                        LIMIT, on_done, &last));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, other_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
    while (hxb_rpc_serve(client, LIMIT) > 0) {
    }
    EXPECT(HXB_OK, hxb_rpc_wake(client));
    EXPECT(HXB_INTERRUPTED, hxb_rpc_serve(client, LIMIT));
    EXPECT(HXB_OK, hxb_rpc_own(client));
    pid_t child = fork();
    if (child == 0) {
        EXPECT(HXB_E_FORKED, hxb_rpc_serve(client, 0));
        EXPECT(HXB_E_FORKED, hxb_rpc_close(client));
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* Two ends of one thread. */
void rpc_use(char **arguments) {
    server = open_end(arguments[0], 11);
    client = open_end(arguments[0], 12);
    check_answers();
    check_bounds();
    check_misuse(arguments[0]);
    check_notice();
    server = open_end(arguments[0], 11);
    serve_until_done(1);
    EXPECT(HXB_PEER_RESTARTED, last.status);
    CHECK(last.may_be_done);
    is_holding = false;
    call(1, LIMIT);
    serve_until_done(2);
    EXPECT(HXB_OK, last.status);
    /* Unfinished requests end with the endpoint. */
    call(1, LIMIT);
    EXPECT(HXB_OK, hxb_rpc_close(client));
    EXPECT(HXB_CONTEXT_CLOSED, last.status);
    EXPECT(HXB_OK, hxb_rpc_close(server));
}

/* Echoes for ever. */
void rpc_serve(char **arguments) {
    server = open_end(arguments[0], number(arguments, 1, 11));
    puts("ready");
    fflush(stdout);
    for (;;) {
        int result = hxb_rpc_serve(server, HXB_SECOND);
        CHECK(result >= 0 || result == HXB_TIMED_OUT);
    }
}

/* Asks an end that echoes; prints how many replies there were and how many failures. */
void rpc_ask(char **arguments) {
    client = open_end(arguments[0], number(arguments, 1, 12));
    hxb_address to = {hxb_rpc_node_id(client), number(arguments, 2, 11)};
    int count = number(arguments, 3, 100), replies = 0;
    for (int i = 1; i <= count; i++) {
        EXPECT(HXB_OK, hxb_rpc_call_wait(client, to, &i, sizeof i, LIMIT, on_done, &last));
        serve_until_done(i);
        replies += last.status == HXB_OK && last.length == sizeof i && memcmp(last_data, &i, sizeof i) == 0;
    }
    printf("%d replies, attached %d times\n", replies, (int)hxb_rpc_attachments(client));
    EXPECT(HXB_OK, hxb_rpc_close(client));
}
