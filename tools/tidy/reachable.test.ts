import assert from "node:assert/strict";
import { test } from "node:test";
import { checkReachable } from "./reachable.ts";

const files = (texts: Record<string, string>) =>
  Object.entries(texts).map(([path, text]) => ({ path, text }));

test("checkReachable() refuses a module that only tests import", () => {
  const findings = checkReachable(
    files({
      "bin/kubelet.ts": 'import "#/kubelet/run.ts";',
      "src/kubelet/run.ts": 'const pods = () => import("./pods.ts");',
      "src/kubelet/pods.ts": 'new Worker(new URL("./worker.ts", import.meta.url));',
      "src/kubelet/worker.ts": "",
      "src/kubelet/forgotten.ts": "",
      "src/kubelet/forgotten.test.ts": 'import "./forgotten.ts";',
      "src/kubelet/crash.program.ts": "",
      "src/testing/start.ts": "",
      "src/api/core/v1.ts": "",
    }),
  );
  const message = "no program reaches this module: wire it or delete it";
  assert.deepEqual(findings, [{ path: "src/kubelet/forgotten.ts", line: 1, message }]);
});
