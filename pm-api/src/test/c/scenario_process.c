/* Scenarios of libhxb: threads, forks and cancellation. */
#define _GNU_SOURCE
#include "scenario.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *use_foreign(void *unused) {
    (void)unused;
    hxb_message message = {.handle = 0};
    hxb_event event;
    void *data;
    EXPECT(HXB_E_THREAD, hxb_send(context, (hxb_address){0, 1}, "x", 1, 0, 0));
    CHECK(strstr(hxb_last_error(), "belongs to another thread") != NULL);
    EXPECT(HXB_E_THREAD, hxb_claim(context, (hxb_address){0, 1}, 1, &data));
    EXPECT(HXB_E_THREAD, hxb_commit(context, 0, 1, 0));
    EXPECT(HXB_E_THREAD, hxb_abort(context, 0));
    EXPECT(HXB_E_THREAD, hxb_receive(context, &message));
    EXPECT(HXB_E_THREAD, hxb_release(context, &message));
    EXPECT(HXB_E_THREAD, hxb_poll_event(context, &event));
    EXPECT(HXB_E_THREAD, hxb_wait(context, HXB_WAIT_MESSAGES, 0));
    EXPECT(HXB_E_THREAD, hxb_arm(context, HXB_WAIT_MESSAGES));
    EXPECT(HXB_E_THREAD, hxb_disarm(context));
    EXPECT(HXB_E_THREAD, hxb_close_context(context));
    return NULL;
}

static void *take_over(void *unused) {
    (void)unused;
    EXPECT(HXB_OK, hxb_own_context(context));
    EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 1}, "x", 1, 0, 20 * HXB_SECOND));
    return NULL;
}

/* Threads of one device: each opens, uses and closes contexts and regions of its own. */
static void *own_contexts(void *id) {
    for (int i = 0; i < 20; i++) {
        hxb_context *mine;
        hxb_region *region;
        EXPECT(HXB_OK, hxb_open_context(device, (int)(intptr_t)id, NULL, &mine));
        EXPECT(HXB_OK, hxb_open_region(device, 10000, &region));
        for (int j = 0; j < 50; j++) {
            hxb_message message;
            hxb_address self = {0, (int)(intptr_t)id};
            EXPECT(HXB_OK, hxb_send(mine, self, "to myself", 9, (uint32_t)j, 20 * HXB_SECOND));
            EXPECT(HXB_OK, hxb_receive_wait(mine, &message, 20 * HXB_SECOND));
            CHECK(message.tag == (uint32_t)j);
            EXPECT(HXB_OK, hxb_release(mine, &message));
        }
        EXPECT(HXB_OK, hxb_wait_all_sends(mine, 20 * HXB_SECOND));
        EXPECT(HXB_OK, hxb_close_region(region));
        EXPECT(HXB_OK, hxb_close_context(mine));
    }
    return NULL;
}

void threads(char **arguments) {
    open_both(arguments[0], 1);
    pthread_t thread;
    pthread_create(&thread, NULL, use_foreign, NULL);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, take_over, NULL);
    pthread_join(thread, NULL);
    hxb_message message;
    EXPECT(HXB_E_THREAD, hxb_receive(context, &message));
    EXPECT(HXB_OK, hxb_own_context(context));
    EXPECT(HXB_OK, hxb_receive_wait(context, &message, 20 * HXB_SECOND));
    EXPECT(HXB_OK, hxb_release(context, &message));
    pthread_t users[4];
    for (intptr_t i = 0; i < 4; i++) {
        pthread_create(&users[i], NULL, own_contexts, (void *)(i + 10));
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(users[i], NULL);
    }
    close_both();
}

int count_open_files(void) {
    int count = 0;
    for (int fd = 0; fd < 256; fd++) {
        count += fcntl(fd, F_GETFD) >= 0;
    }
    return count;
}

