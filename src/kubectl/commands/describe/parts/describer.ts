import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { Unstructured } from "../../../base/unstructured.ts";
import type { Context } from "../../../command/context.ts";
import type { Mapping } from "../../../discovery/discovered-group.ts";
import type { Description } from "./description.ts";

/** The arguments of a describer. */
export interface Describing {
  readonly context: Context;
  readonly object: Unstructured;
  readonly mapping: Mapping;
  readonly showEvents: boolean;
}

/** Describes an object, without its events. */
export type Describer = (to: Description, describing: Describing) => MaybePromise<void>;

/** The description of a kind. */
export interface KindDescriber {
  readonly describe: Describer;
  /** The selection of events, if not by kind and UID; "also by name": those with the name as UID, too. */
  readonly events?: "none" | "of any kind" | "also by name";
}
