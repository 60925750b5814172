import { deepCopy } from "#/machinery/objects/deep-copy.ts";

/** Status writes that may change metadata: the spec stays unchanged. */
export function keepSpec<T extends object>(object: T, old: T): void {
  keep(object, old, "spec", (spec) => spec);
}

/** Writes of an object with a status endpoint: the status stays unchanged. */
export function keepStatus<T extends object>(object: T, old: T): void {
  keep(object, old, "status", deepCopy);
}

function keep(object: object, old: object, part: string, copy: (value: unknown) => unknown): void {
  const target = object as Record<string, unknown>;
  const value = (old as Readonly<Record<string, unknown>>)[part];
  if (value === undefined) delete target[part];
  else target[part] = copy(value);
}
