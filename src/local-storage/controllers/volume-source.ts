/** Upstream: github.com/kubernetes-csi/external-provisioner/pkg/controller/controller.go (getVolumeContentSource). */
import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { requestedStorage } from "#/machinery/volumes/match-volume.ts";
import { type LocalVolume, localSnapshots, localVolumes } from "../base/custom-objects.ts";
import { driverName } from "../base/names.ts";
import { volumeSnapshotContents, volumeSnapshots } from "../base/snapshot-objects.ts";

/** The content with which a volume begins, and the node that has it. */
interface FoundSource {
  readonly source: LocalVolume["spec"]["source"];
  readonly nodeName: string;
}

const snapshotGroup = "snapshot.storage.k8s.io";
const modeChange = `snapshot.storage.kubernetes.io/allow-volume-mode-change`;

type Source =
  | { readonly kind: "none" }
  | { readonly kind: "claim" | "snapshot"; readonly name: string }
  /** A program of the user fills a volume for the claim. */
  | { readonly kind: "other" };

/** What a claim says about its content. */
export function sourceOfClaim({ metadata, spec }: PersistentVolumeClaim): Source {
  const reference = spec.dataSourceRef ?? spec.dataSource;
  if (!reference) return { kind: "none" };
  const { apiGroup = "", kind, name } = reference;
  const namespace = spec.dataSourceRef?.namespace;
  if (namespace && namespace !== metadata.namespace) return { kind: "other" };
  if (!apiGroup && kind === "PersistentVolumeClaim") return { kind: "claim", name };
  if (apiGroup === snapshotGroup && kind === "VolumeSnapshot") return { kind: "snapshot", name };
  return { kind: "other" };
}

/** Finds the source of a claim; undefined if it has none. Throws if it cannot be used, or not yet. */
export async function findSource(
  client: Client,
  claim: PersistentVolumeClaim,
): Promise<FoundSource | undefined> {
  const source = sourceOfClaim(claim);
  if (source.kind === "claim") return await findClaim(client, claim, source.name);
  if (source.kind === "snapshot") return await findSnapshot(client, claim, source.name);
  return undefined;
}

async function findClaim(
  client: Client,
  claim: PersistentVolumeClaim,
  name: string,
): Promise<FoundSource> {
  const { namespace = "" } = claim.metadata;
  const source = await client
    .get(persistentVolumeClaims, { namespace, name })
    .catch((error: Error) => {
      throw new Error(
        `error getting PVC ${name} (namespace "${namespace}") from api server: ${error.message}`,
      );
    });
  if (source.metadata.deletionTimestamp) {
    throw new Error(`the PVC DataSource ${name} is currently being deleted`);
  }
  if (source.status?.phase !== "Bound") {
    throw new Error(
      `the PVC DataSource ${name} must have a status of Bound.  Got ${source.status?.phase}`,
    );
  }
  const volume = await client.get(persistentVolumes, { name: source.spec.volumeName ?? "" });
  if (volume.spec.csi?.driver !== driverName) {
    throw new Error(
      `the source volume (${volume.spec.csi?.driver}) was not provisioned by ${driverName}`,
    );
  }
  const handle = volume.spec.csi.volumeHandle;
  const { spec } = await client.get(localVolumes, { name: handle });
  return { source: { volume: handle }, nodeName: spec.nodeName };
}

async function findSnapshot(
  client: Client,
  claim: PersistentVolumeClaim,
  name: string,
): Promise<FoundSource> {
  const { namespace = "" } = claim.metadata;
  const snapshot = await client.get(volumeSnapshots, { namespace, name }).catch((error: Error) => {
    throw new Error(`error getting snapshot ${name} from api server: ${error.message}`);
  });
  if (snapshot.metadata.deletionTimestamp) {
    throw new Error(`snapshot ${name} is currently being deleted`);
  }
  const contentName = snapshot.status?.boundVolumeSnapshotContentName;
  if (!contentName) throw new Error(`snapshot ${name} not bound`);
  const { metadata, spec, status } = await client.get(volumeSnapshotContents, {
    name: contentName,
  });
  const { volumeSnapshotRef: reference } = spec;
  if (reference.uid !== snapshot.metadata.uid || reference.name !== name) {
    throw new Error(`snapshotcontent ${contentName} is bound to a different snapshot than ${name}`);
  }
  if (spec.driver !== driverName) {
    throw new Error(`the snapshot is of driver ${spec.driver}, not of ${driverName}`);
  }
  if (!snapshot.status?.readyToUse) throw new Error(`snapshot ${name} is not Ready`);
  const handle = status?.snapshotHandle ?? "";
  const { restoreSize = 0 } = status ?? {};
  const wanted = requestedStorage(claim).value();
  if (wanted < restoreSize) {
    throw new Error(
      `requested volume size ${wanted} is less than the size ${restoreSize} for the source snapshot ${name}`,
    );
  }
  const mode = claim.spec.volumeMode ?? "Filesystem";
  const isAllowed = metadata.annotations?.[modeChange] === "true";
  if (spec.sourceVolumeMode && spec.sourceVolumeMode !== mode && !isAllowed) {
    throw new Error(
      `requested volume ${namespace}/${claim.metadata.name} modifies the mode of the source volume but does not have permission to do so. ${modeChange} annotation is not present on snapshotcontent ${contentName}`,
    );
  }
  const { spec: local } = await client.get(localSnapshots, { name: handle });
  return { source: { snapshot: handle }, nodeName: local.nodeName };
}
