import type { Resource } from "#/api/base/resource.ts";
import type { AnyObject } from "./any-object.ts";
import type { Layer } from "./layer.ts";
import type { View } from "./view.ts";

/** An object on which another depends. */
export interface Below {
  readonly resource: Resource;
  readonly object: AnyObject;
}

/** Where an object is on its way that is not at its end. */
export interface Unfinished {
  readonly layer: Layer;
  /** Without subject: `the node pulls its image`. */
  readonly sentence: string;
  readonly since?: string | undefined;
}

interface KindRulesDeclaration<T> {
  readonly resource: Resource;
  /** The objects whose problems hold this one up, those first that most probably do. */
  below?(object: T, view: View): readonly Below[];
  /** What it still waits for; undefined if it is as it should be. */
  unfinished?(object: T, view: View): Unfinished | undefined;
  /** What is well, without subject: `all 3 replicas are available`. */
  healthy(object: T, view: View): string;
}

export type KindRules = KindRulesDeclaration<AnyObject>;

/** Declares how objects of a resource are judged. */
export function kindRules<T extends AnyObject>(declaration: KindRulesDeclaration<T>): KindRules {
  // They are only asked about objects of their own resource.
  return declaration as unknown as KindRules;
}
