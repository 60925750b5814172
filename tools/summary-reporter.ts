import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

/** Prints each failure in full as it happens, and at the end the counts. What tests write themselves is left out. */
// biome-ignore lint/style/noDefaultExport: the test runner takes a reporter from the default export.
export default async function* summaryReporter(source: AsyncIterable<TestEvent>) {
  const slowest: { name: string; ms: number }[] = [];
  const count = { passed: 0, failed: 0, skipped: 0 };
  for await (const { type, data } of source) {
    if (type === "test:fail") {
      if (data.details.type === "suite") continue;
      count.failed++;
      const error = data.details.error.cause ?? data.details.error;
      yield `\nFAILED ${data.file ?? ""}:${data.line ?? ""} ${data.name}\n${inspect(error)}\n`;
    } else if (type === "test:pass") {
      if (data.details.type === "suite") continue;
      if (data.skip || data.todo) count.skipped++;
      else count.passed++;
      if (data.nesting === 0) slowest.push({ name: data.name, ms: data.details.duration_ms });
    }
  }
  slowest.sort((a, b) => b.ms - a.ms);
  yield "\nSlowest:\n";
  for (const { name, ms } of slowest.slice(0, 8))
    yield `  ${(ms / 1000).toFixed(1).padStart(6)} s  ${name}\n`;
  yield `\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`;
}
