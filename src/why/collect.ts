import type { Resource } from "#/api/base/resource.ts";
import { type Pod, pods } from "#/api/core/v1.ts";
import { type AnyObject, subjectOf } from "./base/any-object.ts";
import { appliesTo, type Cause, type Found } from "./base/cause.ts";
import { inNamespace } from "./base/command-line.ts";
import type { Finding } from "./base/finding.ts";
import type { Unfinished } from "./base/kind-rules.ts";
import type { View } from "./base/view.ts";
import { causes } from "./causes/index.ts";
import { hasSucceeded, isReady } from "./facts/containers.ts";
import { rulesOf } from "./kinds/index.ts";

/** What an object and those below it have shown. */
export interface Collected {
  /** The answer first. */
  readonly findings: readonly Finding[];
  readonly context: readonly Finding[];
  /** Where the deepest object is that is not at its end; undefined if the object is as it should be. */
  readonly unfinished: Unfinished | undefined;
  /** How many of the Pods below are not ready. */
  readonly unwell:
    | { readonly resource: string; readonly not: number; readonly of: number }
    | undefined;
}

interface Ranked {
  readonly finding: Finding;
  readonly depth: number;
  readonly isSummary: boolean;
  readonly isFallback: boolean;
  readonly order: number;
}

/** Limit of the depth of a chain: Ingress, Service, Pod, claim, volume are five. */
const maxDepth = 6;

/** The state of a walk down a chain. */
interface Walk {
  readonly view: View;
  readonly seen: Set<string>;
  readonly ranked: Ranked[];
  readonly stages: { readonly stage: Unfinished; readonly depth: number }[];
  readonly pods: Map<string, boolean>;
}

/** Asks all causes about an object and those on which it depends. */
export function collect(resource: Resource, object: AnyObject, view: View): Collected {
  const walk: Walk = { view, seen: new Set(), ranked: [], stages: [], pods: new Map() };
  const own = visit(resource, object, 0, walk);
  const stuck = walk.ranked.filter(({ finding }) => finding.severity === "stuck");
  const needed = stuck.some(({ isFallback }) => !isFallback)
    ? stuck.filter(({ isFallback }) => !isFallback)
    : stuck;
  const all = [...walk.pods.values()];
  return {
    findings: distinct(needed.sort(byRank).map(({ finding }) => finding)),
    context: distinct(
      walk.ranked
        .filter(({ finding }) => finding.severity === "notice")
        .map(({ finding }) => finding),
    ),
    unfinished: own && (walk.stages.sort((a, b) => b.depth - a.depth)[0]?.stage ?? own),
    unwell:
      all.length > 0
        ? { resource: pods.name, not: all.filter((ready) => !ready).length, of: all.length }
        : undefined,
  };
}

/** Visits an object; returns what it waits for itself. */
function visit(
  resource: Resource,
  object: AnyObject,
  depth: number,
  walk: Walk,
): Unfinished | undefined {
  const { view, seen } = walk;
  const key = `${resource.group}/${resource.name}/${object.metadata.namespace}/${object.metadata.name}`;
  if (seen.has(key) || depth > maxDepth) return undefined;
  seen.add(key);
  const rules = rulesOf(resource);
  if (resource.group === pods.group && resource.name === pods.name)
    walk.pods.set(key, isReady(object as Pod) || hasSucceeded(object as Pod));
  const unfinished = rules.unfinished?.(object, view);
  const isDone = rules.isKnown && rules.unfinished !== undefined && unfinished === undefined;
  const found = findingsOf(resource, object, view).filter((one) => !isDone || !one.isFallback);
  walk.ranked.push(...found.map((one) => ({ ...one, depth })));
  if (unfinished) walk.stages.push({ stage: unfinished, depth });
  const before = walk.ranked.length;
  for (const below of rules.below?.(object, view) ?? [])
    visit(below.resource, below.object, depth + 1, walk);
  if (isDone) demote(walk.ranked, before);
  return unfinished;
}

/** What is below an object that is as it should be does not hold it up, unless it goes on crashing. */
function demote(ranked: Ranked[], from: number): void {
  for (let at = from; at < ranked.length; at++) {
    const one = ranked[at];
    if (!one || causes[one.order]?.group === "crash" || causes[one.order]?.isFeltAbove) continue;
    ranked[at] = { ...one, finding: { ...one.finding, severity: "notice" } };
  }
}

type Unplaced = Omit<Ranked, "depth">;

/** The findings of one object: of each group the first; of one that is being deleted, those about that. */
function findingsOf(resource: Resource, object: AnyObject, view: View): readonly Unplaced[] {
  const groups = new Set<string>();
  const found: Unplaced[] = [];
  const isEnding = object.metadata.deletionTimestamp !== undefined;
  for (const [order, cause] of causes.entries()) {
    if (!appliesTo(cause, resource) || (cause.group && groups.has(cause.group))) continue;
    if (isEnding && cause.layer !== "deletion") continue;
    if (cause.isFallback && found.some(({ finding }) => finding.severity === "stuck")) continue;
    const result = cause.find(object, view, resource);
    if (!result) continue;
    if (cause.group) groups.add(cause.group);
    found.push({
      finding: findingOf(cause, result, resource, object),
      isSummary: cause.isSummary ?? false,
      isFallback: cause.isFallback ?? false,
      order,
    });
  }
  return found;
}

function findingOf(cause: Cause, found: Found, resource: Resource, object: AnyObject): Finding {
  const { about, layer, certainty = "proven", severity = "stuck", evidence = [], fix = [] } = found;
  return {
    cause: cause.name,
    layer: layer ?? cause.layer,
    certainty,
    about: about ?? subjectOf(resource, object),
    severity,
    ...(found.since ? { since: found.since } : {}),
    sentence: found.sentence,
    evidence,
    fix: fix.map((line) => inNamespace(line, object.metadata.namespace)),
    ...(found.docs ? { docs: found.docs } : {}),
  };
}

/** Causes before summaries, the proven before the likely, the deep before the shallow. */
const byRank = (a: Ranked, b: Ranked): number =>
  Number(a.isSummary) - Number(b.isSummary) ||
  Number(a.finding.certainty === "likely") - Number(b.finding.certainty === "likely") ||
  b.depth - a.depth ||
  a.order - b.order;

/** Each cause once: Pods of one template fail alike. */
function distinct(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ cause, sentence, about }) => {
    const key = `${cause} ${sentence.replaceAll(about.name, "")}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
