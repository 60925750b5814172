import { parseArgs } from "node:util";
import { configureLogging } from "#/std/log/log.ts";
import { areas } from "./areas.ts";
import { measure } from "./heap.ts";

/** Measures areas with more cycles than the test: `node test/attacks/leaks/run.ts --cycles 2000 [--area TEXT]`. */
const { values } = parseArgs({
  options: {
    area: { type: "string", default: "" },
    cycles: { type: "string", default: "500" },
    series: { type: "string", default: "4" },
    snapshots: { type: "string" },
  },
});
configureLogging({ write: () => undefined });
const count = Number(values.cycles);
for (const { name, open } of areas) {
  if (!name.includes(values.area)) continue;
  await using area = await open();
  const sizes = await measure(area, Number(values.series), count, values.snapshots);
  const kept = sizes.slice(1).map((size, index) => (size - (sizes[index] ?? 0)) / count);
  const text = kept.map((kib) => kib.toFixed(2)).join(", ");
  process.stdout.write(`${name}: each of ${count} cycles keeps ${text} KiB\n`);
}
