/* Matching: a message is for the first posted receive that it fits. Receives that ignore the same bits
 * of the tag lie in hash buckets by the other bits, so that a thousand of them cost no scan. */
#include "libfabric/objects/objects.h"

#include <stdlib.h>

static struct op *op_of(struct link *link) {
    return OWNER(link, struct op, link);
}

static struct incoming *incoming_of(struct link *link) {
    return OWNER(link, struct incoming, link);
}

void match_init(struct matcher *matcher) {
    memset(matcher, 0, sizeof *matcher);
    list_init(&matcher->others);
    list_init(&matcher->unexpected);
    list_init(&matcher->claimed);
}

static void free_all(struct link *list) {
    while (!list_is_empty(list)) {
        struct op *op = op_of(list->next);
        list_remove(&op->link);
        op_free(op);
    }
}

/* Messages that nobody asked for are the endpoint's to free. */
void match_free(struct matcher *matcher) {
    for (int i = 0; i < matcher->class_count; i++) {
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            free_all(&matcher->classes[i]->buckets[bucket]);
        }
        free(matcher->classes[i]);
    }
    free_all(&matcher->others);
}

static uint64_t hash_of(uint64_t ignore, bool is_directed, uint64_t peer, uint64_t tag) {
    uint64_t hash = (tag & ~ignore) * UINT64_C(0x9E3779B97F4A7C15);
    if (is_directed) {
        hash ^= (peer + 1) * UINT64_C(0xC2B2AE3D27D4EB4F);
    }
    return (hash ^ hash >> 32) * UINT64_C(0x9E3779B97F4A7C15);
}

static struct link *bucket_of(struct mask_class *class, uint64_t peer, uint64_t tag) {
    return &class->buckets[hash_of(class->ignore, class->is_directed, peer, tag) >> 56];
}

static struct mask_class *find_class(const struct matcher *matcher, uint64_t ignore, bool is_directed) {
    for (int i = 0; i < matcher->class_count; i++) {
        struct mask_class *class = matcher->classes[i];
        if (class->ignore == ignore && class->is_directed == is_directed) {
            return class;
        }
    }
    return NULL;
}

/* NULL if there are too many kinds of receives, or there is no memory. A kind that has no receives left gives its place
 * to another one. */
static struct mask_class *class_for(struct matcher *matcher, uint64_t ignore, bool is_directed) {
    struct mask_class *class = find_class(matcher, ignore, is_directed);
    if (class != NULL) {
        return class;
    }
    if (matcher->class_count < MASKS) {
        class = malloc(sizeof *class);
        if (class == NULL) {
            return NULL;
        }
        for (int i = 0; i < BUCKETS; i++) {
            list_init(&class->buckets[i]);
        }
        class->count = 0;
        matcher->classes[matcher->class_count++] = class;
    } else {
        for (int i = 0; i < MASKS && class == NULL; i++) {
            class = matcher->classes[i]->count == 0 ? matcher->classes[i] : NULL;
        }
        if (class == NULL) {
            return NULL;
        }
    }
    class->ignore = ignore;
    class->is_directed = is_directed;
    return class;
}

/* A receive among `others` comes before later ones of its kind that lie in a bucket: match_take compares all kinds. */
void match_post(struct matcher *matcher, struct op *op) {
    struct mask_class *class = class_for(matcher, op->ignore, op->peer != ANY);
    op->is_classed = class != NULL;
    op->is_posted = true;
    matcher->posted++;
    if (class == NULL) {
        list_add(&matcher->others, &op->link);
    } else {
        class->count++;
        list_add(bucket_of(class, op->peer, op->tag), &op->link);
    }
}

void match_remove(struct matcher *matcher, struct op *op) {
    list_remove(&op->link);
    op->is_posted = false;
    matcher->posted--;
    if (op->is_classed) {
        find_class(matcher, op->ignore, op->peer != ANY)->count--;
    }
}

