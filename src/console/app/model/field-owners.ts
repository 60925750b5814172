/** An entry of managedFields. */
interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly fieldsV1?: unknown;
}

/** A field whose value differs, with the managers that own it. */
export interface ChangedField {
  readonly path: string;
  readonly owners: readonly string[];
}

type Step = string | number;

/**
 * The fields that differ between two objects, and who owns each in the older one: what a change takes from others. Fields
 * of the server's own are left out.
 */
export function changedFields(before: unknown, after: unknown, managed: unknown): ChangedField[] {
  const entries = Array.isArray(managed) ? (managed as ManagedFields[]) : [];
  return changedPaths(before, after, [])
    .filter(([first, second]) => first !== "status" && !(first === "metadata" && isOwn(second)))
    .map((path) => ({ path: formatPath(path), owners: ownersOf(before, path, entries) }));
}

const isOwn = (name: Step | undefined): boolean =>
  ["managedFields", "resourceVersion", "generation"].includes(String(name));

function changedPaths(before: unknown, after: unknown, path: readonly Step[]): (readonly Step[])[] {
  if (before === after) return [];
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, index) =>
      changedPaths(before[index], after[index], [...path, index]),
    ).flat();
  }
  if (isRecord(before) && isRecord(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => changedPaths(before[name], after[name], [...path, name]));
  }
  return [path];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const formatPath = (path: readonly Step[]): string =>
  path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");

function ownersOf(
  object: unknown,
  path: readonly Step[],
  entries: readonly ManagedFields[],
): string[] {
  const owners = entries.filter(({ fieldsV1 }) => owns(fieldsV1, object, path));
  return [...new Set(owners.map(({ manager = "" }) => manager).filter(Boolean))];
}

/** Whether a set of fields contains a path: an item of a list is found by its keys, its value or its index. */
function owns(fields: unknown, value: unknown, [step, ...rest]: readonly Step[]): boolean {
  if (!isRecord(fields)) return false;
  if (step === undefined) return true;
  if (Object.keys(fields).length === 0) return true;
  if (typeof step === "string") {
    const inner = isRecord(value) ? value[step] : undefined;
    return owns(fields[`f:${step}`], inner, rest);
  }
  const item = Array.isArray(value) ? (value[step] as unknown) : undefined;
  return Object.entries(fields).some(
    ([key, inner]) => isItem(key, item, step) && owns(inner, item, rest),
  );
}

function isItem(key: string, item: unknown, index: number): boolean {
  if (key.startsWith("i:")) return key === `i:${index}`;
  if (key.startsWith("v:")) return key === `v:${JSON.stringify(item)}`;
  if (!key.startsWith("k:") || !isRecord(item)) return false;
  const wanted = JSON.parse(key.slice(2)) as Readonly<Record<string, unknown>>;
  return Object.entries(wanted).every(([name, value]) => item[name] === value);
}
