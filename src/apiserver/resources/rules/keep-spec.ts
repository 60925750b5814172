import { deepCopy } from "#/machinery/objects/deep-copy.ts";

/** A write through the status of a kind whose metadata may change on the way: only the spec stays as it was. */
export function keepSpec<T extends object>(object: T, old: T): void {
  keep(object, old, "spec", (spec) => spec);
}

/** A write of an object whose status has its own endpoint: the status stays as it was. */
export function keepStatus<T extends object>(object: T, old: T): void {
  keep(object, old, "status", deepCopy);
}

function keep(object: object, old: object, part: string, copy: (value: unknown) => unknown): void {
  const target = object as Record<string, unknown>;
  const value = (old as Readonly<Record<string, unknown>>)[part];
  if (value === undefined) delete target[part];
  else target[part] = copy(value);
}
