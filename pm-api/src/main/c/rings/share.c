/* The shares of destinations in the send buffers of a context, or in its operations on remote memory, and whether a
 * destination may have another one. The classes Shares and DestinationTable of io.hxb.pm.share explain the rule. */
#include "rings/rings.h"

#include <stdlib.h>

#define FIRST_CAPACITY 64

static uint32_t bucket_of(const struct shares *shares, uint64_t key) {
    return (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & ((uint32_t)shares->capacity * 2 - 1);
}

static bool make_room(struct shares *shares, int capacity) {
    struct share *all = realloc(shares->all, (size_t)capacity * sizeof *all);
    if (all == NULL) {
        return false;
    }
    shares->all = all;
    int *first = malloc((size_t)capacity * 2 * sizeof *first);
    if (first == NULL) {
        return false;
    }
    free(shares->first);
    shares->first = first;
    shares->capacity = capacity;
    for (int i = 0; i < 2 * capacity; i++) {
        first[i] = NONE;
    }
    for (int i = 0; i < shares->count; i++) {
        uint32_t bucket = bucket_of(shares, all[i].key);
        all[i].next = first[bucket];
        first[bucket] = i;
    }
    return true;
}

bool shares_open(struct shares *shares, int buffers) {
    *shares = (struct shares){.buffers = buffers, .free = buffers, .last_key = UINT64_MAX};
    return make_room(shares, FIRST_CAPACITY);
}

void shares_close(struct shares *shares) {
    free(shares->all);
    free(shares->first);
}

int share_find(const struct shares *shares, uint64_t key) {
    int at = shares->first[bucket_of(shares, key)];
    while (at != NONE && shares->all[at].key != key) {
        at = shares->all[at].next;
    }
    return at;
}

static bool is_in_use(const struct share *share) {
    return share->messages > 0 || share->is_kept;
}

/* A number of which nothing is known, out of its chain; NONE if there is no memory for more. */
static int take_number(struct shares *shares) {
    bool is_crowded = 2 * (shares->busy + shares->kept) > shares->capacity;
    if (shares->count == shares->capacity && is_crowded && !make_room(shares, 2 * shares->capacity)
        && shares->busy + shares->kept == shares->capacity) {
        return NONE;
    }
    if (shares->count < shares->capacity) {
        return shares->count++;
    }
    /* At least half of them are of no use: looks at two on average. */
    while (is_in_use(&shares->all[shares->hand])) {
        shares->hand = shares->hand + 1 < shares->capacity ? shares->hand + 1 : 0;
    }
    int *at = &shares->first[bucket_of(shares, shares->all[shares->hand].key)];
    while (*at != shares->hand) {
        at = &shares->all[*at].next;
    }
    *at = shares->all[shares->hand].next;
    return shares->hand;
}

int share_add(struct shares *shares, uint64_t key) {
    int number = share_find(shares, key);
    if (number == NONE) {
        number = take_number(shares);
        if (number == NONE) {
            return NONE;
        }
        uint32_t bucket = bucket_of(shares, key);
        shares->all[number] = (struct share){
            .key = key, .next = shares->first[bucket], .max_messages = INT32_MAX, .max_wait_ns = HXB_FOREVER};
        shares->first[bucket] = number;
    }
    shares->last_key = key;
    shares->last = number;
    return number;
}
