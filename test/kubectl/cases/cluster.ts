import type { Suite } from "../golden-case.ts";

/** A certificate signing request of jane of devs, signed by her key. */
const request = [
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIWk1JR0FBZ0VBTUI0eERUQUxCZ05WQkFN",
  "TUJHcGhibVV4RFRBTEJnTlZCQW9NQkdSbGRuTXdXVEFUQmdjcQpoa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNB",
  "QVJMUjRxU2IrQ1p5NzhuSjNtZFk4dFVPV0RhMjJkRHp4OUdUZHhFClFLTFg3QkRPUEh3bmxIaDM2d1NBMUdM",
  "ZXI3cDYyRFdtL1VnaEp2K3I2cWd5WjJxcm9BQXdDZ1lJS29aSXpqMEUKQXdJRFNBQXdSUUloQU9SK2tCcysr",
  "NVBpMFZKK3BlVzBxNTFkSW5uOEZyQjhuS2FWMExUT21yTkdBaUFUdXBTTgpGTWdBYUVmeWVVNXlsaDFxMzh2",
  "NFFGRzY4SUpvcXVVNURkOG9ZUT09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=",
].join("");

const signingRequest = (name: string): string => `apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata:
  name: ${name}
spec:
  request: ${request}
  signerName: kubernetes.io/kube-apiserver-client
  usages:
  - client auth
`;

const script = '#!/bin/sh\necho "plugin $0 got $@" | sed s,/.*/,,\nexit 7\n';

/** The server, its certificates and permissions; plugins; the global flags. */
export const suite: Suite = {
  name: "cluster",
  files: {
    "csr.yaml": signingRequest("jane"),
    "csrs.yaml": `${signingRequest("one")}---\n${signingRequest("two")}`,
    "reader.yaml": `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: reader
  namespace: shop
rules:
- apiGroups: [""]
  resources: ["pods", "pods/log"]
  verbs: ["get", "list"]
- apiGroups: ["apps"]
  resources: ["deployments"]
  resourceNames: ["web"]
  verbs: ["update"]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: alice-reads
  namespace: shop
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: reader
subjects:
- kind: User
  name: alice
`,
    "bin/kubectl-hello": script,
    "bin/kubectl-hello-big_world": script,
    "bin/kubectl-get": script,
    "bin/kubectl-create-widget": script,
    "bin/kubectl-plain": "not to be run\n",
  },
  cases: [
    "kubectl apply -f csr.yaml -f csrs.yaml",
    "kubectl get csr",
    "kubectl get csr jane -o jsonpath='{.spec.username} {.spec.signerName} {.status}'",
    "kubectl certificate approve jane",
    "kubectl certificate approve jane",
    "kubectl certificate deny jane",
    "kubectl certificate deny jane --force",
    "kubectl certificate approve jane --force",
    "kubectl certificate deny -f csrs.yaml",
    "kubectl certificate deny one two -o name",
    "kubectl certificate approve one two -o jsonpath='{.metadata.name}{\"\\n\"}'",
    "kubectl certificate approve none one",
    "kubectl certificate approve csr/one",
    "kubectl certificate approve pods/web-1 -n shop",
    "kubectl certificate approve -f none.yaml",
    "kubectl get csr --sort-by=.metadata.name --no-headers",
    "kubectl describe csr jane",
    "kubectl auth whoami",
    "kubectl auth whoami --context=alice",
    "kubectl auth whoami --as=bob --as-group=g1 --as-uid=7 --as-user-extra=a=b",
    "kubectl auth whoami -o jsonpath='{.status.userInfo.groups}'",
    "kubectl auth whoami -o foo",
    "kubectl auth whoami foo",
    "kubectl auth can-i get pods",
    "kubectl auth can-i get pods --context=alice",
    "kubectl apply -f reader.yaml",
    "kubectl auth can-i get pods --context=alice",
    "kubectl auth can-i get pods --context=alice -n default",
    "kubectl auth can-i get pods -A --context=alice",
    "kubectl auth can-i delete pods --context=alice -q",
    "kubectl auth can-i get pods -q --context=alice",
    "kubectl auth can-i get pods --subresource=log --context=alice",
    "kubectl auth can-i get pods/web-1 --context=alice",
    "kubectl auth can-i update deployments.apps/web --context=alice",
    "kubectl auth can-i update deployments.apps/other --context=alice",
    "kubectl auth can-i get /healthz --context=alice",
    "kubectl auth can-i get /logs --context=alice",
    "kubectl auth can-i list nodes --context=alice",
    "kubectl auth can-i '*' '*'",
    "kubectl auth can-i '*' '*' --context=alice",
    "kubectl auth can-i fly pods",
    "kubectl auth can-i get widgets",
    "kubectl auth can-i get widgets.example.com",
    "kubectl auth can-i get",
    "kubectl auth can-i",
    "kubectl auth can-i get pods a b",
    "kubectl auth can-i create pods --as=alice -n shop",
    "kubectl alpha",
    "kubectl alpha foo",
    "kubectl version --warnings-as-errors",
    "kubectl api-versions",
    "kubectl api-versions -o foo",
    "kubectl api-resources --cached",
    "kubectl api-resources --api-group=rbac.authorization.k8s.io --no-headers",
    "kubectl api-resources --api-group=none",
    "kubectl api-resources --namespaced=true -o name --sort-by=name",
    "kubectl api-resources --verbs=list,get,watch --categories=api-extensions",
    "kubectl api-resources -o wide --api-group=apps",
    "kubectl cluster-info",
    "kubectl cluster-info --context=alice",
    "kubectl cluster-info dump --namespaces=empty --output-directory=dumped",
    "kubectl cluster-info dump --namespaces=empty -o foo",
    "kubectl cluster-info dump foo --output-directory=dumped",
    { command: "kubectl plugin list", env: { PATH: "bin" } },
    { command: "kubectl plugin list --name-only", env: { PATH: "bin" } },
    { command: "kubectl plugin list", env: { PATH: "none:bin:bin" } },
    { command: "kubectl plugin list foo", env: { PATH: "bin" } },
    "kubectl options --foo",
    "kubectl get pods -n shop --warnings-as-errors -o name",
    "kubectl create cm warned --from-literal=a=b --warnings-as-errors",
    "kubectl get pods web-1 -n shop -o name -v=0",
    "kubectl get pods web-1 -n shop -v=6",
    "kubectl get pods web-1 -n shop -v=7",
    "kubectl get pods none -n shop -v=6",
    "kubectl get pods web-1 -n shop --vmodule=round_trippers=7",
    "kubectl get pods web-1 -n shop -o name --vmodule=other=7",
    "kubectl get pods --vmodule=x",
    "kubectl get pods --log-flush-frequency=x",
    "kubectl get pods --v=x",
    "kubectl get pods --profile=x",
    "kubectl get pods -n shop -o name --profile=none --profile-output=x",
    "kubectl get pods -n shop -o name --disable-compression",
    "kubectl get pods -n shop -o name --request-timeout=5",
    "kubectl get pods -n shop -o name --request-timeout=5s",
    "kubectl get pods -n shop -o name --cache-dir=cache",
    "kubectl get pods -n shop -o name --tls-server-name=other",
    "kubectl get pods -n shop -o name --no-such",
    "kubectl get pods -n shop -o name --insecure-skip-tls-verify=false",
    "kubectl get pods -n shop -o name --username=admin --password=x",
    "kubectl apply -f csr.yaml --applyset=x",
  ],
};
