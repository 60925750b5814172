import type { Suite } from "../golden-case.ts";

export const suite: Suite = {
  name: "auth",
  files: {
    "pod.yaml": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web-1\n  namespace: shop\n",
  },
  cases: [
    "kubectl auth whoami",
    "kubectl auth whoami -o yaml",
    "kubectl auth whoami -o xml",
    "kubectl auth can-i get pods",
    "kubectl auth can-i get pods --as=nobody",
    "kubectl auth can-i get pods -q",
    "kubectl auth can-i get pods -A",
    "kubectl auth can-i get nodes",
    "kubectl auth can-i fly pods",
    "kubectl auth can-i get frobs",
    "kubectl auth can-i get frobs.example.com",
    "kubectl auth can-i impersonate users",
    "kubectl auth can-i '*' '*'",
    "kubectl auth can-i get deploy/web --subresource=scale",
    "kubectl auth can-i get /healthz",
    "kubectl auth can-i fly /healthz",
    "kubectl auth can-i get /healthz --subresource=x",
    "kubectl auth can-i get",
    "kubectl certificate approve",
    "kubectl certificate approve nobody",
    "kubectl certificate deny nobody",
    "kubectl certificate approve -f pod.yaml",
  ],
};
