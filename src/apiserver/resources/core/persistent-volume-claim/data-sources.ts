import type { PersistentVolumeClaimSpec, TypedLocalObjectReference } from "#/api/core/v1.ts";
import type { RequestContext } from "../../../registry/strategy.ts";

/**
 * The data source of a claim: dataSource is the old field and dataSourceRef the new one. Both have the same value,
 * unless dataSourceRef names another namespace.
 *
 * Upstream: pkg/api/persistentvolumeclaim/util.go.
 */

/** Drops sources of disabled features; sources of the old claim stay. */
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

/** Copies the one source to the other field if only one is set. */
export function alignDataSources(spec: PersistentVolumeClaimSpec): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  else if (dataSourceRef && !dataSource && !dataSourceRef.namespace) {
    const { apiGroup, kind, name } = dataSourceRef;
    spec.dataSource = { ...(apiGroup === undefined ? {} : { apiGroup }), kind, name };
  }
}
