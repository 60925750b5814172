import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "..");

/** Folder of the launcher's texts. */
export const helpFolder = join(root, "bin/help");

/** Commands whose help is long and mostly upstream's, or that are kubectl's: only the program prints it. */
const ofProgramAlone =
  /^(journey|history|diff|kube.*|cloud-controller-manager|cluster-dns|metrics-server|gateway|network)$/;

/** The help of k8ts itself, and of each command whose help the launcher prints; by name. */
export async function launcherHelp(): Promise<Map<string, string>> {
  const overview = await askProgram("help");
  const names = [...overview.matchAll(/^ {2}([a-z][a-z-]*) {2,}\S/gm)].map(([, name = ""]) => name);
  const texts = new Map([["k8ts", overview]]);
  for (const name of names.filter((each) => !ofProgramAlone.test(each)))
    texts.set(name, await askProgram(name, "--help"));
  return texts;
}

async function askProgram(...words: string[]): Promise<string> {
  const program = [join(root, "bin/k8ts.ts"), ...words];
  return (await promisify(execFile)(process.execPath, program)).stdout;
}
