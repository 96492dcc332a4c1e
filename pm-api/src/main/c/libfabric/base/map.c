/* Maps of numbers to numbers. */
#include "libfabric/base/base.h"

#include <stdlib.h>

static struct pair *pair_of(const struct map *map, uint64_t key) {
    size_t at = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (map->size - 1);
    while (map->pairs[at].key != key && map->pairs[at].key != NO_KEY) {
        at = (at + 1) & (map->size - 1);
    }
    return &map->pairs[at];
}

uint64_t map_get(const struct map *map, uint64_t key, uint64_t otherwise) {
    const struct pair *pair = map->count == 0 ? NULL : pair_of(map, key);
    return pair != NULL && pair->key == key ? pair->value : otherwise;
}

static bool map_grow(struct map *map) {
    struct map wider = {.size = map->size == 0 ? 64 : 2 * map->size, .count = map->count};
    wider.pairs = malloc(wider.size * sizeof *wider.pairs);
    if (wider.pairs == NULL) {
        return false;
    }
    for (size_t i = 0; i < wider.size; i++) {
        wider.pairs[i].key = NO_KEY;
    }
    for (size_t i = 0; i < map->size; i++) {
        if (map->pairs[i].key != NO_KEY) {
            *pair_of(&wider, map->pairs[i].key) = map->pairs[i];
        }
    }
    free(map->pairs);
    *map = wider;
    return true;
}

bool map_set(struct map *map, uint64_t key, uint64_t value) {
    if (2 * map->count >= map->size && !map_grow(map)) {
        return false;
    }
    struct pair *pair = pair_of(map, key);
    map->count += pair->key == NO_KEY;
    *pair = (struct pair){key, value};
    return true;
}
