import assert from "node:assert/strict";
import { test } from "node:test";
import { checkVersionLiterals } from "./version-literals.ts";

const home = {
  path: "src/api/base/kubernetes-version.ts",
  text: 'export const kubernetesVersion = "v1.37.1";',
};
const findingsFor = (text: string) => checkVersionLiterals([home, { path: "src/a/x.ts", text }]);

for (const text of [
  'const a = "v1.37.1";',
  "const a = `kubelet/v1.37`;",
  'f({ version: "1.37" });',
]) {
  test(`checkVersionLiterals() refuses ${text}`, () => {
    const message = "the version is stated in src/api/base/kubernetes-version.ts: import it";
    assert.deepEqual(findingsFor(text), [{ path: "src/a/x.ts", line: 1, message }]);
  });
}

for (const text of ["/** As v1.37 has it. */", '  // "1.37" is old', 'const a = "v1.371";']) {
  test(`checkVersionLiterals() allows ${text}`, () => {
    assert.deepEqual(findingsFor(text), []);
  });
}
