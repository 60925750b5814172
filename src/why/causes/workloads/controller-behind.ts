import { daemonSets, deployments, replicaSets, statefulSets } from "#/api/apps/v1.ts";
import { leases } from "#/api/coordination/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import type { AnyObject } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import { ageMs } from "../../base/text.ts";

/** Limit of the time (ms) in which a controller takes up a change, even when it is busy. */
const takeUpMs = 20_000;
/** Limit of the age (ms) of the lease of controllers that run. */
const leaseMs = 30_000;

interface Observed extends AnyObject {
  readonly status?: { readonly observedGeneration?: number };
}

/** A change that no controller has taken up. */
export const controllerBehind = cause<Observed>({
  name: "controller-behind",
  layer: "controllers",
  of: [deployments, replicaSets, statefulSets, daemonSets],
  find({ metadata, status }, view) {
    const { generation = 0 } = metadata;
    if ((status?.observedGeneration ?? 0) >= generation || metadata.deletionTimestamp)
      return undefined;
    const changed = lastChange(metadata);
    const waitedMs = ageMs(changed, view.nowMs);
    if (waitedMs < takeUpMs) return undefined;
    const ref = { namespace: "kube-system", name: "kube-controller-manager" };
    const silentMs = ageMs(view.get(leases, ref)?.spec?.renewTime, view.nowMs);
    return {
      sentence: `its controller has not taken up the latest change for ${humanDuration(waitedMs)}: kube-controller-manager does not run, or is far behind`,
      certainty: silentMs > leaseMs ? "proven" : "likely",
      since: changed,
      evidence: [
        `generation ${generation}, observed ${status?.observedGeneration ?? 0}`,
        ...(silentMs > 0 ? [`its lease was renewed ${humanDuration(silentMs)} ago`] : []),
      ],
      fix: ["k8ts status", "k8ts logs kube-controller-manager"],
    };
  },
});

/** The time of the last change of an object, its status apart. */
const lastChange = ({ managedFields = [], creationTimestamp }: ObjectMeta): string | undefined =>
  managedFields
    .filter(({ subresource }) => !subresource)
    .map(({ time = "" }) => time)
    .sort()
    .at(-1) || creationTimestamp;
