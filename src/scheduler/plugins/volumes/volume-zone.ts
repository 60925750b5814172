import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import { type StorageClass, storageClasses } from "#/api/storage/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { claimClass, claimNotFound } from "#/machinery/volumes/volume-claims.ts";
import { action, interest } from "../../framework/cluster-event.ts";
import type { PluginContext } from "../../framework/context.ts";
import { isRejection, type Rejection, rejectForGood } from "../../framework/rejection.ts";
import type {
  MakingOptions,
  PluginDeclaration,
  PluginMethods,
} from "../shared/plugin-declaration.ts";

const name = "VolumeZone";
const conflict = rejectForGood(name, "node(s) had no available volume zone");

/** Zone and region labels: each deprecated one with its successor. */
const topologyLabels: ReadonlyMap<string, string> = new Map([
  ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"],
  ["topology.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["topology.kubernetes.io/region", "topology.kubernetes.io/region"],
]);

/** Topology of a volume: the values that a label of the node may have. */
interface VolumeTopology {
  readonly key: string;
  readonly values: readonly string[];
}

/**
 * Rejects nodes outside the zones of the pod's volumes.
 *
 * Upstream: pkg/scheduler/framework/plugins/volumezone.
 */
export const volumeZone: PluginDeclaration = {
  name,
  make,
};

function make(_args: object, { context }: MakingOptions): PluginMethods {
  const listers = openListers(context);
  return {
    requeueOn: [
      interest<Pod, StorageClass>(
        "storage.k8s.io/StorageClass",
        action.Add,
        (_pod, _before, added) => added?.volumeBindingMode === "WaitForFirstConsumer",
      ),
      interest("Node", action.Add | action.UpdateNodeLabel),
      interest<Pod, PersistentVolumeClaim>(
        "PersistentVolumeClaim",
        action.Add | action.Update,
        (pod, _before, claim) =>
          claim?.metadata.namespace === pod.metadata.namespace &&
          claimNames(pod).includes(claim?.metadata.name ?? ""),
      ),
      interest<Pod, PersistentVolume>(
        "PersistentVolume",
        action.Add | action.Update,
        (_pod, before, after) =>
          !before || !after || !deepEqual(topologiesOf(before), topologiesOf(after)),
      ),
    ],
    filter({ pod: { pod } }) {
      const names = claimNames(pod);
      if (names.length === 0) return undefined;
      const topologies: VolumeTopology[] = [];
      for (const claimName of names) {
        const found = claimTopologies(listers, pod, claimName);
        if (isRejection(found)) return found;
        topologies.push(...found);
      }
      if (topologies.length === 0) return undefined;
      return {
        check({ labels }) {
          if (![...topologyLabels.keys()].some((key) => labels[key] !== undefined))
            return undefined;
          const fits = topologies.every(({ key, values }) => {
            const value = labels[key] ?? labels[topologyLabels.get(key) ?? key];
            return value !== undefined && values.includes(value);
          });
          return fits ? undefined : conflict;
        },
      };
    },
  };
}

const claimNames = ({ spec: { volumes = [] } }: Pod): readonly string[] =>
  volumes.flatMap(({ persistentVolumeClaim: claim }) => (claim ? [claim.claimName] : []));

type Listers = ReturnType<typeof openListers>;

function openListers({ lister }: Pick<PluginContext, "lister">) {
  return {
    claims: lister(persistentVolumeClaims),
    volumes: lister(persistentVolumes),
    classes: lister(storageClasses),
  };
}

function claimTopologies(
  listers: Listers,
  pod: Pod,
  claimName: string,
): readonly VolumeTopology[] | Rejection {
  if (claimName === "") return rejectForGood(name, "PersistentVolumeClaim had no name");
  const claim = listers.claims.get(pod.metadata.namespace, claimName);
  if (!claim) return rejectForGood(name, claimNotFound(claimName));
  const volumeName = claim.spec?.volumeName;
  if (!volumeName) return whyUnbound(listers, claim) ?? [];
  const volume = listers.volumes.get(undefined, volumeName);
  if (!volume) return rejectForGood(name, `persistentvolume "${volumeName}" not found`);
  return topologiesOf(volume);
}

/** A claim may be unbound only if its class waits for the first consumer. */
function whyUnbound(listers: Listers, claim: PersistentVolumeClaim): Rejection | undefined {
  const className = claimClass(claim);
  if (className === "") {
    return rejectForGood(name, "PersistentVolumeClaim had no pv name and storageClass name");
  }
  const found = listers.classes.get(undefined, className);
  if (!found) return rejectForGood(name, `storageclass.storage.k8s.io "${className}" not found`);
  if (found.volumeBindingMode === undefined) {
    return rejectForGood(name, `VolumeBindingMode not set for StorageClass "${className}"`);
  }
  if (found.volumeBindingMode === "WaitForFirstConsumer") return undefined;
  return rejectForGood(name, "PersistentVolume had no name");
}

function topologiesOf({ metadata: { labels = {} } }: PersistentVolume): VolumeTopology[] {
  return [...topologyLabels.keys()].flatMap((key) => {
    const value = labels[key];
    if (value === undefined) return [];
    const values = value.split("__").map((zone) => zone.trim());
    return values.includes("") ? [] : [{ key, values }];
  });
}
