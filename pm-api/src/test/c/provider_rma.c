/* Remote memory and atomic operations. */
#include "provider.h"

void remote(char **arguments) {
    (void)arguments;
}

void atomic(char **arguments) {
    (void)arguments;
}
