// SPDX-License-Identifier: GPL-2.0-only
/*
 * cputoll predict: what the kernels that the lab has judged would save on the host that a profile
 * is from. Called by main.c's table of commands.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmd.h"
#include "json_file.h"
#include "opts.h"
#include "predict.h"
#include "text.h"

#define DEFAULT_FILE "cputoll.json"
#define MAX_VERDICTS 16

/* Where our own verdicts are: beside bin/ when installed, else in the source tree of build/. */
static const char *const verdict_dirs[] = { "../share/cputoll/verdicts",
					    "../patches/6.1/verdicts" };

struct verdicts {
	char path[MAX_VERDICTS][PATH_MAX];
	size_t nr;
};

static void add_folder(struct verdicts *verdicts, const char *dir)
{
	struct dirent **entries;
	int nr = scandir(dir, &entries, json_file_filter, alphasort);

	for (int i = 0; i < nr; i++) {
		if (verdicts->nr < MAX_VERDICTS &&
		    snprintf(verdicts->path[verdicts->nr], PATH_MAX, "%s/%s", dir,
			     entries[i]->d_name) < PATH_MAX)
			verdicts->nr++;
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
}

/* Our own. Returns 0 or -ENOENT. */
static int find_own(struct verdicts *verdicts)
{
	char self[PATH_MAX / 2], dir[PATH_MAX], real[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = 0;
	if (!strrchr(self, '/'))
		return -ENOENT;
	*strrchr(self, '/') = 0;
	for (size_t i = 0; i < sizeof(verdict_dirs) / sizeof(verdict_dirs[0]); i++) {
		snprintf(dir, sizeof(dir), "%s/%s", self, verdict_dirs[i]);
		if (!verdicts->nr && realpath(dir, real))
			add_folder(verdicts, real);
	}
	return verdicts->nr ? 0 : -ENOENT;
}

/*
 * The prediction of one verdict. @is_own: one of ours, which may be of quite another kernel.
 * Returns 0, -ESRCH for that, or a negative errno with a line printed.
 */
static int predict_by(struct prediction *prediction, const struct profile *profile,
		      const char *path, const char *from, bool is_own)
{
	struct verdict_file verdict;
	char err[512];
	int ret = verdict_file_read(&verdict, path, err, sizeof(err));

	if (!ret)
		ret = predict_make(prediction, profile, &verdict, path, from, is_own, err,
				   sizeof(err));
	if (ret == -ENOMEM)
		error("predict: out of memory");
	else if (ret && ret != -ESRCH)
		error("predict: %s", err);
	verdict_file_free(&verdict);
	return ret;
}

static int print_all(const struct prediction *predictions, size_t nr, bool as_json)
{
	int err = 0;

	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; j < predictions[i].warnings.nr; j++)
			error("predict: warning: %s: %s", predictions[i].verdict,
			      predictions[i].warnings.text[j]);
	for (size_t i = 0; !as_json && i < nr; i++) {
		if (i)
			putchar('\n');
		predict_print(&predictions[i], stdout);
	}
	if (as_json)
		err = predict_write(predictions, nr, "-");
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = -errno;
	if (!err)
		return EXIT_OK;
	error("predict: cannot print: %s", strerror(-err));
	return EXIT_CANNOT;
}

static int predict_all(const struct profile *profile, const struct verdicts *verdicts,
		       const char *from, bool are_own, bool as_json)
{
	struct prediction predictions[MAX_VERDICTS] = {};
	size_t nr = 0;
	int ret = 0;

	for (size_t i = 0; i < verdicts->nr && (!ret || ret == -ESRCH); i++) {
		ret = predict_by(&predictions[nr], profile, verdicts->path[i], from, are_own);
		if (ret)
			predict_free(&predictions[nr]);
		else
			nr++;
	}
	if (nr && (!ret || ret == -ESRCH))
		ret = print_all(predictions, nr, as_json);
	else if (ret == -ESRCH && from)
		error("predict: none of cputoll's verdicts has a variant '%s'", from);
	else if (ret == -ESRCH)
		error("predict: none of cputoll's verdicts is of a kernel with %s accounting; "
		      "name one by --verdicts",
		      profile->host.accounting);
	for (size_t i = 0; i < nr; i++)
		predict_free(&predictions[i]);
	if (ret >= 0)
		return ret;
	return ret == -ENOMEM || (ret == -ESRCH && !from) ? EXIT_CANNOT : EXIT_USAGE;
}

/* Comma separated. Returns 0 or EXIT_USAGE with a line. */
static int add_named(struct verdicts *verdicts, const char *names)
{
	while (names) {
		char path[PATH_MAX];

		names = text_word(names, path, sizeof(path));
		if (!path[0])
			continue;
		if (verdicts->nr == MAX_VERDICTS) {
			error("predict: more than %d verdicts", MAX_VERDICTS);
			return EXIT_USAGE;
		}
		strcpy(verdicts->path[verdicts->nr++], path);
	}
	return 0;
}

int cmd_predict(int argc, char **argv)
{
	bool as_json = false;
	const char *names = NULL, *from = NULL, *file;
	const struct opt table[] = {
		{ 0, "verdicts", OPT_STRING, &names, 0, 0, "FILE,...",
		  "verdicts of 'tools/lab verdict -o' (default: cputoll's own)" },
		{ 0, "base", OPT_STRING, &from, 0, 0, "NAME",
		  "the verdict's variant that the profile's kernel is (default: by its name)" },
		{ 0, "json", OPT_FLAG, &as_json, 0, 0, NULL, "print JSON instead of text" },
	};
	const struct opts opts = {
		"predict [OPTIONS] [FILE]",
		"Say how much CPU time other kernels would save on the host that a profile is "
		"from. "
		"FILE is\n" DEFAULT_FILE " when not given, standard input when \"-\".",
		table,
		sizeof(table) / sizeof(table[0]),
		NULL,
	};
	static struct verdicts verdicts;
	struct profile profile;
	char err[512];
	int nr, ret = opts_parse_words(&opts, argc, argv, &nr);

	if (ret != OPTS_PARSED)
		return ret == OPTS_HELP ? EXIT_OK : EXIT_USAGE;
	if (nr > 1) {
		error("predict: one FILE at most, '%s' is too many", argv[2]);
		return EXIT_USAGE;
	}
	verdicts.nr = 0; /* unit tests run it more than once */
	if (names && add_named(&verdicts, names))
		return EXIT_USAGE;
	if (!verdicts.nr && find_own(&verdicts)) {
		error("predict: cputoll's own verdicts are not where it was built or installed; "
		      "name some by --verdicts");
		return EXIT_CANNOT;
	}
	file = nr ? argv[1] : DEFAULT_FILE;
	ret = profile_read(&profile, file, err, sizeof(err));
	if (!ret && !profile.duration_ns) {
		error("predict: %s: its record lasted 0 s", file);
		ret = EXIT_USAGE;
	} else if (ret) {
		error("predict: %s%s", err, ret == -ENOENT ? "; 'cputoll record' writes one" : "");
		ret = EXIT_USAGE;
	} else {
		ret = predict_all(&profile, &verdicts, from, !names, as_json);
	}
	profile_free(&profile);
	return ret;
}
