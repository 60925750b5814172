import type { Case, Step } from "../case.ts";

/** A case of these steps. */
export const sequence = (name: string, ...steps: Step[]): Case => ({ name, steps });

/** A stored object of an earlier answer, with some fields changed. */
export const changed = (index: number, change: (object: Stored) => void) => (answers: Stored[]) => {
  const object = structuredClone(answers[index] as Stored);
  change(object);
  return object;
};
/** The parts of stored objects that cases change. */
export type Stored = {
  metadata: Record<string, unknown>;
  data: Record<string, string>;
  spec: Record<string, unknown>;
};
