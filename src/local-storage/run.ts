import { hostname } from "node:os";
import type { InProcessAccess } from "#/client/connect.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import { waitForKubeconfig } from "#/client/kubeconfig/wait-for-kubeconfig.ts";
import { componentCommand } from "#/component/component-command.ts";
import { flagSections } from "#/std/flags/flag-usage.ts";
import { FlagError, parseFlags } from "#/std/flags/flags.ts";
import { flagSectionList, type LocalStorageFlags, localStorageFlags } from "./base/flags.ts";

/** The command `local-storage`, as a process or beside other components. */
export const { main, start, check } = componentCommand({
  parse: (args) => parseFlags(localStorageFlags, args),
  usage: () => flagSections(flagSectionList),
  run: ({ values }, ...rest) => run(values, ...rest),
});

const backends = ["auto", "image", "directory"];

async function run(
  flags: LocalStorageFlags,
  signal: AbortSignal,
  inProcess: InProcessAccess = {},
): Promise<void> {
  const { mode, backend, overcommit } = flags;
  checkChoice("mode", mode, ["node", "driver", "controllers"]);
  checkChoice("backend", backend, backends);
  if (!(overcommit >= 1)) {
    throw new FlagError(
      `invalid argument "${overcommit}" for "--overcommit" flag: must be 1 or more`,
    );
  }
  if (mode === "controllers" && !flags.cleanup) {
    return await runControllers(flags, signal, inProcess);
  }
  // A program has the node's half or the cluster's half.
  const { cleanUpNode, runNode } = await import("./node/run-node.ts");
  if (flags.cleanup) return await cleanUpNode(flags["root-dir"]);
  const connect = async () => {
    if (inProcess.awaitsKubeconfig) await waitForKubeconfig(flags.kubeconfig, signal);
    return await openTransport(flags);
  };
  const nodeName = flags["node-name"] || hostname().toLowerCase();
  const statusAddress = flags["status-bind-address"];
  const settings = { nodeName, backend, overcommit, statusAddress };
  const folders = { root: flags["root-dir"], kubeletDir: flags["kubelet-dir"] };
  const access = { connect: mode === "driver" ? undefined : connect };
  await runNode({ ...settings, ...folders, ...access }, signal);
}

async function runControllers(
  flags: LocalStorageFlags,
  signal: AbortSignal,
  { connect }: InProcessAccess,
): Promise<void> {
  await using transport = connect
    ? connect({ name: "k8ts:local-storage", groups: ["system:authenticated"] })
    : await openTransport(flags);
  const { runClusterControllers } = await import("./controllers/run-controllers.ts");
  await runClusterControllers(transport, signal);
}

function checkChoice(flag: string, value: string, choices: readonly string[]): void {
  if (choices.includes(value)) return;
  throw new FlagError(
    `invalid argument "${value}" for "--${flag}" flag: must be one of ${choices.join(", ")}`,
  );
}
