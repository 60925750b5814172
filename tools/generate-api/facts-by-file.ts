import type { Facts } from "../../src/api/base/facts.ts";

/** The facts of every group version by file (apps/v1). */
export type FactsByFile = ReadonlyMap<string, Facts>;

/** Where a name in a file's type expressions is defined: PodSpec there, meta/v1.ObjectMeta elsewhere. */
export function splitReference(file: string, reference: string): [file: string, name: string] {
  const dot = reference.lastIndexOf(".");
  return dot < 0 ? [file, reference] : [reference.slice(0, dot), reference.slice(dot + 1)];
}

/** Audit events alone hold a runtime.Unknown. They are only ever JSON, where it is the same as a RawExtension. */
export function asRawExtension(name: string): string {
  return name.replace(/\.runtime\.Unknown$/, ".runtime.RawExtension");
}
