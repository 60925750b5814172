import {
  nodes,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
} from "#/api/core/v1.ts";
import { volumeFitsNode } from "#/machinery/volumes/match-volume.ts";
import { isFullyBound, selectedNodeAnnotation } from "#/machinery/volumes/volume-claims.ts";
import type { PluginContext } from "../../framework/context.ts";
import type { AssumedObjects } from "./assumed-objects.ts";
import type { PodVolumes } from "./find-volumes.ts";

/** Interval (ms) of the checks whether the claims are bound. */
const pollMs = 200;

export interface VolumeObjects {
  readonly volumes: AssumedObjects<PersistentVolume>;
  readonly claims: AssumedObjects<PersistentVolumeClaim>;
}

interface BindVolumesOptions {
  readonly context: PluginContext;
  readonly objects: VolumeObjects;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Writes the decided bindings, and waits until all claims are bound. Throws on failure or timeout. */
export async function bindVolumes(
  pod: Pod,
  nodeName: string,
  { bindings, provisions }: PodVolumes,
  { context, objects, timeoutMs, signal }: BindVolumesOptions,
): Promise<void> {
  const { client, clock } = context;
  const written = {
    volumes: [] as PersistentVolume[],
    claims: bindings.map(({ claim }) => claim),
  };
  for (const { volume } of bindings) {
    const stored = objects.volumes.getStored(undefined, volume.metadata.name ?? "");
    const isNew = stored !== volume;
    written.volumes.push(isNew ? await client.update(persistentVolumes, volume) : volume);
  }
  for (const { claim } of provisions) {
    written.claims.push(await client.update(persistentVolumeClaims, claim));
  }
  const provisioned = new Set(provisions.map(({ claim }) => claim.metadata.name));
  const deadlineMs = clock.monotonicMs() + timeoutMs;
  const isDone = (): boolean => {
    if (!context.lister(pods).get(pod.metadata.namespace, pod.metadata.name ?? "")) {
      throw new Error(`pod does not exist any more: pod "${pod.metadata.name ?? ""}" not found`);
    }
    for (const volume of written.volumes) checkVolume(volume, nodeName, context, objects);
    return written.claims.every((claim) => {
      const isProvisioned = provisioned.has(claim.metadata.name);
      return checkClaim(claim, nodeName, isProvisioned, context, objects);
    });
  };
  while (!isDone()) {
    if (clock.monotonicMs() >= deadlineMs) {
      throw new Error("binding volumes: context deadline exceeded");
    }
    await clock.sleep(pollMs, signal);
  }
}

function labelsOfNode(context: PluginContext, nodeName: string): Record<string, string> {
  const node = context.lister(nodes).get(undefined, nodeName);
  if (node === undefined) {
    throw new Error(`failed to get node "${nodeName}": node "${nodeName}" not found`);
  }
  return node.metadata.labels ?? {};
}

function checkVolume(
  { metadata: { name = "", resourceVersion } }: PersistentVolume,
  nodeName: string,
  context: PluginContext,
  { volumes }: VolumeObjects,
): void {
  const volume = volumes.getStored(undefined, name);
  if (!volume || isOlder(volume, resourceVersion)) return;
  if (!volumeFitsNode(volume, labelsOfNode(context, nodeName))) {
    throw new Error(`binding volumes: pv "${name}" node affinity doesn't match node "${nodeName}"`);
  }
  if (!volume.spec?.claimRef?.uid) {
    throw new Error(`binding volumes: ClaimRef got reset for pv "${name}"`);
  }
}

function checkClaim(
  { metadata: { namespace, name = "", resourceVersion } }: PersistentVolumeClaim,
  nodeName: string,
  isProvisioned: boolean,
  context: PluginContext,
  { claims, volumes }: VolumeObjects,
): boolean {
  const claim = claims.getStored(namespace, name);
  if (!claim) throw new Error(`binding volumes: persistentvolumeclaim "${name}" not found`);
  if (isOlder(claim, resourceVersion)) return false;
  if (isProvisioned && claim.metadata.annotations?.[selectedNodeAnnotation] !== nodeName) {
    throw new Error(`binding volumes: provisioning failed for PVC "${name}"`);
  }
  const volumeName = claim.spec?.volumeName;
  if (!volumeName) return false;
  const volume = volumes.getStored(undefined, volumeName);
  if (!volume) return false;
  if (!volumeFitsNode(volume, labelsOfNode(context, nodeName))) {
    throw new Error(
      `binding volumes: pv "${volumeName}" node affinity doesn't match node "${nodeName}"`,
    );
  }
  return isFullyBound(claim);
}

/** True if the observed version is older than our own write. Versions are revisions, so they can be compared. */
function isOlder(
  { metadata }: PersistentVolume | PersistentVolumeClaim,
  written: string | undefined,
): boolean {
  return BigInt(metadata.resourceVersion ?? "0") < BigInt(written ?? "0");
}
