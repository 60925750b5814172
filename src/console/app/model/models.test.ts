import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatAge } from "./age.ts";
import { partsOf } from "./ansi.ts";
import { fieldIs, pluralTitle, resourcePath, resourcesOf } from "./api-resource.ts";
import { chooseLanguage } from "./choose-language.ts";
import { diffLines } from "./diff-lines.ts";
import { changedFields } from "./field-owners.ts";
import { type Step, stepsFromStatus, timelineOf } from "./journey.ts";
import { kindSections } from "./kind-sections.ts";
import { layerTone, lessonFiles, recipePod, recipes } from "./lessons.ts";
import { mergeByTime, parseLogLine } from "./log-lines.ts";
import { layoutMap } from "./map-layout.ts";
import { fitMap, zoomAt } from "./map-view.ts";
import { fittingChoices } from "./match-words.ts";
import { podSelectorOf, referencesOf } from "./related.ts";
import { formatRoute, objectRoute, parseRoute } from "./route.ts";
import { permits } from "./rules.ts";
import { attemptsOf, matrixOf } from "./scheduling.ts";
import { summaryOf } from "./summary.ts";
import { matchesWords, rowsOf, sortRows, wordsOf } from "./table.ts";
import { toneOf, toneOfCount } from "./tone.ts";
import { podsByNode, troublesOf, withDiagnoses } from "./troubles.ts";
import { scrollToRow, visibleRows } from "./visible-rows.ts";
import { yamlParts } from "./yaml-parts.ts";

function check<In, Out>(
  name: string,
  of: (given: In) => Out,
  cases: readonly (readonly [In, Out])[],
) {
  for (const [given, expected] of cases) {
    test(`${name}(${JSON.stringify(given)})`, () => assert.deepEqual(of(given), expected));
  }
}

check("formatAge", formatAge, [
  [-5, "0s"],
  [90_000, "90s"],
  [121_000, "2m"],
  [3 * 3_600_000, "3h"],
  [50 * 86_400_000, "50d"],
  [800 * 86_400_000, "2y"],
]);

check("chooseLanguage", chooseLanguage, [
  [["de-DE", "zh-Hant-HK", "en"], "zh-TW"],
  [["zh-TW"], "zh-TW"],
  [["zh"], "zh-CN"],
  [["zh-Hans-SG"], "zh-CN"],
  [["fr", "en-GB", "zh-CN"], "en"],
  [[], "en"],
]);

check("parseRoute", parseRoute, [
  ["#/list/pods?ns=a&q=x%20y", { path: ["list", "pods"], query: { ns: "a", q: "x y" } }],
  ["#/object/pods/a/b%2Fc", { path: ["object", "pods", "a", "b/c"], query: {} }],
  ["", { path: [], query: {} }],
  ["#/a/%E0%A4%A", { path: ["a", "%E0%A4%A"], query: {} }],
]);

test("formatRoute() escapes names and leaves out what is empty", () => {
  assert.equal(
    formatRoute(["list", "a/b"], { q: "", ns: undefined, l: "x=y" }),
    "#/list/a%2Fb?l=x%3Dy",
  );
  assert.equal(objectRoute("nodes", { name: "n1" }, "yaml"), "#/object/nodes/-/n1/yaml");
});

check("pluralTitle", pluralTitle, [
  [{ kind: "NetworkPolicy", resource: "networkpolicies" }, "NetworkPolicies"],
  [{ kind: "Pod", resource: "pods" }, "Pods"],
  [{ kind: "Endpoints", resource: "endpoints" }, "Endpoints"],
  [{ kind: "IngressClass", resource: "ingressclasses" }, "IngressClasses"],
]);

