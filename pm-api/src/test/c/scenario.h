/* Shared by the files of the program `scenario`. */
#ifndef HXB_SCENARIO_H
#define HXB_SCENARIO_H

#include "hxb.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                              \
    do {                                                                                              \
        if (!(condition)) {                                                                           \
            fprintf(stderr, "line %d: %s: last error: %s\n", __LINE__, #condition, hxb_last_error()); \
            exit(1);                                                                                  \
        }                                                                                             \
    } while (0)

#define EXPECT(expected, call)                                                                                       \
    do {                                                                                                             \
        long long got_ = (call);                                                                                     \
        if (got_ != (expected)) {                                                                                    \
            fprintf(stderr, "line %d: %s is %lld (%s) instead of %s: last error: %s\n", __LINE__, #call, got_,       \
                    hxb_result_name((int)got_), #expected, hxb_last_error());                                        \
            exit(1);                                                                                                 \
        }                                                                                                            \
    } while (0)

extern hxb_device *device;
extern hxb_context *context;

static inline void open_both(const char *socket, int id) {
    EXPECT(HXB_OK, hxb_attach(socket, &device));
    EXPECT(HXB_OK, hxb_open_context(device, id, NULL, &context));
}

static inline void close_both(void) {
    EXPECT(HXB_OK, hxb_close_context(context));
    EXPECT(HXB_OK, hxb_detach(device));
}

static inline int number(char **arguments, int index, int otherwise) {
    return arguments[index] != NULL ? atoi(arguments[index]) : otherwise;
}

static inline uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Applications that serve a test (scenario_serve.c). */
void echo(char **arguments);
void hold(char **arguments);
void ping(char **arguments);

/* Messages (scenario_message.c). */
void facts(char **arguments);
void misuse(char **arguments);
void order(char **arguments);
void slow(char **arguments);

/* Waiting and events (scenario_event.c). */
void events(char **arguments);
void polling(char **arguments);
void interrupted(char **arguments);
void links(char **arguments);

/* Threads, forks, cancellation (scenario_process.c). */
void threads(char **arguments);
void forks(char **arguments);
void fork_and_hold(char **arguments);
void cancelled(char **arguments);
int count_open_files(void);

/* Large messages (scenario_large.c). */
void large(char **arguments);
void large_echo(char **arguments);

/* Nodes that are gone, stand still, or are none (scenario_hostile.c). */
void hostile(char **arguments);
void outlive(char **arguments);

/* Direct rings (scenario_direct.c). */
void direct(char **arguments);
void direct_end(char **arguments);
void direct_full(char **arguments);
void direct_closed(char **arguments);
void direct_rude(char **arguments);
void direct_ping(char **arguments);

/* Influences from outside (scenario_outside.c). */
void unanswered(char **arguments);
void waits_ended(char **arguments);
void more_waits_ended(char **arguments);
void waits_signalled(char **arguments);
void detached_amid(char **arguments);
void whole_api(char **arguments);

/* Remote memory (scenario_remote.c). */
void remote_use(char **arguments);
void remote_serve(char **arguments);
void remote_misuse(char **arguments);
void remote_outlive(char **arguments);

/* Requests and replies (scenario_rpc.c). */
void rpc_use(char **arguments);
void rpc_serve(char **arguments);
void rpc_ask(char **arguments);

/* Groups (scenario_group.c). */
void group_use(char **arguments);
void group_outlive(char **arguments);
void group_misuse(char **arguments);

#endif
