import {
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  type Volume,
} from "#/api/core/v1.ts";
import { claimNotFound } from "#/machinery/volumes/volume-claims.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import { action, interest } from "../../framework/cluster-event.ts";
import type { NodeFilter } from "../../framework/plugin.ts";
import { reject, rejectForGood } from "../../framework/rejection.ts";
import type {
  MakingOptions,
  PluginDeclaration,
  PluginMethods,
} from "../shared/plugin-declaration.ts";

const name = "VolumeRestrictions";
const diskConflict = reject(name, "node(s) had no available disk");
const inUse = reject(
  name,
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
);

/**
 * Rejects nodes where a disk with a single writer is in use, and keeps apart pods that use the same ReadWriteOncePod
 * claim.
 *
 * Upstream: pkg/scheduler/framework/plugins/volumerestrictions.
 */
export const volumeRestrictions: PluginDeclaration = {
  name,
  make,
};

function make(_args: object, { context }: MakingOptions): PluginMethods {
  const claims = context.lister(persistentVolumeClaims);
  return {
    requeueOn: [
      interest<Pod, Pod>("AssignedPod", action.Delete, (pod, gone) => {
        if (!gone || gone.metadata.namespace !== pod.metadata.namespace) return false;
        if (disksConflict(pod, [gone])) return true;
        const own = new Set(claimNames(pod));
        return claimNames(gone).some((claim) => own.has(claim));
      }),
      interest("Node", action.Add),
      interest<Pod, PersistentVolumeClaim>(
        "PersistentVolumeClaim",
        action.Add,
        (pod, _before, claim) =>
          claim?.metadata.namespace === pod.metadata.namespace &&
          claimNames(pod).includes(claim?.metadata.name ?? ""),
      ),
    ],
    filter({ pod: info, snapshot }) {
      const { pod } = info;
      if ((pod.spec.volumes?.length ?? 0) === 0) return undefined;
      const exclusive = new Set<string>();
      for (const claimName of claimNames(pod)) {
        const claim = claims.get(pod.metadata.namespace, claimName);
        if (!claim) return rejectForGood(name, claimNotFound(claimName));
        if (claim.spec?.accessModes?.includes("ReadWriteOncePod")) exclusive.add(claimName);
      }
      const usage = (other: PodInfo): number =>
        other.namespace === info.namespace
          ? claimNames(other.pod).filter((claim) => exclusive.has(claim)).length
          : 0;
      let users = 0;
      if (exclusive.size > 0) {
        for (const { pods } of snapshot.nodes) for (const other of pods) users += usage(other);
      }
      const hasDisks = (pod.spec.volumes ?? []).some(isDisk);
      return hasDisks || users > 0 ? restrictionFilter(pod, users, usage) : undefined;
    },
  };
}

function restrictionFilter(pod: Pod, users: number, usage: (other: PodInfo) => number): NodeFilter {
  const check = (count: number): NodeFilter["check"] => {
    return ({ pods }) => {
      const others = pods.map((other) => other.pod);
      if (disksConflict(pod, others)) return diskConflict;
      return count > 0 ? inUse : undefined;
    };
  };
  return {
    check: check(users),
    fork() {
      let count = users;
      return {
        check: (node) => check(count)(node),
        podAdded(other) {
          count += usage(other);
        },
        podRemoved(other) {
          count -= usage(other);
        },
      };
    },
  };
}

const claimNames = ({ spec: { volumes = [] } }: Pod): readonly string[] =>
  volumes.flatMap(({ persistentVolumeClaim: claim }) => (claim ? [claim.claimName] : []));

const isDisk = (volume: Volume): boolean =>
  Boolean(volume.gcePersistentDisk || volume.awsElasticBlockStore || volume.rbd || volume.iscsi);

function disksConflict({ spec }: Pod, others: readonly Pod[]): boolean {
  return (spec.volumes ?? []).filter(isDisk).some((volume) => {
    return others.some((other) => {
      return (other.spec.volumes ?? []).some((existing) => isSameDisk(volume, existing));
    });
  });
}

/** True if two volumes are the same disk, and at least one of them is writable. */
function isSameDisk(a: Volume, b: Volume): boolean {
  if (a.gcePersistentDisk && b.gcePersistentDisk) {
    const bothRead = a.gcePersistentDisk.readOnly && b.gcePersistentDisk.readOnly;
    return a.gcePersistentDisk.pdName === b.gcePersistentDisk.pdName && !bothRead;
  }
  if (a.awsElasticBlockStore && b.awsElasticBlockStore) {
    return a.awsElasticBlockStore.volumeID === b.awsElasticBlockStore.volumeID;
  }
  if (a.iscsi && b.iscsi) {
    return a.iscsi.iqn === b.iscsi.iqn && !(a.iscsi.readOnly && b.iscsi.readOnly);
  }
  if (!a.rbd || !b.rbd) return false;
  const monitors = new Set(a.rbd.monitors);
  return (
    b.rbd.monitors.some((monitor) => monitors.has(monitor)) &&
    (a.rbd.pool ?? "rbd") === (b.rbd.pool ?? "rbd") &&
    a.rbd.image === b.rbd.image &&
    !(a.rbd.readOnly && b.rbd.readOnly)
  );
}
