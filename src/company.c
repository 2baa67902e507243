// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that run beside an oracle; parked ones wait on a condition. Called by the oracle_*.c.
 */
#include <stdlib.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "company.h"

#define SPIN_NS (20 * US_NS)

enum order { ORDER_WORK, ORDER_PARK, ORDER_STOP };

struct company {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* the order, or one of the counts */
	atomic_int order;	/* written under the lock, read by those at work without */
	int started, parked;
	int nr;
	void (*work)(struct companion *self);
	struct companion members[];
};

static void wait_parked(struct company *company)
{
	pthread_mutex_lock(&company->lock);
	company->parked++;
	pthread_cond_broadcast(&company->changed);
	while (atomic_load(&company->order) == ORDER_PARK)
		pthread_cond_wait(&company->changed, &company->lock);
	company->parked--;
	pthread_mutex_unlock(&company->lock);
}

static void *member_main(void *arg)
{
	struct companion *self = arg;
	struct company *company = self->company;
	int order;

	atomic_store(&self->tid, (int)syscall(SYS_gettid));
	check_pin(&self->check, self->cpu);
	pthread_mutex_lock(&company->lock);
	company->started++;
	pthread_cond_broadcast(&company->changed);
	pthread_mutex_unlock(&company->lock);
	while ((order = atomic_load(&company->order)) != ORDER_STOP) {
		if (order == ORDER_PARK)
			wait_parked(company);
		else
			company->work(self);
	}
	return NULL;
}

/* Change the order, if that is not -1, and wait until @count is all of them, if there is one. */
static void give_order(struct company *company, int order, const int *count)
{
	pthread_mutex_lock(&company->lock);
	if (order >= 0)
		atomic_store(&company->order, order);
	pthread_cond_broadcast(&company->changed);
	while (count && *count < company->nr)
		pthread_cond_wait(&company->changed, &company->lock);
	pthread_mutex_unlock(&company->lock);
}

struct company *company__start(struct check *check, int nr, void (*work)(struct companion *self),
			       void *arg)
{
	struct company *company = calloc(1, sizeof(*company) + nr * sizeof(company->members[0]));
	int err = company ? 0 : -ENOMEM;

	if (company) {
		pthread_mutex_init(&company->lock, NULL);
		pthread_cond_init(&company->changed, NULL);
		company->work = work;
	}
	while (!err && company->nr < nr) {
		struct companion *self = &company->members[company->nr];

		self->company = company;
		self->index = company->nr;
		self->cpu = check->cpus[company->nr % check->nr_cpus];
		self->check = check_part(check);
		self->arg = arg;
		err = -pthread_create(&self->thread, NULL, member_main, self);
		if (!err)
			company->nr++;
	}
	if (err) {
		check_fail(check, err, "starting a thread");
		company__stop(company, check);
		return NULL;
	}
	give_order(company, -1, &company->started);
	return company;
}

int company__nr(const struct company *company)
{
	return company->nr;
}

int company__tid(const struct company *company, int index)
{
	return atomic_load(&company->members[index].tid);
}

void company__park(struct company *company)
{
	give_order(company, ORDER_PARK, &company->parked);
	check_pause(TICK_SETTLE_NS);
}

void company__resume(struct company *company)
{
	give_order(company, ORDER_WORK, NULL);
}

void company__stop(struct company *company, struct check *check)
{
	if (!company)
		return;
	/* nobody is gone while another may still read their clocks */
	give_order(company, ORDER_PARK, &company->parked);
	give_order(company, ORDER_STOP, NULL);
	for (int i = 0; i < company->nr; i++) {
		pthread_join(company->members[i].thread, NULL);
		check_add(check, &company->members[i].check);
	}
	pthread_mutex_destroy(&company->lock);
	pthread_cond_destroy(&company->changed);
	free(company);
}

void work_spin(struct companion *self)
{
	check_spin(&self->check, check_wall(&self->check) + SPIN_NS);
}
