/**
 * Runs the suite and the faults against a runtime of this machine, by hand: `node test/cri/run.ts RUNTIME [FOLDER [NEWER]]`, where
 * RUNTIME is a name of tested-runtimes.ts, and FOLDER has its programs, as for --runtime-dir; NEWER has those of another version,
 * to which it is upgraded.
 */
import { runtimeFaults } from "./faults.contract.ts";
import { runtimeContract } from "./runtime.contract.ts";
import { testedRuntimes } from "./tested-runtimes.ts";

const [name = "", folder, newer] = process.argv.slice(2);
const tested = testedRuntimes[name];
if (!tested) throw new Error(`name a runtime: ${Object.keys(testedRuntimes).join(", ")}`);
runtimeContract({ ...tested, folder });
runtimeFaults({ name: tested.name, folder, newer });
