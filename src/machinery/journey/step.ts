import type { AppSpan } from "./app-span.ts";

/** The layers that a Pod passes, in order. */
export const layers = [
  "client",
  "authentication",
  "authorization",
  "admission",
  "store",
  "controllers",
  "scheduling",
  "node",
  "readiness",
  "service",
] as const;

export type Layer = (typeof layers)[number];

export const outcomes = ["ok", "waiting", "failed", "retried"] as const;

export type Outcome = (typeof outcomes)[number];

/** The object of a step. */
export interface StepObject {
  /** Plural name, with the group if there is one: "pods", "deployments.apps". */
  readonly resource: string;
  /** Absent for objects of the cluster. */
  readonly namespace?: string;
  readonly name: string;
  /** Absent if no such object was created. */
  readonly uid?: string;
}

/** Details of a step. Never data of Secrets, values of environment variables, or tokens. */
export type Facts = Readonly<Record<string, unknown>>;

/** One thing that a component did or waited for on an object's way. */
export interface Step {
  readonly of: StepObject;
  readonly layer: Layer;
  readonly name: string;
  /** metav1.MicroTime. */
  readonly from: string;
  /** Absent while it lasts. */
  readonly to?: string;
  readonly outcome: Outcome;
  /** Absent for the first. */
  readonly attempt?: number;
  readonly reason?: string;
  readonly message?: string;
  /** The user that reported it; the server sets it. */
  readonly by?: string;
  /** The resourceVersion that the step wrote or saw. */
  readonly revision?: string;
  readonly facts?: Facts;
}

/** The steps of one object that are known, and the objects made for it. */
export interface Journey {
  readonly kind?: "Journey";
  readonly apiVersion?: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly of: StepObject;
  readonly from?: string;
  readonly to?: string;
  readonly steps: readonly Step[];
  /** Steps that a limit dropped (count). */
  readonly dropped?: number;
  readonly children?: readonly Child[];
  /** What the application in a Pod has reported of its own work. */
  readonly spans?: readonly AppSpan[];
  /** All objects of this name, the newest first. */
  readonly uids?: readonly string[];
}

/** An object that a controller made for another. */
export interface Child {
  readonly of: StepObject;
  readonly controller?: string;
  readonly from: string;
}

const layerOrder = new Map(layers.map((layer, index) => [layer, index]));

/** By time, then by layer. */
export function compareSteps(a: Step, b: Step): number {
  if (a.from !== b.from) return a.from < b.from ? -1 : 1;
  return (layerOrder.get(a.layer) ?? 0) - (layerOrder.get(b.layer) ?? 0);
}

/** "deployments.apps" of a group and a plural name. */
export const resourceText = ({ group, name }: { group: string; name: string }): string =>
  group === "" ? name : `${name}.${group}`;

/** The group and plural name of "deployments.apps". */
export function parseResource(text: string): { group: string; name: string } {
  const dot = text.indexOf(".");
  if (dot < 0) return { group: "", name: text };
  return { group: text.slice(dot + 1), name: text.slice(0, dot) };
}
