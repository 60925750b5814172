import type { ComponentType } from "preact";
import type { ObjectId } from "../data/live-object.ts";
import type { ApiObject } from "../model/object.ts";

/** What a tab shows. */
export interface TabProps {
  readonly id: ObjectId;
  readonly object: ApiObject;
  /** The object was deleted; this is its last version. */
  readonly isGone: boolean;
}

/** What decides whether an object has a tab. */
export interface TabSubject {
  readonly object: ApiObject;
  readonly id: ObjectId;
  may(verb: string, of: { readonly group: string; readonly resource: string }): boolean;
}

/** A tab of the page of an object. */
export interface Tab {
  /** In the URL. */
  readonly name: string;
  readonly title: () => string;
  isFor(subject: TabSubject): boolean;
  readonly View: ComponentType<TabProps>;
}
