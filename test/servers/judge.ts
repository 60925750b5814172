import type { LoadRecord, WriteRecord } from "./records.ts";

/** What must hold of a load, whatever failed meanwhile: each line is a violation. Pure. */
export function judge(records: readonly LoadRecord[]): string[] {
  return [
    ...judgeWatches(records),
    ...judgeFinal(records),
    ...judgeSets(records),
    ...records.flatMap((record) =>
      record.kind === "gone" ? [`watch ${record.watcher} had to list again: ${record.why}`] : [],
    ),
  ];
}

const isWrite = (record: LoadRecord): record is WriteRecord =>
  record.kind === "acknowledged" || record.kind === "unknown" || record.kind === "refused";

const eventOf = { create: "ADDED", update: "MODIFIED", delete: "DELETED" } as const;

/** Each watch has every acknowledged write once, in the order of revisions, and nothing that was not asked for. */
function judgeWatches(records: readonly LoadRecord[]): string[] {
  const problems: string[] = [];
  const events = records.filter((record) => record.kind === "event");
  const writes = records.filter(isWrite);
  const asked = new Set(
    writes.map(({ operation, name, value }) =>
      operation === "delete" ? `DELETED ${name}` : `${eventOf[operation]} ${name} ${value}`,
    ),
  );
  for (const watcher of new Set(events.map((event) => event.watcher))) {
    const seen = new Map<string, number>();
    let last = 0;
    for (const event of events.filter((one) => one.watcher === watcher)) {
      const { type, name, value, revision } = event;
      if (revision <= last)
        problems.push(`watch ${watcher}: ${type} ${name} at ${revision} after ${last}`);
      last = revision;
      const key = type === "DELETED" ? `DELETED ${name}` : `${type} ${name} ${value}`;
      if (seen.has(key))
        problems.push(`watch ${watcher}: ${key} twice, at ${seen.get(key)} and ${revision}`);
      if (!asked.has(key)) problems.push(`watch ${watcher}: ${key}, which was never written`);
      seen.set(key, revision);
    }
    for (const { kind, operation, name, value, revision } of writes) {
      if (kind !== "acknowledged" || value === "end") continue;
      const key =
        operation === "delete" ? `DELETED ${name}` : `${eventOf[operation]} ${name} ${value}`;
      const at = seen.get(key);
      if (at === undefined)
        problems.push(`watch ${watcher}: no ${key}, acknowledged at ${revision}`);
      else if (operation !== "delete" && at !== revision)
        problems.push(`watch ${watcher}: ${key} at ${at}, acknowledged at ${revision}`);
    }
  }
  return problems;
}

/** Each object is as its last acknowledged write left it, or a later write without a clear result. */
function judgeFinal(records: readonly LoadRecord[]): string[] {
  const final = records.find((record) => record.kind === "final");
  if (!final) return ["there is no final state"];
  const allowed = new Map<string, Set<string | undefined>>();
  for (const write of records.filter(isWrite)) {
    if (write.value === "end" || write.kind === "refused") continue;
    const after = write.operation === "delete" ? undefined : write.value;
    const known = allowed.get(write.name) ?? new Set([undefined]);
    allowed.set(write.name, write.kind === "acknowledged" ? new Set([after]) : known.add(after));
  }
  return [...allowed].flatMap(([name, values]) => {
    const found = final.values[name];
    return values.has(found) ? [] : [`${name} is ${found}, allowed: ${[...values].join(" or ")}`];
  });
}

/** Each ReplicaSet got exactly its Pods: none was made twice, by two controllers or by one that did not know. */
function judgeSets(records: readonly LoadRecord[]): string[] {
  const made = new Map<string, Set<string>>();
  const final = records.find((record) => record.kind === "final");
  for (const record of records) {
    if (record.kind !== "pod") continue;
    made.set(record.owner, (made.get(record.owner) ?? new Set()).add(record.name));
  }
  return records.flatMap((record) => {
    if (record.kind !== "set") return [];
    const { uid, replicas } = record;
    const [count, left] = [
      made.get(uid)?.size ?? 0,
      final?.sets.find((set) => set.uid === uid)?.pods ?? 0,
    ];
    const isRight = count === replicas && left === replicas;
    return isRight ? [] : [`a ReplicaSet of ${replicas} got ${count} Pods, and has ${left}`];
  });
}

/** A time span (ms of the clock). */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** The longest time without an acknowledged write within a span (ms). Pure. */
export function writeOutageMs(records: readonly LoadRecord[], { from, to }: Span): number {
  const times = records.flatMap((record) => (record.kind === "acknowledged" ? [record.at] : []));
  return longestGap(times, { from, to });
}

/** The longest time without a read on a new connection that succeeded, within a span (ms). Pure. */
export function connectionOutageMs(records: readonly LoadRecord[], { from, to }: Span): number {
  const times = records.flatMap((record) =>
    record.kind === "fresh" && record.error === "" ? [record.at] : [],
  );
  return longestGap(times, { from, to });
}

/** The longest time without a new Pod of a ReplicaSet (ms): how long no controller worked. Pure. */
export function controllerOutageMs(records: readonly LoadRecord[], { from, to }: Span): number {
  const times = records.flatMap((record) => (record.kind === "pod" ? [record.at] : []));
  return longestGap(times, { from, to });
}

function longestGap(times: readonly number[], { from, to }: Span): number {
  const before = times.filter((at) => at <= from);
  const inside = times.filter((at) => at > from && at <= to).toSorted((a, b) => a - b);
  const after = times.filter((at) => at > to);
  const end = after.length > 0 ? Math.min(...after) : to;
  const points = [Math.max(from, ...before.slice(-1)), ...inside, end];
  const gaps = points.slice(1).map((at, index) => at - (points[index] ?? at));
  return Math.max(0, ...gaps);
}

/** The value below which a share of the values is. Pure. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
