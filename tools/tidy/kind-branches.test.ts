import assert from "node:assert/strict";
import { test } from "node:test";
import { checkKindBranches } from "./kind-branches.ts";

const cases: readonly { path: string; code: string; kind?: string }[] = [
  { path: "src/apiserver/verbs/get.ts", code: 'if (object.kind === "Pod") return;', kind: "Pod" },
  { path: "src/machinery/owner.ts", code: 'if ("Node" !== ref?.kind) return;', kind: "Node" },
  { path: "src/apiserver/admission/chain.ts", code: 'if (kind=="Secret") x();', kind: "Secret" },
  {
    path: "src/apiserver/admission/plugins/always-pull-images.ts",
    code: 'if (kind === "Pod") x();',
  },
  { path: "src/kubelet/sync.ts", code: 'if (kind === "Pod") x();' },
  { path: "src/machinery/list.ts", code: 'if (kind === "Status") x();' },
  { path: "src/machinery/cel/parser.ts", code: 'if (token.kind === "identifier") x();' },
  { path: "src/machinery/cel/parser.ts", code: 'if (token.kind === "NUM_INT") x();' },
  { path: "src/apiserver/verbs/options.ts", code: 'if (kind === "PatchOptions") x();' },
  { path: "src/client/x.ts", code: 'if (kind === "CSINode") x();', kind: "CSINode" },
  { path: "src/machinery/owner.test.ts", code: 'if (kind === "Pod") x();' },
  { path: "src/machinery/owner.ts", code: '// kind === "Pod"' },
];

for (const { path, code, kind } of cases) {
  test(`checkKindBranches() ${kind ? "refuses" : "allows"} ${code} in ${path}`, () => {
    const message = `generic code knows no ${kind}: let the resource's declaration say it`;
    const findings = checkKindBranches([{ path, text: `\n${code}` }]);
    assert.deepEqual(findings, kind ? [{ path, line: 2, message }] : []);
  });
}
