import { readFileSync } from "#/std/files/node-fs.ts";
import { type CommandText, parseCommandText } from "./parse-command-text.ts";

/** Reads the text of a command: `["rollout", "status"]` is in texts/rollout/status.txt, kubectl itself in texts/kubectl.txt. */
export function readCommandText(names: readonly string[]): CommandText {
  const file = `texts/${names.join("/") || "kubectl"}.txt`;
  return parseCommandText(readFileSync(new URL(file, import.meta.url), "utf8"));
}
