/* A service on node 0 and clients on nodes 1 to 3: `service`, and `service CONTEXT PAUSE_MS`, which asks until a line is
 * typed. It talks with Service.java, too.
 *   cc service.c $(pkg-config --cflags --libs hxb) */
#include <hxb_rpc.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SERVER 10

static int ended;

/* begin */
static void on_request(void *user, hxb_rpc *rpc, const hxb_rpc_request *request) {
    (void)user;
    printf("did %.*s\n", (int)request->length, (const char *)request->data);
    hxb_rpc_reply(rpc, request, request->data, request->length);
}

static void on_peer(void *user, hxb_rpc *rpc, hxb_address peer, bool is_there) {
    (void)user, (void)rpc;
    fprintf(stderr, "client %d is %s\n", peer.context, is_there ? "there" : "gone");
}

static void on_done(void *user, const hxb_rpc_result *result) { /* of each, at its deadline at the latest */
    const char *not = result->may_be_done ? "may be done: " : "not done: ";
    const char *why = result->status == HXB_OK ? "" : hxb_result_name(result->status);
    printf("%s %s%s\n", (char *)user, result->status == HXB_OK ? "ok" : not, why);
    free(user);
    ended++;
}

static void ask(hxb_rpc *rpc, int context, int pause_ms) {
    struct pollfd input = {.fd = 0, .events = POLLIN};
    int asked = 0;
    for (; poll(&input, 1, 0) == 0; asked++) {
        char *id = malloc(40);
        int length = snprintf(id, 40, "%d-%d-%d", context, (int)getpid(), asked);
        while (hxb_rpc_call_wait(rpc, (hxb_address){0, SERVER}, id, (size_t)length, 60 * HXB_SECOND, on_done, id) < 0) {
        }
        while (hxb_rpc_serve(rpc, pause_ms * (HXB_SECOND / 1000)) > 0) {
        }
    }
    while (ended < asked) {
        hxb_rpc_serve(rpc, HXB_SECOND);
    }
    printf("asked %d\n", asked);
}
/* end */

int main(int count, char **arguments) {
    int context = count > 1 ? atoi(arguments[1]) : SERVER;
    hxb_rpc_options options = {.size = sizeof options, .context_id = context, .on_request = on_request, .on_peer = on_peer};
    hxb_rpc *rpc;
    if (hxb_rpc_open(&options, &rpc) != HXB_OK) {
        fprintf(stderr, "%s\n", hxb_last_error());
        return 1;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count > 1) {
        ask(rpc, context, atoi(arguments[2]));
        return hxb_rpc_close(rpc);
    }
    for (int node = 1; node < 4; node++) {
        hxb_rpc_watch(rpc, (hxb_address){node, SERVER + node});
    }
    fprintf(stderr, "serving\n");
    for (;;) {
        hxb_rpc_serve(rpc, HXB_SECOND);
    }
}
