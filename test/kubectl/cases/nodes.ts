import type { Suite } from "../golden-case.ts";

const owner = (kind: string, resource: string, name: string): string =>
  `[{apiVersion: apps/v1, kind: ${kind}, name: ${name}, controller: true, uid: "$UID(/apis/apps/v1/namespaces/shop/${resource}/${name})"}]`;

const replicaSet = (revision: number, image: string, more = ""): string => `---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: site-${revision}
  namespace: shop
  annotations: {deployment.kubernetes.io/revision: "${revision}"${more}}
  labels: {app: site}
  ownerReferences: ${owner("Deployment", "deployments", "site")}
spec:
  selector: {matchLabels: {app: site}}
  template:
    metadata: {labels: {app: site, pod-template-hash: h${revision}}}
    spec: {containers: [{name: site, image: "${image}"}]}
`;

const controllerRevision = (revision: number, image: string): string => `---
apiVersion: apps/v1
kind: ControllerRevision
metadata:
  name: agent-${revision}
  namespace: shop
  labels: {app: agent}
  annotations: {kubernetes.io/change-cause: "change ${revision}"}
  ownerReferences: ${owner("DaemonSet", "daemonsets", "agent")}
revision: ${revision}
data:
  spec:
    template:
      $patch: replace
      metadata: {labels: {app: agent}}
      spec: {containers: [{name: agent, image: "${image}"}]}
`;

const workload = (kind: string, name: string, more = ""): string => `apiVersion: apps/v1
kind: ${kind}
metadata: {name: ${name}, namespace: shop}
spec:
  selector: {matchLabels: {app: ${name}}}
  ${more}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: ${name}, image: "${name}:2"}]}
`;