const entry = (resource: string, kind: string, scope = "Namespaced") => ({
  resource,
  responseKind: { kind },
  scope,
  verbs: ["list", "get"],
});
const known = resourcesOf({
  items: [
    {
      versions: [
        { version: "v1", resources: [entry("pods", "Pod"), entry("nodes", "Node", "Cluster")] },
      ],
    },
    {
      metadata: { name: "stable.example.com" },
      versions: [
        { version: "v2", resources: [entry("crontabs", "CronTab")] },
        { version: "v1", resources: [entry("crontabs", "CronTab")] },
      ],
    },
  ],
});

test("resourcesOf() takes each kind in the version that the server prefers", () => {
  const paths = known.map((resource) => resourcePath(resource, "a", "x"));
  assert.deepEqual(paths, [
    "/api/v1/namespaces/a/pods/x",
    "/api/v1/nodes/x",
    "/apis/stable.example.com/v2/namespaces/a/crontabs/x",
  ]);
});

test("kindSections() has extensions, and no kind that may not be listed", () => {
  const sections = kindSections(known, ({ resource }) => resource !== "nodes");
  assert.deepEqual(
    sections.map(({ section, kinds }) => [section, kinds.map(({ kind }) => kind)]),
    [
      ["workloads", ["Pod"]],
      ["custom", ["CronTab"]],
    ],
  );
});

test("permits() reads rules with wildcards, subresources and names", () => {
  const rules = {
    isIncomplete: false,
    rules: [
      { verbs: ["get", "list"], apiGroups: [""], resources: ["pods", "pods/log"] },
      { verbs: ["*"], apiGroups: ["apps"], resources: ["*"] },
      { verbs: ["patch"], apiGroups: ["*"], resources: ["*/scale"] },
      { verbs: ["delete"], apiGroups: [""], resources: ["secrets"], resourceNames: ["one"] },
    ],
  };
  const may = (verb: string, group: string, resource: string) =>
    permits(rules, { verb, group, resource });
  assert.equal(may("list", "", "pods"), true);
  assert.equal(may("delete", "", "pods"), false);
  assert.equal(may("get", "", "pods/log"), true);
  assert.equal(may("watch", "apps", "deployments"), true);
  assert.equal(may("patch", "batch", "jobs/scale"), true);
  assert.equal(may("delete", "", "secrets"), false);
  assert.equal(
    permits({ ...rules, isIncomplete: true }, { verb: "x", group: "y", resource: "z" }),
    true,
  );
});

const row = (name: string, cells: readonly unknown[], labels = {}) => ({
  cells: [name, ...cells],
  object: { metadata: { name, namespace: "a", uid: name, labels } },
});

test("rows are found by cells, labels and namespace, and sorted as ages, numbers and texts", () => {
  const rows = rowsOf({
    metadata: {},
    rows: [
      row("b", ["3m", 10, null]),
      row("c", ["2h5m", 9, { x: 1 }], { app: "Web" }),
      row("a", ["50s", 100, ""]),
    ],
  });
  const sorted = (by: number, descending = false) =>
    sortRows(rows, { by, descending })
      .map(({ name }) => name)
      .join("");
  assert.deepEqual(
    [sorted(0), sorted(1), sorted(2), sorted(2, true)],
    ["abc", "abc", "cba", "abc"],
  );
  const found = (filter: string) =>
    rows
      .filter((one) => matchesWords(one, wordsOf(filter)))
      .map(({ name }) => name)
      .join("");
  assert.deepEqual([found("app=web"), found("-2h5m A"), found("nothing")], ["c", "ba", ""]);
  assert.deepEqual(rows[1]?.cells, ["c", "2h5m", "9", '{"x":1}']);
});

check("toneOf", toneOf, [
  ["Running", "good"],
  ["CrashLoopBackOff", "bad"],
  ["ContainerCreating", "busy"],
  ["Init:0/1", "busy"],
  ["NodeAffinity", "idle"],
]);
check("toneOfCount", toneOfCount, [
  ["3/3", "good"],
  ["1/3", "busy"],
  ["0/0", "idle"],
  ["x", undefined],
]);

