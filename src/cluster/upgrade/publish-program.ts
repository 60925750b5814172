import { mustKubectl } from "../access/kubectl.ts";
import { upgradeNamespace } from "../access/server-roles.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { type NodeRequest, pieceKey, requestData } from "../node-upgrade/node-request.ts";
import { divideProgram, type ProgramNames } from "./divide-program.ts";

/** The label of everything that an upgrade has published. */
const label = "k8ts.dev/upgrade";

/** Puts a program into the API, for nodes on other machines. */
export async function publishProgram(
  paths: ClusterPaths,
  program: string,
  withNode: boolean,
): Promise<ProgramNames> {
  const { names, pieces } = await divideProgram(program, withNode);
  for (const [name, piece] of pieces) {
    await apply(paths, name, { binaryData: { [pieceKey]: piece.toString("base64") } });
  }
  return names;
}

/** Asks a node to upgrade itself. */
export async function requestUpgrade(
  paths: ClusterPaths,
  request: Omit<NodeRequest, "signedMs">,
  nowMs: number,
): Promise<void> {
  const data = await requestData(paths.pki, { ...request, signedMs: nowMs });
  await apply(paths, request.node, { data });
}

async function apply(paths: ClusterPaths, name: string, content: object): Promise<void> {
  const metadata = { name, namespace: upgradeNamespace, labels: { [label]: "" } };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, ...content };
  const flags = ["--server-side", "--force-conflicts", "--field-manager=k8ts-upgrade"];
  await mustKubectl(paths, ["apply", ...flags, "-f", "-"], { input: JSON.stringify(object) });
}

/** Removes requests and programs. */
export async function removePublished(paths: ClusterPaths): Promise<void> {
  const all = ["configmaps", `--selector=${label}`, `--namespace=${upgradeNamespace}`];
  await mustKubectl(paths, ["delete", ...all, "--ignore-not-found"]);
}
