import { isDeepStrictEqual } from "node:util";
import { isMutating } from "./query-call.ts";
import type { RecordedCall } from "./recording-proxy.ts";
import type { CaseRecord } from "./records.ts";

/**
 * The calls that change something, as lines. Neighbours of the same operation are in order of their text: upstream's order
 * of them is random. Those of periodic controllers all are, as they work on several nodes at once.
 */
export function mutatingLines(calls: readonly RecordedCall[], isPeriodic = false): string[] {
  const lines: string[] = [];
  let start = 0;
  let last = "";
  for (const call of calls.filter(isMutating)) {
    if (call.call !== last) start = lines.length;
    last = call.call;
    const code = call.status >= 400 ? ` ${/<Code>([^<]*)</.exec(call.answer)?.[1]}` : "";
    lines.push(`${call.call} ${JSON.stringify(call.params)}${code}`);
    lines.splice(start, lines.length, ...lines.slice(start).toSorted());
  }
  if (isPeriodic) return lines.toSorted();
  return lines;
}

/** What differs between two recordings of a case; none if they are equal. */
export function compareRecords(
  upstream: CaseRecord,
  ours: CaseRecord,
  { isPeriodic }: { readonly isPeriodic: boolean },
): string[] {
  const differences: string[] = [];
  const [theirs, own] = [
    mutatingLines(upstream.calls, isPeriodic),
    mutatingLines(ours.calls, isPeriodic),
  ];
  if (!isDeepStrictEqual(theirs, own)) {
    const missing = theirs.filter((line) => !own.includes(line)).map((line) => `  - ${line}`);
    const added = own.filter((line) => !theirs.includes(line)).map((line) => `  + ${line}`);
    const order = missing.length + added.length === 0 ? ["  (another order or count)"] : [];
    differences.push(["calls", ...missing, ...added, ...order].join("\n"));
  }
  // Nodes have nothing in the state.
  if (!isPeriodic && upstream.state !== ours.state) differences.push("state");
  for (const part of ["services", "nodes", "events"] as const) {
    const [a, b] = [upstream.outcome[part], ours.outcome[part]];
    if (!isDeepStrictEqual(a, b)) {
      differences.push(`${part}\n  - ${JSON.stringify(a)}\n  + ${JSON.stringify(b)}`);
    }
  }
  if (!isPeriodic && ours.calls.length > upstream.calls.length) {
    differences.push(`${ours.calls.length} calls instead of ${upstream.calls.length}`);
  }
  return differences;
}
