import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import type { RecordedCall } from "./recording-proxy.ts";
import type { Outcome } from "./run-case.ts";

export type Side = "upstream" | "ours";

export interface CaseRecord {
  readonly calls: readonly RecordedCall[];
  readonly outcome: Outcome;
  /** The digest of what AWS has at the end. */
  readonly state: string;
}

/** A file: answers that occur often are there once. */
interface RecordFile {
  readonly cases: Readonly<Record<string, CompactRecord>>;
  readonly answers: readonly string[];
}

interface CompactRecord extends Omit<CaseRecord, "calls"> {
  /** The operation, its parameters, the status, and the index of the answer. */
  readonly calls: readonly [string, RecordedCall["params"], number, number][];
}

/** The recordings of a side, by the name of the case; none if there is no file. */
export async function readRecords(side: Side): Promise<Map<string, CaseRecord>> {
  const text = await readFile(fileOf(side), "utf8").catch(() => undefined);
  if (text === undefined) return new Map();
  const { cases, answers } = JSON.parse(text) as RecordFile;
  return new Map(
    Object.entries(cases).map(([name, { calls, ...rest }]) => {
      const full = calls.map(([call, params, status, index]) => ({
        call,
        params,
        status,
        answer: answers[index] ?? "",
      }));
      return [name, { ...rest, calls: full }];
    }),
  );
}

/** Writes one line for each case and each answer. */
export async function writeRecords(
  side: Side,
  records: ReadonlyMap<string, CaseRecord>,
): Promise<void> {
  const indexes = new Map<string, number>();
  const indexOf = (answer: string) => {
    const index = indexes.get(answer) ?? indexes.size;
    indexes.set(answer, index);
    return index;
  };
  const sorted = [...records].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lines = sorted.map(([name, { calls, ...rest }]) => {
    const short = calls.map(({ call, params, status, answer }) => {
      // Upstream's answers are not replayed: only the code of an error is compared.
      const kept = side === "ours" || status >= 400 ? answer : "";
      return [call, params, status, indexOf(kept)];
    });
    return `${JSON.stringify(name)}: ${JSON.stringify({ ...rest, calls: short })}`;
  });
  const answers = [...indexes.keys()].map((answer) => JSON.stringify(answer));
  const text = `{"cases": {\n${lines.join(",\n")}\n}, "answers": [\n${answers.join(",\n")}\n]}\n`;
  await writeFile(fileOf(side), text);
}

export function digestOf(state: unknown): string {
  return createHash("sha256").update(JSON.stringify(state)).digest("hex").slice(0, 16);
}

function fileOf(side: Side): URL {
  return new URL(`recorded/${side}.json`, import.meta.url);
}
