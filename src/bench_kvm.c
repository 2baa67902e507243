// SPDX-License-Identifier: GPL-2.0-only
/*
 * kvm-hypercall: a guest that does nothing but hypercalls which the kernel does not know, so that
 * each is an exit from the guest and an entry into it, without a way to user space. The kernel
 * accounts CPU time at both. Started by bench_run(); /dev/kvm as in Documentation/virt/kvm/api.rst.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/kvm.h>
#include "bench_null.h"
#include "clock.h"

static const struct bench_kind hypercall_kind = { .syscall = "hypercall",
						  .clock = CLK_NONE,
						  .how = "",
						  .reach = REACH_NOTHING,
						  .in = IN_HYPERCALL };

/* This cannot run here, for the reason that @what and the errno are. Returns the negative errno. */
static int cannot(struct bench_run *run, const char *what)
{
	int err = -errno;

	run->cannot = true;
	snprintf(run->error, sizeof(run->error), "%s", what);
	return err;
}

#ifdef __x86_64__
#include <cpuid.h>

#define PAGE	      4096
#define GUEST_AT      0x1000
#define UNKNOWN	      0x7fff /* no hypercall of Linux has this number */
#define REAL_MODE     2	     /* RFLAGS: the bit that is always set */

#define STALL_SECONDS 3

/* Real mode: hypercall; ecx--; again until it is 0; hlt. */
static const unsigned char vmmcall_loop[] = { 0x0f, 0x01, 0xd9, 0x66, 0x49, 0x75, 0xf9, 0xf4 };
static const unsigned char vmcall_loop[] = { 0x0f, 0x01, 0xc1, 0x66, 0x49, 0x75, 0xf9, 0xf4 };

struct guest {
	int kvm, vm, vcpu;
	void *memory;
	struct kvm_run *state;
	size_t state_bytes;
};

/* AMD's instruction and Intel's are not the same. */
static bool is_amd(void)
{
	unsigned eax, ebx, ecx, edx;
	char vendor[12];

	if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
		return false;
	memcpy(vendor, &ebx, 4);
	memcpy(vendor + 4, &edx, 4);
	memcpy(vendor + 8, &ecx, 4);
	return !memcmp(vendor, "AuthenticAMD", 12) || !memcmp(vendor, "HygonGenuine", 12);
}

static int create(struct bench_run *run, struct guest *guest)
{
	int version;

	guest->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (guest->kvm < 0)
		return cannot(run, "no KVM to be used here: opening /dev/kvm");
	version = ioctl(guest->kvm, KVM_GET_API_VERSION, 0);
	if (version != KVM_API_VERSION) {
		errno = version < 0 ? errno : EPROTO;
		return cannot(run, "/dev/kvm is of another version");
	}
	guest->vm = ioctl(guest->kvm, KVM_CREATE_VM, 0);
	if (guest->vm < 0)
		return cannot(run, "KVM creates no virtual machine");
	guest->vcpu = ioctl(guest->vm, KVM_CREATE_VCPU, 0);
	if (guest->vcpu < 0)
		return cannot(run, "KVM creates no virtual CPU");
	guest->state_bytes = (size_t)ioctl(guest->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	guest->state =
		mmap(NULL, guest->state_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, guest->vcpu, 0);
	if (guest->state == MAP_FAILED)
		return cannot(run, "mapping the virtual CPU");
	return 0;
}

/* The loop into its memory, and the CPU to its start, to go around @count times. */
static int prepare(struct bench_run *run, struct guest *guest)
{
	struct kvm_regs regs = {
		.rip = GUEST_AT, .rax = UNKNOWN, .rcx = (__u64)run->count, .rflags = REAL_MODE
	};
	struct kvm_userspace_memory_region region = { .guest_phys_addr = GUEST_AT,
						      .memory_size = PAGE };
	struct kvm_sregs sregs;

	guest->memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (guest->memory == MAP_FAILED)
		return cannot(run, "memory for the guest");
	memcpy(guest->memory, is_amd() ? vmmcall_loop : vmcall_loop, sizeof(vmcall_loop));
	region.userspace_addr = (__u64)guest->memory;
	if (ioctl(guest->vm, KVM_SET_USER_MEMORY_REGION, &region) ||
	    ioctl(guest->vcpu, KVM_GET_SREGS, &sregs))
		return cannot(run, "giving the guest its memory");
	sregs.cs.base = sregs.cs.selector = 0;
	if (ioctl(guest->vcpu, KVM_SET_SREGS, &sregs) || ioctl(guest->vcpu, KVM_SET_REGS, &regs))
		return cannot(run, "setting the guest's registers");
	return 0;
}

static void on_alarm(int signal)
{
	(void)signal; /* it interrupts KVM_RUN, no more */
}

/*
 * Until the guest halts. There are machines that have /dev/kvm, and on which no guest moves: each
 * STALL_SECONDS it must have.
 */
static int run_guest(struct guest *guest)
{
	struct sigaction action = { .sa_handler = on_alarm }, before;
	__u64 left = ~0ULL;
	struct kvm_regs regs;
	int ret;

	sigaction(SIGALRM, &action, &before);
	for (;;) {
		alarm(STALL_SECONDS);
		ret = ioctl(guest->vcpu, KVM_RUN, 0);
		if (!ret || errno != EINTR)
			break;
		if (ioctl(guest->vcpu, KVM_GET_REGS, &regs))
			break;
		if (regs.rcx == left) {
			errno = ETIMEDOUT;
			break;
		}
		left = regs.rcx;
	}
	alarm(0);
	sigaction(SIGALRM, &before, NULL);
	return ret;
}

static int measure(struct bench_run *run, struct guest *guest, struct bench_sample *sample)
{
	__u64 start_ns = clock_monotonic_ns();
	int ret = run_guest(guest);

	sample->duration_ns = clock_monotonic_ns() - start_ns;
	sample->reads = (__u64)run->count;
	if (ret)
		return cannot(run, "KVM is here, but runs no guest");
	if (guest->state->exit_reason != KVM_EXIT_HLT) {
		snprintf(run->error, sizeof(run->error), "the guest ended with exit reason %u",
			 guest->state->exit_reason);
		return -EIO;
	}
	return 0;
}

static void destroy(const struct guest *guest)
{
	if (guest->state != MAP_FAILED)
		munmap(guest->state, guest->state_bytes);
	if (guest->vcpu >= 0)
		close(guest->vcpu);
	if (guest->vm >= 0)
		close(guest->vm);
	if (guest->kvm >= 0)
		close(guest->kvm);
	if (guest->memory != MAP_FAILED)
		munmap(guest->memory, PAGE);
}

int bench_run_hypercall(struct bench_run *run)
{
	struct guest guest = {
		.kvm = -1, .vm = -1, .vcpu = -1, .memory = MAP_FAILED, .state = MAP_FAILED
	};
	struct bench_sample sample = {};
	int err = create(run, &guest);

	if (!err)
		err = prepare(run, &guest);
	if (!err)
		err = measure(run, &guest, &sample);
	destroy(&guest);
	return err ? err : bench_add(run, &hypercall_kind, 0, &sample);
}
#else
int bench_run_hypercall(struct bench_run *run)
{
	errno = EOPNOTSUPP;
	return cannot(run, "there is a guest for x86-64 only");
}
#endif
