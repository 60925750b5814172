import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "..");

/** Where the launcher finds the texts. */
export const helpFolder = join(root, "bin/help");

/** The commands whose help the launcher has: k8ts itself, and those that are its own and not upstream's. */
export const helpCommands = [
  "k8ts",
  "up",
  "down",
  "status",
  "logs",
  "image",
  "token",
  "join",
  "snapshot",
  "test",
];

/** The help of a command, from the program itself. */
export async function commandHelp(name: string): Promise<string> {
  const words = name === "k8ts" ? ["help"] : [name, "--help"];
  const program = [join(root, "bin/k8ts.ts"), ...words];
  return (await promisify(execFile)(process.execPath, program)).stdout;
}
