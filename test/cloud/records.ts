import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import type { RecordedCall } from "./recording-proxy.ts";
import type { Outcome } from "./run-case.ts";

export type Side = "upstream" | "ours";

export interface CaseRecord {
  readonly calls: readonly RecordedCall[];
  readonly outcome: Outcome;
  /** The digest of what AWS has at the end. */
  readonly state: string;
}

/** A file with the cases of an area: calls and answers that occur often are there once. */
interface RecordFile {
  readonly cases: Readonly<Record<string, CompactRecord>>;
  readonly calls: readonly CompactCall[];
  readonly answers: readonly string[];
}

/** The operation, its parameters, the status, and the index of the answer. */
type CompactCall = readonly [string, RecordedCall["params"], number, number];

interface CompactRecord extends Omit<CaseRecord, "calls"> {
  /** Indexes of the calls. */
  readonly calls: readonly number[];
}

/** The recordings of a side in an area, by the name of the case; none if there is no file. */
export async function readRecords(side: Side, area: string): Promise<Map<string, CaseRecord>> {
  const text = await readFile(fileOf(side, area), "utf8").catch(() => undefined);
  if (text === undefined) return new Map();
  const { cases, calls, answers } = JSON.parse(text) as RecordFile;
  const full = calls.map(([call, params, status, index]): RecordedCall => {
    return { call, params, status, answer: answers[index] ?? "" };
  });
  return new Map(
    Object.entries(cases).map(([name, { calls: indexes, ...rest }]) => {
      return [name, { ...rest, calls: indexes.flatMap((index) => full[index] ?? []) }];
    }),
  );
}

/** Writes one line for each case, each call and each answer. */
export async function writeRecords(
  side: Side,
  area: string,
  records: ReadonlyMap<string, CaseRecord>,
): Promise<void> {
  const [calls, answers] = [new IndexedLines(), new IndexedLines()];
  const sorted = [...records].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const cases = sorted.map(([name, { calls: full, ...rest }]) => {
    const indexes = full.map(({ call, params, status, answer }) => {
      // Upstream's answers are not replayed: only the code of an error is compared.
      const kept = side === "ours" || status >= 400 ? answer : "";
      return calls.indexOf([call, params, status, answers.indexOf(kept)]);
    });
    return `${JSON.stringify(name)}: ${JSON.stringify({ ...rest, calls: indexes })}`;
  });
  const text = `{"cases": {\n${cases.join(",\n")}\n}, "calls": [\n${calls}\n], "answers": [\n${answers}\n]}\n`;
  await mkdir(new URL(`recorded/${side}/`, import.meta.url), { recursive: true });
  await writeFile(fileOf(side, area), text);
}

/** Values as lines of JSON; equal ones share a line. */
class IndexedLines {
  readonly #indexes = new Map<string, number>();

  indexOf(value: unknown): number {
    const line = JSON.stringify(value);
    const index = this.#indexes.get(line) ?? this.#indexes.size;
    this.#indexes.set(line, index);
    return index;
  }

  toString(): string {
    return [...this.#indexes.keys()].join(",\n");
  }
}

export function digestOf(state: unknown): string {
  return createHash("sha256").update(JSON.stringify(state)).digest("hex").slice(0, 16);
}

function fileOf(side: Side, area: string): URL {
  return new URL(`recorded/${side}/${area}.json`, import.meta.url);
}
