import type { Suite } from "../golden-case.ts";

/** Long ago, so that the width of their age never changes. */
const happened = `apiVersion: v1
kind: Event
metadata: {name: web-1.pulled, namespace: shop}
involvedObject: {kind: Pod, name: web-1, namespace: shop, apiVersion: v1}
reason: Pulled
message: "  Image is there\\nalready  "
type: Normal
count: 3
firstTimestamp: "2000-01-01T00:00:00Z"
lastTimestamp: "2000-01-03T00:00:00Z"
---
apiVersion: v1
kind: Event
metadata: {name: web-1.failed, namespace: shop}
involvedObject: {kind: Pod, name: web-1, namespace: shop, apiVersion: v1}
reason: BackOff
message: "\\e[31mBack-off\\e[0m"
type: Warning
count: 1
firstTimestamp: "2000-01-02T00:00:00Z"
lastTimestamp: "2000-01-02T00:00:00Z"
---
apiVersion: v1
kind: Event
metadata: {name: web.scaled, namespace: shop}
involvedObject: {kind: Deployment, name: web, namespace: shop, apiVersion: apps/v1}
reason: Scaled
message: many
type: Normal
eventTime: "2000-02-01T00:00:00.000001Z"
series: {count: 5, lastObservedTime: "2000-03-01T00:00:00.000000Z"}
reportingComponent: ctl
reportingInstance: x
action: Scaling
---
apiVersion: v1
kind: Event
metadata: {name: node-1.odd, namespace: default}
involvedObject: {kind: Node, name: node-1}
reason: Odd
message: nobody knows when
type: Odd
---
apiVersion: v1
kind: Event
metadata: {name: node-1.other, namespace: default}
involvedObject: {kind: Node, name: node-1, apiVersion: v1}
reason: Other
message: first only
firstTimestamp: "2000-01-01T00:00:00Z"
`;

const shop = [
  "",
  " --types=Warning",
  " --types=warning,NORMAL",
  " --types Normal --types Warning",
  " --no-headers",
  " --for pod/web-1",
  " --for=Pod/web-1 --types=Warning",
  " --for po/nobody",
  " --for deployments.apps/web",
  " --for deployment.v1.apps/web",
  " --for pod/",
  " --chunk-size=2",
  " -o json",
  " -o yaml",
  " -o name",
  " -o jsonpath='{.items[*].reason}'",
  " -o go-template='{{range .items}}{{.metadata.name}} {{end}}'",
  " -o yaml --for deploy/web",
  " -o json --types=Odd",
  " extra arguments",
];

const elsewhere = [
  "kubectl events",
  "kubectl events -n empty",
  "kubectl events -n nowhere -o json",
  "kubectl events -A",
  "kubectl events -A --no-headers --types=Normal",
  "kubectl events -A -n shop --for node/node-1",
  "kubectl events -A --types=Warning --for deployment/web",
  "kubectl --context=alice events",
];

const mistakes = [
  "--types=Frob",
  "--types=Normal,",
  "--for web-1",
  "--for pod/web-1/app",
  "--for /web-1",
  "--for frob/web-1",
  "--for frobs.v1.apps/web",
  "--for Frob.apps/web",
  "-o wide",
  "-o custom-columns=A:.reason",
  "-o jsonpath='{.items[}'",
  "--watch=perhaps",
  "--for",
  "--frobnicate",
];

export const suite: Suite = {
  name: "events",
  files: { "happened.yaml": happened },
  cases: [
    "kubectl create -f happened.yaml",
    // Its time is in this year.
    "kubectl delete event web-1.started -n shop",
    { command: "kubectl events --help", only: "usage" },
    ...shop.map((rest) => `kubectl events -n shop${rest}`),
    ...elsewhere,
    ...mistakes.map((rest) => `kubectl events -n shop ${rest}`),
  ],
};
