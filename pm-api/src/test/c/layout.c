/* Prints the offsets that libhxb computes for a context, for comparison with those of Java. */
#include "rings/rings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
    for (int i = 1; i + 1 < count; i += 2) {
        struct control_layout layout;
        control_layout(&layout, atoi(arguments[i]), atoi(arguments[i + 1]));
        printf("%s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
               arguments[i], arguments[i + 1], layout.submissions, layout.completions, layout.shorts,
               layout.deliveries, layout.releases, layout.events, layout.length);
    }
    return 0;
}
