/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each kernel that the lab has judged would save on the host that a profile is from: the calls
 * and times of the profile, multiplied with the changes of a verdict. cmd_predict.c asks,
 * predict_print.c tells.
 */
#ifndef CPUTOLL_PREDICT_H
#define CPUTOLL_PREDICT_H

#include <stdbool.h>
#include "profile.h"
#include "results.h"

/* What one kernel saves, of what the profile holds. Costs are negative. */
struct saving {
	char name[128];		/* the variant's */
	int right;		/* as in the verdict: 1, 0, -1 for nobody knows */
	double covered_percent; /* of the reads' time: the verdict has a change for it; NaN: no
				   reads */
	double ns_per_s;	/* CPU time a second, of the whole host; NaN: nothing is covered */
	double range_ns_per_s[2]; /* from … to */
	double host_percent;	  /* of the CPU time that there is */
	double reads_percent;	  /* of the time that the reads of the profile take */
	bool is_nothing;	  /* too little to tell from nothing */
};

struct notes {
	char (*text)[320];
	size_t nr;
};

struct prediction {
	char kernel[128];	/* of the profile */
	char from[128];		/* the variant that it's taken to be */
	char verdict[256];	/* the verdict's file */
	char unit[16];		/* the verdict's */
	double ns_per_unit;	/* of this host's kernel on these paths; NaN: not known */
	struct saving *savings; /* best first, those that are wrong last */
	size_t nr_savings;
	struct notes notes, warnings; /* what was assumed; what makes it doubtful */
};

/*
 * predict_make() - for each variant of @verdict but the one that @profile is of.
 * @path: the verdict's file, for people
 * @from: the variant to take the profile's kernel for; NULL: by its name, else a guess with a note
 * @must_fit: only if @verdict has @from, or else a variant that accounts CPU time as the profile's
 * kernel does
 * Returns 0; -ESRCH: not so; -ENOENT with @err: no variant is called @from; -ENOMEM.
 * predict_free() it either way.
 */
int predict_make(struct prediction *prediction, const struct profile *profile,
		 const struct verdict_file *verdict, const char *path, const char *from,
		 bool must_fit, char *err, size_t err_bytes);
void predict_free(struct prediction *prediction);

/* predict_print() - as text, without the warnings; predict_write() - as JSON, cputoll.predict/1. As
 * fields_write(). */
void predict_print(const struct prediction *prediction, FILE *out);
int predict_write(const struct prediction *predictions, size_t nr, const char *path);

#endif /* CPUTOLL_PREDICT_H */
