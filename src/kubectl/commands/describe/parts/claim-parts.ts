/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { PersistentVolumeClaim } from "#/api/core/v1.ts";
import { type Description, goList } from "./description.ts";

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

/** Access modes in the short form of `get`. */
export function accessModes(modes: readonly string[] = []): string {
  return Object.entries(shortModes)
    .flatMap(([mode, short]) => (modes.includes(mode) ? short : []))
    .join(",");
}

/** The deprecated annotation with the class of a volume or claim. */
export const betaClass = "volume.beta.kubernetes.io/storage-class";

/** The phase of an object; Terminating if it is being deleted. */
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

/** The common fields of claims and of claim templates in Pods. */
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
