import type { Suite } from "../golden-case.ts";

const files = {
  "unknown.yaml":
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: unknown}\nfoo: bar\ndata: {a: b}\n",
  "duplicate.yaml":
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: duplicate}\ndata:\n  a: b\n  a: c\n",
  "deploy.yaml":
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  replica: 1\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: a, image: b, port: 80}]}\n",
  // kubectl checks a list, whatever the server does.
  "list.yaml": `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: a, foo: bar, labels: {a: null}}
  data: {a: 1, b: [x]}
- apiVersion: v1
  kind: Pod
  metadata: {name: p}
  spec: {containers: {name: x}, hostNetwork: maybe, terminationGracePeriodSeconds: x, priority: 1.5}
- kind: X
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: a}
  spec: {foo: 1, template: {spec: {containers: [{name: a, ports: [{containerPort: x}, null, 3]}]}}}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: b}
  spec: {foo: 1, replicas: true, selector: x, template: []}
- apiVersion: nothing.example.com/v1
  kind: Foo
  blah: 1
`,
  "good-list.yaml":
    "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: good}}\n",
  "empty-list.yaml": "apiVersion: v1\nkind: List\n",
  "no-kind-list.yaml":
    "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, metadata: {name: a}}\n",
  "no-version-list.yaml": "apiVersion: v1\nkind: List\nitems:\n- {kind: X}\n",
  "typed-list.yaml":
    "apiVersion: v1\nkind: ConfigMapList\nitems:\n- {metadata: {name: typed}, foo: bar}\n",
  // kubectl checks kinds that can't be patched, too.
  "review.yaml":
    "apiVersion: authorization.k8s.io/v1\nkind: SelfSubjectAccessReview\nfoo: bar\nspec: {resourceAttributes: {verb: get, resources: pods}}\n",
  "token.yaml":
    "apiVersion: authentication.k8s.io/v1\nkind: TokenReview\nspec: {token: [a], audiences: b}\n",
  "unknown-kind.yaml": "apiVersion: v1\nkind: Frob\nmetadata: {name: a}\n",
  "unknown-group.yaml":
    "apiVersion: nothing.example.com/v1\nkind: Foo\nmetadata: {name: a}\nfoo: bar\n",
  "types.yaml": "apiVersion: 3\nkind: [x]\n---\napiVersion: v1\nkind: ConfigMap\n",
  "slashes.yaml": "apiVersion: a/b/c\nkind: X\n",
  "null.yaml": "apiVersion: null\nkind: null\n",
  "array.yaml": "- apiVersion: v1\n- kind: Pod\n",
  "text.yaml": "just words\n",
  "version-only.yaml": "apiVersion: v1\n",
  "two.yaml":
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fine}\n---\nkind: ConfigMap\nmetadata: {name: bad}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: never}\n",
  "gadgets.yaml":
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: gadgets.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: gadgets, singular: gadget, kind: Gadget}\n  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}}\n",
  "gadget.yaml":
    "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g}\nspec: {size: 1, foo: 1}\n",
  "gadget-list.yaml":
    "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: example.com/v1, kind: Gadget, metadata: {name: h}, spec: {size: x, foo: 1}}\n",
};

/** Every mode of validation for each of these. */
const everyWay = ["unknown", "duplicate", "deploy", "list", "review", "unknown-group", "types"];
const directives = ["strict", "true", "warn", "ignore", "false"];

const strictly = [
  "good-list",
  "empty-list",
  "no-kind-list",
  "no-version-list",
  "typed-list",
  "token",
  "unknown-kind",
  "slashes",
  "null",
  "array",
  "text",
  "version-only",
  "two",
];

/** Scripts that change nothing on the second run, which ends an edit. */
const edit = (script: string): { KUBE_EDITOR: string } => ({ KUBE_EDITOR: `sed -i '${script}'` });

export const suite: Suite = {
  name: "validate",
  files,
  cases: [
    ...everyWay.flatMap((file) =>
      directives.map((way) => `kubectl create --dry-run=server --validate=${way} -f ${file}.yaml`),
    ),
    ...strictly.map((file) => `kubectl create --dry-run=server -f ${file}.yaml`),
    ...["no-kind-list", "no-version-list", "slashes", "array", "text"].map(
      (file) => `kubectl create --dry-run=server --validate=ignore -f ${file}.yaml`,
    ),
    "kubectl create --dry-run=client -f unknown.yaml",
    "kubectl create --dry-run=client -f list.yaml",
    "kubectl create --validate -f list.yaml",
    "kubectl create --validate=never -f unknown.yaml",
    "kubectl create --validate= -f unknown.yaml",
    "kubectl create configmap made --from-literal=a=b --validate=warn --dry-run=server",
    "kubectl create configmap made --from-literal=a=b --validate=never",
    "kubectl run web --image=web --validate=strict",
    "kubectl apply -f list.yaml",
    "kubectl apply -f unknown.yaml",
    "kubectl apply --server-side -f unknown.yaml",
    "kubectl apply --server-side -f review.yaml",
    "kubectl apply --validate=warn -f unknown.yaml",
    "kubectl apply -f two.yaml",
    "kubectl replace -f list.yaml",
    "kubectl replace -f unknown.yaml",
    "kubectl replace --validate=false --force --grace-period=0 -f unknown.yaml",
    "kubectl create -f review.yaml --context=alice",
    "kubectl create -f unknown.yaml --server=https://127.0.0.1:1",
    "kubectl create -f gadgets.yaml",
    "kubectl wait --for=condition=Established crd/gadgets.example.com",
    "kubectl create -f gadget.yaml",
    "kubectl create -f gadget.yaml --validate=warn",
    "kubectl create -f gadget-list.yaml",
    { command: "kubectl edit cm settings -n shop", env: edit("s/^kind:.*//") },
    { command: "kubectl edit cm settings -n shop", env: edit("s/^kind: .*/kind: : x/") },
    {
      command: "kubectl edit cm/settings pod/two -n shop",
      env: edit("/foo: bar/d;s/^    name: settings/&\\n    foo: bar/"),
    },
    {
      command: "kubectl edit cm/settings -n shop --validate=false",
      env: edit("s/^kind:.*//"),
    },
  ],
};
