import type { ApiObject, Declaration } from "./strategy.ts";

/**
 * Fills in what a client left out of an object: of the common field first, if there is one and the object has it. What it still
 * has from its old version, a stored object, has its defaults, and is not changed.
 */
export function setDefaults(
  { common, setDefaults: setOthers }: Declaration,
  object: ApiObject,
  old?: ApiObject,
): void {
  const value = common && commonValue(common.field, object);
  const isOld = value && old && value === commonValue(common.field, old);
  if (value && !isOld) common.setDefaults?.(value);
  setOthers?.(object);
}

/** The value of an object's common field; undefined if it has none. */
export function commonValue(field: string, object: ApiObject): object | undefined {
  const value = (object as unknown as Record<string, unknown>)[field];
  return typeof value === "object" && value !== null ? value : undefined;
}
