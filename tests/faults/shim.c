/* Preloaded: makes the k-th write, flush or rename below a folder fail, or kills the process there.

   fault_arm(kind, at, sticky, folder): kind is an errno, or 0 for SIGKILL (a write is torn first);
   at counts from 1, 0 only counts; sticky: every later one fails too, as on a full disk.
   fault_count(): how many there were. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int armed, kind, sticky;
static long at, count;
static char folder[PATH_MAX];
static size_t length;

void fault_arm(int new_kind, long new_at, int new_sticky, const char *new_folder)
{
    kind = new_kind, at = new_at, sticky = new_sticky, count = 0;
    strncpy(folder, new_folder, sizeof folder - 1);
    length = strlen(folder);
    armed = 1;
}

long fault_count(void) { return count; }

static int below(const char *path)
{
    char whole[PATH_MAX];
    if (path[0] == '/' || getcwd(whole, sizeof whole) == NULL)
        return strncmp(path, folder, length) == 0;
    return strncmp(whole, folder, length) == 0;
}

static int open_below(int fd)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t found = readlink(link, path, sizeof path - 1);
    if (found < 0)
        return 0;
    path[found] = 0;
    return below(path);
}

static int due(void)
{
    long now = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    return at && (now == at || (sticky && now > at));
}

static int fails(void)
{
    if (kind == 0)
        kill(getpid(), SIGKILL);
    errno = kind;
    return 1;
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *data, size_t size)
{
    REAL(write);
    if (armed && open_below(fd) && due()) {
        if (kind == 0)
            real(fd, data, size / 2);
        if (fails())
            return -1;
    }
    return real(fd, data, size);
}

#define POSITIONED(name, offset_type)                                       \
    ssize_t name(int fd, const void *data, size_t size, offset_type where)  \
    {                                                                       \
        REAL(name);                                                         \
        if (armed && open_below(fd) && due()) {                             \
            if (kind == 0)                                                  \
                real(fd, data, size / 2, where);                            \
            if (fails())                                                    \
                return -1;                                                  \
        }                                                                   \
        return real(fd, data, size, where);                                 \
    }
POSITIONED(pwrite, off_t)
POSITIONED(pwrite64, off64_t)

ssize_t writev(int fd, const struct iovec *parts, int number)
{
    REAL(writev);
    if (armed && open_below(fd) && due() && fails())
        return -1;
    return real(fd, parts, number);
}

#define FLUSHING(name)                                        \
    int name(int fd)                                          \
    {                                                         \
        REAL(name);                                           \
        if (armed && open_below(fd) && due() && fails())      \
            return -1;                                        \
        return real(fd);                                      \
    }
FLUSHING(fsync)
FLUSHING(fdatasync)

int rename(const char *from, const char *to)
{
    REAL(rename);
    if (armed && below(to) && due() && fails())
        return -1;
    return real(from, to);
}

int renameat(int a, const char *from, int b, const char *to)
{
    REAL(renameat);
    if (armed && below(to) && due() && fails())
        return -1;
    return real(a, from, b, to);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned int flags)
{
    REAL(renameat2);
    if (armed && below(to) && due() && fails())
        return -1;
    return real(a, from, b, to, flags);
}
