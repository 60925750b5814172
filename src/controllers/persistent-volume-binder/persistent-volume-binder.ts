/** Upstream: pkg/controller/volume/persistentvolume. */
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
} from "#/api/core/v1.ts";
import { type StorageClass, storageClasses } from "#/api/storage/v1.ts";
import { keyOf } from "#/client/object-key.ts";
import {
  type Controller,
  type ControllerContext,
  controller,
  type ReconcileResult,
  watch,
} from "#/controller/controller.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import { findDefaultStorageClass } from "#/machinery/volumes/default-storage-class.ts";
import { claimClass } from "#/machinery/volumes/volume-claims.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { podsOfClaim } from "../pods/pod-indexes.ts";
import { isFinished } from "../pods/pod-state.ts";
import { bind, setClaimPhase, setVolumePhase, unbind } from "./bind.ts";
import { type ClaimPlan, type ClaimView, planClaim } from "./plan-claim.ts";
import { planVolume } from "./plan-volume.ts";
import { provision } from "./provision.ts";
import { reclaim } from "./reclaim.ts";
import { claimKeyOf, unboundClaims, volumesFor, volumesOfClaim } from "./volume-indexes.ts";

type Context = ControllerContext<ManagerOptions>;

const name = "persistentvolume-binder-controller";
const eventSource = "persistentvolume-controller";

const claims = controller<PersistentVolumeClaim, ManagerOptions>({
  name,
  for: persistentVolumeClaims,
  queue: "claims",
  // One worker, so that two claims never choose the same volume.
  workers: 1,
  reads: [pods],
  watches: [watch(persistentVolumes, claimsOfVolume), watch(storageClasses, claimsOfClass)],
  reconcile: reconcileClaim,
});

const volumes = controller<PersistentVolume, ManagerOptions>({
  name,
  for: persistentVolumes,
  queue: "volumes",
  workers: 1,
  watches: [
    watch(persistentVolumeClaims, (claim, { informers }) => [
      ...(claim.spec.volumeName ? [claim.spec.volumeName] : []),
      ...volumesOfClaim(keyOf(claim), informers).map(keyOf),
    ]),
  ],
  reconcile: reconcileVolume,
});

/**
 * Binds claims to volumes, requests provisioning, and applies the reclaim policy of released
 * volumes.
 */
export const persistentVolumeBinderController: Controller<ManagerOptions> = {
  name,
  eventSource,
  async run(context) {
    await Promise.all([claims.run(context), volumes.run(context)]);
  },
};

/** The claim of a volume; for an available volume, the claims that it may fit. */
function claimsOfVolume(volume: PersistentVolume, { informers }: Context): string[] {
  const { claimRef } = volume.spec;
  if (claimRef) return [claimKeyOf(claimRef)];
  return unboundClaims(volume.spec.storageClassName ?? "", informers).map(keyOf);
}

/** A class, for example a new default, may be the one that a claim waits for. */
function claimsOfClass({ metadata }: StorageClass, { informers }: Context): string[] {
  return ["", metadata.name ?? ""].flatMap((one) => unboundClaims(one, informers).map(keyOf));
}

async function reconcileClaim(
  claim: PersistentVolumeClaim,
  context: Context,
): Promise<ReconcileResult> {
  const { client, recorder, options } = context;
  const view = viewOf(claim, context);
  const plan = planClaim(claim, view);
  const again = { afterMs: options.flags["pvclaimbinder-sync-period"] };
  switch (plan.do) {
    case "bind":
      await bind(plan.volume, claim, context);
      return undefined;
    case "lose":
      if (claim.status?.phase === "Lost") return undefined;
      await setClaimPhase(claim, "Lost", undefined, context);
      recorder.event(claim, plan.event.type, plan.event.reason, plan.event.message);
      return undefined;
    case "setClass": {
      const spec = { ...claim.spec, storageClassName: plan.name };
      await client.update(persistentVolumeClaims, { ...claim, spec });
      return undefined;
    }
    case "provision":
      await provision(claim, view.storageClass, context);
      return again;
    case "wait":
      recordPlanEvent(claim, plan, context);
      await setClaimPhase(claim, "Pending", undefined, context);
      return again;
    default:
      return plan satisfies never;
  }
}

function recordPlanEvent(
  claim: PersistentVolumeClaim,
  { event }: Extract<ClaimPlan, { do: "wait" }>,
  { recorder }: Context,
): void {
  if (event) recorder.event(claim, event.type, event.reason, event.message);
}

function viewOf(claim: PersistentVolumeClaim, { informers }: Context): ClaimView {
  const classes = informers.informer(storageClasses).store;
  const className = claimClass(claim);
  const waiting = podsOfClaim(keyOf(claim), informers).filter(
    (pod) => !pod.spec.nodeName && !isFinished(pod),
  );
  return {
    findVolume: (name) => informers.informer(persistentVolumes).store.get("", name),
    candidates: volumesFor(keyOf(claim), className, informers),
    storageClass: classes.get("", className),
    defaultClass: findDefaultStorageClass(classes.list()),
    waitingPods: waiting.map(({ metadata }) => metadata.name ?? ""),
  };
}

async function reconcileVolume(
  volume: PersistentVolume,
  context: Context,
): Promise<ReconcileResult> {
  const { recorder, options } = context;
  const plan = planVolume(volume, await findClaim(volume, context));
  switch (plan.do) {
    case "setPhase":
      await setVolumePhase(volume, plan.phase, context);
      return undefined;
    case "reclaim":
      await reclaim(volume, context);
      return { afterMs: options.flags["pvclaimbinder-sync-period"] };
    case "unbind":
      await unbind(volume, context);
      return undefined;
    case "reportMismatch": {
      const ofVolume = `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${plan.claim.metadata.name}" due to incompatible volumeMode.`;
      recorder.event(volume, "Warning", "VolumeMismatch", ofVolume);
      const ofClaim = `Cannot bind PersistentVolume "${volume.metadata.name}" to requested PersistentVolumeClaim due to incompatible volumeMode.`;
      recorder.event(plan.claim, "Warning", "VolumeMismatch", ofClaim);
      return undefined;
    }
    case "wait":
      return undefined;
    default:
      return plan satisfies never;
  }
}

/**
 * The claim that a volume refers to, by uid. Before it is taken as deleted the server is asked: the
 * store may be outdated.
 */
async function findClaim(
  { spec: { claimRef }, status }: PersistentVolume,
  { client, informers }: Context,
): Promise<PersistentVolumeClaim | undefined> {
  if (!claimRef?.uid) return undefined;
  const { name = "", namespace = "", uid } = claimRef;
  const known = informers.informer(persistentVolumeClaims).store.get(namespace, name);
  if (known?.metadata.uid === uid) return known;
  if (!known && (status?.phase === "Released" || status?.phase === "Failed")) return undefined;
  const fresh = await client.get(persistentVolumeClaims, { name, namespace }).catch(ignoreNotFound);
  return fresh?.metadata.uid === uid ? fresh : undefined;
}
