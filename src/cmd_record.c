// SPDX-License-Identifier: GPL-2.0-only
/* Placeholder of the record command, replaced on its own branch. */
#include "cmd.h"

int cmd_record(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	error("record: not built yet");
	return EXIT_CANNOT;
}
