import {
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import { csiDrivers, type VolumeAttachment, volumeAttachments } from "#/api/storage/v1.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { keyOf } from "#/client/object-key.ts";
import type { CsiVolume } from "#/machinery/volumes/csi-volume.ts";
import { claimedVolumes } from "#/machinery/volumes/volume-claims.ts";
import { podsOfClaim } from "../pods/pod-indexes.ts";
import { isFinished } from "../pods/pod-state.ts";

const managedKey = "volumes.kubernetes.io/controller-managed-attach-detach";
const keepsKey = "volumes.kubernetes.io/keep-terminated-pod-volumes";

const volumeOf = ({ spec }: VolumeAttachment): string[] =>
  spec.source.persistentVolumeName === undefined ? [] : [spec.source.persistentVolumeName];

const attachmentStore = (informers: Informers) =>
  informers.informer(volumeAttachments, {
    indexes: { volume: volumeOf, node: ({ spec }) => [spec.nodeName] },
  }).store;

/** The attachments of a volume. */
export const attachmentsOf = (volume: string, informers: Informers): readonly VolumeAttachment[] =>
  attachmentStore(informers).byIndex("volume", volume);

/** The attachments of a node. */
export const attachmentsOn = (node: string, informers: Informers): readonly VolumeAttachment[] =>
  attachmentStore(informers).byIndex("node", node);

/** The volumes of attachments. */
export const volumesOfAttachments = (attachments: readonly VolumeAttachment[]): string[] =>
  attachments.flatMap(volumeOf);

/** The names of the volumes of a Pod's claims. */
export function volumesOfPod(pod: Pod, informers: Informers): string[] {
  const { store } = informers.informer(persistentVolumeClaims);
  return claimedVolumes(pod).flatMap(({ claimName }) => {
    const volume = store.get(pod.metadata.namespace ?? "", claimName)?.spec.volumeName;
    return volume ? [volume] : [];
  });
}

/** The volume, if a driver must attach it to a node before use. */
export function attachable(volume: PersistentVolume, informers: Informers): CsiVolume | undefined {
  const { csi } = volume.spec;
  if (!csi) return undefined;
  const driver = informers.informer(csiDrivers).store.get("", csi.driver);
  if (driver?.spec.attachRequired === false) return undefined;
  return { driver: csi.driver, handle: csi.volumeHandle };
}

/** The entry of an attachment in the node's status. */
export function attachedVolume(
  attachment: VolumeAttachment,
  informers: Informers,
): CsiVolume | undefined {
  const { store } = informers.informer(persistentVolumes);
  const [volume] = volumeOf(attachment).map((name) => store.get("", name));
  return volume && attachable(volume, informers);
}

/** Whether this controller manages the attachments of a node. */
export const isManaged = ({ metadata }: Node): boolean =>
  metadata.annotations?.[managedKey] === "true";

/** The Pods that need a volume, by node. */
export function podsByNode(
  volume: PersistentVolume,
  nodeOf: (name: string) => Node | undefined,
  informers: Informers,
): Map<string, Pod[]> {
  const found = new Map<string, Pod[]>();
  const claim = boundClaim(volume, informers);
  for (const pod of claim ? podsOfClaim(keyOf(claim), informers) : []) {
    const name = pod.spec.nodeName ?? "";
    const node = name === "" ? undefined : nodeOf(name);
    if (!node || !isManaged(node)) continue;
    if (hasEnded(pod) && node.metadata.annotations?.[keepsKey] !== "true") continue;
    found.set(name, [...(found.get(name) ?? []), pod]);
  }
  return found;
}

/** The claim that a volume is bound to, if both refer to each other. */
function boundClaim(
  { metadata, spec: { claimRef } }: PersistentVolume,
  informers: Informers,
): PersistentVolumeClaim | undefined {
  const { store } = informers.informer(persistentVolumeClaims);
  const claim = claimRef && store.get(claimRef.namespace ?? "", claimRef.name ?? "");
  const isBound =
    claim?.metadata.uid === claimRef?.uid &&
    claim?.status?.phase === "Bound" &&
    claim.spec.volumeName === metadata.name;
  return isBound ? claim : undefined;
}

/** Whether no container of a Pod can use a volume any more. */
function hasEnded({ metadata, status = {} }: Pod): boolean {
  if (isFinished({ status })) return true;
  const containers = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  const mayRun = containers.some(({ state }) => !state?.terminated && !state?.waiting);
  return metadata.deletionTimestamp !== undefined && !mayRun;
}
