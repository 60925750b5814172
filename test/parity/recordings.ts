import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Answer,
  type Area,
  type Case,
  caseDigest,
  type Recording,
  type Step,
} from "./case.ts";

/** A case with the answers of the real server. */
export interface RecordedCase {
  readonly name: string;
  readonly steps: readonly RecordedStep[];
}

/** A request and its answer. */
export interface RecordedStep extends Step {
  readonly answer: Answer;
  /** The body as it was sent, computed from earlier answers if the case has a function. */
  readonly sent: unknown;
}

/** The recorded cases of an area; throws if a case changed since it was recorded. */
export function loadRecordings(area: Area): RecordedCase[] {
  const file = join(import.meta.dirname, "recorded", `${area.name}.json`);
  const recordings = new Map(
    (JSON.parse(readFileSync(file, "utf8")) as Recording[]).map((one) => [one.name, one]),
  );
  return area.cases.map((test) => {
    const recording = recordings.get(test.name);
    if (recording?.digest !== caseDigest(test)) {
      throw new Error(
        `${area.name}: "${test.name}" is not recorded: node test/parity/record.ts ${area.name}`,
      );
    }
    return { name: test.name, steps: pair(test, recording) };
  });
}

function pair(test: Case, recording: Recording): RecordedStep[] {
  const bodies = recording.answers.map(({ body }) => body);
  return test.steps.map((step, index) => {
    const answer = recording.answers[index];
    if (!answer) throw new Error(`"${test.name}" lacks an answer`);
    const sent = typeof step.body === "function" ? step.body(bodies.slice(0, index)) : step.body;
    return { ...step, sent, answer };
  });
}

/** The query of a step. */
export const stepQuery = ({ path }: Step): URLSearchParams =>
  new URLSearchParams(path.split("?")[1] ?? "");
