import type { Suite } from "../golden-case.ts";

const pod = (name: string, containers: string): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop}
spec: {nodeName: local, containers: ${containers}}
---
`;

const running = (name: string, phase = "Running"): string =>
  `kubectl patch pod ${name} -n shop --subresource=status --type=merge -p '{"status":{"phase":"${phase}"}}'`;

/** Commands in the container, to put files there and to list them. */
const inside = (script: string): string => `kubectl exec box -n shop -- sh -c "${script}"`;

// The order of a folder depends on the file system. Two backslashes: a case's double quotes remove one.
const listing =
  "find . -mindepth 1 -type d -printf '%p/\\\\n' -o -printf '%y %s %p %l\\\\n' | LC_ALL=C sort";
const longName = `${"long-name-".repeat(14)}end`;

export const suite: Suite = {
  name: "cp",
  hasLocalNode: true,
  files: {
    "pods.yaml":
      pod("box", "[{name: one, image: busybox}]") +
      pod("pair", "[{name: one, image: busybox}, {name: two, image: busybox}]") +
      pod("done", "[{name: one, image: busybox}]"),
    "a.txt": "a\n",
    "big.txt": "0123456789abcdef".repeat(20_000),
    "dir/x.txt": "x\n",
    "dir/sub/y.txt": "y\n",
    "dir/sub/z z.txt": "blank\n",
    "umlaut-ä.txt": "ä\n",
    [longName]: "long\n",
    "taken/there.txt": "there\n",
  },
  cases: [
    "kubectl create -f pods.yaml",
    running("box"),
    running("pair"),
    running("done", "Succeeded"),
    "kubectl cp",
    "kubectl cp a.txt",
    "kubectl cp a.txt b.txt",
    "kubectl cp a.txt b.txt c.txt",
    "kubectl cp box:a box:b",
    "kubectl cp :a b",
    "kubectl cp a/b/c:d e",
    "kubectl cp a.txt box:",
    "kubectl cp box: a.txt",
    "kubectl cp missing.txt shop/box:x",
    "kubectl cp a.txt shop/missing:x",
    "kubectl cp shop/missing:x y",
    "kubectl cp a.txt box:x -n nowhere",
    "kubectl cp a.txt shop/done:x",
    "kubectl cp shop/done:x y",
    "kubectl cp a.txt shop/pair:x -c three",
    "kubectl cp a.txt shop/box:copy.txt",
    "kubectl cp ./a.txt box:./second.txt -n shop",
    "kubectl cp big.txt shop/box:big.txt --no-preserve",
    "kubectl cp dir shop/box:dir",
    "kubectl cp dir/ shop/box:dir/",
    "kubectl cp dir shop/box:other/",
    "kubectl cp dir shop/box:nowhere/at/all",
    "kubectl cp umlaut-ä.txt shop/box:umlaut-ä.txt",
    `kubectl cp ${longName} shop/box:${longName}`,
    "kubectl cp a.txt shop/box:dir",
    "kubectl cp a.txt shop/pair:by-default.txt",
    "kubectl cp a.txt shop/pair:by-name.txt -c two",
    inside(listing),
    inside("cksum copy.txt second.txt big.txt dir/sub/y.txt other/x.txt umlaut* long*"),
    inside("mkdir -p tree/empty tree/links && echo 1 >tree/one && echo 2 >tree/links/two"),
    inside("ln -s one tree/link && ln -s /etc/passwd tree/links/away"),
    inside("mkdir -p 'tree/a b' && echo 3 >'tree/a b/c d' && chmod 600 tree/one"),
    "kubectl cp shop/box:copy.txt back.txt",
    "kubectl cp shop/box:big.txt down/big.txt",
    "kubectl cp shop/box:tree tree",
    "kubectl cp box:tree/ again -n shop",
    "kubectl cp shop/box:tree/links .",
    "kubectl cp shop/box:./tree/one ./one.txt",
    "kubectl cp shop/box:big.txt retried.txt --retries=3",
    "kubectl cp shop/box:copy.txt retried-forever.txt --retries=-1",
    "kubectl cp shop/pair:copy.txt defaulted.txt",
    "kubectl cp shop/pair:copy.txt named.txt -c two",
    "kubectl cp shop/pair:copy.txt wrong.txt -c wrong",
    "kubectl cp shop/box:copy.txt taken",
    "kubectl cp shop/box:copy.txt a.txt/below",
    `kubectl cp shop/box:${longName} ${longName}.back`,
    "kubectl cp shop/box:umlaut-ä.txt back-ä.txt",
    "kubectl cp a.txt shop/box:x --retries=x",
    "kubectl cp a.txt shop/box:x --foo",
    { command: "kubectl cp --help", only: "usage" },
    {
      command: "kubectl cp dir shop/box:by-spdy",
      env: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false" },
    },
    {
      command: "kubectl cp shop/box:by-spdy from-spdy",
      env: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false" },
    },
    "kubectl cp from-spdy shop/box:round",
    "kubectl cp tree shop/box:round/tree",
    "kubectl cp retried.txt shop/box:round/retried.txt",
    "kubectl cp again shop/box:round/again",
    inside(`cd round && ${listing}`),
    inside("cd round && cksum retried.txt tree/one tree/links/two sub/y.txt again/one"),
  ],
};
