import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "yaml";
import { readPlainYaml } from "./plain-yaml.ts";

const kubeconfig = `# written by a program
apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==
    server: https://127.0.0.1:6443
  name: kubernetes
- cluster:
    insecure-skip-tls-verify: true
    server: "https://[::1]:6443/a path"
  name: 'it is: quoted # so'
contexts:
  - context:
      cluster: kubernetes
      namespace: ""
      user: admin@kubernetes
    name: kubernetes-admin@kubernetes

current-context: kubernetes-admin@kubernetes
kind: Config
preferences: {}
users:
- name: admin
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      args:
      - get-token
      - --region
      - - nested
        - list
      command: /usr/bin/login
      env: null
      installHint:
      interactiveMode: IfAvailable
      provideClusterInfo: false
`;

const read: readonly string[] = [
  kubeconfig,
  "a: b\n",
  "a:\n  b:\n    c: d\ne: f",
  "- a\n- b: c\n  d: e\n-   f: g\n    h: []",
  "a:\n- b\nc: d",
  "a:\nb: c",
  "-\n  a: b",
];

for (const text of read) {
  test(`readPlainYaml() reads as a parser does: ${JSON.stringify(text).slice(0, 40)}`, () => {
    assert.deepEqual(readPlainYaml(text), parse(text));
  });
}

const left: readonly string[] = [
  "",
  "# nothing",
  "a: {b: c}",
  "a: [b]",
  "a: |\n  text",
  "a: b # why",
  "a: b\n   goes on",
  "a: 1",
  "a: 010",
  "a: 2026-01-01",
  "a: yes",
  "a: True",
  "a: ~",
  'a: "tab\\t"',
  "a: 'it''s'",
  "a: &anchor b",
  "a: *anchor",
  "a: !!str b",
  "a: b: c",
  "a: b:",
  "a: b\na: c",
  "a:\n\tb: c",
  "a: b\r\n",
  "---\na: b",
  "a: b\n---\nc: d",
  "-",
  "a: b\n c: d",
  "? a\n: b",
  "__proto__: a",
  "a:\n  b: c\n d: e",
  "text",
  '{"a": "b"}',
];

for (const text of left) {
  test(`readPlainYaml() leaves to a parser: ${JSON.stringify(text)}`, () => {
    assert.equal(readPlainYaml(text), undefined);
  });
}

test("readPlainYaml() never differs from a parser", () => {
  const pieces = ["a:", "b: c", "- ", "-", "  ", " ", "\n", "\n", "d: 'e'", "{}", "#", "f", ": "];
  let seed = 1;
  const random = (limit: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % limit;
  };
  let plain = 0;
  for (let round = 0; round < 20_000; round++) {
    const text = Array.from({ length: 1 + random(12) }, () => pieces[random(pieces.length)]).join(
      "",
    );
    const value = readPlainYaml(text);
    if (value === undefined) continue;
    plain++;
    assert.deepEqual(value, parse(text), JSON.stringify(text));
  }
  assert.ok(plain > 500, `only ${plain} of the texts are plain`);
});
