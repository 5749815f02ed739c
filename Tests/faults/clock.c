// A clock that stands still: the time that HP_CLOCK states, in seconds since 1970, for programs that ask time(2) or gettimeofday(2).
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static time_t stated(void)
{
    const char *text = getenv("HP_CLOCK");
    return text ? (time_t)atoll(text) : 0;
}

time_t time(time_t *result)
{
    time_t now = stated();
    if (result)
        *result = now;
    return now;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    (void)zone;
    now->tv_sec = stated();
    now->tv_usec = 0;
    return 0;
}
