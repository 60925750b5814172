import {
  type Child,
  compareSteps,
  type Journey,
  type Step,
  type StepObject,
} from "#/machinery/journey/step.ts";
import { type RecordContent, readObject, readRecord } from "./decode-record.ts";
import { hashOf, hashOfName } from "./record-hash.ts";
import type { RecordSegment } from "./record-segment.ts";
import { stepsOf } from "./write-record.ts";

/** Limit of the records of one object that are shown (count): the first ones and the newest. */
const maxRecords = 600;
/** Of these, the first ones (count). */
const keptFirst = 200;
/** Limit of the children that a journey lists (count). */
const maxChildren = 1000;

/** Which objects a client asks for; an empty text stands for all. */
export interface Wanted {
  readonly resource: string;
  /** Whether objects of namespaces are meant; otherwise those of the cluster. */
  readonly isNamespaced: boolean;
  readonly namespace: string;
  readonly name: string;
}

/** Whether a client asks for an object. */
export const isWanted = (
  { resource, isNamespaced, namespace, name }: Wanted,
  of: StepObject,
): boolean =>
  of.resource === resource &&
  (of.namespace !== undefined) === isNamespaced &&
  (namespace === "" || of.namespace === namespace) &&
  (name === "" || of.name === name);

const nameKey = ({ namespace = "", name }: StepObject): string => `${namespace}/${name}`;

/** Adds the objects of a segment, the newest first, until there are enough. */
export function collectNames(
  segment: RecordSegment,
  wanted: Wanted,
  { names, limit }: { readonly names: Map<string, StepObject>; readonly limit: number },
): void {
  const { texts } = segment;
  const { resource, namespace } = wanted;
  if (!texts.includes(resource) || (namespace !== "" && !texts.includes(namespace))) return;
  const seen = new Set<number>();
  for (let index = segment.count - 1; index >= 0 && names.size < limit; index--) {
    const hash = segment.nameHash(index);
    if (seen.has(hash)) continue;
    seen.add(hash);
    const of = readObject(segment, segment.offset(index));
    if (isWanted(wanted, of) && !names.has(nameKey(of))) names.set(nameKey(of), of);
  }
}

/** A record about an object of a name. */
export interface Place {
  /** Empty if no object was created. */
  readonly uid: string;
  /** Undefined if it is damaged. */
  read(): RecordContent | undefined;
}

/**
 * The journey of the newest object of a name, or of the one with the uid, of the records about all objects of the name.
 * Pure.
 */
export function findJourney(
  places: readonly Place[],
  of: StepObject,
  findChildren: (uid: string) => readonly Child[],
): Journey | undefined {
  const uids = [...new Set(places.map(({ uid }) => uid))].filter((uid) => uid !== "").reverse();
  if (of.uid !== undefined && !uids.includes(of.uid)) return undefined;
  const uid = of.uid ?? uids[0] ?? "";
  const own = places.filter((place) => place.uid === uid);
  // Refused attempts to make an object of this name.
  const refused = of.uid === undefined && uid !== "" ? places.filter(({ uid }) => uid === "") : [];
  const shown = own.length > maxRecords ? [...own.slice(0, keptFirst), ...newest(own)] : own;
  const contents = [...shown, ...newest(refused)].flatMap((place) => place.read() ?? []);
  const [first] = contents;
  if (!first) return undefined;
  // An object of the cluster may have children in namespaces that its reader may not see.
  const children = (uid === "" ? [] : findChildren(uid)).filter(
    (child) => child.of.namespace === of.namespace,
  );
  const steps = contents.flatMap(stepsOfRecord);
  return journeyOf(first.of, steps, { dropped: own.length - shown.length, uids, children });
}

const newest = (places: readonly Place[]): readonly Place[] =>
  places.slice(-(maxRecords - keptFirst));

const stepsOfRecord = ({ write, step }: RecordContent): readonly Step[] =>
  write ? stepsOf(write) : step ? [step] : [];

/** The records of a segment about all objects of a name. */
export function placesOf(segment: RecordSegment, of: StepObject): Place[] {
  const { resource, namespace = "", name } = of;
  const hash = hashOfName(resource, namespace, name);
  const places: Place[] = [];
  for (let index = 0; index < segment.count; index++) {
    if (segment.nameHash(index) !== hash) continue;
    const offset = segment.offset(index);
    const found = readObject(segment, offset);
    const isSame =
      found.resource === resource && (found.namespace ?? "") === namespace && found.name === name;
    if (isSame) places.push({ uid: found.uid ?? "", read: () => readRecord(segment, offset) });
  }
  return places;
}

/** The newest objects that were made for one. */
export function childrenOf(segments: readonly RecordSegment[], uid: string): Child[] {
  const hash = hashOf(uid);
  const children: Child[] = [];
  for (const segment of segments) {
    for (let index = 0; index < segment.count; index++) {
      if (segment.ownerHash(index) !== hash) continue;
      const { of, owner, write } = readRecord(segment, segment.offset(index)) ?? {};
      const from = write && stepsOf(write)[0]?.from;
      if (of && owner === uid && from !== undefined) children.push({ of, from });
    }
  }
  return children.slice(-maxChildren);
}

interface Around {
  readonly dropped: number;
  readonly uids: readonly string[];
  readonly children: readonly Child[];
}

/** A journey from its steps. */
function journeyOf(
  of: StepObject,
  all: readonly Step[],
  { dropped, uids, children }: Around,
): Journey {
  const steps = withoutEnded(all).sort(compareSteps);
  const from = steps[0]?.from;
  const ends = steps.map((step) => step.to ?? step.from).sort();
  const to = ends.at(-1);
  return {
    kind: "Journey",
    apiVersion: "journey.k8ts.dev/v1",
    metadata: { name: of.name, ...(of.namespace === undefined ? {} : { namespace: of.namespace }) },
    of,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    steps,
    ...(dropped > 0 ? { dropped } : {}),
    ...(children.length > 0 ? { children } : {}),
    ...(uids.length > 0 ? { uids } : {}),
  };
}

/** Without the first report of steps that were reported again when they ended. */
function withoutEnded(steps: readonly Step[]): Step[] {
  const key = ({ layer, name, from }: Step) => `${layer}/${name}/${from}`;
  const ended = new Set(steps.filter(({ to }) => to !== undefined).map(key));
  return steps.filter((step) => step.to !== undefined || !ended.has(key(step)));
}