check("visibleRows", visibleRows, [
  [
    { count: 10_000, rowHeight: 36, scrollTop: 0, height: 720 },
    { from: 0, to: 28 },
  ],
  [
    { count: 10_000, rowHeight: 36, scrollTop: 36_000, height: 720 },
    { from: 992, to: 1028 },
  ],
  [
    { count: 5, rowHeight: 36, scrollTop: 36_000, height: 720 },
    { from: 0, to: 5 },
  ],
  [
    { count: 0, rowHeight: 36, scrollTop: 0, height: 0 },
    { from: 0, to: 0 },
  ],
]);

test("scrollToRow() moves only as far as is needed", () => {
  const view = { rowHeight: 10, scrollTop: 100, height: 50 };
  assert.deepEqual(
    [5, 12, 15].map((index) => scrollToRow(index, view)),
    [50, undefined, 110],
  );
});

test("diffLines() shows changes with some lines around them", () => {
  const before = ["a", "b", "c", "d", "e", "f", "g"].join("\n");
  const after = ["a", "b", "c", "d", "x", "f", "g"].join("\n");
  const lines = diffLines(before, after, 1).map(({ kind, text }) => `${kind} ${text}`);
  assert.deepEqual(lines, ["skipped ⋯", "same d", "removed e", "added x", "same f", "skipped ⋯"]);
});

test("changedFields() finds the owners of fields, also inside of lists", () => {
  const before = {
    metadata: { generation: 1 },
    spec: { replicas: 2, containers: [{ name: "main", image: "a" }], finalizers: ["x", "y"] },
  };
  const after = {
    metadata: { generation: 2 },
    spec: { replicas: 3, containers: [{ name: "main", image: "b" }], finalizers: ["x", "z"] },
  };
  const managed = [
    { manager: "hpa", fieldsV1: { "f:spec": { "f:replicas": {} } } },
    {
      manager: "kubectl",
      fieldsV1: {
        "f:spec": {
          "f:containers": { 'k:{"name":"main"}': { "f:image": {} } },
          "f:finalizers": { 'v:"y"': {} },
        },
      },
    },
  ];
  assert.deepEqual(changedFields(before, after, managed), [
    { path: ".spec.replicas", owners: ["hpa"] },
    { path: ".spec.containers[0].image", owners: ["kubectl"] },
    { path: ".spec.finalizers[1]", owners: ["kubectl"] },
  ]);
});

check("partsOf", partsOf, [
  ["plain", [{ text: "plain", look: "" }]],
  [
    "a\u001b[31mb\u001b[0mc\u0007",
    [
      { text: "a", look: "" },
      { text: "b", look: "ansi-red" },
      { text: "c", look: "" },
    ],
  ],
  [
    "\u001b[1;92mx\u001b[39my",
    [
      { text: "x", look: "ansi-bold ansi-green" },
      { text: "y", look: "ansi-bold" },
    ],
  ],
  ["\u001b[2Jz", [{ text: "z", look: "" }]],
]);

test("mergeByTime() puts events between the lines of a log", () => {
  const lines = ["2026-01-01T00:00:01Z one", "2026-01-01T00:00:03.5Z three"].map((line) =>
    parseLogLine(line, "main"),
  );
  const event = {
    ms: Date.parse("2026-01-01T00:00:02Z"),
    text: "two",
    source: "BackOff",
    kind: "warning" as const,
  };
  assert.deepEqual(
    mergeByTime(lines, [event]).map(({ text }) => text),
    ["one", "two", "three"],
  );
  assert.deepEqual(parseLogLine("no time", "main"), {
    ms: 0,
    text: "no time",
    source: "main",
    kind: "log",
  });
});

test("fittingChoices() prefers the begin of names", () => {
  const choices = ["Endpoints", "Pods", "PodTemplates", "Jobs"].map((label) => ({ label }));
  assert.deepEqual(
    fittingChoices(choices, "pod", 5).map(({ label }) => label),
    ["Pods", "PodTemplates"],
  );
  assert.deepEqual(
    fittingChoices(choices, "end po", 5).map(({ label }) => label),
    ["Endpoints"],
  );
});

