import type { Suite } from "../golden-case.ts";

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {tier: front}
spec:
  replicas: 1
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      serviceAccountName: runner
      initContainers:
      - name: init
        image: busybox:1.36
      containers:
      - name: main
        image: nginx:1.25
        ports:
        - containerPort: 80
        - containerPort: 443
        env:
        - name: COLOR
          value: red
        - name: SIZE
          valueFrom: {configMapKeyRef: {name: settings, key: size}}
        envFrom:
        - secretRef: {name: login}
      volumes:
      - name: conf
        configMap: {name: settings}
`;
const service = `apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector: {app: web}
  ports:
  - port: 80
`;
const account = `apiVersion: v1
kind: ServiceAccount
metadata:
  name: runner
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: reader
rules:
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [settings]
  verbs: [get]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: readers
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects:
- {kind: ServiceAccount, name: runner, namespace: default}
- {kind: ServiceAccount, name: default, namespace: default}
---
apiVersion: v1
kind: Namespace
metadata:
  name: old
`;
const others = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: entry}
spec:
  rules:
  - http:
      paths:
      - path: /
        pathType: Prefix
        backend: {service: {name: web, port: {number: 80}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  maxReplicas: 3
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: job, image: "busybox@sha256:abc", envFrom: [{configMapRef: {name: settings}}]}]
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: gadget}
spec:
  parts: [{name: a, size: 1}, {name: b, size: 2}]
  containers: [{image: nginx}]
  settingsName: settings
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: web
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: postgres}]}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {storageClassName: fast}}]
`;
const base = `resources:
- deployment.yaml
- service.yaml
- account.yaml
configMapGenerator:
- name: settings
  literals: [size=10, "quoted='yes'"]
  files: [app.conf, renamed.conf=app.conf]
  envs: [vars.env]
secretGenerator:
- name: login
  type: kubernetes.io/basic-auth
  literals: [username=admin, password=s3cret=]
`;
const files = (...entries: [string, string][]): Record<string, string> =>
  Object.fromEntries(entries.map(([folder, text]) => [`${folder}/kustomization.yaml`, text]));
const onBase = (text: string): string => `resources: [../base]\n${text}`;
const onAll = (text: string): string => `resources: [../all]\n${text}`;

/**
 * Objects in another namespace than the command line's: read first by commands that change them, else refused at once.
 */
const namespaces = [
  "kubectl get -k small -n default",
  "kubectl get -k small -n default -A -o name",
  "kubectl label -k small -n default a=b",
  "kubectl patch -k small -n default -p {}",
  "kubectl describe -k small -n default",
  "kubectl describe -k small -n default -A",
  "kubectl apply -k small -n default",
  "kubectl delete -k small -n default",
];

