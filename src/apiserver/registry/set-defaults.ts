import type { ApiObject, Declaration } from "./strategy.ts";

/** Fills in what a client left out of an object: of the common field first, if there is one and the object has it. */
export function setDefaults(
  { common, setDefaults: setOthers }: Declaration,
  object: ApiObject,
): void {
  const value = common && commonValue(common.field, object);
  if (value) common.setDefaults?.(value);
  setOthers?.(object);
}

/** The value of an object's common field; undefined if it has none. */
export function commonValue(field: string, object: ApiObject): object | undefined {
  const value = (object as unknown as Record<string, unknown>)[field];
  return typeof value === "object" && value !== null ? value : undefined;
}
