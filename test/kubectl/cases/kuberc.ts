import type { Suite } from "../golden-case.ts";

const head = "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n";

const main = `${head}aliases:
- name: getn
  command: get
  prependArgs: [nodes]
  options: [{name: output, default: name}]
- name: lastly
  command: get
  appendArgs: [-n, shop, web-1]
  options: [{name: show-labels, default: "true"}]
- name: setenv
  command: set env
  options: [{name: dry-run, default: client}, {name: output, default: name}]
- name: get
  command: describe
- name: wrong
  command: no such
- name: badflag
  command: get
  options: [{name: nonsense, default: x}]
defaults:
- command: get
  options: [{name: namespace, default: shop}]
- command: api-versions
  options: []
- command: delete
  options: [{name: dry-run, default: client}]
- command: version
  options: [{name: client, default: "true"}, {name: output, default: json}]
`;

const options = (command: string, name: string, value: string): string =>
  `${head}defaults:\n- command: ${command}\n  options: [{name: ${name}, default: "${value}"}]\n`;

const rc = (command: string): string => `kubectl ${command} --kuberc=main.yaml`;

export const suite: Suite = {
  name: "kuberc",
  files: {
    "main.yaml": main,
    "old.yaml":
      "apiVersion: kubectl.config.k8s.io/v1alpha1\nkind: Preference\naliases:\n- name: gp\n  command: get\n  appendArgs: [pods]\n  flags: [{name: namespace, default: shop}]\noverrides:\n- command: get\n  flags: [{name: output, default: name}]\n",
    "several.yaml": `apiVersion: v1\nkind: Other\n---\n${options("get", "output", "name")}`,
    "empty.yaml": "\n",
    "none.yaml": "apiVersion: v1\nkind: ConfigMap\n",
    "typo.yaml": `${options("get", "output", "name")}unknown: 1\n`,
    "number.yaml": `${head}defaults:\n- command: get\n  options: [{name: chunk-size, default: 5}]\n`,
    "badvalue.yaml": options("get", "chunk-size", "many"),
    "noflag.yaml": options("get", "nonsense", "x"),
    "dashes.yaml": options("get", "--output", "name"),
    "nocommand.yaml": options("frobnicate", "output", "name"),
    "badname.yaml": `${head}aliases: [{name: a-b, command: get}]\n`,
    "twice.yaml": `${head}aliases: [{name: a, command: get}, {name: a, command: get}]\n`,
    "badpolicy.yaml": `${head}credentialPluginPolicy: Maybe\n`,
    "nolist.yaml": `${head}credentialPluginPolicy: Allowlist\n`,
    "emptylist.yaml": `${head}credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: []\n`,
    "morelist.yaml": `${head}credentialPluginAllowlist: [{command: a}]\n`,
    "emptyentry.yaml": `${head}credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{}]\n`,
    "unclean.yaml": `${head}credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: /a//b}]\n`,
    "broken.yaml": "a: [b\n",
  },
  cases: [
    rc("getn"),
    rc("getn node-1"),
    rc("getn node-1 -o wide"),
    rc("getn -owide node-1"),
    rc("getn node-1 --output=jsonpath={.metadata.name}"),
    rc("lastly pods"),
    rc("lastly pods --show-labels=false"),
    rc("setenv deploy/web A=b -n shop"),
    rc("get pods -o name"),
    rc("get pods -o name -n empty"),
    rc("get pods -oname --namespace empty"),
    rc("delete pod web-1 -n shop"),
    rc("delete pod web-1 -n shop --dry-run=server"),
    rc("wrong"),
    rc("getn --foo"),
    rc("getn x y z"),
    rc("nothing"),
    "kubectl --kuberc=main.yaml getn",
    "kubectl --kuberc main.yaml get pods -o name",
    "kubectl gp --kuberc=old.yaml",
    "kubectl gp --kuberc=old.yaml -n empty",
    "kubectl get pods -n shop --kuberc=old.yaml",
    "kubectl get pods -n shop --kuberc=several.yaml",
    "kubectl get ns shop -o name --kuberc=empty.yaml",
    "kubectl get ns shop -o name --kuberc=none.yaml",
    "kubectl get ns shop -o name --kuberc=missing.yaml",
    "kubectl get ns shop --kuberc=typo.yaml",
    "kubectl get ns shop --kuberc=number.yaml",
    "kubectl get ns shop --kuberc=badvalue.yaml",
    "kubectl get ns shop --kuberc=noflag.yaml",
    "kubectl get ns shop --kuberc=dashes.yaml",
    "kubectl get ns shop -o name --kuberc=nocommand.yaml",
    "kubectl get ns shop --kuberc=badname.yaml",
    "kubectl get ns shop --kuberc=twice.yaml",
    "kubectl get ns shop --kuberc=badpolicy.yaml",
    "kubectl get ns shop --kuberc=nolist.yaml",
    "kubectl get ns shop --kuberc=emptylist.yaml",
    "kubectl get ns shop --kuberc=morelist.yaml",
    "kubectl get ns shop --kuberc=emptyentry.yaml",
    "kubectl get ns shop --kuberc=unclean.yaml",
    "kubectl get ns shop --kuberc=broken.yaml",
    "kubectl get ns shop --kuberc=",
    "kubectl get ns shop --kuberc",
    { command: "kubectl getn", env: { KUBERC: "main.yaml" } },
    { command: "kubectl getn", env: { KUBERC: "off" } },
    { command: "kubectl getn --kuberc=main.yaml", env: { KUBERC: "off" } },
    { command: "kubectl get ns shop -o name", env: { KUBERC: "missing.yaml" } },
    { command: "kubectl getn --kuberc=main.yaml", env: { KUBECTL_KUBERC: "false" } },
    { command: "kubectl getn", env: { KUBERC: "main.yaml", KUBECTL_KUBERC: "false" } },
    { command: "kubectl kuberc view", env: { KUBECTL_KUBERC: "false" } },
    "kubectl kuberc view --kuberc=main.yaml",
    "kubectl kuberc view --kuberc=old.yaml",
    "kubectl kuberc view --kuberc=old.yaml -o json",
    "kubectl kuberc view --kuberc=main.yaml -o jsonpath={.aliases[0].name}",
    "kubectl kuberc view --kuberc=main.yaml -o name",
    "kubectl kuberc view --kuberc=main.yaml -o what",
    "kubectl kuberc view --kuberc=missing.yaml",
    "kubectl kuberc view --kuberc=typo.yaml",
    "kubectl kuberc view --kuberc=none.yaml",
    "kubectl kuberc view",
    { command: "kubectl kuberc view", env: { KUBERC: "off" } },
    { command: "kubectl kuberc view", stdin: "y\n" },
    "kubectl kuberc view",
    "kubectl get pods -n shop -o name",
    { command: "kubectl kuberc", only: "usage" },
    "kubectl kuberc what",
    "kubectl kuberc set",
    "kubectl kuberc set --section=what",
    "kubectl kuberc set --section=defaults",
    "kubectl kuberc set --section=defaults --command=get --name=x",
    "kubectl kuberc set --section=defaults --command=get --prependarg=x",
    "kubectl kuberc set --section=defaults --command=get --option=x",
    "kubectl kuberc set --section=defaults --command=get --option=output=wide",
    "kubectl kuberc set --section=defaults --command=get --option=output=json",
    "kubectl kuberc set --section=defaults --command=get --option=--output=name --overwrite",
    "kubectl kuberc set --section=defaults --command=get --overwrite",
    "kubectl kuberc set --section=defaults --command=top",
    "kubectl get ns shop",
    "kubectl kuberc set --section=aliases --command=get",
    "kubectl kuberc set --section=aliases --name=gs --command=get --prependarg=ns --appendarg=shop",
    "kubectl kuberc set --section=aliases --name=gs --command=get",
    "kubectl kuberc set --section=aliases --name=gs --command=get --option=output=json --overwrite",
    "kubectl gs -o name",
    "kubectl kuberc set --section=credentialplugin",
    "kubectl kuberc set --section=credentialplugin --policy=Some",
    "kubectl kuberc set --section=credentialplugin --policy=DenyAll --allowlist-entry=command=a",
    "kubectl kuberc set --section=credentialplugin --policy=Allowlist",
    "kubectl kuberc set --section=credentialplugin --policy=Allowlist --allowlist-entry=a",
    "kubectl kuberc set --section=credentialplugin --policy=Allowlist --allowlist-entry=name=a,x=y,command=",
    "kubectl kuberc set --section=credentialplugin --policy=Allowlist --allowlist-entry=command=a,command=/b/c",
    "kubectl kuberc view",
    "kubectl kuberc set --section=defaults --command=get --kuberc=new/folder/rc.yaml",
    "kubectl kuberc view --kuberc=new/folder/rc.yaml",
    { command: "kubectl kuberc --help", only: "usage" },
    { command: "kubectl kuberc view --help", only: "usage" },
    { command: "kubectl kuberc set --help", only: "usage" },
    "kubectl alpha",
  ],
};
