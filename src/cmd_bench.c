// SPDX-License-Identifier: GPL-2.0-only
/* Placeholder of the bench command, replaced on its own branch. */
#include "cmd.h"

int cmd_bench(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	error("bench: not built yet");
	return EXIT_CANNOT;
}
