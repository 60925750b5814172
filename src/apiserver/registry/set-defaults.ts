import type { ApiObject, Declaration } from "./strategy.ts";

/**
 * Sets the defaults of an object: of the common field first, if the object has it. A value that is still the old
 * (stored) version's has its defaults already, and is not changed.
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
