import type { CommandEntry } from "../../command.ts";

/** The subcommands of `kubectl create`. */
export const createCommands: readonly CommandEntry[] = [];
