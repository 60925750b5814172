/**
 * Whether two JSON-like values are equal; an undefined field counts as absent, and field order is
 * ignored.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  return !Array.isArray(b) && equalObjects(a as Fields, b as Fields);
}

type Fields = Readonly<Record<string, unknown>>;

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (!deepEqual(a[index], b[index])) return false;
  return true;
}

function equalObjects(a: Fields, b: Fields): boolean {
  let fields = 0;
  for (const key in a) {
    if (a[key] === undefined) continue;
    fields++;
    if (!Object.hasOwn(b, key) || !deepEqual(a[key], b[key])) return false;
  }
  for (const key in b) if (b[key] !== undefined) fields--;
  return fields === 0;
}
