import type { TreeCase } from "../tree-case.ts";

const file = (text: string, more = ""): string =>
  `## a.yaml\n${text}## kustomization.yaml\nresources: [a.yaml]\n${more}`;

const head = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;

const texts: Readonly<Record<string, string>> = {
  "scalars of all sorts": `${head("s")}data:
  yes: yes
  on: "on"
  octal: 0777
  newer: 0o17
  hex: 0x1F
  float: 1.0
  exponent: 1e3
  big: 12345678901234567890
  huge: 1234567890123456789012
  date: 2020-01-02
  time: 2020-01-02T03:04:05Z
  base60: 1:20
  tilde: ~
  empty:
  tagged: !!str 5
  dot: .5
  under: 1_000
  quoted: '1_000'
`,
  "texts over several lines": `${head("t")}data:
  literal: |
    one
      two

    three
  kept: |+
    end

  stripped: |-
    none
  folded: >
    a b
    c

    d
  spaces: "a \\nb"
  tabs: "\\ta"
  unicode: "\\u00e9 ☃ \\U0001F600"
  long: this is a line of text that is so long that it has to be folded somewhere when it is written
`,
  "anchors and merge keys": `${head("m")}data: &d {a: "1", b: "2"}
more:
  <<: *d
  b: "3"
list: [*d, {<<: [*d, {c: "4"}]}]
`,
  "keys twice": `${head("k")}data:\n  a: "1"\n  b: "2"\n  a: "3"\n`,
  "keys that are no texts": `${head("n")}data: {1: a, true: b}\n`,
  "several documents and comments": `# first\n---\n${head("one")}--- # second\n${head("two")}---\n# nothing\n---\n`,
  "a wrong separator": `${head("one")}--- x\n${head("two")}`,
  "a list": `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n- {apiVersion: v1, kind: Secret, metadata: {name: b}}\n`,
  "a list of a kind": `apiVersion: v1\nkind: ConfigMapList\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n`,
  "a list that is none": "apiVersion: v1\nkind: ConfigMapList\nitems: {a: b}\n",
  JSON: '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "j"}, "data": {"a": "\\u0041"}}\n',
  "no name": "apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: x, labels: {a: b}}\n",
  "no kind": "apiVersion: v1\nmetadata: {name: x}\n",
  "no object": "a: b\n",
  "just a text": "hello\n",
  "metadata that is not texts":
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 5, labels: {a: 1, b: true}, annotations: {c: 2.50}}\n",
  "empty maps":
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: e, labels: {}, annotations: {}}\ndata: {}\nlist: []\n",
  "quotes of all sorts": `${head("q")}data: {a: 'it''s', b: "say \\"x\\"", c: "- x", d: "a: b", e: "#c", f: "*x", g: " x ", h: "[", i: "null"}\n`,
};

/** How YAML is parsed and written. */
export const cases: readonly TreeCase[] = [
  ...Object.entries(texts).map(([name, text]) => ({ name, tree: file(text) })),
  ...Object.entries(texts)
    .filter(([name]) => /scalars|several lines|metadata that|empty maps/.test(name))
    .map(([name, text]) => ({
      name: `${name}, after changes`,
      tree: file(
        text,
        'namePrefix: p-\ncommonLabels: {x: \'1\'}\ncommonAnnotations: {y: \'true\'}\npatches: [{target: {}, patch: \'[{"op": "add", "path": "/z", "value": "yes"}]\'}]\n',
      ),
    })),
];
