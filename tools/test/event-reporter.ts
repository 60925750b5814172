import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";
import type { ReportedEvent } from "./file-result.ts";

/** Writes the events of a test file as lines of JSON, for the process that has started it. */
// biome-ignore lint/style/noDefaultExport: Node takes a reporter from the default export.
export default async function* eventReporter(source: AsyncIterable<TestEvent>) {
  for await (const event of source) {
    const reported = toReported(event);
    if (reported) yield `${JSON.stringify(reported)}\n`;
  }
  yield `${JSON.stringify({ type: "end" } satisfies ReportedEvent)}\n`;
}

function toReported({ type, data }: TestEvent): ReportedEvent | undefined {
  if (type === "test:start") return { type: "start", name: data.name, nesting: data.nesting };
  if (type !== "test:pass" && type !== "test:fail") return undefined;
  const place = { name: data.name, nesting: data.nesting, line: data.line ?? 0 };
  const isSuite = data.details.type === "suite";
  if (type === "test:pass") {
    if (isSuite) return undefined;
    const skip = data.skip ?? data.todo;
    if (skip !== undefined && skip !== false)
      return { type: "skip", ...place, reason: skip === true ? "" : String(skip) };
    return { type: "pass", ...place, ms: data.details.duration_ms };
  }
  const error = data.details.error as Error & { failureType?: string };
  // Its subtests have failed, and are reported themselves.
  if (error.failureType === "subtestsFailed") return undefined;
  return { type: "fail", ...place, error: inspect(error.cause ?? error) };
}
