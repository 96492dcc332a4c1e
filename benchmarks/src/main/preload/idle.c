/*
 * For programs that look for messages all the time, where many of them share a CPU with the network: a program that gives its
 * CPU away sleeps for a moment. Preloaded.
 */
#include <sched.h>
#include <time.h>

int sched_yield(void) {
  const struct timespec moment = {0, 300000};
  return nanosleep(&moment, NULL);
}
