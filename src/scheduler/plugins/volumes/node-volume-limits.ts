import {
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import {
  type CSINode,
  csiDrivers,
  csiNodes,
  storageClasses,
  volumeAttachments,
} from "#/api/storage/v1.ts";
import {
  claimClass,
  claimedVolumes,
  claimNotFound,
  foreignClaimProblem,
  usesClaim,
} from "#/machinery/volumes/volume-claims.ts";
import type { NodeInfo } from "../../cache/node-info.ts";
import { action, interest } from "../../framework/cluster-event.ts";
import type { PluginContext } from "../../framework/context.ts";
import { isRejection, type Rejection, reject, rejectForGood } from "../../framework/rejection.ts";
import type {
  MakingOptions,
  PluginDeclaration,
  PluginMethods,
} from "../shared/plugin-declaration.ts";

const name = "NodeVolumeLimits";
const tooMany = reject(name, "node(s) exceed max volume count");

/** Volumes by their unique name, with the driver of each. */
type Volumes = Map<string, string>;

type Listers = ReturnType<typeof openListers>;

function openListers({ lister }: Pick<PluginContext, "lister">) {
  return {
    claims: lister(persistentVolumeClaims),
    volumes: lister(persistentVolumes),
    classes: lister(storageClasses),
    drivers: lister(csiDrivers),
    csiNodes: lister(csiNodes),
    attachments: lister(volumeAttachments),
  };
}

/**
 * Rejects nodes to which no more volumes of a driver can be attached.
 *
 * Upstream: pkg/scheduler/framework/plugins/nodevolumelimits.
 */
export const nodeVolumeLimits: PluginDeclaration = {
  name,
  make,
};

function make(_args: object, { context }: MakingOptions): PluginMethods {
  const listers = openListers(context);
  return {
    requeueOn: [
      interest("storage.k8s.io/CSINode", action.Add),
      interest<Pod, CSINode>("storage.k8s.io/CSINode", action.Update, (_pod, before, after) => {
        const limits = limitsOf(before);
        return [...limitsOf(after)].some(([driver, limit]) => limit > (limits.get(driver) ?? 0));
      }),
      interest<Pod, Pod>("AssignedPod", action.Delete, (_pod, gone) => {
        if (!gone?.spec.nodeName && !gone?.status?.nominatedNodeName) return false;
        return claimedVolumes(gone).length > 0;
      }),
      interest<Pod, PersistentVolumeClaim>(
        "PersistentVolumeClaim",
        action.Add,
        (pod, _before, claim) => claim !== undefined && usesClaim(pod, claim),
      ),
      interest<Pod, unknown>("storage.k8s.io/VolumeAttachment", action.Delete, (pod) => {
        return (pod.spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim);
      }),
    ],
    filter({ pod: { pod } }) {
      if (claimedVolumes(pod).length === 0) return undefined;
      // Missing claims are reported by VolumeBinding.
      let wanted: Volumes | Rejection | undefined;
      return {
        check(node) {
          wanted ??= attachableVolumes(listers, pod, true);
          if (isRejection(wanted)) return wanted;
          return wanted.size === 0 ? undefined : checkNode(listers, node, wanted);
        },
      };
    },
  };
}

function checkNode(listers: Listers, node: NodeInfo, wanted: Volumes): Rejection | undefined {
  const csiNode = listers.csiNodes.get(undefined, node.name);
  for (const driver of wanted.values()) {
    if (isInstalled(listers, driver, csiNode)) continue;
    return reject(name, `${driver} CSI driver is not installed on the node`);
  }
  const limits = limitsOf(csiNode);
  if (limits.size === 0) return undefined;
  const attached = attachedTo(listers, node);
  const counts = new Map<string, number>();
  const count = (driver: string): void => {
    counts.set(driver, (counts.get(driver) ?? 0) + 1);
  };
  for (const driver of attached.values()) count(driver);
  for (const [volume, driver] of wanted) if (!attached.has(volume)) count(driver);
  const drivers = new Set(
    [...wanted].filter(([volume]) => !attached.has(volume)).map(([, d]) => d),
  );
  const isOver = [...drivers].some((driver) => {
    return (counts.get(driver) ?? 0) > (limits.get(driver) ?? Number.POSITIVE_INFINITY);
  });
  return isOver ? tooMany : undefined;
}

/** A driver may require that pods are not placed on nodes where it isn't installed. */
function isInstalled(listers: Listers, driver: string, csiNode: CSINode | undefined): boolean {
  const found = listers.drivers.get(undefined, driver);
  if (!found?.spec.preventPodSchedulingIfMissing) return true;
  return csiNode?.spec.drivers.some((one) => one.name === driver) === true;
}

function limitsOf(csiNode: CSINode | undefined): ReadonlyMap<string, number> {
  return new Map(
    (csiNode?.spec.drivers ?? []).flatMap(({ name: driver, allocatable }) => {
      return allocatable?.count === undefined ? [] : [[driver, allocatable.count] as const];
    }),
  );
}

/** The volumes of the pods on a node, and those that are attached to it without a pod. */
function attachedTo(listers: Listers, node: NodeInfo): Volumes {
  const attached: Volumes = new Map();
  for (const { pod } of node.pods) {
    const volumes = attachableVolumes(listers, pod, false);
    if (isRejection(volumes)) continue;
    for (const [volume, driver] of volumes) attached.set(volume, driver);
  }
  for (const { spec } of listers.attachments.list()) {
    if (spec.nodeName !== node.name || !spec.source.persistentVolumeName) continue;
    const volume = listers.volumes.get(undefined, spec.source.persistentVolumeName);
    const handle = volume?.spec?.csi?.volumeHandle;
    if (handle !== undefined) attached.set(`${spec.attacher}/${handle}`, spec.attacher);
  }
  return attached;
}

function attachableVolumes(listers: Listers, pod: Pod, isNew: boolean): Volumes | Rejection {
  const volumes: Volumes = new Map();
  const { namespace } = pod.metadata;
  for (const { claimName, ephemeral } of claimedVolumes(pod)) {
    const claim = listers.claims.get(namespace, claimName);
    if (claim === undefined) {
      if (!isNew) continue;
      const key = `${namespace ?? ""}/${claimName}`;
      return rejectForGood(name, `looking up PVC ${key}: ${claimNotFound(claimName)}`);
    }
    const problem = ephemeral ? foreignClaimProblem(pod, claim) : undefined;
    if (problem !== undefined) throw new Error(problem);
    const found = driverOf(listers, claim);
    if (found) volumes.set(`${found.driver}/${found.handle}`, found.driver);
  }
  return volumes;
}

/** The driver of a claim's volume, or of the volume that will be provisioned for it. */
function driverOf(
  listers: Listers,
  claim: PersistentVolumeClaim,
): { readonly driver: string; readonly handle: string } | undefined {
  const { namespace = "", name: claimName = "" } = claim.metadata;
  const volumeName = claim.spec?.volumeName;
  const volume = volumeName && listers.volumes.get(undefined, volumeName);
  if (volume) {
    const csi = volume.spec?.csi;
    return csi && { driver: csi.driver, handle: csi.volumeHandle };
  }
  const found = listers.classes.get(undefined, claimClass(claim));
  // No volume can have this name, so the claim counts as a volume of its own.
  return found && { driver: found.provisioner, handle: `unbound:${namespace}/${claimName}` };
}