export const suite: Suite = {
  name: "kustomize",
  files: {
    "base/deployment.yaml": deployment,
    "base/service.yaml": service,
    "base/account.yaml": account,
    "base/app.conf": "a = 1\nb = <2>\n",
    "base/vars.env": "# comment\nHOST=example.com\n\nEMPTY=\n",
    "all/others.yaml": others,
    "strategic/patch.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 5
  template:
    spec:
      containers:
      - name: sidecar
        image: envoy
      - name: main
        ports: [{containerPort: 8080}]
        env: [{name: EXTRA, value: "1"}, {name: COLOR, $patch: delete}]
      volumes:
      - $patch: replace
      - {name: tmp, emptyDir: {}}
`,
    "files/patch.json": '[{"op": "replace", "path": "/spec/replicas", "value": 7}]',
    "component/part/kustomization.yaml":
      "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: part-\nconfigMapGenerator:\n- {name: extra, literals: [a=b]}\n",
    "configured/names.yaml":
      "nameReference:\n- kind: ConfigMap\n  fieldSpecs:\n  - {path: spec/settingsName, kind: Widget}\ncommonLabels:\n- {path: spec/labels, create: true, kind: Widget}\n",
    "bad/kustomization.yaml": "resourcez: []\n",
    "empty/kustomization.yaml": "kind: Kustomization\n",
    "nothing/readme.txt": "",
    "broken/kustomization.yaml": "resources: [nowhere.yaml]\n",
    "twice/kustomization.yaml": "resources: [../base/service.yaml]\n",
    ...files(
      ["base", base],
      ["all", "resources: [../base, others.yaml]\n"],
      ["names", onAll("namePrefix: dev-\nnameSuffix: -v2\n")],
      ["namespace", onAll("namespace: shop\n")],
      ["both", onAll("namespace: shop\nnamePrefix: dev-\n")],
      ["labels", onAll("commonLabels: {team: blue}\ncommonAnnotations: {note: hello}\n")],
      [
        "labels2",
        onAll("labels:\n- pairs: {team: blue}\n- pairs: {env: dev}\n  includeTemplates: true\n"),
      ],
      [
        "labels3",
        onAll(
          "labels:\n- pairs: {team: blue}\n  includeSelectors: true\n  fields:\n  - {path: spec/labels, kind: Widget, create: true}\n",
        ),
      ],
      [
        "images",
        onAll(
          "images:\n- {name: nginx, newTag: '1.27'}\n- {name: busybox, newName: example.com/box}\n- {name: postgres, digest: 'sha256:fee'}\nreplicas:\n- {name: web, count: 4}\n",
        ),
      ],
      ["strategic", onBase("patches:\n- path: patch.yaml\n")],
      [
        "oldstyle",
        onBase(
          "patchesStrategicMerge:\n- |-\n  apiVersion: v1\n  kind: Service\n  metadata: {name: web}\n  spec: {type: NodePort}\npatchesJson6902:\n- target: {version: v1, kind: Service, name: web}\n  patch: |-\n    - op: add\n      path: /spec/ports/-\n      value: {port: 443}\n",
        ),
      ],
      ["files", onBase("patches:\n- path: patch.json\n  target: {kind: Deployment}\n")],
      [
        "targets",
        onAll(
          'patches:\n- target: {kind: Deployment|StatefulSet}\n  patch: |-\n    - {op: add, path: /metadata/annotations, value: {patched: \'yes\'}}\n- target: {labelSelector: tier=front}\n  patch: |-\n    apiVersion: v1\n    kind: Any\n    metadata: {name: any, labels: {seen: \'true\'}}\n- target: {name: w.*, group: example.com}\n  patch: \'[{"op": "remove", "path": "/spec"}]\'\n- target: {kind: Widget}\n  patch: |-\n    kind: Widget\n    metadata: {name: gadget}\n    spec: {parts: [{name: c}]}\n',
        ),
      ],
      [
        "delete",
        onBase(
          "patches:\n- patch: |-\n    $patch: delete\n    apiVersion: v1\n    kind: Service\n    metadata: {name: web}\n",
        ),
      ],
      [
        "rename",
        onBase(
          "patches:\n- target: {kind: ServiceAccount}\n  options: {allowNameChange: true}\n  patch: |-\n    kind: ServiceAccount\n    metadata: {name: walker}\n",
        ),
      ],
      [
        "merge",
        onBase(
          "namePrefix: x-\nconfigMapGenerator:\n- name: settings\n  behavior: merge\n  literals: [size=20, more=1]\nsecretGenerator:\n- name: login\n  behavior: replace\n  literals: [token=abc]\n",
        ),
      ],
      [
        "options",
        onBase(
          "generatorOptions:\n  labels: {made: 'yes'}\n  annotations: {by: hand}\n  immutable: true\nconfigMapGenerator:\n- name: plain\n  literals: [a=b]\n  options: {disableNameSuffixHash: true, labels: {own: '1'}}\n- name: hashed\n  namespace: shop\n  literals: [a=b]\n",
        ),
      ],
      ["legacy", onAll("sortOptions: {order: fifo}\n")],
      ["component", onBase("components: [part]\nnameSuffix: -z\n")],
      ["configured", onAll("configurations: [names.yaml]\nnamePrefix: c-\ncommonLabels: {a: b}\n")],
      [
        "replace",
        onBase(
          "replacements:\n- source: {kind: Deployment, name: web, fieldPath: 'spec.template.spec.containers.[name=main].image', options: {delimiter: ':', index: 0}}\n  targets:\n  - select: {kind: Service}\n    fieldPaths: [metadata.labels.version]\n    options: {create: true}\n- source: {kind: Service, name: web}\n  targets:\n  - select: {kind: Deployment}\n    fieldPaths: ['spec.template.spec.containers.*.env.[name=COLOR].value']\n- source: {kind: ConfigMap, name: settings, fieldPath: data.size}\n  targets:\n  - select: {kind: Deployment}\n    fieldPaths: [spec.replicas]\n  - select: {kind: Deployment}\n    fieldPaths: [spec.template.spec.initContainers.0.image]\n    options: {delimiter: ':', index: 1}\n",
        ),
      ],
      [
        "replacenone",
        onBase(
          "replacements:\n- source: {kind: Pod, name: x}\n  targets:\n  - select: {kind: Service}\n    fieldPaths: [metadata.labels.version]\n",
        ),
      ],
      [
        "replacefield",
        onBase(
          "replacements:\n- source: {kind: Service, name: web}\n  targets:\n  - select: {kind: Service}\n    fieldPaths: [metadata.labels.version]\n",
        ),
      ],
      [
        "nomatch",
        onBase(
          "patches:\n- patch: |-\n    apiVersion: v1\n    kind: Service\n    metadata: {name: other}\n",
        ),
      ],
      ["notarget", onBase('patches:\n- patch: \'[{"op": "remove", "path": "/spec"}]\'\n')],
      ["nofile", onBase("patches:\n- path: none.yaml\n")],
      ["nobase", "resources: [../missing]\n"],
      ["cycle", "resources: [../cycle]\n"],
      ["conflict", "resources: [../base, ../names]\n"],
      ["nokv", "configMapGenerator:\n- {name: s, files: [none.txt]}\n"],
      ["badliteral", "configMapGenerator:\n- {name: s, literals: [ab]}\n"],
      ["badkind", "kind: Other\nresources: [../base]\n"],
      [
        "small",
        "namespace: shop\nconfigMapGenerator:\n- {name: from-kustomize, literals: [a=b]}\n",
      ],
    ),
  },
  cases: [
    ..."base all names namespace both labels labels2 labels3 images strategic oldstyle files targets delete rename merge options legacy component configured replace replacenone replacefield nomatch notarget nofile nobase cycle conflict nokv badliteral badkind bad empty nothing broken twice absent"
      .split(" ")
      .map((folder) => `kubectl kustomize ${folder}`),
    "kubectl kustomize",
    "kubectl kustomize base names",
    "kubectl kustomize twice --load-restrictor=LoadRestrictionsNone",
    "kubectl kustomize twice --load-restrictor=foo",
    "kubectl kustomize base/service.yaml",
    { command: "kubectl kustomize --help", only: "usage" },
    "kubectl apply -k small",
    "kubectl get -k small -o name",
    ...namespaces,
    "kubectl delete -k small",
    ...namespaces,
    "kubectl apply -k absent",
    "kubectl apply -k small -f base/service.yaml",
  ],
};
