import type { TreeCase } from "../tree-case.ts";

const cm = (name: string, more = ""): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${more}}\n`;

const top = (text: string): string => `## a.yaml\n${cm("a")}## kustomization.yaml\n${text}\n`;

const texts: Readonly<Record<string, string>> = {
  "a field that is not known": "resources: [a.yaml]\nnonsense: 1",
  "a field of the wrong type": "resources: a.yaml",
  "an entry of the wrong type": "resources: [a.yaml]\nimages: [{name: x, newTag: 1}]",
  "an inner field that is not known": "resources: [a.yaml]\npatches: [{pathh: x}]",
  "another kind": "kind: Thing\nresources: [a.yaml]",
  "another version": "apiVersion: v1\nresources: [a.yaml]",
  "nothing but a kind": "kind: Kustomization",
  "empty lists": "resources: []",
  "metadata alone": "metadata: {name: x}",
  "no YAML": "resources: [a.yaml",
  "order as given": "resources: [a.yaml, b.yaml]\nsortOptions: {order: fifo}",
  "an order that is not known": "resources: [a.yaml]\nsortOptions: {order: random}",
  "options of another order":
    "resources: [a.yaml]\nsortOptions: {order: fifo, legacySortOptions: {orderFirst: [A]}}",
  "kinds in an order of one's own":
    "resources: [b.yaml, a.yaml]\nsortOptions: {order: legacy, legacySortOptions: {orderFirst: [Secret], orderLast: [ConfigMap]}}",
  "metadata of the build":
    "resources: [a.yaml, base]\nbuildMetadata: [originAnnotations, transformerAnnotations, managedByLabel]\nnamePrefix: p-\nconfigMapGenerator: [{name: made, literals: [a=b]}]",
  "metadata of the build, after an object was deleted":
    "resources: [a.yaml, b.yaml]\nbuildMetadata: [transformerAnnotations, originAnnotations]\nlabels: [{pairs: {x: y}}]\npatches: [{target: {kind: Secret}, patch: '{apiVersion: v1, kind: Secret, metadata: {name: b}, $patch: delete}'}]",
  "metadata of the build, one part": "resources: [base]\nbuildMetadata: [originAnnotations]",
  "a version of OpenAPI": "resources: [a.yaml]\nopenapi: {version: v1.21.2}",
  "a version of OpenAPI that is not there": "resources: [a.yaml]\nopenapi: {version: v1.2.3}",
  "the same file twice": "resources: [a.yaml, a.yaml]",
  "a base that is not there": "resources: [absent/deep]",
  "an absolute path": "resources: [/nonexistent/file]",
  "an empty path": 'resources: [""]',
  "a component": "resources: [a.yaml]\ncomponents: [part]\nnameSuffix: -s",
  "a component that is none": "components: [base]",
  "a component that is not there": "components: [absent]",
  "a component among resources": "resources: [part]",
  "a file among components": "components: [a.yaml]",
  "a component with a mistake": "resources: [a.yaml]\ncomponents: [bad]",
  "old names of fields": "bases: [base]\nimageTags: [{name: x, newTag: '1'}]",
};

const rest = `## b.yaml
apiVersion: v1
kind: Secret
metadata: {name: b}
## base/in.yaml
${cm("in")}## base/kustomization.yaml
resources: [in.yaml]
commonAnnotations: {from: base}
## part/kustomization.yaml
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
namePrefix: part-
configMapGenerator: [{name: part, literals: [a=b]}]
## bad/kustomization.yaml
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches: [{patch: "{apiVersion: v1, kind: Secret, metadata: {name: absent}}"}]
`;

