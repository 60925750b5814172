import type { Suite } from "../golden-case.ts";

const box = `apiVersion: v1
kind: Pod
metadata: {name: box, namespace: shop, labels: {app: box}, annotations: {kubectl.kubernetes.io/default-container: side}}
spec:
  nodeName: local
  initContainers: [{name: init, image: busybox}]
  containers:
  - {name: app, image: busybox, ports: [{containerPort: 80, name: http}, {containerPort: 53, name: dns, protocol: UDP}]}
  - {name: side, image: busybox, tty: true, stdin: true}
---
apiVersion: v1
kind: Pod
metadata: {name: plain, namespace: shop, labels: {app: plain}}
spec: {nodeName: local, containers: [{name: one, image: busybox}, {name: two, image: busybox}]}
---
apiVersion: v1
kind: Pod
metadata: {name: done, namespace: shop}
spec: {nodeName: local, containers: [{name: one, image: busybox}]}
---
apiVersion: v1
kind: Pod
metadata: {name: waiting, namespace: shop}
spec: {containers: [{name: one, image: busybox}]}
---
apiVersion: v1
kind: Service
metadata: {name: boxes, namespace: shop}
spec: {selector: {app: box}, ports: [{port: 8080, targetPort: http, name: web}, {port: 53, protocol: UDP, name: dns}]}
`;

const running = (name: string, phase: string): string =>
  `kubectl patch pod ${name} -n shop --subresource=status --type=merge -p '{"status":{"phase":"${phase}"}}'`;

const bySpdy = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false" };

export const suite: Suite = {
  name: "streams",
  hasLocalNode: true,
  files: { "box.yaml": box },
  cases: [
    "kubectl create -f box.yaml",
    running("box", "Running"),
    running("plain", "Running"),
    running("done", "Succeeded"),
    "kubectl exec plain -n shop -- echo hello",
    "kubectl exec pod/plain -n shop -c two -- sh -c 'echo out; echo err >&2'",
    "kubectl exec plain -n shop -c one -- sh -c 'exit 7'",
    "kubectl exec plain -n shop -c one -- sh -c 'echo some; exit 126'",
    "kubectl exec plain -n shop -q -- false",
    { command: "kubectl exec -i plain -n shop -c one -- cat", stdin: "typed\nlines\n" },
    { command: "kubectl exec -i plain -n shop -c one -- wc -c", stdin: "x".repeat(200_000) },
    { command: "kubectl exec -it plain -n shop -c one -- cat", stdin: "typed\n" },
    { command: "kubectl exec -itq plain -n shop -c one -- cat", stdin: "typed\n" },
    { command: "kubectl exec plain -n shop -c one -- cat", stdin: "not passed on\n" },
    "kubectl exec box -n shop -- echo default",
    "kubectl exec box -n shop -c app -- echo other",
    "kubectl exec box -n shop -c init -- echo init",
    "kubectl exec box -n shop -c none -- echo no",
    "kubectl exec svc/boxes -n shop -- echo by service",
    "kubectl exec -f box.yaml -- echo several",
    "kubectl exec done -n shop -- echo no",
    "kubectl exec waiting -n shop -- echo no",
    "kubectl exec missing -n shop -- echo no",
    "kubectl exec foo/bar -n shop -- echo no",
    "kubectl exec plain -n shop -- no-such-program",
    "kubectl exec plain -n shop -- head -c 300000 /dev/zero | wc -c",
    "kubectl exec plain -n shop",
    "kubectl exec plain -n shop echo",
    "kubectl exec -n shop -- echo",
    "kubectl exec",
    "kubectl exec plain -n shop --pod-running-timeout=0 -- echo",
    "kubectl exec plain -n shop --as=nobody -- echo",
    "kubectl exec plain -n shop --as=nobody --as-group=system:masters -- echo yes",
    { command: "kubectl exec plain -n shop -c two -- echo spdy", env: bySpdy },
    { command: "kubectl exec plain -n shop -c two -- sh -c 'exit 3'", env: bySpdy },
    { command: "kubectl exec -i plain -n shop -c two -- tr a-z A-Z", stdin: "loud\n", env: bySpdy },
    { command: "kubectl exec plain -n shop --as=nobody -- echo", env: bySpdy },
    { command: "kubectl exec waiting -n shop -- echo no", env: bySpdy },
    "kubectl create role looker -n shop --verb=get,list --resource=pods",
    "kubectl create rolebinding looker -n shop --role=looker --user=alice",
    "kubectl exec plain --context=alice -- echo",
    { command: "kubectl exec plain --context=alice -- echo", env: bySpdy },
    "kubectl attach plain --context=alice",
    "kubectl port-forward pod/box :80 --context=alice",
    { command: "kubectl attach -i plain -n shop -c one", stdin: "said to it\n" },
    { command: "kubectl attach -iq plain -n shop", stdin: "said\n" },
    { command: "kubectl attach -it box -n shop -c side", stdin: "said\n" },
    { command: "kubectl attach -it plain -n shop -c one", stdin: "said\n" },
    { command: "kubectl attach -i plain -n shop", stdin: "spdy\n", env: bySpdy },
    "kubectl attach",
    "kubectl attach a b c",
    "kubectl attach missing -n shop",
    "kubectl attach done -n shop",
    "kubectl attach plain -n shop -c three",
    "kubectl attach plain -n shop --pod-running-timeout=-1s",
    "kubectl attach plain -n shop --as=nobody",
    "kubectl port-forward pod/box",
    "kubectl port-forward",
    "kubectl port-forward pod/missing 80 -n shop",
    "kubectl port-forward pod/box 80:abc -n shop",
    "kubectl port-forward pod/box 70000 -n shop",
    "kubectl port-forward pod/box :dns -n shop",
    "kubectl port-forward pod/box :nothing -n shop",
    "kubectl port-forward svc/boxes :9999 -n shop",
    "kubectl port-forward svc/boxes :dns -n shop",
    "kubectl port-forward pod/done :80 -n shop",
    "kubectl port-forward pod/waiting :80 -n shop",
    "kubectl port-forward pod/box :80 -n shop --address=nowhere",
    "kubectl port-forward pod/box :80 -n shop --address=192.0.2.77",
    "kubectl port-forward pod/box :80 -n shop --as=nobody",
    "kubectl port-forward pod/box :0 -n shop",
    "kubectl port-forward pod/box :80 -n shop --pod-running-timeout=0s",
    {
      command: "kubectl port-forward pod/box :80 -n shop --as=nobody",
      env: { KUBECTL_PORT_FORWARD_WEBSOCKETS: "false" },
    },
  ],
};