static bool fits(uint64_t wanted_peer, uint64_t wanted_tag, uint64_t ignore, uint64_t peer, uint64_t tag) {
    return (wanted_peer == ANY || wanted_peer == peer) && ((wanted_tag ^ tag) & ~ignore) == 0;
}

/* The first of a list that a message fits. */
static struct op *first(struct link *list, uint64_t peer, uint64_t tag) {
    for (struct link *at = list->next; at != list; at = at->next) {
        struct op *op = op_of(at);
        if (fits(op->peer, op->tag, op->ignore, peer, tag)) {
            return op;
        }
    }
    return NULL;
}

struct op *match_take(struct matcher *matcher, uint64_t peer, uint64_t tag) {
    if (matcher->posted == 0) {
        return NULL;
    }
    struct op *best = first(&matcher->others, peer, tag);
    for (int i = 0; i < matcher->class_count; i++) {
        struct mask_class *class = matcher->classes[i];
        struct op *op = class->count == 0 ? NULL : first(bucket_of(class, peer, tag), peer, tag);
        if (op != NULL && (best == NULL || op->order < best->order)) {
            best = op;
        }
    }
    if (best != NULL && !best->is_multi) {
        match_remove(matcher, best);
    }
    return best;
}

/* The receive that is searched for; NULL and ANY for all. */
struct wanted {
    const void *context;
    uint64_t peer;
};

static struct op *search(struct link *list, const struct wanted *wanted) {
    for (struct link *at = list->next; at != list; at = at->next) {
        struct op *op = op_of(at);
        if ((wanted->context == NULL || op->context == wanted->context)
            && (wanted->peer == ANY || op->peer == wanted->peer)) {
            return op;
        }
    }
    return NULL;
}

static struct op *search_all(struct matcher *matcher, const struct wanted *wanted) {
    struct op *op = search(&matcher->others, wanted);
    for (int i = 0; i < matcher->class_count && op == NULL; i++) {
        struct mask_class *class = matcher->classes[i];
        for (int bucket = 0; bucket < BUCKETS && class->count > 0 && op == NULL; bucket++) {
            op = search(&class->buckets[bucket], wanted);
        }
    }
    if (op != NULL) {
        match_remove(matcher, op);
    }
    return op;
}

struct op *match_cancel(struct matcher *matcher, const void *context) {
    return context == NULL ? NULL : search_all(matcher, &(struct wanted){context, ANY});
}

struct op *match_of_peer(struct matcher *matcher, uint64_t peer) {
    return search_all(matcher, &(struct wanted){NULL, peer});
}

struct op *match_any(struct matcher *matcher) {
    return search_all(matcher, &(struct wanted){NULL, ANY});
}

/* ---- Messages that nobody has asked for ---- */

/* Up to so many are looked through; beyond them, those that a receive may want are found by tables of their tags, one
 * for each set of bits that receives ignore, as for the receives themselves. */
enum { SCANNED = 64, FIRST_BUCKETS = 256, BUCKET_LOAD = 4 };

static struct link *index_bucket(const struct tag_index *index, uint64_t peer, uint64_t tag) {
    return &index->buckets[hash_of(index->ignore, index->is_directed, peer, tag) >> 32 & (index->size - 1)];
}

/* An index without memory for its table has none, and is not used. */
static void fill_index(struct matcher *matcher, int number) {
    struct tag_index *index = &matcher->indexes[number];
    free(index->buckets);
    index->buckets = malloc(index->size * sizeof *index->buckets);
    for (size_t i = 0; index->buckets != NULL && i < index->size; i++) {
        list_init(&index->buckets[i]);
    }
    for (struct link *at = matcher->unexpected.next; at != &matcher->unexpected; at = at->next) {
        struct incoming *incoming = incoming_of(at);
        list_init(&incoming->hashed[number]);
        if (index->buckets != NULL) {
            list_add(index_bucket(index, incoming->peer, incoming->tag), &incoming->hashed[number]);
        }
    }
}

