/* Preloaded: lets the k-th call that changes something on a disk fail, or ends the process there.

   cc -shared -fPIC -o shim.so shim.c -ldl;  fault_arm(k, mode) from Python, by ctypes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { COUNT, KILL_BEFORE, KILL_AFTER, KILL_TORN, NO_SPACE, IO_ERROR, INTERRUPTED, NO_SPACE_EVER };
enum { GO_ON, FAIL, END_AFTER, TEAR };

static int chosen = -1, mode = COUNT, count = 0;

void fault_arm(int k, int how) { chosen = k; mode = how; count = 0; }
void fault_disarm(void) { chosen = -1; mode = COUNT; }
int fault_count(void) { return count; }

static void end(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

static int fate(int writes) {
    int number = count++;
    if (mode == COUNT || number < chosen || (number > chosen && mode != NO_SPACE_EVER)) return GO_ON;
    switch (mode) {
    case KILL_BEFORE: end();
    case KILL_AFTER: return END_AFTER;
    case KILL_TORN: return writes ? TEAR : END_AFTER;
    case IO_ERROR: errno = EIO; return FAIL;
    case INTERRUPTED: errno = EINTR; return FAIL;
    default: errno = ENOSPC; return FAIL;
    }
}

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define CALL(writes, type, call) \
    int next = fate(writes); \
    if (next == FAIL) return -1; \
    type found = call; \
    if (next != GO_ON) end(); \
    return found
#define WRITE(name, parameters, half, whole) \
    ssize_t name parameters { REAL(name); if (fd <= 2) return real whole; \
        int next = fate(1); if (next == FAIL) return -1; \
        if (next == TEAR) { ssize_t some = real half; (void)some; end(); } \
        ssize_t found = real whole; if (next != GO_ON) end(); return found; }

WRITE(write, (int fd, const void *from, size_t size), (fd, from, size / 2), (fd, from, size))
WRITE(pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size / 2, at), (fd, from, size, at))
WRITE(pwrite64, (int fd, const void *from, size_t size, off64_t at), (fd, from, size / 2, at), (fd, from, size, at))

/* Nothing is really flushed: the power stays on, and the tests take a tenth of the time. */
int fsync(int fd) { (void)fd; CALL(0, int, 0); }
int fdatasync(int fd) { (void)fd; CALL(0, int, 0); }
int ftruncate(int fd, off_t size) { REAL(ftruncate); CALL(0, int, real(fd, size)); }
int ftruncate64(int fd, off64_t size) { REAL(ftruncate64); CALL(0, int, real(fd, size)); }
int link(const char *from, const char *to) { REAL(link); CALL(0, int, real(from, to)); }
int linkat(int a, const char *from, int b, const char *to, int flags) { REAL(linkat); CALL(0, int, real(a, from, b, to, flags)); }
int rename(const char *from, const char *to) { REAL(rename); CALL(0, int, real(from, to)); }
int unlink(const char *path) { REAL(unlink); CALL(0, int, real(path)); }
int unlinkat(int fd, const char *path, int flags) { REAL(unlinkat); CALL(0, int, real(fd, path, flags)); }
int fchmod(int fd, mode_t bits) { REAL(fchmod); CALL(0, int, real(fd, bits)); }
int futimens(int fd, const struct timespec times[2]) { REAL(futimens); CALL(0, int, real(fd, times)); }
int mkdir(const char *path, mode_t bits) { REAL(mkdir); CALL(0, int, real(path, bits)); }

#define MAKES(flags) ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE)
#define BITS va_list more; va_start(more, flags); mode_t bits = MAKES(flags) ? va_arg(more, mode_t) : 0; va_end(more)
#define OPEN(name, parameters, arguments) \
    int name parameters { REAL(name); BITS; if (!MAKES(flags)) return real arguments; CALL(0, int, real arguments); }

OPEN(open, (const char *path, int flags, ...), (path, flags, bits))
OPEN(open64, (const char *path, int flags, ...), (path, flags, bits))
OPEN(openat, (int fd, const char *path, int flags, ...), (fd, path, flags, bits))
OPEN(openat64, (int fd, const char *path, int flags, ...), (fd, path, flags, bits))
