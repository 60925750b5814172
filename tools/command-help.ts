import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { parts } from "#/cluster/parts/index.ts";

const root = join(import.meta.dirname, "..");

/** Folder of the launcher's texts. */
export const helpFolder = join(root, "bin/help");

/** The page of the guide with the help of all commands. */
export const referenceFile = join(root, "docs/commands.md");

/** The text of that page. */
export function commandReference(texts: ReadonlyMap<string, string>): string {
  const names = [...texts.keys()].filter((name) => name !== "k8ts").sort();
  const block = (name: string): string => `\`\`\`\n${texts.get(name)}\`\`\`\n`;
  const sections = names.map((name) => `## k8ts ${name}\n\n${block(name)}`);
  return `# Commands

The help of each command, as \`k8ts help COMMAND\` prints it; \`node tools/write-help.ts\` writes this page. The commands of
components and of kubectl print theirs with \`--help\`.

${block("k8ts")}
${sections.join("\n")}`;
}

/** Commands of kubectl that are in the overview. */
const ofKubectl = ["kubectl", "journey", "history", "diff", "why"];

/** Commands whose help is long and mostly upstream's: only the program prints it. */
const ofProgramAlone = new Set([...ofKubectl, ...parts.map(({ name }) => name)]);

/** The help of k8ts itself, and of each command whose help the launcher prints; by name. */
export async function launcherHelp(): Promise<Map<string, string>> {
  const overview = await askProgram("help");
  const names = [...overview.matchAll(/^ {2}([a-z][a-z-]*) {2,}\S/gm)].map(([, name = ""]) => name);
  const texts = new Map([["k8ts", overview]]);
  for (const name of names.filter((each) => !ofProgramAlone.has(each)))
    texts.set(name, await askProgram(name, "--help"));
  return texts;
}

async function askProgram(...words: string[]): Promise<string> {
  const program = [join(root, "bin/k8ts.ts"), ...words];
  return (await promisify(execFile)(process.execPath, program)).stdout;
}
