import type { Suite } from "../golden-case.ts";

const pods = `apiVersion: v1
kind: Pod
metadata:
  name: app
  namespace: shop
  labels: {app: app, tier: back}
  annotations: {note: x}
spec:
  nodeName: node-1
  initContainers: [{name: init, image: busybox}]
  containers:
  - name: main
    image: nginx:1
    args: [a, b]
    env: [{name: OLD, value: "1"}]
    livenessProbe: {httpGet: {path: /, port: 80}}
    readinessProbe: {httpGet: {path: /, port: 80}}
    startupProbe: {httpGet: {path: /, port: 80}}
    securityContext: {capabilities: {add: [NET_BIND_SERVICE], drop: [ALL]}}
  - {name: side, image: nginx:2}
---
apiVersion: v1
kind: Pod
metadata: {name: user, namespace: shop}
spec: {nodeName: local, securityContext: {runAsUser: 1000}, containers: [{name: main, image: nginx}]}
---
apiVersion: v1
kind: Pod
metadata: {name: box, namespace: shop}
spec: {nodeName: local, containers: [{name: main, image: nginx}]}
`;

const attachable = (name: string, state: string): string =>
  `kubectl patch pod box -n shop --subresource=status --type=merge -p '{"status":{"phase":"Running","ephemeralContainerStatuses":[{"name":"${name}","image":"busybox","imageID":"","ready":false,"restartCount":0,"state":{${state}}}]}}'`;

const copy = (flags: string): string => `kubectl debug app -n shop --copy-to=copy ${flags}`;
const show = "kubectl get pod copy -n shop -o yaml";
const remove = "kubectl delete pod copy -n shop --force --wait=false";

/** Creates a copy, shows it and removes it. */
const copied = (flags: string): string[] => [copy(flags), show, remove];

/** A debugging Pod on a node, found by its label because its name is random. */
const onNode = (flags: string): string[] => [
  `kubectl debug node/node-1 -n empty --image=busybox ${flags}`,
  "kubectl get pods -n empty -l app.kubernetes.io/managed-by=kubectl-debug -o yaml",
  "kubectl delete pods -n empty --all --force --wait=false",
];

const ephemeral = (flags: string): string => `kubectl debug app -n shop --image=busybox ${flags}`;

