import { type ApiObject, fieldAt, listAt, textAt } from "./object.ts";
import type { Tone } from "./tone.ts";
import { toneOf } from "./tone.ts";

/** A condition of an object's status. */
interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly changedMs: number;
}

export function conditionsOf(object: ApiObject): Condition[] {
  return listAt(object, "status", "conditions").map((condition) => ({
    type: textAt(condition, "type"),
    status: textAt(condition, "status"),
    reason: textAt(condition, "reason"),
    message: textAt(condition, "message"),
    changedMs: Date.parse(textAt(condition, "lastTransitionTime")) || 0,
  }));
}

/** Types of conditions for which "True" is bad news. */
const badWhenTrue =
  /pressure|failed|failure|unavailable|degraded|stalled|disruptiontarget|nonstructural|termin/i;

/** What a condition means. */
export function conditionTone({ type, status }: Pick<Condition, "type" | "status">): Tone {
  if (status === "Unknown") return "busy";
  return (status === "True") === badWhenTrue.test(type) ? "bad" : "good";
}

/** The state of an object in a word or two; undefined if it has none. */
export function summaryOf(
  object: ApiObject,
): { readonly text: string; readonly tone: Tone } | undefined {
  if (object.metadata.deletionTimestamp) return { text: "Terminating", tone: "busy" };
  const phase = podPhase(object) || textAt(object, "status", "phase");
  if (phase) return { text: phase, tone: toneOf(phase) };
  const wanted =
    fieldAt(object, "spec", "replicas") ?? fieldAt(object, "status", "desiredNumberScheduled");
  const ready =
    fieldAt(object, "status", "readyReplicas") ?? fieldAt(object, "status", "numberReady") ?? 0;
  if (typeof wanted === "number" && typeof ready === "number") {
    return { text: `${ready}/${wanted}`, tone: ready >= wanted ? "good" : "busy" };
  }
  const condition = conditionsOf(object).find(({ type }) =>
    ["Ready", "Complete", "Available"].includes(type),
  );
  if (!condition) return undefined;
  const text = condition.status === "True" ? condition.type : `Not${condition.type}`;
  return { text, tone: condition.status === "True" ? "good" : "bad" };
}

/** Why a Pod's container does not run, before its phase; "" for other objects. */
function podPhase(object: ApiObject): string {
  const statuses = [
    ...listAt(object, "status", "initContainerStatuses"),
    ...listAt(object, "status", "containerStatuses"),
  ];
  for (const status of statuses) {
    const waiting = textAt(status, "state", "waiting", "reason");
    if (waiting && waiting !== "PodInitializing") return waiting;
  }
  return textAt(object, "status", "reason");
}

/** A container of a Pod, with its state. */
interface ContainerState {
  readonly name: string;
  readonly image: string;
  readonly isInit: boolean;
  readonly state: string;
  readonly tone: Tone;
  readonly detail: string;
  readonly restarts: number;
}

/** The containers of a Pod; none of other objects. */
export function containersOf(object: ApiObject): ContainerState[] {
  const of = (list: string, statuses: string, isInit: boolean): ContainerState[] => {
    const known = new Map(
      listAt(object, "status", statuses).map((status) => [textAt(status, "name"), status]),
    );
    return listAt(object, "spec", list).map((container) => {
      const name = textAt(container, "name");
      return { name, image: textAt(container, "image"), isInit, ...stateOf(known.get(name)) };
    });
  };
  return [
    ...of("initContainers", "initContainerStatuses", true),
    ...of("containers", "containerStatuses", false),
    ...of("ephemeralContainers", "ephemeralContainerStatuses", false),
  ];
}

function stateOf(status: unknown): Pick<ContainerState, "state" | "tone" | "detail" | "restarts"> {
  const restarts = Number(fieldAt(status, "restartCount") ?? 0);
  const waiting = textAt(status, "state", "waiting", "reason");
  const terminated = textAt(status, "state", "terminated", "reason");
  if (waiting) {
    return {
      state: waiting,
      tone: toneOf(waiting),
      detail: textAt(status, "state", "waiting", "message"),
      restarts,
    };
  }
  if (terminated) {
    const code = fieldAt(status, "state", "terminated", "exitCode");
    return {
      state: terminated,
      tone: toneOf(terminated),
      detail: `exit ${String(code)}`,
      restarts,
    };
  }
  if (fieldAt(status, "state", "running") === undefined) {
    return { state: "Waiting", tone: "idle", detail: "", restarts };
  }
  const isReady = fieldAt(status, "ready") === true;
  return {
    state: isReady ? "Running" : "NotReady",
    tone: isReady ? "good" : "busy",
    detail: "",
    restarts,
  };
}
