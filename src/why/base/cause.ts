import type { Resource } from "#/api/base/resource.ts";
import type { AnyObject } from "./any-object.ts";
import type { Finding, Subject } from "./finding.ts";
import type { Layer } from "./layer.ts";
import type { View } from "./view.ts";

/** What a cause has found; the rest of the finding follows from its declaration. */
export interface Found {
  readonly sentence: string;
  /** Default `proven`. */
  readonly certainty?: Finding["certainty"];
  /** Default `stuck`. */
  readonly severity?: Finding["severity"];
  readonly since?: string | undefined;
  readonly evidence?: readonly string[];
  readonly fix?: readonly string[];
  readonly docs?: string;
  /** Another object that has the cause; default the one that was asked about. */
  readonly about?: Subject;
  /** A layer that only the facts decide; default the declaration's. */
  readonly layer?: Layer;
}

interface CauseDeclaration<T> {
  /** Unique and stable: programs read it. */
  readonly name: string;
  readonly layer: Layer;
  /** The resources whose objects it may hold up; undefined for all. */
  readonly of?: readonly Resource[];
  /** Of the causes of a group only the first, in the order of the index, counts for an object. */
  readonly group?: string;
  /** Whether it says only that something below is not well: what that is comes first. */
  readonly isSummary?: boolean;
  /** Whether a person wants it so, as a suspended Job: it answers a question, and is in no list of what is stuck. */
  readonly isIntended?: boolean;
  /** Whether it holds up what depends on the object, even if that looks as it should. */
  readonly isFeltAbove?: boolean;
  /** Whether it only counts if no other cause of the same object is found. */
  readonly isFallback?: boolean;
  /** Pure. What it needs to read is what it asks the view for. */
  find(object: T, view: View, resource: Resource): Found | undefined;
}

export type Cause = CauseDeclaration<AnyObject>;

/** Declares a cause; find() gets objects of the declared type. */
export function cause<T extends AnyObject>(declaration: CauseDeclaration<T>): Cause {
  // It is only asked about objects of its own resources.
  return declaration as unknown as Cause;
}

/** Whether a cause may hold up objects of a resource. */
export const appliesTo = ({ of }: Cause, { group, name }: Resource): boolean =>
  of === undefined || of.some((one) => one.group === group && one.name === name);
