/**
 * Runs the contract suite against a runtime of this machine, by hand: `node test/cri/run.ts RUNTIME [FOLDER]`, where RUNTIME is a
 * name of tested-runtimes.ts, and FOLDER has its programs, as for --runtime-dir.
 */
import { runtimeContract } from "./runtime.contract.ts";
import { testedRuntimes } from "./tested-runtimes.ts";

const [name = "", folder] = process.argv.slice(2);
const tested = testedRuntimes[name];
if (!tested) throw new Error(`name a runtime: ${Object.keys(testedRuntimes).join(", ")}`);
runtimeContract({ ...tested, folder });
