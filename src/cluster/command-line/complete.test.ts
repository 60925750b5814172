import assert from "node:assert/strict";
import { test } from "node:test";
import { completeArguments, completeCommand } from "./complete.ts";

const flags = {
  name: { type: "string", help: "The cluster's `name`." },
  kubeconfig: { type: "string", help: "A `file`." },
  "no-install": { type: "bool", help: "Never install." },
  secret: { type: "bool", help: "", hidden: true },
} as const;
const known = { clusters: () => ["k8ts", "ux"], components: () => ["kubelet", "kube-proxy"] };

test("completeCommand() suggests commands with their summaries, but not k8ts's own", () => {
  const commands = [
    { name: "status", group: "use", summary: "show" },
    { name: "server", summary: "" },
  ] as const;
  assert.deepEqual(completeCommand(commands, "s"), {
    suggestions: [["status", "show"]],
    files: false,
  });
});

const cases: readonly {
  readonly names: readonly string[];
  readonly words: readonly string[];
  readonly expected: readonly string[];
  readonly files?: boolean;
}[] = [
  { names: [], words: ["--n"], expected: ["--name", "--no-install"] },
  { names: [], words: ["--s"], expected: [] },
  { names: [], words: ["--name", ""], expected: ["k8ts", "ux"] },
  { names: [], words: ["--name", "u"], expected: ["ux"] },
  { names: [], words: ["--kubeconfig", ""], expected: [], files: true },
  { names: [], words: ["--no-install", ""], expected: [] },
  { names: ["COMPONENT"], words: ["kubel"], expected: ["kubelet"] },
  { names: ["load|ls|rm", "[IMAGE...]"], words: ["l"], expected: ["load", "ls"] },
  { names: ["load|ls|rm", "[IMAGE...]"], words: ["load", ""], expected: [], files: true },
  { names: ["load|ls|rm", "[IMAGE...]"], words: ["load", "a", ""], expected: [], files: true },
  { names: ["SERVER"], words: [""], expected: [] },
];
for (const { names, words, expected, files = false } of cases) {
  test(`completeArguments() of [${words}] for [${names}] is [${expected}]`, () => {
    const completion = completeArguments({ arguments: names, flags }, words, known);
    assert.deepEqual(
      { words: completion.suggestions.map(([word]) => word), files: completion.files },
      { words: expected, files },
    );
  });
}
