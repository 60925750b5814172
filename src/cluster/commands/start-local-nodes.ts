import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "#/std/time/clock.ts";
import { generateToken, tokenSecret } from "../access/bootstrap-token.ts";
import { mustKubectl } from "../access/kubectl.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { Progress } from "../base/progress.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { type LocalNode, localNodes, nextNode } from "../local-nodes/local-nodes.ts";
import { PreflightError } from "../machine/preflight.ts";
import { checkSettings } from "../plan/check-settings.ts";
import { followServer } from "../plan/up-settings.ts";
import { installMissing } from "../programs/start-node.ts";
import { admitNode, settleNode } from "./join.ts";
import { runtimeProblemsHere } from "./runtime-problems-here.ts";

/** Validity (ms) of the token of a new node: far longer than joining takes. */
const tokenMs = 10 * 60 * 1000;

interface NodeWait {
  readonly progress: Progress;
  readonly timeoutMs: number;
}

interface NewNode extends NodeWait {
  /** True if no packages may be installed. */
  readonly noInstall: boolean;
}

/** Starts the cluster's nodes on this machine, with the server's current settings. */
export async function startLocalNodes(
  paths: ClusterPaths,
  settings: ClusterSettings,
  { progress, timeoutMs }: NodeWait,
): Promise<void> {
  for (const node of localNodes(paths)) {
    await settleNode(progress, node.paths, followServer(node.settings, settings), timeoutMs);
  }
}

/** Adds a node in a network namespace of its own, with a runtime of its own, to a cluster of this machine. */
export async function addLocalNode(
  paths: ClusterPaths,
  settings: ClusterSettings,
  nodeName: string,
  { progress, timeoutMs, noInstall }: NewNode,
): Promise<LocalNode> {
  const node = nextNode(paths, settings, localNodes(paths), nodeName);
  checkSettings(node.settings, []);
  const problems = await runtimeProblemsHere(node.settings);
  if (problems.length > 0) throw new PreflightError(problems);
  await installMissing(progress, node.settings, noInstall);
  const token = generateToken();
  const secret = tokenSecret(token, systemClock.now() + tokenMs);
  await mustKubectl(paths, ["create", "-f", "-"], { input: JSON.stringify(secret) });
  await admitNode(progress, node.paths, node.settings, {
    authority: await readFile(join(paths.pki, "ca.crt"), "utf8"),
    token: `${token.id}.${token.secret}`,
    timeoutMs,
  });
  return node;
}
