// SPDX-License-Identifier: GPL-2.0-only
/*
 * cputoll report: read a profile and print it, as text or as JSON again. Called by main.c's table
 * of commands.
 */
#include <errno.h>
#include <string.h>
#include "cmd.h"
#include "opts.h"
#include "profile.h"
#include "report.h"

#define DEFAULT_FILE "cputoll.json"

static int print_profile(const struct profile *profile, bool as_json)
{
	int err = as_json ? profile_write(profile, "-") : report_print(profile, stdout);

	if (!err && (fflush(stdout) || ferror(stdout)))
		err = -errno;
	if (!err)
		return EXIT_OK;
	error("report: cannot print the profile: %s", strerror(-err));
	return EXIT_CANNOT;
}

int cmd_report(int argc, char **argv)
{
	bool as_json = false;
	const struct opt table[] = {
		{ 0, "json", OPT_FLAG, &as_json, 0, 0, NULL,
		  "print the profile as JSON, checked, instead of text" },
	};
	const struct opts opts = {
		"report [OPTIONS] [FILE]",
		"Print a profile that 'cputoll record' wrote. FILE is " DEFAULT_FILE
		" when not given,\nstandard input when \"-\".",
		table,
		sizeof(table) / sizeof(table[0]),
		NULL,
	};
	struct profile profile;
	char err[512];
	const char *file;
	int nr, ret;

	ret = opts_parse_words(&opts, argc, argv, &nr);
	if (ret != OPTS_PARSED)
		return ret == OPTS_HELP ? EXIT_OK : EXIT_USAGE;
	if (nr > 1) {
		error("report: one FILE at most, '%s' is too many", argv[2]);
		return EXIT_USAGE;
	}
	file = nr ? argv[1] : DEFAULT_FILE;

	ret = profile_read(&profile, file, err, sizeof(err));
	if (ret) {
		error("report: %s%s", err, ret == -ENOENT ? "; 'cputoll record' writes one" : "");
		ret = EXIT_USAGE;
	} else {
		ret = print_profile(&profile, as_json);
	}
	profile_free(&profile);
	return ret;
}
