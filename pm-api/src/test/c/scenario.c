/* Scenarios of the tests of libhxb: `scenario NAME SOCKET [ARGUMENT...]`. Ends with 0, or prints what was wrong. */
#include "scenario.h"

#include <string.h>

hxb_device *device;
hxb_context *context;

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        void (*run)(char **arguments);
    } SCENARIOS[] = {
        {"echo", echo},           {"hold", hold},       {"ping", ping},         {"facts", facts},
        {"misuse", misuse},       {"order", order},     {"events", events},     {"polling", polling},
        {"interrupted", interrupted}, {"links", links}, {"threads", threads},   {"forks", forks},
        {"fork-and-hold", fork_and_hold}, {"cancelled", cancelled}, {"large", large}, {"large-echo", large_echo},
        {"slow", slow},
        {"hostile", hostile},     {"outlive", outlive},
        {"direct", direct},       {"direct-end", direct_end}, {"direct-full", direct_full},
        {"direct-rude", direct_rude}, {"direct-ping", direct_ping},
        {"direct-closed", direct_closed}, {"remote-use", remote_use}, {"remote-serve", remote_serve},
        {"remote-misuse", remote_misuse}, {"remote-outlive", remote_outlive},
        {"unanswered", unanswered}, {"waits-ended", waits_ended}, {"waits-signalled", waits_signalled},
        {"more-waits-ended", more_waits_ended}, {"detached-amid", detached_amid}, {"whole-api", whole_api},
        {"rpc-use", rpc_use}, {"rpc-serve", rpc_serve}, {"rpc-ask", rpc_ask},
        {"group-use", group_use}, {"group-outlive", group_outlive}, {"group-misuse", group_misuse},
    };
    for (size_t i = 0; count > 2 && i < sizeof SCENARIOS / sizeof SCENARIOS[0]; i++) {
        if (strcmp(arguments[1], SCENARIOS[i].name) == 0) {
            SCENARIOS[i].run(arguments + 2);
            return 0;
        }
    }
    fprintf(stderr, "usage: scenario NAME SOCKET [ARGUMENT...]\n");
    return 2;
}
