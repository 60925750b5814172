/** Limit of the fields that are named (count): a reader needs no more. */
const maxPointers = 12;

/** JSON pointers of the fields in which two values differ, without the values: they may be secret. */
export function changedPointers(before: unknown, after: unknown): readonly string[] {
  const found: string[] = [];
  compare(before, after, "", found);
  return found;
}

function compare(before: unknown, after: unknown, path: string, found: string[]): void {
  if (before === after || found.length >= maxPointers) return;
  if (!isBranch(before) || !isBranch(after) || Array.isArray(before) !== Array.isArray(after)) {
    found.push(path);
    return;
  }
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const name of names) {
    const from = (before as Record<string, unknown>)[name];
    const to = (after as Record<string, unknown>)[name];
    const escaped = name.replaceAll("~", "~0").replaceAll("/", "~1");
    compare(from, to, `${path}/${escaped}`, found);
  }
}

const isBranch = (value: unknown): value is object => typeof value === "object" && value !== null;
