// SPDX-License-Identifier: GPL-2.0-only
/* Placeholder of the doctor command, replaced on its own branch. */
#include "cmd.h"

int cmd_doctor(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	error("doctor: not built yet");
	return EXIT_CANNOT;
}
