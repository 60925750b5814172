import type { SnapshotSchedule } from "../base/settings.ts";

/** A snapshot that is there. */
export interface StoredSnapshot {
  readonly name: string;
  readonly sizeBytes: number;
  /** When it was made (ms); from its name. */
  readonly createdMs: number;
  /** Whether the schedule has made it: only those are removed by it. */
  readonly isScheduled: boolean;
}

const suffix = ".k8ts.tar.gz";
const pattern = /^([^/]+)-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z(-auto)?\.k8ts\.tar\.gz$/;

/** The name of a snapshot: it sorts by its time. */
export function snapshotName(cluster: string, now: number, isScheduled: boolean): string {
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(":", "-");
  return `${cluster}-${time}Z${isScheduled ? "-auto" : ""}${suffix}`;
}

/** What the name of a file says, if it is that of a snapshot. */
export function parseSnapshotName(name: string): Omit<StoredSnapshot, "sizeBytes"> | undefined {
  const [, , day, hour, minute, second, auto] = pattern.exec(name) ?? [];
  const createdMs = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(createdMs)) return undefined;
  return { name, createdMs, isScheduled: auto !== undefined };
}

/** The time (ms) until the next snapshot; 0 if it is due. A clock that was set back makes one at once. */
export function msUntilDue(
  { everyMs }: Pick<SnapshotSchedule, "everyMs">,
  stored: readonly StoredSnapshot[],
  now: number,
): number {
  const times = stored.filter(({ isScheduled }) => isScheduled).map(({ createdMs }) => createdMs);
  const last = Math.max(...times);
  // Names have whole seconds.
  if (times.length === 0 || last > now + 1000) return 0;
  return Math.max(0, last + everyMs - now);
}

/** The scheduled snapshots that are no longer kept, the oldest first. */
export function outdated(
  { keep }: Pick<SnapshotSchedule, "keep">,
  stored: readonly StoredSnapshot[],
): StoredSnapshot[] {
  const own = stored.filter(({ isScheduled }) => isScheduled);
  const newestFirst = own.toSorted((a, b) => b.createdMs - a.createdMs);
  return newestFirst.slice(keep).reverse();
}
