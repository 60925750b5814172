import { type Answer, keptHeaders } from "./case.ts";
import type { RawAnswer } from "./reference.ts";
import type { Run } from "./run-case.ts";

const timePattern = /20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const versionPattern = /(?<=resourceVersion\\?"?:\\?"?)\d+/g;
const uidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const jwtPattern = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g;
const tokenVolumePattern = /kube-api-access-[a-z0-9]{5}/g;
const clusterIpPattern = /^10\.0\.\d{1,3}\.\d{1,3}$/;
const firstTimeMs = Date.UTC(2000, 0, 1);

/**
 * Replaces values that differ from run to run: the namespace by {ns}; UIDs, resource versions and allocated addresses
 * by their number in order of appearance; times (from the year 2020 on; cases use older ones as literals) by their
 * rank, one second apart. Messages that quote an object are covered as well.
 */
export function normaliseAnswers({ namespace, answers }: Run): Answer[] {
  const bodies = answers.map(({ text }) => parseBody(text.replaceAll(namespace, "{ns}")));
  const names: Names = {
    uids: new Map(),
    versions: new Map(),
    addresses: new Map(),
    times: new Map(),
  };
  const times = new Set<string>();
  collectTimes(bodies, times);
  for (const [rank, time] of [...times].sort().entries()) {
    names.times.set(time, `${new Date(firstTimeMs + rank * 1000).toISOString().slice(0, 19)}Z`);
  }
  return answers.map(({ status, headers }, index) => {
    const kept = keepHeaders(headers, namespace);
    const body = rename(bodies[index], names, "");
    return { status, ...(kept ? { headers: kept } : {}), ...(body === "" ? {} : { body }) };
  });
}

/** How many different seconds the server's clock showed in these answers. */
export function countSeconds(raw: readonly RawAnswer[]): number {
  const times = new Set<string>();
  collectTimes(
    raw.map(({ text }) => parseBody(text)),
    times,
  );
  return times.size;
}

/** How many seconds the clock showed in normalised answers. */
export function countRecordedSeconds(answers: readonly Answer[]): number {
  return new Set(JSON.stringify(answers).match(/2000-01-01T00:\d\d:\d\dZ/g)).size;
}

interface Names {
  readonly uids: Map<string, string>;
  readonly versions: Map<string, string>;
  readonly addresses: Map<string, string>;
  readonly times: Map<string, string>;
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function keepHeaders(
  headers: RawAnswer["headers"],
  namespace: string,
): Record<string, string> | undefined {
  const kept: Record<string, string> = {};
  for (const name of keptHeaders) {
    const value = headers[name];
    if (value !== undefined && value !== "application/json")
      kept[name] = value.replaceAll(namespace, "{ns}");
  }
  return Object.keys(kept).length > 0 ? kept : undefined;
}

function collectTimes(value: unknown, times: Set<string>): void {
  if (typeof value === "string") {
    for (const [time] of value.matchAll(timePattern)) times.add(time);
  } else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) collectTimes(part, times);
  }
}

function rename(value: unknown, names: Names, key: string): unknown {
  if (typeof value === "string") return renameText(value, names, key);
  if (Array.isArray(value)) return inOrder(value.map((item) => rename(item, names, key)));
  if (typeof value !== "object" || value === null) return value;
  const parts = Object.entries(value).map(([name, part]) => [name, rename(part, names, name)]);
  // The description of a column is upstream's text, which we do not copy.
  const kept = parts.filter(([name]) => key !== "columnDefinitions" || name !== "description");
  return Object.fromEntries(kept);
}

/** Conflicts of server-side apply have a random order of managers; here they are sorted by message. */
function inOrder(items: unknown[]): unknown[] {
  const message = (item: unknown): string => (item as { message?: string } | null)?.message ?? "";
  const isConflict = (item: unknown): boolean =>
    (item as { reason?: string } | null)?.reason === "FieldManagerConflict";
  return items.every(isConflict)
    ? items.toSorted((a, b) => message(a).localeCompare(message(b), "en"))
    : items;
}

function renameText(text: string, names: Names, key: string): string {
  if (key === "resourceVersion" && /^\d+$/.test(text)) return numbered(names.versions, text, "rv");
  if ((key === "clusterIP" || key === "clusterIPs") && clusterIpPattern.test(text)) {
    return numbered(names.addresses, text, "ip");
  }
  return text
    .replaceAll(timePattern, (time) => names.times.get(time) ?? time)
    .replaceAll(versionPattern, (version) => numbered(names.versions, version, "rv"))
    .replaceAll(uidPattern, (uid) => numbered(names.uids, uid, "uid"))
    .replaceAll(jwtPattern, "{jwt}")
    .replaceAll(tokenVolumePattern, "kube-api-access-{token}");
}

function numbered(names: Map<string, string>, value: string, prefix: string): string {
  const known = names.get(value);
  if (known !== undefined) return known;
  const name = `${prefix}-${names.size + 1}`;
  names.set(value, name);
  return name;
}
