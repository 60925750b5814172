import { resourcePath } from "#/client/resource-path.ts";
import { type Analysis, analyse } from "#/machinery/journey/analyse.ts";
import { duration } from "#/machinery/journey/format-duration.ts";
import { clusterJourneys, journeys } from "#/machinery/journey/handles.ts";
import type { Journey, StepObject } from "#/machinery/journey/step.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { forEachParallel } from "#/std/async/for-each-parallel.ts";
import type { Context } from "../../command/context.ts";
import { escapeTerminal } from "../../printers/escape-terminal.ts";
import { compactText } from "./compact.ts";

/** Limit of the objects below a workload (count): the newest ones are shown. */
const maxObjects = 500;
/** Limit of requests at the same time (count). */
const parallel = 8;
/** Limit of generations: a CronJob's Pods are the second. */
const maxDepth = 4;
/** Limit of lines of a table (count): the slowest are shown. */
const maxLines = 20;

/** A journey and those of the objects that were made for its object. */
export interface FanOut {
  readonly journey: Journey;
  readonly children: readonly FanOut[];
}

/** Reads the journeys of all objects that were made for one. */
export async function readFanOut(journey: Journey, context: Context): Promise<FanOut> {
  const left = { count: maxObjects };
  return readBelow(journey, context, { depth: 1, left });
}

async function readBelow(
  journey: Journey,
  context: Context,
  { depth, left }: { readonly depth: number; readonly left: { count: number } },
): Promise<FanOut> {
  const wanted = depth > maxDepth ? [] : (journey.children ?? []).toReversed().slice(0, left.count);
  left.count -= wanted.length;
  const children: FanOut[] = [];
  const read = async ({ of }: { readonly of: StepObject }) => {
    const found = await readOne(of, context);
    if (found) children.push(await readBelow(found, context, { depth: depth + 1, left }));
  };
  let failure: unknown;
  await forEachParallel(wanted, parallel, read, (error) => {
    failure ??= error;
  });
  if (failure !== undefined) throw failure;
  return { journey, children };
}

async function readOne(of: StepObject, { cluster }: Context): Promise<Journey | undefined> {
  const { resource, namespace, name, uid } = of;
  const handle = namespace === undefined ? clusterJourneys : journeys;
  const path = resourcePath(handle, { namespace, name });
  try {
    const client = await cluster.client();
    return await client.request<Journey>({ method: "GET", path, query: { resource, uid } });
  } catch (error) {
    // It was dropped between the two requests.
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** An object at the end of a chain: usually a Pod. */
interface Leaf {
  readonly path: readonly Journey[];
  readonly journey: Journey;
  readonly analysis: Analysis;
  /** How long it took, or has been under way (ms). */
  readonly ms: number;
}

/** A whole workload: a line for each object at the end of its chains, the slowest one first and marked. Pure. */
export function fanOutText(root: FanOut): string {
  const leaves = leavesOf(root, []).sort(slowestFirst);
  const [slowest] = leaves;
  if (!slowest) return compactText(root.journey);
  const ready = leaves.filter(({ analysis }) => analysis.readyMs !== undefined).length;
  const shown = leaves.slice(0, maxLines);
  const names = shown.map(({ journey }) => nameOf(journey));
  const width = Math.max(...names.map((name) => name.length));
  const lines = shown.map((leaf, index) => {
    const mark = leaf === slowest ? "*" : " ";
    return `${mark} ${(names[index] ?? "").padEnd(width)}  ${leafText(leaf)}`;
  });
  const more = leaves.length - shown.length;
  return [
    `${nameOf(root.journey)}: ${leaves.length} objects, ${ready} ready`,
    "",
    ...lines,
    ...(more > 0 ? [`  ${more} faster ones are not shown`] : []),
    "",
    `slowest path: ${[...slowest.path, slowest.journey].map(nameOf).join(" → ")}`,
    "",
    compactText(slowest.journey),
  ].join("\n");
}

/** All journeys of a fan-out, the root first. */
export const allJourneys = ({ journey, children }: FanOut): readonly Journey[] => [
  journey,
  ...children.flatMap(allJourneys),
];

function leavesOf({ journey, children }: FanOut, path: readonly Journey[]): Leaf[] {
  const below = children.flatMap((child) => leavesOf(child, [...path, journey]));
  if (below.length > 0 || path.length === 0) return below;
  const analysis = analyse(journey);
  return analysis ? [{ path, journey, analysis, ms: analysis.endMs - analysis.startMs }] : [];
}

/** What is not ready comes first. */
function slowestFirst(a: Leaf, b: Leaf): number {
  const [readyA, readyB] = [a, b].map(({ analysis }) => Number(analysis.readyMs !== undefined));
  return (readyA ?? 0) - (readyB ?? 0) || b.ms - a.ms;
}

function leafText({ analysis, ms }: Leaf): string {
  const longest = analysis.layers.toSorted((a, b) => b.busyMs - a.busyMs)[0];
  const state = analysis.readyMs === undefined ? "not ready" : "ready";
  const where = longest ? `  ${longest.layer} ${duration(longest.busyMs)}` : "";
  return `${state.padEnd(9)}  ${duration(ms).padStart(8)}${where}`;
}

const nameOf = ({ of }: Journey): string => escapeTerminal(`${of.resource}/${of.name}`);
