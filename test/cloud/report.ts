/** Prints how the recordings of ours differ from upstream's: `report.ts [FILTER]`. */
import { areas } from "./cases.ts";
import { isPeriodic } from "./cloud-case.ts";
import { compareRecords } from "./compare.ts";
import { readRecords } from "./records.ts";

const [filter = ""] = process.argv.slice(2);
let equal = 0;
for (const [area, cases] of Object.entries(areas)) {
  const [upstream, ours] = [await readRecords("upstream", area), await readRecords("ours", area)];
  for (const one of cases.filter(({ name, isOwn }) => !isOwn && name.includes(filter))) {
    const [theirs, own] = [upstream.get(one.name), ours.get(one.name)];
    if (!theirs || !own) {
      const missing = `${theirs ? "" : "upstream "}${own ? "" : "ours"}`;
      process.stdout.write(`${one.name}: not recorded: ${missing}\n`);
      continue;
    }
    const differences = compareRecords(theirs, own, { isPeriodic: isPeriodic(one) });
    if (differences.length === 0) equal++;
    else {
      const reason = one.differs ?? "DIFFERENT";
      process.stdout.write(`${one.name}: ${reason}\n${differences.join("\n")}\n`);
    }
  }
}
process.stdout.write(`${equal} equal\n`);