/** Folders that refer to others, and their errors. */
export const cases: readonly TreeCase[] = [
  ...Object.entries(texts).map(([name, text]) => ({ name, tree: top(text) + rest })),
  {
    name: "external plugins and helm are allowed but there are none",
    tree: top(
      "resources: [a.yaml]\ntransformers: ['{apiVersion: builtin, kind: LabelTransformer, metadata: {name: l}, labels: {a: b}, fieldSpecs: [{path: metadata/labels, create: true}]}']",
    ),
    args: [".", "--enable-alpha-plugins", "--enable-helm"],
  },
  {
    name: "a chart without a name",
    tree: top("helmCharts: [{repo: x}]"),
    args: [".", "--enable-helm"],
  },
  { name: "no argument", tree: top("resources: [a.yaml]"), args: [] },
  { name: "an empty argument", tree: top("resources: [a.yaml]"), args: [""] },
  { name: "output to a file", tree: top("resources: [a.yaml]"), args: [".", "-o", "out.yaml"] },
  {
    name: "output to a folder",
    tree: `${top("resources: [a.yaml]")}## out/x\n`,
    args: [".", "-o", "out"],
  },
  {
    name: "output to a folder, of several namespaces",
    tree: `## a.yaml\n${cm("A", ", namespace: One")}---\n${cm("b")}---\n{apiVersion: v1, kind: Namespace, metadata: {name: n}}\n## out/x\n## kustomization.yaml\nresources: [a.yaml]\n`,
    args: [".", "-o", "out"],
  },
  { name: "output to nowhere", tree: top("resources: [a.yaml]"), args: [".", "-o", "no/out.yaml"] },
  {
    name: "a file outside",
    tree: `## out.yaml\n${cm("out")}## in/kustomization.yaml\nresources: [../out.yaml]\n`,
    args: ["in"],
  },
  {
    name: "a file outside that is allowed",
    tree: `## out.yaml\n${cm("out")}## in/kustomization.yaml\nresources: [../out.yaml]\n`,
    args: ["in", "--load-restrictor", "LoadRestrictionsNone"],
  },
  {
    name: "a symbolic link to the outside",
    tree: `## out.yaml\n${cm("out")}## in/link.yaml -> ../out.yaml\n## in/kustomization.yaml\nresources: [link.yaml]\n`,
    args: ["in"],
  },
  {
    name: "a symbolic link within",
    tree: `## in/real.yaml\n${cm("real")}## in/link.yaml -> real.yaml\n## in/kustomization.yaml\nresources: [link.yaml]\n`,
    args: ["in"],
  },
  {
    name: "a generator's file outside",
    tree: "## out.txt\nx\n## in/kustomization.yaml\nconfigMapGenerator: [{name: x, files: [../out.txt]}]\n",
    args: ["in"],
  },
  {
    name: "folders that include each other",
    tree: "## kustomization.yaml\nresources: [a]\n## a/kustomization.yaml\nresources: [../b]\n## b/kustomization.yaml\nresources: [../a]\n",
  },
  { name: "a folder that includes itself", tree: "## kustomization.yaml\nresources: [.]\n" },
  {
    name: "two kustomization files",
    tree: "## kustomization.yaml\nnamePrefix: a\n## kustomization.yml\nnamePrefix: a\n",
  },
  { name: "no kustomization file", tree: "## x.yaml\n{}\n" },
  { name: "a file for a folder", tree: "## x.yaml\n{}\n", args: ["x.yaml"] },
  {
    name: "objects only for tools",
    tree: `## a.yaml\n${cm("tool", ', annotations: {config.kubernetes.io/local-config: "true"}')}---\n${cm("kept", ', annotations: {config.kubernetes.io/local-config: "false"}')}## kustomization.yaml\nresources: [a.yaml]\n`,
  },
  {
    name: "a diamond with a prefix each",
    tree: `## base/a.yaml\n${cm("a")}## base/kustomization.yaml\nresources: [a.yaml]\n## l/kustomization.yaml\nresources: [../base]\nnamePrefix: l-\n## r/kustomization.yaml\nresources: [../base]\nnamePrefix: r-\n## kustomization.yaml\nresources: [l, r]\n`,
  },
  {
    name: "a diamond without",
    tree: `## base/a.yaml\n${cm("a")}## base/kustomization.yaml\nresources: [a.yaml]\n## l/kustomization.yaml\nresources: [../base]\n## r/kustomization.yaml\nresources: [../base]\n## kustomization.yaml\nresources: [l, r]\n`,
  },
];