static void in_child(const char *socket, hxb_region *region) {
    hxb_message message;
    hxb_context *other;
    hxb_event event;
    EXPECT(HXB_E_FORKED, hxb_send(context, (hxb_address){0, 1}, "x", 1, 0, 0));
    CHECK(strstr(hxb_last_error(), "fork") != NULL);
    EXPECT(HXB_E_FORKED, hxb_receive(context, &message));
    EXPECT(HXB_E_FORKED, hxb_wait(context, HXB_WAIT_MESSAGES, HXB_SECOND));
    EXPECT(HXB_E_FORKED, hxb_poll_event(context, &event));
    EXPECT(HXB_E_FORKED, hxb_own_context(context));
    EXPECT(HXB_E_FORKED, hxb_close_context(context));
    EXPECT(HXB_E_FORKED, hxb_open_context(device, 2, NULL, &other));
    EXPECT(HXB_E_FORKED, hxb_close_region(region));
    EXPECT(HXB_E_FORKED, hxb_node_id(device));
    EXPECT(HXB_E_FORKED, hxb_detach(device));
    hxb_device *mine;
    EXPECT(HXB_OK, hxb_attach(socket, &mine));
    EXPECT(HXB_E_FORKED, hxb_receive(context, &message));
    EXPECT(HXB_OK, hxb_open_context(mine, 2, NULL, &other));
    EXPECT(HXB_OK, hxb_send(other, (hxb_address){0, 1}, "from the child", 14, 77, 20 * HXB_SECOND));
    EXPECT(HXB_OK, hxb_wait_all_sends(other, 20 * HXB_SECOND));
    EXPECT(HXB_OK, hxb_detach(mine));
}

void forks(char **arguments) {
    int open_files = count_open_files();
    open_both(arguments[0], 1);
    hxb_region *region;
    EXPECT(HXB_OK, hxb_open_region(device, 10000, &region));
    for (int i = 0; i < 2; i++) {
        /* The second time by the bare system call, which no handler notices. */
        pid_t child = i == 0 ? fork() : (pid_t)syscall(SYS_fork);
        CHECK(child >= 0);
        if (child == 0) {
            CHECK(i > 0 || count_open_files() == open_files);
            in_child(arguments[0], region);
            _exit(0);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        hxb_message message;
        EXPECT(HXB_OK, hxb_receive_wait(context, &message, 20 * HXB_SECOND));
        CHECK(message.tag == 77 && message.from.context == 2);
        EXPECT(HXB_OK, hxb_release(context, &message));
    }
    EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 1}, "still here", 10, 5, 20 * HXB_SECOND));
    EXPECT(HXB_OK, hxb_wait(context, HXB_WAIT_MESSAGES, 20 * HXB_SECOND));
    close_both();
}

/* A child that lives on; the test kills the parent, whose buffers have to come back all the same. */
void fork_and_hold(char **arguments) {
    open_both(arguments[0], number(arguments, 1, 1));
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        close(STDOUT_FILENO);
        sleep(5);
        _exit(0);
    }
    puts("ready");
    fflush(stdout);
    hxb_message message;
    while (hxb_receive_wait(context, &message, 30 * HXB_SECOND) == HXB_OK) {
    }
}

static void *wait_for_ever(void *unused) {
    (void)unused;
    hxb_own_context(context);
    for (;;) {
        hxb_message message;
        hxb_region *region;
        if (hxb_receive_wait(context, &message, 20000000) == HXB_OK) {
            EXPECT(HXB_OK, hxb_release(context, &message));
        }
        EXPECT(HXB_OK, hxb_open_region(device, 5000, &region));
        EXPECT(HXB_OK, hxb_close_region(region));
        EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 1}, "x", 1, 0, 20 * HXB_SECOND));
        pthread_testcancel();
    }
    return NULL;
}

/* A thread that is cancelled ends between calls, never within one: no lock is held, no ring half written. */
void cancelled(char **arguments) {
    open_both(arguments[0], 1);
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        void *result;
        pthread_create(&thread, NULL, wait_for_ever, NULL);
        struct timespec pause = {0, 1000000 + i * 700000};
        nanosleep(&pause, NULL);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        CHECK(result == PTHREAD_CANCELED);
        hxb_region *region;
        EXPECT(HXB_OK, hxb_own_context(context));
        EXPECT(HXB_OK, hxb_open_region(device, 5000, &region));
        EXPECT(HXB_OK, hxb_close_region(region));
        hxb_message message;
        EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 1}, "after", 5, 123, 20 * HXB_SECOND));
        do {
            EXPECT(HXB_OK, hxb_receive_wait(context, &message, 20 * HXB_SECOND));
            EXPECT(HXB_OK, hxb_release(context, &message));
        } while (message.tag != 123);
    }
    close_both();
}