export const suite: Suite = {
  name: "debug",
  hasLocalNode: true,
  files: {
    "pods.yaml": pods,
    "custom.yaml":
      "env: [{name: NEW, value: '2'}]\nsecurityContext: {runAsUser: 0}\nterminationMessagePath: /dev/x\n",
    "custom.json": '{"imagePullPolicy": "Never", "volumeMounts": []}',
    "fixed.yaml": "name: other\n",
    "list.yaml": "[1, 2]\n",
    "broken.yaml": "a: [b\n",
  },
  cases: [
    "kubectl create -f pods.yaml",
    "kubectl debug",
    "kubectl debug app -n shop",
    "kubectl debug --image=busybox",
    "kubectl debug app -n shop --image=Bad:Image:Name",
    "kubectl debug app -n shop --image=busybox --replace",
    "kubectl debug app -n shop --image=busybox --same-node",
    "kubectl debug app -n shop --image=busybox --set-image=a=b",
    "kubectl debug app -n shop --image=busybox --image-pull-policy=Sometimes",
    "kubectl debug app -n shop --image=busybox -t",
    "kubectl debug app -n shop --attach --copy-to=copy -- sh",
    "kubectl debug app -n shop --copy-to=copy",
    "kubectl debug app -n shop --copy-to=copy -- sh",
    "kubectl debug app -n shop --copy-to=copy -c nobody -- sh",
    "kubectl debug app -n shop --copy-to=copy --image=busybox --target=main",
    "kubectl debug app -n shop --copy-to=copy --set-image=main=A:B:C",
    "kubectl debug app -n shop --image=busybox --profile=unknown",
    "kubectl debug app -n shop --image=busybox --env=novalue",
    "kubectl debug app -n shop --image=busybox --custom=missing.yaml",
    "kubectl debug app -n shop --image=busybox --custom=fixed.yaml",
    "kubectl debug app -n shop --image=busybox --custom=list.yaml",
    "kubectl debug app -n shop --image=busybox --custom=broken.yaml",
    "kubectl debug missing -n shop --image=busybox",
    "kubectl debug node/missing --image=busybox",
    "kubectl debug deploy/web -n shop --image=busybox",
    "kubectl debug foo/bar -n shop --image=busybox",
    "kubectl debug app -n shop --image=busybox --foo",
    { command: "kubectl debug --help", only: "usage" },
    ephemeral("-c plain"),
    ephemeral("-c named --target=main -- sh -c date"),
    ephemeral("-c quiet --target=main -q --arguments-only -- a b"),
    ephemeral("-c pulled --image-pull-policy=IfNotPresent --env=A=b"),
    ephemeral("-c base --profile=baseline"),
    ephemeral("-c strict --profile=restricted"),
    ephemeral("-c net --profile=netadmin"),
    ephemeral("-c sys --profile=sysadmin"),
    ephemeral("-c old --profile=legacy"),
    ephemeral("-c own --custom=custom.yaml"),
    ephemeral("-c json --custom=custom.json --profile=netadmin"),
    "kubectl get pod app -n shop -o yaml",
    ephemeral(""),
    ephemeral("-q"),
    ephemeral("-c main"),
    "kubectl debug user -n shop --image=busybox -c caps",
    "kubectl debug user -n shop --image=busybox -c root --custom=custom.yaml",
    "kubectl debug user -n shop --image=busybox -c base --profile=baseline",
    ...copied("--image=busybox"),
    ...copied("--image=busybox -c dbg --same-node --share-processes=false -- sh"),
    ...copied("--image=busybox -c dbg --keep-labels --keep-annotations --keep-liveness"),
    ...copied(
      "--image=busybox -c dbg --keep-readiness --keep-startup --keep-init-containers=false",
    ),
    ...copied("-c main -- sleep 1"),
    ...copied("-c main --arguments-only --env=NEW=2 -- sleep 1"),
    ...copied("-c side --image=busybox --image-pull-policy=Always"),
    ...copied("--set-image=*=busybox"),
    ...copied("--set-image=main=one:1,*=two:2"),
    ...copied("--image=busybox -c dbg --set-image=side=three:3 --profile=legacy"),
    ...copied("--image=busybox -c dbg --profile=baseline"),
    ...copied("--image=busybox -c dbg --profile=restricted"),
    ...copied("-c main --image=busybox --profile=netadmin"),
    ...copied("--image=busybox -c dbg --profile=sysadmin --custom=custom.yaml"),
    ...copied("-c main --custom=custom.yaml -- sh"),
    copy("--image=busybox -c init --custom=custom.yaml"),
    "kubectl debug app -n shop --copy-to=web-1 --image=busybox -c dbg",
    ...onNode(""),
    ...onNode("-c other -- sh"),
    ...onNode("--profile=legacy"),
    ...onNode("--profile=baseline -q"),
    ...onNode("--profile=restricted"),
    ...onNode("--profile=netadmin"),
    ...onNode("--profile=sysadmin --arguments-only -- x"),
    ...onNode("--custom=custom.yaml --env=A=b"),
    attachable("runs", '"running":{}'),
    {
      command: "kubectl debug box -n shop --image=busybox -c runs -i",
      stdin: "said to the debugger\n",
    },
    attachable("ran", '"terminated":{"exitCode":0}'),
    "kubectl debug box -n shop --image=busybox -c ran -i",
    "kubectl debug box -n shop --image=busybox -c ran2 --attach=false -i",
    "kubectl debug box -n shop --copy-to=copy2 --replace --set-image=*=busybox",
    "kubectl get pods -n shop -o name",
    "kubectl debug app --image=busybox --context=alice",
  ],
};
