import type { PersistentVolumeClaimSpec, TypedLocalObjectReference } from "#/api/core/v1.ts";
import type { RequestContext } from "../../../registry/strategy.ts";

/**
 * What a claim's volume is to be filled with: dataSource is the old field and dataSourceRef the new one, and they say
 * the same unless the new one points to another namespace.
 *
 * Upstream: pkg/api/persistentvolumeclaim/util.go.
 */

/** Drops sources that are not to be used; what the claim had before stays. */
export function dropDataSources(
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec | undefined,
  context: RequestContext,
): void {
  const foreign = Boolean(spec.dataSourceRef?.namespace);
  if (
    foreign &&
    old?.dataSourceRef === undefined &&
    !context.enabled("CrossNamespaceVolumeDataSource")
  ) {
    delete spec.dataSourceRef;
  }
  const inUse = old?.dataSource !== undefined || old?.dataSourceRef !== undefined;
  if (inUse || spec.dataSourceRef || !spec.dataSource) return;
  if (!isClaimOrSnapshot(spec.dataSource)) delete spec.dataSource;
}

function isClaimOrSnapshot({ apiGroup = "", kind }: TypedLocalObjectReference): boolean {
  if (kind === "PersistentVolumeClaim") return apiGroup === "";
  return kind === "VolumeSnapshot" && apiGroup === "snapshot.storage.k8s.io";
}

/** Makes each source say what the other says, where only one is there. */
export function alignDataSources(spec: PersistentVolumeClaimSpec): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  else if (dataSourceRef && !dataSource && !dataSourceRef.namespace) {
    const { apiGroup, kind, name } = dataSourceRef;
    spec.dataSource = { ...(apiGroup === undefined ? {} : { apiGroup }), kind, name };
  }
}
