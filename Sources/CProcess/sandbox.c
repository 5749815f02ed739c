#define _GNU_SOURCE
#include "sandbox.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Landlock: https://docs.kernel.org/userspace-api/landlock.html. The numbers are the kernel's and the same on every
// architecture; headers of a distribution may be older than its kernel, so they are written out here.

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

enum { ask_version = 1, path_beneath = 1 };

struct hp_rules {
    uint64_t files, network, scopes;
};

struct hp_rule {
    uint64_t rights;
    int32_t target;
} __attribute__((packed));

enum {
    execute = 1 << 0,
    write_file = 1 << 1,
    read_file = 1 << 2,
    read_folder = 1 << 3,
    remove_folder = 1 << 4,
    remove_file = 1 << 5,
    make_device = 1 << 6,
    make_folder = 1 << 7,
    make_file = 1 << 8,
    make_socket = 1 << 9,
    make_fifo = 1 << 10,
    make_block_device = 1 << 11,
    make_link = 1 << 12,
    refer = 1 << 13,
    truncate_file = 1 << 14,
    control_device = 1 << 15,
};

// The access rights for files that a version knows.
static uint64_t known_rights(int version) {
    uint64_t rights = (1 << 13) - 1;
    if (version >= 2) rights |= refer;
    if (version >= 3) rights |= truncate_file;
    if (version >= 5) rights |= control_device;
    return rights;
}

int hp_landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, ask_version);
    return version > 0 ? (int)version : 0;
}

int hp_landlock_begin(int version) {
    struct hp_rules rules = {known_rights(version), 0, 0};
    // Version 4: bind and connect of TCP. Version 6: abstract sockets and signals of other processes.
    if (version >= 4) rules.network = 3;
    if (version >= 6) rules.scopes = 3;
    return (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
}

void hp_landlock_allow(int rules, int version, const char *path, int writes) {
    int target = open(path, O_PATH | O_CLOEXEC);
    struct stat status;
    if (target < 0) return;
    if (fstat(target, &status) == 0) {
        uint64_t rights = read_file, changes = write_file | truncate_file;
        if (S_ISDIR(status.st_mode)) {
            rights |= read_folder;
            changes |= remove_folder | remove_file | make_folder | make_file;
        }
        if (writes) rights |= changes;
        struct hp_rule rule = {rights & known_rights(version), target};
        // A pipe or a socket takes no rule and needs none.
        syscall(SYS_landlock_add_rule, rules, path_beneath, &rule, 0);
    }
    close(target);
}

int hp_landlock_enforce(int rules) {
    int isInForce = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return isInForce;
}

#if defined(__x86_64__)
#define HP_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HP_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef HP_ARCHITECTURE

#define CLONE_THREAD_FLAG 0x00010000
#define X32_CALLS 0x40000000

// Calls that no command makes. io_uring would get past this list.
static const uint16_t forbidden_calls[] = {
    SYS_socket, SYS_socketpair, SYS_bind, SYS_connect, SYS_listen, SYS_accept, SYS_accept4, SYS_sendto, SYS_sendmsg,
    SYS_sendmmsg, SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg,
    SYS_execve, SYS_execveat,
#ifdef SYS_fork
    SYS_fork, SYS_vfork,
#endif
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_pidfd_open, SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_userfaultfd, SYS_bpf, SYS_perf_event_open,
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_move_mount, SYS_open_tree,
    SYS_fsopen, SYS_fsmount, SYS_fspick, SYS_open_by_handle_at, SYS_name_to_handle_at,
    SYS_add_key, SYS_request_key, SYS_keyctl, SYS_memfd_create,
    SYS_mknodat,
#ifdef SYS_mknod
    SYS_mknod,
#endif
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff,
    SYS_acct, SYS_quotactl, SYS_syslog, SYS_personality, SYS_sethostname, SYS_setdomainname, SYS_settimeofday,
    SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime,
};

enum { forbidden_count = sizeof forbidden_calls / sizeof forbidden_calls[0] };

#define REFUSED(number) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (number))
#define ALLOWED BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define LOADED(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define IF(test, value, then, otherwise) BPF_JUMP(BPF_JMP | test | BPF_K, value, then, otherwise)

static const struct sock_filter head[] = {
    LOADED(arch),
    IF(BPF_JEQ, HP_ARCHITECTURE, 1, 0),
    REFUSED(EPERM),
    LOADED(nr),
    IF(BPF_JGE, X32_CALLS, 0, 1),
    REFUSED(EPERM),
    // The C library starts threads by clone where there is no clone3, whose flags a filter cannot see.
    IF(BPF_JEQ, SYS_clone3, 0, 1),
    REFUSED(ENOSYS),
    IF(BPF_JEQ, SYS_clone, 0, 4),
    LOADED(args[0]),
    IF(BPF_JSET, CLONE_THREAD_FLAG, 1, 0),
    REFUSED(EPERM),
    ALLOWED,
};

enum { head_count = sizeof head / sizeof head[0] };

// Appends a binary search in sorted numbers: the kernel runs the filter for every call that there is when it takes it.
static size_t search(struct sock_filter *filter, size_t count, const uint16_t *calls, size_t call_count) {
    if (call_count > 4) {
        size_t half = call_count / 2, place = count;
        count = search(filter, place + 1, calls, half);
        filter[place] = (struct sock_filter)IF(BPF_JGE, calls[half], (uint8_t)(count - place - 1), 0);
        return search(filter, count, calls + half, call_count - half);
    }
    for (size_t index = 0; index < call_count; index++) {
        filter[count++] = (struct sock_filter)IF(BPF_JEQ, calls[index], 0, 1);
        filter[count++] = (struct sock_filter)REFUSED(EPERM);
    }
    filter[count++] = (struct sock_filter)ALLOWED;
    return count;
}

static int compare(const void *one, const void *other) {
    return (int)*(const uint16_t *)one - (int)*(const uint16_t *)other;
}

int hp_forbid_calls(void) {
    uint16_t calls[forbidden_count];
    struct sock_filter filter[head_count + 4 * forbidden_count];
    memcpy(calls, forbidden_calls, sizeof calls);
    qsort(calls, forbidden_count, sizeof calls[0], compare);
    memcpy(filter, head, sizeof head);
    size_t count = search(filter, head_count, calls, forbidden_count);
    struct sock_fprog program = {(unsigned short)count, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#else

int hp_forbid_calls(void) { return 0; }

#endif

#else

int hp_landlock_version(void) { return 0; }
int hp_landlock_begin(int version) { return -1; }
void hp_landlock_allow(int rules, int version, const char *path, int writes) {}
int hp_landlock_enforce(int rules) { return 0; }
int hp_forbid_calls(void) { return 0; }

#endif
