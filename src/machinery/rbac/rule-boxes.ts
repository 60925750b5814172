import type { PolicyRule } from "#/api/rbac/v1.ts";
import { OwnerRules, type RuleMatcher } from "./owner-rules.ts";

/**
 * The permissions of one rule as a box: each combination of a value of each axis is a permission. A rule with three
 * lists of 200 values grants eight million permissions, so that boxes are compared without listing them.
 */
interface Box {
  readonly rule: PolicyRule;
  readonly type: "resource" | "path";
  /** Indices into the rule's lists: groups, resources, verbs, names; or paths, verbs. */
  readonly axes: readonly (readonly number[])[];
}

/** Permissions that are not granted. */
export interface Uncovered {
  /** Disjoint boxes, in the order of their rules. */
  readonly boxes: readonly Box[];
  /** Whether the limit of steps was exceeded; the boxes may then contain granted permissions. */
  readonly isCutOff: boolean;
}

/** Limit of comparisons of one value with one rule: some hundred milliseconds. */
const maxSteps = 5_000_000;

/** The permissions of the servant's rules that no rule of the owner grants. */
export function uncoveredBoxes(
  owner: readonly PolicyRule[],
  servant: readonly PolicyRule[],
  limitSteps = maxSteps,
): Uncovered {
  const owners = new OwnerRules(owner);
  const uncovered: Box[] = [];
  let left = limitSteps;
  for (const box of servant.flatMap(boxesOf)) {
    let boxes: readonly Box[] = [box];
    for (const matcher of owners.candidates(box.rule, box.type)) {
      for (const { axes } of boxes) for (const values of axes) left -= values.length;
      if (boxes.length === 0 || left < 0) break;
      boxes = boxes.flatMap((part) => subtract(part, matcher));
    }
    for (const part of boxes) uncovered.push(part);
    if (left < 0) return { boxes: uncovered, isCutOff: true };
  }
  return { boxes: uncovered, isCutOff: false };
}

function boxesOf(rule: PolicyRule): Box[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  const boxes: Box[] = [];
  if (verbs.length > 0 && apiGroups.length > 0 && resources.length > 0) {
    const names = resourceNames.length === 0 ? [-1] : indices(resourceNames);
    const axes = [indices(apiGroups), indices(resources), indices(verbs), names];
    boxes.push({ rule, type: "resource", axes });
  }
  const paths = rule.nonResourceURLs ?? [];
  if (paths.length > 0 && verbs.length > 0) {
    boxes.push({ rule, type: "path", axes: [indices(paths), indices(verbs)] });
  }
  return boxes;
}

const indices = (list: readonly unknown[]): number[] => list.map((_, index) => index);

/** The parts of a box that a rule does not grant. */
function subtract(box: Box, matcher: RuleMatcher): readonly Box[] {
  const lists = listsOf(box);
  const inside: (readonly number[])[] = [];
  for (const [axis, values] of box.axes.entries()) {
    const list = lists[axis] ?? [];
    const granted = values.filter((index) => matcher(axis, list[index]));
    if (granted.length === 0) return [box];
    inside.push(granted);
  }
  const parts: Box[] = [];
  for (const [axis, values] of box.axes.entries()) {
    const granted = new Set(inside[axis]);
    if (granted.size === values.length) continue;
    const outside = values.filter((index) => !granted.has(index));
    const axes = [...inside.slice(0, axis), outside, ...box.axes.slice(axis + 1)];
    parts.push({ ...box, axes });
  }
  return parts;
}

function listsOf({ rule, type }: Box): readonly (readonly string[])[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  return type === "path" ? [nonResourceURLs, verbs] : [apiGroups, resources, verbs, resourceNames];
}

/** The number of permissions in a box. */
export const boxSize = ({ axes }: Box): number =>
  axes.reduce((size, values) => size * values.length, 1);

/** A box as one rule. */
export function ruleOf({ rule, type, axes }: Box): PolicyRule {
  const pick = (list: readonly string[] | undefined, axis: number): string[] =>
    (axes[axis] ?? []).flatMap((index) => list?.[index] ?? []);
  if (type === "path") {
    return { nonResourceURLs: pick(rule.nonResourceURLs, 0), verbs: pick(rule.verbs, 1) };
  }
  const names = pick(rule.resourceNames, 3);
  return {
    apiGroups: pick(rule.apiGroups, 0),
    resources: pick(rule.resources, 1),
    verbs: pick(rule.verbs, 2),
    ...(names.length > 0 && { resourceNames: names }),
  };
}

/** Each permission of the boxes of one rule as a rule, in the order of that rule's lists. */
export function singleRules(boxes: readonly Box[]): PolicyRule[] {
  const [first] = boxes;
  if (!first) return [];
  const points = boxes.flatMap(({ axes }) => pointsOf(axes));
  points.sort((a, b) => {
    const axis = a.findIndex((value, index) => value !== b[index]);
    return axis < 0 ? 0 : (a[axis] ?? 0) - (b[axis] ?? 0);
  });
  return points.map((point) => ruleOf({ ...first, axes: point.map((index) => [index]) }));
}

function pointsOf(axes: readonly (readonly number[])[]): number[][] {
  const [first, ...rest] = axes;
  if (!first) return [[]];
  const others = pointsOf(rest);
  return first.flatMap((index) => others.map((other) => [index, ...other]));
}
