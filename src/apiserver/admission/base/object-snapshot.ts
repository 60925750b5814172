/** Fields without interest that are larger than all others. */
const skipped: ReadonlySet<string> = new Set(["managedFields"]);

/**
 * A copy to compare an object with after a plugin has changed it, which costs a fraction of a whole copy: the items of a
 * list inside an item of a list (variables, mounts, ports of a container) are the same ones, since plugins add,
 * remove or replace them.
 */
export function snapshotOf(value: unknown, isInList = false): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return isInList ? value.slice() : value.map((item) => snapshotOf(item, true));
  }
  const copy: Record<string, unknown> = {};
  const source = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(source)) {
    const field = source[name];
    copy[name] = skipped.has(name) ? field : snapshotOf(field, isInList);
  }
  return copy;
}
