/** Two documents as one: objects are merged field by field; other values of the second replace those of the first. Pure. */
export function mergeObjects(base: object, other: object): object {
  const merged = new Map<string, unknown>(Object.entries(base));
  for (const [name, value] of Object.entries(other)) {
    const known = merged.get(name);
    merged.set(name, isObject(known) && isObject(value) ? mergeObjects(known, value) : value);
  }
  return Object.fromEntries(merged);
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
