import type { Suite } from "../golden-case.ts";

const one = `apiVersion: v1
kind: Config
current-context: first
preferences: {}
clusters:
- name: here
  cluster:
    server: https://here.example.com:6443
    certificate-authority: pki/ca.crt
- name: shared
  cluster:
    server: https://one.example.com
contexts:
- name: first
  context:
    cluster: here
    user: me
    namespace: shop
users:
- name: me
  user:
    client-certificate: pki/me.crt
    client-key: pki/me.key
`;

const two = `apiVersion: v1
kind: Config
current-context: second
clusters:
- name: shared
  cluster:
    server: https://two.example.com
- name: there
  cluster:
    certificate-authority-data: QUJD
    server: https://there.example.com
    proxy-url: http://proxy.example.com:3128
    tls-server-name: inner
contexts:
- name: second
  context:
    cluster: there
    user: you
- name: lost
  context:
    cluster: nowhere
    user: nobody
users:
- name: you
  user:
    token: secret
- name: old
  user:
    username: old
    password: secret
- name: program
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: login
      args:
      - --fast
      interactiveMode: Never
`;

/** One command line with each way to give files. */
const merged = { KUBECONFIG: "one.yaml:missing.yaml:two.yaml" };
const both = (command: string) => ({ command, env: merged });
const own = (command: string) => `${command} --kubeconfig=own.yaml`;
/** A mistake that prints the whole help. */
const helped = (command: string) => ({ command, env: merged, only: "usage" as const });

