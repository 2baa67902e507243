// SPDX-License-Identifier: GPL-2.0-only
/* Placeholder of the report command, replaced on its own branch. */
#include "cmd.h"

int cmd_report(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	error("report: not built yet");
	return EXIT_CANNOT;
}