const pod = {
  metadata: {
    name: "p",
    namespace: "a",
    ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", uid: "1" }],
  },
  spec: {
    nodeName: "n1",
    serviceAccountName: "sa",
    volumes: [{ configMap: { name: "cm" } }, { persistentVolumeClaim: { claimName: "data" } }],
    containers: [
      { name: "main", envFrom: [{ secretRef: { name: "s" } }, { configMapRef: { name: "cm" } }] },
    ],
  },
};

test("referencesOf() names what a Pod uses, each once", () => {
  const found = referencesOf(pod).map(
    ({ role, kind, namespace, name }) => `${role} ${kind} ${namespace ?? "-"} ${name}`,
  );
  assert.deepEqual(found, [
    "owner ReplicaSet a rs",
    "node Node - n1",
    "account ServiceAccount a sa",
    "uses ConfigMap a cm",
    "uses PersistentVolumeClaim a data",
    "uses Secret a s",
  ]);
});

test("podSelectorOf() reads both forms of selectors", () => {
  const of = (selector: unknown) => podSelectorOf({ metadata: { name: "x" }, spec: { selector } });
  assert.equal(of({ app: "web", tier: "a" }), "app=web,tier=a");
  assert.equal(of({ matchLabels: { app: "web" } }), "app=web");
  assert.equal(of({ matchExpressions: [{ key: "a", operator: "Exists" }] }), undefined);
  assert.equal(of(undefined), undefined);
});

check(
  "summaryOf",
  (status: object) => summaryOf({ metadata: { name: "x" }, spec: {}, status })?.text,
  [
    [{ phase: "Running" }, "Running"],
    [
      { phase: "Pending", containerStatuses: [{ state: { waiting: { reason: "ErrImagePull" } } }] },
      "ErrImagePull",
    ],
    [{ conditions: [{ type: "Ready", status: "False" }] }, "NotReady"],
    [{}, undefined],
  ],
);

test("troublesOf() is patient with Pods that start, and not with those that fail", () => {
  const columns = ["Name", "Ready", "Status", "Node"].map((name) => ({ name, type: "string" }));
  const of = (name: string, ready: string, status: string, age: number) => ({
    cells: [name, ready, status, "n1"],
    object: {
      metadata: { name, uid: name, creationTimestamp: new Date(1e12 - age).toISOString() },
    },
  });
  const rows = rowsOf({
    metadata: {},
    rows: [
      of("fine", "1/1", "Running", 1e6),
      of("new", "0/1", "ContainerCreating", 1000),
      of("old", "0/1", "Pending", 1e6),
      of("bad", "0/1", "ErrImagePull", 1000),
      of("unready", "0/1", "Running", 2e6),
      of("done", "0/1", "Completed", 2e6),
    ],
  });
  const found = troublesOf(columns, rows, 1e12).map(
    ({ name, status, tone }) => `${name} ${status} ${tone}`,
  );
  assert.deepEqual(found, ["bad ErrImagePull bad", "old Pending busy", "unready Ready 0/1 busy"]);
  assert.deepEqual([...podsByNode(columns, rows)], [["n1", 6]]);
});

test("yamlParts() loses no letter", () => {
  const lines = [
    "a: 1",
    "  - name: x",
    '"a b": "c: d"',
    "- - 5",
    "k: |",
    "text with: colon",
    "",
    "# note",
    "url: http://x:1/y#z",
  ];
  for (const line of lines)
    assert.equal(
      yamlParts(line)
        .map(({ text }) => text)
        .join(""),
      line,
    );
  assert.deepEqual(
    yamlParts("  - name: x").map(({ look }) => look),
    ["mark", "key", "mark", "text"],
  );
});

