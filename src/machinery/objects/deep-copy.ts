/** A copy of a JSON-like value that shares nothing with it. */
export function deepCopy<T>(value: T): T {
  return copyValue(value) as T;
}

function copyValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const copy = new Array<unknown>(value.length);
    for (let index = 0; index < value.length; index++) copy[index] = copyValue(value[index]);
    return copy;
  }
  const source = value as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  for (const key in source) {
    if (key === "__proto__") defineOwn(copy, key, copyValue(source[key]));
    else copy[key] = copyValue(source[key]);
  }
  return copy;
}

/** Sets a key as plain data even where assignment would change the prototype. */
function defineOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
