/** Upstream: k8s.io/kubectl/pkg/describe/describe.go (PersistentVolumeClaimDescriber). */
import { type PersistentVolumeClaim, pods } from "#/api/core/v1.ts";
import type { Context } from "../../command/context.ts";
import type { Describer } from "./describers.ts";
import { type Description, goList, longTime } from "./description.ts";

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

/** Access modes as short as get shows them. */
export function accessModes(modes: readonly string[] = []): string {
  return Object.entries(shortModes)
    .flatMap(([mode, short]) => (modes.includes(mode) ? short : []))
    .join(",");
}

/** The class of a volume or claim, in an old place. */
export const betaClass = "volume.beta.kubernetes.io/storage-class";

/** The phase of what may be about to go. */
export function describePhase(
  to: Description,
  deletion: string | undefined,
  phase: string | undefined,
): void {
  to.field(
    0,
    "Status",
    deletion === undefined ? (phase ?? "") : `Terminating (lasts ${to.since(deletion)})`,
  );
}

/** A claim, with the Pods that use it. */
export const describeClaim: Describer = async (to, { object, context }) => {
  const { metadata, status } = object as unknown as PersistentVolumeClaim;
  to.field(0, "Name", metadata?.name ?? "");
  to.field(0, "Namespace", metadata?.namespace ?? "");
  describeClaimParts(to, object as unknown as PersistentVolumeClaim, { isWhole: true });
  const names = await usersOf(context, { metadata });
  to.field(0, "Used By", names.join("\n\t") || "<none>");
  if (!status?.conditions?.length) return;
  to.write(0, "Conditions:\n");
  to.write(1, "Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage\n");
  to.write(1, "----\t------\t-----------------\t------------------\t------\t-------\n");
  for (const {
    type,
    status: value,
    lastProbeTime,
    lastTransitionTime,
    reason = "",
    message = "",
  } of status.conditions) {
    const times = `${longTime(lastProbeTime)} \t${longTime(lastTransitionTime)}`;
    to.write(1, `${type} \t${value} \t${times} \t${reason} \t${message}\n`);
  }
};

/** What the claims of Pods and those of their own have in common. */
export function describeClaimParts(
  to: Description,
  { metadata, spec, status }: PersistentVolumeClaim,
  { isWhole = false } = {},
): void {
  to.field(0, "StorageClass", metadata?.annotations?.[betaClass] ?? spec?.storageClassName ?? "");
  if (isWhole) describePhase(to, metadata?.deletionTimestamp, status?.phase);
  to.field(0, "Volume", spec?.volumeName ?? "");
  to.labels("Labels", metadata?.labels);
  to.annotations("Annotations", metadata?.annotations);
  if (isWhole) to.field(0, "Finalizers", goList(metadata?.finalizers));
  to.field(0, "Capacity", spec?.volumeName ? (status?.capacity?.["storage"] ?? "0") : "");
  to.field(0, "Access Modes", spec?.volumeName ? accessModes(status?.accessModes) : "");
  if (spec?.volumeMode) to.field(0, "VolumeMode", spec.volumeMode);
  if (spec?.dataSource) {
    to.write(0, "DataSource:\n");
    if (spec.dataSource.apiGroup !== undefined) to.field(1, "APIGroup", spec.dataSource.apiGroup);
    to.field(1, "Kind", spec.dataSource.kind);
    to.field(1, "Name", spec.dataSource.name);
  }
}

/** The Pods that mount a claim, and those that it belongs to. */
async function usersOf(
  context: Context,
  { metadata }: Pick<PersistentVolumeClaim, "metadata">,
): Promise<string[]> {
  const client = await context.cluster.client();
  const all = await client.listAll(pods, { namespace: metadata?.namespace ?? "" });
  const owners = (metadata?.ownerReferences ?? [])
    .filter(({ kind }) => kind === "Pod")
    .map(({ uid }) => uid);
  const uses = all.filter(
    (pod) =>
      owners.includes(pod.metadata?.uid ?? "") ||
      pod.spec?.volumes?.some(
        ({ persistentVolumeClaim: claim }) => claim?.claimName === metadata?.name,
      ),
  );
  return uses.map((pod) => pod.metadata?.name ?? "").sort();
}