test("withDiagnoses() adds sentences, and what no list shows", () => {
  const trouble = {
    id: "1",
    key: "pods",
    namespace: "a",
    name: "p",
    status: "Pending",
    tone: "busy" as const,
    createdMs: 5,
  };
  const subject = { group: "", resource: "pods", kind: "Pod", namespace: "a", name: "p" };
  const claim = {
    group: "",
    resource: "persistentvolumeclaims",
    kind: "PersistentVolumeClaim",
    namespace: "a",
    name: "data",
  };
  const found = withDiagnoses(
    [trouble],
    [
      { subject, sentence: "one", findings: [] },
      { subject: claim, sentence: "two", findings: [{ since: "2026-01-01T00:00:00Z" }] },
    ],
  );
  assert.deepEqual(
    found.map(({ key, name, sentence }) => `${key} ${name} ${sentence}`),
    ["persistentvolumeclaims data two", "pods p one"],
  );
});

const step = (layer: Step["layer"], name: string, from: number, to?: number): Step => ({
  layer,
  name,
  from: new Date(1e12 + from).toISOString(),
  ...(to === undefined ? {} : { to: new Date(1e12 + to).toISOString() }),
  outcome: "ok",
});

test("timelineOf() ends soon after the object was ready", () => {
  const steps = [
    step("node", "sandbox", 100, 300),
    step("client", "request", 0, 10),
    step("readiness", "ready", 800, 800),
    step("node", "exit", 9000, 9000),
  ];
  const { durationMs, later, readyMs, steps: placed } = timelineOf(steps, 1e12 + 10_000);
  assert.deepEqual([durationMs, later, readyMs], [1000, 1, 800]);
  assert.deepEqual(
    placed.map(({ step: { name }, left, width }) => [name, left, width]),
    [
      ["request", 0, 0.01],
      ["sandbox", 0.1, 0.2],
      ["ready", 0.8, 0],
    ],
  );
  assert.equal(timelineOf(steps, 1e12 + 10_000, true).durationMs, 9000);
  const open = timelineOf([step("scheduling", "queue", 0)], 1e12 + 500);
  assert.deepEqual(
    [open.steps[0]?.isOpen, open.steps[0]?.durationMs, open.readyMs],
    [true, 500, undefined],
  );
  assert.deepEqual(timelineOf([], 0).steps, []);
});

test("timelineOf() reads microseconds", () => {
  const at = (fraction: string) => `2026-01-01T00:00:00.${fraction}Z`;
  const { steps } = timelineOf(
    [{ layer: "store", name: "commit", from: at("000250"), to: at("001000"), outcome: "ok" }],
    0,
  );
  assert.equal(steps[0]?.durationMs.toFixed(2), "0.75");
});

test("stepsFromStatus() takes the steps of a Pod from conditions and events", () => {
  const object = {
    metadata: { name: "p", creationTimestamp: "2026-01-01T00:00:00Z" },
    status: {
      startTime: "2026-01-01T00:00:01Z",
      conditions: [
        { type: "PodScheduled", status: "True", lastTransitionTime: "2026-01-01T00:00:01Z" },
        {
          type: "Ready",
          status: "False",
          reason: "ContainersNotReady",
          lastTransitionTime: "2026-01-01T00:00:01Z",
        },
      ],
    },
  };
  const event = {
    id: "e",
    isWarning: true,
    reason: "Failed",
    message: "no image",
    source: "kubelet",
    count: 1,
    lastMs: 1e12,
    kind: "Pod",
    group: "",
    namespace: "a",
    name: "p",
  };
  const found = stepsFromStatus(object, [event]).map(
    ({ layer, name, outcome }) => `${layer} ${name} ${outcome}`,
  );
  assert.deepEqual(found, [
    "store commit ok",
    "node accept ok",
    "scheduling PodScheduled ok",
    "readiness ready waiting",
    "node Failed failed",
  ]);
});