/** `kubectl config`: its output for several files, its writes to each file, and its refusals. */
export const suite: Suite = {
  name: "config",
  files: {
    "one.yaml": one,
    "two.yaml": two,
    "bad.yaml": "clusters: a: b\n",
    "list.yaml": "- a\n- b\n",
    "kind.yaml": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n",
    "empty.yaml": "",
    "pki/ca.crt": "CA",
    "pki/me.crt": "CERTIFICATE",
    "pki/me.key": "KEY",
  },
  cases: [
    { command: "kubectl config", only: "usage" },
    "kubectl config frobnicate",
    "kubectl config view",
    both("kubectl config view"),
    both("kubectl config view --raw"),
    both("kubectl config view --minify"),
    both("kubectl config view --minify --context=second"),
    both("kubectl config view --minify --context=lost"),
    both("kubectl config view --minify --context=none"),
    both("kubectl config view --flatten"),
    both("kubectl config view --flatten --minify"),
    both("kubectl config view -o json"),
    both("kubectl config view -o name"),
    both("kubectl config view -o jsonpath='{.contexts[*].name}'"),
    both("kubectl config view -o jsonpath='{.users[?(@.name==\"you\")].user.token}' --raw"),
    both("kubectl config view -o go-template='{{range .clusters}}{{.name}} {{end}}'"),
    both("kubectl config view -o xml"),
    both("kubectl config view --merge=false"),
    both("kubectl config view foo"),
    "kubectl config view --kubeconfig=one.yaml --merge=false",
    "kubectl config view --kubeconfig=missing.yaml",
    "kubectl config view --kubeconfig=empty.yaml",
    "kubectl config view --kubeconfig=bad.yaml",
    "kubectl config view --kubeconfig=list.yaml",
    "kubectl config view --kubeconfig=kind.yaml",
    "kubectl config view --kubeconfig=empty.yaml --minify",
    { command: "kubectl config view", env: { KUBECONFIG: "missing.yaml" } },
    { command: "kubectl config view", env: { HOME: "none" } },
    "kubectl get pods --kubeconfig=missing.yaml",
    "kubectl get pods --kubeconfig=bad.yaml",
    both("kubectl config current-context"),
    both("kubectl config current-context foo"),
    "kubectl config current-context --kubeconfig=empty.yaml",
    both("kubectl config get-contexts"),
    both("kubectl config get-contexts --no-headers"),
    both("kubectl config get-contexts -o name"),
    both("kubectl config get-contexts first"),
    both("kubectl config get-contexts first second"),
    both("kubectl config get-contexts none"),
    both("kubectl config get-contexts -o json"),
    "kubectl config get-contexts --kubeconfig=empty.yaml",
    "kubectl config get-clusters",
    "kubectl config get-clusters foo",
    "kubectl config get-clusters --kubeconfig=empty.yaml",
    "kubectl config get-users --kubeconfig=one.yaml",
    "kubectl config get-users foo --kubeconfig=one.yaml",
    helped("kubectl config use-context"),
    both("kubectl config use-context none"),
    helped("kubectl config use-context first second"),
    both("kubectl config use-context second"),
    both("kubectl config use second"),
    both("kubectl config current-context"),
    "kubectl config current-context --kubeconfig=one.yaml",
    "kubectl config current-context --kubeconfig=two.yaml",
    both("kubectl config set-context second --namespace=other"),
    both("kubectl config set-context second --user=me --cluster=here"),
    both("kubectl config set-context third --cluster=there --user=old"),
    both("kubectl config set-context --current -n kitchen"),
    both("kubectl config set-context"),
    both("kubectl config set-context a --current"),
    helped("kubectl config set-context a b"),
    "kubectl config view --kubeconfig=one.yaml",
    "kubectl config view --kubeconfig=two.yaml",
    both("kubectl config rename-context third fourth"),
    both("kubectl config rename-context third fifth"),
    both("kubectl config rename-context fourth first"),
    helped("kubectl config rename-context fourth"),
    helped("kubectl config rename-context a b c"),
    both("kubectl config delete-context fourth"),
    both("kubectl config delete-context fourth"),
    helped("kubectl config delete-context"),
    helped("kubectl config delete-context first second"),
    both("kubectl config delete-context second"),
    both("kubectl config delete-cluster shared"),
    both("kubectl config delete-cluster none"),
    helped("kubectl config delete-cluster"),
    both("kubectl config delete-user old"),
    both("kubectl config delete-user none"),
    both("kubectl config delete-user"),
    both("kubectl config view"),
    own("kubectl config set-cluster mine --server=https://1.2.3.4"),
    own("kubectl config set-cluster mine --insecure-skip-tls-verify=true"),
    own("kubectl config set-cluster mine --certificate-authority=pki/ca.crt"),
    own("kubectl config set-cluster mine --certificate-authority=pki/ca.crt --embed-certs=true"),
    own("kubectl config set-cluster mine --certificate-authority=pki/none.crt --embed-certs"),
    own("kubectl config set-cluster mine --insecure-skip-tls-verify --certificate-authority=x"),
    own("kubectl config set-cluster mine --tls-server-name=inner --proxy-url=socks5://p:1"),
    own("kubectl config set-cluster mine --tls-server-name= --proxy-url="),
    own("kubectl config set-cluster mine --embed-certs"),
    helped("kubectl config set-cluster"),
    helped("kubectl config set-cluster a b"),
    own("kubectl config set-credentials me --token=abc"),
    own("kubectl config set-credentials me --username=u --password=p"),
    own("kubectl config set-credentials you --token=a --username=b"),
    own("kubectl config set-credentials you --token=a --username=b --password=c"),
    own(
      "kubectl config set-credentials cert --client-certificate=pki/me.crt --client-key=pki/me.key",
    ),
    own("kubectl config set-credentials cert --client-certificate=pki/me.crt --embed-certs"),
    own("kubectl config set-credentials cert --client-key=none.key --embed-certs"),
    own("kubectl config set-credentials cert --embed-certs"),
    own(
      "kubectl config set-credentials plug --exec-command=login --exec-api-version=client.authentication.k8s.io/v1",
    ),
    own(
      "kubectl config set-credentials plug --exec-arg=a,b --exec-arg=c --exec-env=X=1 --exec-env=Y=2",
    ),
    own("kubectl config set-credentials plug --exec-env=X- --exec-interactive-mode=Always"),
    helped("kubectl config set-credentials plug --exec-env=bad"),
    own("kubectl config set-credentials plug --exec-command= --exec-arg=z"),
    own(
      "kubectl config set-credentials prov --auth-provider=oidc --auth-provider-arg=a=b --auth-provider-arg=c=d",
    ),
    own("kubectl config set-credentials prov --auth-provider-arg=a-"),
    helped("kubectl config set-credentials prov --auth-provider-arg=bad"),
    helped("kubectl config set-credentials"),
    helped("kubectl config set-credentials a b"),
    own("kubectl config view --raw"),
    own("kubectl config set current-context ctx"),
    own("kubectl config set clusters.mine.server https://5.6.7.8"),
    own("kubectl config set clusters.new.server https://9.9.9.9"),
    own("kubectl config set clusters.mine.insecure-skip-tls-verify maybe"),
    own("kubectl config set clusters.mine.insecure-skip-tls-verify true"),
    own("kubectl config set contexts.ctx.cluster mine"),
    own("kubectl config set contexts.ctx.user me"),
    own("kubectl config set users.me.client-key-data abc --set-raw-bytes=true"),
    own("kubectl config set users.me.client-key-data YWJj"),
    own("kubectl config set users.me.client-key-data '%%'"),
    own("kubectl config set nonsense x"),
    own("kubectl config set nonsense.a.b x"),
    helped("kubectl config set clusters.mine.server"),
    helped("kubectl config set"),
    helped("kubectl config set a b c"),
    own("kubectl config unset clusters.mine.server"),
    own("kubectl config unset clusters.new"),
    own("kubectl config unset clusters.none.server"),
    own("kubectl config unset current-context"),
    own("kubectl config unset users"),
    own("kubectl config unset nonsense"),
    helped("kubectl config unset"),
    helped("kubectl config unset a b"),
    own("kubectl config view --raw"),
    {
      command: "kubectl config set-cluster x --server=https://x",
      env: { KUBECONFIG: "n1.yaml:n2.yaml" },
    },
    "kubectl config view --kubeconfig=n1.yaml",
    "kubectl config view --kubeconfig=n2.yaml",
    { command: "kubectl config use-context second", env: { KUBECONFIG: "two.yaml:one.yaml" } },
    "kubectl config current-context --kubeconfig=two.yaml",
    "kubectl config view --context=none",
    "kubectl config view --foo",
    "kubectl config get-contexts --foo",
    "kubectl config use-context -x",
  ],
};
