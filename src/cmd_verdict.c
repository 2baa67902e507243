// SPDX-License-Identifier: GPL-2.0-only
/*
 * cputoll verdict: from folders of results, one for each kernel, is any faster, and is each right?
 * tools/lab verdict fills the folders. Called by main.c's table of commands.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "cmd.h"
#include "json_file.h"
#include "opts.h"
#include "verdict.h"

#define WIDTH	  100 /* when it goes to no terminal */
#define WIDTH_MIN 80
#define WIDTH_MAX 120

static int width_of_output(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return WIDTH;
	return size.ws_col < WIDTH_MIN	 ? WIDTH_MIN
	       : size.ws_col > WIDTH_MAX ? WIDTH_MAX
					 : size.ws_col;
}

/* NAME=DIR, into @variant; NAME's end is written into @word. */
static int split(struct verdict_variant *variant, char *word)
{
	char *equals = strchr(word, '=');

	if (!equals || equals == word || !equals[1]) {
		error("verdict: '%s' is not NAME=DIR", word);
		return -EINVAL;
	}
	*equals = 0;
	variant->name = word;
	variant->dir = equals + 1;
	return 0;
}

/* The base's name may come once more, since a kernel against itself says what the noise is. */
static int check_names(const struct verdict_variant *variants, size_t nr)
{
	for (size_t i = 1; i < nr; i++)
		for (size_t j = i + 1; j < nr; j++)
			if (!strcmp(variants[i].name, variants[j].name)) {
				error("verdict: two variants are called '%s'", variants[i].name);
				return -EINVAL;
			}
	return 0;
}

static int report(const struct verdict *verdict, bool as_json, const char *output)
{
	bool to_stdout = as_json || (output && !strcmp(output, "-"));
	int ret;

	if (output && strcmp(output, "-")) {
		ret = verdict_write(verdict, output);
		if (ret) {
			error("verdict: cannot write %s: %s", output, strerror(-ret));
			return EXIT_CANNOT;
		}
	}
	ret = to_stdout ? verdict_write(verdict, "-")
			: verdict_print(verdict, width_of_output(), stdout);
	if (!ret && (fflush(stdout) || ferror(stdout)))
		ret = -errno;
	if (!ret)
		return EXIT_OK;
	error("verdict: cannot print the verdict: %s", strerror(-ret));
	return EXIT_CANNOT;
}

static int judge(const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->nr_variants; i++)
		if (!verdict->variants[i].right)
			return EXIT_NO;
	if (!verdict->missing[0])
		return EXIT_OK;
	error("verdict: %s", verdict->missing);
	return EXIT_CANNOT;
}

static int run(char *base, char **words, int nr, bool as_json, const char *output)
{
	struct verdict_variant *variants = calloc(nr + 1, sizeof(*variants));
	struct verdict verdict = {};
	char err[512];
	int ret = EXIT_USAGE;

	if (!variants) {
		error("verdict: out of memory");
		return EXIT_CANNOT;
	}
	if (split(&variants[0], base))
		goto out;
	for (int i = 0; i < nr; i++)
		if (split(&variants[1 + i], words[i]))
			goto out;
	if (check_names(variants, nr + 1))
		goto out;
	ret = output ? json_file_check_writable(output) : 0;
	if (ret) {
		error("verdict: cannot write %s: %s", output, strerror(-ret));
		ret = EXIT_USAGE;
		goto out;
	}
	ret = verdict_make(&verdict, variants, nr + 1, err, sizeof(err));
	variants = NULL; /* the verdict's now */
	if (ret) {
		error("verdict: %s", err);
		ret = EXIT_CANNOT;
		goto out;
	}
	ret = report(&verdict, as_json, output);
	if (!ret)
		ret = judge(&verdict);
out:
	verdict_free(&verdict);
	free(variants);
	return ret;
}

int cmd_verdict(int argc, char **argv)
{
	const char *base = NULL, *output = NULL;
	bool as_json = false;
	const struct opt table[] = {
		{ 0, "base", OPT_STRING, &base, 0, 0, "NAME=DIR",
		  "the kernel the others are compared with" },
		{ 0, "json", OPT_FLAG, &as_json, 0, 0, NULL, "print JSON instead of the table" },
		{ 'o', "output", OPT_STRING, &output, 0, 0, "FILE",
		  "write JSON there too; - is the same as --json" },
	};
	const struct opts opts = {
		"verdict [OPTIONS] --base NAME=DIR NAME=DIR...",
		"Is a kernel faster than the base, and is it right? DIR holds what 'cputoll bench "
		"--json'\nand 'cputoll check --json' printed there, in files *.json.",
		table,
		sizeof(table) / sizeof(table[0]),
		NULL,
	};
	char *base_copy;
	int nr, ret = opts_parse_words(&opts, argc, argv, &nr);

	if (ret != OPTS_PARSED)
		return ret == OPTS_HELP ? EXIT_OK : EXIT_USAGE;
	if (!base || !nr) {
		error("verdict: %s; see cputoll verdict -h",
		      base ? "name a variant to compare with the base: NAME=DIR"
			   : "--base NAME=DIR is missing");
		return EXIT_USAGE;
	}
	base_copy = strdup(base);
	if (!base_copy) {
		error("verdict: out of memory");
		return EXIT_CANNOT;
	}
	ret = run(base_copy, argv + 1, nr, as_json, output);
	free(base_copy);
	return ret;
}
