/* Records what a process writes below a folder: LD_PRELOAD=recorder.so RECORD_UNDER=folder RECORD_TO=log program.
 *
 * Each record: operation, inode, offset, length of the path, length of the data (64 bits each), path, data.
 * Operations: C create, W write, T truncate, S sync, R rename (data: new path), U unlink, M make folder, L link.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int out = -1;
static const char *under;

__attribute__((constructor)) static void begin(void) {
    const char *to = getenv("RECORD_TO");
    under = getenv("RECORD_UNDER");
    if (to && under) out = syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

#define REAL(name, type, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static int inside(const char *path) { return out >= 0 && path && !strncmp(path, under, strlen(under)); }

static void put(char op, uint64_t inode, uint64_t offset, const char *path, const void *data, uint64_t size) {
    uint64_t head[5] = {(uint64_t)op, inode, offset, strlen(path), size};
    struct iovec parts[3] = {{head, sizeof head}, {(void *)path, head[3]}, {(void *)data, size}};
    int kept = errno;
    syscall(SYS_writev, out, parts, 3);
    errno = kept;
}

/* Puts what happens to an open file, by its inode: its name may change. */
static void put_fd(char op, int fd, uint64_t offset, const void *data, uint64_t size) {
    char link[64], path[PATH_MAX];
    struct stat about;
    int kept = errno;
    if (out < 0 || fd == out) return;
    strcpy(link, "/proc/self/fd/");
    char digits[16]; int n = 0, rest = fd;
    do digits[n++] = '0' + rest % 10; while (rest /= 10);
    int at = strlen(link);
    while (n) link[at++] = digits[--n];
    link[at] = 0;
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length > 0) {
        path[length] = 0;
        if (inside(path) && !fstat(fd, &about)) put(op, about.st_ino, offset, path, data, size);
    }
    errno = kept;
}

static uint64_t inode_of(const char *path) {
    struct stat about;
    int kept = errno;
    uint64_t inode = lstat(path, &about) ? 0 : about.st_ino;
    errno = kept;
    return inode;
}

static int opened(int (*real)(int, const char *, int, ...), int at, const char *path, int flags, mode_t mode) {
    int absent = (flags & O_CREAT) && inside(path) && !inode_of(path);
    pthread_mutex_lock(&lock);
    int fd = real(at, path, flags, mode);
    if (fd >= 0 && absent) put('C', inode_of(path), 0, path, "", 0);
    else if (fd >= 0 && (flags & O_TRUNC)) put_fd('T', fd, 0, "", 0);
    pthread_mutex_unlock(&lock);
    return fd;
}

#define MODE() mode_t mode = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); }
int openat(int at, const char *path, int flags, ...) { REAL("openat", int, int, const char *, int, ...); MODE(); return opened(real, at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { REAL("openat64", int, int, const char *, int, ...); MODE(); return opened(real, at, path, flags, mode); }
int open(const char *path, int flags, ...) { REAL("openat", int, int, const char *, int, ...); MODE(); return opened(real, AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { REAL("openat64", int, int, const char *, int, ...); MODE(); return opened(real, AT_FDCWD, path, flags, mode); }

#define LOCKED(call) pthread_mutex_lock(&lock); __typeof__(call) done = call
#define UNLOCKED pthread_mutex_unlock(&lock); return done

ssize_t write(int fd, const void *data, size_t size) {
    REAL("write", ssize_t, int, const void *, size_t);
    LOCKED(real(fd, data, size));
    if (done > 0 && out >= 0) { off_t end = syscall(SYS_lseek, fd, 0, SEEK_CUR); if (end >= done) put_fd('W', fd, end - done, data, done); }
    UNLOCKED;
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    REAL("pwrite", ssize_t, int, const void *, size_t, off_t);
    LOCKED(real(fd, data, size, at));
    if (done > 0) put_fd('W', fd, at, data, done);
    UNLOCKED;
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    REAL("pwrite64", ssize_t, int, const void *, size_t, off64_t);
    LOCKED(real(fd, data, size, at));
    if (done > 0) put_fd('W', fd, at, data, done);
    UNLOCKED;
}
int ftruncate(int fd, off_t size) { REAL("ftruncate", int, int, off_t); LOCKED(real(fd, size)); if (!done) put_fd('T', fd, size, "", 0); UNLOCKED; }
int ftruncate64(int fd, off64_t size) { REAL("ftruncate64", int, int, off64_t); LOCKED(real(fd, size)); if (!done) put_fd('T', fd, size, "", 0); UNLOCKED; }
int fsync(int fd) { REAL("fsync", int, int); LOCKED(real(fd)); if (!done) put_fd('S', fd, 0, "", 0); UNLOCKED; }
int fdatasync(int fd) { REAL("fdatasync", int, int); LOCKED(real(fd)); if (!done) put_fd('S', fd, 0, "", 0); UNLOCKED; }
int rename(const char *from, const char *to) { REAL("rename", int, const char *, const char *); LOCKED(real(from, to)); if (!done && inside(to)) put('R', inode_of(to), 0, from, to, strlen(to)); UNLOCKED; }
int unlink(const char *path) { REAL("unlink", int, const char *); LOCKED(real(path)); if (!done && inside(path)) put('U', 0, 0, path, "", 0); UNLOCKED; }
int mkdir(const char *path, mode_t mode) { REAL("mkdir", int, const char *, mode_t); LOCKED(real(path, mode)); if (!done && inside(path)) put('M', inode_of(path), 0, path, "", 0); UNLOCKED; }
int link(const char *from, const char *to) { REAL("link", int, const char *, const char *); LOCKED(real(from, to)); if (!done && inside(to)) put('L', inode_of(to), 0, from, to, strlen(to)); UNLOCKED; }
