/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go (volumes). */
import type { EphemeralVolumeSource, Volume } from "#/api/core/v1.ts";
import { describeClaimParts } from "./claim-parts.ts";
import type { Description } from "./description.ts";
import { fieldsOf, type Source, volumeKinds } from "./volume-kinds.ts";

/** The volumes of a Pod. */
export function describeVolumes(
  to: Description,
  volumes: readonly Volume[] = [],
  indent = "",
): void {
  if (volumes.length === 0) {
    to.field(0, `${indent}Volumes`, "<none>");
    return;
  }
  to.write(0, `${indent}Volumes:\n`);
  for (const volume of volumes) {
    to.write(1, `${indent === "" ? "" : " "}${volume.name}:\n`);
    describeSource(to, volume as unknown as Source);
  }
}

/** The source of a volume, or of a persistent volume. */
export function describeSource(to: Description, holder: Source, isPersistent = false): void {
  if (holder["ephemeral"]) {
    describeEphemeral(to, holder["ephemeral"] as EphemeralVolumeSource);
    return;
  }
  if (holder["projected"]) {
    describeProjected(to, holder["projected"] as Source);
    return;
  }
  if (holder["downwardAPI"]) {
    describeDownward(to, holder["downwardAPI"] as Source);
    return;
  }
  if (holder["csi"]) {
    describeCsi(to, holder["csi"] as Source);
    return;
  }
  const found = Object.keys(volumeKinds).find((name) => holder[name] !== undefined);
  const kind = found === undefined ? undefined : volumeKinds[found];
  if (!kind || found === undefined) {
    to.write(1, "<unknown>\n");
    return;
  }
  to.field(2, "Type", kind.type);
  for (const [label, value] of fieldsOf(kind, isPersistent)) {
    to.write(2, `${label}\t${String(value(holder[found] as Source))}\n`);
  }
}

function describeEphemeral(to: Description, { volumeClaimTemplate }: EphemeralVolumeSource): void {
  to.field(
    2,
    "Type",
    "EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)",
  );
  if (!volumeClaimTemplate) return;
  const { metadata, spec } = volumeClaimTemplate;
  describeClaimParts(to.nested(2), { metadata: metadata ?? {}, spec });
}

function describeProjected(to: Description, projected: Source): void {
  to.field(2, "Type", "Projected (a volume that contains injected data from multiple sources)");
  for (const source of (projected["sources"] ?? []) as Record<string, Source | undefined>[]) {
    const { secret, downwardAPI, configMap, serviceAccountToken } = source;
    if (secret) {
      to.field(2, "SecretName", secret["name"] ?? "");
      to.field(2, "Optional", secret["optional"] ?? false);
    } else if (downwardAPI) to.field(2, "DownwardAPI", true);
    else if (configMap) {
      to.field(2, "ConfigMapName", configMap["name"] ?? "");
      to.field(2, "Optional", configMap["optional"] ?? false);
    } else if (serviceAccountToken) {
      to.field(2, "TokenExpirationSeconds", serviceAccountToken["expirationSeconds"] ?? 0);
    }
  }
}

function describeDownward(to: Description, downward: Source): void {
  to.field(2, "Type", "DownwardAPI (a volume populated by information about the pod)");
  to.write(2, "Items:\n");
  for (const item of (downward["items"] ?? []) as {
    path: string;
    fieldRef?: { fieldPath: string };
    resourceFieldRef?: { resource: string };
  }[]) {
    if (item.fieldRef) to.write(3, `${item.fieldRef.fieldPath} -> ${item.path}\n`);
    if (item.resourceFieldRef) to.write(3, `${item.resourceFieldRef.resource} -> ${item.path}\n`);
  }
}

function describeCsi(to: Description, csi: Source): void {
  to.field(2, "Type", "CSI (a Container Storage Interface (CSI) volume source)");
  to.field(2, "Driver", csi["driver"] ?? "");
  to.field(2, "FSType", csi["fsType"] ?? "");
  if (csi["volumeHandle"] !== undefined) to.field(2, "VolumeHandle", csi["volumeHandle"]);
  to.field(2, "ReadOnly", csi["readOnly"] ?? false);
  const attributes = Object.entries(
    (csi["volumeAttributes"] ?? {}) as Record<string, string>,
  ).sort();
  to.write(2, "VolumeAttributes:\t");
  if (attributes.length === 0) {
    to.write(0, "<none>\n");
    return;
  }
  for (const [i, [key, value]] of attributes.entries()) {
    if (i > 0) to.write(2, "    \t");
    to.write(2, `${key}=${value}\n`);
  }
}
