import type { Trail } from "../../model/trail.ts";
import type { Attributes } from "../../registry/admission.ts";
import type { Step } from "./admission-metrics.ts";
import { changedPointers } from "./changed-pointers.ts";
import { snapshotOf } from "./object-snapshot.ts";

/** Plugins that take less (ms) are noted only if they change something, or if the trail is a detailed one. */
const leastMs = 0.1;

/** Notes on a request's trail what each plugin of one step took and changed. */
export class PluginNotes {
  readonly #trail: Trail;
  readonly #attributes: Attributes;
  readonly #phase: "mutate" | "validate";
  #before: unknown;
  /** Most plugins change nothing: equal texts say so for a tenth of what a comparison of the fields costs. */
  #textBefore: string | undefined;

  constructor(trail: Trail, attributes: Attributes, step: Step) {
    this.#trail = trail;
    this.#attributes = attributes;
    this.#phase = step === "admit" ? "mutate" : "validate";
    if (!this.#compares) return;
    this.#before = snapshotOf(attributes.object);
    this.#textBefore = textOf(attributes);
  }

  note(name: string, ms: number): void {
    if (!this.#trail.isDetailed && ms < leastMs) return;
    const changed = this.#compares ? this.#changed() : [];
    this.#trail.noted({
      name,
      phase: this.#phase,
      ms,
      ...(changed.length > 0 ? { changed } : {}),
    });
  }

  failed(name: string, ms: number): void {
    this.#trail.noted({ name, phase: this.#phase, ms, failed: true });
  }

  get #compares(): boolean {
    return this.#trail.isDetailed && this.#phase === "mutate";
  }

  #changed(): readonly string[] {
    const { object } = this.#attributes;
    const text = textOf(this.#attributes);
    if (text !== undefined && text === this.#textBefore) return [];
    this.#textBefore = text;
    const changed = changedPointers(this.#before, object);
    if (changed.length > 0) this.#before = snapshotOf(object);
    return changed;
  }
}

/** The object as a text, without the fields that no plugin changes; undefined for a large one, of which it would be long. */
function textOf({ object, pace }: Attributes): string | undefined {
  if (!object || pace?.isLarge) return undefined;
  const { managedFields: _, ...metadata } = object.metadata;
  return JSON.stringify({ ...object, metadata });
}
