import type { Suite } from "../golden-case.ts";

const head = "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n";
const allowed = (entry: string): string =>
  `${head}credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [${entry}]\n`;

/** A kubeconfig with a valid context and one user. */
const withUser = (user: string): string =>
  `apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]\nusers: [{name: u, user: ${user}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n`;

const plugin = (version: string, mode: string): string =>
  withUser(
    `{exec: {apiVersion: client.authentication.k8s.io/${version}, command: sh, args: [-c, "exit 3"]${mode}}}`,
  );

const configMap = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: empty\n  labels: {set: one}\ndata: {a: b}\n`;

/** More command lines whose answers once differed from upstream's: kubeconfigs, plugins, diff and small things. */
export const suite: Suite = {
  name: "findings-more",
  files: {
    "number.yaml": "clusters: 3\n",
    "users.yaml": "users: abc\n",
    "contexts.yaml": "contexts: {a: b}\n",
    "entry.yaml": "clusters: [3]\n",
    "inner.yaml": "clusters: [{name: x, cluster: 3}]\n",
    "server.yaml": "clusters: [{name: x, cluster: {server: 3}}]\n",
    "current.yaml": "current-context: 3\n",
    "token.yaml": "users: [{name: x, user: {token: [a]}}]\n",
    "open.yaml": "a: [\n",
    "open-map.yaml": "a: {\n",
    "open-item.yaml": "a: [b\n",
    "alpha.yaml": plugin("v1alpha1", ""),
    "beta.yaml": plugin("v1beta1", ""),
    "always.yaml": plugin("v1", ", interactiveMode: Always"),
    "never.yaml": plugin("v1", ", interactiveMode: Never"),
    "bare.yaml": withUser("{}"),
    "null.yaml": "apiVersion: v1\nkind: Config\nclusters: [{name: x, cluster: }]\n",
    "name.yaml": allowed("{name: sh}"),
    "neither.yaml": allowed("{}"),
    "empty.yaml": "\n",
    "secret.yaml":
      "apiVersion: v1\nkind: Secret\nmetadata:\n  name: fresh\n  namespace: empty\nstringData: {a: b}\n",
    "plain.yaml": configMap("fresh"),
    "one.yaml": configMap("one"),
    "two.yaml": configMap("two"),
    "changed.yaml": configMap("one").replace("a: b", "a: c"),
  },
  cases: [
    ...[
      "number",
      "users",
      "contexts",
      "entry",
      "inner",
      "server",
      "current",
      "token",
      "open",
      "open-map",
      "open-item",
    ].map((name) => `kubectl get pods --kubeconfig=${name}.yaml`),
    "kubectl get pods --kubeconfig=alpha.yaml",
    "kubectl get pods --kubeconfig=beta.yaml",
    "kubectl get pods --kubeconfig=always.yaml",
    { command: "kubectl apply -f - --kubeconfig=always.yaml", stdin: configMap("in") },
    { command: "kubectl replace -f - --kubeconfig=always.yaml", stdin: configMap("in") },
    { command: "kubectl set env deploy/web - --kubeconfig=always.yaml", stdin: "A=1\n" },
    { command: "kubectl apply -f - --kubeconfig=never.yaml", stdin: configMap("in") },
    "kubectl get pods --server foo::bar",
    "kubectl get pods --server 'https://foo:bar'",
    "kubectl get pods --server 'https://foo bar'",
    "kubectl get pods --server 'https://[::1'",
    "kubectl get pods --server 'foo bar'",
    "kubectl get pods --server '[::1'",
    "kubectl get pods --server 127.0.0.1:1/x",
    "kubectl get pods -n shop --request-timeout=1ns",
    "kubectl diff -f secret.yaml",
    "kubectl diff -f plain.yaml",
    "kubectl apply -f one.yaml -f two.yaml",
    "kubectl diff -f one.yaml --prune -l set=one",
    "kubectl diff -f one.yaml --prune --all -l set=one",
    "kubectl diff -f one.yaml --prune -l set=one --prune-allowlist=core/v1/Secret",
    "kubectl diff --server-side -f changed.yaml",
    "kubectl diff --server-side --force-conflicts -f changed.yaml",
    "kubectl drain node-1 --chunk-size=7 --dry-run=client --ignore-daemonsets --force -v=6",
    "kubectl get ns shop -o name --kuberc=name.yaml",
    "kubectl get ns shop -o name --kuberc=neither.yaml",
    "kubectl version --client --kuberc=empty.yaml -v=5",
    "kubectl version --client --kuberc=empty.yaml -v 4",
    "kubectl config set clusters.x.y.z q",
    "kubectl config view --kubeconfig=null.yaml",
    "kubectl config view --raw --kubeconfig=null.yaml",
    'kubectl config set-credentials refused --exec-command=sh --exec-arg=-c --exec-arg=\'echo "{\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"nobody\\"}}"\' --exec-api-version=client.authentication.k8s.io/v1 --exec-interactive-mode=Never',
    "kubectl get pods --user=refused",
    "kubectl get pods --token=nobody",
    "kubectl get --raw=/api --token=nobody",
    "kubectl apply -f one.yaml --token=nobody",
    "kubectl api-resources --token=nobody",
    "kubectl version --token=nobody",
    "kubectl apply -f http://127.0.0.1:6000/x.yaml",
    { command: "kubectl get pods --kubeconfig=bare.yaml", stdin: "me\nsecret\n" },
    "kubectl get pods --kubeconfig=bare.yaml",
  ],
};
