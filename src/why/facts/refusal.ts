import { daemonSets, deployments, replicaSets, statefulSets } from "#/api/apps/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import { cronJobs, jobs } from "#/api/batch/v1.ts";
import { replicationControllers } from "#/api/core/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { type AnyObject, conditionsOf } from "../base/any-object.ts";
import { type Cause, cause, type Found } from "../base/cause.ts";
import type { Layer } from "../base/layer.ts";
import { count, oneLine, timeOf } from "../base/text.ts";
import type { View } from "../base/view.ts";

/** The resources whose controllers create Pods or objects that do. */
const creators: readonly Resource[] = [
  deployments,
  replicaSets,
  replicationControllers,
  statefulSets,
  daemonSets,
  jobs,
  cronJobs,
];

/** A create that the API server has refused to a controller. */
interface Refusal {
  readonly message: string;
  /** The kind of what was to be created, in the plural: "Pods". */
  readonly what: string;
  readonly since: string | undefined;
  readonly times: number;
}

const reasons = ["FailedCreate", "FailedDaemonPod", "ReplicaSetCreateError"];
/** Limit of the age (ms) of an event that explains the present: controllers retry within 17 minutes. */
const freshMs = 30 * 60_000;

/** The numbers of a workload, whatever its kind. */
interface Counts {
  readonly spec?: {
    readonly replicas?: number;
    readonly parallelism?: number;
    readonly completions?: number;
  };
  readonly status?: {
    readonly replicas?: number;
    readonly active?: number;
    readonly succeeded?: number;
    readonly desiredNumberScheduled?: number;
    readonly currentNumberScheduled?: number;
  };
}

/** The latest create that was refused to the controller of an object which still lacks what it should have. */
function refusalOf(resource: Resource, object: AnyObject, view: View): Refusal | undefined {
  const conditions = conditionsOf(object);
  const failure = conditions.find(
    ({ type, status, reason }) =>
      (type === "ReplicaFailure" && status === "True") ||
      (type === "Progressing" && reason === "ReplicaSetCreateError"),
  );
  const event = lacksObjects(resource, object)
    ? view
        .events(resource, object)
        .find(({ reason, lastMs }) => reasons.includes(reason) && view.nowMs - lastMs < freshMs)
    : undefined;
  const message = failure?.message ?? event?.message;
  if (message === undefined) return undefined;
  const what = / Claim /.test(message)
    ? "volume claims"
    : resource.name === cronJobs.name
      ? "Jobs"
      : "Pods";
  const since = failure?.lastTransitionTime ?? timeOf(event?.firstMs);
  return { message, what, since, times: event?.count ?? 1 };
}

function lacksObjects({ name }: Resource, object: AnyObject): boolean {
  const { spec = {}, status = {} } = object as AnyObject & Counts;
  if (name === daemonSets.name) {
    return (status.currentNumberScheduled ?? 0) < (status.desiredNumberScheduled ?? 0);
  }
  if (name === jobs.name) return lacksJobPods(object, { spec, status });
  if (name === cronJobs.name) return true;
  return (status.replicas ?? 0) < (spec.replicas ?? 1);
}

function lacksJobPods(object: AnyObject, { spec = {}, status = {} }: Counts): boolean {
  const conditions = conditionsOf(object);
  if (hasCondition(conditions, "Complete") || hasCondition(conditions, "Failed")) return false;
  const { parallelism = 1, completions = 1 } = spec;
  const { active = 0, succeeded = 0 } = status;
  return active < Math.min(parallelism, completions - succeeded);
}

interface RefusalCause {
  readonly name: string;
  readonly layer?: Layer;
  readonly texts: RegExp;
  explain(
    match: RegExpExecArray,
    refusal: Refusal,
    object: AnyObject,
    view: View,
  ): Omit<Found, "since" | "evidence"> & Partial<Pick<Found, "evidence">>;
}

/** A cause that is recognised by why the API server refuses to create what a controller asks for. */
export const refusalCause = ({ name, layer = "admission", texts, explain }: RefusalCause): Cause =>
  cause({
    name,
    layer,
    group: "refusal",
    of: creators,
    find(object, view, resource) {
      const refusal = refusalOf(resource, object, view);
      const match = refusal && texts.exec(refusal.message);
      if (!refusal || !match) return undefined;
      const { evidence = [], ...found } = explain(match, refusal, object, view);
      const { message, times, since } = refusal;
      const tries = times > 1 ? ` (${count(times, "try", "tries")})` : "";
      return {
        since,
        ...found,
        evidence: [
          `the API server refused${tries}: ${oneLine(withoutPrefix(message))}`,
          ...evidence,
        ],
      };
    },
  });

export const withoutPrefix = (message: string): string =>
  message.replace(/^Error creating: /, "").replace(/^create .* failed error: /, "");
