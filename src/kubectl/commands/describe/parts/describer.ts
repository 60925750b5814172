import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { Unstructured } from "../../../base/unstructured.ts";
import type { Context } from "../../../command/context.ts";
import type { Mapping } from "../../../discovery/discovered-group.ts";
import type { Description } from "./description.ts";

/** What a describer gets. */
export interface Describing {
  readonly context: Context;
  readonly object: Unstructured;
  readonly mapping: Mapping;
  readonly showEvents: boolean;
}

/** Describes an object, but for its events. */
export type Describer = (to: Description, describing: Describing) => MaybePromise<void>;

/** How objects of a kind are described. */
export interface KindDescriber {
  readonly describe: Describer;
  /** Which events are shown, if not those that name kind and UID; "also by name": those with the name as UID, too. */
  readonly events?: "none" | "of any kind" | "also by name";
}
