/**
 * A value without null fields, as a typed Go client sees it: there null and absent are equal. Go
 * writes null for empty lists, maps and times without omitempty. The input is not changed; parts
 * without null are shared.
 */
export function dropNulls<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  return (Array.isArray(value) ? withoutNullsInItems(value) : withoutNullFields(value)) as T;
}

function withoutNullsInItems(list: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = dropNulls(list[i]);
    if (item === list[i]) continue;
    copy ??= [...list];
    copy[i] = item;
  }
  return copy ?? list;
}

function withoutNullFields(object: object): object {
  let copy: Record<string, unknown> | undefined;
  for (const [field, value] of Object.entries(object)) {
    const kept: unknown = dropNulls(value);
    if (kept !== null && kept === value) continue;
    copy ??= { ...object };
    if (kept === null) delete copy[field];
    else copy[field] = kept;
  }
  return copy ?? object;
}
