/* Preloaded: makes the k-th call that changes the disk below a folder fail, or kills the process there:
   open for writing, write, flush, rename, unlink, link, make or remove a folder, truncate, copy.

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
#include <stdarg.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
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

static int below_at(int at_folder, const char *path)
{
    return path[0] == '/' || at_folder == AT_FDCWD ? below(path) : open_below(at_folder);
}

static int due(void)
{
    long now = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    return at && (now == at || (sticky && now > at));
}

static int due_once(void) /* of what needs no room */
{
    long now = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    return at && now == at;
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

#define OPENED(where, call)                                                  \
    mode_t mode = 0;                                                         \
    if (flags & (O_CREAT | __O_TMPFILE)) {                                   \
        va_list rest;                                                        \
        va_start(rest, flags);                                               \
        mode = va_arg(rest, mode_t);                                         \
        va_end(rest);                                                        \
    }                                                                        \
    if (armed && (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) && where && due() && fails()) \
        return -1;                                                           \
    return call

int open(const char *path, int flags, ...)
{
    REAL(open);
    OPENED(below(path), real(path, flags, mode));
}

int open64(const char *path, int flags, ...)
{
    REAL(open64);
    OPENED(below(path), real(path, flags, mode));
}

int openat(int folder_at, const char *path, int flags, ...)
{
    REAL(openat);
    OPENED(below_at(folder_at, path), real(folder_at, path, flags, mode));
}

int openat64(int folder_at, const char *path, int flags, ...)
{
    REAL(openat64);
    OPENED(below_at(folder_at, path), real(folder_at, path, flags, mode));
}

#define FILE_OPENED(name)                                                    \
    FILE *name(const char *path, const char *mode)                           \
    {                                                                        \
        REAL(name);                                                          \
        if (armed && strpbrk(mode, "wa+") && below(path) && due() && fails()) \
            return NULL;                                                     \
        return real(path, mode);                                             \
    }
FILE_OPENED(fopen)
FILE_OPENED(fopen64)

#define OF(name, parameters, arguments, where, when) \
    int name parameters                              \
    {                                                \
        REAL(name);                                  \
        if (armed && (where) && when() && fails())   \
            return -1;                               \
        return real arguments;                       \
    }
#define OF_PATH(name, parameters, arguments, where) OF(name, parameters, arguments, where, due)
#define FREEING(name, parameters, arguments, where) OF(name, parameters, arguments, where, due_once)
FREEING(unlink, (const char *path), (path), below(path))
FREEING(unlinkat, (int at_, const char *path, int flags), (at_, path, flags), below_at(at_, path))
FREEING(rmdir, (const char *path), (path), below(path))
OF_PATH(mkdir, (const char *path, mode_t mode), (path, mode), below(path))
OF_PATH(mkdirat, (int at_, const char *path, mode_t mode), (at_, path, mode), below_at(at_, path))
OF_PATH(link, (const char *from, const char *to), (from, to), below(to))
OF_PATH(linkat, (int a, const char *from, int b, const char *to, int flags),
        (a, from, b, to, flags), below_at(b, to))
OF_PATH(symlink, (const char *from, const char *to), (from, to), below(to))
OF_PATH(symlinkat, (const char *from, int b, const char *to), (from, b, to), below_at(b, to))
OF_PATH(truncate, (const char *path, off_t size), (path, size), below(path))
OF_PATH(truncate64, (const char *path, off64_t size), (path, size), below(path))
OF_PATH(fchmod, (int fd, mode_t mode), (fd, mode), open_below(fd))
OF_PATH(futimens, (int fd, const struct timespec times[2]), (fd, times), open_below(fd))
OF_PATH(ftruncate, (int fd, off_t size), (fd, size), open_below(fd))
OF_PATH(ftruncate64, (int fd, off64_t size), (fd, size), open_below(fd))

#undef sendfile
ssize_t sendfile(int out, int in, off_t *offset, size_t size)
{
    REAL(sendfile);
    if (armed && open_below(out) && due() && fails())
        return -1;
    return real(out, in, offset, size);
}

ssize_t copy_file_range(int in, off64_t *at_in, int out, off64_t *at_out, size_t size, unsigned flags)
{
    REAL(copy_file_range);
    if (armed && open_below(out) && due() && fails())
        return -1;
    return real(in, at_in, out, at_out, size, flags);
}

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
    if (armed && below(to) && due_once() && fails())
        return -1;
    return real(from, to);
}

int renameat(int a, const char *from, int b, const char *to)
{
    REAL(renameat);
    if (armed && below_at(b, to) && due_once() && fails())
        return -1;
    return real(a, from, b, to);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned int flags)
{
    REAL(renameat2);
    if (armed && below_at(b, to) && due_once() && fails())
        return -1;
    return real(a, from, b, to, flags);
}
