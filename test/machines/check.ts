import type { Machine } from "./machine.ts";

/** A claim that must hold on a machine. */
export interface Check {
  /** Its row of the table: plain words, stable from run to run. */
  readonly name: string;
  /** 2: it needs a second machine of the same kind beside it. */
  readonly machines?: 2;
  /** Throws if it does not hold; may return a figure for the table. */
  run(machine: Machine, other: Machine): Promise<string | undefined>;
  /**
   * cluster, the default: it finds a running cluster, and leaves one; nothing: it finds none, and leaves none;
   * anything: it does not depend on a cluster.
   */
  readonly needs?: "nothing" | "cluster" | "anything";
}

/** Checks of a subject, in an order that saves time. */
export type Checks = readonly Check[];
