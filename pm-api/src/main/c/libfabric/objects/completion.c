/* Entries of completion queues and values of counters. A queue grows with what is outstanding, so that no completion is
 * ever lost. */
#include "libfabric/objects/objects.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Doubles a ring; NULL if there is no memory for that. */
static void *grow(void *ring, size_t size, size_t *capacity, size_t *head, size_t count) {
    size_t wider = *capacity == 0 ? 64 : 2 * *capacity;
    char *entries = malloc(wider * size);
    if (entries == NULL) {
        WARN("no memory for %zu completions\n", wider);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(entries + i * size, (char *)ring + (*head + i) % *capacity * size, size);
    }
    free(ring);
    *capacity = wider;
    *head = 0;
    return entries;
}

void cq_wake(struct cq *cq) {
    if (cq->is_awaited) {
        uint64_t one = 1;
        cq->is_awaited = false;
        if (write(cq->signal_fd, &one, sizeof one) != sizeof one) {
            WARN("a waiter could not be woken: %s\n", strerror(errno));
        }
    }
}

void cq_signal(struct cq *cq) {
    cq_wake(cq);
    end_naps(cq->domain);
}

/* The queue has lost a completion, and reports nothing else from now on. */
static void overrun(struct cq *cq) {
    cq->is_overrun = true;
    cq_signal(cq);
}

void cq_add(struct cq *cq, const struct completion *completion) {
    if (cq->count == cq->capacity) {
        void *wider = grow(cq->entries, sizeof *cq->entries, &cq->capacity, &cq->head, cq->count);
        if (wider == NULL) {
            overrun(cq);
            return;
        }
        cq->entries = wider;
    }
    cq->entries[(cq->head + cq->count++) & (cq->capacity - 1)] = *completion;
    cq_signal(cq);
}

void cq_add_error(struct cq *cq, const struct fi_cq_err_entry *error) {
    if (cq->error_count == cq->error_capacity) {
        void *wider = grow(cq->errors, sizeof *cq->errors, &cq->error_capacity, &cq->error_head, cq->error_count);
        if (wider == NULL) {
            overrun(cq);
            return;
        }
        cq->errors = wider;
    }
    cq->errors[(cq->error_head + cq->error_count++) & (cq->error_capacity - 1)] = *error;
    cq_signal(cq);
}

const char *error_text(int detail, char *to, size_t length) {
    const char *text = detail < 0 ? hxb_strerror(detail) : fi_strerror(detail);
    if (to != NULL && length > 0) {
        strncpy(to, text, length - 1);
        to[length - 1] = '\0';
        return to;
    }
    return text;
}

void cntr_count(struct cntr *cntr, bool is_error) {
    *(is_error ? &cntr->errors : &cntr->value) += 1;
    end_naps(cntr->domain);
}
