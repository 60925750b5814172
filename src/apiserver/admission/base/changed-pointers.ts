/** Limit of the fields that are named (count): a reader needs no more. */
const maxPointers = 12;

/** JSON pointers of the fields in which two values differ, without the values: they may be secret. */
export function changedPointers(before: unknown, after: unknown): readonly string[] {
  const found: string[] = [];
  compare(before, after, [], found);
  return found;
}

/** The path is a stack of names: a text is made of it only where something differs. */
function compare(before: unknown, after: unknown, path: string[], found: string[]): void {
  if (before === after || found.length >= maxPointers) return;
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    for (let index = 0; index < length; index++) {
      if (before[index] === after[index]) continue;
      step(before[index], after[index], String(index), path, found);
    }
  } else if (isRecord(before) && isRecord(after)) {
    for (const name of Object.keys(before)) {
      if (before[name] !== after[name]) step(before[name], after[name], name, path, found);
    }
    for (const name of Object.keys(after)) {
      if (!(name in before)) step(undefined, after[name], name, path, found);
    }
  } else found.push(pointerOf(path));
}

function step(
  before: unknown,
  after: unknown,
  name: string,
  path: string[],
  found: string[],
): void {
  path.push(name);
  compare(before, after, path, found);
  path.pop();
}

const pointerOf = (path: readonly string[]): string =>
  path.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
