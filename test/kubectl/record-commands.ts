/** Records the commands and flags of upstream's kubectl: `node test/kubectl/record-commands.ts [PATH]`. */
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { commandFacts } from "./command-facts.ts";

const reference = `${homedir()}/.cache/kube-conformance/reference/bin/kubectl`;
const program = process.argv[2] ?? reference;
const env = { HOME: "/home/user", PATH: "/usr/bin:/bin" };
const facts = await commandFacts(async (args) => execFileSync(program, args, { env }).toString());
const lines = Object.entries(facts).map(
  ([path, each]) => `${JSON.stringify(path)}: ${JSON.stringify(each)}`,
);
await writeFile(new URL("recorded/commands.json", import.meta.url), `{\n${lines.join(",\n")}\n}\n`);
process.stdout.write(`${lines.length} commands\n`);