export const suite: Suite = {
  name: "nodes",
  files: {
    "site.yaml": workload("Deployment", "site"),
    "agent.yaml": workload("DaemonSet", "agent"),
    "db.yaml": workload("StatefulSet", "db", "serviceName: db"),
    "manual.yaml": workload("DaemonSet", "manual", "updateStrategy: {type: OnDelete}"),
    "lone.yaml":
      "apiVersion: v1\nkind: Pod\nmetadata: {name: lone, namespace: shop}\nspec: {nodeName: node-2, terminationGracePeriodSeconds: 0, containers: [{name: a, image: b}]}\n",
    "scratch.yaml":
      "apiVersion: v1\nkind: Pod\nmetadata: {name: scratch, namespace: shop, labels: {x: y}}\nspec: {nodeName: node-2, terminationGracePeriodSeconds: 0, volumes: [{name: v, emptyDir: {}}], containers: [{name: a, image: b}]}\n",
  },
  cases: [
    "kubectl taint",
    "kubectl taint nodes",
    "kubectl taint nodes node-1",
    "kubectl taint nodes a=b:NoSchedule",
    "kubectl taint node-1 a=b:NoSchedule",
    "kubectl taint pods web-1 a=b:NoSchedule",
    "kubectl taint nodes node-1 a=b:Foo",
    "kubectl taint nodes node-1 a=b",
    "kubectl taint nodes node-1 a=b=c:NoSchedule",
    "kubectl taint nodes node-1 'a b=c:NoSchedule'",
    "kubectl taint nodes node-1 a=b:NoSchedule foo",
    "kubectl taint nodes node-1 a=b:NoSchedule a-",
    "kubectl taint nodes node-1 a=b:NoSchedule a=c:NoSchedule",
    "kubectl taint nodes missing a=b:NoSchedule",
    "kubectl taint nodes node-1 a=b:NoSchedule --dry-run=client",
    "kubectl taint nodes node-1 a=b:NoSchedule --dry-run=server",
    "kubectl taint nodes node-1 a=b:NoSchedule --dry-run=client -o yaml",
    "kubectl taint nodes node-1 a=b:NoSchedule",
    "kubectl taint nodes node-1 a=c:NoSchedule",
    "kubectl taint nodes node-1 a=c:NoSchedule --overwrite",
    "kubectl taint nodes node-1 a=c:NoExecute b:PreferNoSchedule",
    "kubectl get nodes -o jsonpath='{.items[*].spec.taints}'",
    "kubectl taint nodes node-1 a:NoExecute-",
    "kubectl taint nodes node-1 missing-",
    "kubectl taint nodes node-1 missing:NoExecute- other-",
    "kubectl taint nodes node-1 a- c=d:NoSchedule",
    "kubectl taint nodes --all z:NoSchedule",
    "kubectl taint nodes --all z-",
    "kubectl taint nodes --all -l zone=a z-",
    "kubectl taint nodes -l zone=a q=:NoSchedule",
    "kubectl taint nodes -l zone=nowhere q=:NoSchedule",
    "kubectl get nodes -o jsonpath='{.items[*].spec.taints}'",
    "kubectl cordon",
    "kubectl cordon missing",
    "kubectl cordon pods/web-1",
    "kubectl cordon node-1 -l zone=a",
    "kubectl cordon node-1 --dry-run=client",
    "kubectl cordon node-1 --dry-run=server",
    "kubectl cordon node-1 --dry-run=foo",
    "kubectl cordon node-1",
    "kubectl cordon node-1 node-2",
    "kubectl cordon nodes/node-1",
    "kubectl get nodes",
    "kubectl uncordon",
    "kubectl uncordon -l zone=b",
    "kubectl uncordon -l zone=nowhere",
    "kubectl uncordon node-1",
    "kubectl uncordon node-1",
    "kubectl uncordon --foo",
    "kubectl drain",
    "kubectl drain missing",
    "kubectl drain node-1 --pod-selector='a in'",
    "kubectl drain node-2",
    "kubectl create -f lone.yaml -f scratch.yaml",
    "kubectl drain node-2",
    "kubectl drain node-2 --force --dry-run=client --pod-selector=x=y --delete-emptydir-data",
    "kubectl drain node-2 --force --dry-run=server --pod-selector=x=y --delete-emptydir-data",
    "kubectl drain node-2 --force --pod-selector=x=y --delete-emptydir-data",
    "kubectl drain node-2 --force --disable-eviction --pod-selector='!x' --grace-period=0",
    "kubectl get pods -n shop -o name",
    { command: "kubectl rollout", only: "usage" },
    "kubectl rollout foo",
    "kubectl rollout status",
    "kubectl rollout status foo",
    "kubectl rollout status deployments -n nothing",
    "kubectl rollout status pods/web-1 -n shop",
    "kubectl rollout status deployment/missing -n shop",
    "kubectl rollout status deployment/web -n shop --revision=-1",
    "kubectl create -f site.yaml -f agent.yaml -f db.yaml -f manual.yaml",
    "kubectl rollout status deployment/site -n shop --watch=false",
    "kubectl rollout status deployment/site -n shop --timeout=1s",
    "kubectl rollout status deployment/site -n shop --revision=7",
    "kubectl rollout status -f agent.yaml -w=false",
    "kubectl rollout status statefulset db -n shop -w=false",
    "kubectl rollout status daemonset manual -n shop -w=false",
    `kubectl patch deployment site -n shop --subresource=status -p '{"status":{"observedGeneration":1}}'`,
    "kubectl rollout status deployment/site -n shop -w=false",
    `kubectl patch deployment site -n shop --subresource=status -p '{"status":{"replicas":2,"updatedReplicas":1}}'`,
    "kubectl rollout status deployment/site -n shop -w=false",
    `kubectl patch deployment site -n shop --subresource=status -p '{"status":{"replicas":1}}'`,
    "kubectl rollout status deployment/site -n shop -w=false",
    `kubectl patch deployment site -n shop --subresource=status -p '{"status":{"availableReplicas":1,"readyReplicas":1}}'`,
    "kubectl rollout status deployment/site -n shop",
    `kubectl patch daemonset agent -n shop --subresource=status -p '{"status":{"observedGeneration":1}}'`,
    "kubectl rollout status daemonset/agent -n shop",
    `kubectl patch statefulset db -n shop --subresource=status -p '{"status":{"observedGeneration":1}}'`,
    "kubectl rollout status statefulset/db -n shop -w=false",
    "kubectl rollout history",
    "kubectl rollout history deployment/site -n shop",
    "kubectl rollout history deployment/site -n shop --revision=-2",
    "kubectl rollout history pods/web-1 -n shop",
    "kubectl rollout history cm/settings -n shop",
    "kubectl rollout undo",
    "kubectl rollout undo deployment/site -n shop",
    "kubectl rollout undo pods/web-1 -n shop",
    "kubectl rollout undo daemonset/agent -n shop",
    {
      command: "kubectl create -f -",
      stdin:
        replicaSet(1, "site:1", ', kubernetes.io/change-cause: "first one"') +
        replicaSet(2, "site:2") +
        controllerRevision(1, "agent:1") +
        controllerRevision(2, "agent:2"),
    },
    "kubectl rollout history deployment/site -n shop",
    "kubectl rollout history deployment/site -n shop --revision=1",
    "kubectl rollout history deployment/site -n shop --revision=9",
    "kubectl rollout history deployment/site -n shop --revision=1 -o name",
    "kubectl rollout history deployment/site -n shop -o jsonpath='{.metadata.name}'",
    "kubectl rollout history daemonset/agent -n shop",
    "kubectl rollout history daemonset/agent -n shop --revision=2",
    "kubectl rollout undo deployment/site -n shop --to-revision=9",
    "kubectl rollout undo deployment/site -n shop --to-revision=2",
    "kubectl rollout undo deployment/site -n shop --dry-run=client",
    "kubectl rollout undo deployment/site -n shop --dry-run=server",
    "kubectl rollout undo deployment/site -n shop",
    "kubectl get deployment site -n shop -o yaml",
    "kubectl rollout undo daemonset/agent -n shop --dry-run=client",
    "kubectl rollout undo daemonset/agent -n shop --to-revision=1",
    "kubectl rollout undo daemonset/agent -n shop --to-revision=5",
    "kubectl get daemonset agent -n shop -o jsonpath='{.spec.template}'",
    "kubectl rollout pause",
    "kubectl rollout pause deployments -n nothing",
    "kubectl rollout pause deployment/site -n shop",
    "kubectl rollout pause deployment/site -n shop",
    "kubectl rollout pause daemonset/agent -n shop",
    "kubectl rollout undo deployment/site -n shop",
    "kubectl rollout restart deployment/site -n shop",
    "kubectl rollout resume deployment/site daemonset/agent -n shop",
    "kubectl rollout resume deployment/site -n shop",
    "kubectl rollout restart",
    "kubectl rollout restart pods/web-1 -n shop",
    "kubectl rollout restart deployment/site daemonset/agent statefulset/db -n shop",
    "kubectl rollout restart deployment -l app=none -n shop",
  ],
};
