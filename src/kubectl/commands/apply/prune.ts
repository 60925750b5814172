/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/apply/prune.go, staging/src/k8s.io/kubectl/pkg/util/prune/prune.go. */

import { CommandError, messageOf } from "../../base/errors.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import { originalConfiguration } from "../../command/last-applied.ts";
import { warnLog } from "../../command/shared-flags.ts";
import type { Mapping } from "../../discovery/discovered-group.ts";
import type { Applying } from "./applying.ts";

/** Default of --prune-allowlist. */
const defaultKinds: readonly string[] = [
  "core/v1/ConfigMap",
  "core/v1/Endpoints",
  "core/v1/PersistentVolumeClaim",
  "core/v1/Pod",
  "core/v1/ReplicationController",
  "core/v1/Secret",
  "core/v1/Service",
  "batch/v1/Job",
  "batch/v1/CronJob",
  "networking.k8s.io/v1/Ingress",
  "apps/v1/DaemonSet",
  "apps/v1/Deployment",
  "apps/v1/ReplicaSet",
  "apps/v1/StatefulSet",
  "core/v1/Namespace",
  "core/v1/PersistentVolume",
];

/** The resources of the kinds in --prune-allowlist. */
export async function parsePruneKinds(
  context: Context,
  kinds: readonly string[],
): Promise<Mapping[]> {
  const mapper = await context.cluster.mapper();
  const found: Mapping[] = [];
  for (const text of kinds) {
    const parts = text.split("/");
    const [group = "", version = "", kind = ""] = parts;
    if (parts.length !== 3) {
      throw new CommandError(
        `invalid GroupVersionKind format: ${text}, please follow <group/version/kind>`,
      );
    }
    found.push(await mapper.forKind({ group: group === "core" ? "" : group, version, kind }));
  }
  return found;
}

/** The resources to prune: those of --prune-allowlist, or the default ones. */
export function pruneKinds(context: Context, allowed: readonly string[]): Promise<Mapping[]> {
  return parsePruneKinds(context, allowed.length > 0 ? allowed : defaultKinds);
}

/** Warns that cluster-scoped kinds may be removed from the default allowlist. */
export function warnOfClusterKinds(context: Context): void {
  warnLog(
    context,
    "Deprecated: kubectl apply will no longer prune non-namespaced resources by default when used with the --namespace flag in a future release. To preserve the current behaviour, list the resources you want to target explicitly in the --prune-allowlist flag.",
  );
}

/** Deletes objects that were applied earlier but not this time. */
export async function pruneObjects(
  applying: Applying,
  allowed: readonly Mapping[],
  namespace: string,
): Promise<void> {
  const { context, visitedNamespaces } = applying;
  const mappings = allowed.length > 0 ? allowed : await parsePruneKinds(context, defaultKinds);
  if (allowed.length === 0 && namespace !== "") warnOfClusterKinds(context);
  for (const place of visitedNamespaces) {
    for (const mapping of mappings.filter(({ namespaced }) => namespaced)) {
      await pruneType(applying, mapping, place);
    }
  }
  for (const mapping of mappings.filter(({ namespaced }) => !namespaced)) {
    await pruneType(applying, mapping, "");
  }
}

async function pruneType(applying: Applying, mapping: Mapping, namespace: string): Promise<void> {
  const { context, flags, visitedUids, dryRun } = applying;
  const client = await context.cluster.client();
  try {
    const items = await client.listAll(mapping, { namespace, labelSelector: flags.selector });
    for (const item of items as readonly Unstructured[]) {
      if (originalConfiguration(item) === undefined) continue;
      if (visitedUids.has(item.metadata?.uid ?? "")) continue;
      const object = { apiVersion: apiVersion(mapping), kind: mapping.kind, ...item };
      if (dryRun !== "client") await deletePruned(applying, mapping, object);
      applying.print("pruned", object);
    }
  } catch (error) {
    const scope = mapping.namespaced ? "namespaced" : "nonNamespaced";
    const { group, version, kind } = mapping;
    throw new CommandError(
      `error pruning ${scope} object ${group}/${version}, Kind=${kind}: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

const apiVersion = ({ group, version }: Mapping): string =>
  group === "" ? version : `${group}/${version}`;

/** Deletes a pruned object. */
export async function deletePruned(
  { context, cascade, flags, dryRun }: Applying,
  mapping: Mapping,
  { metadata }: Unstructured,
): Promise<void> {
  const client = await context.cluster.client();
  const grace = flags["grace-period"];
  await client.delete(
    mapping,
    { name: metadata?.name ?? "", namespace: metadata?.namespace ?? "" },
    {
      propagationPolicy: cascade,
      dryRun: dryRun === "server",
      ...(grace >= 0 ? { gracePeriodSeconds: grace } : {}),
    },
  );
}
