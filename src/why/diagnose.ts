import type { Resource } from "#/api/base/resource.ts";
import { type AnyObject, nameOf, subjectOf } from "./base/any-object.ts";
import type { Diagnosis, Finding, Subject } from "./base/finding.ts";
import type { Unfinished } from "./base/kind-rules.ts";
import { ageMs, timeOf } from "./base/text.ts";
import { type Collected, collect } from "./collect.ts";
import { rulesOf } from "./kinds/index.ts";
import type { Form, Snapshot } from "./read/snapshot.ts";
import { SnapshotView } from "./read/snapshot-view.ts";

/** The object in question. */
export interface Target {
  readonly resource: Resource;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** A diagnosis of a snapshot, and the paths that it lacks. Without the object itself there is none. */
interface Diagnosed {
  readonly diagnosis: Diagnosis | undefined;
  readonly missing: ReadonlyMap<string, Form>;
}

/** What is wrong with an object. Pure: the same snapshot gives the same answer. */
export function diagnose(target: Target, snapshot: Snapshot): Diagnosed {
  const view = new SnapshotView(snapshot);
  const { resource, name, namespace } = target;
  const object = view.get(resource as Resource<AnyObject>, { name, namespace });
  if (!object) return { diagnosis: undefined, missing: view.missing };
  const collected = collect(resource, object, view);
  const diagnosis = judge(subjectOf(resource, object), { resource, object, collected, view });
  return { diagnosis, missing: view.missing };
}

interface Judged {
  readonly resource: Resource;
  readonly object: AnyObject;
  readonly collected: Collected;
  readonly view: SnapshotView;
}

function judge(subject: Subject, { resource, object, collected, view }: Judged): Diagnosis {
  const { findings, context, unfinished } = collected;
  const { unread } = view;
  const [first] = findings.length > 0 ? findings : standstill(subject, unfinished, view);
  const name = placed(subject);
  if (first) {
    const all = findings.length > 0 ? findings : [first];
    const sentence = `${name} is ${first.certainty === "proven" ? "" : "probably "}stuck at ${first.layer}: ${first.sentence}${elsewhere(subject, first, collected)}`;
    return {
      subject,
      state: "stuck",
      layer: first.layer,
      sentence: ended(sentence),
      findings: all,
      context,
      unread,
    };
  }
  if (unfinished) {
    const state = unread.length > 0 ? "unknown" : "progressing";
    const gap = unread.length > 0 ? `, and you may not read all that could say more` : "";
    const sentence = `${name} is on its way, at ${unfinished.layer}: ${unfinished.sentence}${gap}`;
    return {
      subject,
      state,
      layer: unfinished.layer,
      sentence: ended(sentence),
      findings: [],
      context,
      unread,
    };
  }
  const sentence = `${name} is healthy: ${rulesOf(resource).healthy(object, view)}`;
  return { subject, state: "healthy", sentence: ended(sentence), findings: [], context, unread };
}

/** `pod/web`, with its namespace unless that is the one of most examples. */
const placed = (subject: Subject): string =>
  subject.namespace && subject.namespace !== "default"
    ? `${nameOf(subject)} in ${subject.namespace}`
    : nameOf(subject);

const ended = (sentence: string): string => (/[.!?…]$/.test(sentence) ? sentence : `${sentence}.`);

/** Where the cause is, if not in the object itself. */
function elsewhere(subject: Subject, finding: Finding, { unwell }: Collected): string {
  const { about } = finding;
  if (about.kind === subject.kind && about.name === subject.name) return "";
  const others =
    unwell && unwell.of > 1 && about.resource === unwell.resource
      ? `; ${unwell.not} of ${unwell.of} Pods not ready`
      : "";
  return ` (${nameOf(about)}${others})`;
}

/** Limit of the time (ms) at one place after which an object counts as stuck, though nothing says why. */
const standstillMs = 5 * 60_000;

function standstill(
  subject: Subject,
  unfinished: Unfinished | undefined,
  view: SnapshotView,
): readonly Finding[] {
  const waitedMs = ageMs(unfinished?.since, view.nowMs);
  if (!unfinished || waitedMs < standstillMs) return [];
  return [
    {
      cause: "standstill",
      layer: unfinished.layer,
      certainty: "likely",
      about: subject,
      severity: "stuck",
      since: unfinished.since ?? timeOf(view.nowMs) ?? "",
      sentence: `${unfinished.sentence}, for a long time, and nothing says why`,
      evidence: [],
      fix: [],
    },
  ];
}
