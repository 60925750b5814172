import assert from "node:assert/strict";
import { test } from "node:test";
import { checkKindBranches } from "./kind-branches.ts";

/** A declaration of the resources. */
const api = { path: "src/api/core/v1.ts", text: '  name: "pods",\n  name: "nodes",\n' };

const declared = (named: string) =>
  `generic code knows no ${named}: let the resource's declaration say it`;
const byText = (name: string) => `"${name}" is looked up by text: use the handle of #/api`;

const cases: readonly { path: string; code: string; message?: string }[] = [
  {
    path: "src/apiserver/verbs/get.ts",
    code: 'if (object.kind === "Pod") return;',
    message: declared("Pod"),
  },
  {
    path: "src/machinery/meta/owner.ts",
    code: 'if ("Node" !== ref?.kind) return;',
    message: declared("Node"),
  },
  {
    path: "src/apiserver/admission/admission-chain.ts",
    code: 'if (kind=="Secret") x();',
    message: declared("Secret"),
  },
  {
    path: "src/apiserver/admission/admission-chain.ts",
    code: 'if (resource.name !== "pods") return;',
    message: declared("pods"),
  },
  { path: "src/apiserver/run.ts", code: 'if (kind === "Pod") x();', message: declared("Pod") },
  { path: "src/client/x.ts", code: 'if (kind === "CSINode") x();', message: declared("CSINode") },
  { path: "src/apiserver/verbs/get.ts", code: 'if (name === "metadata") x();' },
  {
    path: "src/apiserver/verbs/get.ts",
    code: 'import { type Pod, pods } from "#/api/core/v1.ts";',
    message: declared("pods"),
  },
  { path: "src/apiserver/verbs/get.ts", code: 'import type { Pod } from "#/api/core/v1.ts";' },
  { path: "src/apiserver/admission/plugins/priority.ts", code: 'if (kind === "Pod") x();' },
  { path: "src/machinery/pods/qos.ts", code: 'if (kind === "Pod") x();' },
  { path: "src/kubelet/sync.ts", code: 'if (kind === "Pod") x();' },
  { path: "src/machinery/meta/list.ts", code: 'if (kind === "Status") x();' },
  { path: "src/machinery/cel/parser.ts", code: 'if (token.kind === "identifier") x();' },
  { path: "src/machinery/cel/parser.ts", code: 'if (token.kind === "NUM_INT") x();' },
  { path: "src/apiserver/verbs/options.ts", code: 'if (kind === "PatchOptions") x();' },
  { path: "src/machinery/meta/owner.test.ts", code: 'if (kind === "Pod") x();' },
  { path: "src/machinery/meta/owner.ts", code: '// kind === "Pod"' },
  {
    path: "src/apiserver/auth/node/relations.ts",
    code: 'follow(registry.store("", "pods"), x);',
    message: byText("pods"),
  },
  {
    path: "src/apiserver/resources/core/binding.ts",
    code: 'services.store({ group: "", name: "pods" });',
    message: byText("pods"),
  },
  {
    path: "src/apiserver/proxy/x.ts",
    code: 'registry.catalog.find("", "v1", "nodes");',
    message: byText("nodes"),
  },
  { path: "src/apiserver/proxy/x.ts", code: "registry.store(pods);" },
  { path: "src/apiserver/proxy/x.ts", code: 'store.find("", "kubernetes");' },
];

for (const { path, code, message } of cases) {
  test(`checkKindBranches() ${message ? "refuses" : "allows"} ${code} in ${path}`, () => {
    const findings = checkKindBranches([api, { path, text: `\n${code}` }]);
    assert.deepEqual(findings, message ? [{ path, line: 2, message }] : []);
  });
}
