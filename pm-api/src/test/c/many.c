/* Many programs at one node: many SOCKET COUNT NODE CONTEXT. Each is a process with a context of its own, 1 to COUNT;
 * 32 of them start at a time. When all have theirs ("open COUNT"), each sends to CONTEXT of NODE, which sends back, and
 * to the next of them. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hxb.h"

enum { LIMIT_S = 50, STARTING = 32 };

static const char *path;
static int count, node, echo;

static void check(int status, const char *what, int number) {
    if (status < 0) errx(1, "program %d: %s: %s, %s", number, what, hxb_strerror(status), hxb_last_error());
}

static void exchange(hxb_context *context, int own_node, int number) {
    hxb_address next = {own_node, number % count + 1};
    check(hxb_send(context, (hxb_address){node, echo}, &number, sizeof number, 1, LIMIT_S * HXB_SECOND), "echo", number);
    check(hxb_send(context, next, &number, sizeof number, 2, LIMIT_S * HXB_SECOND), "send", number);
    int got[3] = {0};
    for (int i = 0; i < 2; i++) {
        hxb_message message;
        check(hxb_receive_wait(context, &message, LIMIT_S * HXB_SECOND), "receive", number);
        if (message.tag > 2 || message.length != sizeof number) errx(1, "program %d: a strange message", number);
        memcpy(&got[message.tag], message.data, sizeof number);
        hxb_release(context, &message);
    }
    if (got[1] != number || got[2] != (number + count - 2) % count + 1) {
        errx(1, "program %d: got %d and %d", number, got[1], got[2]);
    }
    check(hxb_wait_all_sends(context, LIMIT_S * HXB_SECOND), "wait", number);
}

static void program(int number, int opened, int begin, int done) {
    hxb_device *device;
    hxb_context *context;
    char byte = 0;
    check(hxb_attach(path, &device), "attach", number);
    check(hxb_open_context(device, number, NULL, &context), "open", number);
    if (write(opened, &byte, 1) != 1 || read(begin, &byte, 1) != 0) errx(1, "program %d: no start", number);
    exchange(context, hxb_node_id(device), number);
    /* Nobody closes before all have what is for them. */
    if (write(opened, &byte, 1) != 1 || read(done, &byte, 1) != 0) errx(1, "program %d: no end", number);
    hxb_detach(device);
}

static void await_programs(int opened, int programs) {
    char byte;
    for (int i = 0; i < programs; i++) {
        if (read(opened, &byte, 1) != 1) errx(1, "a program has ended, see above");
    }
}

int main(int argc, char **argv) {
    int opened[2], begin[2], done[2], failed = 0, status;
    if (argc != 5) errx(2, "many SOCKET COUNT NODE CONTEXT");
    path = argv[1], count = atoi(argv[2]), node = atoi(argv[3]), echo = atoi(argv[4]);
    if (pipe(opened) || pipe(begin) || pipe(done)) err(1, "pipe");
    for (int number = 1; number <= count; number++) {
        pid_t child = fork();
        if (child < 0) err(1, "fork");
        if (child == 0) {
            close(opened[0]), close(begin[1]), close(done[1]);
            program(number, opened[1], begin[0], done[0]);
            exit(0);
        }
        if (number > STARTING) await_programs(opened[0], 1);
    }
    close(opened[1]);
    await_programs(opened[0], count < STARTING ? count : STARTING);
    printf("open %d\n", count);
    fflush(stdout);
    if (getchar() == EOF) errx(1, "the input has ended");
    close(begin[1]);
    await_programs(opened[0], count);
    close(done[1]);
    while (wait(&status) > 0) failed += status != 0;
    printf("done, %d failed\n", failed);
    return failed > 0;
}
