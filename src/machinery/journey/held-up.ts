import { describeStep } from "./describe-step.ts";
import { type Journey, type Layer, layers, type Step } from "./step.ts";

/** Where an object is held up, as its journey says. */
interface HeldUp {
  /** That of the step, or the last one of which anything is reported. */
  readonly layer: Layer;
  /** The newest step that failed or waits; absent if the way just ends after a step that went well. */
  readonly step?: Step;
  /** The last step that went well before. */
  readonly after?: Step;
  /** Since when it has failed or waited in this way, or since when nothing is reported (metav1.MicroTime). */
  readonly since: string;
  /** How often it has failed since. */
  readonly times: number;
  /** In words, without subject and full stop: `pull image has failed 3 times: ErrImagePull: no such image`. */
  readonly sentence: string;
}

/**
 * In which layer an object is held up, and since when; undefined if it is ready or deleted, or if nothing is known. It only
 * repeats what was reported, and is evidence beside what the objects themselves say. Pure.
 */
export function heldUp({ steps }: Pick<Journey, "steps">): HeldUp | undefined {
  if (isDeleted({ steps })) return undefined;
  const found = lastTrouble(steps);
  if (found) return found;
  const after = steps.findLast(({ outcome }) => outcome === "ok");
  const isReady = steps.some(isReadyStep);
  if (!after || isReady) return undefined;
  const since = after.to ?? after.from;
  const sentence = `nothing is reported since ${after.layer}: ${after.name}`;
  return { layer: after.layer, after, since, times: 0, sentence };
}

/** Whether the object was deleted, or is being deleted. */
export const isDeleted = ({ steps }: Pick<Journey, "steps">): boolean =>
  steps.some(
    ({ layer, name, facts }) =>
      layer === "store" && name === "commit" && facts?.["verb"] === "delete",
  );

const isReadyStep = ({ layer, name, outcome }: Step): boolean =>
  layer === "readiness" && name === "ready" && outcome === "ok";

/** The newest step that failed or waits, unless the same work went well later, or the object became ready. */
function lastTrouble(steps: readonly Step[]): HeldUp | undefined {
  const index = steps.findLastIndex(({ outcome }) => outcome === "failed" || outcome === "waiting");
  const step = steps[index];
  if (!step) return undefined;
  const { layer, name } = step;
  const isSame = (other: Step): boolean => sameWork(other, step);
  const isOver = steps
    .slice(index + 1)
    .some((later) => isReadyStep(later) || (isSame(later) && later.outcome === "ok"));
  if (isOver || isEndedWait(step)) return undefined;
  const lastOk = steps.findLastIndex((other, at) => at < index && goesOn(other, layer));
  const own = steps
    .slice(lastOk + 1, index + 1)
    .filter((other) => isTrouble(other) && isSame(other));
  const times = own.filter(({ outcome }) => outcome === "failed").length;
  const since = own[0]?.from ?? step.from;
  const after = steps[lastOk];
  const what = describeStep(step);
  const said = times > 1 ? `${name} has failed ${times} times` : `${name} ${verbOf(step)}`;
  const sentence = what === "" ? said : `${said}: ${what}`;
  return { layer, step, ...(after ? { after } : {}), since, times, sentence };
}

const isTrouble = ({ outcome }: Step): boolean => outcome === "failed" || outcome === "waiting";

/** A wait that is over says nothing about now. */
const isEndedWait = ({ outcome, to }: Step): boolean => outcome === "waiting" && to !== undefined;

/** Steps about the same container, volume or attempt. */
const sameWork = (one: Step, other: Step): boolean =>
  one.layer === other.layer &&
  one.name === other.name &&
  one.facts?.["container"] === other.facts?.["container"];

/** A step that went well in an earlier layer: what follows is a new hold-up. */
const goesOn = ({ layer, outcome }: Step, held: Layer): boolean =>
  outcome === "ok" && layers.indexOf(layer) < layers.indexOf(held);

const verbOf = ({ outcome }: Step): string => (outcome === "failed" ? "has failed" : "waits");