test("matrixOf() shows refusals and scores by plugin and node", () => {
  const facts = {
    statuses: { NodeResourcesFit: { reason: "Insufficient cpu", nodes: ["n1", "n2"], count: 7 } },
    scores: [{ node: "n3", total: 150, plugins: { ImageLocality: 50, NodeAffinity: 100 } }],
  };
  const steps = [
    step("scheduling", "queue", 0, 1),
    { ...step("scheduling", "attempt", 1, 2), facts },
  ];
  const [attempt] = attemptsOf(steps);
  assert.ok(attempt);
  assert.deepEqual(matrixOf(attempt), {
    nodes: ["n3", "n1", "n2"],
    others: true,
    rows: [
      {
        plugin: "NodeResourcesFit",
        reason: "Insufficient cpu",
        cells: [undefined, "refused", "refused"],
        otherCount: 5,
      },
      { plugin: "ImageLocality", reason: "", cells: [50, undefined, undefined], otherCount: 0 },
      { plugin: "NodeAffinity", reason: "", cells: [100, undefined, undefined], otherCount: 0 },
      { plugin: "Σ", reason: "", cells: [150, undefined, undefined], otherCount: 0 },
    ],
  });
});

test("layoutMap() puts what belongs together beside each other", () => {
  const object = (name: string, more: object = {}, spec: object = {}) => ({
    metadata: { name, namespace: "a", uid: name, ...more },
    spec,
  });
  const owned = (owner: string) => ({
    ownerReferences: [{ apiVersion: "v1", kind: "X", name: owner, uid: owner }],
  });
  const { boxes, edges } = layoutMap([
    {
      key: "ingresses.networking.k8s.io",
      kind: "Ingress",
      objects: [
        object(
          "i",
          {},
          { rules: [{ http: { paths: [{ backend: { service: { name: "s" } } }] } }] },
        ),
      ],
    },
    { key: "services", kind: "Service", objects: [object("s", {}, { selector: { app: "x" } })] },
    { key: "deployments.apps", kind: "Deployment", objects: [object("d")] },
    { key: "replicasets.apps", kind: "ReplicaSet", objects: [object("r", owned("d"))] },
    {
      key: "pods",
      kind: "Pod",
      objects: [object("lonely"), object("p", { ...owned("r"), labels: { app: "x" } })],
    },
  ]);
  const lines = edges.map(({ from, to }) => `${boxes[from]?.name}-${boxes[to]?.name}`).sort();
  assert.deepEqual(lines, ["d-r", "i-s", "r-p", "s-p"]);
  const at = (name: string) => boxes.find((box) => box.name === name);
  assert.equal(at("p")?.y, at("i")?.y);
  assert.ok((at("lonely")?.y ?? 0) > (at("p")?.y ?? 0));
  assert.ok((at("p")?.x ?? 0) > (at("d")?.x ?? 0));
});

test("zoomAt() keeps the point under the pointer, fitMap() shows everything", () => {
  const view = zoomAt({ x: 100, y: 50, scale: 1 }, 2, { x: 40, y: 20 });
  assert.deepEqual(view, { scale: 2, x: 120, y: 60 });
  assert.equal(zoomAt(view, 1000, { x: 0, y: 0 }).scale, 2.5);
  assert.deepEqual(fitMap({ width: 10_000, height: 100 }, { width: 1048, height: 600 }).scale, 0.1);
});

test("each layer's lesson names files that exist", () => {
  for (const file of Object.values(lessonFiles).flat()) {
    assert.ok(existsSync(join(import.meta.dirname, "../../../..", file)), file);
  }
  assert.deepEqual(
    recipes
      .flatMap((recipe) => Object.keys(recipePod(recipe, "r.example:5000/a:1")))
      .includes("spec"),
    true,
  );
  assert.deepEqual(
    [layerTone([]), layerTone([step("node", "x", 0)]), layerTone([step("node", "x", 0, 1)])],
    ["idle", "busy", "good"],
  );
});

test("fieldIs() escapes what separates terms", () => {
  assert.equal(fieldIs("metadata.name", "a=b,c\\d"), "metadata.name=a\\=b\\,c\\\\d");
});
