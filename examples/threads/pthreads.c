/* Rows dealt out to POSIX threads. Built by:   cc pthreads.c -pthread */
#include "rows.h"
#include <pthread.h>
#include <stdlib.h>

struct job {
    int part, threads;
};

static void *run(void *argument)
{
    const struct job *job = (const struct job *)argument;
    normalise_part(job->part, job->threads);
    return NULL;
}

static void normalise(int threads)
{
    pthread_t ids[MOST_THREADS];
    struct job jobs[MOST_THREADS];
    for (int part = 0; part < threads; ++part) {
        jobs[part].part = part;
        jobs[part].threads = threads;
        if (pthread_create(&ids[part], NULL, run, &jobs[part]) != 0) abort();
    }
    for (int part = 0; part < threads; ++part) pthread_join(ids[part], NULL);
}

int main(void)
{
    return compare_splits("pthreads", normalise);
}
