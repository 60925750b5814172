/** Prints how the recordings of ours differ from upstream's: `report.ts [FILTER]`. */
import { cases } from "./cases.ts";
import { compareRecords } from "./compare.ts";
import { readRecords } from "./records.ts";

const [filter = ""] = process.argv.slice(2);
const [upstream, ours] = [await readRecords("upstream"), await readRecords("ours")];
let equal = 0;
for (const { name, differs } of cases.filter((test) => test.name.includes(filter))) {
  const [theirs, own] = [upstream.get(name), ours.get(name)];
  if (!theirs || !own) {
    process.stdout.write(
      `${name}: not recorded: ${theirs ? "" : "upstream "}${own ? "" : "ours"}\n`,
    );
    continue;
  }
  const differences = compareRecords(theirs, own);
  if (differences.length === 0) equal++;
  else process.stdout.write(`${name}: ${differs ?? "DIFFERENT"}\n${differences.join("\n")}\n`);
}
process.stdout.write(`${equal} equal\n`);