static const struct tag_index *index_for(struct matcher *matcher, uint64_t ignore, bool is_directed, int *number) {
    for (int i = 0; i < matcher->index_count; i++) {
        if (matcher->indexes[i].ignore == ignore && matcher->indexes[i].is_directed == is_directed) {
            *number = i;
            return &matcher->indexes[i];
        }
    }
    if (matcher->index_count < INDEXES) {
        *number = matcher->index_count++;
        matcher->indexes[*number].buckets = NULL;
    } else {
        *number = matcher->oldest_index++ % INDEXES;
    }
    struct tag_index *index = &matcher->indexes[*number];
    index->ignore = ignore;
    index->is_directed = is_directed;
    for (index->size = FIRST_BUCKETS; index->size < matcher->unexpected_count;) {
        index->size *= 2;
    }
    fill_index(matcher, *number);
    return index;
}

void match_keep(struct matcher *matcher, struct incoming *incoming) {
    incoming->matcher = matcher;
    matcher->unexpected_count++;
    list_add(&matcher->unexpected, &incoming->link);
    for (int i = 0; i < matcher->index_count; i++) {
        struct tag_index *index = &matcher->indexes[i];
        if (matcher->unexpected_count > BUCKET_LOAD * index->size) {
            index->size *= 2 * BUCKET_LOAD;
            fill_index(matcher, i);
        } else if (index->buckets != NULL) {
            list_add(index_bucket(index, incoming->peer, incoming->tag), &incoming->hashed[i]);
        }
    }
}

void match_forget(struct incoming *incoming) {
    struct matcher *matcher = incoming->matcher;
    list_remove(&incoming->link);
    if (matcher == NULL) {
        return;
    }
    incoming->matcher = NULL;
    for (int i = 0; i < matcher->index_count; i++) {
        list_remove(&incoming->hashed[i]);
    }
    if (--matcher->unexpected_count == 0) {
        for (int i = 0; i < matcher->index_count; i++) {
            free(matcher->indexes[i].buckets);
        }
        matcher->index_count = 0;
    }
}

void match_claim(struct matcher *matcher, struct incoming *incoming, void *claimer) {
    match_forget(incoming);
    incoming->claimer = claimer;
    list_add(&matcher->claimed, &incoming->link);
}

static struct incoming *first_unexpected(struct matcher *matcher, uint64_t peer, uint64_t tag, uint64_t ignore) {
    for (struct link *at = matcher->unexpected.next; at != &matcher->unexpected; at = at->next) {
        struct incoming *incoming = incoming_of(at);
        if (fits(peer, tag, ignore, incoming->peer, incoming->tag)) {
            return incoming;
        }
    }
    return NULL;
}

struct incoming *match_unexpected(struct matcher *matcher, uint64_t peer, uint64_t tag, uint64_t ignore) {
    if (matcher->unexpected_count <= SCANNED) {
        return first_unexpected(matcher, peer, tag, ignore);
    }
    int number;
    const struct tag_index *index = index_for(matcher, ignore, peer != ANY, &number);
    if (index->buckets == NULL) {
        return first_unexpected(matcher, peer, tag, ignore);
    }
    struct link *bucket = index_bucket(index, peer, tag);
    for (struct link *at = bucket->next; at != bucket; at = at->next) {
        struct incoming *incoming = OWNER(at - number, struct incoming, hashed);
        if (fits(peer, tag, ignore, incoming->peer, incoming->tag)) {
            return incoming;
        }
    }
    return NULL;
}

struct incoming *match_claimed(struct matcher *matcher, const void *claimer) {
    for (struct link *at = matcher->claimed.next; at != &matcher->claimed; at = at->next) {
        if (incoming_of(at)->claimer == claimer) {
            return incoming_of(at);
        }
    }
    return NULL;
}

struct incoming *match_neighbour(const struct incoming *incoming, bool is_next) {
    struct link *at = is_next ? incoming->link.next : incoming->link.previous;
    return incoming->matcher == NULL || at == &incoming->matcher->unexpected ? NULL : incoming_of(at);
}
