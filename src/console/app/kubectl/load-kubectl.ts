import type { Host } from "#/kubectl/base/host.ts";
import type { Clock } from "#/std/time/clock.ts";
import { loadAgain } from "../base/load-again.ts";
import { installNode } from "../node/install.ts";
import { dirname } from "../node/path.ts";
import { files } from "../node/virtual-files.ts";
import { kubeconfigPath, pageKubeconfig } from "./page-kubeconfig.ts";

/** The program kubectl. */
export interface Kubectl {
  readonly clock: Clock;
  /** Runs a command line; returns its exit code. */
  run(args: readonly string[], host: Host): Promise<number>;
}

/** Files that kubectl reads while it runs: its help, and the facts of the API's kinds. */
const dataUrl = new URL("../../../../kubectl-files.json", import.meta.url);

/** Folders that a new computer has, too. */
const folders = ["/home/.kube", "/tmp"];

/** Loads kubectl with its files. Its kubeconfig names the console's server, and has no credentials. */
export async function loadKubectl(
  context: string,
  namespace: string | undefined,
): Promise<Kubectl> {
  installNode();
  for (const folder of folders) files.makeFolder(folder, true);
  const encoder = new TextEncoder();
  const loaded = await loadAgain(async () => {
    const response = await fetch(dataUrl);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return (await response.json()) as Readonly<Record<string, string>>;
  });
  for (const [path, text] of Object.entries(loaded)) {
    files.makeFolder(dirname(`/${path}`), true);
    files.write(`/${path}`, encoder.encode(text));
  }
  files.write(kubeconfigPath, encoder.encode(pageKubeconfig(context, namespace)));
  const [{ runKubectl }, { systemClock }] = await loadAgain(() =>
    Promise.all([
      import("#/kubectl/run.ts"),
      import("#/std/time/clock.ts"),
      import("./replacements.ts"),
    ]),
  );
  return { clock: systemClock, run: runKubectl };
}
